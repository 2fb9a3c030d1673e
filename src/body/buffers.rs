//! The store of buffers, and one buffer of it that is with a request.

use core::fmt;
use core::mem;
use core::ops::Deref;
use std::vec;
use std::vec::Vec;

use bytes::Bytes;

use super::sync::{Arc, AtomicU64, Mutex, MutexGuard, Ordering, PoisonError};
use crate::wire::impossible;

/// What a buffer is filled with when it is given back, in debug builds.
const POISON: u8 = 0xdd;

/// The bytes of a body in a pooled buffer, which returns to its pool when this is dropped.
///
/// It is `Send + 'static`; what is decoded borrows from it.
///
/// ```
/// use borrowire::body::{BodyLimits, BufferPool, Encodings};
///
/// let pool = BufferPool::new();
/// let body = pool.decompress(b"bytes", Encodings::IDENTITY, &BodyLimits::new())?;
/// assert_eq!(*body, *b"bytes"); // it is a slice
/// assert_eq!(pool.statistics().outstanding(), 1);
/// drop(body);
/// assert_eq!(pool.statistics().outstanding(), 0);
/// # Ok::<(), borrowire::body::BodyError>(())
/// ```
pub struct Body {
    buffer: PooledBuffer,
}

impl Body {
    pub(super) const fn new(buffer: PooledBuffer) -> Self {
        Self { buffer }
    }

    /// Makes the bytes shared, counted by reference: the buffer returns to its pool when the last
    /// clone, and the last slice of one, is dropped. Keeping a few bytes for long keeps the whole
    /// buffer.
    ///
    /// ```
    /// use borrowire::body::{BodyLimits, BufferPool, Encodings};
    ///
    /// let pool = BufferPool::new();
    /// let body = pool.decompress(b"some bytes", Encodings::IDENTITY, &BodyLimits::new())?;
    /// let slice = body.into_bytes().slice(5..);
    /// assert_eq!(slice, "bytes");
    /// assert_eq!(pool.statistics().outstanding(), 1);
    /// drop(slice);
    /// assert_eq!(pool.statistics().outstanding(), 0);
    /// # Ok::<(), borrowire::body::BodyError>(())
    /// ```
    #[must_use]
    pub fn into_bytes(self) -> Bytes {
        Bytes::from_owner(self.buffer)
    }
}

impl Deref for Body {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.buffer
    }
}

impl AsRef<[u8]> for Body {
    fn as_ref(&self) -> &[u8] {
        &self.buffer
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Body").field("len", &self.len()).finish()
    }
}

/// What happened in a pool since it was made, and what lies in it now: for a metrics page.
///
/// ```
/// use borrowire::body::{BodyLimits, BufferPool, Encodings};
///
/// let pool = BufferPool::new();
/// for bytes in [b"one", b"two"] {
///     drop(pool.decompress(bytes, Encodings::IDENTITY, &BodyLimits::new())?);
/// }
/// let statistics = pool.statistics();
/// assert_eq!((statistics.taken, statistics.created, statistics.returned), (2, 1, 2));
/// assert_eq!((statistics.idle, statistics.outstanding()), (1, 0));
/// # Ok::<(), borrowire::body::BodyError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// Buffers handed out.
    pub taken: u64,
    /// Buffers handed out that had to be made, because none was idle.
    pub created: u64,
    /// Buffers given back, kept or not.
    pub returned: u64,
    /// Buffers given back that were freed.
    pub dropped: u64,
    /// Buffers that lie idle.
    pub idle: usize,
    /// Bytes of memory that they hold.
    pub idle_bytes: usize,
}

impl PoolStatistics {
    /// Buffers that are with requests now.
    #[must_use]
    pub const fn outstanding(&self) -> u64 {
        self.taken.saturating_sub(self.returned)
    }
}

/// Which buffers are kept when they are given back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Caps {
    /// Bytes that all idle buffers together may hold.
    pub(super) max_idle_bytes: usize,
    /// The largest buffer that is kept.
    pub(super) max_buffer_bytes: usize,
    /// A buffer over this size that was used, but to less than a quarter, is freed.
    pub(super) large_buffer_bytes: usize,
}

impl Caps {
    pub(super) const DEFAULT: Self =
        Self { max_idle_bytes: 256 << 20, max_buffer_bytes: 64 << 20, large_buffer_bytes: 1 << 20 };
}

/// What a buffer is for. The kinds do not mix: a request takes one of each, of different sizes, and
/// would else find the small one where it needs the large one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Compressed,
    Decompressed,
}

/// Buffers that lie idle between requests; a clone is the same store.
#[derive(Clone)]
pub(super) struct Buffers(Arc<Store>);

struct Store {
    caps: Caps,
    idle: Mutex<IdleBuffers>,
    taken: AtomicU64,
    created: AtomicU64,
    returned: AtomicU64,
    dropped: AtomicU64,
}

