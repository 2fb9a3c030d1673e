//! Generated requests: the same bytes on every machine, encoded by prost.

use borrowire::proto::prometheus::{
    BucketSpan, Exemplar, Histogram, Label, MetricMetadata, Sample, TimeSeries, WriteRequest,
    histogram,
};
use bytes::Bytes;
use prost::Message;

use super::super::random::Random;

/// 2024-03-02 12:00:00 UTC, in milliseconds.
const NOW: i64 = 1_709_380_800_000;

const METRICS: [&str; 12] = [
    "container_cpu_usage_seconds_total",
    "container_memory_working_set_bytes",
    "container_memory_rss",
    "container_network_receive_bytes_total",
    "container_network_transmit_bytes_total",
    "container_fs_reads_bytes_total",
    "container_fs_writes_bytes_total",
    "go_goroutines",
    "go_memstats_heap_alloc_bytes",
    "process_open_fds",
    "process_resident_memory_bytes",
    "up",
];
const APPS: [&str; 6] = [
    "querier",
    "ingester",
    "distributor",
    "node-exporter",
    "kube-state-metrics",
    "checkout-service",
];
const NAMESPACES: [&str; 4] = ["default", "monitoring", "mimir-prod-01", "tempo-dev-01"];

/// Captured bodies, one of each kind: wide series, exemplars with native histograms, many samples
/// a series, and metadata only.
const CAPTURED: [&str; 4] =
    ["prom314-rw1-k8s-001", "prom314-rw1-003", "otelcol-rw1-001", "prom314-rw1-005"];

/// All payloads, with a name that tells where they come from.
pub fn all() -> impl Iterator<Item = (String, Bytes)> {
    let generated = [("10k", k8s(10_000)), ("cortex", cortex()), ("histograms", histograms(500))];
    generated
        .into_iter()
        .map(|(name, body)| (format!("generated_{name}"), body))
        .chain(CAPTURED.into_iter().map(|name| (format!("captured_{name}"), captured(name))))
}

/// A body of `tests/fixtures`, where each set of requests has a directory.
pub fn captured(name: &str) -> Bytes {
    let (set, _number) = name.rsplit_once('-').expect("a name is a set and a number");
    let path = format!("{}/tests/fixtures/{set}/{name}.body", env!("CARGO_MANIFEST_DIR"));
    let compressed = std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    snap::raw::Decoder::new().decompress_vec(&compressed).expect("a snappy block").into()
}

/// Series as Prometheus scrapes them in Kubernetes: ten labels, one sample, about 320 bytes each.
pub fn k8s(series: usize) -> Bytes {
    let mut random = Random(1);
    let mut pod = Pod::new(&mut random);
    let timeseries = (0..series).map(|i| {
        let metric = METRICS[i % METRICS.len()];
        if i % METRICS.len() == 0 {
            pod = Pod::new(&mut random);
        }
        TimeSeries {
            labels: pod.labels(metric),
            samples: vec![Sample {
                value: random.value(),
                timestamp: NOW + random.below(15_000).cast_signed(),
            }],
            ..TimeSeries::default()
        }
    });
    encode(timeseries)
}

/// The request of Cortex' own benchmark: 100 series with five labels and one sample.
pub fn cortex() -> Bytes {
    let timeseries = (0..100).map(|i| TimeSeries {
        labels: vec![
            label("foo", "bar"),
            label("very long label name", "very long label value"),
            label("very long label name 2", "very long label value 2"),
            label("very long label name 3", "very long label value 3"),
            label("int", i.to_string()),
        ],
        samples: vec![Sample { value: f64::from(i), timestamp: NOW + i64::from(i) }],
        ..TimeSeries::default()
    });
    encode(timeseries)
}

/// Series with a native histogram each (every fourth of floats) and up to three exemplars, and
/// metadata.
pub fn histograms(series: u32) -> Bytes {
    let mut random = Random(2);
    let timeseries = (0..series).map(|i| TimeSeries {
        labels: Pod::new(&mut random).labels("http_request_duration_seconds"),
        exemplars: (0..=i % 3).map(|_| random.exemplar()).collect(),
        histograms: vec![if i % 4 == 3 { random.float_histogram() } else { random.histogram() }],
        ..TimeSeries::default()
    });
    let mut body = Vec::from(encode(timeseries));

    let metadata = METRICS.map(|metric| MetricMetadata {
        r#type: 1,
        metric_family_name: metric.into(),
        help: format!("What {metric} measures, in a sentence of the usual length."),
        unit: String::new(),
    });
    let request = WriteRequest { timeseries: Vec::new(), metadata: metadata.into() };
    request.encode(&mut body).expect("a vector grows");
    body.into()
}

