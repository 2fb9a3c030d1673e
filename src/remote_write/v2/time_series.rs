//! `TimeSeries` of remote write 2.0.
//!
//! ```text
//! 1 labels_refs        repeated uint32, packed or not: name, value, name, value ...
//! 2 samples            repeated Sample
//! 3 histograms         repeated Histogram
//! 4 exemplars          repeated Exemplar
//! 5 metadata           Metadata
//! 6 created_timestamp  int64, milliseconds (until 2.0-rc.3, and Mimir)
//! ```

use alloc::vec::Vec;

use super::exemplar::{read_exemplar, write_exemplar};
use super::metadata::{metadata_len, read_metadata, write_metadata};
use super::symbolizer::SeriesParts;
use crate::defaults::{int64_len, write_int64};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::remote_write::extensions::Extensions;
use crate::remote_write::histogram::Histogram;
use crate::remote_write::label::Label;
use crate::remote_write::sample::{Sample, samples_len, usual_sample, write_samples};
use crate::remote_write::storage::Storage;
use crate::remote_write::symbols::SymbolTable;
use crate::remote_write::time_series::TimeSeries;
use crate::storage::{DecodeState, push, range};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

/// `labels_refs` of series and exemplars.
pub(super) const LABELS_REFS: Tag = Tag::new(1, WireType::Varint);
pub(super) const LABELS_REFS_PACKED: Tag = LABELS_REFS.packed();
pub(super) const SAMPLES: Tag = Tag::new(2, WireType::Len);
pub(super) const HISTOGRAMS: Tag = Tag::new(3, WireType::Len);
pub(super) const EXEMPLARS: Tag = Tag::new(4, WireType::Len);
pub(super) const METADATA: Tag = Tag::new(5, WireType::Len);
pub(super) const CREATED_TIMESTAMP: Tag = Tag::new(6, WireType::Varint);

/// Reads a series from `reader`, all of it.
#[inline]
pub(super) fn read_series<'a>(
    mut reader: Reader<'a>,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> Result<(), DecodeError> {
    if let Some(rest) = take_usual_front(reader.rest(), storage, state) {
        match rest {
            [] => return Ok(()),
            // Metadata that says nothing: senders in Go write it in every series.
            [0x2a, 0x00] => {
                storage.series_metadata.update(storage.timeseries.len(), |_| {});
                return Ok(());
            }
            _ => reader.advance_to(rest),
        }
    }
    let mut labels = RefPairs::default();
    let mut metadata = None;
    while let Some(tag) = reader.next_tag()? {
        match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {
                labels.read(&mut reader, tag, &storage.symbols, &mut storage.labels, state)?;
            }
            SAMPLES => {
                state.count_element_at(&reader)?;
                push(&mut storage.samples, Sample::read(&mut reader, state)?);
            }
            HISTOGRAMS => storage.histograms.read(&mut reader, state)?,
            EXEMPLARS => read_exemplar(&mut reader, storage, state)?,
            METADATA => {
                let merged = metadata.get_or_insert_default();
                read_metadata(&mut reader, merged, &storage.symbols, state)?;
            }
            CREATED_TIMESTAMP => {
                let created = reader.read_int64()?;
                storage.set_created_timestamp(created);
            }
            _ => state.skip_field(&mut reader, tag)?,
        }
    }
    if let Some(metadata) = metadata {
        storage.series_metadata.update(storage.timeseries.len(), |slot| *slot = metadata);
    }
    labels.finish(&reader, state)
}

/// Takes what nearly every series begins with, references in a block of under 128 bytes and a usual sample,
/// and returns the rest; takes nothing where anything is unusual.
#[inline]
fn take_usual_front<'a>(
    series: &'a [u8],
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> Option<&'a [u8]> {
    let [0x0a, len @ 0..0x80, refs @ ..] = series else {
        return None;
    };
    let (_, behind) = refs.split_at_checked(usize::from(*len))?;
    let (0x12, sample) = behind.split_first()? else {
        return None;
    };
    let (sample, rest) = usual_sample(sample)?;
    // As many labels as there may be, and the sample.
    if !state.has_elements(usize::from(*len >> 1).saturating_add(1)) {
        return None;
    }
    let before = storage.labels.len();
    let labels = &mut storage.labels;
    if take_pairs(refs, behind.len(), &storage.symbols, labels).len() != behind.len() {
        labels.truncate(before);
        return None;
    }
    state.count_elements(labels.len().saturating_sub(before).saturating_add(1));
    push(&mut storage.samples, sample);
    Some(rest)
}

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
        reader: &mut Reader<'a>,
        tag: Tag,
        symbols: &SymbolTable<'a>,
        labels: &mut Vec<Label<'a>>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        if tag == LABELS_REFS {
            return self.read_ref(reader, symbols, labels, state);
        }
        let mut block = reader.read_block()?;
        if self.name.is_none() && state.has_elements(block.rest().len() >> 1) {
            let before = labels.len();
            let rest = take_pairs(block.rest(), 0, symbols, labels);
            block.advance_to(rest);
            state.count_elements(labels.len().saturating_sub(before));
        }
        while !block.is_empty() {
            self.read_ref(&mut block, symbols, labels, state)?;
        }
        Ok(())
    }

    #[cold]
    fn read_ref(
        &mut self,
        reader: &mut Reader<'a>,
        symbols: &SymbolTable<'a>,
        labels: &mut Vec<Label<'a>>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        match self.name.take() {
            None => {
                state.count_element_at(reader)?;
                self.name = Some(symbols.read_ref(reader, state)?.1);
            }
            Some(name) => push(labels, Label::new(name, symbols.read_ref(reader, state)?.1)),
        }
        Ok(())
    }

    /// Whether all names got a value, at the end of the message in `reader`.
    #[inline]
    pub(super) fn finish(
        &self,
        reader: &Reader<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        if self.name.is_some() {
            state.content_fault(reader.error_in(LABELS_REFS, DecodeErrorKind::OddRefs))?;
        }
        Ok(())
    }
}

