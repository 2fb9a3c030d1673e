//! What a body is, where it is not what it was taken for.

use core::fmt;

use crate::body::Encoding;
use crate::body::negotiate::{Message, Protocol};
use crate::loki::push::shape::PUSH_REQUEST;
use crate::message::shape::Shape;
use crate::otlp::shape as otlp;
use crate::remote_write::v1::shape::WRITE_REQUEST;
use crate::remote_write::v2::shape::REQUEST;

/// The messages that are protobuf, each with what tells it from the others.
static SHAPES: [(Message, &Shape); 6] = [
    (Message::RemoteWriteV1, &WRITE_REQUEST),
    (Message::RemoteWriteV2, &REQUEST),
    (Message::LokiPush, &PUSH_REQUEST),
    (Message::OtlpLogs, &otlp::LOGS),
    (Message::OtlpMetrics, &otlp::METRICS),
    (Message::OtlpTraces, &otlp::TRACES),
];

/// The messages that are JSON, each with the name of the member that holds its records.
const MEMBERS: [(Message, &str); 4] = [
    (Message::LokiPushJson, "\"streams\""),
    (Message::OtlpLogsJson, "\"resourceLogs\""),
    (Message::OtlpMetricsJson, "\"resourceMetrics\""),
    (Message::OtlpTracesJson, "\"resourceSpans\""),
];

/// How much of a text is looked at.
const TEXT_BYTES: usize = 4 << 10;

/// What a body is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Found {
    /// Bytes that are still compressed.
    Compressed(Encoding),
    /// JSON that is no message of those that are known.
    Json,
    /// Another message.
    Message(Message),
    /// Some message of another protocol, in protobuf.
    Protocol(Protocol),
    /// Text, such as a page of metrics or of HTML.
    Text,
}

impl Found {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Compressed(_) => "compressed body",
            Self::Json => "json body",
            Self::Message(_) => "another message",
            Self::Protocol(_) => "another protocol",
            Self::Text => "text body",
        }
    }
}

/// A body that is not what it was taken for: what it is, and what was expected.
///
/// [`diagnose`] finds it, and has an example.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Mistake {
    /// What the body was taken for.
    pub expected: Message,
    /// What it is.
    pub found: Found,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { expected, found } = *self;
        match found {
            Found::Compressed(encoding) => write!(f, "the body is still compressed ({encoding})"),
            Found::Json => f.write_str("the body is JSON"),
            Found::Message(message) => write!(f, "the body is {}", name(message)),
            Found::Protocol(protocol) => write!(f, "the body is {protocol}"),
            Found::Text => f.write_str("the body is text"),
        }?;
        write!(f, ", not {}", name(expected))
    }
}

impl core::error::Error for Mistake {}

/// A message's name, for people.
const fn name(message: Message) -> &'static str {
    match message {
        Message::LokiPush => "a Loki push in protobuf",
        Message::LokiPushJson | Message::LokiPushLegacyJson => "a Loki push in JSON",
        Message::OtlpLogs => "OTLP logs in protobuf",
        Message::OtlpLogsJson => "OTLP logs in JSON",
        Message::OtlpMetrics => "OTLP metrics in protobuf",
        Message::OtlpMetricsJson => "OTLP metrics in JSON",
        Message::OtlpTraces => "OTLP traces in protobuf",
        Message::OtlpTracesJson => "OTLP traces in JSON",
        Message::RemoteWriteV1 => "a request of remote write 1.0",
        Message::RemoteWriteV2 => "a request of remote write 2.0",
    }
}

/// Tells what `body` is, if it is not the message that was `expected`: one of another version or
/// protocol, JSON, text, or bytes that are still compressed. `None` if it is what was expected, or
/// nothing that can be told.
///
/// Protobuf does not say which message it is: a decoder takes what it does not know for unknown
/// fields, so the wrong one may find nothing, or nonsense, and no error. Ask when decoding failed
/// ([`ReceiveError::diagnosed`](super::ReceiveError::diagnosed)), and when it found no records or
/// [unknown fields](crate::DecodeRequest::has_unknown_fields); or ask of every body, before it is
/// decoded: of a body that is what was expected a few hundred fields are looked at, whatever its
/// size.
///
/// A body is never named for what is wrong in it: one that is of the right kind and damaged is
/// `None`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::body::negotiate::Message;
/// use borrowire::loki::PushRequest;
/// use borrowire::receive::diagnose;
/// use borrowire::remote_write::v1::WriteRequestEncoder;
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
///
/// assert!(PushRequest::decode(&body).is_ok()); // a stream whose labels are nonsense
/// let mistake = diagnose(&body, Message::LokiPush).unwrap();
/// assert_eq!(
///     mistake.to_string(),
///     "the body is a request of remote write 1.0, not a Loki push in protobuf"
/// );
/// assert_eq!(diagnose(&body, Message::RemoteWriteV1), None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[must_use]
pub fn diagnose(body: &[u8], expected: Message) -> Option<Mistake> {
    let found = find(body, expected)?;
    Some(Mistake { expected, found })
}

