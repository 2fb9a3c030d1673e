//! Takes request bodies through the whole path of a receiver, and shows what that costs.
//!
//! ```text
//! cargo run --release --example ingest             # the captured requests shipped here
//! cargo run --release --example ingest -- --all    # the same, one line for each
//! cargo run --release --example ingest -- FILE...  # your own bodies, compressed or not
//! cargo run --release --example ingest -- --message loki-push FILE...  # the same, of Loki
//! cargo run --release --example ingest -- --listen 127.0.0.1:9009  # a receiver, over HTTP
//! cargo run --release --example ingest -- --listen 127.0.0.1:9009 --shards 4  # that stores by shard
//! cargo run --release --example ingest -- --send 127.0.0.1:9009    # a load for it
//! ```
//!
//! Each body is decompressed, decoded, validated and encoded again, all in memory that is used
//! again. Captured are remote write, both versions, and pushes of Loki, protobuf and JSON; your own
//! bodies are remote write 1.0 unless `--message` says otherwise. The captured requests must decode to what Google's protobuf runtime read in them, encode
//! back to it, and allocate nothing after warm-up; otherwise the program says so and fails.

#[path = "../support/allocations.rs"]
mod allocations;
mod arguments;
#[path = "../support/encoding.rs"]
mod encoding;
#[path = "../support/fixtures.rs"]
mod fixtures;
#[path = "../support/http_client.rs"]
mod http_client;
#[path = "../support/json/mod.rs"]
mod json;
mod listen;
mod loki_push;
mod pipeline;
mod receiver;
#[path = "../support/records.rs"]
mod records;
mod remote_write;
mod remote_write_v2;
mod report;
mod send;
mod shards;
mod table;

use std::fs;
use std::process::ExitCode;
use std::time::Duration;

use arguments::{FileMessage, Task, USAGE};
use encoding::Encoding;
use fixtures::Golden;
use loki_push::LokiPush;
use pipeline::{PerStage, Pipeline, Stage};
use remote_write::RemoteWrite;
use remote_write_v2::RemoteWriteV2;
use report::Report;

/// How often each body is timed. The fastest run of each stage counts: the others were disturbed.
const RUNS: usize = 25;

fn main() -> ExitCode {
    let task = match arguments::parse(std::env::args().skip(1)) {
        Ok(task) => task,
        Err(problem) => {
            eprintln!("ingest: {problem}\n{USAGE}");
            return ExitCode::from(2);
        }
    };
    match run(task) {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("ingest: {problem}");
            ExitCode::FAILURE
        }
    }
}

/// Returns whether all went well. What did not, and is not in the error, has been said.
fn run(task: Task) -> Result<bool, String> {
    match task {
        Task::Help => println!("{USAGE}"),
        Task::Captured { each } => {
            let old = ingest::<RemoteWrite>(&captured("remote-write-v1"), each);
            println!();
            let new = ingest::<RemoteWriteV2>(&captured("remote-write-v2"), each);
            println!();
            let logs = ingest::<LokiPush>(&captured("loki"), each);
            return Ok(old && new && logs);
        }
        Task::Files { message, files } => {
            let bodies: Vec<Body> = files.iter().map(|file| own(file)).collect::<Result<_, _>>()?;
            return Ok(match message {
                FileMessage::RemoteWriteV1 => ingest::<RemoteWrite>(&bodies, true),
                FileMessage::RemoteWriteV2 => ingest::<RemoteWriteV2>(&bodies, true),
                FileMessage::LokiPush => ingest::<LokiPush>(&bodies, true),
            });
        }
        Task::Listen { address, duration, sink } => listen::listen(address, duration, sink)?,
        Task::Send { address, senders, duration } => send::send(address, senders, duration)?,
    }
    Ok(true)
}

/// A request body, and what is known about it.
struct Body {
    /// The line it is shown in, when not every body has its own.
    group: String,
    name: String,
    encoding: Encoding,
    bytes: Vec<u8>,
    golden: Option<Golden>,
}

fn captured(message: &str) -> Vec<Body> {
    let fixtures = fixtures::load(message).into_iter();
    fixtures
        .map(|fixture| Body {
            golden: Some(fixture.golden()),
            group: fixture.client,
            name: fixture.name,
            encoding: fixture.encoding,
            bytes: fixture.body,
        })
        .collect()
}

