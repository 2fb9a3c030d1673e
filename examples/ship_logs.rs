//! Shipping logs to Loki: lines of standard input, grouped into streams by their level, as pushes
//! of some hundred lines, in memory that is used again.
//!
//! ```text
//! journalctl -f | cargo run --example ship_logs -- http://127.0.0.1:3100/loki/api/v1/push
//! ```
//!
//! Without a URL it only tells what it would send.

use std::io::{self, BufRead};
use std::time::SystemTime;

use borrowire::Encode;
use borrowire::body::{BufferPool, Encoding};
use borrowire::loki::{Entry, LabelPair, PushBatch, Timestamp};

type Error = Box<dyn std::error::Error>;

/// How many lines a push has at most.
const LINES: usize = 500;

fn main() -> Result<(), Error> {
    let url = std::env::args().nth(1);
    let (mut input, pool) = (io::stdin().lock(), BufferPool::new());
    let mut lines = Vec::new();
    // A batch borrows its lines, so each round has one, made of the memory of the last.
    let mut idle = PushBatch::new();
    while read_lines(&mut input, &mut lines)? {
        let mut batch = idle;
        for (time, line) in &lines {
            let labels = [LabelPair::new("job", "ship_logs"), LabelPair::new("level", level(line))];
            batch.push(&labels, Entry::new(*time, line.as_bytes()));
        }
        send(&batch, &pool, url.as_deref())?;
        idle = batch.recycle();
    }
    Ok(())
}

/// Reads the next lines, in place of those that there were. Returns whether there are some.
fn read_lines(input: &mut impl BufRead, lines: &mut Vec<(Timestamp, String)>) -> io::Result<bool> {
    lines.clear();
    for line in input.lines().take(LINES) {
        let now = Timestamp::from_system_time(SystemTime::now()).unwrap_or_default();
        lines.push((now, line?));
    }
    Ok(!lines.is_empty())
}

fn level(line: &str) -> &'static str {
    let levels = ["error", "warn", "info", "debug"];
    let line = line.to_ascii_lowercase();
    levels.into_iter().find(|level| line.contains(level)).unwrap_or("unknown")
}

fn send(batch: &PushBatch<'_>, pool: &BufferPool, url: Option<&str>) -> Result<(), Error> {
    let body = pool.compress(batch, Encoding::Snappy)?;
    let (streams, entries, message) =
        (batch.streams_len(), batch.entries_len(), batch.encoded_len());
    println!("{entries} lines in {streams} streams: {message} bytes, {} compressed", body.len());
    if let Some(url) = url {
        let request = ureq::post(url).header("content-type", "application/x-protobuf");
        request.header("content-encoding", Encoding::Snappy.as_str()).send(&body[..])?;
    }
    Ok(())
}
