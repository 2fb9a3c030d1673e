//! Why a request is refused before its body is read.

use core::fmt;

use super::protocol::Protocol;
use crate::body::encoding::EncodingsError;

/// What is wrong with the head of a request.
///
/// ```
/// use borrowire::body::negotiate::{self, ContentErrorKind, RequestHead};
///
/// let error = negotiate::by_path(&RequestHead::new().with_path("/metrics")).unwrap_err();
/// assert_eq!(error.kind(), ContentErrorKind::UnknownPath);
/// assert_eq!(error.kind().as_str(), "unknown path"); // for logs and metric labels
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ContentErrorKind {
    /// A header that has to be read is not visible ASCII, or is there twice with different values
    /// though it is no list.
    InvalidHeader,
    /// A `Content-Type` that is no media type, or has two `proto` parameters.
    MalformedContentType,
    /// Another method than POST.
    MethodNotAllowed,
    /// No `Content-Type` where the protocol needs one.
    MissingContentType,
    /// More layers of compression than [`Encodings`](crate::body::Encodings) can hold.
    TooManyEncodings,
    /// A path that belongs to no protocol.
    UnknownPath,
    /// A `Content-Encoding` that is not known, or that the protocol does not have here.
    UnsupportedEncoding,
    /// A media type that the protocol does not have.
    UnsupportedMediaType,
    /// A `proto` parameter that names no message of remote write, or a message that
    /// [`Content::accept`](super::Content::accept) was not told.
    UnsupportedMessage,
    /// An `X-Prometheus-Remote-Write-Version` that contradicts the `Content-Type`.
    VersionMismatch,
}

impl ContentErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidHeader => "invalid header value",
            Self::MalformedContentType => "malformed content type",
            Self::MethodNotAllowed => "method not allowed",
            Self::MissingContentType => "missing content type",
            Self::TooManyEncodings => "too many content encodings",
            Self::UnknownPath => "unknown path",
            Self::UnsupportedEncoding => "unsupported content encoding",
            Self::UnsupportedMediaType => "unsupported media type",
            Self::UnsupportedMessage => "unsupported message",
            Self::VersionMismatch => "version contradicts content type",
        }
    }
}

impl fmt::Display for ContentErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<EncodingsError> for ContentErrorKind {
    fn from(error: EncodingsError) -> Self {
        match error {
            EncodingsError::TooMany => Self::TooManyEncodings,
            EncodingsError::Unsupported => Self::UnsupportedEncoding,
        }
    }
}

/// Why a request is refused, and by whose rules: receivers answer the same fault differently.
///
/// ```
/// use borrowire::body::negotiate::{self, ContentErrorKind, RequestHead};
///
/// let head = RequestHead::new()
///     .with_path("/loki/api/v1/push")
///     .with_content_type("application/json")
///     .with_content_encoding("br");
/// let error = negotiate::by_path(&head).unwrap_err();
/// assert_eq!(error.kind(), ContentErrorKind::UnsupportedEncoding);
/// assert_eq!(error.status(), 400);
/// assert_eq!(error.to_string(), "Loki push: unsupported content encoding");
///
/// let error = negotiate::by_path(&head.with_path("/v1/logs")).unwrap_err();
/// assert_eq!(error.status(), 415);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ContentError {
    kind: ContentErrorKind,
    protocol: Option<Protocol>,
}

impl ContentError {
    #[cold]
    pub(crate) const fn new(kind: ContentErrorKind, protocol: Option<Protocol>) -> Self {
        Self { kind, protocol }
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> ContentErrorKind {
        self.kind
    }

    /// Whose rules were applied, if it came to that.
    #[must_use]
    pub const fn protocol(&self) -> Option<Protocol> {
        self.protocol
    }

    /// The status to answer with.
    ///
    /// | fault | remote write | Loki | OTLP |
    /// |---|---|---|---|
    /// | path | 404 | 404 | 404 |
    /// | method; the answer needs `Allow: POST` | 405 | 405 | 405 |
    /// | value that is no header value | 400 | 400 | 400 |
    /// | `Content-Type` missing | | 400 | 415 |
    /// | `Content-Type` malformed | 415 | 400 | 415 |
    /// | media type | 415 | | 415 |
    /// | `Content-Encoding` | 415 | 400 | 415 |
    /// | message | 415 | 415 | 415 |
    /// | version | 400 | | |
    ///
    /// Remote write: the specification, version 2.0, with Prometheus and, for the version, Thanos.
    /// Loki: what its push handler answers. OTLP: what the OpenTelemetry Collector answers, but for
    /// `Content-Encoding`, where Mimir and RFC 9110 have 415.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self.kind {
            ContentErrorKind::UnknownPath => 404,
            ContentErrorKind::MethodNotAllowed => 405,
            ContentErrorKind::InvalidHeader | ContentErrorKind::VersionMismatch => 400,
            ContentErrorKind::UnsupportedMessage => 415,
            ContentErrorKind::MalformedContentType
            | ContentErrorKind::MissingContentType
            | ContentErrorKind::TooManyEncodings
            | ContentErrorKind::UnsupportedEncoding
            | ContentErrorKind::UnsupportedMediaType => match self.protocol {
                Some(Protocol::LokiPush) => 400,
                _ => 415,
            },
        }
    }
}

impl fmt::Display for ContentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(protocol) = self.protocol {
            write!(f, "{protocol}: ")?;
        }
        self.kind.fmt(f)
    }
}

impl core::error::Error for ContentError {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn every_kind_has_its_status_for_each_protocol() {
        use ContentErrorKind::*;
        let all = [Protocol::RemoteWrite, Protocol::LokiPush, Protocol::Otlp];
        for (kind, expected) in [
            (InvalidHeader, [400, 400, 400]),
            (MalformedContentType, [415, 400, 415]),
            (MethodNotAllowed, [405, 405, 405]),
            (MissingContentType, [415, 400, 415]),
            (TooManyEncodings, [415, 400, 415]),
            (UnknownPath, [404, 404, 404]),
            (UnsupportedEncoding, [415, 400, 415]),
            (UnsupportedMediaType, [415, 400, 415]),
            (UnsupportedMessage, [415, 415, 415]),
            (VersionMismatch, [400, 400, 400]),
        ] {
            let errors = all.map(|protocol| ContentError::new(kind, Some(protocol)));
            assert_eq!(errors.map(|error| error.status()), expected, "{kind}");
            #[cfg(feature = "http")]
            assert_eq!(errors.map(|error| http::StatusCode::from(error).as_u16()), expected);
        }
    }

    #[test]
    fn it_reads_as_one_line() {
        let error = ContentError::new(ContentErrorKind::UnknownPath, None);
        assert_eq!(error.to_string(), "unknown path");
        let error =
            ContentError::new(ContentErrorKind::VersionMismatch, Some(Protocol::RemoteWrite));
        assert_eq!(error.to_string(), "remote write: version contradicts content type");
        let error = ContentError::new(ContentErrorKind::MissingContentType, Some(Protocol::Otlp));
        assert_eq!(error.to_string(), "OTLP: missing content type");
    }
}
