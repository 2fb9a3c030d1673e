//! Request bodies: bytes in, contiguous decoded bytes out, in memory that is used again.
//!
//! ```text
//! headers -> negotiate() -> what the body is, and how it is encoded
//! chunks  -> BufferPool::receive() -> push()... -> finish() -> Body -> decode
//! message -> BufferPool::compress() -> Body -> into_bytes() -> post
//! ```
//!
//! A [`Body`] owns its buffer and gives it back to the pool when dropped; decoded requests borrow from
//! it, so the compiler refuses to give it back early. Buffers that are only needed on the way (the
//! compressed bytes, a layer in between) return as soon as they are read, and all of them on an error, a
//! panic, or when the future that holds a [`BodyReceiver`] is dropped.
//!
//! | encoding | how it is read | held whole |
//! |---|---|---|
//! | none | as chunks arrive | - |
//! | gzip (all members), zstd (all frames) | inflated as chunks arrive | the output |
//! | snappy block, framed snappy, deflate (zlib or raw) | in one piece at the end | input and output |
//! | several layers | the outermost as above, the others in one piece | two neighbours at a time |
//!
//! Limits are enforced while inflating: memory is bounded by
//! [`max_decompressed_bytes`](crate::Limits::max_decompressed_bytes), and what a header gives away is
//! refused before anything is allocated. An empty body is empty in every encoding. Truncated data,
//! trailing data and wrong checksums are errors: a body is never cut short silently.
//!
//! ```
//! # #[cfg(feature = "snappy")] {
//! use borrowire::Limits;
//! use borrowire::body::{BufferPool, Message, RequestHead, negotiate};
//! use borrowire::remote_write::v1::WriteRequest;
//!
//! let pool = BufferPool::new(); // once, shared by all requests
//! let limits = Limits::new().with_max_decompressed_bytes(32 << 20);
//!
//! let head = RequestHead::new()
//!     .with_path("/api/v1/write")
//!     .with_content_type("application/x-protobuf")
//!     .with_content_encoding("snappy");
//! let content = negotiate(&head)?;
//! assert_eq!(content.message, Message::RemoteWriteV1);
//!
//! let mut receiver = pool.receive(content.encodings, &limits, None)?;
//! for chunk in [&[0x02, 0x04][..], &[0x0a, 0x00]] {
//!     receiver.push(chunk)?;
//! }
//! let body = receiver.finish()?;
//! let request = WriteRequest::decode(&body)?;
//! assert_eq!(request.timeseries().len(), 1);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buffer;
mod codec;
mod compress;
mod content;
mod encoding;
mod error;
#[cfg(feature = "http")]
mod http;
mod pool;
mod receive;
mod sync;

pub use compress::CompressError;
pub use content::{
    Content, ContentError, ContentErrorKind, ContentOptions, Message, Protocol, RequestHead,
    Written, loki_push, negotiate, negotiate_with, otlp, remote_write,
};
pub use encoding::{Encoding, Encodings, EncodingsError};
pub use error::{BodyError, Fault};
pub use pool::{Body, BufferPool, PoolOptions, PoolStatistics};
pub use receive::BodyReceiver;
