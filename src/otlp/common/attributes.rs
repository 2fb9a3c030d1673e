//! Attributes: lists of `KeyValue`, which are most of what OTLP sends.
//!
//! Nearly all have one of these shapes, everything under 128 bytes; `T` is the tag of the field that
//! holds the attribute, and the value comes first from senders that write backwards:
//!
//! ```text
//! T L  0a k key  12 v  0a n text        T L  12 v  0a n text  0a k key
//! T L  0a k key  12 v  18 varint        T L  12 v  18 varint  0a k key
//! T L  0a k key  12 v  21 <8 bytes>     T L  12 v  21 <8 bytes>  0a k key
//! ```
//!
//! Attributes of the first line that lie side by side are one region, checked as text as a whole, together
//! with the key of a number behind them.

use alloc::vec::Vec;

use super::any_value::{AnyValue, Checked};
use super::key_value::{KEY, KeyValue, VALUE, read_key};
use crate::message::columns::{index, push};
use crate::message::cursor::{Cursor, State};
use crate::message::fields::{text_len, write_text};
use crate::message::regions::copy_short;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{
    self, BufferFull, Reader, Tag, Writer, impossible, low_byte, low_byte_of, text_region,
    text_tail, to_usize, whole_varint,
};

/// An attribute in storage. Text is checked when it is stored; what is neither text nor a number is
/// read again from the body when it is asked for.
#[derive(Clone, Copy)]
pub(in crate::otlp) enum Row<'a> {
    /// The text of key and value with what is between them, key first. None is over 127 bytes.
    KeyFirst {
        text: &'a str,
        key_len: u32,
        value_len: u32,
    },
    /// The same, value first.
    ValueFirst {
        text: &'a str,
        key_len: u32,
        value_len: u32,
    },
    Bool {
        key: &'a str,
        value: bool,
    },
    Int {
        key: &'a str,
        value: i64,
    },
    Double {
        key: &'a str,
        value: f64,
    },
    /// Anything else: where in the body the message is.
    Other {
        key: &'a str,
        start: u32,
        end: u32,
    },
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Row<'_>>() == 32);

impl Default for Row<'_> {
    fn default() -> Self {
        Self::Bool { key: "", value: false }
    }
}

impl<'a> Row<'a> {
    #[inline]
    fn key(&self) -> &'a str {
        match *self {
            Self::KeyFirst { text, key_len, .. } => front(text, key_len),
            Self::ValueFirst { text, key_len, .. } => back(text, key_len),
            Self::Bool { key, .. }
            | Self::Int { key, .. }
            | Self::Double { key, .. }
            | Self::Other { key, .. } => key,
        }
    }

    #[inline]
    fn key_value(&self, body: &'a [u8]) -> KeyValue<'a> {
        let value = match *self {
            Self::KeyFirst { text, value_len, .. } => AnyValue::String(back(text, value_len)),
            Self::ValueFirst { text, value_len, .. } => AnyValue::String(front(text, value_len)),
            Self::Bool { value, .. } => AnyValue::Bool(value),
            Self::Int { value, .. } => AnyValue::Int(value),
            Self::Double { value, .. } => AnyValue::Double(value),
            Self::Other { start, end, .. } => {
                return KeyValue::read(
                    body.get(to_usize(start)..to_usize(end)).unwrap_or_else(impossible),
                );
            }
        };
        KeyValue { key: self.key(), value: Some(value), key_strindex: 0 }
    }
}

#[inline]
fn front(text: &str, len: u32) -> &str {
    text.get(..to_usize(len)).unwrap_or_else(impossible)
}

#[inline]
fn back(text: &str, len: u32) -> &str {
    text.get(text.len().wrapping_sub(to_usize(len))..).unwrap_or_else(impossible)
}

/// Attributes: the caller's slice, or a range of decoded storage. Nothing sees to it that a key is there
/// only once, as it should be.
///
/// ```
/// use borrowire::otlp::{AnyValue, Attributes, KeyValue};
///
/// let pairs = [KeyValue::new("http.route", "/api"), KeyValue::new("http.status_code", 200_i64)];
/// let attributes = Attributes::new(&pairs);
/// assert_eq!(attributes.value("http.route"), Some(AnyValue::String("/api")));
/// assert_eq!(attributes.get(1).unwrap().value, Some(AnyValue::Int(200)));
/// ```
#[derive(Clone, Copy)]
#[doc(alias = "labels")]
pub struct Attributes<'s, 'a>(Place<'s, 'a>);

