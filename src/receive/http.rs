//! The error as an answer of the crate `http`.

use std::format;
use std::string::String;

use http::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use http::{Response, StatusCode};

use super::error::ReceiveError;

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
