//! Prometheus remote write, versions 1.0 and 2.0.
//!
//! The versions are two messages, [`v1::WriteRequest`] and [`v2::Request`], which write the same things
//! differently: 1.0 spells out each label, 2.0 refers to a table of symbols. Decoded, both yield the same
//! [`TimeSeries`], so that one function serves both:
//!
//! ```
//! use borrowire::remote_write::{TimeSeriesList, v1::WriteRequest, v2::Request};
//!
//! fn store(timeseries: TimeSeriesList<'_, '_>) {
//!     for series in timeseries {
//!         for sample in series.samples() {
//!             println!("{:?}: {} at {} ms", series.labels(), sample.value, sample.timestamp);
//!         }
//!     }
//! }
//!
//! # let (old, new): (&[u8], &[u8]) = (b"\x0a\x00", b"\x22\x00\x2a\x00");
//! store(WriteRequest::decode(old)?.timeseries());
//! store(Request::decode(new)?.timeseries());
//! # Ok::<(), borrowire::DecodeError>(())
//! ```
//!
//! This module has what the versions share; each of them exports it as well.

mod buckets;
pub mod convert;
mod exemplar;
mod extensions;
mod histogram;
mod histogram_storage;
mod label;
mod metadata;
mod request;
mod sample;
mod storage;
mod symbols;
mod time_series;
pub mod v1;
pub mod v2;
mod validate;

pub use buckets::{Bucket, BucketError, Buckets};
pub use exemplar::{Exemplar, Exemplars, ExemplarsIter};
pub use extensions::{Extensions, Source};
pub use histogram::{BucketSpan, Count, Histogram, ResetHint};
pub use histogram_storage::{Histograms, HistogramsIter};
pub use label::{Label, METRIC_NAME};
pub use metadata::{Metadata, MetricType};
pub use request::{SkippedItem, SkippedKind};
pub use sample::{STALE_NAN_BITS, Sample, is_stale_nan};
#[cfg(feature = "std")]
pub use sample::{system_time_from_timestamp, timestamp_from_system_time};
pub use time_series::{TimeSeries, TimeSeriesIter, TimeSeriesList};
pub use validate::{NameScheme, Rules, Violation, ViolationKind};
