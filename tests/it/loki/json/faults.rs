//! What is refused, as what, and where.

use borrowire::Limits;
use borrowire::loki::json::{JsonErrorKind, JsonScratch};
use borrowire::loki::{DecodeOptions, PushRequest};

use super::{decoded, read};
use crate::support::loki_json::{Used, check};

/// Checks what is wrong with a body in which `¦` marks the place.
#[track_caller]
fn refused(kind: JsonErrorKind, marked: &str) {
    let offset = marked.find('¦').expect("a mark");
    let body = marked.replacen('¦', "", 1);
    let error = decoded(body.as_bytes()).expect_err(&body);
    assert_eq!((error.kind(), error.offset()), (kind, offset), "{body}");
    let status = if kind == JsonErrorKind::LimitExceeded { 413 } else { 400 };
    assert_eq!(error.status(), status);
}

/// The same, in a `values` array.
#[track_caller]
fn refused_value(kind: JsonErrorKind, marked: &str) {
    refused(kind, &format!("{{\"streams\":[{{\n\"values\":[[\"1\",\"x\"],\n{marked}]}}]}}"));
}

#[test]
fn other_types_than_expected() {
    use JsonErrorKind::UnexpectedType;
    for body in [
        "¦[]",
        "¦null",
        " ¦17",
        "¦\"streams\"",
        "¦true",
        r#"{"streams":¦{}}"#,
        r#"{"streams":¦"a\"b\\"}"#,
        r#"{"streams": ¦-1.5e+3 }"#,
        r#"{"streams":[¦null]}"#,
        r#"{"streams":[{},¦[]]}"#,
        r#"{"streams":[¦"x"]}"#,
        r#"{"streams":[{"stream":¦null}]}"#,
        r#"{"streams":[{"stream":¦[]}]}"#,
        r#"{"streams":[{"stream":¦"{}"}]}"#,
        r#"{"streams":[{"values":¦{}}]}"#,
        r#"{"streams":[{"values":[¦{}]}]}"#,
        r#"{"streams":[{"values":[¦0]}]}"#,
        r#"{"streams":[{"labels":¦{}}]}"#,
        r#"{"streams":[{"labels":¦null}]}"#,
        r#"{"streams":[{"entries":¦{}}]}"#,
        r#"{"streams":[{"entries":[¦[]]}]}"#,
        r#"{"streams":[{"entries":[{"ts":¦0}]}]}"#,
        r#"{"streams":[{"entries":[{"ts":¦null}]}]}"#,
        r#"{"streams":[{"entries":[{"line":¦{"a":0}}]}]}"#,
    ] {
        refused(UnexpectedType, body);
    }
    for value in [
        r#"[¦1,"x"]"#,
        r#"[ ¦null ,"x"]"#,
        r#"["1",¦2]"#,
        r#"["1",¦null]"#,
        r#"["1",¦["x"]]"#,
        r#"["1","x",¦[]]"#,
        r#"["1","x",¦"{}"]"#,
        r#"["1","x",¦0]"#,
        r#"["1","x",¦null]"#,
        r#"["1","x",{"k":¦1}]"#,
        r#"["1","x",{"k":"v","l":¦null}]"#,
        r#"["1","x",{"k":¦{"l":"v"}}]"#,
    ] {
        refused_value(UnexpectedType, value);
    }
}

