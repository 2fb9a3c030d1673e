//! Splitting by shard, by size, to replicas, and merging again.

use borrowire::loki::PushRequest;
use borrowire::remote_write::v1::{DecodeOptions, Record, WriteRequest};
use borrowire::remote_write::v2::Written;
use borrowire::remote_write::{Extensions, RecordKind, RequestSource};
use borrowire::shard::{MergeErrorKind, Merger, Splitter};
use borrowire::{DecodeErrorKind, Encode};

use crate::support::bytes::{self, Bytes, series};
use crate::support::oracle::remote_write_v1::RemoteWriteV1;
use crate::support::oracle::split::check;

fn named(name: &str) -> Bytes {
    series(&[("__name__", name)], &[(1.0, 1_700_000_000_000)])
}

/// Series with unknown fields and flags of the request, as Mimir's distributor may hold it.
fn mixed() -> Vec<u8> {
    Bytes::new()
        .len(1, named("a").varint(99, 7))
        .varint(2, 1)
        .len(1, named("b").len(98, "unknown"))
        .len(3, Bytes::new().varint(1, 1).len(2, "a").fixed32(97, 5))
        .varint(1000, 1)
        .len(1, named("c"))
        .len(50, "of the request itself")
        .len(3, Bytes::new().len(2, "b"))
        .build()
}

fn parts(body: &[u8], shard_of: impl FnMut(Record<'_, '_>) -> u32) -> Vec<(u32, Vec<u8>)> {
    let request = WriteRequest::decode(body).unwrap();
    let mut splitter = Splitter::new();
    let prepared = splitter.prepare(&request).with_extensions(request.extensions());
    let mut split = prepared.split(shard_of);
    split.parts().map(|(shard, part)| (shard, part.encode_to_vec().unwrap())).collect()
}

#[test]
fn records_are_copied_and_fields_are_in_every_part() {
    let parts = parts(&mixed(), |record| match record {
        Record::TimeSeries(series) if series.metric_name() == Some("b") => 9,
        Record::TimeSeries(_) => 2,
        Record::Metadata(metadata) if metadata.metric_family_name == "a" => 2,
        Record::Metadata(_) => 5,
    });
    let source = Bytes::new().varint(2, 1);
    let flag = Bytes::new().varint(1000, 1);
    let series = |series: Bytes| Bytes::new().len(1, series);
    let two = series(named("a").varint(99, 7))
        .len(1, named("c"))
        .raw(&source)
        .len(3, Bytes::new().varint(1, 1).len(2, "a").fixed32(97, 5))
        .raw(&flag);
    let five = source.clone().len(3, Bytes::new().len(2, "b")).raw(&flag);
    let nine = series(named("b").len(98, "unknown")).raw(&source).raw(&flag);
    assert_eq!(parts, [(2, two.build()), (5, five.build()), (9, nine.build())]);
}

#[test]
fn fields_are_the_callers_or_none() {
    let body = mixed();
    let request = WriteRequest::decode(&body).unwrap();
    let mut splitter = Splitter::new();
    let mut split = splitter.split_by_position(&request, |_| 0);
    let part = split.parts().next().unwrap().1.encode_to_vec().unwrap();
    let part = WriteRequest::decode(&part).unwrap();
    assert_eq!(part.extensions(), Extensions::new());

    let own = Extensions::new().with_source(RequestSource::RULE).with_discard_out_of_order(true);
    // They count: with a byte less there is no room for the shortest record.
    let record = request.raw_timeseries(2).unwrap().len();
    for (max_bytes, fitting) in [(record + 5, 1), (record + 4, 0)] {
        let prepared = splitter.prepare(&request).with_extensions(own).with_max_bytes(max_bytes);
        let mut split = prepared.split(|record| match record {
            Record::TimeSeries(series) if series.metric_name() == Some("c") => 1,
            _ => 0,
        });
        let of_one: Vec<_> = split.parts().filter(|(shard, _)| *shard == 1).collect();
        assert_eq!(of_one.len(), fitting);
        for (_, part) in of_one {
            assert_eq!(part.encoded_len(), max_bytes);
            let part = part.encode_to_vec().unwrap();
            assert_eq!(WriteRequest::decode(&part).unwrap().extensions(), own);
        }
    }
}

