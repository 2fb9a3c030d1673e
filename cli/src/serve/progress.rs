//! What comes in, while it comes: a line that is renewed each second on a terminal, else a line in
//! the log every ten seconds.

use std::time::{Duration, Instant};

use indicatif::{DecimalBytes, HumanCount, ProgressBar, ProgressStyle};
use tracing::info;

use super::counts::Counts;
use super::metrics::resident_bytes;
use crate::logging::BARS;

/// How often a line is logged where there is no terminal.
const LOG_EVERY: Duration = Duration::from_secs(10);

pub struct Progress {
    bar: ProgressBar,
    shown: Instant,
    last: Counts,
}

impl Progress {
    pub fn new() -> Self {
        let style = ProgressStyle::with_template("{spinner} {wide_msg}").expect("a template");
        let bar = BARS.add(ProgressBar::new_spinner().with_style(style));
        Self { bar, shown: Instant::now(), last: Counts::default() }
    }

    /// Shows what `counts` have more than last time. Meant to be called once a second.
    pub fn show(&mut self, counts: &Counts) {
        let elapsed = self.shown.elapsed();
        let every = if self.bar.is_hidden() { LOG_EVERY } else { Duration::from_secs(1) };
        // Ticks come a little early or late.
        if elapsed + Duration::from_millis(500) < every {
            return;
        }
        let line = line(counts, &self.last, elapsed);
        if self.bar.is_hidden() {
            // A receiver that has nothing to do need not say so.
            if counts.requests() != self.last.requests() {
                info!("{line}");
            }
        } else {
            self.bar.set_message(line);
            self.bar.tick();
        }
        self.shown = Instant::now();
        self.last = counts.clone();
    }

    pub fn end(&self) {
        self.bar.finish_and_clear();
    }
}

fn line(now: &Counts, before: &Counts, elapsed: Duration) -> String {
    let rate = |now: u64, before: u64| ((now - before) as f64 / elapsed.as_secs_f64()) as u64;
    let mut line = format!(
        "{} requests/s  {} samples/s  {} log lines/s  {}/s in, {}/s decompressed  {} errors",
        HumanCount(rate(now.requests(), before.requests())),
        HumanCount(rate(now.samples, before.samples)),
        HumanCount(rate(now.entries, before.entries)),
        DecimalBytes(rate(now.received_bytes, before.received_bytes)),
        DecimalBytes(rate(now.decompressed_bytes, before.decompressed_bytes)),
        now.errors(),
    );
    if let Some(resident) = resident_bytes() {
        line += &format!("  {} of memory", DecimalBytes(resident));
    }
    if let Some(refusal) = &now.last_refusal {
        line += &format!("  (last {refusal})");
    }
    line
}
