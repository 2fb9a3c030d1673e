//! Prometheus remote write, versions 1.0 and 2.0.
//!
//! The versions are two messages, [`v1::WriteRequest`] and [`v2::Request`], which write the same
//! things differently: 1.0 spells out each label, 2.0 refers to a table of symbols. Decoded, both
//! yield the same [`TimeSeries`], so that one function serves both:
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
//! # use borrowire::{Encode, remote_write::{TimeSeries, v1::WriteRequestEncoder, v2::Symbolizer}};
//! # let series = [TimeSeries::new(&[])];
//! # let old = WriteRequestEncoder::new(series).encode_to_vec()?;
//! # let new = Symbolizer::new().symbolize(series)?.encode_to_vec()?;
//! store(WriteRequest::decode(&old)?.timeseries());
//! store(Request::decode(&new)?.timeseries());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Here is what both versions have in common; what belongs to one of them is in [`v1`] and [`v2`].

mod model;
mod tokens;
pub mod v1;
pub mod v2;

pub use model::exemplar::{Exemplar, Exemplars, ExemplarsIter};
pub use model::extensions::{Extensions, RequestSource};
pub use model::histogram::{
    Bucket, BucketError, BucketSpan, Buckets, Count, Histogram, Histograms, HistogramsIter,
    ResetHint,
};
pub use model::label::{Label, METRIC_NAME};
pub use model::label_edits::LabelEdits;
pub use model::metadata::{Metadata, MetadataRefs, MetricType};
pub use model::normalize::Labels;
pub use model::record_kind::RecordKind;
pub use model::rules::{NameScheme, Rule, Rules, Side, ViolationKind};
pub use model::sample::{STALE_NAN_BITS, Sample, is_stale_nan};
#[cfg(feature = "std")]
pub use model::sample::{system_time_from_timestamp, timestamp_from_system_time};
pub use model::time_series::{TimeSeries, TimeSeriesIter, TimeSeriesList};
pub use tokens::{MimirTokens, SeriesRequest, ThanosTokens, labels_hash};
