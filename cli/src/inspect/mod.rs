//! `borrowire inspect`: what a body says.
//!
//! Made for scripts as well. Good input: one line of JSON on standard output, status 0. Bad input:
//! one line on standard error that names kind, field and offset, nothing on standard output,
//! status 1. The form of the JSON is that of [`json_form`](crate::json_form).
//!
//! ```text
//! borrowire inspect --message remote-write-v1 --encoding snappy BODY
//! borrowire inspect --message loki-push --json --validate BODY
//! borrowire inspect --message otlp-logs --json --encoding gzip BODY
//! borrowire inspect --records FILE      # that `borrowire serve --out` wrote
//! ```

mod message;
mod records;
mod request;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Args;

pub use self::request::describe;
use crate::arguments::MessageKind;
use crate::input::Input;

/// Print what a body says, as a line of JSON
///
/// Values of type double are the hexadecimal of their bits, so that nothing is lost: NaN payloads
/// have a meaning.
#[derive(Args, Debug)]
pub struct Inspect {
    /// What the body holds
    #[arg(long, value_enum, required_unless_present = "records")]
    message: Option<MessageKind>,

    #[command(flatten)]
    input: Input,

    /// The body is the protocol's JSON form, which loki-push, otlp-metrics and otlp-logs have
    #[arg(long)]
    json: bool,

    /// Write the request to OUT, encoded again and not compressed: as JSON if it was JSON
    #[arg(long, value_name = "OUT")]
    reencode: Option<PathBuf>,

    /// Print what breaks the protocol's default rules, one finding a line, in place of the content
    #[arg(long)]
    validate: bool,

    /// Print the records of a file that `borrowire serve --out` wrote, one a line
    #[arg(long, conflicts_with_all = ["message", "encoding", "json", "reencode", "validate"])]
    records: bool,
}

impl Inspect {
    /// Prints what is asked for.
    ///
    /// # Errors
    ///
    /// What is wrong with the file or the body. Of a body nothing is printed then; of a file of
    /// records, what stands before.
    pub fn run(self) -> Result<()> {
        match self.message {
            Some(kind) => {
                self.check(kind);
                print(&message::inspect(&self, kind)?)
            }
            None => records::inspect(&self.input),
        }
    }

    /// Ends the program, as for all wrong arguments, if `--json` does not go with the message.
    fn check(&self, kind: MessageKind) {
        use clap::CommandFactory;
        use clap::error::ErrorKind;
        if self.json && !kind.has_json() {
            let message = format!(
                "{} has no JSON form: --json goes with loki-push, otlp-metrics and otlp-logs",
                kind.as_str()
            );
            crate::Cli::command().error(ErrorKind::ArgumentConflict, message).exit();
        }
    }
}

/// Prints what is complete: lines with their ends.
fn print(lines: &str) -> Result<()> {
    let mut output = io::stdout().lock();
    let printed = output.write_all(lines.as_bytes()).and_then(|()| output.flush());
    printed.context("standard output")
}
