//! Buffers, and the state of codecs, shared by all requests and used again.

use core::fmt;
use core::ops::Deref;
use std::vec::Vec;

use bytes::Bytes;

use super::buffer::{Kind, PooledBuffer};
use super::codec::Codecs;
use super::sync::{Arc, AtomicU64, Mutex, MutexGuard, Ordering, PoisonError};

/// What a buffer is filled with when it is given back, in debug builds.
pub(super) const POISON: u8 = 0xdd;

/// Buffers that lie idle between requests, for any number of threads; a clone is the same pool.
///
/// ```
/// # #[cfg(feature = "snappy")] {
/// use borrowire::Limits;
/// use borrowire::body::{BufferPool, Encoding};
/// use borrowire::remote_write::v1::WriteRequest;
///
/// let pool = BufferPool::new();
/// let sent = [0x02, 0x04, 0x0a, 0x00]; // a request of one empty series, as a snappy block
///
/// let body = pool.decompress(&sent, Encoding::Snappy, &Limits::new())?;
/// let request = WriteRequest::decode(&body)?; // borrows from `body`
/// assert_eq!(request.timeseries().len(), 1);
/// drop(body); // the buffer is back in the pool
/// assert_eq!(pool.statistics().returned, 1);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A view cannot outlive its body:
///
/// ```compile_fail,E0505
/// # use borrowire::{Limits, body::{BufferPool, Encodings}, remote_write::v1::WriteRequest};
/// let pool = BufferPool::new();
/// let body = pool.decompress(&[0x0a, 0x00], Encodings::IDENTITY, &Limits::new()).unwrap();
/// let request = WriteRequest::decode(&body).unwrap();
/// drop(body);
/// println!("{}", request.timeseries().len());
/// ```
#[derive(Clone)]
pub struct BufferPool {
    pub(super) shared: Arc<Shared>,
}

/// How much a pool keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolOptions {
    /// Bytes that all idle buffers together may hold. Default: 256 MiB.
    pub max_idle_bytes: usize,
    /// The largest buffer that is kept. Default: 64 MiB. A workload whose bodies are mostly larger
    /// should raise it, or each of them costs an allocation.
    pub max_buffer_bytes: usize,
    /// A buffer over this size that was used, but to less than a quarter, is freed, so that one
    /// large request does not leave its mark. Default: 1 MiB.
    pub large_buffer_bytes: usize,
}

impl Default for PoolOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl PoolOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_idle_bytes: 256 << 20, max_buffer_bytes: 64 << 20, large_buffer_bytes: 1 << 20 }
    }

    /// Sets [`max_idle_bytes`](Self::max_idle_bytes).
    #[must_use]
    pub const fn with_max_idle_bytes(mut self, bytes: usize) -> Self {
        self.max_idle_bytes = bytes;
        self
    }

    /// Sets [`max_buffer_bytes`](Self::max_buffer_bytes).
    #[must_use]
    pub const fn with_max_buffer_bytes(mut self, bytes: usize) -> Self {
        self.max_buffer_bytes = bytes;
        self
    }

    /// Sets [`large_buffer_bytes`](Self::large_buffer_bytes).
    #[must_use]
    pub const fn with_large_buffer_bytes(mut self, bytes: usize) -> Self {
        self.large_buffer_bytes = bytes;
        self
    }
}

/// What happened in a pool since it was made, and what lies in it now.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// Buffers handed out.
    pub taken: u64,
    /// Buffers handed out that had to be made, or to grow from nothing.
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

pub(super) struct Shared {
    options: PoolOptions,
    idle: Mutex<Idle>,
    #[cfg_attr(
        not(any(feature = "gzip", feature = "snappy", feature = "zstd")),
        allow(dead_code, reason = "there is no codec without a feature")
    )]
    pub(super) codecs: Codecs,
    taken: AtomicU64,
    created: AtomicU64,
    returned: AtomicU64,
    dropped: AtomicU64,
}

#[derive(Default)]
struct Idle {
    compressed: Vec<Vec<u8>>,
    decompressed: Vec<Vec<u8>>,
    /// Of both.
    bytes: usize,
}

impl Default for BufferPool {
    fn default() -> Self {
        Self::new()
    }
}

