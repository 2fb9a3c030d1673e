//! The text of values, bit for bit what the Collector's library makes of the same bytes, in both versions.
//!
//! A line of `as_string.jsonl` is a name, the value in hexadecimal, and its text by pdata 1.65.0; then that
//! by 1.51.0 where it is another. Text that is not UTF-8 is `null`.

use borrowire::DecodeErrorKind;
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::{AsStringOptions, AsStringScratch, PdataVersion};
use serde_json::Value;

use crate::support::bytes::Bytes;

/// Where we differ on purpose.
///
/// - `invalid-utf8`: strings are text here; a request with others is refused, or the record left out.
/// - `array-twice`, `map-twice`: protobuf merges a message that comes twice; pdata takes the last one.
const REFUSED: [(&str, DecodeErrorKind); 3] = [
    ("map-invalid-utf8", DecodeErrorKind::InvalidUtf8),
    ("string-invalid-utf8", DecodeErrorKind::InvalidUtf8),
    ("array-invalid-utf8", DecodeErrorKind::InvalidUtf8),
];
const MERGED: [(&str, &str); 2] = [("array-twice", "[1,2]"), ("map-twice", r#"{"a":1,"b":2}"#)];

struct Case {
    name: String,
    body: Vec<u8>,
    /// By 1.65.0 and by 1.51.0.
    texts: [Option<String>; 2],
}

fn cases() -> Vec<Case> {
    let cases = include_str!("as_string.jsonl").lines().map(|line| {
        let row: Vec<Value> = serde_json::from_str(line).unwrap();
        let text = |at: usize| row.get(at).unwrap_or(&row[2]).as_str().map(str::to_owned);
        let value = hex(row[1].as_str().unwrap());
        let record = Bytes::new().len(5, value);
        let scope = Bytes::new().len(2, record);
        let resource = Bytes::new().len(2, scope);
        Case {
            name: row[0].as_str().unwrap().to_owned(),
            body: Bytes::new().len(1, resource).build(),
            texts: [text(2), text(3)],
        }
    });
    cases.collect()
}

#[test]
fn texts_are_the_collector_s() {
    let mut scratch = AsStringScratch::new();
    let mut compared = 0;
    for Case { name, body, texts } in cases() {
        let request = match ExportLogsServiceRequest::decode(&body) {
            Ok(request) => request,
            Err(error) => {
                assert!(REFUSED.contains(&(&name[..], error.kind())), "{name}: {error}");
                continue;
            }
        };
        let resource_logs = request.resource_logs().get(0).unwrap();
        let record = resource_logs.scope_logs.get(0).unwrap().log_records.get(0).unwrap();
        let value = record.body.unwrap();
        let merged = MERGED.iter().find(|(merged, _)| *merged == name).map(|(_, text)| *text);
        for (version, text) in [PdataVersion::V1_65, PdataVersion::V1_51].into_iter().zip(texts) {
            let expected = merged.or(text.as_deref()).unwrap();
            let options = AsStringOptions::new().with_version(version);
            assert_eq!(
                value.as_string(&mut scratch, &options),
                Ok(expected),
                "{name}: {version:?}"
            );
            compared += 1;
        }
    }
    assert!(compared >= 200, "{compared} texts");
}

fn hex(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}
