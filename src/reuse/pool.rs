//! Storage shared by many threads.

use core::fmt;
use core::mem;
use core::ops::Deref;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use super::Reuse;
use crate::message::request::DecodeRequest;
use crate::wire::error::DecodeError;

/// Storages that lie idle between requests, for any number of threads.
///
/// A request takes one, or a new one if none is idle, and gives it back when it is dropped. Storage
/// is emptied on its way in, so nothing of one request is ever seen by another. What would lie idle
/// over a cap is freed instead.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::reuse::Pool;
///
/// let pool = Pool::<WriteRequest>::new();
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
/// # use borrowire::remote_write::v1::WriteRequest;
/// # use borrowire::reuse::Pool;
/// let pool = Pool::<WriteRequest>::new();
/// let body = [0x0a, 0x00];
/// let request = pool.decode(&body).unwrap();
/// let series = request.timeseries().get(0);
/// drop(request);
/// println!("{series:?}");
/// ```
pub struct Pool<R: Reuse> {
    idle: Mutex<Idle<R>>,
    options: R::Options,
    max_idle: usize,
    max_idle_bytes: usize,
}

struct Idle<R: Reuse> {
    storages: Vec<R::Request<'static>>,
    bytes: usize,
}

impl<R: Reuse> Default for Pool<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Reuse> Pool<R> {
    /// A pool that keeps up to 64 storages and 256 MiB idle, and decodes with the default options.
    #[must_use]
    pub fn new() -> Self {
        Self {
            idle: Mutex::new(Idle { storages: Vec::new(), bytes: 0 }),
            options: R::Options::default(),
            max_idle: 64,
            max_idle_bytes: 256 << 20,
        }
    }

    /// Sets the options for all requests.
    #[must_use]
    pub fn with_options(mut self, options: R::Options) -> Self {
        self.options = options;
        self
    }

    /// Sets how many storages may lie idle.
    #[must_use]
    pub fn with_max_idle(mut self, count: usize) -> Self {
        self.max_idle = count;
        self
    }

    /// Sets how many bytes of memory all idle storages together may hold.
    #[must_use]
    pub fn with_max_idle_bytes(mut self, bytes: usize) -> Self {
        self.max_idle_bytes = bytes;
        self
    }

    /// Decodes `body` into a storage of the pool.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The storage is back in
    /// the pool then.
    pub fn decode<'p, 'a>(&'p self, body: &'a [u8]) -> Result<Pooled<'p, 'a, R>, DecodeError> {
        self.decode_by(|request, options| request.decode_into(body, options))
    }

    /// Decodes `body` with options of its own, in place of the pool's: a tenant's limits, say.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The storage is back in
    /// the pool then.
    pub fn decode_with<'p, 'a>(
        &'p self,
        body: &'a [u8],
        options: &R::Options,
    ) -> Result<Pooled<'p, 'a, R>, DecodeError> {
        self.decode_by(|request, _| request.decode_into(body, options))
    }

    /// Decodes in the way that `read` does it.
    pub(crate) fn decode_by<'p, 'a, E>(
        &'p self,
        read: impl FnOnce(&mut R::Request<'a>, &R::Options) -> Result<(), E>,
    ) -> Result<Pooled<'p, 'a, R>, E> {
        // The guard first: it gives the storage back on error and panic too.
        let mut pooled = Pooled { request: self.take(), pool: self };
        read(&mut pooled.request, &self.options)?;
        Ok(pooled)
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

    fn take<'a>(&self) -> R::Request<'a> {
        let taken = {
            let mut idle = self.lock();
            let taken = idle.storages.pop().unwrap_or_default();
            idle.bytes = idle.bytes.saturating_sub(taken.capacity_bytes());
            taken
        };
        R::shorten(taken)
    }

    /// Takes back an emptied storage, or frees it.
    pub(crate) fn give_back(&self, storage: R::Request<'static>) {
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
    fn lock(&self) -> MutexGuard<'_, Idle<R>> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<R: Reuse> fmt::Debug for Pool<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let idle = self.lock();
        f.debug_struct("Pool")
            .field("idle", &idle.storages.len())
            .field("idle_bytes", &idle.bytes)
            .field("max_idle", &self.max_idle)
            .field("max_idle_bytes", &self.max_idle_bytes)
            .finish_non_exhaustive()
    }
}

/// A request in storage of a [`Pool`], which it gives back when dropped.
pub struct Pooled<'p, 'a, R: Reuse> {
    request: R::Request<'a>,
    pool: &'p Pool<R>,
}

impl<'a, R: Reuse> Pooled<'_, 'a, R> {
    /// Takes the request out; nothing returns to the pool then.
    pub(crate) fn take(&mut self) -> R::Request<'a> {
        mem::take(&mut self.request)
    }
}

impl<'a, R: Reuse> Deref for Pooled<'_, 'a, R> {
    type Target = R::Request<'a>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.request
    }
}

impl<R: Reuse> Drop for Pooled<'_, '_, R> {
    fn drop(&mut self) {
        self.pool.give_back(R::recycle(mem::take(&mut self.request)));
    }
}

impl<'a, R: Reuse> fmt::Debug for Pooled<'_, 'a, R>
where
    R::Request<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.request.fmt(f)
    }
}
