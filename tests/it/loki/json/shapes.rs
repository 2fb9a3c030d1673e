//! What is accepted, and how it reads.

use borrowire::loki::json::JsonScratch;
use borrowire::loki::{DecodeOptions, PushRequest, Timestamp};
use borrowire::reuse::{Decoder, Pool};

use super::{entry, read, streams};

/// The label string of a `stream` object.
#[track_caller]
fn labels(object: &str) -> String {
    let [(labels, _)] = &read(&format!(r#"{{"streams":[{{"stream":{object}}}]}}"#))[..] else {
        panic!("one stream");
    };
    labels.clone()
}

/// The line that a JSON string is.
#[track_caller]
fn line(string: &str) -> String {
    let [(_, entries)] = &read(&format!(r#"{{"streams":[{{"values":[["1",{string}]]}}]}}"#))[..]
    else {
        panic!("one stream");
    };
    String::from_utf8(entries[0].1.clone()).unwrap()
}

#[test]
fn the_shape_of_today() {
    let body = r#"{"streams":[
        {"stream":{"job":"varlogs","app":"web"},
         "values":[["1700000000000000001","one"],["-1","two",{"b":"2","a":"1"}],["0","",{}]]},
        {"stream":{},"values":[]}]}"#;
    let entries = vec![
        entry(1_700_000_000_000_000_001, "one", &[]),
        entry(-1, "two", &[("b", "2"), ("a", "1")]),
        entry(0, "", &[]),
    ];
    let expected = [(r#"{app="web", job="varlogs"}"#.to_owned(), entries), ("{}".into(), vec![])];
    assert_eq!(read(body), expected);
}

#[test]
fn the_older_shape() {
    let body = r#"{"streams":[{"labels":"{b=\"2\",a=\"1\"}","entries":[
        {"ts":"2018-12-18T08:28:06.801064-04:00","line":"a \"line\""},
        {"line":"z","ts":"1970-01-01T00:00:00Z","more":[1]}]}]}"#;
    let one = (Some(Timestamp::new(1_545_136_086, 801_064_000)), b"a \"line\"".to_vec(), vec![]);
    // Labels are taken as they are.
    let expected = [(r#"{b="2",a="1"}"#.to_owned(), vec![one, entry(0, "z", &[])])];
    assert_eq!(read(body), expected);
}

#[test]
fn both_shapes_in_one_body() {
    let body = r#"{"streams":[
        {"labels":"{a=\"1\"}","values":[["1","x"]]},
        {"stream":{"a":"1"},"entries":[{"ts":"1970-01-01T00:00:00.000000001Z","line":"x"}]}]}"#;
    let one = (r#"{a="1"}"#.to_owned(), vec![entry(1, "x", &[])]);
    assert_eq!(read(body), [one.clone(), one]);
}

#[test]
fn members_come_in_any_order() {
    let one = r#"{"streams":[{"stream":{"b":"2","a":"1"},"values":[["1","x",{"k":"v"}]]},
        {"stream":{"c":"3"},"values":[["2","y",{"l":"w"}]]}]}"#;
    let other = r#"{"streams":[{"values":[["1","x",{"k":"v"}]],"stream":{"a":"1","b":"2"}},
        {"values":[["2","y",{"l":"w"}]],"stream":{"c":"3"}}]}"#;
    assert_eq!(read(one), read(other));
}

