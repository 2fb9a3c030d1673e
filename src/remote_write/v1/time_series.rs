//! `TimeSeries`: labels, and what was measured under them.
//!
//! ```text
//! 1 labels             repeated Label
//! 2 samples            repeated Sample
//! 3 exemplars          repeated Exemplar
//! 4 histograms         repeated Histogram
//! 6 created_timestamp  int64, milliseconds (Mimir)
//! ```

use core::fmt;

use super::exemplar::{Exemplar, ExemplarRecord, Exemplars};
use super::histogram::Histogram;
use super::histogram_storage::Histograms;
use super::label::{LABELS, LABELS_BYTE, Label, METRIC_NAME};
use super::sample::{Sample, samples_len, split_last_sample, write_samples};
use super::storage::Storage;
use crate::defaults::{int64_len, write_int64};
use crate::error::DecodeError;
use crate::message::Encode;
use crate::pairs::{pairs_len, read_pair, take_pairs, take_region, write_pairs};
use crate::storage::{DecodeState, index, push, range};
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer, text_region, text_run_len};

const SAMPLES: Tag = Tag::new(2, WireType::Len);
const EXEMPLARS: Tag = Tag::new(3, WireType::Len);
const HISTOGRAMS: Tag = Tag::new(4, WireType::Len);
const CREATED_TIMESTAMP: Tag = Tag::new(6, WireType::Varint);

/// One series of a request: a view of decoded storage, or of the caller's own slices.
///
/// `'s` is the storage's lifetime, `'a` that of the text: labels can be kept for as long as the
/// body that they were decoded from, even when the storage is used again.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{Label, Sample, TimeSeries};
///
/// let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
/// let samples = [Sample::new(1.0, 1_700_000_000_000)];
/// let series = TimeSeries::new(&labels).with_samples(&samples);
/// assert_eq!(series.metric_name(), Some("up"));
/// assert_eq!(series.encoded_len(), 47);
/// ```
#[derive(Clone, Copy)]
pub struct TimeSeries<'s, 'a> {
    labels: &'s [Label<'a>],
    samples: &'s [Sample],
    exemplars: Exemplars<'s, 'a>,
    histograms: Histograms<'s>,
    created_timestamp: i64,
}

impl<'s, 'a> TimeSeries<'s, 'a> {
    /// A series of `labels`, which receivers expect sorted by name, without samples.
    #[must_use]
    pub const fn new(labels: &'s [Label<'a>]) -> Self {
        Self {
            labels,
            samples: &[],
            exemplars: Exemplars::slice(&[]),
            histograms: Histograms::slice(&[]),
            created_timestamp: 0,
        }
    }

    /// Sets the samples.
    #[must_use]
    pub const fn with_samples(mut self, samples: &'s [Sample]) -> Self {
        self.samples = samples;
        self
    }

    /// Sets the exemplars.
    #[must_use]
    pub const fn with_exemplars(mut self, exemplars: &'s [Exemplar<'s, 'a>]) -> Self {
        self.exemplars = Exemplars::slice(exemplars);
        self
    }

    /// Sets the native histograms.
    #[must_use]
    pub const fn with_histograms(mut self, histograms: &'s [Histogram<'s>]) -> Self {
        self.histograms = Histograms::slice(histograms);
        self
    }

    /// Sets the [`created_timestamp`](Self::created_timestamp).
    #[must_use]
    pub const fn with_created_timestamp(mut self, timestamp: i64) -> Self {
        self.created_timestamp = timestamp;
        self
    }

    /// The labels, in wire order.
    #[inline]
    #[must_use]
    pub const fn labels(&self) -> &'s [Label<'a>] {
        self.labels
    }

    /// The samples, in wire order.
    #[inline]
    #[must_use]
    pub const fn samples(&self) -> &'s [Sample] {
        self.samples
    }

    /// The exemplars, in wire order.
    #[inline]
    #[must_use]
    pub const fn exemplars(&self) -> Exemplars<'s, 'a> {
        self.exemplars
    }

    /// The native histograms, in wire order.
    #[inline]
    #[must_use]
    pub const fn histograms(&self) -> Histograms<'s> {
        self.histograms
    }

    /// When the series' counters were last reset, in milliseconds since the Unix epoch; 0 is unset.
    /// An extension of Mimir (field 6), written only on demand: see
    /// [`Extensions`](super::Extensions).
    #[inline]
    #[must_use]
    pub const fn created_timestamp(&self) -> i64 {
        self.created_timestamp
    }

    /// The value of the first label called `name`; labels need not be sorted.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&'a str> {
        self.labels.iter().find(|label| label.name == name).map(|label| label.value)
    }

    /// The metric's name: the value of `__name__`, wherever it stands among the labels.
    #[must_use]
    pub fn metric_name(&self) -> Option<&'a str> {
        self.label(METRIC_NAME)
    }

    /// Whether the label names are in ascending order, bytewise, and unique.
    #[must_use]
    pub fn has_sorted_labels(&self) -> bool {
        self.labels.is_sorted_by(|a, b| a.name < b.name)
    }

    /// Bytes of the message; with the extension fields if `start`.
    #[inline]
    pub(super) fn len(&self, start: bool) -> usize {
        let mut len =
            pairs_len(self.labels).saturating_add(samples_len(SAMPLES, self.samples, start));
        if !self.exemplars.is_empty() {
            len = len.saturating_add(self.exemplars.fields_len(EXEMPLARS));
        }
        if !self.histograms.is_empty() {
            len = len.saturating_add(self.histograms.fields_len(HISTOGRAMS, start));
        }
        if start {
            len = len.saturating_add(int64_len(CREATED_TIMESTAMP, self.created_timestamp));
        }
        len
    }

    #[inline]
    pub(super) fn write(&self, writer: &mut Writer<'_>, start: bool) -> Result<(), BufferFull> {
        write_pairs::<LABELS_BYTE>(writer, LABELS, self.labels)?;
        write_samples(writer, SAMPLES, self.samples, start)?;
        if !self.exemplars.is_empty() {
            self.exemplars.write_fields(writer, EXEMPLARS)?;
        }
        if !self.histograms.is_empty() {
            self.histograms.write_fields(writer, HISTOGRAMS, start)?;
        }
        if start {
            write_int64(writer, CREATED_TIMESTAMP, self.created_timestamp)?;
        }
        Ok(())
    }
}

