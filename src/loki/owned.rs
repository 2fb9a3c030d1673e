//! A push together with its body, for handing to another task.

#[cfg(feature = "json")]
use self_cell::MutBorrow;

#[cfg(feature = "json")]
use super::json::{JsonError, JsonScratch};
use super::push_request::PushRequest;
#[cfg(feature = "json")]
use crate::wire::message::DecodeOptions;

crate::reuse::impl_owned! {
    /// A decoded push that owns its body: `Send + 'static`.
    ///
    /// ```
    /// use borrowire::loki::OwnedPushRequest;
    ///
    /// let owned = OwnedPushRequest::decode(vec![0x0a, 0x00])?;
    /// let streams = std::thread::spawn(move || owned.request().streams().len()).join().unwrap();
    /// assert_eq!(streams, 1);
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    OwnedPushRequest, PushRequest, Body
}

/// What a push borrows from.
struct Body {
    bytes: bytes::Bytes,
    /// Text that a body of JSON does not hold as it is wanted.
    #[cfg(feature = "json")]
    scratch: MutBorrow<JsonScratch>,
}

impl From<bytes::Bytes> for Body {
    fn from(bytes: bytes::Bytes) -> Self {
        Self {
            bytes,
            #[cfg(feature = "json")]
            scratch: MutBorrow::new(JsonScratch::new()),
        }
    }
}

impl core::ops::Deref for Body {
    type Target = bytes::Bytes;

    fn deref(&self) -> &bytes::Bytes {
        &self.bytes
    }
}

#[cfg(feature = "json")]
impl OwnedPushRequest {
    /// Decodes `body`, which is JSON, into new storage, with the default options.
    ///
    /// Label strings, and text with escapes, take memory of their own, which the request owns as well.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    ///
    /// ```
    /// use borrowire::loki::OwnedPushRequest;
    ///
    /// let body = r#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","\"hi\""]]}]}"#;
    /// let owned = OwnedPushRequest::decode_json(body)?;
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
        let cell = Cell::try_new(Body::from(body.into()), |body| {
            PushRequest::decode_json_with(&body.bytes, body.scratch.borrow_mut(), options)
        })?;
        Ok(Self {
            cell,
            #[cfg(feature = "std")]
            pool: None,
        })
    }
}

#[cfg(all(feature = "json", feature = "std"))]
impl super::PushRequestPool {
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
    ) -> Result<OwnedPushRequest, JsonError> {
        let cell = Cell::try_new(Body::from(body.into()), |body| {
            Ok(self.decode_json(&body.bytes, body.scratch.borrow_mut())?.take())
        })?;
        Ok(OwnedPushRequest { cell, pool: Some(std::sync::Arc::clone(self)) })
    }
}
