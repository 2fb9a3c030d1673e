//! The contract of `examples/inspect`: what goes to which stream, and the exit status.

#[allow(dead_code, reason = "`main` only passes the process on to `run`, which is called here")]
#[path = "../examples/inspect/main.rs"]
mod inspect;

#[path = "../examples/support/fixtures.rs"]
mod fixtures;

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use borrowire::Encode;
use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::Request;
use flate2::Compression;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};

use fixtures::Fixture;
use inspect::encoding::{self, Decompressor, Encoding};

const MESSAGE: [&str; 2] = ["--message", "remote-write-v1"];

/// What the program did.
#[derive(Debug, PartialEq)]
struct Outcome {
    status: u8,
    output: String,
    errors: String,
}

fn run(arguments: &[&str], input: &[u8]) -> Outcome {
    let (mut output, mut errors) = (Vec::new(), Vec::new());
    let arguments = arguments.iter().map(OsString::from);
    let status = inspect::run(arguments, &mut &input[..], &mut output, &mut errors);
    Outcome {
        status,
        output: String::from_utf8(output).expect("JSON is UTF-8"),
        errors: String::from_utf8(errors).expect("errors are UTF-8"),
    }
}

/// Runs with the body on standard input.
fn run_on(encoding: &str, body: &[u8]) -> Outcome {
    run(&[MESSAGE[0], MESSAGE[1], "--encoding", encoding, "-"], body)
}

#[track_caller]
fn assert_refused(outcome: &Outcome, problem: &str) {
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{outcome:?}");
    assert_eq!(outcome.errors, format!("inspect: {problem}\n"));
}

fn fixture(name: &str) -> Fixture {
    let mut all =
        ["remote-write-v1", "remote-write-v2", "loki"].into_iter().flat_map(fixtures::load);
    all.find(|f| f.name == name).unwrap_or_else(|| panic!("no fixture {name}"))
}

fn path(fixture: &Fixture) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    root.join(&fixture.set).join(&fixture.name).with_extension("body")
}

fn decompressed(fixture: &Fixture) -> Vec<u8> {
    let mut decompressor = Decompressor::default();
    decompressor.decompress(fixture.encoding, &fixture.body).expect("a good body").to_vec()
}

fn compressed(encoder: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut body = Vec::new();
    encoder(&mut body);
    body
}

#[test]
fn captured_files_print_their_golden_contents() {
    for name in [
        "fluentbit-rw1-gzip-001",
        "fluentbit-rw1-identity-001",
        "npm-prometheus-remote-write-002",
        "otelpy-rw1-001",
        "prom242-rw1-003",
        "prom314-rw1-004",
        "vmagent1150-zstd-002",
    ] {
        let fixture = fixture(name);
        let path = path(&fixture);
        let file = path.to_str().expect("a plain path");
        let encoding = fixture.encoding.name();
        let outcome = run(&[file, "--encoding", encoding, MESSAGE[0], MESSAGE[1]], b"");
        assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{name}");
        assert!(outcome.output == format!("{}\n", fixture.golden().message()), "{name}");
    }
}

#[test]
fn captured_pushes_print_their_golden_contents() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inspect-push.bin");
    let out_name = out.to_str().expect("a plain path");
    for name in ["loki-canary-001", "promtail363-badutf8-001", "tracing-loki-001"] {
        let fixture = fixture(name);
        let encoding = ["--encoding", fixture.encoding.name()];
        let arguments = ["--message", "loki-push", "--reencode", out_name, "-"];
        let outcome = run(&[&encoding[..], &arguments].concat(), &fixture.body);
        assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{name}");
        assert!(outcome.output == format!("{}\n", fixture.golden().message()), "{name}");
        let written = fs::read(&out).expect("the file was written");
        assert!(written == decompressed(&fixture), "{name}: its bytes are in number order");
    }
    let label = b"\x0a\x03\x0a\x01\xff"; // a line may hold any byte, a label may not
    let outcome = run(&["--message", "loki-push", "-"], label);
    assert_refused(&outcome, "-: invalid UTF-8 (kind InvalidUtf8, field 1, offset 4)");
}

