//! Decoding into storage that is used again: by a loop, by many threads, or in one value with the
//! body.
//!
//! | you have | you use | storage |
//! |---|---|---|
//! | one body | the request's `decode` | new |
//! | a loop over bodies | [`Decoder`] | the decoder's, used again |
//! | many threads | `Pool` | from the pool, given back by the guard |
//! | a body to hand to another task | [`Owned`] | with the body, `Send + 'static` |
//!
//! Storage is emptied when it is given back: nothing of one request is ever seen by another.
//!
//! ```
//! use borrowire::remote_write::{v1, v2};
//! use borrowire::reuse::Decoder;
//!
//! # use borrowire::Encode;
//! # let bodies = [v1::WriteRequestEncoder::new([]).encode_to_vec()?];
//! // One for each kind of request, of any protocol.
//! let mut old = Decoder::<v1::WriteRequest>::new();
//! let mut new = Decoder::<v2::Request>::new();
//! for body in &bodies {
//!     let request = old.decode(body)?;
//!     println!("{} series", request.timeseries().len());
//! }
//! # assert!(new.decode(b"").is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod decoder;
mod owned;
#[cfg(feature = "std")]
mod pool;

pub use decoder::{Decoded, Decoder};
pub use owned::{Owned, Tied};
#[cfg(feature = "std")]
pub use pool::{Pool, Pooled, PooledDecoder};

pub(crate) use owned::tie;

use crate::limits::Limits;
use crate::message::request::DecodeRequest;
use crate::message::request::sealed::{RecordKind, Sealed};

/// A request whose storage can be used again for a body of another lifetime.
///
/// Any lifetime of the request stands for its whole family. It is implemented for all of them: a
/// future that holds a pool across an `await` would not be `Send` otherwise.
///
/// ```
/// use borrowire::reuse::{Decoder, Reuse};
///
/// /// A loop over bodies of any protocol.
/// struct Worker<R: Reuse> {
///     decoder: Decoder<R>,
/// }
///
/// let decoder = Decoder::new();
/// let worker = Worker::<borrowire::remote_write::v1::WriteRequest<'static>> { decoder };
/// assert_eq!(worker.decoder.capacity_bytes(), 0);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no request whose storage can be used again",
    note = "decoders and pools are for whole requests, not for what is in them"
)]
pub trait Reuse: Sealed + Sized {
    /// How to decode: caps, and what one bad record means.
    type Options: Clone + Copy + core::fmt::Debug + Default + From<Limits>;

    /// Which of the request's lists a record is in.
    type Kind: RecordKind;

    /// The request over a body of lifetime `'a`.
    type Request<'a>: DecodeRequest<'a, Options = Self::Options, Kind = Self::Kind>;

    /// The request and its body in one value.
    type Tied: Tied<Self>;

    /// Memory for text that a body does not hold as it is wanted; `()` where there is no such text.
    type Scratch: Scratch;

    /// The request's allocations, emptied, for a body of any lifetime.
    fn recycle(request: Self::Request<'_>) -> Self::Request<'static>;

    /// `request`, where a shorter lifetime is wanted: generic code cannot know that it may stand
    /// for one.
    fn shorten<'a>(request: Self::Request<'static>) -> Self::Request<'a>;
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
