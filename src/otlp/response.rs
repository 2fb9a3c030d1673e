//! What a receiver answers, both ways: an export's response, and the status that an error has.
//!
//! ```text
//! ExportMetricsServiceResponse, ExportLogsServiceResponse, alike on the wire:
//! 1 partial_success  message: 1 rejected_data_points or rejected_log_records int64
//!                             2 error_message string
//! google.rpc.Status:
//! 1 code     int32
//! 2 message  string
//! 3 details  repeated google.protobuf.Any: 1 type_url string, 2 value bytes
//! ```
//!
//! Source: <https://opentelemetry.io/docs/specs/otlp/#otlphttp-response>. An answer takes at most
//! [`MAX_RESPONSE_BYTES`]: what is longer is shortened before it is written, and refused when read.

use core::fmt;

use crate::message::cursor::{Cursor, Merge, read_alone};
use crate::message::fields::{
    bytes_len, int32_len, int64_len, text_len, write_bytes, write_int32, write_int64, write_text,
};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer, impossible};

const PARTIAL_SUCCESS: Tag = Tag::new(1, WireType::Len);
const REJECTED: Tag = Tag::new(1, WireType::Varint);
const ERROR_MESSAGE: Tag = Tag::new(2, WireType::Len);
const CODE: Tag = Tag::new(1, WireType::Varint);
const MESSAGE: Tag = Tag::new(2, WireType::Len);
const DETAILS: Tag = Tag::new(3, WireType::Len);
const TYPE_URL: Tag = Tag::new(1, WireType::Len);
const VALUE: Tag = Tag::new(2, WireType::Len);

/// The most bytes that an answer takes before it is compressed: 4 MiB. A server must not send more,
/// and a client need not read more.
pub const MAX_RESPONSE_BYTES: usize = 4 << 20;

/// The most bytes that are around the text of an answer.
const FRAMING_BYTES: usize = 64;

/// Whether a client may send a request again that was answered with this HTTP status, after
/// `Retry-After` if the answer has it: 429, 502, 503 and 504. Any other failure is final.
///
/// ```
/// use borrowire::otlp::is_retryable;
///
/// assert!(is_retryable(503));
/// assert!(!is_retryable(500)); // the specification's, and a surprise to many
/// ```
#[must_use]
pub const fn is_retryable(status: u16) -> bool {
    matches!(status, 429 | 502 | 503 | 504)
}

/// The status with which a receiver says that an export may be sent again: `status` if that says
/// so, 503 for any other that is a server's failure, as Mimir answers. Clients would drop the
/// data on a 500.
///
/// ```
/// use borrowire::otlp::retryable_status;
///
/// assert_eq!(retryable_status(500), 503);
/// assert_eq!(retryable_status(504), 504);
/// assert_eq!(retryable_status(400), 400); // bad data stay bad
/// ```
#[must_use]
pub const fn retryable_status(status: u16) -> u16 {
    if status >= 500 && !is_retryable(status) { 503 } else { status }
}

/// `ExportMetricsServiceResponse` and `ExportLogsServiceResponse`, which are alike on the wire: the
/// answer of status 200.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::ExportResponse;
///
/// let mut out = [0; 64];
/// let len = ExportResponse::rejected(2, "trace ids of a bad length").encode(&mut out)?;
///
/// // A forwarder reads it:
/// let response = ExportResponse::decode(&out[..len])?;
/// let partial = response.partial_success.unwrap();
/// assert_eq!((partial.rejected, partial.error_message), (2, "trace ids of a bad length"));
///
/// // Full success is the empty message, which is also what Prometheus sends.
/// assert_eq!(ExportResponse::success().encoded_len(), 0);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is written in at most [`MAX_RESPONSE_BYTES`]: a message that is too long is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ExportResponse<'a> {
    /// What was not stored, or what to warn of; `None` if all is well.
    pub partial_success: Option<PartialSuccess<'a>>,
}

/// `ExportMetricsPartialSuccess` and `ExportLogsPartialSuccess`: how much of an export was refused,
/// and why. The client must not send it again.
///
/// ```
/// use borrowire::otlp::PartialSuccess;
///
/// assert!(PartialSuccess::new(0, "names will change").is_warning());
/// assert!(!PartialSuccess::new(2, "out of order").is_warning());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct PartialSuccess<'a> {
    /// How many data points or log records were refused. 0 with a message: all were stored, and
    /// the message is a warning.
    pub rejected: i64,
    /// Why, for people.
    pub error_message: &'a str,
}

impl<'a> PartialSuccess<'a> {
    /// So many data points or log records were refused.
    #[must_use]
    pub const fn new(rejected: i64, error_message: &'a str) -> Self {
        Self { rejected, error_message }
    }

    /// Whether all was stored, and the message tells of something else.
    #[must_use]
    pub const fn is_warning(&self) -> bool {
        self.rejected == 0 && !self.error_message.is_empty()
    }

