//! What real clients sent reads as what they meant; and what they sent as protobuf reads the same when it
//! is JSON.

use borrowire::Encode;
use borrowire::loki::json::{JsonEncodeErrorKind, JsonErrorKind, JsonScratch};
use borrowire::loki::selector::{self, Canonical};
use borrowire::loki::{DecodeOptions, PushRequest, Timestamp};
use serde_json::{Map, Value, json};

use super::{Entry, streams};
use crate::support::fixtures::{self, Golden};

/// Calls `check` with the name, the body and the golden contents of each captured push that is JSON, or
/// of each that is not.
fn for_each(is_json: bool, mut check: impl FnMut(&str, &[u8], &Golden)) {
    let mut count = 0;
    for fixture in fixtures::of("loki") {
        let golden = fixture.golden();
        if golden.json().is_null() != is_json {
            check(&fixture.name, &fixture.body, golden);
            count += 1;
        }
    }
    assert_eq!(count, if is_json { 25 } else { 16 });
}

fn text(value: &Value) -> String {
    value.as_str().expect("text").to_owned()
}

fn pairs(object: &Map<String, Value>) -> Vec<(String, String)> {
    object.iter().map(|(name, value)| (name.clone(), text(value))).collect()
}

/// An entry of golden contents, in either shape.
fn golden_entry(entry: &Value) -> Entry {
    if let Some(values) = entry.as_array() {
        let nanos = text(&values[0]).parse().unwrap();
        let metadata = values.get(2).and_then(Value::as_object).map(pairs).unwrap_or_default();
        return (Some(Timestamp::from_unix_nanos(nanos)), text(&values[1]).into_bytes(), metadata);
    }
    // Their clock's only zone, their only precision.
    let ts = text(&entry["ts"]);
    let time = ts.strip_prefix("2026-11-30T").and_then(|ts| ts.strip_suffix("+00:00")).unwrap();
    let numbers: Vec<i64> = time.split([':', '.']).map(|part| part.parse().unwrap()).collect();
    let [hour, minute, second, micros] = numbers[..] else { panic!("{ts}") };
    let midnight = 1_795_996_800;
    let seconds = midnight + (hour * 60 + minute) * 60 + second;
    let timestamp = Timestamp::new(seconds, i32::try_from(micros * 1000).unwrap());
    (Some(timestamp), text(&entry["line"]).into_bytes(), Vec::new())
}

#[test]
fn bodies_read_as_their_golden_contents() {
    let options = DecodeOptions::new().with_quoted_names(true);
    let mut scratch = JsonScratch::new();
    for_each(true, |name, body, golden| {
        let push = PushRequest::decode_json_with(body, &mut scratch, &options).expect(name);
        let read = streams(&push);
        let expected = golden.json()["streams"].as_array().unwrap();
        assert_eq!(read.len(), expected.len(), "{name}");
        assert_eq!(read.len(), golden.count("streams"), "{name}");
        assert_eq!(push.entries_len(), golden.count("entries"), "{name}");
        for ((labels, entries), stream) in read.iter().zip(expected) {
            match stream["stream"].as_object() {
                Some(object) => {
                    let mut expected = pairs(object);
                    expected.sort();
                    let mut scratch = Vec::new();
                    let labels = selector::parse(labels, &mut scratch).unwrap();
                    let labels = labels.iter().map(|pair| (pair.name, pair.value));
                    assert!(labels.eq(expected.iter().map(|(n, v)| (&n[..], &v[..]))), "{name}");
                }
                None => assert_eq!(*labels, text(&stream["labels"]), "{name}"),
            }
            let expected = ["values", "entries"].iter().find_map(|&key| stream[key].as_array());
            let expected: Vec<Entry> = expected.unwrap().iter().map(golden_entry).collect();
            assert_eq!(*entries, expected, "{name}");
        }
    });
}

/// Fluent Bit was given a label whose name is no identifier. Loki refuses such a push.
#[test]
fn names_that_are_no_identifiers_are_refused_unless_they_may_be_quoted() {
    let mut refused = 0;
    for_each(true, |name, body, golden| {
        let mut scratch = JsonScratch::new();
        if let Err(error) = PushRequest::decode_json(body, &mut scratch) {
            assert!(name.starts_with("fluentbit"), "{name}");
            assert_eq!(error.kind(), JsonErrorKind::InvalidLabelName);
            let name = br#""l\u00e4bel""#;
            assert_eq!(&body[error.offset()..][..name.len()], name);
            refused += 1;
        }
        let mut scratch = JsonScratch::new();
        let options = DecodeOptions::new().with_quoted_names(true);
        let push = PushRequest::decode_json_with(body, &mut scratch, &options).unwrap();
        if name.starts_with("fluentbit") {
            let level = golden.json()["streams"][0]["stream"]["level"].as_str();
            let level = level.map_or(String::new(), |level| format!("level=\"{level}\", "));
            let labels = push.streams().get(0).unwrap().labels();
            assert_eq!(labels, format!("{{job=\"fluentbit\", {level}\"läbel\"=\"ü\"}}"));
        }
    });
    assert_eq!(refused, 7);
}

