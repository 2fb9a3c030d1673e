//! Prints what a request body says, as JSON.
//!
//! ```text
//! cargo run --release --example inspect -- --message remote-write-v1 --encoding snappy FILE
//! cargo run --release --example inspect -- --message loki-push --reencode OUT FILE
//! cargo run --release --example inspect -- --records FILE  # that `ingest --shards` wrote
//! ```
//!
//! Made for scripts as well. Good input: one line of JSON on standard output, status 0. Bad input:
//! one line on standard error that names kind, field and offset, nothing on standard output, status
//! 1. Wrong arguments: status 2. The form of the JSON is described in `tests/fixtures/README.md`.
//!
//! Of a file of records each is a line, `{"timestamp":MS,"tenant":NAME,"type":MESSAGE,"message":{...}}`,
//! up to the first that is damaged or cut short, which is an error.

#[path = "../support/encoding.rs"]
pub(crate) mod encoding;
#[path = "../support/json/mod.rs"]
mod json;
#[path = "../support/records.rs"]
mod records;

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use borrowire::loki::PushRequest;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::{DecodeError, Encode};

use encoding::{Decompressor, Encoding, MAX_DECODED};
use records::{Fault, Records};

/// What reads one kind of message: appends its JSON to the string, and encodes it again if that is
/// asked.
type Inspect = fn(&[u8], &mut String, Option<&mut Vec<u8>>) -> Result<(), String>;

/// The messages by name. A new one joins here.
const MESSAGES: &[(&str, Inspect)] = &[
    ("remote-write-v1", remote_write_v1),
    ("remote-write-v2", remote_write_v2),
    ("loki-push", loki_push),
];

