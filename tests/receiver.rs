//! The receiver of `examples/ingest`, over real connections: what it answers, what it counts, and how
//! it ends.

#[allow(dead_code, reason = "the program that it is a part of uses the rest")]
#[path = "../examples/ingest/arguments.rs"]
mod arguments;
#[path = "../examples/support/encoding.rs"]
mod encoding;
#[path = "../examples/support/fixtures.rs"]
mod fixtures;
#[path = "../examples/support/http_client.rs"]
mod http_client;
#[allow(dead_code, reason = "the program that it is a part of uses the rest")]
#[path = "../examples/ingest/receiver/mod.rs"]
mod receiver;
#[path = "../examples/support/records.rs"]
mod records;
#[path = "../examples/ingest/send/mod.rs"]
mod send;
#[allow(dead_code, reason = "the program that it is a part of uses the rest")]
#[path = "../examples/ingest/shards.rs"]
mod shards;
#[allow(dead_code, reason = "the program that it is a part of uses the rest")]
#[path = "../examples/ingest/table.rs"]
mod table;

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use borrowire::body::BodyLimits;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use arguments::{FileMessage, Task};
use fixtures::Golden;
use http_client::{Answer, Client};
use receiver::Receiver;

const SNAPPY: (&str, &str) = ("content-encoding", "snappy");
const PROTOBUF: (&str, &str) = ("content-type", "application/x-protobuf");
const V2: (&str, &str) =
    ("content-type", "application/x-protobuf;proto=io.prometheus.write.v2.Request");

