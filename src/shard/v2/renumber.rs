//! A series with the numbers that its symbols have in a part.

use alloc::vec::Vec;

use crate::remote_write::v2::{COMMON_SYMBOLS_END, Request};
use crate::wire::{
    self, MAX_VARINT32_BYTES, Reader, Tag, WireType, low_byte, put_varint32, split_varint,
};

pub(super) const SYMBOLS: Tag = Tag::new(4, WireType::Len);
/// Of series and exemplars.
const LABELS_REFS: Tag = Tag::new(1, WireType::Varint);
const LABELS_REFS_PACKED: Tag = LABELS_REFS.packed();
const EXEMPLARS: Tag = Tag::new(4, WireType::Len);
const METADATA: Tag = Tag::new(5, WireType::Len);
const HELP_REF: Tag = Tag::new(3, WireType::Varint);
const UNIT_REF: Tag = Tag::new(4, WireType::Varint);

/// The numbers of the symbols in the current part.
#[derive(Clone, Default)]
pub(super) struct Numbering {
    /// For each symbol of the request the part that has it, and its number there.
    numbers: Vec<(usize, u32)>,
    /// The symbols of all parts, by their numbers in the request.
    pub(super) symbols: Vec<u32>,
    /// The current part, from 1.
    part: usize,
    /// Where its symbols begin.
    pub(super) start: usize,
    /// Bytes of its symbols.
    pub(super) len: usize,
    /// The number of the part's first symbol.
    first: u32,
}

/// Messages on their way into others.
#[derive(Clone, Default)]
pub(super) struct Scratch {
    pub(super) series: Vec<u8>,
    inner: Vec<u8>,
    refs: Vec<u8>,
    /// Room for the references of a usual series.
    usual: Vec<u8>,
}

impl Numbering {
    pub(super) fn start(&mut self, request: &Request<'_>) {
        self.numbers.clear();
        self.numbers.resize(request.symbols().len(), (0, 0));
        self.symbols.clear();
        self.part = 0;
        self.first = if request.has_common_symbols() { COMMON_SYMBOLS_END } else { 0 };
    }

    /// Begins a part, with the first symbol, which all have: the empty one, as a rule.
    pub(super) fn start_part(&mut self, request: &Request<'_>) {
        self.part = self.part.saturating_add(1);
        self.start = self.symbols.len();
        self.symbols.push(0);
        self.len = wire::string_len(SYMBOLS, request.symbols().get(0).unwrap_or_default());
    }

    /// The number in the current part of what is `reference` in the request.
    #[inline]
    fn number(&mut self, reference: u32, request: &Request<'_>) -> u32 {
        let at = usize::try_from(reference).unwrap_or(usize::MAX);
        match self.numbers.get(at) {
            Some(&(part, number)) if part == self.part => number,
            _ => self.new_number(reference, request),
        }
    }

    /// The same for what the part has not used before.
    #[inline(never)]
    fn new_number(&mut self, reference: u32, request: &Request<'_>) -> u32 {
        if reference < self.first {
            return reference;
        }
        let at = usize::try_from(reference).unwrap_or(usize::MAX);
        let Some(slot) = self.numbers.get_mut(at) else { return 0 };
        let symbols = request.symbols();
        let text = symbols.get(reference).unwrap_or_default();
        // Texts are not compared: the first one may be long, and named by every reference.
        let first_is_empty = || symbols.get(0).unwrap_or_default().is_empty();
        if reference == 0 || (text.is_empty() && first_is_empty()) {
            return 0;
        }
        let place = self.symbols.len().saturating_sub(self.start);
        let place = u32::try_from(place).unwrap_or(u32::MAX);
        *slot = (self.part, self.first.saturating_add(place));
        self.symbols.push(reference);
        self.len = self.len.saturating_add(wire::string_len(SYMBOLS, text));
        slot.1
    }

    /// Forgets the symbols behind the first `symbols` ones.
    pub(super) fn truncate(&mut self, symbols: usize, len: usize) {
        for &reference in self.symbols.get(symbols..).unwrap_or_default() {
            let at = usize::try_from(reference).unwrap_or(usize::MAX);
            if let Some(slot) = self.numbers.get_mut(at) {
                *slot = (0, 0);
            }
        }
        self.symbols.truncate(symbols);
        self.len = len;
    }
}

