//! Requests of 1.0 put together value by value, in any order of series.
//!
//! What is appended under the same labels becomes one series, in the order in which the series came
//! up first. Labels, exemplars, histograms and metadata are kept as they go on the wire, so that
//! writing the request is copying.

use alloc::vec::Vec;
use core::hash::{BuildHasher, Hasher};

use hashbrown::hash_table::Entry;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::message::Message;
use super::metadata::MetricMetadata;
use super::time_series::{CREATED_TIMESTAMP, EXEMPLARS, HISTOGRAMS, LABELS};
use super::write_request::{METADATA, TIMESERIES};
use crate::message::columns::{clear_table, index, sum, vec_bytes};
use crate::message::fields::{int64_len, write_int64};
use crate::remote_write::model::exemplar::Exemplar;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::histogram::Histogram;
use crate::remote_write::model::label::Label;
use crate::remote_write::model::sample::{Sample, ValueForm, samples_len, write_samples};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer, impossible, to_usize};

/// A request of 1.0 that grows. Its memory is used again.
#[derive(Default)]
pub(crate) struct Appender {
    pub(crate) extensions: Extensions,
    /// The labels of all series, as fields.
    labels: Vec<u8>,
    rows: Vec<Row>,
    /// The last row of each set of labels.
    by_labels: HashTable<u32>,
    hasher: DefaultHashBuilder,
    samples: Vec<Linked<Sample>>,
    /// Exemplars and histograms, as fields of their series.
    fields: Vec<u8>,
    pieces: Vec<Linked<Range>>,
    /// Metadata entries, as fields of the request.
    metadata: Vec<u8>,
    entries: Vec<MetadataRow>,
    /// The last entry of each family.
    by_family: HashTable<u32>,
    exemplars_len: usize,
    histograms_len: usize,
    /// Bytes of all series as fields of the request.
    series_len: usize,
}

/// Bytes of a column.
#[derive(Clone, Copy, Default)]
struct Range {
    start: u32,
    end: u32,
}

impl Range {
    fn of(self, bytes: &[u8]) -> &[u8] {
        bytes.get(to_usize(self.start)..to_usize(self.end)).unwrap_or_else(impossible)
    }
}

#[derive(Clone, Copy)]
struct Row {
    labels: Range,
    hash: u64,
    /// Bytes of the message.
    len: u32,
    samples: Chain,
    exemplars: Chain,
    histograms: Chain,
    created_timestamp: i64,
}

/// The first and the last element of a list, by position; [`NONE`] if there is none.
#[derive(Clone, Copy)]
struct Chain {
    first: u32,
    last: u32,
}

/// An element, and the position of the next one of its list.
#[derive(Clone, Copy)]
struct Linked<T> {
    item: T,
    next: u32,
}

const NONE: u32 = u32::MAX;

impl Chain {
    const EMPTY: Self = Self { first: NONE, last: NONE };

    fn push<T>(&mut self, all: &mut Vec<Linked<T>>, item: T) {
        let position = index(all.len());
        if let Some(last) = all.get_mut(to_usize(self.last)) {
            last.next = position;
        } else {
            self.first = position;
        }
        self.last = position;
        all.push(Linked { item, next: NONE });
    }

    fn iter<T: Copy>(self, all: &[Linked<T>]) -> impl Iterator<Item = T> {
        let mut next = self.first;
        core::iter::from_fn(move || {
            let linked = all.get(to_usize(next))?;
            next = linked.next;
            Some(linked.item)
        })
    }
}

struct MetadataRow {
    field: Range,
    name: Range,
    hash: u64,
}

/// A series of an [`Appender`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SeriesId(u32);

impl Appender {
    /// Forgets the request.
    pub(crate) fn clear(&mut self) {
        self.extensions = Extensions::default();
        self.labels.clear();
        self.rows.clear();
        clear_table(&mut self.by_labels);
        self.samples.clear();
        self.fields.clear();
        self.pieces.clear();
        self.metadata.clear();
        self.entries.clear();
        clear_table(&mut self.by_family);
        self.exemplars_len = 0;
        self.histograms_len = 0;
        self.series_len = 0;
    }

