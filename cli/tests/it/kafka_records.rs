//! `borrowire records`: what the writers of Mimir and Loki make of the same bodies.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use tempfile::tempdir;

use crate::support::program::{Outcome, run};

const GOLDEN: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../tests/golden/kafka");

fn records(out: &Path, line: &str, body: &[u8]) -> Outcome {
    let out = out.to_str().unwrap();
    let arguments = ["records"].into_iter().chain(line.split(' ')).chain(["--out", out, "-"]);
    run(&arguments.collect::<Vec<_>>(), body)
}

/// The cases of an index: a body, a limit, the lengths.
fn cases(index: &str) -> Vec<(Value, Vec<u8>)> {
    let index: Value =
        serde_json::from_slice(&fs::read(format!("{GOLDEN}/{index}")).unwrap()).unwrap();
    let cases = index["cases"].as_array().unwrap().iter();
    cases
        .map(|case| {
            let body = format!("{GOLDEN}/{}", case["body"].as_str().unwrap());
            (case.clone(), fs::read(body).unwrap())
        })
        .collect()
}

#[test]
fn lengths_keys_and_headers_are_those_of_mimir() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("values");
    let some = cases("mimir.json").into_iter().filter(|(case, body)| {
        !body.is_empty() && (case["max"] != 1_048_576 || case["name"] == "odd")
    });
    for (case, body) in some.step_by(3) {
        let version = case["version"].as_u64().unwrap();
        let form = if case["form"] == "rw1" { "remote-write-v1" } else { "remote-write-v2" };
        let line = format!(
            "--format mimir-v{version} --max-bytes {} --tenant tenant-1 --message {form}",
            case["max"]
        );
        let outcome = records(&out, &line, &body);
        assert_eq!(outcome.status, 0, "{line}: {}", outcome.errors);
        let said: Value = serde_json::from_str(&outcome.output).unwrap();
        assert_eq!(said["lengths"], case["lengths"], "{line} {}", case["name"]);
        let count = said["lengths"].as_array().unwrap().len();
        assert_eq!(said["keys"], Value::from(vec!["tenant-1"; count]));
        let headers = case.get("headers").cloned().unwrap_or_else(|| json!([]));
        assert_eq!(said["headers"], Value::from(vec![headers; count]));
        let values = fs::metadata(&out).unwrap().len();
        let lengths = case["lengths"].as_array().unwrap().iter();
        assert_eq!(values, lengths.map(|len| len.as_u64().unwrap()).sum::<u64>());
    }
}

#[test]
fn lengths_and_errors_are_those_of_loki() {
    let folder = tempdir().unwrap();
    for (at, (case, stream)) in cases("loki.json").into_iter().enumerate().step_by(2) {
        let out = folder.path().join(at.to_string());
        let mut body = vec![0x0a];
        let mut len = stream.len();
        while len > 0x7f {
            body.push((len & 0x7f) as u8 | 0x80);
            len >>= 7;
        }
        body.push(len as u8);
        body.extend(stream);
        let line =
            format!("--format loki --max-bytes {} --tenant fake --message loki-push", case["max"]);
        let outcome = records(&out, &line, &body);
        if case.get("error").is_some() {
            assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{line}");
            assert!(outcome.errors.contains("stream 0: "), "{}", outcome.errors);
            assert!(!out.exists());
            continue;
        }
        assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{line}");
        let said: Value = serde_json::from_str(&outcome.output).unwrap();
        assert_eq!(said["lengths"], case["lengths"], "{line}");
    }
}

#[test]
fn no_records_are_an_empty_file() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("values");
    let line = "--format mimir-v2 --max-bytes 1000 --tenant t --message remote-write-v1";
    let outcome = records(&out, line, b"");
    let expected = json!({ "lengths": [], "keys": [], "headers": [] });
    assert_eq!(serde_json::from_str::<Value>(&outcome.output).unwrap(), expected);
    assert_eq!(fs::read(&out).unwrap(), b"");
}

#[test]
fn what_does_not_go_together_is_refused() {
    let folder = tempdir().unwrap();
    let out = folder.path().join("values");
    for (format, message) in
        [("mimir-v1", "loki-push"), ("loki", "remote-write-v1"), ("loki", "remote-write-v2")]
    {
        let line = format!("--format {format} --tenant t --message {message}");
        let outcome = records(&out, &line, b"");
        assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{line}");
        assert!(outcome.errors.contains("are made of"), "{}", outcome.errors);
    }
    let line = "--format mimir-v1 --tenant t --message remote-write-v1";
    let outcome = records(&out, line, b"\x80");
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""));
    assert!(!out.exists());
}
