//! Random requests, and random wire bytes that are shaped like requests.

pub mod loki;
pub mod v2;

use borrowire::proto::prometheus as proto;
use borrowire::proto::prometheus::histogram::{Count, ZeroCount};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::bytes::{self, Bytes};

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z_]{1,12}",
        2 => Just("__name__".to_owned()),
        1 => Just(String::new()),
        2 => "\\PC{0,30}",
        1 => any::<String>(),
        1 => "[a-zé]{100,140}",
        1 => "[0-9]{300,400}",
    ]
}

pub fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<u64>().prop_map(f64::from_bits),
        2 => any::<i16>().prop_map(f64::from),
        1 => Just(0.0),
        1 => Just(-0.0),
        1 => Just(f64::from_bits(0x7ff0_0000_0000_0002)),
        1 => Just(f64::NAN),
    ]
}

pub fn timestamp() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => 1_600_000_000_000_i64..1_900_000_000_000,
        1 => any::<i64>(),
        1 => -200_i64..200,
        1 => (0_u32..63, any::<bool>()).prop_map(|(bits, less)| (1_i64 << bits) - i64::from(less)),
    ]
}

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

fn delta() -> impl Strategy<Value = i64> {
    prop_oneof![3 => -100_i64..100, 1 => any::<i64>()]
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

fn histogram_bytes(histogram: &proto::Histogram) -> Bytes {
    let spans = |bytes: Bytes, field, spans: &[proto::BucketSpan]| {
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
        Some(Count::CountInt(count)) => Bytes::new().varint(1, count),
        Some(Count::CountFloat(count)) => Bytes::new().double(2, count),
    };
    let bytes = double_field(bytes, 3, histogram.sum);
    let bytes = if histogram.schema == 0 { bytes } else { bytes.sint(4, histogram.schema.into()) };
    let bytes = double_field(bytes, 5, histogram.zero_threshold);
    let bytes = match histogram.zero_count {
        None => bytes,
        Some(ZeroCount::ZeroCountInt(count)) => bytes.varint(6, count),
        Some(ZeroCount::ZeroCountFloat(count)) => bytes.double(7, count),
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

fn int(bytes: Bytes, field: u32, value: i64) -> Bytes {
    if value == 0 { bytes } else { bytes.int(field, value) }
}

fn double_field(bytes: Bytes, field: u32, value: f64) -> Bytes {
    if value.to_bits() == 0 { bytes } else { bytes.double(field, value) }
}

fn string(bytes: Bytes, field: u32, text: &str) -> Bytes {
    if text.is_empty() { bytes } else { bytes.len(field, text) }
}

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
fn disordered_histogram() -> BoxedStrategy<Bytes> {
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

/// Any number of `fields`, in any order, with an unknown one now and then.
fn message(
    fields: Vec<BoxedStrategy<Bytes>>,
    count: std::ops::Range<usize>,
) -> BoxedStrategy<Bytes> {
    let field = prop_oneof![12 => proptest::strategy::Union::new(fields), 1 => unknown()];
    vec(field, count).prop_map(|fields| fields.into_iter().fold(Bytes::new(), Bytes::raw)).boxed()
}

/// A varint of any value, sometimes longer than needed.
fn varint_bytes(field: u32) -> BoxedStrategy<Bytes> {
    let value = prop_oneof![any::<u64>(), 0_u64..300, timestamp().prop_map(|time| time as u64)];
    (value, prop_oneof![4 => Just(false), 1 => Just(true)])
        .prop_map(move |(value, longer)| padded(Bytes::new().tag(field, 0), value, longer))
        .boxed()
}

/// A varint in its shortest form, or with two more bytes where they fit.
fn padded(bytes: Bytes, value: u64, longer: bool) -> Bytes {
    let shortest = Bytes::new().bare_varint(value).build();
    if !longer || shortest.len() > 8 {
        return bytes.raw(shortest);
    }
    let (last, first) = shortest.split_last().expect("at least one byte");
    bytes.raw(first).raw([last | 0x80, 0x80, 0])
}

fn double_bytes(field: u32) -> BoxedStrategy<Bytes> {
    double().prop_map(move |value| Bytes::new().double(field, value)).boxed()
}

fn text_field(field: u32) -> BoxedStrategy<Bytes> {
    text().prop_map(move |text| Bytes::new().len(field, text)).boxed()
}

fn nested(field: u32, content: BoxedStrategy<Bytes>) -> BoxedStrategy<Bytes> {
    (content, prop_oneof![9 => Just(false), 1 => Just(true)])
        .prop_map(move |(content, longer)| {
            let content = content.build();
            padded(Bytes::new().tag(field, 2), content.len() as u64, longer).raw(content)
        })
        .boxed()
}

fn unknown() -> BoxedStrategy<Bytes> {
    let number = prop_oneof![Just(18_u32), Just(99), Just(0x1fff_ffff)];
    let content = prop_oneof![
        any::<u64>().prop_map(|value| (0_u8, Bytes::new().bare_varint(value))),
        any::<[u8; 8]>().prop_map(|value| (1, Bytes::new().raw(value))),
        vec(any::<u8>(), 0..9)
            .prop_map(|value| (2, Bytes::new().bare_varint(value.len() as u64).raw(value))),
        any::<[u8; 4]>().prop_map(|value| (5, Bytes::new().raw(value))),
        Just((3, Bytes::new().varint(1, 5).tag(2, 3).tag(2, 4).len(1, "in a group"))),
    ];
    (number, content)
        .prop_map(|(number, (wire_type, content))| {
            let field = Bytes::new().tag(number, wire_type).raw(content);
            if wire_type == 3 { field.tag(number, 4) } else { field }
        })
        .boxed()
}

/// A change to bytes; places are taken modulo the length.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Flip(usize, u8),
    Insert(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize, usize),
    Cut(usize),
}

/// The bytes of `source`, with a few changes.
pub fn mutated(source: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    // Half of the new bytes are such that mean something.
    let byte = || {
        prop_oneof![
            any::<u8>(),
            prop::sample::select(
                &[
                    0x00, 0x07, 0x08, 0x0a, 0x0b, 0x0c, 0x0d, 0x10, 0x12, 0x1a, 0x22, 0x7f, 0x80,
                    0xff
                ][..]
            )
        ]
    };
    let change = prop_oneof![
        (any::<usize>(), byte()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<usize>(), 0_u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        (any::<usize>(), byte()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        (any::<usize>(), 0_usize..9).prop_map(|(at, len)| Change::Remove(at, len)),
        (any::<usize>(), 0_usize..40, any::<usize>())
            .prop_map(|(at, len, to)| Change::Repeat(at, len, to)),
        any::<usize>().prop_map(Change::Cut),
    ];
    (source, vec(change, 1..4)).prop_map(|(mut bytes, changes)| {
        for change in changes {
            apply(&mut bytes, &change);
        }
        bytes
    })
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |at: usize| at % (bytes.len() + 1);
    match *change {
        Change::Insert(at, byte) => bytes.insert(place(at), byte),
        Change::Cut(at) => bytes.truncate(place(at)),
        _ if bytes.is_empty() => {}
        Change::Set(at, byte) => {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        Change::Flip(at, bit) => {
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
        }
        Change::Remove(at, len) => {
            let (at, end) = (place(at), (place(at) + len).min(bytes.len()));
            drop(bytes.drain(at..end));
        }
        Change::Repeat(at, len, to) => {
            let (at, to) = (place(at), place(to));
            let piece = bytes[at..(at + len).min(bytes.len())].to_vec();
            drop(bytes.splice(to..to, piece));
        }
    }
}

/// A small body of each kind that clients send.
pub fn small_body() -> impl Strategy<Value = Vec<u8>> {
    let bodies: Vec<_> = bytes::small_bodies().into_iter().map(|(_, body)| body).collect();
    prop::sample::select(bodies)
}
