//! Requests of all protocols, told apart by their paths.

use super::content::{Content, ContentOptions};
use super::error::{ContentError, ContentErrorKind};
use super::loki_push::loki_push;
use super::otlp::otlp;
use super::protocol::Protocol;
use super::remote_write::remote_write;
use super::request_head::RequestHead;

/// Tells from the head of a request what its body holds, whichever protocol the path is of.
///
/// | path ends in | rules | served there by |
/// |---|---|---|
/// | `/api/v1/write` | [`remote_write`] | Prometheus, VictoriaMetrics |
/// | `/api/v1/push` | [`remote_write`] | Mimir, Cortex |
/// | `/api/v1/receive` | [`remote_write`] | Thanos |
/// | `/loki/api/v1/push` | [`loki_push`] | Loki |
/// | `/v1/metrics`, `/v1/logs`, `/v1/traces` | [`otlp`] | all of OTLP, often under a prefix |
///
/// Only the end counts, because services are mounted under prefixes of all kinds. Paths are
/// compared byte by byte, a query is cut off. `/api/prom/push` is not in the table: it was Loki's
/// and it was Cortex'. Who serves it calls [`loki_push`] or [`remote_write`].
///
/// ```
/// use borrowire::body::Encoding;
/// use borrowire::body::negotiate::{self, Message, RequestHead};
///
/// let head = RequestHead::new()
///     .with_method("POST")
///     .with_path("/api/v1/write")
///     .with_content_type("application/x-protobuf;proto=io.prometheus.write.v2.Request")
///     .with_content_encoding("snappy");
/// let content = negotiate::by_path(&head)?;
/// assert_eq!(content.message, Message::RemoteWriteV2);
/// assert_eq!(content.encodings, Encoding::Snappy.into());
///
/// // A receiver of 1.0 only: the status makes senders fall back.
/// let error = content.accept(&[Message::RemoteWriteV1]).unwrap_err();
/// assert_eq!(error.status(), 415);
/// # Ok::<(), borrowire::body::negotiate::ContentError>(())
/// ```
///
/// # Errors
///
/// [`UnknownPath`](ContentErrorKind::UnknownPath), and what the protocol's function refuses.
pub fn by_path(head: &RequestHead<'_>) -> Result<Content, ContentError> {
    by_path_with(head, &ContentOptions::new())
}

/// Tells from the head of a request what its body holds, as [`by_path`] does, but as strictly as
/// `options` say.
///
/// ```
/// use borrowire::body::negotiate::{self, ContentOptions, Message, RequestHead};
///
/// let head = RequestHead::new().with_path("/api/v1/write");
/// let content = negotiate::by_path_with(&head, &ContentOptions::new())?;
/// assert_eq!(content.message, Message::RemoteWriteV1);
/// # Ok::<(), borrowire::body::negotiate::ContentError>(())
/// ```
///
/// # Errors
///
/// [`UnknownPath`](ContentErrorKind::UnknownPath), and what the protocol's function refuses.
pub fn by_path_with(
    head: &RequestHead<'_>,
    options: &ContentOptions,
) -> Result<Content, ContentError> {
    match Protocol::from_path(head.path()) {
        Some(Protocol::RemoteWrite) => remote_write(head, options),
        Some(Protocol::LokiPush) => loki_push(head),
        Some(Protocol::Otlp) => otlp(head),
        None => Err(ContentError::new(ContentErrorKind::UnknownPath, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::super::protocol::Message;
    use super::*;
    use ContentErrorKind::*;

    #[test]
    fn the_end_of_the_path_decides() {
        let head = RequestHead::new().with_content_type("application/x-protobuf");
        for (path, message) in [
            ("/api/v1/write", Message::RemoteWriteV1),
            ("/insert/0/prometheus/api/v1/write", Message::RemoteWriteV1),
            ("/api/v1/write?extra_label=a=b", Message::RemoteWriteV1),
            ("/api/v1/push", Message::RemoteWriteV1),
            ("/api/v1/receive", Message::RemoteWriteV1),
            ("/loki/api/v1/push", Message::LokiPush),
            ("/prefix/loki/api/v1/push", Message::LokiPush),
            ("/otlp/v1/metrics", Message::OtlpMetrics),
        ] {
            assert_eq!(by_path(&head.with_path(path)).map(|c| c.message), Ok(message), "{path}");
        }
        for path in [
            "",
            "/",
            "/api/v1/write/",
            "/API/v1/write",
            "/myapi/v1/query",
            "/api/prom/push",
            "/v1development/profiles",
            "/x?/v1/logs",
        ] {
            let error = by_path(&head.with_path(path)).unwrap_err();
            assert_eq!((error.kind(), error.protocol(), error.status()), (UnknownPath, None, 404));
        }
        assert_eq!(otlp(&head).unwrap_err().status(), 404);
    }

    #[test]
    fn only_post_is_allowed() {
        let head = RequestHead::new().with_content_type("application/x-protobuf");
        for path in ["/api/v1/write", "/loki/api/v1/push", "/v1/traces"] {
            let head = head.with_path(path);
            assert!(by_path(&head.with_method("POST")).is_ok());
            for method in ["GET", "PUT", "post", ""] {
                let error = by_path(&head.with_method(method)).unwrap_err();
                assert_eq!((error.kind(), error.status()), (MethodNotAllowed, 405));
            }
        }
    }

    #[test]
    fn what_negotiates_a_message_is_its_content_type() {
        for message in [
            Message::LokiPush,
            Message::LokiPushJson,
            Message::LokiPushLegacyJson,
            Message::OtlpLogs,
            Message::OtlpLogsJson,
            Message::OtlpMetrics,
            Message::OtlpMetricsJson,
            Message::OtlpTraces,
            Message::OtlpTracesJson,
            Message::RemoteWriteV1,
            Message::RemoteWriteV2,
        ] {
            let path = match message.as_str() {
                "loki-push-legacy-json" => "/api/prom/push",
                name if name.starts_with("loki-push") => "/loki/api/v1/push",
                name if name.starts_with("otlp-logs") => "/v1/logs",
                name if name.starts_with("otlp-metrics") => "/v1/metrics",
                name if name.starts_with("otlp-traces") => "/v1/traces",
                _ => "/api/v1/write",
            };
            let head = RequestHead::new().with_path(path).with_content_type(message.content_type());
            let content = match message.protocol() {
                Protocol::LokiPush => loki_push(&head),
                Protocol::Otlp => otlp(&head),
                Protocol::RemoteWrite => remote_write(&head, &ContentOptions::new()),
            };
            assert_eq!(content.unwrap().accept(&[message]).unwrap().message, message);
        }
    }
}