#[test]
fn entries_that_lack_something() {
    for value in [r#"[¦]"#, r#"["1"¦]"#] {
        refused_value(JsonErrorKind::MissingElement, value);
    }
    for entry in [r#"{¦}"#, r#"{"ts":"1970-01-01T00:00:00Z"¦}"#, r#"{"line":"x" ¦}"#] {
        let body = format!(r#"{{"streams":[{{"entries":[{entry}]}}]}}"#);
        refused(JsonErrorKind::MissingElement, &body);
    }
}

#[test]
fn times_that_are_none() {
    for time in [
        "",
        "-",
        "+1",
        "1.5",
        "1e9",
        " 1",
        "0x10",
        "1_000",
        "9223372036854775808",
        "-9223372036854775809",
        "2023-11-14T22:13:20Z",
        "¹",
    ] {
        refused_value(JsonErrorKind::InvalidTimestamp, &format!(r#"[ ¦"{time}","x"]"#));
    }
    for time in ["", "0", "2023-11-14 22:13:20Z", "2023-02-29T00:00:00Z", "2023-11-14T22:13:20"] {
        let body = format!(r#"{{"streams":[{{"entries":[{{"ts":¦"{time}","line":""}}]}}]}}"#);
        refused(JsonErrorKind::InvalidTimestamp, &body);
    }
}

#[test]
fn label_names_that_are_no_identifiers() {
    for name in ["", "1a", "a-b", "a.b", "a b", "é", "a:b", "a\\u0000", "\\u00e9", "a\\n", "a\\\""]
    {
        let body = format!(r#"{{"streams":[{{"stream":{{"a":"b",¦"{name}":"c"}}}}]}}"#);
        refused(JsonErrorKind::InvalidLabelName, &body);
    }
    // Nor can nothing be quoted.
    let options = DecodeOptions::new().with_quoted_names(true);
    let mut scratch = JsonScratch::new();
    let body = br#"{"streams":[{"stream":{"":"c"}}]}"#;
    let error = PushRequest::decode_json_with(body, &mut scratch, &options).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::InvalidLabelName, 23));
}

#[test]
fn half_surrogate_pairs() {
    for string in [
        r#""¦\ud800""#,
        r#""abc¦\udfff""#,
        r#""\n¦\uD83Dx""#,
        r#""¦\ud83d\ud83d\ude00""#,
        r#""\ud83d\ude00¦\ude00""#,
    ] {
        refused_value(JsonErrorKind::InvalidEscape, &format!(r#"["1",{string}]"#));
        refused_value(JsonErrorKind::InvalidEscape, &format!(r#"["1","x",{{"k":{string}}}]"#));
        refused_value(JsonErrorKind::InvalidEscape, &format!(r#"["1","x",{{{string}:"v"}}]"#));
        let body = format!(r#"{{"streams":[{{"stream":{{"a":{string}}}}}]}}"#);
        refused(JsonErrorKind::InvalidEscape, &body);
    }
}

#[test]
fn bytes_that_are_not_utf8() {
    for (bad, at) in [(&b"\xff"[..], 0), (b"\xc3", 0), (b"ab\xed\xa0\x80", 2), (b"\xc0\x80", 0)] {
        for (front, back) in [
            (&br#"{"streams":[{"values":[["1",""#[..], &br#""]]}]}"#[..]),
            (br#"{"streams":[{"stream":{"a":""#, br#""}}]}"#),
            (br#"{"streams":[],"other":""#, br#""}"#),
            (br#"{"streams":[]}"#, b""),
        ] {
            let body = [front, bad, back].concat();
            let error = decoded(&body).unwrap_err();
            let place = (error.kind(), error.offset());
            assert_eq!(place, (JsonErrorKind::InvalidUtf8, front.len() + at));
        }
    }
}

#[test]
fn what_is_no_json() {
    use JsonErrorKind::Syntax;
    for body in [
        "¦x",
        "{¦streams:[]}",
        "{¦'streams':[]}",
        r#"{"streams"¦ []}"#,
        r#"{"streams":[]¦]"#,
        r#"{"streams":[],¦}"#,
        r#"{"streams":[¦,]}"#,
        r#"{"streams":[{}¦ {}]}"#,
        r#"{"streams":[]} ¦{}"#,
        r#"{"streams":[]}¦,"#,
        r#"{"streams":[{"values":[["1" ¦"x"]]}]}"#,
        r#"{"streams":[{"values":[["1","\¦x"]]}]}"#,
        r#"{"streams":[{"values":[["1","\u12¦"]]}]}"#,
        r#"{"streams":[{"values":[["1","x",{"k"¦}]]}]}"#,
        r#"{"streams":[{"stream":{"a":¦tru}}]}"#,
        r#"{"streams":[{"stream":{"a":0¦1}}]}"#,
        r#"{"other":[1¦}]}"#,
        "\u{feff}¦{}",
    ] {
        let offset = body.find('¦').unwrap();
        let body = body.replacen('¦', "", 1);
        let error = decoded(body.as_bytes()).expect_err(&body);
        assert_eq!(error.kind(), Syntax, "{body}");
        assert!(error.offset().abs_diff(offset) <= 3, "{body}: {} {offset}", error.offset());
    }
    // Control characters must be escaped.
    for byte in 0..0x20_u8 {
        let body = format!(r#"{{"streams":[{{"values":[["1","a{}b"]]}}]}}"#, char::from(byte));
        let error = decoded(body.as_bytes()).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (Syntax, 29), "{byte:#x}");
    }
}

#[test]
fn a_body_that_is_cut_is_refused_wherever_that_is() {
    let body = r#"{"a":[0,{"b":15}],"streams":[{"stream":{"a":"b\u00e9é","c":true},"values":[
        ["1700000000000000000","x\ud83d\ude80y",{"k":"v"},null],null]},
        {"labels":"{}","entries":[{"ts":"1970-01-01T00:00:00Z","line":"☃"}]}]}"#;
    assert_eq!(read(body).len(), 2);
    let mut used = Used::default();
    for len in 0..body.len() {
        let cut = &body.as_bytes()[..len];
        let error = decoded(cut).expect_err("cut");
        match std::str::from_utf8(cut) {
            Ok(_) => assert_eq!(error.kind(), JsonErrorKind::Truncated, "{len}"),
            Err(_) => assert_eq!(error.kind(), JsonErrorKind::InvalidUtf8, "{len}"),
        }
        assert!(error.offset() <= len);
        check(cut, &mut used);
    }
}

#[test]
fn limits() {
    let body = br#"{"streams":[{"stream":{"a":"b"},"values":[["1","x",{"k":"v"}]]},{"entries":[
        {"ts":"1970-01-01T00:00:00Z","line":"y"}]}]}"#;
    let place = |needle: &str| {
        let text = std::str::from_utf8(body).unwrap();
        text.find(needle).unwrap()
    };
    let options = DecodeOptions::new();
    let bytes = |max| options.with_limits(Limits::new().with_max_message_bytes(max));
    let elements = |max| options.with_limits(Limits::new().with_max_elements(max));
    let too_many = JsonErrorKind::LimitExceeded;
    for (options, fault) in [
        (bytes(body.len()), None),
        (bytes(body.len() - 1), Some((JsonErrorKind::MessageTooLarge, 0))),
        (options.with_max_streams(2), None),
        (options.with_max_streams(1), Some((too_many, place(r#"{"entries""#)))),
        (options.with_max_streams(0), Some((too_many, place(r#"{"stream":"#)))),
        (elements(5), None),
        (elements(4), Some((too_many, place(r#"{"ts""#)))),
        (elements(3), Some((too_many, place(r#"{"entries""#)))),
        (elements(2), Some((too_many, place(r#""k""#)))),
        (elements(1), Some((too_many, place(r#"["1""#)))),
        (elements(0), Some((too_many, place(r#"{"stream":"#)))),
    ] {
        let mut scratch = JsonScratch::new();
        let result = PushRequest::decode_json_with(body, &mut scratch, &options);
        let error = result.err();
        assert_eq!(error.map(|error| (error.kind(), error.offset())), fault);
        assert!(error.is_none_or(|error| error.status() == 413));
    }
}

#[test]
fn errors_show_no_input() {
    let secret = "s3cret";
    for body in [
        format!(r#""{secret}""#),
        format!(r#"{{"streams":"{secret}"}}"#),
        format!(r#"{{"streams":[{{"stream":{{"{secret}.":""}}}}]}}"#),
        format!(r#"{{"streams":[{{"values":[["{secret}",""]]}}]}}"#),
        format!(r#"{{"streams" {secret}"#),
    ] {
        let error = decoded(body.as_bytes()).unwrap_err();
        let shown = format!("{error} {error:?}");
        assert!(!shown.contains(secret) && !shown.contains('\n'), "{shown}");
    }
}

/// After an error nothing is left of the body, in whatever is used again.
#[test]
fn an_error_leaves_the_request_empty() {
    let mut scratch = JsonScratch::new();
    let mut push = PushRequest::default();
    let body = br#"{"x":0,"streams":[{"stream":{"a":"b"},"values":[["1","x",{"k":"v"}],5]}]}"#;
    push.decode_json_into(body, &mut scratch, &DecodeOptions::new()).unwrap_err();
    assert_eq!(push.streams().len(), 0);
    assert_eq!((push.entries_len(), push.structured_metadata_len()), (0, 0));
    assert!(!push.has_unknown_fields());
}
