//! What was measured of a payload, in two forms: lines for scripts, a table for people.

use serde_json::json;

use crate::measure::Measurement;
use crate::messages::Message;
use crate::peers::Digest;

const STAGES: [&str; 16] = [
    "decode_fresh",
    "decode_reused",
    "decode_owned",
    "iterate",
    "encoded_len",
    "encode",
    "validate",
    "token",
    "forward1",
    "split16",
    "split16_total",
    "relabel",
    "to_remote_write_v1",
    "to_remote_write_v2",
    "decode_json",
    "copy",
];

pub struct Report {
    pub file: String,
    pub message: Message,
    pub bytes: usize,
    pub content: Digest,
    pub measurements: Vec<Measurement>,
}

impl Report {
    pub fn find(&self, stage: &str, implementation: &str) -> Option<&Measurement> {
        let mut all = self.measurements.iter();
        all.find(|other| other.stage == stage && other.implementation == implementation)
    }

    pub fn json_lines(&self) {
        let tenth = |ns: f64| (ns * 10.0).round() / 10.0;
        for measurement in self.in_order() {
            let line = json!({
                "file": self.file,
                "message": self.message.id,
                "bytes": self.bytes,
                "stage": measurement.stage,
                "implementation": measurement.implementation,
                "min_ns": tenth(measurement.min_ns),
                "median_ns": tenth(measurement.median_ns),
                "allocs_per_op": measurement.allocs_per_op,
            });
            println!("{line}");
        }
    }

    pub fn table(&self) {
        println!("{}: {}, {} bytes", self.file, self.message.name, self.bytes);
        println!("{}; read and written alike by all", self.content);
        println!();
        println!(
            "{:<14} {:<15} {:>11} {:>11} {:>9} {:>10} {:>16} {:>9}",
            "stage",
            "implementation",
            "min",
            "median",
            "GB/s",
            "allocs",
            "vs prost-string",
            "vs copy"
        );
        let mut last_stage = STAGES[0];
        for measurement in self.in_order() {
            let &Measurement { stage, implementation, min_ns, median_ns, allocs_per_op } =
                measurement;
            if stage != last_stage {
                println!();
                last_stage = stage;
            }
            let ratio = |ratio: Option<f64>| ratio.map(|ratio| format!("{ratio:.2}x"));
            let prost = self.find(stage, "prost-string").map(|prost| prost.min_ns / min_ns);
            let copy = self.find("copy", "copy").map(|copy| min_ns / copy.min_ns);
            println!(
                "{stage:<14} {implementation:<15} {:>11} {:>11} {:>9.2} {allocs_per_op:>10} {:>16} {:>9}",
                duration(min_ns),
                duration(median_ns),
                self.bytes as f64 / min_ns,
                ratio(prost).unwrap_or_default(),
                ratio(copy).unwrap_or_default(),
            );
        }
        println!();
        println!("vs prost-string: how many times faster, vs copy: how many times slower (minima)");
        println!();
    }

    /// By stages; the implementations of a stage as they were measured.
    fn in_order(&self) -> impl Iterator<Item = &Measurement> {
        let is_listed = |measured: &Measurement| STAGES.contains(&measured.stage);
        assert!(self.measurements.iter().all(is_listed), "a stage without a place");
        let of_stage = |stage| self.measurements.iter().filter(move |found| found.stage == stage);
        STAGES.into_iter().flat_map(of_stage)
    }
}

fn duration(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{ns:.1} ns"),
        ..1e6 => format!("{:.2} us", ns / 1e3),
        _ => format!("{:.3} ms", ns / 1e6),
    }
}
