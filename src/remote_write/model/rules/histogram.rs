//! The rules for native histograms: those of Prometheus' `Histogram.Validate`, in its order, and
//! what it cannot see because it reads one form only.

use super::rule::{Rule, Side};
use crate::remote_write::model::histogram::{BucketSpan, CUSTOM_BUCKETS_SCHEMA, Count, Histogram};

/// The first rule that `histogram` breaks, with the side of the buckets that break it.
pub(super) fn check(histogram: &Histogram<'_>) -> Result<(), (Rule, Option<Side>)> {
    check_forms(histogram).map_err(|rule| (rule, None))?;
    let negative = Buckets {
        side: Side::Negative,
        spans: histogram.negative_spans,
        deltas: histogram.negative_deltas,
        counts: histogram.negative_counts,
        is_float: histogram.is_float(),
    };
    let positive = Buckets {
        side: Side::Positive,
        spans: histogram.positive_spans,
        deltas: histogram.positive_deltas,
        counts: histogram.positive_counts,
        is_float: histogram.is_float(),
    };
    match histogram.schema {
        CUSTOM_BUCKETS_SCHEMA => check_custom(histogram, &negative, &positive)?,
        -4..=8 => check_exponential(histogram, &negative, &positive)?,
        9..=52 => {
            check_exponential(histogram, &negative, &positive)?;
            check_counts(histogram, &negative, &positive)?;
            return Err((Rule::HistogramResolution, None));
        }
        _ => return Err((Rule::HistogramSchema, None)),
    }
    check_counts(histogram, &negative, &positive)
}

/// The buckets of one side.
struct Buckets<'s> {
    side: Side,
    spans: &'s [BucketSpan],
    deltas: &'s [i64],
    counts: &'s [f64],
    is_float: bool,
}

fn check_forms(histogram: &Histogram<'_>) -> Result<(), Rule> {
    let mixed = if histogram.is_float() {
        matches!(histogram.zero_count, Some(Count::Int(1..)))
            || !histogram.negative_deltas.is_empty()
            || !histogram.positive_deltas.is_empty()
    } else {
        matches!(histogram.zero_count, Some(Count::Float(count)) if count.to_bits() != 0)
            || !histogram.negative_counts.is_empty()
            || !histogram.positive_counts.is_empty()
    };
    if mixed { Err(Rule::HistogramMixedForms) } else { Ok(()) }
}

fn check_custom(
    histogram: &Histogram<'_>,
    negative: &Buckets<'_>,
    positive: &Buckets<'_>,
) -> Result<(), (Rule, Option<Side>)> {
    let bounds = histogram.custom_values;
    let of_bounds = |rule| (rule, Some(Side::Positive));
    if bounds.iter().any(|bound| bound.is_nan()) || !bounds.is_sorted_by(|a, b| a < b) {
        return Err(of_bounds(Rule::CustomBoundsNotAscending));
    }
    if bounds.last() == Some(&f64::INFINITY) {
        return Err(of_bounds(Rule::CustomBoundsInfinite));
    }
    if positive.spans.iter().any(|span| span.offset < 0) {
        return Err(of_bounds(Rule::BucketNegativeOffset));
    }
    positive.check_lengths()?;
    let covered = positive.spans.iter().fold(0_u64, |sum, span| {
        sum.saturating_add(span.offset.unsigned_abs().into()).saturating_add(span.length.into())
    });
    if covered > u64::try_from(bounds.len()).unwrap_or(u64::MAX).saturating_add(1) {
        return Err(of_bounds(Rule::CustomBucketsOverBounds));
    }
    let has_zero_count = match histogram.zero_count {
        None => false,
        Some(Count::Int(count)) => count != 0,
        Some(Count::Float(count)) => count != 0.0,
    };
    if has_zero_count || histogram.zero_threshold != 0.0 {
        return Err((Rule::CustomBucketsZeroBucket, None));
    }
    if !negative.is_empty() {
        return Err((Rule::CustomBucketsNegative, Some(Side::Negative)));
    }
    Ok(())
}

