//! What requests of both versions of remote write have in common.

use borrowire::remote_write::TimeSeries;

/// Whether two series are equal, field by field.
pub fn same_series(a: &TimeSeries<'_, '_>, b: &TimeSeries<'_, '_>) -> bool {
    let starts = |series: &TimeSeries<'_, '_>| -> Vec<i64> {
        series.samples().iter().map(|sample| sample.start_timestamp).collect()
    };
    same_without_starts(a, b)
        && starts(a) == starts(b)
        && a.histograms().iter().eq(b.histograms())
        && a.metadata() == b.metadata()
        && a.created_timestamp() == b.created_timestamp()
        && a == b
}

/// Whether two series are equal but for metadata and what says since when they count.
pub fn same_without_starts(a: &TimeSeries<'_, '_>, b: &TimeSeries<'_, '_>) -> bool {
    let samples = |series: &TimeSeries<'_, '_>| -> Vec<_> {
        series.samples().iter().map(|sample| (sample.value.to_bits(), sample.timestamp)).collect()
    };
    let mut exemplars = a.exemplars().iter().zip(b.exemplars());
    let mut histograms = a.histograms().iter().zip(b.histograms());
    a.labels() == b.labels()
        && samples(a) == samples(b)
        && a.exemplars().len() == b.exemplars().len()
        && exemplars.all(|(a, b)| {
            a.labels() == b.labels()
                && a.value().to_bits() == b.value().to_bits()
                && a.timestamp() == b.timestamp()
        })
        && a.histograms().len() == b.histograms().len()
        && histograms.all(|(a, mut b)| {
            b.start_timestamp = a.start_timestamp;
            a == b
        })
}

/// Panics unless two lists of series are equal.
pub fn assert_same_series<'s, 'a: 's, 't, 'b: 't>(
    a: impl ExactSizeIterator<Item = TimeSeries<'s, 'a>>,
    b: impl ExactSizeIterator<Item = TimeSeries<'t, 'b>>,
) {
    assert_eq!(a.len(), b.len());
    for (i, (a, b)) in a.zip(b).enumerate() {
        assert!(same_series(&a, &b), "series {i}: {a:?} and {b:?}");
    }
}

/// How many labels, samples, exemplars and histograms there are, by what a series shows.
pub fn counts(series: &TimeSeries<'_, '_>) -> [usize; 4] {
    [
        series.labels().len(),
        series.samples().len(),
        series.exemplars().len(),
        series.histograms().len(),
    ]
}

pub fn sum(counts: impl Iterator<Item = [usize; 4]>) -> [usize; 4] {
    counts.fold([0; 4], |[a, b, c, d], [w, x, y, z]| [a + w, b + x, c + y, d + z])
}

/// How many elements a series holds besides its labels, samples, exemplars and histograms.
pub fn inner_elements(series: &TimeSeries<'_, '_>) -> usize {
    let labels = series.exemplars().iter().map(|exemplar| exemplar.labels().len());
    let lists = series.histograms().iter().map(|histogram| {
        histogram.negative_spans.len()
            + histogram.negative_deltas.len()
            + histogram.negative_counts.len()
            + histogram.positive_spans.len()
            + histogram.positive_deltas.len()
            + histogram.positive_counts.len()
            + histogram.custom_values.len()
    });
    labels.sum::<usize>() + lists.sum::<usize>()
}

/// Expands the histograms of a series.
pub fn check_buckets(series: &TimeSeries<'_, '_>) {
    for histogram in series.histograms() {
        for buckets in [histogram.positive_buckets(1000), histogram.negative_buckets(1000)] {
            let buckets: Vec<_> = buckets.collect();
            assert!(buckets.len() <= 1000);
            assert!(buckets.iter().rev().skip(1).all(Result::is_ok), "one error, and last");
        }
    }
}
