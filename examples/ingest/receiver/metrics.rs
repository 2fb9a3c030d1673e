//! The receiver's own metrics, in the text format of Prometheus.

use std::fmt::{Display, Write};
use std::fs;

use super::{Counts, Pools};

/// All metrics.
pub fn page(counts: &Counts, pools: &Pools) -> String {
    let mut page = Page(String::new());
    page.labelled("requests_total", "Requests by status of the answer.", "status", &counts.answers);
    page.labelled("refused_total", "Refused requests by kind of fault.", "kind", &counts.refused);
    page.labelled(
        "violations_total",
        "What validation found in accepted requests.",
        "kind",
        &counts.violations,
    );
    for (name, help, value) in [
        ("received_bytes_total", "Bytes of accepted bodies, as sent.", counts.received_bytes),
        (
            "decompressed_bytes_total",
            "Bytes of accepted bodies, decompressed.",
            counts.decompressed_bytes,
        ),
        ("series_total", "Time series, each time they are sent.", counts.series),
        ("samples_total", "Samples.", counts.samples),
        ("exemplars_total", "Exemplars.", counts.exemplars),
        ("histograms_total", "Native histograms.", counts.histograms),
        ("metadata_total", "Metadata entries.", counts.metadata),
        ("streams_total", "Streams of log lines, each time they are sent.", counts.streams),
        ("entries_total", "Log lines.", counts.entries),
    ] {
        page.single(name, "counter", help, value);
    }

    let buffers = pools.buffers.statistics();
    let (storages, storage_bytes) = pools.idle_storages();
    for (name, help, value) in [
        ("buffers_taken_total", "Buffers handed out.", buffers.taken),
        ("buffers_created_total", "Buffers handed out that were new.", buffers.created),
        ("buffers_returned_total", "Buffers given back.", buffers.returned),
        ("buffers_dropped_total", "Buffers given back and freed.", buffers.dropped),
    ] {
        page.single(name, "counter", help, value);
    }
    for (name, help, value) in [
        ("buffers_outstanding", "Buffers with requests.", buffers.outstanding()),
        ("buffers_idle", "Buffers that lie idle.", buffers.idle as u64),
        ("buffers_idle_bytes", "Memory of idle buffers.", buffers.idle_bytes as u64),
        ("storages_idle", "Storages that lie idle.", storages as u64),
        ("storages_idle_bytes", "Memory of idle storages.", storage_bytes as u64),
    ] {
        page.single(name, "gauge", help, value);
    }
    if let Some(bytes) = resident_bytes() {
        // The name that all exporters give it, so without a prefix of our own.
        page.family("process_resident_memory_bytes", "gauge", "Resident memory.");
        page.write(format_args!("process_resident_memory_bytes {bytes}\n"));
    }
    page.0
}

/// Resident memory of this process, where the system says so in `/proc`.
pub fn resident_bytes() -> Option<u64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim_end().parse().ok()?;
    Some(kilobytes << 10)
}

struct Page(String);

impl Page {
    fn family(&mut self, name: &str, kind: &str, help: &str) {
        self.write(format_args!("# HELP {name} {help}\n# TYPE {name} {kind}\n"));
    }

    fn single(&mut self, name: &str, kind: &str, help: &str, value: u64) {
        let name = format!("ingest_{name}");
        self.family(&name, kind, help);
        self.write(format_args!("{name} {value}\n"));
    }

    /// A counter for each value of a label. The values are ours and need no escapes.
    fn labelled<'c>(
        &mut self,
        name: &str,
        help: &str,
        label: &str,
        values: impl IntoIterator<Item = (impl Display, &'c u64)>,
    ) {
        let name = format!("ingest_{name}");
        self.family(&name, "counter", help);
        for (of, value) in values {
            self.write(format_args!("{name}{{{label}=\"{of}\"}} {value}\n"));
        }
    }

    fn write(&mut self, text: std::fmt::Arguments<'_>) {
        self.0.write_fmt(text).expect("a String takes all");
    }
}
