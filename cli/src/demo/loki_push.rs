//! Pushes of Loki, protobuf and JSON, through the stages. Each is encoded again as what it was.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use borrowire::loki::json::JsonScratch;
use borrowire::loki::selector::{self, Canonical};
use borrowire::loki::{DecodeOptions, PushRequest, Rules};
use borrowire::reuse::Decoder;
use serde_json::{Value, json};

use super::pipeline::{Message, Meter, Pipeline, Stage, Unmetered, encode};
use super::report::{Contents, Part};
use crate::arguments::RequestKind;
use crate::fixtures::Golden;
use crate::json_form::PushRequestForm;

pub struct LokiPush {
    decoder: Decoder<PushRequest<'static>>,
    /// Labels of pushes that are written as JSON.
    scratch: JsonScratch,
    rules: Rules,
    out: Vec<u8>,
}

impl Default for LokiPush {
    fn default() -> Self {
        Self {
            decoder: Decoder::new().with_options(OPTIONS),
            scratch: JsonScratch::new(),
            rules: Rules::new(),
            out: Vec::new(),
        }
    }
}

/// One of the captured pushes has a name that Loki would refuse.
const OPTIONS: DecodeOptions = DecodeOptions::new().with_quoted_names(true);

impl LokiPush {
    /// Takes a message through the stages, and shows the request, and it encoded again, to `look`.
    fn run<R>(
        &mut self,
        message: Message<'_>,
        meter: &mut impl Meter,
        look: impl FnOnce(&PushRequest<'_>, &[u8]) -> R,
    ) -> Result<R> {
        let Self { decoder, scratch, rules, out } = self;
        let request = meter.measure(Stage::Decode, || {
            if message.is_json {
                decoder.decode_json(message.bytes).context("decode")
            } else {
                decoder.decode(message.bytes).context("decode")
            }
        })?;
        let mut violations = 0_usize;
        meter.measure(Stage::Validate, || request.validate(rules, |_| violations += 1));
        black_box(violations);
        let len = meter.measure(Stage::Encode, || {
            if message.is_json {
                encode(&request.json_encoder(scratch).context("encode")?, out).context("encode")
            } else {
                encode(&*request, out).context("encode")
            }
        })?;
        let seen = look(&request, &out[..len]);
        // Giving the storage back is a part of decoding.
        meter.measure(Stage::Decode, || drop(request));
        Ok(seen)
    }
}

impl Pipeline for LokiPush {
    const KIND: RequestKind = RequestKind::LokiPush;

    fn pass(&mut self, message: Message<'_>, meter: &mut impl Meter) -> Result<()> {
        self.run(message, meter, |_, _| ())
    }

    fn check(&mut self, message: Message<'_>, golden: Option<&Golden>) -> Result<Contents> {
        let rules = self.rules;
        self.run(message, &mut Unmetered, |request, encoded| {
            let contents = count(request, message, &rules);
            if let Some(golden) = golden {
                contents.compare(golden)?;
                if message.is_json {
                    compare_json(encoded, golden)?;
                } else {
                    compare_protobuf(request, encoded, message, golden)?;
                }
            }
            let mut scratch = JsonScratch::new();
            let again = if message.is_json {
                PushRequest::decode_json_with(encoded, &mut scratch, &OPTIONS)
                    .context("encoded again")
            } else {
                PushRequest::decode(encoded).context("encoded again")
            }?;
            ensure!(reads_alike(request, &again), "reads otherwise once encoded again");
            Ok(contents)
        })?
    }
}

fn count(request: &PushRequest<'_>, message: Message<'_>, rules: &Rules) -> Contents {
    // Empty objects are counted as well where JSON was captured.
    let pairs = if message.is_json { "" } else { "structured_metadata" };
    let mut contents = Contents {
        parts: vec![
            Part::new("streams", "streams", request.streams().len()),
            Part::new("entries", "entries", request.entries_len()),
            Part::new("pairs", pairs, request.structured_metadata_len()),
        ],
        ..Contents::default()
    };
    request.validate(rules, |violation| contents.add_violation(violation.kind.as_str()));
    contents
}

fn compare_protobuf(
    request: &PushRequest<'_>,
    encoded: &[u8],
    message: Message<'_>,
    golden: &Golden,
) -> Result<()> {
    let json = serde_json::to_string(&PushRequestForm(request))?;
    ensure!(json == golden.message(), "its counts are right, but not its contents");
    let differs = golden.is_canonical() && encoded != message.bytes;
    ensure!(!differs, "encoded again, it is not the bytes that the client sent");
    Ok(())
}

fn compare_json(encoded: &[u8], golden: &Golden) -> Result<()> {
    // Written is the newer shape, and no empty object.
    let stream = &golden.json()["streams"][0];
    let as_written = stream["stream"].is_object() && stream["values"][0][2] != json!({});
    let written: Value = serde_json::from_slice(encoded)?;
    let differs = as_written && written != *golden.json();
    ensure!(!differs, "its counts are right, but encoded again it is another JSON");
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
