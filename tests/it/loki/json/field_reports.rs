//! Faults that other libraries for Loki were reported to have.

use borrowire::Encode;
use borrowire::loki::json::{JsonEncodeErrorKind, JsonEncoder, JsonScratch};
use borrowire::loki::{Entry, LabelPair, PushRequest, Stream, Timestamp, selector};

use super::{entry, read};

/// The JSON of one entry without labels.
fn json_of(entry: Entry<'_, '_>) -> Result<String, JsonEncodeErrorKind> {
    let entries = [entry];
    let streams = [Stream::new("").with_entries(&entries)];
    let mut scratch = JsonScratch::new();
    let json = JsonEncoder::new(streams, &mut scratch).map_err(|error| error.kind())?;
    Ok(String::from_utf8(json.encode_to_vec().unwrap()).unwrap())
}

/// Times were off by a factor, or lost the zeros in front of their nanoseconds.
#[test]
fn nanoseconds_keep_their_zeros() {
    for (timestamp, nanos) in [
        (Timestamp::new(1_604_916_000, 5_000_000), "1604916000005000000"),
        (Timestamp::new(1_604_916_000, 123_000_000), "1604916000123000000"),
        (Timestamp::new(1_604_916_000, 1), "1604916000000000001"),
        (Timestamp::new(0, 0), "0"),
    ] {
        let json = json_of(Entry::new(timestamp, b"")).unwrap();
        assert_eq!(json, format!(r#"{{"streams":[{{"values":[["{nanos}",""]]}}]}}"#));
        assert_eq!(read(&json)[0].1[0].0, Some(timestamp));
    }
}

/// Times before 1970 got negative nanoseconds.
#[test]
fn times_before_1970_count_forward() {
    for (nanos, seconds, within) in [
        ("-1", -1, 999_999_999),
        ("-999999999", -1, 1),
        ("-1000000000", -1, 0),
        ("-1000000001", -2, 999_999_999),
        ("-9223372036854775808", -9_223_372_037, 145_224_192),
    ] {
        let body = format!(r#"{{"streams":[{{"values":[["{nanos}",""]]}}]}}"#);
        let timestamp = Timestamp::new(seconds, within);
        assert_eq!(read(&body)[0].1[0].0, Some(timestamp));
        assert_eq!(json_of(Entry::new(timestamp, b"")), Ok(body));
    }
}

/// Nanoseconds out of range were taken by some and refused by others; no time passed for the epoch.
#[test]
fn times_without_a_number_of_nanoseconds_are_not_written() {
    let fault = Err(JsonEncodeErrorKind::InvalidTimestamp { entry: 0 });
    for (seconds, nanos) in [
        (1, -1),
        (1, 1_000_000_000),
        (1, i32::MIN),
        (9_223_372_037, 0),
        (-9_223_372_038, 0),
        (Timestamp::MIN.seconds, 0),
        (Timestamp::MAX.seconds + 1, 0),
    ] {
        assert_eq!(json_of(Entry::new(Timestamp::new(seconds, nanos), b"")), fault);
    }
    // An entry without a time, of protobuf: `12 01 x` alone.
    let push = PushRequest::decode(b"\x0a\x05\x12\x03\x12\x01x").unwrap();
    let mut scratch = JsonScratch::new();
    let error = push.json_encoder(&mut scratch).unwrap_err();
    assert_eq!(error.kind(), JsonEncodeErrorKind::InvalidTimestamp { entry: 0 });
}

/// A pair of structured metadata without a value, or without a name, failed the whole push.
#[test]
fn empty_names_and_values_order_and_duplicates_of_metadata_stay() {
    let pairs = [("n2", "a"), ("n1", ""), ("", "v"), ("n2", "b"), ("", "")];
    let body = r#"{"streams":[{"values":[["1","x",{"n2":"a","n1":"","":"v","n2":"b","":""}]]}]}"#;
    assert_eq!(read(body)[0].1, [entry(1, "x", &pairs)]);

    let pairs = pairs.map(|(name, value)| LabelPair::new(name, value));
    let entry = Entry::new(Timestamp::from_unix_nanos(1), b"x").with_structured_metadata(&pairs);
    assert_eq!(json_of(entry).as_deref(), Ok(body));
}

/// A value that ends in a backslash swallowed the next label; so did commas, braces and quotes.
#[test]
fn label_values_that_look_like_syntax() {
    for (object, string) in [
        (r#"{"p":"D:\\","v":"X"}"#, r#"{p="D:\\", v="X"}"#),
        (r#"{"a":"x, Rev=7, {y}"}"#, r#"{a="x, Rev=7, {y}"}"#),
        (r#"{"a":"q\"q"}"#, r#"{a="q\"q"}"#),
        (r#"{"a":"\\\""}"#, r#"{a="\\\""}"#),
        (r#"{"p":"C:\\Q"}"#, r#"{p="C:\\Q"}"#),
    ] {
        let body = format!(r#"{{"streams":[{{"stream":{object},"values":[]}}]}}"#);
        assert_eq!(read(&body)[0].0, string);
        let streams = [Stream::new(string)];
        let mut scratch = JsonScratch::new();
        let json = JsonEncoder::new(streams, &mut scratch).unwrap().encode_to_vec().unwrap();
        assert_eq!(String::from_utf8(json).unwrap(), body);
    }
    for string in [r#"{p="C:\Q"}"#, r#"{a="unterminated}"#, r#"{a="\ud800"}"#, r#"{a="\xff"}"#] {
        let mut scratch = JsonScratch::new();
        let error = JsonEncoder::new([Stream::new(string)], &mut scratch).unwrap_err();
        let JsonEncodeErrorKind::InvalidLabels(inner) = error.kind() else { panic!("{error}") };
        assert_eq!(Err(inner), selector::parse(string, &mut Vec::new()).map(drop));
    }
}

/// Labels with unusual characters could not be read back.
#[test]
fn unusual_characters_in_labels_are_read_back() {
    let text = "\u{e123}😀é☃\n\t\u{a0}\u{fffd}\u{10ffff}\0";
    let body = serde_json::json!({"streams": [{"stream": {"a": text}, "values": []}]}).to_string();
    let labels = &read(&body)[0].0;
    let mut scratch = Vec::new();
    let parsed = selector::parse(labels, &mut scratch).unwrap();
    assert_eq!(parsed.as_slice(), [LabelPair::new("a", text)]);
}

/// Keys turned to garbage once the output had to grow.
#[test]
fn output_that_grows_from_one_byte_is_the_same() {
    for count in [1, 2, 100, 20_000] {
        let names: Vec<String> = (0..count).map(|i| format!("label_{i}")).collect();
        let metadata: Vec<_> = names.iter().map(|name| LabelPair::new(name, "\"v\"")).collect();
        let line = Entry::new(Timestamp::new(1, 0), b"line");
        let mut entries = vec![line; count];
        entries.push(line.with_structured_metadata(&metadata));
        let labels = selector::Canonical::new(metadata.iter().copied()).to_string();
        let streams = [Stream::new(&labels).with_entries(&entries)];

        let mut scratch = JsonScratch::new();
        let json = JsonEncoder::new(streams, &mut scratch).unwrap();
        let mut grown = Vec::with_capacity(1);
        json.append_to_vec(&mut grown).unwrap();
        let mut exact = vec![0; json.encoded_len()];
        assert_eq!(json.encode(&mut exact), Ok(exact.len()));
        assert!(grown == exact);
        let object: serde_json::Value = serde_json::from_slice(&grown).unwrap();
        let object = object["streams"][0]["stream"].as_object().unwrap();
        assert_eq!(object.len(), count);
        assert!(names.iter().all(|name| object[name] == "\"v\""));
    }
}