    /// This, with no more of its message than `bytes`.
    fn shortened(self, bytes: usize) -> Self {
        Self { error_message: shortened(self.error_message, bytes), ..self }
    }
}

impl<'a> ExportResponse<'a> {
    /// All was stored.
    #[must_use]
    pub const fn success() -> Self {
        Self { partial_success: None }
    }

    /// All was stored, and the client should know something.
    #[must_use]
    pub const fn warning(message: &'a str) -> Self {
        Self::rejected(0, message)
    }

    /// All but so many data points or log records were stored.
    #[must_use]
    pub const fn rejected(count: i64, message: &'a str) -> Self {
        Self { partial_success: Some(PartialSuccess::new(count, message)) }
    }

    /// Reads an answer. An empty body is full success.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place;
    /// [`MessageTooLarge`](DecodeErrorKind::MessageTooLarge) over [`MAX_RESPONSE_BYTES`].
    pub fn decode(body: &'a [u8]) -> Result<Self, DecodeError> {
        let mut response = Self::default();
        read_alone(&mut reader(body)?, |cursor| response.merge_fields(cursor))?;
        Ok(response)
    }

    /// What is written of the partial success.
    fn written(&self) -> Option<PartialSuccess<'a>> {
        self.partial_success.map(|partial| partial.shortened(MAX_RESPONSE_BYTES - FRAMING_BYTES))
    }
}

impl<'a> Merge<'a> for ExportResponse<'a> {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                PARTIAL_SUCCESS => {
                    cursor.merge_message(self.partial_success.get_or_insert_default())?;
                }
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for ExportResponse<'_> {
    fn encoded_len(&self) -> usize {
        self.written()
            .map_or(0, |partial| wire::message_len(PARTIAL_SUCCESS, partial.encoded_len()))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        match self.written() {
            Some(partial) => writer.write_message(PARTIAL_SUCCESS, &partial),
            None => Ok(()),
        }
    }
}

impl<'a> Merge<'a> for PartialSuccess<'a> {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                REJECTED => self.rejected = cursor.read_int64()?,
                ERROR_MESSAGE => self.error_message = cursor.read_string()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for PartialSuccess<'_> {
    fn encoded_len(&self) -> usize {
        int64_len(REJECTED, self.rejected)
            .saturating_add(text_len(ERROR_MESSAGE, self.error_message))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_int64(writer, REJECTED, self.rejected)?;
        write_text(writer, ERROR_MESSAGE, self.error_message)
    }
}

/// `google.rpc.Status`: the body of an answer with a status of 400 and above.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::Status;
///
/// let body = Status::new("truncated value at byte 1 (field 1)").encode_to_vec()?;
/// let status = Status::decode(&body)?;
/// assert_eq!(status.message, "truncated value at byte 1 (field 1)");
/// assert_eq!(status.code, 0); // OTLP over HTTP does without
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// It is written in at most [`MAX_RESPONSE_BYTES`]: details that are too long are left out, then a
/// message that is too long is cut.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Status<'a> {
    /// A code of gRPC, which OTLP over HTTP may leave out.
    pub code: i32,
    /// What went wrong, for people.
    pub message: &'a str,
    /// More, for programs.
    pub details: Details<'a>,
}

impl<'a> Status<'a> {
    /// A status without a code.
    #[must_use]
    pub const fn new(message: &'a str) -> Self {
        Self { code: 0, message, details: Details { source: Source::Slice(&[]) } }
    }

    /// Sets [`code`](Self::code).
    #[must_use]
    pub const fn with_code(mut self, code: i32) -> Self {
        self.code = code;
        self
    }

    /// Sets [`details`](Self::details).
    #[must_use]
    pub const fn with_details(mut self, details: &'a [Any<'a>]) -> Self {
        self.details = Details { source: Source::Slice(details) };
        self
    }

    /// Reads a status. An empty body is a status that says nothing.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place;
    /// [`MessageTooLarge`](DecodeErrorKind::MessageTooLarge) over [`MAX_RESPONSE_BYTES`].
    pub fn decode(body: &'a [u8]) -> Result<Self, DecodeError> {
        let mut status = Self::default();
        read_alone(&mut reader(body)?, |cursor| {
            while let Some(tag) = cursor.next_tag()? {
                match tag {
                    CODE => status.code = cursor.read_int32()?,
                    MESSAGE => status.message = cursor.read_string()?,
                    DETAILS => cursor.merge_message(&mut Any::default())?,
                    _ => cursor.skip_field(tag)?,
                }
            }
            Ok(())
        })?;
        status.details = Details { source: Source::Body(body) };
        Ok(status)
    }

    /// What is written.
    fn written(&self) -> Self {
        let details = self.details.encoded_len();
        let room = MAX_RESPONSE_BYTES - FRAMING_BYTES;
        match room.checked_sub(details) {
            Some(room) if self.message.len() <= room => *self,
            _ => Self::new(shortened(self.message, room)).with_code(self.code),
        }
    }
}

