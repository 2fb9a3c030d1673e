//! Decoded histograms in flat storage.
//!
//! A histogram has seventeen fields, and a hostile one has none: two bytes of input. So a record
//! holds only the fields that are set, as 64-bit words in field order behind a mask that names them:
//!
//! ```text
//! mask | count | sum | schema | ... | start << 32 | end of a list | ...
//! ```

use alloc::vec::Vec;

use super::histogram::{
    BucketSpan, COUNT_FLOAT, COUNT_INT, CUSTOM_VALUES, Count, Histogram, NEGATIVE_COUNTS,
    NEGATIVE_DELTAS, NEGATIVE_SPANS, POSITIVE_COUNTS, POSITIVE_DELTAS, POSITIVE_SPANS, RESET_HINT,
    ResetHint, SCHEMA, START_TIMESTAMP, SUM, TIMESTAMP, ZERO_COUNT_FLOAT, ZERO_COUNT_INT,
    ZERO_THRESHOLD,
};
use crate::error::DecodeError;
use crate::storage::{DecodeState, index, push, range, vec_bytes};
use crate::wire::{self, BufferFull, Double, Reader, Scalar, Sint64, Tag, Writer};

const NEGATIVE_DELTAS_PACKED: Tag = NEGATIVE_DELTAS.packed();
const NEGATIVE_COUNTS_PACKED: Tag = NEGATIVE_COUNTS.packed();
const POSITIVE_DELTAS_PACKED: Tag = POSITIVE_DELTAS.packed();
const POSITIVE_COUNTS_PACKED: Tag = POSITIVE_COUNTS.packed();
const CUSTOM_VALUES_PACKED: Tag = CUSTOM_VALUES.packed();

/// The histograms of a request. Each list has a `Vec` of its own, because fields may come in any
/// order and several runs.
#[derive(Clone, Default)]
pub(super) struct HistogramStorage {
    /// For each histogram the place of its mask in `words`.
    records: Vec<u32>,
    words: Vec<u64>,
    negative_spans: Vec<BucketSpan>,
    negative_deltas: Vec<i64>,
    negative_counts: Vec<f64>,
    positive_spans: Vec<BucketSpan>,
    positive_deltas: Vec<i64>,
    positive_counts: Vec<f64>,
    custom_values: Vec<f64>,
}

/// Where the lists of a histogram begin.
#[derive(Clone, Copy)]
struct Starts {
    negative_spans: usize,
    negative_deltas: usize,
    negative_counts: usize,
    positive_spans: usize,
    positive_deltas: usize,
    positive_counts: usize,
    custom_values: usize,
}

/// Bits of the mask: which fields have a word.
mod field {
    pub(super) const COUNT_INT: u64 = 1;
    pub(super) const COUNT_FLOAT: u64 = 1 << 1;
    pub(super) const SUM: u64 = 1 << 2;
    pub(super) const SCHEMA: u64 = 1 << 3;
    pub(super) const ZERO_THRESHOLD: u64 = 1 << 4;
    pub(super) const ZERO_COUNT_INT: u64 = 1 << 5;
    pub(super) const ZERO_COUNT_FLOAT: u64 = 1 << 6;
    pub(super) const RESET_HINT: u64 = 1 << 7;
    pub(super) const TIMESTAMP: u64 = 1 << 8;
    pub(super) const START_TIMESTAMP: u64 = 1 << 9;
    pub(super) const NEGATIVE_SPANS: u64 = 1 << 10;
    pub(super) const NEGATIVE_DELTAS: u64 = 1 << 11;
    pub(super) const NEGATIVE_COUNTS: u64 = 1 << 12;
    pub(super) const POSITIVE_SPANS: u64 = 1 << 13;
    pub(super) const POSITIVE_DELTAS: u64 = 1 << 14;
    pub(super) const POSITIVE_COUNTS: u64 = 1 << 15;
    pub(super) const CUSTOM_VALUES: u64 = 1 << 16;
}

