//! A ring of entries: the newest is written behind the one before, the oldest make room.
//!
//! ```text
//!          lap - 1                                  lap
//! bytes  | (overwritten) | e e e e e e e e | gap || e e e e | ...
//!                        ^ head                              ^ tail
//! ```
//!
//! Positions count all bytes since the ring was made, so one that was overwritten is told from one
//! that is there. An entry is never split: where it does not fit before the end of the array, the
//! rest is a gap and it begins the next lap. The live part spans at most two laps, hence at most
//! one gap.

use core::fmt;
use std::boxed::Box;
use std::vec;

use super::error::CacheError;
use crate::Encode;
use crate::cache::frame::{CacheEntry, HEADER_BYTES};
use crate::wire::{Writer, impossible, to_usize};

/// Where an entry lies in its [`Ring`], for as long as it is there.
///
/// Positions are in the order in which the entries were pushed.
///
/// ```
/// use borrowire::cache::frame::CacheEntry;
/// use borrowire::cache::{Ring, RingPosition};
///
/// let mut ring = Ring::new(1024)?;
/// let first: RingPosition = ring.push(&CacheEntry::new(0, 1, b"a", b"one"), |_, _| {})?;
/// let second = ring.push(&CacheEntry::new(0, 2, b"b", b"two"), |_, _| {})?;
/// assert!(first < second);
/// assert_eq!(ring.get(second).unwrap().key, b"b");
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RingPosition(u64);

impl RingPosition {
    /// The low half, enough to tell the entries of one ring apart: it holds less than 4 GiB.
    pub(super) const fn low(self) -> u32 {
        // Cut on purpose.
        #[allow(clippy::as_conversions)]
        {
            self.0 as u32
        }
    }
}

/// A fixed number of bytes that hold entries, first in, first out.
///
/// This is one shard of [`ShardedCache`](super::ShardedCache) without its lock and index. All
/// memory is asked for at once, and nothing is allocated later.
///
/// ```
/// use borrowire::cache::Ring;
/// use borrowire::cache::frame::CacheEntry;
///
/// let mut ring = Ring::new(100)?; // an entry takes 24 bytes, key and value
/// let first = ring.push(&CacheEntry::new(0, 1, b"a", b"one"), |_, _| {})?;
/// let second = ring.push(&CacheEntry::new(0, 2, b"b", &[2; 40]), |_, _| {})?;
/// assert_eq!(ring.get(first).unwrap().value, b"one");
///
/// let mut evicted = 0;
/// ring.push(&CacheEntry::new(0, 3, b"c", b"3"), |_, entry| evicted += entry.hash)?;
/// assert_eq!(evicted, 1);
/// assert!(ring.get(first).is_none() && ring.get(second).is_some());
/// # Ok::<(), borrowire::cache::CacheError>(())
/// ```
pub struct Ring {
    bytes: Box<[u8]>,
    /// The oldest entry.
    head: u64,
    /// Behind the newest entry.
    tail: u64,
    /// Where the tail's lap begins: the position of the first byte of the array.
    lap: u64,
    /// Where the entries of the lap before end.
    gap: u64,
}

impl Ring {
    /// A ring of `capacity` bytes.
    ///
    /// # Errors
    ///
    /// If that is less than the 24 bytes of an empty entry, or 4 GiB and more.
    pub fn new(capacity: usize) -> Result<Self, CacheError> {
        if capacity < HEADER_BYTES {
            let min_bytes = HEADER_BYTES;
            return Err(CacheError::ShardTooSmall { shard_bytes: capacity, min_bytes });
        }
        let max_bytes = to_usize(u32::MAX);
        if capacity > max_bytes {
            return Err(CacheError::ShardTooLarge { shard_bytes: capacity, max_bytes });
        }
        let bytes = vec![0; capacity].into_boxed_slice();
        Ok(Self { bytes, head: 0, tail: 0, lap: 0, gap: 0 })
    }

