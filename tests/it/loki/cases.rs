//! Faults that other codecs for Loki's push were reported to have, each as a test of its kind.

use std::time::{Duration, SystemTime};

use borrowire::loki::selector::SelectorErrorKind;
use borrowire::loki::{
    Entry, LabelPair, PushBatch, PushRequest, PushRequestEncoder, Rules, Stream, Timestamp,
    ViolationKind, validate_stream,
};
use borrowire::proto::logproto as proto;
use borrowire::reuse::Decoder;
use borrowire::{DecodeError, DecodeErrorKind, Encode};

use crate::support::bytes::loki::{entry, metadata, push, push_of, stream, timestamp};
use crate::support::bytes::{self, Bytes, label};
use crate::support::oracle::loki_push::PARTIAL;

const NOW: i64 = 1_700_000_000;
const LABELS: &str = r#"{a="b"}"#;

/// Decodes `content` as the only entry of a push, hands it to `check`, and expects that it is written
/// back as `canonical`.
fn with_entry(content: &Bytes, canonical: &Bytes, check: impl FnOnce(Entry<'_, '_>)) {
    let body = push_of(content);
    let decoded = PushRequest::decode(&body).unwrap();
    let entry = decoded.streams().get(0).unwrap().entries().get(0).unwrap();
    check(entry);
    assert_eq!(decoded.encode_to_vec().unwrap(), push_of(canonical));
    assert_eq!(entry.encode_to_vec().unwrap(), canonical.as_ref());
}

/// What `validate` says of the only entry in a push.
fn violation(content: &Bytes, rules: &Rules) -> Option<ViolationKind> {
    let body = push_of(content);
    let decoded = PushRequest::decode(&body).unwrap();
    let mut found = None;
    validate_stream(&decoded.streams().get(0).unwrap(), rules, |kind| {
        found.get_or_insert(kind);
    });
    found
}

#[test]
fn a_missing_timestamp_is_neither_the_epoch_nor_the_year_1() {
    let (absent, epoch) = (Bytes::new().len(2, "x"), Bytes::new().len(1, "").len(2, "x"));
    let year_1 = Bytes::new().len(1, timestamp(-62_135_596_800, 0)).len(2, "x");
    let times =
        [(absent, None), (epoch, Some(Timestamp::new(0, 0))), (year_1, Some(Timestamp::MIN))];
    for (content, time) in times {
        with_entry(&content, &content, |entry| {
            assert_eq!(entry.timestamp(), time);
            let generated = proto::EntryAdapter::try_from(entry).unwrap();
            assert_eq!(generated.timestamp.map(|time| Timestamp::from(&time)), time);
            // In the hands of a sender, too.
            let entries = [entry];
            let streams = [Stream::new(LABELS).with_entries(&entries)];
            let sent = PushRequestEncoder::new(streams).encode_to_vec().unwrap();
            assert_eq!(sent, push_of(&content));
            let mut batch = PushBatch::new();
            batch.push_with(LABELS, entry);
            assert_eq!(batch.encode_to_vec().unwrap(), push_of(&content));
        });
        let missing = violation(&content, &Rules::new());
        assert_eq!(missing, time.is_none().then_some(ViolationKind::MissingTimestamp { entry: 0 }));
    }
    // Each has its own, whatever the one before had.
    let content = [entry(NOW, 5, "a"), Bytes::new().len(2, "b"), Bytes::new().len(1, "")];
    let body = push(&[stream(LABELS, &content)]);
    let decoded = PushRequest::decode(&body).unwrap();
    let entries = decoded.streams().get(0).unwrap().entries();
    let times: Vec<_> = entries.iter().map(|entry| entry.timestamp()).collect();
    assert_eq!(times, [Some(Timestamp::new(NOW, 5)), None, Some(Timestamp::new(0, 0))]);
}

