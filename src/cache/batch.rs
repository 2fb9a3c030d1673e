//! Which keys of a batch are in which shard.

use core::fmt;
use std::vec::Vec;

use crate::wire::retention::Retention;

/// The working memory of batches, kept for the next one: which key is in which shard.
///
/// It holds 16 bytes for each key of the largest batch. Where that is over 1 MiB, and 16 batches in
/// a row needed less than a quarter of it, it is freed.
///
/// ```
/// use borrowire::cache::{BatchScratch, CacheOptions, ShardedCache};
///
/// let cache = ShardedCache::new(CacheOptions::new(1 << 20))?;
/// let mut scratch = BatchScratch::new();
/// for batch in [[("a", "1"), ("b", "2")], [("c", "3"), ("d", "4")]] {
///     cache.put_many(&batch, &mut scratch)?;
/// }
/// assert_eq!(cache.statistics().entries, 4);
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
#[derive(Default)]
pub struct BatchScratch {
    keys: Vec<Link>,
    /// The first key of each shard.
    first: Vec<u32>,
    /// The shards that have keys.
    shards: Vec<u32>,
    retention: Retention,
}

/// A key in the chain of its shard.
#[derive(Clone, Copy)]
struct Link {
    hash: u64,
    next: u32,
}

/// No key.
const NONE: u32 = u32::MAX;

/// A number of a key or shard; a batch of 4 G keys would not fit into memory.
fn short(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(NONE)
}

impl BatchScratch {
    /// Empty working memory.
    #[must_use]
    pub const fn new() -> Self {
        let retention = Retention::NEW;
        Self { keys: Vec::new(), first: Vec::new(), shards: Vec::new(), retention }
    }

    /// Heap bytes that are kept for the next batch.
    #[must_use]
    pub const fn capacity_bytes(&self) -> usize {
        let shards = self.first.capacity().saturating_add(self.shards.capacity());
        let keys = self.keys.capacity().saturating_mul(size_of::<Link>());
        keys.saturating_add(shards.saturating_mul(size_of::<u32>()))
    }

    /// Chains the keys with these hashes by shard, those of a shard in their own order.
    pub(super) fn group(
        &mut self,
        shard_count: usize,
        hashes: impl DoubleEndedIterator<Item = u64>,
        shard_of: impl Fn(u64) -> usize,
    ) {
        let used = size_of_val(&*self.keys).saturating_add(size_of_val(&*self.first));
        let capacity = self.capacity_bytes();
        if self.retention.is_wasted(used, || capacity) {
            *self = Self::new();
        }
        self.keys.clear();
        self.keys.extend(hashes.map(|hash| Link { hash, next: NONE }));
        self.shards.clear();
        self.first.clear();
        self.first.resize(shard_count, NONE);
        // Backwards, so that each key becomes the first of its chain.
        for (at, key) in self.keys.iter_mut().enumerate().rev() {
            let shard = shard_of(key.hash);
            let Some(first) = self.first.get_mut(shard) else { continue };
            if *first == NONE {
                self.shards.push(short(shard));
            }
            key.next = core::mem::replace(first, short(at));
        }
    }

    /// The shards that have keys, each with them, as index and hash.
    pub(super) fn by_shard(
        &self,
    ) -> impl Iterator<Item = (usize, impl Iterator<Item = (usize, u64)>)> {
        self.shards.iter().filter_map(move |&shard| {
            let shard = usize::try_from(shard).ok()?;
            let mut next = *self.first.get(shard)?;
            let keys = core::iter::from_fn(move || {
                let at = usize::try_from(next).ok()?;
                let key = self.keys.get(at)?;
                next = key.next;
                Some((at, key.hash))
            });
            Some((shard, keys))
        })
    }
}

impl fmt::Debug for BatchScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BatchScratch").field("capacity_bytes", &self.capacity_bytes()).finish()
    }
}
