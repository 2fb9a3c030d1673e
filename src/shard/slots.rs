//! From shard numbers to the runs that they fill.

use alloc::vec::Vec;

use hashbrown::HashTable;

use crate::message::columns::vec_bytes;
use crate::wire::to_usize;

/// No run.
pub(super) const NONE: u32 = u32::MAX;

/// Shards below this are found by their number alone; the table for it takes at most 256 KiB.
const DENSE: usize = 1 << 16;

/// A map of shard numbers to run numbers, of which small shard numbers are the fast ones.
#[derive(Clone, Default)]
pub(super) struct Slots {
    dense: Vec<u32>,
    sparse: HashTable<(u32, u32)>,
}

impl Slots {
    /// The run of `shard`, or `NONE`.
    #[inline]
    pub(super) fn get(&self, shard: u32) -> u32 {
        match self.dense.get(to_usize(shard)) {
            Some(&run) => run,
            None => self.get_sparse(shard),
        }
    }

    #[cold]
    fn get_sparse(&self, shard: u32) -> u32 {
        self.sparse.find(hash(shard), |slot| slot.0 == shard).map_or(NONE, |slot| slot.1)
    }

    #[cold]
    pub(super) fn set(&mut self, shard: u32, run: u32) {
        let at = to_usize(shard);
        if at < DENSE {
            if at >= self.dense.len() {
                self.dense.resize(at.saturating_add(1), NONE);
            }
            if let Some(slot) = self.dense.get_mut(at) {
                *slot = run;
            }
            return;
        }
        match self.sparse.find_mut(hash(shard), |slot| slot.0 == shard) {
            Some(slot) => slot.1 = run,
            None => {
                self.sparse.insert_unique(hash(shard), (shard, run), |slot| hash(slot.0));
            }
        }
    }

    /// Forgets `shards`, which must be all that were set.
    pub(super) fn clear(&mut self, shards: impl Iterator<Item = u32>) {
        for shard in shards {
            if let Some(slot) = self.dense.get_mut(to_usize(shard)) {
                *slot = NONE;
            }
        }
        self.sparse.clear();
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        vec_bytes(&self.dense).saturating_add(self.sparse.allocation_size())
    }
}

/// Fibonacci hashing, with the bits that count at both ends.
fn hash(shard: u32) -> u64 {
    let product = u64::from(shard).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ product >> 32
}
