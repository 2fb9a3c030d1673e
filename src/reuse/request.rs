//! What every request has around its own reading: the ways to decode it, reuse of its storage, and the
//! owned form.

/// Gives a request the methods that decode it, and [`Reuse`](super::Reuse).
///
/// The request has `read(&mut self, body, options)`, which adds to empty storage, `clear(&mut self)`,
/// `into_empty(self)`, which changes the lifetime, and `capacity_bytes(&self)`. `$scratch` is what it
/// may borrow from besides the body.
macro_rules! impl_request {
    ($request:ident) => {
        $crate::reuse::impl_request! { $request, () }
    };
    ($request:ident, $scratch:ty) => {
        impl<'a> $request<'a> {
            /// Decodes `body` into new storage, with the default options.
            ///
            /// # Errors
            ///
            /// The first fault in the body, with its place.
            pub fn decode(body: &'a [u8]) -> Result<Self, $crate::DecodeError> {
                Self::decode_with(body, &$crate::DecodeOptions::new())
            }

            /// Decodes `body` into new storage.
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place.
            pub fn decode_with(
                body: &'a [u8],
                options: &$crate::DecodeOptions,
            ) -> Result<Self, $crate::DecodeError> {
                let mut request = Self::default();
                request.decode_into(body, options)?;
                Ok(request)
            }

            /// Decodes `body` into this request's storage, in place of what it held.
            ///
            /// To use the storage for a body of another lifetime, [`recycle`](Self::recycle) it first;
            /// a [`Decoder`](crate::reuse::Decoder) does so by itself.
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place. The request is
            /// then empty.
            pub fn decode_into(
                &mut self,
                body: &'a [u8],
                options: &$crate::DecodeOptions,
            ) -> Result<(), $crate::DecodeError> {
                self.clear();
                let result = self.read(body, options);
                if result.is_err() {
                    self.clear();
                }
                result
            }

            /// The same allocations, emptied, for a body of another lifetime: give it to
            /// [`decode_into`](Self::decode_into).
            #[inline]
            #[must_use]
            pub fn recycle<'b>(self) -> $request<'b> {
                self.into_empty()
            }
        }

        impl $crate::reuse::Reuse for $request<'_> {
            type Request<'a> = $request<'a>;
            type Scratch = $scratch;

            #[inline]
            fn decode_into<'a>(
                request: &mut $request<'a>,
                body: &'a [u8],
                options: &$crate::DecodeOptions,
            ) -> Result<(), $crate::DecodeError> {
                request.decode_into(body, options)
            }

            #[inline]
            fn recycle(request: $request<'_>) -> $request<'static> {
                request.into_empty()
            }

            #[inline]
            fn shorten<'a>(request: $request<'static>) -> $request<'a> {
                request
            }

            fn capacity_bytes(request: &$request<'_>) -> usize {
                request.capacity_bytes()
            }
        }
    };
}

/// Gives a request its owned form: the request together with `$body`, which is made of `Bytes`, and derefs
/// to them.
///
/// A macro, because `self_cell` wants a type and no type parameter.
macro_rules! impl_owned {
    ($(#[$doc:meta])* $owned:ident, $request:ident) => {
        $crate::reuse::impl_owned! { $(#[$doc])* $owned, $request, bytes::Bytes }
    };
    ($(#[$doc:meta])* $owned:ident, $request:ident, $body:ty) => {
        self_cell::self_cell!(
            struct Cell {
                owner: $body,
                #[covariant]
                dependent: $request,
            }
        );

        $(#[$doc])*
        ///
        /// The body is counted by reference, not copied. It stays alive as long as this value; what is to
        /// be kept for longer than the request (a label as a map key, say) should be copied out.
        pub struct $owned {
            cell: Cell,
            /// Where the storage goes in the end.
            #[cfg(feature = "std")]
            pool: Option<std::sync::Arc<$crate::reuse::Pool<$request<'static>>>>,
        }

        impl $owned {
            /// Decodes `body` into new storage, with the default options.
            ///
            /// # Errors
            ///
            /// The first fault in the body, with its place.
            pub fn decode(body: impl Into<bytes::Bytes>) -> Result<Self, $crate::DecodeError> {
                Self::decode_with(body, &$crate::DecodeOptions::new())
            }

            /// Decodes `body` into new storage.
            ///
            /// # Errors
            ///
            /// The first fault in the body, or what is over a limit, with its place.
            pub fn decode_with(
                body: impl Into<bytes::Bytes>,
                options: &$crate::DecodeOptions,
            ) -> Result<Self, $crate::DecodeError> {
                let body = <$body>::from(body.into());
                let cell = Cell::try_new(body, |body| $request::decode_with(body, options))?;
                Ok(Self {
                    cell,
                    #[cfg(feature = "std")]
                    pool: None,
                })
            }

            /// The request.
            #[must_use]
            pub fn request(&self) -> &$request<'_> {
                self.cell.borrow_dependent()
            }

            /// The body that the request was decoded from.
            #[must_use]
            pub fn body(&self) -> &bytes::Bytes {
                self.cell.borrow_owner()
            }
        }

        #[cfg(feature = "std")]
        impl $crate::reuse::Pool<$request<'static>> {
            /// Decodes `body` into a storage of the pool, for handing to another task; the storage
            /// returns when the request is dropped.
            ///
            /// # Errors
            ///
            /// As [`decode`](Self::decode).
            pub fn decode_owned(
                self: &std::sync::Arc<Self>,
                body: impl Into<bytes::Bytes>,
            ) -> Result<$owned, $crate::DecodeError> {
                let body = <$body>::from(body.into());
                let cell = Cell::try_new(body, |body| Ok(self.decode(body)?.take()))?;
                Ok($owned { cell, pool: Some(std::sync::Arc::clone(self)) })
            }
        }

        #[cfg(feature = "std")]
        impl Drop for $owned {
            fn drop(&mut self) {
                if let Some(pool) = &self.pool {
                    let storage = self
                        .cell
                        .with_dependent_mut(|_, request| core::mem::take(request).recycle());
                    pool.give_back(storage);
                }
            }
        }

        impl core::fmt::Debug for $owned {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                f.debug_tuple(stringify!($owned)).field(self.request()).finish()
            }
        }

        const _: () = {
            const fn assert_send<T: Send + Sync + 'static>() {}
            assert_send::<$owned>();
        };
    };
}

pub(crate) use {impl_owned, impl_request};
