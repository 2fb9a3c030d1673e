//! Random requests of remote write 1.0, and random wire bytes that are shaped like them.

use borrowire::proto::prometheus as proto;
use borrowire::proto::prometheus::histogram::{Count, ZeroCount};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{
    delta, double, double_bytes, double_field, int, message, nested, string, text, text_field,
    timestamp, varint_bytes,
};
use crate::support::bytes::Bytes;

fn label() -> impl Strategy<Value = proto::Label> {
    (text(), text()).prop_map(|(name, value)| proto::Label { name, value })
}

fn sample() -> impl Strategy<Value = proto::Sample> {
    (double(), timestamp()).prop_map(|(value, timestamp)| proto::Sample { value, timestamp })
}

fn exemplar() -> impl Strategy<Value = proto::Exemplar> {
    (vec(label(), 0..3), double(), timestamp())
        .prop_map(|(labels, value, timestamp)| proto::Exemplar { labels, value, timestamp })
}

fn span() -> impl Strategy<Value = proto::BucketSpan> {
    (prop_oneof![-9_i32..9, any::<i32>()], prop_oneof![0_u32..9, any::<u32>()])
        .prop_map(|(offset, length)| proto::BucketSpan { offset, length })
}

fn histogram() -> impl Strategy<Value = proto::Histogram> {
    let count = prop_oneof![
        Just(None),
        any::<u64>().prop_map(|count| Some(Count::CountInt(count))),
        double().prop_map(|count| Some(Count::CountFloat(count))),
    ];
    let zero_count = prop_oneof![
        Just(None),
        any::<u64>().prop_map(|count| Some(ZeroCount::ZeroCountInt(count))),
        double().prop_map(|count| Some(ZeroCount::ZeroCountFloat(count))),
    ];
    let side = || (vec(span(), 0..4), vec(delta(), 0..40), vec(double(), 0..20));
    let schema = prop_oneof![Just(-53), -4_i32..9, any::<i32>()];
    let hint = prop_oneof![0_i32..4, any::<i32>()];
    let rest = (hint, timestamp(), vec(double(), 0..4));
    (count, double(), schema, double(), zero_count, side(), side(), rest).prop_map(
        |(count, sum, schema, zero_threshold, zero_count, negative, positive, rest)| {
            proto::Histogram {
                count,
                sum,
                schema,
                zero_threshold,
                zero_count,
                negative_spans: negative.0,
                negative_deltas: negative.1,
                negative_counts: negative.2,
                positive_spans: positive.0,
                positive_deltas: positive.1,
                positive_counts: positive.2,
                reset_hint: rest.0,
                timestamp: rest.1,
                custom_values: rest.2,
            }
        },
    )
}

fn series() -> impl Strategy<Value = proto::TimeSeries> {
    let samples = prop_oneof![vec(sample(), 1), vec(sample(), 0..6)];
    let exemplars = prop_oneof![Just(vec![]), vec(exemplar(), 0..3)];
    let histograms = prop_oneof![3 => Just(vec![]), 1 => vec(histogram(), 0..3)];
    (vec(label(), 0..8), samples, exemplars, histograms).prop_map(
        |(labels, samples, exemplars, histograms)| proto::TimeSeries {
            labels,
            samples,
            exemplars,
            histograms,
        },
    )
}

fn metadata() -> impl Strategy<Value = proto::MetricMetadata> {
    (prop_oneof![0_i32..8, any::<i32>()], text(), text(), text()).prop_map(
        |(r#type, metric_family_name, help, unit)| proto::MetricMetadata {
            r#type,
            metric_family_name,
            help,
            unit,
        },
    )
}

/// Any request, every field filled with anything.
pub fn request() -> impl Strategy<Value = proto::WriteRequest> {
    (vec(series(), 0..6), vec(metadata(), 0..3))
        .prop_map(|(timeseries, metadata)| proto::WriteRequest { timeseries, metadata })
}

