//! What happened in a cache.

/// What happened in a [`ShardedCache`](super::ShardedCache) since it was made, and what is in it
/// now.
///
/// ```
/// use borrowire::cache::{CacheOptions, ShardedCache};
///
/// let cache = ShardedCache::new(CacheOptions::new(1 << 20))?;
/// cache.put("key", "value")?;
/// for key in ["key", "other"] {
///     cache.get_with(key, |_| ());
/// }
/// let statistics = cache.statistics();
/// assert_eq!((statistics.hits, statistics.misses), (1, 1));
/// assert_eq!((statistics.entries, statistics.bytes), (1, 24 + 3 + 5));
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Look-ups that found a value, an empty one included.
    pub hits: u64,
    /// Look-ups that found none.
    pub misses: u64,
    /// Entries that made room for newer ones before they had expired.
    pub evicted: u64,
    /// Entries that were taken out after they had expired: when they were looked up, removed, or
    /// made room.
    pub expired: u64,
    /// Times that a look-up met another key with the same hash in the index, which has 32 bits.
    pub collisions: u64,
    /// Entries that were not stored: too large, or of another length than announced.
    pub refused: u64,
    /// Entries that are there now, expired ones included.
    pub entries: usize,
    /// Bytes that are taken now: by entries, by those that were replaced or removed and not
    /// overwritten yet, and by the gaps at the end of the shards.
    pub bytes: usize,
}
