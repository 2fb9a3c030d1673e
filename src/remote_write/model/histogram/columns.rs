//! Decoded histograms in flat storage.
//!
//! A histogram has seventeen fields, and a hostile one has none, in two bytes of input. So a row
//! holds only the fields that are set.

use alloc::vec::Vec;

use super::bucket_span::BucketSpan;
use super::count::{Count, ResetHint};
use crate::message::columns::{Words, sum, used_bytes, vec_bytes};

/// The histograms of a request. Each list has a column of its own, because fields may come in any
/// order and several runs.
#[derive(Clone, Default)]
pub(in crate::remote_write) struct HistogramColumns {
    pub(super) rows: Words,
    pub(super) negative_spans: Vec<BucketSpan>,
    pub(super) negative_deltas: Vec<i64>,
    pub(super) negative_counts: Vec<f64>,
    pub(super) positive_spans: Vec<BucketSpan>,
    pub(super) positive_deltas: Vec<i64>,
    pub(super) positive_counts: Vec<f64>,
    pub(super) custom_values: Vec<f64>,
}

/// Where the lists of a histogram begin.
#[derive(Clone, Copy)]
pub(super) struct Starts {
    negative_spans: usize,
    negative_deltas: usize,
    negative_counts: usize,
    positive_spans: usize,
    positive_deltas: usize,
    positive_counts: usize,
    custom_values: usize,
}

/// Bits of a row's mask: which fields have a word.
pub(super) mod field {
    pub(in super::super) const COUNT_INT: u64 = 1;
    pub(in super::super) const COUNT_FLOAT: u64 = 1 << 1;
    pub(in super::super) const SUM: u64 = 1 << 2;
    pub(in super::super) const SCHEMA: u64 = 1 << 3;
    pub(in super::super) const ZERO_THRESHOLD: u64 = 1 << 4;
    pub(in super::super) const ZERO_COUNT_INT: u64 = 1 << 5;
    pub(in super::super) const ZERO_COUNT_FLOAT: u64 = 1 << 6;
    pub(in super::super) const RESET_HINT: u64 = 1 << 7;
    pub(in super::super) const TIMESTAMP: u64 = 1 << 8;
    pub(in super::super) const START_TIMESTAMP: u64 = 1 << 9;
    pub(in super::super) const NEGATIVE_SPANS: u64 = 1 << 10;
    pub(in super::super) const NEGATIVE_DELTAS: u64 = 1 << 11;
    pub(in super::super) const NEGATIVE_COUNTS: u64 = 1 << 12;
    pub(in super::super) const POSITIVE_SPANS: u64 = 1 << 13;
    pub(in super::super) const POSITIVE_DELTAS: u64 = 1 << 14;
    pub(in super::super) const POSITIVE_COUNTS: u64 = 1 << 15;
    pub(in super::super) const CUSTOM_VALUES: u64 = 1 << 16;
}

/// The fields of a histogram that are no lists, while it is put together.
#[derive(Clone, Copy, Default)]
pub(super) struct Scalars {
    pub(super) count: Option<Count>,
    pub(super) sum: f64,
    pub(super) schema: i32,
    pub(super) zero_threshold: f64,
    pub(super) zero_count: Option<Count>,
    pub(super) reset_hint: ResetHint,
    pub(super) timestamp: i64,
    pub(super) start_timestamp: i64,
}

impl HistogramColumns {
    /// How many histograms there are.
    pub(in crate::remote_write) const fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) const fn starts(&self) -> Starts {
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
    pub(in crate::remote_write) fn truncate(&mut self, end: u32) {
        self.rows.truncate(end);
    }

    pub(in crate::remote_write) fn clear(&mut self) {
        self.rows.clear();
        self.negative_spans.clear();
        self.negative_deltas.clear();
        self.negative_counts.clear();
        self.positive_spans.clear();
        self.positive_deltas.clear();
        self.positive_counts.clear();
        self.custom_values.clear();
    }

    /// Bytes of all that is in the columns.
    pub(in crate::remote_write) fn used_bytes(&self) -> usize {
        sum([
            self.rows.used_bytes(),
            used_bytes(&self.negative_spans),
            used_bytes(&self.negative_deltas),
            used_bytes(&self.negative_counts),
            used_bytes(&self.positive_spans),
            used_bytes(&self.positive_deltas),
            used_bytes(&self.positive_counts),
            used_bytes(&self.custom_values),
        ])
    }

    /// Heap bytes that the columns hold.
    pub(in crate::remote_write) fn capacity_bytes(&self) -> usize {
        sum([
            self.rows.capacity_bytes(),
            vec_bytes(&self.negative_spans),
            vec_bytes(&self.negative_deltas),
            vec_bytes(&self.negative_counts),
            vec_bytes(&self.positive_spans),
            vec_bytes(&self.positive_deltas),
            vec_bytes(&self.positive_counts),
            vec_bytes(&self.custom_values),
        ])
    }

    /// Appends the row of a histogram whose lists are all that was added since `start`.
    pub(super) fn push_row(&mut self, scalars: &Scalars, start: &Starts) {
        let mut row = self.rows.push_row();
        match scalars.count {
            None => {}
            Some(Count::Int(count)) => row.set(field::COUNT_INT, count),
            Some(Count::Float(count)) => row.set(field::COUNT_FLOAT, count.to_bits()),
        }
        row.set_unless_zero(field::SUM, scalars.sum.to_bits());
        row.set_unless_zero(field::SCHEMA, scalars.schema.cast_unsigned().into());
        row.set_unless_zero(field::ZERO_THRESHOLD, scalars.zero_threshold.to_bits());
        match scalars.zero_count {
            None => {}
            Some(Count::Int(count)) => row.set(field::ZERO_COUNT_INT, count),
            Some(Count::Float(count)) => row.set(field::ZERO_COUNT_FLOAT, count.to_bits()),
        }
        row.set_unless_zero(field::RESET_HINT, scalars.reset_hint.0.cast_unsigned().into());
        row.set_unless_zero(field::TIMESTAMP, scalars.timestamp.cast_unsigned());
        row.set_unless_zero(field::START_TIMESTAMP, scalars.start_timestamp.cast_unsigned());
        for (field, start, end) in [
            (field::NEGATIVE_SPANS, start.negative_spans, self.negative_spans.len()),
            (field::NEGATIVE_DELTAS, start.negative_deltas, self.negative_deltas.len()),
            (field::NEGATIVE_COUNTS, start.negative_counts, self.negative_counts.len()),
            (field::POSITIVE_SPANS, start.positive_spans, self.positive_spans.len()),
            (field::POSITIVE_DELTAS, start.positive_deltas, self.positive_deltas.len()),
            (field::POSITIVE_COUNTS, start.positive_counts, self.positive_counts.len()),
            (field::CUSTOM_VALUES, start.custom_values, self.custom_values.len()),
        ] {
            row.set_range(field, start, end);
        }
        row.end();
    }
}
