//! Answers as JSON, both ways.
//!
//! ```text
//! {"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"..."}}     metrics
//! {"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"..."}}     logs
//! {"code":3,"message":"..."}                                             an error's status
//! ```

use super::error::{JsonError, JsonErrorKind};
use super::read;
use super::schema::{EXPORT_LOGS_RESPONSE, EXPORT_METRICS_RESPONSE, Message, STATUS};
use super::scratch::JsonScratch;
use crate::limits::Limits;
use crate::otlp::options::DecodeOptions;
use crate::otlp::response::{ExportResponse, MAX_RESPONSE_BYTES, Status, shortened};
use crate::wire::error::{DecodeError, MAX_MESSAGE_BYTES};
use crate::wire::message::Encode;
use crate::wire::quote::count;
use crate::wire::{BufferFull, Writer, json};

/// The most bytes that are around the text of an answer.
const FRAMING_BYTES: usize = 128;

/// An answer as JSON, in at most [`MAX_RESPONSE_BYTES`]: a message that is too long is cut.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::{ExportResponse, Status};
///
/// let response = ExportResponse::rejected(2, "no \"id\"").logs_json().encode_to_vec()?;
/// let expected = br#"{"partialSuccess":{"rejectedLogRecords":"2","errorMessage":"no \"id\""}}"#;
/// assert_eq!(response, expected);
/// assert_eq!(ExportResponse::success().metrics_json().encode_to_vec()?, b"{}");
/// assert_eq!(Status::new("bad").with_code(3).json().encode_to_vec()?, br#"{"code":3,"message":"bad"}"#);
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct JsonResponse<'a> {
    content: Content<'a>,
    /// Cut to what there is room for.
    text: &'a str,
}

#[derive(Clone, Copy, Debug)]
enum Content<'a> {
    /// With the name of how many were rejected.
    Export(ExportResponse<'a>, &'static str),
    Status(Status<'a>),
}

impl<'a> JsonResponse<'a> {
    fn new(content: Content<'a>) -> Self {
        let text = match content {
            Content::Export(response, _) => {
                response.partial_success.map_or("", |partial| partial.error_message)
            }
            Content::Status(status) => status.message,
        };
        Self { content, text: shortened_escaped(text, MAX_RESPONSE_BYTES - FRAMING_BYTES) }
    }