#[derive(Clone, Copy)]
enum Place<'s, 'a> {
    Slice(&'s [KeyValue<'a>]),
    Stored { rows: &'s [Row<'a>], body: &'a [u8] },
}

impl<'s, 'a> Attributes<'s, 'a> {
    /// Attributes of the caller's own.
    #[must_use]
    pub const fn new(attributes: &'s [KeyValue<'a>]) -> Self {
        Self(Place::Slice(attributes))
    }

    pub(in crate::otlp) const fn stored(rows: &'s [Row<'a>], body: &'a [u8]) -> Self {
        Self(Place::Stored { rows, body })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Place::Slice(attributes) => attributes.len(),
            Place::Stored { rows, .. } => rows.len(),
        }
    }

    /// The attribute at `index`, in wire order.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<KeyValue<'a>> {
        match self.0 {
            Place::Slice(attributes) => attributes.get(index).copied(),
            Place::Stored { rows, body } => rows.get(index).map(|row| row.key_value(body)),
        }
    }

    /// The key of the attribute at `index`: to look at keys alone is faster.
    #[inline]
    #[must_use]
    pub fn key(&self, index: usize) -> Option<&'a str> {
        match self.0 {
            Place::Slice(attributes) => attributes.get(index).map(|attribute| attribute.key),
            Place::Stored { rows, .. } => rows.get(index).map(Row::key),
        }
    }

    /// The value of the first attribute with `key`.
    #[must_use]
    pub fn value(&self, key: &str) -> Option<AnyValue<'a>> {
        let found = match self.0 {
            Place::Slice(attributes) => attributes.iter().position(|it| it.key == key),
            Place::Stored { rows, .. } => rows.iter().position(|row| row.key() == key),
        };
        self.get(found?)?.value
    }

    /// Bytes as fields with a tag of one byte.
    #[inline]
    pub(in crate::otlp) fn fields_len(&self) -> usize {
        match self.0 {
            Place::Slice(attributes) => attributes.iter().fold(0, |sum: usize, attribute| {
                sum.saturating_add(wire::message_len(SHORT, attribute.encoded_len()))
            }),
            Place::Stored { rows, body } => {
                rows.iter().fold(0, |sum: usize, row| sum.saturating_add(row.field_len(body)))
            }
        }
    }

    /// Writes them as fields whose tag is the one byte `T`.
    #[inline]
    pub(in crate::otlp) fn write_fields<const T: u8>(
        &self,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match self.0 {
            Place::Slice(attributes) => {
                attributes.iter().try_for_each(|attribute| write_one::<T>(writer, attribute))
            }
            Place::Stored { rows, body } => {
                let mut local = writer.take_over();
                for row in rows {
                    match *row {
                        Row::KeyFirst { text, key_len, .. } => {
                            write_key_first::<T>(&mut local, text, key_len)?;
                        }
                        Row::ValueFirst { text, key_len, value_len } => {
                            let (key, value) = (back(text, key_len), front(text, value_len));
                            write_value_first::<T>(&mut local, key, value)?;
                        }
                        Row::Bool { key, value } => {
                            write_number::<T>(&mut local, key, 0x10, &[u8::from(value)])?;
                        }
                        Row::Int { key, value } => {
                            let mut varint = [0; 10];
                            let len = put_varint(&mut varint, value.cast_unsigned());
                            let varint = varint.get(..len).unwrap_or_else(impossible);
                            write_number::<T>(&mut local, key, 0x18, varint)?;
                        }
                        Row::Double { key, value } => {
                            write_number::<T>(&mut local, key, 0x21, &value.to_le_bytes())?;
                        }
                        Row::Other { .. } => write_one::<T>(&mut local, &row.key_value(body))?,
                    }
                }
                *writer = local;
                Ok(())
            }
        }
    }
}