    /// How many bytes there are.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.bytes.len()
    }

    /// How many bytes are taken: by entries, and by the gap between two laps.
    #[must_use]
    pub fn used(&self) -> usize {
        usize::try_from(self.tail.saturating_sub(self.head)).unwrap_or_else(|_| impossible())
    }

    /// Writes `entry` behind the newest, and returns where.
    ///
    /// The oldest entries are evicted until there is room; `evicted` is told each of them, and
    /// their positions.
    ///
    /// # Errors
    ///
    /// If the entry is larger than the ring: nothing is evicted then. If key or value write another
    /// number of bytes than they announced: there is no new entry then.
    #[inline]
    pub fn push<K: Encode, V: Encode>(
        &mut self,
        entry: &CacheEntry<K, V>,
        evicted: impl FnMut(RingPosition, CacheEntry<&[u8]>),
    ) -> Result<RingPosition, CacheError> {
        let len = entry.encoded_len();
        let capacity = self.capacity();
        if len > capacity {
            return Err(CacheError::EntryTooLarge { entry_bytes: len, shard_bytes: capacity });
        }
        self.make_room(wide(len), evicted);
        let wrong_length = || CacheError::WrongLength { announced_bytes: len };
        let start = self.offset(self.tail).ok_or_else(wrong_length)?;
        let rest = self.bytes.get_mut(start..).unwrap_or_else(impossible);
        let place = rest.get_mut(..len).unwrap_or_else(impossible);
        if entry.key.as_encoded().is_none() || entry.value.as_encoded().is_none() {
            // Foreign code may take bytes and leave them as they are: another entry's.
            place.fill(0);
        }
        let mut writer = Writer::new(place);
        if entry.write_to(&mut writer).is_err() || writer.remaining() != 0 {
            return Err(wrong_length());
        }
        let position = RingPosition(self.tail);
        self.tail = self.tail.saturating_add(wide(len));
        Ok(position)
    }

    /// Evicts what lies where an entry of `len` bytes at the tail will be.
    #[inline]
    fn make_room(&mut self, len: u64, mut evicted: impl FnMut(RingPosition, CacheEntry<&[u8]>)) {
        let capacity = wide(self.capacity());
        if self.tail.saturating_add(len) > self.lap.saturating_add(capacity) {
            // The lap before ends here: there is one gap at a time.
            while self.head < self.lap {
                self.evict(&mut evicted);
            }
            self.gap = self.tail;
            self.lap = self.lap.saturating_add(capacity);
            self.tail = self.lap;
            self.skip_gap();
        }
        while self.tail.saturating_add(len) > self.head.saturating_add(capacity) {
            self.evict(&mut evicted);
        }
    }

    /// Takes the oldest entry out.
    #[inline]
    fn evict(&mut self, evicted: &mut impl FnMut(RingPosition, CacheEntry<&[u8]>)) {
        let position = RingPosition(self.head);
        match self.get(position) {
            Some(entry) => {
                let len = wide(entry.encoded_len());
                evicted(position, entry);
                self.head = self.head.saturating_add(len);
                self.skip_gap();
            }
            // There is no oldest entry: the ring is empty.
            None => self.head = self.tail,
        }
    }

    /// Moves a head that has come to the gap to the next lap.
    #[inline]
    fn skip_gap(&mut self) {
        if self.head == self.gap {
            self.head = self.lap;
        }
    }

    /// The entry at `position`, unless it was evicted. The position is one of this ring: what
    /// stands at one of another ring is anything, or nothing.
    #[inline]
    #[must_use]
    pub fn get(&self, position: RingPosition) -> Option<CacheEntry<&[u8]>> {
        if position.0 < self.head || position.0 >= self.tail {
            return None;
        }
        let bytes = self.bytes.get(self.offset(position.0)?..)?;
        CacheEntry::split(bytes).ok().map(|(entry, _)| entry)
    }

    /// The position of a live entry, from its low half.
    #[inline]
    pub(super) const fn position(&self, low: u32) -> RingPosition {
        let behind_head = low.wrapping_sub(RingPosition(self.head).low());
        // Lossless: `u64::from` is not const.
        #[allow(clippy::as_conversions)]
        {
            RingPosition(self.head.saturating_add(behind_head as u64))
        }
    }

    /// Takes all entries out.
    pub fn clear(&mut self) {
        self.head = self.tail;
    }

    /// Where in the array `position` is.
    #[inline]
    fn offset(&self, position: u64) -> Option<usize> {
        let offset = match position.checked_sub(self.lap) {
            Some(offset) => offset,
            None => position.saturating_add(wide(self.capacity())).checked_sub(self.lap)?,
        };
        usize::try_from(offset).ok()
    }
}

#[inline]
fn wide(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

impl fmt::Debug for Ring {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ring")
            .field("capacity", &self.capacity())
            .field("used", &self.used())
            .finish()
    }
}
