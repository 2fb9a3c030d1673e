//! Where decoded requests keep their parts: one `Vec` for each kind, ranges instead of nesting.

use alloc::vec::Vec;

use super::exemplar::ExemplarRecord;
use super::histogram_storage::{HistogramMark, HistogramStorage};
use super::metadata::MetadataRecord;
use super::time_series::TimeSeriesRecord;
use super::{DecodeOptions, Label, Sample, SkippedItem};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Reader, Tag};

/// The flat storage of one request. Everything that a message repeats lies in one of these, in
/// wire order; a record holds the ends of its ranges.
///
/// Vectors that hold text borrow from the body (`'a`) and change that lifetime when the storage is
/// used again: see [`recycle`](Self::recycle).
#[derive(Clone, Default)]
pub(super) struct Storage<'a> {
    pub(super) timeseries: Vec<TimeSeriesRecord>,
    pub(super) labels: Vec<Label<'a>>,
    pub(super) samples: Vec<Sample>,
    pub(super) exemplars: Vec<ExemplarRecord>,
    pub(super) exemplar_labels: Vec<Label<'a>>,
    pub(super) histograms: HistogramStorage,
    /// Mimir's `created_timestamp`, for the few series that have one: (position, milliseconds).
    pub(super) created_timestamps: Vec<(u32, i64)>,
    pub(super) metadata: Vec<MetadataRecord>,
    pub(super) metadata_texts: Vec<&'a str>,
    pub(super) skipped: Vec<SkippedItem>,
}

impl<'a> Storage<'a> {
    pub(super) fn clear(&mut self) {
        self.truncate(&Mark::default());
        self.skipped.clear();
    }

    /// The same allocations, emptied, for a body of another lifetime.
    ///
    /// An emptied `Vec` that is mapped and collected keeps its allocation when the element's layout
    /// stays; std does not promise that, so an allocation test pins it.
    pub(super) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            timeseries: self.timeseries,
            labels: recycle_labels(self.labels),
            samples: self.samples,
            exemplars: self.exemplars,
            exemplar_labels: recycle_labels(self.exemplar_labels),
            histograms: self.histograms,
            created_timestamps: self.created_timestamps,
            metadata: self.metadata,
            metadata_texts: self.metadata_texts.into_iter().map(|_| "").collect(),
            skipped: self.skipped,
        }
    }

    /// Where all vectors end now.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            timeseries: self.timeseries.len(),
            labels: self.labels.len(),
            samples: self.samples.len(),
            exemplars: self.exemplars.len(),
            exemplar_labels: self.exemplar_labels.len(),
            histograms: self.histograms.mark(),
            created_timestamps: self.created_timestamps.len(),
            metadata: self.metadata.len(),
            metadata_texts: self.metadata_texts.len(),
        }
    }

    /// Drops everything that was added since `mark`.
    pub(super) fn truncate(&mut self, mark: &Mark) {
        self.timeseries.truncate(mark.timeseries);
        self.labels.truncate(mark.labels);
        self.samples.truncate(mark.samples);
        self.exemplars.truncate(mark.exemplars);
        self.exemplar_labels.truncate(mark.exemplar_labels);
        self.histograms.truncate(&mark.histograms);
        self.created_timestamps.truncate(mark.created_timestamps);
        self.metadata.truncate(mark.metadata);
        self.metadata_texts.truncate(mark.metadata_texts);
    }

    /// Heap bytes that the storage holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        [
            vec_bytes(&self.timeseries),
            vec_bytes(&self.labels),
            vec_bytes(&self.samples),
            vec_bytes(&self.exemplars),
            vec_bytes(&self.exemplar_labels),
            self.histograms.capacity_bytes(),
            vec_bytes(&self.created_timestamps),
            vec_bytes(&self.metadata),
            vec_bytes(&self.metadata_texts),
            vec_bytes(&self.skipped),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }
}

fn recycle_labels<'b>(labels: Vec<Label<'_>>) -> Vec<Label<'b>> {
    labels.into_iter().map(|_| Label::default()).collect()
}

pub(super) fn vec_bytes<T>(vec: &Vec<T>) -> usize {
    vec.capacity().saturating_mul(size_of::<T>())
}

