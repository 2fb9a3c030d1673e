//! `borrowire records`: a body as the records of Kafka that it becomes.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::{Context, Result, bail};
use borrowire::convert::remote_write::ToV1;
use borrowire::kafka::{LokiWriter, MAX_VALUE_BYTES, MimirVersion, MimirWriter, Records};
use borrowire::loki::PushRequest;
use borrowire::remote_write::{v1, v2};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use crate::arguments::RequestKind;
use crate::input::Input;
use crate::inspect::describe;

/// Write the records of Kafka that a body becomes
///
/// The values are written to a file, one behind the other. Standard output gets their lengths, keys
/// and headers as JSON, a list each: of a header its name, and its value in hexadecimal.
#[derive(Args, Debug)]
pub struct KafkaRecords {
    /// Whose records to make
    #[arg(long, value_enum)]
    format: RecordFormat,

    /// How many bytes a value may have
    #[arg(long, value_name = "N", default_value_t = MAX_VALUE_BYTES)]
    max_bytes: usize,

    /// Whose body it is: the key of the records
    #[arg(long, value_name = "T")]
    tenant: String,

    /// What the body holds
    #[arg(long, value_enum)]
    message: RequestKind,

    /// Copy series of remote write 1.0 as they came, as Mimir's distributors do with those that
    /// they did not change
    #[arg(long)]
    raw: bool,

    /// Where to write the values
    #[arg(long)]
    out: PathBuf,

    #[command(flatten)]
    input: Input,
}

/// Whose records.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RecordFormat {
    /// Mimir's, remote write 1.0 without a header
    MimirV0,
    /// Mimir's, remote write 1.0
    MimirV1,
    /// Mimir's, remote write 2.0
    MimirV2,
    /// Loki's
    Loki,
}

impl RecordFormat {
    fn mimir_version(self) -> Option<MimirVersion> {
        match self {
            Self::MimirV0 => Some(MimirVersion::V0),
            Self::MimirV1 => Some(MimirVersion::V1),
            Self::MimirV2 => Some(MimirVersion::V2),
            Self::Loki => None,
        }
    }
}

impl KafkaRecords {
    /// Writes the file, and prints the rest.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or with a file. Nothing is written or printed then.
    pub fn run(self) -> Result<()> {
        let body = self.input.read_body()?;
        let name = self.input.name().to_string();
        self.make(&body).with_context(|| match self.input.suggestion(&body) {
            None => name.clone(),
            Some(suggestion) => format!("{name} ({suggestion})"),
        })
    }

    fn make(&self, body: &[u8]) -> Result<()> {
        let tenant = &self.tenant[..];
        let mut memory = Vec::new();
        match (self.format.mimir_version(), self.message) {
            (Some(version), RequestKind::RemoteWriteV1) => {
                let request = v1::WriteRequest::decode(body).map_err(describe)?;
                self.write(&self.mimir(version).encode(tenant, &request, &mut memory)?)
            }
            (Some(version), RequestKind::RemoteWriteV2) => {
                let request = v2::Request::decode(body).map_err(describe)?;
                let options = v1::EncodeOptions::new().with_start_timestamps(true);
                let (mut to_v1, mut losses) = (ToV1::new(), Vec::new());
                let converted = to_v1.convert_with(&request, options, |loss| losses.push(loss));
                self.write(&self.mimir(version).encode(tenant, &converted, &mut memory)?)?;
                for loss in losses {
                    eprintln!("{loss}");
                }
                Ok(())
            }
            (None, RequestKind::LokiPush) => {
                let push = PushRequest::decode(body).map_err(describe)?;
                let mut writer = LokiWriter::new().with_max_value_bytes(self.max_bytes);
                self.write(&writer.encode(tenant, push.streams(), &mut memory)?)
            }
            (Some(_), _) => bail!("records of Mimir are made of remote write"),
            (None, _) => bail!("records of Loki are made of Loki's push"),
        }
    }

    fn mimir(&self, version: MimirVersion) -> MimirWriter {
        MimirWriter::new(version).with_max_value_bytes(self.max_bytes).with_raw_records(self.raw)
    }

    fn write(&self, records: &Records<'_>) -> Result<()> {
        fs::write(&self.out, records.values()).with_context(|| self.out.display().to_string())?;
        let headers = records.iter().map(|record| {
            let header =
                |header: &borrowire::kafka::Header<'_>| json!([header.key, hex(header.value)]);
            record.headers.iter().map(header).collect::<Value>()
        });
        let lengths = records.iter().map(|record| record.value.len());
        let described = json!({
            "lengths": lengths.collect::<Value>(),
            "keys": records.iter().map(|_| &*self.tenant).collect::<Value>(),
            "headers": headers.collect::<Value>(),
        });
        writeln!(io::stdout().lock(), "{described}")?;
        Ok(())
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
