//! Storage shared by many threads.

use core::fmt;
use core::mem;
use core::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::vec::Vec;

use super::{Decoder, Reuse, Scratch};
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
/// # use borrowire::{Encode, remote_write::{TimeSeries, v1::WriteRequestEncoder}};
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&[])]).encode_to_vec()?;
/// let pool = Pool::<WriteRequest>::new();
/// let request = pool.decode(&body)?;
/// assert_eq!(request.timeseries().len(), 1);
/// drop(request);
/// assert_eq!(pool.idle(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A view cannot outlive the request that holds its storage:
///
/// ```compile_fail,E0505
/// # use borrowire::remote_write::v1::WriteRequest;
/// # use borrowire::reuse::Pool;
/// # let body = Vec::new();
/// let pool = Pool::<WriteRequest>::new();
/// let request = pool.decode(&body).unwrap();
/// let series = request.timeseries().get(0);
/// drop(request);
/// println!("{series:?}");
/// ```
#[doc(alias("arena", "threads"))]
pub struct Pool<R: Reuse> {
    idle: Mutex<Idle<R>>,
    options: R::Options,
    max_idle: usize,
    max_idle_bytes: usize,
}

struct Idle<R: Reuse> {
    storages: Vec<R::Request<'static>>,
    scratches: Vec<R::Scratch>,
    bytes: usize,
}

