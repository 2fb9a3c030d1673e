//! The keys of a batch.

use std::vec::Vec;

/// A list of keys, to look up in one go.
///
/// Slices of whatever is bytes are lists of keys. [`KeyBatch`](super::key::KeyBatch) is one that takes
/// keys of the index caches, without an allocation for each.
pub trait KeyList {
    /// How many keys there are.
    fn len(&self) -> usize;

    /// The key at `index`; an empty one behind the end.
    fn key(&self, index: usize) -> &[u8];

    /// Whether there are no keys.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: AsRef<[u8]>> KeyList for [K] {
    #[inline]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn key(&self, index: usize) -> &[u8] {
        self.get(index).map(AsRef::as_ref).unwrap_or_default()
    }
}

impl<K: AsRef<[u8]>, const N: usize> KeyList for [K; N] {
    #[inline]
    fn len(&self) -> usize {
        N
    }

    #[inline]
    fn key(&self, index: usize) -> &[u8] {
        self.as_slice().key(index)
    }
}

impl<K: AsRef<[u8]>> KeyList for Vec<K> {
    #[inline]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn key(&self, index: usize) -> &[u8] {
        self.as_slice().key(index)
    }
}
