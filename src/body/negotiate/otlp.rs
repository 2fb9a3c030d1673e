//! OTLP over HTTP.

use super::content::Content;
use super::error::{ContentError, ContentErrorKind};
use super::media_type::MediaType;
use super::protocol::{Message, Protocol};
use super::request_head::RequestHead;
use crate::body::encoding::Encodings;

/// Tells what a request to an OTLP endpoint holds: the path says which signal.
///
/// | `Content-Type` | body |
/// |---|---|
/// | `application/x-protobuf` | protobuf |
/// | `application/json` | JSON |
/// | anything else, missing, malformed | 415 (OpenTelemetry Collector, Mimir) |
///
/// Parameters are ignored, as the Collector does; Prometheus and Mimir refuse all.
///
/// `Content-Encoding`: all that [`Encodings::parse`] knows, because the Collector's exporter can
/// send all of them; missing or empty is none. `snappy` is the block format, as the Collector sends
/// it now; the stream format is `x-snappy-framed`. `lz4` is the frame format, as Mimir
/// and Loki take it. Anything else is 415 (Mimir, RFC 9110); the Collector and Loki say 400.
///
/// ```
/// use borrowire::body::Encoding;
/// use borrowire::body::negotiate::{self, Message, RequestHead};
///
/// let head = RequestHead::new()
///     .with_path("/otlp/v1/logs")
///     .with_content_type("application/json; charset=utf-8")
///     .with_content_encoding("gzip");
/// let content = negotiate::otlp(&head)?;
/// assert_eq!(content.message, Message::OtlpLogsJson);
/// assert_eq!(content.encodings, Encoding::Gzip.into());
/// # Ok::<(), borrowire::body::negotiate::ContentError>(())
/// ```
///
/// # Errors
///
/// 404 if the path ends in none of `/v1/metrics`, `/v1/logs` and `/v1/traces`, 405 for another
/// method than POST, and 415 as above.
pub fn otlp(head: &RequestHead<'_>) -> Result<Content, ContentError> {
    let negotiate = || {
        let (protobuf, json) = otlp_signal(head.path()).ok_or(ContentErrorKind::UnknownPath)?;
        head.expect_post()?;
        let header = head.content_type().ok_or(ContentErrorKind::MissingContentType)?;
        let media_type = MediaType::parse(header).ok_or(ContentErrorKind::MalformedContentType)?;
        let message = if media_type.is_protobuf() {
            protobuf
        } else if media_type.is_json() {
            json
        } else {
            return Err(ContentErrorKind::UnsupportedMediaType);
        };
        Ok(Content { message, encodings: head.encodings()?.unwrap_or(Encodings::IDENTITY) })
    };
    negotiate().map_err(|kind| ContentError::new(kind, Some(Protocol::Otlp)))
}

/// The messages that a path of OTLP takes: as protobuf, as JSON.
fn otlp_signal(path: &str) -> Option<(Message, Message)> {
    const SIGNALS: [(&str, Message, Message); 3] = [
        ("/v1/metrics", Message::OtlpMetrics, Message::OtlpMetricsJson),
        ("/v1/logs", Message::OtlpLogs, Message::OtlpLogsJson),
        ("/v1/traces", Message::OtlpTraces, Message::OtlpTracesJson),
    ];
    let (_, protobuf, json) = SIGNALS.iter().find(|(suffix, ..)| path.ends_with(suffix))?;
    Some((*protobuf, *json))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::encoding::Encoding::{self, *};
    use ContentErrorKind::*;

    fn layers(encodings: Encodings) -> alloc::vec::Vec<Encoding> {
        encodings.outermost_first().collect()
    }

    /// The kind, after a look at the protocol.
    fn refusal(result: Result<Content, ContentError>) -> ContentErrorKind {
        let error = result.expect_err("a refusal");
        assert_eq!(error.protocol(), Some(Protocol::Otlp));
        error.kind()
    }

    #[test]
    fn otlp_signals_and_formats() {
        for (path, protobuf, json) in [
            ("/v1/metrics", Message::OtlpMetrics, Message::OtlpMetricsJson),
            ("/api/v1/otlp/v1/metrics", Message::OtlpMetrics, Message::OtlpMetricsJson),
            ("/otlp/v1/logs?x", Message::OtlpLogs, Message::OtlpLogsJson),
            ("/insert/opentelemetry/v1/traces", Message::OtlpTraces, Message::OtlpTracesJson),
        ] {
            let head = RequestHead::new().with_path(path);
            let message =
                |content_type| otlp(&head.with_content_type(content_type)).map(|c| c.message);
            assert_eq!(message("application/x-protobuf"), Ok(protobuf));
            assert_eq!(message("application/json;charset=utf-8"), Ok(json));
        }
        let head = RequestHead::new().with_path("/v1/logs");
        for (header, kind) in [
            (None, MissingContentType),
            (Some("application/grpc"), UnsupportedMediaType),
            (Some("json"), MalformedContentType),
        ] {
            let result = otlp(&head.with_content_type(header));
            assert_eq!(refusal(result), kind);
            assert_eq!(result.unwrap_err().status(), 415);
        }
    }

    #[test]
    fn otlp_encodings() {
        let head =
            RequestHead::new().with_path("/v1/logs").with_content_type("application/x-protobuf");
        for (header, expected) in [
            (None, &[][..]),
            (Some("identity"), &[]),
            (Some("gzip"), &[Gzip]),
            (Some("deflate"), &[Deflate]),
            (Some("lz4"), &[Lz4]),
            (Some("zstd"), &[Zstd]),
            (Some("snappy"), &[Snappy]),
            (Some("x-snappy-framed"), &[SnappyFramed]),
        ] {
            let content = otlp(&head.with_content_encoding(header)).expect("accepted");
            assert_eq!(layers(content.encodings), expected, "{header:?}");
        }
        let result = otlp(&head.with_content_encoding("compress"));
        assert_eq!(refusal(result), UnsupportedEncoding);
        assert_eq!(result.unwrap_err().status(), 415);
    }
}
