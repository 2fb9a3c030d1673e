//! Remote write 1.0 through all stages.

use std::hint::black_box;

use borrowire::remote_write::v1::{Rules, WriteRequest, WriteRequestDecoder};

use super::Body;
use super::encoding::Decompressor;
use super::fixtures::Golden;
use super::json::remote_write_v1::write_request;
use super::pipeline::{Meter, Pipeline, Stage, Unmetered, encode};
use super::report::Report;

#[derive(Default)]
pub struct RemoteWrite {
    decompressor: Decompressor,
    decoder: WriteRequestDecoder,
    rules: Rules,
    out: Vec<u8>,
}

/// What a pass ends with, while it lasts.
struct Passed<'p, 'a> {
    /// The body, decompressed.
    protobuf: &'a [u8],
    request: &'p WriteRequest<'a>,
    /// The request, encoded again.
    encoded: &'p [u8],
}

impl RemoteWrite {
    /// Takes one body through all stages, and shows the result to `look`.
    fn run<R>(
        &mut self,
        body: &Body,
        meter: &mut impl Meter,
        look: impl FnOnce(Passed<'_, '_>) -> R,
    ) -> Result<R, String> {
        let Self { decompressor, decoder, rules, out } = self;
        let protobuf = meter
            .measure(Stage::Decompress, || decompressor.decompress(body.encoding, &body.bytes))
            .map_err(|e| format!("decompress: {e}"))?;
        let request = meter
            .measure(Stage::Decode, || decoder.decode(protobuf))
            .map_err(|e| format!("decode: {e}"))?;
        let mut violations = 0_usize;
        meter.measure(Stage::Validate, || {
            request.validate(rules, |_| violations += 1);
        });
        black_box(violations);
        let len = meter
            .measure(Stage::Encode, || encode(&*request, out))
            .map_err(|e| format!("encode: {e}"))?;
        let seen = look(Passed { protobuf, request: &request, encoded: &out[..len] });
        // Giving the storage back is a part of decoding.
        meter.measure(Stage::Decode, || drop(request));
        Ok(seen)
    }
}

impl Pipeline for RemoteWrite {
    const NAME: &'static str = "remote-write-v1";

    fn pass(&mut self, body: &Body, meter: &mut impl Meter) -> Result<(), String> {
        self.run(body, meter, |_| ())
    }

    fn check(&mut self, body: &Body) -> Result<Report, String> {
        let rules = self.rules;
        let look = |passed: Passed<'_, '_>| {
            let report = count(body, &passed, &rules);
            let content = to_json(passed.request);
            if let Some(golden) = &body.golden {
                compare_with_golden(&report, &content, &passed, golden)?;
            }
            let again = WriteRequest::decode(passed.encoded)
                .map_err(|e| format!("does not decode once encoded again: {e}"))?;
            if to_json(&again) == content {
                Ok(report)
            } else {
                Err("reads otherwise once encoded again".to_owned())
            }
        };
        self.run(body, &mut Unmetered, look)?
    }
}

fn count(body: &Body, passed: &Passed<'_, '_>, rules: &Rules) -> Report {
    let request = passed.request;
    let series = request.timeseries();
    let mut report = Report::new(body.bytes.len(), passed.protobuf.len());
    report.parts = vec![
        ("series", series.len()),
        ("labels", series.iter().map(|series| series.labels().len()).sum()),
        ("samples", request.samples_len()),
        ("exemplars", request.exemplars_len()),
        ("histograms", request.histograms_len()),
        ("metadata entries", request.metadata().len()),
    ];
    request.validate(rules, |violation| report.add_violation(violation.kind.as_str()));
    report
}

fn compare_with_golden(
    report: &Report,
    content: &str,
    passed: &Passed<'_, '_>,
    golden: &Golden,
) -> Result<(), String> {
    let parts = ["timeseries", "labels", "samples", "exemplars", "histograms", "metadata"];
    report.compare_with_golden(golden, &parts)?;
    if content != golden.message() {
        return Err("its counts are right, but not its contents".to_owned());
    }
    if golden.is_canonical() && passed.encoded != passed.protobuf {
        return Err("encoded again, it is not the bytes that the client sent".to_owned());
    }
    Ok(())
}

fn to_json(request: &WriteRequest<'_>) -> String {
    let mut json = String::new();
    write_request(&mut json, request);
    json
}