fn remote_write_v1(
    body: &[u8],
    json: &mut String,
    reencoded: Option<&mut Vec<u8>>,
) -> Result<(), String> {
    let request = WriteRequest::decode(body).map_err(describe)?;
    json::remote_write_v1::write_request(json, &request);
    if let Some(out) = reencoded {
        request.append_to_vec(out).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Encoded again, it has other symbols: those that are used, in the order of their use.
fn remote_write_v2(
    body: &[u8],
    json: &mut String,
    reencoded: Option<&mut Vec<u8>>,
) -> Result<(), String> {
    let request = Request::decode(body).map_err(describe)?;
    json::remote_write_v2::request(json, &request);
    if let Some(out) = reencoded {
        let mut symbolizer = Symbolizer::new();
        let symbolized = symbolizer.symbolize(request.timeseries()).map_err(|e| e.to_string())?;
        symbolized.append_to_vec(out).map_err(|e| e.to_string())?;
    }
    Ok(())
}

fn loki_push(
    body: &[u8],
    json: &mut String,
    reencoded: Option<&mut Vec<u8>>,
) -> Result<(), String> {
    let request = PushRequest::decode(body).map_err(describe)?;
    json::loki_push::push_request(json, &request);
    if let Some(out) = reencoded {
        request.append_to_vec(out).map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// The error's own words leave out a field that there is not; a script wants the same parts each
/// time.
fn describe(error: DecodeError) -> String {
    format!(
        "{} (kind {:?}, field {}, offset {})",
        error.kind(),
        error.kind(),
        error.field_number(),
        error.offset()
    )
}

fn main() -> ExitCode {
    let arguments = std::env::args_os().skip(1);
    let status =
        run(arguments, &mut io::stdin().lock(), &mut io::stdout().lock(), &mut io::stderr().lock());
    ExitCode::from(status)
}

/// The whole program, apart from the process around it. Returns its status.
pub fn run(
    arguments: impl IntoIterator<Item = OsString>,
    input: &mut dyn Read,
    output: &mut dyn Write,
    errors: &mut dyn Write,
) -> u8 {
    let options = match Options::parse(arguments) {
        Ok(Some(options)) => options,
        // A reader that went away needs no help any more.
        Ok(None) => return output.write_all(usage().as_bytes()).is_err().into(),
        Err(problem) => {
            let _ = write!(errors, "inspect: {problem}\n{}", usage());
            return 2;
        }
    };
    let shown = match options.what {
        What::Message(read) => inspect(&options, read, input).and_then(|line| print(output, &line)),
        What::Records => inspect_records(&options, input, output),
    };
    match shown {
        Ok(()) => 0,
        Err(problem) => {
            let _ = writeln!(errors, "inspect: {problem}");
            1
        }
    }
}

fn print(output: &mut dyn Write, line: &str) -> Result<(), String> {
    let printed = output.write_all(line.as_bytes()).and_then(|()| output.flush());
    printed.map_err(|e| format!("standard output: {e}"))
}

/// Prints the records of a file one by one.
fn inspect_records(
    options: &Options,
    input: &mut dyn Read,
    output: &mut dyn Write,
) -> Result<(), String> {
    let name = options.input.display();
    let mut file;
    let source: &mut dyn Read = if options.input.as_os_str() == "-" {
        input
    } else {
        file = File::open(&options.input).map_err(|e| format!("{name}: {e}"))?;
        &mut file
    };
    let mut records = Records::new(source);
    let mut line = String::new();
    loop {
        match records.advance().map_err(|e| format!("{name}: {e}"))? {
            Ok(true) => {}
            Ok(false) => return Ok(()),
            Err(fault) => {
                let what = if fault.torn { "cut short" } else { "damaged" };
                let Fault { offset, kind, .. } = fault;
                return Err(format!("{name}: {what} at byte {offset} ({kind})"));
            }
        }
        let offset = records.offset();
        let at = |problem: &str| format!("{name}: record at byte {offset}: {problem}");
        let record = records.record().ok_or_else(|| at("lost"))?;
        let key = str::from_utf8(record.key).ok().and_then(|key| key.split_once('/'));
        let (message, tenant) = key.ok_or_else(|| at("no message and tenant"))?;
        let known = MESSAGES.iter().find(|(known, _)| message == *known);
        let (message, read) = known.ok_or_else(|| at("unknown message"))?;
        line.clear();
        line += &format!("{{\"timestamp\":{},\"tenant\":", record.timestamp);
        json::string(&mut line, tenant);
        line += &format!(",\"type\":\"{message}\",\"message\":");
        read(record.value, &mut line, None).map_err(|problem| at(&problem))?;
        line += "}\n";
        print(output, &line)?;
    }
}

/// Does everything that can fail, and returns the line to print.
fn inspect(
    options: &Options,
    read_message: Inspect,
    input: &mut dyn Read,
) -> Result<String, String> {
    let name = options.input.display();
    let body = read(&options.input, input).map_err(|e| format!("{name}: {e}"))?;
    let mut decompressor = Decompressor::default();
    let mut json = String::new();
    let mut reencoded = options.reencode.as_ref().map(|_| Vec::new());
    decompressor
        .decompress(options.encoding, &body)
        .and_then(|body| read_message(body, &mut json, reencoded.as_mut()))
        .map_err(|problem| format!("{name}: {problem}"))?;
    if let (Some(path), Some(message)) = (&options.reencode, reencoded) {
        fs::write(path, message).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    json.push('\n');
    Ok(json)
}

/// Reads a whole body. Standard input may have no end: one byte over what a message can be is
/// enough.
fn read(path: &PathBuf, input: &mut dyn Read) -> io::Result<Vec<u8>> {
    let mut file;
    let source = if path.as_os_str() == "-" {
        input
    } else {
        file = File::open(path)?;
        &mut file
    };
    let mut body = Vec::new();
    let limit = u64::try_from(MAX_DECODED).map_or(u64::MAX, |limit| limit + 1);
    source.take(limit).read_to_end(&mut body)?;
    if body.len() > MAX_DECODED {
        return Err(io::Error::other(format!("more than {MAX_DECODED} bytes")));
    }
    Ok(body)
}

/// What the input is.
#[derive(Clone, Copy)]
enum What {
    Message(Inspect),
    Records,
}

struct Options {
    what: What,
    encoding: Encoding,
    reencode: Option<PathBuf>,
    /// A file, or `-` for standard input.
    input: PathBuf,
}

impl Options {
    /// `None` when only help is wanted.
    fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Option<Self>, String> {
        let mut arguments = arguments.into_iter();
        let (mut read, mut encoding, mut reencode, mut input) = (None, None, None, None);
        let mut records = false;
        while let Some(argument) = arguments.next() {
            let mut value =
                || arguments.next().ok_or(format!("{} wants a value", argument.display()));
            match argument.to_str() {
                Some("--help" | "-h") => return Ok(None),
                Some("--message") => read = Some(message(&value()?)?),
                Some("--records") => records = true,
                Some("--encoding") => encoding = Some(content_encoding(&value()?)?),
                Some("--reencode") => reencode = Some(PathBuf::from(value()?)),
                Some(unknown) if unknown.starts_with('-') && unknown != "-" => {
                    return Err(format!("unknown option {unknown}"));
                }
                _ if input.is_some() => return Err("more than one FILE".to_owned()),
                _ => input = Some(PathBuf::from(argument)),
            }
        }
        let what = match (read, records) {
            (Some(read), false) => What::Message(read),
            (None, true) if encoding.is_none() && reencode.is_none() => What::Records,
            (_, true) => return Err("--records goes with no other option".to_owned()),
            (None, false) => return Err("--message is missing".to_owned()),
        };
        Ok(Some(Self {
            what,
            encoding: encoding.unwrap_or(Encoding::Identity),
            reencode,
            input: input.ok_or("FILE is missing")?,
        }))
    }
}

fn message(name: &OsString) -> Result<Inspect, String> {
    let known = MESSAGES.iter().find(|(known, _)| name == known);
    known.map_or_else(
        || Err(format!("unknown message {}", name.display())),
        |&(_, inspect)| Ok(inspect),
    )
}

fn content_encoding(name: &OsString) -> Result<Encoding, String> {
    name.to_str()
        .and_then(Encoding::from_name)
        .ok_or_else(|| format!("unknown encoding {}", name.display()))
}

fn usage() -> String {
    let messages: Vec<&str> = MESSAGES.iter().map(|(name, _)| *name).collect();
    let encodings = Encoding::ALL.map(Encoding::name);
    format!(
        "usage: inspect --message {} [--encoding {}] [--reencode OUT] FILE|-\n       \
         inspect --records FILE|-\n",
        messages.join("|"),
        encodings.join("|"),
    )
}
