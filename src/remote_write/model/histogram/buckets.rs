//! The buckets of a native histogram, one by one, without filling the gaps between spans.

use core::fmt;
use core::iter::FusedIterator;
use core::slice;

use super::bucket_span::BucketSpan;
use super::count::Count;
use super::message::Histogram;

/// A bucket of a native histogram.
///
/// ```
/// use borrowire::remote_write::{BucketSpan, Count, Histogram};
///
/// let spans = [BucketSpan::new(7, 1)];
/// let mut histogram = Histogram::default();
/// histogram.positive_spans = &spans;
/// histogram.positive_deltas = &[2];
/// let bucket = histogram.positive_buckets(100).next().unwrap()?;
/// assert_eq!((bucket.index, bucket.count), (7, Count::Int(2)));
/// # Ok::<(), borrowire::remote_write::BucketError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bucket {
    /// The bucket's index in its schema; for custom buckets, which bound in `custom_values`.
    pub index: i32,
    /// Observations in this bucket alone, absolute in both forms.
    pub count: Count,
}

/// Why a histogram's buckets make no sense.
///
/// ```
/// use borrowire::remote_write::{BucketError, BucketSpan, Histogram};
///
/// let spans = [BucketSpan::new(0, 1_000_000_000)];
/// let mut histogram = Histogram::default();
/// histogram.positive_spans = &spans;
/// let error = histogram.positive_buckets(100).next().unwrap().unwrap_err();
/// assert_eq!(error, BucketError::TooManyBuckets);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BucketError {
    /// The spans name more buckets than deltas or counts are there, or fewer.
    LengthMismatch,
    /// A delta takes a count below 0, or over 64 bits.
    CountOutOfRange,
    /// The index of a bucket does not fit into 32 bits.
    IndexOutOfRange,
    /// A span after the first begins before the end of the one before it.
    NegativeGap,
    /// More buckets than the caller allows.
    TooManyBuckets,
}

impl fmt::Display for BucketError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::LengthMismatch => "spans and bucket values differ in number",
            Self::CountOutOfRange => "bucket count out of range",
            Self::IndexOutOfRange => "bucket index out of range",
            Self::NegativeGap => "spans overlap",
            Self::TooManyBuckets => "too many buckets",
        })
    }
}

impl core::error::Error for BucketError {}

/// Iterates over the buckets that a histogram holds values for, in ascending order of index.
///
/// Yields one error at the most, and nothing behind it.
///
/// ```
/// use borrowire::remote_write::{BucketSpan, Count, Histogram};
///
/// let spans = [BucketSpan::new(0, 2)];
/// let mut histogram = Histogram::default();
/// histogram.negative_spans = &spans;
/// histogram.negative_deltas = &[1, 2];
/// let counts = histogram.negative_buckets(100).map(|bucket| bucket.map(|bucket| bucket.count));
/// assert!(counts.eq([Ok(Count::Int(1)), Ok(Count::Int(3))]));
/// ```
#[derive(Clone, Debug)]
pub struct Buckets<'s> {
    spans: slice::Iter<'s, BucketSpan>,
    values: Values<'s>,
    /// Index of the next bucket; one over `i32` at the most, hence wider.
    index: i64,
    /// Buckets left in the current span.
    in_span: u32,
    first_span: bool,
    /// What the first call returns instead of a bucket.
    refused: Option<BucketError>,
    done: bool,
}

#[derive(Clone, Debug)]
enum Values<'s> {
    Deltas { deltas: slice::Iter<'s, i64>, count: u64 },
    Counts(slice::Iter<'s, f64>),
}

impl<'s> Histogram<'s> {
    /// The positive buckets, at most `max` of them.
    ///
    /// A histogram in integer form yields [`Count::Int`], one in float form [`Count::Float`].
    /// Spans that name more than `max` buckets are refused before the first is yielded, so a few
    /// bytes cannot ask for much work.
    ///
    /// ```
    /// use borrowire::remote_write::{Bucket, BucketSpan, Count, Histogram};
    ///
    /// let spans = [BucketSpan::new(-1, 1), BucketSpan::new(3, 2)];
    /// let mut histogram = Histogram::default();
    /// histogram.positive_spans = &spans;
    /// histogram.positive_deltas = &[2, 3, -1];
    /// let buckets: Result<Vec<Bucket>, _> = histogram.positive_buckets(100).collect();
    /// assert_eq!(buckets?.iter().map(|b| (b.index, b.count)).collect::<Vec<_>>(), [
    ///     (-1, Count::Int(2)),
    ///     (3, Count::Int(5)),
    ///     (4, Count::Int(4)),
    /// ]);
    /// # Ok::<(), borrowire::remote_write::BucketError>(())
    /// ```
    #[must_use]
    pub fn positive_buckets(&self, max: usize) -> Buckets<'s> {
        let (deltas, counts) = (self.positive_deltas, self.positive_counts);
        self.buckets(self.positive_spans, deltas, counts, max)
    }

    /// The negative buckets, at most `max` of them: see
    /// [`positive_buckets`](Self::positive_buckets). Index 1 is the bucket next to zero, as there.
    #[must_use]
    pub fn negative_buckets(&self, max: usize) -> Buckets<'s> {
        let (deltas, counts) = (self.negative_deltas, self.negative_counts);
        self.buckets(self.negative_spans, deltas, counts, max)
    }

    fn buckets(
        &self,
        spans: &'s [BucketSpan],
        deltas: &'s [i64],
        counts: &'s [f64],
        max: usize,
    ) -> Buckets<'s> {
        let total = spans.iter().fold(0_u64, |sum, span| sum.saturating_add(span.length.into()));
        let (values, len) = if self.is_float() {
            (Values::Counts(counts.iter()), counts.len())
        } else {
            (Values::Deltas { deltas: deltas.iter(), count: 0 }, deltas.len())
        };
        let refused = match usize::try_from(total) {
            Ok(total) if total <= max => (total != len).then_some(BucketError::LengthMismatch),
            _ => Some(BucketError::TooManyBuckets),
        };
        Buckets {
            spans: spans.iter(),
            values,
            index: 0,
            in_span: 0,
            first_span: true,
            refused,
            done: false,
        }
    }
}

