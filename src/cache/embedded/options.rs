//! How large a cache is, and how long its entries live.

use core::time::Duration;

use super::error::CacheError;

/// The most shards that a cache can have.
const MAX_SHARDS: usize = 8192;
/// What a shard has at least, unless the number of shards is given.
const DEFAULT_SHARD_BYTES: usize = 1 << 20;
/// How many shards there are at most, unless their number is given.
const DEFAULT_SHARDS: usize = 256;

/// How large a [`ShardedCache`](super::ShardedCache) is, in how many parts, and how long its
/// entries live.
///
/// ```
/// use std::time::Duration;
/// use borrowire::cache::{CacheOptions, ShardedCache};
///
/// let options = CacheOptions::new(64 << 20) // bytes for all entries
///     .with_shards(64) // of 1 MiB: no entry can be larger
///     .with_ttl(Duration::from_secs(3600));
/// let cache = ShardedCache::new(options)?;
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CacheOptions {
    /// Bytes for all entries together: for each its key, its value, and 24 more. The index comes on
    /// top, with 10 to 21 bytes an entry.
    pub max_bytes: usize,
    /// How many parts with a lock of their own there are, a power of two from 1 to 8,192. Each has
    /// its part of the bytes, and no entry can be larger than that. Default: 256, or as many as
    /// have 1 MiB each.
    pub shards: Option<usize>,
    /// After how long an entry is gone; rounded up to milliseconds. Default: never.
    pub ttl: Option<Duration>,
}

impl CacheOptions {
    /// The defaults, with room for so many bytes.
    #[must_use]
    pub const fn new(max_bytes: usize) -> Self {
        Self { max_bytes, shards: None, ttl: None }
    }

    /// Sets [`shards`](Self::shards).
    #[must_use]
    pub const fn with_shards(mut self, shards: usize) -> Self {
        self.shards = Some(shards);
        self
    }

    /// Sets [`ttl`](Self::ttl).
    #[must_use]
    pub const fn with_ttl(mut self, ttl: Duration) -> Self {
        self.ttl = Some(ttl);
        self
    }

    /// How many shards it will be.
    pub(super) fn shard_count(&self) -> Result<usize, CacheError> {
        match self.shards {
            Some(shards) if shards.is_power_of_two() && shards <= MAX_SHARDS => Ok(shards),
            Some(shards) => Err(CacheError::InvalidShards { shards, max_shards: MAX_SHARDS }),
            None => {
                let fitting = (self.max_bytes / DEFAULT_SHARD_BYTES).clamp(1, DEFAULT_SHARDS);
                // The power of two below.
                Ok(1 << fitting.ilog2())
            }
        }
    }

    /// Milliseconds until an entry is gone; `u64::MAX` for never.
    pub(super) fn ttl_millis(&self) -> Result<u64, CacheError> {
        match self.ttl {
            None => Ok(u64::MAX),
            Some(Duration::ZERO) => Err(CacheError::InvalidTtl),
            Some(ttl) => {
                let millis = ttl.as_nanos().div_ceil(1_000_000);
                Ok(u64::try_from(millis).unwrap_or(u64::MAX))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_follow_from_the_budget() {
        for (max_bytes, shards) in
            [(0, 1), (1 << 20, 1), (3 << 20, 2), (255 << 20, 128), (256 << 20, 256), (1 << 40, 256)]
        {
            assert_eq!(CacheOptions::new(max_bytes).shard_count(), Ok(shards), "{max_bytes}");
        }
        let options = CacheOptions::new(1 << 20);
        for shards in [1, 2, 8192] {
            assert_eq!(options.with_shards(shards).shard_count(), Ok(shards));
        }
        for shards in [0, 3, 8191, 16_384, usize::MAX] {
            let error = CacheError::InvalidShards { shards, max_shards: 8192 };
            assert_eq!(options.with_shards(shards).shard_count(), Err(error));
        }
    }

    #[test]
    fn a_time_to_live_is_never_rounded_to_nothing() {
        let millis = |ttl| CacheOptions::new(0).with_ttl(ttl).ttl_millis();
        assert_eq!(millis(Duration::from_nanos(1)), Ok(1));
        assert_eq!(millis(Duration::from_micros(1_001)), Ok(2));
        assert_eq!(millis(Duration::from_secs(7)), Ok(7_000));
        assert_eq!(millis(Duration::MAX), Ok(u64::MAX));
        assert_eq!(millis(Duration::ZERO), Err(CacheError::InvalidTtl));
        assert_eq!(CacheOptions::new(0).ttl_millis(), Ok(u64::MAX));
    }
}
