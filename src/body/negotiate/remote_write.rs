//! Prometheus remote write, 1.0 and 2.0.

use super::content::{Content, ContentOptions};
use super::error::{ContentError, ContentErrorKind};
use super::media_type::MediaType;
use super::protocol::{Message, Protocol};
use super::request_head::RequestHead;
use crate::body::encoding::{Encoding, Encodings};

/// Tells what a request to a remote write endpoint holds; its path does not matter.
///
/// | `Content-Type` | message |
/// |---|---|
/// | missing or empty | 1.0 (remote write 2.0: counts as plain `application/x-protobuf`) |
/// | `application/x-protobuf` | 1.0 |
/// | the same with `proto=prometheus.WriteRequest` | 1.0 |
/// | the same with `proto=io.prometheus.write.v2.Request` | 2.0 |
/// | another `proto`, another type, malformed | 415 (remote write 2.0, Prometheus) |
///
/// It is read by RFC 9110: type and parameter names in any case, optional white space around `;`,
/// values plain or quoted, other parameters ignored. The names of messages are compared exactly.
/// Prometheus' own parser splits at `;` and `=` without trimming: to it `; proto=...` with a space
/// is no `proto`, so 1.0, and quotes belong to the name. We side with the RFC, as the sender said
/// what the message is. `proto` must not occur twice.
///
/// | `Content-Encoding` | layers | sent so by |
/// |---|---|---|
/// | `snappy` | one block | nearly all |
/// | missing or empty | [`Encoding::Unstated`] | Fluent Bit (raw), the npm client (snappy) |
/// | `gzip`, `zstd`, lists | as stated: no snappy inside | Fluent Bit (gzip), vmagent (zstd) |
/// | `identity` | none | |
/// | anything else | 415 (remote write 2.0, Prometheus) | |
///
/// ```
/// use borrowire::body::Encoding;
/// use borrowire::body::negotiate::{self, ContentOptions, Message, RequestHead};
///
/// let content = negotiate::remote_write(&RequestHead::new(), &ContentOptions::new())?;
/// assert_eq!(content.message, Message::RemoteWriteV1);
/// assert_eq!(content.encodings, Encoding::Unstated.into());
///
/// let head = RequestHead::new().with_remote_write_version("2.0.0");
/// assert!(negotiate::remote_write(&head, &ContentOptions::new()).is_ok());
/// let strict = ContentOptions::new().with_check_version(true);
/// assert_eq!(negotiate::remote_write(&head, &strict).unwrap_err().status(), 400);
/// # Ok::<(), borrowire::body::negotiate::ContentError>(())
/// ```
///
/// # Errors
///
/// 405 for another method than POST, 415 as above, and 400 (as Thanos) for a version that
/// contradicts the message, if the options say to look at it.
pub fn remote_write(
    head: &RequestHead<'_>,
    options: &ContentOptions,
) -> Result<Content, ContentError> {
    let negotiate = || {
        head.expect_post()?;
        let message = match head.content_type() {
            None => Message::RemoteWriteV1,
            Some(header) => remote_write_message(header)?,
        };
        if options.check_version
            && head.version().is_some_and(|version| contradicts(version, message))
        {
            return Err(ContentErrorKind::VersionMismatch);
        }
        let encodings = head.encodings()?.unwrap_or(Encodings::new(Encoding::Unstated));
        Ok(Content { message, encodings })
    };
    negotiate().map_err(|kind| ContentError::new(kind, Some(Protocol::RemoteWrite)))
}

fn remote_write_message(header: &str) -> Result<Message, ContentErrorKind> {
    let media_type = MediaType::parse(header).ok_or(ContentErrorKind::MalformedContentType)?;
    if !media_type.is_protobuf() {
        return Err(ContentErrorKind::UnsupportedMediaType);
    }
    match media_type.proto {
        None => Ok(Message::RemoteWriteV1),
        Some(proto) if proto.is("prometheus.WriteRequest") => Ok(Message::RemoteWriteV1),
        Some(proto) if proto.is("io.prometheus.write.v2.Request") => Ok(Message::RemoteWriteV2),
        Some(_) => Err(ContentErrorKind::UnsupportedMessage),
    }
}

/// Whether the version is of another message. Senders of 1.0 say 0.1.0, so 0 and 1 are alike.
fn contradicts(version: &str, message: Message) -> bool {
    let stated = match version.split('.').next() {
        Some("0" | "1") => Message::RemoteWriteV1,
        Some("2") => Message::RemoteWriteV2,
        _ => return true,
    };
    stated != message
}

#[cfg(test)]
mod tests {
    use super::*;
    use ContentErrorKind::*;
    use Encoding::*;

    const V2: &str = "application/x-protobuf;proto=io.prometheus.write.v2.Request";

    fn layers(encodings: Encodings) -> alloc::vec::Vec<Encoding> {
        encodings.outermost_first().collect()
    }

