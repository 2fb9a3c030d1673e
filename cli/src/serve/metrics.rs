//! The receiver's own metrics, in the text format of Prometheus.

use std::fmt;
use std::sync::Arc;

use memory_stats::memory_stats;
use prometheus_client::collector::Collector;
use prometheus_client::encoding::{
    DescriptorEncoder, EncodeLabelValue, EncodeMetric, prometheus_text,
};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::counter::ConstCounter;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::Registry;

use super::receiver::Receiver;

pub use prometheus_text::CONTENT_TYPE;

/// All metrics.
pub fn page(receiver: &Arc<Receiver>) -> String {
    let mut registry = Registry::default();
    registry.register_collector(Box::new(Snapshot(Arc::clone(receiver))));
    let mut page = String::new();
    prometheus_text::encode(&mut page, &registry).expect("a String takes all");
    page
}

/// Resident memory of this process, where the system tells.
pub fn resident_bytes() -> Option<u64> {
    memory_stats().map(|stats| stats.physical_mem as u64)
}

/// What is counted anyway, as metrics.
struct Snapshot(Arc<Receiver>);

impl fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot").finish_non_exhaustive()
    }
}

impl Collector for Snapshot {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> fmt::Result {
        let Receiver { pools, connections, admission, .. } = &*self.0;
        let counts = &self.0.counts();
        let encoder = &mut encoder;
        family(encoder, "requests", "Requests by status of the answer", "status", &counts.answers)?;
        family(encoder, "refused", "Refused requests by kind of fault", "kind", &counts.refused)?;
        let help = "What validation found in accepted requests";
        family(encoder, "violations", help, "kind", &counts.violations)?;

        let buffers = pools.buffers.statistics();
        for (name, help, value) in [
            ("received_bytes", "Bytes of accepted bodies, as sent", counts.received_bytes),
            ("decompressed_bytes", "Bytes of the same, decompressed", counts.decompressed_bytes),
            ("series", "Time series, each time they are sent", counts.series),
            ("samples", "Samples", counts.samples),
            ("exemplars", "Exemplars", counts.exemplars),
            ("histograms", "Native histograms", counts.histograms),
            ("metadata", "Metadata entries", counts.metadata),
            ("streams", "Streams of log lines, each time they are sent", counts.streams),
            ("entries", "Log lines", counts.entries),
            ("connections_accepted", "Connections", connections.accepted()),
            ("connections_refused", "Connections over the limit", connections.refused()),
            ("buffers_taken", "Buffers handed out", buffers.taken),
            ("buffers_created", "Buffers handed out that were new", buffers.created),
            ("buffers_returned", "Buffers given back", buffers.returned),
            ("buffers_dropped", "Buffers given back and freed", buffers.dropped),
        ] {
            single(encoder, &format!("borrowire_{name}"), help, &ConstCounter::new(value))?;
        }
        let (storages, storage_bytes) = pools.idle_storages();
        for (name, help, value) in [
            ("connections_open", "Connections that are open", connections.open()),
            ("in_flight", "Requests without an answer yet", self.0.in_flight()),
            ("in_flight_bytes", "Memory held for requests in flight", admission.held_bytes()),
            ("buffers_outstanding", "Buffers with requests", buffers.outstanding()),
            ("buffers_idle", "Buffers that lie idle", buffers.idle as u64),
            ("buffers_idle_bytes", "Memory of idle buffers", buffers.idle_bytes as u64),
            ("storages_idle", "Storages that lie idle", storages as u64),
            ("storages_idle_bytes", "Memory of idle storages", storage_bytes as u64),
        ] {
            single(encoder, &format!("borrowire_{name}"), help, &ConstGauge::new(value))?;
        }
        if let Some(bytes) = resident_bytes() {
            // The name that all exporters give it, so without a prefix of our own.
            let name = "process_resident_memory_bytes";
            single(encoder, name, "Resident memory", &ConstGauge::new(bytes))?;
        }
        Ok(())
    }
}

fn single(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    metric: &impl EncodeMetric,
) -> fmt::Result {
    metric.encode(encoder.encode_descriptor(name, help, None, metric.metric_type())?)
}

/// A counter for each value of a label.
fn family<'c, K: EncodeLabelValue + Copy + 'c>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    label: &str,
    counts: impl IntoIterator<Item = (&'c K, &'c u64)>,
) -> fmt::Result {
    let name = format!("borrowire_{name}");
    let mut metrics = encoder.encode_descriptor(&name, help, None, MetricType::Counter)?;
    for (value, count) in counts {
        let labels = [(label, *value)];
        ConstCounter::new(*count).encode(metrics.encode_family(&labels)?)?;
    }
    Ok(())
}