    /// The series whose labels `write` appends with [`append_label`]. A `created_timestamp` that
    /// differs from the series' begins another one of the same labels; 0 is none.
    pub(crate) fn series(
        &mut self,
        created_timestamp: i64,
        write: impl FnOnce(&mut Vec<u8>),
    ) -> SeriesId {
        let Self { rows, labels, by_labels, hasher, .. } = self;
        let start = labels.len();
        write(labels);
        let written = labels.get(start..).unwrap_or_else(impossible);
        let mut hasher = hasher.build_hasher();
        hasher.write(written);
        let hash = hasher.finish();
        let row_of = |rows: &[Row], position: u32| rows.get(to_usize(position)).copied();
        let is_same = |position: &u32| {
            row_of(rows, *position)
                .is_some_and(|row| row.hash == hash && row.labels.of(labels) == written)
        };
        let hash_of = |position: &u32| row_of(rows, *position).map_or(0, |row| row.hash);
        let position = index(rows.len());
        let labels = match by_labels.entry(hash, is_same, hash_of) {
            Entry::Occupied(mut found) => {
                let same = *found.get();
                let row = row_of(rows, same);
                labels.truncate(start);
                match row {
                    Some(row)
                        if created_timestamp != 0 && row.created_timestamp != created_timestamp =>
                    {
                        *found.get_mut() = position;
                        row.labels
                    }
                    _ => return SeriesId(same),
                }
            }
            Entry::Vacant(free) => {
                free.insert(position);
                Range { start: index(start), end: index(labels.len()) }
            }
        };
        let len = labels.end.saturating_sub(labels.start);
        rows.push(Row {
            labels,
            hash,
            len: 0,
            samples: Chain::EMPTY,
            exemplars: Chain::EMPTY,
            histograms: Chain::EMPTY,
            created_timestamp,
        });
        self.series_len = self.series_len.saturating_add(wire::message_len(TIMESERIES, 0));
        let id = SeriesId(position);
        let created_len = int64_len(CREATED_TIMESTAMP, created_timestamp);
        self.grow(id, to_usize(len).saturating_add(created_len));
        id
    }

    /// Notes that a series takes `bytes` more.
    fn grow(&mut self, SeriesId(position): SeriesId, bytes: usize) {
        let Some(row) = self.rows.get_mut(to_usize(position)) else { return impossible() };
        let before = wire::message_len(TIMESERIES, to_usize(row.len));
        row.len = row.len.saturating_add(index(bytes));
        let after = wire::message_len(TIMESERIES, to_usize(row.len));
        self.series_len = self.series_len.saturating_add(after).saturating_sub(before);
    }

    pub(crate) fn push_sample(&mut self, series: SeriesId, sample: Sample) {
        if let Some(row) = self.rows.get_mut(to_usize(series.0)) {
            row.samples.push(&mut self.samples, sample);
        }
        self.grow(series, samples_len(&[sample], ValueForm::ALL));
    }

    pub(crate) fn push_exemplar(&mut self, series: SeriesId, exemplar: Exemplar<'_, '_>) {
        let len = wire::message_len(EXEMPLARS, Message(exemplar).encoded_len());
        let field =
            self.append_field(len, |writer| writer.write_message(EXEMPLARS, &Message(exemplar)));
        if let Some(row) = self.rows.get_mut(to_usize(series.0)) {
            row.exemplars.push(&mut self.pieces, field);
        }
        self.exemplars_len = self.exemplars_len.saturating_add(1);
        self.grow(series, len);
    }

    pub(crate) fn push_histogram(&mut self, series: SeriesId, histogram: &Histogram<'_>) {
        let len = wire::message_len(HISTOGRAMS, histogram.encoded_len());
        let field = self.append_field(len, |writer| writer.write_message(HISTOGRAMS, histogram));
        if let Some(row) = self.rows.get_mut(to_usize(series.0)) {
            row.histograms.push(&mut self.pieces, field);
        }
        self.histograms_len = self.histograms_len.saturating_add(1);
        self.grow(series, len);
    }

    fn append_field(
        &mut self,
        len: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) -> Range {
        append_field(&mut self.fields, len, write)
    }