impl Encode for Status<'_> {
    fn encoded_len(&self) -> usize {
        let written = self.written();
        int32_len(CODE, written.code)
            .saturating_add(text_len(MESSAGE, written.message))
            .saturating_add(written.details.encoded_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let written = self.written();
        write_int32(writer, CODE, written.code)?;
        write_text(writer, MESSAGE, written.message)?;
        written.details.iter().try_for_each(|any| writer.write_message(DETAILS, &any))
    }
}

/// `google.protobuf.Any`: a message of another schema, as it stands on the wire.
///
/// ```
/// use borrowire::otlp::Any;
///
/// let any = Any::new("type.googleapis.com/google.rpc.RetryInfo", b"\x0a\x02\x08\x05");
/// assert_eq!(any.value.len(), 4);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Any<'a> {
    /// Which message it is.
    pub type_url: &'a str,
    /// The message, encoded.
    pub value: &'a [u8],
}

impl<'a> Any<'a> {
    /// The message that `value` is by the schema that `type_url` names.
    #[must_use]
    pub const fn new(type_url: &'a str, value: &'a [u8]) -> Self {
        Self { type_url, value }
    }
}

impl<'a> Merge<'a> for Any<'a> {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                TYPE_URL => self.type_url = cursor.read_string()?,
                VALUE => self.value = cursor.read_bytes()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for Any<'_> {
    fn encoded_len(&self) -> usize {
        text_len(TYPE_URL, self.type_url).saturating_add(bytes_len(VALUE, self.value))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_text(writer, TYPE_URL, self.type_url)?;
        write_bytes(writer, VALUE, self.value)
    }
}

/// The details of a [`Status`]: those of a body, or the caller's own.
///
/// ```
/// use borrowire::otlp::{Any, Status};
///
/// let details = [Any::new("type.googleapis.com/google.rpc.RetryInfo", b"")];
/// let status = Status::new("too many requests").with_details(&details);
/// assert!(status.details.iter().eq(details));
/// ```
#[derive(Clone, Copy)]
pub struct Details<'a> {
    source: Source<'a>,
}

#[derive(Clone, Copy)]
enum Source<'a> {
    /// A whole status, which has been read once.
    Body(&'a [u8]),
    Slice(&'a [Any<'a>]),
}

impl<'a> Details<'a> {
    /// The details, in their order.
    pub fn iter(&self) -> impl Iterator<Item = Any<'a>> + Clone + use<'a> {
        let (body, slice) = match self.source {
            Source::Body(body) => (body, &[][..]),
            Source::Slice(slice) => (&[][..], slice),
        };
        let mut reader = Reader::new(body).ok();
        let read = core::iter::from_fn(move || next_detail(reader.as_mut()?).ok().flatten());
        read.chain(slice.iter().copied())
    }

    fn encoded_len(&self) -> usize {
        let len = |any: Any<'_>| wire::message_len(DETAILS, any.encoded_len());
        self.iter().map(len).fold(0, usize::saturating_add)
    }
}

/// The next detail of a status.
fn next_detail<'a>(reader: &mut Reader<'a>) -> Result<Option<Any<'a>>, DecodeError> {
    while let Some(tag) = reader.next_tag()? {
        if tag == DETAILS {
            let mut any = Any::default();
            any.merge_alone(&mut reader.read_message()?)?;
            return Ok(Some(any));
        }
        reader.skip_field(tag)?;
    }
    Ok(None)
}

impl Default for Details<'_> {
    fn default() -> Self {
        Self { source: Source::Slice(&[]) }
    }
}

impl PartialEq for Details<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl fmt::Debug for Details<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

/// A reader of an answer that is not too large.
fn reader(body: &[u8]) -> Result<Reader<'_>, DecodeError> {
    if body.len() > MAX_RESPONSE_BYTES {
        return Err(DecodeError::new(DecodeErrorKind::MessageTooLarge, 0, 0));
    }
    Reader::new(body)
}

