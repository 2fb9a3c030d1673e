//! The first command that a newcomer runs.

use std::fs;

use borrowire_cli::arguments::RequestKind;
use borrowire_cli::fixtures;
use tempfile::tempdir;

use crate::support::program::run;

#[test]
fn captured_requests_are_what_they_should_be() {
    let outcome = run(&["demo", "--runs", "1"], b"");
    assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""));
    for kind in RequestKind::ALL {
        let title = format!("{}: decompress, decode, validate, encode again", kind.as_str());
        assert!(outcome.output.contains(&title), "{}", outcome.output);
        for fixture in fixtures::load(kind) {
            assert!(outcome.output.contains(&fixture.client), "{}", fixture.client);
        }
    }
}

#[test]
fn bodies_of_ones_own_are_measured_however_they_are_compressed() {
    let folder = tempdir().unwrap();
    let files = [
        "fluentbit-rw1-gzip-001",
        "fluentbit-rw1-identity-001",
        "prom242-rw1-003",
        "vmagent1150-zstd-002",
    ];
    let all = fixtures::load(RequestKind::RemoteWriteV1);
    let paths = files.map(|name| {
        let fixture = all.iter().find(|fixture| fixture.name == name).unwrap();
        let path = folder.path().join(name);
        fs::write(&path, fixture.body).unwrap();
        path.to_str().unwrap().to_owned()
    });
    let mut arguments = vec!["demo"];
    arguments.extend(paths.iter().map(String::as_str));
    let outcome = run(&arguments, b"");
    assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""));
    assert!(files.iter().all(|name| outcome.output.contains(name)), "{}", outcome.output);

    // What is no request is an error, and keeps no other from being shown.
    let bad = folder.path().join("bad");
    fs::write(&bad, b"\x0a\x05up").unwrap();
    let bad = bad.to_str().unwrap();
    let outcome = run(&["demo", "--message", "loki-push", bad, "--encoding", "identity"], b"");
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""));
    let problem = format!("{bad}: decode: truncated value at byte 1 (field 1)");
    assert!(outcome.errors.contains(&problem), "{}", outcome.errors);
    assert!(outcome.errors.ends_with("error: a body failed\n"), "{}", outcome.errors);
}

#[test]
fn json_is_told_from_protobuf() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("push");
    fs::write(&path, br#"{"streams":[{"stream":{"a":"b"},"values":[["1","x"]]}]}"#).unwrap();
    let outcome = run(&["demo", "--message", "loki-push", path.to_str().unwrap()], b"");
    assert_eq!((outcome.status, outcome.errors.as_str()), (0, ""));
    assert!(outcome.output.contains("loki-push: "), "{}", outcome.output);
}
