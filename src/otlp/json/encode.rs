//! A request as JSON, to be measured and written like any message.

use core::fmt;

use super::schema::Message;
use super::scratch::JsonScratch;
use super::write::{self, Stop};
use crate::wire::error::{DecodeErrorKind, EncodeError};
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer, quote::count};

/// A request as a JSON body, which is measured and written like any message: see [`Encode`].
///
/// It is written as the specification has it: names in lowerCamelCase, 64-bit integers as strings,
/// enums as numbers, ids in hexadecimal, other bytes in base64, `"NaN"` and `"Infinity"` as strings.
/// What holds its default is left out.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::json::JsonScratch;
/// use borrowire::otlp::logs::{
///     ExportLogsServiceRequestEncoder, LogRecord, LogRecords, ResourceLogs, ScopeLogs, ScopeLogsList,
/// };
/// use borrowire::otlp::{AnyValue, InstrumentationScope, Resource};
///
/// let mut record = LogRecord::default();
/// record.time_unix_nano = 1_700_000_000_000_000_005;
/// record.body = Some(AnyValue::String("say \"hi\""));
/// let records = [record];
/// let scopes = [ScopeLogs::new(InstrumentationScope::default(), LogRecords::new(&records))];
/// let resources = [ResourceLogs::new(Resource::default(), ScopeLogsList::new(&scopes))];
///
/// let mut scratch = JsonScratch::new(); // used again for the next request
/// let request = ExportLogsServiceRequestEncoder::new(resources);
/// let body = request.json_encoder(&mut scratch)?.encode_to_vec()?;
/// let expected = concat!(
///     r#"{"resourceLogs":[{"resource":{},"scopeLogs":[{"scope":{},"logRecords":["#,
///     r#"{"timeUnixNano":"1700000000000000005","body":{"stringValue":"say \"hi\""}}]}]}]}"#,
/// );
/// assert_eq!(body, expected.as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct JsonEncoder<'x> {
    message: &'static Message,
    protobuf: &'x [u8],
    len: usize,
}

impl<'x> JsonEncoder<'x> {
    /// The JSON of `content`, which is a `message`. It becomes protobuf first, in `scratch`.
    pub(super) fn new(
        message: &'static Message,
        content: &impl Encode,
        scratch: &'x mut JsonScratch,
    ) -> Result<Self, JsonEncodeError> {
        scratch.clear();
        content.append_to_vec(&mut scratch.protobuf).map_err(JsonEncodeError::TooLarge)?;
        let protobuf = &scratch.protobuf;
        let mut len = 0;
        let measured = write::write(message, protobuf, &mut count(&mut len));
        match measured {
            Ok(()) => Ok(Self { message, protobuf, len }),
            Err(Stop::Protobuf(error)) => {
                // The caller's own values can be as deep as they like; nothing else is wrong.
                debug_assert_eq!(error.kind(), DecodeErrorKind::DepthLimit);
                Err(JsonEncodeError::TooDeep)
            }
        }
    }
}

impl Encode for JsonEncoder<'_> {
    fn encoded_len(&self) -> usize {
        self.len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        match write::write(self.message, self.protobuf, &mut |piece: &[u8]| writer.write_raw(piece))
        {
            Ok(()) => Ok(()),
            Err(Stop::Sink(full)) => Err(full),
            // It was measured.
            Err(Stop::Protobuf(_)) => Err(BufferFull),
        }
    }
}

impl fmt::Debug for JsonEncoder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonEncoder").field("len", &self.len).finish_non_exhaustive()
    }
}

/// Why a request has no JSON form.
///
/// ```
/// use borrowire::otlp::json::JsonEncodeError;
///
/// assert_eq!(JsonEncodeError::TooDeep.to_string(), "values nested over 250 messages deep");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonEncodeError {
    /// Messages are nested more than 250 deep, which no reader takes.
    TooDeep,
    /// Its protobuf would be over 2 GiB - 1.
    TooLarge(EncodeError),
}

impl fmt::Display for JsonEncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooDeep => f.write_str("values nested over 250 messages deep"),
            Self::TooLarge(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for JsonEncodeError {}

#[cfg(feature = "std")]
impl From<JsonEncodeError> for std::io::Error {
    fn from(error: JsonEncodeError) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}
