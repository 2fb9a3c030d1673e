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

use super::exemplar::{EXEMPLARS, read_exemplar, write_exemplar};
use super::labels_refs::{LABELS_REFS, LABELS_REFS_PACKED, RefPairs, take_pairs, write_block};
use super::metadata::{METADATA, metadata_bytes, metadata_len, read_metadata, write_metadata};
use super::options::EncodeOptions;
use crate::message::columns::{push, range};
use crate::message::cursor::Cursor;
use crate::message::fields::{int64_len, write_int64};
use crate::remote_write::model::histogram::Histogram;
use crate::remote_write::model::metadata::MetadataRefs;
use crate::remote_write::model::sample::{
    SAMPLES, Sample, ValueForm, samples_len, usual_sample, write_samples,
};
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::error::DecodeError;
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

/// `timeseries` of a request.
pub(super) const TIMESERIES: Tag = Tag::new(5, WireType::Len);

const HISTOGRAMS: Tag = Tag::new(3, WireType::Len);
const CREATED_TIMESTAMP: Tag = Tag::new(6, WireType::Varint);

/// Reads a series from `cursor`, all of it.
#[inline]
pub(super) fn read_series<'a>(
    mut cursor: Cursor<'a, '_>,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    if let Some(rest) = take_usual_front(&mut cursor, storage) {
        match rest {
            [] => return Ok(()),
            // Metadata that says nothing: senders in Go write it in every series.
            [0x2a, 0x00] => {
                storage.metadata.update(storage.timeseries.len(), |_| {});
                return Ok(());
            }
            _ => cursor.advance_to(rest),
        }
    }
    let mut labels = RefPairs::default();
    let mut metadata = None;
    let mut exemplars = 0_usize;
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {
                let Storage { symbols, labels: list, expanded_bytes, .. } = storage;
                labels.read(&mut cursor, tag, symbols, list, expanded_bytes)?;
            }
            SAMPLES => {
                cursor.count_element()?;
                push(&mut storage.samples, Sample::read(&mut cursor)?);
            }
            HISTOGRAMS => storage.histograms.read(&mut cursor)?,
            EXEMPLARS => {
                let kept = (storage.exemplars.len(), storage.exemplar_labels.len());
                // A bad exemplar costs the exemplar, as in Prometheus.
                if cursor.read_element(exemplars, |cursor| read_exemplar(cursor, storage))? {
                    storage.exemplars.truncate(kept.0);
                    storage.exemplar_labels.truncate(kept.1);
                }
                exemplars = exemplars.wrapping_add(1);
            }
            METADATA => {
                let merged = metadata.get_or_insert_default();
                read_metadata(&mut cursor, merged, &storage.symbols)?;
            }
            CREATED_TIMESTAMP => {
                let created = cursor.read_int64()?;
                storage.set_created_timestamp(created);
            }
            _ => cursor.skip_field(tag)?,
        }
    }
    if let Some(metadata) = metadata {
        storage.expanded_bytes =
            storage.expanded_bytes.wrapping_add(metadata_bytes(&metadata, &storage.symbols));
        storage.metadata.update(storage.timeseries.len(), |slot| *slot = metadata);
    }
    labels.finish(&mut cursor)
}

/// Takes what nearly every series begins with, references in a block of under 128 bytes and a usual
/// sample, and returns the rest; takes nothing where anything is unusual.
#[inline]
fn take_usual_front<'a>(
    cursor: &mut Cursor<'a, '_>,
    storage: &mut Storage<'a>,
) -> Option<&'a [u8]> {
    let [0x0a, len @ 0..0x80, refs @ ..] = cursor.rest() else {
        return None;
    };
    let (_, behind) = refs.split_at_checked(usize::from(*len))?;
    let (0x12, sample) = behind.split_first()? else {
        return None;
    };
    let (sample, rest) = usual_sample(sample)?;
    // As many labels as there may be, and the sample.
    if !cursor.has_elements(usize::from(*len >> 1).saturating_add(1)) {
        return None;
    }
    let before = storage.labels.len();
    let Storage { symbols, labels, expanded_bytes, .. } = storage;
    let expanded_before = *expanded_bytes;
    if take_pairs(refs, behind.len(), symbols, labels, expanded_bytes).len() != behind.len() {
        labels.truncate(before);
        *expanded_bytes = expanded_before;
        return None;
    }
    cursor.count_elements(labels.len().saturating_sub(before).saturating_add(1));
    push(&mut storage.samples, sample);
    Some(rest)
}

