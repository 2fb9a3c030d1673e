//! Remote write 1.0: `prometheus.WriteRequest`, with the extension fields of Cortex and Mimir.
//!
//! ```text
//! WriteRequest    1 timeseries*   2 source (ext)   3 metadata*   1000, 1001, 1002 flags (ext)
//! TimeSeries      1 labels*       2 samples*       3 exemplars*  4 histograms*
//!                 6 created_timestamp (ext)
//! Label           1 name          2 value
//! Sample          1 value         2 timestamp      3 start_timestamp (ext)
//! Exemplar        1 labels*       2 value          3 timestamp
//! Histogram       1-7 count, sum, schema, zero bucket   8-13 spans and buckets
//!                 14 reset_hint   15 timestamp     16 custom_values    17 start_timestamp (ext)
//! MetricMetadata  1 type          2 metric_family_name          4 help         5 unit
//! ```
//!
//! Source: the Prometheus remote write specification, version 1.0, with the fields that its
//! implementations added since (exemplars, histograms, metadata). Timestamps are milliseconds since
//! the Unix epoch everywhere.
//!
//! # Reading
//!
//! | you have | you call | storage |
//! |---|---|---|
//! | one body | [`WriteRequest::decode`] | new |
//! | a loop over bodies | [`reuse::Decoder`](crate::reuse::Decoder) | the decoder's, used again |
//! | many threads | `reuse::Pool` | from the pool, given back by the guard |
//! | a body for another task | [`reuse::Owned`](crate::reuse::Owned) | with the body, `Send` |
//!
//! # Writing
//!
//! [`WriteRequestEncoder`] takes an iterator of [`TimeSeries`](super::TimeSeries) over the caller's
//! own slices; a [`WriteBatch`] collects samples into series by their labels, and borrows nothing; a
//! decoded [`WriteRequest`] encodes as it is. All implement [`Encode`](crate::Encode).

mod appender;
mod batch;
mod exemplar;
#[cfg(feature = "kafka")]
pub(crate) mod fields;
mod message;
mod metadata;
mod options;
#[cfg(feature = "prost")]
mod prost;
mod relabel;
pub(crate) mod shape;
mod split;
mod time_series;
mod write_request;

pub(crate) use appender::{Appender, SeriesId, append_label};
pub use batch::WriteBatch;
pub use message::Message;
pub use metadata::{MetadataEntries, MetadataEntriesIter, MetricMetadata};
pub use options::{DecodeOptions, EncodeOptions};
pub use relabel::{Relabeled, Relabeler};
pub use split::Record;
pub use time_series::validate_timeseries;
pub use write_request::{WriteRequest, WriteRequestEncoder};