/// A receiver on a thread of its own.
struct Running {
    address: SocketAddr,
    receiver: Arc<Receiver>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Running {
    fn start(limits: BodyLimits) -> Self {
        let receiver = Receiver::new(limits, None);
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async { stopped.await.unwrap_or_default() };
        let serve = Arc::clone(&receiver).serve(listener, shutdown);
        let thread = thread::spawn(move || runtime.block_on(serve).expect("no I/O error"));
        Self { address, receiver, stop, thread }
    }

    fn connect(&self) -> Client {
        Client::connect(self.address).expect("it listens")
    }

    /// Stops it, and checks that nothing was left behind.
    fn stop(self) {
        self.stop.send(()).expect("it runs");
        self.thread.join().expect("it ends well");
        let buffers = self.receiver.pools.buffers.statistics();
        assert_eq!(buffers.outstanding(), 0, "{buffers:?}");
    }
}

fn compress(protobuf: &[u8]) -> Vec<u8> {
    snap::raw::Encoder::new().compress_vec(protobuf).expect("compresses")
}

#[track_caller]
fn assert_taken(answer: &Answer, status: u16, golden: &Golden) {
    assert_eq!((answer.status, answer.body.as_str()), (status, ""), "{answer:?}");
    for (name, what) in
        [("samples", "samples"), ("histograms", "histograms"), ("exemplars", "exemplars")]
    {
        let written = answer.header(&format!("x-prometheus-remote-write-{name}-written"));
        assert_eq!(written, Some(golden.count(what).to_string().as_str()), "{name}");
    }
}

#[track_caller]
fn assert_refused(answer: &Answer, status: u16, line: &str) {
    let found = (answer.status, answer.body.as_str());
    assert_eq!(found, (status, format!("{line}\n").as_str()));
    assert_eq!(answer.header("x-prometheus-remote-write-samples-written"), Some("0"));
}

#[test]
fn captured_requests_are_taken_and_counted() {
    let running = Running::start(BodyLimits::new());
    let mut connection = running.connect();
    let mut sums: [u64; 8] = [0; 8];
    for fixture in fixtures::load("remote-write-v1") {
        let (golden, head) = (fixture.golden(), fixture.head());
        let headers: Vec<(&str, &str)> =
            head.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let path = head.path.as_str();
        let status = if path.ends_with("/push") { 200 } else { 204 };
        let answer = connection.post(path, &headers, &fixture.body).expect(&fixture.name);
        assert_taken(&answer, status, &golden);
        // The same in pieces, to the other path.
        let chunks = fixture.body.chunks(1009);
        let answer = connection.post_chunked("/api/v1/push", &headers, chunks);
        assert_taken(&answer.expect(&fixture.name), 200, &golden);
        for (sum, count) in sums.iter_mut().zip([
            1,
            fixture.body.len(),
            golden.decoded_bytes(),
            golden.count("timeseries"),
            golden.count("samples"),
            golden.count("exemplars"),
            golden.count("histograms"),
            golden.count("metadata"),
        ]) {
            *sum += 2 * count as u64;
        }
    }

    let counts = running.receiver.counts();
    assert_eq!((counts.requests(), counts.errors()), (sums[0], 0));
    let page = connection.get("/metrics").expect("a page");
    assert_eq!(page.status, 200);
    assert!(page.header("content-type").is_some_and(|value| value.starts_with("text/plain")));
    let mut values = sums[1..].iter();
    for name in [
        "received_bytes_total",
        "decompressed_bytes_total",
        "series_total",
        "samples_total",
        "exemplars_total",
        "histograms_total",
        "metadata_total",
    ] {
        let line = format!("ingest_{name} {}", values.next().expect("one for each"));
        assert!(page.body.lines().any(|found| found == line), "{line}\n{}", page.body);
    }
    // Clients that send labels out of order are among them.
    let line = "ingest_violations_total{kind=\"unsorted labels\"} ";
    assert!(page.body.lines().any(|found| found.starts_with(line)), "{}", page.body);
    running.stop();
}

#[test]
fn captured_requests_of_remote_write_v2_are_taken_and_counted() {
    let running = Running::start(BodyLimits::new());
    let mut connection = running.connect();
    let (mut series, mut samples, mut metadata) = (0, 0, 0);
    for fixture in fixtures::load("remote-write-v2") {
        let (golden, head) = (fixture.golden(), fixture.head());
        let headers: Vec<(&str, &str)> =
            head.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = connection.post(&head.path, &headers, &fixture.body).expect(&fixture.name);
        assert_taken(&answer, 204, &golden);
        series += golden.count("timeseries") as u64;
        samples += golden.count("samples") as u64;
        metadata += golden.count("with_metadata") as u64;
    }
    let counts = running.receiver.counts();
    assert_eq!((counts.series, counts.samples, counts.metadata), (series, samples, metadata));
    assert_eq!(counts.errors(), 0);
    // Prometheus sends exemplars in series of their own.
    assert!(counts.violations.contains_key("no samples"), "{:?}", counts.violations);
    running.stop();
}

#[test]
fn series_of_remote_write_v2_that_are_bad_are_left_out_and_not_counted() {
    let running = Running::start(BodyLimits::new());
    let mut connection = running.connect();
    let mut post = |headers: &[(&str, &str)], body: &[u8]| {
        let answer = connection.post("/api/v1/write", headers, &compress(body)).expect("an answer");
        let written = ["samples", "histograms", "exemplars"].map(|name| {
            let header = format!("x-prometheus-remote-write-{name}-written");
            answer.header(&header).expect("in every answer").to_owned()
        });
        (answer.status, answer.body, written.join(" "))
    };
    let answer = |status, body: &str, written: &str| (status, body.to_owned(), written.to_owned());
    // Two samples; a sample with a bad label; a histogram and an exemplar; an exemplar with a bad label.
    let table = b"\x22\x00\x22\x08__name__\x22\x02up";
    let good = b"\x2a\x08\x0a\x02\x01\x02\x12\x00\x12\x00";
    let bad = b"\x2a\x06\x0a\x02\x01\x63\x12\x00";
    let other = b"\x2a\x08\x0a\x02\x01\x02\x1a\x00\x22\x00";
    let odd = b"\x2a\x0b\x0a\x02\x01\x02\x12\x00\x22\x03\x0a\x01\x01";

    let all_good = [&table[..], good, other].concat();
    assert_eq!(post(&[SNAPPY, V2], &all_good), answer(204, "", "2 1 1"));
    let body = [&table[..], good, bad, other, odd].concat();
    let line = "2 of 4 series left out; the first: series 1: reference 99 names no symbol\n";
    assert_eq!(post(&[SNAPPY, V2], &body), answer(400, line, "2 1 1"));
    let line = "1 of 1 series left out; the first: series 0: a label has a name but no value\n";
    assert_eq!(post(&[SNAPPY, V2], &[&table[..], odd].concat()), answer(400, line, "0 0 0"));
    // Symbols that are no text cost the series that use them.
    let line = "1 of 1 series left out; the first: series 0: reference 1 names no symbol\n";
    let body = b"\x22\x00\x22\x01\xff\x2a\x06\x0a\x02\x00\x01\x12\x00";
    assert_eq!(post(&[SNAPPY, V2], body), answer(400, line, "0 0 0"));
    // A fault in the framing costs all.
    let body = [&table[..], good, b"\x2a\x05"].concat();
    let line = "truncated value at byte 27 (field 5)\n";
    assert_eq!(post(&[SNAPPY, V2], &body), answer(400, line, "0 0 0"));
    // The content type alone says which version it is.
    assert_eq!(post(&[SNAPPY, PROTOBUF], &all_good), answer(204, "", "0 0 0"));
    assert_eq!(post(&[SNAPPY, V2], b"\x0a\x02\x12\x00"), answer(204, "", "0 0 0"));

    let counts = running.receiver.counts();
    assert_eq!((counts.series, counts.samples, counts.histograms, counts.exemplars), (4, 4, 2, 2));
    assert_eq!(counts.errors(), 4);
    running.stop();
}

#[test]
fn captured_pushes_are_taken_and_counted() {
    let running = Running::start(BodyLimits::new());
    let mut connection = running.connect();
    let (mut streams, mut entries, mut refused) = (0, 0, 0);
    for fixture in fixtures::load("loki") {
        let (golden, head) = (fixture.golden(), fixture.head());
        let headers: Vec<(&str, &str)> =
            head.headers.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        let answer = connection.post(&head.path, &headers, &fixture.body).expect(&fixture.name);
        // It has a label that Loki refuses.
        if fixture.set == "fluentbit-loki-json" {
            assert_eq!(answer.status, 400, "{answer:?}");
            assert!(answer.body.starts_with("invalid label name at byte "), "{answer:?}");
            refused += 1;
            continue;
        }
        assert_eq!((answer.status, answer.body.as_str()), (204, ""), "{}", fixture.name);
        assert_eq!(answer.header("x-prometheus-remote-write-samples-written"), None);
        streams += golden.count("streams");
        entries += golden.count("entries");
    }
    let page = connection.get("/metrics").expect("a page");
    for line in [
        format!("ingest_streams_total {streams}"),
        format!("ingest_entries_total {entries}"),
        format!("ingest_refused_total{{kind=\"invalid label name\"}} {refused}"),
        "ingest_samples_total 0".to_owned(),
    ] {
        assert!(page.body.lines().any(|found| found == line), "{line}\n{}", page.body);
    }
    running.stop();
}

#[test]
fn pushes_are_protobuf_or_json() {
    let running = Running::start(BodyLimits::new());
    let mut connection = running.connect();
    let mut post = |headers: &[(&str, &str)], body: &[u8]| {
        let answer = connection.post("/loki/api/v1/push", headers, body).expect("an answer");
        (answer.status, answer.body)
    };
    let json = ("content-type", "application/json; charset=utf-8");
    let push = br#"{"streams":[{"stream":{"a":"b"},"values":[["1","x"],["2","y",{"c":"d"}]]}]}"#;
    let protobuf = compress(b"\x0a\x10\x0a\x07{a=\"b\"}\x12\x05\x0a\x03\x08\x80\x01");
    let refused = |status, line: &str| (status, format!("{line}\n"));

    assert_eq!(post(&[json], push).0, 204);
    assert_eq!(post(&[PROTOBUF], &protobuf).0, 204);
    assert_eq!(post(&[PROTOBUF, SNAPPY], &protobuf).0, 204);
    let cut = "truncated JSON at byte 74";
    assert_eq!(post(&[json], &push[..push.len() - 1]), refused(400, cut));
    let label = "invalid UTF-8 at byte 4 (field 1)";
    assert_eq!(post(&[PROTOBUF], &compress(b"\x0a\x03\x0a\x01\xff")), refused(400, label));
    let encoding = "Loki push: unsupported content encoding";
    assert_eq!(post(&[json, SNAPPY], push), refused(400, encoding));
    assert_eq!(post(&[], push), refused(400, "Loki push: missing content type"));
    // A stream without entries is one; no streams are none.
    assert_eq!(post(&[json], br#"{"streams":[{"stream":{"a":"b"},"values":[]}]}"#).0, 204);
    let none = refused(422, "push without streams");
    for empty in [&br#"{"streams":[]}"#[..], b"{}", br#"{"streams":null}"#] {
        assert_eq!(post(&[json], empty), none);
    }
    assert_eq!(post(&[PROTOBUF], &compress(b"")), none);
    let answer = connection.get("/loki/api/v1/push").expect("an answer");
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));

    let counts = running.receiver.counts();
    assert_eq!((counts.streams, counts.entries, counts.errors()), (4, 4, 9));
    assert_eq!(counts.refused.get("push without streams"), Some(&4));
    assert_eq!(counts.answers.get(&422), Some(&4));
    running.stop();
}

#[test]
fn refusals_say_why_and_leave_the_connection_usable() {
    let running = Running::start(BodyLimits::new());
    let mut connection = running.connect();
    let mut post = |headers: &[(&str, &str)], body: &[u8]| {
        connection.post("/api/v1/write", headers, body).expect("an answer")
    };
    let series = compress(b"\x0a\x00");

    let answer = post(&[SNAPPY, PROTOBUF], b"\xff\xff\xff\xff\x0f\0");
    assert_eq!(answer.status, 413, "4 GiB are declared: {answer:?}");
    let answer = post(&[SNAPPY, PROTOBUF], &series[..series.len() - 1]);
    assert_eq!(answer.status, 400, "{answer:?}");
    let answer = post(&[SNAPPY, PROTOBUF], &compress(b"\x0a\x05up"));
    assert_refused(&answer, 400, "truncated value at byte 1 (field 1)");
    let answer = post(&[("content-encoding", "br"), PROTOBUF], &series);
    assert_refused(&answer, 415, "remote write: unsupported content encoding");
    let v3 = ("content-type", "application/x-protobuf;proto=io.prometheus.write.v3.Request");
    let answer = post(&[SNAPPY, v3], b"");
    assert_refused(&answer, 415, "remote write: unsupported message");
    let answer = post(&[SNAPPY, ("content-type", "text/plain")], &vec![b'a'; 500_000]);
    assert_refused(&answer, 415, "remote write: unsupported media type");
    assert_eq!(post(&[SNAPPY, PROTOBUF], &series).status, 204);

    let answer = connection.get("/api/v1/write").expect("an answer");
    assert_refused(&answer, 405, "remote write: method not allowed");
    assert_eq!(answer.header("allow"), Some("POST"));
    let answer = connection.post("/api/v1/query", &[SNAPPY, PROTOBUF], &series).expect("an answer");
    assert_refused(&answer, 404, "unknown path");

    let counts = running.receiver.counts();
    assert_eq!((counts.requests(), counts.errors(), counts.series), (9, 8, 1));
    for (kind, times) in [
        ("malformed body", 1),
        ("truncated value", 1),
        ("unsupported content encoding", 1),
        ("unsupported message", 1),
        ("unsupported media type", 1),
        ("method not allowed", 1),
        ("unknown path", 1),
    ] {
        assert_eq!(counts.refused.get(kind), Some(&times), "{:?}", counts.refused);
    }
    for (status, times) in [(204, 1), (400, 2), (404, 1), (405, 1), (413, 1), (415, 3)] {
        assert_eq!(counts.answers.get(&status), Some(&times), "{:?}", counts.answers);
    }
    running.stop();
}

#[test]
fn limits_hold_while_the_body_comes() {
    let limits =
        BodyLimits::new().with_max_compressed_bytes(10_000).with_max_decompressed_bytes(100_000);
    let running = Running::start(limits);
    let zeros = vec![0; 100_001];

    // The header alone is enough: no byte of the body is sent.
    let mut connection = running.connect();
    let headers = [SNAPPY, PROTOBUF, ("content-length", "10001"), ("expect", "100-continue")];
    connection.send_head("POST", "/api/v1/write", &headers).expect("it listens");
    assert_refused(&connection.answer().expect("an answer"), 413, "body over 10000 bytes");

    let mut connection = running.connect();
    let identity = [("content-encoding", "identity"), PROTOBUF];
    let chunks = zeros[..10_001].chunks(1000);
    let answer = connection.post_chunked("/api/v1/write", &identity, chunks).expect("an answer");
    assert_refused(&answer, 413, "body over 10000 bytes");

    let answer = connection.post("/api/v1/write", &[SNAPPY, PROTOBUF], &compress(&zeros));
    assert_refused(&answer.expect("an answer"), 413, "decompressed body over 100000 bytes");
    let zstd = zstd::bulk::compress(&zeros, 3).expect("compresses");
    let headers = [("content-encoding", "zstd"), PROTOBUF];
    let answer = connection.post_chunked("/api/v1/write", &headers, zstd.chunks(5));
    assert_refused(&answer.expect("an answer"), 413, "decompressed body over 100000 bytes");
    running.stop();
}

#[test]
fn a_large_request_is_taken_as_any_other() {
    let running = Running::start(BodyLimits::new());
    let series = b"\x0a\x12\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x00";
    let body = series.repeat(200_000);
    let mut connection = running.connect();
    let headers = [("content-encoding", "identity"), PROTOBUF];
    let answer = connection.post("/api/v1/write", &headers, &body).expect("an answer");
    assert_eq!(answer.status, 204, "{answer:?}");
    let counts = running.receiver.counts();
    assert_eq!((counts.series, counts.samples), (200_000, 200_000));
    assert_eq!(counts.received_bytes, body.len() as u64);
    running.stop();
}

#[test]
fn a_sender_that_goes_away_leaves_nothing() {
    let running = Running::start(BodyLimits::new());
    let mut connection = running.connect();
    let headers = [SNAPPY, PROTOBUF, ("content-length", "1000"), ("expect", "100-continue")];
    connection.send_head("POST", "/api/v1/write", &headers).expect("it listens");
    assert_eq!(connection.answer().expect("an answer").status, 100);
    connection.send(&[0; 500]).expect("it reads");
    drop(connection);
    // Its buffers are back: that is checked here.
    running.stop();
}

#[test]
fn shutdown_finishes_the_request_in_flight() {
    let running = Running::start(BodyLimits::new());
    let body = compress(b"\x0a\x00\x0a\x00");
    let length = body.len().to_string();
    let headers = [SNAPPY, PROTOBUF, ("content-length", &length), ("expect", "100-continue")];
    let idle = running.connect();
    let mut connection = running.connect();
    connection.send_head("POST", "/api/v1/write", &headers).expect("it listens");
    // The receiver asks for the body: the request is in flight.
    assert_eq!(connection.answer().expect("an answer").status, 100);

    let Running { address, receiver, stop, thread } = running;
    stop.send(()).expect("it runs");
    while TcpStream::connect(address).is_ok() {
        thread::yield_now(); // until it no longer listens
    }
    connection.send(&body).expect("it still reads");
    assert_eq!(connection.answer().expect("an answer").status, 204);
    thread.join().expect("it ends well, though a connection is open");
    drop(idle);
    assert_eq!((receiver.counts().requests(), receiver.counts().series), (1, 2));
}

#[test]
fn a_load_is_counted_to_the_last_sample() {
    let running = Running::start(BodyLimits::new());
    send::send(running.address, 8, Duration::from_secs(1)).expect("nothing is lost");
    running.stop();
}

#[test]
fn a_load_finds_what_a_receiver_refuses() {
    let running = Running::start(BodyLimits::new().with_max_compressed_bytes(50_000));
    let problem = send::send(running.address, 2, Duration::from_secs(1)).expect_err("too large");
    assert!(problem.contains("413: body over 50000 bytes"), "{problem}");
    running.stop();
}

#[test]
fn files_are_remote_write_unless_their_message_is_named() {
    let parse = |line: &str| arguments::parse(line.split(' ').map(str::to_owned));
    let files = |message, files: &[&str]| {
        Ok(Task::Files { message, files: files.iter().map(|file| (*file).to_owned()).collect() })
    };
    assert_eq!(parse("a b"), files(FileMessage::RemoteWriteV1, &["a", "b"]));
    for (name, message) in [
        ("remote-write-v1", FileMessage::RemoteWriteV1),
        ("remote-write-v2", FileMessage::RemoteWriteV2),
        ("loki-push", FileMessage::LokiPush),
    ] {
        assert_eq!(parse(&format!("--message {name} a")), files(message, &["a"]));
    }
    for line in [
        "--message loki-push",
        "--message loki-push --all",
        "--message loki-push --listen 127.0.0.1:9009",
        "--message loki a",
        "a --message",
        "--message loki-push --all a",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
}

#[test]
fn a_load_is_only_for_this_machine() {
    let parse = |line: &str| arguments::parse(line.split(' ').map(str::to_owned));
    let send = |address: &str, senders, seconds| {
        let address = address.parse().expect("an address");
        Ok(Task::Send { address, senders, duration: Duration::from_secs(seconds) })
    };
    assert_eq!(parse("--send 127.0.0.1:9009"), send("127.0.0.1:9009", 64, 60));
    assert_eq!(parse("--seconds 5 --senders 2 --send [::1]:1"), send("[::1]:1", 2, 5));
    for line in [
        "--send 192.0.2.1:9009",
        "--send 0.0.0.0:9009",
        "--send [2001:db8::1]:9009",
        "--send 127.0.0.1",
        "--send 127.0.0.1:9009 --senders 0",
        "--send 127.0.0.1:9009 --listen 127.0.0.1:9009",
        "--listen 127.0.0.1:9009 --senders 1",
        "--listen 127.0.0.1:9009 --all",
        "--seconds 5",
        "--all file",
        "--listen",
    ] {
        assert!(parse(line).is_err(), "{line}");
    }
}
