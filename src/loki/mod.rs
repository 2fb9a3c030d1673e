//! Loki push: `logproto.PushRequest`, as log shippers send it.
//!
//! ```text
//! PushRequest        1 streams*    2 format (internal)
//! StreamAdapter      1 labels      2 entries*   3 hash
//! EntryAdapter       1 timestamp   2 line       3 structuredMetadata*   4 parsed* (internal)
//! Timestamp          1 seconds     2 nanos
//! LabelPairAdapter   1 name        2 value
//! ```
//!
//! Lines are bytes: real logs hold any byte, and Loki does not look. Labels and structured metadata are
//! text, checked.

mod batch;
mod encoder;
mod entry;
#[cfg(feature = "json")]
pub mod json;
mod label_pair;
mod owned;
#[cfg(feature = "prost")]
mod prost;
mod push_request;
pub mod selector;
mod storage;
mod stream;
mod timestamp;
mod validate;

pub use batch::PushBatch;
pub use encoder::PushRequestEncoder;
pub use entry::{Entries, EntriesIter, Entry};
pub use label_pair::LabelPair;
pub use owned::OwnedPushRequest;
pub use push_request::{PushRequest, SkippedStream};
pub use stream::{Stream, Streams, StreamsIter};
pub use timestamp::Timestamp;
pub use validate::{Violation, ViolationKind};

/// A decoder of pushes that uses its storage again.
pub type PushRequestDecoder = crate::reuse::Decoder<PushRequest<'static>>;

/// A push in the storage of a [`PushRequestDecoder`].
pub type DecodedPushRequest<'d, 'a> = crate::reuse::Decoded<'d, 'a, PushRequest<'static>>;

/// Storages for pushes, shared by many threads.
#[cfg(feature = "std")]
pub type PushRequestPool = crate::reuse::Pool<PushRequest<'static>>;

/// A push in storage of a [`PushRequestPool`].
#[cfg(feature = "std")]
pub type PooledPushRequest<'p, 'a> = crate::reuse::Pooled<'p, 'a, PushRequest<'static>>;
