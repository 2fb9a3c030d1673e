//! Generated requests: the series of 1.0's, as symbols and references.

use std::collections::HashMap;

use borrowire::proto::{prometheus as v1, prometheus_v2 as v2};
use bytes::Bytes;
use prost::Message;

use super::super::remote_write_v1::payload::{self, captured};

/// Captured bodies: wide series, exemplars with native histograms, and a small one.
const CAPTURED: [&str; 3] = ["prom314-rw2-k8s-001", "prom314-rw2-003", "prom314-rw2-agent-005"];

/// All payloads, with a name that tells where they come from.
pub fn all() -> impl Iterator<Item = (String, Bytes)> {
    let generated = [("10k", k8s(10_000)), ("histograms", of_v1(&payload::histograms(500)))];
    generated
        .into_iter()
        .map(|(name, body)| (format!("generated_{name}"), body))
        .chain(CAPTURED.into_iter().map(|name| (format!("captured_{name}"), captured(name))))
}

/// The series that 1.0 has under this name.
pub fn k8s(series: usize) -> Bytes {
    of_v1(&payload::k8s(series))
}

/// Long symbols that differ at their ends, shared by series of many labels: half a megabyte that
/// stands for a hundred times as much, more than may be decoded unless the cap is raised.
pub fn shared_symbols() -> Bytes {
    const LEN: usize = 2048;
    const NAMES: u32 = 64;
    const LABELS: u32 = 8;
    let text = |end: u32| "x".repeat(LEN) + &format!("{end:03}");
    let symbols = [String::new(), "__name__".to_owned()].into_iter();
    let symbols = symbols.chain((0..2 * NAMES).map(text)).collect();
    let timeseries = (0..5_000_u32).map(|at| {
        let pair = |label: u32| {
            // Names in ascending order.
            let name = 2 + label * (NAMES / LABELS) + at % (NAMES / LABELS);
            [name, 2 + NAMES + (at + label) % NAMES]
        };
        v2::TimeSeries {
            labels_refs: [1, 2].into_iter().chain((0..LABELS).flat_map(pair)).collect(),
            samples: vec![v2::Sample {
                value: 1.0,
                timestamp: 1_700_000_000_000,
                start_timestamp: 0,
            }],
            ..v2::TimeSeries::default()
        }
    });
    let timeseries = timeseries.collect();
    v2::Request { symbols, timeseries }.encode_to_vec().into()
}

/// The series of a request of 1.0, with the empty metadata that Prometheus' agent sends.
fn of_v1(body: &Bytes) -> Bytes {
    let request = v1::WriteRequest::decode(body.as_ref()).expect("made by prost");
    let mut table = Table::default();
    let timeseries = request.timeseries.into_iter().map(|series| v2::TimeSeries {
        labels_refs: table.refs(&series.labels),
        samples: series
            .samples
            .into_iter()
            .map(|v1::Sample { value, timestamp }| v2::Sample {
                value,
                timestamp,
                start_timestamp: 0,
            })
            .collect(),
        exemplars: series
            .exemplars
            .into_iter()
            .map(|exemplar| v2::Exemplar {
                labels_refs: table.refs(&exemplar.labels),
                value: exemplar.value,
                timestamp: exemplar.timestamp,
            })
            .collect(),
        // The same fields on the wire.
        histograms: series
            .histograms
            .into_iter()
            .map(|histogram| {
                v2::Histogram::decode(&*histogram.encode_to_vec()).expect("made by prost")
            })
            .collect(),
        metadata: Some(v2::Metadata::default()),
    });
    let timeseries = timeseries.collect();
    v2::Request { symbols: table.symbols, timeseries }.encode_to_vec().into()
}

struct Table {
    symbols: Vec<String>,
    refs: HashMap<String, u32>,
}

impl Default for Table {
    fn default() -> Self {
        Self { symbols: vec![String::new()], refs: HashMap::from([(String::new(), 0)]) }
    }
}

impl Table {
    fn refs(&mut self, labels: &[v1::Label]) -> Vec<u32> {
        labels.iter().flat_map(|label| [self.get(&label.name), self.get(&label.value)]).collect()
    }

    fn get(&mut self, text: &str) -> u32 {
        if let Some(&found) = self.refs.get(text) {
            return found;
        }
        let at = self.symbols.len() as u32;
        self.symbols.push(text.to_owned());
        self.refs.insert(text.to_owned(), at);
        at
    }
}