fn own(file: &str) -> Result<Body, String> {
    let bytes = fs::read(file).map_err(|e| format!("{file}: {e}"))?;
    Ok(Body {
        group: file.to_owned(),
        name: file.to_owned(),
        encoding: Encoding::detect(&bytes),
        bytes,
        golden: None,
    })
}

/// Measures all bodies and prints the table. Returns whether all went well.
fn ingest<P: Pipeline>(bodies: &[Body], each: bool) -> bool {
    let mut pipeline = P::default();
    let mut problems = Vec::new();
    // Warm-up: every buffer grows to what the largest body needs, and the contents are compared.
    let mut checked = Vec::new();
    for body in bodies {
        match pipeline.check(body) {
            Ok(report) => checked.push((body, report)),
            Err(problem) => problems.push(format!("{}: {problem}", body.name)),
        }
    }
    // A line of the table: its name, its encoding, the sum of its requests.
    let mut lines: Vec<(&str, &str, Report)> = Vec::new();
    for (body, mut report) in checked {
        if let Err(problem) = measure(&mut pipeline, body, &mut report) {
            problems.push(format!("{}: {problem}", body.name));
        }
        let name = if each { &body.name } else { &body.group };
        let encoding = body.encoding.name();
        match lines.iter_mut().find(|line| !each && (line.0, line.1) == (name, encoding)) {
            Some((_, _, sum)) => *sum += &report,
            None => lines.push((name, encoding, report)),
        }
    }
    print(P::NAME, &lines, if each { "body" } else { "client" });
    for problem in &problems {
        eprintln!("ingest: {problem}");
    }
    problems.is_empty()
}

/// Times several passes, and counts allocations in one of its own: counting takes time as well.
fn measure(pipeline: &mut impl Pipeline, body: &Body, report: &mut Report) -> Result<(), String> {
    let mut best = PerStage::<Duration>::default();
    pipeline.pass(body, &mut best)?;
    for _ in 1..RUNS {
        let mut times = PerStage::<Duration>::default();
        pipeline.pass(body, &mut times)?;
        for stage in Stage::ALL {
            best.update(stage, |time| time.min(times.get(stage)));
        }
    }
    report.times = best;
    pipeline.pass(body, &mut report.blocks)?;
    match report.own_blocks() {
        // Of an unknown body it is only shown: to find duplicates among more than 64 unsorted
        // labels, validate does allocate.
        blocks if blocks > 0 && body.golden.is_some() => {
            Err(format!("{blocks} allocations after warm-up, where there should be none"))
        }
        _ => Ok(()),
    }
}

fn print(message: &str, lines: &[(&str, &str, Report)], first: &str) {
    let mut total = Report::default();
    for (_, _, report) in lines {
        total += report;
    }
    let mut table = total.table(first);
    for (name, encoding, report) in lines {
        table.push(report.row(name, encoding));
    }
    if lines.len() > 1 {
        table.push(total.row("total", ""));
    }
    if total.requests == 0 {
        return;
    }
    println!("{message}: decompress, decode, validate, encode again\n");
    println!("{table}");
    println!("{}", total.summary());
    println!("times: sums over the requests of a line, the fastest of {RUNS} runs for each");
    println!("allocs: heap blocks that decode, validate and encode ask for after warm-up");
    match total.blocks.get(Stage::Decompress) {
        0 => {}
        // The zlib decoder starts anew for each body; zstd's memory is C's, and reused.
        blocks => println!("        (snap, flate2 and zstd, which decompress, ask for {blocks})"),
    }
    print_findings(lines);
}

fn print_findings(lines: &[(&str, &str, Report)]) {
    println!("\nwhat validate reports (decode keeps it all):");
    let width = lines.iter().map(|(name, ..)| name.chars().count()).max().unwrap_or(0);
    let mut nothing = true;
    for (name, encoding, report) in lines {
        let findings = report.findings();
        if !findings.is_empty() {
            println!("  {name:<width$}  {encoding:<8}  {findings}");
            nothing = false;
        }
    }
    if nothing {
        println!("  nothing");
    }
}
