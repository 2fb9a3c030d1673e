//! `borrowire convert`: remote write 1.0 as 2.0, and 2.0 as 1.0; OTLP metrics as either.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Error, Result, bail};
use borrowire::Encode;
use borrowire::convert::otlp_remote_write::{Settings, Translator};
use borrowire::convert::remote_write::{Loss, ToV1, ToV2};
use borrowire::loki::PushRequest;
use borrowire::otlp::json::JsonScratch;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::remote_write::{v1, v2};
use clap::{Args, ValueEnum};

use crate::arguments::RequestKind;
use crate::input::Input;
use crate::inspect::describe;
use crate::settings;

/// Convert a body of remote write to the other version, or one of OTLP metrics to remote write
///
/// What has no place in the output is reported on standard error, one loss a line. The output is
/// not compressed. Without series there is no record of Mimir: the file is empty then.
#[derive(Args, Debug)]
pub struct Convert {
    /// What the body holds
    #[arg(long, value_enum)]
    from: Source,

    /// What to write; the version that it is in just encodes it again
    #[arg(long, value_enum)]
    to: Target,

    /// The body is in OTLP's JSON form
    #[arg(long)]
    json: bool,

    /// How OTLP is translated: a file of JSON with settings by the names that Prometheus and Mimir
    /// have for them; those of Mimir's defaults otherwise
    #[arg(long, value_name = "FILE.json")]
    settings: Option<PathBuf>,

    /// Where to write it
    #[arg(long)]
    out: PathBuf,

