//! One shard: a ring, and an index that finds a key in it.
//!
//! The index holds eight bytes an entry: half of the key's hash, and half of the position in the
//! ring. An entry is there as long as the index says so; what the index forgot is overwritten in
//! its turn. The whole key decides, not its hash.

use hashbrown::HashTable;
use hashbrown::hash_table::{Entry as IndexEntry, OccupiedEntry};

use super::error::CacheError;
use super::ring::Ring;
use super::statistics::Statistics;
use crate::Encode;
use crate::cache::frame::CacheEntry;

/// What the index holds for an entry.
struct Slot {
    hash: u32,
    position: u32,
}

/// The half of a key's hash that the index holds; the other half has chosen the shard.
#[inline]
const fn upper(hash: u64) -> u32 {
    // Cut on purpose.
    #[allow(clippy::as_conversions)]
    {
        (hash >> 32) as u32
    }
}

/// What the table wants: its buckets are chosen by the low bits, their tags are the highest seven.
#[inline]
fn table_hash(upper: u32) -> u64 {
    u64::from(upper) << 32 | u64::from(upper)
}

/// The time of an operation, and how long entries live, in milliseconds.
#[derive(Clone, Copy)]
pub(super) struct Age {
    pub(super) now: u64,
    pub(super) ttl: u64,
}

impl Age {
    /// Whether an entry of then is gone now. One from the future has no age.
    #[inline]
    const fn is_over(self, timestamp: u64) -> bool {
        self.now.saturating_sub(timestamp) >= self.ttl
    }
}

pub(super) struct Shard {
    ring: Ring,
    index: HashTable<Slot>,
    hits: u64,
    misses: u64,
    evicted: u64,
    expired: u64,
    collisions: u64,
}

impl Shard {
    pub(super) const fn new(ring: Ring) -> Self {
        let index = HashTable::new();
        Self { ring, index, hits: 0, misses: 0, evicted: 0, expired: 0, collisions: 0 }
    }

    /// Writes `entry` into the ring, and its key into the index.
    #[inline]
    pub(super) fn put<K: Encode, V: Encode>(
        &mut self,
        entry: &CacheEntry<K, V>,
        age: Age,
    ) -> Result<(), CacheError> {
        let Self { ring, index, evicted, expired, .. } = self;
        let position = ring.push(entry, |position, old| {
            let at = |slot: &Slot| slot.position == position.low();
            // It may have been replaced or removed: then nothing is lost.
            if let Ok(slot) = index.find_entry(table_hash(upper(old.hash)), at) {
                slot.remove();
                count(if age.is_over(old.timestamp) { &mut *expired } else { &mut *evicted });
            }
        })?;
        let hash = upper(entry.hash);
        let key = ring.get(position).map(|entry| entry.key);
        let same = |slot: &Slot| {
            slot.hash == hash
                && ring.get(ring.position(slot.position)).map(|entry| entry.key) == key
        };
        match index.entry(table_hash(hash), same, |slot| table_hash(slot.hash)) {
            IndexEntry::Occupied(mut slot) => slot.get_mut().position = position.low(),
            IndexEntry::Vacant(slot) => {
                slot.insert(Slot { hash, position: position.low() });
            }
        }
        Ok(())
    }

    /// The value of `key`, where it lies; and counts the look-up.
    #[inline]
    pub(super) fn find(&mut self, hash: u64, key: &[u8], age: Age) -> Option<&[u8]> {
        match locate(&self.ring, &mut self.index, &mut self.collisions, hash, key) {
            Some((_, entry)) if !age.is_over(entry.timestamp) => {
                count(&mut self.hits);
                Some(entry.value)
            }
            Some((slot, _)) => {
                slot.remove();
                count(&mut self.expired);
                count(&mut self.misses);
                None
            }
            None => {
                count(&mut self.misses);
                None
            }
        }
    }

    /// Takes the entry of `key` out, and tells whether there was one.
    pub(super) fn remove(&mut self, hash: u64, key: &[u8], age: Age) -> bool {
        let found = locate(&self.ring, &mut self.index, &mut self.collisions, hash, key);
        let Some((slot, entry)) = found else { return false };
        slot.remove();
        let expired = age.is_over(entry.timestamp);
        if expired {
            count(&mut self.expired);
        }
        !expired
    }

    /// Takes all entries out.
    pub(super) fn clear(&mut self) {
        self.index.clear();
        self.ring.clear();
    }

    /// Adds what this shard knows to `sum`.
    pub(super) fn add_to(&self, sum: &mut Statistics) {
        sum.hits = sum.hits.saturating_add(self.hits);
        sum.misses = sum.misses.saturating_add(self.misses);
        sum.evicted = sum.evicted.saturating_add(self.evicted);
        sum.expired = sum.expired.saturating_add(self.expired);
        sum.collisions = sum.collisions.saturating_add(self.collisions);
        sum.entries = sum.entries.saturating_add(self.index.len());
        sum.bytes = sum.bytes.saturating_add(self.ring.used());
    }
}

/// The entry of `key`, and its slot in the index.
#[inline]
fn locate<'s>(
    ring: &'s Ring,
    index: &'s mut HashTable<Slot>,
    collisions: &mut u64,
    hash: u64,
    key: &[u8],
) -> Option<(OccupiedEntry<'s, Slot>, CacheEntry<&'s [u8]>)> {
    let hash = upper(hash);
    let mut found = None;
    let slot = index.find_entry(table_hash(hash), |slot| {
        if slot.hash != hash {
            return false;
        }
        let Some(entry) = ring.get(ring.position(slot.position)) else { return false };
        if entry.key != key {
            count(collisions);
            return false;
        }
        found = Some(entry);
        true
    });
    Some((slot.ok()?, found?))
}

#[inline]
const fn count(counter: &mut u64) {
    *counter = counter.wrapping_add(1);
}