#[test]
fn white_space_may_be_anywhere() {
    let body = " \n{ \"streams\" :\t[ { \"stream\" : { \"a\" : \"b\" } , \"values\" : [ [ \"1\" , \"x\" , \
                { \"k\" : \"v\" } , 5 ] , null ] } ] , \"z\" : { } } \r\n";
    let expected = (r#"{a="b"}"#.to_owned(), vec![entry(1, "x", &[("k", "v")])]);
    assert_eq!(read(body), [expected]);
}

#[test]
fn null_stands_for_nothing() {
    for (body, streams, entries) in [
        (r#"{"streams":null}"#, 0, 0),
        (r#"{}"#, 0, 0),
        (r#"{"streams":[{"stream":{},"values":null}]}"#, 1, 0),
        (r#"{"streams":[{"values":[null,["1","x"],null]}]}"#, 1, 1),
        (r#"{"streams":[{"entries":null}]}"#, 1, 0),
        (r#"{"streams":[{"entries":[null]}]}"#, 1, 0),
        (r#"{"streams":[{}]}"#, 1, 0),
        (r#"{"streams":[]}"#, 0, 0),
    ] {
        let mut scratch = JsonScratch::new();
        let push = PushRequest::decode_json(body.as_bytes(), &mut scratch).unwrap();
        assert_eq!((push.streams().len(), push.entries_len()), (streams, entries), "{body}");
        assert!(!push.has_unknown_fields());
    }
}

#[test]
fn what_is_not_known_is_passed_over_and_told() {
    for body in [
        r#"{"tenant":[1,{"a":["\ud800",1e999,{}]}],"streams":[{"values":[["1","x"]]}]}"#,
        r#"{"streams":[{"values":[["1","x"]],"more":null}]}"#,
        r#"{"streams":[{"values":[["1","x",{},1,"two",[3]]]}]}"#,
        r#"{"streams":[{"entries":[{"ts":"1970-01-01T00:00:00.000000001Z","line":"x","y":0}]}]}"#,
    ] {
        let mut scratch = JsonScratch::new();
        let push = PushRequest::decode_json(body.as_bytes(), &mut scratch).unwrap();
        assert!(push.has_unknown_fields(), "{body}");
        assert_eq!(streams(&push), [(String::new(), vec![entry(1, "x", &[])])], "{body}");
    }
}

#[test]
fn nesting_of_what_is_passed_over_takes_no_stack() {
    let deep = "[".repeat(1 << 20) + &"]".repeat(1 << 20);
    assert_eq!(read(&format!(r#"{{"x":{deep},"streams":[]}}"#)), []);
    assert_eq!(labels(&format!(r#"{{"a":{deep}}}"#)), format!(r#"{{a="{deep}"}}"#));
}

#[test]
fn the_last_of_several_counts_but_for_structured_metadata() {
    let body = r#"{"streams":[{"stream":{"old":"1"}}],"streams":[{
        "stream":{"old":"2"},"values":[["1","old",{"o":"l"}]],
        "stream":{"b":"1","a":"\u0031","b":"2","c":"3","b":"\u0033","a":"","c":"4"},
        "values":[["2","new",{"k":"1","k":"2"}]]}]}"#;
    let expected = entry(2, "new", &[("k", "1"), ("k", "2")]);
    assert_eq!(read(body), [(r#"{a="", b="3", c="4"}"#.to_owned(), vec![expected])]);
}

#[test]
fn many_labels_some_of_them_twice() {
    let member = |i: usize| format!(r#""l{:03}":"{i}""#, i * 7 % 500);
    let object = format!("{{{}}}", (0..1000).map(member).collect::<Vec<_>>().join(","));
    let mut last: Vec<_> = (500..1000).map(|i| (i * 7 % 500, i)).collect();
    last.sort_unstable();
    let expected: Vec<_> =
        last.iter().map(|(name, value)| format!(r#"l{name:03}="{value}""#)).collect();
    assert_eq!(labels(&object), format!("{{{}}}", expected.join(", ")));
}

#[test]
fn labels_are_written_as_loki_writes_them() {
    for (object, string) in [
        (r#"{}"#, r#"{}"#),
        (r#"{"b":"2","a":"1","_c":"","D1":"x"}"#, r#"{D1="x", _c="", a="1", b="2"}"#),
        (r#"{"a":"x, y=\"z\", {}"}"#, r#"{a="x, y=\"z\", {}"}"#),
        (r#"{"a":"\n\t\\\/\u0000\u007f\u0007"}"#, r#"{a="\n\t\\/\x00\x7f\a"}"#),
        (r#"{"a":"é☃\u00e9\ud83d\ude00"}"#, r#"{a="é☃é😀"}"#),
        (r#"{"a":"\u00a0\ue123\u200b"}"#, r#"{a="\u00a0\ue123\u200b"}"#),
        (r#"{"\u0061\u0062":"c"}"#, r#"{ab="c"}"#),
        // What is no string is taken as it stands.
        (
            r#"{"a":1.50,"b":true,"c":null,"d":{"e": ["f\n"]},"g":-0,"h":[]}"#,
            r#"{a="1.50", b="true", c="null", d="{\"e\": [\"f\\n\"]}", g="-0", h="[]"}"#,
        ),
    ] {
        assert_eq!(labels(object), string);
    }
}

#[test]
fn other_names_are_quoted_where_that_is_asked_for() {
    let options = DecodeOptions::new().with_quoted_names(true);
    let body = br#"{"streams":[{"stream":{"a.b":"1","x":"2","\u00e9\"":"3","1":"4"}}]}"#;
    let mut scratch = JsonScratch::new();
    let push = PushRequest::decode_json_with(body, &mut scratch, &options).unwrap();
    let labels = push.streams().get(0).unwrap().labels();
    assert_eq!(labels, r#"{"1"="4", "a.b"="1", x="2", "é\""="3"}"#);
}

#[test]
fn escapes_of_every_kind() {
    for (string, text) in [
        (r#""""#, ""),
        (r#""\"\\\/\b\f\n\r\t""#, "\"\\/\u{8}\u{c}\n\r\t"),
        (r#""\u0000\u001f\u007F\u0080\uFFFF""#, "\0\u{1f}\u{7f}\u{80}\u{ffff}"),
        (r#""\uD834\uDD1E\ud800\udc00\uDBFF\uDFFF""#, "𝄞\u{10000}\u{10ffff}"),
        (r#""\\ud83d\\n""#, r"\ud83d\n"),
        (r#""a\u00e9b☃\ud83d\ude80c""#, "aéb☃🚀c"),
        ("\"\u{7f}\u{feff}\u{2028}\"", "\u{7f}\u{feff}\u{2028}"),
    ] {
        assert_eq!(line(string), text);
    }
    // In names as well.
    let body = r#"{"\u0073treams":[{"v\u0061lues":[["\u0031","x",{"k\"\n":"\ud83d\ude80"}]]}]}"#;
    assert_eq!(read(body), [(String::new(), vec![entry(1, "x", &[("k\"\n", "🚀")])])]);
}

#[test]
fn text_without_escapes_lies_in_the_body() {
    let body = br#"{"streams":[{"labels":"{}","values":[["1","plain line",{"name":"value"}]]}]}"#;
    let mut scratch = JsonScratch::new();
    let push = PushRequest::decode_json(body, &mut scratch).unwrap();
    let stream = push.streams().get(0).unwrap();
    let entry = stream.entries().get(0).unwrap();
    let pair = entry.structured_metadata()[0];
    for piece in
        [entry.line(), stream.labels().as_bytes(), pair.name.as_bytes(), pair.value.as_bytes()]
    {
        assert!(body.as_ptr_range().contains(&piece.as_ptr()));
    }
    assert_eq!(push.raw_stream(0), None);
    drop(push);
    assert_eq!(scratch.capacity_bytes(), 0);
}

#[test]
fn nanoseconds_of_all_sizes() {
    for nanos in [0, 1, -1, 999_999_999, -1_000_000_001, i64::MIN, i64::MAX] {
        let body = format!(r#"{{"streams":[{{"values":[["{nanos}",""]]}}]}}"#);
        assert_eq!(read(&body)[0].1, [entry(nanos, "", &[])]);
    }
    let body = r#"{"streams":[{"values":[["0000000000000000000000000007",""],["-0",""]]}]}"#;
    assert_eq!(read(body)[0].1, [entry(7, "", &[]), entry(0, "", &[])]);
}

#[test]
fn every_way_of_decoding() {
    let body = br#"{"streams":[{"stream":{"a":"\n"},"values":[["1","\t",{"k":"\\"}]]}]}"#;
    let expected = read(std::str::from_utf8(body).unwrap());
    let mut scratch = JsonScratch::new();
    let mut push = PushRequest::default();
    for _ in 0..2 {
        let mut filled = push;
        filled.decode_json_into(body, &mut scratch, &DecodeOptions::new()).unwrap();
        assert_eq!(streams(&filled), expected);
        push = filled.recycle();
        assert_eq!(streams(&push), []);
    }
    let mut decoder = Decoder::<PushRequest>::new();
    for _ in 0..2 {
        assert_eq!(streams(&decoder.decode_json(body).unwrap()), expected);
        assert!(decoder.decode_json(&body[1..]).is_err());
        // The same storage, for protobuf in between.
        assert_eq!(streams(&decoder.decode(b"\x0a\x00").unwrap()), [(String::new(), vec![])]);
    }
    let pool = Pool::<PushRequest>::new();
    for _ in 0..2 {
        let (mut one, mut other) = (pool.decoder(), pool.decoder());
        let first = one.decode_json(body).unwrap();
        let second = other.decode_json(body).unwrap();
        assert_eq!((streams(&first), streams(&second)), (expected.clone(), expected.clone()));
    }
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                assert_eq!(streams(&pool.decoder().decode_json(body).unwrap()), expected);
            });
        }
    });
    assert!(pool.decoder().decode_json(b"").is_err());
    assert_eq!(pool.idle(), 2);
    // Text lies idle, too, and is used again.
    let idle = pool.idle_bytes();
    let (one, other) = (pool.decoder(), pool.decoder());
    assert_eq!(one.capacity_bytes() + other.capacity_bytes(), idle);
    assert_eq!((pool.idle(), pool.idle_bytes()), (0, 0));
    drop((one, other));
    assert_eq!((pool.idle(), pool.idle_bytes()), (2, idle));
}

#[test]
fn a_push_may_be_held_across_an_await() {
    fn assert_send(_: impl Future<Output = usize> + Send) {}

    let pool = Pool::<PushRequest>::new();
    assert_send(async {
        let mut decoder = pool.decoder();
        let push = decoder.decode_json(b"{}").unwrap();
        std::future::ready(()).await;
        push.streams().len()
    });
}
