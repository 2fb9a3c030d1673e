//! What is written.

use borrowire::loki::json::{JsonEncodeErrorKind, JsonEncoder, JsonScratch};
use borrowire::loki::{Entry, LabelPair, PushRequest, Stream, Timestamp};
use borrowire::{Encode, EncodeErrorKind};

fn json_of(streams: &[Stream<'_, '_>]) -> String {
    let mut scratch = JsonScratch::new();
    let json = JsonEncoder::new(streams.iter().copied(), &mut scratch).unwrap();
    String::from_utf8(json.encode_to_vec().unwrap()).unwrap()
}

#[test]
fn every_part() {
    let metadata = [LabelPair::new("k", "v"), LabelPair::new("l", "\\")];
    let entries = [
        Entry::new(Timestamp::new(1, 2), b"one").with_structured_metadata(&metadata),
        Entry::new(Timestamp::new(-1, 0), b""),
        // Inside Loki only.
        Entry::new(Timestamp::new(0, 0), b"x").with_parsed(&metadata),
    ];
    let streams = [
        Stream::new("{b='2', a=`1`,\"c.d\"=\"3\", e=\"\"} # and so on").with_entries(&entries),
        Stream::new("{}").with_hash(7),
        Stream::new("").with_entries(&entries[1..2]),
        Stream::new("up{job=\"node\"}"),
    ];
    let expected = concat!(
        r#"{"streams":[{"stream":{"a":"1","b":"2","c.d":"3","e":""},"values":["#,
        r#"["1000000002","one",{"k":"v","l":"\\"}],["-1000000000",""],["0","x"]]},"#,
        r#"{"stream":{},"values":[]},{"values":[["-1000000000",""]]},"#,
        r#"{"stream":{"__name__":"up","job":"node"},"values":[]}]}"#,
    );
    assert_eq!(json_of(&streams), expected);
    assert_eq!(json_of(&[]), r#"{"streams":[]}"#);
}

/// Each byte alone, and all of them at every distance from the start: strings are looked at in blocks.
#[test]
fn lines_are_escaped_as_serde_json_escapes_them() {
    let characters = (0..0x100).filter_map(char::from_u32).chain(['☃', '🚀', '\u{2028}']);
    let all: String = characters.collect();
    let mut lines: Vec<String> = all.chars().map(String::from).collect();
    lines.extend((0..100).map(|len| "x".repeat(len) + &all + &"y".repeat(len)));
    lines.extend((0..100).map(|len| "x".repeat(len) + "\"" + &"é".repeat(len) + "\\"));
    for line in &lines {
        let entries = [Entry::new(Timestamp::new(0, 0), line.as_bytes())];
        let streams = [Stream::new("").with_entries(&entries)];
        let expected = serde_json::to_string(line).unwrap();
        assert_eq!(
            json_of(&streams),
            format!(r#"{{"streams":[{{"values":[["0",{expected}]]}}]}}"#)
        );
    }
}

#[test]
fn a_slice_of_any_length_holds_it_or_is_too_small() {
    let metadata = [LabelPair::new("k", "v")];
    let entries = [Entry::new(Timestamp::new(1, 2), b"\"").with_structured_metadata(&metadata)];
    let streams = [Stream::new(r#"{a="b"}"#).with_entries(&entries)];
    let mut scratch = JsonScratch::new();
    let json = JsonEncoder::new(streams, &mut scratch).unwrap();
    let expected = json.encode_to_vec().unwrap();
    for len in 0..expected.len() {
        let error = json.encode(&mut vec![0; len]).unwrap_err();
        assert_eq!(error.kind(), EncodeErrorKind::BufferTooSmall);
        assert_eq!((error.needed(), error.capacity()), (expected.len(), len));
    }
    let mut out = vec![0xaa; expected.len() + 3];
    assert_eq!(json.encode(&mut out), Ok(expected.len()));
    assert_eq!((&out[..expected.len()], &out[expected.len()..]), (&expected[..], &[0xaa; 3][..]));
    let mut out = b"front".to_vec();
    json.append_to_vec(&mut out).unwrap();
    assert_eq!(out, [b"front", &expected[..]].concat());
}

#[test]
fn streams_without_a_json_form_are_refused_with_their_place() {
    let good = [Entry::new(Timestamp::new(1, 2), b"x")];
    let bad_line = [good[0], Entry::new(Timestamp::new(1, 2), b"ab\xff")];
    let bad_time = [good[0], good[0], Entry::new(Timestamp::new(1, -1), b"x")];
    let stream = Stream::new("{a='b'}").with_entries(&good);
    for (bad, kind, message) in [
        (
            Stream::new("{a='b'}").with_entries(&bad_line),
            Some(JsonEncodeErrorKind::InvalidUtf8 { entry: 1 }),
            "line is not UTF-8 (stream 1, entry 1)",
        ),
        (
            Stream::new("{a='b'}").with_entries(&bad_time),
            Some(JsonEncodeErrorKind::InvalidTimestamp { entry: 2 }),
            "timestamp has no 64 bits of nanoseconds (stream 1, entry 2)",
        ),
        (
            Stream::new("{b='1', a='2', b='1'}"),
            Some(JsonEncodeErrorKind::DuplicateLabel),
            "label string names a label twice (stream 1)",
        ),
        (
            Stream::new("{a=b}"),
            None,
            "invalid label string: expected a quoted value at byte 3 of it (stream 1)",
        ),
    ] {
        let mut scratch = JsonScratch::new();
        let error = JsonEncoder::new([stream, bad, stream], &mut scratch).unwrap_err();
        assert_eq!(error.stream(), 1);
        assert!(kind.is_none_or(|kind| kind == error.kind()));
        assert_eq!(error.to_string(), message);
    }
}

#[test]
fn a_request_is_written_as_what_it_was_read_from() {
    let body = concat!(
        r#"{"streams":[{"stream":{"a":"\"","b":"\u0001"},"values":[["1","x\\y",{"k":"\n"}],["2",""]]},"#,
        r#"{"stream":{},"values":[]},{"values":[]}]}"#,
    );
    let (mut one, mut other) = (JsonScratch::new(), JsonScratch::new());
    let push = PushRequest::decode_json(body.as_bytes(), &mut one).unwrap();
    let written = push.json_encoder(&mut other).unwrap().encode_to_vec().unwrap();
    assert_eq!(String::from_utf8(written).unwrap(), body);
}
