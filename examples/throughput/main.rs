//! Measures this crate beside prost and quick-protobuf, on the same bytes in the same run.
//!
//! ```text
//! cargo run --release --example throughput -- [--json] [--ms N] FILE...
//! cargo run --release --example throughput -- --generate DIR
//! ```
//!
//! A file holds one raw protobuf message; its name tells which: `rw1*` is remote write 1.0, `rw2*` is
//! remote write 2.0, `loki_push*` is Loki push. All implementations must read the same content, and write what is read
//! as the same, before anything is timed. `--ms` is the time for each stage of each implementation
//! (default 300). `--json` prints one object a line. `--generate` writes the files that the README's
//! table was made with: generated ones, and captured ones decompressed.
//!
//! A new message gets a line in [`MESSAGES`] and a file beside this one.

#[path = "../support/allocations.rs"]
mod allocations;
mod loki_push;
mod measure;
#[allow(dead_code, reason = "shared with the benches, which use other parts")]
#[path = "../../benches/peers/mod.rs"]
mod peers;
mod remote_write_v1;
mod remote_write_v2;
mod report;
mod stages;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Duration;
use std::{env, fs};

use bytes::Bytes;

use measure::{Operation, measure};
use peers::Digest;

const USAGE: &str = "usage: throughput [--json] [--ms N] FILE...\n       throughput --generate DIR";

const MESSAGES: [Message; 3] = [
    Message { prefix: "rw1", name: "remote-write-v1", prepare: remote_write_v1::prepare },
    Message { prefix: "rw2", name: "remote-write-v2", prepare: remote_write_v2::prepare },
    Message { prefix: "loki_push", name: "loki-push", prepare: loki_push::prepare },
];

/// A kind of message, told by the start of a file's name.
struct Message {
    prefix: &'static str,
    name: &'static str,
    prepare: Prepare,
}

/// Checks that all implementations agree on a body, and returns its content and what to measure.
type Prepare = fn(&Bytes) -> Result<(Digest, Vec<Operation<'_>>), Box<dyn Error>>;

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run() -> Result<(), Box<dyn Error>> {
    let arguments = Arguments::parse(env::args().skip(1))?;
    if let Some(directory) = &arguments.generate {
        return generate(directory);
    }
    if cfg!(debug_assertions) {
        eprintln!("warning: this is a debug build; add --release");
    }

    // All names first: a run takes a while, and should not end half-way for a name.
    let files = arguments.files.iter().map(|path| Ok((path, message_of(path)?)));
    for (path, (file, message, prepare)) in files.collect::<Result<Vec<_>, Box<dyn Error>>>()? {
        let at_fault = |error: &dyn std::fmt::Display| format!("{}: {error}", path.display());
        let body = Bytes::from(fs::read(path).map_err(|error| at_fault(&error))?);
        let (content, mut operations) = prepare(&body).map_err(|error| at_fault(&error))?;
        let measurements = measure(&mut operations, arguments.budget);
        let subject = report::Subject { file, message, bytes: body.len(), content };
        if arguments.json {
            report::json_lines(&subject, &measurements);
        } else {
            report::table(&subject, &measurements);
        }
    }
    Ok(())
}

/// The file's name, and the name and the entry point of its message.
fn message_of(path: &Path) -> Result<(&str, &'static str, Prepare), String> {
    let file = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let Some(message) = MESSAGES.iter().find(|message| file.starts_with(message.prefix)) else {
        let prefixes = MESSAGES.map(|message| message.prefix).join(", ");
        return Err(format!(
            "{}: the file's name tells no message (it starts with one of: {prefixes})",
            path.display()
        ));
    };
    Ok((file, message.name, message.prepare))
}

fn generate(directory: &Path) -> Result<(), Box<dyn Error>> {
    fs::create_dir_all(directory)?;
    let remote_write = peers::remote_write_v1::payload::all();
    let remote_write_v2 = peers::remote_write_v2::payload::all();
    let loki_push = peers::loki_push::payload::all();
    let files = remote_write
        .map(|(name, body)| (format!("rw1_{name}.bin"), body))
        .chain(remote_write_v2.map(|(name, body)| (format!("rw2_{name}.bin"), body)))
        .chain(loki_push.map(|(name, body)| (format!("loki_push_{name}.bin"), body)));
    for (name, body) in files {
        let path = directory.join(name);
        fs::write(&path, &body)?;
        println!("{}: {} bytes", path.display(), body.len());
    }
    Ok(())
}

struct Arguments {
    json: bool,
    budget: Duration,
    generate: Option<PathBuf>,
    files: Vec<PathBuf>,
}

impl Arguments {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut parsed = Self {
            json: false,
            budget: Duration::from_millis(300),
            generate: None,
            files: Vec::new(),
        };
        while let Some(argument) = arguments.next() {
            match &*argument {
                "--json" => parsed.json = true,
                "--ms" => {
                    let milliseconds = arguments.next().and_then(|n| n.parse().ok());
                    parsed.budget =
                        Duration::from_millis(milliseconds.ok_or("--ms takes a number")?);
                }
                "--generate" => {
                    let directory = arguments.next().ok_or("--generate takes a directory")?;
                    parsed.generate = Some(directory.into());
                }
                option if option.starts_with("--") => {
                    return Err(format!("unknown option {option}\n{USAGE}"));
                }
                _ => parsed.files.push(argument.into()),
            }
        }
        if parsed.files.is_empty() && parsed.generate.is_none() {
            return Err(format!("no file\n{USAGE}"));
        }
        Ok(parsed)
    }
}
