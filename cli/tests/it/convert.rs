//! `borrowire convert`: the file that is written, the losses that are reported, and the status.

use std::fs;
use std::path::PathBuf;

use borrowire::Encode;
use borrowire::body::{BodyLimits, BufferPool, Encoding};
use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::remote_write::{Label, MetricType, Sample, TimeSeries};
use borrowire_cli::arguments::RequestKind;
use borrowire_cli::fixtures;
use serde_json::Value;
use tempfile::{TempDir, tempdir};

use crate::support::program::{Outcome, run};
use crate::support::{compress, decompressed, encoding};

const V1: &str = "remote-write-v1";
const V2: &str = "remote-write-v2";

struct Output {
    _folder: TempDir,
    path: PathBuf,
}

impl Output {
    fn new() -> Self {
        let folder = tempdir().unwrap();
        Self { path: folder.path().join("out"), _folder: folder }
    }

    fn convert(&self, from: &str, to: &str, encoding: &str, body: &[u8]) -> Outcome {
        let out = self.path.to_str().unwrap();
        let (from, to) = (["--from", from], ["--to", to]);
        let rest = ["--encoding", encoding, "--out", out, "-"];
        run(&[&["convert"][..], &from, &to, &rest].concat(), body)
    }

    fn read(&self) -> Vec<u8> {
        fs::read(&self.path).expect("the file was written")
    }
}

/// What Mimir makes of OTLP metrics, by settings: see tests/golden/README.md.
fn golden() -> Value {
    let packed = include_bytes!("../../../tests/golden/otlp/metrics.json.zst");
    let text = BufferPool::new().decompress(packed, Encoding::Zstd, &BodyLimits::new());
    serde_json::from_slice(&text.unwrap()).unwrap()
}

