//! Random pushes, and random wire bytes that are shaped like pushes.

use borrowire::proto::logproto as proto;
use proptest::collection::vec;
use proptest::prelude::*;
use prost_types::Timestamp;

use super::{int, message, nested, string, text, text_field, varint_bytes};
use crate::support::bytes::{self, Bytes};

fn seconds() -> impl Strategy<Value = i64> {
    prop_oneof![
        6 => 1_600_000_000_i64..1_900_000_000,
        1 => any::<i64>(),
        1 => -200_i64..200,
        1 => prop::sample::select(&[-62_135_596_801, -62_135_596_800, 253_402_300_799, 253_402_300_800][..]),
        // Every length of a varint, from both sides.
        2 => (0_u32..63, any::<bool>()).prop_map(|(bits, less)| (1_i64 << bits) - i64::from(less)),
    ]
}

fn nanos() -> impl Strategy<Value = i32> {
    prop_oneof![
        4 => 0_i32..1_000_000_000,
        1 => Just(0),
        1 => any::<i32>(),
        2 => (0_u32..31, any::<bool>()).prop_map(|(bits, less)| (1_i32 << bits) - i32::from(less)),
    ]
}

pub fn timestamp() -> impl Strategy<Value = Timestamp> {
    (seconds(), nanos()).prop_map(|(seconds, nanos)| Timestamp { seconds, nanos })
}

/// A line that is text.
pub fn line() -> impl Strategy<Value = String> {
    prop_oneof![4 => "[ -~]{1,200}", 2 => text(), 1 => Just(String::new())]
}

pub fn pair() -> impl Strategy<Value = proto::LabelPairAdapter> {
    (text(), text()).prop_map(|(name, value)| proto::LabelPairAdapter { name, value })
}

fn entry() -> impl Strategy<Value = proto::EntryAdapter> {
    let parsed = prop_oneof![3 => Just(vec![]), 1 => vec(pair(), 0..4)];
    (prop::option::weighted(0.9, timestamp()), line(), vec(pair(), 0..5), parsed).prop_map(
        |(timestamp, line, structured_metadata, parsed)| proto::EntryAdapter {
            timestamp,
            line,
            structured_metadata,
            parsed,
        },
    )
}

fn stream() -> impl Strategy<Value = proto::StreamAdapter> {
    (text(), vec(entry(), 0..6), prop_oneof![2 => Just(0_u64), 1 => any::<u64>()])
        .prop_map(|(labels, entries, hash)| proto::StreamAdapter { labels, entries, hash })
}

/// Any push, every field filled with anything.
pub fn push() -> impl Strategy<Value = proto::PushRequest> {
    let format = prop_oneof![3 => Just(String::new()), 1 => text()];
    (vec(stream(), 0..6), format)
        .prop_map(|(streams, format)| proto::PushRequest { streams, format })
}

/// The canonical bytes of `push`: fields in order, defaults left out, messages not.
pub fn canonical(push: &proto::PushRequest) -> Vec<u8> {
    let streams = push.streams.iter().fold(Bytes::new(), |bytes, stream| {
        let content = string(Bytes::new(), 1, &stream.labels);
        let content = stream
            .entries
            .iter()
            .fold(content, |content, entry| content.len(2, entry_bytes(entry)));
        bytes.len(1, if stream.hash == 0 { content } else { content.varint(3, stream.hash) })
    });
    string(streams, 2, &push.format).build()
}

fn entry_bytes(entry: &proto::EntryAdapter) -> Bytes {
    let bytes = match &entry.timestamp {
        None => Bytes::new(),
        Some(Timestamp { seconds, nanos }) => {
            Bytes::new().len(1, int(int(Bytes::new(), 1, *seconds), 2, i64::from(*nanos)))
        }
    };
    let bytes = string(bytes, 2, &entry.line);
    let pairs = |bytes: Bytes, field, pairs: &[proto::LabelPairAdapter]| {
        pairs.iter().fold(bytes, |bytes, pair| {
            bytes.len(field, string(string(Bytes::new(), 1, &pair.name), 2, &pair.value))
        })
    };
    pairs(pairs(bytes, 3, &entry.structured_metadata), 4, &entry.parsed)
}

/// Fields in any order and any number, known and unknown: a push as no client would write it, with
/// lines that are text but for a few.
pub fn disordered() -> impl Strategy<Value = Vec<u8>> {
    let pair = || message(vec![text_field(1), text_field(2)], 0..4);
    let time = || message(vec![varint_bytes(1), varint_bytes(2)], 0..4);
    let line = || {
        let any_bytes = vec(any::<u8>(), 0..9).prop_map(|line| Bytes::new().len(2, line));
        let line = line().prop_map(|line| Bytes::new().len(2, line));
        prop_oneof![30 => line, 1 => any_bytes].boxed()
    };
    // What comes in front of the others in nearly every entry, here anywhere.
    let usual = (timestamp(), line())
        .prop_map(|(Timestamp { seconds, nanos }, line)| {
            Bytes::new().len(1, bytes::loki::timestamp(seconds, nanos.into())).raw(line)
        })
        .boxed();
    let fields = vec![
        usual.clone(),
        nested(1, time()),
        line(),
        nested(3, pair()),
        nested(3, pair()),
        nested(4, pair()),
        nested(4, pair()),
    ];
    let entry = prop_oneof![
        message(fields.clone(), 0..8),
        (usual, message(fields, 0..8)).prop_map(|(usual, rest)| usual.raw(rest)),
    ]
    .boxed();
    let stream = message(
        vec![text_field(1), nested(2, entry.clone()), nested(2, entry), varint_bytes(3)],
        0..8,
    );
    let push = vec![nested(1, stream.clone()), nested(1, stream), text_field(2)];
    message(push, 0..6).prop_map(Bytes::build)
}
