//! The same stages over size: from 100 to 1,000,000 series.

use std::error::Error;
use std::time::Duration;

use crate::measure::measure;
use crate::messages::remote_write_v1_stages;
use crate::peers::remote_write_v1::{Borrowire, ProstString, payload};
use crate::peers::{Content, check};
use crate::report::Report;
use crate::stages::{decode, of_peer};

pub const SIZES: [usize; 5] = [100, 1_000, 10_000, 100_000, 1_000_000];

/// What is drawn: a stage, an implementation, and their name in the picture.
pub const LINES: [(&str, &str, &str); 6] = [
    ("decode_reused", "prost-string", "decode, prost"),
    ("token", "borrowire", "tokens"),
    ("validate", "borrowire", "validate"),
    ("decode_reused", "borrowire", "decode"),
    ("encode", "borrowire", "encode"),
    ("forward1", "borrowire", "forward"),
];

/// Measures requests of remote write 1.0 of every size.
pub fn measure_all(
    budget: Duration,
    print: impl Fn(&Report),
) -> Result<Vec<(usize, Report)>, Box<dyn Error>> {
    let reports = SIZES.into_iter().map(|series| {
        let body = payload::k8s(series);
        let content = Content::of::<ProstString>(&body)?;
        check::<Borrowire, ProstString>(&body, &content)?;
        let mut operations = remote_write_v1_stages(&body)?;
        operations.extend(of_peer::<Borrowire>(&body)?);
        operations.push(decode::<ProstString>("decode_reused", &body));
        operations.retain(|operation| {
            LINES.iter().any(|line| (line.0, line.1) == (operation.stage, operation.implementation))
        });
        let report = Report {
            file: format!("rw1_generated_{series}"),
            message: "remote-write-v1",
            bytes: body.len(),
            content: content.digest,
            measurements: measure(&mut operations, budget),
        };
        print(&report);
        Ok((series, report))
    });
    reports.collect()
}
