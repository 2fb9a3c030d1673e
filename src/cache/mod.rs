//! Caches of bytes: keys, frames, an embedded cache, and memcached.
//!
//! [`ShardedCache`] holds entries in a fixed amount of memory of this process; an entry is
//! measured, given room in a ring, and written there once.
//!
//! | module, type | what it is |
//! |---|---|
//! | [`key`] | keys of index caches: Mimir's, Thanos', and ones that cannot collide |
//! | [`frame`] | a key and a value as one run of bytes, also as BigCache has it |
//! | [`Ring`] | entries in fixed memory, first in, first out |
//! | [`ShardedCache`] | rings with an index behind locks: the cache |
//! | `Memcached` | with feature `memcached`: a cache on another machine |
//! | [`Cache`] | what both can do, with [`Keys`] to look up and the [`Values`] that were found |
//!
//! The flow of an index cache, of which all but what was fetched is kept for the next query:
//!
//! ```
//! use borrowire::cache::key::{BlockId, KeyBatch, Scope, mimir};
//! use borrowire::cache::{BatchScratch, CacheOptions, Keys, ShardedCache, Values};
//!
//! let cache = ShardedCache::new(CacheOptions::new(64 << 20))?;
//! let (mut keys, mut values) = (KeyBatch::new(), Values::new());
//! let mut scratch = BatchScratch::new();
//!
//! let scope = Scope::new("tenant", BlockId::new("01HV2Z3Q9MXV4N8T7E6R5W4Q3P")?)?;
//! for series in [7, 8, 9] {
//!     keys.push(&mimir::SeriesKey::new(scope, series))?;
//! }
//! cache.get_many(&keys, &mut values); // each shard is locked once
//! let fetched: Vec<_> = values.missing().map(|at| (keys.key(at), b"a series")).collect();
//! cache.put_many(&fetched, &mut scratch)?;
//!
//! cache.get_many(&keys, &mut values);
//! assert_eq!(values.hits(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod embedded;
pub mod frame;
pub mod key;
mod keys;
#[cfg(feature = "memcached")]
mod memcached;
mod store;
mod values;

pub use batch::BatchScratch;
pub use embedded::{
    CacheError, CacheOptions, Clock, DefaultHashBuilder, DefaultHasher, MonotonicClock, Ring,
    RingPosition, ShardedCache, Statistics,
};
pub use keys::Keys;
#[cfg(feature = "memcached")]
pub use memcached::{Memcached, MemcachedError};
pub use store::Cache;
pub use values::Values;