    /// Appends a metadata entry, unless the last one of its family is equal.
    pub(crate) fn push_metadata(&mut self, entry: &MetricMetadata<'_>) {
        let start = self.metadata.len();
        let len = wire::message_len(METADATA, entry.encoded_len());
        let field =
            append_field(&mut self.metadata, len, |writer| writer.write_message(METADATA, entry));
        let mut hasher = self.hasher.build_hasher();
        hasher.write(entry.metric_family_name.as_bytes());
        let hash = hasher.finish();
        let written = field.of(&self.metadata);
        let position = index(self.entries.len());
        let at = |position: u32| self.entries.get(to_usize(position));
        let is_same = |position: &u32| {
            at(*position).is_some_and(|row| {
                row.name.of(&self.metadata) == entry.metric_family_name.as_bytes()
            })
        };
        let hash_of = |position: &u32| at(*position).map_or(0, |row| row.hash);
        match self.by_family.entry(hash, is_same, hash_of) {
            Entry::Occupied(mut found) => {
                let last = at(*found.get());
                if last.is_some_and(|row| row.field.of(&self.metadata) == written) {
                    self.metadata.truncate(start);
                    return;
                }
                *found.get_mut() = position;
            }
            Entry::Vacant(free) => {
                free.insert(position);
            }
        }
        // Help and unit follow the name.
        let behind =
            MetricMetadata { metric_family_name: "", metric_type: Default::default(), ..*entry };
        let name_end = field.end.saturating_sub(index(behind.encoded_len()));
        let name_start = name_end.saturating_sub(index(entry.metric_family_name.len()));
        let name = Range { start: name_start, end: name_end };
        self.entries.push(MetadataRow { field, name, hash });
    }

    pub(crate) fn series_count(&self) -> usize {
        self.rows.len()
    }

    pub(crate) fn samples_count(&self) -> usize {
        self.samples.len()
    }

    pub(crate) fn histograms_count(&self) -> usize {
        self.histograms_len
    }

    pub(crate) fn exemplars_count(&self) -> usize {
        self.exemplars_len
    }

    /// How many samples and histograms there are: what each thing that is appended adds to.
    pub(crate) fn values_count(&self) -> usize {
        self.samples.len().saturating_add(self.histograms_len)
    }

    pub(crate) fn metadata_count(&self) -> usize {
        self.entries.len()
    }

    /// Heap bytes that it holds.
    pub(crate) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.labels),
            vec_bytes(&self.rows),
            self.by_labels.allocation_size(),
            vec_bytes(&self.samples),
            vec_bytes(&self.fields),
            vec_bytes(&self.pieces),
            vec_bytes(&self.metadata),
            vec_bytes(&self.entries),
            self.by_family.allocation_size(),
        ])
    }
}

impl Encode for Appender {
    fn encoded_len(&self) -> usize {
        let around = self.extensions.source_len().saturating_add(self.extensions.flags_len());
        sum([self.series_len, self.metadata.len(), around])
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for row in &self.rows {
            writer.write_len(TIMESERIES, to_usize(row.len))?;
            writer.write_raw(row.labels.of(&self.labels))?;
            for sample in row.samples.iter(&self.samples) {
                write_samples(writer, &[sample], ValueForm::ALL)?;
            }
            for chain in [row.exemplars, row.histograms] {
                for field in chain.iter(&self.pieces) {
                    writer.write_raw(field.of(&self.fields))?;
                }
            }
            write_int64(writer, CREATED_TIMESTAMP, row.created_timestamp)?;
        }
        self.extensions.write_source(writer)?;
        writer.write_raw(&self.metadata)?;
        self.extensions.write_flags(writer)
    }
}

fn append_field(
    out: &mut Vec<u8>,
    len: usize,
    write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
) -> Range {
    let start = out.len();
    out.resize(start.saturating_add(len), 0);
    let mut writer = Writer::new(out.get_mut(start..).unwrap_or_else(impossible));
    if write(&mut writer).is_err() {
        impossible::<()>();
    }
    Range { start: index(start), end: index(out.len()) }
}

