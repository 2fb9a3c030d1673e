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
//! Source: the Prometheus remote write specification, version 2.0-rc.4. Timestamps are milliseconds since
//! the Unix epoch everywhere; a start timestamp of 0 is unset.
//!
//! References name symbols by their position. Those of a series' labels come in pairs, name and value.
//! Symbols may stand behind the series that use them.
//!
//! # Reading
//!
//! [`Request::decode`], [`RequestDecoder`], `RequestPool` and [`OwnedRequest`] are to this version what
//! [`v1`](super::v1) has for the other, and yield the same [`TimeSeries`], labels resolved. References as
//! they were, for passing series on, are [`Request::refs`].
//!
//! # Writing
//!
//! A [`Symbolizer`] takes an iterator of [`TimeSeries`] over the caller's own slices and gives a request
//! that implements [`Encode`](crate::Encode).
//!
//! # Mimir
//!
//! The same message, with the fields of 1.0 that Mimir shares (see [`Extensions`]), goes over gRPC; in
//! Kafka, records of version 2 use [`COMMON_SYMBOLS`]: read them with
//! [`with_common_symbols`](crate::DecodeOptions::with_common_symbols), write them with
//! [`Symbolizer::with_common_symbols`]. Such a record has the header `Version` with the value 2 in four bytes,
//! big-endian; both options belong to it and to nothing else. (Cortex' own 2.0 has its source in field 6,
//! which stays an unknown field here.)

mod bad_ref;
mod encoder;
mod exemplar;
mod metadata;
mod owned;
#[cfg(feature = "prost")]
mod prost;
mod refs;
mod request;
mod symbolizer;
mod time_series;
mod validate;
mod written;

pub use bad_ref::BadRef;
pub use encoder::SymbolizedRequest;
pub use owned::OwnedRequest;
#[cfg(feature = "prost")]
pub use prost::FromProstError;
pub use refs::{ExemplarRefs, Refs, SeriesRefs};
pub use request::Request;
pub use symbolizer::{Symbolizer, TooManySymbols};
pub use validate::{RequestViolation, Validator};
pub use written::Written;

pub use super::metadata::MetadataRefs;
pub use super::symbols::{COMMON_SYMBOLS, COMMON_SYMBOLS_END, Symbols};
pub use super::{
    Bucket, BucketError, BucketSpan, Buckets, Count, Exemplar, Exemplars, ExemplarsIter,
    Extensions, Histogram, Histograms, HistogramsIter, Label, METRIC_NAME, Metadata, MetricType,
    NameScheme, ResetHint, Rules, STALE_NAN_BITS, Sample, SkippedItem, SkippedKind, Source,
    TimeSeries, TimeSeriesIter, TimeSeriesList, Violation, ViolationKind, is_stale_nan,
};
#[cfg(feature = "std")]
pub use super::{system_time_from_timestamp, timestamp_from_system_time};

/// A decoder of requests that uses its storage again.
pub type RequestDecoder = crate::reuse::Decoder<Request<'static>>;

/// A request in the storage of a [`RequestDecoder`].
pub type DecodedRequest<'d, 'a> = crate::reuse::Decoded<'d, 'a, Request<'static>>;

/// Storages for requests, shared by many threads.
#[cfg(feature = "std")]
pub type RequestPool = crate::reuse::Pool<Request<'static>>;

/// A request in storage of a [`RequestPool`].
#[cfg(feature = "std")]
pub type PooledRequest<'p, 'a> = crate::reuse::Pooled<'p, 'a, Request<'static>>;
