//! `borrowire convert`: remote write 1.0 as 2.0, and 2.0 as 1.0.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, Error, Result, bail};
use borrowire::Encode;
use borrowire::convert::remote_write::{Loss, ToV1, ToV2};
use borrowire::loki::PushRequest;
use borrowire::remote_write::{v1, v2};
use clap::{Args, ValueEnum};

use crate::arguments::RequestKind;
use crate::input::Input;
use crate::inspect::describe;

/// Convert a body of remote write to the other version
///
/// What the other version has no place for is reported on standard error, one loss a line. The
/// output is not compressed.
#[derive(Args, Debug)]
pub struct Convert {
    /// What the body holds
    #[arg(long, value_enum)]
    from: Version,

    /// What to write; the version that it is in just encodes it again
    #[arg(long, value_enum)]
    to: Version,

    /// Where to write it
    #[arg(long)]
    out: PathBuf,

    #[command(flatten)]
    input: Input,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Version {
    /// Prometheus remote write 1.0
    RemoteWriteV1,
    /// Prometheus remote write 2.0
    RemoteWriteV2,
}

impl Convert {
    /// Writes the file, and prints what was lost.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or with a file. Nothing is written and no loss printed then.
    pub fn run(self) -> Result<()> {
        let body = self.input.read_body()?;
        let (mut losses, mut message) = (Vec::new(), Vec::new());
        self.convert(&body, &mut message, |loss| losses.push(loss)).map_err(|error| {
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

    fn convert(&self, body: &[u8], out: &mut Vec<u8>, report: impl FnMut(Loss)) -> Result<()> {
        encode_as(self.from.into(), self.to.into(), body, out, report)
    }
}

impl From<Version> for RequestKind {
    fn from(version: Version) -> Self {
        match version {
            Version::RemoteWriteV1 => Self::RemoteWriteV1,
            Version::RemoteWriteV2 => Self::RemoteWriteV2,
        }
    }
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
