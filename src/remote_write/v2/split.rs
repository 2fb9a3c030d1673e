//! Splitting requests of 2.0: each part with the symbols that it uses, and no others.
//!
//! Series are copied but for their references, which are numbered anew in the order in which a part
//! uses them. References of labels are joined into one packed field at the front of their message.

use alloc::vec::Vec;

use super::common_symbols::COMMON_SYMBOLS_END;
use super::exemplar::EXEMPLARS;
use super::format::Format;
use super::labels_refs::{LABELS_REFS, LABELS_REFS_PACKED};
use super::metadata::{HELP_REF, METADATA, UNIT_REF};
use super::refs::{SeriesRefs, is_left_out};
use super::request::Request;
use super::symbols::SYMBOLS;
use super::time_series::TIMESERIES;
#[cfg(feature = "prost")]
use super::{
    exemplar::{exemplar_len, write_exemplar},
    metadata::{metadata_len, write_metadata},
    options::EncodeOptions,
    time_series::{series_values_len, write_values},
};
use crate::message::request::{DecodeRequest, Raw, Skipped};
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::label_edits::Splice;
#[cfg(feature = "prost")]
use crate::remote_write::model::metadata::MetadataRefs;
use crate::remote_write::model::record_kind::RecordKind;
use crate::remote_write::model::time_series::TimeSeries;
use crate::shard::{
    Numbering, Place, Scratch, SplitRequest, append_message, append_varint, sealed,
};
use crate::wire::{
    self, BufferFull, MAX_VARINT32_BYTES, Reader, Tag, Writer, impossible, put_varint32,
    split_varint, to_usize,
};

impl<'a> SplitRequest for Request<'a> {
    type Record<'s>
        = TimeSeries<'s, 'a>
    where
        Self: 's;

    #[inline]
    fn records_len(&self, kind: RecordKind) -> usize {
        match kind {
            RecordKind::TimeSeries => self.timeseries().len(),
            RecordKind::Metadata => 0,
        }
    }

    #[inline]
    fn record(&self, kind: RecordKind, index: usize) -> Option<TimeSeries<'_, 'a>> {
        match kind {
            RecordKind::TimeSeries => self.timeseries().get(index),
            RecordKind::Metadata => None,
        }
    }
}

impl sealed::Records for Request<'_> {
    type Kind = RecordKind;
    type Fields = Extensions;

    fn position_in_body(&self, kind: RecordKind, index: usize) -> usize {
        DecodeRequest::index_in_body(self, kind, index)
    }

    fn fields_len(extensions: &Extensions) -> usize {
        extensions.source_len().saturating_add(extensions.flags_len())
    }

    fn write_fields(
        extensions: &Extensions,
        place: Place,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match place {
            Place::Front => extensions.write_source(writer),
            Place::Between => Ok(()),
            Place::Behind => extensions.write_flags(writer),
        }
    }

    #[inline]
    fn body_bytes(&self) -> &[u8] {
        self.body()
    }

    #[inline]
    fn first_raws(&self) -> impl ExactSizeIterator<Item = Raw> {
        self.storage.timeseries.iter().map(|row| row.raw)
    }

    fn index_at(&self, _: RecordKind, start: u32) -> Option<usize> {
        self.storage.timeseries.binary_search_by_key(&start, |row| row.raw.start).ok()
    }

    /// Series are never written but with a part's symbols.
    fn record_len(&self, _: RecordKind, _: usize) -> usize {
        0
    }

    fn write_record(&self, _: RecordKind, _: usize, _: &mut Writer<'_>) -> Result<(), BufferFull> {
        Ok(())
    }

    #[inline]
    fn table(&self) -> Option<&dyn sealed::Table> {
        Some(self)
    }
}

