//! Random requests of remote write 2.0, and random wire bytes that are shaped like them.

use std::collections::HashMap;

use borrowire::proto::{prometheus as v1, prometheus_v2 as proto};
use proptest::collection::vec;
use proptest::prelude::*;

use super::remote_write_v1::{disordered_histogram, impl_histogram_bytes};
use super::{
    double_bytes, double_field, int, message, nested, text, text_field, timestamp, varint_bytes,
};
use crate::support::bytes::Bytes;

impl_histogram_bytes!(proto);

/// Any request, every field filled with anything, references good.
pub fn request() -> impl Strategy<Value = proto::Request> {
    let start = prop_oneof![2 => Just(0_i64), 1 => timestamp()];
    let metadata = prop_oneof![
        1 => Just(None),
        3 => (0_i32..9, text(), text()).prop_map(Some),
    ];
    let extra = (start, metadata);
    (super::remote_write_v1::request(), vec(extra, 6), vec(text(), 0..4)).prop_map(
        |(request, extra, unused)| {
            let mut table = Table::default();
            // Symbols that nothing uses, some of them there twice.
            table.symbols.extend(unused);
            let mut converted = from_v1(&request, &mut table);
            for (series, (start, metadata)) in converted.timeseries.iter_mut().zip(extra) {
                for sample in &mut series.samples {
                    sample.start_timestamp = start;
                }
                for histogram in &mut series.histograms {
                    histogram.start_timestamp = start.wrapping_add(1);
                }
                series.metadata = metadata.map(|(r#type, help, unit)| proto::Metadata {
                    r#type,
                    help_ref: table.reference(&help),
                    unit_ref: table.reference(&unit),
                });
            }
            converted.symbols = table.symbols;
            converted
        },
    )
}

/// Symbols, each text once.
pub struct Table {
    pub symbols: Vec<String>,
    references: HashMap<String, u32>,
}

impl Default for Table {
    fn default() -> Self {
        Self { symbols: vec![String::new()], references: HashMap::from([(String::new(), 0)]) }
    }
}

impl Table {
    pub fn reference(&mut self, text: &str) -> u32 {
        if let Some(&reference) = self.references.get(text) {
            return reference;
        }
        let reference = self.symbols.len() as u32;
        self.symbols.push(text.to_owned());
        self.references.insert(text.to_owned(), reference);
        reference
    }

    fn references(&mut self, labels: &[v1::Label]) -> Vec<u32> {
        let labels = labels.iter();
        labels
            .flat_map(|label| [self.reference(&label.name), self.reference(&label.value)])
            .collect()
    }
}

/// The same series in the other version, metadata aside.
pub fn from_v1(request: &v1::WriteRequest, table: &mut Table) -> proto::Request {
    let mut timeseries = Vec::new();
    for series in &request.timeseries {
        let labels_refs = table.references(&series.labels);
        let samples = series.samples.iter().map(|sample| proto::Sample {
            value: sample.value,
            timestamp: sample.timestamp,
            start_timestamp: 0,
        });
        let exemplars = series.exemplars.iter().map(|exemplar| proto::Exemplar {
            labels_refs: table.references(&exemplar.labels),
            value: exemplar.value,
            timestamp: exemplar.timestamp,
        });
        timeseries.push(proto::TimeSeries {
            labels_refs,
            samples: samples.collect(),
            exemplars: exemplars.collect(),
            histograms: series.histograms.iter().map(histogram).collect(),
            metadata: None,
        });
    }
    proto::Request { symbols: table.symbols.clone(), timeseries }
}

fn histogram(histogram: &v1::Histogram) -> proto::Histogram {
    use proto::histogram::{Count, ZeroCount};

    let spans = |spans: &[v1::BucketSpan]| {
        let spans = spans.iter();
        spans.map(|s| proto::BucketSpan { offset: s.offset, length: s.length }).collect()
    };
    proto::Histogram {
        count: histogram.count.map(|count| match count {
            v1::histogram::Count::CountInt(count) => Count::CountInt(count),
            v1::histogram::Count::CountFloat(count) => Count::CountFloat(count),
        }),
        sum: histogram.sum,
        schema: histogram.schema,
        zero_threshold: histogram.zero_threshold,
        zero_count: histogram.zero_count.map(|count| match count {
            v1::histogram::ZeroCount::ZeroCountInt(count) => ZeroCount::ZeroCountInt(count),
            v1::histogram::ZeroCount::ZeroCountFloat(count) => ZeroCount::ZeroCountFloat(count),
        }),
        negative_spans: spans(&histogram.negative_spans),
        negative_deltas: histogram.negative_deltas.clone(),
        negative_counts: histogram.negative_counts.clone(),
        positive_spans: spans(&histogram.positive_spans),
        positive_deltas: histogram.positive_deltas.clone(),
        positive_counts: histogram.positive_counts.clone(),
        reset_hint: histogram.reset_hint,
        timestamp: histogram.timestamp,
        custom_values: histogram.custom_values.clone(),
        start_timestamp: 0,
    }
}

