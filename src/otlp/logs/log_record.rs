//! `LogRecord`: what happened, at some time.
//!
//! ```text
//! 1 time_unix_nano            fixed64      8  flags                    fixed32
//! 2 severity_number           enum         9  trace_id                 bytes: 16, or none
//! 3 severity_text             string       10 span_id                  bytes: 8, or none
//! 5 body                      AnyValue     11 observed_time_unix_nano  fixed64
//! 6 attributes                repeated     12 event_name               string
//! 7 dropped_attributes_count  uint32       4  reserved
//! ```

use super::severity_number::SeverityNumber;
use super::storage::{Mark, Storage, field};
use crate::message::columns::{index, push, range_of};
use crate::message::cursor::Cursor;
use crate::message::fields::{
    enum_len, fixed64_len, text_len, uint32_len, write_enum, write_fixed64, write_text,
    write_uint32,
};
use crate::otlp::common::{
    AnyValue, Attributes, Parents, Pieces, Signal, SpanId, TraceId, check_value, id_len,
    read_attribute, read_id, take_run, write_id,
};
use crate::otlp::record_kind::RecordKind;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer, split_delimited};

const TIME_UNIX_NANO: Tag = Tag::new(1, WireType::I64);
const SEVERITY_NUMBER: Tag = Tag::new(2, WireType::Varint);
const SEVERITY_TEXT: Tag = Tag::new(3, WireType::Len);
const BODY: Tag = Tag::new(5, WireType::Len);
const ATTRIBUTES: Tag = Tag::new(6, WireType::Len);
const DROPPED_ATTRIBUTES_COUNT: Tag = Tag::new(7, WireType::Varint);
const FLAGS: Tag = Tag::new(8, WireType::I32);
const TRACE_ID: Tag = Tag::new(9, WireType::Len);
const SPAN_ID: Tag = Tag::new(10, WireType::Len);
const OBSERVED_TIME_UNIX_NANO: Tag = Tag::new(11, WireType::I64);
const EVENT_NAME: Tag = Tag::new(12, WireType::Len);

const ATTRIBUTES_BYTE: u8 = ATTRIBUTES.byte();

/// What happened, at some time.
///
/// Start from `LogRecord::default()` and set what you have.
///
/// ```
/// use borrowire::otlp::AnyValue;
/// use borrowire::otlp::logs::{LogRecord, SeverityNumber};
///
/// let mut record = LogRecord::default();
/// record.time_unix_nano = 1_700_000_000_000_000_000;
/// record.severity_number = SeverityNumber::INFO;
/// record.body = Some(AnyValue::String("started"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "log")]
pub struct LogRecord<'s, 'a> {
    /// When it happened, in nanoseconds since the Unix epoch; 0 if that is not known.
    pub time_unix_nano: u64,
    /// When it was collected, in nanoseconds since the Unix epoch; 0 if that is not known.
    pub observed_time_unix_nano: u64,
    /// How bad it is.
    pub severity_number: SeverityNumber,
    /// The sender's own word for that.
    pub severity_text: &'a str,
    /// What happened: text mostly, but any value. `None` if the sender left it out.
    pub body: Option<AnyValue<'a>>,
    /// What else is known.
    pub attributes: Attributes<'s, 'a>,
    /// How many attributes the sender left out.
    pub dropped_attributes_count: u32,
    /// The low eight bits are the flags of the trace context.
    pub flags: u32,
    /// The trace that it belongs to.
    pub trace_id: Option<TraceId>,
    /// The span that it belongs to.
    pub span_id: Option<SpanId>,
    /// The name of the event, which says what body and attributes look like; empty if it is none.
    pub event_name: &'a str,
}

