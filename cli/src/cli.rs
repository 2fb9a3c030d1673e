//! The command line as a whole.

use anyhow::Result;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Parser, Subcommand};
use tracing::level_filters::LevelFilter;

use crate::completions::Completions;
use crate::convert::Convert;
use crate::demo::Demo;
use crate::inspect::Inspect;
use crate::kafka_records::KafkaRecords;
use crate::logging;
use crate::ring::Ring;
use crate::send::Send;
use crate::serve::Serve;

/// Request bodies of Prometheus remote write and of Loki: look into them, convert them, receive
/// them, send them.
#[derive(Parser, Debug)]
#[command(
    name = "borrowire",
    version,
    after_help = "\
Begin with:
  borrowire demo
  borrowire inspect --message remote-write-v1 --encoding snappy BODY
  borrowire serve"
)]
pub struct Cli {
    /// How much to log, on standard error
    #[arg(
        long,
        global = true,
        value_name = "LEVEL",
        default_value = "info",
        value_parser = level(),
        display_order = 900
    )]
    log: LevelFilter,

    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Demo(Demo),
    Inspect(Inspect),
    Convert(Convert),
    Serve(Serve),
    Send(Send),
    #[command(name = "records")]
    KafkaRecords(KafkaRecords),
    Ring(Ring),
    Completions(Completions),
}

impl Cli {
    /// Does what the command line asks for.
    ///
    /// # Errors
    ///
    /// What went wrong; printed with `{:#}` it is one line.
    pub fn run(self) -> Result<()> {
        logging::start(self.log);
        match self.command {
            Command::Demo(demo) => demo.run(),
            Command::Inspect(inspect) => inspect.run(),
            Command::Convert(convert) => convert.run(),
            Command::Serve(serve) => serve.run(),
            Command::Send(send) => send.run(),
            Command::KafkaRecords(records) => records.run(),
            Command::Ring(ring) => ring.run(),
            Command::Completions(completions) => completions.run(),
        }
    }
}

fn level() -> impl TypedValueParser<Value = LevelFilter> {
    PossibleValuesParser::new(["off", "error", "warn", "info", "debug", "trace"])
        .try_map(|level| level.parse::<LevelFilter>())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_is_well_formed() {
        Cli::command().debug_assert();
    }
}
