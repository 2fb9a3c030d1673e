//! Keys of index caches: made without allocating, and read back to their parts.
//!
//! A store of time series keeps the postings and series of its blocks in memcached. Their keys are a few
//! parts with colons in between. What may be long, or may have colons itself, stands in them in base64
//! (URL alphabet, no padding), as it is or as its BLAKE2b-256 hash.
//!
//! | module | keys |
//! |---|---|
//! | [`mimir`] | of Mimir's store-gateway, byte for byte |
//! | [`thanos`] | of Thanos' store, byte for byte |
//! | [`distinct`] | for new caches: different labels and matchers never share a key |
//!
//! Each is a `Copy` value that implements [`Encode`](crate::Encode): its exact length, and writing it into
//! memory of the caller, base64 in place. Hashing happens when it is made, piece by piece.
//! [`to_buf`](CacheKey::to_buf) puts it on the stack, and a [`KeyBatch`] holds many, four of which are
//! hashed at a time.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::cache::key::{Block, CacheKey, Scope, check_memcached, mimir};
//!
//! let scope = Scope::new("tenant", Block::new("00000000010000000000000000")?)?;
//! let postings = mimir::Postings::new(scope, "foo", "bar");
//!
//! let key = postings.to_buf()?; // no heap
//! assert_eq!(key, "P2:tenant:00000000010000000000000000:Zm9vOmJhcg");
//! assert_eq!(key.len(), postings.encoded_len());
//! check_memcached(key.as_bytes())?; // over 250 bytes, or spaces: reported, never cut
//!
//! assert_eq!(mimir::Key::parse(key.as_bytes())?, mimir::Key::Postings(postings));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod base64;
mod batch;
mod block;
mod buf;
mod decimal;
mod digest;
pub mod distinct;
mod error;
mod label_id;
mod matcher;
mod memcached;
pub mod mimir;
mod parser;
mod scope;
mod shard;
pub mod thanos;

pub use batch::{KeyBatch, Keys};
pub use block::Block;
pub use buf::{CacheKey, KeyBuf};
pub use digest::Digest;
pub use error::{KeyError, KeyErrorKind};
pub use matcher::{MatchOp, Matcher};
pub use memcached::{MAX_MEMCACHED_KEY, check_memcached};
pub use scope::Scope;
pub use shard::Shard;
