//! `borrowire inspect`: what goes to which stream, and the exit status.

use std::fs;
use std::path::PathBuf;

use borrowire::Encode;
use borrowire::body::Encoding;
use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::remote_write::{Label, TimeSeries};
use borrowire_cli::arguments::{MessageKind, RequestKind};
use borrowire_cli::fixtures::{self, Fixture};
use borrowire_cli::json_form::PushRequestForm;
use serde_json::{Value, json};
use tempfile::{TempDir, tempdir};

use crate::support::program::{self, Outcome};
use crate::support::{compress, decompressed, encoding, fixture};

const MESSAGE: [&str; 2] = ["--message", "remote-write-v1"];
const PUSH: [&str; 2] = ["--message", "loki-push"];

fn run(arguments: &[&str], input: &[u8]) -> Outcome {
    program::run(&[&["inspect"], arguments].concat(), input)
}

/// Runs with the body on standard input.
fn run_on(encoding: &str, body: &[u8]) -> Outcome {
    run(&[MESSAGE[0], MESSAGE[1], "--encoding", encoding, "-"], body)
}

#[track_caller]
fn assert_refused(outcome: &Outcome, problem: &str) {
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{outcome:?}");
    assert_eq!(outcome.errors, format!("error: {problem}\n"));
}

/// A file in a folder of its own.
fn scratch(name: &str) -> (TempDir, PathBuf) {
    let folder = tempdir().unwrap();
    let path = folder.path().join(name);
    (folder, path)
}

fn is_json(fixture: &Fixture) -> bool {
    fixture.golden().json() != &Value::Null
}

#[test]
fn captured_bodies_print_their_golden_contents() {
    let (_folder, file) = scratch("body");
    let (_folder, out) = scratch("out");
    for kind in RequestKind::ALL {
        for fixture in fixtures::load(kind) {
            if is_json(&fixture) {
                continue;
            }
            fs::write(&file, fixture.body).unwrap();
            let (encoding, golden) = (encoding(&fixture), fixture.golden());
            let message = ["--message", kind.as_str(), "--encoding", &encoding];
            let files = ["--reencode", out.to_str().unwrap(), file.to_str().unwrap()];
            let outcome = run(&[&message[..], &files].concat(), b"");
            let name = &fixture.name;
            assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{name}");
            assert!(outcome.output == format!("{}\n", golden.message()), "{name}");

            let (sent, written) = (decompressed(&fixture), fs::read(&out).unwrap());
            if kind == RequestKind::RemoteWriteV2 {
                // Other symbols, the same series.
                let sent = Request::decode(&sent).expect(name);
                let written = Request::decode(&written).expect(name);
                assert!(sent.timeseries().iter().eq(written.timeseries()), "{name}");
            } else if golden.is_canonical() {
                assert!(written == sent, "{name}: its bytes are in number order");
            }
        }
    }
}

#[test]
fn captured_otlp_prints_its_golden_contents() {
    let (_folder, out) = scratch("out");
    let mut json_bodies = 0;
    for kind in [MessageKind::OtlpMetrics, MessageKind::OtlpLogs] {
        for fixture in fixtures::load(kind) {
            let (encoding, golden, name) = (encoding(&fixture), fixture.golden(), &fixture.name);
            let message = ["--message", kind.as_str(), "--encoding", &encoding];
            let files = ["--reencode", out.to_str().unwrap(), "-"];
            if is_json(&fixture) {
                // As JSON, and as the JSON that it was encoded to again.
                let outcome = run(&[&message[..], &["--json"], &files].concat(), fixture.body);
                assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{name}");
                let written = fs::read(&out).unwrap();
                let again = run(&["--message", kind.as_str(), "--json", "-"], &written);
                assert!(again.output == outcome.output && outcome.output.len() > 1_000, "{name}");
                json_bodies += 1;
                continue;
            }
            let outcome = run(&[&message[..], &files].concat(), fixture.body);
            assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{name}");
            assert!(outcome.output == format!("{}\n", golden.message()), "{name}");
            if golden.is_canonical() {
                assert!(fs::read(&out).unwrap() == decompressed(&fixture), "{name}");
            }
        }
    }
    assert_eq!(json_bodies, 3);
}