    /// Gives `put` the answer, piece by piece.
    fn write<E>(&self, put: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        let (number, name, text, end): (_, _, &[u8], &[u8]) = match self.content {
            Content::Export(ExportResponse { partial_success: None, .. }, _) => return put(b"{}"),
            Content::Export(ExportResponse { partial_success: Some(partial), .. }, name) => {
                put(br#"{"partialSuccess":"#)?;
                (partial.rejected, name, br#""errorMessage":"#, b"}}")
            }
            Content::Status(status) => {
                (i64::from(status.code), r#""code":"#, br#""message":"#, b"}")
            }
        };
        let mut separator: &[u8] = b"{";
        if number != 0 {
            put(separator)?;
            separator = b",";
            put(name.as_bytes())?;
            let is_64_bits = matches!(self.content, Content::Export(..));
            let quote: &[u8] = if is_64_bits { b"\"" } else { b"" };
            put(quote)?;
            put(itoa::Buffer::new().format(number).as_bytes())?;
            put(quote)?;
        }
        if self.text.is_empty() {
            if number == 0 {
                put(separator)?;
            }
        } else {
            put(separator)?;
            put(text)?;
            json::write_string(self.text.as_bytes(), put)?;
        }
        put(end)
    }
}

impl Encode for JsonResponse<'_> {
    fn encoded_len(&self) -> usize {
        let mut len = 0;
        let Ok(()) = self.write(&mut count(&mut len));
        len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(&mut |piece: &[u8]| writer.write_raw(piece))
    }
}

impl<'a> ExportResponse<'a> {
    /// The answer to metrics as JSON.
    #[must_use]
    pub fn metrics_json(&self) -> JsonResponse<'a> {
        JsonResponse::new(Content::Export(*self, r#""rejectedDataPoints":"#))
    }

    /// The answer to logs as JSON.
    #[must_use]
    pub fn logs_json(&self) -> JsonResponse<'a> {
        JsonResponse::new(Content::Export(*self, r#""rejectedLogRecords":"#))
    }

    /// Reads the answer to metrics, which is JSON. An empty body is full success.
    ///
    /// ```
    /// use borrowire::otlp::ExportResponse;
    /// use borrowire::otlp::json::JsonScratch;
    ///
    /// let body = br#"{"partialSuccess":{"errorMessage":"names will change"}}"#;
    /// let mut scratch = JsonScratch::new();
    /// let response = ExportResponse::decode_metrics_json(body, &mut scratch)?;
    /// assert!(response.partial_success.unwrap().is_warning());
    /// # Ok::<(), borrowire::otlp::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place;
    /// [`MessageTooLarge`](JsonErrorKind::MessageTooLarge) over [`MAX_RESPONSE_BYTES`].
    pub fn decode_metrics_json(
        body: &[u8],
        scratch: &'a mut JsonScratch,
    ) -> Result<Self, JsonError> {
        read_answer(&EXPORT_METRICS_RESPONSE, body, scratch, Self::decode)
    }

    /// Reads the answer to logs, which is JSON. An empty body is full success.
    ///
    /// ```
    /// use borrowire::otlp::ExportResponse;
    /// use borrowire::otlp::json::JsonScratch;
    ///
    /// let body = br#"{"partialSuccess":{"rejectedLogRecords":"3"}}"#;
    /// let mut scratch = JsonScratch::new();
    /// let response = ExportResponse::decode_logs_json(body, &mut scratch)?;
    /// assert_eq!(response.partial_success.unwrap().rejected, 3);
    /// # Ok::<(), borrowire::otlp::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place;
    /// [`MessageTooLarge`](JsonErrorKind::MessageTooLarge) over [`MAX_RESPONSE_BYTES`].
    pub fn decode_logs_json(body: &[u8], scratch: &'a mut JsonScratch) -> Result<Self, JsonError> {
        read_answer(&EXPORT_LOGS_RESPONSE, body, scratch, Self::decode)
    }
}

impl<'a> Status<'a> {
    /// The status as JSON, without its details: what they are in JSON depends on schemas of their own.
    #[must_use]
    pub fn json(&self) -> JsonResponse<'a> {
        JsonResponse::new(Content::Status(*self))
    }

    /// Reads a status, which is JSON, without its details. An empty body says nothing.
    ///
    /// ```
    /// use borrowire::otlp::Status;
    /// use borrowire::otlp::json::JsonScratch;
    ///
    /// let body = br#"{"code":3,"message":"otlp parse error","details":[{"@type":"x"}]}"#;
    /// let mut scratch = JsonScratch::new();
    /// let status = Status::decode_json(body, &mut scratch)?;
    /// assert_eq!((status.code, status.message), (3, "otlp parse error"));
    /// # Ok::<(), borrowire::otlp::json::JsonError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place;
    /// [`MessageTooLarge`](JsonErrorKind::MessageTooLarge) over [`MAX_RESPONSE_BYTES`].
    pub fn decode_json(body: &[u8], scratch: &'a mut JsonScratch) -> Result<Self, JsonError> {
        read_answer(&STATUS, body, scratch, Self::decode)
    }
}

fn read_answer<'a, T>(
    message: &'static Message,
    body: &[u8],
    scratch: &'a mut JsonScratch,
    decode: fn(&'a [u8]) -> Result<T, DecodeError>,
) -> Result<T, JsonError> {
    const OPTIONS: DecodeOptions =
        DecodeOptions::new().with_limits(Limits::new().with_max_message_bytes(MAX_RESPONSE_BYTES));
    const _: () = assert!(MAX_RESPONSE_BYTES < MAX_MESSAGE_BYTES);
    let target = scratch.target();
    if !body.is_empty() {
        read::read(message, body, target, &OPTIONS)?;
    }
    // Nothing is wrong with it any more; a text is no longer than it was in JSON.
    decode(&scratch.protobuf).map_err(|_| JsonError::new(JsonErrorKind::MessageTooLarge, 0))
}

/// The first characters of `text` that take at most `bytes` as they stand in a JSON string.
fn shortened_escaped(text: &str, bytes: usize) -> &str {
    let mut len = 0;
    let Ok(()) = json::write_escaped(text.as_bytes(), &mut count(&mut len));
    if len <= bytes {
        return text;
    }
    // None takes more than `\u001f` for a byte.
    shortened(text, bytes / 6)
}

#[cfg(test)]
mod tests {
    use alloc::vec::Vec;

    use super::*;

    #[test]
    fn answers_of_every_shape() {
        let mut scratch = JsonScratch::new();
        for (response, metrics, logs) in [
            (ExportResponse::success(), "{}", "{}"),
            (
                ExportResponse::rejected(0, ""),
                r#"{"partialSuccess":{}}"#,
                r#"{"partialSuccess":{}}"#,
            ),
            (
                ExportResponse::rejected(-5, ""),
                r#"{"partialSuccess":{"rejectedDataPoints":"-5"}}"#,
                r#"{"partialSuccess":{"rejectedLogRecords":"-5"}}"#,
            ),
            (
                ExportResponse::warning("\u{1f}☃\\"),
                r#"{"partialSuccess":{"errorMessage":"\u001f☃\\"}}"#,
                r#"{"partialSuccess":{"errorMessage":"\u001f☃\\"}}"#,
            ),
        ] {
            let written = response.metrics_json().encode_to_vec().unwrap();
            assert_eq!(written, metrics.as_bytes());
            assert_eq!(ExportResponse::decode_metrics_json(&written, &mut scratch), Ok(response));
            let written = response.logs_json().encode_to_vec().unwrap();
            assert_eq!(written, logs.as_bytes());
            assert_eq!(ExportResponse::decode_logs_json(&written, &mut scratch), Ok(response));
        }
        for (status, json) in [
            (Status::default(), "{}"),
            (Status::new("m"), r#"{"message":"m"}"#),
            (Status::default().with_code(-1), r#"{"code":-1}"#),
        ] {
            let written = status.json().encode_to_vec().unwrap();
            assert_eq!(written, json.as_bytes());
            assert_eq!(Status::decode_json(&written, &mut scratch), Ok(status));
        }
    }

    #[test]
    fn others_answers_are_read() {
        let mut scratch = JsonScratch::new();
        let mut read = |body: &str| {
            ExportResponse::decode_metrics_json(body.as_bytes(), &mut scratch)
                .map(|response| response.partial_success.map(|partial| partial.rejected))
        };
        assert_eq!(read(""), Ok(None));
        assert_eq!(read("null"), Ok(None));
        assert_eq!(read(r#"{"partialSuccess":null,"x":[1]}"#), Ok(None));
        assert_eq!(read(r#"{"partial_success":{"rejected_data_points":3}}"#), Ok(Some(3)));
        let error = read(r#"{"partialSuccess":[]}"#).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (JsonErrorKind::UnexpectedType, 18));
    }

    #[test]
    fn what_is_too_long_is_cut_or_refused() {
        let mut scratch = JsonScratch::new();
        for text in ["é", "\u{1}", "plain"] {
            let long = text.repeat(MAX_RESPONSE_BYTES);
            let answer = ExportResponse::warning(&long).logs_json().encode_to_vec().unwrap();
            assert!(answer.len() <= MAX_RESPONSE_BYTES && answer.len() > MAX_RESPONSE_BYTES / 7);
            let read = ExportResponse::decode_logs_json(&answer, &mut scratch).unwrap();
            assert!(long.starts_with(read.partial_success.unwrap().error_message));
            let answer = Status::new(&long).json().encode_to_vec().unwrap();
            assert!(answer.len() <= MAX_RESPONSE_BYTES);
        }
        let long: Vec<u8> = alloc::vec![b' '; MAX_RESPONSE_BYTES + 1];
        let error = Status::decode_json(&long, &mut scratch).unwrap_err();
        assert_eq!(error.kind(), JsonErrorKind::MessageTooLarge);
    }
}
