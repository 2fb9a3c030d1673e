//! Loki's push.

use borrowire::loki::{DecodeOptions, PushRequest, Rules};
use borrowire::proto::logproto as proto;
use proptest::prelude::*;

use crate::properties::hostile::flood;
use crate::properties::{Cap, Tested, test_every_property};
use crate::support::bytes::loki::{
    entry, metadata, push, push_of, pushes_of_any_bytes, small_bodies, stream,
};
use crate::support::bytes::{Bytes, label};
use crate::support::oracle::loki_push::LokiPush;
use crate::support::{generate, json};

test_every_property!(LokiPush);

const NOW: i64 = 1_700_000_000;

impl Tested for LokiPush {
    const FIXTURES: (&'static str, &'static [(&'static str, usize)]) = (
        "loki",
        &[
            ("loki-canary", 7),
            ("promtail363", 4),
            ("promtail363-badutf8", 1),
            ("tracing-loki", 2),
            ("winstonloki-proto", 2),
        ],
    );

    fn small_bodies() -> Vec<(&'static str, Vec<u8>)> {
        small_bodies().into_iter().chain(pushes_of_any_bytes()).collect()
    }

    fn generated() -> BoxedStrategy<proto::PushRequest> {
        generate::loki_push::push().boxed()
    }

    fn canonical(push: &proto::PushRequest) -> Vec<u8> {
        generate::loki_push::canonical(push)
    }

    fn disordered() -> BoxedStrategy<Vec<u8>> {
        generate::loki_push::disordered().boxed()
    }

    fn floods() -> Vec<Vec<u8>> {
        let with_pair = entry(NOW, 5, "x").raw(metadata(&[("a", "b")]));
        vec![
            flood(Bytes::new().len(2, "loki")).build(),
            flood(Bytes::new().fixed32(99, 1)).build(),
            flood([0x7b, 0x7c]).build(),
            push(&[flood(Bytes::new().len(1, "{}"))]),
            push(&[flood(Bytes::new().varint(3, 7))]),
            push(&[flood(Bytes::new().len(2, entry(NOW, 5, "x")))]),
            push(&[flood(Bytes::new().len(2, with_pair))]),
            push_of(&flood(Bytes::new().len(2, "line"))),
            push_of(&flood(entry(NOW, 5, "line"))),
            push_of(&Bytes::new().len(1, flood(Bytes::new().int(1, 5)))),
            push_of(&flood([0x7b, 0x7c])),
        ]
    }

    fn bodies_of_elements() -> Vec<Vec<u8>> {
        let long = "v".repeat(130);
        let front = entry(NOW, 1, "line");
        let mut bodies = vec![
            [0x0a, 0x00].repeat(9),
            push(&[Bytes::new().raw([0x12, 0x00].repeat(9))]),
            push_of(&Bytes::new().raw([0x1a, 0x00].repeat(9))),
            push_of(&Bytes::new().raw([0x22, 0x00].repeat(9))),
            push_of(&front.clone().raw(metadata(&[("a", "b"); 9]))),
            push_of(&front.clone().raw(metadata(&[("a", &long), ("b", "c"), ("b", &long)]))),
            push_of(&front.clone().len(4, label("a", "b")).len(3, label("a", "b")).len(4, "")),
            push_of(&front.clone().len(3, label("a", "b").varint(9, 1)).len(3, "").len(1, "")),
            push(&[stream("{}", &[front.clone(), front.clone()]), stream("{}", &[front])]),
        ];
        let small = Self::small_bodies().into_iter().flat_map(|(_, body)| body);
        bodies.push(small.chain(bodies.concat()).collect());
        bodies
    }

    fn elements(push: &PushRequest<'_>) -> usize {
        let entries = push.streams().iter().flat_map(|stream| stream.entries());
        push.streams().len()
            + push.entries_len()
            + push.structured_metadata_len()
            + entries.map(|entry| entry.parsed().len()).sum::<usize>()
    }

    fn caps() -> Vec<Vec<Cap<Self>>> {
        let record = push(&[stream("{a=\"b\"}", &[entry(NOW, 1, "line")])]);
        vec![vec![Cap { record, with_max: DecodeOptions::with_max_streams }]]
    }

    fn bad_record() -> Cap<Self> {
        let record = push(&[Bytes::new().len(1, b"\xff")]);
        Cap { record, with_max: DecodeOptions::with_max_streams }
    }

    fn validate(push: &PushRequest<'_>) {
        push.validate(&Rules::new(), |_| {});
    }

    fn to_json(push: &PushRequest<'_>) -> String {
        let mut json = String::new();
        json::loki_push::push_request(&mut json, push);
        json
    }

    fn counts(push: &PushRequest<'_>) -> Vec<(&'static str, usize)> {
        vec![
            ("streams", push.streams().len()),
            ("entries", push.entries_len()),
            ("structured_metadata", push.structured_metadata_len()),
        ]
    }
}
