//! Why a body was refused, and why a push has no JSON form.

use core::fmt;

use serde_json::error::Category;

use crate::loki::selector::SelectorError;
use crate::wire::impl_located;
use crate::wire::impossible;

/// What is wrong with a JSON body.
///
/// ```
/// use borrowire::loki::PushRequest;
/// use borrowire::loki::json::{JsonErrorKind, JsonScratch};
///
/// let error = PushRequest::decode_json(b"{", &mut JsonScratch::new()).unwrap_err();
/// assert_eq!(error.kind(), JsonErrorKind::Truncated);
/// assert_eq!(error.kind().as_str(), "truncated JSON");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// An escape for half of a surrogate pair.
    InvalidEscape,
    /// A label name that is not an identifier, `[A-Za-z_][A-Za-z0-9_]*`, or, where other names are
    /// quoted, an empty one.
    InvalidLabelName,
    /// A time that is no decimal number of nanoseconds within 64 bits, or in the older shape no
    /// time of RFC 3339.
    InvalidTimestamp,
    /// The body is not UTF-8.
    InvalidUtf8,
    /// More streams or elements than [`Limits`](crate::Limits) allow.
    LimitExceeded,
    /// The body is longer than [`Limits`](crate::Limits) allow, or than 2 GiB - 1.
    MessageTooLarge,
    /// An entry without a time or without a line.
    MissingElement,
    /// The body is not JSON.
    Syntax,
    /// The body ends too early.
    Truncated,
    /// A string, array or object is expected, and something else is there.
    UnexpectedType,
}

impl JsonErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::InvalidEscape => "escape for half of a surrogate pair",
            Self::InvalidLabelName => "invalid label name",
            Self::InvalidTimestamp => "invalid timestamp",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::LimitExceeded => "too many elements",
            Self::MessageTooLarge => "message too large",
            Self::MissingElement => "entry without time or line",
            Self::Syntax => "invalid JSON",
            Self::Truncated => "truncated JSON",
            Self::UnexpectedType => "unexpected type",
        }
    }

    /// Whether it is about what the JSON says, not about the JSON: partial mode can go on behind
    /// it.
    pub(super) const fn is_content(self) -> bool {
        match self {
            Self::InvalidEscape
            | Self::InvalidLabelName
            | Self::InvalidTimestamp
            | Self::MissingElement
            | Self::UnexpectedType => true,
            Self::InvalidUtf8
            | Self::LimitExceeded
            | Self::MessageTooLarge
            | Self::Syntax
            | Self::Truncated => false,
        }
    }
}

/// Why a JSON body was refused, and where.
///
/// ```
/// use borrowire::loki::PushRequest;
/// use borrowire::loki::json::{JsonErrorKind, JsonScratch};
///
/// let body = br#"{"streams":[{"stream":{"a.b":"c"}}]}"#;
/// let error = PushRequest::decode_json(body, &mut JsonScratch::new()).unwrap_err();
/// assert_eq!(error.kind(), JsonErrorKind::InvalidLabelName);
/// assert_eq!(error.offset(), 23);
/// assert_eq!(error.to_string(), "invalid label name at byte 23");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonError {
    offset: usize,
    kind: JsonErrorKind,
}

impl_located!(JsonError, JsonErrorKind, InvalidData);

impl JsonError {
    /// The error that serde_json reports of `text`. It tells a line and a column, which count the
    /// bytes that were read: the last of them is at fault, or the one behind it.
    #[cold]
    pub(super) fn from_serde(error: &serde_json::Error, text: &str) -> Self {
        let read = bytes_read(error, text);
        match error.classify() {
            Category::Eof => Self::new(JsonErrorKind::Truncated, text.len()),
            Category::Data => Self::new(JsonErrorKind::UnexpectedType, value_start(text, read)),
            Category::Syntax | Category::Io => {
                Self::new(JsonErrorKind::Syntax, read.saturating_sub(1))
            }
        }
    }

    /// The error where the text it was found in begins at `start` in the body.
    pub(super) const fn behind(self, start: usize) -> Self {
        Self { offset: self.offset.saturating_add(start), ..self }
    }

    /// Where, in bytes from the start of the body: where the name, value or escape begins that is
    /// at fault; the first byte that is not UTF-8; the bracket that closes an entry too early; for
    /// [`Syntax`](JsonErrorKind::Syntax) where reading stopped, give or take a byte; the end of a
    /// body that is truncated.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }

    /// The HTTP status of the answer: 413 where a limit was hit, otherwise 400.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self.kind {
            JsonErrorKind::LimitExceeded | JsonErrorKind::MessageTooLarge => 413,
            _ => 400,
        }
    }
}

/// How many bytes of `text` were read when `error` was met.
pub(super) fn bytes_read(error: &serde_json::Error, text: &str) -> usize {
    let lines_before = error.line().saturating_sub(1);
    let before: usize = text.split_inclusive('\n').take(lines_before).map(str::len).sum();
    before.saturating_add(error.column()).min(text.len())
}

