//! The embedded cache: entries in a fixed amount of memory of this process.
//!
//! ```text
//! ShardedCache   hash -> shard -> lock              sharded.rs, hash.rs, lock.rs, options.rs
//!   Shard        index: half the hash -> position   shard.rs
//!     Ring       position -> entry                  ring.rs
//! ```

mod clock;
mod error;
mod hash;
mod lock;
mod options;
mod ring;
mod shard;
mod sharded;
mod statistics;

pub use clock::{Clock, MonotonicClock};
pub use error::CacheError;
pub use hash::{DefaultHashBuilder, DefaultHasher};
pub use options::CacheOptions;
pub use ring::{Ring, RingPosition};
pub use sharded::ShardedCache;
pub use statistics::Statistics;
