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

use crate::error::DecodeError;
use crate::message::{Decode, Encode};
use crate::storage::{DecodeState, push};
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

/// Takes the labels at the front of `text`, which is where `reader` stands. Returns whether that was
/// all of `text`; nothing is taken if the limits might not allow so many labels, which must then be
/// counted one by one.
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
    left.is_empty()
}

/// The label at the front of `text`, if it has the usual shape, and the text behind it.
#[inline]
fn take_usual_label(text: &str) -> Option<(Label<'_>, &str)> {
    let head = u32::from_le_bytes(*text.as_bytes().first_chunk()?);
    // Both tags, and both lengths under 128.
    if head & 0x80ff_80ff != 0x000a_000a {
        return None;
    }
    let (len, name_len) = (to_usize(head >> 8 & 0x7f), to_usize(head >> 24));
    // First of all the next label's place: the loop waits for nothing else.
    let (record, rest) = text.split_at_checked(len.wrapping_add(2))?;
    let (_, record) = record.split_at_checked(4)?;
    let (name, record) = record.split_at_checked(name_len)?;
    let value_head = u16::from_le_bytes(*record.as_bytes().first_chunk()?);
    let (_, value) = record.split_at_checked(2)?;
    if usize::from(value_head) != 0x12 | value.len() << 8 {
        return None;
    }
    Some((Label { name, value }, rest))
}

/// A length of under 32 bits.
#[inline]
#[allow(clippy::as_conversions)]
const fn to_usize(len: u32) -> usize {
    len as usize
}

/// The label at the front of `text` in any other shape, and the text behind it; `None` at the end of
/// the labels, or if anything is wrong with the label, which is then reported where places are known.
#[cold]
fn take_unusual_label<'a>(text: &'a str, state: &mut DecodeState) -> Option<(Label<'a>, &'a str)> {
    let [LABELS_BYTE, len @ 0..0x80, ..] = *text.as_bytes() else {
        return None;
    };
    let (record, rest) = text.split_at_checked(usize::from(len).wrapping_add(2))?;
    let mut reader = Reader::new(record.as_bytes()).ok()?;
    reader.next_tag().ok()?;
    // In text that was checked as a whole a string can still be half a character, when the other
    // half passes for an unknown field's tag.
    let mut strict = DecodeState::strict();
    let label = Label::read(&mut reader, &mut strict).ok()?;
    state.unknown_fields |= strict.unknown_fields;
    Some((label, rest))
}

/// `n + v + 4` for a label of the usual shape, and some number of 128 and more for any other: one
/// comparison tells them apart, for one label or for many of these or-ed together.
#[inline]
fn usual_len(name: &str, value: &str) -> usize {
    let (name, value) = (name.len(), value.len());
    // An empty string turns into the largest number.
    name.wrapping_add(value).wrapping_add(FRAMING) | name.wrapping_sub(1) | value.wrapping_sub(1)
}

