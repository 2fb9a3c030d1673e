//! The two forms of the result: lines for scripts, a table for people.

use serde_json::json;

use crate::measure::Measurement;
use crate::peers::Digest;

const STAGES: [&str; 10] = [
    "decode_fresh",
    "decode_reused",
    "decode_owned",
    "iterate",
    "encoded_len",
    "encode",
    "token",
    "split16",
    "split16_total",
    "copy",
];

/// What was measured.
pub struct Subject<'a> {
    pub file: &'a str,
    pub message: &'static str,
    pub bytes: usize,
    pub content: Digest,
}

pub fn json_lines(subject: &Subject<'_>, measurements: &[Measurement]) {
    let tenth = |ns: f64| (ns * 10.0).round() / 10.0;
    for measurement in in_order(measurements) {
        let line = json!({
            "file": subject.file,
            "message": subject.message,
            "bytes": subject.bytes,
            "stage": measurement.stage,
            "implementation": measurement.implementation,
            "min_ns": tenth(measurement.min_ns),
            "median_ns": tenth(measurement.median_ns),
            "allocs_per_op": measurement.allocs_per_op,
        });
        println!("{line}");
    }
}

pub fn table(subject: &Subject<'_>, measurements: &[Measurement]) {
    println!("{}: {}, {} bytes", subject.file, subject.message, subject.bytes);
    println!("{}; read and written alike by all", subject.content);
    println!();
    println!(
        "{:<14} {:<15} {:>11} {:>11} {:>9} {:>10} {:>16} {:>9}",
        "stage", "implementation", "min", "median", "GB/s", "allocs", "vs prost-string", "vs copy"
    );
    let median_of = |stage: &str, implementation: &str| {
        let mut all = measurements.iter();
        let found =
            all.find(|other| other.stage == stage && other.implementation == implementation);
        found.map(|found| found.median_ns)
    };
    let mut last_stage = STAGES[0];
    for measurement in in_order(measurements) {
        let Measurement { stage, implementation, min_ns, median_ns, allocs_per_op } = measurement;
        if *stage != last_stage {
            println!();
            last_stage = stage;
        }
        let ratio =
            |ratio: Option<f64>| ratio.map_or(String::new(), |ratio| format!("{ratio:.2}x"));
        println!(
            "{stage:<14} {implementation:<15} {:>11} {:>11} {:>9.2} {:>10} {:>16} {:>9}",
            duration(*min_ns),
            duration(*median_ns),
            subject.bytes as f64 / median_ns,
            allocs_per_op,
            ratio(median_of(stage, "prost-string").map(|prost| prost / median_ns)),
            ratio(median_of("copy", "copy").map(|copy| median_ns / copy)),
        );
    }
    println!();
    println!("vs prost-string: how many times faster, vs copy: how many times slower (medians)");
    println!();
}

fn in_order(measurements: &[Measurement]) -> impl Iterator<Item = &Measurement> {
    let of_stage =
        |stage| measurements.iter().filter(move |measurement| measurement.stage == stage);
    STAGES.into_iter().flat_map(of_stage)
}

fn duration(ns: f64) -> String {
    match ns {
        ..1e3 => format!("{ns:.1} ns"),
        ..1e6 => format!("{:.2} us", ns / 1e3),
        _ => format!("{:.3} ms", ns / 1e6),
    }
}
