//! Request bodies: bytes in, contiguous decoded bytes out, in memory that is used again.
//!
//! ```text
//! headers -> negotiate::by_path() -> what the body is, and how it is encoded
//! chunks  -> BufferPool::receive() -> push()... -> finish() -> Body -> decode
//! message -> BufferPool::compress() -> Body -> into_bytes() -> post
//!            BufferPool::compress_to_slice() -> memory of the caller
//! ```
//!
//! A [`Body`] owns its buffer and gives it back to the pool when dropped; decoded requests borrow
//! from it, so the compiler refuses to give it back early. Buffers that are only needed on the way
//! (the compressed bytes, a layer in between) return as soon as they are read, and all of them on
//! an error, a panic, or when the future that holds a [`BodyReceiver`] is dropped.
//!
//! | encoding | how it is read | held whole |
//! |---|---|---|
//! | none | as chunks arrive | - |
//! | gzip (all members), zstd (all frames) | inflated as chunks arrive | the output |
//! | snappy (block or framed), deflate, lz4 (all frames), unstated | in one piece | input and output |
//! | several layers | the outermost as above, the others in one piece | two neighbours at a time |
//!
//! Limits are enforced while decompressing: memory is bounded by
//! [`max_decompressed_bytes`](BodyLimits::max_decompressed_bytes), and a body whose header declares
//! more is refused before anything is allocated. An empty body is empty in every encoding.
//! Truncated data, trailing data and wrong checksums are errors: a body is never cut short
//! silently.
//!
//! ```
//! # #[cfg(feature = "snappy")] {
//! use borrowire::body::negotiate::{self, Message, RequestHead};
//! use borrowire::body::{BodyLimits, BufferPool, Encoding};
//! use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
//! use borrowire::remote_write::{Label, TimeSeries};
//!
//! let pool = BufferPool::new(); // once, shared by all requests
//! let limits = BodyLimits::new().with_max_decompressed_bytes(32 << 20);
//!
//! // A sender:
//! let labels = [Label::new("__name__", "up")];
//! let message = WriteRequestEncoder::new([TimeSeries::new(&labels)]);
//! let sent = pool.compress(&message, Encoding::Snappy)?;
//!
//! // A receiver:
//! let head = RequestHead::new()
//!     .with_path("/api/v1/write")
//!     .with_content_type("application/x-protobuf")
//!     .with_content_encoding("snappy");
//! let content = negotiate::by_path(&head)?;
//! assert_eq!(content.message, Message::RemoteWriteV1);
//!
//! let mut receiver = pool.receive(content.encodings, &limits, None)?;
//! for chunk in sent.chunks(4) {
//!     receiver.push(chunk)?;
//! }
//! let body = receiver.finish()?;
//! let request = WriteRequest::decode(&body)?;
//! assert_eq!(request.timeseries().len(), 1);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod buffers;
mod codec;
mod compressor;
mod decompressor;
mod encoding;
mod error;
#[cfg(feature = "http")]
mod http;
mod limits;
pub mod negotiate;
mod pool;
mod receive;
mod sync;

#[cfg(feature = "snappy")]
pub(crate) use codec::is_whole_block as is_snappy_block;

pub use buffers::{Body, PoolStatistics};
pub use encoding::{Encoding, Encodings, EncodingsError};
pub use error::{BodyError, CompressError, MalformedKind};
pub use limits::BodyLimits;
pub use pool::BufferPool;
pub use receive::BodyReceiver;
