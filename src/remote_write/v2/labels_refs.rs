//! `labels_refs`: the labels of a series or exemplar, as references to symbols.
//!
//! ```text
//! 1 labels_refs  repeated uint32, packed or not: name, value, name, value ...
//! ```
//!
//! Nearly every reference takes one or two bytes, so a pair is split off a word of four.

use alloc::vec::Vec;

use super::symbols::read_ref;
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::remote_write::model::label::Label;
use crate::remote_write::model::symbol_table::SymbolTable;
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

/// `labels_refs` of series and exemplars.
pub(super) const LABELS_REFS: Tag = Tag::new(1, WireType::Varint);
pub(super) const LABELS_REFS_PACKED: Tag = LABELS_REFS.packed();

/// References that come in pairs, in any number of runs.
#[derive(Default)]
pub(super) struct RefPairs<'a> {
    /// The name that still lacks its value.
    name: Option<&'a str>,
}

impl<'a> RefPairs<'a> {
    /// Reads the references whose tag has just been read.
    #[inline]
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'a, '_>,
        tag: Tag,
        symbols: &SymbolTable<'a>,
        labels: &mut Vec<Label<'a>>,
        expanded: &mut u64,
    ) -> Result<(), DecodeError> {
        if tag == LABELS_REFS {
            return self.read_ref(cursor, symbols, labels, expanded);
        }
        let mut block = cursor.read_block()?;
        if self.name.is_none() && block.has_elements(block.rest().len() >> 1) {
            let before = labels.len();
            let rest = take_pairs(block.rest(), 0, symbols, labels, expanded);
            block.advance_to(rest);
            block.count_elements(labels.len().saturating_sub(before));
        }
        while !block.rest().is_empty() {
            self.read_ref(&mut block, symbols, labels, expanded)?;
        }
        Ok(())
    }

    #[cold]
    fn read_ref(
        &mut self,
        cursor: &mut Cursor<'a, '_>,
        symbols: &SymbolTable<'a>,
        labels: &mut Vec<Label<'a>>,
        expanded: &mut u64,
    ) -> Result<(), DecodeError> {
        let Some(name) = self.name.take() else {
            cursor.count_element()?;
            self.name = Some(read_ref(cursor, symbols)?);
            return Ok(());
        };
        let value = read_ref(cursor, symbols)?;
        *expanded = expanded.wrapping_add(text_bytes(name, value));
        push(labels, Label::new(name, value));
        Ok(())
    }

    /// Checks that all names got a value, at the end of the message in `cursor`.
    #[inline]
    pub(super) fn finish(&self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        if self.name.is_some() {
            cursor.content_fault_in(LABELS_REFS, DecodeErrorKind::OddRefs)?;
        }
        Ok(())
    }
}

/// Appends the labels that `bytes` name up to the last `behind` of them, as far as they are pairs
/// of references of up to four bytes that the table has, and returns the rest. `expanded` counts
/// the bytes of their text.
#[inline]
pub(super) fn take_pairs<'a, 'b>(
    bytes: &'b [u8],
    behind: usize,
    symbols: &SymbolTable<'a>,
    labels: &mut Vec<Label<'a>>,
    expanded: &mut u64,
) -> &'b [u8] {
    let mut rest = bytes;
    let mut text = 0_u64;
    while let Some((name, value, tail)) = split_pair(rest)
        && tail.len() >= behind
        && let (Some(name), Some(value)) = (symbols.get(name), symbols.get(value))
    {
        text = text.wrapping_add(text_bytes(name, value));
        push(labels, Label::new(name, value));
        rest = tail;
    }
    // No body is so large that this could wrap.
    *expanded = expanded.wrapping_add(text);
    rest
}

/// Bytes of a label's text.
#[inline(always)]
#[allow(clippy::as_conversions)]
const fn text_bytes(name: &str, value: &str) -> u64 {
    (name.len() as u64).wrapping_add(value.len() as u64)
}

/// The two references at the front of `refs`, if each takes up to four bytes, and the bytes behind
/// them.
#[inline(always)]
fn split_pair(refs: &[u8]) -> Option<(u32, u32, &[u8])> {
    let one = |word: u32| word & 0x7f;
    let two = |word: u32| word & 0x7f | word >> 1 & 0x3f80;
    let Some((word, _)) = refs.split_first_chunk() else {
        return split_long_pair(refs);
    };
    let word = u32::from_le_bytes(*word);
    // The continuation bits tell the lengths.
    let (name, value, len) = if word & 0x8080 == 0 {
        (one(word), one(word >> 8), 2)
    } else if word & 0x0080_8080 == 0x8000 {
        (one(word), two(word >> 8), 3)
    } else if word & 0x8080_8080 == 0x0080_0080 {
        (two(word), two(word >> 16), 4)
    } else if word & 0x0080_8080 == 0x0080 {
        (two(word), one(word >> 16), 3)
    } else {
        return split_long_pair(refs);
    };
    Some((name, value, refs.get(len..)?))
}

/// The two references at the front of `refs` byte by byte, out of the way of the others.
#[cold]
#[inline(never)]
fn split_long_pair(refs: &[u8]) -> Option<(u32, u32, &[u8])> {
    let (name, rest) = split_ref(refs)?;
    let (value, rest) = split_ref(rest)?;
    Some((name, value, rest))
}

#[inline]
fn split_ref(refs: &[u8]) -> Option<(u32, &[u8])> {
    let low = |byte: u8, shift: u32| u32::from(byte & 0x7f) << shift;
    Some(match *refs {
        [a @ 0..0x80, ref rest @ ..] => (a.into(), rest),
        [a, b @ 0..0x80, ref rest @ ..] => (low(a, 0) | low(b, 7), rest),
        [a, b, c @ 0..0x80, ref rest @ ..] => (low(a, 0) | low(b, 7) | low(c, 14), rest),
        [a, b, c, d @ 0..0x80, ref rest @ ..] => {
            (low(a, 0) | low(b, 7) | low(c, 14) | low(d, 21), rest)
        }
        _ => return None,
    })
}

/// Bytes of a packed field of references that take `refs` bytes, with a tag of one byte.
#[inline]
pub(super) fn block_len(refs: usize) -> usize {
    if refs == 0 { 0 } else { wire::message_len(LABELS_REFS_PACKED, refs) }
}

/// Writes references that are varints already as a packed field.
#[inline]
pub(super) fn write_block(writer: &mut Writer<'_>, refs: &[u8]) -> Result<(), BufferFull> {
    if refs.is_empty() { Ok(()) } else { writer.write_bytes(LABELS_REFS_PACKED, refs) }
}
