//! What is allocated, by exact counts.
//!
//! A program without the usual harness, whose threads allocate at times of their own: dhat counts the
//! whole process. Each question is asked alone, and makes and drops profilers of its own.
//!
//! ```text
//! cargo test --test heap                       every question
//! cargo test --test heap -- cache --skip key   those with "cache" in their names, and without "key"
//! cargo test --test heap -- --list             their names
//! ```

#[path = "../it/support/bytes/mod.rs"]
mod bytes;
#[allow(dead_code, reason = "shared with `tests/it`, which uses more of it")]
#[path = "../it/support/codecs.rs"]
mod codecs;

mod body;
mod body_bombs;
mod cache;
mod cache_key;
mod convert;
mod heap;
mod kafka;
mod loki;
mod loki_json;
mod loki_selector;
mod otlp_json;
mod otlp_remote_write;
mod shard;
mod v1_decode;
mod v1_encode;
mod v1_hostile;
mod v1_owned;
mod v2;
mod v2_symbolizer;

use std::env;
use std::io::{self, Write};
use std::panic::catch_unwind;
use std::process::ExitCode;

const QUESTIONS: [(&str, fn()); 18] = [
    ("body", body::run),
    ("body_bombs", body_bombs::run),
    ("cache", cache::run),
    ("cache_key", cache_key::run),
    ("convert", convert::run),
    ("kafka", kafka::run),
    ("loki", loki::run),
    ("loki_json", loki_json::run),
    ("loki_selector", loki_selector::run),
    ("otlp_json", otlp_json::run),
    ("otlp_remote_write", otlp_remote_write::run),
    ("shard", shard::run),
    ("v1_decode", v1_decode::run),
    ("v1_encode", v1_encode::run),
    ("v1_hostile", v1_hostile::run),
    ("v1_owned", v1_owned::run),
    ("v2", v2::run),
    ("v2_symbolizer", v2_symbolizer::run),
];

fn main() -> ExitCode {
    let arguments = Arguments::read(env::args().skip(1));
    let questions = QUESTIONS.iter().filter(|(name, _)| arguments.select(name));
    if arguments.list {
        questions.for_each(|(name, _)| println!("{name}: test"));
        return ExitCode::SUCCESS;
    }
    let (mut passed, mut failed) = (0, Vec::new());
    for (name, run) in questions {
        print!("heap {name} ... ");
        // Seen before the question, should it end the process.
        _ = io::stdout().flush();
        // Whatever a question leaves behind when it fails, the others have profilers of their own.
        if catch_unwind(run).is_ok() {
            println!("ok");
            passed += 1;
        } else {
            println!("FAILED");
            failed.push(*name);
        }
    }
    if !failed.is_empty() {
        println!("\nfailed: {}", failed.join(", "));
    }
    println!("\n{passed} passed, {} failed", failed.len());
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// Those of the usual harness that say what to run. The others are accepted, and change nothing.
#[derive(Default)]
struct Arguments {
    exact: bool,
    filters: Vec<String>,
    ignored: bool,
    list: bool,
    skip: Vec<String>,
}

impl Arguments {
    fn read(mut given: impl Iterator<Item = String>) -> Self {
        let mut arguments = Self::default();
        while let Some(argument) = given.next() {
            match argument.as_str() {
                "--exact" => arguments.exact = true,
                "--ignored" => arguments.ignored = true,
                "--list" => arguments.list = true,
                "--skip" => arguments.skip.extend(given.next()),
                "--color" | "--format" | "--logfile" | "--test-threads" | "-Z" => {
                    drop(given.next())
                }
                option if option.starts_with('-') => {}
                _ => arguments.filters.push(argument),
            }
        }
        arguments
    }

    fn select(&self, name: &str) -> bool {
        let fits = |filter: &String| {
            if self.exact { name == filter } else { name.contains(filter.as_str()) }
        };
        // None of the questions is marked as ignored.
        !self.ignored
            && (self.filters.is_empty() || self.filters.iter().any(fits))
            && !self.skip.iter().any(fits)
    }
}
