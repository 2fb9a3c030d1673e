//! The histograms of a series.

use super::columns::HistogramColumns;
use super::message::Histogram;
use crate::remote_write::model::sample::ValueForm;
use crate::wire::{self, BufferFull, Tag, Writer};

/// The histograms of a series: the caller's slice, or a range of decoded storage.
///
/// ```
/// use borrowire::remote_write::{Histogram, TimeSeries};
///
/// let histograms = [Histogram::default()];
/// let series = TimeSeries::new(&[]).with_histograms(&histograms);
/// assert_eq!(series.histograms().len(), 1);
/// assert_eq!(series.histograms().get(0), Some(histograms[0]));
/// for histogram in series.histograms() {
///     println!("{} observations at {} ms", histogram.sum, histogram.timestamp);
/// }
/// ```
#[derive(Clone, Copy)]
pub struct Histograms<'s>(Kept<'s>);

/// Where they are kept.
#[derive(Clone, Copy)]
enum Kept<'s> {
    Slice(&'s [Histogram<'s>]),
    Rows { rows: &'s [u32], columns: &'s HistogramColumns },
}

impl<'s> Histograms<'s> {
    pub(in crate::remote_write) const fn slice(histograms: &'s [Histogram<'s>]) -> Self {
        Self(Kept::Slice(histograms))
    }

    #[inline]
    pub(in crate::remote_write) fn stored(
        columns: &'s HistogramColumns,
        start: u32,
        end: u32,
    ) -> Self {
        Self(Kept::Rows { rows: columns.rows.rows(start, end), columns })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Kept::Slice(histograms) => histograms.len(),
            Kept::Rows { rows, .. } => rows.len(),
        }
    }

    /// The histogram at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Histogram<'s>> {
        match self.0 {
            Kept::Slice(histograms) => histograms.get(index).copied(),
            Kept::Rows { rows, columns } => {
                rows.get(index).map(|&row| Histogram::stored(columns, row))
            }
        }
    }

    /// Bytes of the histograms as fields `tag` of a series.
    pub(in crate::remote_write) fn fields_len(&self, tag: Tag, form: ValueForm) -> usize {
        self.iter().fold(0, |sum: usize, histogram| {
            sum.saturating_add(wire::message_len(tag, histogram.len(form)))
        })
    }

    /// Writes the histograms as fields `tag` of a series.
    pub(in crate::remote_write) fn write_fields(
        &self,
        writer: &mut Writer<'_>,
        tag: Tag,
        form: ValueForm,
    ) -> Result<(), BufferFull> {
        self.iter().try_for_each(|histogram| {
            writer.write_len(tag, histogram.len(form))?;
            histogram.write(writer, form)
        })
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`Histograms`].
    Histograms, HistogramsIter, ['s], Histogram<'s>
}
