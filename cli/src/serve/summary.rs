//! What a receiver took in, once it has ended.

use comfy_table::{CellAlignment, Table, presets};
use indicatif::{DecimalBytes, HumanCount};

use super::receiver::Receiver;
use super::sink::Stored;

/// The longest bar of a shard, in characters.
const BAR: u64 = 40;

/// Tables of counts.
pub fn of(receiver: &Receiver) -> String {
    let counts = receiver.counts();
    let buffers = receiver.pools.buffers.statistics();
    let (storages, storage_bytes) = receiver.pools.idle_storages();
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    for (what, count) in [
        ("requests", counts.requests()),
        ("series", counts.series),
        ("samples", counts.samples),
        ("exemplars", counts.exemplars),
        ("histograms", counts.histograms),
        ("metadata entries", counts.metadata),
        ("streams", counts.streams),
        ("log lines", counts.entries),
    ] {
        table.add_row([what.to_owned(), HumanCount(count).to_string()]);
    }
    for (what, bytes) in
        [("received", counts.received_bytes), ("decompressed", counts.decompressed_bytes)]
    {
        table.add_row([what.to_owned(), DecimalBytes(bytes).to_string()]);
    }
    let answers = counts.answers.iter().map(|(status, n)| (format!("answered {status}"), n));
    let refused = counts.refused.iter().map(|(kind, n)| (format!("refused, {kind}"), n));
    let found = counts.violations.iter().map(|(kind, n)| (format!("found, {kind}"), n));
    for (what, count) in answers.chain(refused).chain(found) {
        table.add_row([what, HumanCount(*count).to_string()]);
    }
    for (what, count) in [
        ("buffers taken", buffers.taken),
        ("buffers that were new", buffers.created),
        ("buffers outstanding", buffers.outstanding()),
    ] {
        table.add_row([what.to_owned(), HumanCount(count).to_string()]);
    }
    for (what, count, bytes) in [
        ("idle buffers", buffers.idle, buffers.idle_bytes),
        ("idle storages", storages, storage_bytes),
    ] {
        let memory = format!("{count} with {}", DecimalBytes(bytes as u64));
        table.add_row([what.to_owned(), memory]);
    }
    if let Some(column) = table.column_mut(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    match &receiver.sink {
        None => table.to_string(),
        Some(sink) => format!("{table}\n\n{}", chart(&sink.balance())),
    }
}

/// A bar for each shard, as long as its records; then how far the fullest is from the mean.
fn chart(shards: &[Stored]) -> String {
    let most = shards.iter().map(|shard| shard.records).max().unwrap_or(0);
    let total: u64 = shards.iter().map(|shard| shard.records).sum();
    if total == 0 {
        return "shards: nothing yet".to_owned();
    }
    let mut table = Table::new();
    table.load_style(presets::NOTHING);
    table.set_header(["shard", "series, streams and metadata", "records", "bytes"]);
    for (number, shard) in shards.iter().enumerate() {
        table.add_row([
            number.to_string(),
            "█".repeat((shard.records * BAR).div_ceil(most) as usize),
            HumanCount(shard.records).to_string(),
            DecimalBytes(shard.bytes).to_string(),
        ]);
    }
    let mean = total as f64 / shards.len() as f64;
    format!("{table}\nthe fullest has {:.2} times the mean", most as f64 / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fullest_shard_has_the_longest_bar() {
        let shards = [10, 40, 0].map(|records| Stored { records, bytes: 1000 * records });
        let chart = chart(&shards);
        let bars = chart.lines().map(|line| line.matches('█').count());
        assert_eq!(bars.collect::<Vec<_>>(), [0, 10, 40, 0, 0], "{chart}");
        assert!(chart.ends_with("the fullest has 2.40 times the mean"), "{chart}");
    }

    #[test]
    fn no_shard_has_anything_at_first() {
        assert_eq!(chart(&[Stored { records: 0, bytes: 0 }]), "shards: nothing yet");
    }
}
