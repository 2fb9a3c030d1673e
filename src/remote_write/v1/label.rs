//! `Label`: a name and a value.
//!
//! ```text
//! 1 name   string
//! 2 value  string
//! ```
//!
//! Nearly all of a request is labels, so their usual shape has a path of its own, both ways: name and
//! value present, in this order, everything under 128 bytes.
//!
//! ```text
//! 0a L  0a n name  12 v value      L = n + v + 4; the field takes L + 2 bytes
//! ```

use alloc::vec::Vec;

use super::storage::{DecodeState, push};
use crate::error::DecodeError;
use crate::message::{Decode, Encode};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

const NAME: Tag = Tag::new(1, WireType::Len);
const VALUE: Tag = Tag::new(2, WireType::Len);

/// `labels`, field 1 of both `TimeSeries` and `Exemplar`.
pub(super) const LABELS: Tag = Tag::new(1, WireType::Len);
/// The same as it stands on the wire.
pub(super) const LABELS_BYTE: u8 = 0x0a;
/// The framing of a label in its usual shape: two tags and lengths.
const FRAMING: usize = 4;

/// The name of the label that holds the metric's name.
pub const METRIC_NAME: &str = "__name__";

/// One label of a series or exemplar. Labels order by name, then value, bytewise.
///
/// ```
/// use borrowire::remote_write::v1::Label;
///
/// let label = Label::new("job", "node");
/// assert_eq!((label.name, label.value), ("job", "node"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Label<'a> {
    /// The label's name.
    pub name: &'a str,
    /// The label's value; an empty value means the same as no label.
    pub value: &'a str,
}

impl<'a> Label<'a> {
    /// A label of `name` and `value`.
    #[must_use]
    pub const fn new(name: &'a str, value: &'a str) -> Self {
        Self { name, value }
    }

    /// Reads the label whose tag has just been read.
    #[inline]
    pub(super) fn read(
        reader: &mut Reader<'a>,
        state: &mut DecodeState,
    ) -> Result<Self, DecodeError> {
        let mut label = Self::default();
        label.merge_fields(&mut reader.read_message()?, state)?;
        Ok(label)
    }

    fn merge_fields(
        &mut self,
        reader: &mut Reader<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                NAME => self.name = state.read_string(reader)?,
                VALUE => self.value = state.read_string(reader)?,
                _ => state.skip_field(reader, tag)?,
            }
        }
        Ok(())
    }
}

impl<'a> Decode<'a> for Label<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_fields(reader, &mut DecodeState::strict())
    }
}

impl Encode for Label<'_> {
    fn encoded_len(&self) -> usize {
        text_len(NAME, self.name).saturating_add(text_len(VALUE, self.value))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_text(writer, NAME, self.name)?;
        write_text(writer, VALUE, self.value)
    }
}

/// Bytes of a string field, which an empty string leaves out.
#[inline]
pub(super) fn text_len(tag: Tag, text: &str) -> usize {
    if text.is_empty() { 0 } else { wire::string_len(tag, text) }
}

/// A string field, unless it is empty.
#[inline]
pub(super) fn write_text(writer: &mut Writer<'_>, tag: Tag, text: &str) -> Result<(), BufferFull> {
    if text.is_empty() { Ok(()) } else { writer.write_string(tag, text) }
}

/// Appends the labels at the front of `text`, which was checked as a whole, and returns the rest:
/// nothing if `text` is a run of whole, well-formed labels with one-byte lengths.
///
/// Each step of the loop depends on the one before by a single load, of the four bytes in front of
/// the name: they tell where the next label is.
#[inline]
pub(super) fn take_labels<'a>(
    text: &'a str,
    labels: &mut Vec<Label<'a>>,
    state: &mut DecodeState,
) -> &'a str {
    let mut rest = text;
    loop {
        let taken = match take_usual_label(rest) {
            Some(taken) => taken,
            None => match take_unusual_label(rest, state) {
                Some(taken) => taken,
                None => return rest,
            },
        };
        push(labels, taken.0);
        rest = taken.1;
    }
}

/// Takes the labels at the front of `text`, which is where `reader` stands. Returns `false`, with
/// nothing taken, if the limits might not allow them all: then they must be counted one by one.
#[inline]
pub(super) fn take_region<'a>(
    reader: &mut Reader<'a>,
    text: &'a str,
    labels: &mut Vec<Label<'a>>,
    state: &mut DecodeState,
) -> bool {
    if !state.has_elements(text.len() >> 1) {
        return false;
    }
    let before = labels.len();
    let left = take_labels(text, labels, state);
    let taken = text.len().saturating_sub(left.len());
    reader.advance_to(reader.rest().get(taken..).unwrap_or_default());
    state.count_elements(labels.len().saturating_sub(before));
    true
}

/// The label at the front of `text`, if it has the usual shape, and the text behind it.
#[inline]
fn take_usual_label(text: &str) -> Option<(Label<'_>, &str)> {
    // One byte more than is looked at, here and below, spares a comparison: a cut behind it is
    // known to be inside.
    let [a, b, c, d, _] = *text.as_bytes().first_chunk()?;
    let head = u32::from_le_bytes([a, b, c, d]);
    // Both tags, and both lengths under 128.
    if head & 0x80ff_80ff != 0x000a_000a {
        return None;
    }
    let (len, name_len) = (head >> 8 & 0x7f, head >> 24);
    let value_len = len.wrapping_sub(name_len).wrapping_sub(4);
    let (_, text) = text.split_at_checked(4)?;
    let (name, text) = text.split_at_checked(to_usize(name_len))?;
    let [a, b, _] = *text.as_bytes().first_chunk()?;
    if u32::from(u16::from_le_bytes([a, b])) != 0x12 | value_len << 8 {
        return None;
    }
    let (_, text) = text.split_at_checked(2)?;
    let (value, text) = text.split_at_checked(to_usize(value_len))?;
    Some((Label { name, value }, text))
}

