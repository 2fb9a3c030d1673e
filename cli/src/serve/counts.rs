//! What a receiver counts.

use std::collections::BTreeMap;

use borrowire::loki;
use borrowire::remote_write::{Rules, TimeSeriesList};

use super::extract::{LokiPush, OwnedRemoteWrite, RemoteWrite};
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
    /// Those of one request, without the answer to it.
    #[must_use]
    pub fn of(write: &RemoteWrite, rules: &Rules) -> Self {
        let mut counts = match &write.request {
            OwnedRemoteWrite::V1(owned) => {
                let request = owned.request();
                let mut counts = Self::of_series(request.timeseries(), request.body());
                counts.metadata = request.metadata().len() as u64;
                request.validate(rules, |violation| counts.found(violation.kind.as_str()));
                counts
            }
            OwnedRemoteWrite::V2(owned) => {
                let request = owned.request();
                let series = request.timeseries();
                let mut counts = Self::of_series(series, request.body());
                counts.metadata = series.iter().filter(|s| s.metadata().is_some()).count() as u64;
                request.validate(rules, |violation| counts.found(violation.kind.as_str()));
                if let Some(first) = request.skipped().first() {
                    counts.refused.insert(first.error.kind().as_str(), 1);
                    counts.last_refusal = Some(format!("400: {}", first.error));
                }
                counts
            }
        };
        counts.received_bytes = write.received_bytes as u64;
        counts
    }

    fn of_series(timeseries: TimeSeriesList<'_, '_>, body: &[u8]) -> Self {
        let mut counts = Self { decompressed_bytes: body.len() as u64, ..Self::default() };
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

    /// Those of one push, without the answer to it.
    #[must_use]
    pub fn of_push(push: &LokiPush<'_, '_>, rules: &loki::Rules) -> Self {
        let mut violations = BTreeMap::new();
        push.request.validate(rules, |violation| {
            *violations.entry(violation.kind.as_str()).or_insert(0) += 1;
        });
        Self {
            violations,
            received_bytes: push.received_bytes as u64,
            decompressed_bytes: push.decompressed_bytes as u64,
            streams: push.request.streams().len() as u64,
            entries: push.request.entries_len() as u64,
            ..Self::default()
        }
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
