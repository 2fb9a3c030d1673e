//! `TimeSeries` of remote write 1.0.
//!
//! ```text
//! 1 labels             repeated Label
//! 2 samples            repeated Sample
//! 3 exemplars          repeated Exemplar
//! 4 histograms         repeated Histogram
//! 6 created_timestamp  int64, milliseconds (Mimir)
//! ```

use super::exemplar::{exemplars_len, read_exemplar, write_exemplars};
use super::message::Message;
use super::options::EncodeOptions;
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::message::fields::{int64_len, write_int64};
use crate::message::regions::{
    pairs_len, read_pair, take_pairs, take_region, take_run, write_pairs,
};
use crate::remote_write::model::rules::{EachTime, Rules, ViolationKind};
use crate::remote_write::model::sample::{
    SAMPLES, Sample, samples_len, split_last_sample, write_samples,
};
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Tag, WireType, Writer, text_region};

pub(super) const LABELS: Tag = Tag::new(1, WireType::Len);
pub(super) const LABELS_BYTE: u8 = LABELS.byte();
pub(super) const EXEMPLARS: Tag = Tag::new(3, WireType::Len);
pub(super) const HISTOGRAMS: Tag = Tag::new(4, WireType::Len);
pub(super) const CREATED_TIMESTAMP: Tag = Tag::new(6, WireType::Varint);

/// Bytes of the message.
#[inline]
pub(super) fn series_len(series: &TimeSeries<'_, '_>, options: &EncodeOptions) -> usize {
    let form = options.form();
    let mut len = pairs_len(series.labels()).saturating_add(samples_len(series.samples(), form));
    if !series.exemplars().is_empty() {
        len = len.saturating_add(exemplars_len(EXEMPLARS, series.exemplars(), form));
    }
    if !series.histograms().is_empty() {
        len = len.saturating_add(series.histograms().fields_len(HISTOGRAMS, form));
    }
    if options.start_timestamps {
        len = len.saturating_add(int64_len(CREATED_TIMESTAMP, series.created_timestamp()));
    }
    len
}

/// Writes the message.
// Always: the writer stays in registers.
#[inline(always)]
pub(super) fn write_series(
    writer: &mut Writer<'_>,
    series: &TimeSeries<'_, '_>,
    options: &EncodeOptions,
) -> Result<(), BufferFull> {
    let form = options.form();
    write_pairs::<LABELS_BYTE, _>(writer, series.labels())?;
    write_samples(writer, series.samples(), form)?;
    if !series.exemplars().is_empty() {
        write_exemplars(writer, EXEMPLARS, series.exemplars(), form)?;
    }
    if !series.histograms().is_empty() {
        series.histograms().write_fields(writer, HISTOGRAMS, form)?;
    }
    if options.start_timestamps {
        write_int64(writer, CREATED_TIMESTAMP, series.created_timestamp())?;
    }
    Ok(())
}

/// Without the extension fields.
impl Encode for Message<TimeSeries<'_, '_>> {
    fn encoded_len(&self) -> usize {
        series_len(&self.0, &EncodeOptions::new())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_series(writer, &self.0, &EncodeOptions::new())
    }
}

/// Reports everything in `series` that breaks `rules`, as a series of 1.0.
///
/// ```
/// use borrowire::remote_write::{Label, Rule, Rules, TimeSeries, v1};
///
/// let labels = [Label::new("job", "node")];
/// let (series, mut found) = (TimeSeries::new(&labels), Vec::new());
/// v1::validate_timeseries(&series, &Rules::new(), |kind| found.push(kind.rule()));
/// assert_eq!(found, [Rule::MissingMetricName]);
/// ```
pub fn validate_timeseries(
    series: &TimeSeries<'_, '_>,
    rules: &Rules,
    report: impl FnMut(ViolationKind),
) {
    rules.check(series, &EachTime, &mut rules.filter(report));
}

/// How many bytes followed the labels in the last series that did not end in one usual sample: the
/// next is probably like it.
pub(super) type TailLen = usize;

/// Reads a series from `message`, all of it.
#[inline]
pub(super) fn read_series<'a>(
    mut message: Cursor<'a, '_>,
    storage: &mut Storage<'a>,
    tail_len: &mut TailLen,
) -> Result<(), DecodeError> {
    match split_last_sample(message.rest()) {
        Some((labels, sample)) => {
            if read_usual_series(labels, sample, &mut message, storage) {
                return Ok(());
            }
            read_fields(message, storage, tail_len)
        }
        None => read_unusual(message, storage, tail_len),
    }
}

/// Reads a series that ends in something else than one usual sample, probably in as many bytes
/// as the last such series did. A wrong guess costs time, never correctness: labels are taken
/// from the text one by one, and fields that the guess took for labels are read again by number.
#[inline(always)]
fn read_unusual<'a>(
    mut cursor: Cursor<'a, '_>,
    storage: &mut Storage<'a>,
    tail_len: &mut TailLen,
) -> Result<(), DecodeError> {
    let series = cursor.rest();
    if let Some(labels_len) = series.len().checked_sub(*tail_len)
        && let Some((labels, [0x12 | 0x1a | 0x22, ..])) = series.split_at_checked(labels_len)
        && let Some(text) = text_region(labels)
    {
        take_region::<LABELS_BYTE, _>(&mut cursor, text, &mut storage.labels);
    }
    *tail_len = cursor.rest().len();
    read_fields(cursor, storage, tail_len)
}

/// Reads a series field by field.
fn read_fields<'a>(
    mut cursor: Cursor<'a, '_>,
    storage: &mut Storage<'a>,
    tail_len: &mut TailLen,
) -> Result<(), DecodeError> {
    // Whether labels may be checked by the region: given up when one is no text, or holds a label
    // that must be read alone, so that no byte is checked twice.
    let mut regions = true;
    loop {
        if regions && cursor.rest().first() == Some(&LABELS_BYTE) {
            regions = take_run::<LABELS_BYTE, _>(&mut cursor, &mut storage.labels);
            *tail_len = cursor.rest().len();
        }
        let Some(tag) = cursor.next_tag()? else {
            return Ok(());
        };
        match tag {
            LABELS => {
                cursor.count_element()?;
                push(&mut storage.labels, read_pair(&mut cursor)?);
            }
            SAMPLES => {
                cursor.count_element()?;
                push(&mut storage.samples, Sample::read(&mut cursor)?);
            }
            EXEMPLARS => read_exemplar(&mut cursor, storage)?,
            HISTOGRAMS => storage.histograms.read(&mut cursor)?,
            CREATED_TIMESTAMP => {
                let created = cursor.read_int64()?;
                storage.set_created_timestamp(created);
            }
            _ => cursor.skip_field(tag)?,
        }
    }
}

/// Reads a series that is what most are: labels in their usual shape, then one sample. Returns
/// `false`, with nothing read, if it is anything else.
#[inline]
fn read_usual_series<'a>(
    labels: &'a [u8],
    sample: Sample,
    cursor: &mut Cursor<'a, '_>,
    storage: &mut Storage<'a>,
) -> bool {
    let Some(text) = text_region(labels) else {
        return false;
    };
    let before = storage.labels.len();
    if !cursor.has_elements(text.len())
        || !take_pairs::<LABELS_BYTE, _>(text, &mut storage.labels, cursor.state()).is_empty()
    {
        storage.labels.truncate(before);
        return false;
    }
    push(&mut storage.samples, sample);
    cursor.count_elements(storage.labels.len().saturating_sub(before).saturating_add(1));
    true
}