/// Any tag of one byte.
const SHORT: Tag = Tag::of_byte(0x0a);

impl Default for Attributes<'_, '_> {
    fn default() -> Self {
        Self::new(&[])
    }
}

impl<'s, 'a> From<&'s [KeyValue<'a>]> for Attributes<'s, 'a> {
    fn from(attributes: &'s [KeyValue<'a>]) -> Self {
        Self::new(attributes)
    }
}

impl PartialEq for Attributes<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Attributes<'_, '_> {}

crate::message::list::impl_list! {
    /// Iterates over [`Attributes`].
    Attributes, AttributesIter, ['s, 'a], KeyValue<'a>
}

impl Row<'_> {
    /// Bytes as a field with a tag of one byte.
    #[inline]
    fn field_len(&self, body: &[u8]) -> usize {
        match *self {
            Self::KeyFirst { text, .. } => text.len().wrapping_add(4),
            Self::ValueFirst { key_len, value_len, .. } => {
                to_usize(key_len.wrapping_add(value_len)).wrapping_add(8)
            }
            Self::Other { start, end, .. } => {
                let message = body.get(to_usize(start)..to_usize(end));
                let message = message.unwrap_or_else(impossible);
                wire::message_len(SHORT, KeyValue::read(message).encoded_len())
            }
            Self::Bool { key, .. } => number_len(key, 1),
            Self::Int { key, value } => number_len(key, wire::varint_len(value.cast_unsigned())),
            Self::Double { key, .. } => number_len(key, 8),
        }
    }
}

/// Bytes of an attribute as a field with a tag of one byte, whose value is a number of `len` bytes.
#[inline]
fn number_len(key: &str, len: usize) -> usize {
    wire::message_len(SHORT, text_len(KEY, key).wrapping_add(len).wrapping_add(3))
}

fn write_one<const T: u8>(
    writer: &mut Writer<'_>,
    attribute: &KeyValue<'_>,
) -> Result<(), BufferFull> {
    writer.write_nested(const { Tag::of_byte(T) }, &mut 1, |writer| attribute.write_to(writer))
}

/// Writes `T L 0a k` and `text`, which is the key with all that follows it.
#[inline]
fn write_key_first<const T: u8>(
    writer: &mut Writer<'_>,
    text: &str,
    key_len: u32,
) -> Result<(), BufferFull> {
    let slot = writer.take(text.len().wrapping_add(4))?;
    let (head, slot) = slot.split_first_chunk_mut::<4>().ok_or(BufferFull)?;
    *head = [T, low_byte_of(text.len().wrapping_add(2)), 0x0a, low_byte_of(to_usize(key_len))];
    copy_short(slot, text.as_bytes());
    Ok(())
}

/// Writes `T L 0a k key 12 v 0a n value`.
#[inline]
fn write_value_first<const T: u8>(
    writer: &mut Writer<'_>,
    key: &str,
    value: &str,
) -> Result<(), BufferFull> {
    let len = key.len().wrapping_add(value.len()).wrapping_add(6);
    let slot = writer.take(len.wrapping_add(2))?;
    let (head, slot) = slot.split_first_chunk_mut::<4>().ok_or(BufferFull)?;
    *head = [T, low_byte_of(len), 0x0a, low_byte_of(key.len())];
    let (to, slot) = slot.split_at_mut_checked(key.len()).ok_or(BufferFull)?;
    copy_short(to, key.as_bytes());
    let (head, slot) = slot.split_first_chunk_mut::<4>().ok_or(BufferFull)?;
    *head = [0x12, low_byte_of(value.len().wrapping_add(2)), 0x0a, low_byte_of(value.len())];
    copy_short(slot, value.as_bytes());
    Ok(())
}

