//! Pushes of Loki, protobuf and JSON, through all stages. Each is encoded again as what it was.

use std::hint::black_box;

use borrowire::loki::json::JsonScratch;
use borrowire::loki::selector::{self, Canonical};
use borrowire::loki::{PushRequest, PushRequestDecoder};
use borrowire::{DecodeOptions, Limits};
use serde_json::{Value, json};

use super::Body;
use super::encoding::Decompressor;
use super::fixtures::Golden;
use super::json::loki_push::push_request;
use super::pipeline::{Meter, Pipeline, Stage, Unmetered, encode};
use super::report::Report;

pub struct LokiPush {
    decompressor: Decompressor,
    decoder: PushRequestDecoder,
    /// Labels of pushes that are written as JSON.
    scratch: JsonScratch,
    limits: Limits,
    out: Vec<u8>,
}

impl Default for LokiPush {
    fn default() -> Self {
        Self {
            decompressor: Decompressor::default(),
            // One of the captured pushes has a name that Loki would refuse.
            decoder: PushRequestDecoder::new().with_options(options()),
            scratch: JsonScratch::new(),
            limits: Limits::new(),
            out: Vec::new(),
        }
    }
}

fn options() -> DecodeOptions {
    DecodeOptions::new().with_quoted_names(true)
}

/// What a pass ends with, while it lasts.
struct Passed<'p, 'a> {
    /// The body, decompressed.
    message: &'a [u8],
    request: &'p PushRequest<'a>,
    /// The request, encoded again.
    encoded: &'p [u8],
}

/// No push of protobuf begins so.
fn is_json(message: &[u8]) -> bool {
    message.starts_with(b"{")
}

impl LokiPush {
    /// Takes one body through all stages, and shows the result to `look`.
    fn run<R>(
        &mut self,
        body: &Body,
        meter: &mut impl Meter,
        look: impl FnOnce(Passed<'_, '_>) -> R,
    ) -> Result<R, String> {
        let Self { decompressor, decoder, scratch, limits, out } = self;
        let message = meter
            .measure(Stage::Decompress, || decompressor.decompress(body.encoding, &body.bytes))
            .map_err(|e| format!("decompress: {e}"))?;
        let request = meter.measure(Stage::Decode, || {
            if is_json(message) {
                decoder.decode_json(message).map_err(|e| format!("decode: {e}"))
            } else {
                decoder.decode(message).map_err(|e| format!("decode: {e}"))
            }
        })?;
        let mut violations = 0_usize;
        meter.measure(Stage::Validate, || {
            request.validate(limits, |_| violations += 1);
        });
        black_box(violations);
        let len = meter.measure(Stage::Encode, || {
            if is_json(message) {
                let encoder = request.json_encoder(scratch).map_err(|e| format!("encode: {e}"))?;
                encode(&encoder, out).map_err(|e| format!("encode: {e}"))
            } else {
                encode(&*request, out).map_err(|e| format!("encode: {e}"))
            }
        })?;
        let seen = look(Passed { message, request: &request, encoded: &out[..len] });
        // Giving the storage back is a part of decoding.
        meter.measure(Stage::Decode, || drop(request));
        Ok(seen)
    }
}

impl Pipeline for LokiPush {
    const NAME: &'static str = "loki-push";

    fn pass(&mut self, body: &Body, meter: &mut impl Meter) -> Result<(), String> {
        self.run(body, meter, |_| ())
    }

    fn check(&mut self, body: &Body) -> Result<Report, String> {
        let limits = self.limits;
        let look = |passed: Passed<'_, '_>| {
            let report = count(body, &passed, &limits);
            if let Some(golden) = &body.golden {
                compare_with_golden(&report, &passed, golden)?;
            }
            let unread =
                |e: &dyn std::fmt::Display| format!("does not decode once encoded again: {e}");
            let mut scratch = JsonScratch::new();
            let again = if is_json(passed.message) {
                PushRequest::decode_json_with(passed.encoded, &mut scratch, &options())
                    .map_err(|e| unread(&e))
            } else {
                PushRequest::decode(passed.encoded).map_err(|e| unread(&e))
            }?;
            if reads_alike(passed.request, &again) {
                Ok(report)
            } else {
                Err("reads otherwise once encoded again".to_owned())
            }
        };
        self.run(body, &mut Unmetered, look)?
    }
}

fn count(body: &Body, passed: &Passed<'_, '_>, limits: &Limits) -> Report {
    let request = passed.request;
    let mut report = Report::new(body.bytes.len(), passed.message.len());
    report.parts = vec![
        ("streams", request.streams().len()),
        ("entries", request.entries_len()),
        ("pairs", request.structured_metadata_len()),
    ];
    request.validate(limits, |violation| report.add_violation(violation.kind.as_str()));
    report
}

fn compare_with_golden(
    report: &Report,
    passed: &Passed<'_, '_>,
    golden: &Golden,
) -> Result<(), String> {
    if !is_json(passed.message) {
        report.compare_with_golden(golden, &["streams", "entries", "structured_metadata"])?;
        let mut content = String::new();
        push_request(&mut content, passed.request);
        if content != golden.message() {
            return Err("its counts are right, but not its contents".to_owned());
        }
        if golden.is_canonical() && passed.encoded != passed.message {
            return Err("encoded again, it is not the bytes that the client sent".to_owned());
        }
        return Ok(());
    }
    report.compare_with_golden(golden, &["streams", "entries"])?;
    // Written is the newer shape, and no empty object.
    let stream = &golden.json()["streams"][0];
    let as_written = stream["stream"].is_object() && stream["values"][0][2] != json!({});
    let written: Value = serde_json::from_slice(passed.encoded).map_err(|e| e.to_string())?;
    if as_written && written != *golden.json() {
        return Err("its counts are right, but encoded again it is another JSON".to_owned());
    }
    Ok(())
}

/// Whether both have the same streams; label strings count as equal when their labels are.
fn reads_alike(one: &PushRequest<'_>, other: &PushRequest<'_>) -> bool {
    let canonical = |labels: &str| {
        let mut scratch = Vec::new();
        let parsed = selector::parse(labels, &mut scratch);
        parsed.map_or(labels.to_owned(), |labels| Canonical::from(labels).to_string())
    };
    let mut streams = one.streams().into_iter().zip(other.streams());
    one.streams().len() == other.streams().len()
        && streams.all(|(one, other)| {
            canonical(one.labels()) == canonical(other.labels())
                && one.hash() == other.hash()
                && one.entries().iter().eq(other.entries())
        })
}