#[test]
fn captured_requests_of_remote_write_v2_print_their_golden_contents() {
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inspect-v2.bin");
    let out_name = out.to_str().expect("a plain path");
    for name in ["prom314-rw2-001", "prom314-rw2-005", "prom314-rw2-agent-005"] {
        let fixture = fixture(name);
        let encoding = ["--encoding", fixture.encoding.name()];
        let arguments = ["--message", "remote-write-v2", "--reencode", out_name, "-"];
        let outcome = run(&[&encoding[..], &arguments].concat(), &fixture.body);
        assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{name}");
        assert!(outcome.output == format!("{}\n", fixture.golden().message()), "{name}");
        // Other symbols, the same series.
        let (sent, written) = (decompressed(&fixture), fs::read(&out).expect("it was written"));
        let sent = Request::decode(&sent).expect(name);
        let written = Request::decode(&written).expect(name);
        assert!(sent.timeseries().iter().eq(written.timeseries()), "{name}");
    }
    let outcome = run(&["--message", "remote-write-v2", "-"], b"\x22\x00\x2a\x04\x0a\x02\x00\x07");
    assert_refused(
        &outcome,
        "-: symbol reference out of range (kind RefOutOfRange, field 1, offset 7)",
    );
}

#[test]
fn every_encoding_reads_the_same() {
    let raw = decompressed(&fixture("prom314-rw1-004"));
    let expected = run(&[MESSAGE[0], MESSAGE[1], "-"], &raw);
    assert_eq!((expected.status, expected.errors.as_str()), (0, ""));

    let (first, second) = raw.split_at(raw.len() / 2);
    let level = Compression::default();
    let gzip = |part: &[u8], out: &mut Vec<u8>| GzEncoder::new(out, level).write_all(part).unwrap();
    let zstd = |part: &[u8]| zstd::bulk::compress(part, 3).expect("compresses");
    let bodies = [
        ("identity", raw.clone()),
        ("snappy", snap::raw::Encoder::new().compress_vec(&raw).expect("compresses")),
        ("gzip", compressed(|out| gzip(&raw, out))),
        (
            "gzip",
            compressed(|out| {
                gzip(first, out);
                gzip(second, out);
            }),
        ),
        ("zstd", zstd(&raw)),
        ("zstd", [zstd(first), zstd(second)].concat()),
        ("deflate", compressed(|out| ZlibEncoder::new(out, level).write_all(&raw).unwrap())),
        ("deflate", compressed(|out| DeflateEncoder::new(out, level).write_all(&raw).unwrap())),
    ];
    for (encoding, body) in &bodies {
        assert!(run_on(encoding, body) == expected, "{encoding}");
    }
    // Every one of them is framed: neither a missing end nor bytes behind it go unnoticed.
    for (encoding, body) in &bodies[1..] {
        let cut = run_on(encoding, &body[..body.len() - 1]);
        let longer = run_on(encoding, &[body.as_slice(), b"\0"].concat());
        for outcome in [cut, longer, run_on(encoding, b"")] {
            assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{encoding}");
            assert_eq!(outcome.errors.lines().count(), 1, "{encoding}: {}", outcome.errors);
            let start = format!("inspect: -: {encoding}: ");
            assert!(outcome.errors.starts_with(&start), "{}", outcome.errors);
        }
    }
}

#[test]
fn nothing_is_allocated_for_a_promise() {
    // A snappy block that declares 4 GiB - 1, and one just below protobuf's limit.
    assert_refused(
        &run_on("snappy", b"\xff\xff\xff\xff\x0f\0"),
        "-: snappy: 6 bytes cannot hold the declared 4294967295",
    );
    assert_refused(
        &run_on("snappy", b"\xff\xff\xff\xff\x07\0"),
        "-: snappy: 6 bytes cannot hold the declared 2147483647",
    );
}

#[test]
fn bad_messages_say_what_and_where() {
    // A label that promises five bytes and has two; it lies in field 1 of a series, behind four
    // bytes.
    assert_refused(
        &run_on("identity", b"\x0a\x06\x0a\x04\x0a\x05up"),
        "-: truncated value (kind Truncated, field 1, offset 5)",
    );
    assert_refused(
        &run_on("identity", b"\x00"),
        "-: invalid tag (kind InvalidTag, field 0, offset 0)",
    );
}

#[test]
fn files_that_are_not_there_are_one_line() {
    let outcome = run(&[MESSAGE[0], MESSAGE[1], "no/such/file"], b"");
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""));
    assert_eq!(outcome.errors.lines().count(), 1);
    assert!(outcome.errors.starts_with("inspect: no/such/file: "), "{}", outcome.errors);
}