#[test]
fn the_parts_of_a_timestamp_merge() {
    let part = |seconds, nanos| Bytes::new().len(1, timestamp(seconds, nanos));
    let x = Bytes::new().len(2, "x");
    for (content, seconds, nanos) in [
        (part(5, 0).raw(part(0, 7)).raw(&x), 5, 7),
        (part(5, 0).raw(&x).raw(part(0, 7)), 5, 7),
        (x.clone().raw(part(5, 7)).raw(part(6, 0)), 6, 7),
        (part(1, 2).raw(part(3, 0)).raw(part(0, 4)).raw(&x), 3, 4),
        // In front of one and behind one that is read in one piece.
        (part(0, 7).raw(part(NOW, 0)).raw(&x), NOW, 7),
        (part(NOW, 0).raw(&x).raw(part(0, 7)), NOW, 7),
        (part(NOW, 7).raw(&x).raw(part(NOW + 1, 0)), NOW + 1, 7),
        (part(NOW, 7).raw(&x).raw(part(0, 0)), NOW, 7),
        // A zero that is written out counts.
        (part(NOW, 7).raw(&x).len(1, Bytes::new().int(2, 0)), NOW, 0),
        // Fields of the timestamp in the other order, and more than once.
        (x.clone().len(1, Bytes::new().int(2, 7).int(1, NOW)), NOW, 7),
        (x.clone().len(1, Bytes::new().int(1, 1).int(1, 2).int(2, 3).int(2, 4)), 2, 4),
    ] {
        with_entry(&content, &entry(seconds, nanos, "x"), |entry| {
            let nanos = i32::try_from(nanos).unwrap();
            assert_eq!(entry.timestamp(), Some(Timestamp::new(seconds, nanos)));
        });
    }
}

#[test]
fn nanoseconds_out_of_range_are_kept_and_reported() {
    for nanos in [-1, 1_000_000_000, i32::MIN, i32::MAX] {
        for seconds in [1, NOW] {
            let content = entry(seconds, nanos.into(), "x");
            with_entry(&content, &content, |entry| {
                let time = entry.timestamp().unwrap();
                assert_eq!(time, Timestamp::new(seconds, nanos));
                assert!(!time.is_valid());
                assert_eq!((time.to_unix_nanos(), time.to_unix_millis()), (None, None));
                assert_eq!(time.to_system_time(), None);
            });
            let invalid = Some(ViolationKind::InvalidTimestamp { entry: 0 });
            assert_eq!(violation(&content, &Rules::new()), invalid);
        }
    }
    // Of what an int32 cannot hold the low 32 bits count.
    let nanos =
        |value: i64| Bytes::new().len(1, Bytes::new().int(1, NOW).int(2, value)).len(2, "x");
    with_entry(&nanos((1 << 32) + 5), &entry(NOW, 5, "x"), |_| {});
    with_entry(&nanos((1 << 32) - 1), &entry(NOW, -1, "x"), |_| {});
    with_entry(&nanos(1 << 31), &entry(NOW, i32::MIN.into(), "x"), |_| {});
    with_entry(&nanos(1 << 34), &entry(NOW, 0, "x"), |_| {});
}

#[test]
fn times_at_the_edges_of_what_loki_takes() {
    let last = 999_999_999;
    for (seconds, nanos, valid) in [
        (-62_135_596_801, last, false),
        (-62_135_596_800, 0, true),
        (-1, last, true),
        (0, 0, true),
        (253_402_300_799, last, true),
        (253_402_300_800, 0, false),
        (i64::MIN, 0, false),
        (i64::MAX, last, false),
        // The least and the greatest number of five bytes, and those next to them.
        ((1 << 28) - 1, 0, true),
        (1 << 28, last, true),
        ((1 << 35) - 1, last, true),
        (1 << 35, 0, true),
    ] {
        let content = entry(seconds, nanos, "x");
        with_entry(&content, &content, |entry| {
            let time = entry.timestamp().unwrap();
            assert_eq!((time.seconds, i64::from(time.nanos)), (seconds, nanos));
            assert_eq!(time.is_valid(), valid, "{time}");
            assert_eq!(time.to_unix_millis(), valid.then(|| seconds * 1000 + nanos / 1_000_000));
        });
        let found = violation(&content, &Rules::new());
        assert_eq!(found, (!valid).then_some(ViolationKind::InvalidTimestamp { entry: 0 }));
    }
    // Every length of the nanoseconds.
    for bits in 0..30 {
        for nanos in [(1 << bits) - 1, 1 << bits] {
            let content = entry(NOW, nanos, "x");
            with_entry(&content, &content, |_| {});
        }
    }
    let old =
        violation(&entry(NOW, 0, "x"), &Rules::new().with_timestamps(NOW * 1000 + 1, i64::MAX));
    assert_eq!(old, Some(ViolationKind::TimestampOutOfRange { entry: 0 }));
    let edges = Rules::new().with_timestamps(NOW * 1000, NOW * 1000);
    assert_eq!(violation(&entry(NOW, 999_999, "x"), &edges), None);
    assert!(violation(&entry(NOW, 1_000_000, "x"), &edges).is_some());
}

