//! What became of what was sent.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use borrowire::remote_write::v2::Written;
use comfy_table::{CellAlignment, Table, presets};
use hdrhistogram::Histogram;
use indicatif::{DecimalBytes, HumanCount};

use super::bodies::{Content, Outgoing};
use super::target::Answer;
use crate::arguments::RequestKind;

/// The longest answer whose time is told from longer ones, in microseconds.
const LONGEST: u64 = 60_000_000;

/// How many characters of an answer's text are shown.
const SHOWN: usize = 160;

/// Of all connections.
pub struct Report {
    /// Requests that were taken.
    pub taken: u64,
    /// Requests that were given up.
    pub lost: u64,
    /// Those of them that were answered with success by a receiver that does not know them.
    not_understood: u64,
    /// How often one was sent again.
    pub retries: u64,
    /// How long it all took.
    pub elapsed: Duration,
    content: Content,
    sent_bytes: u64,
    /// Samples, histograms and exemplars that the receiver says it wrote.
    written: Option<[u64; 3]>,
    /// How many answers of each kind, and the text of the first.
    answers: BTreeMap<String, (u64, String)>,
    /// In microseconds.
    times: Histogram<u64>,
}

impl Report {
    /// Of nothing yet.
    pub fn new() -> Self {
        Self {
            taken: 0,
            lost: 0,
            not_understood: 0,
            retries: 0,
            elapsed: Duration::ZERO,
            content: Content::default(),
            sent_bytes: 0,
            written: None,
            answers: BTreeMap::new(),
            times: Histogram::new_with_max(LONGEST, 3).expect("valid bounds"),
        }
    }

    /// Notes an answer, or that there was none.
    pub fn answered(&mut self, answer: &Result<Answer, ureq::Error>, after: Duration) {
        let (what, text) = match answer {
            Ok(answer) => (answer.status.to_string(), answer.text.as_str()),
            Err(_) => ("no answer".to_owned(), ""),
        };
        let (count, first) = self.answers.entry(what).or_default();
        *count += 1;
        if first.is_empty() {
            *first = text.lines().next().unwrap_or_default().chars().take(SHOWN).collect();
            if let Err(error) = answer {
                *first = error.to_string();
            }
        }
        self.times.saturating_record(u64::try_from(after.as_micros()).unwrap_or(LONGEST));
    }

    /// Notes a request that was answered with success.
    ///
    /// A receiver that does not know remote write 2.0 may take it for an empty request of 1.0. One
    /// that knows it says how much it wrote; else nothing was.
    pub fn taken(&mut self, outgoing: &Outgoing, answer: &Answer, protocol: RequestKind) {
        let written = Written::HEADERS.map(|name| answer.number(&name.to_ascii_lowercase()));
        if let [Some(samples), Some(histograms), Some(exemplars)] = written {
            let sums = self.written.get_or_insert_default();
            for (sum, count) in sums.iter_mut().zip([samples, histograms, exemplars]) {
                *sum += count;
            }
        } else if protocol == RequestKind::RemoteWriteV2 && written == [None; 3] {
            self.not_understood += 1;
            self.lost += 1;
            return;
        }
        self.taken += 1;
        self.sent_bytes += outgoing.body.len() as u64;
        self.content += outgoing.content;
    }

    /// How far it is, in one line.
    pub fn line(&self, elapsed: Duration) -> String {
        let Content { samples, histograms, entries, .. } = self.content;
        let rate = |total| HumanCount(per_second(total, elapsed));
        let what = if entries > 0 { "log lines" } else { "samples" };
        format!(
            "{} requests/s  {} {what}/s  {} sent again  {} not taken",
            rate(self.taken),
            rate(samples + histograms + entries),
            HumanCount(self.retries),
            HumanCount(self.lost),
        )
    }
}

fn per_second(total: u64, elapsed: Duration) -> u64 {
    (total as f64 / elapsed.as_secs_f64().max(1e-3)).round() as u64
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        let Content { samples, histograms, entries, message_bytes, .. } = self.content;
        let rate = |total| per_second(total, self.elapsed);
        let mut row = |what: &str, total: u64, per_second: Option<u64>| {
            let per_second = per_second.map(|rate| format!("{}/s", HumanCount(rate)));
            let per_second = per_second.unwrap_or_default();
            table.add_row([what.to_owned(), HumanCount(total).to_string(), per_second]);
        };
        row("requests taken", self.taken, Some(rate(self.taken)));
        row("requests given up", self.lost, None);
        if self.not_understood > 0 {
            row("no word of what was written", self.not_understood, None);
        }
        row("sent again", self.retries, None);
        for (what, total) in
            [("samples", samples), ("histograms", histograms), ("log lines", entries)]
        {
            if total > 0 {
                row(what, total, Some(rate(total)));
            }
        }
        if let Some(written) = self.written {
            for (what, total) in ["samples", "histograms", "exemplars"].iter().zip(written) {
                row(&format!("{what} written, it says"), total, None);
            }
        }
        for (what, bytes) in [("sent", self.sent_bytes), ("before compression", message_bytes)] {
            let per_second = format!("{}/s", DecimalBytes(rate(bytes)));
            table.add_row([what.to_owned(), DecimalBytes(bytes).to_string(), per_second]);
        }
        for (what, quantile) in [("half", 0.5), ("99 of 100", 0.99), ("all", 1.0)] {
            let time = Duration::from_micros(self.times.value_at_quantile(quantile));
            table.add_row([
                format!("{what} answered within"),
                format!("{time:.1?}"),
                String::new(),
            ]);
        }
        for (what, (count, text)) in &self.answers {
            let what =
                if what.starts_with('n') { what.clone() } else { format!("answered {what}") };
            table.add_row([what, HumanCount(*count).to_string(), text.clone()]);
        }
        if let Some(column) = table.column_mut(1) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        write!(f, "{}", table.trim_fmt())
    }
}