fn check_exponential(
    histogram: &Histogram<'_>,
    negative: &Buckets<'_>,
    positive: &Buckets<'_>,
) -> Result<(), (Rule, Option<Side>)> {
    for buckets in [positive, negative] {
        if buckets.spans.iter().skip(1).any(|span| span.offset < 0) {
            return Err((Rule::BucketNegativeOffset, Some(buckets.side)));
        }
        buckets.check_lengths()?;
        buckets.check_indexes()?;
    }
    if !histogram.custom_values.is_empty() {
        return Err((Rule::CustomBoundsWithoutCustomSchema, None));
    }
    Ok(())
}

/// Checks the counts of all buckets, and their sum.
fn check_counts(
    histogram: &Histogram<'_>,
    negative: &Buckets<'_>,
    positive: &Buckets<'_>,
) -> Result<(), (Rule, Option<Side>)> {
    let negative_count = |count: Option<Count>| match count {
        // Not for -0.0, which is 0, and not for NaN, the count of a stale marker.
        Some(Count::Float(count)) => count < 0.0,
        _ => false,
    };
    if negative_count(histogram.count) || negative_count(histogram.zero_count) {
        return Err((Rule::BucketNegativeCount, None));
    }
    let mut sum = match histogram.zero_count {
        Some(Count::Int(count)) => count,
        _ => 0,
    };
    for buckets in [negative, positive] {
        let of_side = |rule| (rule, Some(buckets.side));
        if buckets.is_float {
            if buckets.counts.iter().any(|&count| count < 0.0) {
                return Err(of_side(Rule::BucketNegativeCount));
            }
            continue;
        }
        let mut count = 0_u64;
        for &delta in buckets.deltas {
            count = count.checked_add_signed(delta).ok_or_else(|| {
                of_side(if delta < 0 {
                    Rule::BucketNegativeCount
                } else {
                    Rule::BucketCountOverflow
                })
            })?;
            sum = sum.checked_add(count).ok_or_else(|| of_side(Rule::BucketCountOverflow))?;
        }
    }
    let count = match histogram.count {
        None => 0,
        Some(Count::Int(count)) => count,
        // Sums of floats are rounded: they cannot be held against each other.
        Some(Count::Float(_)) => return Ok(()),
    };
    // An observation that is NaN is counted, and is in no bucket.
    let matches = if histogram.sum.is_nan() { sum <= count } else { sum == count };
    if matches { Ok(()) } else { Err((Rule::BucketCountMismatch, None)) }
}

