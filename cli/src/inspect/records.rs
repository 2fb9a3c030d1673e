//! The records of a file, one a line, up to the first that is damaged or cut short.

use anyhow::{Context, Result, anyhow, bail};
use serde::Serialize;
use serde_json::value::RawValue;

use super::print;
use super::request::decode;
use crate::arguments::RequestKind;
use crate::input::Input;
use crate::records::{Fault, Records};

/// A record as it is printed.
#[derive(Serialize)]
struct Line<'r> {
    timestamp: u64,
    tenant: &'r str,
    r#type: &'r str,
    message: Box<RawValue>,
}

/// Prints the records of a file one by one.
pub fn inspect(input: &Input) -> Result<()> {
    let name = input.name();
    let mut records = Records::new(input.open()?);
    loop {
        match records.advance().with_context(|| name.to_string())? {
            Ok(true) => print(
                &line(&records)
                    .with_context(|| format!("{name}: record at byte {}", records.offset()))?,
            )?,
            Ok(false) => return Ok(()),
            Err(Fault { offset, kind, torn }) => {
                let what = if torn { "cut short" } else { "damaged" };
                bail!("{name}: {what} at byte {offset} ({kind})");
            }
        }
    }
}

/// The current record.
fn line<R: std::io::Read>(records: &Records<R>) -> Result<String> {
    let record = records.record().context("lost")?;
    let key = str::from_utf8(record.key).ok().and_then(|key| key.split_once('/'));
    let (message, tenant) = key.context("no message and tenant")?;
    let kind = RequestKind::from_name(message).ok_or_else(|| anyhow!("unknown message"))?;
    let content = decode(kind.into(), record.value, |request| request.to_json())?;
    let line = Line {
        timestamp: record.timestamp,
        tenant,
        r#type: kind.as_str(),
        message: RawValue::from_string(content)?,
    };
    Ok(serde_json::to_string(&line)? + "\n")
}