    #[command(flatten)]
    input: Input,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Source {
    /// Prometheus remote write 1.0
    RemoteWriteV1,
    /// Prometheus remote write 2.0
    RemoteWriteV2,
    /// OpenTelemetry's metrics
    OtlpMetrics,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Target {
    /// Prometheus remote write 1.0
    RemoteWriteV1,
    /// Prometheus remote write 2.0
    RemoteWriteV2,
    /// A record of version 2 in Mimir's Kafka topics: of OTLP only
    MimirRecordV2,
}

impl Convert {
    /// Writes the file, and prints what was lost.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or with a file. Nothing is written and no loss printed then.
    pub fn run(self) -> Result<()> {
        let settings = match &self.settings {
            None => Settings::mimir(),
            Some(path) => settings::read(path)?,
        };
        let body = self.input.read_body()?;
        let (mut losses, mut message) = (Vec::new(), Vec::new());
        self.convert(&body, settings, &mut message, &mut losses).map_err(|error| {
            let name = self.input.name();
            match self.input.suggestion(&body) {
                None => error.context(name.to_string()),
                Some(suggestion) => Error::msg(format!("{name}: {error}; {suggestion}")),
            }
        })?;
        fs::write(&self.out, message).with_context(|| self.out.display().to_string())?;
        for loss in losses {
            eprintln!("{loss}");
        }
        Ok(())
    }

    fn convert(
        &self,
        body: &[u8],
        settings: Settings,
        out: &mut Vec<u8>,
        losses: &mut Vec<String>,
    ) -> Result<()> {
        let from = match self.from {
            Source::RemoteWriteV1 => RequestKind::RemoteWriteV1,
            Source::RemoteWriteV2 => RequestKind::RemoteWriteV2,
            Source::OtlpMetrics => {
                let mut scratch = JsonScratch::new();
                let request = if self.json {
                    ExportMetricsServiceRequest::decode_json(body, &mut scratch)?
                } else {
                    ExportMetricsServiceRequest::decode(body).map_err(describe)?
                };
                return encode_metrics(&request, settings, self.to, out, losses);
            }
        };
        if self.json {
            bail!("remote write has no JSON form");
        }
        let to = match self.to {
            Target::RemoteWriteV1 => RequestKind::RemoteWriteV1,
            Target::RemoteWriteV2 => RequestKind::RemoteWriteV2,
            Target::MimirRecordV2 => bail!("{} does not become a record of Mimir", from.as_str()),
        };
        encode_as(from, to, body, out, |loss| losses.push(loss.to_string()))
    }
}

/// Appends to `out` what metrics become.
fn encode_metrics(
    request: &ExportMetricsServiceRequest<'_>,
    settings: Settings,
    to: Target,
    out: &mut Vec<u8>,
    losses: &mut Vec<String>,
) -> Result<()> {
    let mut translator = Translator::new(settings);
    let translated = translator.translate(request, |loss| losses.push(loss.to_string()));
    if to == Target::RemoteWriteV1 {
        translated.append_to_vec(out)?;
        return Ok(());
    }
    let old = translated.encode_to_vec()?;
    let old = v1::WriteRequest::decode(&old).map_err(describe)?;
    let (mut to_v2, mut symbolizer, mut options) =
        (ToV2::new(), v2::Symbolizer::new(), v2::EncodeOptions::new());
    if to == Target::MimirRecordV2 {
        if translated.is_empty() {
            return Ok(());
        }
        to_v2 = to_v2.with_format(v2::Format::MimirRecord);
        symbolizer = symbolizer.with_format(v2::Format::MimirRecord);
        options = options.with_extensions(old.extensions()).with_created_timestamps(true);
    }
    let converted = to_v2.convert_with(&old, options, |loss| losses.push(loss.to_string()));
    converted.symbolize(&mut symbolizer)?.append_to_vec(out)?;
    Ok(())
}

/// Appends to `out` what `body` becomes; what is the same kind already is encoded again, with all
/// that is known of it.
///
/// # Errors
///
/// What is wrong with the body, and that there is no such conversion.
pub fn encode_as(
    from: RequestKind,
    to: RequestKind,
    body: &[u8],
    out: &mut Vec<u8>,
    mut report: impl FnMut(Loss),
) -> Result<()> {
    use RequestKind::{LokiPush, RemoteWriteV1, RemoteWriteV2};
    match (from, to) {
        (RemoteWriteV1, RemoteWriteV2) => {
            let request = v1::WriteRequest::decode(body).map_err(describe)?;
            let mut to_v2 = ToV2::new();
            let converted = to_v2.convert(&request, report);
            converted.symbolize(&mut v2::Symbolizer::new())?.append_to_vec(out)?;
        }
        (RemoteWriteV2, RemoteWriteV1) => {
            let request = v2::Request::decode(body).map_err(describe)?;
            ToV1::new().convert(&request, report).append_to_vec(out)?;
        }
        (RemoteWriteV1, RemoteWriteV1) => {
            let request = v1::WriteRequest::decode(body).map_err(describe)?;
            if request.has_unknown_fields() {
                report(Loss::UnknownFields);
            }
            let options = v1::EncodeOptions::new()
                .with_extensions(request.extensions())
                .with_start_timestamps(true);
            request.encoder().with_options(options).append_to_vec(out)?;
        }
        (RemoteWriteV2, RemoteWriteV2) => {
            let request = v2::Request::decode(body).map_err(describe)?;
            if request.has_unknown_fields() {
                report(Loss::UnknownFields);
            }
            let options = v2::EncodeOptions::new()
                .with_extensions(request.extensions())
                .with_created_timestamps(true);
            let mut symbolizer = v2::Symbolizer::new();
            let encoder = symbolizer.symbolize_with(request.timeseries(), &options)?;
            encoder.append_to_vec(out)?;
        }
        (LokiPush, LokiPush) => {
            let push = PushRequest::decode(body).map_err(describe)?;
            if push.has_unknown_fields() {
                report(Loss::UnknownFields);
            }
            push.encoder().append_to_vec(out)?;
        }
        (LokiPush, _) | (_, LokiPush) => {
            bail!("{} does not become {}", from.as_str(), to.as_str())
        }
    }
    Ok(())
}
