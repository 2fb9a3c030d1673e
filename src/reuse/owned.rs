//! A request together with its body, for handing to another task.

use core::borrow::Borrow;
use core::fmt;

use bytes::Bytes;

use super::Reuse;
use crate::message::request::DecodeRequest;
use crate::wire::error::DecodeError;

/// A decoded request that owns its body: `Send + 'static`.
///
/// The body is counted by reference, not copied. It stays alive as long as this value; what is to
/// be kept for longer than the request (a label as a map key, say) should be copied out.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
/// use borrowire::remote_write::{Label, TimeSeries};
/// use borrowire::reuse::Owned;
///
/// let labels = [Label::new("__name__", "up")];
/// let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
///
/// let owned = Owned::<WriteRequest>::decode(body)?;
/// let series = std::thread::spawn(move || owned.request().timeseries().len()).join().unwrap();
/// assert_eq!(series, 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Owned<R: Reuse> {
    tied: R::Tied,
    /// Where the storage goes in the end.
    #[cfg(feature = "std")]
    pool: Option<std::sync::Arc<super::Pool<R>>>,
}

/// A request and what it borrows from, in one value that can move.
///
/// Each request has one, made by `self_cell`; nothing else can implement this.
pub trait Tied<R: Reuse>: Sized {
    /// What the request borrows from: the body, and perhaps more.
    type Body: From<Bytes> + Borrow<Bytes>;

    /// Decodes from `body` in the way of `decode`.
    ///
    /// # Errors
    ///
    /// What `decode` returns.
    fn new<E>(
        body: Self::Body,
        decode: impl for<'a> FnOnce(&'a Self::Body) -> Result<R::Request<'a>, E>,
    ) -> Result<Self, E>;

    /// What the request borrows from.
    fn body(&self) -> &Self::Body;

    /// The request.
    fn request(&self) -> &R::Request<'_>;

    /// Takes the request's storage out, emptied.
    fn take(&mut self) -> R::Request<'static>;
}

impl<R: Reuse> Owned<R> {
    /// Decodes `body` into new storage, with the default options.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    pub fn decode(body: impl Into<Bytes>) -> Result<Self, DecodeError> {
        Self::decode_with(body, &R::Options::default())
    }

    /// Decodes `body` into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_with(body: impl Into<Bytes>, options: &R::Options) -> Result<Self, DecodeError> {
        Self::decode_by(body.into().into(), |body| R::Request::decode_with(body.borrow(), options))
    }

    /// Decodes in the way that `read` does it.
    pub(crate) fn decode_by<E>(
        body: <R::Tied as Tied<R>>::Body,
        read: impl for<'a> FnOnce(&'a <R::Tied as Tied<R>>::Body) -> Result<R::Request<'a>, E>,
    ) -> Result<Self, E> {
        Ok(Self {
            tied: R::Tied::new(body, read)?,
            #[cfg(feature = "std")]
            pool: None,
        })
    }

    /// The request.
    #[must_use]
    pub fn request(&self) -> &R::Request<'_> {
        self.tied.request()
    }

    /// The body that the request was decoded from.
    #[must_use]
    pub fn body(&self) -> &Bytes {
        self.tied.body().borrow()
    }
}

#[cfg(feature = "std")]
impl<R: Reuse> super::Pool<R> {
    /// Decodes `body` into a storage of the pool, for handing to another task; the storage returns
    /// when the request is dropped.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_owned(
        self: &std::sync::Arc<Self>,
        body: impl Into<Bytes>,
    ) -> Result<Owned<R>, DecodeError> {
        self.decode_owned_by(body.into().into(), |body| Ok(self.decode(body.borrow())?.take()))
    }

    /// Decodes `body` with options of its own, in place of the pool's, for handing to another task.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_owned_with(
        self: &std::sync::Arc<Self>,
        body: impl Into<Bytes>,
        options: &R::Options,
    ) -> Result<Owned<R>, DecodeError> {
        self.decode_owned_by(body.into().into(), |body| {
            Ok(self.decode_with(body.borrow(), options)?.take())
        })
    }

    /// Decodes in the way that `read` does it, with a storage of the pool.
    pub(crate) fn decode_owned_by<E>(
        self: &std::sync::Arc<Self>,
        body: <R::Tied as Tied<R>>::Body,
        read: impl for<'a> FnOnce(&'a <R::Tied as Tied<R>>::Body) -> Result<R::Request<'a>, E>,
    ) -> Result<Owned<R>, E> {
        let tied = R::Tied::new(body, read)?;
        Ok(Owned { tied, pool: Some(std::sync::Arc::clone(self)) })
    }
}

#[cfg(feature = "std")]
impl<R: Reuse> Drop for Owned<R> {
    fn drop(&mut self) {
        if let Some(pool) = &self.pool {
            pool.give_back(self.tied.take());
        }
    }
}

impl<R: Reuse> fmt::Debug for Owned<R>
where
    for<'a> R::Request<'a>: fmt::Debug,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Owned").field(self.request()).finish()
    }
}

/// Makes the type that ties a request to its body: `self_cell` wants a type, and no type parameter.
macro_rules! tie {
    ($tied:ident, $request:ident, $body:ty) => {
        self_cell::self_cell!(
            #[doc(hidden)]
            pub struct $tied {
                owner: $body,
                #[covariant]
                dependent: $request,
            }
        );

        impl $crate::reuse::Tied<$request<'_>> for $tied {
            type Body = $body;

            fn new<E>(
                body: $body,
                decode: impl for<'a> FnOnce(&'a $body) -> Result<$request<'a>, E>,
            ) -> Result<Self, E> {
                Self::try_new(body, decode)
            }

            fn body(&self) -> &$body {
                self.borrow_owner()
            }

            fn request(&self) -> &$request<'_> {
                self.borrow_dependent()
            }

            fn take(&mut self) -> $request<'static> {
                self.with_dependent_mut(|_, request| core::mem::take(request).recycle())
            }
        }

        const _: () = {
            const fn assert_send<T: Send + Sync + 'static>() {}
            assert_send::<$crate::reuse::Owned<$request<'static>>>();
        };
    };
}

pub(crate) use tie;
