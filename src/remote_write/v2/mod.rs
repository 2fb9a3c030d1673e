//! Remote write 2.0: `io.prometheus.write.v2.Request`, with Mimir's forms of it.
//!
//! ```text
//! Request      4 symbols*      5 timeseries*     2, 1000, 1001 (Mimir)
//! TimeSeries   1 labels_refs*  2 samples*        3 histograms*   4 exemplars*   5 metadata
//!              6 created_timestamp (until 2.0-rc.3, and Mimir)
//! Sample       1 value         2 timestamp       3 start_timestamp
//! Histogram    1-7 count, sum, schema, zero bucket   8-13 spans and buckets
//!              14 reset_hint   15 timestamp      16 custom_values   17 start_timestamp
//! Exemplar     1 labels_refs*  2 value           3 timestamp
//! Metadata     1 type          3 help_ref        4 unit_ref
//! ```
//!
//! Source: the Prometheus remote write specification, version 2.0-rc.4. Timestamps are milliseconds
//! since the Unix epoch everywhere; a start timestamp of 0 is unset.
//!
//! References name symbols by their position. Those of a series' labels come in pairs, name and
//! value. Symbols may stand behind the series that use them.
//!
//! # Reading
//!
//! [`Request::decode`], a [`reuse::Decoder`](crate::reuse::Decoder), a `reuse::Pool` and
//! [`reuse::Owned`](crate::reuse::Owned) are as for [`v1`](super::v1), and yield
//! [`TimeSeries`](super::TimeSeries) with their labels resolved. References as they were, for
//! passing series on, are [`Request::refs`].
//!
//! # Writing
//!
//! A [`Symbolizer`] takes an iterator of [`TimeSeries`](super::TimeSeries) over the caller's own
//! slices and gives a request that implements [`Encode`](crate::Encode).
//!
//! # Mimir
//!
//! Mimir sends this message, with the fields that it adds to 1.0 too (see
//! [`Extensions`](super::Extensions)), over gRPC; in Kafka, records of version 2 have the form
//! [`Format::MimirRecord`], which uses [`COMMON_SYMBOLS`]. (Cortex' own 2.0 has its source in field
//! 6, which stays an unknown field here.)

mod bad_ref;
mod common_symbols;
mod encoder;
mod exemplar;
mod format;
mod labels_refs;
mod long_symbols;
mod made;
mod metadata;
mod options;
#[cfg(feature = "prost")]
mod prost;
mod refs;
mod relabel;
mod request;
mod rules;
pub(crate) mod shape;
mod split;
mod symbolizer;
mod symbols;
mod time_series;
mod written;

pub use bad_ref::BadRef;
pub use common_symbols::{COMMON_SYMBOLS, COMMON_SYMBOLS_END};
pub use encoder::RequestEncoder;
#[cfg(feature = "kafka")]
pub(crate) use encoder::SeriesSize;
pub use format::Format;
pub(crate) use long_symbols::LongSymbols;
pub use options::{DecodeOptions, EncodeOptions};
#[cfg(feature = "prost")]
pub use prost::FromProstError;
pub use refs::{ExemplarRefs, Refs, SeriesRefs};
pub use relabel::{Relabeled, Relabeler};
pub use request::Request;
pub use rules::{Validator, validate_timeseries};
pub use symbolizer::{Symbolizer, TooManySymbols};
pub use symbols::Symbols;
pub use written::Written;
