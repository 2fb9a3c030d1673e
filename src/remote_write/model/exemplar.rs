//! An exemplar: a measured value with the trace that it came from.

use core::fmt;

use super::label::Label;
use super::sample::ValueForm;
use super::storage::ExemplarRow;
use crate::message::columns::range;

/// A single measured value, with labels of its own (usually a trace id). Equal when the bits are.
///
/// ```
/// use borrowire::remote_write::{Exemplar, Label, TimeSeries};
///
/// let trace = [Label::new("trace_id", "0242ac120002")];
/// let exemplars = [Exemplar::new(&trace, 0.25, 1_700_000_000_000)];
/// let series = TimeSeries::new(&[]).with_exemplars(&exemplars);
/// assert_eq!(series.exemplars().get(0).unwrap().value(), 0.25);
/// ```
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

    /// What is written of it.
    #[inline]
    pub(in crate::remote_write) fn in_form(self, form: ValueForm) -> Self {
        Self { value: form.value(self.value), ..self }
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

/// The exemplars of a series: the caller's slice, or a range of decoded storage.
///
/// ```
/// use borrowire::remote_write::{Exemplar, TimeSeries};
///
/// let exemplars = [Exemplar::new(&[], 0.25, 1), Exemplar::new(&[], 0.5, 2)];
/// let series = TimeSeries::new(&[]).with_exemplars(&exemplars);
/// assert_eq!(series.exemplars().len(), 2);
/// assert_eq!(series.exemplars().get(1), Some(exemplars[1]));
/// assert!(series.exemplars().iter().eq(exemplars));
/// ```
#[derive(Clone, Copy)]
pub struct Exemplars<'s, 'a>(Kept<'s, 'a>);

/// Where they are kept.
#[derive(Clone, Copy)]
enum Kept<'s, 'a> {
    Slice(&'s [Exemplar<'s, 'a>]),
    Rows { rows: &'s [ExemplarRow], labels: &'s [Label<'a>] },
}

impl<'s, 'a> Exemplars<'s, 'a> {
    pub(super) const fn slice(exemplars: &'s [Exemplar<'s, 'a>]) -> Self {
        Self(Kept::Slice(exemplars))
    }

    pub(super) const fn stored(rows: &'s [ExemplarRow], labels: &'s [Label<'a>]) -> Self {
        Self(Kept::Rows { rows, labels })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Kept::Slice(exemplars) => exemplars.len(),
            Kept::Rows { rows, .. } => rows.len(),
        }
    }

    /// The exemplar at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Exemplar<'s, 'a>> {
        match self.0 {
            Kept::Slice(exemplars) => exemplars.get(index).copied(),
            Kept::Rows { rows, labels } => {
                let row = rows.get(index)?;
                let labels = range(labels, row.labels_start, row.labels_end);
                Some(Exemplar::new(labels, row.value, row.timestamp))
            }
        }
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`Exemplars`].
    Exemplars, ExemplarsIter, ['s, 'a], Exemplar<'s, 'a>
}
