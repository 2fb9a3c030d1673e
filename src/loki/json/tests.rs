//! Bodies of all shapes, good and bad, in strict and in partial mode: what is read, what is left
//! out, what is refused, and where.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::JsonErrorKind::*;
use super::{JsonErrorKind, JsonScratch};
use crate::loki::{DecodeOptions, PushRequest, Rules, Timestamp, ViolationKind};
use crate::{Encode, Limits};

const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

/// What a body was read as: the label string and the entries of each stream, an entry being its
/// nanoseconds, its line and its metadata.
type Read = Vec<(String, Vec<(i64, String, Vec<(String, String)>)>)>;

#[track_caller]
fn read(push: &PushRequest<'_>) -> Read {
    let streams = push.streams().iter().map(|stream| {
        let entries = stream.entries().iter().map(|entry| {
            let nanos = entry.timestamp().and_then(Timestamp::to_unix_nanos).unwrap();
            let metadata = entry.structured_metadata().iter();
            let metadata = metadata.map(|pair| (pair.name.to_string(), pair.value.to_string()));
            (nanos, entry.line_str().unwrap().to_string(), metadata.collect())
        });
        (stream.labels().to_string(), entries.collect())
    });
    streams.collect()
}

#[track_caller]
fn decoded(body: &str) -> Read {
    let mut scratch = JsonScratch::new();
    let push = PushRequest::decode_json(body.as_bytes(), &mut scratch).unwrap();
    // Where nothing is bad, partial mode makes no difference.
    let mut other = JsonScratch::new();
    let partial = PushRequest::decode_json_with(body.as_bytes(), &mut other, &PARTIAL).unwrap();
    assert_eq!((read(&partial), partial.json_skipped()), (read(&push), &[][..]));
    read(&push)
}

/// Expects that `body` is refused for what stands at the first `place` in it.
#[track_caller]
fn assert_refused(body: &str, kind: JsonErrorKind, place: &str) {
    let mut scratch = JsonScratch::new();
    let error = PushRequest::decode_json(body.as_bytes(), &mut scratch).unwrap_err();
    assert_eq!(error.kind(), kind, "{body}");
    assert!(body[error.offset()..].starts_with(place), "{body}: {error}");
}

/// Expects that `body` is no JSON, whatever the mode.
#[track_caller]
fn assert_no_json(body: &str) {
    for options in [DecodeOptions::new(), PARTIAL] {
        let mut scratch = JsonScratch::new();
        let error = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, &options);
        assert_eq!(error.map(|_| ()).map_err(|error| error.kind()), Err(Syntax), "{body}");
    }
}

/// Expects that partial mode reads `body` as `expected`, and leaves out what is listed: the stream,
/// the entry, why, and what stands at the place.
#[track_caller]
fn assert_partial(
    body: &str,
    expected: &str,
    skipped: &[(usize, Option<usize>, JsonErrorKind, &str)],
) {
    let mut scratch = JsonScratch::new();
    let push = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, &PARTIAL).unwrap();
    assert_eq!(read(&push), decoded(expected), "{body}");
    let found: Vec<_> = push
        .json_skipped()
        .iter()
        .zip(skipped)
        .map(|(skipped, &(.., place))| {
            let error = skipped.error();
            let at_place = body[error.offset()..].starts_with(place);
            let place = if at_place { place } else { &body[error.offset()..] };
            (skipped.stream(), skipped.entry(), error.kind(), place)
        })
        .collect();
    assert_eq!((&found[..], push.json_skipped().len()), (skipped, skipped.len()), "{body}");
    // What is left can be passed on.
    let protobuf = push.encode_to_vec().unwrap();
    assert_eq!(read(&PushRequest::decode(&protobuf).unwrap()), read(&push));

    // Strict mode refuses the body for the first of them.
    let (_, _, kind, place) = skipped[0];
    assert_refused(body, kind, place);
}

