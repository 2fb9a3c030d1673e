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
//! | a loop over bodies | [`WriteRequestDecoder`] | the decoder's, used again |
//! | many threads | `WriteRequestPool` | from the pool, given back by the guard |
//! | a body to hand to another task | [`OwnedWriteRequest::decode`] | with the body, `Send + 'static` |
//!
//! # Writing
//!
//! [`WriteRequestEncoder`] takes an iterator of [`TimeSeries`] over the caller's own slices;
//! a decoded [`WriteRequest`] encodes as it is. Both implement [`Encode`](crate::Encode).

mod encoder;
mod exemplar;
mod metadata;
mod owned;
#[cfg(feature = "prost")]
mod prost;
mod time_series;
mod write_request;

pub use encoder::WriteRequestEncoder;
pub use metadata::{MetadataIter, MetadataList, MetricMetadata};
pub use owned::OwnedWriteRequest;
pub use write_request::WriteRequest;

pub use super::{
    Bucket, BucketError, BucketSpan, Buckets, Count, Exemplar, Exemplars, ExemplarsIter,
    Extensions, Histogram, Histograms, HistogramsIter, Label, METRIC_NAME, MetricType, NameScheme,
    ResetHint, Rules, STALE_NAN_BITS, Sample, SkippedItem, SkippedKind, Source, TimeSeries,
    TimeSeriesIter, TimeSeriesList, Violation, ViolationKind, is_stale_nan,
};
#[cfg(feature = "std")]
pub use super::{system_time_from_timestamp, timestamp_from_system_time};

/// A decoder of write requests that uses its storage again.
pub type WriteRequestDecoder = crate::reuse::Decoder<WriteRequest<'static>>;

/// A write request in the storage of a [`WriteRequestDecoder`].
pub type DecodedWriteRequest<'d, 'a> = crate::reuse::Decoded<'d, 'a, WriteRequest<'static>>;

/// Storages for write requests, shared by many threads.
#[cfg(feature = "std")]
pub type WriteRequestPool = crate::reuse::Pool<WriteRequest<'static>>;

/// A write request in storage of a [`WriteRequestPool`].
#[cfg(feature = "std")]
pub type PooledWriteRequest<'p, 'a> = crate::reuse::Pooled<'p, 'a, WriteRequest<'static>>;
