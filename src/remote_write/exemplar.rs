//! An exemplar: a measured value with the trace that it came from.

use core::fmt;

use super::label::Label;
use super::storage::Storage;
use crate::storage::{index, push, range};

/// A single measured value, with labels of its own (usually a trace id). Equal when the bits are.
#[derive(Clone, Copy)]
pub struct Exemplar<'s, 'a> {
    labels: &'s [Label<'a>],
    value: f64,
    timestamp: i64,
}

impl<'s, 'a> Exemplar<'s, 'a> {
    /// An exemplar of `value` at `timestamp`, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn new(labels: &'s [Label<'a>], value: f64, timestamp: i64) -> Self {
        Self { labels, value, timestamp }
    }

    /// The exemplar's own labels; those of the series are not among them.
    #[must_use]
    pub const fn labels(&self) -> &'s [Label<'a>] {
        self.labels
    }

    /// The measured value.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Milliseconds since the Unix epoch; 0 when the sender left it out.
    #[must_use]
    pub const fn timestamp(&self) -> i64 {
        self.timestamp
    }
}

impl PartialEq for Exemplar<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels
            && self.value.to_bits() == other.value.to_bits()
            && self.timestamp == other.timestamp
    }
}

impl Eq for Exemplar<'_, '_> {}

impl fmt::Debug for Exemplar<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exemplar")
            .field("labels", &self.labels.len())
            .field("value", &self.value)
            .field("timestamp", &self.timestamp)
            .finish()
    }
}

/// An exemplar in storage: its labels are `exemplar_labels[labels_start..labels_end]`.
#[derive(Clone, Copy)]
pub(super) struct ExemplarRecord {
    labels_start: u32,
    labels_end: u32,
    value: f64,
    timestamp: i64,
}

impl ExemplarRecord {
    /// Appends an exemplar whose labels are those of storage from `labels_start` on.
    pub(super) fn push(storage: &mut Storage<'_>, labels_start: usize, value: f64, timestamp: i64) {
        let record = Self {
            labels_start: index(labels_start),
            labels_end: index(storage.exemplar_labels.len()),
            value,
            timestamp,
        };
        push(&mut storage.exemplars, record);
    }

    /// Where the labels of the next one begin.
    pub(super) const fn labels_end(&self) -> u32 {
        self.labels_end
    }
}

/// The exemplars of a series: the caller's slice, or a range of decoded storage.
#[derive(Clone, Copy)]
pub struct Exemplars<'s, 'a>(Source<'s, 'a>);

#[derive(Clone, Copy)]
enum Source<'s, 'a> {
    Slice(&'s [Exemplar<'s, 'a>]),
    Stored { records: &'s [ExemplarRecord], labels: &'s [Label<'a>] },
}

impl<'s, 'a> Exemplars<'s, 'a> {
    pub(super) const fn slice(exemplars: &'s [Exemplar<'s, 'a>]) -> Self {
        Self(Source::Slice(exemplars))
    }

    pub(super) const fn stored(records: &'s [ExemplarRecord], labels: &'s [Label<'a>]) -> Self {
        Self(Source::Stored { records, labels })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Source::Slice(exemplars) => exemplars.len(),
            Source::Stored { records, .. } => records.len(),
        }
    }

    /// The exemplar at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Exemplar<'s, 'a>> {
        match self.0 {
            Source::Slice(exemplars) => exemplars.get(index).copied(),
            Source::Stored { records, labels } => {
                let record = records.get(index)?;
                let labels = range(labels, record.labels_start, record.labels_end);
                Some(Exemplar::new(labels, record.value, record.timestamp))
            }
        }
    }
}

crate::storage::impl_list! {
    /// Iterates over [`Exemplars`].
    Exemplars, ExemplarsIter, ['s, 'a], Exemplar<'s, 'a>
}