/// JSON of the golden contents of a protobuf body, made without this crate; `None` if it cannot be: a
/// line is not UTF-8, or a label string is none.
fn as_json(golden: &Golden) -> Option<Vec<u8>> {
    let message: Value = serde_json::from_str(&golden.message).unwrap();
    let streams = message["streams"].as_array().unwrap().iter().map(|stream| {
        let labels = text(&stream["labels"]);
        let mut scratch = Vec::new();
        let labels = selector::parse(&labels, &mut scratch).ok()?;
        let labels = labels.iter().map(|pair| (pair.name.to_owned(), pair.value.into()));
        let none = Vec::new();
        let entries = stream["entries"].as_array().unwrap_or(&none).iter().map(|entry| {
            let [seconds, nanos] = [0, 1].map(|part| entry["timestamp"][part].as_i64().unwrap());
            let nanos = format!("{seconds}{nanos:09}");
            let line = entry["line"].as_str().or(entry["line"].is_null().then_some(""))?;
            let metadata: Map<_, _> = entry["structuredMetadata"]
                .as_array()
                .unwrap_or(&none)
                .iter()
                .map(|pair| (text(&pair[0]), pair[1].clone()))
                .collect();
            Some(match metadata.is_empty() {
                true => json!([nanos, line]),
                false => json!([nanos, line, metadata]),
            })
        });
        let entries: Option<Vec<Value>> = entries.collect();
        Some(json!({ "stream": labels.collect::<Map<_, _>>(), "values": entries? }))
    });
    let streams: Option<Vec<Value>> = streams.collect();
    Some(json!({ "streams": streams? }).to_string().into_bytes())
}

#[test]
fn the_same_data_as_protobuf_and_as_json_is_the_same_push() {
    let (mut one, mut other) = (JsonScratch::new(), JsonScratch::new());
    let mut same = 0;
    for_each(false, |name, body, golden| {
        let protobuf = PushRequest::decode(body).expect(name);
        let Some(json) = as_json(golden) else {
            let error = protobuf.json_encoder(&mut one).expect_err(name);
            let expected = match name {
                _ if name.starts_with("promtail363-badutf8") => {
                    matches!(error.kind(), JsonEncodeErrorKind::InvalidUtf8 { .. })
                }
                _ if name.starts_with("winstonloki") => {
                    matches!(error.kind(), JsonEncodeErrorKind::InvalidLabels(_))
                }
                _ => false,
            };
            assert!(expected, "{name}: {error}");
            return;
        };
        let mut expected = streams(&protobuf);
        for (labels, _) in &mut expected {
            let mut scratch = Vec::new();
            let parsed = selector::parse(labels, &mut scratch).unwrap();
            // What is read keeps labels without a value; Loki drops them later.
            let written = Canonical::with_empty(parsed.iter().copied()).to_string();
            drop(parsed);
            *labels = written;
        }
        let push = PushRequest::decode_json(&json, &mut one).expect(name);
        assert_eq!(streams(&push), expected, "{name}");

        // Protobuf again, from what was JSON.
        let encoded = push.encode_to_vec().unwrap();
        assert_eq!(streams(&PushRequest::decode(&encoded).unwrap()), expected, "{name}");

        // And JSON, from what is protobuf.
        let written = protobuf.json_encoder(&mut other).unwrap().encode_to_vec().unwrap();
        let written: Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(written, serde_json::from_slice::<Value>(&json).unwrap(), "{name}");
        same += 1;
    });
    assert!(same >= 3, "{same}");
}

/// The captured pushes that are JSON are written as JSON with the same meaning.
#[test]
fn json_and_back() {
    let options = DecodeOptions::new().with_quoted_names(true);
    for_each(true, |name, body, golden| {
        let (mut one, mut other) = (JsonScratch::new(), JsonScratch::new());
        let push = PushRequest::decode_json_with(body, &mut one, &options).expect(name);
        let written = push.json_encoder(&mut other).expect(name).encode_to_vec().unwrap();
        let mut again = JsonScratch::new();
        let again = PushRequest::decode_json_with(&written, &mut again, &options).expect(name);
        for (one, other) in push.streams().iter().zip(again.streams()) {
            assert!(one.entries().iter().eq(other.entries()), "{name}");
        }
        // Where the client used this shape and no empty objects, it is the very same JSON.
        let golden = golden.json();
        let stream = &golden["streams"][0];
        if stream["stream"].is_object() && stream["values"][0][2] != json!({}) {
            assert_eq!(serde_json::from_slice::<Value>(&written).unwrap(), *golden, "{name}");
        }
    });
}
