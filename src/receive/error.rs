//! All that can be wrong with a request, in one error.

use core::fmt;
use core::time::Duration;

use super::diagnose::{Mistake, diagnose};
use crate::body::BodyError;
use crate::body::negotiate::{ContentError, Message, Protocol};
#[cfg(feature = "json")]
use crate::loki::json::JsonError;
use crate::{DecodeError, ExplainedError};

/// Why a receiver refuses a request, and what it answers.
///
/// The errors of this crate that a request can cause convert into it, so that `?` is enough; the
/// others are for what a receiver itself has to say. What becomes of the data depends on the
/// status: senders of remote write, of Loki pushes and of OTLP try again after a 503, most of them
/// after a 429 and after other statuses from 500 on, and drop their data after all else.
///
/// | | status | headers |
/// |---|---|---|
/// | `Content` | 400, 404, 405 or 415 | `Allow` with 405 |
/// | `Body` | 400, 413 or 415 | |
/// | `Decode`, `Explained`, `Json` | 400 or 413 | |
/// | `Mistaken` | 400 | |
/// | `Empty` | 422 for Loki, as Loki answers; else 400 | |
/// | `InvalidTenant` | 400 | |
/// | `MissingTenant` | 401, as Mimir and Loki answer | |
/// | `TooSlow` | 408 | |
/// | `RateLimited` | 429 | `Retry-After` |
/// | `NotStored` | 500 | |
/// | `Upstream` | the other server's | |
/// | `Overloaded` | 503 | `Retry-After` |
///
/// With feature `http` it converts into an `http::StatusCode`, and into a whole
/// `http::Response<String>`, which servers such as axum and hyper take as it is.
///
/// ```
/// use core::time::Duration;
///
/// use borrowire::receive::ReceiveError;
/// use borrowire::remote_write::v1::WriteRequest;
///
/// fn samples(body: &[u8]) -> Result<usize, ReceiveError> {
///     Ok(WriteRequest::decode(body)?.samples_len())
/// }
///
/// let error = samples(b"no protobuf").unwrap_err();
/// assert_eq!(error.status(), 400);
/// assert_eq!(error.kind(), "invalid wire type"); // for logs and metric labels
/// assert_eq!(error.to_string(), "invalid wire type at byte 0"); // the text of the answer
/// assert!(!error.is_retryable());
///
/// let error = ReceiveError::Overloaded { retry_after: Duration::from_millis(2500) };
/// assert_eq!((error.status(), error.is_retryable()), (503, true));
/// assert!(error.headers().eq([("Retry-After", "3".to_owned())])); // whole seconds
/// ```
///
/// # Where only some of a request is bad
///
/// That is no error of this kind: records that [partial mode] left out, or series that break the rules.
/// Store the rest, and then answer as the protocol has it:
///
/// | protocol | answer | what the sender does |
/// |---|---|---|
/// | remote write 1.0 | 400, with a text that says what was left out | drops the request, and logs the text |
/// | remote write 2.0 | the same, and the headers of [`Written`](crate::remote_write::v2::Written) | the same, and counts what was written |
/// | Loki push | 400, with a text | drops the push |
/// | OTLP | 200, with a [`PartialSuccess`](crate::otlp::PartialSuccess) that counts what was rejected | logs it |
///
/// If some could not be stored that were good, the answer is a 5xx: the sender sends all again, and
/// what was stored comes twice, which stores of metrics take for what it is. Never answer so to what
/// is bad: the sender would try for ever, and all behind it would wait.
/// [`Skipped`](crate::Skipped) and [`Violation`](crate::Violation) are lines for such a text.
///
/// [partial mode]: crate::remote_write::v1::DecodeOptions::partial
#[derive(Debug)]
#[non_exhaustive]
pub enum ReceiveError {
    /// The head of the request.
    Content(ContentError),
    /// The body: what it weighs, and its compression.
    Body(BodyError),
    /// The message in the body.
    Decode(DecodeError),
    /// The message in the body, with the record and the limit that it is about.
    Explained(ExplainedError),
    /// The message in the body, where it is JSON.
    #[cfg(feature = "json")]
    Json(JsonError),
    /// The body is something else than its head says.
    Mistaken(Mistake),
    /// A message in which there is nothing to store, to a receiver that wants something.
    Empty(Protocol),
    /// A name of a tenant that is no text, too long, or one that the receiver does not take.
    InvalidTenant,
    /// No name of a tenant, where the receiver wants one.
    MissingTenant,
    /// The sender did not send its body in the time that it had.
    TooSlow,
    /// The sender, or its tenant, sends more than it may.
    RateLimited {
        /// When to try again.
        retry_after: Duration,
    },
    /// The request is good, and was not stored. Why is not the sender's business.
    NotStored,
    /// A server behind the receiver refused the request: its status is passed on.
    Upstream {
        /// The status. One that is no error is answered as 502.
        status: u16,
    },
    /// The receiver has more to do than it can.
    Overloaded {
        /// When to try again.
        retry_after: Duration,
    },
}