/// Equal when all parts are, floats by bits.
impl PartialEq for TimeSeries<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels
            && self.samples == other.samples
            && self.exemplars.iter().eq(other.exemplars.iter())
            && self.histograms.iter().eq(other.histograms.iter())
            && self.created_timestamp == other.created_timestamp
    }
}

impl Eq for TimeSeries<'_, '_> {}

impl fmt::Debug for TimeSeries<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeSeries")
            .field("labels", &self.labels.len())
            .field("samples", &self.samples.len())
            .field("exemplars", &self.exemplars.len())
            .field("histograms", &self.histograms.len())
            .finish_non_exhaustive()
    }
}

/// Without the extension fields.
impl Encode for TimeSeries<'_, '_> {
    fn encoded_len(&self) -> usize {
        self.len(false)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(writer, false)
    }
}

/// A series in storage. Each of its lists ends here and begins where that of the series before ends.
#[derive(Clone, Copy, Default)]
pub(super) struct TimeSeriesRecord {
    pub(super) raw_start: u32,
    pub(super) raw_end: u32,
    labels_end: u32,
    samples_end: u32,
    exemplars_end: u32,
    histograms_end: u32,
}

impl TimeSeriesRecord {
    /// Reads a series from `message`, all of it.
    #[inline]
    pub(super) fn read<'a>(
        message: Reader<'a>,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        match split_last_sample(message.rest()) {
            Some((labels, sample)) => {
                if read_usual_series(labels, sample, storage, state) {
                    return Ok(());
                }
                Self::read_fields(message, storage, state)
            }
            None => Self::read_unusual(message, storage, state),
        }
    }

    /// Reads a series that ends in something else than one usual sample, probably in as many bytes
    /// as the last such series did. A wrong guess costs time, never correctness: labels are taken
    /// from the text one by one, and whatever it holds beyond them is read again as what it is.
    fn read_unusual<'a>(
        mut reader: Reader<'a>,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        let series = reader.rest();
        if let Some(labels_len) = series.len().checked_sub(state.tail_len)
            && let Some((labels, [0x12 | 0x1a | 0x22, ..])) = series.split_at_checked(labels_len)
            && let Some(text) = text_region(labels)
        {
            take_region::<LABELS_BYTE, _>(&mut reader, text, &mut storage.labels, state);
        }
        state.tail_len = reader.rest().len();
        Self::read_fields(reader, storage, state)
    }

    /// Reads a series field by field.
    fn read_fields<'a>(
        mut reader: Reader<'a>,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        // Whether labels may be checked by the region: given up when one is no text, or holds a label
        // that must be read alone, so that no byte is checked twice.
        let mut regions = true;
        loop {
            if regions && reader.rest().first() == Some(&LABELS_BYTE) {
                let run = text_run_len(reader.rest(), LABELS_BYTE);
                let region = reader.rest().get(..run).unwrap_or_default();
                regions = match text_region(region) {
                    Some(text) => {
                        take_region::<LABELS_BYTE, _>(&mut reader, text, &mut storage.labels, state)
                    }
                    None => false,
                };
                state.tail_len = reader.rest().len();
            }
            let Some(tag) = reader.next_tag()? else {
                return Ok(());
            };
            match tag {
                LABELS => {
                    state.count_element_at(&reader)?;
                    push(&mut storage.labels, read_pair(&mut reader, state)?);
                }
                SAMPLES => {
                    state.count_element_at(&reader)?;
                    push(&mut storage.samples, Sample::read(&mut reader, state)?);
                }
                EXEMPLARS => ExemplarRecord::read(&mut reader, storage, state)?,
                HISTOGRAMS => storage.histograms.read(&mut reader, state)?,
                CREATED_TIMESTAMP => {
                    let created = reader.read_int64()?;
                    storage.set_created_timestamp(created);
                }
                _ => state.skip_field(&mut reader, tag)?,
            }
        }
    }

    /// Ends the series that was read into `storage`, which stood from `raw_start` to `raw_end`.
    #[inline]
    pub(super) fn push(storage: &mut Storage<'_>, raw_start: u32, raw_end: u32) {
        let record = Self {
            raw_start,
            raw_end,
            labels_end: index(storage.labels.len()),
            samples_end: index(storage.samples.len()),
            exemplars_end: index(storage.exemplars.len()),
            histograms_end: index(storage.histograms.len()),
        };
        push(&mut storage.timeseries, record);
    }
}

