//! What is known about a request, or the sum over many, and how it is shown.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use borrowire::remote_write::v1::{Rules, WriteRequest};

use super::pipeline::{PerStage, Stage};
use super::table::{Table, bytes, count, rate, time};

/// The counts of one request or of several, and what its stages took.
#[derive(Clone, Default)]
pub struct Report {
    pub requests: usize,
    pub body_bytes: usize,
    pub protobuf_bytes: usize,
    pub series: usize,
    pub labels: usize,
    pub samples: usize,
    pub exemplars: usize,
    pub histograms: usize,
    pub metadata: usize,
    /// How often `validate` reported what.
    pub violations: BTreeMap<&'static str, usize>,
    pub times: PerStage<Duration>,
    /// Heap blocks asked for after warm-up.
    pub blocks: PerStage<u64>,
}

impl Report {
    /// Counts one request. Nothing is measured yet.
    pub fn count(body: &[u8], protobuf: &[u8], request: &WriteRequest<'_>, rules: &Rules) -> Self {
        let mut violations = BTreeMap::new();
        request.validate(rules, |violation| {
            *violations.entry(violation.kind.as_str()).or_insert(0) += 1;
        });
        let series = request.timeseries();
        Self {
            requests: 1,
            body_bytes: body.len(),
            protobuf_bytes: protobuf.len(),
            series: series.len(),
            labels: series.iter().map(|series| series.labels().len()).sum(),
            samples: request.samples_len(),
            exemplars: request.exemplars_len(),
            histograms: request.histograms_len(),
            metadata: request.metadata().len(),
            violations,
            ..Self::default()
        }
    }

    /// Blocks that the crate itself asked for: in all stages but the decompressor's.
    pub fn own_blocks(&self) -> u64 {
        [Stage::Decode, Stage::Validate, Stage::Encode]
            .map(|stage| self.blocks.get(stage))
            .iter()
            .sum()
    }

    pub fn header(first: &str) -> Table {
        let names =
            [first, "encoding", "requests", "bytes in", "protobuf", "series", "labels", "samples"];
        let stages = Stage::ALL.map(Stage::name);
        let columns = names.into_iter().chain(stages).chain(["allocs"]);
        Table::new(2, columns.map(str::to_owned).collect())
    }

    pub fn row(&self, name: &str, encoding: &str) -> Vec<String> {
        let mut row = vec![
            name.to_owned(),
            encoding.to_owned(),
            count(self.requests),
            bytes(self.body_bytes),
            bytes(self.protobuf_bytes),
            count(self.series),
            count(self.labels),
            count(self.samples),
        ];
        row.extend(Stage::ALL.map(|stage| time(self.times.get(stage))));
        row.push(self.own_blocks().to_string());
        row
    }

    /// What `validate` found, the most frequent first: `unsorted labels 12, empty value 3`.
    pub fn findings(&self) -> String {
        let mut kinds: Vec<_> = self.violations.iter().collect();
        kinds.sort_by_key(|&(kind, &times)| (std::cmp::Reverse(times), kind));
        let kinds: Vec<String> =
            kinds.into_iter().map(|(kind, &times)| format!("{kind} {}", count(times))).collect();
        kinds.join(", ")
    }

    /// The lines under the table.
    pub fn summary(&self) -> String {
        let speed = |stage| rate(self.protobuf_bytes, self.times.get(stage));
        format!(
            "also {} exemplars, {} histograms, {} metadata entries\n\
             of protobuf: decode {}, validate {}, encode {}",
            count(self.exemplars),
            count(self.histograms),
            count(self.metadata),
            speed(Stage::Decode),
            speed(Stage::Validate),
            speed(Stage::Encode),
        )
    }
}

impl AddAssign<&Self> for Report {
    fn add_assign(&mut self, other: &Self) {
        self.requests += other.requests;
        self.body_bytes += other.body_bytes;
        self.protobuf_bytes += other.protobuf_bytes;
        self.series += other.series;
        self.labels += other.labels;
        self.samples += other.samples;
        self.exemplars += other.exemplars;
        self.histograms += other.histograms;
        self.metadata += other.metadata;
        for (kind, times) in &other.violations {
            *self.violations.entry(kind).or_insert(0) += times;
        }
        for stage in Stage::ALL {
            self.times.update(stage, |sum| sum + other.times.get(stage));
            self.blocks.update(stage, |sum| sum + other.blocks.get(stage));
        }
    }
}
