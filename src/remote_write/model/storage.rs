//! Where decoded requests of both versions keep their series: a column for each kind, rows with the
//! ends of ranges instead of nesting.
//!
//! ```text
//! timeseries       | labels_end 2, samples_end 1 | labels_end 5, samples_end 3 | ...
//! labels           | a  b | c  d  e | ...
//! samples          | s | t  u | ...
//! ```

use alloc::vec::Vec;

use super::histogram::HistogramColumns;
use super::label::Label;
use super::metadata::MetadataRefs;
use super::sample::Sample;
use super::symbol_table::SymbolTable;
use crate::message::columns::{Sparse, index, push, recycle, sum, truncate, used_bytes, vec_bytes};
use crate::message::request::Raw;

/// The series of one request.
///
/// Columns that hold text borrow from the body (`'a`) and change that lifetime when the storage is
/// used again: see [`recycle`](Self::recycle). The last two are 2.0's; 1.0 leaves them empty. They
/// are here so that both versions give the same views.
#[derive(Clone, Default)]
pub(in crate::remote_write) struct Storage<'a> {
    pub(in crate::remote_write) timeseries: Vec<TimeSeriesRow>,
    pub(in crate::remote_write) labels: Vec<Label<'a>>,
    pub(in crate::remote_write) samples: Vec<Sample>,
    pub(in crate::remote_write) exemplars: Vec<ExemplarRow>,
    pub(in crate::remote_write) exemplar_labels: Vec<Label<'a>>,
    pub(in crate::remote_write) histograms: HistogramColumns,
    /// `created_timestamp`, for the series that have one.
    pub(in crate::remote_write) created_timestamps: Sparse<i64>,
    /// For the series that have some; its references are known to be in `symbols`.
    pub(in crate::remote_write) metadata: Sparse<MetadataRefs>,
    /// The texts that references name.
    pub(in crate::remote_write) symbols: SymbolTable<'a>,
    /// Bytes of the texts that references stand for, each use counted.
    pub(in crate::remote_write) expanded_bytes: u64,
}

/// A series. Each of its lists ends here and begins where that of the series before ends.
#[derive(Clone, Copy, Default)]
pub(in crate::remote_write) struct TimeSeriesRow {
    pub(in crate::remote_write) raw: Raw,
    pub(in crate::remote_write) labels_end: u32,
    pub(in crate::remote_write) samples_end: u32,
    pub(in crate::remote_write) exemplars_end: u32,
    pub(in crate::remote_write) histograms_end: u32,
}

/// An exemplar: its labels are `exemplar_labels[labels_start..labels_end]`.
#[derive(Clone, Copy)]
pub(in crate::remote_write) struct ExemplarRow {
    pub(super) labels_start: u32,
    pub(super) labels_end: u32,
    pub(super) value: f64,
    pub(super) timestamp: i64,
}

impl<'a> Storage<'a> {
    pub(in crate::remote_write) fn clear(&mut self) {
        self.timeseries.clear();
        self.labels.clear();
        self.samples.clear();
        self.exemplars.clear();
        self.exemplar_labels.clear();
        self.histograms.clear();
        self.created_timestamps.clear();
        self.metadata.clear();
        self.symbols.clear();
        self.expanded_bytes = 0;
    }

    /// The storage's allocations, emptied, for a body of another lifetime.
    pub(in crate::remote_write) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            timeseries: self.timeseries,
            labels: recycle(self.labels),
            samples: self.samples,
            exemplars: self.exemplars,
            exemplar_labels: recycle(self.exemplar_labels),
            histograms: self.histograms,
            created_timestamps: self.created_timestamps,
            metadata: self.metadata,
            symbols: self.symbols.recycle(),
            expanded_bytes: 0,
        }
    }

    /// Ends the series that was read, which stands at `raw` in the body.
    #[inline]
    pub(in crate::remote_write) fn end_series(&mut self, raw: Raw) {
        let row = TimeSeriesRow {
            raw,
            labels_end: index(self.labels.len()),
            samples_end: index(self.samples.len()),
            exemplars_end: index(self.exemplars.len()),
            histograms_end: index(self.histograms.len()),
        };
        push(&mut self.timeseries, row);
    }

    /// Appends an exemplar whose labels are those from `labels_start` on.
    pub(in crate::remote_write) fn push_exemplar(
        &mut self,
        labels_start: usize,
        value: f64,
        timestamp: i64,
    ) {
        let row = ExemplarRow {
            labels_start: index(labels_start),
            labels_end: index(self.exemplar_labels.len()),
            value,
            timestamp,
        };
        push(&mut self.exemplars, row);
    }

    /// Keeps the first `len` series, and drops the rest with all that was read of them.
    #[cold]
    pub(in crate::remote_write) fn truncate(&mut self, len: usize) {
        self.timeseries.truncate(len);
        let last = self.timeseries.last().copied().unwrap_or_default();
        truncate(&mut self.labels, last.labels_end);
        truncate(&mut self.samples, last.samples_end);
        truncate(&mut self.exemplars, last.exemplars_end);
        let labels_end = self.exemplars.last().map_or(0, |exemplar| exemplar.labels_end);
        truncate(&mut self.exemplar_labels, labels_end);
        // Histograms name the ranges of their lists, so what stays in those is harmless.
        self.histograms.truncate(last.histograms_end);
        self.created_timestamps.truncate(len);
        self.metadata.truncate(len);
    }

    /// Notes the `created_timestamp` of the series being read; the last one wins.
    #[cold]
    pub(in crate::remote_write) fn set_created_timestamp(&mut self, timestamp: i64) {
        self.created_timestamps.update(self.timeseries.len(), |slot| *slot = timestamp);
    }

    /// Bytes of all that is in the storage.
    pub(in crate::remote_write) fn used_bytes(&self) -> usize {
        sum([
            used_bytes(&self.timeseries),
            used_bytes(&self.labels),
            used_bytes(&self.samples),
            used_bytes(&self.exemplars),
            used_bytes(&self.exemplar_labels),
            self.histograms.used_bytes(),
            self.symbols.used_bytes(),
        ])
    }

    /// Heap bytes that the storage holds.
    pub(in crate::remote_write) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.timeseries),
            vec_bytes(&self.labels),
            vec_bytes(&self.samples),
            vec_bytes(&self.exemplars),
            vec_bytes(&self.exemplar_labels),
            self.histograms.capacity_bytes(),
            self.created_timestamps.capacity_bytes(),
            self.metadata.capacity_bytes(),
            self.symbols.capacity_bytes(),
        ])
    }
}
