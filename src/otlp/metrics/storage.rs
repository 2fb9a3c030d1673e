//! Where decoded metrics are: a column for each kind of element, rows with the ends of ranges instead of
//! nesting.
//!
//! ```text
//! metrics      | sum, numbers 0 to 2 | histogram, histograms 0 to 1 | gauge, numbers 2 to 3 | ...
//! numbers      | 1.5, attributes_end 2 | 7, attributes_end 3 | 0, attributes_end 6 | ...
//! histograms   | count, sum, bucket_counts 0 to 4, explicit_bounds 0 to 3 | ...
//! ```

use alloc::vec::Vec;

use super::value_at_quantile::ValueAtQuantile;
use crate::message::columns::{
    Sparse, Words, index, recycle, sum, truncate, used_bytes, vec_bytes,
};
use crate::otlp::common::{Parents, Row};
use crate::wire::to_usize;

/// The metrics of a request, and what is around them.
#[derive(Clone, Default)]
pub(in crate::otlp) struct Storage<'a> {
    pub(in crate::otlp) parents: Parents<'a>,
    pub(super) metrics: Vec<MetricRow>,
    /// Names, descriptions and units that are not empty.
    pub(super) metric_texts: Vec<&'a str>,
    pub(super) metadata: Vec<Row<'a>>,
    pub(super) numbers: Vec<NumberRow>,
    pub(super) number_attributes: Vec<Row<'a>>,
    pub(super) number_exemplars: ExemplarColumns<'a>,
    pub(super) number_flags: Sparse<u32>,
    /// Of points that are no numbers.
    pub(super) attributes: Vec<Row<'a>>,
    pub(super) exemplars: ExemplarColumns<'a>,
    pub(super) histograms: Words,
    pub(super) bucket_counts: Vec<u64>,
    pub(super) explicit_bounds: Vec<f64>,
    pub(super) exponential_histograms: Words,
    pub(super) positive_counts: Vec<u64>,
    pub(super) negative_counts: Vec<u64>,
    pub(super) summaries: Words,
    pub(super) quantile_values: Vec<ValueAtQuantile>,
}

/// A metric in storage. Its metadata ends here and begins where that of the metric before ends.
#[derive(Clone, Copy, Default)]
pub(super) struct MetricRow {
    pub(super) texts_start: u32,
    pub(super) metadata_end: u32,
    /// Where its points are in the column of their kind.
    pub(super) points: (u32, u32),
    pub(super) temporality: i32,
    pub(super) kind: Kind,
    /// Which of its texts are not empty, and whether a sum is monotonic.
    pub(super) has: u8,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<MetricRow>() == 24);

pub(super) const HAS_NAME: u8 = 1;
pub(super) const HAS_DESCRIPTION: u8 = 2;
pub(super) const HAS_UNIT: u8 = 4;
pub(super) const IS_MONOTONIC_SUM: u8 = 8;

#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Kind {
    #[default]
    None,
    Gauge,
    Sum,
    Histogram,
    ExponentialHistogram,
    Summary,
}

/// A point in storage. Its attributes and exemplars end here and begin where those of the point before
/// end. Flags, which few points have, are apart.
#[derive(Clone, Copy, Default)]
pub(super) struct NumberRow {
    pub(super) start_time_unix_nano: u64,
    pub(super) time_unix_nano: u64,
    pub(super) value: u64,
    /// The end of the attributes, and in the two highest bits what kind of value there is. Elements take
    /// two bytes at least, so that a body under 2 GiB has no use for these bits.
    pub(super) attributes_end: u32,
    /// The end of the exemplars, and in the highest bit whether there are flags.
    pub(super) exemplars_end: u32,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<NumberRow>() == 32);

pub(super) const HAS_DOUBLE: u32 = 1 << 31;
pub(super) const HAS_INT: u32 = 1 << 30;
pub(super) const ATTRIBUTES_END: u32 = HAS_INT - 1;
pub(super) const HAS_FLAGS: u32 = 1 << 31;
pub(super) const EXEMPLARS_END: u32 = HAS_FLAGS - 1;

impl NumberRow {
    #[inline]
    pub(super) const fn attributes_end(&self) -> u32 {
        self.attributes_end & ATTRIBUTES_END
    }

    #[inline]
    pub(super) const fn exemplars_end(&self) -> u32 {
        self.exemplars_end & EXEMPLARS_END
    }
}

/// Exemplars in storage.
#[derive(Clone, Default)]
pub(in crate::otlp) struct ExemplarColumns<'a> {
    /// What the request was decoded from.
    pub(super) body: &'a [u8],
    pub(super) rows: Words,
    pub(super) attributes: Vec<Row<'a>>,
}

impl<'a> ExemplarColumns<'a> {
    pub(super) fn clear(&mut self) {
        self.body = &[];
        self.rows.clear();
        self.attributes.clear();
    }

    pub(super) fn recycle<'b>(mut self) -> ExemplarColumns<'b> {
        self.clear();
        ExemplarColumns { body: &[], rows: self.rows, attributes: recycle(self.attributes) }
    }

    pub(super) fn used_bytes(&self) -> usize {
        self.rows.used_bytes().saturating_add(used_bytes(&self.attributes))
    }

    pub(super) fn capacity_bytes(&self) -> usize {
        self.rows.capacity_bytes().saturating_add(vec_bytes(&self.attributes))
    }
}

/// How many points of each kind there were at some time. What rows name as ranges stays where they are
/// dropped, unused.
#[derive(Clone, Copy)]
pub(super) struct PointsMark {
    numbers: u32,
    histograms: u32,
    exponential_histograms: u32,
    summaries: u32,
}

