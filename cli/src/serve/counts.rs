//! What a receiver counts.

use std::collections::BTreeMap;

use borrowire::loki::{self, PushRequest};
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::{Rules, TimeSeriesList, v2};

use super::refused::Refused;

/// Totals since the start.
#[derive(Clone, Debug, Default)]
pub struct Counts {
    /// Answers by status.
    pub answers: BTreeMap<u16, u64>,
    /// Refused requests by the kind of fault; of 2.0 also those of which some series were left out.
    pub refused: BTreeMap<&'static str, u64>,
    /// The latest refusal, for people.
    pub last_refusal: Option<String>,
    /// What validation found, by kind. Nothing is refused for it.
    pub violations: BTreeMap<&'static str, u64>,
    /// Bytes of accepted bodies, as sent.
    pub received_bytes: u64,
    /// Bytes of accepted bodies, decompressed.
    pub decompressed_bytes: u64,
    /// Time series, each time they are sent.
    pub series: u64,
    /// Samples.
    pub samples: u64,
    /// Exemplars.
    pub exemplars: u64,
    /// Native histograms.
    pub histograms: u64,
    /// Metadata entries, and in 2.0 series that have metadata.
    pub metadata: u64,
    /// Streams of log lines, each time they are sent.
    pub streams: u64,
    /// Log lines.
    pub entries: u64,
}

impl Counts {
    /// Those of a request of remote write 1.0, without its size and the answer to it.
    #[must_use]
    pub fn of_v1(request: &WriteRequest<'_>, rules: &Rules) -> Self {
        let mut counts = Self::of_series(request.timeseries());
        counts.metadata = request.metadata().len() as u64;
        request.validate(rules, |violation| counts.found(violation.kind.as_str()));
        counts
    }

    /// Those of a request of remote write 2.0, without its size and the answer to it.
    #[must_use]
    pub fn of_v2(request: &v2::Request<'_>, rules: &Rules) -> Self {
        let series = request.timeseries();
        let mut counts = Self::of_series(series);
        counts.metadata = series.iter().filter(|s| s.metadata().is_some()).count() as u64;
        request.validate(rules, |violation| counts.found(violation.kind.as_str()));
        if let Some(first) = request.skipped().first() {
            counts.refused.insert(first.error.kind().as_str(), 1);
            counts.last_refusal = Some(format!("400: {}", first.error));
        }
        counts
    }

    fn of_series(timeseries: TimeSeriesList<'_, '_>) -> Self {
        let mut counts = Self::default();
        for series in timeseries {
            counts.series += 1;
            counts.samples += series.samples().len() as u64;
            counts.exemplars += series.exemplars().len() as u64;
            counts.histograms += series.histograms().len() as u64;
        }
        counts
    }

    fn found(&mut self, violation: &'static str) {
        *self.violations.entry(violation).or_insert(0) += 1;
    }

    /// Those of a push, without its size and the answer to it.
    #[must_use]
    pub fn of_push(push: &PushRequest<'_>, rules: &loki::Rules) -> Self {
        let mut counts = Self {
            streams: push.streams().len() as u64,
            entries: push.entries_len() as u64,
            ..Self::default()
        };
        push.validate(rules, |violation| counts.found(violation.kind.as_str()));
        counts
    }

    /// Those of a refused request.
    #[must_use]
    pub fn of_refused(refused: &Refused) -> Self {
        Self {
            refused: BTreeMap::from([(refused.kind(), 1)]),
            last_refusal: Some(format!("{}: {refused}", refused.status().as_u16())),
            ..Self::default()
        }
    }

    /// Adds those of another request, or of several.
    pub fn add(&mut self, other: Self) {
        add_all(&mut self.answers, other.answers);
        add_all(&mut self.refused, other.refused);
        add_all(&mut self.violations, other.violations);
        self.last_refusal = other.last_refusal.or(self.last_refusal.take());
        self.received_bytes += other.received_bytes;
        self.decompressed_bytes += other.decompressed_bytes;
        self.series += other.series;
        self.samples += other.samples;
        self.exemplars += other.exemplars;
        self.histograms += other.histograms;
        self.metadata += other.metadata;
        self.streams += other.streams;
        self.entries += other.entries;
    }

    /// How many requests were answered.
    #[must_use]
    pub fn requests(&self) -> u64 {
        self.answers.values().sum()
    }

    /// How many requests were refused.
    #[must_use]
    pub fn errors(&self) -> u64 {
        self.refused.values().sum()
    }
}

fn add_all<K: Ord>(sums: &mut BTreeMap<K, u64>, counts: BTreeMap<K, u64>) {
    for (key, count) in counts {
        *sums.entry(key).or_insert(0) += count;
    }
}