/// Writes an attribute whose value is `number` behind the tag `kind`.
#[inline]
fn write_number<const T: u8>(
    writer: &mut Writer<'_>,
    key: &str,
    kind: u8,
    number: &[u8],
) -> Result<(), BufferFull> {
    let value_len = number.len().wrapping_add(1);
    let len = text_len(KEY, key).wrapping_add(value_len).wrapping_add(2);
    if key.is_empty() || len >= 0x80 {
        writer.write_len(const { Tag::of_byte(T) }, len)?;
        write_text(writer, KEY, key)?;
        writer.write_len(VALUE, value_len)?;
        writer.write_raw(&[kind])?;
        return writer.write_raw(number);
    }
    let slot = writer.take(len.wrapping_add(2))?;
    let (head, slot) = slot.split_first_chunk_mut::<4>().ok_or(BufferFull)?;
    *head = [T, low_byte_of(len), 0x0a, low_byte_of(key.len())];
    let (to, slot) = slot.split_at_mut_checked(key.len()).ok_or(BufferFull)?;
    copy_short(to, key.as_bytes());
    let (head, slot) = slot.split_first_chunk_mut::<3>().ok_or(BufferFull)?;
    *head = [0x12, low_byte_of(value_len), kind];
    copy_short(slot, number);
    Ok(())
}

/// Puts the varint of `value` to the front of `to`; returns how many bytes it takes.
#[inline]
fn put_varint(to: &mut [u8; 10], value: u64) -> usize {
    let (mut value, mut len) = (value, 1_usize);
    for byte in to {
        if value < 0x80 {
            *byte = low_byte(value);
            break;
        }
        *byte = low_byte(value) | 0x80;
        value >>= 7;
        len = len.wrapping_add(1);
    }
    len
}

/// Reads the attribute whose tag has just been read.
pub(in crate::otlp) fn read_attribute<'a>(
    cursor: &mut Cursor<'a, '_>,
    rows: &mut Vec<Row<'a>>,
) -> Result<(), DecodeError> {
    cursor.count_element()?;
    let mut message = cursor.read_message()?;
    let (start, end) = (message.offset(), message.end());
    let (key, checked) = read_key(&mut message)?;
    push(rows, row(key, checked, start, end));
    Ok(())
}

fn row(key: &str, checked: Checked, start: u32, end: u32) -> Row<'_> {
    match checked {
        Checked::Bool(value) => Row::Bool { key, value },
        Checked::Int(value) => Row::Int { key, value },
        Checked::Double(value) => Row::Double { key, value },
        Checked::Other => Row::Other { key, start, end },
    }
}

/// Takes the attributes of field `T` that lie side by side where `cursor` stands, as far as they have a
/// usual shape; `message` is all that the cursor is over. Returns whether it is worth while to try again
/// behind the next other field: once a region is no text it is not, so that no byte is checked twice.
#[inline]
pub(in crate::otlp) fn take_run<'a, const T: u8>(
    cursor: &mut Cursor<'a, '_>,
    message: &'a [u8],
    rows: &mut Vec<Row<'a>>,
) -> bool {
    if cursor.rest().first() != Some(&T) {
        return true;
    }
    take_usual::<T>(cursor, message, rows)
}

// Apart from the loops over fields, which have registers enough for themselves only.
#[inline(never)]
fn take_usual<'a, const T: u8>(
    cursor: &mut Cursor<'a, '_>,
    message: &'a [u8],
    rows: &mut Vec<Row<'a>>,
) -> bool {
    let mut rest = cursor.rest();
    // The limits might not allow so many, which must then be counted one by one.
    if !cursor.has_elements(rest.len() >> 1) {
        return false;
    }
    let before = rows.len();
    let mut again = true;
    loop {
        let (run, behind) = split_text_run::<T>(rest);
        let number = usual_number::<T>(behind);
        let key_end = number.as_ref().map_or(0, |number| number.key_end);
        let text_len = run.len().wrapping_add(key_end);
        if text_len == 0 && number.is_none() {
            break;
        }
        // What was read before is in front of it.
        let text_end = message.len().wrapping_sub(rest.len()).wrapping_add(text_len);
        let text = if text_len == 0 {
            Some("")
        } else {
            message.get(..text_end).and_then(|text| text_tail(text, text_len))
        };
        let Some((text, number_text)) = text.and_then(|text| text.split_at_checked(run.len()))
        else {
            again = false;
            break;
        };
        let at = cursor.end().wrapping_sub(index(rest.len()));
        let left = cut::<T>(text, at, cursor.state(), rows).len();
        if left > 0 {
            rest = rest.get(run.len().wrapping_sub(left)..).unwrap_or_else(impossible);
            again = false;
            break;
        }
        rest = behind;
        let Some(number) = number else { continue };
        let Some(key) = number.key(number_text) else { break };
        match number.value {
            NumberValue::Int(value) => push(rows, Row::Int { key, value }),
            NumberValue::Double(value) => push(rows, Row::Double { key, value }),
        }
        rest = number.behind;
    }
    cursor.advance_to(rest);
    cursor.count_elements(rows.len().saturating_sub(before));
    again
}