#[test]
fn nothing_makes_no_parts() {
    for body in [&[][..], &Bytes::new().varint(2, 1).len(50, "unknown").build()] {
        let request = WriteRequest::decode(body).unwrap();
        let mut splitter = Splitter::new();
        let mut split = splitter.split(&request, |_| unreachable!());
        assert_eq!((split.parts().count(), split.ranges().count(), split.encoded_len()), (0, 0, 0));
        assert_eq!(split.encode_all(&mut []), Ok(0));
    }
    // And metadata alone makes some.
    let metadata = Bytes::new().len(3, Bytes::new().len(2, "m")).build();
    assert_eq!(parts(&metadata, |_| 7), [(7, metadata)]);
}

#[test]
fn sizes_are_exact() {
    let body = bytes::request(&[named("a"), named("b"), named("c"), named(&"x".repeat(100))]);
    let request = WriteRequest::decode(&body).unwrap();
    let len = request.raw_timeseries(0).unwrap().len();
    let mut splitter = Splitter::new();
    let mut lens = |max_bytes: usize| {
        let mut split = splitter.split_by_size(&request, max_bytes);
        let oversized: Vec<_> =
            split.oversized().map(|one| (one.kind, one.index, one.part_len)).collect();
        (split.parts().map(|(_, part)| part.encoded_len()).collect::<Vec<_>>(), oversized)
    };
    let long = request.raw_timeseries(3).unwrap().len();
    let over = |index, len| (RecordKind::TimeSeries, index, len);
    assert_eq!(lens(body.len()), (vec![body.len()], vec![]));
    assert_eq!(lens(body.len() - 1), (vec![3 * len, long], vec![]));
    assert_eq!(lens(2 * len), (vec![2 * len, len], vec![over(3, long)]));
    assert_eq!(lens(2 * len - 1), (vec![len; 3], vec![over(3, long)]));
    assert_eq!(lens(len), (vec![len; 3], vec![over(3, long)]));
    let none = vec![over(0, len), over(1, len), over(2, len), over(3, long)];
    assert_eq!(lens(len - 1), (vec![], none.clone()));
    assert_eq!(lens(0), (vec![], none));
}

#[test]
fn metadata_has_a_part_of_its_own_where_there_is_no_room() {
    let metadata = Bytes::new().len(2, "family");
    let body = Bytes::new().len(1, named("a")).len(3, &metadata).len(3, &metadata).build();
    let request = WriteRequest::decode(&body).unwrap();
    let (series, entry) =
        (request.raw_timeseries(0).unwrap().len(), request.raw_metadata(0).unwrap().len());
    let mut splitter = Splitter::new();
    for (max_bytes, lens) in [
        (body.len(), vec![body.len()]),
        (body.len() - 1, vec![series + entry, entry]),
        (series, vec![series, 2 * entry]),
    ] {
        let mut split = splitter.split_by_size(&request, max_bytes);
        let parts: Vec<_> = split.parts().map(|(_, part)| part.encoded_len()).collect();
        assert_eq!(parts, lens, "at most {max_bytes} bytes");
    }
}

#[test]
fn replicas_go_to_all_and_to_none() {
    let body = bytes::request(&[named("a"), named("b"), named("c")]);
    let request = WriteRequest::decode(&body).unwrap();
    let mut splitter = Splitter::new();
    let mut at = 0..;
    let shards: [&[u32]; 3] = [&[1, 0, 1, 1], &[], &[1]];
    let mut split = splitter.replicate(&request, |_| shards[at.next().unwrap()].iter().copied());
    let parts: Vec<_> = split
        .parts()
        .map(|(shard, part)| (shard, part.records_len(), part.encode_to_vec().unwrap()))
        .collect();
    let raw = |at| request.raw_timeseries(at).unwrap();
    assert_eq!(parts, [(0, 1, raw(0).to_vec()), (1, 2, [raw(0), raw(2)].concat())]);

    // A filter is a replica or none.
    let mut split = splitter.replicate(&request, |record| match record {
        Record::TimeSeries(series) => (series.metric_name() != Some("b")).then_some(0),
        Record::Metadata(_) => None,
    });
    let kept = split.parts().next().unwrap().1.encode_to_vec().unwrap();
    assert_eq!(kept, [raw(0), raw(2)].concat());
}

