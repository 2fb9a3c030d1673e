//! A decoder that uses its storage again: for loops over bodies.

use core::fmt;
use core::mem;
use core::ops::Deref;

use super::{Reuse, Scratch};
use crate::message::request::DecodeRequest;
use crate::wire::error::DecodeError;

/// Decodes one request after the other into the same storage: nothing is allocated once it has
/// grown to the requests' size.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::reuse::Decoder;
///
/// # use borrowire::{Encode, remote_write::{TimeSeries, v1::WriteRequestEncoder}};
/// # fn receive() -> Vec<u8> {
/// #     WriteRequestEncoder::new([TimeSeries::new(&[])]).encode_to_vec().unwrap()
/// # }
/// let mut decoder = Decoder::<WriteRequest>::new();
/// for _ in 0..3 {
///     let body: Vec<u8> = receive(); // lives for one round only
///     let request = decoder.decode(&body)?;
///     assert_eq!(request.timeseries().len(), 1);
/// }
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
pub struct Decoder<R: Reuse> {
    pub(super) idle: R::Request<'static>,
    pub(super) scratch: R::Scratch,
    pub(super) options: R::Options,
}

impl<R: Reuse> Default for Decoder<R> {
    fn default() -> Self {
        Self::new()
    }
}

impl<R: Reuse> Decoder<R> {
    /// A decoder with the default options, and no storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            idle: <R::Request<'static>>::default(),
            scratch: <R::Scratch>::default(),
            options: R::Options::default(),
        }
    }

    /// Sets the options for all requests.
    #[must_use]
    pub fn with_options(mut self, options: R::Options) -> Self {
        self.options = options;
        self
    }

    /// Decodes `body`. The request that is returned gives the storage back when it is dropped.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The decoder stays
    /// usable, and nothing of the body stays in it.
    // Inlined, as are `decode_by` and `drop`, so that the request is made where it is used: moving
    // it in and out of calls costs a small request as much as a quarter of its decoding.
    #[inline(always)]
    pub fn decode<'d, 'a>(&'d mut self, body: &'a [u8]) -> Result<Decoded<'d, 'a, R>, DecodeError> {
        self.decode_by(|request, _, options| request.decode_into(body, options))
    }

    /// Decodes `body` with options of its own, in place of the decoder's: a tenant's limits, say.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    #[inline(always)]
    pub fn decode_with<'d, 'a>(
        &'d mut self,
        body: &'a [u8],
        options: &R::Options,
    ) -> Result<Decoded<'d, 'a, R>, DecodeError> {
        self.decode_by(|request, _, _| request.decode_into(body, options))
    }

    /// Decodes in the way that `read` does it, which may let the request borrow from the scratch.
    #[inline(always)]
    pub(crate) fn decode_by<'d, 'a, E>(
        &'d mut self,
        read: impl FnOnce(&mut R::Request<'a>, &'d mut R::Scratch, &R::Options) -> Result<(), E>,
    ) -> Result<Decoded<'d, 'a, R>, E> {
        let request = R::shorten(mem::take(&mut self.idle));
        // The guard first: it gives the storage back on error and panic too.
        let mut decoded = Decoded { request, idle: &mut self.idle };
        read(&mut decoded.request, &mut self.scratch, &self.options)?;
        Ok(decoded)
    }

    /// Heap bytes that the decoder keeps for the next request.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.idle.capacity_bytes().saturating_add(self.scratch.capacity_bytes())
    }
}

impl<R: Reuse> fmt::Debug for Decoder<R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decoder")
            .field("capacity_bytes", &self.capacity_bytes())
            .field("options", &self.options)
            .finish()
    }
}

/// A request in a [`Decoder`]'s storage, which it gives back when dropped.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::reuse::{Decoded, Decoder};
///
/// fn count(request: &Decoded<WriteRequest<'static>>) -> usize {
///     request.timeseries().len() // what a `WriteRequest` can do
/// }
///
/// let mut decoder = Decoder::<WriteRequest>::new();
/// assert_eq!(count(&decoder.decode(b"")?), 0);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
pub struct Decoded<'d, 'a, R: Reuse> {
    request: R::Request<'a>,
    idle: &'d mut R::Request<'static>,
}

impl<'d, 'a, R: Reuse> Decoded<'d, 'a, R> {
    /// A request in the storage `idle`, which `fill` makes of something else than a body.
    pub(crate) fn filled(
        idle: &'d mut R::Request<'static>,
        fill: impl FnOnce(&mut R::Request<'a>),
    ) -> Self {
        let request = R::shorten(mem::take(idle));
        // The guard first, for panics.
        let mut decoded = Self { request, idle };
        fill(&mut decoded.request);
        decoded
    }

    /// The same, where that may fail.
    pub(crate) fn try_filled<E>(
        idle: &'d mut R::Request<'static>,
        fill: impl FnOnce(&mut R::Request<'a>) -> Result<(), E>,
    ) -> Result<Self, E> {
        let mut result = Ok(());
        let decoded = Self::filled(idle, |request| result = fill(request));
        result.map(|()| decoded)
    }
}

impl<'a, R: Reuse> Deref for Decoded<'_, 'a, R> {
    type Target = R::Request<'a>;

    #[inline]
    fn deref(&self) -> &Self::Target {
        &self.request
    }
}

impl<R: Reuse> Drop for Decoded<'_, '_, R> {
    #[inline(always)]
    fn drop(&mut self) {
        *self.idle = R::recycle(mem::take(&mut self.request));
    }
}

impl<'a, R: Reuse> fmt::Debug for Decoded<'_, 'a, R>
where
    R::Request<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.request.fmt(f)
    }
}