/// Splits off the attributes at the front whose bytes can be text as a whole.
#[inline]
fn split_text_run<const T: u8>(bytes: &[u8]) -> (&[u8], &[u8]) {
    let mut rest = bytes;
    while let Some(&[tag, len, field, field_len]) = rest.first_chunk::<4>() {
        if tag != T || len >= 0x80 {
            break;
        }
        let Some((record, behind)) = rest.split_at_checked(usize::from(len).wrapping_add(2)) else {
            break;
        };
        let value_at = match field {
            0x0a => usize::from(field_len).wrapping_add(6),
            0x12 => 4,
            _ => break,
        };
        match record.get(value_at..).and_then(<[u8]>::first_chunk) {
            Some([0x0a | 0x10, 0..0x80] | [0x18, 0..0x80]) => rest = behind,
            _ => break,
        }
    }
    bytes.split_at_checked(bytes.len().saturating_sub(rest.len())).unwrap_or_else(impossible)
}

/// Appends the attributes of `text`, which was checked as a whole and stands at place `at` of the body.
/// Returns what is left in front of an attribute that is not well-formed.
#[inline]
fn cut<'a, const T: u8>(
    text: &'a str,
    at: u32,
    state: &mut State,
    rows: &mut Vec<Row<'a>>,
) -> &'a str {
    let mut rest = text;
    while let Some(&[_, len, ..]) = rest.as_bytes().first_chunk::<4>() {
        let Some((record, behind)) = rest.split_at_checked(usize::from(len).wrapping_add(2)) else {
            return rest;
        };
        if !push_usual_text(record, rows) {
            let taken = text.len().saturating_sub(rest.len());
            match unusual(record, at.wrapping_add(index(taken)), state) {
                Some(row) => push(rows, row),
                None => return rest,
            }
        }
        rest = behind;
    }
    rest
}

/// Appends the attribute of `record`, if it has a usual shape, and its value is text, or a number of one
/// byte; returns whether it has.
// Each row is made where it goes: a row that is handed on is read again before it is all written.
#[inline(always)]
fn push_usual_text<'a>(record: &'a str, rows: &mut Vec<Row<'a>>) -> bool {
    let Some(&[_, _, field, field_len]) = record.as_bytes().first_chunk() else { return false };
    let field_len = usize::from(field_len);
    if field == 0x0a {
        let Some((_, text)) = record.split_at_checked(4) else { return false };
        let Some(head) = text.as_bytes().get(field_len..).and_then(<[u8]>::first_chunk) else {
            return false;
        };
        let value_len = u32_of(text.len().wrapping_sub(field_len).wrapping_sub(4));
        // 12 v 0a n
        let usual = 0x000a_0212_u32.wrapping_add(value_len << 8 | value_len << 24);
        if field_len == 0 {
            return false;
        }
        if u32::from_le_bytes(*head) == usual {
            push(rows, Row::KeyFirst { text, key_len: u32_of(field_len), value_len });
            return true;
        }
        return value_len == 0 && push_byte(text, field_len, *head, rows);
    }
    push_value_first(record, rows)
}

/// Appends an attribute whose value is a number of one byte, if that is what `head`, behind the key, is.
#[inline(never)]
fn push_byte<'a>(text: &'a str, key_len: usize, head: [u8; 4], rows: &mut Vec<Row<'a>>) -> bool {
    let Some(key) = text.get(..key_len) else { return false };
    match head {
        [0x12, 2, 0x10, value @ 0..=1] => push(rows, Row::Bool { key, value: value != 0 }),
        [0x12, 2, 0x18, value @ 0..0x80] => push(rows, Row::Int { key, value: i64::from(value) }),
        _ => return false,
    }
    true
}

