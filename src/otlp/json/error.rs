//! Why a JSON body was refused, and where.

use crate::wire::impl_located;

/// What is wrong with a JSON body.
///
/// ```
/// use borrowire::otlp::json::{JsonErrorKind, JsonScratch};
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let mut scratch = JsonScratch::new();
/// let error = ExportLogsServiceRequest::decode_json(b"{", &mut scratch).unwrap_err();
/// assert_eq!(error.kind(), JsonErrorKind::Truncated);
/// assert_eq!(error.kind().as_str(), "truncated JSON");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonErrorKind {
    /// Messages are nested more than 250 deep, or values that are passed over more than 128 deep.
    DepthLimit,
    /// A string that is not standard base64 with padding.
    InvalidBase64,
    /// A name that is none of the enum's.
    InvalidEnum,
    /// An id that is not hexadecimal, or of the wrong length: base64, say, as protobuf's own JSON has
    /// it.
    InvalidId,
    /// A number, or a string that should hold one, that is not of the field's type or range.
    InvalidNumber,
    /// The body is not UTF-8.
    InvalidUtf8,
    /// More elements than [`Limits`](crate::Limits) or the decode options allow.
    LimitExceeded,
    /// The body is longer than [`Limits`](crate::Limits) allow, or than 2 GiB - 1; or its protobuf is.
    MessageTooLarge,
    /// The body is not JSON.
    Syntax,
    /// Something behind the JSON value.
    TrailingData,
    /// The body ends too early.
    Truncated,
    /// A value of one type where the field is of another.
    UnexpectedType,
    /// A member that is not known, where the decode options deny such.
    UnknownField,
}

impl JsonErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DepthLimit => "nesting too deep",
            Self::InvalidBase64 => "invalid base64",
            Self::InvalidEnum => "invalid name of an enum",
            Self::InvalidId => "invalid hexadecimal id",
            Self::InvalidNumber => "invalid number",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::LimitExceeded => "too many elements",
            Self::MessageTooLarge => "message too large",
            Self::Syntax => "invalid JSON",
            Self::TrailingData => "trailing data",
            Self::Truncated => "truncated JSON",
            Self::UnexpectedType => "unexpected type",
            Self::UnknownField => "unknown field",
        }
    }

    /// Whether it is about what the JSON says, not about the JSON: partial mode can go on behind it.
    pub(super) const fn is_content(self) -> bool {
        match self {
            Self::InvalidBase64
            | Self::InvalidEnum
            | Self::InvalidId
            | Self::InvalidNumber
            | Self::UnexpectedType => true,
            Self::DepthLimit
            | Self::InvalidUtf8
            | Self::LimitExceeded
            | Self::MessageTooLarge
            | Self::Syntax
            | Self::TrailingData
            | Self::Truncated
            | Self::UnknownField => false,
        }
    }
}

/// Why a JSON body was refused, and where.
///
/// ```
/// use borrowire::otlp::json::{JsonErrorKind, JsonScratch};
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let body = br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"Z6z8LqVvEI=="}]}]}]}"#;
/// let mut scratch = JsonScratch::new();
/// let error = ExportLogsServiceRequest::decode_json(body, &mut scratch).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (JsonErrorKind::InvalidId, 57));
/// assert_eq!(error.to_string(), "invalid hexadecimal id at byte 57");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonError {
    kind: JsonErrorKind,
    offset: usize,
}

impl_located!(JsonError, JsonErrorKind, InvalidData);

impl JsonError {
    /// Where, in bytes from the start of the body: where the name or value begins that is at fault; the
    /// first byte that is not UTF-8, or not JSON; the end of a body that is truncated.
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

/// The [`status`](JsonError::status).
#[cfg(feature = "http")]
impl From<JsonError> for http::StatusCode {
    fn from(error: JsonError) -> Self {
        // All statuses are valid: a test goes over them.
        Self::from_u16(error.status()).unwrap_or(Self::BAD_REQUEST)
    }
}
