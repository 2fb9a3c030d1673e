//! Keys of index caches: made without allocating, and read back to their parts.
//!
//! A store of time series keeps the postings and series of its blocks in memcached. Their keys are
//! a few parts with colons in between. What may be long, or may have colons itself, stands in them
//! in base64 (URL alphabet, no padding), as it is or as its BLAKE2b-256 hash.
//!
//! | module | keys |
//! |---|---|
//! | [`mimir`] | of Mimir's store-gateway, byte for byte |
//! | [`thanos`] | of Thanos' store, byte for byte |
//! | [`distinct`] | for new caches: different labels and matchers never share a key |
//!
//! Each is a `Copy` value that implements [`Encode`](crate::Encode): its exact length, and writing
//! it into memory of the caller, base64 in place. Hashing happens when it is made, piece by piece.
//! [`to_buf`](CacheKey::to_buf) puts it on the stack, and a [`KeyBatch`] holds many, four of which
//! are hashed at a time.
//!
//! ```
//! use borrowire::Encode;
//! use borrowire::cache::key::{BlockId, CacheKey, Scope, check_memcached, mimir};
//!
//! let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
//! let postings = mimir::PostingsKey::new(scope, "foo", "bar");
//!
//! let key = postings.to_buf()?; // no heap
//! assert_eq!(key, "P2:tenant:00000000010000000000000000:Zm9vOmJhcg");
//! assert_eq!(key.len(), postings.encoded_len());
//! check_memcached(key.as_bytes())?; // over 250 bytes, or spaces: reported, never cut
//!
//! assert_eq!(mimir::Key::parse(key.as_bytes())?, mimir::Key::Postings(postings));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod distinct;
mod error;
mod key_batch;
mod key_buf;
mod memcached;
pub mod mimir;
mod parser;
mod part;
pub mod thanos;

pub use error::{KeyError, KeyErrorKind};
pub use key_batch::{KeyBatch, KeyBatchIter};
pub use key_buf::{CacheKey, KeyBuf};
pub use memcached::{MAX_MEMCACHED_KEY, check_memcached, escape_memcached, unescape_memcached};
pub use part::{BlockId, Digest, MatchOp, Matcher, QueryShard, Scope};
