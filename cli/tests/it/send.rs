//! `borrowire send`: what arrives at a receiver, what is sent again, and what is said of it.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::thread;

use borrowire_cli::arguments::RequestKind;
use borrowire_cli::fixtures;
use borrowire_cli::serve::options::RequestLimits;
use bytesize::ByteSize;
use tempfile::tempdir;

use crate::receiver::Running;
use crate::support::fixture;
use crate::support::program::{Outcome, run};

fn send(url: &str, arguments: &str) -> Outcome {
    run(&[&["send", url], &arguments.split_whitespace().collect::<Vec<_>>()[..]].concat(), b"")
}

/// Whether there is a line of these words at the front.
#[track_caller]
fn assert_line(outcome: &Outcome, words: &[&str]) {
    let mut lines = outcome.output.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    assert!(lines.any(|line| line.starts_with(words)), "{words:?} in\n{outcome:#?}");
}

#[test]
fn made_up_requests_arrive_in_every_form() {
    let running = Running::start(RequestLimits::default());
    let url = format!("http://{}", running.address);
    let (mut samples, mut lines) = (0, 0);
    for form in [
        "--protocol remote-write-v1",
        "--protocol remote-write-v1 --encoding zstd",
        "--protocol remote-write-v2 --senders 2",
        "--protocol remote-write-v2 --encoding gzip",
        "--protocol loki-push",
        "--protocol loki-push --json",
        "--protocol loki-push --json --encoding gzip",
    ] {
        let before = running.counts();
        let outcome = send(&url, &format!("{form} --series 250 --rate 20 --seconds 1"));
        assert_eq!(outcome.status, 0, "{form}: {outcome:#?}");
        let after = running.counts();
        let requests = after.requests() - before.requests();
        assert!((1..=20).contains(&requests), "{form}: {requests}");
        assert_line(&outcome, &["requests", "taken", &requests.to_string()]);
        let new = (after.samples - before.samples, after.entries - before.entries);
        let all = 250 * requests;
        assert_eq!(new, if form.contains("loki") { (0, all) } else { (all, 0) }, "{form}");
        samples += new.0;
        lines += new.1;
    }
    let counts = running.counts();
    assert_eq!((counts.errors(), counts.samples, counts.entries), (0, samples, lines));
    assert!(counts.violations.is_empty(), "{:?}", counts.violations);
    running.stop();
}

#[test]
fn captured_requests_arrive_as_the_protocol_that_is_asked_for() {
    let running = Running::start(RequestLimits::default());
    let url = format!("http://{}/api/v1/push", running.address);
    for (from, to) in [
        (RequestKind::RemoteWriteV1, "remote-write-v1"),
        (RequestKind::RemoteWriteV1, "remote-write-v2"),
        (RequestKind::RemoteWriteV2, "remote-write-v1"),
        (RequestKind::RemoteWriteV2, "remote-write-v2"),
    ] {
        let before = running.counts();
        let line = format!("--captured --from {} --protocol {to}", from.as_str());
        let outcome = send(&url, &line);
        let goldens: Vec<_> = fixtures::load(from).iter().map(fixtures::Fixture::golden).collect();
        let samples: u64 = goldens.iter().map(|golden| golden.count("samples") as u64).sum();
        let after = running.counts();
        assert_eq!(after.samples - before.samples, samples, "{line}");
        let requests = after.requests() - before.requests();
        assert_line(&outcome, &["requests", "taken", &requests.to_string()]);
        // Metadata without series have no place in 2.0.
        let all = goldens.len() as u64;
        assert!(requests == all || requests < all && to == "remote-write-v2", "{line}");
        assert_eq!((outcome.status, after.errors()), (0, 0), "{line}: {outcome:#?}");
    }
    let push = format!("http://{}", running.address);
    let outcome = send(&push, "--captured --protocol loki-push");
    assert_eq!(outcome.status, 0, "{outcome:#?}");
    assert!(running.counts().entries > 0);
    running.stop();
}