#[test]
fn otlp_has_the_form_of_protobuf_in_json_too() {
    let logs = ["--message", "otlp-logs", "--json", "-"];
    let body = br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"5",
        "body":{"doubleValue":1.5},"spanId":"00000000000000FF"}]}]}]}"#;
    let outcome = run(&logs, body);
    let line = "{\"resource_logs\":[{\"scope_logs\":[{\"log_records\":[{\"time_unix_nano\":5,\
                \"body\":{\"double_value\":\"3ff8000000000000\"},\"span_id\":\"00000000000000ff\"}]}]}]}\n";
    assert_eq!((outcome.status, outcome.output.as_str()), (0, line), "{}", outcome.errors);
    let body =
        br#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attributes":[{"key":""}]}]}]}]}"#;
    let outcome = run(&["--message", "otlp-logs", "--json", "--validate", "-"], body);
    assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""));
    assert!(outcome.output.starts_with("resource 0: "), "{}", outcome.output);
    assert_refused(
        &run(&logs, br#"{"resourceLogs":[{"schemaUrl":7}]}"#),
        "-: unexpected type (kind UnexpectedType, field 0, offset 30)",
    );
    let outcome = run(&["--message", "otlp-metrics", "-"], b"{}");
    assert!(outcome.errors.ends_with("; is it JSON? try --json\n"), "{}", outcome.errors);
    let outcome = run(&["--message", "remote-write-v1", "--json", "-"], b"{}");
    assert_eq!(outcome.status, 2);
    assert!(outcome.errors.contains("has no JSON form"), "{}", outcome.errors);
}

#[test]
fn captured_json_is_read_as_json() {
    let (_folder, out) = scratch("out");
    let pushes = fixtures::load(RequestKind::LokiPush);
    for fixture in pushes.iter().filter(|fixture| is_json(fixture)) {
        let name = &fixture.name;
        let reencode = ["--json", "--reencode", out.to_str().unwrap(), "-"];
        let outcome = run(&[&PUSH[..], &reencode].concat(), fixture.body);
        // It has a label that Loki refuses.
        if fixture.set == "fluentbit-loki-json" {
            let refused = outcome.errors.starts_with("error: -: invalid label name (kind ");
            assert!(outcome.status == 1 && refused, "{name}: {outcome:?}");
            continue;
        }
        assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""), "{name}");
        let owned =
            borrowire::reuse::Owned::<borrowire::loki::PushRequest>::decode_json(fixture.body);
        let owned = owned.expect(name);
        let form = serde_json::to_string(&PushRequestForm(owned.request())).unwrap();
        assert_eq!(outcome.output, form + "\n", "{name}");
        // Encoded again, it is JSON of the newer shape, without empty objects.
        let written: Value = serde_json::from_slice(&fs::read(&out).unwrap()).expect(name);
        let golden = fixture.golden();
        let stream = &golden.json()["streams"][0];
        if stream["stream"].is_object() && stream["values"][0][2] != json!({}) {
            assert_eq!(written, *golden.json(), "{name}");
        }
    }
}

#[test]
fn json_has_the_form_of_protobuf() {
    let body =
        br#"{"streams":[{"stream":{"b":"1","a":"\n"},"values":[["5","\u0007x",{"c":"d"}]]}]}"#;
    let outcome = run(&[PUSH[0], PUSH[1], "--json", "-"], body);
    let line = "{\"streams\":[{\"labels\":\"{a=\\\"\\\\n\\\", b=\\\"1\\\"}\",\"entries\":\
                [{\"timestamp\":[0,5],\"line\":\"\\u0007x\",\
                \"structuredMetadata\":[[\"c\",\"d\"]]}]}]}\n";
    assert_eq!((outcome.status, outcome.output.as_str()), (0, line), "{}", outcome.errors);
    let outcome = run(&[PUSH[0], PUSH[1], "--json", "-"], &body[..body.len() - 1]);
    assert_refused(&outcome, "-: truncated JSON (kind Truncated, field 0, offset 79)");
    // What is JSON does not read as protobuf, and the program says what to try.
    let outcome = run(&[PUSH[0], PUSH[1], "-"], body);
    assert!(outcome.errors.ends_with("; is it JSON? try --json\n"), "{}", outcome.errors);
}

