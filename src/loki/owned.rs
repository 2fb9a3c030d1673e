//! A push together with its body, for handing to another task.

use core::fmt;

use bytes::Bytes;
use self_cell::self_cell;

use super::push_request::PushRequest;
use crate::error::DecodeError;
use crate::message::DecodeOptions;
#[cfg(feature = "std")]
use {super::PushRequestPool, std::sync::Arc};

self_cell!(
    struct Cell {
        owner: Bytes,
        #[covariant]
        dependent: PushRequest,
    }
);

/// A decoded push that owns its body: `Send + 'static`.
///
/// The body is counted by reference, not copied. It stays alive as long as this value; a line or label
/// that is to be kept for longer should be copied out.
pub struct OwnedPushRequest {
    cell: Cell,
    /// Where the storage goes in the end.
    #[cfg(feature = "std")]
    pool: Option<Arc<PushRequestPool>>,
}

impl OwnedPushRequest {
    /// Decodes `body` into new storage, with the default options.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    pub fn decode(body: impl Into<Bytes>) -> Result<Self, DecodeError> {
        Self::decode_with(body, &DecodeOptions::new())
    }

    /// Decodes `body` into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_with(
        body: impl Into<Bytes>,
        options: &DecodeOptions,
    ) -> Result<Self, DecodeError> {
        let cell = Cell::try_new(body.into(), |body| PushRequest::decode_with(body, options))?;
        Ok(Self {
            cell,
            #[cfg(feature = "std")]
            pool: None,
        })
    }

    /// The push.
    #[must_use]
    pub fn request(&self) -> &PushRequest<'_> {
        self.cell.borrow_dependent()
    }

    /// The body that the push was decoded from.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        self.cell.borrow_owner()
    }
}

#[cfg(feature = "std")]
impl PushRequestPool {
    /// Decodes `body` into a storage of the pool, for handing to another task; the storage returns
    /// when the request is dropped.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    pub fn decode_owned(
        self: &Arc<Self>,
        body: impl Into<Bytes>,
    ) -> Result<OwnedPushRequest, DecodeError> {
        let cell = Cell::try_new(body.into(), |body| Ok(self.decode(body)?.take()))?;
        Ok(OwnedPushRequest { cell, pool: Some(Arc::clone(self)) })
    }
}

#[cfg(feature = "std")]
impl Drop for OwnedPushRequest {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            let storage =
                self.cell.with_dependent_mut(|_, request| core::mem::take(request).recycle());
            pool.give_back(storage);
        }
    }
}

impl fmt::Debug for OwnedPushRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedPushRequest").field(self.request()).finish()
    }
}