/// A length of under 32 bits.
#[inline]
#[allow(clippy::as_conversions)]
const fn to_usize(len: u32) -> usize {
    len as usize
}

/// The label at the front of `text` in any other shape, and the text behind it; `None` at the end of
/// the labels, or if the label is malformed, which is then reported where places are known.
#[cold]
fn take_unusual_label<'a>(text: &'a str, state: &mut DecodeState) -> Option<(Label<'a>, &'a str)> {
    let [LABELS_BYTE, len @ 0..0x80, ..] = *text.as_bytes() else {
        return None;
    };
    let (record, rest) = text.split_at_checked(usize::from(len).wrapping_add(2))?;
    let mut reader = Reader::new(record.as_bytes()).ok()?;
    reader.next_tag().ok()?;
    Some((Label::read(&mut reader, state).ok()?, rest))
}

/// Bytes of `labels` as fields of a series or exemplar.
#[inline]
pub(super) fn labels_len(labels: &[Label<'_>]) -> usize {
    // In 64 bits no sum of lengths that fit in memory can wrap.
    let mut total = 0_u64;
    let mut longest = 0_u64;
    for label in labels {
        let (name, value) = (length(label.name), length(label.value));
        let content = name
            .wrapping_add(value)
            .wrapping_add(u64::from(name != 0) << 1)
            .wrapping_add(u64::from(value != 0) << 1);
        total = total.wrapping_add(content).wrapping_add(2);
        longest |= content;
    }
    if longest < 0x80 {
        usize::try_from(total).unwrap_or(usize::MAX)
    } else {
        long_labels_len(labels)
    }
}

#[inline]
fn length(text: &str) -> u64 {
    u64::try_from(text.len()).unwrap_or(u64::MAX)
}

/// The same where a length takes more than a byte.
fn long_labels_len(labels: &[Label<'_>]) -> usize {
    labels.iter().fold(0, |sum: usize, label| {
        sum.saturating_add(wire::message_len(LABELS, label.encoded_len()))
    })
}

/// Writes `labels` as fields of a series or exemplar.
#[inline]
pub(super) fn write_labels(
    writer: &mut Writer<'_>,
    labels: &[Label<'_>],
) -> Result<(), BufferFull> {
    let mut rest = writer.take_rest();
    for label in labels {
        let (name, value) = (label.name.as_bytes(), label.value.as_bytes());
        // Each under 0x80 first, so that the sum cannot wrap.
        let len = (name.len() & 0x7f).wrapping_add(value.len() & 0x7f).wrapping_add(FRAMING);
        if (name.len() | value.len()) >= 0x80 || len >= 0x80 || name.is_empty() || value.is_empty()
        {
            writer.put_rest(rest);
            writer.write_message(LABELS, label)?;
            rest = writer.take_rest();
            continue;
        }
        let Some((slot, tail)) = rest.split_at_mut_checked(len.wrapping_add(2)) else {
            return Err(BufferFull);
        };
        rest = tail;
        write_usual_label(slot, len, name, value);
    }
    writer.put_rest(rest);
    Ok(())
}

/// Fills `slot` with a label in its usual shape.
#[inline]
fn write_usual_label(slot: &mut [u8], len: usize, name: &[u8], value: &[u8]) {
    let [tag, len_byte, name_tag, name_len, slot @ ..] = slot else { return };
    (*tag, *len_byte) = (LABELS_BYTE, low_byte(len));
    (*name_tag, *name_len) = (0x0a, low_byte(name.len()));
    let Some((name_slot, slot)) = slot.split_at_mut_checked(name.len()) else { return };
    copy_short(name_slot, name);
    let [value_tag, value_len, value_slot @ ..] = slot else { return };
    (*value_tag, *value_len) = (0x12, low_byte(value.len()));
    copy_short(value_slot, value);
}

/// A length that is known to be under 128.
#[inline]
#[allow(clippy::as_conversions)]
const fn low_byte(len: usize) -> u8 {
    len as u8
}

/// Copies a string of under 128 bytes with moves of fixed size from both ends, which overlap in the
/// middle: cheaper than a call to `memcpy` with a length that changes every time.
#[inline]
fn copy_short(to: &mut [u8], from: &[u8]) {
    if copy_ends::<8>(to, from) || copy_ends::<4>(to, from) || copy_ends::<16>(to, from) {
        return;
    }
    match (to, from) {
        ([x], [a]) => *x = *a,
        ([x, y], [a, b]) => (*x, *y) = (*a, *b),
        ([x, y, z], [a, b, c]) => (*x, *y, *z) = (*a, *b, *c),
        (to, from) if to.len() == from.len() => to.copy_from_slice(from),
        _ => {}
    }
}

/// Copies `N` to `2 * N` bytes as the first and the last `N`; `false` for any other length.
#[inline]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) -> bool {
    if from.len() > N << 1 || to.len() != from.len() {
        return false;
    }
    let (Some(head), Some(tail)) = (from.first_chunk::<N>(), from.last_chunk::<N>()) else {
        return false;
    };
    if let Some(slot) = to.first_chunk_mut::<N>() {
        *slot = *head;
    }
    if let Some(slot) = to.last_chunk_mut::<N>() {
        *slot = *tail;
    }
    true
}
