//! What is known about a request, or the sum over many, and how it is shown.

use std::collections::BTreeMap;
use std::ops::AddAssign;
use std::time::Duration;

use anyhow::{Result, ensure};
use comfy_table::{CellAlignment, LineStyle, Table, TableStyle};
use indicatif::{DecimalBytes, HumanCount};

use super::pipeline::{PerStage, Stage};
use crate::fixtures::Golden;

/// A rule under the header and nothing else: there are many columns.
const STYLE: TableStyle =
    TableStyle::new().header_separator(LineStyle::none().fill('─').junction('─'));

/// How many of the parts are columns of the table.
const COLUMNS: usize = 3;

/// A number of things in a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What they are, for people.
    pub what: &'static str,
    /// What golden contents call them; empty if they do not count them.
    golden: &'static str,
    pub count: usize,
}

impl Part {
    pub fn new(what: &'static str, golden: &'static str, count: usize) -> Self {
        Self { what, golden, count }
    }
}

/// What requests hold, and what validation finds in them.
#[derive(Clone, Debug, Default)]
pub struct Contents {
    /// The most interesting first.
    pub parts: Vec<Part>,
    /// How often `validate` reported what.
    pub violations: BTreeMap<&'static str, usize>,
}

impl Contents {
    pub fn add_violation(&mut self, kind: &'static str) {
        *self.violations.entry(kind).or_insert(0) += 1;
    }

    /// Compares the counts with golden contents.
    ///
    /// # Errors
    ///
    /// The first that differs.
    pub fn compare(&self, golden: &Golden) -> Result<()> {
        for Part { what, golden: name, count } in &self.parts {
            let expected = golden.count(name);
            let same = name.is_empty() || *count == expected;
            ensure!(same, "{count} {what}, where its golden contents have {expected}");
        }
        Ok(())
    }

    /// What `validate` found, the most frequent first: `unsorted labels 12, empty value 3`.
    fn findings(&self) -> String {
        let mut kinds: Vec<_> = self.violations.iter().collect();
        kinds.sort_by_key(|&(kind, &times)| (std::cmp::Reverse(times), kind));
        let kinds = kinds.into_iter().map(|(kind, times)| format!("{kind} {}", count(*times)));
        kinds.collect::<Vec<_>>().join(", ")
    }
}

/// One request or several, and what the stages took.
#[derive(Clone, Default)]
pub struct Report {
    pub requests: usize,
    pub body_bytes: usize,
    pub message_bytes: usize,
    pub contents: Contents,
    pub times: PerStage<Duration>,
    /// Heap blocks asked for after warm-up.
    pub blocks: PerStage<usize>,
}

impl Report {
    /// Blocks that the library itself asked for: in all stages but the decompressor's.
    pub fn own_blocks(&self) -> usize {
        let own = [Stage::Decode, Stage::Validate, Stage::Encode];
        own.map(|stage| self.blocks.get(stage)).iter().sum()
    }

    /// The parts that have a column. The others are in the summary.
    fn columns(&self) -> &[Part] {
        &self.contents.parts[..self.contents.parts.len().min(COLUMNS)]
    }

    fn header(&self, first: &str) -> Vec<String> {
        let names = [first, "encoding", "requests", "bytes in", "message"];
        let parts = self.columns().iter().map(|part| part.what);
        let stages = Stage::ALL.map(Stage::name);
        let columns = names.into_iter().chain(parts).chain(stages).chain(["allocs"]);
        columns.map(str::to_owned).collect()
    }

    fn row(&self, name: &str, encoding: &str) -> Vec<String> {
        let mut row = vec![
            name.to_owned(),
            encoding.to_owned(),
            count(self.requests),
            bytes(self.body_bytes),
            bytes(self.message_bytes),
        ];
        row.extend(self.columns().iter().map(|part| count(part.count)));
        row.extend(Stage::ALL.map(|stage| format!("{:.1?}", self.times.get(stage))));
        row.push(self.own_blocks().to_string());
        row
    }

    /// The lines under the table.
    fn summary(&self) -> String {
        let others = self.contents.parts.iter().skip(COLUMNS);
        let others: Vec<_> =
            others.map(|part| format!("{} {}", count(part.count), part.what)).collect();
        let also =
            if others.is_empty() { String::new() } else { format!("also {}\n", others.join(", ")) };
        let speed = |stage| {
            let seconds = self.times.get(stage).as_secs_f64().max(1e-9);
            format!("{}/s", bytes((self.message_bytes as f64 / seconds) as usize))
        };
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
        if self.contents.parts.is_empty() {
            self.contents.parts.clone_from(&other.contents.parts);
        } else {
            for (sum, part) in self.contents.parts.iter_mut().zip(&other.contents.parts) {
                sum.count += part.count;
            }
        }
        for (kind, times) in &other.contents.violations {
            *self.contents.violations.entry(kind).or_insert(0) += times;
        }
        for stage in Stage::ALL {
            self.times.update(stage, |sum| sum + other.times.get(stage));
            self.blocks.update(stage, |sum| sum + other.blocks.get(stage));
        }
    }
}

/// What the table shows in one line.
pub struct Line {
    pub name: String,
    pub encoding: String,
    pub report: Report,
}

/// Prints the lines as a table, with what is to be said about it.
pub fn print(title: &str, first: &str, lines: &[Line], runs: u32) {
    let mut total = Report::default();
    for line in lines {
        total += &line.report;
    }
    let mut table = Table::new();
    table.load_style(STYLE).set_header(total.header(first));
    for line in lines {
        table.add_row(line.report.row(&line.name, &line.encoding));
    }
    if lines.len() > 1 {
        table.add_row(total.row("total", ""));
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    println!("{title}: decompress, decode, validate, encode again\n{table}");
    println!("{}", total.summary());
    println!("times: sums over the requests of a line, the fastest of {runs} runs for each");
    if lines.iter().any(|line| line.encoding == "unstated") {
        println!("unstated: the sender did not say; the body's shape does");
    }
    println!("allocs: heap blocks that decode, validate and encode ask for after warm-up");
    match total.blocks.get(Stage::Decompress) {
        0 => {}
        blocks => println!("        (to decompress, all together: {blocks})"),
    }
    println!("what validate reports (decode keeps it all):");
    let with_findings = lines.iter().filter(|line| !line.report.contents.violations.is_empty());
    let mut findings: Vec<_> = with_findings
        .map(|line| format!("  {}: {}", line.name, line.report.contents.findings()))
        .collect();
    if findings.is_empty() {
        findings.push("  nothing".to_owned());
    }
    println!("{}\n", findings.join("\n"));
}

fn count(value: usize) -> String {
    HumanCount(value as u64).to_string()
}

fn bytes(value: usize) -> String {
    DecimalBytes(value as u64).to_string()
}