/// The first characters of `text` that take at most `bytes`.
pub(super) fn shortened(text: &str, bytes: usize) -> &str {
    let mut end = bytes.min(text.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    text.get(..end).unwrap_or_else(impossible)
}

#[cfg(test)]
mod tests {
    use alloc::string::String;
    use alloc::vec::Vec;

    use super::*;

    /// Each with the bytes that Google's runtime writes.
    #[test]
    fn golden_bytes_both_ways() {
        for (response, bytes) in [
            (ExportResponse::success(), &b""[..]),
            (ExportResponse::rejected(0, ""), b"\x0a\x00"),
            (ExportResponse::warning("w"), b"\x0a\x03\x12\x01w"),
            (ExportResponse::rejected(300, "no"), b"\x0a\x07\x08\xac\x02\x12\x02no"),
            (
                ExportResponse::rejected(-1, ""),
                b"\x0a\x0b\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
            ),
        ] {
            assert_eq!(response.encode_to_vec().unwrap(), bytes);
            assert_eq!(response.encoded_len(), bytes.len());
            assert_eq!(ExportResponse::decode(bytes), Ok(response));
        }
        let details = [Any::new("t", b"\xff"), Any::default()];
        for (status, bytes) in [
            (Status::default(), &b""[..]),
            (Status::new("bad").with_code(3), b"\x08\x03\x12\x03bad"),
            (
                Status::new("m").with_details(&details),
                b"\x12\x01m\x1a\x06\x0a\x01t\x12\x01\xff\x1a\x00",
            ),
        ] {
            assert_eq!(status.encode_to_vec().unwrap(), bytes);
            assert_eq!(status.encoded_len(), bytes.len());
            let read = Status::decode(bytes).unwrap();
            assert_eq!(read, status);
            assert_eq!(read.encode_to_vec().unwrap(), bytes);
        }
    }

    #[test]
    fn parts_are_merged_and_unknown_fields_passed_over() {
        let response =
            ExportResponse::decode(b"\x0a\x02\x08\x05\x18\x01\x0a\x03\x12\x01w").unwrap();
        assert_eq!(response, ExportResponse::rejected(5, "w"));
        let status = Status::decode(b"\x1a\x03\x0a\x01a\x20\x07\x08\x01\x1a\x03\x0a\x01b").unwrap();
        let types: Vec<_> = status.details.iter().map(|any| any.type_url).collect();
        assert_eq!((status.code, &types[..]), (1, &["a", "b"][..]));
    }

    #[test]
    fn faults_are_located() {
        let error = ExportResponse::decode(b"\x0a\x03\x12\x01\xff").unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, 4));
        let error = Status::decode(b"\x08\x03\x1a\x03\x0a\x01\xff").unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::InvalidUtf8, 6));
        let error = Status::decode(b"\x12\x05bad").unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::Truncated, 1));
    }

    #[test]
    fn what_is_too_long_is_cut_between_characters() {
        let long = "é".repeat(MAX_RESPONSE_BYTES);
        let bytes = ExportResponse::rejected(i64::MIN, &long).encode_to_vec().unwrap();
        assert!((MAX_RESPONSE_BYTES - 100..=MAX_RESPONSE_BYTES).contains(&bytes.len()));
        let partial = ExportResponse::decode(&bytes).unwrap().partial_success.unwrap();
        assert!(partial.rejected == i64::MIN && long.starts_with(partial.error_message));

        let bytes = Status::new(&long).with_code(i32::MIN).encode_to_vec().unwrap();
        assert!((MAX_RESPONSE_BYTES - 100..=MAX_RESPONSE_BYTES).contains(&bytes.len()));
        assert!(long.starts_with(Status::decode(&bytes).unwrap().message));

        // Details go first.
        let value = alloc::vec![0; MAX_RESPONSE_BYTES - 100];
        let details = [Any::new("t", &value)];
        let bytes = Status::new("message").with_details(&details).encode_to_vec().unwrap();
        let read = Status::decode(&bytes).unwrap();
        assert!(read == Status::new("message").with_details(&details), "with its details");
        let status = Status::new("a message that is longer").with_details(&details);
        let bytes = status.encode_to_vec().unwrap();
        assert!(Status::decode(&bytes).unwrap() == Status::new("a message that is longer"));

        let error = Status::decode(&[0; MAX_RESPONSE_BYTES + 1]).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::MessageTooLarge);
        let error = ExportResponse::decode(&[0; MAX_RESPONSE_BYTES + 1]).unwrap_err();
        assert_eq!(error.status(), 413);
    }

    #[test]
    fn a_text_is_cut_where_a_character_ends() {
        let text = String::from("aé☃🚀");
        for (bytes, cut) in [
            (0, ""),
            (1, "a"),
            (2, "a"),
            (3, "aé"),
            (5, "aé"),
            (6, "aé☃"),
            (9, "aé☃"),
            (10, "aé☃🚀"),
            (99, "aé☃🚀"),
        ] {
            assert_eq!(shortened(&text, bytes), cut);
        }
    }

    #[test]
    fn four_statuses_are_worth_another_try() {
        let retryable: Vec<u16> = (100..600).filter(|&status| is_retryable(status)).collect();
        assert_eq!(retryable, [429, 502, 503, 504]);
        for (status, answered) in
            [(200, 200), (400, 400), (429, 429), (500, 503), (501, 503), (502, 502), (505, 503)]
        {
            assert_eq!(retryable_status(status), answered);
        }
    }
}