#[test]
fn requests_without_a_body_are_encoded() {
    let body = bytes::request(&[named("a"), named("b"), named("c")]);
    let body = Bytes::new().raw(body).len(3, Bytes::new().len(2, "m")).build();
    let prost: borrowire::proto::prometheus::WriteRequest =
        prost::Message::decode(&body[..]).unwrap();
    let (decoded, converted) =
        (WriteRequest::decode(&body).unwrap(), WriteRequest::from_prost(&prost));
    let encoded = |request: &WriteRequest<'_>| {
        let mut splitter = Splitter::new();
        let prepared = splitter.prepare(request).with_max_bytes(60);
        let mut split = prepared.replicate(|_| [3, 1]);
        let parts: Vec<_> =
            split.parts().map(|(shard, part)| (shard, part.encode_to_vec().unwrap())).collect();
        let mut all = vec![0; split.encoded_len()];
        split.encode_all(&mut all).unwrap();
        assert_eq!(all, parts.iter().flat_map(|(_, part)| part.clone()).collect::<Vec<_>>());
        parts
    };
    assert_eq!(encoded(&converted), encoded(&decoded));
    assert_eq!(encoded(&decoded).len(), 2 * 3);

    let json = br#"{"streams":[{"stream":{"a":"b"},"values":[["1","x"]]},{"stream":{"c":"d"},"values":[["2","y"]]}]}"#;
    let mut scratch = borrowire::loki::json::JsonScratch::new();
    let push = PushRequest::decode_json(json, &mut scratch).unwrap();
    let mut splitter = Splitter::new();
    let mut split = splitter.split(&push, |stream| u32::from(stream.labels() == r#"{a="b"}"#));
    let parts: Vec<_> = split.parts().map(|(_, part)| part.encode_to_vec().unwrap()).collect();
    let labels: Vec<_> = parts
        .iter()
        .map(|part| PushRequest::decode(part).unwrap().streams().get(0).unwrap().labels())
        .collect();
    assert_eq!(labels, [r#"{c="d"}"#, r#"{a="b"}"#]);
}

#[test]
fn a_format_is_the_callers_or_none() {
    let streams = bytes::loki::push(&[bytes::loki::stream(r#"{a="b"}"#, &[]); 1]);
    let body = Bytes::new().raw(&streams).len(2, "otlp").build();
    let push = PushRequest::decode(&body).unwrap();
    let mut splitter = Splitter::new();
    let mut split = splitter.split(&push, |_| 0);
    assert_eq!(split.parts().next().unwrap().1.encode_to_vec().unwrap(), streams);
    for format in [push.format(), "own"] {
        let mut split = splitter.prepare(&push).with_extensions(format).split(|_| 0);
        let part = split.parts().next().unwrap().1.encode_to_vec().unwrap();
        assert_eq!(part, Bytes::new().raw(&streams).len(2, format).build());
    }
}

#[test]
fn metadata_goes_where_there_is_room() {
    // Series records of 26 bytes, entries of 5 and of 7.
    let series = ["a", "b", "c"].map(|name| Bytes::new().len(1, named(name)).build());
    let [short, long] = ["m", "abc"].map(|name| Bytes::new().len(3, Bytes::new().len(2, name)));
    let (short, long) = (short.build(), long.build());
    let (one, s, l) = (series[0].len(), short.len(), long.len());
    let body = [&series.concat()[..], &short, &long, &short].concat();
    let request = WriteRequest::decode(&body).unwrap();
    let mut splitter = Splitter::new();
    let mut lens = |max_bytes: usize| -> Vec<usize> {
        let mut split = splitter.split_by_size(&request, max_bytes);
        let parts: Vec<_> = split.parts().map(|(_, part)| part.encode_to_vec().unwrap()).collect();
        let again = parts.iter().map(|part| WriteRequest::decode(part).unwrap().metadata().len());
        assert_eq!(again.sum::<usize>(), 3);
        assert!(parts.iter().all(|part| part.len() <= max_bytes));
        parts.iter().map(Vec::len).collect()
    };
    assert_eq!(lens(body.len()), [body.len()]);
    // The last part has most room, and all of them some in the end.
    assert_eq!(lens(2 * one + s), [2 * one, one + 2 * s + l]);
    assert_eq!(lens(one + l), [one + s, one + l, one + s]);
    assert_eq!(lens(one + s), [one + s, one + s, one, l]);
    assert_eq!(lens(one), [one, one, one, 2 * s + l]);
}

#[test]
fn a_part_tells_what_is_in_it() {
    let body = Bytes::new()
        .len(1, series(&[("__name__", "a")], &[(1.0, 1), (2.0, 2)]))
        .len(1, series(&[("__name__", "b")], &[(1.0, 1)]).len(4, "").len(4, "").len(3, ""))
        .len(3, Bytes::new().len(2, "m"))
        .build();
    let request = WriteRequest::decode(&body).unwrap();
    let mut splitter = Splitter::new();
    let mut split = splitter.split_by_position(&request, |at| at as u32);
    let written: Vec<_> = split.parts().map(|(_, part)| Written::from(&part)).collect();
    assert_eq!(written, [Written::new(2, 0, 0), Written::new(1, 2, 1), Written::default()]);
    let mut all = Written::from(&request);
    for (_, part) in split.parts() {
        all.reject(&part);
    }
    assert_eq!(all, Written::default());
}

#[test]
fn what_partial_mode_left_out_goes_nowhere() {
    let bad = series(&[("__name__", "bad")], &[]).len(1, bytes::label("a", b"\xff"));
    let body = bytes::request(&[named("a"), bad, named("c")]);
    let options = DecodeOptions::new().with_partial(true);
    let request = WriteRequest::decode_with(&body, &options).unwrap();
    let mut splitter = Splitter::new();
    let mut split = splitter.split_by_position(&request, |_| 0);
    let part = split.parts().next().unwrap().1.encode_to_vec().unwrap();
    assert_eq!(part, bytes::request(&[named("a"), named("c")]));
}

/// As everything that is reported, by the position in the body.
#[test]
fn what_is_too_large_counts_in_the_body() {
    let bad = Bytes::new().len(1, Bytes::new().len(1, b"\xff").len(2, "x"));
    let body = bytes::request(&[named("a"), bad, named("b"), named(&"x".repeat(100))]);
    let options = DecodeOptions::new().with_partial(true);
    let request = WriteRequest::decode_with(&body, &options).unwrap();
    assert_eq!((request.timeseries().len(), request.skipped()[0].index), (3, 1));
    let mut splitter = Splitter::new();
    let split = splitter.split_by_size(&request, 60);
    let oversized: Vec<_> = split.oversized().map(|one| one.index).collect();
    assert_eq!(oversized, [3]);
    assert_eq!(request.index_of(RecordKind::TimeSeries, 3), Some(2));
}

#[test]
fn debug_shows_counts_only() {
    let body = mixed();
    let request = WriteRequest::decode(&body).unwrap();
    let mut splitter = Splitter::new();
    let mut split = splitter.split_by_position(&request, |_| 4);
    let (_, part) = split.parts().next().unwrap();
    assert_eq!(format!("{part:?}"), "Part { shard: 4, records: 5, bytes: 136 }");
    assert_eq!(format!("{split:?}"), "Split { parts: 1, oversized: 0, .. }");
    let expected = format!("Splitter {{ capacity_bytes: {}, .. }}", splitter.capacity_bytes());
    assert_eq!(format!("{splitter:?}"), expected);
}

#[test]
fn merging_is_concatenation() {
    let (one, two) = (bytes::request(&[named("a")]), bytes::request(&[named("b"), named("c")]));
    let two = Bytes::new().raw(two).len(3, Bytes::new().len(2, "m")).len(50, "unknown").build();
    let mut merger = Merger::<WriteRequest<'_>>::new();
    assert_eq!(merger.encode_to_vec(), Ok(Vec::new()));
    merger.push(&one).unwrap();
    // More than go side by side, and empty ones.
    let many: Vec<&[u8]> = (0..30).map(|n| [&one[..], &two, &[]][n % 3]).collect();
    merger.extend(many.iter().copied()).unwrap();
    assert_eq!(merger.requests_len(), 31);
    assert_eq!(merger.encode_to_vec().unwrap(), [&one, &many.concat()[..]].concat());
    let merger = merger.recycle();
    assert!(merger.is_empty());
    assert_eq!(merger.encoded_len(), 0);
}

#[test]
fn what_cannot_be_merged_is_reported() {
    let good = bytes::request(&[named("a")]);
    let symbols = Bytes::new().len(4, "").len(4, "a").len(5, "").build();
    let cut = &good[..good.len() - 1];
    let late = Bytes::new().raw(&good).tag(1, 2).raw([5, 0]).build();
    let twice = good.repeat(2);
    let mut merger = Merger::<WriteRequest<'_>>::new().with_max_bytes(3 * good.len());
    merger.push(&good).unwrap();
    let before = merger.encode_to_vec().unwrap();
    for (bad, kind) in [(&symbols[..], MergeErrorKind::Symbols), (&twice, MergeErrorKind::TooLarge)]
    {
        let error = merger.extend([&good[..], bad]).unwrap_err();
        assert_eq!((error.index(), error.kind()), (2, kind));
        assert_eq!(merger.encode_to_vec().unwrap(), before);
    }
    for (bad, offset) in [(cut, 1), (&late, good.len() + 1)] {
        let error = merger.push(bad).unwrap_err();
        let MergeErrorKind::Decode(decode) = error.kind() else { panic!("{error}") };
        assert_eq!((decode.kind(), decode.offset()), (DecodeErrorKind::Truncated, offset));
        assert!(error.to_string().starts_with("request 1: truncated value at byte"), "{error}");
    }
    merger.extend([&good[..], &good]).unwrap();
    assert_eq!(merger.encoded_len(), 3 * good.len());
}

#[test]
fn flags_are_cut_out_of_what_is_merged() {
    let good = bytes::request(&[named("a")]);
    let rule = Extensions::new().with_source(RequestSource::RULE);
    let flags = [2, 1000, 1001, 1002];
    let flagged = flags.map(|flag| Bytes::new().raw(&good).varint(flag, 1).raw(&good).build());
    let all = flags.iter().fold(Bytes::new(), |all, flag| all.varint(*flag, 1)).raw(&good).build();
    let unknown = Bytes::new().len(50, "x").varint(2, 1).len(51, "y").build();
    let mut merger = Merger::<WriteRequest<'_>>::new();
    let more = [all, good.clone(), unknown];
    let symbols = symbols_of_v2();
    for bodies in [&flagged[..], &more] {
        merger.extend(bodies.iter().map(|body| &body[..])).unwrap();
    }
    let expected = [&good.repeat(10)[..], &Bytes::new().len(50, "x").len(51, "y").build()].concat();
    assert_eq!(merger.encode_to_vec().unwrap(), expected);
    assert_eq!(merger.extensions(), None);
    let with = merger.with_extensions(rule);
    let expected = [&expected[..], &Bytes::new().varint(2, 1).build()].concat();
    assert_eq!(with.encode_to_vec().unwrap(), expected);

    // What they agree on can be asked for.
    let mut merger = Merger::<WriteRequest<'_>>::new();
    merger.extend([&flagged[0][..], &flagged[0]]).unwrap();
    assert_eq!(merger.extensions(), Some(rule));
    merger.push(&symbols).unwrap_err();
    assert_eq!(merger.extensions(), Some(rule));
    assert_eq!(merger.encode_to_vec().unwrap(), good.repeat(4));
}

fn symbols_of_v2() -> Vec<u8> {
    Bytes::new().varint(2, 1).len(4, "").len(5, "").build()
}

#[test]
fn pushes_merge_too() {
    let push = bytes::loki::push(&[bytes::loki::stream(r#"{a="b"}"#, &[])]);
    let otlp = Bytes::new().raw(&push).len(2, "otlp").build();
    let mut merger = Merger::<PushRequest<'_>>::new();
    merger.extend([&push[..], &push]).unwrap();
    assert_eq!(merger.extensions(), Some(&b""[..]));
    merger.push(&otlp).unwrap();
    assert_eq!(merger.extensions(), None);
    assert_eq!(merger.encode_to_vec().unwrap(), push.repeat(3));
    let mut merger = Merger::<PushRequest<'_>>::new();
    merger.extend([&otlp[..], &otlp]).unwrap();
    assert_eq!(merger.extensions(), Some(&b"otlp"[..]));
    let merged = merger.with_extensions(b"otlp").encode_to_vec().unwrap();
    assert_eq!(PushRequest::decode(&merged).unwrap().format(), "otlp");
}

#[test]
fn a_request_with_something_of_everything_is_split_as_it_should() {
    let mut splitter = Splitter::new();
    for body in [mixed(), mixed().repeat(9)] {
        check::<RemoteWriteV1>(&body, &mut splitter);
    }
}
