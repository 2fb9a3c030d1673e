//! Storage shared by many threads.

use core::fmt;
use core::mem;
use core::ops::Deref;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use bytes::Bytes;

use super::owned::OwnedWriteRequest;
use super::write_request::{DecodeOptions, WriteRequest};
use crate::error::DecodeError;

/// Storages that lie idle between requests, for any number of threads.
///
/// A request takes one, or a new one if none is idle, and gives it back when it is dropped. Storage
/// is emptied on its way in, so nothing of one request is ever seen by another. What would lie idle
/// over a cap is freed instead.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequestPool;
///
/// let pool = WriteRequestPool::new();
/// let body = [0x0a, 0x00];
/// let request = pool.decode(&body)?;
/// assert_eq!(request.timeseries().len(), 1);
/// drop(request);
/// assert_eq!(pool.idle(), 1);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
///
/// A view cannot outlive the request that holds its storage:
///
/// ```compile_fail,E0505
/// # use borrowire::remote_write::v1::WriteRequestPool;
/// let pool = WriteRequestPool::new();
/// let body = [0x0a, 0x00];
/// let request = pool.decode(&body).unwrap();
/// let series = request.timeseries().get(0);
/// drop(request);
/// println!("{series:?}");
/// ```
pub struct WriteRequestPool {
    idle: Mutex<Idle>,
    options: DecodeOptions,
    max_idle: usize,
    max_idle_bytes: usize,
}

#[derive(Default)]
struct Idle {
    storages: Vec<WriteRequest<'static>>,
    bytes: usize,
}

impl Default for WriteRequestPool {
    fn default() -> Self {
        Self::new()
    }
}

impl WriteRequestPool {
    /// A pool that keeps up to 64 storages and 256 MiB idle, and decodes with the default options.
    #[must_use]
    pub fn new() -> Self {
        Self {
            idle: Mutex::default(),
            options: DecodeOptions::new(),
            max_idle: 64,
            max_idle_bytes: 256 << 20,
        }
    }

    /// Sets the options for all requests.
    #[must_use]
    pub const fn with_options(mut self, options: DecodeOptions) -> Self {
        self.options = options;
        self
    }

    /// Sets how many storages may lie idle.
    #[must_use]
    pub const fn with_max_idle(mut self, count: usize) -> Self {
        self.max_idle = count;
        self
    }

    /// Sets how many bytes of memory all idle storages together may hold.
    #[must_use]
    pub const fn with_max_idle_bytes(mut self, bytes: usize) -> Self {
        self.max_idle_bytes = bytes;
        self
    }

    /// Decodes `body` into a storage of the pool.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The storage is back in
    /// the pool then.
    pub fn decode<'p, 'a>(
        &'p self,
        body: &'a [u8],
    ) -> Result<PooledWriteRequest<'p, 'a>, DecodeError> {
        // The guard first: it gives the storage back on error and panic too.
        let mut pooled = PooledWriteRequest { request: self.take(), pool: self };
        pooled.request.decode_into(body, &self.options)?;
        Ok(pooled)
    }

    /// Decodes `body` into a storage of the pool, for handing to another task.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    pub fn decode_owned(
        self: &Arc<Self>,
        body: impl Into<Bytes>,
    ) -> Result<OwnedWriteRequest, DecodeError> {
        OwnedWriteRequest::decode_pooled(self, body.into())
    }

    /// How many storages lie idle.
    #[must_use]
    pub fn idle(&self) -> usize {
        self.lock().storages.len()
    }

    /// How many bytes of memory the idle storages hold.
    #[must_use]
    pub fn idle_bytes(&self) -> usize {
        self.lock().bytes
    }

    fn take<'a>(&self) -> WriteRequest<'a> {
        let taken = {
            let mut idle = self.lock();
            let taken = idle.storages.pop().unwrap_or_default();
            idle.bytes = idle.bytes.saturating_sub(taken.capacity_bytes());
            taken
        };
        taken.recycle()
    }

    /// Takes back an emptied storage, or frees it.
    pub(super) fn give_back(&self, storage: WriteRequest<'static>) {
        let capacity = storage.capacity_bytes();
        if capacity == 0 {
            return;
        }
        let mut idle = self.lock();
        let bytes = idle.bytes.saturating_add(capacity);
        if idle.storages.len() < self.max_idle && bytes <= self.max_idle_bytes {
            idle.bytes = bytes;
            idle.storages.push(storage);
        } else {
            // Freed outside the lock.
            drop(idle);
            drop(storage);
        }
    }

    /// What is inside is whole at every moment, so a panic elsewhere does not spoil it.
    fn lock(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for WriteRequestPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let idle = self.lock();
        f.debug_struct("WriteRequestPool")
            .field("idle", &idle.storages.len())
            .field("idle_bytes", &idle.bytes)
            .field("max_idle", &self.max_idle)
            .field("max_idle_bytes", &self.max_idle_bytes)
            .finish_non_exhaustive()
    }
}

/// A request in storage of a [`WriteRequestPool`], which it gives back when dropped.
pub struct PooledWriteRequest<'p, 'a> {
    request: WriteRequest<'a>,
    pool: &'p WriteRequestPool,
}

impl<'a> PooledWriteRequest<'_, 'a> {
    /// Takes the request out; nothing returns to the pool then.
    pub(super) fn take(&mut self) -> WriteRequest<'a> {
        mem::take(&mut self.request)
    }
}

impl<'a> Deref for PooledWriteRequest<'_, 'a> {
    type Target = WriteRequest<'a>;

    #[inline]
    fn deref(&self) -> &WriteRequest<'a> {
        &self.request
    }
}

impl Drop for PooledWriteRequest<'_, '_> {
    fn drop(&mut self) {
        self.pool.give_back(mem::take(&mut self.request).recycle());
    }
}

impl fmt::Debug for PooledWriteRequest<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.request.fmt(f)
    }
}
