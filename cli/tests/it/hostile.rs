//! Clients that a receiver must survive, and good ones beside them.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use borrowire::body::Encoding;

use crate::sink::request;
use crate::support::client::{Client, PROTOBUF, Raw, SNAPPY};
use crate::support::compress;
use crate::support::program::Serving;

const WRITE: &str = "/api/v1/write";

/// A small request, as a good client sends it.
fn post_good(client: &Client) -> u16 {
    client.post(WRITE, &[SNAPPY, PROTOBUF], &request(1)).status
}

/// 99 MiB of empty series are 101 kB of gzip; 31 MiB are not too many bytes, but too many series.
#[cfg(target_os = "linux")]
#[test]
fn bombs_cost_little_and_nothing_stays_of_them() {
    let bombs = [(99, "decompressed body over "), (31, "too many elements at byte ")];
    let bombs = bombs
        .map(|(mib, answer)| (compress(&b"\x0a\x00".repeat(mib << 19), Encoding::Gzip), answer));
    let receiver = Serving::start(&[]);
    let good = receiver.connect();
    assert_eq!(post_good(&good), 204);
    let before = receiver.memory_kb("VmRSS");
    let gone_off = AtomicBool::new(false);
    let served = thread::scope(|scope| {
        let good = scope.spawn(|| {
            let mut served = 0;
            while !gone_off.load(Ordering::Relaxed) {
                assert_eq!(post_good(&good), 204);
                served += 1;
            }
            served
        });
        let throw = |(bomb, expected): &(Vec<u8>, &'static str)| {
            let headers = [("content-encoding", "gzip"), PROTOBUF];
            (receiver.connect().post(WRITE, &headers, bomb), *expected)
        };
        let thrown = bombs.iter().cycle().take(6).map(|bomb| scope.spawn(move || throw(bomb)));
        let thrown: Vec<_> = thrown.collect();
        let answers: Vec<_> = thrown.into_iter().map(thread::ScopedJoinHandle::join).collect();
        gone_off.store(true, Ordering::Relaxed);
        for answer in answers {
            let (answer, expected) = answer.unwrap();
            assert_eq!(answer.status, 413);
            assert!(answer.body.starts_with(expected), "{answer:?}");
        }
        good.join().unwrap()
    });
    assert!(served > 0);
    assert_eq!(receiver.metric("borrowire_in_flight_bytes"), 0);
    let (most, now) = (receiver.memory_kb("VmHWM"), receiver.memory_kb("VmRSS"));
    assert!(most < before + 300_000, "{most} kB at most, {before} kB before");
    // The system's allocator keeps some tens of megabytes to itself.
    assert!(now < before + 150_000, "{now} kB stay, {before} kB before");
}

#[test]
fn over_the_budget_of_all_a_request_is_to_come_again() {
    let receiver = Serving::start(&["--max-in-flight-bytes", "2MiB"]);
    let good = receiver.connect();
    // Half of it is held by who does not go on.
    let mut slow = Raw::connect(receiver.address);
    slow.start_to_post(WRITE, 3 << 20);
    slow.send(&vec![0; 1500 << 10]);
    while receiver.metric("borrowire_in_flight_bytes") < 1500 << 10 {
        thread::yield_now();
    }
    let large = vec![0; 1 << 20];
    let answer = good.post(WRITE, &[SNAPPY, PROTOBUF], &large);
    assert_eq!((answer.status, answer.body.as_str()), (503, "overloaded\n"));
    assert_eq!(answer.header("retry-after"), Some("1"));
    drop(slow);
    while receiver.metric("borrowire_in_flight_bytes") > 0 {
        thread::yield_now();
    }
    let answer = receiver.connect().post(WRITE, &[SNAPPY, PROTOBUF], &large);
    assert_eq!(answer.status, 400, "it is looked at: {answer:?}");
    assert_eq!(post_good(&receiver.connect()), 204);
}

