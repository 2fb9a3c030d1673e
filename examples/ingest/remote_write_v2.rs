//! Remote write 2.0 through all stages. To encode is to make symbols of all texts anew.

use std::hint::black_box;

use borrowire::remote_write::v2::{Request, RequestDecoder, Symbolizer, Validator};

use super::Body;
use super::encoding::Decompressor;
use super::fixtures::Golden;
use super::json;
use super::pipeline::{Meter, Pipeline, Stage, Unmetered, encode};
use super::report::Report;

#[derive(Default)]
pub struct RemoteWriteV2 {
    decompressor: Decompressor,
    decoder: RequestDecoder,
    validator: Validator,
    symbolizer: Symbolizer,
    out: Vec<u8>,
}

/// What a pass ends with, while it lasts.
struct Passed<'p, 'a> {
    /// The body, decompressed.
    protobuf: &'a [u8],
    request: &'p Request<'a>,
    /// The series, encoded again.
    encoded: &'p [u8],
}

impl RemoteWriteV2 {
    /// Takes one body through all stages, and shows the result to `look`.
    fn run<R>(
        &mut self,
        body: &Body,
        meter: &mut impl Meter,
        look: impl FnOnce(Passed<'_, '_>) -> R,
    ) -> Result<R, String> {
        let Self { decompressor, decoder, validator, symbolizer, out } = self;
        let protobuf = meter
            .measure(Stage::Decompress, || decompressor.decompress(body.encoding, &body.bytes))
            .map_err(|e| format!("decompress: {e}"))?;
        let request = meter
            .measure(Stage::Decode, || decoder.decode(protobuf))
            .map_err(|e| format!("decode: {e}"))?;
        let mut violations = 0_usize;
        meter.measure(Stage::Validate, || {
            validator.validate(&request, |_| violations += 1);
        });
        black_box(violations);
        let len = meter.measure(Stage::Encode, || {
            let symbolized = symbolizer.symbolize(request.timeseries());
            let symbolized = symbolized.map_err(|e| format!("encode: {e}"))?;
            encode(&symbolized, out).map_err(|e| format!("encode: {e}"))
        })?;
        let seen = look(Passed { protobuf, request: &request, encoded: &out[..len] });
        // Giving the storage back is a part of decoding.
        meter.measure(Stage::Decode, || drop(request));
        Ok(seen)
    }
}

impl Pipeline for RemoteWriteV2 {
    const NAME: &'static str = "remote-write-v2";

    fn pass(&mut self, body: &Body, meter: &mut impl Meter) -> Result<(), String> {
        self.run(body, meter, |_| ())
    }

    fn check(&mut self, body: &Body) -> Result<Report, String> {
        let look = |passed: Passed<'_, '_>| {
            let report = count(body, &passed);
            if let Some(golden) = &body.golden {
                compare_with_golden(&report, passed.request, golden)?;
            }
            let again = Request::decode(passed.encoded)
                .map_err(|e| format!("does not decode once encoded again: {e}"))?;
            if again.timeseries().iter().eq(passed.request.timeseries()) {
                Ok(report)
            } else {
                Err("reads otherwise once encoded again".to_owned())
            }
        };
        self.run(body, &mut Unmetered, look)?
    }
}

fn count(body: &Body, passed: &Passed<'_, '_>) -> Report {
    let request = passed.request;
    let series = request.timeseries();
    let mut report = Report::new(body.bytes.len(), passed.protobuf.len());
    report.parts = vec![
        ("series", series.len()),
        ("symbols", request.symbols().len()),
        ("samples", request.samples_len()),
        ("exemplars", request.exemplars_len()),
        ("histograms", request.histograms_len()),
        ("series with metadata", series.iter().filter(|s| s.metadata().is_some()).count()),
    ];
    Validator::default().validate(request, |violation| report.add_violation(violation.as_str()));
    report
}

fn compare_with_golden(
    report: &Report,
    request: &Request<'_>,
    golden: &Golden,
) -> Result<(), String> {
    let parts = ["timeseries", "symbols", "samples", "exemplars", "histograms", "with_metadata"];
    report.compare_with_golden(golden, &parts)?;
    let mut content = String::new();
    json::remote_write_v2::request(&mut content, request);
    if content != golden.message() {
        return Err("its counts are right, but not its contents".to_owned());
    }
    Ok(())
}