/// A push of one stream with these values.
fn values(values: &str) -> String {
    format!(r#"{{"streams":[{{"stream":{{"job":"a"}},"values":[{values}]}}]}}"#)
}

/// A push of one stream in the older shape, with these entries.
fn entries(entries: &str) -> String {
    format!(r#"{{"streams":[{{"labels":"{{job=\"a\"}}","entries":[{entries}]}}]}}"#)
}

#[test]
fn a_value_of_metadata_that_is_no_string_is_refused_where_it_stands() {
    for (metadata, place) in [
        (r#"{"count":5}"#, "5}"),
        (r#"{"ok":true}"#, "true}"),
        (r#"{"ok":null}"#, "null}"),
        (r#"{"a":"b","c":{"d":"e"}}"#, r#"{"d""#),
        (r#"{"a":["b"]}"#, r#"["b"]"#),
        (r#"["a"]"#, r#"["a"]"#),
        (r#""y""#, r#""y"]"#),
        ("null", "null]"),
        ("7", "7]"),
    ] {
        let bad = format!(r#"["2","x",{metadata}]"#);
        assert_refused(&values(&bad), UnexpectedType, place);
        let body = values(&format!(r#"["1","a",{{"k":"v"}}],{bad},["3","c"]"#));
        let good = values(r#"["1","a",{"k":"v"}],["3","c"]"#);
        assert_partial(&body, &good, &[(0, Some(1), UnexpectedType, place)]);
    }
    assert_eq!(decoded(&values(r#"["1","x",{}]"#))[0].1, [(1, "x".into(), Vec::new())]);
}

#[test]
fn null_stands_for_an_empty_list_and_for_no_entry() {
    for body in [r#"{"streams":null}"#, "{}", r#"{"streams":[]}"#] {
        assert_eq!(decoded(body), [], "{body}");
    }
    let none = [("{job=\"a\"}".to_string(), Vec::new())];
    for list in ["null", "[]", "[null,null]"] {
        for body in [
            format!(r#"{{"streams":[{{"stream":{{"job":"a"}},"values":{list}}}]}}"#),
            format!(r#"{{"streams":[{{"labels":"{{job=\"a\"}}","entries":{list}}}]}}"#),
        ] {
            assert_eq!(decoded(&body), none, "{body}");
        }
    }
    let one = [(1, "x".into(), Vec::new())];
    assert_eq!(decoded(&values(r#"null,["1","x"]"#))[0].1, one);
    let older = entries(r#"null,{"ts":"1970-01-01T00:00:00.000000001Z","line":"x"},null"#);
    assert_eq!(decoded(&older)[0].1, one);

    for (body, place) in [
        (r#"{"streams":[{"stream":null,"values":[["1","x"]]}]}"#, "null"),
        (r#"{"streams":[{"labels":null,"entries":[]}]}"#, "null"),
        (r#"{"streams":[null]}"#, "null"),
        (r#"{"streams":{"stream":{},"values":[]}}"#, r#"{"stream""#),
        (r#"{"streams":"none"}"#, r#""none""#),
        ("null", "null"),
    ] {
        assert_refused(body, UnexpectedType, place);
    }
}

#[test]
fn a_label_that_is_no_string_is_the_text_that_stands_there() {
    for (object, labels) in [
        (r#"{"serverId":2}"#, r#"{serverId="2"}"#),
        (
            r#"{"a":1e999,"b":123456789012345678901234567890,"c":-0}"#,
            r#"{a="1e999", b="123456789012345678901234567890", c="-0"}"#,
        ),
        (r#"{"a":true,"b":null,"c":2.50}"#, r#"{a="true", b="null", c="2.50"}"#),
        (r#"{"a":{"b":[1, "c"]}}"#, r#"{a="{\"b\":[1, \"c\"]}"}"#),
        (r#"{"a":"1","a":"2"}"#, r#"{a="2"}"#),
        (r#"{"a":"2","b":"x","a":1}"#, r#"{a="1", b="x"}"#),
        // A name is the same however it is written.
        (r#"{"a":"1","\u0061":"2"}"#, r#"{a="2"}"#),
        (r#"{"a":""}"#, r#"{a=""}"#),
        ("{}", "{}"),
    ] {
        let body = format!(r#"{{"streams":[{{"stream":{object},"values":[["1","x"]]}}]}}"#);
        assert_eq!(decoded(&body)[0].0, labels);
    }
    // None at all is for the rules.
    for object in ["{}", r#"{"a":""}"#] {
        let body = format!(r#"{{"streams":[{{"stream":{object},"values":[["1","x"]]}}]}}"#);
        let mut scratch = JsonScratch::new();
        let push = PushRequest::decode_json(body.as_bytes(), &mut scratch).unwrap();
        let mut found = Vec::new();
        push.validate(&Rules::new(), |violation| found.push(violation.kind));
        assert_eq!(found, [ViolationKind::NoLabels]);
    }
}

#[test]
fn an_entry_of_the_older_shape_without_a_time_or_a_line_is_not_lost_silently() {
    let good = r#"{"ts":"2019-04-12T16:13:06.801064Z","line":"T"}"#;
    let nanos = 1_555_085_586_801_064_000;
    assert_eq!(decoded(&entries(good))[0].1, [(nanos, "T".into(), Vec::new())]);
    for (entry, kind, place) in [
        (r#"{"timestamp":"1554887676","line":"T"}"#, MissingElement, "}"),
        (r#"{"ts":"1554887676","line":"T"}"#, InvalidTimestamp, r#""155"#),
        (r#"{"ts":"2019-04-12T16:13:06,8Z","line":"T"}"#, InvalidTimestamp, r#""2019"#),
        (r#"{"ts":"2019-04-12T6:13:06.8Z","line":"T"}"#, InvalidTimestamp, r#""2019"#),
        (r#"{"ts":"2019-04-12T16:13:60Z","line":"T"}"#, InvalidTimestamp, r#""2019"#),
        (r#"{"ts":"2019-04-12T16:13:06Z"}"#, MissingElement, "}"),
        (r#"{"ts":"2019-04-12T16:13:06Z","line":null}"#, UnexpectedType, "null"),
        (r#"{"ts":1554887676,"line":"T"}"#, UnexpectedType, "1554887676"),
        (r#"{"ts":"2019-04-12T16:13:06Z","line":"\ud800"}"#, InvalidEscape, r"\ud800"),
        (r#"["2019-04-12T16:13:06Z","T"]"#, UnexpectedType, "["),
        ("{}", MissingElement, "}"),
    ] {
        assert_refused(&entries(entry), kind, place);
        let body = entries(&format!("{good},\n  {entry},{good}"));
        let expected = entries(&format!("{good},{good}"));
        assert_partial(&body, &expected, &[(0, Some(1), kind, place)]);
    }
}

#[test]
fn what_is_no_json_is_refused_as_a_whole() {
    let body = values(r#"["1","x"]"#);
    assert_no_json(&format!("\u{feff}{body}"));
    assert_no_json(&values(r#"["1","x"],"#));
    assert_no_json(&values(r#"["1","x",]"#));
    assert_no_json(&values(r#"["1","x",{"a":"b",}]"#));
    assert_no_json(&format!("{body}{body}"));
    assert_no_json(&format!("{body} x"));
    assert_no_json(&body.replace('"', "'"));
    assert_no_json(&values(r#"["1","x",{"a":NaN}]"#));
    assert_no_json(r#"{"streams":[{"stream":{"a":NaN}}]}"#);
    for raw in ["\t", "\n", "\0", "\u{1f}"] {
        assert_no_json(&values(&format!(r#"["1","a{raw}b"]"#)));
        assert_no_json(&values(&format!(r#"["1","x",{{"a":"{raw}"}}]"#)));
        assert_no_json(&format!(r#"{{"streams":[{{"stream":{{"a":"{raw}"}}}}]}}"#));
    }
    // Behind something that is only bad, too, where partial mode goes on.
    for bad in [r#"["x","y"],["1","\q"]"#, r#"["x","y",]"#, r#"["x"],["1","y"],"#, "5,[01]"] {
        let body = values(bad);
        let mut scratch = JsonScratch::new();
        let result = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, &PARTIAL);
        assert_eq!(result.map(|_| ()).map_err(|error| error.kind()), Err(Syntax), "{body}");
    }
    let cut = values(r#"["x","y"],["1","x"]"#);
    let mut scratch = JsonScratch::new();
    let cut =
        PushRequest::decode_json_with(&cut.as_bytes()[..cut.len() - 1], &mut scratch, &PARTIAL);
    assert_eq!(cut.map(|_| ()).map_err(|error| error.kind()), Err(Truncated));
}

#[test]
fn odd_bodies_that_are_json_are_read() {
    let body = values(r#"["1","x"]"#);
    let expected = decoded(&body);
    for odd in [
        format!("{body}\n"),
        format!("\r\n\t {body} \n\n"),
        format!(r#"{{"streams":[{{"stream":{{"b":"c"}}}}],{}"#, &body[1..]),
        format!(r#"{{"":0,{}"#, &body[1..]),
        body.replace(r#""values""#, r#""values":[["7","y",{"k":"v"}]],"values""#),
        body.replace(r#""stream""#, r#""stream":{"b":"c"},"stream""#),
    ] {
        assert_eq!(decoded(&odd), expected, "{odd}");
    }
    // Depth costs no stack.
    let (open, close) = ("[".repeat(10_000), "]".repeat(10_000));
    assert_eq!(decoded(&format!(r#"{{"x":{open}{close},{}"#, &body[1..])), expected);
    let inside = format!(r#"["1","x",{{}},{open}{close}]"#);
    assert_eq!(decoded(&values(&inside)), expected);
}

#[test]
fn a_bad_entry_costs_that_entry() {
    for (bad, kind, place) in [
        (r#"["2","\ud800 b"]"#, InvalidEscape, r"\ud800"),
        (r#"["2","b",{"k":"\udc00"}]"#, InvalidEscape, r"\udc00"),
        (r#"["2","b",{"good":"x","\udc00":"v"}]"#, InvalidEscape, r"\udc00"),
        (r#"["soon","b"]"#, InvalidTimestamp, r#""soon""#),
        (r#"["","b"]"#, InvalidTimestamp, r#""","b""#),
        (r#"["9223372036854775808","b"]"#, InvalidTimestamp, r#""9223"#),
        (r#"["1.7e18","b",{"k":"v"}]"#, InvalidTimestamp, r#""1.7"#),
        ("[2,\"b\"]", UnexpectedType, "2,"),
        ("[\"2\",5]", UnexpectedType, "5]"),
        (r#"["2",null]"#, UnexpectedType, "null]"),
        (r#"["2"]"#, MissingElement, "]"),
        ("[]", MissingElement, "]"),
        ("{}", UnexpectedType, "{}"),
        ("5", UnexpectedType, "5"),
        (r#""x""#, UnexpectedType, r#""x""#),
    ] {
        let good = values(r#"["1","a",{"k":"v"}],["3","c",{"l":"w"}]"#);
        let body = values(&format!(r#"["1","a",{{"k":"v"}}], {bad} ,["3","c",{{"l":"w"}}]"#));
        assert_partial(&body, &good, &[(0, Some(1), kind, place)]);
        // Alone, at both ends, and before the labels.
        assert_partial(&values(bad), &values(""), &[(0, Some(0), kind, place)]);
        let body = values(&format!(r#"null,{bad},["1","a"],{bad}"#));
        let skipped = [(0, Some(1), kind, place), (0, Some(3), kind, place)];
        let mut scratch = JsonScratch::new();
        let push = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, &PARTIAL).unwrap();
        let found = push.json_skipped().iter();
        let found =
            found.map(|skipped| (skipped.stream(), skipped.entry(), skipped.error().kind()));
        assert!(found.eq(skipped.map(|(stream, entry, kind, _)| (stream, entry, kind))));
        assert_eq!(push.entries_len(), 1);
        let front = r#"{"streams":[{"values":["#;
        let body = format!(r#"{front}{bad},["1","a"]],"stream":{{"job":"a"}}}}]}}"#);
        assert_partial(&body, &values(r#"["1","a"]"#), &[(0, Some(0), kind, place)]);
    }
}

#[test]
fn bad_labels_cost_the_stream_with_all_it_has() {
    let good = r#"{"stream":{"job":"a"},"values":[["1","x",{"k":"v"}]]}"#;
    let rest = r#""values":[["2","y",{"l":"w"}],["soon","z"]]"#;
    for (bad, kind, place) in [
        (format!(r#"{{"stream":{{"job":"b","a.b":"c"}},{rest}}}"#), InvalidLabelName, r#""a.b""#),
        (format!(r#"{{"stream":{{"a":"\ud800"}},{rest}}}"#), InvalidEscape, r"\ud800"),
        (format!(r#"{{"stream":{{"\udc00":"a"}},{rest}}}"#), InvalidEscape, r"\udc00"),
        (format!(r#"{{"stream":null,{rest}}}"#), UnexpectedType, "null"),
        (format!(r#"{{"stream":"{{}}",{rest}}}"#), UnexpectedType, r#""{}""#),
        (format!(r#"{{"labels":5,{rest}}}"#), UnexpectedType, "5,"),
        (r#"{"stream":{},"values":{"a":"b"}}"#.into(), UnexpectedType, r#"{"a":"b"}"#),
        (r#"{"stream":{},"entries":"x"}"#.into(), UnexpectedType, r#""x""#),
        (r#"{"stream":{},"\ud800":0}"#.into(), InvalidEscape, r"\ud800"),
        ("null".into(), UnexpectedType, "null"),
        ("[]".into(), UnexpectedType, "[]"),
        ("7".into(), UnexpectedType, "7"),
    ] {
        let body = format!(r#"{{"streams":[{good},{bad},{good}]}}"#);
        let expected = format!(r#"{{"streams":[{good},{good}]}}"#);
        assert_partial(&body, &expected, &[(1, None, kind, place)]);
        assert_partial(
            &format!(r#"{{"streams":[{bad}]}}"#),
            r#"{"streams":[]}"#,
            &[(0, None, kind, place)],
        );
    }
    // Entries first: they go with the stream, and so do the notes of them.
    let bad = format!(r#"{{{rest},"stream":{{"a.b":"c"}}}}"#);
    let body = format!(r#"{{"streams":[{good},{bad},{good}]}}"#);
    let mut scratch = JsonScratch::new();
    let push = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, &PARTIAL).unwrap();
    assert_eq!(read(&push), decoded(&format!(r#"{{"streams":[{good},{good}]}}"#)));
    let [skipped] = push.json_skipped() else { panic!("{:?}", push.json_skipped()) };
    assert_eq!((skipped.stream(), skipped.entry()), (1, None));
    assert_eq!(skipped.error().kind(), InvalidLabelName);
    let text =
        format!("stream 1 left out: invalid label name at byte {}", skipped.error().offset());
    assert_eq!(skipped.to_string(), text);
}

#[test]
fn streams_are_counted_as_they_stood_in_the_body() {
    let stream = |job, value| format!(r#"{{"stream":{{"job":"{job}"}},"values":[["1",{value}]]}}"#);
    let body = format!(
        r#"{{"streams":[{},0,{},{},{{"labels":1}}]}}"#,
        stream("a", r#""x""#),
        stream("b", "5"),
        stream("c", "6"),
    );
    let streams = r#"{"stream":{"job":"a"},"values":[["1","x"]]},{"stream":{"job":"b"}},{"stream":{"job":"c"}}"#;
    assert_partial(
        &body,
        &format!(r#"{{"streams":[{streams}]}}"#),
        &[
            (1, None, UnexpectedType, "0,"),
            (2, Some(0), UnexpectedType, "5]"),
            (3, Some(0), UnexpectedType, "6]"),
            (4, None, UnexpectedType, "1}"),
        ],
    );
}

#[test]
fn what_a_later_member_takes_the_place_of_is_not_listed() {
    let body = r#"{"streams":[0,{"stream":{"a":"b"},"values":[["1",1]]}],
        "streams":[{"stream":{"job":"a"},"values":[["x","y"],["2","z"]],
                    "values":[["1","x"],["2"]]}]}"#;
    let mut scratch = JsonScratch::new();
    let push = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, &PARTIAL).unwrap();
    assert_eq!(read(&push), decoded(&values(r#"["1","x"]"#)));
    let [skipped] = push.json_skipped() else { panic!("{:?}", push.json_skipped()) };
    assert_eq!((skipped.stream(), skipped.entry()), (0, Some(1)));
}

#[test]
fn a_fault_outside_of_all_streams_fails_the_request() {
    for (body, kind) in [
        ("[]", UnexpectedType),
        (r#"{"streams":{}}"#, UnexpectedType),
        (r#"{"streams":[],"\ud800":0}"#, InvalidEscape),
    ] {
        let mut scratch = JsonScratch::new();
        let mut push = PushRequest::default();
        let error = push.decode_json_into(body.as_bytes(), &mut scratch, &PARTIAL).unwrap_err();
        assert_eq!(error.kind(), kind, "{body}");
        assert_eq!((push.streams().len(), push.json_skipped()), (0, &[][..]));
    }
    let mut scratch = JsonScratch::new();
    let body = b"{\"streams\":[{\"values\":[[\"x\",\"y\"],[\"1\",\"\xff\"]]}]}";
    let error = PushRequest::decode_json_with(body, &mut scratch, &PARTIAL).unwrap_err();
    assert_eq!((error.kind(), body[error.offset()]), (InvalidUtf8, 0xff));
}

#[test]
fn what_is_left_out_counts_for_the_limits() {
    let body = r#"{"streams":[0,{"values":[["x","y",{"k":"v"}],["1","x"],5]},{}]}"#;
    let is_over = |options: &DecodeOptions| {
        let mut scratch = JsonScratch::new();
        let result = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, options);
        result.err().map(|error| error.kind())
    };
    // Three streams and three entries; the metadata stands behind the time that is bad.
    let elements = |count| PARTIAL.with_limits(Limits::new().with_max_elements(count));
    assert_eq!([5, 6].map(|count| is_over(&elements(count))), [Some(LimitExceeded), None]);
    let streams = |count| PARTIAL.with_max_streams(count);
    assert_eq!([2, 3].map(|count| is_over(&streams(count))), [Some(LimitExceeded), None]);
}

#[test]
fn nothing_that_was_left_out_stays_behind() {
    let mut decoder = crate::reuse::Decoder::<PushRequest<'_>>::new().with_options(PARTIAL);
    let bad = values(r#"["x","y"],["1","\ud800"]"#);
    for _ in 0..2 {
        let push = decoder.decode_json(bad.as_bytes()).unwrap();
        assert_eq!((push.json_skipped().len(), push.skipped().len()), (2, 0));
        assert!(format!("{:?}", *push).contains("skipped: 2"));
        drop(push);
        let good = values(r#"["1","x"]"#);
        assert_eq!(decoder.decode_json(good.as_bytes()).unwrap().json_skipped(), []);
        assert!(decoder.decode_json(b"[]").is_err());
        assert_eq!(decoder.decode(b"").unwrap().json_skipped(), []);
    }
}

/// Storage and scratch together, as Limits promise it, where a body has to be read twice and where
/// all of it is bad.
#[test]
fn memory_of_partial_mode_stays_under_24_bytes_a_byte() {
    let one = |front: &str, piece: &str, back: &str| {
        format!(r#"{{"streams":[{{{front}{}{back}}},0]}}"#, piece.repeat(20_000))
    };
    for body in [
        format!(r#"{{"streams":[{}0]}}"#, "0,".repeat(20_000)),
        format!(r#"{{"streams":[{}0]}}"#, "{},".repeat(20_000)),
        one(r#""values":["#, "0,", "0]"),
        one(r#""entries":["#, "0,", "0]"),
        one(r#""values":["#, "[],", "0]"),
        one(r#""values":["#, r#"["0",""],"#, "0]"),
        one(r#""values":["#, r#"["0","\n"],"#, "0]"),
        one(r#""values":[["0",""#, r"\n", r#""],0]"#),
        one(r#""stream":{"#, r#""a":"","#, r#""a":""}"#),
        one(r#""stream":{"a":""#, "\u{7f}", r#""}"#),
        one(r#""stream":{"a":""#, "\u{10fffd}", r#""}"#),
    ] {
        let mut scratch = JsonScratch::new();
        let push = PushRequest::decode_json_with(body.as_bytes(), &mut scratch, &PARTIAL).unwrap();
        assert!(!push.json_skipped().is_empty());
        let bytes = push.capacity_bytes();
        let bytes = bytes + scratch.capacity_bytes();
        assert!(bytes <= 24 * body.len() + 4096, "{bytes} for {}: {}", body.len(), &body[..40]);
    }
}