impl<R: Reuse> Idle<R> {
    #[inline]
    fn pop_storage(&mut self) -> R::Request<'static> {
        let storage = self.storages.pop().unwrap_or_default();
        self.bytes = self.bytes.saturating_sub(storage.capacity_bytes());
        storage
    }

    fn pop_scratch(&mut self) -> R::Scratch {
        let scratch = self.scratches.pop().unwrap_or_default();
        self.bytes = self.bytes.saturating_sub(scratch.capacity_bytes());
        scratch
    }
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
            idle: Mutex::new(Idle { storages: Vec::new(), scratches: Vec::new(), bytes: 0 }),
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

    /// Sets how many storages may lie idle, and how much scratch: as many of each.
    #[must_use]
    pub fn with_max_idle(mut self, count: usize) -> Self {
        self.max_idle = count;
        self
    }

    /// Sets how many bytes of memory may lie idle, of storages and scratch together.
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

    /// Decodes `body` as [`decode`](Self::decode) does, and if text in it is not UTF-8, decodes a copy
    /// of it in `scratch`, in which each such piece of text is U+FFFD: a third way beside failing the
    /// request and, in partial mode, leaving the record out, for receivers whose senders are not to
    /// be changed. As long as all text is good, nothing is copied.
    ///
    /// The copy is the request's body, so raw records are made of it, too. Two names or values that
    /// differ may become the same. The copy takes up to three bytes for each byte of the body, and
    /// counts against the limits.
    ///
    /// [`Decoder::decode_lossy`] has an example.
    ///
    /// # Errors
    ///
    /// The first other fault in the body, or what is over a limit, with its place, which is one in
    /// the copy where there is one.
    pub fn decode_lossy<'p, 'a>(
        &'p self,
        body: &'a [u8],
        scratch: &'a mut Vec<u8>,
    ) -> Result<Pooled<'p, 'a, R>, DecodeError> {
        self.decode_by(|request, options| request.decode_lossy_into(body, scratch, options))
    }

    /// Reads `body` record by record, and keeps none: `visitor` sees the request with one record in
    /// it at a time. Storage grows to the largest record, and a table of symbols, and not to all
    /// records: to count, to filter, or to pass on what is in a request that is large.
    ///
    /// [`Decoder::visit`] has an example.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The records in front of
    /// it have been seen by then.
    pub fn visit<'a>(
        &self,
        body: &'a [u8],
        visitor: impl FnMut(&R::Request<'a>),
    ) -> Result<(), DecodeError> {
        self.decode_by(|request, options| request.visit(body, options, visitor)).map(drop)
    }

    /// The options for all requests.
    #[cfg(feature = "json")]
    pub(crate) const fn options(&self) -> &R::Options {
        &self.options
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

    /// A decoder on memory of the pool, to which it returns when the decoder is dropped.
    ///
    /// It is for requests that borrow from more than their bodies, such as those that come as JSON:
    /// what they borrow from is the decoder's, and so cannot be dropped before them. For all else
    /// [`decode`](Self::decode) is shorter.
    ///
    /// ```
    /// use borrowire::Encode;
    /// use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
    /// use borrowire::remote_write::{Label, TimeSeries};
    /// use borrowire::reuse::Pool;
    ///
    /// let labels = [Label::new("__name__", "up")];
    /// let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
    ///
    /// let pool = Pool::<WriteRequest>::new();
    /// let mut decoder = pool.decoder();
    /// for _ in 0..3 {
    ///     assert_eq!(decoder.decode(&body)?.timeseries().len(), 1);
    /// }
    /// drop(decoder);
    /// assert_eq!(pool.idle(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn decoder(&self) -> PooledDecoder<'_, R> {
        let mut memory = self.lock();
        let (idle, scratch) = (memory.pop_storage(), memory.pop_scratch());
        drop(memory);
        PooledDecoder { decoder: Decoder { idle, scratch, options: self.options }, pool: self }
    }

    /// How many storages lie idle.
    #[must_use]
    pub fn idle(&self) -> usize {
        self.lock().storages.len()
    }

    /// How many bytes of memory lie idle: of storages, and of scratch.
    #[must_use]
    pub fn idle_bytes(&self) -> usize {
        self.lock().bytes
    }

    fn take<'a>(&self) -> R::Request<'a> {
        let storage = self.lock().pop_storage();
        R::shorten(storage)
    }

    /// Takes back an emptied storage, or frees it.
    pub(crate) fn give_back(&self, storage: R::Request<'static>) {
        let bytes = storage.capacity_bytes();
        if let Some(mut idle) = self.lock_with_room(bytes, |idle| idle.storages.len()) {
            idle.storages.push(storage);
        }
    }

    /// Takes scratch out, for a request that owns it.
    #[cfg(feature = "json")]
    pub(crate) fn take_scratch(&self) -> R::Scratch {
        self.lock().pop_scratch()
    }

    /// Takes back scratch, or frees it.
    pub(crate) fn give_back_scratch(&self, scratch: R::Scratch) {
        let bytes = scratch.capacity_bytes();
        if let Some(mut idle) = self.lock_with_room(bytes, |idle| idle.scratches.len()) {
            idle.scratches.push(scratch);
        }
    }

    /// The lock, if there is room for something more that takes `bytes`, which are counted; `None`
    /// if that would be too much, or is nothing at all. What then is to be freed is freed outside
    /// the lock.
    fn lock_with_room(
        &self,
        bytes: usize,
        len: impl FnOnce(&Idle<R>) -> usize,
    ) -> Option<MutexGuard<'_, Idle<R>>> {
        if bytes == 0 {
            return None;
        }
        let mut idle = self.lock();
        let all_bytes = idle.bytes.saturating_add(bytes);
        if len(&idle) >= self.max_idle || all_bytes > self.max_idle_bytes {
            return None;
        }
        idle.bytes = all_bytes;
        Some(idle)
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
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::reuse::{Pool, Pooled};
///
/// fn count(request: &Pooled<WriteRequest<'static>>) -> usize {
///     request.timeseries().len() // what a `WriteRequest` can do
/// }
///
/// let pool = Pool::<WriteRequest>::new();
/// assert_eq!(count(&pool.decode(b"")?), 0);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
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

/// A decoder on memory of a [`Pool`], to which it returns when the decoder is dropped.
///
/// It is made by [`Pool::decoder`], which has an example, and decodes as any [`Decoder`] does.
pub struct PooledDecoder<'p, R: Reuse> {
    decoder: Decoder<R>,
    pool: &'p Pool<R>,
}

impl<R: Reuse> Deref for PooledDecoder<'_, R> {
    type Target = Decoder<R>;

    fn deref(&self) -> &Decoder<R> {
        &self.decoder
    }
}

impl<R: Reuse> DerefMut for PooledDecoder<'_, R> {
    fn deref_mut(&mut self) -> &mut Decoder<R> {
        &mut self.decoder
    }
}

impl<R: Reuse> Drop for PooledDecoder<'_, R> {
    fn drop(&mut self) {
        self.pool.give_back(mem::take(&mut self.decoder.idle));
        self.pool.give_back_scratch(mem::take(&mut self.decoder.scratch));
    }
}

impl<R: Reuse> fmt::Debug for PooledDecoder<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.decoder.fmt(f)
    }
}
