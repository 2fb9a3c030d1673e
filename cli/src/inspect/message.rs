//! One body: its content or its faults.

use std::fs;

use anyhow::{Context, Error, Result};

use super::Inspect;
use super::request::{Inspected, decode, decode_json};
use crate::arguments::MessageKind;

/// Does everything that can fail, and returns the lines to print.
pub fn inspect(options: &Inspect, kind: MessageKind) -> Result<String> {
    let body = options.input.read_body()?;
    let look = |request: &dyn Inspected| look(options, request);
    let looked =
        if options.json { decode_json(kind, &body, look) } else { decode(kind, &body, look) };
    let (lines, encoded) = looked.map_err(|error| explain(options, kind, &body, error))?;
    if let (Some(path), Some(encoded)) = (&options.reencode, encoded) {
        fs::write(path, encoded).with_context(|| path.display().to_string())?;
    }
    Ok(lines)
}

/// The lines to print, and the request encoded again if that is asked for.
fn look(options: &Inspect, request: &dyn Inspected) -> Result<(String, Option<Vec<u8>>)> {
    let lines = if options.validate { request.violations() } else { request.to_json()? + "\n" };
    let encoded = options.reencode.as_ref().map(|_| request.encode()).transpose()?;
    Ok((lines, encoded))
}

/// The error with the file's name, and perhaps with what to try.
fn explain(options: &Inspect, kind: MessageKind, body: &[u8], error: Error) -> Error {
    let may_be_json = kind.has_json() && !options.json && body.starts_with(b"{");
    let suggestion = if may_be_json {
        Some("is it JSON? try --json".to_owned())
    } else {
        options.input.suggestion(body)
    };
    let name = options.input.name();
    match suggestion {
        None => error.context(name.to_string()),
        Some(suggestion) => Error::msg(format!("{name}: {error}; {suggestion}")),
    }
}
