use alloc::vec::Vec;
use core::fmt;

use bumpalo::Bump;

use super::decode;
use super::error::JsonError;
use crate::loki::{DecodeOptions, PushRequest};
use crate::message::request::ReadRecords;
use crate::reuse::{Decoded, Decoder, Owned};
#[cfg(feature = "std")]
use crate::reuse::{Pool, Pooled};

/// Memory for text that a JSON body does not hold as it is wanted: strings with escapes, and label
/// strings.
///
/// It is emptied for each body, and keeps its memory, so that nothing is allocated once it has grown to the
/// bodies' size. One that has seen a body of unusual size may be dropped for a new one: see
/// [`capacity_bytes`](Self::capacity_bytes).
#[derive(Default)]
pub struct JsonScratch {
    arena: Bump,
    /// For what is read in label strings, one at a time.
    bytes: Vec<u8>,
}

impl JsonScratch {
    /// Memory for text, none of it allocated yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Heap bytes that are kept for the next body.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.arena.allocated_bytes().saturating_add(self.bytes.capacity())
    }

    /// The parts, emptied.
    pub(super) fn parts(&mut self) -> (&Bump, &mut Vec<u8>) {
        self.arena.reset();
        (&self.arena, &mut self.bytes)
    }
}

impl fmt::Debug for JsonScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonScratch").field("capacity_bytes", &self.capacity_bytes()).finish()
    }
}

impl<'a> PushRequest<'a> {
    /// Decodes `body`, which is JSON, into new storage, with the default options. See [`json`](super) for
    /// what is accepted.
    ///
    /// ```
    /// use borrowire::loki::{PushRequest, Timestamp, json::JsonScratch};
    ///
    /// let body = br#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1700000000000000005","hi"]]}]}"#;
    /// let mut scratch = JsonScratch::new();
    /// let push = PushRequest::decode_json(body, &mut scratch)?;
    /// let stream = push.streams().get(0).unwrap();
    /// let entry = stream.entries().get(0).unwrap();
    /// assert_eq!(stream.labels(), r#"{job="varlogs"}"#);
    /// assert_eq!(entry.timestamp(), Some(Timestamp::new(1_700_000_000, 5)));
    /// # Ok::<(), borrowire::loki::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    pub fn decode_json(body: &'a [u8], scratch: &'a mut JsonScratch) -> Result<Self, JsonError> {
        Self::decode_json_with(body, scratch, &DecodeOptions::new())
    }

    /// Decodes `body`, which is JSON, into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_json_with(
        body: &'a [u8],
        scratch: &'a mut JsonScratch,
        options: &DecodeOptions,
    ) -> Result<Self, JsonError> {
        let mut request = Self::default();
        request.decode_json_into(body, scratch, options)?;
        Ok(request)
    }

    /// Decodes `body`, which is JSON, into this request's storage, in place of what it held. Partial mode
    /// makes no difference.
    ///
    /// The request borrows from the scratch as well as from the body. To use both again,
    /// [`recycle`](Self::recycle) the request; a [`Decoder`] does so by itself.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The request is then empty.
    pub fn decode_json_into(
        &mut self,
        body: &'a [u8],
        scratch: &'a mut JsonScratch,
        options: &DecodeOptions,
    ) -> Result<(), JsonError> {
        self.clear();
        let (arena, _) = scratch.parts();
        match decode::read(body, arena, &mut self.storage, options) {
            Ok(unknown_fields) => {
                self.envelope.unknown_fields = unknown_fields;
                Ok(())
            }
            Err(error) => {
                self.clear();
                Err(error)
            }
        }
    }
}

impl Decoder<PushRequest<'static>> {
    /// Decodes `body`, which is JSON, as [`decode`](Self::decode) does with protobuf.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The decoder stays usable, and
    /// nothing of the body stays in it.
    pub fn decode_json<'d, 'a>(
        &'d mut self,
        body: &'a [u8],
        scratch: &'a mut JsonScratch,
    ) -> Result<Decoded<'d, 'a, PushRequest<'static>>, JsonError> {
        self.decode_by(|request, options| request.decode_json_into(body, scratch, options))
    }
}

#[cfg(feature = "std")]
impl Pool<PushRequest<'static>> {
    /// Decodes `body`, which is JSON, as [`decode`](Self::decode) does with protobuf. The scratch is the
    /// thread's own.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The storage is back in the
    /// pool then.
    pub fn decode_json<'p, 'a>(
        &'p self,
        body: &'a [u8],
        scratch: &'a mut JsonScratch,
    ) -> Result<Pooled<'p, 'a, PushRequest<'static>>, JsonError> {
        self.decode_by(|request, options| request.decode_json_into(body, scratch, options))
    }
}

impl Owned<PushRequest<'static>> {
    /// Decodes `body`, which is JSON, into new storage, with the default options.
    ///
    /// Label strings, and text with escapes, take memory of their own, which the request owns as well.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    ///
    /// ```
    /// use borrowire::loki::PushRequest;
    /// use borrowire::reuse::Owned;
    ///
    /// let body = r#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","\"hi\""]]}]}"#;
    /// let owned = Owned::<PushRequest>::decode_json(body)?;
    /// let line = std::thread::spawn(move || {
    ///     let stream = owned.request().streams().get(0).unwrap();
    ///     stream.entries().get(0).unwrap().line().to_vec()
    /// });
    /// assert_eq!(line.join().unwrap(), br#""hi""#);
    /// # Ok::<(), borrowire::loki::json::JsonError>(())
    /// ```
    pub fn decode_json(body: impl Into<bytes::Bytes>) -> Result<Self, JsonError> {
        Self::decode_json_with(body, &DecodeOptions::new())
    }

    /// Decodes `body`, which is JSON, into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_json_with(
        body: impl Into<bytes::Bytes>,
        options: &DecodeOptions,
    ) -> Result<Self, JsonError> {
        Self::decode_by(body.into(), |body| {
            PushRequest::decode_json_with(&body.bytes, body.scratch.borrow_mut(), options)
        })
    }
}

#[cfg(feature = "std")]
impl Pool<PushRequest<'static>> {
    /// Decodes `body`, which is JSON, into a storage of the pool, for handing to another task; the storage
    /// returns when the request is dropped. Memory for label strings, and for text with escapes, is not the
    /// pool's: it is new for each request.
    ///
    /// # Errors
    ///
    /// As [`decode_json`](Self::decode_json).
    pub fn decode_json_owned(
        self: &std::sync::Arc<Self>,
        body: impl Into<bytes::Bytes>,
    ) -> Result<Owned<PushRequest<'static>>, JsonError> {
        self.decode_owned_by(body.into(), |body| {
            Ok(self.decode_json(&body.bytes, body.scratch.borrow_mut())?.take())
        })
    }
}