#[test]
fn reencode_writes_the_message_without_compression() {
    let fixture = fixture("k6-rw1-001");
    let out = Path::new(env!("CARGO_TARGET_TMPDIR")).join("inspect-reencoded.bin");
    let out_name = out.to_str().expect("a plain path");
    let arguments = [MESSAGE[0], MESSAGE[1], "--encoding", "snappy", "--reencode", out_name, "-"];
    let outcome = run(&arguments, &fixture.body);
    assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""));
    assert!(outcome.output == format!("{}\n", fixture.golden().message()));
    let written = fs::read(&out).expect("the file was written");
    assert!(WriteRequest::decode(&written).is_ok());
    assert!(written == decompressed(&fixture), "this client's bytes are in number order");

    // Where the message cannot be written, nothing is printed either.
    let nowhere = [MESSAGE[0], MESSAGE[1], "--reencode", "no/such/folder/out.bin", "-"];
    let outcome = run(&nowhere, b"");
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""));
    assert_eq!(outcome.errors.lines().count(), 1);
}

#[test]
fn an_empty_message_is_an_empty_object() {
    assert_eq!(run_on("identity", b"").output, "{}\n");
}

#[test]
fn records_are_a_line_each_up_to_what_is_damaged() {
    let frame = |key: &[u8], value: &[u8]| {
        Frame::new(CacheEntry::new(7, 0, key, value)).encode_to_vec().unwrap()
    };
    let mut file = frame(b"remote-write-v1/a\"b", b"\x0a\x00");
    file.extend(frame(b"remote-write-v2/t/u", b"\x22\x00\x2a\x00"));
    let lines = "\
        {\"timestamp\":7,\"tenant\":\"a\\\"b\",\"type\":\"remote-write-v1\",\
         \"message\":{\"timeseries\":[{}]}}\n\
        {\"timestamp\":7,\"tenant\":\"t/u\",\"type\":\"remote-write-v2\",\
         \"message\":{\"symbols\":[\"\"],\"timeseries\":[{}]}}\n";
    let outcome = run(&["--records", "-"], &file);
    assert_eq!((outcome.status, outcome.output.as_str()), (0, lines), "{}", outcome.errors);

    // What comes before is shown all the same.
    let end = file.len();
    for (tail, problem) in [
        (&frame(b"loki-push/t", b"")[..40], format!("cut short at byte {end} (truncated frame)")),
        (b"\x02\0\0\0\0\0\0\0", format!("damaged at byte {end} (unknown version)")),
        (&frame(b"remote-write-v9/t", b""), format!("record at byte {end}: unknown message")),
        (&frame(b"loki-push", b""), format!("record at byte {end}: no message and tenant")),
    ] {
        let outcome = run(&["--records", "-"], &[&file[..], tail].concat());
        assert_eq!((outcome.status, outcome.output.as_str()), (1, lines));
        assert_eq!(outcome.errors, format!("inspect: -: {problem}\n"));
    }
}

#[test]
fn wrong_arguments_show_the_usage() {
    for (arguments, problem) in [
        (&[][..], "--message is missing"),
        (&["body"], "--message is missing"),
        (&["--message"], "--message wants a value"),
        (&["--message", "loki", "-"], "unknown message loki"),
        (&["--message", "remote-write-v1"], "FILE is missing"),
        (&["--message", "remote-write-v1", "-", "-"], "more than one FILE"),
        (&["--message", "remote-write-v1", "--encoding", "br", "-"], "unknown encoding br"),
        (&["--message", "remote-write-v1", "--color", "-"], "unknown option --color"),
        (&["--records", "--encoding", "snappy", "-"], "--records goes with no other option"),
        (&["--records", "--message", "loki-push", "-"], "--records goes with no other option"),
    ] {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.status, outcome.output.as_str()), (2, ""), "{arguments:?}");
        let mut lines = outcome.errors.lines();
        assert_eq!(lines.next(), Some(format!("inspect: {problem}").as_str()));
        let usage = "usage: inspect --message remote-write-v1|remote-write-v2|loki-push \
                     [--encoding identity|snappy|gzip|zstd|deflate] [--reencode OUT] FILE|-";
        assert_eq!(lines.next(), Some(usage));
        assert_eq!(lines.next(), Some("       inspect --records FILE|-"));
        assert_eq!(lines.next(), None);
    }
    let help = run(&["--help"], b"");
    assert_eq!((help.status, help.errors.as_str()), (0, ""));
    assert!(help.output.starts_with("usage: inspect "));
    assert!(Encoding::ALL.iter().all(|e| help.output.contains(e.name())));
}
