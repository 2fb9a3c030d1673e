//! Batches: what they need while they run, and what they found.

use core::fmt;
use std::vec::Vec;

use crate::message::columns::index;

/// The working memory of a batch, kept for the next one: which key is in which shard.
#[derive(Default)]
pub struct Batch {
    keys: Vec<Hashed>,
    /// The first key of each shard.
    first: Vec<u32>,
    /// The shards that have keys.
    shards: Vec<u32>,
}

/// A key, and the next one of the same shard.
#[derive(Clone, Copy)]
struct Hashed {
    hash: u64,
    next: u32,
}

/// No key.
const NONE: u32 = u32::MAX;

impl Batch {
    /// Empty working memory.
    #[must_use]
    pub const fn new() -> Self {
        Self { keys: Vec::new(), first: Vec::new(), shards: Vec::new() }
    }

    /// Chains the keys with these hashes by shard, those of a shard in their own order.
    pub(super) fn group(
        &mut self,
        shard_count: usize,
        hashes: impl DoubleEndedIterator<Item = u64>,
        shard_of: impl Fn(u64) -> usize,
    ) {
        self.keys.clear();
        self.keys.extend(hashes.map(|hash| Hashed { hash, next: NONE }));
        self.shards.clear();
        self.first.clear();
        self.first.resize(shard_count, NONE);
        // Backwards, so that each key becomes the first of its chain.
        for (at, key) in self.keys.iter_mut().enumerate().rev() {
            let shard = shard_of(key.hash);
            let Some(first) = self.first.get_mut(shard) else { continue };
            if *first == NONE {
                self.shards.push(index(shard));
            }
            key.next = core::mem::replace(first, index(at));
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

impl fmt::Debug for Batch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("capacity", &self.keys.capacity()).finish()
    }
}

/// The values of a batch of keys, one behind the other in one buffer; kept for the next batch.
///
/// ```
/// use borrowire::cache::{Found, Sharded, ShardedOptions};
///
/// let cache = Sharded::new(ShardedOptions::new(1 << 20))?;
/// cache.put(b"empty", b"")?;
/// cache.put(b"full", b"value")?;
///
/// let mut found = Found::new();
/// cache.get_many(&["full", "absent", "empty"], &mut found);
/// assert_eq!(found.get(0), Some(&b"value"[..]));
/// assert_eq!((found.get(1), found.get(2)), (None, Some(&b""[..])));
/// assert_eq!(found.missing().collect::<Vec<_>>(), [1]);
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
#[derive(Default)]
pub struct Found {
    bytes: Vec<u8>,
    places: Vec<Place>,
    hits: usize,
    pub(super) batch: Batch,
}

/// Where a value lies in the buffer.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    len: u32,
}

/// The length of no value: one in a ring or in memcached is shorter.
const MISS: u32 = u32::MAX;

impl Found {
    /// No values.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: Vec::new(), places: Vec::new(), hits: 0, batch: Batch::new() }
    }

    /// For how many keys was asked.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether it was for none.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// How many keys have a value.
    #[must_use]
    pub const fn hits(&self) -> usize {
        self.hits
    }

    /// The value of the key at `index`.
    #[must_use]
    #[inline]
    pub fn get(&self, index: usize) -> Option<&[u8]> {
        let place = self.places.get(index).filter(|place| place.len != MISS)?;
        let len = usize::try_from(place.len).ok()?;
        self.bytes.get(place.start..)?.get(..len)
    }

    /// The values of all keys, in the order of the keys.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Option<&[u8]>> {
        (0..self.len()).map(|index| self.get(index))
    }

    /// The indexes of the keys that have no value, ascending.
    pub fn missing(&self) -> impl Iterator<Item = usize> {
        let misses = self.places.iter().enumerate().filter(|(_, place)| place.len == MISS);
        misses.map(|(index, _)| index)
    }

    /// Forgets all values, and makes place for those of `keys` keys.
    ///
    /// With [`set`](Self::set), this is for implementations of [`Cache`](super::Cache).
    pub fn reset(&mut self, keys: usize) {
        self.bytes.clear();
        self.places.clear();
        self.places.resize(keys, Place { start: 0, len: MISS });
        self.hits = 0;
    }

    /// Copies the value of the key at `index`, which has none yet and is one of those asked for; otherwise,
    /// and for a value of 4 GiB - 1 and more, nothing happens.
    #[inline]
    pub fn set(&mut self, index: usize, value: &[u8]) {
        let Some(len) = u32::try_from(value.len()).ok().filter(|&len| len != MISS) else { return };
        let Some(place) = self.places.get_mut(index).filter(|place| place.len == MISS) else {
            return;
        };
        *place = Place { start: self.bytes.len(), len };
        self.bytes.extend_from_slice(value);
        self.hits = self.hits.saturating_add(1);
    }
}

/// Counts only: the values are a tenant's.
impl fmt::Debug for Found {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Found")
            .field("keys", &self.len())
            .field("hits", &self.hits)
            .field("bytes", &self.bytes.len())
            .finish()
    }
}
