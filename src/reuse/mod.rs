//! Decoding into storage that is used again: by a loop ([`Decoder`]), or by many threads (`Pool`).
//!
//! Each protocol names its own: [`WriteRequestDecoder`](crate::remote_write::v1::WriteRequestDecoder)
//! is `Decoder<WriteRequest<'static>>`.
//!
//! Storage that waits for the next body is empty and has lifetime `'static`. It is emptied when it is
//! given back, whether the request ended well, in an error or in a panic; then it takes the lifetime
//! of the next body, keeping its allocations.

mod decoder;
#[cfg(feature = "std")]
mod pool;
mod request;

pub use decoder::{Decoded, Decoder};
#[cfg(feature = "std")]
pub use pool::{Pool, Pooled, PooledDecoder};
pub(crate) use request::{impl_owned, impl_request};

use crate::error::DecodeError;
use crate::message::DecodeOptions;

/// A request whose parts lie in flat storage that can be used again for a body of another lifetime.
///
/// Any lifetime of the request stands for its whole family. It is implemented for all of them: a future
/// that holds a pool across an `await` would not be `Send` otherwise.
pub trait Reuse: Sized {
    /// The request over a body of lifetime `'a`.
    type Request<'a>: Default;

    /// Memory for text that a body does not hold as it is wanted; `()` where there is no such text.
    type Scratch: Scratch;

    /// Decodes `body` into the request's storage, in place of what it held. After an error the
    /// request is empty.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    fn decode_into<'a>(
        request: &mut Self::Request<'a>,
        body: &'a [u8],
        options: &DecodeOptions,
    ) -> Result<(), DecodeError>;

    /// The same allocations, emptied, for a body of any lifetime.
    fn recycle(request: Self::Request<'_>) -> Self::Request<'static>;

    /// The same request where a shorter lifetime is wanted: just `request`, for which generic code
    /// cannot know that it may stand for it.
    fn shorten<'a>(request: Self::Request<'static>) -> Self::Request<'a>;

    /// Heap bytes that the request's storage holds.
    fn capacity_bytes(request: &Self::Request<'_>) -> usize;
}

/// Memory that requests borrow from as they do from their bodies: for text that has to be built,
/// such as JSON strings with escapes.
pub trait Scratch: Default {
    /// Heap bytes that are kept for the next body.
    fn capacity_bytes(&self) -> usize;
}

/// No memory, for requests that borrow from their bodies alone.
impl Scratch for () {
    fn capacity_bytes(&self) -> usize {
        0
    }
}