/// Reads a series that is what most are: labels in their usual shape, then one sample. Returns
/// `false`, with nothing read, if it is anything else.
#[inline]
fn read_usual_series<'a>(
    labels: &'a [u8],
    sample: Sample,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> bool {
    let Some(text) = text_region(labels) else {
        return false;
    };
    let before = storage.labels.len();
    if !state.has_elements(text.len())
        || !take_pairs::<LABELS_BYTE, _>(text, &mut storage.labels, state).is_empty()
    {
        storage.labels.truncate(before);
        return false;
    }
    push(&mut storage.samples, sample);
    state.count_elements(storage.labels.len().saturating_sub(before).saturating_add(1));
    true
}

impl Storage<'_> {
    /// Notes Mimir's `created_timestamp` for the series being read; the last one wins.
    #[cold]
    pub(super) fn set_created_timestamp(&mut self, timestamp: i64) {
        let series = index(self.timeseries.len());
        match self.created_timestamps.last_mut() {
            Some((last, slot)) if *last == series => *slot = timestamp,
            _ => push(&mut self.created_timestamps, (series, timestamp)),
        }
    }
}

/// The series of a decoded request.
#[derive(Clone, Copy)]
pub struct TimeSeriesList<'s, 'a> {
    storage: &'s Storage<'a>,
}

impl<'s, 'a> TimeSeriesList<'s, 'a> {
    pub(super) const fn stored(storage: &'s Storage<'a>) -> Self {
        Self { storage }
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.storage.timeseries.len()
    }

    /// The series at `index`, in wire order.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<TimeSeries<'s, 'a>> {
        let storage = self.storage;
        let end = storage.timeseries.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *storage.timeseries.get(before)?,
            None => TimeSeriesRecord::default(),
        };
        let exemplars = range(&storage.exemplars, start.exemplars_end, end.exemplars_end);
        Some(TimeSeries {
            labels: range(&storage.labels, start.labels_end, end.labels_end),
            samples: range(&storage.samples, start.samples_end, end.samples_end),
            exemplars: Exemplars::stored(exemplars, &storage.exemplar_labels),
            histograms: Histograms::stored(
                &storage.histograms,
                start.histograms_end,
                end.histograms_end,
            ),
            created_timestamp: self.created_timestamp(index),
        })
    }

    #[inline]
    fn created_timestamp(&self, position: usize) -> i64 {
        let all = &self.storage.created_timestamps;
        if all.is_empty() {
            return 0;
        }
        all.binary_search_by_key(&index(position), |&(series, _)| series)
            .ok()
            .and_then(|found| all.get(found))
            .map_or(0, |&(_, timestamp)| timestamp)
    }
}

crate::storage::impl_list! {
    /// Iterates over [`TimeSeriesList`].
    TimeSeriesList, TimeSeriesIter, ['s, 'a], TimeSeries<'s, 'a>
}