#[test]
fn violations_are_a_line_each() {
    // A label that is there twice; no metric name.
    let labels = [Label::new("a", "x"), Label::new("a", "y")];
    let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec().unwrap();
    let arguments = [MESSAGE[0], MESSAGE[1], "--validate", "-"];
    let outcome = run(&arguments, &body);
    let lines = "series 0: missing metric name\nseries 0: duplicate label (label 1)\n";
    assert_eq!((outcome.status, outcome.output.as_str()), (0, lines), "{}", outcome.errors);
    // Nothing to find is no line; what does not decode is an error.
    let outcome = run(&arguments, b"");
    assert_eq!((outcome.status, outcome.output.as_str(), outcome.errors.as_str()), (0, "", ""));
    assert_refused(
        &run(&arguments, b"\x00"),
        "-: invalid tag (kind InvalidTag, field 0, offset 0)",
    );

    let mut symbolizer = Symbolizer::new();
    let empty = symbolizer.symbolize([TimeSeries::new(&[])]).unwrap();
    let body = empty.encode_to_vec().unwrap();
    let outcome = run(&["--message", "remote-write-v2", "--validate", "-"], &body);
    let lines = "series 0: missing metric name\nseries 0: no samples\n";
    assert_eq!((outcome.status, outcome.output.as_str()), (0, lines));
    let push = br#"{"streams":[{"stream":{},"values":[["1","x"]]}]}"#;
    let outcome = run(&[PUSH[0], PUSH[1], "--json", "--validate", "-"], push);
    assert_eq!((outcome.status, outcome.output.as_str()), (0, "stream 0: no labels\n"));
}

#[test]
fn text_that_is_none_has_its_place() {
    let label = b"\x0a\x03\x0a\x01\xff"; // a line may hold any byte, a label may not
    let outcome = run(&[PUSH[0], PUSH[1], "-"], label);
    assert_refused(&outcome, "-: invalid UTF-8 (kind InvalidUtf8, field 1, offset 4)");
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
    let twice = |encoding| [compress(first, encoding), compress(second, encoding)].concat();
    let zlib = compress(&raw, Encoding::Deflate);
    let bodies = [
        ("identity", raw.clone()),
        ("snappy", compress(&raw, Encoding::Snappy)),
        ("gzip", compress(&raw, Encoding::Gzip)),
        ("gzip", twice(Encoding::Gzip)),
        ("zstd", compress(&raw, Encoding::Zstd)),
        ("zstd", twice(Encoding::Zstd)),
        ("lz4", compress(&raw, Encoding::Lz4)),
        ("lz4", twice(Encoding::Lz4)),
        ("x-snappy-framed", framed(&raw)),
        // A bare stream is what is inside of zlib's header and checksum.
        ("deflate", zlib[2..zlib.len() - 4].to_vec()),
        ("deflate", zlib),
    ];
    for (encoding, body) in &bodies {
        assert!(run_on(encoding, body) == expected, "{encoding}");
    }
    // Every one of them is framed: neither a missing end nor bytes behind it go unnoticed.
    for (encoding, body) in &bodies[1..] {
        let cut = run_on(encoding, &body[..body.len() - 1]);
        let longer = run_on(encoding, &[body.as_slice(), b"\0"].concat());
        for outcome in [cut, longer] {
            assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{encoding}");
            assert_eq!(outcome.errors.lines().count(), 1, "{encoding}: {}", outcome.errors);
            assert!(outcome.errors.starts_with("error: -: "), "{}", outcome.errors);
            assert!(outcome.errors.ends_with(&format!(" ({encoding})\n")), "{}", outcome.errors);
        }
        // As receivers have it, an empty body is an empty message.
        assert_eq!(run_on(encoding, b"").output, "{}\n", "{encoding}");
    }
}

/// Snappy's stream format, with a chunk that is not compressed.
fn framed(raw: &[u8]) -> Vec<u8> {
    let mut framed = b"\xff\x06\0\0sNaPpY".to_vec();
    for chunk in raw.chunks(1 << 16) {
        let len = u32::try_from(chunk.len() + 4).unwrap().to_le_bytes();
        framed.extend([0x01, len[0], len[1], len[2]]);
        framed.extend(masked_crc32c(chunk).to_le_bytes());
        framed.extend(chunk);
    }
    framed
}

/// The checksum of snappy's frames, bit by bit.
fn masked_crc32c(bytes: &[u8]) -> u32 {
    let crc = !bytes.iter().fold(!0_u32, |crc, &byte| {
        (0..8).fold(crc ^ u32::from(byte), |crc, _| {
            (crc >> 1) ^ (if crc & 1 == 1 { 0x82f6_3b78 } else { 0 })
        })
    });
    crc.rotate_right(15).wrapping_add(0xa282_ead8)
}

