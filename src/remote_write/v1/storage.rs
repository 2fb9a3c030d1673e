//! Where decoded requests keep their parts: one `Vec` for each kind, ranges instead of nesting.

use alloc::vec::Vec;

use super::exemplar::ExemplarRecord;
use super::histogram_storage::{HistogramMark, HistogramStorage};
use super::metadata::MetadataRecord;
use super::time_series::TimeSeriesRecord;
use super::{Label, Sample, SkippedItem};
use crate::storage::vec_bytes;

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