impl sealed::Table for Request<'_> {
    fn first(&self) -> u32 {
        match self.format() {
            Format::Standard => 0,
            Format::MimirRecord => COMMON_SYMBOLS_END,
        }
    }

    fn len(&self) -> usize {
        self.symbols().len()
    }

    fn entry_len(&self, number: u32) -> usize {
        wire::string_len(SYMBOLS, self.symbols().get(number).unwrap_or_default())
    }

    fn write_entry(&self, number: u32, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_string(SYMBOLS, self.symbols().get(number).unwrap_or_default())
    }

    fn record_tag(&self) -> Tag {
        TIMESERIES
    }

    fn rewrite(&self, index: usize, numbering: &mut Numbering, scratch: &mut Scratch) {
        let mut numbers = Numbers { numbering, request: self, added: &[] };
        match self.raw_timeseries(index) {
            Some(record) => {
                numbers.rewrite(record, self.left_out_of(index), &Edited::default(), scratch);
            }
            None => numbers.rewrite_generated(index, scratch),
        }
    }
}

/// The numbers that the symbols of a request have in the current part.
pub(super) struct Numbers<'n, 'r, 'a> {
    pub(super) numbering: &'n mut Numbering,
    pub(super) request: &'r Request<'a>,
    /// Bytes of the symbols that are added behind the request's.
    pub(super) added: &'n [usize],
}

/// What changes of a series' labels.
#[derive(Clone, Copy, Default)]
pub(super) struct Edited<'e> {
    pub(super) splices: &'e [Splice],
    /// The numbers of each edit's name and value in the request.
    pub(super) pairs: &'e [(u32, u32)],
}

impl Numbers<'_, '_, '_> {
    /// The number in the current part of what is `reference` in the request.
    #[inline]
    fn of(&mut self, reference: u32) -> u32 {
        let Self { request, added, .. } = *self;
        self.numbering.number(reference, || new_symbol_len(request, added, reference))
    }

    /// Makes `scratch.record` the content of the series in `record` but for `left_out`, its
    /// references numbered anew.
    pub(super) fn rewrite(
        &mut self,
        record: &[u8],
        mut left_out: &[Skipped<RecordKind>],
        edited: &Edited<'_>,
        scratch: &mut Scratch,
    ) {
        let Scratch { record: series, inner, refs, usual } = scratch;
        series.clear();
        if let Some((block, behind)) = split_usual(record) {
            let end = self.rewrite_block(block, edited, usual);
            if end > 0 {
                let refs = usual.get(..end).unwrap_or_else(impossible);
                append_message(series, LABELS_REFS_PACKED, refs);
            }
            series.extend_from_slice(behind);
            return;
        }
        // The record was decoded before: nothing is wrong with it.
        let Some(message) = content(record) else { return impossible() };
        if edited.splices.is_empty() {
            rewrite_refs(message.clone(), self, refs);
        } else {
            self.edit_refs(record, edited, refs);
        }
        if !refs.is_empty() {
            append_message(series, LABELS_REFS_PACKED, refs);
        }
        let mut position = 0;
        for_each_field(message, |tag, field| match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {}
            EXEMPLARS => {
                if is_left_out(&mut left_out, &mut position) {
                    return;
                }
                let Some(message) = content(field) else { return impossible() };
                inner.clear();
                rewrite_refs(message.clone(), self, refs);
                if !refs.is_empty() {
                    append_message(inner, LABELS_REFS_PACKED, refs);
                }
                for_each_field(message, |tag, field| {
                    if !matches!(tag, LABELS_REFS | LABELS_REFS_PACKED) {
                        inner.extend_from_slice(field);
                    }
                });
                append_message(series, EXEMPLARS, inner);
            }
            METADATA => {
                let Some(message) = content(field) else { return impossible() };
                inner.clear();
                for_each_field(message, |tag, field| {
                    if !matches!(tag, HELP_REF | UNIT_REF) {
                        return inner.extend_from_slice(field);
                    }
                    append_varint(inner, tag.value().into());
                    append_varint(inner, self.of(reference(field)).into());
                });
                append_message(series, METADATA, inner);
            }
            _ => series.extend_from_slice(field),
        });
    }
}

