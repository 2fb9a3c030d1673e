//! Remote write 1.0 to 2.0 and back, body to body: this crate beside prost. Names are
//! `direction/implementation/payload`.
//!
//! ```text
//! cargo bench --bench convert
//! BORROWIRE_PAYLOADS=DIR cargo bench --bench convert    # the files `rw1*` and `rw2*` in it as well
//! ```
//!
//! Both sides decode a body, convert and encode; the output goes to memory that is used again. prost's side
//! is what a service writes by hand: strings become symbols by a hash map and symbols become strings, metadata
//! finds its series and is collected from them by hash maps. Answers are compared before they are timed. At
//! the end the ratios are printed, from the best of many rounds that take turns: what the machine does besides
//! hits both sides.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the other benchmarks, which use other parts")]
mod peers;
#[allow(dead_code, reason = "shared with the other benchmarks")]
mod stages;

use std::collections::{BTreeSet, HashMap};
use std::env;
use std::hint::black_box;
use std::time::{Duration, Instant};

use borrowire::Encode;
use borrowire::convert::remote_write::{ToV1, ToV2, family_name};
use borrowire::proto::{prometheus as v1, prometheus_v2 as v2};
use borrowire::remote_write::MetricType;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::reuse::Decoder;
use bytes::Bytes;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use prost::Message;

use peers::remote_write_v1::payload;
use stages::{Payload, group};

criterion_group!(benches, directions, ratios);
criterion_main!(benches);

/// A way from a body to the body of the other version.
trait Conversion: Default {
    const NAME: &'static str;

    fn to_v2(&mut self, body: &[u8], out: &mut Vec<u8>) -> usize;
    fn to_v1(&mut self, body: &[u8], out: &mut Vec<u8>) -> usize;
}

#[derive(Default)]
struct Borrowire {
    decoder_1: Decoder<WriteRequest<'static>>,
    decoder_2: Decoder<Request<'static>>,
    to_v1: ToV1,
    to_v2: ToV2,
    symbolizer: Symbolizer,
}

impl Conversion for Borrowire {
    const NAME: &'static str = "borrowire";

    fn to_v2(&mut self, body: &[u8], out: &mut Vec<u8>) -> usize {
        let request = self.decoder_1.decode(body).expect("checked before");
        let converted = self.to_v2.convert(&request, |loss| _ = black_box(loss));
        let symbolized = converted.symbolize(&mut self.symbolizer).expect("there is no cap");
        encode(&symbolized, out)
    }

    fn to_v1(&mut self, body: &[u8], out: &mut Vec<u8>) -> usize {
        let request = self.decoder_2.decode(body).expect("checked before");
        let converted = self.to_v1.convert(&request, |loss| _ = black_box(loss));
        encode(&converted, out)
    }
}

/// Encodes to the front of `out`, which only grows.
fn encode(message: &impl Encode, out: &mut Vec<u8>) -> usize {
    message.encode(out).unwrap_or_else(|error| {
        out.resize(error.needed(), 0);
        message.encode(out).expect("it fits now")
    })
}

#[derive(Default)]
struct Prost;

impl Conversion for Prost {
    const NAME: &'static str = "prost";

    fn to_v2(&mut self, body: &[u8], out: &mut Vec<u8>) -> usize {
        let request = v1::WriteRequest::decode(body).expect("checked before");
        out.clear();
        prost_to_v2(request).encode(out).expect("a vector grows");
        out.len()
    }

    fn to_v1(&mut self, body: &[u8], out: &mut Vec<u8>) -> usize {
        let request = v2::Request::decode(body).expect("checked before");
        out.clear();
        prost_to_v1(request).encode(out).expect("a vector grows");
        out.len()
    }
}

// ---- prost, 1.0 to 2.0

struct Table {
    symbols: Vec<String>,
    references: HashMap<String, u32>,
}