impl Buckets<'_> {
    const fn is_empty(&self) -> bool {
        self.spans.is_empty() && self.deltas.is_empty() && self.counts.is_empty()
    }

    /// Checks that the spans name as many buckets as there are.
    fn check_lengths(&self) -> Result<(), (Rule, Option<Side>)> {
        let named =
            self.spans.iter().fold(0_u64, |sum, span| sum.saturating_add(span.length.into()));
        let there = if self.is_float { self.counts.len() } else { self.deltas.len() };
        if u64::try_from(there) == Ok(named) {
            Ok(())
        } else {
            Err((Rule::BucketSpanMismatch, Some(self.side)))
        }
    }

    /// Checks that all indexes of buckets fit into 32 bits.
    fn check_indexes(&self) -> Result<(), (Rule, Option<Side>)> {
        let mut next = 0_i64;
        for span in self.spans {
            next = next.saturating_add(span.offset.into()).saturating_add(span.length.into());
            // The last bucket of the span; one without buckets has none.
            let last = next.saturating_sub(1);
            if span.length != 0 && i32::try_from(last).is_err() {
                return Err((Rule::BucketIndexOutOfRange, Some(self.side)));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One positive bucket of two observations.
    fn one_bucket() -> Histogram<'static> {
        Histogram {
            count: Some(Count::Int(2)),
            sum: 3.0,
            positive_spans: &[BucketSpan { offset: 0, length: 1 }],
            positive_deltas: &[2],
            ..Histogram::default()
        }
    }

    #[test]
    fn sound_ones_pass() {
        let plain = one_bucket();
        let custom = Histogram { schema: CUSTOM_BUCKETS_SCHEMA, ..plain };
        for histogram in [
            Histogram::default(),
            plain,
            Histogram { schema: -4, ..plain },
            Histogram { schema: 8, ..plain },
            // no bounds, and the one bucket to infinity
            custom,
            Histogram { custom_values: &[1.0, 2.0], ..custom },
            // observations that are NaN
            Histogram { count: Some(Count::Int(5)), sum: f64::NAN, ..plain },
            // floats are rounded
            Histogram {
                count: Some(Count::Float(5.0)),
                positive_deltas: &[],
                positive_counts: &[4.999],
                ..plain
            },
        ] {
            assert_eq!(check(&histogram), Ok(()), "{histogram:?}");
        }
    }

    #[test]
    fn each_kind_is_found() {
        let plain = one_bucket();
        let custom = Histogram { schema: CUSTOM_BUCKETS_SCHEMA, ..plain };
        let float = Histogram { count: Some(Count::Float(2.0)), positive_deltas: &[], ..plain };
        let two_spans =
            &[BucketSpan { offset: 5, length: 1 }, BucketSpan { offset: -1, length: 1 }];
        let edge = &[BucketSpan { offset: i32::MAX, length: 2 }];
        let (positive, negative) = (Some(Side::Positive), Some(Side::Negative));
        for (histogram, rule, side) in [
            (Histogram { positive_counts: &[2.0], ..plain }, Rule::HistogramMixedForms, None),
            (
                Histogram { zero_count: Some(Count::Int(1)), ..float },
                Rule::HistogramMixedForms,
                None,
            ),
            (Histogram { schema: 9, ..plain }, Rule::HistogramResolution, None),
            (Histogram { schema: 53, ..plain }, Rule::HistogramSchema, None),
            (Histogram { schema: -5, ..plain }, Rule::HistogramSchema, None),
            (Histogram { positive_deltas: &[], ..plain }, Rule::BucketSpanMismatch, positive),
            (Histogram { negative_deltas: &[1], ..plain }, Rule::BucketSpanMismatch, negative),
            (
                Histogram { positive_spans: two_spans, positive_deltas: &[1, 0], ..plain },
                Rule::BucketNegativeOffset,
                positive,
            ),
            (
                Histogram { positive_spans: edge, positive_deltas: &[1, 0], ..plain },
                Rule::BucketIndexOutOfRange,
                positive,
            ),
            (Histogram { positive_deltas: &[-1], ..plain }, Rule::BucketNegativeCount, positive),
            (Histogram { positive_counts: &[-1.0], ..float }, Rule::BucketNegativeCount, positive),
            (
                Histogram { count: Some(Count::Float(-2.0)), positive_counts: &[1.0], ..float },
                Rule::BucketNegativeCount,
                None,
            ),
            (
                Histogram { zero_count: Some(Count::Int(u64::MAX)), ..plain },
                Rule::BucketCountOverflow,
                positive,
            ),
            (Histogram { count: Some(Count::Int(3)), ..plain }, Rule::BucketCountMismatch, None),
            (Histogram { count: None, ..plain }, Rule::BucketCountMismatch, None),
            (
                Histogram { count: Some(Count::Int(1)), sum: f64::NAN, ..plain },
                Rule::BucketCountMismatch,
                None,
            ),
            (
                Histogram { custom_values: &[1.0], ..plain },
                Rule::CustomBoundsWithoutCustomSchema,
                None,
            ),
            (
                Histogram { custom_values: &[2.0, 2.0], ..custom },
                Rule::CustomBoundsNotAscending,
                positive,
            ),
            (
                Histogram { custom_values: &[f64::NAN], ..custom },
                Rule::CustomBoundsNotAscending,
                positive,
            ),
            (
                Histogram { custom_values: &[1.0, f64::INFINITY], ..custom },
                Rule::CustomBoundsInfinite,
                positive,
            ),
            (
                Histogram { positive_spans: &[BucketSpan { offset: 1, length: 1 }], ..custom },
                Rule::CustomBucketsOverBounds,
                positive,
            ),
            (
                Histogram { positive_spans: &[BucketSpan { offset: -1, length: 1 }], ..custom },
                Rule::BucketNegativeOffset,
                positive,
            ),
            (Histogram { zero_threshold: 0.1, ..custom }, Rule::CustomBucketsZeroBucket, None),
            (
                Histogram {
                    negative_spans: &[BucketSpan { offset: 0, length: 1 }],
                    negative_deltas: &[1],
                    ..custom
                },
                Rule::CustomBucketsNegative,
                negative,
            ),
        ] {
            assert_eq!(check(&histogram), Err((rule, side)), "{histogram:?}");
        }
    }
}
