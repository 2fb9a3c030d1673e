//! Bodies of clients, and any bodies.

use std::collections::BTreeMap;

use borrowire::convert::remote_write::{ToV1, ToV2};
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::Request;
use proptest::collection::vec;
use proptest::prelude::*;

use super::{entry, meta};
use crate::support::bytes::v2::refs;
use crate::support::bytes::{self, Bytes, label, sample};
use crate::support::oracle::convert::Used;
use crate::support::{fixtures, oracle};

#[test]
fn captured_bodies_of_1_convert_with_equal_series() {
    let mut used = Used::default();
    let mut losses = BTreeMap::new();
    for fixture in fixtures::of("remote-write-v1") {
        let request = WriteRequest::decode(&fixture.body).unwrap();
        oracle::convert::from_v1(&request, &mut used);
        ToV2::new().convert(&request, |loss| *losses.entry(loss.as_str()).or_insert(0) += 1);
    }
    // Prometheus sends metadata apart from series, and some that says nothing.
    let expected =
        [("conflicting metadata", 1), ("empty metadata", 46), ("metadata without series", 1774)];
    assert_eq!(losses, BTreeMap::from(expected));
}

#[test]
fn captured_bodies_of_2_convert_with_equal_series() {
    let mut used = Used::default();
    let mut entries = 0;
    for fixture in fixtures::of("remote-write-v2") {
        let request = Request::decode(&fixture.body).unwrap();
        oracle::convert::from_v2(&request, &mut used);
        let mut to_v1 = ToV1::new();
        entries += to_v1.convert(&request, |loss| panic!("{loss}")).metadata().len();
    }
    assert_eq!(entries, 2238);
}

#[test]
fn small_bodies_convert_in_every_way() {
    let mut used = Used::default();
    for (_, body) in bytes::small_bodies() {
        oracle::convert::from_v1(&WriteRequest::decode(&body).unwrap(), &mut used);
    }
    for (_, body) in bytes::v2::small_bodies() {
        let request = Request::decode(&body).unwrap();
        oracle::convert::from_v2(&request, &mut used);
    }
}

/// Names that are each other's families, and some that are not.
const NAMES: [&str; 12] = [
    "",
    "__name__",
    "a",
    "a_sum",
    "a_count",
    "a_bucket",
    "a_gcount",
    "a_sum_sum",
    "b",
    "_sum",
    "job",
    "help",
];

fn name() -> impl Strategy<Value = usize> {
    0..NAMES.len()
}

/// What a series has in both versions, but for its labels and exemplars: fields 2 and `histograms`.
fn values(histograms: u32) -> impl Strategy<Value = Bytes> {
    let start = || prop_oneof![4 => Just(0_i64), 1 => Just(-1), 1 => 1_i64..9];
    let sample = start().prop_map(|start| Bytes::new().len(2, sample(1.0, 2).int(3, start)));
    let histogram = start().prop_map(move |start| {
        Bytes::new().len(histograms, Bytes::new().varint(1, 3).int(15, 4).int(17, start))
    });
    let created = start().prop_map(|start| Bytes::new().int(6, start));
    let part = prop_oneof![4 => sample, 1 => histogram, 1 => created];
    vec(part, 0..3).prop_map(|parts| parts.iter().fold(Bytes::new(), Bytes::raw))
}

fn metric_type() -> impl Strategy<Value = u64> {
    prop_oneof![2 => Just(0), 3 => 3_u64..6, 1 => Just(1)]
}

fn body_of_1() -> impl Strategy<Value = Vec<u8>> {
    let labels = |number: u32, labels: Vec<(usize, usize)>| {
        labels.into_iter().fold(Bytes::new(), |bytes, (name, value)| {
            bytes.len(number, label(NAMES[name], NAMES[value]))
        })
    };
    let exemplar = vec((name(), name()), 0..2)
        .prop_map(move |pairs| Bytes::new().len(3, labels(1, pairs).double(2, 0.5)));
    let series = (name(), vec((name(), name()), 0..3), values(4), vec(exemplar, 0..2));
    let series = series.prop_map(move |(metric, pairs, values, exemplars)| {
        let named = Bytes::new().len(1, label("__name__", NAMES[metric]));
        let series = named.raw(labels(1, pairs)).raw(values);
        Bytes::new().len(1, exemplars.iter().fold(series, Bytes::raw))
    });
    let help = prop_oneof![Just(""), Just("help"), Just("other")];
    let entry = (metric_type(), name(), help).prop_map(|(metric_type, name, help)| {
        Bytes::new().len(3, entry(metric_type, NAMES[name], help))
    });
    let unknown = Just(Bytes::new().varint(77, 1));
    vec(prop_oneof![8 => series, 8 => entry, 1 => unknown], 0..20)
        .prop_map(|fields| fields.iter().fold(Bytes::new(), Bytes::raw).build())
}

fn body_of_2() -> impl Strategy<Value = Vec<u8>> {
    let reference = || name().prop_map(|name| name as u32);
    let pairs = || vec((reference(), reference()), 0..3);
    let flat = |pairs: &[(u32, u32)]| {
        refs(&pairs.iter().flat_map(|&(name, value)| [name, value]).collect::<Vec<_>>())
    };
    let exemplar = pairs().prop_map(move |pairs| Bytes::new().len(4, flat(&pairs).double(2, 0.5)));
    let metadata = prop_oneof![
        1 => Just(Bytes::new()),
        4 => (metric_type(), prop_oneof![Just(0_u64), Just(10), Just(11)])
            .prop_map(|(metric_type, help)| Bytes::new().len(5, meta(metric_type, help))),
    ];
    let series = (reference(), pairs(), values(3), vec(exemplar, 0..2), metadata).prop_map(
        move |(metric, pairs, values, exemplars, metadata)| {
            let labels = [&[(1, metric)], &pairs[..]].concat();
            exemplars.iter().fold(flat(&labels).raw(values), Bytes::raw).raw(metadata)
        },
    );
    vec(series, 0..12).prop_map(|series| bytes::v2::request(&NAMES, &series))
}

proptest! {
    #[test]
    fn any_request_of_1_converts_there_and_back(bodies in vec(body_of_1(), 1..4)) {
        let mut used = Used::default();
        for body in &bodies {
            oracle::convert::from_v1(&WriteRequest::decode(body).unwrap(), &mut used);
        }
    }

    #[test]
    fn any_request_of_2_converts(bodies in vec(body_of_2(), 1..4)) {
        let mut used = Used::default();
        for body in &bodies {
            let request = Request::decode(body).unwrap();
            oracle::convert::from_v2(&request, &mut used);
        }
    }
}
