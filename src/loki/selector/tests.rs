use alloc::string::{String, ToString};
use alloc::vec::Vec;

use proptest::collection::vec;
use proptest::prelude::*;

use super::SelectorErrorKind::*;
use super::{Canonical, Labels, SelectorError, SelectorErrorKind, parse, parse_lossy};
use crate::Encode;
use crate::loki::LabelPair;
use crate::wire::{BufferFull, Writer};

type Pairs<'a> = &'a [(&'a str, &'a str)];

fn labels<'a>(pairs: Pairs<'a>) -> Labels<'a> {
    pairs.iter().map(|&(name, value)| LabelPair::new(name, value)).collect()
}

#[track_caller]
fn assert_parses(text: &str, expected: Pairs<'_>) {
    assert_eq!(parse(text, &mut Vec::new()), Ok(labels(expected)), "{text}");
    // Whatever was there before does not matter.
    let mut used = Vec::from([b'x'; 7]);
    assert_eq!(parse(text, &mut used), Ok(labels(expected)), "{text}");
}

#[track_caller]
fn assert_fails(text: &str, kind: SelectorErrorKind, offset: usize) {
    assert_eq!(parse(text, &mut Vec::new()), Err(SelectorError::new(kind, offset)), "{text}");
}

#[test]
fn every_form_of_the_grammar() {
    assert_parses("", &[]);
    assert_parses("{}", &[]);
    assert_parses("up", &[("__name__", "up")]);
    assert_parses("up{}", &[("__name__", "up")]);
    assert_parses(":a:b9:{c=\"d\"}", &[("__name__", ":a:b9:"), ("c", "d")]);
    assert_parses(r#"{a="b"}"#, &[("a", "b")]);
    assert_parses(r#"{a="b",}"#, &[("a", "b")]);
    assert_parses(r#"{a="b", c="d"}"#, &[("a", "b"), ("c", "d")]);
    assert_parses("{_a1_Z=\"b\",c='d',e=`f`}", &[("_a1_Z", "b"), ("c", "d"), ("e", "f")]);
    assert_parses(r#"{"a.b"="c", 'd e'="f", `g`="h"}"#, &[("a.b", "c"), ("d e", "f"), ("g", "h")]);
    assert_parses(r#"{"up"}"#, &[("__name__", "up")]);
    assert_parses(r#"{a="b", 'up', c="d"}"#, &[("a", "b"), ("__name__", "up"), ("c", "d")]);
    assert_parses(r#"{"up" , }"#, &[("__name__", "up")]);
}

#[test]
fn white_space_and_comments_between_all_parts() {
    let expected: Pairs<'_> = &[("__name__", "up"), ("a", "b"), ("c", "d"), ("e", "f")];
    let plain = "up{a=\"b\",\"c\"='d',e=`f`,}";
    assert_parses(plain, expected);
    for space in [" ", "\t", "\r", "\n", "\r\n \t", "# {\"} \u{fffd} é\n", "#\r", "#a\n#b\r\n"] {
        let mut spaced = String::from(space);
        for part in ["up", "{", "a", "=", "\"b\"", ",", "\"c\"", "=", "'d'", ",", "e", "="] {
            spaced += part;
            spaced += space;
        }
        spaced += &["`f`", space, ",", space, "}", space, "# the end"].concat();
        assert_parses(&spaced, expected);
    }
    // A comment only ends with its line; in a string there are none.
    assert_fails("{a=\"b\" # }", UnclosedBrace, 10);
    assert_parses("# nothing", &[]);
    assert_parses("{a=\"#b\", c=`#`}", &[("a", "#b"), ("c", "#")]);
    // No other white space.
    assert_fails("\u{b}{}", ExpectedBrace, 0);
    assert_fails("{\u{a0}a=\"b\"}", ExpectedName, 1);
}

/// Tried on Prometheus' own parser, word by word.
#[test]
fn words_that_promql_keeps_are_no_metric_names() {
    for word in ["atan2", "bool", "group_left", "group_right", "ignoring", "inf", "nan", "on"] {
        let capital = word[..1].to_ascii_uppercase() + &word[1..];
        for word in [word, &capital, &word.to_ascii_uppercase()] {
            assert_fails(word, ReservedWord, 0);
            assert_fails(&[word, "{}"].concat(), ReservedWord, 0);
            assert_fails(&["# on\n ", word, " {a=\"b\"}"].concat(), ReservedWord, 6);
            // As part of a longer name, and anywhere else.
            for name in ["x", "_", ":", "1"].map(|behind| [word, behind].concat()) {
                assert_parses(&[&name, "{}"].concat(), &[("__name__", &name)]);
            }
            let text = alloc::format!("up{{{word}=\"{word}\", '{word}'=`{word}`}}");
            assert_parses(&text, &[("__name__", "up"), (word, word), (word, word)]);
            let text = alloc::format!("{{\"{word}\", __name__='{word}'}}");
            assert_parses(&text, &[("__name__", word), ("__name__", word)]);
        }
    }
    for word in [
        "and",
        "or",
        "unless",
        "sum",
        "avg",
        "count",
        "min",
        "max",
        "group",
        "stddev",
        "stdvar",
        "topk",
        "bottomk",
        "count_values",
        "quantile",
        "limitk",
        "limit_ratio",
        "offset",
        "by",
        "smoothed",
        "anchored",
        "without",
        "fill",
        "fill_left",
        "fill_right",
        "start",
        "end",
        "step",
        "range",
        "infinity",
        "Sum",
        "BY",
    ] {
        assert_parses(&[word, "{a=\"b\"}"].concat(), &[("__name__", word), ("a", "b")]);
    }
}

#[test]
fn order_duplicates_and_empty_values_are_kept() {
    let text = r#"{c="", b="1", a="2", b="0", ""="x", ""}"#;
    let pairs: Pairs<'_> =
        &[("c", ""), ("b", "1"), ("a", "2"), ("b", "0"), ("", "x"), ("__name__", "")];
    assert_parses(text, pairs);
}

#[test]
fn a_metric_name_in_front_takes_the_place_of_those_inside() {
    let expected: Pairs<'_> = &[("__name__", "up"), ("a", "b")];
    assert_parses(r#"up{__name__="x", a="b", "y"}"#, expected);
    assert_parses(r#"{__name__="x", "y"}"#, &[("__name__", "x"), ("__name__", "y")]);
}

#[test]
fn strings_without_escapes_are_borrowed() {
    let text = "up{a=\"b, {c}=d'`\", 'n\"'=`x\\n\n`, e='é☃\u{f000}\u{ffee}'}";
    let mut scratch = Vec::new();
    let labels = parse(text, &mut scratch).unwrap();
    let inside = text.as_bytes().as_ptr_range();
    for pair in &labels {
        assert!(inside.contains(&pair.name.as_ptr()) || pair.name == "__name__");
        assert!(inside.contains(&pair.value.as_ptr()));
    }
    assert_eq!(labels.get("a"), Some("b, {c}=d'`"));
    assert_eq!(labels.get("n\""), Some("x\\n\n"));
    assert_eq!(labels.get("e"), Some("é☃\u{f000}\u{ffee}"));
    drop(labels);
    assert_eq!(scratch.capacity(), 0);
}

#[test]
fn every_escape() {
    let text = r#"{a="\a\b\f\n\r\t\v\\\"\101\x41\u0041\u00e9\uFFFD\U0001F600\U0010ffff"}"#;
    let value = "\x07\x08\x0c\n\r\t\x0b\\\"AAAé\u{fffd}\u{1f600}\u{10ffff}";
    assert_parses(text, &[("a", value)]);
    // Characters byte by byte.
    assert_parses(r#"{a="\xc3\251\303\xA9\xf0\x9f\230\200"}"#, &[("a", "éé😀")]);
    assert_parses(r#"{'\'"'='\'"', "\"'"="\"'"}"#, &[("'\"", "'\""), ("\"'", "\"'")]);
    assert_parses(r#"{a="\000\x00\u0000"}"#, &[("a", "\0\0\0")]);
    // Digits behind the last one that belongs to the escape.
    assert_parses(r#"{a="\1011\x411\u00411\U000000411"}"#, &[("a", "A1A1A1A1")]);
    assert_parses(r#"{"\x61\u002e"="b", "\u0075p"}"#, &[("a.", "b"), ("__name__", "up")]);
}

#[test]
fn escapes_at_every_distance_from_the_start() {
    for len in 0..40 {
        let plain = "x".repeat(len);
        let text = alloc::format!("{{a=\"{plain}\\n{plain}\", b='{plain}', c=\"é{plain}\\\\\"}}");
        let [a, c] = [alloc::format!("{plain}\n{plain}"), alloc::format!("é{plain}\\")];
        assert_parses(&text, &[("a", &a), ("b", &plain), ("c", &c)]);
        let text = alloc::format!("{{a=\"{plain}\n\"}}");
        assert_fails(&text, LineBreak, 4 + len);
        let text = alloc::format!("{{a=\"{plain}\u{ffee}\u{fffd}\"}}");
        assert_fails(&text, ReplacementCharacter, 7 + len);
    }
}

#[test]
fn boundaries_are_found_by_counting_backslashes_from_the_left() {
    assert_parses(r#"{p="D:\\",v="X"}"#, &[("p", "D:\\"), ("v", "X")]);
    assert_parses(r#"{a="x, Rev=7, {y}"}"#, &[("a", "x, Rev=7, {y}")]);
    assert_parses(r#"{a="q\"q"}"#, &[("a", "q\"q")]);
    assert_parses(r#"{a="\\\""}"#, &[("a", "\\\"")]);
    assert_fails(r#"{p="C:\Q"}"#, InvalidEscape, 6);
    assert_fails(r#"{a="unterminated}"#, UnterminatedString, 3);
}

#[test]
fn unusual_characters() {
    assert_parses(r#"{a="\ue123"}"#, &[("a", "\u{e123}")]);
    assert_parses(r#"{a="\U0001F600"}"#, &[("a", "😀")]);
    assert_parses(r#"{a="\x41\101"}"#, &[("a", "AA")]);
    assert_parses(r#"{a="é☃"}"#, &[("a", "é☃")]);
    assert_parses(r#"{a="\n\t"}"#, &[("a", "\n\t")]);
    assert_parses(r"{a=`x\n`}", &[("a", r"x\n")]);
    assert_fails(r#"{a="\xff"}"#, InvalidUtf8, 4);
    assert_fails(r#"{a="\ud800"}"#, InvalidCodePoint, 4);
}

#[test]
fn label_strings_of_real_clients() {
    // loki-canary, Promtail, python-logging-loki, tracing-loki, winston-loki
    assert_parses(
        r#"{name="canary-a", stream="push"}"#,
        &[("name", "canary-a"), ("stream", "push")],
    );
    assert_parses(
        r#"{cluster="läb\"q\\", filename="/var/log/app/b.log", job="json", level="débug"}"#,
        &[
            ("cluster", "läb\"q\\"),
            ("filename", "/var/log/app/b.log"),
            ("job", "json"),
            ("level", "débug"),
        ],
    );
    assert_parses(
        r#"{application="pÿ",empty="",severity="info",logger="l0",service="s\"q"}"#,
        &[
            ("application", "pÿ"),
            ("empty", ""),
            ("severity", "info"),
            ("logger", "l0"),
            ("service", "s\"q"),
        ],
    );
    assert_parses(
        r#"{host="h\"ö\\st",service="rüst",level="info"}"#,
        &[("host", "h\"ö\\st"), ("service", "rüst"), ("level", "info")],
    );
    assert_parses(
        r#"{level="info",app="wïnston",env="lab",empty=""}"#,
        &[("level", "info"), ("app", "wïnston"), ("env", "lab"), ("empty", "")],
    );
    // winston-loki escapes nothing.
    assert_fails(r#"{level="info",quote="a"b"}"#, ExpectedComma, 23);
}

#[test]
fn every_error_with_its_place() {
    for (text, kind, offset) in [
        ("9", ExpectedBrace, 0),
        (" \"up\"", ExpectedBrace, 1),
        ("}", ExpectedBrace, 0),
        ("up down", ExpectedBrace, 3),
        ("up=\"x\"", ExpectedBrace, 2),
        ("é{}", ExpectedBrace, 0),
        ("{} {}", ExpectedEnd, 3),
        ("{}up", ExpectedEnd, 2),
        ("{a=\"b\"}}", ExpectedEnd, 7),
        ("{a=\"b\"}é", ExpectedEnd, 7),
        ("{,}", ExpectedName, 1),
        ("{a=\"b\",,}", ExpectedName, 7),
        ("{a=\"b\", 9=\"c\"}", ExpectedName, 8),
        ("{{}}", ExpectedName, 1),
        ("{é=\"b\"}", ExpectedName, 1),
        ("{:a=\"b\"}", ExpectedName, 1),
        ("{=\"b\"}", ExpectedName, 1),
        ("{a}", ExpectedEquals, 2),
        ("{a:b=\"c\"}", ExpectedEquals, 2),
        ("{a.b=\"c\"}", ExpectedEquals, 2),
        ("{a!=\"b\"}", ExpectedEquals, 2),
        ("{a é", ExpectedEquals, 3),
        ("{\"a\" \"b\"}", ExpectedEquals, 5),
        ("{a=~\"b\"}", ExpectedValue, 3),
        ("{a==\"b\"}", ExpectedValue, 3),
        ("{a= b}", ExpectedValue, 4),
        ("{a=}", ExpectedValue, 3),
        ("{a=é}", ExpectedValue, 3),
        ("{a=\"b\" c=\"d\"}", ExpectedComma, 7),
        ("{a=\"b\";c=\"d\"}", ExpectedComma, 6),
        ("{a=\"b\"\"c\"}", ExpectedComma, 6),
        ("{a=\"b\"é", ExpectedComma, 6),
        ("{", UnclosedBrace, 1),
        ("{a", UnclosedBrace, 2),
        ("{a ", UnclosedBrace, 3),
        ("{a=", UnclosedBrace, 3),
        ("{a=\"b\"", UnclosedBrace, 6),
        ("{a=\"b\",", UnclosedBrace, 7),
        ("{\"a\"", UnclosedBrace, 4),
        ("{a=\"b\", \"c\" \n", UnclosedBrace, 13),
        ("{a=\"", UnterminatedString, 3),
        ("{a=\"b'`", UnterminatedString, 3),
        ("{a='b\"`", UnterminatedString, 3),
        ("{a=`b\"'\\`\n", UnclosedBrace, 10),
        ("{a=`b\"'\\\n", UnterminatedString, 3),
        ("{a=\"b\\", UnterminatedString, 3),
        ("{a=\"b\\n", UnterminatedString, 3),
        ("{a=\"b\\\"", UnterminatedString, 3),
        ("{a=\"b\\\"}", UnterminatedString, 3),
        ("{a=\"b\", \"", UnterminatedString, 8),
        ("{a=\"b\nc\"}", LineBreak, 5),
        ("{a=\"\\n\n\"}", LineBreak, 6),
        ("{a='\n'}", LineBreak, 4),
        ("{\"\n\"}", LineBreak, 2),
        ("{a=\"b\u{fffd}\"}", ReplacementCharacter, 5),
        ("{a=\"\\n\u{fffd}\"}", ReplacementCharacter, 6),
        ("{a=`\u{fffd}`}", ReplacementCharacter, 4),
        ("{'\u{ffee}\u{fffd}'", ReplacementCharacter, 5),
        ("{a=\"b\\q\"}", InvalidEscape, 5),
        ("{a=\"\\'\"}", InvalidEscape, 4),
        ("{a='\\\"'}", InvalidEscape, 4),
        ("{a='\\`'}", InvalidEscape, 4),
        ("{a=\"\\é\"}", InvalidEscape, 4),
        ("{a=\"\\\n\"}", InvalidEscape, 4),
        ("{a=\"\\8\"}", InvalidEscape, 4),
        ("{a=\"\\12\"}", InvalidEscape, 4),
        ("{a=\"\\128\"}", InvalidEscape, 4),
        ("{a=\"\\x\"}", InvalidEscape, 4),
        ("{a=\"\\x1\"}", InvalidEscape, 4),
        ("{a=\"\\x1", InvalidEscape, 4),
        ("{a=\"\\x+1\"}", InvalidEscape, 4),
        ("{a=\"\\u123\"}", InvalidEscape, 4),
        ("{a=\"\\u{41}\"}", InvalidEscape, 4),
        ("{a=\"\\U0010fff\"}", InvalidEscape, 4),
        ("{a=\"\\400\"}", InvalidCodePoint, 4),
        ("{a=\"b\\777\"}", InvalidCodePoint, 5),
        ("{a=\"\\udfff\"}", InvalidCodePoint, 4),
        ("{a=\"\\U00110000\"}", InvalidCodePoint, 4),
        ("{a=\"\\Uffffffff\"}", InvalidCodePoint, 4),
        ("{a=\"\\U0000d800\"}", InvalidCodePoint, 4),
        ("{a=\"b\\x80\"}", InvalidUtf8, 5),
        ("{a=\"é\\n\\303\"}", InvalidUtf8, 8),
        ("{a=\"\\xc3\\x28\"}", InvalidUtf8, 4),
        ("{a=\"\\xc3b\\xa9\"}", InvalidUtf8, 4),
        ("{a=\"\\xe2\\x98\\u0083\"}", InvalidUtf8, 4),
        ("{a=\"\\xed\\xa0\\x80\"}", InvalidUtf8, 4),
        ("{a=\"\\xc3\\xa9\\xa9\"}", InvalidUtf8, 12),
        ("{a=\"b\", \"\\xff\"}", InvalidUtf8, 9),
    ] {
        assert_fails(text, kind, offset);
    }
}

#[test]
fn lossy_replaces_what_is_not_utf8() {
    for (escapes, value) in [
        (r"\xff", "\u{fffd}"),
        (r"\377x", "\u{fffd}x"),
        (r"caf\xe9", "caf\u{fffd}"),
        (r"\xe2\x98", "\u{fffd}"),
        (r"\xe2\x98x", "\u{fffd}x"),
        (r"\xe2\x98é", "\u{fffd}é"),
        (r"\xc3\n", "\u{fffd}\n"),
        (r"\xc3\xc3\xa9", "\u{fffd}é"),
        (r"\xe0\x80", "\u{fffd}\u{fffd}"),
        (r"\xed\xa0\x80", "\u{fffd}\u{fffd}\u{fffd}"),
        (r"\xf0\x9f\x98\x80\xff\xc3\xa9", "😀\u{fffd}é"),
        (r"\xa9\xa9\xa9\xa9", "\u{fffd}\u{fffd}\u{fffd}\u{fffd}"),
    ] {
        let text = alloc::format!("{{a=\"{escapes}\", \"{escapes}\"='{escapes}', b=\"x\"}}");
        let error = parse(&text, &mut Vec::new()).unwrap_err();
        assert_eq!(error.kind(), InvalidUtf8, "{text}");
        let expected: Pairs<'_> = &[("a", value), (value, value), ("b", "x")];
        assert_eq!(parse_lossy(&text, &mut Vec::new()), Ok(labels(expected)), "{text}");
        assert_eq!(parse_lossy(&text, &mut Vec::from([b'x'; 7])), Ok(labels(expected)), "{text}");
    }
}

#[test]
fn lossy_forgives_nothing_else() {
    for text in ["{a=\"\u{fffd}\"}", r#"{a="\ud800"}"#, r#"{a="\xff\q"}"#, r#"{a="\x41" b="c"}"#] {
        let strict = parse(text, &mut Vec::new()).unwrap_err();
        let lossy = parse_lossy(text, &mut Vec::new()).unwrap_err();
        assert_eq!(lossy, strict, "{text}");
    }
}

#[test]
fn an_error_shows_no_input() {
    let error = parse("{secret=\"s3cret\"\"", &mut Vec::new()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (ExpectedComma, 16));
    assert_eq!(error.to_string(), "expected a comma or a closing brace at byte 16");
}

#[test]
fn more_labels_than_fit_in_place() {
    let names: Vec<String> = (0..100).map(|i| alloc::format!("l{i:03}")).collect();
    let pairs: Vec<_> = names.iter().map(|name| (name.as_str(), "a\n\"")).collect();
    let text = Canonical::from(labels(&pairs)).to_string();
    assert_parses(&text, &pairs);
}

#[test]
fn scratch_grows_to_the_length_of_the_text() {
    let mut scratch = Vec::new();
    let text = r#"{a="\n\u00e9", b="\U0001f600", c="\101\x41", "\x64"}"#;
    parse(text, &mut scratch).unwrap();
    assert_eq!(scratch.len(), text.len());
    let place = scratch.as_ptr();
    assert_eq!(parse(r#"{a="\\"}"#, &mut scratch), Ok(labels(&[("a", "\\")])));
    assert_eq!((scratch.as_ptr(), scratch.len()), (place, text.len()));
}

#[test]
fn labels_as_loki_keeps_them() {
    let mut scratch = Vec::new();
    let mut parsed = parse(r#"{c="", b="1", a="2", b="0", d="3"}"#, &mut scratch).unwrap();
    assert_eq!(parsed.duplicate(), Some("b"));
    assert_eq!(parsed.get("b"), Some("1"));
    assert_eq!(parsed.get("x"), None);
    parsed.normalize();
    assert_eq!(parsed, labels(&[("a", "2"), ("b", "0"), ("b", "1"), ("d", "3")]));
    assert_eq!(parsed.duplicate(), Some("b"));
    assert_eq!(parsed.len(), 4);

    let mut parsed = labels(&[("b", "1"), ("a", ""), ("b", "")]);
    assert_eq!(parsed.duplicate(), Some("b"));
    parsed.drop_empty();
    assert_eq!(parsed, labels(&[("b", "1")]));
    assert_eq!(parsed.duplicate(), None);
    assert_eq!(labels(&[]).duplicate(), None);
    assert!(Labels::new().is_empty());
}

#[track_caller]
fn assert_writes(pairs: Pairs<'_>, expected: &str) {
    assert_writes_as(&Canonical::from(labels(pairs)), expected);
}

#[track_caller]
fn assert_writes_as(canonical: &Canonical<'_>, expected: &str) {
    assert_eq!(canonical.to_string(), expected);
    assert_eq!(canonical.encode_to_vec().unwrap(), expected.as_bytes());
    assert_eq!(canonical.encoded_len(), expected.len());
    for len in 0..expected.len() {
        let mut out = alloc::vec![0; len];
        assert_eq!(canonical.write_to(&mut Writer::new(&mut out)), Err(BufferFull));
    }
    assert_parses(expected, &pairs_of(canonical.labels()));
}

fn pairs_of<'a>(labels: &Labels<'a>) -> Vec<(&'a str, &'a str)> {
    labels.iter().map(|pair| (pair.name, pair.value)).collect()
}

#[test]
fn written_sorted_and_quoted() {
    assert_writes(&[], "{}");
    assert_writes(&[("c", "d"), ("a", "b")], r#"{a="b", c="d"}"#);
    assert_writes(&[("a", "z"), ("a", "x"), ("_B9", "y")], r#"{_B9="y", a="x", a="z"}"#);
    assert_writes(
        &[("k8s.pod", "1"), ("", "2"), ("9", "3"), ("é", "4"), ("a:b", "5"), ("q\"", "6")],
        r#"{""="2", "9"="3", "a:b"="5", "k8s.pod"="1", "q\""="6", "é"="4"}"#,
    );
    assert_writes(&[("__name__", "up")], r#"{__name__="up"}"#);
}

#[test]
fn a_label_without_a_value_is_not_there() {
    assert_writes(&[("a", "")], "{}");
    let pairs = [("c", "d"), ("a", ""), ("b", "\0"), ("a", "x"), ("", "")];
    assert_writes(&pairs, r#"{a="x", b="\x00", c="d"}"#);
    // Both ways of writing the same labels are one stream.
    let mut scratch = Vec::new();
    let parsed = parse(r#"{zone="", job='web', "rack"=``}"#, &mut scratch).unwrap();
    assert_writes_as(&Canonical::from(parsed), r#"{job="web"}"#);
    // Unless they are wanted.
    let kept = Canonical::with_empty(labels(&pairs).iter().copied());
    assert_writes_as(&kept, r#"{""="", a="", a="x", b="\x00", c="d"}"#);
}

/// As Go's `strconv.Quote` writes them, except for U+FFFD.
#[test]
fn values_quoted_as_go_does() {
    for (value, quoted) in [
        ("'`#{}=, ~", r"'`#{}=, ~"),
        ("\"\\", r#"\"\\"#),
        ("\x07\x08\x0c\n\r\t\x0b", r"\a\b\f\n\r\t\v"),
        ("\0\x01\x1f\x7f", r"\x00\x01\x1f\x7f"),
        ("\u{80}\u{a0}\u{ad}\u{200b}\u{2028}", r"\u0080\u00a0\u00ad\u200b\u2028"),
        ("\u{3000}\u{e123}\u{feff}\u{ffff}", r"\u3000\ue123\ufeff\uffff"),
        ("\u{e0001}\u{f0000}\u{10ffff}", r"\U000e0001\U000f0000\U0010ffff"),
        ("\u{fffd}", r"\ufffd"),
        ("\u{378}\u{fdd0}\u{1fffe}", r"\u0378\ufdd0\U0001fffe"), // assigned to nothing
        ("é☃日\u{301}\u{20dd}½Ⅷ€\u{fffc}😀", "é☃日\u{301}\u{20dd}½Ⅷ€\u{fffc}😀"),
        ("\u{e0100}\u{1d7ce}", "\u{e0100}\u{1d7ce}"), // a mark, a digit
        ("x\ny\u{a0}z", r"x\ny\u00a0z"),
    ] {
        assert_writes(&[("a", value)], &["{a=\"", quoted, "\"}"].concat());
    }
}

#[test]
fn every_kind_of_character_survives() {
    let mut scratch = Vec::new();
    let (mut text, mut value) = (Vec::new(), [0; 4]);
    let some = |char: &char| *char < '\u{3000}' || u32::from(*char) % 61 == 0;
    for char in (char::MIN..=char::MAX).filter(some) {
        let pair = LabelPair::new("a", char.encode_utf8(&mut value));
        text.clear();
        Canonical::new([pair]).append_to_vec(&mut text).unwrap();
        let parsed = parse(core::str::from_utf8(&text).unwrap(), &mut scratch);
        assert_eq!(parsed.as_ref().map(Labels::as_slice), Ok(&[pair][..]));
    }
}

fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z_][a-zA-Z0-9_]{0,9}",
        any::<String>(),
        "[\"'`\\\\\n#={},aé\u{1}\u{a0}\u{fffd}\u{ffee}\u{e123}\u{10ffff}]{0,20}",
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_is_read_back(pairs in vec((text(), text()), 0..20)) {
        let pairs: Vec<_> = pairs.iter().map(|(name, value)| LabelPair::new(name, value)).collect();
        let mut sorted = pairs.clone();
        sorted.sort();
        let canonical = Canonical::new(pairs.iter().copied());
        let with_empty = Canonical::with_empty(pairs);
        for canonical in [with_empty, canonical] {
            let text = canonical.to_string();
            prop_assert_eq!(canonical.encoded_len(), text.len());
            prop_assert_eq!(canonical.encode_to_vec().unwrap(), text.as_bytes());
            let mut scratch = Vec::new();
            let parsed = parse(&text, &mut scratch).unwrap();
            prop_assert_eq!(&parsed, canonical.labels());
            prop_assert_eq!(parsed.as_slice(), &sorted[..]);
            sorted.retain(|pair| !pair.value.is_empty());
        }
    }

    #[test]
    fn lossy_is_what_std_makes_of_the_bytes(
        bytes in vec(prop_oneof![any::<u8>(), 0x80_u8..=0xff, b'a'..=b'c'], 0..30),
        text in "[aé☃😀]{0,3}",
    ) {
        let escapes: String = bytes.iter().map(|byte| match byte {
            b'a'..=b'c' => char::from(*byte).to_string(),
            _ if byte % 2 == 0 => alloc::format!(r"\x{byte:02x}"),
            _ => alloc::format!(r"\{byte:03o}"),
        }).collect();
        let labels = alloc::format!("{{x=\"{escapes}{text}{escapes}\", y=\"{escapes}\"}}");
        let mut scratch = Vec::new();
        let parsed = parse_lossy(&labels, &mut scratch).unwrap();
        let lossy = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        prop_assert_eq!(parsed.get("x"), Some(&*lossy(&[&bytes, text.as_bytes(), &bytes].concat())));
        prop_assert_eq!(parsed.get("y"), Some(&*lossy(&bytes)));
        if let Ok(strict) = parse(&labels, &mut Vec::new()) {
            prop_assert_eq!(strict, parsed);
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in "[a{}=,\"'`\\\\\n# xuU0-9é\u{fffd}]{0,40}") {
        let mut scratch = Vec::new();
        match parse(&text, &mut scratch) {
            Ok(labels) => {
                let canonical = Canonical::from(labels).to_string();
                let again = Canonical::from(parse(&canonical, &mut Vec::new()).unwrap()).to_string();
                prop_assert_eq!(canonical, again);
            }
            Err(error) => prop_assert!(text.is_char_boundary(error.offset())),
        }
    }
}
