//! What is known about a request, or the sum over many, and how it is shown.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use super::fixtures::Golden;
use super::pipeline::{PerStage, Stage};
use super::table::{Table, bytes, count, rate, time};

/// How many of the parts are columns of the table.
const COLUMNS: usize = 3;

/// The counts of one request or of several, and what its stages took.
#[derive(Clone, Default)]
pub struct Report {
    pub requests: usize,
    pub body_bytes: usize,
    pub message_bytes: usize,
    /// How many there are of what, the most interesting first.
    pub parts: Vec<(&'static str, usize)>,
    /// How often `validate` reported what.
    pub violations: BTreeMap<&'static str, usize>,
    pub times: PerStage<Duration>,
    /// Heap blocks asked for after warm-up.
    pub blocks: PerStage<u64>,
}

impl Report {
    /// Of one request, of which nothing is counted or measured yet.
    pub fn new(body_bytes: usize, message_bytes: usize) -> Self {
        Self { requests: 1, body_bytes, message_bytes, ..Self::default() }
    }

    pub fn add_violation(&mut self, kind: &'static str) {
        *self.violations.entry(kind).or_insert(0) += 1;
    }

    /// Compares the length and the parts with the golden contents, which have these names for them.
    ///
    /// # Errors
    ///
    /// One line for the first that differs.
    pub fn compare_with_golden(&self, golden: &Golden, names: &[&str]) -> Result<(), String> {
        let length = ("bytes", self.message_bytes, golden.decoded_bytes());
        let parts = self.parts.iter().zip(names);
        let parts = parts.map(|(&(what, found), name)| (what, found, golden.count(name)));
        for (what, found, golden) in [length].into_iter().chain(parts) {
            if found != golden {
                return Err(format!("{found} {what}, where its golden contents have {golden}"));
            }
        }
        Ok(())
    }

    /// Blocks that the crate itself asked for: in all stages but the decompressor's.
    pub fn own_blocks(&self) -> u64 {
        [Stage::Decode, Stage::Validate, Stage::Encode]
            .map(|stage| self.blocks.get(stage))
            .iter()
            .sum()
    }

    /// An empty table for this report and others of the same message.
    pub fn table(&self, first: &str) -> Table {
        let names = [first, "encoding", "requests", "bytes in", "message"];
        let parts = self.columns().iter().map(|&(what, _)| what);
        let stages = Stage::ALL.map(Stage::name);
        let columns = names.into_iter().chain(parts).chain(stages).chain(["allocs"]);
        Table::new(2, columns.map(str::to_owned).collect())
    }

    pub fn row(&self, name: &str, encoding: &str) -> Vec<String> {
        let mut row = vec![
            name.to_owned(),
            encoding.to_owned(),
            count(self.requests),
            bytes(self.body_bytes),
            bytes(self.message_bytes),
        ];
        row.extend(self.columns().iter().map(|&(_, number)| count(number)));
        row.extend(Stage::ALL.map(|stage| time(self.times.get(stage))));
        row.push(self.own_blocks().to_string());
        row
    }

    /// The parts that have a column. The others are in the summary.
    fn columns(&self) -> &[(&'static str, usize)] {
        &self.parts[..self.parts.len().min(COLUMNS)]
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
        let speed = |stage| rate(self.message_bytes, self.times.get(stage));
        let others = self.parts.iter().skip(COLUMNS);
        let others: Vec<_> =
            others.map(|&(what, number)| format!("{} {what}", count(number))).collect();
        let also =
            if others.is_empty() { String::new() } else { format!("also {}\n", others.join(", ")) };
        format!(
            "{also}of messages: decode {}, validate {}, encode {}",
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
        self.message_bytes += other.message_bytes;
        self.parts.resize(other.parts.len(), ("", 0));
        for (sum, &(what, number)) in self.parts.iter_mut().zip(&other.parts) {
            *sum = (what, sum.1 + number);
        }
        for (kind, times) in &other.violations {
            *self.violations.entry(kind).or_insert(0) += times;
        }
        for stage in Stage::ALL {
            self.times.update(stage, |sum| sum + other.times.get(stage));
            self.blocks.update(stage, |sum| sum + other.blocks.get(stage));
        }
    }
}