/// The fields of a histogram that are no lists, while it is put together.
#[derive(Clone, Copy, Default)]
struct Scalars {
    count: Option<Count>,
    sum: f64,
    schema: i32,
    zero_threshold: f64,
    zero_count: Option<Count>,
    reset_hint: ResetHint,
    timestamp: i64,
    start_timestamp: i64,
}

impl HistogramStorage {
    /// How many histograms there are.
    pub(super) const fn len(&self) -> usize {
        self.records.len()
    }

    const fn starts(&self) -> Starts {
        Starts {
            negative_spans: self.negative_spans.len(),
            negative_deltas: self.negative_deltas.len(),
            negative_counts: self.negative_counts.len(),
            positive_spans: self.positive_spans.len(),
            positive_deltas: self.positive_deltas.len(),
            positive_counts: self.positive_counts.len(),
            custom_values: self.custom_values.len(),
        }
    }

    /// Drops the histograms from `end` on. What their lists held stays, unused.
    pub(super) fn truncate(&mut self, end: u32) {
        self.records.truncate(usize::try_from(end).unwrap_or(usize::MAX));
    }

    pub(super) fn clear(&mut self) {
        self.records.clear();
        self.words.clear();
        self.negative_spans.clear();
        self.negative_deltas.clear();
        self.negative_counts.clear();
        self.positive_spans.clear();
        self.positive_deltas.clear();
        self.positive_counts.clear();
        self.custom_values.clear();
    }

    /// Heap bytes that the storage holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        [
            vec_bytes(&self.records),
            vec_bytes(&self.words),
            vec_bytes(&self.negative_spans),
            vec_bytes(&self.negative_deltas),
            vec_bytes(&self.negative_counts),
            vec_bytes(&self.positive_spans),
            vec_bytes(&self.positive_deltas),
            vec_bytes(&self.positive_counts),
            vec_bytes(&self.custom_values),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    /// Reads the histogram whose tag has just been read.
    pub(super) fn read(
        &mut self,
        reader: &mut Reader<'_>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        state.count_element_at(reader)?;
        let mut reader = reader.read_message()?;
        let start = self.starts();
        let mut scalars = Scalars::default();
        while let Some(tag) = reader.next_tag()? {
            match tag {
                COUNT_INT => scalars.count = Some(Count::Int(reader.read_uint64()?)),
                COUNT_FLOAT => scalars.count = Some(Count::Float(reader.read_double()?)),
                SUM => scalars.sum = reader.read_double()?,
                SCHEMA => scalars.schema = reader.read_sint32()?,
                ZERO_THRESHOLD => scalars.zero_threshold = reader.read_double()?,
                ZERO_COUNT_INT => scalars.zero_count = Some(Count::Int(reader.read_uint64()?)),
                ZERO_COUNT_FLOAT => {
                    scalars.zero_count = Some(Count::Float(reader.read_double()?));
                }
                NEGATIVE_SPANS => read_span(&mut reader, state, &mut self.negative_spans)?,
                NEGATIVE_DELTAS | NEGATIVE_DELTAS_PACKED => {
                    read_list::<Sint64>(&mut reader, state, tag, &mut self.negative_deltas)?;
                }
                NEGATIVE_COUNTS | NEGATIVE_COUNTS_PACKED => {
                    read_list::<Double>(&mut reader, state, tag, &mut self.negative_counts)?;
                }
                POSITIVE_SPANS => read_span(&mut reader, state, &mut self.positive_spans)?,
                POSITIVE_DELTAS | POSITIVE_DELTAS_PACKED => {
                    read_list::<Sint64>(&mut reader, state, tag, &mut self.positive_deltas)?;
                }
                POSITIVE_COUNTS | POSITIVE_COUNTS_PACKED => {
                    read_list::<Double>(&mut reader, state, tag, &mut self.positive_counts)?;
                }
                RESET_HINT => scalars.reset_hint = ResetHint(reader.read_enum()?),
                TIMESTAMP => scalars.timestamp = reader.read_int64()?,
                CUSTOM_VALUES | CUSTOM_VALUES_PACKED => {
                    read_list::<Double>(&mut reader, state, tag, &mut self.custom_values)?;
                }
                START_TIMESTAMP => scalars.start_timestamp = reader.read_int64()?,
                _ => state.skip_field(&mut reader, tag)?,
            }
        }
        self.push_record(&scalars, &start);
        Ok(())
    }

