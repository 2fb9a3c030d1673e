//! The receiver, over real connections: what it answers, what it counts, and how it ends.

use std::net::{SocketAddr, TcpStream};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use borrowire::body::Encoding;
use borrowire_cli::arguments::RequestKind;
use borrowire_cli::fixtures::{self, Fixture, Golden};
use borrowire_cli::serve::counts::Counts;
use borrowire_cli::serve::options::{RequestLimits, ServerOptions, Tenants};
use borrowire_cli::serve::receiver::Receiver;
use bytesize::ByteSize;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;
use tokio::sync::oneshot;

use crate::support;
use crate::support::client::{Answer, Client, PROTOBUF, Raw, SNAPPY};

const V2: (&str, &str) =
    ("content-type", "application/x-protobuf;proto=io.prometheus.write.v2.Request");

/// A receiver on a thread of its own.
pub struct Running {
    pub address: SocketAddr,
    receiver: Arc<Receiver>,
    stop: oneshot::Sender<()>,
    thread: JoinHandle<()>,
}

impl Running {
    pub fn start(limits: RequestLimits) -> Self {
        let (options, tenants) = (ServerOptions::default(), Tenants::new(limits));
        let receiver = Receiver::new(options, tenants, None);
        let runtime = Runtime::new().expect("a runtime");
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let address = listener.local_addr().expect("an address");
        let (stop, stopped) = oneshot::channel::<()>();
        let shutdown = async { stopped.await.unwrap_or_default() };
        let serve = Arc::clone(&receiver).serve(listener, shutdown);
        let thread = thread::spawn(move || runtime.block_on(serve).expect("no I/O error"));
        Self { address, receiver, stop, thread }
    }

    /// What it counted so far.
    pub fn counts(&self) -> Counts {
        self.receiver.counts()
    }

    fn connect(&self) -> Client {
        Client::new(self.address)
    }

    /// Stops it, and checks that nothing was left behind.
    pub fn stop(self) {
        self.stop.send(()).expect("it runs");
        self.thread.join().expect("it ends well");
        let buffers = self.receiver.pools.buffers.statistics();
        assert_eq!(buffers.outstanding(), 0, "{buffers:?}");
    }
}

fn compress(protobuf: &[u8]) -> Vec<u8> {
    support::compress(protobuf, Encoding::Snappy)
}

fn headers(fixture: &Fixture) -> Vec<(&str, &str)> {
    let headers = fixture.headers.iter();
    headers.map(|(name, value)| (name.as_str(), value.as_str())).collect()
}