impl Table {
    fn reference(&mut self, text: String) -> u32 {
        if let Some(&reference) = self.references.get(&text) {
            return reference;
        }
        let reference = self.symbols.len() as u32;
        self.symbols.push(text.clone());
        self.references.insert(text, reference);
        reference
    }

    fn references(&mut self, labels: Vec<v1::Label>) -> Vec<u32> {
        let mut refs = Vec::with_capacity(2 * labels.len());
        for label in labels {
            refs.push(self.reference(label.name));
            refs.push(self.reference(label.value));
        }
        refs
    }
}

fn prost_to_v2(request: v1::WriteRequest) -> v2::Request {
    let mut table =
        Table { symbols: vec![String::new()], references: HashMap::from([(String::new(), 0)]) };
    let mut families = HashMap::new();
    for metadata in request.metadata {
        families.entry(metadata.metric_family_name.clone()).or_insert(metadata);
    }
    let timeseries = request.timeseries.into_iter().map(|series| {
        let metadata = find(&families, &series.labels).map(|metadata| v2::Metadata {
            r#type: metadata.r#type,
            help_ref: table.reference(metadata.help.clone()),
            unit_ref: table.reference(metadata.unit.clone()),
        });
        v2::TimeSeries {
            labels_refs: table.references(series.labels),
            samples: series
                .samples
                .into_iter()
                .map(|sample| v2::Sample {
                    value: sample.value,
                    timestamp: sample.timestamp,
                    start_timestamp: 0,
                })
                .collect(),
            histograms: series.histograms.into_iter().map(histogram_to_v2).collect(),
            exemplars: series
                .exemplars
                .into_iter()
                .map(|exemplar| v2::Exemplar {
                    labels_refs: table.references(exemplar.labels),
                    value: exemplar.value,
                    timestamp: exemplar.timestamp,
                })
                .collect(),
            metadata,
        }
    });
    let timeseries = timeseries.collect();
    v2::Request { symbols: table.symbols, timeseries }
}

