//! The keys of Mimir's store-gateway index cache, byte for byte.
//!
//! ```text
//! P2:<tenant>:<block>:<id>                  PostingsKey           id of name ":" value
//! PO<tenant>:<block>:<id>                   PostingsOffsetKey     id of it, or of a matcher's text
//! S:<tenant>:<block>:<ref>                  SeriesKey             ref: decimal
//! E2:<tenant>:<block>:<M>:<strategy>        ExpandedPostingsKey
//! SP2:<tenant>:<block>:<shard>:<refs>       SeriesForPostingsKey  shard: all, 2_of_16
//! LN:<tenant>:<block>:<M>                   LabelNamesKey
//! LV2:<tenant>:<block>:<label name>:<M>     LabelValuesKey        the name as it is
//!
//! id    base64 of the bytes themselves up to 32, else of their BLAKE2b-256 hash
//! M     base64 of the hash of the matchers, sorted by name, operator and value:
//!       of each its name, operator, value and a zero byte
//! refs  base64 of the hash of the series references, 8 bytes each
//! ```
//!
//! Mimir hashes references as they lie in memory. They are little endian here, as on the machines
//! that Mimir runs on.
//!
//! # One key for two things
//!
//! Some things that differ have one key, in Mimir, and so here:
//!
//! - the labels `a:b="c"` and `a="b:c"`: both are `a:b:c`
//! - a label of 32 bytes, and one whose hash it is
//! - the matchers `a="~b"` and `a=~"b"`: both are `a=~b`; and any of which a value has a zero byte
//! - a postings offset of a matcher, and of a label with the same text
//!
//! [`distinct`](super::distinct) has keys without this.
//!
//! Source: the index cache of Mimir's store-gateway, early 2026, and its newer cache of postings
//! offsets.

mod key;
mod matchers;
mod postings;
mod series;

pub use key::Key;
pub use matchers::{ExpandedPostingsKey, LabelNamesKey, LabelValuesKey, hash_matchers};
pub use postings::{PostingsKey, PostingsOffsetKey};
pub use series::{SeriesForPostingsKey, SeriesKey, hash_refs};
