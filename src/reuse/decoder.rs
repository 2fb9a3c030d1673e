//! A decoder that uses its storage again: for loops over bodies.

use alloc::vec::Vec;
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

    /// Decodes `body` as [`decode`](Self::decode) does, and if text in it is not UTF-8, decodes a copy
    /// of it in `scratch`, in which each such piece of text is U+FFFD: a third way beside failing the
    /// request and, in partial mode, leaving the record out, for receivers whose senders are not to
    /// be changed. As long as all text is good, nothing is copied.
    ///
    /// The copy is the request's body, so raw records are made of it, too. Two names or values that
    /// differ may become the same. The copy takes up to three bytes for each byte of the body, and
    /// counts against the limits.
    ///
    /// ```
    /// use borrowire::remote_write::v1::WriteRequest;
    /// use borrowire::reuse::Decoder;
    ///
    /// # use borrowire::{Encode, remote_write::{Label, TimeSeries, v1::WriteRequestEncoder}};
    /// # let labels = [Label::new("city", "M?nchen")];
    /// # let mut body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
    /// # let last = body.len() - 6;
    /// # body[last] = 0xfc;
    /// // `body`: a label whose value is "München" in Latin-1
    /// let (mut decoder, mut scratch) = (Decoder::<WriteRequest>::new(), Vec::new());
    /// assert!(decoder.decode(&body).is_err());
    /// let request = decoder.decode_lossy(&body, &mut scratch)?;
    /// assert_eq!(request.timeseries().get(0).unwrap().labels()[0].value, "M\u{fffd}nchen");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first other fault in the body, or what is over a limit, with its place, which is one in
    /// the copy where there is one.
    pub fn decode_lossy<'d, 'a>(
        &'d mut self,
        body: &'a [u8],
        scratch: &'a mut Vec<u8>,
    ) -> Result<Decoded<'d, 'a, R>, DecodeError> {
        self.decode_by(|request, _, options| request.decode_lossy_into(body, scratch, options))
    }

    /// Reads `body` record by record, and keeps none: `visitor` sees the request with one record in
    /// it at a time. Storage grows to the largest record, and a table of symbols, and not to all
    /// records: to count, to filter, or to pass on what is in a request that is large.
    ///
    /// ```
    /// use borrowire::remote_write::v1::WriteRequest;
    /// use borrowire::reuse::Decoder;
    ///
    /// # use borrowire::{Encode, remote_write::{Label, TimeSeries, v1::WriteRequestEncoder}};
    /// # let labels = [Label::new("__name__", "up")];
    /// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels); 3]).encode_to_vec()?;
    /// let mut decoder = Decoder::<WriteRequest>::new();
    /// let mut names = Vec::new();
    /// decoder.visit(&body, |request| {
    ///     for series in request.timeseries() {
    ///         names.push(series.metric_name()); // text outlives the visit, as it is the body's
    ///     }
    /// })?;
    /// assert_eq!(names, [Some("up"); 3]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The records in front of
    /// it have been seen by then.
    pub fn visit<'a>(
        &mut self,
        body: &'a [u8],
        visitor: impl FnMut(&R::Request<'a>),
    ) -> Result<(), DecodeError> {
        self.decode_by(|request, _, options| request.visit(body, options, visitor)).map(drop)
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
