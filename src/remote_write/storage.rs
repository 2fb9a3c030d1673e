//! Where decoded requests of both versions keep their parts: one `Vec` for each kind, ranges instead of
//! nesting.

use alloc::vec::Vec;

use super::exemplar::ExemplarRecord;
use super::extensions::Extensions;
use super::histogram_storage::HistogramStorage;
use super::label::Label;
use super::metadata::{Metadata, MetadataRefs};
use super::request::{SkippedItem, SkippedKind};
use super::sample::Sample;
use super::symbols::SymbolTable;
use super::time_series::TimeSeriesRecord;
use crate::error::DecodeError;
use crate::storage::{Sparse, push, vec_bytes};

/// The flat storage of one request. Everything that a message repeats lies in one of these, in
/// wire order; a record holds the ends of its ranges.
///
/// Vectors that hold text borrow from the body (`'a`) and change that lifetime when the storage is
/// used again: see [`recycle`](Self::recycle).
#[derive(Clone, Default)]
pub(super) struct Storage<'a> {
    pub(super) body: &'a [u8],
    pub(super) extensions: Extensions,
    pub(super) unknown_fields: bool,
    pub(super) timeseries: Vec<TimeSeriesRecord>,
    pub(super) labels: Vec<Label<'a>>,
    pub(super) samples: Vec<Sample>,
    pub(super) exemplars: Vec<ExemplarRecord>,
    pub(super) exemplar_labels: Vec<Label<'a>>,
    pub(super) histograms: HistogramStorage,
    /// `created_timestamp`, for the series that have one.
    pub(super) created_timestamps: Sparse<i64>,
    /// Metadata of 2.0, for the series that have it; its references are known to be in the table.
    pub(super) series_metadata: Sparse<MetadataRefs>,
    /// The symbols of 2.0.
    pub(super) symbols: SymbolTable<'a>,
    pub(super) skipped: Vec<SkippedItem>,
}

impl<'a> Storage<'a> {
    pub(super) fn clear(&mut self) {
        self.body = &[];
        self.extensions = Extensions::new();
        self.unknown_fields = false;
        self.timeseries.clear();
        self.labels.clear();
        self.samples.clear();
        self.exemplars.clear();
        self.exemplar_labels.clear();
        self.histograms.clear();
        self.created_timestamps.clear();
        self.series_metadata.clear();
        self.symbols.clear();
        self.skipped.clear();
    }

    /// The same allocations, emptied, for a body of another lifetime.
    ///
    /// An emptied `Vec` that is mapped and collected keeps its allocation when the element's layout
    /// stays; std does not promise that, so an allocation test pins it.
    pub(super) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            body: &[],
            extensions: self.extensions,
            unknown_fields: self.unknown_fields,
            timeseries: self.timeseries,
            labels: recycle_labels(self.labels),
            samples: self.samples,
            exemplars: self.exemplars,
            exemplar_labels: recycle_labels(self.exemplar_labels),
            histograms: self.histograms,
            created_timestamps: self.created_timestamps,
            series_metadata: self.series_metadata,
            symbols: self.symbols.recycle(),
            skipped: self.skipped,
        }
    }

    /// Drops what was read of a series that has no record yet.
    pub(super) fn drop_unfinished_series(&mut self) {
        let last = self.timeseries.last().copied().unwrap_or_default();
        truncate(&mut self.labels, last.labels_end);
        truncate(&mut self.samples, last.samples_end);
        truncate(&mut self.exemplars, last.exemplars_end);
        let exemplar_labels_end = self.exemplars.last().map_or(0, ExemplarRecord::labels_end);
        truncate(&mut self.exemplar_labels, exemplar_labels_end);
        // Histograms name the ranges of their lists, so what stays in those is harmless.
        self.histograms.truncate(last.histograms_end);
        self.created_timestamps.truncate(self.timeseries.len());
        self.series_metadata.truncate(self.timeseries.len());
    }

    /// Drops the series being read, the `position`th of the body, and lists it.
    #[cold]
    pub(super) fn skip_series(&mut self, position: usize, error: DecodeError) {
        self.drop_unfinished_series();
        self.skip(SkippedKind::TimeSeries, position, error);
    }

    #[cold]
    pub(super) fn skip(&mut self, kind: SkippedKind, index: usize, error: DecodeError) {
        push(&mut self.skipped, SkippedItem { kind, index, error });
    }

    /// Notes the `created_timestamp` of the series being read; the last one wins.
    #[cold]
    pub(super) fn set_created_timestamp(&mut self, timestamp: i64) {
        self.created_timestamps.update(self.timeseries.len(), |slot| *slot = timestamp);
    }

    /// The metadata of the series at `position`, if it has some.
    pub(super) fn metadata(&self, position: usize) -> Option<Metadata<'a>> {
        let refs = self.series_metadata.get(position)?;
        let text = |reference| self.symbols.get(reference).unwrap_or("");
        let metadata = Metadata::new(refs.metric_type);
        Some(metadata.with_help(text(refs.help_ref)).with_unit(text(refs.unit_ref)))
    }

    /// Bytes of the body that a record came from, if there is a body.
    pub(super) fn raw(&self, start: u32, end: u32) -> Option<&'a [u8]> {
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
        // A record is never empty: an empty range is that of a request without a body.
        self.body.get(start..end).filter(|raw| !raw.is_empty())
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
            self.created_timestamps.capacity_bytes(),
            self.series_metadata.capacity_bytes(),
            self.symbols.capacity_bytes(),
            vec_bytes(&self.skipped),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }
}

fn truncate<T>(items: &mut Vec<T>, end: u32) {
    items.truncate(usize::try_from(end).unwrap_or(usize::MAX));
}

fn recycle_labels<'b>(labels: Vec<Label<'_>>) -> Vec<Label<'b>> {
    labels.into_iter().map(|_| Label::default()).collect()
}