#[track_caller]
fn assert_taken(answer: &Answer, status: u16, golden: &Golden) {
    assert_eq!((answer.status, answer.body.as_str()), (status, ""), "{answer:?}");
    for name in ["samples", "histograms", "exemplars"] {
        let written = answer.header(&format!("x-prometheus-remote-write-{name}-written"));
        assert_eq!(written, Some(golden.count(name).to_string().as_str()), "{name}");
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
    let running = Running::start(RequestLimits::default());
    let connection = running.connect();
    let mut sums: [u64; 8] = [0; 8];
    for fixture in fixtures::load(RequestKind::RemoteWriteV1) {
        let (golden, headers) = (fixture.golden(), headers(&fixture));
        let path = fixture.path.as_str();
        let status = if path.ends_with("/push") { 200 } else { 204 };
        let answer = connection.post(path, &headers, fixture.body);
        assert_taken(&answer, status, &golden);
        // The same in pieces, to the other path.
        let answer = connection.post_chunked("/api/v1/push", &headers, fixture.body, 1009);
        assert_taken(&answer, 200, &golden);
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
    let page = connection.get("/metrics");
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
        let line = format!("borrowire_{name} {}", values.next().expect("one for each"));
        assert!(page.body.lines().any(|found| found == line), "{line}\n{}", page.body);
    }
    // Clients that send labels out of order are among them.
    let line = "borrowire_violations_total{kind=\"unsorted labels\"} ";
    assert!(page.body.lines().any(|found| found.starts_with(line)), "{}", page.body);
    running.stop();
}

#[test]
fn captured_requests_of_remote_write_v2_are_taken_and_counted() {
    let running = Running::start(RequestLimits::default());
    let connection = running.connect();
    let (mut series, mut samples, mut metadata) = (0, 0, 0);
    for fixture in fixtures::load(RequestKind::RemoteWriteV2) {
        let (golden, headers) = (fixture.golden(), headers(&fixture));
        let answer = connection.post(&fixture.path, &headers, fixture.body);
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
fn what_is_bad_in_remote_write_v2_is_left_out_and_not_counted() {
    let running = Running::start(RequestLimits::default());
    let connection = running.connect();
    let post = |headers: &[(&str, &str)], body: &[u8]| {
        let answer = connection.post("/api/v1/write", headers, &compress(body));
        let written = ["samples", "histograms", "exemplars"].map(|name| {
            let header = format!("x-prometheus-remote-write-{name}-written");
            answer.header(&header).expect("in every answer").to_owned()
        });
        (answer.status, answer.body, written.join(" "))
    };
    let answer = |status, body: &str, written: &str| (status, body.to_owned(), written.to_owned());
    // Two samples; a sample with a bad label; a histogram and an exemplar; a sample and an exemplar
    // with a bad label.
    let table = b"\x22\x00\x22\x08__name__\x22\x02up";
    let good = b"\x2a\x08\x0a\x02\x01\x02\x12\x00\x12\x00";
    let bad = b"\x2a\x06\x0a\x02\x01\x63\x12\x00";
    let other = b"\x2a\x08\x0a\x02\x01\x02\x1a\x00\x22\x00";
    let odd = b"\x2a\x0b\x0a\x02\x01\x02\x12\x00\x22\x03\x0a\x01\x01";

    let all_good = [&table[..], good, other].concat();
    assert_eq!(post(&[SNAPPY, V2], &all_good), answer(204, "", "2 1 1"));
    let body = [&table[..], good, bad, other, odd].concat();
    let line = "1 of 4 series and 1 exemplar left out; \
                the first: series 1: reference 99 names no symbol\n";
    assert_eq!(post(&[SNAPPY, V2], &body), answer(400, line, "3 1 1"));
    let line = "0 of 1 series and 1 exemplar left out; \
                the first: series 0: a label has a name but no value\n";
    assert_eq!(post(&[SNAPPY, V2], &[&table[..], odd].concat()), answer(400, line, "1 0 0"));
    // Symbols that are no text cost the series that use them.
    let line = "1 of 1 series left out; the first: series 0: reference 1 names no symbol\n";
    let body = b"\x22\x00\x22\x01\xff\x2a\x06\x0a\x02\x00\x01\x12\x00";
    assert_eq!(post(&[SNAPPY, V2], body), answer(400, line, "0 0 0"));
    // A fault in the framing costs all.
    let body = [&table[..], good, b"\x2a\x05"].concat();
    let line = "truncated value at byte 27 (field 5)\n";
    assert_eq!(post(&[SNAPPY, V2], &body), answer(400, line, "0 0 0"));
    // The content type alone says which version it is.
    let (old, new) = ("a request of remote write 1.0", "a request of remote write 2.0");
    let other =
        |is: &str, not: &str| answer(400, &format!("the body is {is}, not {not}\n"), "0 0 0");
    assert_eq!(post(&[SNAPPY, PROTOBUF], &all_good), other(new, old));
    let of_old = b"\x0a\x12\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x00";
    assert_eq!(post(&[SNAPPY, V2], of_old), other(old, new));
    let empty = answer(400, "remote write: empty request\n", "0 0 0");
    for headers in [[SNAPPY, PROTOBUF], [SNAPPY, V2]] {
        assert_eq!(post(&headers, b""), empty);
    }
    assert_eq!(post(&[SNAPPY, V2], table), empty);

    let counts = running.receiver.counts();
    assert_eq!((counts.series, counts.samples, counts.histograms, counts.exemplars), (6, 6, 2, 2));
    assert_eq!(counts.errors(), 9);
    assert_eq!(counts.refused.get("empty request"), Some(&3));
    running.stop();
}

#[test]
fn captured_pushes_are_taken_and_counted() {
    let running = Running::start(RequestLimits::default());
    let connection = running.connect();
    let (mut streams, mut entries, mut refused) = (0, 0, 0);
    for fixture in fixtures::load(RequestKind::LokiPush) {
        let (golden, headers) = (fixture.golden(), headers(&fixture));
        let answer = connection.post(&fixture.path, &headers, fixture.body);
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
    let page = connection.get("/metrics");
    for line in [
        format!("borrowire_streams_total {streams}"),
        format!("borrowire_entries_total {entries}"),
        format!("borrowire_refused_total{{kind=\"invalid label name\"}} {refused}"),
        "borrowire_samples_total 0".to_owned(),
    ] {
        assert!(page.body.lines().any(|found| found == line), "{line}\n{}", page.body);
    }
    running.stop();
}

#[test]
fn pushes_are_protobuf_or_json() {
    let running = Running::start(RequestLimits::default());
    let connection = running.connect();
    let post = |headers: &[(&str, &str)], body: &[u8]| {
        let answer = connection.post("/loki/api/v1/push", headers, body);
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
    let none = refused(422, "Loki push: empty request");
    for empty in [&br#"{"streams":[]}"#[..], b"{}", br#"{"streams":null}"#] {
        assert_eq!(post(&[json], empty), none);
    }
    assert_eq!(post(&[PROTOBUF], &compress(b"")), none);
    let answer = connection.get("/loki/api/v1/push");
    assert_eq!((answer.status, answer.header("allow")), (405, Some("POST")));

    let counts = running.receiver.counts();
    assert_eq!((counts.streams, counts.entries, counts.errors()), (4, 4, 9));
    assert_eq!(counts.refused.get("empty request"), Some(&4));
    assert_eq!(counts.answers.get(&422), Some(&4));
    running.stop();
}

#[test]
fn refusals_say_why_and_leave_the_connection_usable() {
    let running = Running::start(RequestLimits::default());
    let connection = running.connect();
    let post =
        |headers: &[(&str, &str)], body: &[u8]| connection.post("/api/v1/write", headers, body);
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

    let answer = connection.get("/api/v1/write");
    assert_refused(&answer, 405, "remote write: method not allowed");
    assert_eq!(answer.header("allow"), Some("POST"));
    let answer = connection.post("/api/v1/query", &[SNAPPY, PROTOBUF], &series);
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
    let limits = RequestLimits {
        max_body_bytes: Some(ByteSize(10_000)),
        max_decompressed_bytes: Some(ByteSize(100_000)),
        ..RequestLimits::default()
    };
    let running = Running::start(limits);
    let zeros = vec![0; 100_001];

    // The header alone is enough: no byte of the body is sent.
    let mut raw = Raw::connect(running.address);
    raw.ask_to_post("/api/v1/write", 10_001);
    let answer = raw.answer();
    assert_eq!(answer[0], "HTTP/1.1 413 Payload Too Large");
    let written = "x-prometheus-remote-write-samples-written: 0";
    assert!(answer.iter().any(|line| line == written), "{answer:?}");

    let connection = running.connect();
    let identity = [("content-encoding", "identity"), PROTOBUF];
    let answer = connection.post_chunked("/api/v1/write", &identity, &zeros[..10_001], 1000);
    assert_refused(&answer, 413, "body over 10000 bytes");

    let answer = connection.post("/api/v1/write", &[SNAPPY, PROTOBUF], &compress(&zeros));
    assert_refused(&answer, 413, "decompressed body over 100000 bytes");
    let zstd = support::compress(&zeros, Encoding::Zstd);
    let headers = [("content-encoding", "zstd"), PROTOBUF];
    let answer = connection.post_chunked("/api/v1/write", &headers, &zstd, 5);
    assert_refused(&answer, 413, "decompressed body over 100000 bytes");
    running.stop();
}

#[test]
fn a_large_request_is_taken_as_any_other() {
    let running = Running::start(RequestLimits::default());
    let series = b"\x0a\x12\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x00";
    let body = series.repeat(200_000);
    let connection = running.connect();
    let headers = [("content-encoding", "identity"), PROTOBUF];
    let answer = connection.post("/api/v1/write", &headers, &body);
    assert_eq!(answer.status, 204, "{answer:?}");
    let counts = running.receiver.counts();
    assert_eq!((counts.series, counts.samples), (200_000, 200_000));
    assert_eq!(counts.received_bytes, body.len() as u64);
    running.stop();
}

#[test]
fn a_sender_that_goes_away_leaves_nothing() {
    let running = Running::start(RequestLimits::default());
    let mut connection = Raw::connect(running.address);
    connection.ask_to_post("/api/v1/write", 1000);
    assert_eq!(connection.answer(), ["HTTP/1.1 100 Continue"]);
    connection.send(&[0; 500]);
    drop(connection);
    // Its buffers are back: that is checked here.
    running.stop();
}

#[test]
fn shutdown_finishes_the_request_in_flight() {
    let running = Running::start(RequestLimits::default());
    let body = compress(b"\x0a\x00\x0a\x00");
    let idle = Raw::connect(running.address);
    let mut connection = Raw::connect(running.address);
    connection.ask_to_post("/api/v1/write", body.len());
    // The receiver asks for the body: the request is in flight.
    assert_eq!(connection.answer(), ["HTTP/1.1 100 Continue"]);

    let Running { address, receiver, stop, thread } = running;
    stop.send(()).expect("it runs");
    while TcpStream::connect(address).is_ok() {
        thread::yield_now(); // until it no longer listens
    }
    connection.send(&body);
    assert_eq!(connection.answer()[0], "HTTP/1.1 204 No Content");
    thread.join().expect("it ends well, though a connection is open");
    drop(idle);
    assert_eq!((receiver.counts().requests(), receiver.counts().series), (1, 2));
}