/// Appends the attribute of `record`, if its value is text and comes first.
#[inline]
fn push_value_first<'a>(record: &'a str, rows: &mut Vec<Row<'a>>) -> bool {
    let Some((head, text)) = record.split_at_checked(6) else { return false };
    let Some(&[_, _, 0x12, len, 0x0a, value_len]) = head.as_bytes().first_chunk() else {
        return false;
    };
    let value_len = usize::from(value_len);
    let Some(&[key_tag, key_len]) = text.as_bytes().get(value_len..).and_then(<[u8]>::first_chunk)
    else {
        return false;
    };
    let is_usual = usize::from(len) == value_len.wrapping_add(2)
        && key_tag == 0x0a
        && key_len != 0
        && usize::from(key_len) == text.len().wrapping_sub(value_len).wrapping_sub(2);
    if is_usual {
        let (key_len, value_len) = (u32::from(key_len), u32_of(value_len));
        push(rows, Row::ValueFirst { text, key_len, value_len });
    }
    is_usual
}

/// A length under 128.
#[inline]
#[allow(clippy::as_conversions)]
const fn u32_of(len: usize) -> u32 {
    len as u32
}

/// The attribute of `record` in any other shape, which stands at place `at` of the body; `None` if
/// anything is wrong with it, which is then reported where places are known.
#[cold]
fn unusual<'a>(record: &'a str, at: u32, state: &mut State) -> Option<Row<'a>> {
    // In text that was checked as a whole a string can still be half a character, when the other
    // half passes for an unknown field's tag.
    let mut strict = State::strict().with_deny_unknown_fields(state.denies_unknown_fields());
    let mut cursor = Cursor::over(Reader::new(record.as_bytes()).ok()?, &mut strict);
    cursor.next_tag().ok()?;
    let mut message = cursor.read_message().ok()?;
    let (start, end) = (message.offset(), message.end());
    let (key, checked) = read_key(&mut message).ok()?;
    state.note_unknown(strict.unknown_fields());
    Some(row(key, checked, at.wrapping_add(start), at.wrapping_add(end)))
}

/// An attribute that is a number in a usual shape, whose key is not checked yet.
struct Number<'a> {
    value: NumberValue,
    /// Where the key ends, if it comes first; 0 if not.
    key_end: usize,
    /// The key, if it comes last.
    last_key: &'a [u8],
    behind: &'a [u8],
}

enum NumberValue {
    Int(i64),
    Double(f64),
}

impl<'a> Number<'a> {
    /// The key, by the text of the attribute up to the end of a key that comes first.
    #[inline]
    fn key(&self, text: &'a str) -> Option<&'a str> {
        if self.key_end > 0 { text.get(4..) } else { text_region(self.last_key) }
    }
}

/// The attribute at the front of `bytes`, if it is a number in a usual shape.
#[inline]
fn usual_number<const T: u8>(bytes: &[u8]) -> Option<Number<'_>> {
    let &[tag, len, field, field_len] = bytes.first_chunk()?;
    if tag != T || len >= 0x80 || field_len >= 0x80 {
        return None;
    }
    let (record, behind) = bytes.split_at_checked(usize::from(len).wrapping_add(2))?;
    let (_, content) = record.split_at_checked(4)?;
    let (first, content) = content.split_at_checked(usize::from(field_len))?;
    let (&[next, next_len], second) = content.split_first_chunk()?;
    if usize::from(next_len) != second.len() {
        return None;
    }
    let (key_end, last_key, value) = match (field, next) {
        (0x0a, 0x12) => (usize::from(field_len).wrapping_add(4), &[][..], second),
        (0x12, 0x0a) => (0, second, first),
        _ => return None,
    };
    let value = match value.split_first()? {
        (0x18, value) => NumberValue::Int(whole_varint(value)?.cast_signed()),
        (0x21, value) => NumberValue::Double(f64::from_le_bytes(value.try_into().ok()?)),
        _ => return None,
    };
    Some(Number { value, key_end, last_key, behind })
}
