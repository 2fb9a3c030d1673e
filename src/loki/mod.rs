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
//! Lines are bytes: real logs hold any byte, and Loki does not look. Labels and structured metadata
//! are text, checked.
//!
//! # Reading
//!
//! | you have | you call | storage |
//! |---|---|---|
//! | one body | [`PushRequest::decode`] | new |
//! | a loop over bodies | [`reuse::Decoder`](crate::reuse::Decoder) | the decoder's, used again |
//! | many threads | `reuse::Pool` | from the pool, given back by the guard |
//! | a body for another task | [`reuse::Owned`](crate::reuse::Owned) | with the body, `Send` |
//!
//! Labels are a string, such as `{job="varlogs"}`, on the wire and in [`Stream::labels`]:
//! [`selector`] reads and writes it. Pushes in JSON, both ways, are in `json`.
//!
//! # Writing
//!
//! [`PushRequestEncoder`] takes an iterator of [`Stream`] over the caller's own slices;
//! [`PushBatch`] (or [`OwnedPushBatch`], which borrows nothing) collects entries into streams by their labels; a decoded [`PushRequest`] encodes
//! as it is. All implement [`Encode`](crate::Encode).

#[cfg(feature = "json")]
pub mod json;
mod options;
#[cfg(feature = "prost")]
mod prost;
pub(crate) mod push;
mod record_kind;
mod rule;
mod rules;
pub mod selector;
mod split;
mod tokens;

pub use options::DecodeOptions;
pub use push::{
    Entries, EntriesIter, Entry, LabelPair, OwnedPushBatch, PushBatch, PushRequest,
    PushRequestEncoder, Stream, Streams, StreamsIter, Timestamp,
};
pub use record_kind::RecordKind;
pub use rule::Rule;
pub use rules::{Rules, ViolationKind, validate_stream};
pub use tokens::LokiTokens;