impl ReceiveError {
    /// The mistake behind the error, where there is one: if `body`, which was decoded as
    /// `expected`, is something else ([`diagnose`]), that is the error instead. An error that is
    /// not about what the message holds stays.
    ///
    /// ```
    /// use borrowire::body::negotiate::Message;
    /// use borrowire::receive::ReceiveError;
    /// use borrowire::remote_write::v1::WriteRequest;
    ///
    /// fn samples(body: &[u8]) -> Result<usize, ReceiveError> {
    ///     let request = WriteRequest::decode(body).map_err(|error| {
    ///         ReceiveError::from(error).diagnosed(Message::RemoteWriteV1, body)
    ///     })?;
    ///     Ok(request.samples_len())
    /// }
    ///
    /// let error = samples(br#"{"resourceMetrics":[]}"#).unwrap_err();
    /// assert_eq!(
    ///     error.to_string(),
    ///     "the body is OTLP metrics in JSON, not a request of remote write 1.0"
    /// );
    /// ```
    #[must_use]
    pub fn diagnosed(self, expected: Message, body: &[u8]) -> Self {
        let is_about_content = match &self {
            Self::Decode(error) => error.status() == 400,
            Self::Explained(error) => error.error().status() == 400,
            #[cfg(feature = "json")]
            Self::Json(error) => error.status() == 400,
            Self::Empty(_) => true,
            _ => false,
        };
        let mistake = is_about_content.then(|| diagnose(body, expected)).flatten();
        mistake.map_or(self, Self::Mistaken)
    }

    /// The HTTP status of the answer, from 400 on.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::Content(error) => error.status(),
            Self::Body(error) => error.status(),
            Self::Decode(error) => error.status(),
            Self::Explained(error) => error.error().status(),
            #[cfg(feature = "json")]
            Self::Json(error) => error.status(),
            Self::Empty(Protocol::LokiPush) => 422,
            Self::Empty(_) | Self::InvalidTenant | Self::Mistaken(_) => 400,
            Self::MissingTenant => 401,
            Self::TooSlow => 408,
            Self::RateLimited { .. } => 429,
            Self::NotStored => 500,
            Self::Upstream { status: status @ 400..=599 } => *status,
            Self::Upstream { .. } => 502,
            Self::Overloaded { .. } => 503,
        }
    }

    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Content(error) => error.kind().as_str(),
            Self::Body(error) => error.as_str(),
            Self::Decode(error) => error.kind().as_str(),
            Self::Explained(error) => error.error().kind().as_str(),
            #[cfg(feature = "json")]
            Self::Json(error) => error.kind().as_str(),
            Self::Mistaken(mistake) => mistake.found.as_str(),
            Self::Empty(_) => "empty request",
            Self::InvalidTenant => "invalid tenant",
            Self::MissingTenant => "missing tenant",
            Self::TooSlow => "sender too slow",
            Self::RateLimited { .. } => "rate limited",
            Self::NotStored => "not stored",
            Self::Upstream { .. } => "refused upstream",
            Self::Overloaded { .. } => "overloaded",
        }
    }

    /// Whether the same request may be taken later: the status is 429, or one from 500 on.
    #[must_use]
    pub const fn is_retryable(&self) -> bool {
        matches!(self.status(), 429 | 500..)
    }

    /// When the sender should try again, if the receiver says so.
    #[must_use]
    pub const fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { retry_after } | Self::Overloaded { retry_after } => {
                Some(*retry_after)
            }
            _ => None,
        }
    }

    /// The headers that the answer needs beside the status: `Allow`, and `Retry-After` in whole
    /// seconds, rounded up, so that nobody comes too early.
    pub fn headers(&self) -> impl Iterator<Item = (&'static str, std::string::String)> + use<> {
        let allow = (self.status() == 405).then(|| ("Allow", "POST".into()));
        let retry_after = self.retry_after().map(|after| {
            let seconds = after.as_secs().saturating_add(u64::from(after.subsec_nanos() > 0));
            ("Retry-After", std::format!("{seconds}"))
        });
        allow.into_iter().chain(retry_after)
    }
}

/// The text of the answer: one line, without input.
impl fmt::Display for ReceiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Content(error) => error.fmt(f),
            Self::Body(error) => error.fmt(f),
            Self::Decode(error) => error.fmt(f),
            Self::Explained(error) => error.fmt(f),
            #[cfg(feature = "json")]
            Self::Json(error) => error.fmt(f),
            Self::Mistaken(mistake) => mistake.fmt(f),
            Self::Empty(protocol) => write!(f, "{protocol}: {}", self.kind()),
            Self::InvalidTenant
            | Self::MissingTenant
            | Self::TooSlow
            | Self::RateLimited { .. }
            | Self::NotStored
            | Self::Upstream { .. }
            | Self::Overloaded { .. } => f.write_str(self.kind()),
        }
    }
}

