//! The keys that are looked up together.

use std::vec::Vec;

/// Keys that are looked up in one go.
///
/// Slices of whatever is bytes are keys. A [`KeyBatch`](super::key::KeyBatch) takes keys of the
/// index caches, without an allocation for each.
///
/// ```
/// use borrowire::cache::Keys;
///
/// fn longest(keys: &(impl Keys + ?Sized)) -> Option<usize> {
///     (0..keys.len()).map(|index| keys.key(index).len()).max()
/// }
/// assert_eq!(longest(&["a", "bcd"]), Some(3));
/// assert_eq!(longest(&[String::from("ef")][..]), Some(2));
/// ```
pub trait Keys {
    /// How many keys there are.
    fn len(&self) -> usize;

    /// The key at `index`; an empty one behind the end.
    fn key(&self, index: usize) -> &[u8];

    /// Whether there are no keys.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<K: AsRef<[u8]>> Keys for [K] {
    #[inline]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn key(&self, index: usize) -> &[u8] {
        self.get(index).map(AsRef::as_ref).unwrap_or_default()
    }
}

impl<K: AsRef<[u8]>, const N: usize> Keys for [K; N] {
    #[inline]
    fn len(&self) -> usize {
        N
    }

    #[inline]
    fn key(&self, index: usize) -> &[u8] {
        self.as_slice().key(index)
    }
}

impl<K: AsRef<[u8]>> Keys for Vec<K> {
    #[inline]
    fn len(&self) -> usize {
        self.len()
    }

    #[inline]
    fn key(&self, index: usize) -> &[u8] {
        self.as_slice().key(index)
    }
}