impl Numbers<'_, '_, '_> {
    /// Writes the references of `block` as they are edited, numbered anew, to the front of `out`,
    /// and tells where they end.
    #[inline]
    fn rewrite_block(&mut self, block: &[u8], edited: &Edited<'_>, out: &mut Vec<u8>) -> usize {
        const BLOCK_BYTES: usize = 0x7f;
        // No reference takes less than a byte.
        let most = edited.splices.len().saturating_mul(2).saturating_add(BLOCK_BYTES);
        let room = most.saturating_mul(MAX_VARINT32_BYTES);
        if out.len() < room {
            out.resize(room, 0);
        }
        let mut rest = block;
        let mut take = || {
            let (reference, behind) = split_varint(rest).ok()?;
            rest = behind;
            // The low 32 bits, as everywhere.
            Some(u32::try_from(reference & 0xffff_ffff).unwrap_or_else(|_| impossible()))
        };
        let mut end = 0;
        let mut label = 0_u32;
        for splice in edited.splices {
            while label < splice.label {
                let (Some(name), Some(value)) = (take(), take()) else { return impossible() };
                end = put_varint32(out, end, self.of(name));
                end = put_varint32(out, end, self.of(value));
                label = label.wrapping_add(1);
            }
            let mut pair = edited.pair(splice);
            if splice.cuts {
                // Its name stays.
                let (name, _) = (take(), take());
                pair = pair.and_then(|(_, value)| Some((name?, value)));
                label = label.wrapping_add(1);
            }
            if let Some((name, value)) = pair {
                end = put_varint32(out, end, self.of(name));
                end = put_varint32(out, end, self.of(value));
            }
        }
        while let Some(reference) = take() {
            end = put_varint32(out, end, self.of(reference));
        }
        end
    }

    /// Makes `refs` the references of the labels in `record` as they are edited, numbered anew.
    fn edit_refs(&mut self, record: &[u8], edited: &Edited<'_>, refs: &mut Vec<u8>) {
        refs.clear();
        let Some(own) = SeriesRefs::new(record, &[]) else { return impossible() };
        let mut own = own.labels();
        let mut label = 0_u32;
        let mut splices = edited.splices.iter().peekable();
        let mut end = 0;
        let mut put = |numbers: &mut Self, (name, value): (u32, u32)| {
            refs.resize(refs.len().saturating_add(2 * MAX_VARINT32_BYTES), 0);
            end = put_varint32(refs, end, numbers.of(name));
            end = put_varint32(refs, end, numbers.of(value));
            refs.truncate(end);
        };
        loop {
            while let Some(splice) = splices.next_if(|splice| splice.label == label && !splice.cuts)
            {
                if let Some(pair) = edited.pair(splice) {
                    put(self, pair);
                }
            }
            let (Some(name), Some(value)) = (own.next(), own.next()) else { return };
            match splices.next_if(|splice| splice.label == label) {
                None => put(self, (name, value)),
                Some(splice) => {
                    if let Some((_, value)) = edited.pair(splice) {
                        put(self, (name, value));
                    }
                }
            }
            label = label.saturating_add(1);
        }
    }
}

impl Edited<'_> {
    /// What `splice` puts in its place, if anything.
    fn pair(&self, splice: &Splice) -> Option<(u32, u32)> {
        splice.edit().map(|edit| self.pairs.get(edit).copied().unwrap_or_else(impossible))
    }
}