#[test]
fn nanoseconds_since_the_epoch_are_split_downwards() {
    for (unix, seconds, nanos, bytes) in [
        (
            -1,
            -1,
            999_999_999,
            &b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\xff\x93\xeb\xdc\x03"[..],
        ),
        (-999_999_999, -1, 1, b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01"),
        (-1_000_000_000, -1, 0, b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        (
            -1_000_000_001,
            -2,
            999_999_999,
            b"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\xff\x93\xeb\xdc\x03",
        ),
        (
            i64::MIN,
            -9_223_372_037,
            145_224_192,
            b"\x08\xfb\x85\xfa\xd1\xdd\xff\xff\xff\xff\x01\x10\x80\xe4\x9f\x45",
        ),
        (
            1_604_916_000_123_000_000,
            1_604_916_000,
            123_000_000,
            b"\x08\xa0\xa6\xa4\xfd\x05\x10\xc0\xa9\xd3\x3a",
        ),
        (
            1_604_916_000_005_000_000,
            1_604_916_000,
            5_000_000,
            b"\x08\xa0\xa6\xa4\xfd\x05\x10\xc0\x96\xb1\x02",
        ),
    ] {
        let time = Timestamp::from_unix_nanos(unix);
        assert_eq!(time, Timestamp::new(seconds, nanos));
        assert_eq!(time.to_unix_nanos(), Some(unix));
        assert_eq!(time.to_unix_millis(), Some(unix.div_euclid(1_000_000)));
        assert_eq!(time.encode_to_vec().unwrap(), bytes);
        let written = Bytes::new().len(1, bytes).len(2, "x").build();
        assert_eq!(Entry::new(time, b"x").encode_to_vec().unwrap(), written);
    }
    let before = SystemTime::UNIX_EPOCH - Duration::from_nanos(1);
    assert_eq!(Timestamp::from_system_time(before), Some(Timestamp::from_unix_nanos(-1)));
    assert_eq!(Timestamp::from_unix_nanos(-1).to_system_time(), Some(before));
    // Valid, but out of what 64 bits of nanoseconds hold.
    for time in [Timestamp::MIN, Timestamp::MAX] {
        assert!(time.is_valid());
        assert_eq!(time.to_unix_nanos(), None);
    }
}

#[test]
fn lines_hold_any_byte_both_ways() {
    let all: Vec<u8> = (0..=255).collect();
    for line in
        [&b"\xff"[..], b"caf\xe9", b"\xed\xa0\x80", b"a\0b\r\n", &all, "Köln".as_bytes(), b""]
    {
        for pairs in [&[][..], &[("a", "b")]] {
            let content = entry(NOW, 1, line).raw(metadata(pairs));
            let written = Bytes::new().len(1, timestamp(NOW, 1));
            let written = if line.is_empty() { written } else { written.len(2, line) };
            with_entry(&content, &written.raw(metadata(pairs)), |entry| {
                assert_eq!(entry.line(), line);
                assert_eq!(entry.line_str().ok(), std::str::from_utf8(line).ok());
                assert_eq!(entry.structured_metadata().len(), pairs.len());
                let generated = proto::EntryAdapter::try_from(entry);
                assert_eq!(generated.is_ok(), std::str::from_utf8(line).is_ok());
            });
            assert_eq!(violation(&content, &Rules::new()), None);
        }
        // Without a time, the line goes another way.
        let content = Bytes::new().len(2, line).len(1, timestamp(5, 0));
        let body = push_of(&content);
        let decoded = PushRequest::decode_with(&body, &PARTIAL).unwrap();
        assert_eq!(decoded.streams().get(0).unwrap().entries().get(0).unwrap().line(), line);
        let mut batch = PushBatch::new();
        batch.push(&[LabelPair::new("a", "b")], Entry::new(Timestamp::new(NOW, 1), line));
        let sent = batch.encode_to_vec().unwrap();
        let received = PushRequest::decode(&sent).unwrap();
        let stream = received.streams().get(0).unwrap();
        assert_eq!((stream.labels(), stream.entries().get(0).unwrap().line()), (LABELS, line));
    }
}

#[test]
fn pairs_may_lack_a_name_or_a_value_and_keep_their_order() {
    let pair = |content: Bytes| Bytes::new().len(3, content);
    let name_only = || pair(Bytes::new().len(1, "n"));
    let value_only = || pair(Bytes::new().len(2, "v"));
    let usual = || metadata(&[("n2", "a"), ("n1", "b"), ("n2", "c")]);
    let expected = [("n", ""), ("", "v"), ("", ""), ("n2", "a"), ("n1", "b"), ("n2", "c")];
    for content in [
        entry(NOW, 1, "x").raw(name_only()).raw(value_only()).len(3, "").raw(usual()),
        entry(1, 1, "x").raw(name_only()).raw(value_only()).len(3, "").raw(usual()),
    ] {
        with_entry(&content, &content, |entry| {
            let pairs: Vec<_> =
                entry.structured_metadata().iter().map(|pair| (pair.name, pair.value)).collect();
            assert_eq!(pairs, expected);
        });
    }
    // What is written out though it is empty, and in the other order.
    let content = entry(NOW, 1, "x")
        .len(3, label("n", ""))
        .len(3, Bytes::new().len(2, "v").len(1, ""))
        .len(3, Bytes::new().len(2, "v").len(1, "n"))
        .len(3, label("lost", "too").len(1, "n").len(2, "v"));
    let written = entry(NOW, 1, "x").raw(name_only()).raw(value_only());
    with_entry(&content, &written.raw(metadata(&[("n", "v"), ("n", "v")])), |_| {});
}

#[test]
fn metadata_and_parsed_pairs_stay_apart_in_any_order() {
    let (m, p) = (
        |name| Bytes::new().len(3, label(name, "m")),
        |name| Bytes::new().len(4, label(name, "p")),
    );
    let front = entry(NOW, 1, "x");
    let written = front.clone().raw(m("1")).raw(m("2")).raw(p("3")).raw(p("4"));
    for content in [
        front.clone().raw(m("1")).raw(p("3")).raw(m("2")).raw(p("4")),
        front.clone().raw(p("3")).raw(m("1")).raw(m("2")).raw(p("4")),
        p("3").raw(m("1")).raw(&front).raw(p("4")).raw(m("2")),
        front.raw(p("3")).varint(9, 1).raw(p("4")).raw(m("1")).raw(m("2")),
    ] {
        with_entry(&content, &written, |_| {});
        // Those of the entries next to it are not among them.
        let entries = [content.clone(), Bytes::new(), content.clone(), Bytes::new().raw(m("5"))];
        let body = push(&[stream(LABELS, &entries), stream(LABELS, &entries[..1])]);
        let decoded = PushRequest::decode(&body).unwrap();
        let lens: Vec<_> = decoded
            .streams()
            .iter()
            .flat_map(|stream| stream.entries())
            .map(|entry| (entry.structured_metadata().len(), entry.parsed().len()))
            .collect();
        assert_eq!(lens, [(2, 2), (0, 0), (2, 2), (1, 0), (2, 2)]);
    }
}

/// The only skipped stream's position and error, with kind, field and offset.
fn skipped(push: &PushRequest<'_>) -> (usize, (DecodeErrorKind, u32, usize)) {
    let [skipped] = push.skipped() else { panic!("{:?}", push.skipped()) };
    (skipped.index, at(&skipped.error))
}

fn at(error: &DecodeError) -> (DecodeErrorKind, u32, usize) {
    (error.kind(), error.field_number(), error.offset())
}

#[test]
fn bad_text_sinks_its_stream_alone() {
    let full = |name: &str| {
        let content = entry(NOW, 1, name).raw(metadata(&[(name, "m")])).len(4, label(name, "p"));
        stream(name, &[content.clone(), content]).varint(3, 7)
    };
    let bad_label = Bytes::new().len(2, entry(NOW, 1, "x")).varint(3, 9).len(1, b"{a=\"\xff\"}");
    let bad = |field, content: Bytes| {
        stream("bad", &[entry(NOW, 1, "x").raw(metadata(&[("a", "b")])).len(field, content)])
            .varint(3, 9)
    };
    for (bad, field) in [
        (bad_label, 1),
        (bad(3, label(b"\xff", "v")), 1),
        (bad(3, label("n", b"v\xff")), 2),
        (bad(3, label("n", "v".repeat(130)).len(2, b"\xff")), 2),
        (bad(4, label(b"\xff", "v")), 1),
        (bad(4, label("n", b"\xc3")), 2),
    ] {
        let (first, last) = (full("first"), full("last"));
        let body = push(&[first.clone(), bad.clone(), last.clone()]);
        // Of the two bytes that are no text the first one in the body.
        let place = body.iter().position(|byte| matches!(byte, 0xff | 0xc3)).unwrap();
        let error = PushRequest::decode(&body).unwrap_err();
        assert_eq!(at(&error), (DecodeErrorKind::InvalidUtf8, field, place));

        let mut decoder = Decoder::<PushRequest>::new().with_options(PARTIAL);
        let decoded = decoder.decode(&body).unwrap();
        assert_eq!(skipped(&decoded), (1, (DecodeErrorKind::InvalidUtf8, field, place)));
        assert_eq!(decoded.encode_to_vec().unwrap(), push(&[first.clone(), last.clone()]));
        assert_eq!((decoded.entries_len(), decoded.structured_metadata_len()), (4, 4));
        assert_eq!(decoded.raw_stream(1), Some(&push(&[last])[..]));
        drop(decoded);
        // Nothing of it is left for the next request.
        let next = push(&[first]);
        let decoded = decoder.decode(&next).unwrap();
        assert!(decoded.skipped().is_empty());
        assert_eq!(decoded.encode_to_vec().unwrap(), next);
    }
    // What is wrong with the framing fails all of it, also behind bad text.
    let torn = push(&[Bytes::new().len(1, b"\xff").raw([0x12, 0x05])]);
    let error = PushRequest::decode_with(&torn, &PARTIAL).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::Truncated);
    // And so does the format, which belongs to no stream.
    let format = Bytes::new().len(2, b"\xff").build();
    let error = PushRequest::decode_with(&format, &PARTIAL).unwrap_err();
    assert_eq!(at(&error), (DecodeErrorKind::InvalidUtf8, 2, 2));
}

#[test]
fn label_strings_are_passed_on_as_they_are() {
    for labels in [
        "",
        "{}",
        LABELS,
        r#"{p="D:\\",v="X"}"#,
        r#"{a="x, Rev=7, {y}"}"#,
        r#"{a="\ue123"}"#,
        r#"{a="unterminated}"#,
        "not a selector",
        "{a=\"é☃\"}",
    ] {
        let text = if labels.is_empty() { Bytes::new() } else { Bytes::new().len(1, labels) };
        let body = push(&[text.len(2, entry(NOW, 1, "x"))]);
        let decoded = PushRequest::decode(&body).unwrap();
        assert_eq!(decoded.streams().get(0).unwrap().labels(), labels);
        assert_eq!(decoded.encode_to_vec().unwrap(), body);
    }
}

#[test]
fn the_hash_is_kept_for_the_stream_that_has_it() {
    let hashes = [0, 7, 0, 0, u64::MAX, 1];
    let streams: Vec<_> = hashes
        .iter()
        .map(|&hash| match hash {
            0 => stream(LABELS, &[entry(NOW, 1, "x")]),
            hash => stream(LABELS, &[entry(NOW, 1, "x")]).varint(3, hash),
        })
        .collect();
    let body = push(&streams);
    let decoded = PushRequest::decode(&body).unwrap();
    assert!(decoded.streams().iter().map(|stream| stream.hash()).eq(hashes));
    assert_eq!(decoded.encode_to_vec().unwrap(), body);
    // Of two the last one counts, also if it is zero.
    let body =
        push(&[Bytes::new().varint(3, 7).varint(3, 0), Bytes::new().varint(3, 0).varint(3, 7)]);
    let decoded = PushRequest::decode(&body).unwrap();
    assert!(decoded.streams().iter().map(|stream| stream.hash()).eq([0, 7]));
}

#[test]
fn unknown_fields_are_noticed_at_every_level() {
    let unknown = Bytes::new().varint(99, 1);
    let in_entry = |content: Bytes| push_of(&content);
    for body in [
        unknown.clone().build(),
        push(std::slice::from_ref(&unknown)),
        in_entry(unknown.clone()),
        in_entry(entry(NOW, 1, "x").raw(&unknown)),
        in_entry(Bytes::new().len(1, &unknown)),
        in_entry(entry(NOW, 1, "x").len(3, label("a", "b").raw(&unknown))),
        in_entry(entry(NOW, 1, "x").raw(metadata(&[("a", "b")])).len(3, &unknown)),
        in_entry(entry(NOW, 1, "x").len(4, &unknown)),
        // Known numbers under other wire types.
        in_entry(Bytes::new().varint(1, 5).fixed32(2, 5)),
        push(&[Bytes::new().len(3, "")]),
    ] {
        let decoded = PushRequest::decode(&body).unwrap();
        assert!(decoded.has_unknown_fields(), "{body:x?}");
        let written = decoded.encode_to_vec().unwrap();
        assert!(!PushRequest::decode(&written).unwrap().has_unknown_fields());
        // They are in the raw bytes only.
        if let Some(raw) = decoded.raw_stream(0) {
            assert_eq!(raw, body);
        }
    }
}

#[test]
fn records_put_behind_each_other_are_a_push_again() {
    for (name, body) in bytes::loki::small_bodies() {
        let decoded = PushRequest::decode(&body).unwrap();
        let records: Vec<_> = (0..).map_while(|at| decoded.raw_stream(at)).collect();
        assert_eq!(records.len(), decoded.streams().len(), "{name}");
        let joined = records.concat();
        let again = PushRequest::decode(&joined).unwrap();
        assert!(again.streams().iter().eq(decoded.streams()), "{name}");
        // A push of pushes is all their streams.
        let twice = body.repeat(2);
        let twice = PushRequest::decode(&twice).unwrap();
        assert_eq!(twice.streams().len(), 2 * records.len(), "{name}");
    }
}

#[test]
fn lengths_grow_by_a_byte_where_they_must() {
    // Around every number at which the length of the line, the entry or the stream takes a byte more.
    for edge in [0x80, 0x4000, 0x20_0000] {
        for len in edge - 40..edge + 3 {
            let line = vec![b'x'; len];
            let entries = [Entry::new(Timestamp::new(NOW, 1), &line)];
            let streams = [Stream::new(LABELS).with_entries(&entries)];
            let written = PushRequestEncoder::new(streams).encode_to_vec().unwrap();
            assert_eq!(written, push_of(&entry(NOW, 1, &line)), "{len}");
            if edge < 0x20_0000 {
                // Of a name and a value, too.
                let value = "v".repeat(len);
                let pairs = [LabelPair::new("n", &value), LabelPair::new(&value, "")];
                let own = Entry::new(Timestamp::new(NOW, 1), b"x").with_structured_metadata(&pairs);
                let pairs =
                    Bytes::new().len(3, label("n", &value)).len(3, Bytes::new().len(1, &value));
                assert_eq!(own.encode_to_vec().unwrap(), entry(NOW, 1, "x").raw(pairs).build());
            }
        }
    }
}

#[test]
fn an_output_that_grows_holds_what_one_of_the_right_size_holds() {
    let lines: Vec<String> = (0..20_000).map(|n| format!("line {n}")).collect();
    let own: Vec<_> =
        lines.iter().map(|line| Entry::new(Timestamp::new(NOW, 1), line.as_bytes())).collect();
    let mut grown = Vec::with_capacity(1);
    let mut expected = Vec::new();
    for count in [0, 1, 2, 3, 127, 128, 1000, 20_000] {
        let stream_of = [Stream::new(LABELS).with_entries(&own[..count])];
        let push_of = PushRequestEncoder::new(stream_of);
        let mut exact = vec![0; push_of.encoded_len()];
        assert_eq!(push_of.encode(&mut exact), Ok(exact.len()));
        let entries: Vec<_> = lines[..count].iter().map(|line| entry(NOW, 1, line)).collect();
        assert_eq!(exact, push(&[stream(LABELS, &entries)]));
        expected.extend_from_slice(&exact);
        assert_eq!(push_of.append_to_vec(&mut grown), Ok(exact.len()));
        assert_eq!(grown, expected);
    }
    // As many streams as lines, their labels one behind the other in the batch.
    let mut batch = PushBatch::new();
    for (line, entry) in lines.iter().zip(&own) {
        batch.push(&[LabelPair::new("line", line)], *entry);
    }
    let streams: Vec<_> = lines
        .iter()
        .map(|line| stream(&format!("{{line=\"{line}\"}}"), &[entry(NOW, 1, line)]))
        .collect();
    assert_eq!(batch.encode_to_vec().unwrap(), push(&streams));
}

/// The length of a stream stands in front of it, and takes a byte more from 128, 16,384 and 2,097,152 bytes
/// on. Around these a quick estimate of it must give way to measuring.
#[test]
fn streams_around_the_lengths_where_their_prefix_grows() {
    let pairs = [LabelPair::new("k", "v"), LabelPair::new("trace", "0242ac120002")];
    let own_pairs = metadata(&[("k", "v"), ("trace", "0242ac120002")]).len(4, label("k", "v"));
    let sizes = (1..200).chain(16_200..16_400).chain((2_097_000..2_097_160).step_by(3));
    for size in sizes {
        let line = "x".repeat(size);
        let timestamp = Timestamp::new(NOW, 5);
        let plain = Entry::new(timestamp, line.as_bytes());
        let full = plain.with_structured_metadata(&pairs).with_parsed(&pairs[..1]);
        for (entry, content) in
            [(plain, entry(NOW, 5, &line)), (full, entry(NOW, 5, &line).raw(&own_pairs))]
        {
            let (one, two) = ([entry], [entry, Entry::new(timestamp, b"")]);
            let empty = Bytes::new().len(1, self::timestamp(NOW, 5));
            for (entries, expected) in [
                (&one[..], push(&[stream(LABELS, std::slice::from_ref(&content))])),
                (&two[..], push(&[stream(LABELS, &[content.clone(), empty]).varint(3, 1 << 40)])),
            ] {
                let hash = if entries.len() == 2 { 1 << 40 } else { 0 };
                let stream = Stream::new(LABELS).with_entries(entries).with_hash(hash);
                let own = PushRequestEncoder::new([stream]);
                let decoded = PushRequest::decode(&expected).unwrap();
                let mut out = vec![0; expected.len()];
                assert_eq!(own.encode(&mut out), Ok(expected.len()));
                assert!(out == expected, "{size}: own");
                out.fill(0);
                assert_eq!(decoded.encode(&mut out), Ok(expected.len()));
                assert!(out == expected, "{size}: decoded");
                let shorter = expected.len() - 1;
                let error = decoded.encode(&mut out[..shorter]).unwrap_err();
                assert_eq!((error.needed(), error.capacity()), (expected.len(), shorter));
            }
        }
    }
}

#[test]
fn too_much_for_loki_is_reported_and_kept() {
    let kinds = |content: &Bytes, rules: &Rules| {
        let body = push_of(content);
        let decoded = PushRequest::decode(&body).unwrap();
        let mut kinds = Vec::new();
        decoded.validate(rules, |violation| kinds.push(violation.kind));
        kinds
    };
    let rules = Rules::new()
        .with_max_line_bytes(4)
        .with_max_structured_metadata_pairs(2)
        .with_max_structured_metadata_bytes(6);
    let right = entry(NOW, 1, "1234").raw(metadata(&[("a", "bc"), ("d", "ef")]));
    assert_eq!(kinds(&right, &rules), []);
    let much = entry(NOW, 1, "12345").raw(metadata(&[("a", "bc"), ("d", "ef"), ("", "g")]));
    assert_eq!(
        kinds(&much, &rules),
        [
            ViolationKind::LineTooLong { entry: 0, bytes: 5 },
            ViolationKind::TooManyStructuredMetadataPairs { entry: 0, count: 3 },
            ViolationKind::StructuredMetadataTooLarge { entry: 0, bytes: 7 },
        ]
    );
}

/// Everything that `validate` says of the label strings of a push.
fn label_violations(labels: &[&str], rules: &Rules) -> Vec<(usize, ViolationKind)> {
    let streams: Vec<_> = labels.iter().map(|labels| stream(labels, &[])).collect();
    let body = push(&streams);
    let mut found = Vec::new();
    let decoded = PushRequest::decode(&body).unwrap();
    decoded.validate(rules, |violation| found.push((violation.index.unwrap(), violation.kind)));
    found
}

#[test]
fn label_strings_without_labels_are_reported() {
    for labels in ["", "{}", " { } ", "{a=\"\"}", "{a=\"\", b='',}", "# nothing"] {
        let found = label_violations(&[LABELS, labels], &Rules::new());
        assert_eq!(found, [(1, ViolationKind::NoLabels)], "{labels:?}");
    }
}

#[test]
fn label_strings_that_do_not_parse_are_reported_with_kind_and_place() {
    for (labels, kind, offset, message) in [
        ("{a=\"b\"", SelectorErrorKind::UnclosedBrace, 6, "brace not closed"),
        ("{a=\"b", SelectorErrorKind::UnterminatedString, 3, "string not closed"),
        (
            "{level=\"a\"b\"}",
            SelectorErrorKind::ExpectedComma,
            10,
            "expected a comma or a closing brace",
        ),
        ("{a.b=\"c\"}", SelectorErrorKind::ExpectedEquals, 2, "expected an equals sign"),
        ("{a=~\"b\"}", SelectorErrorKind::ExpectedValue, 3, "expected a quoted value"),
        ("{a=\"\\q\"}", SelectorErrorKind::InvalidEscape, 4, "invalid escape"),
        ("{a=\"b\\xff\"}", SelectorErrorKind::InvalidUtf8, 5, "escapes are not UTF-8"),
    ] {
        let found = label_violations(&[LABELS, LABELS, labels], &Rules::new());
        let [(2, found @ ViolationKind::InvalidLabels(error))] = found[..] else {
            panic!("{labels}: {found:?}");
        };
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{labels}");
        assert_eq!(found.to_string(), format!("invalid labels: {message} at byte {offset}"));
        assert_eq!((found.as_str(), found.entry(), found.label()), ("invalid labels", None, None));
    }
}

#[test]
fn labels_that_loki_refuses_are_reported() {
    use ViolationKind::{DuplicateLabel, LabelNameTooLong, LabelValueTooLong, TooManyLabels};
    let rules = Rules::new()
        .with_max_labels_per_stream(2)
        .with_max_label_name_bytes(4)
        .with_max_label_value_bytes(5);
    for (labels, expected) in [
        (r#"{a="1", b="2"}"#, vec![]),
        (r#"{a="1", b="2", c="3"}"#, vec![TooManyLabels { count: 3 }]),
        // What has no value is not there, and one name is free.
        (r#"{a="1", b="2", c="", c=""}"#, vec![]),
        (r#"{a="1", b="2", `serv`="3"}"#, vec![TooManyLabels { count: 3 }]),
        (r#"{abcd="12345"}"#, vec![]),
        (
            r#"{abcde="123456"}"#,
            vec![LabelValueTooLong { label: 0, bytes: 6 }, LabelNameTooLong { label: 0, bytes: 5 }],
        ),
        // Escapes count as what they stand for.
        (
            r#"{"\x61\u00e9b"="\u00e9\n\xc3\xa9", c='\n\n\n\n\n\n'}"#,
            vec![LabelValueTooLong { label: 1, bytes: 6 }],
        ),
        (r#"{a="1", a="2"}"#, vec![DuplicateLabel { label: 1 }]),
        (r#"{a="1", b="", "\141"="2"}"#, vec![DuplicateLabel { label: 2 }]),
        (
            r#"{a="1", a="", a="2", a="3"}"#,
            vec![
                DuplicateLabel { label: 2 },
                DuplicateLabel { label: 3 },
                TooManyLabels { count: 3 },
            ],
        ),
    ] {
        let found = label_violations(&[labels], &rules);
        let expected: Vec<_> = expected.into_iter().map(|kind| (0, kind)).collect();
        assert_eq!(found, expected, "{labels}");
    }
    let long = "x".repeat(1025);
    let labels = format!("{{{long}=\"a\", b=\"{long}{long}\", up=\"1\", up=\"1\"}}");
    let found = label_violations(&[&labels], &Rules::new());
    let messages: Vec<_> = found.iter().map(|(_, kind)| kind.to_string()).collect();
    let expected = [
        "label name too long (label 0)",
        "label value too long (label 1)",
        "duplicate label (label 3)",
    ];
    assert_eq!(messages, expected);
    assert_eq!(found[2].1.label(), Some(3));
}

#[test]
fn as_many_labels_as_loki_takes() {
    let labels = |count: usize, more: &str| {
        let labels: Vec<_> = (0..count).map(|n| format!("l{n}=\"x\"")).collect();
        format!("{{{}{more}}}", labels.join(", "))
    };
    let many = |count| [(0, ViolationKind::TooManyLabels { count })].to_vec();
    for (labels, expected) in [
        (labels(15, ""), vec![]),
        (labels(15, r#", service_name="x""#), vec![]),
        (labels(15, r#", "service\x5fname"="x""#), vec![]),
        (labels(16, ""), many(16)),
        (labels(16, r#", service_name="x""#), many(16)),
        (labels(5000, ""), many(5000)),
    ] {
        assert_eq!(label_violations(&[&labels], &Rules::new()), expected);
    }
    // One like any of the first 32 is found wherever it is, and one like a later one is not.
    let rules = Rules::new().with_max_labels_per_stream(usize::MAX);
    let found = label_violations(&[&labels(500, r#", l31="x", l32="x""#)], &rules);
    assert_eq!(found, [(0, ViolationKind::DuplicateLabel { label: 500 })]);
}
