//! What to post: the captured requests, as they were sent, and a generated one.

use std::array;
use std::fmt;
use std::ops::AddAssign;
use std::time::SystemTime;

use anyhow::Result;
use borrowire::Encode;
use borrowire::body::{BufferPool, Encoding};
use borrowire::remote_write::v1::WriteRequestEncoder;
use borrowire::remote_write::{Label, Sample, TimeSeries, timestamp_from_system_time};

use super::target::{Answer, Target};
use crate::arguments::RequestKind;
use crate::fixtures::{self, Fixture};

/// How many series the generated requests have: as Prometheus sends them by default, and more.
const SERIES: [usize; 2] = [2_000, 10_000];
const LABELS: usize = 10;

/// What a request holds.
#[derive(Clone, Copy, Debug, Default)]
pub struct Content {
    pub sent_bytes: u64,
    pub decompressed_bytes: u64,
    pub series: u64,
    pub samples: u64,
    pub exemplars: u64,
    pub histograms: u64,
    pub metadata: u64,
}

impl AddAssign for Content {
    fn add_assign(&mut self, other: Self) {
        self.sent_bytes += other.sent_bytes;
        self.decompressed_bytes += other.decompressed_bytes;
        self.series += other.series;
        self.samples += other.samples;
        self.exemplars += other.exemplars;
        self.histograms += other.histograms;
        self.metadata += other.metadata;
    }
}

/// A captured request.
struct Captured {
    path: String,
    headers: Vec<(String, String)>,
    body: &'static [u8],
    content: Content,
}

impl Captured {
    fn new(fixture: Fixture) -> Self {
        let golden = fixture.golden();
        let count = |what| golden.count(what) as u64;
        Self {
            content: Content {
                sent_bytes: fixture.body.len() as u64,
                decompressed_bytes: golden.decoded_bytes() as u64,
                series: count("timeseries"),
                samples: count("samples"),
                exemplars: count("exemplars"),
                histograms: count("histograms"),
                metadata: count("metadata"),
            },
            path: fixture.path,
            headers: fixture.headers,
            body: fixture.body,
        }
    }

    fn post(&self, target: &Target) -> Result<(Answer, Content)> {
        let headers = self.headers.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        Ok((target.post(&self.path, headers, self.body)?, self.content))
    }
}

/// The values of labels, series by series.
pub struct Values(Vec<[String; LABELS]>);

impl Values {
    pub fn new() -> Self {
        let series = 0..*SERIES.iter().max().expect("not empty");
        Self(
            series
                .map(|series| {
                    array::from_fn(|label| match label {
                        0 => "http_request_duration_seconds_bucket".to_owned(),
                        label => format!("value-{label}-{}", series * label % 997),
                    })
                })
                .collect(),
        )
    }
}

/// Shared by all senders.
pub struct Bodies<'v> {
    captured: Vec<Captured>,
    /// Of the generated requests.
    labels: Vec<[Label<'v>; LABELS]>,
    pool: BufferPool,
}

impl<'v> Bodies<'v> {
    pub fn load(values: &'v Values) -> Self {
        const NAMES: [&str; LABELS] = [
            "__name__",
            "cluster",
            "handler",
            "instance",
            "job",
            "le",
            "method",
            "namespace",
            "pod",
            "zone",
        ];
        let captured =
            fixtures::load(RequestKind::RemoteWriteV1).into_iter().map(Captured::new).collect();
        let labels = values
            .0
            .iter()
            .map(|values| array::from_fn(|index| Label::new(NAMES[index], &values[index])));
        Self { captured, labels: labels.collect(), pool: BufferPool::new() }
    }

    pub fn len(&self) -> usize {
        self.captured.len() + SERIES.len()
    }

    /// Posts a captured request, or one made anew in memory of the pool.
    pub fn post(&self, index: usize, target: &Target) -> Result<(Answer, Content)> {
        if let Some(captured) = self.captured.get(index) {
            return captured.post(target);
        }
        let labels = &self.labels[..SERIES[index - self.captured.len()]];
        let now = timestamp_from_system_time(SystemTime::now()).unwrap_or(0);
        let samples = [Sample::new(1.0, now)];
        let series = labels.iter().map(|labels| TimeSeries::new(labels).with_samples(&samples));
        let request = WriteRequestEncoder::new(series);
        let body = self.pool.compress(&request, Encoding::Snappy)?;
        let headers = [
            ("content-type", "application/x-protobuf"),
            ("content-encoding", Encoding::Snappy.as_str()),
            ("x-prometheus-remote-write-version", "0.1.0"),
        ];
        let answer = target.post("/api/v1/push", headers, &body)?;
        let content = Content {
            sent_bytes: body.len() as u64,
            decompressed_bytes: request.encoded_len() as u64,
            series: labels.len() as u64,
            samples: labels.len() as u64,
            ..Content::default()
        };
        Ok((answer, content))
    }
}

impl fmt::Display for Bodies<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} captured bodies, generated ones of {SERIES:?} series", self.captured.len())
    }
}
