//! Caches of bytes: keys, frames, an embedded cache, and memcached.
//!
//! [`Sharded`] holds entries in a fixed amount of memory of this process; an entry is measured, given room
//! in a ring, and written there once.
//!
//! | module, type | what it is |
//! |---|---|
//! | [`key`] | keys of index caches: Mimir's, Thanos', and ones that cannot collide |
//! | [`frame`] | a key and a value as one run of bytes, also as BigCache has it |
//! | [`Ring`] | entries in fixed memory, first in, first out |
//! | [`Sharded`] | rings with an index behind locks: the cache |
//! | `Memcached` | with feature `memcached`: a cache on another machine |
//! | [`Cache`] | what both can do |
//!
//! The flow of an index cache, of which all but what was fetched is kept for the next query:
//!
//! ```
//! use borrowire::cache::key::{Block, KeyBatch, Scope, mimir};
//! use borrowire::cache::{Batch, Found, KeyList, Sharded, ShardedOptions};
//!
//! let cache = Sharded::new(ShardedOptions::new(64 << 20))?;
//! let (mut keys, mut found, mut batch) = (KeyBatch::new(), Found::new(), Batch::new());
//!
//! let scope = Scope::new("tenant", Block::new("01HV2Z3Q9MXV4N8T7E6R5W4Q3P")?)?;
//! for series in [7, 8, 9] {
//!     keys.push(&mimir::Series::new(scope, series))?;
//! }
//! cache.get_many(&keys, &mut found); // each shard is locked once
//! let fetched: Vec<_> = found.missing().map(|at| (keys.key(at), b"a series")).collect();
//! cache.put_many(&fetched, &mut batch)?;
//!
//! cache.get_many(&keys, &mut found);
//! assert_eq!(found.hits(), 3);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod batch;
mod clock;
mod error;
pub mod frame;
pub mod key;
mod key_list;
#[cfg(feature = "memcached")]
mod memcached;
mod options;
mod ring;
mod shard;
mod sharded;
mod statistics;
mod store;

pub use batch::{Batch, Found};
pub use clock::{Clock, MonotonicClock};
pub use error::{CacheError, CacheErrorKind};
/// The hash of a [`Sharded`] cache unless another is given: foldhash, seeded at random.
pub use hashbrown::DefaultHashBuilder;
pub use key_list::KeyList;
#[cfg(feature = "memcached")]
pub use memcached::{Memcached, MemcachedError};
pub use options::ShardedOptions;
pub use ring::{Position, Ring};
pub use sharded::{Sharded, Value};
pub use statistics::Statistics;
pub use store::Cache;