#[test]
fn a_tenant_has_limits_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let tenants = folder.path().join("tenants.json");
    std::fs::write(&tenants, r#"{"small": {"max-series": 3}, "large": {"max-series": 100}}"#)
        .unwrap();
    let arguments = ["--tenants", tenants.to_str().unwrap(), "--max-series", "7"];
    let receiver = Serving::start(&arguments);
    let client = receiver.connect();
    // It has eight series.
    for (tenant, status) in [("small", 413), ("other", 413), ("large", 204)] {
        let headers = [SNAPPY, PROTOBUF, ("x-scope-orgid", tenant)];
        assert_eq!(client.post(WRITE, &headers, &request(1)).status, status, "{tenant}");
    }
}

#[test]
fn who_is_slow_is_given_up_and_keeps_nobody_waiting() {
    let receiver = Serving::start(&["--head-timeout", "1", "--body-timeout", "1"]);
    let good = receiver.connect();
    let connect = |sent: &[u8]| {
        let mut raw = Raw::connect(receiver.address);
        raw.send(sent);
        raw
    };
    let mut idle: Vec<_> = (0..50).map(|_| connect(b"")).collect();
    let half_a_head = b"POST /api/v1/write HTTP/1.1\r\nhost: ";
    idle.extend((0..50).map(|_| connect(half_a_head)));
    let half_a_body = b"POST /api/v1/write HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n1";
    let mut slow: Vec<_> = (0..50).map(|_| connect(half_a_body)).collect();
    assert_eq!(post_good(&good), 204);
    for connection in &mut idle {
        connection.wait_for_end();
    }
    for connection in &mut slow {
        assert_eq!(connection.answer()[0], "HTTP/1.1 408 Request Timeout");
    }
    assert_eq!(post_good(&receiver.connect()), 204);
    assert_eq!(receiver.metric("borrowire_refused_total{kind=\"sender too slow\"}"), 50);
}

#[test]
fn a_body_that_is_too_large_is_refused_before_it_comes() {
    let receiver = Serving::start(&["--max-body-bytes", "1MB"]);
    let mut raw = Raw::connect(receiver.address);
    raw.start_to_post(WRITE, 1_000_001);
    let answer = raw.answer();
    assert_eq!(answer[0], "HTTP/1.1 413 Payload Too Large");
    assert!(answer.iter().any(|line| line == "connection: close"), "{answer:?}");
    assert_eq!(receiver.metric("borrowire_refused_total{kind=\"body too large\"}"), 1);
}

#[test]
fn heads_that_others_may_read_differently_are_refused_and_counted() {
    let receiver = Serving::start(&[]);
    let client = receiver.connect();
    for tenant in ["../../etc", ".", "..", "a/b", "a b", "a|b", "", &"a".repeat(151)] {
        let headers = [SNAPPY, PROTOBUF, ("x-scope-orgid", tenant)];
        let answer = client.post(WRITE, &headers, &request(1));
        assert_eq!((answer.status, answer.body.as_str()), (400, "invalid tenant\n"), "{tenant}");
    }
    let tenants = [("x-scope-orgid", "a"), ("x-scope-orgid", "b")];
    let answer = client.post(WRITE, &[SNAPPY, PROTOBUF, tenants[0], tenants[1]], &request(1));
    assert_eq!((answer.status, answer.body.as_str()), (400, "invalid tenant\n"));
    assert_eq!(receiver.metric("borrowire_refused_total{kind=\"invalid tenant\"}"), 9);

    for (head, status) in [
        ("POST /api/v1/write HTTP/1.1\r\n", "HTTP/1.1 400 Bad Request"),
        ("POST /api/v1/write HTTP/1.1\r\nhost: a\r\nhost: b\r\n", "HTTP/1.1 400 Bad Request"),
        ("POST /api/v1/write HTTP/1.0\r\n", "HTTP/1.0 204 No Content"),
        ("POST /api/v1/write HTTP/1.1\r\nhost: a\r\n", "HTTP/1.1 204 No Content"),
    ] {
        let mut raw = Raw::connect(receiver.address);
        raw.send(format!("{head}content-length: 2\r\n\r\n\x0a\x00").as_bytes());
        assert_eq!(raw.answer()[0], status, "{head}");
    }
    let host = "borrowire_refused_total{kind=\"missing or ambiguous host\"}";
    assert_eq!(receiver.metric(host), 2);
}
