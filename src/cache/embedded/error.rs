//! Why a cache was not made, or did not take an entry.

use core::fmt;

/// What was refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum CacheErrorKind {
    /// The entry is larger than a shard; nothing was evicted for it. Needed and available: bytes.
    EntryTooLarge,
    /// The number of shards is not a power of two from 1 to 8,192. Needed: the number.
    InvalidShards,
    /// A time to live of zero: nothing could ever be found.
    InvalidTtl,
    /// The budget leaves less than an entry to each shard. Needed and available: bytes of a shard.
    ShardTooSmall,
    /// The budget gives a shard 4 GiB or more: it wants more shards. Needed and available: bytes of a shard.
    ShardTooLarge,
    /// Key or value wrote another number of bytes than it had announced. Needed: bytes of the entry.
    WrongLength,
}

impl CacheErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::EntryTooLarge => "entry too large",
            Self::InvalidShards => "invalid number of shards",
            Self::InvalidTtl => "time to live of zero",
            Self::ShardTooSmall => "shard too small",
            Self::ShardTooLarge => "shard too large",
            Self::WrongLength => "entry of another length than announced",
        }
    }
}

impl fmt::Display for CacheErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A cache that was not made, or an entry that was not stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CacheError {
    kind: CacheErrorKind,
    needed: usize,
    available: usize,
}

impl CacheError {
    #[cold]
    pub(super) const fn new(kind: CacheErrorKind, needed: usize, available: usize) -> Self {
        Self { kind, needed, available }
    }

    /// What was refused.
    #[must_use]
    pub const fn kind(&self) -> CacheErrorKind {
        self.kind
    }

    /// How much was asked for; the unit is that of the kind.
    #[must_use]
    pub const fn needed(&self) -> usize {
        self.needed
    }

    /// How much there is; the unit is that of the kind.
    #[must_use]
    pub const fn available(&self) -> usize {
        self.available
    }
}

impl fmt::Display for CacheError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { kind, needed, available } = self;
        match kind {
            CacheErrorKind::EntryTooLarge => {
                write!(f, "{kind}: {needed} bytes, a shard has {available}")
            }
            CacheErrorKind::InvalidShards => {
                write!(f, "{kind}: {needed}, want a power of two up to {available}")
            }
            CacheErrorKind::InvalidTtl => write!(f, "{kind}"),
            CacheErrorKind::ShardTooSmall => {
                write!(f, "{kind}: {available} bytes, an entry takes at least {needed}")
            }
            CacheErrorKind::ShardTooLarge => {
                write!(f, "{kind}: {needed} bytes, it can have {available}")
            }
            CacheErrorKind::WrongLength => write!(f, "{kind}"),
        }
    }
}

impl core::error::Error for CacheError {}

impl From<CacheError> for std::io::Error {
    fn from(error: CacheError) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}
