//! The error as an answer of the crate `http`.

use std::format;
use std::string::String;

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};

use super::error::ReceiveError;
use crate::remote_write::v2::Written;

/// The [`status`](ReceiveError::status).
impl From<&ReceiveError> for StatusCode {
    fn from(error: &ReceiveError) -> Self {
        // All statuses are valid: tests go over them.
        Self::from_u16(error.status()).unwrap_or(Self::BAD_REQUEST)
    }
}

/// The [`status`](ReceiveError::status).
impl From<ReceiveError> for StatusCode {
    fn from(error: ReceiveError) -> Self {
        Self::from(&error)
    }
}

/// The whole answer: status, headers, and the error's text as a line.
///
/// ```
/// use borrowire::receive::ReceiveError;
///
/// let answer = http::Response::<String>::from(ReceiveError::NotStored);
/// assert_eq!((answer.status().as_u16(), &answer.body()[..]), (500, "not stored\n"));
/// assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
/// ```
impl From<ReceiveError> for Response<String> {
    fn from(error: ReceiveError) -> Self {
        let mut answer = Self::new(format!("{error}\n"));
        *answer.status_mut() = StatusCode::from(&error);
        let text = HeaderValue::from_static("text/plain; charset=utf-8");
        answer.headers_mut().insert(CONTENT_TYPE, text);
        for (name, value) in error.headers() {
            // Names and values are all of visible ASCII.
            if let (Ok(name), Ok(value)) =
                (HeaderName::try_from(name), HeaderValue::try_from(value))
            {
                answer.headers_mut().insert(name, value);
            }
        }
        answer
    }
}

/// The answer to a request of remote write, of either version: 204 and what was written, or the error.
/// Senders of 2.0 want the three headers in any answer; those of 1.0 ignore them.
///
/// If only some of a request was stored, put [`Written`] into the error's answer
/// ([`insert_into`](Written::insert_into)): [`ReceiveError`] says what then to
/// answer.
///
/// ```
/// use borrowire::receive::{ReceiveError, answer};
/// use borrowire::remote_write::v2::Written;
///
/// let stored = answer(Ok(Written::new(2, 0, 0)));
/// assert_eq!(stored.status().as_u16(), 204);
/// assert_eq!(stored.headers()["x-prometheus-remote-write-samples-written"], "2");
///
/// let refused = answer(Err(ReceiveError::InvalidTenant));
/// assert_eq!(refused.status().as_u16(), 400);
/// assert_eq!(refused.headers()["x-prometheus-remote-write-samples-written"], "0");
/// ```
#[must_use]
pub fn answer(result: Result<Written, ReceiveError>) -> Response<String> {
    let mut answer = Response::new(String::new());
    *answer.status_mut() = StatusCode::NO_CONTENT;
    let written = result.unwrap_or_else(|error| {
        answer = Response::from(error);
        Written::default()
    });
    written.insert_into(answer.headers_mut());
    answer
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::receive::error::tests::all;

    #[test]
    fn each_answer_is_the_error_s() {
        for (error, status, text, headers) in all() {
            assert_eq!(StatusCode::from(&error), status);
            let answer = Response::<String>::from(error);
            assert_eq!((answer.status().as_u16(), answer.body().trim_end()), (status, text));
            assert_eq!(answer.headers().len(), headers.len() + 1);
            for (name, value) in headers {
                assert_eq!(answer.headers()[*name], value);
            }
        }
    }
}