impl Scratch {
    /// Makes `series` the content of the series in `record`, its references numbered anew.
    pub(super) fn rewrite(
        &mut self,
        record: &[u8],
        request: &Request<'_>,
        numbering: &mut Numbering,
    ) {
        let Self { series, inner, refs, usual } = self;
        series.clear();
        if rewrite_usual(record, request, numbering, usual, series) {
            return;
        }
        // The record was decoded before: nothing is wrong with it.
        let Some(message) = content(record) else { return };
        rewrite_refs(message.clone(), request, numbering, refs);
        if !refs.is_empty() {
            append(series, LABELS_REFS_PACKED, refs);
        }
        for_each_field(message, |tag, field| match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {}
            EXEMPLARS => {
                let Some(message) = content(field) else { return };
                inner.clear();
                rewrite_refs(message.clone(), request, numbering, refs);
                if !refs.is_empty() {
                    append(inner, LABELS_REFS_PACKED, refs);
                }
                for_each_field(message, |tag, field| {
                    if !matches!(tag, LABELS_REFS | LABELS_REFS_PACKED) {
                        inner.extend_from_slice(field);
                    }
                });
                append(series, EXEMPLARS, inner);
            }
            METADATA => {
                let Some(message) = content(field) else { return };
                inner.clear();
                for_each_field(message, |tag, field| {
                    if !matches!(tag, HELP_REF | UNIT_REF) {
                        return inner.extend_from_slice(field);
                    }
                    append_varint(inner, tag.value().into());
                    let number = numbering.number(reference(field), request);
                    append_varint(inner, number.into());
                });
                append(series, METADATA, inner);
            }
            _ => series.extend_from_slice(field),
        });
    }
}

/// Appends the content of a series that is what most are: one block of references, and behind it no others.
/// Returns `false`, with nothing appended, if it is anything else.
#[inline]
fn rewrite_usual(
    record: &[u8],
    request: &Request<'_>,
    numbering: &mut Numbering,
    usual: &mut Vec<u8>,
    series: &mut Vec<u8>,
) -> bool {
    const BLOCK_BYTES: usize = 0x7f;
    let [0x2a, 0..0x80, 0x0a, len @ 1..0x80, content @ ..] = record else { return false };
    let Some((mut refs, behind)) = content.split_at_checked(usize::from(*len)) else {
        return false;
    };
    if !is_without_refs(behind) {
        return false;
    }
    // No reference takes less than a byte.
    usual.resize(BLOCK_BYTES * MAX_VARINT32_BYTES, 0);
    let mut end = 0;
    while let Ok((reference, rest)) = split_varint(refs) {
        // The low 32 bits, as everywhere.
        let reference = u32::try_from(reference & 0xffff_ffff).unwrap_or(0);
        end = put_varint32(usual, end, numbering.number(reference, request));
        refs = rest;
    }
    append(series, LABELS_REFS_PACKED, usual.get(..end).unwrap_or_default());
    series.extend_from_slice(behind);
    true
}

/// Whether the fields of a series are samples, histograms, and metadata that says nothing, each under 128
/// bytes.
#[inline]
fn is_without_refs(fields: &[u8]) -> bool {
    let mut rest = fields;
    loop {
        rest = match rest {
            [] => return true,
            [0x2a, 0, behind @ ..] => behind,
            [0x12 | 0x1a, len @ 0..0x80, behind @ ..] => match behind.get(usize::from(*len)..) {
                Some(behind) => behind,
                None => return false,
            },
            _ => return false,
        };
    }
}

/// Makes `refs` the references of labels in `message`, numbered anew.
fn rewrite_refs(
    mut message: Reader<'_>,
    request: &Request<'_>,
    numbering: &mut Numbering,
    refs: &mut Vec<u8>,
) {
    refs.clear();
    while let Ok(Some(tag)) = message.next_tag() {
        let read = match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {
                message.read_repeated::<wire::Uint32>(tag, |reference| {
                    append_varint(refs, numbering.number(reference, request).into());
                    Ok(())
                })
            }
            _ => message.skip_field(tag),
        };
        if read.is_err() {
            return;
        }
    }
}

/// The message in a field.
fn content(field: &[u8]) -> Option<Reader<'_>> {
    let mut reader = Reader::new(field).ok()?;
    reader.next_tag().ok()??;
    reader.read_message().ok()
}

/// The reference in a field.
fn reference(field: &[u8]) -> u32 {
    let Ok(mut reader) = Reader::new(field) else { return 0 };
    match reader.next_tag() {
        Ok(Some(_)) => reader.read_uint32().unwrap_or(0),
        _ => 0,
    }
}

/// Calls `each` with the tag and the bytes of each field.
fn for_each_field(mut message: Reader<'_>, mut each: impl FnMut(Tag, &[u8])) {
    loop {
        let before = message.rest();
        let Ok(Some(tag)) = message.next_tag() else { return };
        let Ok(()) = message.skip_field(tag) else { return };
        let len = before.len().saturating_sub(message.rest().len());
        each(tag, before.get(..len).unwrap_or_default());
    }
}

pub(super) fn append(out: &mut Vec<u8>, tag: Tag, content: &[u8]) {
    append_varint(out, tag.value().into());
    append_varint(out, u64::try_from(content.len()).unwrap_or(u64::MAX));
    out.extend_from_slice(content);
}

fn append_varint(out: &mut Vec<u8>, value: u64) {
    let mut value = value;
    while value >= 0x80 {
        out.push(low_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(low_byte(value));
}
