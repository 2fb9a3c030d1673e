//! The program `borrowire`: see `borrowire --help`.

use std::process::ExitCode;

use borrowire_cli::Cli;
use clap::Parser;

/// Status 1 for what went wrong, said in one line. Wrong arguments are status 2: clap sees to that.
fn main() -> ExitCode {
    match Cli::parse().run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::FAILURE
        }
    }
}
