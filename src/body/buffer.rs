//! One buffer of a pool, with one request.

use core::mem;
use core::ops::Deref;
use std::vec;
use std::vec::Vec;

use super::pool::BufferPool;

/// What a buffer is for. The kinds do not mix: a request takes one of each, of different sizes, and
/// would else find the small one where it needs the large one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compressed,
    Decompressed,
}

/// A buffer that returns to its pool when dropped. It shows the bytes of this request alone.
pub(super) struct PooledBuffer {
    /// Filled to its end, with what others left: so nothing is filled with zeros for each request.
    storage: Vec<u8>,
    /// The first `len` bytes are this request's.
    len: usize,
    /// How much of the storage was of use, which may be more than `len`.
    used: usize,
    kind: Kind,
    pool: BufferPool,
}

impl PooledBuffer {
    /// An empty buffer over `storage`.
    pub(super) const fn new(storage: Vec<u8>, kind: Kind, pool: BufferPool) -> Self {
        Self { storage, len: 0, used: 0, kind, pool }
    }

    /// Room behind the bytes, for at most `most` and at least one, to be written and then
    /// [`advance`](Self::advance)d over. What is in it means nothing. Storage that is full doubles.
    #[cfg(any(feature = "gzip", feature = "snappy", feature = "zstd", test))]
    pub(super) fn room(&mut self, most: usize) -> &mut [u8] {
        const AT_LEAST: usize = 32 << 10;
        if self.storage.len() == self.len {
            self.grow(self.len.max(AT_LEAST).min(most));
        }
        let end = self.len.saturating_add(most).min(self.storage.len());
        self.storage.get_mut(self.len..end).unwrap_or_default()
    }

    /// Room for exactly `len` bytes.
    pub(super) fn room_for(&mut self, len: usize) -> &mut [u8] {
        let end = self.len.saturating_add(len);
        self.grow(end.saturating_sub(self.storage.len()));
        self.used = self.used.max(end);
        self.storage.get_mut(self.len..end).unwrap_or_default()
    }

    /// Takes the first `len` bytes of the room as the request's own.
    pub(super) fn advance(&mut self, len: usize) {
        self.len = self.len.saturating_add(len).min(self.storage.len());
        self.used = self.used.max(self.len);
    }

    /// Appends `bytes`. Storage that is full doubles, but not over `most` bytes in all.
    pub(super) fn extend_from_slice(&mut self, bytes: &[u8], most: usize) {
        let end = self.len.saturating_add(bytes.len());
        if end > self.storage.len() {
            let doubled = self.storage.len().saturating_mul(2).min(most).max(end);
            self.grow(doubled.saturating_sub(self.storage.len()));
        }
        self.room_for(bytes.len()).copy_from_slice(bytes);
        self.advance(bytes.len());
    }

    /// Empties it.
    #[cfg(any(feature = "gzip", test))]
    pub(super) const fn clear(&mut self) {
        self.len = 0;
    }

    fn grow(&mut self, additional: usize) {
        if additional == 0 {
            return;
        }
        if self.len == 0 {
            // Nothing to keep: the old goes first, and the new comes zeroed from the system.
            let len = self.storage.len().saturating_add(additional);
            self.storage = Vec::new();
            self.storage = vec![0; len];
        } else {
            self.storage.reserve_exact(additional);
            self.storage.resize(self.storage.capacity(), 0);
        }
    }
}

impl Deref for PooledBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        self.storage.get(..self.len).unwrap_or_default()
    }
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        self.pool.give_back(self.kind, mem::take(&mut self.storage), self.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::pool::POISON;

    #[test]
    fn room_is_kept_between_its_bounds() {
        let pool = BufferPool::new();
        let mut buffer = pool.take(Kind::Compressed, 0);
        assert_eq!(buffer.room(10).len(), 10);
        buffer.advance(10);
        assert_eq!(buffer.room(5).len(), 5);
        assert_eq!(buffer.storage.len(), 15);
        buffer.extend_from_slice(&[7; 6], 20);
        assert_eq!((buffer.len(), buffer.storage.len()), (16, 20));
        buffer.extend_from_slice(&[7; 10], 20);
        assert_eq!((buffer.len(), buffer.storage.len()), (26, 26));
        buffer.clear();
        assert_eq!((buffer.len(), buffer.used), (0, 26));
        assert_eq!(buffer.room_for(0).len(), 0);
    }

    #[test]
    fn what_others_left_is_poisoned_and_never_shown() {
        let pool = BufferPool::new();
        pool.take(Kind::Decompressed, 0).extend_from_slice(&[1; 100], 100);
        let mut buffer = pool.take(Kind::Decompressed, 0);
        assert!(buffer.is_empty());
        assert!(!cfg!(debug_assertions) || buffer.room(100).iter().all(|byte| *byte == POISON));
        buffer.extend_from_slice(b"mine", 100);
        assert_eq!(*buffer, *b"mine");
    }
}