impl Encode for LogRecord<'_, '_> {
    fn encoded_len(&self) -> usize {
        let body = self.body.map_or(0, |body| wire::message_len(BODY, body.encoded_len()));
        [
            fixed64_len(TIME_UNIX_NANO, self.time_unix_nano),
            enum_len(SEVERITY_NUMBER, self.severity_number.0),
            text_len(SEVERITY_TEXT, self.severity_text),
            body,
            self.attributes.fields_len(),
            uint32_len(DROPPED_ATTRIBUTES_COUNT, self.dropped_attributes_count),
            if self.flags == 0 { 0 } else { wire::fixed32_len(FLAGS) },
            id_len(TRACE_ID, self.trace_id.map(|id| id.0)),
            id_len(SPAN_ID, self.span_id.map(|id| id.0)),
            fixed64_len(OBSERVED_TIME_UNIX_NANO, self.observed_time_unix_nano),
            text_len(EVENT_NAME, self.event_name),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_fixed64(writer, TIME_UNIX_NANO, self.time_unix_nano)?;
        write_enum(writer, SEVERITY_NUMBER, self.severity_number.0)?;
        write_text(writer, SEVERITY_TEXT, self.severity_text)?;
        match self.body {
            None => {}
            Some(body @ AnyValue::String(_)) => writer.write_message(BODY, &body)?,
            Some(body) => writer.write_nested(BODY, &mut 1, |writer| body.write_to(writer))?,
        }
        self.attributes.write_fields::<ATTRIBUTES_BYTE>(writer)?;
        write_uint32(writer, DROPPED_ATTRIBUTES_COUNT, self.dropped_attributes_count)?;
        if self.flags != 0 {
            writer.write_fixed32(FLAGS, self.flags)?;
        }
        write_id(writer, TRACE_ID, self.trace_id.map(|id| id.0))?;
        write_id(writer, SPAN_ID, self.span_id.map(|id| id.0))?;
        write_fixed64(writer, OBSERVED_TIME_UNIX_NANO, self.observed_time_unix_nano)?;
        write_text(writer, EVENT_NAME, self.event_name)
    }
}

impl<'a> Signal<'a> for Storage<'a> {
    type Mark = Mark;

    #[inline]
    fn parents(&mut self) -> &mut Parents<'a> {
        &mut self.parents
    }

    fn mark(&self) -> Mark {
        self.mark()
    }

    fn truncate(&mut self, mark: Mark) {
        self.truncate(mark);
    }

    fn children_len(&self) -> usize {
        self.records.len()
    }

    #[inline]
    fn read_child(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        let position = self.parents.count_item(cursor)?;
        let mark = self.mark();
        let fault = cursor.read_apart(|cursor| read_log_record(cursor.read_message()?, self))?;
        if let Some(error) = fault {
            self.truncate(mark);
            self.parents.skip(RecordKind::LogRecord, position, error);
        }
        Ok(())
    }
}

/// Reads a record from `message`, all of it.
// Inlined: a cursor that is handed over in memory is read again before it is all written.
#[inline(always)]
fn read_log_record<'a>(
    message: Cursor<'a, '_>,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    // A local variable can live in registers; a parameter of this size is in memory.
    let mut cursor = message;
    let message = cursor.rest();
    let (start, end) = (cursor.offset(), cursor.end());
    let attributes_start = storage.attributes.len();
    let (mut time, mut observed, mut severity, mut flags, mut dropped) = (0, 0, 0, 0, 0);
    let (mut severity_text, mut event_name) = ("", "");
    let (mut trace_id, mut span_id) = (None, None);
    let (mut bodies, mut body_text) = (0_usize, None);
    let mut again = true;
    loop {
        if again {
            again = take_run::<ATTRIBUTES_BYTE>(&mut cursor, message, &mut storage.attributes);
        }
        let Some(tag) = cursor.next_tag()? else { break };
        match tag {
            TIME_UNIX_NANO => time = cursor.read_fixed64()?,
            SEVERITY_NUMBER => severity = cursor.read_enum()?,
            SEVERITY_TEXT => severity_text = cursor.read_string()?,
            BODY => {
                body_text = read_body(cursor.read_message()?)?;
                bodies = bodies.saturating_add(1);
            }
            ATTRIBUTES => read_attribute(&mut cursor, &mut storage.attributes)?,
            DROPPED_ATTRIBUTES_COUNT => dropped = cursor.read_uint32()?,
            FLAGS => flags = cursor.read_fixed32()?,
            TRACE_ID => trace_id = read_id::<16>(&mut cursor)?,
            SPAN_ID => span_id = read_id::<8>(&mut cursor)?,
            OBSERVED_TIME_UNIX_NANO => observed = cursor.read_fixed64()?,
            EVENT_NAME => event_name = cursor.read_string()?,
            _ => cursor.skip_field(tag)?,
        }
    }
    let (attributes, texts) = (storage.attributes.len(), storage.texts.len());
    let mut row = storage.records.push_row();
    row.set_unless_zero(field::TIME_UNIX_NANO, time);
    row.set_unless_zero(field::OBSERVED_TIME_UNIX_NANO, observed);
    row.set_unless_zero(field::SEVERITY_NUMBER, u64::from(i32::cast_unsigned(severity)));
    row.set_unless_zero(field::FLAGS, u64::from(flags));
    row.set_unless_zero(field::DROPPED_ATTRIBUTES_COUNT, u64::from(dropped));
    if let Some(id) = trace_id {
        let [high, low] = TraceId(id).words();
        row.set(field::TRACE_ID_HIGH, high);
        row.set(field::TRACE_ID_LOW, low);
    }
    if let Some(id) = span_id {
        row.set(field::SPAN_ID, SpanId(id).word());
    }
    row.set_range(field::ATTRIBUTES, attributes_start, attributes);
    let body_text = if bodies == 1 { body_text } else { None };
    if bodies > 0 && body_text.is_none() {
        row.set(field::BODY, u64::from(start) << 32 | u64::from(end));
    }
    if body_text.is_some() || !severity_text.is_empty() || !event_name.is_empty() {
        row.set(field::TEXTS, u64::from(index(texts)));
        if let Some(text) = body_text {
            row.note(field::BODY_TEXT);
            push(&mut storage.texts, text);
        }
        for (text, bit) in [(severity_text, field::SEVERITY_TEXT), (event_name, field::EVENT_NAME)]
        {
            if !text.is_empty() {
                row.note(bit);
                push(&mut storage.texts, text);
            }
        }
    }
    row.end();
    Ok(())
}

