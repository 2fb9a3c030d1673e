//! Forwarding without encoding again: tokens, splitting, filtering, relabelling, merging.
//!
//! A distributor decodes a request only to hash each series and send it on. So records are copied
//! as they came, unknown fields and all: no series is encoded again.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::remote_write::MimirTokens;
//! use borrowire::remote_write::v1::WriteRequest;
//! use borrowire::reuse::Decoder;
//! use borrowire::shard::Splitter;
//!
//! # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
//! # fn send(shard: u32, message: &[u8]) { assert!(shard < 16 && !message.is_empty()) }
//! # let labels = [Label::new("job", "node")];
//! # let bodies = [WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?];
//! let (mut decoder, mut splitter) = (Decoder::<WriteRequest>::new(), Splitter::new());
//! let (tenant, mut tokens, mut out) = (MimirTokens::new("tenant"), Vec::new(), Vec::new());
//! for body in &bodies {
//!     let request = decoder.decode(body)?;
//!     tenant.tokens(&*request, &mut tokens); // of series, then of metadata
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
//! | the shard that your cluster computes | tokens: [`remote_write`], [`loki`], [`StableTokens`] |
//! | a request for each shard | [`Splitter::split`], [`Splitter::split_by_position`] |
//! | each record at several shards, or at none | [`Splitter::replicate`] |
//! | parts of so many bytes | [`Splitter::split_by_size`], [`SplitOptions::with_max_bytes`] |
//! | fewer records of anything | `replicate`, with a function that gives no shard |
//! | other labels | [`v1::Relabeler`], [`v2::Relabeler`] |
//! | what was relabelled or converted in parts | its `request()`, which splits as any other |
//! | what was in a part that failed | [`Part::records`] |
//! | tokens of labels in any order | [`MimirTokens::with_normalized_labels`][normalized] |
//! | several requests as one | [`Merger`] |
//!
//! [`remote_write`]: crate::remote_write::MimirTokens
//! [`v1::Relabeler`]: crate::remote_write::v1::Relabeler
//! [`v2::Relabeler`]: crate::remote_write::v2::Relabeler
//! [`loki`]: crate::loki::LokiTokens
//! [normalized]: crate::remote_write::MimirTokens::with_normalized_labels
//!
//! # What a part has
//!
//! ```text
//! body    [series a][series b][source][series c][metadata m][unknown]
//! part 0  [series a]                  [series c]
//! part 1            [series b]                  [metadata m]
//! ```
//!
//! - Records byte for byte, in their order. Their own unknown fields are in their bytes.
//! - Metadata where there is room: it makes parts of its own only if it fits into no other.
//! - Not the request's fields that are no lists, `source` and the flags of Cortex and Mimir, and
//!   Loki's `format`: a client must not set them for what is behind. Where it is trusted, hand them
//!   over: [`SplitOptions::with_extensions`]. Relabelers and a [`Merger`] have the same option.
//! - Not the request's own unknown fields. Nobody can tell whether they belong into one part or
//!   into all of them, and in all of them a client could multiply its bytes by the number of
//!   shards. A relabeler and a [`Merger`], which make one request, keep them.
//! - Not what partial mode left out.
//!
//! A request that stands in no body, such as one read from JSON or made of generated types, is
//! encoded.
//!
//! # Requests with a table
//!
//! The series of remote write 2.0 refer to symbols, so each part gets those that it uses, and no
//! others, and its series are copied but for their references. All other fields keep their bytes,
//! also unknown ones. References of labels are joined into one packed field at the front of their
//! message. A long symbol that many parts use is in each of them, so small parts can together have
//! many times the bytes of the request: write them one by one.
//!
//! ```text
//! body    symbols "" a b c d   series [1 2]  series [3 4]  series [1 4]
//! part 0  symbols "" a b d     series [1 2]                series [1 3]
//! part 1  symbols "" c d                     series [1 2]
//! ```

mod fnv;
mod merge;
mod numbering;
mod part;
mod plan;
mod request;
mod rewrite;
mod slots;
mod splitter;
mod text;
mod xxhash;

pub use merge::{MergeError, MergeErrorKind, MergeRequest, Merger};
pub use part::{Oversized, Part, Parts, Split};
pub use request::SplitRequest;
pub use splitter::{SplitOptions, Splitter};
pub use xxhash::{StableTokens, shard_of};

pub(crate) use fnv::{FNV_OFFSET, fnv1, fnv1_all};
pub(crate) use numbering::{Numbering, Scratch, append_message, append_varint};
pub(crate) use request::sealed::Place;

pub(crate) use text::Text;
pub(crate) use xxhash::{Gathering, Xxh64};

/// What protocols implement to be split and merged.
pub(crate) mod sealed {
    pub(crate) use super::merge::sealed::Merge;
    pub(crate) use super::request::sealed::{Records, Table};
}