#[derive(Default)]
struct IdleBuffers {
    compressed: Vec<Vec<u8>>,
    decompressed: Vec<Vec<u8>>,
    /// Of both.
    bytes: usize,
}

impl Buffers {
    pub(super) fn new(caps: Caps) -> Self {
        Self(Arc::new(Store {
            caps,
            idle: Mutex::new(IdleBuffers::default()),
            taken: AtomicU64::new(0),
            created: AtomicU64::new(0),
            returned: AtomicU64::new(0),
            dropped: AtomicU64::new(0),
        }))
    }

    pub(super) fn caps(&self) -> Caps {
        self.0.caps
    }

    pub(super) fn statistics(&self) -> PoolStatistics {
        let store = &*self.0;
        let (idle, idle_bytes) = {
            let idle = store.lock();
            (idle.compressed.len().saturating_add(idle.decompressed.len()), idle.bytes)
        };
        // Returned first: a buffer that is taken and returned in between is then not outstanding
        // twice.
        let returned = store.returned.load(Ordering::Relaxed);
        PoolStatistics {
            returned,
            taken: store.taken.load(Ordering::Relaxed),
            created: store.created.load(Ordering::Relaxed),
            dropped: store.dropped.load(Ordering::Relaxed),
            idle,
            idle_bytes,
        }
    }

    /// An empty buffer, if possible one that holds `capacity` bytes already.
    ///
    /// Nothing is allocated for `capacity`: it may be what an untrusted header says.
    pub(super) fn take(&self, kind: Kind, capacity: usize) -> PooledBuffer {
        let store = &*self.0;
        store.taken.fetch_add(1, Ordering::Relaxed);
        let storage = store.lock().take(kind, capacity);
        let storage = storage.unwrap_or_else(|| {
            store.created.fetch_add(1, Ordering::Relaxed);
            Vec::new()
        });
        PooledBuffer { storage, len: 0, used: 0, kind, buffers: self.clone() }
    }