/// The canonical bytes of `request`: fields in order, defaults left out, where -0.0 is none (prost
/// takes it for one).
pub fn canonical(request: &proto::WriteRequest) -> Vec<u8> {
    let bytes =
        request.timeseries.iter().fold(Bytes::new(), |b, series| b.len(1, series_bytes(series)));
    let bytes = request.metadata.iter().fold(bytes, |bytes, metadata| {
        let entry = int(Bytes::new(), 1, i64::from(metadata.r#type));
        let entry = string(string(entry, 2, &metadata.metric_family_name), 4, &metadata.help);
        bytes.len(3, string(entry, 5, &metadata.unit))
    });
    bytes.build()
}

fn series_bytes(series: &proto::TimeSeries) -> Bytes {
    let bytes = labels_bytes(&series.labels);
    let bytes = series.samples.iter().fold(bytes, |bytes, sample| {
        bytes.len(2, int(double_field(Bytes::new(), 1, sample.value), 2, sample.timestamp))
    });
    let bytes = series.exemplars.iter().fold(bytes, |bytes, exemplar| {
        let content = double_field(labels_bytes(&exemplar.labels), 2, exemplar.value);
        bytes.len(3, int(content, 3, exemplar.timestamp))
    });
    series
        .histograms
        .iter()
        .fold(bytes, |bytes, histogram| bytes.len(4, histogram_bytes(histogram)))
}

fn labels_bytes(labels: &[proto::Label]) -> Bytes {
    labels.iter().fold(Bytes::new(), |bytes, label| {
        bytes.len(1, string(string(Bytes::new(), 1, &label.name), 2, &label.value))
    })
}

/// Makes `histogram_bytes` for the generated types of either version, which differ in a field behind those
/// of 1.0.
macro_rules! impl_histogram_bytes {
    ($proto:ident) => {
        fn histogram_bytes(histogram: &$proto::Histogram) -> Bytes {
            let spans = |bytes: Bytes, field, spans: &[$proto::BucketSpan]| {
                spans.iter().fold(bytes, |bytes, span| {
                    let content = if span.offset == 0 {
                        Bytes::new()
                    } else {
                        Bytes::new().sint(1, span.offset.into())
                    };
                    bytes.len(field, int(content, 2, span.length.into()))
                })
            };
            let deltas = |bytes: Bytes, field, deltas: &[i64]| {
                if deltas.is_empty() { bytes } else { bytes.packed_sints(field, deltas) }
            };
            let doubles = |bytes: Bytes, field, doubles: &[f64]| {
                if doubles.is_empty() { bytes } else { bytes.packed_doubles(field, doubles) }
            };
            let bytes = match histogram.count {
                None => Bytes::new(),
                Some($proto::histogram::Count::CountInt(count)) => Bytes::new().varint(1, count),
                Some($proto::histogram::Count::CountFloat(count)) => Bytes::new().double(2, count),
            };
            let bytes = double_field(bytes, 3, histogram.sum);
            let bytes =
                if histogram.schema == 0 { bytes } else { bytes.sint(4, histogram.schema.into()) };
            let bytes = double_field(bytes, 5, histogram.zero_threshold);
            let bytes = match histogram.zero_count {
                None => bytes,
                Some($proto::histogram::ZeroCount::ZeroCountInt(count)) => bytes.varint(6, count),
                Some($proto::histogram::ZeroCount::ZeroCountFloat(count)) => bytes.double(7, count),
            };
            let bytes = spans(bytes, 8, &histogram.negative_spans);
            let bytes = deltas(bytes, 9, &histogram.negative_deltas);
            let bytes = doubles(bytes, 10, &histogram.negative_counts);
            let bytes = spans(bytes, 11, &histogram.positive_spans);
            let bytes = deltas(bytes, 12, &histogram.positive_deltas);
            let bytes = doubles(bytes, 13, &histogram.positive_counts);
            let bytes = int(int(bytes, 14, histogram.reset_hint.into()), 15, histogram.timestamp);
            doubles(bytes, 16, &histogram.custom_values)
        }
    };
}
pub(super) use impl_histogram_bytes;

impl_histogram_bytes!(proto);

/// Fields in any order and any number, known and unknown: a request as no client would write it.
pub fn disordered() -> impl Strategy<Value = Vec<u8>> {
    let label = || message(vec![text_field(1), text_field(2)], 0..4);
    let sample = message(vec![double_bytes(1), varint_bytes(2), varint_bytes(3)], 0..5);
    let exemplar = message(vec![nested(1, label()), double_bytes(2), varint_bytes(3)], 0..5);
    let labels = nested(1, label());
    let series = message(
        vec![
            labels.clone(),
            labels.clone(),
            labels,
            nested(2, sample),
            nested(3, exemplar),
            nested(4, disordered_histogram()),
            varint_bytes(6),
        ],
        0..12,
    );
    let mut metadata: Vec<_> = [2, 4, 5].map(text_field).into();
    metadata.push(varint_bytes(1));
    let request = vec![
        nested(1, series.clone()),
        nested(1, series),
        nested(3, message(metadata, 0..6)),
        prop_oneof![Just(2_u32), Just(1000), Just(1001), Just(1002)]
            .prop_flat_map(varint_bytes)
            .boxed(),
    ];
    message(request, 0..6).prop_map(Bytes::build)
}

/// A histogram as no client would write it.
pub(super) fn disordered_histogram() -> BoxedStrategy<Bytes> {
    let span = || message(vec![varint_bytes(1), varint_bytes(2)], 0..4);
    let mut histogram: Vec<_> = [1, 4, 6, 9, 12, 14, 15, 17].map(varint_bytes).into();
    histogram.extend([2, 3, 5, 7, 10, 13, 16].map(double_bytes));
    histogram.extend([8, 11].map(|field| nested(field, span())));
    histogram.extend([9, 12].map(|field| {
        vec(delta(), 0..9).prop_map(move |deltas| Bytes::new().packed_sints(field, &deltas)).boxed()
    }));
    histogram.extend([10, 13, 16].map(|field| {
        vec(double(), 0..5)
            .prop_map(move |values| Bytes::new().packed_doubles(field, &values))
            .boxed()
    }));
    message(histogram, 0..12)
}
