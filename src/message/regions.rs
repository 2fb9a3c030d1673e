//! Messages of a name and a value: the labels of series and exemplars, the structured metadata of
//! log lines.
//!
//! ```text
//! 1 name   string
//! 2 value  string
//! ```
//!
//! Most of a request is such pairs, so their usual shape has a path of its own, both ways: name and
//! value present, in this order, everything under 128 bytes. `T` is the tag of the field that holds
//! the pair.
//!
//! ```text
//! T L  0a n name  12 v value      L = n + v + 4; the field takes L + 2 bytes
//! ```

use alloc::vec::Vec;

use super::columns::push;
use super::cursor::{Cursor, State};
use super::fields::{text_len, write_text};
use crate::wire::error::DecodeError;
use crate::wire::{
    self, BufferFull, Reader, Tag, WireType, Writer, impossible, low_byte_of, text_region,
    text_run_len, to_usize,
};

const NAME: Tag = Tag::new(1, WireType::Len);
const VALUE: Tag = Tag::new(2, WireType::Len);

/// The framing of a pair in its usual shape: two tags and lengths.
const FRAMING: usize = 4;

/// A name and a value.
pub(crate) trait Pair<'a>: Copy {
    fn new(name: &'a str, value: &'a str) -> Self;
    fn name(&self) -> &'a str;
    fn value(&self) -> &'a str;
}

/// Reads the pair whose tag has just been read.
#[inline]
pub(crate) fn read_pair<'a, P: Pair<'a>>(cursor: &mut Cursor<'a, '_>) -> Result<P, DecodeError> {
    let mut pair = P::new("", "");
    merge_pair(&mut pair, &mut cursor.read_message()?)?;
    Ok(pair)
}

/// Reads all fields up to the end of `cursor` into `pair`.
pub(crate) fn merge_pair<'a, P: Pair<'a>>(
    pair: &mut P,
    cursor: &mut Cursor<'a, '_>,
) -> Result<(), DecodeError> {
    let (mut name, mut value) = (pair.name(), pair.value());
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            NAME => name = cursor.read_string()?,
            VALUE => value = cursor.read_string()?,
            _ => cursor.skip_field(tag)?,
        }
    }
    *pair = P::new(name, value);
    Ok(())
}

/// Bytes of the message.
#[inline]
pub(crate) fn pair_len<'a>(pair: &impl Pair<'a>) -> usize {
    text_len(NAME, pair.name()).saturating_add(text_len(VALUE, pair.value()))
}

pub(crate) fn write_pair<'a>(
    writer: &mut Writer<'_>,
    pair: &impl Pair<'a>,
) -> Result<(), BufferFull> {
    write_text(writer, NAME, pair.name())?;
    write_text(writer, VALUE, pair.value())
}

/// Appends the pairs at the front of `text`, which was checked as a whole, and returns the rest:
/// nothing if `text` is a run of whole, well-formed pairs with one-byte lengths.
///
/// Each step of the loop depends on the one before by a single load, of the four bytes in front of
/// the name: they tell where the next pair is.
// Apart from the loop over records, which has registers enough for itself only.
#[inline(never)]
pub(crate) fn take_pairs<'a, const T: u8, P: Pair<'a>>(
    text: &'a str,
    pairs: &mut Vec<P>,
    state: &mut State,
) -> &'a str {
    let mut rest = text;
    loop {
        let taken = match take_usual_pair::<T, P>(rest) {
            Some(taken) => taken,
            None if rest.is_empty() => return rest,
            None => match take_unusual_pair::<T, P>(rest, state) {
                Some(taken) => taken,
                None => return rest,
            },
        };
        push(pairs, taken.0);
        rest = taken.1;
    }
}

/// Takes the pairs at the front of `text`, which is where `cursor` stands. Returns whether that was
/// all of `text`; nothing is taken if the limits might not allow so many pairs, which must then be
/// counted one by one.
#[inline]
pub(crate) fn take_region<'a, const T: u8, P: Pair<'a>>(
    cursor: &mut Cursor<'a, '_>,
    text: &'a str,
    pairs: &mut Vec<P>,
) -> bool {
    if !cursor.has_elements(text.len() >> 1) {
        return false;
    }
    let before = pairs.len();
    let left = take_pairs::<T, P>(text, pairs, cursor.state());
    let taken = text.len().saturating_sub(left.len());
    cursor.advance_to(cursor.rest().get(taken..).unwrap_or_else(impossible));
    cursor.count_elements(pairs.len().saturating_sub(before));
    left.is_empty()
}

/// Takes the pairs of field `T` that lie side by side where `cursor` stands, as one region. Returns
/// whether there were none, or all of them could be taken so.
#[inline]
pub(crate) fn take_run<'a, const T: u8, P: Pair<'a>>(
    cursor: &mut Cursor<'a, '_>,
    pairs: &mut Vec<P>,
) -> bool {
    if cursor.rest().first() != Some(&T) {
        return true;
    }
    let run = text_run_len(cursor.rest(), T);
    match text_region(cursor.rest().get(..run).unwrap_or_else(impossible)) {
        Some(text) => take_region::<T, _>(cursor, text, pairs),
        None => false,
    }
}

