//! Remote write 1.0 through the stages.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use borrowire::remote_write::Rules;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::reuse::Decoder;

use super::pipeline::{Message, Meter, Pipeline, Stage, Unmetered, encode};
use super::report::{Contents, Part};
use crate::arguments::RequestKind;
use crate::fixtures::Golden;
use crate::json_form::WriteRequestForm;

#[derive(Default)]
pub struct RemoteWriteV1 {
    decoder: Decoder<WriteRequest<'static>>,
    out: Vec<u8>,
}

/// All rules that there are.
const RULES: Rules = Rules::strict();

impl RemoteWriteV1 {
    /// Takes a message through the stages, and shows the request, and it encoded again, to `look`.
    fn run<R>(
        &mut self,
        message: Message<'_>,
        meter: &mut impl Meter,
        look: impl FnOnce(&WriteRequest<'_>, &[u8]) -> R,
    ) -> Result<R> {
        let Self { decoder, out } = self;
        let request =
            meter.measure(Stage::Decode, || decoder.decode(message.bytes)).context("decode")?;
        let mut violations = 0_usize;
        meter.measure(Stage::Validate, || request.validate(&RULES, |_| violations += 1));
        black_box(violations);
        let len = meter.measure(Stage::Encode, || encode(&*request, out)).context("encode")?;
        let seen = look(&request, &out[..len]);
        // Giving the storage back is a part of decoding.
        meter.measure(Stage::Decode, || drop(request));
        Ok(seen)
    }
}

impl Pipeline for RemoteWriteV1 {
    const KIND: RequestKind = RequestKind::RemoteWriteV1;

    fn pass(&mut self, message: Message<'_>, meter: &mut impl Meter) -> Result<()> {
        self.run(message, meter, |_, _| ())
    }

    fn check(&mut self, message: Message<'_>, golden: Option<&Golden>) -> Result<Contents> {
        self.run(message, &mut Unmetered, |request, encoded| {
            let contents = count(request);
            let json = serde_json::to_string(&WriteRequestForm(request))?;
            if let Some(golden) = golden {
                contents.compare(golden)?;
                ensure!(json == golden.message(), "its counts are right, but not its contents");
                let differs = golden.is_canonical() && encoded != message.bytes;
                ensure!(!differs, "encoded again, it is not the bytes that the client sent");
            }
            let again = WriteRequest::decode(encoded).context("encoded again")?;
            let again = serde_json::to_string(&WriteRequestForm(&again))?;
            ensure!(again == json, "reads otherwise once encoded again");
            Ok(contents)
        })?
    }
}

fn count(request: &WriteRequest<'_>) -> Contents {
    let mut contents = Contents {
        parts: vec![
            Part::new("series", "timeseries", request.timeseries().len()),
            Part::new("labels", "labels", request.labels_len()),
            Part::new("samples", "samples", request.samples_len()),
            Part::new("exemplars", "exemplars", request.exemplars_len()),
            Part::new("histograms", "histograms", request.histograms_len()),
            Part::new("metadata entries", "metadata", request.metadata().len()),
        ],
        ..Contents::default()
    };
    request.validate(&RULES, |violation| contents.add_violation(violation.kind.as_str()));
    contents
}