/// Appends the labels that `bytes` name up to the last `behind` of them, as far as they are pairs of
/// references of up to four bytes that the table has, and returns the rest.
#[inline]
fn take_pairs<'a, 'b>(
    bytes: &'b [u8],
    behind: usize,
    symbols: &SymbolTable<'a>,
    labels: &mut Vec<Label<'a>>,
) -> &'b [u8] {
    let mut rest = bytes;
    while let Some((name, value, tail)) = split_pair(rest)
        && tail.len() >= behind
        && let (Some(name), Some(value)) = (symbols.get(name), symbols.get(value))
    {
        push(labels, Label::new(name, value));
        rest = tail;
    }
    rest
}

/// The two references at the front of `refs`, if each takes up to four bytes, and the bytes behind them.
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

/// The same byte by byte, out of the way of the others.
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

/// Whether samples and histograms take over the series' created timestamp: it has no place of its own
/// since 2.0-rc.4.
#[inline]
fn hands_down(series: &TimeSeries<'_, '_>, extensions: &Extensions) -> bool {
    series.created_timestamp() != 0 && !extensions.created_timestamps
}

fn sample_with_start(series: &TimeSeries<'_, '_>, sample: &Sample) -> [Sample; 1] {
    [sample.with_start_timestamp(series.start_timestamp(sample.start_timestamp))]
}

fn histogram_with_start<'s>(
    series: &TimeSeries<'s, '_>,
    histogram: Histogram<'s>,
) -> Histogram<'s> {
    let start_timestamp = series.start_timestamp(histogram.start_timestamp);
    Histogram { start_timestamp, ..histogram }
}

/// Bytes of all fields that hold no references.
#[inline]
pub(super) fn series_values_len(series: &TimeSeries<'_, '_>, extensions: &Extensions) -> usize {
    if hands_down(series, extensions) {
        return handed_down_len(series);
    }
    let mut len = samples_len(SAMPLES, series.samples(), true);
    if !series.histograms().is_empty() {
        len = len.saturating_add(series.histograms().fields_len(HISTOGRAMS, true));
    }
    // Not handed down, so it is 0 or wanted.
    len.saturating_add(int64_len(CREATED_TIMESTAMP, series.created_timestamp()))
}

#[cold]
fn handed_down_len(series: &TimeSeries<'_, '_>) -> usize {
    let samples = series.samples().iter().fold(0, |sum: usize, sample| {
        sum.saturating_add(samples_len(SAMPLES, &sample_with_start(series, sample), true))
    });
    series.histograms().iter().fold(samples, |sum, histogram| {
        let histogram = histogram_with_start(series, histogram);
        sum.saturating_add(wire::message_len(HISTOGRAMS, histogram.len(true)))
    })
}

/// Writes series one behind the other, with the references that were made for them.
pub(super) struct SeriesWriter<'z> {
    refs: &'z [u8],
    exemplar_ends: core::slice::Iter<'z, u32>,
    /// Where the references of the next list of labels begin.
    start: u32,
}

impl<'z> SeriesWriter<'z> {
    pub(super) fn new(refs: &'z [u8], exemplar_ends: &'z [u32]) -> Self {
        Self { refs, exemplar_ends: exemplar_ends.iter(), start: 0 }
    }

    /// Writes the message.
    #[inline]
    pub(super) fn write(
        &mut self,
        writer: &mut Writer<'_>,
        series: &TimeSeries<'_, '_>,
        parts: &SeriesParts,
        extensions: &Extensions,
    ) -> Result<(), BufferFull> {
        write_block(writer, self.refs_up_to(parts.labels_end))?;
        if hands_down(series, extensions) {
            write_handed_down(writer, series)?;
        } else {
            write_samples(writer, SAMPLES, series.samples(), true)?;
            if !series.histograms().is_empty() {
                series.histograms().write_fields(writer, HISTOGRAMS, true)?;
            }
        }
        if !series.exemplars().is_empty() {
            for exemplar in series.exemplars() {
                let end = self.exemplar_ends.next().copied().unwrap_or(self.start);
                write_exemplar(writer, self.refs_up_to(end), &exemplar)?;
            }
        }
        if series.metadata().is_some() {
            writer.write_len(METADATA, metadata_len(&parts.metadata))?;
            write_metadata(writer, &parts.metadata)?;
        }
        if extensions.created_timestamps {
            write_int64(writer, CREATED_TIMESTAMP, series.created_timestamp())?;
        }
        Ok(())
    }

    #[inline]
    fn refs_up_to(&mut self, end: u32) -> &'z [u8] {
        let refs = range(self.refs, self.start, end);
        self.start = end;
        refs
    }
}

#[cold]
fn write_handed_down(
    writer: &mut Writer<'_>,
    series: &TimeSeries<'_, '_>,
) -> Result<(), BufferFull> {
    for sample in series.samples() {
        write_samples(writer, SAMPLES, &sample_with_start(series, sample), true)?;
    }
    series.histograms().iter().try_for_each(|histogram| {
        let histogram = histogram_with_start(series, histogram);
        writer.write_len(HISTOGRAMS, histogram.len(true))?;
        histogram.write(writer, true)
    })
}
