//! Why a cache was not made, or did not store an entry.

use core::fmt;

/// Why a [`ShardedCache`](super::ShardedCache) or a [`Ring`](super::Ring) was not made, or did not
/// store an entry.
///
/// ```
/// use borrowire::cache::{CacheError, CacheOptions, ShardedCache};
///
/// let cache = ShardedCache::new(CacheOptions::new(4096).with_shards(1))?;
/// let error = cache.put("key", &[0; 5000]).unwrap_err();
/// assert_eq!(error, CacheError::EntryTooLarge { entry_bytes: 24 + 3 + 5000, shard_bytes: 4096 });
/// assert_eq!(error.to_string(), "entry too large: 5027 bytes, a shard has 4096");
/// assert_eq!(error.as_str(), "entry too large"); // for a metric's label
/// # Ok::<(), CacheError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CacheError {
    /// The entry is larger than a shard; nothing was evicted for it.
    EntryTooLarge {
        /// Bytes of the entry: 24, its key and its value.
        entry_bytes: usize,
        /// Bytes of the shard.
        shard_bytes: usize,
    },
    /// The number of shards is not a power of two from 1 to 8,192.
    InvalidShards {
        /// How many were asked for.
        shards: usize,
        /// How many there can be.
        max_shards: usize,
    },
    /// A time to live of zero: nothing could ever be found.
    InvalidTtl,
    /// The budget leaves less than an entry to each shard.
    ShardTooSmall {
        /// Bytes that a shard would have.
        shard_bytes: usize,
        /// Bytes that it has at least: those of an entry without key and value.
        min_bytes: usize,
    },
    /// The budget gives a shard 4 GiB or more: it wants more shards.
    ShardTooLarge {
        /// Bytes that a shard would have.
        shard_bytes: usize,
        /// Bytes that it can have.
        max_bytes: usize,
    },
    /// Key or value wrote another number of bytes than they had announced.
    WrongLength {
        /// Bytes of the entry as they were announced: 24, its key and its value.
        announced_bytes: usize,
    },
}

impl CacheError {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::EntryTooLarge { .. } => "entry too large",
            Self::InvalidShards { .. } => "invalid number of shards",
            Self::InvalidTtl => "time to live of zero",
            Self::ShardTooSmall { .. } => "shard too small",
            Self::ShardTooLarge { .. } => "shard too large",
            Self::WrongLength { .. } => "entry of another length than announced",
        }
    }
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match self {
            Self::EntryTooLarge { entry_bytes, shard_bytes } => {
                write!(f, ": {entry_bytes} bytes, a shard has {shard_bytes}")
            }
            Self::InvalidShards { shards, max_shards } => {
                write!(f, ": {shards}, want a power of two up to {max_shards}")
            }
            Self::ShardTooSmall { shard_bytes, min_bytes } => {
                write!(f, ": {shard_bytes} bytes, an entry takes at least {min_bytes}")
            }
            Self::ShardTooLarge { shard_bytes, max_bytes } => {
                write!(f, ": {shard_bytes} bytes, it can have {max_bytes}")
            }
            Self::InvalidTtl | Self::WrongLength { .. } => Ok(()),
        }
    }
}

impl core::error::Error for CacheError {}

impl From<CacheError> for std::io::Error {
    fn from(error: CacheError) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}
