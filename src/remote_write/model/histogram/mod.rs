//! Native histograms: the message, which is the same in both versions, and its buckets.

mod bucket_span;
mod buckets;
mod columns;
mod count;
mod list;
mod message;

pub use bucket_span::BucketSpan;
pub use buckets::{Bucket, BucketError, Buckets};
pub use count::{Count, ResetHint};
pub use list::{Histograms, HistogramsIter};
pub use message::Histogram;

pub(in crate::remote_write) use columns::HistogramColumns;
pub(super) use message::CUSTOM_BUCKETS_SCHEMA;
