//! `borrowire completions`: completion of the command line for a shell.

use std::io;

use anyhow::Result;
use clap::{Args, CommandFactory};
use clap_complete::{Shell, generate};

use crate::Cli;

/// Print completion for a shell
///
/// For example: borrowire completions bash > /etc/bash_completion.d/borrowire
#[derive(Args, Debug)]
pub struct Completions {
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    ///
    /// # Errors
    ///
    /// None: it returns what all subcommands return.
    pub fn run(self) -> Result<()> {
        generate(self.shell, &mut Cli::command(), "borrowire", &mut io::stdout());
        Ok(())
    }
}
