//! Forwarding without encoding again: tokens, splitting, filtering, relabelling, merging.
//!
//! A distributor decodes a request only to hash each series and send it on. So records are copied as they
//! came, unknown fields and all: no series is encoded again.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::remote_write::v1::WriteRequestDecoder;
//! use borrowire::shard::{Splitter, token::MimirTokens};
//!
//! # fn send(shard: u32, message: &[u8]) { assert!(shard < 16 && message.len() == 33) }
//! # let bodies = [b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02bc".repeat(3)];
//! let (mut decoder, mut splitter) = (WriteRequestDecoder::new(), Splitter::new());
//! let (tenant, mut tokens, mut out) = (MimirTokens::new("tenant"), Vec::new(), Vec::new());
//! # out.resize(1000, 0);
//! for body in &bodies {
//!     let request = decoder.decode(body)?;
//!     tenant.tokens(&request, &mut tokens); // of series, then of metadata
//!     let mut split = splitter.split_by_position(&*request, |at| tokens[at] % 16);
//!     out.resize(out.len().max(split.encoded_len()), 0);
//!     split.encode_all(&mut out)?; // one pass over the body
//!     for (shard, range) in split.ranges() {
//!         send(shard, &out[range]);
//!     }
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | you want | you call |
//! |---|---|
//! | the shard of a series, as your cluster computes it | [`token`] |
//! | a request for each shard, or each partition | [`Splitter::split`], [`Splitter::split_by_position`] |
//! | each record at several shards, or at none | [`Splitter::replicate`] |
//! | the same for remote write 2.0, with the symbols that each part uses | [`v2::Splitter`] |
//! | parts of at most so many bytes | [`Splitter::split_by_size`], [`Preparation::with_max_bytes`] |
//! | fewer series, or other labels, of remote write 1.0 | [`Relabeler`] |
//! | fewer series or streams of anything | `replicate`, with a function that gives no shard |
//! | several requests as one | [`Merger`] |
//!
//! # What a part has
//!
//! ```text
//! body    [series a][series b][source][series c][metadata m][unknown]
//! part 0  [series a]          [source][series c]
//! part 1  [series b]          [source]          [metadata m]
//! ```
//!
//! - Records byte for byte, in their order. Their own unknown fields are in their bytes.
//! - The request's fields that are no lists: `source` and the flags of Cortex and Mimir, and Loki's
//!   `format` if it is as short as Loki's are. At the edge, where clients must not set them, hand over your
//!   own: [`Preparation::with_extensions`].
//! - Not the request's own unknown fields. Nobody can tell whether they belong into one part or into all of
//!   them, and in all of them a client could multiply its bytes by the number of shards. A [`Relabeler`] and
//!   a [`Merger`], which make one request, keep them.
//! - Not what partial mode left out.
//!
//! A request that stands in no body, such as one read from JSON or made of generated types, is encoded.

mod edits;
mod merge;
mod part;
mod plan;
mod relabel;
mod request;
mod slots;
mod splitter;
pub mod token;
pub mod v2;

pub use edits::LabelEdits;
pub use merge::{MergeError, MergeErrorKind, MergeRequest, Merger};
pub use part::{Part, Parts, Split};
pub use relabel::{Relabeled, Relabeler};
pub use request::{Record, RecordList, SplitRequest};
pub use splitter::{Oversized, Preparation, Splitter};
