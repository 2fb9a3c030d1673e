//! A push together with its body, for handing to another task.

#[cfg(all(feature = "json", feature = "std"))]
use std::sync::Arc;

use bytes::Bytes;
#[cfg(feature = "json")]
use self_cell::MutBorrow;

#[cfg(all(feature = "json", feature = "std"))]
use super::PushRequestPool;
#[cfg(feature = "json")]
use super::json::scratch::JsonScratch;
use super::push_request::PushRequest;

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
    bytes: Bytes,
    #[cfg(feature = "json")]
    scratch: MutBorrow<OwnedScratch>,
}

impl From<Bytes> for Body {
    fn from(bytes: Bytes) -> Self {
        Self {
            bytes,
            #[cfg(feature = "json")]
            scratch: MutBorrow::new(OwnedScratch::default()),
        }
    }
}

impl core::ops::Deref for Body {
    type Target = Bytes;

    fn deref(&self) -> &Bytes {
        &self.bytes
    }
}

/// Text that a body of JSON does not hold as it is wanted.
#[cfg(feature = "json")]
#[derive(Default)]
struct OwnedScratch {
    scratch: JsonScratch,
    /// Where the scratch goes in the end.
    #[cfg(feature = "std")]
    pool: Option<Arc<PushRequestPool>>,
}

#[cfg(all(feature = "json", feature = "std"))]
impl Drop for OwnedScratch {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.give_back_scratch(core::mem::take(&mut self.scratch));
        }
    }
}

#[cfg(feature = "json")]
impl OwnedPushRequest {
    /// Decodes `body` in the way that `read` does it.
    pub(super) fn decode_by<E>(
        body: Bytes,
        read: impl for<'a> FnOnce(&'a [u8], &'a mut JsonScratch) -> Result<PushRequest<'a>, E>,
    ) -> Result<Self, E> {
        let cell = Cell::try_new(Body::from(body), |body| {
            read(&body.bytes, &mut body.scratch.borrow_mut().scratch)
        })?;
        Ok(Self {
            cell,
            #[cfg(feature = "std")]
            pool: None,
        })
    }

    /// Decodes `body` in the way that `read` does it, into storage of `pool` and with its scratch.
    #[cfg(feature = "std")]
    pub(super) fn decode_pooled_by<E>(
        body: Bytes,
        pool: &Arc<PushRequestPool>,
        read: impl for<'a> FnOnce(&'a [u8], &'a mut JsonScratch) -> Result<PushRequest<'a>, E>,
    ) -> Result<Self, E> {
        let scratch = OwnedScratch { scratch: pool.take_scratch(), pool: Some(Arc::clone(pool)) };
        let body = Body { bytes: body, scratch: MutBorrow::new(scratch) };
        let cell =
            Cell::try_new(body, |body| read(&body.bytes, &mut body.scratch.borrow_mut().scratch))?;
        Ok(Self { cell, pool: Some(Arc::clone(pool)) })
    }
}
