//! Loki's push endpoint.

use super::content::Content;
use super::error::{ContentError, ContentErrorKind};
use super::media_type::MediaType;
use super::protocol::{Message, Protocol};
use super::request_head::RequestHead;
use crate::body::encoding::{Encoding, Encodings};

/// Tells what a request to Loki's push endpoint holds.
///
/// | `Content-Type` | body |
/// |---|---|
/// | `application/json` | JSON; the old form if the path ends in `/api/prom/push` |
/// | any other media type | protobuf in a snappy block |
/// | missing or empty, malformed | 400 (Loki) |
///
/// | `Content-Encoding` | protobuf | JSON |
/// |---|---|---|
/// | missing or empty, `identity` | the block | no layer |
/// | `snappy` | the block | 400 |
/// | `gzip` or `deflate` | that layer around the block | that layer |
/// | `snappy, gzip` or `snappy, deflate` | that layer around the block | 400 |
/// | `zstd`, or layers on layers | 400 | those layers |
/// | anything else | 400 | 400 |
///
/// The snappy block is part of Loki's protobuf format, so it is there whether or not the header
/// names it, and once. Loki takes `snappy` with JSON but does not decompress it; it refuses `zstd`
/// with protobuf, which others take in place of snappy. Neither tells what the body is, so both are
/// refused. `zstd` with JSON does tell, so we go beyond Loki there. Parameters of the media type
/// are ignored.
///
/// ```
/// use borrowire::body::Encoding;
/// use borrowire::body::negotiate::{self, Message, RequestHead};
///
/// let head = RequestHead::new().with_content_type("application/x-protobuf");
/// let content = negotiate::loki_push(&head)?;
/// assert_eq!(content.message, Message::LokiPush);
/// assert_eq!(content.encodings, Encoding::Snappy.into());
///
/// let content = negotiate::loki_push(&head.with_content_encoding("gzip"))?;
/// assert!(content.encodings.outermost_first().eq([Encoding::Gzip, Encoding::Snappy]));
/// # Ok::<(), borrowire::body::negotiate::ContentError>(())
/// ```
///
/// # Errors
///
/// 405 for another method than POST, and 400 as above.
pub fn loki_push(head: &RequestHead<'_>) -> Result<Content, ContentError> {
    let negotiate = || {
        head.expect_post()?;
        let header = head.content_type().ok_or(ContentErrorKind::MissingContentType)?;
        let media_type = MediaType::parse(header).ok_or(ContentErrorKind::MalformedContentType)?;
        let stated = head.encodings()?.unwrap_or(Encodings::IDENTITY);
        if !media_type.is_json() {
            let encodings = around_snappy_block(stated)?;
            return Ok(Content { message: Message::LokiPush, encodings });
        }
        let known = |layer| matches!(layer, Encoding::Deflate | Encoding::Gzip | Encoding::Zstd);
        if !stated.outermost_first().all(known) {
            return Err(ContentErrorKind::UnsupportedEncoding);
        }
        let message = if head.path().ends_with("/api/prom/push") {
            Message::LokiPushLegacyJson
        } else {
            Message::LokiPushJson
        };
        Ok(Content { message, encodings: stated })
    };
    negotiate().map_err(|kind| ContentError::new(kind, Some(Protocol::LokiPush)))
}

/// The layers of a Loki protobuf body, of which the header names all, or all but the block inside.
fn around_snappy_block(stated: Encodings) -> Result<Encodings, ContentErrorKind> {
    let block = Encodings::new(Encoding::Snappy);
    let mut layers = stated.outermost_first();
    match (layers.next(), layers.next(), layers.next()) {
        (None | Some(Encoding::Snappy), None, _) => Ok(block),
        (
            Some(layer @ (Encoding::Deflate | Encoding::Gzip)),
            None | Some(Encoding::Snappy),
            None,
        ) => Ok(block.and(layer)?),
        _ => Err(ContentErrorKind::UnsupportedEncoding),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ContentErrorKind::*;
    use Encoding::*;

    fn layers(encodings: Encodings) -> alloc::vec::Vec<Encoding> {
        encodings.outermost_first().collect()
    }

    /// The kind, after a look at the protocol.
    fn refusal(result: Result<Content, ContentError>) -> ContentErrorKind {
        let error = result.expect_err("a refusal");
        assert_eq!(error.protocol(), Some(Protocol::LokiPush));
        error.kind()
    }

    #[test]
    fn loki_protobuf_is_in_a_snappy_block_once() {
        let read = |content_type, encoding| {
            let head = RequestHead::new().with_content_type(content_type);
            loki_push(&head.with_content_encoding(encoding))
        };
        for (header, expected) in [
            (None, &[Snappy][..]),
            (Some(""), &[Snappy]),
            (Some("identity"), &[Snappy]),
            (Some("snappy"), &[Snappy]),
            (Some("gzip"), &[Gzip, Snappy]),
            (Some("X-GZIP"), &[Gzip, Snappy]),
            (Some("deflate"), &[Deflate, Snappy]),
            (Some("snappy, gzip"), &[Gzip, Snappy]),
        ] {
            // Whatever is not JSON.
            for content_type in ["application/x-protobuf", "application/octet-stream", "a/b;c=d"] {
                let content = read(content_type, header).expect("accepted");
                assert_eq!(content.message, Message::LokiPush);
                assert_eq!(layers(content.encodings), expected, "{header:?}");
            }
        }
        for header in
            ["gzip, snappy", "snappy, snappy", "gzip, gzip", "zstd", "x-snappy-framed", "br"]
        {
            let result = read("application/x-protobuf", Some(header));
            assert_eq!(refusal(result), UnsupportedEncoding, "{header}");
            assert_eq!(result.unwrap_err().status(), 400);
        }
    }

    #[test]
    fn loki_json() {
        let head = RequestHead::new().with_content_type("Application/JSON; charset=utf-8");
        for (header, expected) in [
            (None, &[][..]),
            (Some("identity"), &[]),
            (Some("gzip"), &[Gzip]),
            (Some("deflate"), &[Deflate]),
            (Some("zstd"), &[Zstd]),
        ] {
            let content = loki_push(&head.with_content_encoding(header)).expect("accepted");
            assert_eq!(content.message, Message::LokiPushJson);
            assert_eq!(layers(content.encodings), expected, "{header:?}");
        }
        for header in ["snappy", "x-snappy-framed", "snappy, gzip"] {
            let result = loki_push(&head.with_content_encoding(header));
            assert_eq!(refusal(result), UnsupportedEncoding, "{header}");
        }
        for (path, message) in [
            ("/push", Message::LokiPushJson),
            ("/insert/loki/api/v1/push", Message::LokiPushJson),
            ("/api/prom/push?x=/loki/api/v1/push", Message::LokiPushLegacyJson),
        ] {
            assert_eq!(loki_push(&head.with_path(path)).unwrap().message, message);
        }
    }

    #[test]
    fn loki_needs_a_content_type() {
        for (header, kind) in [
            (None, MissingContentType),
            (Some(""), MissingContentType),
            (Some("json"), MalformedContentType),
            (Some("application/json; charset"), MalformedContentType),
        ] {
            let result = loki_push(&RequestHead::new().with_content_type(header));
            assert_eq!(refusal(result), kind);
            assert_eq!(result.unwrap_err().status(), 400);
        }
    }
}
