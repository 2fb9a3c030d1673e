//! A request together with its body, for handing to another task.

use core::fmt;

use bytes::Bytes;
use self_cell::self_cell;

use super::write_request::WriteRequest;
use crate::error::DecodeError;
use crate::message::DecodeOptions;
#[cfg(feature = "std")]
use {super::WriteRequestPool, std::sync::Arc};

self_cell!(
    struct Cell {
        owner: Bytes,
        #[covariant]
        dependent: WriteRequest,
    }
);

/// A decoded request that owns its body: `Send + 'static`.
///
/// The body is counted by reference, not copied. It stays alive as long as this value; what is to
/// be kept for longer than the request (a label as a map key, say) should be copied out.
///
/// ```
/// use borrowire::remote_write::v1::OwnedWriteRequest;
///
/// let owned = OwnedWriteRequest::decode(vec![0x0a, 0x00])?;
/// let series = std::thread::spawn(move || owned.request().timeseries().len()).join().unwrap();
/// assert_eq!(series, 1);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
pub struct OwnedWriteRequest {
    cell: Cell,
    /// Where the storage goes in the end.
    #[cfg(feature = "std")]
    pool: Option<Arc<WriteRequestPool>>,
}

impl OwnedWriteRequest {
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
        let cell = Cell::try_new(body.into(), |body| WriteRequest::decode_with(body, options))?;
        Ok(Self {
            cell,
            #[cfg(feature = "std")]
            pool: None,
        })
    }

    /// The request.
    #[must_use]
    pub fn request(&self) -> &WriteRequest<'_> {
        self.cell.borrow_dependent()
    }

    /// The body that the request was decoded from.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        self.cell.borrow_owner()
    }
}

#[cfg(feature = "std")]
impl WriteRequestPool {
    /// Decodes `body` into a storage of the pool, for handing to another task; the storage returns
    /// when the request is dropped.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    pub fn decode_owned(
        self: &Arc<Self>,
        body: impl Into<Bytes>,
    ) -> Result<OwnedWriteRequest, DecodeError> {
        let cell = Cell::try_new(body.into(), |body| Ok(self.decode(body)?.take()))?;
        Ok(OwnedWriteRequest { cell, pool: Some(Arc::clone(self)) })
    }
}

#[cfg(feature = "std")]
impl Drop for OwnedWriteRequest {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            let storage =
                self.cell.with_dependent_mut(|_, request| core::mem::take(request).recycle());
            pool.give_back(storage);
        }
    }
}

impl fmt::Debug for OwnedWriteRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedWriteRequest").field(self.request()).finish()
    }
}

const _: () = {
    const fn assert_send<T: Send + Sync + 'static>() {}
    assert_send::<OwnedWriteRequest>();
};
