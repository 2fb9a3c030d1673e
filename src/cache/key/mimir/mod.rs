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
//! # Tenants and label names
//!
//! They stand in a key as they are, as in Mimir, so a key may have bytes that memcached, or a
//! client of it, does not take. A `=` is none of them.
//!
//! | a tenant or label name with | Mimir | `Memcached` of this crate |
//! |---|---|---|
//! | bytes over 126 (`LV2` of a UTF-8 name) | stores it as it is | sends it [escaped] |
//! | a space or control character | its client refuses the key | sends it [escaped] |
//! | so much that the key is over 250 bytes | its client refuses the key | refuses it |
//!
//! An escaped key is another key for Mimir. Its store-gateway does not find what is stored under
//! it, and what Mimir stored is not found through this crate: both miss, and neither ever gets a
//! wrong value. All other keys are the same for both.
//!
//! [escaped]: super::escape_memcached
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