/// Encodes series by series, so that a million of them are never held as prost types.
///
/// Messages that are concatenated are one message.
fn encode(timeseries: impl Iterator<Item = TimeSeries>) -> Bytes {
    let mut body = Vec::new();
    for series in timeseries {
        let request = WriteRequest { timeseries: vec![series], metadata: Vec::new() };
        request.encode(&mut body).expect("a vector grows");
    }
    body.into()
}

fn label(name: &str, value: impl Into<String>) -> Label {
    Label { name: name.into(), value: value.into() }
}

/// Where a series was scraped.
struct Pod {
    app: &'static str,
    namespace: &'static str,
    name: String,
    instance: String,
    node: String,
}

impl Pod {
    fn new(random: &mut Random) -> Self {
        let app = random.choose(APPS);
        Self {
            app,
            namespace: random.choose(NAMESPACES),
            name: format!("{app}-{:010x}-{:05x}", random.below(1 << 40), random.below(1 << 20)),
            instance: format!(
                "10.{}.{}.{}:9090",
                random.below(256),
                random.below(256),
                random.below(256)
            ),
            node: format!(
                "ip-10-0-{}-{}.eu-west-1.compute.internal",
                random.below(8),
                random.below(256)
            ),
        }
    }

    fn labels(&self, metric: &str) -> Vec<Label> {
        vec![
            label("__name__", metric),
            label("cluster", "prod-eu-west-1"),
            label("container", self.app),
            label("endpoint", "http-metrics"),
            label("instance", &*self.instance),
            label("job", format!("{}/{}", self.namespace, self.app)),
            label("namespace", self.namespace),
            label("node", &*self.node),
            label("pod", &*self.name),
            label("service", self.app),
        ]
    }
}

impl Random {
    /// As scraped values are: some zero, many whole, the rest not.
    fn value(&mut self) -> f64 {
        match self.below(4) {
            0 => 0.0,
            1 | 2 => self.below(1 << 24) as f64,
            _ => self.below(1 << 40) as f64 / 1e6,
        }
    }

    fn exemplar(&mut self) -> Exemplar {
        Exemplar {
            labels: vec![
                label("trace_id", format!("{:016x}{:016x}", self.next(), self.next())),
                label("span_id", format!("{:016x}", self.next())),
            ],
            value: self.below(1 << 20) as f64 / 1e6,
            timestamp: NOW - self.below(10_000).cast_signed(),
        }
    }

    fn histogram(&mut self) -> Histogram {
        let spans = [self.span(), self.span()];
        let buckets = spans.iter().map(|span| span.length).sum::<u32>();
        Histogram {
            count: Some(histogram::Count::CountInt(self.below(1 << 16))),
            sum: self.value(),
            schema: 3,
            zero_threshold: f64::from_bits(0x37f0_0000_0000_0000),
            zero_count: Some(histogram::ZeroCount::ZeroCountInt(self.below(3))),
            positive_spans: spans.into(),
            positive_deltas: (0..buckets).map(|_| self.below(2_000).cast_signed() - 900).collect(),
            timestamp: NOW,
            ..Histogram::default()
        }
    }

    fn float_histogram(&mut self) -> Histogram {
        let span = self.span();
        Histogram {
            count: Some(histogram::Count::CountFloat(self.value())),
            sum: self.value(),
            schema: 3,
            zero_threshold: f64::from_bits(0x37f0_0000_0000_0000),
            zero_count: Some(histogram::ZeroCount::ZeroCountFloat(0.0)),
            positive_spans: vec![span],
            positive_counts: (0..span.length).map(|_| self.value()).collect(),
            reset_hint: histogram::ResetHint::Gauge.into(),
            timestamp: NOW,
            ..Histogram::default()
        }
    }

    fn span(&mut self) -> BucketSpan {
        BucketSpan { offset: self.below(16) as i32, length: 2 + self.below(8) as u32 }
    }
}
