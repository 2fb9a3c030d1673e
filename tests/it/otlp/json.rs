//! JSON: what the Collector's reader makes of 181 texts, and what we make of them; captured bodies; and the
//! way back.
//!
//! A line of `json.jsonl` is a name, the signal, the text, and the protobuf in hexadecimal that pdata (1.51.0
//! and 1.65.0 alike) writes of what it read; `null` if it refuses the text.

use borrowire::Encode;
use borrowire::otlp::json::{JsonError, JsonErrorKind, JsonScratch};
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::otlp::{DecodeOptions, ExportResponse, RecordKind};
use borrowire::reuse::{Decoder, Owned, Pool};
use serde_json::{Value, json};

use crate::support::fixtures;

/// What the Collector refuses and we read, as other senders mean it.
const READ_HERE: [(&str, &str); 7] = [
    ("j9-enum-null", r#"{"metrics":[{"name":"x","sum":{}}]}"#),
    ("value-bool-null", r#"{"logRecords":[{"body":{}}]}"#),
    ("value-int-null", r#"{"logRecords":[{"body":{}}]}"#),
    ("value-double-null", r#"{"logRecords":[{"body":{"doubleValue":"NaN"}}]}"#),
    ("value-bytes-null", r#"{"logRecords":[{"body":{}}]}"#),
    ("ids-null", r#"{"logRecords":[{}]}"#),
    ("ids-escaped-slash", r#"{"logRecords":[{"body":{"bytesValue":"//8="}}]}"#),
];
const POINT_NULL: &str =
    r#"{"metrics":[{"name":"m","gauge":{"dataPoints":[{"asDouble":"NaN"}]}}]}"#;

/// What the Collector reads and we refuse.
const REFUSED_HERE: [(&str, JsonErrorKind); 4] = [
    ("value-double-hex", JsonErrorKind::InvalidNumber),
    ("value-double-underscore", JsonErrorKind::InvalidNumber),
    ("text-trailing", JsonErrorKind::TrailingData),
    ("text-two", JsonErrorKind::TrailingData),
];

/// What the Collector reads otherwise: null for a member of a `oneof` is an empty one to it, ids of zeros
/// are none, and a message in a `oneof` replaces the one before.
const OTHERWISE: [(&str, &str); 5] = [
    ("value-string-null", r#"{"logRecords":[{"body":{}}]}"#),
    ("value-array-null", r#"{"logRecords":[{"body":{}}]}"#),
    ("metric-null-data", r#"{"metrics":[{"name":"n"}]}"#),
    (
        "ids-zero",
        r#"{"logRecords":[{"traceId":"00000000000000000000000000000000","spanId":"0000000000000000"}]}"#,
    ),
    (
        "metric-data-twice",
        r#"{"metrics":[{"name":"n","gauge":{"dataPoints":[{"asInt":"1"},{"asInt":"2"}]}}]}"#,
    ),
];

struct Case {
    name: String,
    signal: String,
    text: String,
    protobuf: Option<Vec<u8>>,
}

fn cases() -> Vec<Case> {
    let cases = include_str!("json.jsonl").lines().map(|line| {
        let (name, signal, text, protobuf): (_, _, _, Option<String>) =
            serde_json::from_str(line).unwrap();
        Case { name, signal, text, protobuf: protobuf.map(|digits| hex(&digits)) }
    });
    cases.collect()
}

fn hex(digits: &str) -> Vec<u8> {
    let pairs = (0..digits.len()).step_by(2);
    pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()).collect()
}

/// The JSON that we write of what was read of a text, and of protobuf.
fn from_json(signal: &str, text: &[u8]) -> Result<Value, JsonError> {
    let (mut scratch, mut other) = (JsonScratch::new(), JsonScratch::new());
    let written = if signal == "logs" {
        let request = ExportLogsServiceRequest::decode_json(text, &mut scratch)?;
        request.json_encoder(&mut other).unwrap().encode_to_vec()
    } else {
        let request = ExportMetricsServiceRequest::decode_json(text, &mut scratch)?;
        request.json_encoder(&mut other).unwrap().encode_to_vec()
    };
    Ok(parsed(&written.unwrap()))
}

/// Of text that nests deeper than `serde_json` reads, the body of the record as it is.
fn parsed(text: &[u8]) -> Value {
    serde_json::from_slice(text).unwrap_or_else(|_| {
        let text = std::str::from_utf8(text).unwrap();
        text[text.find("\"body\"").unwrap()..].into()
    })
}

fn from_protobuf(signal: &str, protobuf: &[u8]) -> Value {
    let mut scratch = JsonScratch::new();
    let written = if signal == "logs" {
        let request = ExportLogsServiceRequest::decode(protobuf).unwrap();
        request.json_encoder(&mut scratch).unwrap().encode_to_vec()
    } else {
        let request = ExportMetricsServiceRequest::decode(protobuf).unwrap();
        request.json_encoder(&mut scratch).unwrap().encode_to_vec()
    };
    parsed(&written.unwrap())
}

/// Without the messages that pdata always writes, where they are empty.
fn pruned(mut value: Value) -> Value {
    const ALWAYS: [&str; 6] = ["resource", "scope", "body", "value", "positive", "negative"];
    match &mut value {
        Value::Object(members) => {
            *members = std::mem::take(members)
                .into_iter()
                .map(|(name, value)| (name, pruned(value)))
                .filter(|(name, value)| !(ALWAYS.contains(&&name[..]) && *value == json!({})))
                .collect();
        }
        Value::Array(values) => {
            *values = std::mem::take(values).into_iter().map(pruned).collect();
        }
        _ => {}
    }
    value
}

/// A request of one scope.
fn around(signal: &str, scope: &str) -> Value {
    let scope: Value = serde_json::from_str(scope).unwrap();
    pruned(match signal {
        "logs" => json!({"resourceLogs":[{"scopeLogs":[scope]}]}),
        _ => json!({"resourceMetrics":[{"scopeMetrics":[scope]}]}),
    })
}

#[test]
fn texts_are_read_as_the_collector_does() {
    let (mut same, mut refused) = (0, 0);
    for Case { name, signal, text, protobuf } in cases() {
        if signal == "metrics_response" {
            continue;
        }
        let found = from_json(&signal, text.as_bytes()).map(pruned);
        let otherwise = READ_HERE.iter().chain(&OTHERWISE).find(|(other, _)| *other == name);
        if let Some((_, scope)) = otherwise {
            assert_eq!(found, Ok(around(&signal, scope)), "{name}: {text}");
        } else if name == "point-double-null" {
            assert_eq!(found, Ok(around(&signal, POINT_NULL)), "{name}");
        } else if let Some((_, kind)) = REFUSED_HERE.iter().find(|(other, _)| *other == name) {
            assert_eq!(found.unwrap_err().kind(), *kind, "{name}");
        } else if let Some(protobuf) = protobuf {
            assert_eq!(found, Ok(pruned(from_protobuf(&signal, &protobuf))), "{name}: {text}");
            same += 1;
        } else {
            let error = found.expect_err(&name);
            assert!(error.offset() <= text.len() && error.status() == 400, "{name}: {error}");
            refused += 1;
        }
    }
    assert!(same > 95 && refused > 45, "{same} and {refused}");
}

#[test]
fn answers_are_read_as_the_collector_does() {
    let mut scratch = JsonScratch::new();
    let answers: Vec<_> =
        cases().into_iter().filter(|case| case.signal == "metrics_response").collect();
    assert_eq!(answers.len(), 5);
    for Case { name, text, protobuf, .. } in answers {
        let expected = protobuf.unwrap();
        // pdata always writes the message.
        let expected =
            ExportResponse::decode(&expected).unwrap().partial_success.unwrap_or_default();
        let found = ExportResponse::decode_metrics_json(text.as_bytes(), &mut scratch).unwrap();
        assert_eq!(found.partial_success.unwrap_or_default(), expected, "{name}");
    }
}

/// Which kind of error each of these is, and where.
#[test]
fn faults_are_located() {
    use JsonErrorKind::*;
    let record = |members: &str| {
        format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{{members}}}]}}]}}]}}"#)
    };
    let start = record("").len() - "}]}]}]}".len();
    for (members, kind, offset) in [
        (r#""traceId":"Z6z8LqVvEI+kU1/Ci6mXBQ==""#, InvalidId, 10),
        (r#""spanId":"0102""#, InvalidId, 9),
        (r#""spanId":"01020304050607zz""#, InvalidId, 9),
        (r#""body":{"bytesValue": "AA"}"#, InvalidBase64, 22),
        (r#""severityNumber":"INFO""#, InvalidEnum, 17),
        (r#""severityNumber":2.0"#, InvalidNumber, 17),
        (r#""timeUnixNano":-1"#, InvalidNumber, 15),
        (r#""timeUnixNano":"18446744073709551616""#, InvalidNumber, 15),
        (r#""flags":4294967296"#, InvalidNumber, 8),
        (r#""body":{"intValue":"9223372036854775808"}"#, InvalidNumber, 19),
        (r#""body":{"doubleValue":1e400}"#, InvalidNumber, 22),
        (r#""body":"x""#, UnexpectedType, 7),
        (r#""body": [1]"#, UnexpectedType, 8),
        (r#""attributes":{}"#, UnexpectedType, 13),
        (r#""attributes":[5]"#, UnexpectedType, 14),
        (r#""eventName":5"#, UnexpectedType, 12),
        (r#""body":{"boolValue":"true"}"#, UnexpectedType, 20),
        (r#""body":{"boolValue":tru}"#, Syntax, 20),
        (r#""eventName":x"#, Syntax, 12),
        (r#""eventName":"a", }"#, Syntax, 17),
        (r#""eventName" "a""#, Syntax, 12),
        (r#""eventName":"\q""#, Syntax, 13),
        (r#""eventName":"\u12g4""#, Syntax, 13),
        ("\"eventName\":\"a\tb\"", Syntax, 14),
        (r#""unknown":[1,{"a":01}]"#, Syntax, 19),
        (r#""flags":01"#, Syntax, 9),
        (r#""flags":1."#, Syntax, 10),
    ] {
        let text = record(members);
        let error = from_json("logs", text.as_bytes()).expect_err(members);
        assert_eq!((error.kind(), error.offset()), (kind, start + offset), "{members}");
    }
    for (text, kind, offset) in [
        ("", Truncated, 0),
        (" ", Truncated, 1),
        ("{", Truncated, 1),
        (r#"{"a"#, Truncated, 3),
        (r#"{"a":"\"#, Truncated, 7),
        (r#"{"a":"\u00"#, Truncated, 10),
        (r#"{"a":nul"#, Truncated, 8),
        (r#"{"a":1"#, Truncated, 6),
        (r#"{"a":-"#, Truncated, 6),
        (r#"{"a":[1,"#, Truncated, 8),
        ("{} {}", TrailingData, 3),
        ("nullx", TrailingData, 4),
        ("\u{feff}{}", Syntax, 0),
        ("x", Syntax, 0),
        ("[]", UnexpectedType, 0),
        ("7", UnexpectedType, 0),
        (r#"{"resourceLogs":[{},]}"#, Syntax, 20),
        (r#"{"resourceLogs":7}"#, UnexpectedType, 16),
    ] {
        let error = from_json("logs", text.as_bytes()).expect_err(text);
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{text}");
    }
    let error = from_json("logs", b"{\"a\":\"\xff\"}").unwrap_err();
    assert_eq!((error.kind(), error.offset()), (InvalidUtf8, 6));
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(129), "]".repeat(129));
    let error = from_json("logs", deep.as_bytes()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DepthLimit, 5 + 128));
    let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(128), "]".repeat(128));
    assert!(from_json("logs", deep.as_bytes()).is_ok());
}

/// A prefix of a text is never a text, and no byte makes reading panic.
#[test]
fn any_cut_and_any_byte() {
    for Case { name, signal, text, protobuf } in cases() {
        if text.len() > 600 || signal == "metrics_response" {
            continue;
        }
        let is_good = protobuf.is_some() && from_json(&signal, text.as_bytes()).is_ok();
        let cuts = (0..text.trim_end().len()).filter(|len| text.is_char_boundary(*len));
        for len in cuts.filter(|_| is_good) {
            let error = from_json(&signal, &text.as_bytes()[..len]).expect_err(&name);
            assert!(error.kind() == JsonErrorKind::Truncated, "{name}: {len}: {error}");
            assert!(error.offset() <= len, "{name}: {len}: {error}");
        }
        for at in (0..text.len()).step_by(3) {
            for byte in [b'"', b'\\', b'{', b'}', b'[', b']', b',', b':', b'0', b'n', 0x80, 0] {
                let mut damaged = text.clone().into_bytes();
                damaged[at] = byte;
                if let Err(error) = from_json(&signal, &damaged) {
                    assert!(error.offset() <= damaged.len(), "{name}");
                }
            }
        }
    }
}

#[test]
fn partial_mode_leaves_out_points_exemplars_and_records() {
    let options = DecodeOptions::new().with_partial(true);
    let text = r#"{"resourceLogs":[
        {"scopeLogs":[{"logRecords":[{"eventName":"a"},{"traceId":"x","attributes":[{}]},{"flags":-1}]}]},
        {"scopeLogs":[{"logRecords":[{"body":7},{"eventName":"b"}]}]}
    ]}"#;
    let mut scratch = JsonScratch::new();
    let request =
        ExportLogsServiceRequest::decode_json_with(text.as_bytes(), &mut scratch, &options)
            .unwrap();
    let names: Vec<_> = request
        .resource_logs()
        .into_iter()
        .flat_map(|resource| resource.scope_logs)
        .flat_map(|scope| scope.log_records)
        .map(|record| record.event_name)
        .collect();
    assert_eq!(names, ["a", "b"]);
    assert_eq!((request.attributes_len(), request.rejected_log_records()), (0, 3));
    assert_eq!(request.response("bad"), borrowire::otlp::ExportResponse::rejected(3, "bad"));
    let skipped: Vec<_> = request
        .json_skipped()
        .iter()
        .map(|skipped| {
            (skipped.index(), skipped.error().kind(), &text[skipped.error().offset()..][..3])
        })
        .collect();
    assert_eq!(
        skipped,
        [
            (1, JsonErrorKind::InvalidId, "\"x\""),
            (2, JsonErrorKind::InvalidNumber, "-1}"),
            (3, JsonErrorKind::UnexpectedType, "7},"),
        ]
    );

    let text = r#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[
        {"gauge":{"dataPoints":[{"asInt":"1","exemplars":[{"spanId":"x"},{"asInt":5}]},{"asInt":"x"}]}},
        {"histogram":{"dataPoints":[{"count":{}},{"count":2}]}}
    ]}]}]}"#;
    let mut scratch = JsonScratch::new();
    let request =
        ExportMetricsServiceRequest::decode_json_with(text.as_bytes(), &mut scratch, &options)
            .unwrap();
    assert_eq!(request.rejected_data_points(), 2);
    let kinds: Vec<_> =
        request.json_skipped().iter().map(|skipped| (skipped.kind(), skipped.index())).collect();
    assert_eq!(
        kinds,
        [(RecordKind::Exemplar, 0), (RecordKind::DataPoint, 1), (RecordKind::DataPoint, 2)]
    );
    // What is no record's content fails the request, and so does what is no JSON.
    for text in [
        r#"{"resourceLogs":[{"schemaUrl":7}]}"#,
        r#"{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"traceId":"x",}]}]}]}"#,
    ] {
        let mut scratch = JsonScratch::new();
        let result =
            ExportLogsServiceRequest::decode_json_with(text.as_bytes(), &mut scratch, &options);
        assert!(result.is_err(), "{text}");
    }
}

#[test]
fn limits_are_told_by_their_place_in_the_text() {
    let record = r#"{"attributes":[{"key":"a"},{"key":"b"}]}"#;
    let text = format!(
        r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{record},{record},{record}]}}]}}]}}"#
    );
    let read = |options: DecodeOptions| {
        let mut scratch = JsonScratch::new();
        let result =
            ExportLogsServiceRequest::decode_json_with(text.as_bytes(), &mut scratch, &options);
        result.map(|request| request.log_records_len())
    };
    assert_eq!(read(DecodeOptions::new().with_max_items(3)), Ok(3));
    let error = read(DecodeOptions::new().with_max_items(2)).unwrap_err();
    assert_eq!((error.kind(), error.status()), (JsonErrorKind::LimitExceeded, 413));
    let third = text.rfind(record).unwrap();
    assert!((third..third + 20).contains(&error.offset()), "{error}, not {third}");
    let limits = borrowire::Limits::new().with_max_message_bytes(text.len() - 1);
    let error = read(DecodeOptions::new().with_limits(limits)).unwrap_err();
    assert_eq!(error.kind(), JsonErrorKind::MessageTooLarge);
    let unknown = br#"{"resourceLogs":[], "foo":1}"#;
    let options = DecodeOptions::new().with_deny_unknown_fields(true);
    let mut scratch = JsonScratch::new();
    let result = ExportLogsServiceRequest::decode_json_with(unknown, &mut scratch, &options);
    let error = result.unwrap_err();
    assert_eq!((error.kind(), error.offset()), (JsonErrorKind::UnknownField, 20));
    let mut scratch = JsonScratch::new();
    let request = ExportLogsServiceRequest::decode_json(unknown, &mut scratch).unwrap();
    assert!(request.has_unknown_fields());
}

/// A decoder, a pool and an owned request read the same, one body after the other.
#[test]
fn every_way_reads_the_same() {
    let pool = std::sync::Arc::new(Pool::<ExportLogsServiceRequest<'_>>::new());
    let mut decoder = Decoder::<ExportLogsServiceRequest<'_>>::new();
    for Case { name, text, .. } in cases().into_iter().filter(|case| case.signal == "logs") {
        let mut scratch = JsonScratch::new();
        let expected = ExportLogsServiceRequest::decode_json(text.as_bytes(), &mut scratch)
            .map(|request| request.encode_to_vec().unwrap());
        let decoded = decoder.decode_json(text.as_bytes());
        assert_eq!(decoded.map(|request| request.encode_to_vec().unwrap()), expected, "{name}");
        let owned = Owned::<ExportLogsServiceRequest<'_>>::decode_json(text.as_bytes());
        let owned = owned.map(|owned| owned.request().encode_to_vec().unwrap());
        assert_eq!(owned, expected, "{name}");
        let pooled = pool.decode_json_owned(text.as_bytes());
        let pooled = pooled.map(|owned| owned.request().encode_to_vec().unwrap());
        assert_eq!(pooled, expected, "{name}");
        let mut decoder = pool.decoder();
        let pooled = decoder.decode_json(text.as_bytes());
        assert_eq!(pooled.map(|request| request.encode_to_vec().unwrap()), expected, "{name}");
    }
    assert_eq!(pool.idle(), 1);
}

/// What clients really send as JSON: nulls for NaN, numbers for integers, what is empty left out or not.
#[test]
fn captured_json_is_read_whole() {
    let mut sets = std::collections::BTreeSet::new();
    for fixture in fixtures::all().iter().filter(|fixture| fixture.set.ends_with("-json")) {
        let Ok(Value::Object(sent)) = serde_json::from_slice(&fixture.body) else { panic!() };
        let signal = match () {
            () if sent.contains_key("resourceLogs") => "logs",
            () if sent.contains_key("resourceMetrics") => "metrics",
            () => continue,
        };
        let found = from_json(signal, &fixture.body).unwrap();
        let same = canonical(found) == canonical(Value::Object(sent));
        assert!(same, "{}", fixture.name);
        sets.insert(&fixture.set);
    }
    assert_eq!(sets.len(), 3, "{sets:?}");
}

/// Without what holds its default, numbers as strings, and a NaN for what JavaScript has for one.
fn canonical(value: Value) -> Value {
    const KEPT: [&str; 9] = [
        "stringValue",
        "boolValue",
        "intValue",
        "doubleValue",
        "asInt",
        "asDouble",
        "sum",
        "min",
        "max",
    ];
    match value {
        Value::Object(members) => {
            let members = members.into_iter().map(|(name, value)| {
                let value = match (&name[..], value) {
                    ("doubleValue" | "asDouble", Value::Null) => json!("NaN"),
                    (_, value) => canonical(value),
                };
                (name, value)
            });
            let is_default = |value: &Value| {
                [json!(null), json!(""), json!("0"), json!(false), json!([]), json!({})]
                    .contains(value)
            };
            let kept =
                members.filter(|(name, value)| KEPT.contains(&&name[..]) || !is_default(value));
            let mut kept: Vec<_> = kept.collect();
            kept.sort_by(|one, other| one.0.cmp(&other.0));
            Value::Object(kept.into_iter().collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(canonical).collect()),
        Value::Number(number) => json!(match number.as_f64() {
            Some(value) if !number.is_i64() && !number.is_u64() => format!("{value}"),
            _ => number.to_string(),
        }),
        other => other,
    }
}

/// JSON has one NaN: read back it is that of Go.
fn with_gos_nan(mut bytes: Vec<u8>) -> Vec<u8> {
    let nan = f64::NAN.to_le_bytes();
    while let Some(at) = bytes.windows(8).position(|eight| eight == nan) {
        bytes[at] = 1;
    }
    bytes
}

/// What is written as JSON is read as what it was.
#[test]
fn captured_requests_go_through_json() {
    let mut bodies = 0;
    let (mut there, mut back) = (JsonScratch::new(), JsonScratch::new());
    for fixture in fixtures::of("otlp-logs").chain(fixtures::of("otlp-metrics")) {
        let (json, expected, found);
        if fixture.message == "otlp-logs" {
            let request = ExportLogsServiceRequest::decode(&fixture.body).unwrap();
            expected = request.encode_to_vec().unwrap();
            let encoder = request.json_encoder(&mut there).unwrap();
            json = encoder.encode_to_vec().unwrap();
            assert_eq!(json.len(), encoder.encoded_len());
            let request = ExportLogsServiceRequest::decode_json(&json, &mut back).unwrap();
            found = request.encode_to_vec().unwrap();
        } else {
            let request = ExportMetricsServiceRequest::decode(&fixture.body).unwrap();
            expected = request.encode_to_vec().unwrap();
            json = request.json_encoder(&mut there).unwrap().encode_to_vec().unwrap();
            let request = ExportMetricsServiceRequest::decode_json(&json, &mut back).unwrap();
            found = request.encode_to_vec().unwrap();
        }
        let (found, expected) = (with_gos_nan(found), with_gos_nan(expected));
        assert!(found == expected, "{}: {}", fixture.name, String::from_utf8_lossy(&json));
        assert!(serde_json::from_slice::<Value>(&json).is_ok());
        bodies += 1;
    }
    assert!(bodies > 20, "{bodies}");
}