/// Series of a request that was made of generated types, which alone know their references.
impl Numbers<'_, '_, '_> {
    #[cfg(not(feature = "prost"))]
    fn rewrite_generated(&mut self, _: usize, _: &mut Scratch) {
        // Without generated types every request has a body.
        impossible()
    }

    #[cfg(feature = "prost")]
    fn rewrite_generated(&mut self, index: usize, scratch: &mut Scratch) {
        let Scratch { record: series, refs, .. } = scratch;
        series.clear();
        let Some(view) = self.request.timeseries().get(index) else { return };
        let Some(generated) = self.request.generated_series(index) else { return };
        self.renumber(&generated.labels_refs, refs);
        if !refs.is_empty() {
            append_message(series, LABELS_REFS_PACKED, refs);
        }
        let options = EncodeOptions::new();
        append_with(series, series_values_len(&view, &options), |writer| {
            write_values(writer, &view, &options)
        });
        for (exemplar, generated) in view.exemplars().iter().zip(&generated.exemplars) {
            self.renumber(&generated.labels_refs, refs);
            let len = wire::message_len(EXEMPLARS, exemplar_len(refs.len(), &exemplar));
            append_with(series, len, |writer| write_exemplar(writer, refs, &exemplar));
        }
        if let Some(metadata) = &generated.metadata {
            let mut metadata = MetadataRefs::from(metadata);
            metadata.help_ref = self.of(metadata.help_ref);
            metadata.unit_ref = self.of(metadata.unit_ref);
            let len = wire::message_len(METADATA, metadata_len(&metadata));
            append_with(series, len, |writer| {
                writer.write_len(METADATA, metadata_len(&metadata))?;
                write_metadata(writer, &metadata)
            });
        }
    }

    /// Makes `numbers` the numbers of `refs`, as they go on the wire.
    #[cfg(feature = "prost")]
    fn renumber(&mut self, refs: &[u32], numbers: &mut Vec<u8>) {
        numbers.clear();
        for &reference in refs {
            append_varint(numbers, self.of(reference).into());
        }
    }
}

/// Appends what `write` writes, `len` bytes.
#[cfg(feature = "prost")]
fn append_with(
    out: &mut Vec<u8>,
    len: usize,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
) {
    let start = out.len();
    out.resize(start.saturating_add(len), 0);
    let mut writer = Writer::new(out.get_mut(start..).unwrap_or_else(impossible));
    // It has just the room that it needs.
    if write(&mut writer).is_err() {
        impossible()
    }
}

/// Bytes of a symbol that a part has not used before; `None` if the first symbol is as good.
fn new_symbol_len(request: &Request<'_>, added: &[usize], reference: u32) -> Option<usize> {
    let symbols = request.symbols();
    if let Some(at) = to_usize(reference).checked_sub(symbols.len())
        && let Some(len) = added.get(at)
    {
        return Some(*len);
    }
    let text = symbols.get(reference).unwrap_or_default();
    // Texts are not compared: the first one may be long, and named by every reference.
    if text.is_empty() && symbols.get(0).unwrap_or_default().is_empty() {
        return None;
    }
    Some(wire::string_len(SYMBOLS, text))
}

/// The references of a series that is what most are, one block of them, and what is behind it,
/// where there are no others.
#[inline]
fn split_usual(record: &[u8]) -> Option<(&[u8], &[u8])> {
    let [0x2a, 0..0x80, 0x0a, len @ 1..0x80, content @ ..] = record else { return None };
    content.split_at_checked(usize::from(*len)).filter(|(_, behind)| is_without_refs(behind))
}

/// Whether the fields of a series are samples, histograms, and metadata that says nothing, each
/// under 128 bytes.
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
fn rewrite_refs(mut message: Reader<'_>, numbers: &mut Numbers<'_, '_, '_>, refs: &mut Vec<u8>) {
    refs.clear();
    while let Ok(Some(tag)) = message.next_tag() {
        let read = match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {
                message.read_repeated::<wire::Uint32>(tag, |reference| {
                    append_varint(refs, numbers.of(reference).into());
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
    let read = || {
        let mut reader = Reader::new(field).ok()?;
        reader.next_tag().ok()??;
        reader.read_uint32().ok()
    };
    read().unwrap_or_else(impossible)
}

/// Calls `each` with the tag and the bytes of each field.
fn for_each_field(mut message: Reader<'_>, mut each: impl FnMut(Tag, &[u8])) {
    loop {
        let before = message.rest();
        let Ok(Some(tag)) = message.next_tag() else { return };
        let Ok(()) = message.skip_field(tag) else { return impossible() };
        let len = before.len().saturating_sub(message.rest().len());
        each(tag, before.get(..len).unwrap_or_else(impossible));
    }
}