impl Buckets<'_> {
    fn try_next(&mut self) -> Result<Option<Bucket>, BucketError> {
        if let Some(error) = self.refused.take() {
            return Err(error);
        }
        while self.in_span == 0 {
            let Some(span) = self.spans.next() else {
                return Ok(None);
            };
            if span.offset < 0 && !self.first_span {
                return Err(BucketError::NegativeGap);
            }
            self.first_span = false;
            self.in_span = span.length;
            self.index = self.index.saturating_add(span.offset.into());
        }
        let index = i32::try_from(self.index).map_err(|_| BucketError::IndexOutOfRange)?;
        self.index = self.index.saturating_add(1);
        self.in_span = self.in_span.saturating_sub(1);
        let count = match &mut self.values {
            Values::Counts(counts) => {
                Count::Float(*counts.next().ok_or(BucketError::LengthMismatch)?)
            }
            Values::Deltas { deltas, count } => {
                let delta = *deltas.next().ok_or(BucketError::LengthMismatch)?;
                *count = count.checked_add_signed(delta).ok_or(BucketError::CountOutOfRange)?;
                Count::Int(*count)
            }
        };
        Ok(Some(Bucket { index, count }))
    }
}

impl Iterator for Buckets<'_> {
    type Item = Result<Bucket, BucketError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.try_next().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl FusedIterator for Buckets<'_> {}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec::Vec;

    fn positive(spans: &[BucketSpan], deltas: &[i64]) -> Result<Vec<(i32, u64)>, BucketError> {
        let histogram =
            Histogram { positive_spans: spans, positive_deltas: deltas, ..Histogram::default() };
        histogram
            .positive_buckets(1000)
            .map(|bucket| {
                bucket.map(|bucket| match bucket.count {
                    Count::Int(count) => (bucket.index, count),
                    Count::Float(_) => panic!("an integer histogram yields integers"),
                })
            })
            .collect()
    }

    #[test]
    fn gaps_are_not_filled() {
        let spans =
            [BucketSpan::new(i32::MAX - 1, 1), BucketSpan::new(0, 0), BucketSpan::new(0, 1)];
        assert_eq!(positive(&spans, &[1, 1]), Ok(alloc::vec![(i32::MAX - 1, 1), (i32::MAX, 2)]));
    }

    #[test]
    fn nonsense_is_refused_by_kind() {
        let span = BucketSpan::new;
        assert_eq!(positive(&[span(i32::MAX, 2)], &[1, 0]), Err(BucketError::IndexOutOfRange));
        assert_eq!(
            positive(&[span(0, u32::MAX), span(0, u32::MAX)], &[1]),
            Err(BucketError::TooManyBuckets)
        );
        assert_eq!(positive(&[span(2, 1), span(-5, 1)], &[2, 2]), Err(BucketError::NegativeGap));
        assert_eq!(positive(&[span(0, 2)], &[1]), Err(BucketError::LengthMismatch));
        assert_eq!(positive(&[span(0, 1)], &[1, 1]), Err(BucketError::LengthMismatch));
        assert_eq!(positive(&[span(0, 2)], &[1, -2]), Err(BucketError::CountOutOfRange));
        assert_eq!(
            positive(&[span(0, 4)], &[i64::MAX, i64::MAX, 1, 1]),
            Err(BucketError::CountOutOfRange)
        );
    }

    #[test]
    fn an_error_is_the_last_item() {
        let histogram = Histogram {
            positive_spans: &[BucketSpan::new(0, 3)],
            positive_deltas: &[1, -2, 5],
            ..Histogram::default()
        };
        let items: Vec<_> = histogram.positive_buckets(3).collect();
        assert_eq!(items.len(), 2);
        assert_eq!(items.last(), Some(&Err(BucketError::CountOutOfRange)));
    }

    #[test]
    fn the_float_form_yields_floats_of_the_negative_side() {
        let histogram = Histogram {
            count: Some(Count::Float(3.0)),
            negative_spans: &[BucketSpan::new(1, 2)],
            negative_counts: &[1.5, 1.5],
            ..Histogram::default()
        };
        let items: Result<Vec<_>, _> = histogram.negative_buckets(2).collect();
        assert_eq!(
            items,
            Ok([1, 2].map(|index| Bucket { index, count: Count::Float(1.5) }).to_vec())
        );
        assert_eq!(histogram.negative_buckets(1).next(), Some(Err(BucketError::TooManyBuckets)));
    }
}