/// The lengths of all vectors of a [`Storage`].
#[derive(Default)]
pub(super) struct Mark {
    timeseries: usize,
    labels: usize,
    samples: usize,
    exemplars: usize,
    exemplar_labels: usize,
    histograms: HistogramMark,
    created_timestamps: usize,
    metadata: usize,
    metadata_texts: usize,
}

/// Appends `item`, growing by a half where `Vec` would double: that keeps the storage of the most
/// wasteful input (2-byte messages that become 32-byte elements) under 24 bytes a byte.
#[inline]
pub(super) fn push<T>(vec: &mut Vec<T>, item: T) {
    if vec.len() == vec.capacity() {
        grow(vec);
    }
    vec.push(item);
}

#[cold]
#[inline(never)]
fn grow<T>(vec: &mut Vec<T>) {
    const FIRST: usize = 16;
    vec.reserve_exact(FIRST.max(vec.capacity() >> 1));
}

/// A length as the 32 bits that records hold: bodies are under 2 GiB, and no element takes less
/// than a byte of them.
#[inline]
pub(super) fn index(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// The elements of `items` from `start` to `end`, as a record tells them.
#[inline]
pub(super) fn range<T>(items: &[T], start: u32, end: u32) -> &[T] {
    let (Ok(start), Ok(end)) = (usize::try_from(start), usize::try_from(end)) else {
        return &[];
    };
    items.get(start..end).unwrap_or_default()
}

/// What decoding carries along besides the storage.
pub(super) struct DecodeState {
    /// How many more elements the limits allow.
    elements_left: usize,
    /// Whether invalid text only sinks the series or metadata entry that it is in.
    partial: bool,
    /// The first invalid text in the current series or metadata entry, in partial mode.
    pub(super) invalid_text: Option<DecodeError>,
    /// Whether any field was skipped as unknown.
    pub(super) unknown_fields: bool,
    /// How many bytes followed the labels in the last series: the next is probably like it.
    pub(super) tail_len: usize,
}

impl DecodeState {
    pub(super) const fn new(options: &DecodeOptions) -> Self {
        Self {
            elements_left: options.limits.max_elements,
            partial: options.partial,
            invalid_text: None,
            unknown_fields: false,
            tail_len: 0,
        }
    }

    /// For a message that is read alone: no caps, and any fault is an error.
    pub(super) const fn strict() -> Self {
        Self::new(&DecodeOptions::new())
    }

    #[inline]
    pub(super) const fn partial(&self) -> bool {
        self.partial
    }

    /// Counts one more element.
    #[inline]
    pub(super) fn count_element(&mut self) -> Result<(), DecodeErrorKind> {
        match self.elements_left.checked_sub(1) {
            Some(left) => {
                self.elements_left = left;
                Ok(())
            }
            None => Err(DecodeErrorKind::LimitExceeded),
        }
    }

    /// Whether the limits allow `count` more elements.
    #[inline]
    pub(super) const fn has_elements(&self, count: usize) -> bool {
        self.elements_left >= count
    }

    /// Counts `count` more elements, which the limits are known to allow.
    #[inline]
    pub(super) const fn count_elements(&mut self, count: usize) {
        self.elements_left = self.elements_left.saturating_sub(count);
    }

    /// Counts one more element, which begins where `reader` stands.
    #[inline]
    pub(super) fn count_element_at(&mut self, reader: &Reader<'_>) -> Result<(), DecodeError> {
        self.count_element().map_err(|kind| reader.error(kind))
    }

    /// A `string`; in partial mode invalid text is noted and reads as "", because the rest of the
    /// series must still be checked.
    #[inline]
    pub(super) fn read_string<'a>(
        &mut self,
        reader: &mut Reader<'a>,
    ) -> Result<&'a str, DecodeError> {
        match reader.read_string() {
            Err(error) if self.partial && error.kind() == DecodeErrorKind::InvalidUtf8 => {
                self.invalid_text.get_or_insert(error);
                Ok("")
            }
            result => result,
        }
    }

    /// Passes over an unknown field, and remembers that there was one.
    #[inline]
    pub(super) fn skip_field(
        &mut self,
        reader: &mut Reader<'_>,
        tag: Tag,
    ) -> Result<(), DecodeError> {
        self.unknown_fields = true;
        reader.skip_field(tag)
    }
}