#[test]
fn nothing_is_allocated_for_a_promise() {
    // A snappy block that declares 4 GiB - 1, and one that declares protobuf's limit.
    let limit = "-: decompressed body over 2147483647 bytes";
    assert_refused(&run_on("snappy", b"\xff\xff\xff\xff\x0f\0"), limit);
    assert_refused(&run_on("snappy", b"\xff\xff\xff\xff\x07\0"), "-: truncated data (snappy)");
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
fn a_body_that_is_compressed_after_all_gets_a_suggestion() {
    let raw = b"\x0a\x00\x0a\x00";
    for (encoding, name) in [
        (Encoding::Snappy, "snappy"),
        (Encoding::Gzip, "gzip"),
        (Encoding::Zstd, "zstd"),
        (Encoding::Lz4, "lz4"),
    ] {
        let outcome = run_on("identity", &compress(raw, encoding));
        assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{name}");
        let suggestion = format!("; is it compressed? try --encoding {name}\n");
        assert!(outcome.errors.ends_with(&suggestion), "{}", outcome.errors);
        assert_eq!(outcome.errors.lines().count(), 1);
    }
}

#[test]
fn files_that_are_not_there_are_one_line() {
    let outcome = run(&[MESSAGE[0], MESSAGE[1], "no/such/file"], b"");
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""));
    assert_eq!(outcome.errors.lines().count(), 1);
    assert!(outcome.errors.starts_with("error: no/such/file: "), "{}", outcome.errors);
}

#[test]
fn reencode_writes_the_message_without_compression() {
    let fixture = fixture("k6-rw1-001");
    let (_folder, out) = scratch("out");
    let reencode = ["--encoding", "snappy", "--reencode", out.to_str().unwrap(), "-"];
    let outcome = run(&[&MESSAGE[..], &reencode].concat(), fixture.body);
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
    let bad = frame(b"remote-write-v1/t", b"\x00");
    for (tail, problem) in [
        (&frame(b"loki-push/t", b"")[..40], format!("cut short at byte {end} (truncated frame)")),
        (b"\x02\0\0\0\0\0\0\0", format!("damaged at byte {end} (unknown version)")),
        (&frame(b"remote-write-v9/t", b""), format!("record at byte {end}: unknown message")),
        (&frame(b"loki-push", b""), format!("record at byte {end}: no message and tenant")),
        (&bad, format!("record at byte {end}: invalid tag (kind InvalidTag, field 0, offset 0)")),
    ] {
        let outcome = run(&["--records", "-"], &[&file[..], tail].concat());
        assert_eq!((outcome.status, outcome.output.as_str()), (1, lines));
        assert_eq!(outcome.errors, format!("error: -: {problem}\n"));
    }
}

#[test]
fn wrong_arguments_show_the_usage() {
    for (arguments, problem) in [
        (&[][..], "required arguments were not provided"),
        (&["body"], "required arguments were not provided"),
        (&["--message"], "a value is required for '--message <MESSAGE>'"),
        (&["--message", "loki", "-"], "invalid value 'loki' for '--message <MESSAGE>'"),
        (&["--message", "remote-write-v1"], "required arguments were not provided"),
        (&["--message", "remote-write-v1", "-", "-"], "unexpected argument '-' found"),
        (&["--message", "remote-write-v1", "--encoding", "br", "-"], "invalid value 'br'"),
        (&["--message", "remote-write-v1", "--color", "-"], "unexpected argument '--color'"),
        (&["--message", "remote-write-v1", "--json", "-"], "remote-write-v1 has no JSON form"),
        (&["--records", "--encoding", "snappy", "-"], "cannot be used with"),
        (&["--records", "--message", "loki-push", "-"], "cannot be used with"),
        (&["--records", "--validate", "-"], "cannot be used with"),
        (&["--records"], "required arguments were not provided"),
    ] {
        let outcome = run(arguments, b"");
        assert_eq!((outcome.status, outcome.output.as_str()), (2, ""), "{arguments:?}");
        let first = outcome.errors.lines().next().unwrap();
        assert!(first.starts_with("error: ") && first.contains(problem), "{}", outcome.errors);
    }
    let help = run(&["--help"], b"");
    assert_eq!((help.status, help.errors.as_str()), (0, ""));
    for name in ["remote-write-v1", "loki-push", "x-snappy-framed", "--reencode", "--validate"] {
        assert!(help.output.contains(name), "{name}");
    }
}