/// The canonical bytes of `request`: symbols in the order of their first use and no others, metadata at
/// every series, fields in order.
pub fn canonical(request: &proto::Request) -> Vec<u8> {
    let mut table = Table::default();
    let mut again = |reference: u32| table.reference(&request.symbols[reference as usize]);
    let refs = |references: &[u32], again: &mut dyn FnMut(u32) -> u32| {
        let packed = references.iter().map(|reference| again(*reference));
        let packed = packed.fold(Bytes::new(), |b, r| b.bare_varint(r.into()));
        if references.is_empty() { packed } else { Bytes::new().len(1, packed) }
    };
    let mut all = Bytes::new();
    for series in &request.timeseries {
        let bytes = refs(&series.labels_refs, &mut again);
        let bytes = series.samples.iter().fold(bytes, |bytes, sample| {
            let content = double_field(Bytes::new(), 1, sample.value);
            bytes.len(2, int(int(content, 2, sample.timestamp), 3, sample.start_timestamp))
        });
        let bytes = series.histograms.iter().fold(bytes, |bytes, histogram| {
            let content = histogram_bytes(histogram);
            bytes.len(3, int(content, 17, histogram.start_timestamp))
        });
        let bytes = series.exemplars.iter().fold(bytes, |bytes, exemplar| {
            let content = double_field(refs(&exemplar.labels_refs, &mut again), 2, exemplar.value);
            bytes.len(4, int(content, 3, exemplar.timestamp))
        });
        let bytes = series.metadata.iter().fold(bytes, |bytes, metadata| {
            let content = int(Bytes::new(), 1, metadata.r#type.into());
            let content = int(content, 3, again(metadata.help_ref).into());
            bytes.len(5, int(content, 4, again(metadata.unit_ref).into()))
        });
        all = all.len(5, bytes);
    }
    let symbols = table.symbols.iter().fold(Bytes::new(), |bytes, symbol| bytes.len(4, symbol));
    symbols.raw(all).build()
}

/// How many symbols a disordered request has at least.
const SYMBOLS: u32 = 8;

/// Fields in any order and any number, known and unknown: a request as no client would write it, symbols
/// in several runs before, between and behind the series, with references that are good but for a few.
pub fn disordered() -> impl Strategy<Value = Vec<u8>> {
    let sample = message(vec![double_bytes(1), varint_bytes(2), varint_bytes(3)], 0..5);
    let exemplar = with_refs(vec![double_bytes(2), varint_bytes(3)], 0..5);
    let metadata = || {
        let reference = |field| reference().prop_map(move |r| Bytes::new().varint(field, r));
        message(vec![varint_bytes(1), reference(3).boxed(), reference(4).boxed()], 0..4)
    };
    let series = || {
        let fields = vec![
            nested(2, sample.clone()),
            nested(3, disordered_histogram()),
            nested(4, exemplar.clone()),
            nested(5, metadata()),
            nested(5, metadata()),
            varint_bytes(6),
        ];
        nested(5, with_refs(fields, 0..10))
    };
    let extension = prop_oneof![Just(1_u32), Just(2), Just(3), Just(1000), Just(1001), Just(1002)]
        .prop_flat_map(varint_bytes)
        .boxed();
    let symbols = || {
        vec(text_field(4), SYMBOLS as usize / 2)
            .prop_map(|symbols| symbols.into_iter().fold(Bytes::new(), Bytes::raw))
    };
    let request = message(vec![series(), series(), text_field(4), extension], 0..7);
    let halves = (symbols(), symbols(), any::<[bool; 2]>());
    (halves, request).prop_map(|((one, other, in_front), request)| {
        let of = |half: &Bytes, wanted| if wanted { half.clone() } else { Bytes::new() };
        let front = of(&one, in_front[0]).raw(of(&other, in_front[1]));
        front.raw(request).raw(of(&one, !in_front[0])).raw(of(&other, !in_front[1])).build()
    })
}

fn reference() -> impl Strategy<Value = u64> {
    // A value of over 32 bits is cut to them.
    prop_oneof![
        60 => 0..u64::from(SYMBOLS),
        2 => (0..u64::from(SYMBOLS)).prop_map(|reference| reference + (1 << 32)),
        1 => 0_u64..40,
    ]
}

/// Any number of `fields` and of `labels_refs`, in any order; the references are mostly even in number.
fn with_refs(
    fields: Vec<BoxedStrategy<Bytes>>,
    count: std::ops::Range<usize>,
) -> BoxedStrategy<Bytes> {
    let refs = (vec(reference(), 0..5), any::<bool>()).prop_map(|(refs, packed)| {
        let bytes = if packed {
            Bytes::new().len(1, refs.iter().fold(Bytes::new(), |b, &r| b.bare_varint(r)))
        } else {
            refs.iter().fold(Bytes::new(), |bytes, &r| bytes.varint(1, r))
        };
        (bytes, refs.len())
    });
    let others = message(fields, 0..3).prop_map(|bytes| (bytes, 0));
    let pieces = vec(prop_oneof![refs, others], count);
    (pieces, prop_oneof![40 => Just(true), 1 => Just(false)])
        .prop_map(|(pieces, even)| {
            let refs: usize = pieces.iter().map(|(_, refs)| refs).sum();
            let bytes = pieces.into_iter().fold(Bytes::new(), |all, (bytes, _)| all.raw(bytes));
            if refs % 2 == 1 && even { bytes.varint(1, 0) } else { bytes }
        })
        .boxed()
}
