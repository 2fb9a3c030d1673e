//! `borrowire ring`: which partition a key goes to.

use std::io::{self, BufWriter, Write};

use anyhow::{Context, Result};
use borrowire::kafka::{MAX_PARTITIONS, PartitionRing};
use clap::Args;
use clap::builder::RangedU64ValueParser;

/// Print the partition of each key, one a line
///
/// That is the partition in the ring of Mimir and Loki, in which all partitions are active; with a
/// tenant, in the tenant's shuffle shard. Keys are tokens: 32 bits of FNV-1.
#[derive(Args, Debug)]
pub struct Ring {
    /// How many partitions there are
    #[arg(long, value_name = "N", value_parser = partitions())]
    partitions: u32,

    /// Whose shuffle shard to look into
    #[arg(long, value_name = "T")]
    tenant: Option<String>,

    /// How many partitions the tenant's shuffle shard has; 0 is all
    #[arg(
        long,
        value_name = "S",
        default_value_t = 0,
        requires = "tenant",
        allow_negative_numbers = true
    )]
    size: i64,

    /// A number from 0 to 4294967295
    #[arg(required = true, value_name = "KEY")]
    keys: Vec<u32>,
}

impl Ring {
    /// Prints the partitions.
    ///
    /// # Errors
    ///
    /// If standard output is closed.
    pub fn run(self) -> Result<()> {
        let mut ring = PartitionRing::with_active(self.partitions)?;
        if let Some(tenant) = &self.tenant {
            // Less than nothing is all, as in the configuration of Mimir.
            ring = ring.shuffle_shard(tenant, self.size.try_into().unwrap_or(0));
        }
        let mut out = BufWriter::new(io::stdout().lock());
        for key in self.keys {
            let partition = ring.partition_for_key(key).context("no partition is active")?;
            writeln!(out, "{partition}")?;
        }
        Ok(out.flush()?)
    }
}

fn partitions() -> RangedU64ValueParser<u32> {
    RangedU64ValueParser::new().range(1..=MAX_PARTITIONS.into())
}