/// A series that is ready to be written.
#[derive(Clone, Copy)]
pub(super) struct SeriesParts {
    /// Bytes of the message.
    pub(super) len: usize,
    /// Where among the references of all series those of its labels end.
    pub(super) labels_end: u32,
    pub(super) metadata: MetadataRefs,
}

/// Whether samples and histograms take over the series' created timestamp: it has no place of its
/// own since 2.0-rc.4.
#[inline]
fn hands_down(series: &TimeSeries<'_, '_>, options: &EncodeOptions) -> bool {
    series.created_timestamp() != 0 && !options.created_timestamps
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
pub(super) fn series_values_len(series: &TimeSeries<'_, '_>, options: &EncodeOptions) -> usize {
    if hands_down(series, options) {
        return handed_down_len(series, options.form());
    }
    let form = options.form();
    let mut len = samples_len(series.samples(), form);
    if !series.histograms().is_empty() {
        len = len.saturating_add(series.histograms().fields_len(HISTOGRAMS, form));
    }
    // Not handed down, so it is 0 or wanted.
    len.saturating_add(int64_len(CREATED_TIMESTAMP, series.created_timestamp()))
}

#[cold]
fn handed_down_len(series: &TimeSeries<'_, '_>, form: ValueForm) -> usize {
    let samples = series.samples().iter().fold(0, |sum: usize, sample| {
        sum.saturating_add(samples_len(&sample_with_start(series, sample), form))
    });
    series.histograms().iter().fold(samples, |sum, histogram| {
        let histogram = histogram_with_start(series, histogram);
        sum.saturating_add(wire::message_len(HISTOGRAMS, histogram.len(form)))
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
        options: &EncodeOptions,
    ) -> Result<(), BufferFull> {
        write_block(writer, self.refs_up_to(parts.labels_end))?;
        write_values(writer, series, options)?;
        if !series.exemplars().is_empty() {
            for exemplar in series.exemplars() {
                let end = self.exemplar_ends.next().copied().unwrap_or(self.start);
                write_exemplar(writer, self.refs_up_to(end), &exemplar.in_form(options.form()))?;
            }
        }
        if series.metadata().is_some() {
            writer.write_len(METADATA, metadata_len(&parts.metadata))?;
            write_metadata(writer, &parts.metadata)?;
        }
        if options.created_timestamps {
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

/// Writes samples and histograms.
#[inline]
pub(super) fn write_values(
    writer: &mut Writer<'_>,
    series: &TimeSeries<'_, '_>,
    options: &EncodeOptions,
) -> Result<(), BufferFull> {
    if hands_down(series, options) {
        return write_handed_down(writer, series, options.form());
    }
    let form = options.form();
    write_samples(writer, series.samples(), form)?;
    if series.histograms().is_empty() {
        return Ok(());
    }
    series.histograms().write_fields(writer, HISTOGRAMS, form)
}

#[cold]
fn write_handed_down(
    writer: &mut Writer<'_>,
    series: &TimeSeries<'_, '_>,
    form: ValueForm,
) -> Result<(), BufferFull> {
    for sample in series.samples() {
        write_samples(writer, &sample_with_start(series, sample), form)?;
    }
    series.histograms().iter().try_for_each(|histogram| {
        let histogram = histogram_with_start(series, histogram);
        writer.write_len(HISTOGRAMS, histogram.len(form))?;
        histogram.write(writer, form)
    })
}
