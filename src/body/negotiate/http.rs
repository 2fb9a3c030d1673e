//! Heads of requests, and statuses, of the crate `http`.

use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderMap};
use http::{HeaderValue, StatusCode, request};

use super::error::{ContentError, ContentErrorKind};
use super::request_head::RequestHead;

const REMOTE_WRITE_VERSION: &str = "x-prometheus-remote-write-version";

/// The method, the path and the headers, borrowed.
///
/// Several lines of `Content-Encoding` are one list. A value that is not visible ASCII is refused,
/// and so are two lines of `Content-Type` or of `X-Prometheus-Remote-Write-Version` that differ:
/// some would take the first, others the last of them.
///
/// ```
/// use borrowire::body::negotiate::{self, Message, RequestHead};
///
/// let (parts, ()) = http::Request::post("/v1/traces")
///     .header("content-type", "application/x-protobuf")
///     .body(())?
///     .into_parts();
/// let content = negotiate::by_path(&RequestHead::try_from(&parts)?)?;
/// assert_eq!(content.message, Message::OtlpTraces);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`InvalidHeader`](ContentErrorKind::InvalidHeader), which is a 400.
impl<'a> TryFrom<&'a request::Parts> for RequestHead<'a> {
    type Error = ContentError;

    fn try_from(parts: &'a request::Parts) -> Result<Self, ContentError> {
        let head = Self::try_from(&parts.headers)?;
        Ok(head.with_method(parts.method.as_str()).with_path(parts.uri.path()))
    }
}

/// The headers alone, borrowed, to be completed by method and path. What is refused is refused in
/// whole [`request::Parts`] too.
impl<'a> TryFrom<&'a HeaderMap> for RequestHead<'a> {
    type Error = ContentError;

    fn try_from(headers: &'a HeaderMap) -> Result<Self, ContentError> {
        let mut head = Self::new()
            .with_content_type(only_value(headers, CONTENT_TYPE.as_str())?)
            .with_remote_write_version(only_value(headers, REMOTE_WRITE_VERSION)?);
        for line in headers.get_all(CONTENT_ENCODING) {
            head = head.with_content_encoding(as_str(line)?);
        }
        Ok(head)
    }
}

fn only_value<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ContentError> {
    let mut lines = headers.get_all(name).iter();
    let Some(first) = lines.next() else {
        return Ok(None);
    };
    if lines.any(|line| line != first) {
        return Err(INVALID_HEADER);
    }
    as_str(first).map(Some)
}

fn as_str(value: &HeaderValue) -> Result<&str, ContentError> {
    value.to_str().map_err(|_| INVALID_HEADER)
}

const INVALID_HEADER: ContentError = ContentError::new(ContentErrorKind::InvalidHeader, None);

/// The [`status`](ContentError::status).
impl From<ContentError> for StatusCode {
    fn from(error: ContentError) -> Self {
        // All statuses are valid: tests go over them.
        Self::from_u16(error.status()).unwrap_or(Self::BAD_REQUEST)
    }
}

#[cfg(test)]
mod tests {
    use crate::body::negotiate::{self, ContentError, ContentOptions, Message, RequestHead};
    use http::HeaderMap;
    use http::header::{CONTENT_TYPE, HeaderValue};

    const V1: &str = "application/x-protobuf";
    const V2: &str = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

    /// What a request to remote write with these lines of `Content-Type` holds, or its status.
    fn message(lines: &[&'static str]) -> Result<Message, u16> {
        let mut headers = HeaderMap::new();
        for line in lines {
            headers.append(CONTENT_TYPE, HeaderValue::from_static(line));
        }
        let negotiate = || {
            let head = RequestHead::try_from(&headers)?;
            negotiate::remote_write(&head, &ContentOptions::new())
        };
        negotiate().map(|content| content.message).map_err(|error: ContentError| error.status())
    }

    /// Who takes the first and who takes the last of two types must not see different messages.
    #[test]
    fn a_content_type_that_is_there_twice_is_one_or_none() {
        assert_eq!(message(&[V1, V1]), Ok(Message::RemoteWriteV1));
        assert_eq!(message(&[V2, V2, V2]), Ok(Message::RemoteWriteV2));
        for lines in [[V1, V2], [V2, V1], [V1, ""], ["", V2]] {
            assert_eq!(message(&lines), Err(400), "{lines:?}");
        }
        assert_eq!(message(&["application/x-protobuf, application/x-protobuf"]), Err(415));
    }

    #[test]
    fn parameters_are_read_as_the_rfc_has_them() {
        for line in [
            "application/x-protobuf;charset=utf-8;proto=io.prometheus.write.v2.Request",
            "application/x-protobuf;;proto=io.prometheus.write.v2.Request;",
            "application/x-protobuf; proto=\"io.prometheus.write.v2.Request\"",
            "Application/X-Protobuf \t; PROTO=io.prometheus.write.v2.Request",
        ] {
            assert_eq!(message(&[line]), Ok(Message::RemoteWriteV2), "{line}");
        }
        for line in [
            "application/x-protobuf;charset",
            "application/x-protobuf;proto=",
            "application/x-protobuf;proto =io.prometheus.write.v2.Request",
            "application/x-protobuf;proto= io.prometheus.write.v2.Request",
            "application/x-protobuf;proto=io.prometheus.write.v2.Request\
             ;proto=io.prometheus.write.v2.Request",
            "application/x-protobuf;proto=prometheus.WriteRequest\
             ;proto=io.prometheus.write.v2.Request",
        ] {
            assert_eq!(message(&[line]), Err(415), "{line}");
        }
    }
}
