//! Measures this crate beside other implementations, on the same bytes in the same run.
//!
//! ```text
//! cargo bench --bench throughput -- --generate target/payloads
//! cargo bench --bench throughput -- target/payloads/*
//! ```
//!
//! All implementations must read the same content, and write what is read as the same, before
//! anything is timed. Then all of them take turns, so that a noisy moment hits them alike. A new
//! message gets a line in `messages.rs`, a new implementation one in `peers/mod.rs`.

mod allocations;
mod chart;
mod measure;
mod messages;
#[path = "../peers/mod.rs"]
mod peers;
mod report;
mod scale;
mod stages;

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;

use bytes::Bytes;
use clap::Parser;

use measure::measure;
use messages::Message;
use report::Report;

/// Measures borrowire beside other implementations.
#[derive(Parser)]
#[command(
    name = "throughput",
    bin_name = "cargo bench --bench throughput --",
    after_help = "A file holds one message that is not compressed. Its name tells which: rw1*, rw2*, \
                  loki_push*, otlp_logs* and any other otlp_* are remote write 1.0, remote write \
                  2.0, a Loki push, OTLP logs and OTLP metrics."
)]
struct Arguments {
    /// Print a line of JSON for each stage of each implementation, in place of a table
    #[arg(long)]
    json: bool,

    /// Spend this many milliseconds on each stage of each implementation
    #[arg(long, value_name = "N", default_value_t = 300)]
    ms: u64,

    /// Draw what was measured; without files, the time over size from 100 to 1,000,000 series
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,

    /// Write payloads to a directory: generated ones, and captured ones decompressed
    #[arg(long, value_name = "DIR")]
    generate: Option<PathBuf>,

    /// What cargo says to every benchmark
    #[arg(long, hide = true)]
    bench: bool,

    /// What to measure
    #[arg(value_name = "FILE")]
    files: Vec<PathBuf>,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Box<dyn Error>> {
    if let Some(directory) = &arguments.generate {
        generate(directory)?;
    }
    let budget = Duration::from_millis(arguments.ms);
    let print = |report: &Report| if arguments.json { report.json_lines() } else { report.table() };
    match (&arguments.files[..], &arguments.svg) {
        ([], None) if arguments.generate.is_none() => {
            println!("Nothing to measure: see cargo bench --bench throughput -- --help");
        }
        ([], None) => {}
        ([], Some(svg)) => chart::scale(svg, &scale::measure_all(budget, print)?)?,
        (files, svg) => {
            let reports = measure_files(files, budget, print)?;
            if let Some(svg) = svg {
                chart::throughput(svg, &reports)?;
            }
        }
    }
    Ok(())
}

fn measure_files(
    files: &[PathBuf],
    budget: Duration,
    print: impl Fn(&Report),
) -> Result<Vec<Report>, Box<dyn Error>> {
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build: use cargo bench");
    }
    // All names first: a run takes a while, and should not end half-way for a name.
    let files = files.iter().map(|path| Ok((path, Message::of_file(path)?)));
    let files = files.collect::<Result<Vec<_>, String>>()?;
    let reports = files.into_iter().map(|(path, message)| {
        let at_fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let body = Bytes::from(fs::read(path).map_err(|error| at_fault(&error))?);
        let (content, mut operations) =
            (message.prepare)(&body).map_err(|error| at_fault(&error))?;
        let report = Report {
            file: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            message,
            bytes: body.len(),
            content,
            measurements: measure(&mut operations, budget),
        };
        print(&report);
        Ok(report)
    });
    reports.collect()
}

fn generate(directory: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    for (name, body) in messages::payloads() {
        let path = directory.join(name);
        fs::write(&path, &body)?;
        println!("{}: {} bytes", path.display(), body.len());
    }
    Ok(())
}