/// The pair at the front of `text`, if it has the usual shape, and the text behind it.
#[inline]
fn take_usual_pair<'a, const T: u8, P: Pair<'a>>(text: &'a str) -> Option<(P, &'a str)> {
    let head = u32::from_le_bytes(*text.as_bytes().first_chunk()?);
    // Both tags, and both lengths under 128.
    if head & 0x80ff_80ff != u32::from_le_bytes([T, 0, 0x0a, 0]) {
        return None;
    }
    let (len, name_len) = (to_usize(head >> 8 & 0x7f), to_usize(head >> 24));
    // First of all the next pair's place: the loop waits for nothing else.
    let (record, rest) = text.split_at_checked(len.wrapping_add(2))?;
    let (_, record) = record.split_at_checked(4)?;
    let (name, record) = record.split_at_checked(name_len)?;
    let value_head = u16::from_le_bytes(*record.as_bytes().first_chunk()?);
    let (_, value) = record.split_at_checked(2)?;
    if usize::from(value_head) != 0x12 | value.len() << 8 {
        return None;
    }
    Some((P::new(name, value), rest))
}

/// The pair at the front of `text` in any other shape, and the text behind it; `None` at the end of
/// the pairs, or if anything is wrong with the pair, which is then reported where places are known.
#[cold]
fn take_unusual_pair<'a, const T: u8, P: Pair<'a>>(
    text: &'a str,
    state: &mut State,
) -> Option<(P, &'a str)> {
    let [tag, len @ 0..0x80, ..] = *text.as_bytes() else {
        return None;
    };
    if tag != T {
        return None;
    }
    let (record, rest) = text.split_at_checked(usize::from(len).wrapping_add(2))?;
    // In text that was checked as a whole a string can still be half a character, when the other
    // half passes for an unknown field's tag.
    let mut strict = State::strict().with_deny_unknown_fields(state.denies_unknown_fields());
    let mut cursor = Cursor::over(Reader::new(record.as_bytes()).ok()?, &mut strict);
    cursor.next_tag().ok()?;
    let pair = read_pair(&mut cursor).ok()?;
    state.note_unknown(strict.unknown_fields());
    Some((pair, rest))
}

/// `n + v + 4` for a pair of the usual shape, and some number of 128 and more for any other: one
/// comparison tells them apart, for one pair or for many of these or-ed together.
#[inline]
fn usual_len(name: &str, value: &str) -> usize {
    let (name, value) = (name.len(), value.len());
    // An empty string turns into the largest number.
    name.wrapping_add(value).wrapping_add(FRAMING) | name.wrapping_sub(1) | value.wrapping_sub(1)
}

/// Bytes of `pairs` as fields with a tag of one byte.
#[inline]
pub(crate) fn pairs_len<'a>(pairs: &[impl Pair<'a>]) -> usize {
    let mut text = 0_usize;
    let mut longest = 0_usize;
    for pair in pairs {
        text = text.wrapping_add(pair.name().len()).wrapping_add(pair.value().len());
        longest |= usual_len(pair.name(), pair.value());
    }
    if longest < 0x80 {
        // Nothing wrapped: each pair is under 128 bytes.
        pairs.len().wrapping_mul(FRAMING.wrapping_add(2)).wrapping_add(text)
    } else {
        long_pairs_len(pairs)
    }
}

/// Bytes of `pairs` where a length takes more than a byte.
fn long_pairs_len<'a>(pairs: &[impl Pair<'a>]) -> usize {
    // Any tag of one byte.
    pairs
        .iter()
        .fold(0, |sum: usize, pair| sum.saturating_add(wire::message_len(NAME, pair_len(pair))))
}

/// Writes `pairs` as fields whose tag is the one byte `T`.
#[inline]
pub(crate) fn write_pairs<'a, const T: u8, P: Pair<'a>>(
    writer: &mut Writer<'_>,
    pairs: &[P],
) -> Result<(), BufferFull> {
    for pair in pairs {
        if usual_len(pair.name(), pair.value()) < 0x80 {
            write_usual_pair::<T>(writer, pair.name().as_bytes(), pair.value().as_bytes())?;
        } else {
            let len = pair_len(pair);
            writer.write_len(const { Tag::of_byte(T) }, len)?;
            // A writer of its own: handing out a reference to this one would keep it in memory.
            write_pair(&mut Writer::new(writer.take(len)?), pair)?;
        }
    }
    Ok(())
}

/// Writes a pair of the usual shape into one slot.
#[inline]
fn write_usual_pair<const T: u8>(
    writer: &mut Writer<'_>,
    name: &[u8],
    value: &[u8],
) -> Result<(), BufferFull> {
    let len = name.len().wrapping_add(value.len()).wrapping_add(FRAMING);
    let slot = writer.take(len.wrapping_add(2))?;
    let (head, slot) = slot.split_first_chunk_mut::<4>().ok_or(BufferFull)?;
    *head = [T, low_byte_of(len), 0x0a, low_byte_of(name.len())];
    let (to, slot) = slot.split_at_mut_checked(name.len()).ok_or(BufferFull)?;
    copy_short(to, name);
    let (head, slot) = slot.split_first_chunk_mut::<2>().ok_or(BufferFull)?;
    *head = [0x12, low_byte_of(value.len())];
    let (to, _) = slot.split_at_mut_checked(value.len()).ok_or(BufferFull)?;
    copy_short(to, value);
    Ok(())
}

/// Copies a string of 1 to 127 bytes with two moves of fixed size, from both ends, which overlap in
/// the middle: cheaper than a call to `memcpy` with a length that changes every time.
#[inline]
pub(crate) fn copy_short(to: &mut [u8], from: &[u8]) {
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
