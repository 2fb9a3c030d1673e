//! Faults that other codecs for Loki's push were reported to have, each as a test of its kind.

use borrowire::loki::{
    Entry, LabelPair, PushBatch, PushRequest, PushRequestEncoder, Rules, Stream, Timestamp,
};
use borrowire::proto::logproto as proto;
use borrowire::reuse::Decoder;
use borrowire::{DecodeError, DecodeErrorKind, Encode};

use super::{LABELS, NOW, violation, with_entry};
use crate::support::bytes::loki::{entry, metadata, push, push_of, stream, timestamp};
use crate::support::bytes::{self, Bytes, label};
use crate::support::oracle::loki_push::PARTIAL;

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
