//! Remote write 2.0 through the stages. To encode is to make symbols of all texts anew.

use std::hint::black_box;

use anyhow::{Context, Result, ensure};
use borrowire::remote_write::Rules;
use borrowire::remote_write::v2::{Request, Symbolizer, Validator};
use borrowire::reuse::Decoder;

use super::pipeline::{Message, Meter, Pipeline, Stage, Unmetered, encode};
use super::report::{Contents, Part};
use crate::arguments::RequestKind;
use crate::fixtures::Golden;
use crate::json_form::RequestForm;

pub struct RemoteWriteV2 {
    decoder: Decoder<Request<'static>>,
    validator: Validator,
    symbolizer: Symbolizer,
    out: Vec<u8>,
}

impl Default for RemoteWriteV2 {
    fn default() -> Self {
        Self {
            decoder: Decoder::new(),
            // All rules that there are.
            validator: Validator::new(Rules::strict()),
            symbolizer: Symbolizer::new(),
            out: Vec::new(),
        }
    }
}

impl RemoteWriteV2 {
    /// Takes a message through the stages, and shows the request, and it encoded again, to `look`.
    fn run<R>(
        &mut self,
        message: Message<'_>,
        meter: &mut impl Meter,
        look: impl FnOnce(&Request<'_>, &[u8]) -> R,
    ) -> Result<R> {
        let Self { decoder, validator, symbolizer, out } = self;
        let request =
            meter.measure(Stage::Decode, || decoder.decode(message.bytes)).context("decode")?;
        let mut violations = 0_usize;
        meter.measure(Stage::Validate, || validator.validate(&request, |_| violations += 1));
        black_box(violations);
        let len = meter.measure(Stage::Encode, || {
            let encoder = request.encoder(symbolizer).context("encode")?;
            encode(&encoder, out).context("encode")
        })?;
        let seen = look(&request, &out[..len]);
        // Giving the storage back is a part of decoding.
        meter.measure(Stage::Decode, || drop(request));
        Ok(seen)
    }
}

impl Pipeline for RemoteWriteV2 {
    const KIND: RequestKind = RequestKind::RemoteWriteV2;

    fn pass(&mut self, message: Message<'_>, meter: &mut impl Meter) -> Result<()> {
        self.run(message, meter, |_, _| ())
    }

    fn check(&mut self, message: Message<'_>, golden: Option<&Golden>) -> Result<Contents> {
        self.run(message, &mut Unmetered, |request, encoded| {
            let contents = count(request);
            if let Some(golden) = golden {
                contents.compare(golden)?;
                let json = serde_json::to_string(&RequestForm(request))?;
                ensure!(json == golden.message(), "its counts are right, but not its contents");
            }
            let again = Request::decode(encoded).context("encoded again")?;
            let alike = again.timeseries().iter().eq(request.timeseries());
            ensure!(alike, "reads otherwise once encoded again");
            Ok(contents)
        })?
    }
}

fn count(request: &Request<'_>) -> Contents {
    let series = request.timeseries();
    let with_metadata = series.iter().filter(|series| series.metadata().is_some()).count();
    let mut contents = Contents {
        parts: vec![
            Part::new("series", "timeseries", series.len()),
            Part::new("symbols", "symbols", request.symbols().len()),
            Part::new("samples", "samples", request.samples_len()),
            Part::new("exemplars", "exemplars", request.exemplars_len()),
            Part::new("histograms", "histograms", request.histograms_len()),
            Part::new("series with metadata", "with_metadata", with_metadata),
        ],
        ..Contents::default()
    };
    request.validate(&Rules::strict(), |violation| contents.add_violation(violation.kind.as_str()));
    contents
}