    /// Appends a copy of `histogram`.
    #[cfg(feature = "prost")]
    pub(super) fn push(&mut self, histogram: &Histogram<'_>) {
        let start = self.starts();
        self.negative_spans.extend_from_slice(histogram.negative_spans);
        self.negative_deltas.extend_from_slice(histogram.negative_deltas);
        self.negative_counts.extend_from_slice(histogram.negative_counts);
        self.positive_spans.extend_from_slice(histogram.positive_spans);
        self.positive_deltas.extend_from_slice(histogram.positive_deltas);
        self.positive_counts.extend_from_slice(histogram.positive_counts);
        self.custom_values.extend_from_slice(histogram.custom_values);
        let scalars = Scalars {
            count: histogram.count,
            sum: histogram.sum,
            schema: histogram.schema,
            zero_threshold: histogram.zero_threshold,
            zero_count: histogram.zero_count,
            reset_hint: histogram.reset_hint,
            timestamp: histogram.timestamp,
            start_timestamp: histogram.start_timestamp,
        };
        self.push_record(&scalars, &start);
    }

    /// Appends the record of a histogram whose lists are all that was added since `start`.
    fn push_record(&mut self, scalars: &Scalars, start: &Starts) {
        let mask_at = self.words.len();
        push(&mut self.records, index(mask_at));
        push(&mut self.words, 0);
        let words = &mut self.words;
        let mut mask = 0;
        let mut set = |field: u64, word: u64| {
            mask |= field;
            push(words, word);
        };
        match scalars.count {
            None => {}
            Some(Count::Int(count)) => set(field::COUNT_INT, count),
            Some(Count::Float(count)) => set(field::COUNT_FLOAT, count.to_bits()),
        }
        if scalars.sum.to_bits() != 0 {
            set(field::SUM, scalars.sum.to_bits());
        }
        if scalars.schema != 0 {
            set(field::SCHEMA, u64::from(scalars.schema.cast_unsigned()));
        }
        if scalars.zero_threshold.to_bits() != 0 {
            set(field::ZERO_THRESHOLD, scalars.zero_threshold.to_bits());
        }
        match scalars.zero_count {
            None => {}
            Some(Count::Int(count)) => set(field::ZERO_COUNT_INT, count),
            Some(Count::Float(count)) => set(field::ZERO_COUNT_FLOAT, count.to_bits()),
        }
        if scalars.reset_hint.0 != 0 {
            set(field::RESET_HINT, u64::from(scalars.reset_hint.0.cast_unsigned()));
        }
        if scalars.timestamp != 0 {
            set(field::TIMESTAMP, scalars.timestamp.cast_unsigned());
        }
        if scalars.start_timestamp != 0 {
            set(field::START_TIMESTAMP, scalars.start_timestamp.cast_unsigned());
        }
        for (field, start, end) in [
            (field::NEGATIVE_SPANS, start.negative_spans, self.negative_spans.len()),
            (field::NEGATIVE_DELTAS, start.negative_deltas, self.negative_deltas.len()),
            (field::NEGATIVE_COUNTS, start.negative_counts, self.negative_counts.len()),
            (field::POSITIVE_SPANS, start.positive_spans, self.positive_spans.len()),
            (field::POSITIVE_DELTAS, start.positive_deltas, self.positive_deltas.len()),
            (field::POSITIVE_COUNTS, start.positive_counts, self.positive_counts.len()),
            (field::CUSTOM_VALUES, start.custom_values, self.custom_values.len()),
        ] {
            if end > start {
                set(field, u64::from(index(start)) << 32 | u64::from(index(end)));
            }
        }
        if let Some(slot) = self.words.get_mut(mask_at) {
            *slot = mask;
        }
    }

