//! The answer of negotiation, and its options.

use super::error::{ContentError, ContentErrorKind};
use super::protocol::Message;
use crate::body::encoding::Encodings;

/// What a body holds, and how it is compressed.
///
/// ```
/// # #[cfg(feature = "gzip")] {
/// use borrowire::body::negotiate::{self, Message, RequestHead};
/// use borrowire::body::{BodyLimits, BufferPool, Encoding};
/// use borrowire::remote_write::v1::WriteRequest;
///
/// let pool = BufferPool::new();
/// # let sent = pool.compress("", Encoding::Gzip)?;
/// let head = RequestHead::new().with_path("/api/v1/write").with_content_encoding("gzip");
/// let content =
///     negotiate::by_path(&head)?.accept(&[Message::RemoteWriteV1, Message::RemoteWriteV2])?;
/// let body = pool.decompress(&sent, content.encodings, &BodyLimits::new())?;
/// match content.message {
///     Message::RemoteWriteV1 => assert!(WriteRequest::decode(&body)?.timeseries().is_empty()),
///     _ => unreachable!("no content type means 1.0"),
/// }
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Content {
    /// The message.
    pub message: Message,
    /// The layers of compression around it.
    pub encodings: Encodings,
}

impl Content {
    /// Refuses what the receiver has no decoder for. To remote write 2.0 the answer, 415, says
    /// that the sender should try 1.0.
    ///
    /// # Errors
    ///
    /// [`UnsupportedMessage`](ContentErrorKind::UnsupportedMessage) for a message that is not among
    /// `messages`.
    pub fn accept(self, messages: &[Message]) -> Result<Self, ContentError> {
        if messages.contains(&self.message) {
            Ok(self)
        } else {
            let protocol = Some(self.message.protocol());
            Err(ContentError::new(ContentErrorKind::UnsupportedMessage, protocol))
        }
    }
}

/// What negotiation may be strict about.
///
/// ```
/// use borrowire::body::negotiate::{self, ContentErrorKind, ContentOptions, RequestHead};
///
/// let head = RequestHead::new()
///     .with_path("/api/v1/write")
///     .with_content_type("application/x-protobuf") // 1.0
///     .with_remote_write_version("2.0.0");
/// assert!(negotiate::by_path(&head).is_ok());
/// let strict = ContentOptions::new().with_check_version(true);
/// let error = negotiate::by_path_with(&head, &strict).unwrap_err();
/// assert_eq!(error.kind(), ContentErrorKind::VersionMismatch);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentOptions {
    /// Whether a remote write request is refused when its `X-Prometheus-Remote-Write-Version` is
    /// of another version than its `Content-Type`. The specification lets the `Content-Type` alone
    /// decide, and some senders have no such header, so a missing one is never refused. Default:
    /// `false`, the header is not looked at.
    pub check_version: bool,
}

impl ContentOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { check_version: false }
    }

    /// Sets [`check_version`](Self::check_version).
    #[must_use]
    pub const fn with_check_version(mut self, check: bool) -> Self {
        self.check_version = check;
        self
    }
}