/// Appends a label as a field of a series.
#[inline]
pub(crate) fn append_label(out: &mut Vec<u8>, label: Label<'_>) {
    let (name, value) = (label.name.as_bytes(), label.value.as_bytes());
    let len = label.encoded_len();
    // Lengths of one byte: nearly all labels.
    if let Ok(len @ 0..=0x7f) = u8::try_from(len)
        && let (Ok(name_len), Ok(value_len)) = (u8::try_from(name.len()), u8::try_from(value.len()))
        && !name.is_empty()
        && !value.is_empty()
    {
        out.reserve(usize::from(len).saturating_add(2));
        out.extend_from_slice(&[LABELS.byte(), len, 0x0a, name_len]);
        out.extend_from_slice(name);
        out.extend_from_slice(&[0x12, value_len]);
        out.extend_from_slice(value);
        return;
    }
    append_field(out, wire::message_len(LABELS, len), |writer| {
        writer.write_message(LABELS, &label)
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_write::v1::{EncodeOptions, WriteRequest, WriteRequestEncoder};
    use crate::remote_write::{Count, MetricType, RequestSource, TimeSeries};

    #[test]
    fn equals_what_the_encoder_writes() {
        let long = "v".repeat(300);
        let up = [Label::new("__name__", "up"), Label::new("job", &long)];
        let down = [Label::new("__name__", "down"), Label::new("", ""), Label::new("empty", "")];
        let samples = [Sample::new(1.0, 1), Sample::new(2.0, -2), Sample::new(0.0, 0)];
        let trace = [Label::new("trace_id", "ab")];
        let exemplars = [Exemplar::new(&trace, 1.5, 3), Exemplar::new(&[], 0.0, 0)];
        let histogram = Histogram { count: Some(Count::Int(0)), ..Histogram::default() };
        let entries = [
            MetricMetadata::new(MetricType::GAUGE, "up").with_help("Up."),
            MetricMetadata::new(MetricType::UNKNOWN, "").with_unit("s"),
            MetricMetadata::new(MetricType::COUNTER, "up").with_help("Up."),
        ];

        let mut appender = Appender::default();
        for _ in 0..2 {
            appender.clear();
            let mut series = |labels: &[Label<'_>], created| {
                appender.series(created, |out| {
                    labels.iter().for_each(|label| append_label(out, *label));
                })
            };
            let (first, second) = (series(&up, 0), series(&down, 0));
            let later = series(&down, 7);
            assert!(series(&up, 0) == first && series(&down, 7) == later);
            assert!(second != later);
            appender.push_sample(first, samples[0]);
            appender.push_sample(second, samples[0]);
            appender.push_exemplar(first, exemplars[0]);
            appender.push_sample(first, samples[1]);
            appender.push_histogram(later, &histogram);
            appender.push_exemplar(first, exemplars[1]);
            appender.push_sample(first, samples[2]);
            for entry in [0, 0, 1, 2, 2, 1] {
                appender.push_metadata(&entries[entry]);
            }
            appender.extensions = Extensions::new().with_source(RequestSource::OTLP);

            let expected = [
                TimeSeries::new(&up).with_samples(&samples).with_exemplars(&exemplars),
                TimeSeries::new(&down).with_samples(&samples[..1]),
                TimeSeries::new(&down)
                    .with_histograms(core::slice::from_ref(&histogram))
                    .with_created_timestamp(7),
            ];
            let options = EncodeOptions::new()
                .with_extensions(appender.extensions)
                .with_start_timestamps(true);
            let expected = WriteRequestEncoder::new(expected)
                .with_metadata(entries)
                .with_options(options)
                .encode_to_vec()
                .unwrap();
            assert_eq!(appender.encode_to_vec().unwrap(), expected);
            assert_eq!(appender.encoded_len(), expected.len());
            let request = WriteRequest::decode(&expected).unwrap();
            assert_eq!(request.samples_len(), appender.samples_count());
            assert_eq!(request.exemplars_len(), appender.exemplars_count());
            assert_eq!(request.histograms_len(), appender.histograms_count());
            assert_eq!(request.timeseries().len(), appender.series_count());
            assert_eq!(request.metadata().len(), appender.metadata_count());
        }
    }
}
