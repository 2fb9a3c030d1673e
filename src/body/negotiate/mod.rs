//! Content negotiation: from the head of a request to what its body holds, or to a refusal.
//!
//! Pure functions over header values: [`by_path`] for all protocols, and one for each of them. They
//! read nothing else, allocate nothing, and never look at the body: where senders leave open how it
//! is compressed, the answer is [`Encoding::Unstated`](super::Encoding::Unstated), and whoever
//! decompresses it must tell.
//!
//! ```
//! use borrowire::body::Encoding;
//! use borrowire::body::negotiate::{self, Message, RequestHead};
//!
//! let head = RequestHead::new()
//!     .with_path("/v1/metrics")
//!     .with_content_type("application/x-protobuf")
//!     .with_content_encoding("gzip");
//! let content = negotiate::by_path(&head)?;
//! assert_eq!(content.message, Message::OtlpMetrics);
//! assert_eq!(content.encodings, Encoding::Gzip.into());
//! # Ok::<(), borrowire::body::negotiate::ContentError>(())
//! ```

mod by_path;
mod content;
mod error;
#[cfg(feature = "http")]
mod http;
mod loki_push;
mod media_type;
mod otlp;
mod protocol;
mod remote_write;
mod request_head;

pub use by_path::{by_path, by_path_with};
pub use content::{Content, ContentOptions};
pub use error::{ContentError, ContentErrorKind};
pub use loki_push::loki_push;
pub use otlp::otlp;
pub use protocol::{Message, Protocol};
pub use remote_write::remote_write;
pub use request_head::RequestHead;