/// How long the columns were at some time.
#[derive(Clone, Copy)]
pub(in crate::otlp) struct Mark {
    metrics: u32,
    metadata: u32,
    points: PointsMark,
}

impl<'a> Storage<'a> {
    pub(super) fn clear(&mut self) {
        self.parents.clear();
        self.metrics.clear();
        self.metric_texts.clear();
        self.metadata.clear();
        self.numbers.clear();
        self.number_attributes.clear();
        self.number_exemplars.clear();
        self.number_flags.clear();
        self.attributes.clear();
        self.exemplars.clear();
        self.histograms.clear();
        self.bucket_counts.clear();
        self.explicit_bounds.clear();
        self.exponential_histograms.clear();
        self.positive_counts.clear();
        self.negative_counts.clear();
        self.summaries.clear();
        self.quantile_values.clear();
    }

    /// The allocations, emptied, for a body of another lifetime.
    pub(super) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            parents: self.parents.recycle(),
            metrics: self.metrics,
            metric_texts: recycle(self.metric_texts),
            metadata: recycle(self.metadata),
            numbers: self.numbers,
            number_attributes: recycle(self.number_attributes),
            number_exemplars: self.number_exemplars.recycle(),
            number_flags: self.number_flags,
            attributes: recycle(self.attributes),
            exemplars: self.exemplars.recycle(),
            histograms: self.histograms,
            bucket_counts: self.bucket_counts,
            explicit_bounds: self.explicit_bounds,
            exponential_histograms: self.exponential_histograms,
            positive_counts: self.positive_counts,
            negative_counts: self.negative_counts,
            summaries: self.summaries,
            quantile_values: self.quantile_values,
        }
    }

    /// Takes `body` to be what is decoded.
    pub(super) fn begin(&mut self, body: &'a [u8]) {
        self.parents.body = body;
        self.number_exemplars.body = body;
        self.exemplars.body = body;
    }

    pub(super) fn points_mark(&self) -> PointsMark {
        PointsMark {
            numbers: index(self.numbers.len()),
            histograms: index(self.histograms.len()),
            exponential_histograms: index(self.exponential_histograms.len()),
            summaries: index(self.summaries.len()),
        }
    }

    /// Keeps the first `len` points of numbers, and drops the rest with all that was read of them.
    #[cold]
    pub(super) fn truncate_numbers(&mut self, len: u32) {
        truncate(&mut self.numbers, len);
        self.number_flags.truncate(to_usize(len));
        let (attributes_end, exemplars_end) = self
            .numbers
            .last()
            .map_or((0, 0), |last| (last.attributes_end(), last.exemplars_end()));
        truncate(&mut self.number_attributes, attributes_end);
        self.number_exemplars.rows.truncate(exemplars_end);
    }

    /// Drops all points that were read since `mark` was made.
    #[cold]
    pub(super) fn truncate_points(&mut self, mark: PointsMark) {
        self.truncate_numbers(mark.numbers);
        self.histograms.truncate(mark.histograms);
        self.exponential_histograms.truncate(mark.exponential_histograms);
        self.summaries.truncate(mark.summaries);
    }

    /// How many points of all kinds there are.
    pub(super) const fn data_points_len(&self) -> usize {
        self.numbers
            .len()
            .saturating_add(self.histograms.len())
            .saturating_add(self.exponential_histograms.len())
            .saturating_add(self.summaries.len())
    }

    /// Bytes of all that is in the storage.
    pub(super) fn used_bytes(&self) -> usize {
        sum([
            self.parents.used_bytes(),
            used_bytes(&self.metrics),
            used_bytes(&self.metric_texts),
            used_bytes(&self.metadata),
            used_bytes(&self.numbers),
            used_bytes(&self.number_attributes),
            self.number_exemplars.used_bytes(),
            used_bytes(&self.attributes),
            self.exemplars.used_bytes(),
            self.histograms.used_bytes(),
            used_bytes(&self.bucket_counts),
            used_bytes(&self.explicit_bounds),
            self.exponential_histograms.used_bytes(),
            used_bytes(&self.positive_counts),
            used_bytes(&self.negative_counts),
            self.summaries.used_bytes(),
            used_bytes(&self.quantile_values),
        ])
    }

    /// Heap bytes that the storage holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        sum([
            self.parents.capacity_bytes(),
            vec_bytes(&self.metrics),
            vec_bytes(&self.metric_texts),
            vec_bytes(&self.metadata),
            vec_bytes(&self.numbers),
            vec_bytes(&self.number_attributes),
            self.number_exemplars.capacity_bytes(),
            self.number_flags.capacity_bytes(),
            vec_bytes(&self.attributes),
            self.exemplars.capacity_bytes(),
            self.histograms.capacity_bytes(),
            vec_bytes(&self.bucket_counts),
            vec_bytes(&self.explicit_bounds),
            self.exponential_histograms.capacity_bytes(),
            vec_bytes(&self.positive_counts),
            vec_bytes(&self.negative_counts),
            self.summaries.capacity_bytes(),
            vec_bytes(&self.quantile_values),
        ])
    }

    pub(super) fn mark(&self) -> Mark {
        Mark {
            metrics: index(self.metrics.len()),
            metadata: index(self.metadata.len()),
            points: self.points_mark(),
        }
    }

    /// Drops all metrics that were read since `mark` was made.
    #[cold]
    pub(super) fn truncate(&mut self, mark: Mark) {
        truncate(&mut self.metrics, mark.metrics);
        truncate(&mut self.metadata, mark.metadata);
        self.truncate_points(mark.points);
    }
}