    /// The kind, after a look at the protocol.
    fn refusal(result: Result<Content, ContentError>) -> ContentErrorKind {
        let error = result.expect_err("a refusal");
        assert_eq!(error.protocol(), Some(Protocol::RemoteWrite));
        error.kind()
    }

    #[test]
    fn remote_write_content_types() {
        let read = |header| {
            remote_write(&RequestHead::new().with_content_type(header), &ContentOptions::new())
        };
        for header in [
            None,
            Some(""),
            Some(" \t"),
            Some("application/x-protobuf"),
            Some(" application/x-protobuf "),
            Some("APPLICATION/X-Protobuf; charset=utf-8"),
            Some("application/x-protobuf;proto=prometheus.WriteRequest"),
            Some("application/x-protobuf; Proto=\"prometheus.WriteRequest\""),
        ] {
            assert_eq!(
                read(header).expect("accepted").message,
                Message::RemoteWriteV1,
                "{header:?}"
            );
        }
        for header in [
            V2,
            "application/x-protobuf; proto=io.prometheus.write.v2.Request",
            "application/x-protobuf ;PROTO=\"io.prometheus.write.v2.Request\";charset=utf-8",
        ] {
            assert_eq!(read(Some(header)).expect("accepted").message, Message::RemoteWriteV2);
        }
        for (header, kind) in [
            ("application/x-protobuf;proto=io.prometheus.write.v3.Request", UnsupportedMessage),
            ("application/x-protobuf;proto=IO.Prometheus.Write.V2.Request", UnsupportedMessage),
            ("application/x-protobuf;proto=\"\"", UnsupportedMessage),
            ("application/json", UnsupportedMediaType),
            ("application/protobuf", UnsupportedMediaType),
            ("text/x-protobuf", UnsupportedMediaType),
            ("x-protobuf", MalformedContentType),
            ("application/x-protobuf;charset", MalformedContentType),
            ("application/x-protobuf;proto=prometheus.WriteRequest;proto=a", MalformedContentType),
        ] {
            assert_eq!(refusal(read(Some(header))), kind, "{header}");
            assert_eq!(read(Some(header)).unwrap_err().status(), 415);
        }
    }

    #[test]
    fn remote_write_encodings() {
        let read = |header| {
            remote_write(&RequestHead::new().with_content_encoding(header), &ContentOptions::new())
        };
        for (header, expected) in [
            (None, &[Unstated][..]),
            (Some(""), &[Unstated]),
            (Some(" , "), &[Unstated]),
            (Some("identity"), &[]),
            (Some("snappy"), &[Snappy]),
            (Some("Snappy, identity"), &[Snappy]),
            (Some("gzip"), &[Gzip]),
            (Some("zstd"), &[Zstd]),
            (Some("gzip, snappy"), &[Snappy, Gzip]),
            (Some("snappy,,gzip"), &[Gzip, Snappy]),
        ] {
            let content = read(header).expect("accepted");
            assert_eq!(layers(content.encodings), expected, "{header:?}");
        }
        for (header, kind) in
            [("br", UnsupportedEncoding), ("gzip,gzip,gzip,gzip,gzip", TooManyEncodings)]
        {
            assert_eq!(refusal(read(Some(header))), kind);
        }
    }

    #[test]
    fn lines_of_content_encoding_are_one_list() {
        let head = RequestHead::new()
            .with_content_encoding("gzip, zstd")
            .with_content_encoding("")
            .with_content_encoding("snappy");
        let content = remote_write(&head, &ContentOptions::new()).unwrap();
        assert_eq!(layers(content.encodings), [Snappy, Zstd, Gzip]);
        let head = head.with_content_encoding("br").with_content_encoding("gzip");
        let result = remote_write(&head, &ContentOptions::new());
        assert_eq!(refusal(result), UnsupportedEncoding);
    }

    #[test]
    fn versions_count_on_demand_only() {
        for (version, content_type, contradicts) in [
            (None, None, false),
            (None, Some(V2), false),
            (Some(""), Some(V2), false),
            (Some("0.1.0"), None, false),
            (Some("1.0"), Some("application/x-protobuf"), false),
            (Some(" 2.0.0 "), Some(V2), false),
            (Some("2.0.0"), None, true),
            (Some("0.1.0"), Some(V2), true),
            (Some("20.0"), Some(V2), true),
            (Some("3.0"), Some(V2), true),
            (Some("two"), Some(V2), true),
        ] {
            let head = RequestHead::new()
                .with_remote_write_version(version)
                .with_content_type(content_type);
            assert!(remote_write(&head, &ContentOptions::new()).is_ok());
            let strict = remote_write(&head, &ContentOptions::new().with_check_version(true));
            if contradicts {
                assert_eq!(refusal(strict), VersionMismatch, "{version:?}");
            } else {
                assert!(strict.is_ok(), "{version:?} {content_type:?}");
            }
        }
    }
}