#[test]
fn files_are_posted_once_each_and_what_was_refused_is_said() {
    let limits = RequestLimits { max_body_bytes: Some(ByteSize(10)), ..RequestLimits::default() };
    let (running, strict) = (Running::start(RequestLimits::default()), Running::start(limits));
    let folder = tempdir().unwrap();
    let path = |name: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, fixture(name).body).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let files = [path("k6-rw1-001"), path("vmagent1150-zstd-002"), path("fluentbit-rw1-gzip-001")];
    let files = files.join(" ");
    let outcome = send(&format!("http://{}", running.address), &files);
    assert_eq!(outcome.status, 0, "{outcome:#?}");
    assert_line(&outcome, &["answered", "204", "3"]);

    let outcome = send(&format!("http://{}", strict.address), &files);
    assert_eq!(outcome.status, 1);
    assert_line(&outcome, &["answered", "413", "3", "body", "over", "10", "bytes"]);
    assert!(outcome.errors.ends_with("error: 3 requests were not taken\n"), "{outcome:#?}");
    assert_eq!(strict.counts().requests(), 3, "nothing is sent again");

    for (line, problem) in [
        ("no/such/file", "error: no/such/file: "),
        ("--json", "error: remote-write-v1 has no JSON form"),
        ("--captured --from loki-push", "loki-push does not become remote-write-v1"),
        ("--encoding x-snappy-framed", "cannot write content encoding: x-snappy-framed"),
    ] {
        let outcome = send(&format!("http://{}", running.address), line);
        assert_eq!((outcome.status, outcome.output.as_str()), (1, ""), "{line}");
        assert!(outcome.errors.contains(problem), "{line}: {}", outcome.errors);
    }
    let outcome = send("127.0.0.1:9009", "");
    assert_eq!((outcome.status, outcome.output.as_str()), (1, ""));
    assert!(outcome.errors.starts_with("error: 127.0.0.1:9009: "), "{}", outcome.errors);
    running.stop();
    strict.stop();
}

/// A receiver that gives these answers, one after the other, and says what it was sent. One that
/// is empty is no answer.
fn scripted(answers: &[&'static str]) -> (String, thread::JoinHandle<Vec<Vec<u8>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/write", listener.local_addr().unwrap());
    let answers = answers.to_vec();
    let thread = thread::spawn(move || {
        let mut bodies = Vec::new();
        for answer in answers {
            let (stream, _) = listener.accept().unwrap();
            let mut stream = BufReader::new(stream);
            let mut len = 0;
            loop {
                let mut line = String::new();
                stream.read_line(&mut line).unwrap();
                if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
                    len = value.trim().parse().unwrap();
                }
                if line == "\r\n" {
                    break;
                }
            }
            let mut body = vec![0; len];
            stream.read_exact(&mut body).unwrap();
            bodies.push(body);
            if !answer.is_empty() {
                let end = "\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";
                write!(stream.get_mut(), "HTTP/1.1 {answer}{end}").unwrap();
            }
        }
        bodies
    });
    (url, thread)
}

#[test]
fn what_may_be_taken_later_is_sent_again_and_nothing_else() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("body");
    std::fs::write(&file, fixture("k6-rw1-001").body).unwrap();
    let file = file.to_str().unwrap();

    let answers = ["503 Busy\r\nretry-after: 0", "429 Slow", "", "500 Oh", "204 Ok"];
    let (url, receiver) = scripted(&answers);
    let outcome = send(&url, file);
    let bodies = receiver.join().unwrap();
    assert_eq!(outcome.status, 0, "{outcome:#?}");
    assert!(bodies.len() == 5 && bodies.iter().all(|body| *body == bodies[0]));
    for words in [
        ["requests", "taken", "1"],
        ["sent", "again", "4"],
        ["answered", "204", "1"],
        ["answered", "429", "1"],
        ["answered", "500", "1"],
        ["answered", "503", "1"],
        ["no", "answer", "1"],
    ] {
        assert_line(&outcome, &words);
    }

    for answer in ["400 Bad", "404 Not", "409 No", "413 Large", "302 Found\r\nlocation: /other"] {
        let (url, receiver) = scripted(&[answer]);
        let outcome = send(&url, file);
        assert_eq!((outcome.status, receiver.join().unwrap().len()), (1, 1), "{answer}");
        assert_line(&outcome, &["requests", "given", "up", "1"]);
    }
    let (url, receiver) = scripted(&["503 Busy", "503 Busy", "503 Busy"]);
    let outcome = send(&url, &format!("--retries 2 {file}"));
    assert_eq!((outcome.status, receiver.join().unwrap().len()), (1, 3));
    assert_line(&outcome, &["sent", "again", "2"]);
}

#[test]
fn a_receiver_that_does_not_know_the_protocol_has_taken_nothing() {
    let send_v2 = |url: &str| send(url, "--captured --protocol remote-write-v2 --senders 1");
    let all = fixtures::load(RequestKind::RemoteWriteV2).len();
    let (url, receiver) = scripted(&vec!["204 Ok"; all]);
    let outcome = send_v2(&url);
    receiver.join().unwrap();
    assert_eq!(outcome.status, 1);
    assert_line(&outcome, &["requests", "given", "up", &all.to_string()]);
    assert_line(&outcome, &["no", "word", "of", "what", "was", "written", &all.to_string()]);
}