    /// Keeps `storage` for other requests, or frees it. A request made use of `used` bytes of it.
    fn give_back(&self, kind: Kind, mut storage: Vec<u8>, used: usize) {
        let store = &*self.0;
        let caps = &store.caps;
        store.returned.fetch_add(1, Ordering::Relaxed);
        let capacity = storage.capacity();
        if capacity == 0 {
            return;
        }
        // A request that failed before it used the buffer says nothing about its size.
        let mostly_unused = capacity > caps.large_buffer_bytes && used > 0 && used < capacity >> 2;
        if !mostly_unused && capacity <= caps.max_buffer_bytes {
            if cfg!(debug_assertions) {
                storage.fill(POISON);
            }
            let mut idle = store.lock();
            let bytes = idle.bytes.saturating_add(capacity);
            if bytes <= caps.max_idle_bytes {
                idle.bytes = bytes;
                idle.of(kind).push(storage);
                return;
            }
        }
        store.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl Store {
    /// What is inside is whole at every moment, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, IdleBuffers> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl IdleBuffers {
    /// Those of a kind, roughly in the order in which they were given back.
    const fn of(&mut self, kind: Kind) -> &mut Vec<Vec<u8>> {
        match kind {
            Kind::Compressed => &mut self.compressed,
            Kind::Decompressed => &mut self.decompressed,
        }
    }

    /// The smallest buffer that holds `capacity` bytes, or else the largest; among equals, and when
    /// nothing is known about the size, the one given back last.
    fn take(&mut self, kind: Kind, capacity: usize) -> Option<Vec<u8>> {
        let buffers = self.of(kind);
        let sizes = buffers.iter().map(Vec::capacity).enumerate().rev();
        let fitting = sizes.clone().filter(|&(_, size)| size >= capacity);
        let (index, size) = if capacity == 0 {
            sizes.clone().next()
        } else {
            fitting.min_by_key(|&(_, size)| size)
        }
        .or_else(|| sizes.max_by_key(|&(_, size)| size))?;
        let buffer = buffers.swap_remove(index);
        self.bytes = self.bytes.saturating_sub(size);
        Some(buffer)
    }
}

/// A buffer that returns to its pool when dropped. It shows the bytes of this request alone.
pub(super) struct PooledBuffer {
    /// Filled to its end, with what others left: so nothing is filled with zeros for each request.
    storage: Vec<u8>,
    /// The first `len` bytes are this request's.
    len: usize,
    /// How many bytes of the storage were of use, which may be more than `len`.
    used: usize,
    kind: Kind,
    buffers: Buffers,
}

impl PooledBuffer {
    /// Room behind the bytes, for at most `most` and at least one, to be written and then
    /// [`advance`](Self::advance)d over. What is in it means nothing. Storage that is full doubles.
    #[cfg(any(feature = "gzip", feature = "snappy", feature = "zstd", test))]
    pub(super) fn room(&mut self, most: usize) -> &mut [u8] {
        const AT_LEAST: usize = 32 << 10;
        if self.storage.len() == self.len {
            self.grow(self.len.max(AT_LEAST).min(most));
        }
        let end = self.len.saturating_add(most).min(self.storage.len());
        self.storage.get_mut(self.len..end).unwrap_or_else(impossible)
    }

    /// Room for exactly `len` bytes.
    pub(super) fn room_for(&mut self, len: usize) -> &mut [u8] {
        let end = self.len.saturating_add(len);
        self.grow(end.saturating_sub(self.storage.len()));
        self.used = self.used.max(end);
        self.storage.get_mut(self.len..end).unwrap_or_else(impossible)
    }

    /// The bytes, and room for `len` more behind them, to be written and then
    /// [`advance`](Self::advance)d over. Storage that is full doubles, but not over `most` bytes in all.
    #[cfg(feature = "lz4")]
    pub(super) fn room_behind(&mut self, len: usize, most: usize) -> (&[u8], &mut [u8]) {
        self.reserve(len, most);
        let (bytes, behind) = self.storage.split_at_mut_checked(self.len).unwrap_or_default();
        (bytes, behind.get_mut(..len).unwrap_or_else(impossible))
    }

    /// Takes the first `len` bytes of the room as the request's own.
    pub(super) fn advance(&mut self, len: usize) {
        self.len = self.len.saturating_add(len).min(self.storage.len());
        self.used = self.used.max(self.len);
    }

    /// Appends `bytes`. Storage that is full doubles, but not over `most` bytes in all.
    pub(super) fn extend_from_slice(&mut self, bytes: &[u8], most: usize) {
        self.reserve(bytes.len(), most);
        self.room_for(bytes.len()).copy_from_slice(bytes);
        self.advance(bytes.len());
    }

    /// Makes room for `len` bytes behind those that there are.
    fn reserve(&mut self, len: usize, most: usize) {
        let end = self.len.saturating_add(len);
        if end > self.storage.len() {
            let doubled = self.storage.len().saturating_mul(2).min(most).max(end);
            self.grow(doubled.saturating_sub(self.storage.len()));
        }
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
        self.storage.get(..self.len).unwrap_or_else(impossible)
    }
}

impl AsRef<[u8]> for PooledBuffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl Drop for PooledBuffer {
    fn drop(&mut self) {
        self.buffers.give_back(self.kind, mem::take(&mut self.storage), self.used);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_kept_between_its_bounds() {
        let buffers = Buffers::new(Caps::DEFAULT);
        let mut buffer = buffers.take(Kind::Compressed, 0);
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
        let buffers = Buffers::new(Caps::DEFAULT);
        buffers.take(Kind::Decompressed, 0).extend_from_slice(&[1; 100], 100);
        let mut buffer = buffers.take(Kind::Decompressed, 0);
        assert!(buffer.is_empty());
        assert!(!cfg!(debug_assertions) || buffer.room(100).iter().all(|byte| *byte == POISON));
        buffer.extend_from_slice(b"mine", 100);
        assert_eq!(*buffer, *b"mine");
    }

    /// A buffer with storage of `size` bytes, of which `len` are used.
    fn used(buffers: &Buffers, size: usize, len: usize) -> PooledBuffer {
        let mut buffer = buffers.take(Kind::Decompressed, size);
        assert_eq!(buffer.room(size).len(), size);
        buffer.room_for(len).fill(1);
        buffer.advance(len);
        buffer
    }

    #[test]
    fn the_best_fitting_buffer_is_taken() {
        let buffers = Buffers::new(Caps::DEFAULT);
        drop([100, 300, 200].map(|size| used(&buffers, size, 1)));
        for (asked, got) in [(150, 200), (250, 300), (10, 100)] {
            let mut buffer = buffers.take(Kind::Decompressed, asked);
            assert_eq!((buffer.room(usize::MAX).len(), buffer.len()), (got, 0), "{asked}");
        }
        // The last given back, when nothing is known; and never one of the other kind.
        assert_eq!(buffers.take(Kind::Decompressed, 0).room(usize::MAX).len(), 100);
        assert_eq!(buffers.statistics().created, 3);
        drop(buffers.take(Kind::Compressed, 0));
        assert_eq!(buffers.statistics().created, 4);
    }

    #[test]
    fn caps_hold_and_are_counted() {
        let buffers = Buffers::new(Caps {
            max_idle_bytes: 1000,
            max_buffer_bytes: 600,
            large_buffer_bytes: 400,
        });
        drop(used(&buffers, 601, 601)); // over the cap of one
        drop(used(&buffers, 500, 100)); // large and mostly unused
        assert_eq!((buffers.statistics().idle, buffers.statistics().dropped), (0, 2));
        let all = [used(&buffers, 500, 500), used(&buffers, 500, 0), used(&buffers, 100, 100)];
        drop(all); // the third is over the cap of all
        let statistics = buffers.statistics();
        assert_eq!((statistics.idle, statistics.idle_bytes, statistics.dropped), (2, 1000, 3));
        assert_eq!((statistics.taken, statistics.returned, statistics.outstanding()), (5, 5, 0));
    }
}