impl BufferPool {
    /// A pool with the default options.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(PoolOptions::new())
    }

    /// A pool with `options`.
    #[must_use]
    pub fn with_options(options: PoolOptions) -> Self {
        Self {
            shared: Arc::new(Shared {
                options,
                idle: Mutex::new(Idle::default()),
                codecs: Codecs::default(),
                taken: AtomicU64::new(0),
                created: AtomicU64::new(0),
                returned: AtomicU64::new(0),
                dropped: AtomicU64::new(0),
            }),
        }
    }

    /// What happened so far, for a metrics page.
    #[must_use]
    pub fn statistics(&self) -> PoolStatistics {
        let shared = &*self.shared;
        let (idle, idle_bytes) = {
            let idle = shared.lock();
            (idle.compressed.len().saturating_add(idle.decompressed.len()), idle.bytes)
        };
        // Returned first: a buffer that is taken and returned in between is then not outstanding
        // twice.
        let returned = shared.returned.load(Ordering::Relaxed);
        PoolStatistics {
            returned,
            taken: shared.taken.load(Ordering::Relaxed),
            created: shared.created.load(Ordering::Relaxed),
            dropped: shared.dropped.load(Ordering::Relaxed),
            idle,
            idle_bytes,
        }
    }

    /// An empty buffer, if possible one that holds `capacity` bytes already.
    ///
    /// Nothing is allocated for `capacity`: it may be what an untrusted header says.
    pub(super) fn take(&self, kind: Kind, capacity: usize) -> PooledBuffer {
        let shared = &*self.shared;
        shared.taken.fetch_add(1, Ordering::Relaxed);
        let storage = shared.lock().take(kind, capacity);
        let storage = storage.unwrap_or_else(|| {
            shared.created.fetch_add(1, Ordering::Relaxed);
            Vec::new()
        });
        PooledBuffer::new(storage, kind, self.clone())
    }

    /// Keeps `storage`, of which so much was of use, or frees it.
    pub(super) fn give_back(&self, kind: Kind, mut storage: Vec<u8>, used: usize) {
        let shared = &*self.shared;
        let options = &shared.options;
        shared.returned.fetch_add(1, Ordering::Relaxed);
        let capacity = storage.capacity();
        if capacity == 0 {
            return;
        }
        // A request that failed before it used the buffer says nothing about its size.
        let mostly_unused =
            capacity > options.large_buffer_bytes && used > 0 && used < capacity >> 2;
        if !mostly_unused && capacity <= options.max_buffer_bytes {
            if cfg!(debug_assertions) {
                storage.fill(POISON);
            }
            let mut idle = shared.lock();
            let bytes = idle.bytes.saturating_add(capacity);
            if bytes <= options.max_idle_bytes {
                idle.bytes = bytes;
                idle.of(kind).push(storage);
                return;
            }
        }
        shared.dropped.fetch_add(1, Ordering::Relaxed);
    }
}

impl Shared {
    /// What is inside is whole at every moment, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Idle {
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

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferPool")
            .field("options", &self.shared.options)
            .field("statistics", &self.statistics())
            .finish()
    }
}

/// The bytes of a body in a pooled buffer, which returns to its pool when this is dropped.
///
/// It is `Send + 'static`; what is decoded borrows from it.
pub struct Body {
    buffer: PooledBuffer,
}

impl Body {
    pub(super) const fn new(buffer: PooledBuffer) -> Self {
        Self { buffer }
    }

    /// The same bytes, counted by reference: the buffer returns to its pool when the last clone, and
    /// the last slice of one, is dropped. Keeping a few bytes for long keeps the whole buffer.
    ///
    /// ```
    /// use borrowire::Limits;
    /// use borrowire::body::{BufferPool, Encodings};
    /// use borrowire::remote_write::v1::OwnedWriteRequest;
    ///
    /// let pool = BufferPool::new();
    /// let body = pool.decompress(&[0x0a, 0x00], Encodings::IDENTITY, &Limits::new())?;
    /// let owned = OwnedWriteRequest::decode(body.into_bytes())?;
    /// assert_eq!(pool.statistics().outstanding(), 1);
    /// drop(owned);
    /// assert_eq!(pool.statistics().outstanding(), 0);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A buffer with storage of `size` bytes, of which `len` are used.
    fn used(pool: &BufferPool, size: usize, len: usize) -> PooledBuffer {
        let mut buffer = pool.take(Kind::Decompressed, size);
        assert_eq!(buffer.room(size).len(), size);
        buffer.room_for(len).fill(1);
        buffer.advance(len);
        buffer
    }

    #[test]
    fn the_best_fitting_buffer_is_taken() {
        let pool = BufferPool::new();
        let buffers = [100, 300, 200].map(|size| used(&pool, size, 1));
        drop(buffers);
        for (asked, got) in [(150, 200), (250, 300), (10, 100)] {
            let mut buffer = pool.take(Kind::Decompressed, asked);
            assert_eq!((buffer.room(usize::MAX).len(), buffer.len()), (got, 0), "{asked}");
        }
        // The last given back, when nothing is known; and never one of the other kind.
        assert_eq!(pool.take(Kind::Decompressed, 0).room(usize::MAX).len(), 100);
        assert_eq!(pool.statistics().created, 3);
        drop(pool.take(Kind::Compressed, 0));
        assert_eq!(pool.statistics().created, 4);
    }

    #[test]
    fn caps_hold_and_are_counted() {
        let options = PoolOptions::new()
            .with_max_idle_bytes(1000)
            .with_max_buffer_bytes(600)
            .with_large_buffer_bytes(400);
        let pool = BufferPool::with_options(options);
        drop(used(&pool, 601, 601)); // over the cap of one
        drop(used(&pool, 500, 100)); // large and mostly unused
        assert_eq!((pool.statistics().idle, pool.statistics().dropped), (0, 2));
        let all = [used(&pool, 500, 500), used(&pool, 500, 0), used(&pool, 100, 100)];
        drop(all); // the third is over the cap of all
        let statistics = pool.statistics();
        assert_eq!((statistics.idle, statistics.idle_bytes, statistics.dropped), (2, 1000, 3));
        assert_eq!((statistics.taken, statistics.returned, statistics.outstanding()), (5, 5, 0));
    }
}
