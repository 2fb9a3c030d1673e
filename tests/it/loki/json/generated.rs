//! Any push, written as JSON by serde_json, reads as what it was; any bytes are read or refused.

use std::fmt::Write;

use borrowire::loki::Timestamp;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{Entry, entry, read};
use crate::support::loki_json::{Used, check};

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[ -~]{0,80}", r#"[\\"/\n\t\x00-\x20é☃🚀]{0,40}"#,]
}

/// An entry, and its JSON.
fn an_entry() -> impl Strategy<Value = (Entry, Value)> {
    let metadata = prop::collection::btree_map(text(), text(), 0..4);
    (any::<i64>(), text(), metadata, any::<bool>()).prop_map(|(nanos, line, metadata, empty)| {
        let pairs: Vec<_> = metadata.iter().map(|(name, value)| (&name[..], &value[..])).collect();
        let object: Map<_, _> =
            metadata.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let json = match pairs.is_empty() && empty {
            true => json!([nanos.to_string(), line]),
            false => json!([nanos.to_string(), line, object]),
        };
        (entry(nanos, &line, &pairs), json)
    })
}

/// A stream, its labels as pairs, and its JSON.
fn a_stream() -> impl Strategy<Value = (Vec<(String, String)>, Vec<Entry>, Value)> {
    let labels = prop::collection::btree_map("[a-zA-Z_][a-zA-Z0-9_]{0,8}", text(), 0..6);
    let entries = prop::collection::vec(an_entry(), 0..5);
    (labels, entries).prop_map(|(labels, entries)| {
        let object: Map<_, _> =
            labels.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
        let (entries, values): (Vec<_>, Vec<_>) = entries.into_iter().unzip();
        (labels.into_iter().collect(), entries, json!({"stream": object, "values": values}))
    })
}

/// JSON in which everything in strings that may be escaped is, as UTF-16.
fn escaped(json: &str) -> String {
    let mut out = String::new();
    let mut characters = json.chars();
    let mut in_string = false;
    while let Some(character) = characters.next() {
        match character {
            '"' => {
                in_string = !in_string;
                out.push(character);
            }
            '\\' => out.extend([character, characters.next().unwrap()]),
            _ if in_string && !character.is_ascii_digit() => {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    write!(out, "\\u{unit:04X}").unwrap();
                }
            }
            _ => out.push(character),
        }
    }
    out
}

/// `\u` escapes of serde_json must be left alone.
fn has_unicode_escapes(json: &str) -> bool {
    json.replace(r"\\", "").contains(r"\u")
}

proptest! {
    #[test]
    fn a_push_reads_as_what_it_was(streams in prop::collection::vec(a_stream(), 0..4)) {
        let values: Vec<_> = streams.iter().map(|(_, _, json)| json).collect();
        let body = json!({ "streams": values });
        let mut forms = vec![body.to_string(), format!("{body:#}")];
        if !has_unicode_escapes(&forms[0]) {
            forms.push(escaped(&forms[0]));
        }
        for body in forms {
            let read = read(&body);
            prop_assert_eq!(read.len(), streams.len());
            for ((labels, entries), (pairs, expected, _)) in read.iter().zip(&streams) {
                prop_assert_eq!(entries, expected);
                let mut scratch = Vec::new();
                let labels = borrowire::loki::selector::parse(labels, &mut scratch).unwrap();
                let labels = labels.iter().map(|pair| (pair.name, pair.value));
                prop_assert!(labels.eq(pairs.iter().map(|(name, value)| (&name[..], &value[..]))));
            }
            check(body.as_bytes(), &mut Used::default());
        }
    }

    #[test]
    fn a_push_with_some_bytes_changed_is_read_or_refused(
        streams in prop::collection::vec(a_stream(), 0..3),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let values: Vec<_> = streams.iter().map(|(_, _, json)| json).collect();
        let mut body = json!({ "streams": values }).to_string().into_bytes();
        for (at, byte) in changes {
            *at.get_mut(&mut body) = byte;
        }
        check(&body, &mut Used::default());
    }

    #[test]
    fn pieces_of_pushes_in_any_order_are_read_or_refused(
        pieces in prop::collection::vec(prop::sample::select(PIECES), 0..40),
    ) {
        check(pieces.concat().as_bytes(), &mut Used::default());
    }
}

/// Found by fuzzing: the older shape tells times that have no 64 bits of nanoseconds.
#[test]
fn a_time_before_1677_is_read_and_not_written() {
    let body =
        r#"{"streams":[{"labels":"{}","entries":[{"ts":"1013-11-30T11:51:35Z","line":""}]}]}"#;
    assert_eq!(read(body)[0].1[0].0, Some(Timestamp::new(-30_171_182_905, 0)));
    check(body.as_bytes(), &mut Used::default());
}

const PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"streams\"",
    "\"stream\"",
    "\"values\"",
    "\"labels\"",
    "\"entries\"",
    "\"ts\"",
    "\"line\"",
    "\"1\"",
    "\"\\ud800\"",
    "null",
    "0",
    "true",
    " ",
    "\n",
    "{\"streams\":[{",
    "}]}",
    "\"values\":[[\"1\",\"x\"",
    "\"stream\":{\"a\":\"b\"}",
    "{\"a\":\"b\"}",
    "\"entries\":[{\"ts\":\"1970-01-01T00:00:00Z\",\"line\":\"x\"}]",
    "\"labels\":\"{a='b'}\"",
];