fn find<'m>(
    families: &'m HashMap<String, v1::MetricMetadata>,
    labels: &[v1::Label],
) -> Option<&'m v1::MetricMetadata> {
    if families.is_empty() {
        return None;
    }
    let name = &labels.iter().find(|label| label.name == "__name__")?.value;
    let stem = name.rsplit_once('_').map(|(stem, _)| stem);
    let candidates = [Some(name.as_str()), stem].into_iter().flatten();
    candidates.filter_map(|family| families.get(family)).find(|metadata| {
        family_name(name, MetricType(metadata.r#type)) == metadata.metric_family_name
    })
}

// ---- prost, 2.0 to 1.0

fn prost_to_v1(request: v2::Request) -> v1::WriteRequest {
    let symbols = request.symbols;
    let labels = |refs: &[u32]| -> Vec<v1::Label> {
        let text = |reference: u32| symbols[reference as usize].clone();
        let pair = |pair: &[u32]| v1::Label { name: text(pair[0]), value: text(pair[1]) };
        refs.chunks_exact(2).map(pair).collect()
    };
    let mut families: HashMap<String, ()> = HashMap::new();
    let mut metadata = Vec::new();
    let timeseries = request.timeseries.into_iter().map(|series| {
        let labels_of_series = labels(&series.labels_refs);
        let text = |reference: u32| symbols[reference as usize].clone();
        if let Some(entry) = series.metadata
            && (entry.r#type, entry.help_ref, entry.unit_ref) != (0, 0, 0)
            && let Some(name) = labels_of_series.iter().find(|label| label.name == "__name__")
        {
            let family = family_name(&name.value, MetricType(entry.r#type));
            if !families.contains_key(family) {
                families.insert(family.to_owned(), ());
                metadata.push(v1::MetricMetadata {
                    r#type: entry.r#type,
                    metric_family_name: family.to_owned(),
                    help: text(entry.help_ref),
                    unit: text(entry.unit_ref),
                });
            }
        }
        v1::TimeSeries {
            labels: labels_of_series,
            samples: series
                .samples
                .into_iter()
                .map(|sample| v1::Sample { value: sample.value, timestamp: sample.timestamp })
                .collect(),
            exemplars: series
                .exemplars
                .into_iter()
                .map(|exemplar| v1::Exemplar {
                    labels: labels(&exemplar.labels_refs),
                    value: exemplar.value,
                    timestamp: exemplar.timestamp,
                })
                .collect(),
            histograms: series.histograms.into_iter().map(histogram_to_v1).collect(),
        }
    });
    let timeseries = timeseries.collect();
    v1::WriteRequest { timeseries, metadata }
}

/// Histograms are the same messages under other names.
macro_rules! histogram {
    ($name:ident, $from:ident, $to:ident, $($start:ident: $zero:literal)?) => {
        fn $name(histogram: $from::Histogram) -> $to::Histogram {
            let spans = |spans: Vec<$from::BucketSpan>| {
                let span = |s: $from::BucketSpan| $to::BucketSpan { offset: s.offset, length: s.length };
                spans.into_iter().map(span).collect()
            };
            use $from::histogram::{Count, ZeroCount};
            $to::Histogram {
                count: histogram.count.map(|count| match count {
                    Count::CountInt(count) => $to::histogram::Count::CountInt(count),
                    Count::CountFloat(count) => $to::histogram::Count::CountFloat(count),
                }),
                sum: histogram.sum,
                schema: histogram.schema,
                zero_threshold: histogram.zero_threshold,
                zero_count: histogram.zero_count.map(|count| match count {
                    ZeroCount::ZeroCountInt(count) => $to::histogram::ZeroCount::ZeroCountInt(count),
                    ZeroCount::ZeroCountFloat(count) => {
                        $to::histogram::ZeroCount::ZeroCountFloat(count)
                    }
                }),
                negative_spans: spans(histogram.negative_spans),
                negative_deltas: histogram.negative_deltas,
                negative_counts: histogram.negative_counts,
                positive_spans: spans(histogram.positive_spans),
                positive_deltas: histogram.positive_deltas,
                positive_counts: histogram.positive_counts,
                reset_hint: histogram.reset_hint,
                timestamp: histogram.timestamp,
                custom_values: histogram.custom_values,
                $($start: $zero,)?
            }
        }
    };
}

histogram!(histogram_to_v2, v1, v2, start_timestamp: 0);
histogram!(histogram_to_v1, v2, v1,);

// ---- measuring

/// Bodies of the one version and of the other.
fn payloads() -> [(Direction, Vec<Payload>); 2] {
    let with_metadata = ("generated_10k_metadata".to_owned(), with_metadata(payload::k8s(10_000)));
    let old = stages::payloads(payload::all().chain([with_metadata]), "rw1");
    let old: Vec<_> = old.into_iter().filter(|it| is_plain(&it.body)).collect();
    let made = old.iter().map(|Payload { name, body }| {
        let request = v1::WriteRequest::decode(&body[..]).expect("it was just made");
        (name.clone(), Bytes::from(prost_to_v2(request).encode_to_vec()))
    });
    let new = stages::payloads(made, "rw2");
    [(Direction::ToV2, old), (Direction::ToV1, new)]
}

/// The same with an entry for each metric.
fn with_metadata(body: Bytes) -> Bytes {
    let mut request = v1::WriteRequest::decode(body).expect("it was just made");
    let labels = request.timeseries.iter().flat_map(|series| &series.labels);
    let names = labels.filter(|label| label.name == "__name__").map(|label| &label.value);
    let names: BTreeSet<&String> = names.collect();
    request.metadata = names
        .into_iter()
        .map(|name| v1::MetricMetadata {
            r#type: MetricType::COUNTER.0,
            metric_family_name: name.clone(),
            help: format!("How often {name} happened since the start."),
            unit: String::new(),
        })
        .collect();
    request.encode_to_vec().into()
}

/// Whether there is something to convert, and both sides make the same of it: prost's would leave a series of
/// samples and histograms together.
fn is_plain(body: &[u8]) -> bool {
    let request = WriteRequest::decode(body).expect("valid");
    !request.timeseries().is_empty()
        && request
            .timeseries()
            .iter()
            .all(|series| series.samples().is_empty() || series.histograms().is_empty())
}

#[derive(Clone, Copy)]
enum Direction {
    ToV1,
    ToV2,
}

impl Direction {
    const fn name(self) -> &'static str {
        match self {
            Self::ToV1 => "v2_to_v1",
            Self::ToV2 => "v1_to_v2",
        }
    }

    fn run<C: Conversion>(self, conversion: &mut C, body: &[u8], out: &mut Vec<u8>) -> usize {
        match self {
            Self::ToV1 => conversion.to_v1(body, out),
            Self::ToV2 => conversion.to_v2(body, out),
        }
    }

    /// Panics unless both sides write the same request.
    fn check(self, Payload { name, body }: &Payload) {
        let [mut ours, mut theirs] = [Vec::new(), Vec::new()];
        self.run(&mut Borrowire::default(), body, &mut ours);
        self.run(&mut Prost, body, &mut theirs);
        match self {
            Self::ToV1 => {
                let [ours, theirs] =
                    [&ours, &theirs].map(|body| WriteRequest::decode(body).expect(name));
                assert!(ours.timeseries().iter().eq(theirs.timeseries()), "{name}");
                assert!(ours.metadata().iter().eq(theirs.metadata()), "{name}");
            }
            Self::ToV2 => {
                let [ours, theirs] =
                    [&ours, &theirs].map(|body| Request::decode(body).expect(name));
                assert!(ours.symbols().len() > 1 && !ours.timeseries().is_empty(), "{name}");
                assert!(ours.timeseries().iter().eq(theirs.timeseries()), "{name}");
            }
        }
    }
}

fn directions(criterion: &mut Criterion) {
    for (direction, payloads) in payloads() {
        payloads.iter().for_each(|payload| direction.check(payload));
        let mut group = group(criterion, direction.name());
        for payload in &payloads {
            bench::<Borrowire>(&mut group, direction, payload);
            bench::<Prost>(&mut group, direction, payload);
        }
        group.finish();
    }
}

fn bench<C: Conversion>(
    group: &mut stages::Group<'_>,
    direction: Direction,
    Payload { name, body }: &Payload,
) {
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function(BenchmarkId::new(C::NAME, name), |bencher| {
        let (mut conversion, mut out) = (C::default(), Vec::new());
        bencher.iter(|| direction.run(&mut conversion, black_box(body), &mut out));
    });
}

/// Prints how much faster this crate is.
fn ratios(_: &mut Criterion) {
    const ROUNDS: usize = 31;
    let has = |flag| env::args().any(|argument| argument == flag);
    if !has("--bench") || has("--test") || has("--profile-time") {
        return;
    }
    for (direction, payloads) in payloads() {
        for payload in &payloads {
            direction.check(payload);
            let (mut ours, mut theirs) = (Borrowire::default(), Prost);
            let ([mut out, mut their_out], mut best) =
                ([const { Vec::new() }; 2], [Duration::MAX; 2]);
            for _ in 0..ROUNDS {
                let body = black_box(&payload.body[..]);
                best[0] = best[0].min(time(|| direction.run(&mut ours, body, &mut out)));
                best[1] = best[1].min(time(|| direction.run(&mut theirs, body, &mut their_out)));
            }
            let [ours, theirs] = best.map(|time| time.as_secs_f64() * 1e6);
            println!(
                "{} {:<28} {ours:9.1} us   prost {theirs:9.1} us   {:5.1}x",
                direction.name(),
                payload.name,
                theirs / ours
            );
        }
    }
}

fn time<T>(run: impl FnOnce() -> T) -> Duration {
    let start = Instant::now();
    black_box(run());
    start.elapsed()
}
