//! `borrowire convert`: the file that is written, the losses that are reported, and the status.

use std::fs;
use std::path::PathBuf;

use borrowire::Encode;
use borrowire::body::Encoding;
use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::remote_write::{Label, MetricType, Sample, TimeSeries};
use borrowire_cli::arguments::RequestKind;
use borrowire_cli::fixtures;
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
