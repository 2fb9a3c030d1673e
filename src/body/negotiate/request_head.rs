//! What negotiation reads of a request.

use super::error::ContentErrorKind;
use crate::body::encoding::{Encodings, EncodingsError};

/// The parts of a request that say what its body is, as they stand in the request.
///
/// Everything is optional, and each setter takes a `&str` or an `Option<&str>`. A part that was not
/// given was not sent, except for the method: without one, it is not checked.
///
/// ```
/// use borrowire::body::negotiate::{self, RequestHead};
///
/// # let header = |name: &str| Some("application/x-protobuf").filter(|_| name == "content-type");
/// let head = RequestHead::new()
///     .with_path("/api/v1/write")
///     .with_content_type(header("content-type"))
///     .with_content_encoding(header("content-encoding"));
/// assert!(negotiate::by_path(&head).is_ok());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RequestHead<'a> {
    method: Option<&'a str>,
    path: &'a str,
    content_type: Option<&'a str>,
    /// What all `Content-Encoding` lines together say, if they say anything.
    encodings: Option<Result<Encodings, EncodingsError>>,
    version: Option<&'a str>,
}

impl<'a> RequestHead<'a> {
    /// A request of which nothing is known.
    #[must_use]
    pub const fn new() -> Self {
        Self { method: None, path: "", content_type: None, encodings: None, version: None }
    }

    /// Sets the method, `POST` in upper case if it is to be accepted.
    #[must_use]
    pub fn with_method(mut self, method: impl Into<Option<&'a str>>) -> Self {
        self.method = method.into();
        self
    }

    /// Sets the path. A query behind it is ignored.
    #[must_use]
    pub fn with_path(mut self, path: impl Into<Option<&'a str>>) -> Self {
        let path = path.into().unwrap_or_default();
        self.path = path.split_once('?').map_or(path, |(path, _)| path);
        self
    }

    /// Sets the value of `Content-Type`; an empty one counts as missing.
    #[must_use]
    pub fn with_content_type(mut self, value: impl Into<Option<&'a str>>) -> Self {
        self.content_type = value.into().map(trim).filter(|value| !value.is_empty());
        self
    }

    /// Adds a value of `Content-Encoding`. A header that came in several lines is given line by
    /// line, in their order (RFC 9110, section 5.3). Empty ones count as missing.
    #[must_use]
    pub fn with_content_encoding(mut self, value: impl Into<Option<&'a str>>) -> Self {
        for token in value.into().unwrap_or_default().split(',').map(trim) {
            if !token.is_empty() {
                let before = self.encodings.unwrap_or(Ok(Encodings::IDENTITY));
                self.encodings = Some(before.and_then(|before| and_token(before, token)));
            }
        }
        self
    }

    /// Sets the value of `X-Prometheus-Remote-Write-Version`; an empty one counts as missing.
    #[must_use]
    pub fn with_remote_write_version(mut self, value: impl Into<Option<&'a str>>) -> Self {
        self.version = value.into().map(trim).filter(|value| !value.is_empty());
        self
    }

    pub(super) const fn path(&self) -> &'a str {
        self.path
    }

    /// Never empty.
    pub(super) const fn content_type(&self) -> Option<&'a str> {
        self.content_type
    }

    /// Never empty.
    pub(super) const fn version(&self) -> Option<&'a str> {
        self.version
    }

    /// `None` if there is no `Content-Encoding`: that, unlike `identity`, leaves open what the
    /// body is.
    pub(super) fn encodings(&self) -> Result<Option<Encodings>, ContentErrorKind> {
        Ok(self.encodings.transpose()?)
    }

    pub(super) fn expect_post(&self) -> Result<(), ContentErrorKind> {
        match self.method {
            None | Some("POST") => Ok(()),
            Some(_) => Err(ContentErrorKind::MethodNotAllowed),
        }
    }
}

/// `encodings` with the layer around them that `token` names, if it is not `identity`.
fn and_token(encodings: Encodings, token: &str) -> Result<Encodings, EncodingsError> {
    Encodings::parse(token)?.outermost_first().try_fold(encodings, Encodings::and)
}

/// Without the optional white space around a header's value or element (RFC 9110, section 5.6.3).
fn trim(value: &str) -> &str {
    value.trim_matches([' ', '\t'])
}