/// The source is that of the error inside, whose text this error has for its own.
impl core::error::Error for ReceiveError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Body(error) => error.source(),
            _ => None,
        }
    }
}

impl From<ContentError> for ReceiveError {
    fn from(error: ContentError) -> Self {
        Self::Content(error)
    }
}

impl From<BodyError> for ReceiveError {
    fn from(error: BodyError) -> Self {
        Self::Body(error)
    }
}

impl From<DecodeError> for ReceiveError {
    fn from(error: DecodeError) -> Self {
        Self::Decode(error)
    }
}

impl From<ExplainedError> for ReceiveError {
    fn from(error: ExplainedError) -> Self {
        Self::Explained(error)
    }
}

impl From<Mistake> for ReceiveError {
    fn from(mistake: Mistake) -> Self {
        Self::Mistaken(mistake)
    }
}

#[cfg(feature = "json")]
impl From<JsonError> for ReceiveError {
    fn from(error: JsonError) -> Self {
        Self::Json(error)
    }
}

#[cfg(test)]
pub(in crate::receive) mod tests {
    use super::*;
    use crate::DecodeErrorKind;
    use crate::body::negotiate::ContentErrorKind;
    use crate::body::{Encoding, MalformedKind};
    use std::string::ToString;

    /// An error, and its status, text and headers.
    type Answered = (ReceiveError, u16, &'static str, &'static [(&'static str, &'static str)]);

    pub(in crate::receive) fn all() -> [Answered; 16] {
        let content = |kind| ContentError::new(kind, Some(Protocol::RemoteWrite)).into();
        let retry_after = Duration::from_millis(1001);
        let too_large = BodyError::DecompressedTooLarge { limit: 7 };
        let (encoding, kind) = (Encoding::Gzip, MalformedKind::Checksum);
        [
            (
                content(ContentErrorKind::MethodNotAllowed),
                405,
                "remote write: method not allowed",
                &[("Allow", "POST")],
            ),
            (
                content(ContentErrorKind::UnsupportedMessage),
                415,
                "remote write: unsupported message",
                &[],
            ),
            (too_large.into(), 413, "decompressed body over 7 bytes", &[]),
            (BodyError::Malformed { encoding, kind }.into(), 400, "checksum mismatch (gzip)", &[]),
            (
                DecodeError::new(DecodeErrorKind::Truncated, 1, 2).into(),
                400,
                "truncated value at byte 2 (field 1)",
                &[],
            ),
            (ReceiveError::Empty(Protocol::LokiPush), 422, "Loki push: empty request", &[]),
            (ReceiveError::Empty(Protocol::RemoteWrite), 400, "remote write: empty request", &[]),
            (ReceiveError::InvalidTenant, 400, "invalid tenant", &[]),
            (ReceiveError::MissingTenant, 401, "missing tenant", &[]),
            (ReceiveError::TooSlow, 408, "sender too slow", &[]),
            (
                ReceiveError::RateLimited { retry_after },
                429,
                "rate limited",
                &[("Retry-After", "2")],
            ),
            (ReceiveError::NotStored, 500, "not stored", &[]),
            (ReceiveError::Upstream { status: 429 }, 429, "refused upstream", &[]),
            (ReceiveError::Upstream { status: 204 }, 502, "refused upstream", &[]),
            (
                diagnose(b"{}", Message::RemoteWriteV2).unwrap().into(),
                400,
                "the body is JSON, not a request of remote write 2.0",
                &[],
            ),
            (
                ReceiveError::Overloaded { retry_after: Duration::from_secs(5) },
                503,
                "overloaded",
                &[("Retry-After", "5")],
            ),
        ]
    }

    #[test]
    fn each_has_its_answer() {
        for (error, status, text, headers) in all() {
            assert_eq!((error.status(), &error.to_string()[..]), (status, text));
            let expected = headers.iter().map(|(name, value)| (*name, value.to_string()));
            assert!(error.headers().eq(expected), "{error}");
            assert_eq!(error.is_retryable(), status == 429 || status >= 500, "{error}");
            assert!(
                !error.kind().contains(|c: char| c.is_ascii_uppercase() || c == ':'),
                "{error}"
            );
        }
    }

    #[test]
    fn the_cause_of_a_read_that_failed_is_the_source() {
        use core::error::Error;
        let error: ReceiveError = BodyError::Read(std::io::Error::other("reset")).into();
        assert_eq!(error.source().unwrap().to_string(), "reset");
        assert!(ReceiveError::TooSlow.source().is_none());
    }
}