    /// The histogram whose mask is at `record`.
    fn view(&self, record: u32) -> Histogram<'_> {
        let at = usize::try_from(record).unwrap_or(usize::MAX);
        let mut words = self.words.get(at..).unwrap_or_default().iter().copied();
        let mask = words.next().unwrap_or(0);
        let mut word = |field| if mask & field != 0 { words.next() } else { None };
        Histogram {
            count: word(field::COUNT_INT).map(Count::Int).or_else(|| {
                word(field::COUNT_FLOAT).map(|bits| Count::Float(f64::from_bits(bits)))
            }),
            sum: f64::from_bits(word(field::SUM).unwrap_or(0)),
            schema: low32(word(field::SCHEMA)).cast_signed(),
            zero_threshold: f64::from_bits(word(field::ZERO_THRESHOLD).unwrap_or(0)),
            zero_count: word(field::ZERO_COUNT_INT).map(Count::Int).or_else(|| {
                word(field::ZERO_COUNT_FLOAT).map(|bits| Count::Float(f64::from_bits(bits)))
            }),
            reset_hint: ResetHint(low32(word(field::RESET_HINT)).cast_signed()),
            timestamp: word(field::TIMESTAMP).unwrap_or(0).cast_signed(),
            start_timestamp: word(field::START_TIMESTAMP).unwrap_or(0).cast_signed(),
            negative_spans: list(&self.negative_spans, word(field::NEGATIVE_SPANS)),
            negative_deltas: list(&self.negative_deltas, word(field::NEGATIVE_DELTAS)),
            negative_counts: list(&self.negative_counts, word(field::NEGATIVE_COUNTS)),
            positive_spans: list(&self.positive_spans, word(field::POSITIVE_SPANS)),
            positive_deltas: list(&self.positive_deltas, word(field::POSITIVE_DELTAS)),
            positive_counts: list(&self.positive_counts, word(field::POSITIVE_COUNTS)),
            custom_values: list(&self.custom_values, word(field::CUSTOM_VALUES)),
        }
    }
}

#[inline(always)]
fn read_span(
    reader: &mut Reader<'_>,
    state: &mut DecodeState,
    spans: &mut Vec<BucketSpan>,
) -> Result<(), DecodeError> {
    state.count_element_at(reader)?;
    push(spans, BucketSpan::read(reader, state)?);
    Ok(())
}

fn read_list<S: Scalar>(
    reader: &mut Reader<'_>,
    state: &mut DecodeState,
    tag: Tag,
    list: &mut Vec<S::Value>,
) -> Result<(), DecodeError> {
    // No value takes less than a byte: mostly there is no need to count them one by one.
    if state.has_elements(reader.rest().len()) {
        let before = list.len();
        reader.read_repeated::<S>(tag, |value| {
            push(list, value);
            Ok(())
        })?;
        state.count_elements(list.len().saturating_sub(before));
        return Ok(());
    }
    reader.read_repeated::<S>(tag, |value| {
        state.count_element()?;
        push(list, value);
        Ok(())
    })
}

#[inline]
#[allow(clippy::as_conversions)]
fn low32(word: Option<u64>) -> u32 {
    word.unwrap_or(0) as u32
}

/// The part of `items` that a word `start << 32 | end` names.
#[inline]
fn list<T>(items: &[T], word: Option<u64>) -> &[T] {
    word.map_or(&[], |word| range(items, low32(Some(word >> 32)), low32(Some(word))))
}

/// The histograms of a series: the caller's slice, or a range of decoded storage.
#[derive(Clone, Copy)]
pub struct Histograms<'s>(Source<'s>);

