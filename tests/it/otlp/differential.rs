//! The same bytes read by this crate and by prost: what clients sent, whole, cut, and with changes.

use proptest::prelude::*;

use crate::support::bytes::Bytes;
use crate::support::oracle::otlp::{OtlpLogs, OtlpMetrics};
use crate::support::oracle::{Subject, Used, check, read};
use crate::support::{fixtures, generate};

fn captured(message: &str) -> Vec<Vec<u8>> {
    let bodies = fixtures::of(message).map(|fixture| fixture.body.clone());
    bodies.filter(|body| body.len() < 10_000).collect()
}

/// Bodies of few bytes with messages in all forms: nested values, merged ones, both orders.
fn small() -> Vec<Vec<u8>> {
    let text = |value: &str| Bytes::new().len(1, value);
    let list = Bytes::new().len(5, Bytes::new().len(1, text("a")).len(1, "").len(1, text("é")));
    let pairs = Bytes::new().len(6, Bytes::new().len(1, Bytes::new().len(2, &list).len(1, "k")));
    let values = [
        text("v"),
        Bytes::new().varint(2, 1),
        Bytes::new().int(3, 300),
        Bytes::new().double(4, -0.5),
        list.clone().raw(&list),
        pairs,
        Bytes::new().len(7, [0xff]),
        Bytes::new(),
    ];
    let forward = values.iter().fold(Bytes::new(), |record, value| {
        record.len(6, Bytes::new().len(1, "key").len(2, value))
    });
    let backward = values.iter().fold(Bytes::new(), |record, value| {
        record.len(6, Bytes::new().len(2, value).len(1, "key"))
    });
    let record = forward.raw(&backward).len(5, list).len(9, [7; 16]).len(10, [7; 8]).varint(99, 1);
    let point = values.iter().fold(Bytes::new().double(4, 1.0), |point, value| {
        point.len(7, Bytes::new().len(1, "key").len(2, value))
    });
    let point = point.len(5, Bytes::new().double(3, 1.0).len(5, [1; 16]).len(7, "")).varint(8, 1);
    let histogram = Bytes::new()
        .len(6, [0; 16])
        .packed_doubles(7, &[1.0])
        .len(8, Bytes::new().sint(1, -2).len(2, [1, 2]))
        .len(1, Bytes::new().len(1, "k"));
    let metric = Bytes::new().len(1, "name").len(12, Bytes::new().len(1, "k"));
    let data = |field, point: &Bytes| metric.clone().len(field, Bytes::new().len(1, point));
    let in_scope = |child: &Bytes| {
        let scope = Bytes::new().len(1, Bytes::new().len(1, "scope")).len(2, child).len(2, child);
        let resource = Bytes::new().len(1, Bytes::new().len(1, "k")).varint(2, 3);
        Bytes::new().len(1, Bytes::new().len(2, scope).len(1, resource).len(3, "url")).build()
    };
    let mut bodies = vec![in_scope(&record), in_scope(&data(5, &point).len(7, ""))];
    bodies.extend([5, 7, 9, 10, 11].map(|field| in_scope(&data(field, &point))));
    bodies.extend([9, 10, 11].map(|field| in_scope(&data(field, &histogram))));
    bodies
}

fn all<S: Subject>(message: &str) {
    let mut used = Used::<S>::default();
    for body in captured(message) {
        check::<S>(&body, &mut used).unwrap();
    }
    // Either signal reads the bodies of both.
    for body in small() {
        let _ = check::<S>(&body, &mut used);
        for cut in 0..body.len() {
            let _ = read::<S>(&body[..cut], &mut used);
        }
        for at in 0..body.len() {
            let mut flipped = body.clone();
            flipped[at] ^= 1 << (at % 8);
            let _ = read::<S>(&flipped, &mut used);
        }
    }
    let small = prop::sample::select([small(), captured(message)].concat());
    let used = std::cell::RefCell::new(used);
    proptest!(ProptestConfig::with_cases(600), |(body in generate::mutated(small))| {
        let _ = check::<S>(&body, &mut used.borrow_mut());
    });
}

#[test]
fn metrics_are_read_as_prost_reads_them() {
    all::<OtlpMetrics>("otlp-metrics");
}

#[test]
fn logs_are_read_as_prost_reads_them() {
    all::<OtlpLogs>("otlp-logs");
}
