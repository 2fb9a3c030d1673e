//! What a receiver needs around its decoders: one error for all that can be wrong with a request,
//! with the answer that says so; and what a body is that is not what it should be.
//!
//! ```text
//! head -> negotiate -> ContentError --+
//! body -> receive   -> BodyError    --+-> ReceiveError -> status, headers, text
//!         decode    -> DecodeError  --+
//! ```
//!
//! ```
//! # #[cfg(feature = "snappy")] {
//! use borrowire::body::negotiate::{self, Message, RequestHead};
//! use borrowire::body::{BodyLimits, BufferPool};
//! use borrowire::receive::ReceiveError;
//! use borrowire::remote_write::v1::WriteRequest;
//! use borrowire::reuse::Pool;
//!
//! /// How many samples the body of a request has.
//! fn samples(
//!     (buffers, requests): (&BufferPool, &Pool<WriteRequest>),
//!     (head, sent): (&RequestHead, &[u8]),
//! ) -> Result<usize, ReceiveError> {
//!     let content = negotiate::by_path(head)?.accept(&[Message::RemoteWriteV1])?;
//!     let body = buffers.decompress(sent, content.encodings, &BodyLimits::new())?;
//!     Ok(requests.decode(&body)?.samples_len())
//! }
//!
//! let pools = (&BufferPool::new(), &Pool::new());
//! let head = RequestHead::new().with_path("/api/v1/write").with_content_encoding("snappy");
//! let error = samples(pools, (&head, b"no snappy block")).unwrap_err();
//! assert_eq!((error.status(), error.kind()), (400, "malformed body"));
//! assert_eq!(error.to_string(), "corrupt data (snappy)");
//! # }
//! ```

mod diagnose;
mod error;
#[cfg(feature = "http")]
mod http;

pub use diagnose::{Found, Mistake, diagnose};
pub use error::ReceiveError;
#[cfg(feature = "http")]
pub use http::answer;
