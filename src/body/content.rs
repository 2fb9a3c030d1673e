//! Content negotiation: from the head of a request to what its body holds, or to a refusal.
//!
//! Pure functions over header values. They read nothing else, allocate nothing, and never look at
//! the body: where senders leave open how it is compressed, the answer is
//! [`Encoding::Unstated`](super::Encoding::Unstated), and whoever decompresses it must tell.

mod error;
mod media_type;
mod message;
mod request_head;
mod written;

pub use error::{ContentError, ContentErrorKind};
pub use message::{Content, Message, Protocol};
pub use request_head::RequestHead;
pub use written::Written;

use super::encoding::{Encoding, Encodings};
use media_type::MediaType;

/// What negotiation may be strict about.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct ContentOptions {
    /// Whether a remote write request is refused when its `X-Prometheus-Remote-Write-Version` is
    /// of another version than its `Content-Type`. The specification lets the `Content-Type` alone
    /// decide, and some senders have no such header, so a missing one is never refused. Default:
    /// `false`, the header is not looked at.
    pub check_version: bool,
}

impl ContentOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self { check_version: false }
    }

    /// Sets [`check_version`](Self::check_version).
    #[must_use]
    pub const fn with_check_version(mut self, check: bool) -> Self {
        self.check_version = check;
        self
    }
}

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
/// use borrowire::body::{Encoding, Encodings, Message, RequestHead, negotiate};
///
/// let head = RequestHead::new()
///     .with_method("POST")
///     .with_path("/api/v1/write")
///     .with_content_type("application/x-protobuf;proto=io.prometheus.write.v2.Request")
///     .with_content_encoding("snappy");
/// let content = negotiate(&head)?;
/// assert_eq!(content.message, Message::RemoteWriteV2);
/// assert_eq!(content.encodings, Encodings::new(Encoding::Snappy));
///
/// // A receiver of 1.0 only: the status makes senders fall back.
/// let error = content.accept(&[Message::RemoteWriteV1]).unwrap_err();
/// assert_eq!(error.status(), 415);
/// # Ok::<(), borrowire::body::ContentError>(())
/// ```
///
/// # Errors
///
/// [`UnknownPath`](ContentErrorKind::UnknownPath), and what the protocol's function refuses.
pub fn negotiate(head: &RequestHead<'_>) -> Result<Content, ContentError> {
    negotiate_with(head, &ContentOptions::new())
}

/// As [`negotiate`], with options.
///
/// # Errors
///
/// As [`negotiate`].
pub fn negotiate_with(
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
/// use borrowire::body::{ContentOptions, Encoding, Message, RequestHead, remote_write};
///
/// let content = remote_write(&RequestHead::new(), &ContentOptions::new())?;
/// assert_eq!(content.message, Message::RemoteWriteV1);
/// assert_eq!(content.encodings, Encoding::Unstated.into());
///
/// let head = RequestHead::new().with_remote_write_version("2.0.0");
/// assert!(remote_write(&head, &ContentOptions::new()).is_ok());
/// let strict = ContentOptions::new().with_check_version(true);
/// assert_eq!(remote_write(&head, &strict).unwrap_err().status(), 400);
/// # Ok::<(), borrowire::body::ContentError>(())
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

/// Senders of 1.0 say 0.1.0, so 0 and 1 are the same here.
fn contradicts(version: &str, message: Message) -> bool {
    let stated = match version.split('.').next() {
        Some("0" | "1") => Message::RemoteWriteV1,
        Some("2") => Message::RemoteWriteV2,
        _ => return true,
    };
    stated != message
}

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
/// names it, and once. Loki takes `snappy` with JSON but does not undo it; it refuses `zstd` with
/// protobuf, which others take in place of snappy. Neither tells what the body is, so both are
/// refused. `zstd` with JSON does tell, so we go beyond Loki there. Parameters of the media type are
/// ignored.
///
/// ```
/// use borrowire::body::{Encoding, Encodings, Message, RequestHead, loki_push};
///
/// let head = RequestHead::new().with_content_type("application/x-protobuf");
/// let content = loki_push(&head)?;
/// assert_eq!(content.message, Message::LokiPush);
/// assert_eq!(content.encodings, Encodings::new(Encoding::Snappy));
///
/// let content = loki_push(&head.with_content_encoding("gzip"))?;
/// assert!(content.encodings.undo().eq([Encoding::Gzip, Encoding::Snappy]));
/// # Ok::<(), borrowire::body::ContentError>(())
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
        if !stated.undo().all(known) {
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
    let mut layers = stated.undo();
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
/// it now; the stream format is `x-snappy-framed`. Anything else is 415 (Mimir, RFC 9110); the
/// Collector and Loki say 400. The `lz4` that Mimir and Loki take is not supported.
///
/// ```
/// use borrowire::body::{Encoding, Message, RequestHead, otlp};
///
/// let head = RequestHead::new()
///     .with_path("/otlp/v1/logs")
///     .with_content_type("application/json; charset=utf-8")
///     .with_content_encoding("gzip");
/// let content = otlp(&head)?;
/// assert_eq!(content.message, Message::OtlpLogsJson);
/// assert_eq!(content.encodings, Encoding::Gzip.into());
/// # Ok::<(), borrowire::body::ContentError>(())
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
mod tests;
