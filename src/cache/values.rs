//! The values that a batch of keys has.

use core::fmt;
use std::vec::Vec;

use super::batch::BatchScratch;
use crate::wire::retention::Retention;

/// The values of a batch of keys, one behind the other in one buffer; kept for the next batch.
///
/// The memory is that of the largest batch. Where it is over 1 MiB, and 16 batches in a row needed
/// less than a quarter of it, it is freed.
///
/// ```
/// use borrowire::cache::{CacheOptions, ShardedCache, Values};
///
/// let cache = ShardedCache::new(CacheOptions::new(1 << 20))?;
/// cache.put(b"empty", b"")?;
/// cache.put(b"full", b"value")?;
///
/// let mut values = Values::new();
/// cache.get_many(&["full", "absent", "empty"], &mut values);
/// assert_eq!(values.get(0), Some(&b"value"[..]));
/// assert_eq!((values.get(1), values.get(2)), (None, Some(&b""[..])));
/// assert_eq!(values.missing().collect::<Vec<_>>(), [1]);
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
#[derive(Default)]
pub struct Values {
    bytes: Vec<u8>,
    places: Vec<Place>,
    hits: usize,
    pub(super) scratch: BatchScratch,
    retention: Retention,
}

/// Where a value lies in the buffer.
#[derive(Clone, Copy)]
struct Place {
    start: usize,
    len: u32,
}

/// The length of no value: one in a ring or in memcached is shorter.
const MISS: u32 = u32::MAX;

impl Values {
    /// No values, of no keys.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            bytes: Vec::new(),
            places: Vec::new(),
            hits: 0,
            scratch: BatchScratch::new(),
            retention: Retention::NEW,
        }
    }

    /// Heap bytes that are kept for the next batch.
    #[must_use]
    pub const fn capacity_bytes(&self) -> usize {
        self.values_capacity().saturating_add(self.scratch.capacity_bytes())
    }

    /// Without the working memory, which looks after itself.
    const fn values_capacity(&self) -> usize {
        let places = self.places.capacity().saturating_mul(size_of::<Place>());
        self.bytes.capacity().saturating_add(places)
    }

    /// How many keys were looked up.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// Whether no keys were looked up.
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
    ///
    /// ```
    /// use borrowire::cache::Values;
    ///
    /// let mut values = Values::new();
    /// values.reset(2);
    /// values.set(1, b"value");
    /// assert_eq!((values.get(0), values.get(1)), (None, Some(&b"value"[..])));
    /// ```
    pub fn reset(&mut self, keys: usize) {
        let used = self.bytes.len().saturating_add(size_of_val(&*self.places));
        let capacity = self.values_capacity();
        if self.retention.is_wasted(used, || capacity) {
            *self = Self { scratch: core::mem::take(&mut self.scratch), ..Self::new() };
        }
        self.bytes.clear();
        self.places.clear();
        self.places.resize(keys, Place { start: 0, len: MISS });
        self.hits = 0;
    }

    /// Copies the value of the key at `index`, which has none yet and is one of those that are
    /// looked up; otherwise, and for a value of 4 GiB - 1 and more, nothing happens.
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
impl fmt::Debug for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Values")
            .field("keys", &self.len())
            .field("hits", &self.hits)
            .field("bytes", &self.bytes.len())
            .field("capacity_bytes", &self.capacity_bytes())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::key::{BlockId, KeyBatch, thanos};
    use crate::cache::{CacheOptions, ShardedCache};

    /// What a batch of 100,000 keys and 10 MB of values left behind is given up after small ones,
    /// and kept between large ones.
    #[test]
    fn memory_that_was_too_large_for_long_is_freed() {
        let cache = ShardedCache::new(CacheOptions::new(32 << 20)).unwrap();
        let block = BlockId::new("00000000010000000000000000").unwrap();
        let (mut keys, mut values, mut scratch) =
            (KeyBatch::new(), Values::new(), BatchScratch::new());
        let mut run = |count: u64| {
            keys.clear();
            for n in 0..count {
                keys.push(&thanos::SeriesKey::new(block, n)).unwrap();
            }
            let entries: Vec<_> = keys.iter().map(|key| (key, [7; 100])).collect();
            cache.put_many(&entries, &mut scratch).unwrap();
            cache.get_many(&keys, &mut values);
            assert_eq!(values.hits(), keys.len());
            [keys.capacity_bytes(), values.capacity_bytes(), scratch.capacity_bytes()]
        };
        let large = run(100_000);
        assert!(large[0] > 4_000_000 && large[1] > 13_200_000 && large[2] > 1_600_000, "{large:?}");
        for _ in 0..3 {
            for _ in 0..15 {
                assert_eq!(run(100), large);
            }
            assert_eq!(run(100_000), large);
        }
        for _ in 0..17 {
            run(100);
        }
        let small = run(100);
        assert!(small.iter().all(|&bytes| bytes < 50_000), "{small:?}");
    }
}
