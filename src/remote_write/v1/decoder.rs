//! A decoder that uses its storage again: for loops over bodies.

use core::fmt;
use core::mem;
use core::ops::Deref;

use super::write_request::{DecodeOptions, WriteRequest};
use crate::error::DecodeError;

/// Decodes one request after the other into the same storage: nothing is allocated once it has
/// grown to the requests' size.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequestDecoder;
///
/// let mut decoder = WriteRequestDecoder::new();
/// for _ in 0..3 {
///     let body = vec![0x0a, 0x00]; // lives for one round only
///     let request = decoder.decode(&body)?;
///     assert_eq!(request.timeseries().len(), 1);
/// }
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Debug, Default)]
pub struct WriteRequestDecoder {
    idle: WriteRequest<'static>,
    options: DecodeOptions,
}

impl WriteRequestDecoder {
    /// A decoder with the default options, and no storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the options for all requests.
    #[must_use]
    pub const fn with_options(mut self, options: DecodeOptions) -> Self {
        self.options = options;
        self
    }

    /// Decodes `body`. The request that is returned gives the storage back when it is dropped.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The decoder stays
    /// usable, and nothing of the body stays in it.
    pub fn decode<'d, 'a>(
        &'d mut self,
        body: &'a [u8],
    ) -> Result<DecodedWriteRequest<'d, 'a>, DecodeError> {
        let request = mem::take(&mut self.idle).recycle();
        // The guard first: it gives the storage back on error and panic too.
        let mut decoded = DecodedWriteRequest { request, idle: &mut self.idle };
        decoded.request.decode_into(body, &self.options)?;
        Ok(decoded)
    }

    /// Heap bytes that the decoder keeps for the next request.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.idle.capacity_bytes()
    }
}

/// A request in a [`WriteRequestDecoder`]'s storage, which it gives back when dropped.
pub struct DecodedWriteRequest<'d, 'a> {
    request: WriteRequest<'a>,
    idle: &'d mut WriteRequest<'static>,
}

impl<'a> Deref for DecodedWriteRequest<'_, 'a> {
    type Target = WriteRequest<'a>;

    #[inline]
    fn deref(&self) -> &WriteRequest<'a> {
        &self.request
    }
}

impl Drop for DecodedWriteRequest<'_, '_> {
    fn drop(&mut self) {
        *self.idle = mem::take(&mut self.request).recycle();
    }
}

impl fmt::Debug for DecodedWriteRequest<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.request.fmt(f)
    }
}