fn hex(digits: &Value) -> Vec<u8> {
    let digits = digits.as_str().unwrap();
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// Of these cases the decoder decides otherwise than the Collector's.
fn is_read_alike(case: &Value) -> bool {
    let name = case["name"].as_str().unwrap();
    let wire = name.starts_with("wire-") && name != "wire-deep";
    let others = [
        "label-utf8",
        "data-twice",
        "packed-twice",
        "label-duplicate-many",
        "o11-target-explosion",
    ];
    case["decode_error"] == false && !wire && !others.contains(&name)
}

#[test]
fn metrics_become_what_mimir_makes_of_them() {
    let golden = golden();
    let output = Output::new();
    let settings = output.path.with_extension("json");
    let mut converted = 0;
    let cases = golden["cases"].as_array().unwrap().iter();
    for case in cases.filter(|case| is_read_alike(case)).step_by(9) {
        let body = &golden["bodies"][case["body"].as_str().unwrap()];
        let is_json = case["encoding"] == "json";
        let body = if is_json { body.as_str().unwrap().into() } else { hex(body) };
        let name = case["settings"].as_str().unwrap();
        fs::write(&settings, golden["settings"][name].to_string()).unwrap();
        for (to, expected) in [("remote-write-v1", "rw1"), ("mimir-record-v2", "rw2")] {
            let out = output.path.to_str().unwrap();
            let mut arguments = vec!["convert", "--from", "otlp-metrics", "--to", to, "--out", out];
            if is_json {
                arguments.push("--json");
            }
            // Mimir's defaults are the program's.
            if name != "nosuffix" {
                arguments.extend(["--settings", settings.to_str().unwrap()]);
            }
            arguments.push("-");
            let outcome = run(&arguments, &body);
            assert_eq!((outcome.status, outcome.output.as_str()), (0, ""), "{}", outcome.errors);
            let has_series = case["points"]["series"] != 0;
            if has_series || expected == "rw1" {
                assert!(output.read() == hex(&case[expected]), "{} {name} {to}", case["name"]);
            } else {
                assert_eq!(output.read(), b"");
            }
            converted += 1;
        }
    }
    assert!(converted > 60, "{converted}");
}

#[test]
fn metrics_as_2_0_have_the_series_of_1_0() {
    let golden = golden();
    let output = Output::new();
    let settings = output.path.with_extension("json");
    let (mut losses, mut compared) = (0, 0);
    let cases = golden["cases"].as_array().unwrap().iter();
    let cases = cases.filter(|case| is_read_alike(case) && case["encoding"] == "protobuf");
    for case in cases.step_by(5) {
        let body = hex(&golden["bodies"][case["body"].as_str().unwrap()]);
        let expected = hex(&case["rw1"]);
        let expected = WriteRequest::decode(&expected).unwrap();
        let name = case["settings"].as_str().unwrap();
        fs::write(&settings, golden["settings"][name].to_string()).unwrap();
        let (out, file) = (output.path.to_str().unwrap(), settings.to_str().unwrap());
        let (to, rest) = (["--to", V2], ["--out", out, "--settings", file, "-"]);
        let arguments = [&["convert", "--from", "otlp-metrics"][..], &to, &rest].concat();
        let outcome = run(&arguments, &body);
        assert_eq!(outcome.status, 0, "{}", outcome.errors);
        losses += outcome.errors.lines().count();
        let found = output.read();
        let found = Request::decode(&found).unwrap();
        let has_values = |series: &TimeSeries<'_, '_>| {
            !(series.samples().is_empty() && series.histograms().is_empty())
        };
        let found = found.timeseries().iter().filter(has_values);
        let labels: Vec<_> = found.map(|series| series.labels().to_vec()).collect();
        let wanted = expected.timeseries().iter();
        let wanted: Vec<_> = wanted.map(|series| series.labels().to_vec()).collect();
        assert_eq!(labels, wanted, "{}", case["name"]);
        compared += 1;
    }
    assert!(compared > 60 && losses > 0, "{compared}");
}

#[test]
fn settings_are_read_whole_or_not_at_all() {
    let output = Output::new();
    let settings = output.path.with_extension("json");
    let (out, file) = (output.path.to_str().unwrap(), settings.to_str().unwrap());
    let arguments = ["--from", "otlp-metrics", "--to", V1, "--out", out, "--settings", file, "-"];
    for (text, fault) in [
        (r#"{"translation_strategy":"None"}"#, "no translation strategy has this name"),
        (r#"{"namespaces":"a"}"#, "unknown field `namespaces`"),
        ("", "EOF"),
    ] {
        fs::write(&settings, text).unwrap();
        let outcome = run(&[&["convert"][..], &arguments].concat(), b"");
        assert_eq!((outcome.status, outcome.errors.lines().count()), (1, 1), "{text}");
        assert!(outcome.errors.contains(fault), "{}", outcome.errors);
    }
    fs::write(&settings, "{}").unwrap();
    assert_done(&run(&[&["convert"][..], &arguments].concat(), b""), "");
}

#[track_caller]
fn assert_done(outcome: &Outcome, losses: &str) {
    let found = (outcome.status, outcome.output.as_str(), outcome.errors.as_str());
    assert_eq!(found, (0, "", losses));
}

#[test]
fn each_version_becomes_the_other() {
    let labels = [Label::new("__name__", "ups_total"), Label::new("job", "node")];
    let samples = [Sample::new(1.0, 1_700_000_000_000)];
    let series = TimeSeries::new(&labels).with_samples(&samples);
    let metadata = [MetricMetadata::new(MetricType::COUNTER, "ups_total").with_help("Ups")];
    let old = WriteRequestEncoder::new([series]).with_metadata(metadata);
    let old = old.encode_to_vec().unwrap();

    let output = Output::new();
    let sent = compress(&old, Encoding::Snappy);
    assert_done(&output.convert(V1, V2, "snappy", &sent), "");
    let new = output.read();
    let request = Request::decode(&new).unwrap();
    let read = request.timeseries().get(0).unwrap();
    assert_eq!((read.labels(), read.samples().len()), (&labels[..], 1));
    assert_eq!(read.metadata().unwrap().help, "Ups");

    assert_done(&output.convert(V2, V1, "identity", &new), "");
    assert_eq!(output.read(), old);
}

#[test]
fn captured_requests_come_back() {
    let output = Output::new();
    for fixture in fixtures::load(RequestKind::RemoteWriteV2) {
        let outcome = output.convert(V2, V1, &encoding(&fixture), fixture.body);
        assert_eq!(outcome.status, 0, "{}: {}", fixture.name, outcome.errors);
        let old = output.read();
        let old = WriteRequest::decode(&old).expect("1.0");
        let sent = decompressed(&fixture);
        let sent = Request::decode(&sent).expect("2.0");
        assert_eq!(old.samples_len(), sent.samples_len(), "{}", fixture.name);
        assert_eq!(old.labels_len(), sent.labels_len(), "{}", fixture.name);
    }
}

#[test]
fn the_same_version_is_encoded_again() {
    let output = Output::new();
    for (kind, version) in [(RequestKind::RemoteWriteV1, V1), (RequestKind::RemoteWriteV2, V2)] {
        for fixture in fixtures::load(kind).iter().step_by(5) {
            let outcome = output.convert(version, version, &encoding(fixture), fixture.body);
            assert_done(&outcome, "");
            let (sent, written) = (decompressed(fixture), output.read());
            if kind == RequestKind::RemoteWriteV2 {
                let sent = Request::decode(&sent).unwrap();
                let written = Request::decode(&written).unwrap();
                assert!(sent.timeseries().iter().eq(written.timeseries()), "{}", fixture.name);
            } else {
                assert!(!fixture.golden().is_canonical() || sent == written, "{}", fixture.name);
            }
        }
    }
    // Unknown fields are lost, known ones of Mimir are not: source, and a field 2000 beside it.
    let body = b"\x0a\x04\x0a\x00\x12\x00\xc0\x3e\x01\x82\x7d\x01x";
    let outcome = output.convert(V1, V1, "identity", body);
    assert_done(&outcome, "the request has unknown fields\n");
    let written = output.read();
    let request = WriteRequest::decode(&written).unwrap();
    let sent = WriteRequest::decode(body).unwrap();
    assert_eq!(request.extensions(), sent.extensions());
}

#[test]
fn losses_are_reported_one_a_line() {
    let labels = [Label::new("__name__", "up")];
    let samples = [Sample::new(1.0, 2000).with_start_timestamp(1000)];
    let series = [TimeSeries::new(&labels).with_samples(&samples); 2];
    let body = Symbolizer::new().symbolize(series).unwrap().encode_to_vec().unwrap();
    let output = Output::new();
    let losses = "series 0 has a start timestamp that finds no place\n\
                  series 1 has a start timestamp that finds no place\n";
    assert_done(&output.convert(V2, V1, "identity", &body), losses);
    assert_eq!(WriteRequest::decode(&output.read()).unwrap().samples_len(), 2);

    let metadata = [MetricMetadata::new(MetricType::COUNTER, "ups")];
    let body = WriteRequestEncoder::new([]).with_metadata(metadata).encode_to_vec().unwrap();
    let loss = "metadata 0 is of a family without series\n";
    assert_done(&output.convert(V1, V2, "identity", &body), loss);
}

#[test]
fn what_cannot_be_converted_is_one_line_and_no_file() {
    let output = Output::new();
    let good = compress(b"\x0a\x00", Encoding::Snappy);
    for (from, encoding, body, problem) in [
        (V1, "identity", &b"\x0a\x05up"[..], "truncated value (kind Truncated, field 1, offset 1)"),
        (V2, "identity", b"\x2a\x04\x0a\x02\x00\x07", "symbol reference out of range"),
        (V1, "gzip", b"no gzip", "corrupt data (gzip)"),
        (V1, "snappy", &good[..good.len() - 1], "corrupt data (snappy)"),
    ] {
        let outcome = output.convert(from, V1, encoding, body);
        assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{outcome:?}");
        assert!(outcome.errors.starts_with(&format!("error: -: {problem}")), "{outcome:?}");
        assert_eq!(outcome.errors.lines().count(), 1, "{outcome:?}");
        assert!(!output.path.exists());
    }
    let nowhere = ["convert", "--from", V1, "--to", V2, "--out", "no/such/folder/out", "-"];
    let outcome = run(&nowhere, b"");
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""));
    assert_eq!(outcome.errors.lines().count(), 1, "{outcome:?}");
}

#[test]
fn arguments_that_are_missing_are_status_2() {
    for arguments in [
        &["convert"][..],
        &["convert", "--from", V1, "--to", V2, "-"],
        &["convert", "--from", V1, "--out", "x", "-"],
        &["convert", "--from", V1, "--to", "loki-push", "--out", "x", "-"],
        &["convert", "--from", V1, "--to", V2, "--out", "x"],
    ] {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.status, outcome.output.as_str()), (2, ""), "{arguments:?}");
    }
}