#[derive(Clone, Copy)]
enum Source<'s> {
    Slice(&'s [Histogram<'s>]),
    Stored { records: &'s [u32], storage: &'s HistogramStorage },
}

impl<'s> Histograms<'s> {
    pub(super) const fn slice(histograms: &'s [Histogram<'s>]) -> Self {
        Self(Source::Slice(histograms))
    }

    pub(super) fn stored(storage: &'s HistogramStorage, start: u32, end: u32) -> Self {
        Self(Source::Stored { records: range(&storage.records, start, end), storage })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Source::Slice(histograms) => histograms.len(),
            Source::Stored { records, .. } => records.len(),
        }
    }

    /// The histogram at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Histogram<'s>> {
        match self.0 {
            Source::Slice(histograms) => histograms.get(index).copied(),
            Source::Stored { records, storage } => {
                records.get(index).map(|&record| storage.view(record))
            }
        }
    }

    /// Bytes of the histograms as fields `tag` of a series.
    pub(super) fn fields_len(&self, tag: Tag, start: bool) -> usize {
        self.iter().fold(0, |sum: usize, histogram| {
            sum.saturating_add(wire::message_len(tag, histogram.len(start)))
        })
    }

    /// Writes the histograms as fields `tag` of a series.
    pub(super) fn write_fields(
        &self,
        writer: &mut Writer<'_>,
        tag: Tag,
        start: bool,
    ) -> Result<(), BufferFull> {
        self.iter().try_for_each(|histogram| {
            writer.write_len(tag, histogram.len(start))?;
            histogram.write(writer, start)
        })
    }
}

crate::storage::impl_list! {
    /// Iterates over [`Histograms`].
    Histograms, HistogramsIter, ['s], Histogram<'s>
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Encode;

    fn stored(bytes: &[u8]) -> HistogramStorage {
        let mut storage = HistogramStorage::default();
        let mut reader = Reader::new(bytes).unwrap();
        while reader.next_tag().unwrap().is_some() {
            storage.read(&mut reader, &mut DecodeState::strict()).unwrap();
        }
        storage
    }

    #[test]
    fn golden_bytes_both_ways() {
        let bytes =
            b"\x08\x04\x19\0\0\0\0\0\0\x24\x40\x20\x69\x30\x00\x5a\x02\x10\x02\x62\x02\x02\x04\
            \x70\x03\x78\x63\x82\x01\x10\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\x04\x40";
        let expected = Histogram {
            count: Some(Count::Int(4)),
            sum: 10.0,
            schema: -53,
            zero_count: Some(Count::Int(0)),
            positive_spans: &[BucketSpan::new(0, 2)],
            positive_deltas: &[1, 2],
            reset_hint: ResetHint::GAUGE,
            timestamp: 99,
            custom_values: &[0.5, 2.5],
            ..Histogram::default()
        };
        let len = u8::try_from(bytes.len()).unwrap();
        let storage = stored(&[&[0x22, len], &bytes[..]].concat());
        assert_eq!(Histograms::stored(&storage, 0, 1).get(0), Some(expected));
        assert_eq!(expected.encode_to_vec().as_deref(), Ok(&bytes[..]));
    }

    #[test]
    fn lists_in_runs_and_both_forms_stay_apart() {
        // negative and positive fields interleaved, packed and not, then an empty histogram
        let bytes = b"\x22\x16\x42\x02\x10\x01\x48\x02\x5a\x02\x10\x02\x62\x01\x04\x42\x02\x10\x03\
            \x4a\x01\x06\x60\x08\x22\x00";
        let storage = stored(bytes);
        let all = Histograms::stored(&storage, 0, 2);
        let expected = Histogram {
            negative_spans: &[BucketSpan::new(0, 1), BucketSpan::new(0, 3)],
            negative_deltas: &[1, 3],
            positive_spans: &[BucketSpan::new(0, 2)],
            positive_deltas: &[2, 4],
            ..Histogram::default()
        };
        assert!(all.iter().eq([expected, Histogram::default()]));
    }
}