/// Reads a body that takes the rest of `message`; returns it if it is text and nothing else.
#[inline]
fn read_body<'a>(mut message: Cursor<'a, '_>) -> Result<Option<&'a str>, DecodeError> {
    // A `string_value` that takes all of it.
    if let Some((0x0a, rest)) = message.rest().split_first()
        && let Ok((_, [])) = split_delimited(rest)
    {
        message.next_tag()?;
        return message.read_string().map(Some);
    }
    check_value(&mut message)?;
    Ok(None)
}

impl<'a> Storage<'a> {
    /// The record at `position`.
    #[inline]
    pub(super) fn log_record(&self, position: usize) -> Option<LogRecord<'_, 'a>> {
        let mut row = self.records.fields(self.records.row(position)?);
        let time_unix_nano = row.word(field::TIME_UNIX_NANO).unwrap_or(0);
        let observed_time_unix_nano = row.word(field::OBSERVED_TIME_UNIX_NANO).unwrap_or(0);
        let severity_number = SeverityNumber(row.low32(field::SEVERITY_NUMBER).cast_signed());
        let flags = row.low32(field::FLAGS);
        let dropped_attributes_count = row.low32(field::DROPPED_ATTRIBUTES_COUNT);
        let high = row.word(field::TRACE_ID_HIGH);
        let low = row.word(field::TRACE_ID_LOW);
        let trace_id = high.zip(low).map(|(high, low)| TraceId::of_words([high, low]));
        let span_id = row.word(field::SPAN_ID).map(SpanId::of_word);
        let attributes = row.range(field::ATTRIBUTES, &self.attributes);
        let body = row.word(field::BODY);
        let body = body.map(|place| {
            let message = range_of(self.parents.body, place);
            AnyValue::read(Pieces::field(message, BODY)).unwrap_or_default()
        });
        let texts = row.low32(field::TEXTS);
        let mut texts = self.texts.get(wire::to_usize(texts)..).unwrap_or(&[]).iter();
        let mut text = |bit| if row.has(bit) { texts.next().copied() } else { None };
        let body_text = text(field::BODY_TEXT).map(AnyValue::String);
        let severity_text = text(field::SEVERITY_TEXT).unwrap_or("");
        let event_name = text(field::EVENT_NAME).unwrap_or("");
        Some(LogRecord {
            time_unix_nano,
            observed_time_unix_nano,
            severity_number,
            severity_text,
            body: body_text.or(body),
            attributes: Attributes::stored(attributes, self.parents.body),
            dropped_attributes_count,
            flags,
            trace_id,
            span_id,
            event_name,
        })
    }
}