/// Where the value begins that is of the wrong type: a number, string or literal has been read
/// already, an array or object has not.
fn value_start(text: &str, read: usize) -> usize {
    if matches!(text.as_bytes().get(read), Some(b'[' | b'{')) {
        return read;
    }
    let before = text.get(..read).unwrap_or_default();
    match before.strip_suffix('"') {
        Some(mut text) => loop {
            let Some(quote) = text.rfind('"') else { return 0 };
            text = text.get(..quote).unwrap_or_else(impossible);
            let backslashes = text.bytes().rev().take_while(|&byte| byte == b'\\').count();
            if backslashes % 2 == 0 {
                return quote;
            }
        },
        None => before
            .trim_end_matches(|c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'))
            .len(),
    }
}

/// The [`status`](JsonError::status).
#[cfg(feature = "http")]
impl From<JsonError> for http::StatusCode {
    fn from(error: JsonError) -> Self {
        // All statuses are valid: a test goes over them.
        Self::from_u16(error.status()).unwrap_or(Self::BAD_REQUEST)
    }
}

/// Why a stream has no JSON form.
///
/// ```
/// use borrowire::loki::Stream;
/// use borrowire::loki::json::{JsonEncodeErrorKind, JsonEncoder, JsonScratch};
///
/// let error = JsonEncoder::new([Stream::new("{job=")], &mut JsonScratch::new()).unwrap_err();
/// assert!(matches!(error.kind(), JsonEncodeErrorKind::InvalidLabels(_)));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonEncodeErrorKind {
    /// The label string names a label twice.
    DuplicateLabel,
    /// The label string does not parse.
    InvalidLabels(SelectorError),
    /// An entry without a timestamp, with an invalid one, or one before 1677-09-21 or after
    /// 2262-04-11: its nanoseconds do not fit 64 bits.
    InvalidTimestamp {
        /// The entry's position.
        entry: usize,
    },
    /// A line that is not UTF-8, as JSON has to be.
    InvalidUtf8 {
        /// The entry's position.
        entry: usize,
    },
}

/// A stream that has no JSON form, and why.
///
/// ```
/// use borrowire::loki::json::{JsonEncodeErrorKind, JsonEncoder, JsonScratch};
/// use borrowire::loki::{Entry, Stream, Timestamp};
///
/// let latin_1 = [b'c', b'a', b'f', 0xe9];
/// let entries = [Entry::new(Timestamp::new(1, 0), &latin_1)];
/// let streams = [Stream::new(r#"{job="varlogs"}"#).with_entries(&entries)];
/// let error = JsonEncoder::new(streams, &mut JsonScratch::new()).unwrap_err();
/// assert_eq!((error.stream(), error.kind()), (0, JsonEncodeErrorKind::InvalidUtf8 { entry: 0 }));
/// assert_eq!(error.to_string(), "line is not UTF-8 (stream 0, entry 0)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonEncodeError {
    stream: usize,
    kind: JsonEncodeErrorKind,
}

impl JsonEncodeError {
    pub(super) const fn new(stream: usize, kind: JsonEncodeErrorKind) -> Self {
        Self { stream, kind }
    }

    /// The stream's position, from 0.
    #[must_use]
    pub const fn stream(&self) -> usize {
        self.stream
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn kind(&self) -> JsonEncodeErrorKind {
        self.kind
    }
}

impl fmt::Display for JsonEncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stream = self.stream;
        match self.kind {
            JsonEncodeErrorKind::DuplicateLabel => {
                write!(f, "label string names a label twice (stream {stream})")
            }
            JsonEncodeErrorKind::InvalidLabels(error) => {
                write!(f, "invalid label string: {error} of it (stream {stream})")
            }
            JsonEncodeErrorKind::InvalidTimestamp { entry } => {
                write!(
                    f,
                    "timestamp has no 64 bits of nanoseconds (stream {stream}, entry {entry})"
                )
            }
            JsonEncodeErrorKind::InvalidUtf8 { entry } => {
                write!(f, "line is not UTF-8 (stream {stream}, entry {entry})")
            }
        }
    }
}

impl core::error::Error for JsonEncodeError {}

#[cfg(all(test, feature = "http"))]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_its_http_status() {
        use JsonErrorKind::*;
        for (kind, status) in [
            (InvalidEscape, http::StatusCode::BAD_REQUEST),
            (InvalidLabelName, http::StatusCode::BAD_REQUEST),
            (InvalidTimestamp, http::StatusCode::BAD_REQUEST),
            (InvalidUtf8, http::StatusCode::BAD_REQUEST),
            (LimitExceeded, http::StatusCode::PAYLOAD_TOO_LARGE),
            (MessageTooLarge, http::StatusCode::PAYLOAD_TOO_LARGE),
            (MissingElement, http::StatusCode::BAD_REQUEST),
            (Syntax, http::StatusCode::BAD_REQUEST),
            (Truncated, http::StatusCode::BAD_REQUEST),
            (UnexpectedType, http::StatusCode::BAD_REQUEST),
        ] {
            let error = JsonError::new(kind, 0);
            assert_eq!(http::StatusCode::from(error), status, "{error}");
            assert_eq!(status.as_u16(), error.status(), "{error}");
        }
    }
}