/// Bytes of `labels` as fields of a series or exemplar.
#[inline]
pub(super) fn labels_len(labels: &[Label<'_>]) -> usize {
    let mut text = 0_usize;
    let mut longest = 0_usize;
    for label in labels {
        text = text.wrapping_add(label.name.len()).wrapping_add(label.value.len());
        longest |= usual_len(label.name, label.value);
    }
    if longest < 0x80 {
        // Nothing wrapped: each label is under 128 bytes.
        labels.len().wrapping_mul(FRAMING.wrapping_add(2)).wrapping_add(text)
    } else {
        long_labels_len(labels)
    }
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
    for label in labels {
        if usual_len(label.name, label.value) < 0x80 {
            write_usual_label(writer, label)?;
        } else {
            writer.write_message(LABELS, label)?;
        }
    }
    Ok(())
}

/// Writes a label of the usual shape into one slot.
#[inline]
fn write_usual_label(writer: &mut Writer<'_>, label: &Label<'_>) -> Result<(), BufferFull> {
    let (name, value) = (label.name.as_bytes(), label.value.as_bytes());
    let len = name.len().wrapping_add(value.len()).wrapping_add(FRAMING);
    let slot = writer.take(len.wrapping_add(2))?;
    let (head, slot) = slot.split_first_chunk_mut::<4>().ok_or(BufferFull)?;
    *head = [LABELS_BYTE, low_byte(len), 0x0a, low_byte(name.len())];
    let (to, slot) = slot.split_at_mut_checked(name.len()).ok_or(BufferFull)?;
    copy_short(to, name);
    let (head, slot) = slot.split_first_chunk_mut::<2>().ok_or(BufferFull)?;
    *head = [0x12, low_byte(value.len())];
    let (to, _) = slot.split_at_mut_checked(value.len()).ok_or(BufferFull)?;
    copy_short(to, value);
    Ok(())
}

/// A length that is known to be under 128.
#[inline]
#[allow(clippy::as_conversions)]
const fn low_byte(len: usize) -> u8 {
    len as u8
}

/// Copies a string of 1 to 127 bytes with two moves of fixed size, from both ends, which overlap in
/// the middle: cheaper than a call to `memcpy` with a length that changes every time.
#[inline]
fn copy_short(to: &mut [u8], from: &[u8]) {
    match from.len() {
        8..=16 => copy_ends::<8>(to, from),
        17..=32 => copy_ends::<16>(to, from),
        4..=7 => copy_ends::<4>(to, from),
        2..=3 => copy_ends::<2>(to, from),
        _ if to.len() == from.len() => to.copy_from_slice(from),
        _ => {}
    }
}

/// Copies `N` to `2 * N` bytes as the first and the last `N`.
#[inline]
fn copy_ends<const N: usize>(to: &mut [u8], from: &[u8]) {
    if let (Some(head), Some(slot)) = (from.first_chunk::<N>(), to.first_chunk_mut::<N>()) {
        *slot = *head;
    }
    if let (Some(tail), Some(slot)) = (from.last_chunk::<N>(), to.last_chunk_mut::<N>()) {
        *slot = *tail;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeErrorKind;
    use alloc::string::String;
    use alloc::vec;

    fn read(text: &str) -> (Vec<Label<'_>>, &str) {
        let mut labels = Vec::new();
        let rest = take_labels(text, &mut labels, &mut DecodeState::strict());
        (labels, rest)
    }

    #[test]
    fn golden_bytes_both_ways() {
        let bytes = b"\x0a\x08__name__\x12\x02up";
        let label = Label::new("__name__", "up");
        assert_eq!(Label::decode(bytes), Ok(label));
        assert_eq!(label.encode_to_vec().as_deref(), Ok(&bytes[..]));
        assert_eq!(Label::decode(b"\x0a\x00\x12\x00"), Ok(Label::default()));
        assert_eq!(Label::default().encode_to_vec().as_deref(), Ok(&[][..]));
    }

    #[test]
    fn faults_have_kind_and_place() {
        let fault = |bytes| {
            let error = Label::decode(bytes).unwrap_err();
            (error.kind(), error.field_number(), error.offset())
        };
        assert_eq!(fault(b"\x0a\x05ab"), (DecodeErrorKind::Truncated, 1, 1));
        assert_eq!(fault(b"\x0a\x01a\x12\x03b\xffc"), (DecodeErrorKind::InvalidUtf8, 2, 6));
    }

    #[test]
    fn every_shape_is_taken_from_a_region() {
        // usual; value first; no value; empty; unknown field; name twice
        let text = "\n\x06\n\x01a\x12\x01b\n\x06\x12\x01b\n\x01a\n\x03\n\x01a\n\0\
                    \n\x08\n\x01a\x12\x01b\x18\x07\n\x06\n\x01x\n\x01a";
        let (labels, rest) = read(text);
        let (ab, a) = (Label::new("a", "b"), Label::new("a", ""));
        assert_eq!((labels, rest), (vec![ab, ab, a, Label::default(), ab, a], ""));
    }

    #[test]
    fn a_region_is_taken_as_far_as_it_is_labels() {
        let (labels, rest) = read("\n\x06\n\x01a\x12\x01b\x12\x02\x10\x01");
        assert_eq!((labels.len(), rest), (1, "\x12\x02\x10\x01"));
        // a label that is cut off, and one whose string passes its end
        assert_eq!(read("\n\x06\n\x01a\x12").1, "\n\x06\n\x01a\x12");
        assert_eq!(read("\n\x03\n\x05abc").1, "\n\x03\n\x05abc");
        // half a character, whose other half is an unknown field's tag
        assert_eq!(read("\n\x07\n\x01\u{e9}\x01ab").1, "\n\x07\n\x01\u{e9}\x01ab");
    }

    #[test]
    fn lengths_are_exact_where_a_byte_more_is_needed() {
        let long: String = "v".repeat(20_000);
        for value in
            [0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 32, 33, 120, 121, 122, 123, 124, 127, 128, 16_384]
        {
            for name in [0, 1, 3, 5, 127, 128] {
                let labels = [Label::new(&long[..name], &long[..value]), Label::new("a", "b")];
                let mut out = vec![0xaa; labels_len(&labels) + 3];
                let mut writer = Writer::new(&mut out);
                write_labels(&mut writer, &labels).unwrap();
                let written = writer.written();
                assert_eq!(written + 3, out.len(), "{name} and {value} bytes");
                assert_eq!(out[written..], [0xaa; 3]);
                let mut reader = Reader::new(&out[..written]).unwrap();
                for label in labels {
                    assert_eq!(reader.next_tag(), Ok(Some(LABELS)));
                    assert_eq!(Label::read(&mut reader, &mut DecodeState::strict()), Ok(label));
                }
                let mut short = vec![0; written - 1];
                assert!(write_labels(&mut Writer::new(&mut short), &labels).is_err());
            }
        }
    }
}