/// What `body` is, if that is not what was `expected`.
fn find(body: &[u8], expected: Message) -> Option<Found> {
    if let Some(encoding) = Encoding::by_magic_number(body) {
        return Some(Found::Compressed(encoding));
    }
    let shape = SHAPES.iter().find(|(message, _)| *message == expected).map(|(_, shape)| shape);
    if body.is_empty() || shape.is_some_and(|shape| shape.fits(body)) {
        return None;
    }
    let mut fitting = SHAPES.iter().filter(|(_, shape)| shape.fits(body));
    if let Some((message, _)) = fitting.next() {
        return Some(match fitting.next() {
            None => Found::Message(*message),
            // A resource alone, say.
            Some(_) => Found::Protocol(message.protocol()),
        });
    }
    if is_json(body) {
        return match (json_message(body), shape) {
            (Some(Message::LokiPushJson), _) if expected == Message::LokiPushLegacyJson => None,
            (Some(message), _) => (message != expected).then_some(Found::Message(message)),
            (None, Some(_)) => Some(Found::Json),
            // It may be anything of what was expected.
            (None, None) => None,
        };
    }
    match body {
        // The usual headers of zlib, around deflate.
        [0x78, 0x01 | 0x5e | 0x9c | 0xda, ..] => Some(Found::Compressed(Encoding::Deflate)),
        _ if is_snappy_block(body) => Some(Found::Compressed(Encoding::Snappy)),
        // Where JSON was expected it may be JSON with a fault.
        _ if shape.is_some() && is_text(body) => Some(Found::Text),
        _ => None,
    }
}

#[cfg(feature = "snappy")]
fn is_snappy_block(body: &[u8]) -> bool {
    crate::body::is_snappy_block(body)
}

/// What it takes to tell is the codec's.
#[cfg(not(feature = "snappy"))]
const fn is_snappy_block(_: &[u8]) -> bool {
    false
}

/// The message whose member comes first in `json`.
fn json_message(json: &[u8]) -> Option<Message> {
    let start = json.get(..TEXT_BYTES).unwrap_or(json);
    let place = |member: &str| start.windows(member.len()).position(|w| w == member.as_bytes());
    let places = MEMBERS.iter().filter_map(|(message, name)| Some((place(name)?, *message)));
    places.min_by_key(|(place, _)| *place).map(|(_, message)| message)
}

/// Whether `body` is text that begins as an array or object does. So may a message, by its first tag
/// and length; but not without a control character soon.
fn is_json(body: &[u8]) -> bool {
    matches!(body.trim_ascii_start(), [b'{' | b'[', ..]) && has_no_controls(body)
}

/// Whether `body` is text. Most messages begin with a line feed.
fn is_text(body: &[u8]) -> bool {
    !body.starts_with(b"\n") && has_no_controls(body)
}

/// Whether `body` begins without control characters other than those that lay out a text.
fn has_no_controls(body: &[u8]) -> bool {
    let is_layout = |byte: &u8| matches!(byte, b'\t' | b'\n' | b'\r');
    body.iter().take(TEXT_BYTES).all(|byte| !byte.is_ascii_control() || is_layout(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    const V1: Message = Message::RemoteWriteV1;

    #[test]
    fn what_is_no_protobuf_is_named() {
        for (body, expected) in [
            (&b"{}"[..], Found::Json),
            (b" \n[1]", Found::Json),
            (b"{\"resourceLogs\":[]}", Found::Message(Message::OtlpLogsJson)),
            (b"{ \"streams\" : [] }", Found::Message(Message::LokiPushJson)),
            (b"# HELP up\n# TYPE up gauge\nup 1\n", Found::Text),
            (b"<html>", Found::Text),
        ] {
            let mistake = diagnose(body, V1).unwrap();
            assert_eq!((mistake.expected, mistake.found), (V1, expected));
            for text in [mistake.to_string(), expected.as_str().to_string()] {
                assert!(!text.contains('\n'), "{text}");
            }
        }
    }

    #[test]
    fn what_cannot_be_told_is_not_named() {
        // Nothing; nothing known; a record that is cut; a field that is none; a label that is none.
        let bodies =
            [&b""[..], b"\xc2\x3e\x01a", b"\x0a\x09\x0a", b"\x07", b"\x0a\x04\x0a\x02\x08\x01"];
        for body in bodies {
            for (message, _) in SHAPES {
                assert_eq!(diagnose(body, message), None, "{body:x?}");
            }
        }
        for (message, member) in MEMBERS {
            for body in [b"{}".to_vec(), [b"{", member.as_bytes(), b":[]}"].concat()] {
                assert_eq!(diagnose(&body, message), None);
            }
        }
        assert_eq!(diagnose(b"{\"streams\":[]}", Message::LokiPushLegacyJson), None);
    }

    /// The text of a log may name anything.
    #[test]
    fn the_first_member_decides() {
        let body = br#"{"streams":[{"stream":{},"values":[["1","\"resourceLogs\""]]}]}"#;
        assert_eq!(diagnose(body, Message::LokiPushJson), None);
        let found = diagnose(body, Message::OtlpLogsJson).unwrap().found;
        assert_eq!(found, Found::Message(Message::LokiPushJson));
    }
}
