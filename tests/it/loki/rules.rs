//! What Loki refuses is reported, and kept.

use borrowire::loki::json::JsonScratch;
use borrowire::loki::selector::SelectorErrorKind;
use borrowire::loki::{PushRequest, Rules, ViolationKind};

use super::{LABELS, NOW};
use crate::support::bytes::Bytes;
use crate::support::bytes::loki::{entry, metadata, push, push_of, stream};
use crate::support::fixtures;

#[test]
fn too_much_for_loki_is_reported_and_kept() {
    let kinds = |content: &Bytes, rules: &Rules| {
        let body = push_of(content);
        let decoded = PushRequest::decode(&body).unwrap();
        let mut kinds = Vec::new();
        decoded.validate(rules, |violation| kinds.push(violation.kind));
        kinds
    };
    let rules = Rules::new()
        .with_max_line_bytes(4)
        .with_max_structured_metadata_pairs(2)
        .with_max_structured_metadata_bytes(6);
    let right = entry(NOW, 1, "1234").raw(metadata(&[("a", "bc"), ("d", "ef")]));
    assert_eq!(kinds(&right, &rules), []);
    let much = entry(NOW, 1, "12345").raw(metadata(&[("a", "bc"), ("d", "ef"), ("", "g")]));
    assert_eq!(
        kinds(&much, &rules),
        [
            ViolationKind::LineTooLong { entry: 0, bytes: 5 },
            ViolationKind::TooManyStructuredMetadataPairs { entry: 0, count: 3 },
            ViolationKind::StructuredMetadataTooLarge { entry: 0, bytes: 7 },
        ]
    );
}

/// Everything that `validate` says of the label strings of a push.
fn label_violations(labels: &[&str], rules: &Rules) -> Vec<(usize, ViolationKind)> {
    let streams: Vec<_> = labels.iter().map(|labels| stream(labels, &[])).collect();
    let body = push(&streams);
    let mut found = Vec::new();
    let decoded = PushRequest::decode(&body).unwrap();
    decoded.validate(rules, |violation| found.push((violation.index.unwrap(), violation.kind)));
    found
}

#[test]
fn label_strings_without_labels_are_reported() {
    for labels in ["", "{}", " { } ", "{a=\"\"}", "{a=\"\", b='',}", "# nothing"] {
        let found = label_violations(&[LABELS, labels], &Rules::new());
        assert_eq!(found, [(1, ViolationKind::NoLabels)], "{labels:?}");
    }
}

#[test]
fn label_strings_that_do_not_parse_are_reported_with_kind_and_place() {
    for (labels, kind, offset, message) in [
        ("{a=\"b\"", SelectorErrorKind::UnclosedBrace, 6, "brace not closed"),
        ("{a=\"b", SelectorErrorKind::UnterminatedString, 3, "string not closed"),
        (
            "{level=\"a\"b\"}",
            SelectorErrorKind::ExpectedComma,
            10,
            "expected a comma or a closing brace",
        ),
        ("{a.b=\"c\"}", SelectorErrorKind::ExpectedEquals, 2, "expected an equals sign"),
        ("{a=~\"b\"}", SelectorErrorKind::ExpectedValue, 3, "expected a quoted value"),
        ("{a=\"\\q\"}", SelectorErrorKind::InvalidEscape, 4, "invalid escape"),
        ("{a=\"b\\xff\"}", SelectorErrorKind::InvalidUtf8, 5, "escapes are not UTF-8"),
    ] {
        let found = label_violations(&[LABELS, LABELS, labels], &Rules::new());
        let [(2, found @ ViolationKind::InvalidLabels(error))] = found[..] else {
            panic!("{labels}: {found:?}");
        };
        assert_eq!((error.kind(), error.offset()), (kind, offset), "{labels}");
        assert_eq!(found.to_string(), format!("invalid labels: {message} at byte {offset}"));
        assert_eq!((found.as_str(), found.entry(), found.label()), ("invalid labels", None, None));
    }
}

#[test]
fn labels_that_loki_refuses_are_reported() {
    use ViolationKind::{DuplicateLabel, LabelNameTooLong, LabelValueTooLong, TooManyLabels};
    let rules = Rules::new()
        .with_max_labels_per_stream(2)
        .with_max_label_name_bytes(4)
        .with_max_label_value_bytes(5);
    for (labels, expected) in [
        (r#"{a="1", b="2"}"#, vec![]),
        (r#"{a="1", b="2", c="3"}"#, vec![TooManyLabels { count: 3 }]),
        // What has no value is not there, and one name is free.
        (r#"{a="1", b="2", c="", c=""}"#, vec![]),
        (r#"{a="1", b="2", `serv`="3"}"#, vec![TooManyLabels { count: 3 }]),
        (r#"{abcd="12345"}"#, vec![]),
        (
            r#"{abcde="123456"}"#,
            vec![LabelValueTooLong { label: 0, bytes: 6 }, LabelNameTooLong { label: 0, bytes: 5 }],
        ),
        // Escapes count as what they stand for.
        (
            r#"{"\x61\u00e9b"="\u00e9\n\xc3\xa9", c='\n\n\n\n\n\n'}"#,
            vec![LabelValueTooLong { label: 1, bytes: 6 }],
        ),
        (r#"{a="1", a="2"}"#, vec![DuplicateLabel { label: 1 }]),
        (r#"{a="1", b="", "\141"="2"}"#, vec![DuplicateLabel { label: 2 }]),
        (
            r#"{a="1", a="", a="2", a="3"}"#,
            vec![
                DuplicateLabel { label: 2 },
                DuplicateLabel { label: 3 },
                TooManyLabels { count: 3 },
            ],
        ),
    ] {
        let found = label_violations(&[labels], &rules);
        let expected: Vec<_> = expected.into_iter().map(|kind| (0, kind)).collect();
        assert_eq!(found, expected, "{labels}");
    }
    let long = "x".repeat(1025);
    let labels = format!("{{{long}=\"a\", b=\"{long}{long}\", up=\"1\", up=\"1\"}}");
    let found = label_violations(&[&labels], &Rules::new());
    let messages: Vec<_> = found.iter().map(|(_, kind)| kind.to_string()).collect();
    let expected = [
        "label name too long (label 0)",
        "label value too long (label 1)",
        "duplicate label (label 3)",
    ];
    assert_eq!(messages, expected);
    assert_eq!(found[2].1.label(), Some(3));
}

#[test]
fn as_many_labels_as_loki_takes() {
    let labels = |count: usize, more: &str| {
        let labels: Vec<_> = (0..count).map(|n| format!("l{n}=\"x\"")).collect();
        format!("{{{}{more}}}", labels.join(", "))
    };
    let many = |count| [(0, ViolationKind::TooManyLabels { count })].to_vec();
    for (labels, expected) in [
        (labels(15, ""), vec![]),
        (labels(15, r#", service_name="x""#), vec![]),
        (labels(15, r#", "service\x5fname"="x""#), vec![]),
        (labels(16, ""), many(16)),
        (labels(16, r#", service_name="x""#), many(16)),
        (labels(5000, ""), many(5000)),
    ] {
        assert_eq!(label_violations(&[&labels], &Rules::new()), expected);
    }
    // One like any of the first 32 is found wherever it is, and one like a later one is not.
    let rules = Rules::new().with_max_labels_per_stream(usize::MAX);
    let found = label_violations(&[&labels(500, r#", l31="x", l32="x""#)], &rules);
    assert_eq!(found, [(0, ViolationKind::DuplicateLabel { label: 500 })]);
}

#[test]
fn each_rule_can_be_switched_off() {
    let entries = Bytes::new().raw(entry(NOW, 1, "12345").raw(metadata(&[("a", "b"), ("c", "d")])));
    let none = Bytes::new().len(2, "line");
    let body = push(&[
        stream(r#"{a="1", a="2", bbb="333"}"#, &[entries, none]),
        stream("{}", &[entry(NOW, -1, "")]),
        stream("{", &[entry(0, 0, "")]),
    ]);
    let all = Rules::new()
        .with_max_labels_per_stream(2)
        .with_max_label_name_bytes(2)
        .with_max_label_value_bytes(2)
        .with_max_line_bytes(4)
        .with_max_structured_metadata_pairs(1)
        .with_max_structured_metadata_bytes(1)
        .with_timestamps(1, i64::MAX);
    let push = PushRequest::decode(&body).unwrap();
    let found = |rules: &Rules| {
        let mut found = Vec::new();
        push.validate(rules, |violation| found.push(violation.kind.rule()));
        found.sort();
        found.dedup();
        found
    };
    let rules = found(&all);
    assert_eq!(rules.len(), 12, "{rules:?}");
    for rule in &rules {
        let others: Vec<_> = rules.iter().copied().filter(|other| other != rule).collect();
        assert!(all.has(*rule) && !all.with_rule(*rule, false).has(*rule));
        assert_eq!(found(&all.with_rule(*rule, false)), others);
        assert_eq!(all.with_rule(*rule, false).with_rule(*rule, true), all);
    }
}

/// What Loki takes of what clients really send passes the default rules.
#[test]
fn what_clients_send_passes() {
    let mut refused = Vec::new();
    let (mut scratch, mut pushes) = (JsonScratch::new(), 0);
    for fixture in fixtures::of("loki") {
        let push = if fixture.golden().json().is_null() {
            PushRequest::decode(&fixture.body).expect(&fixture.name)
        } else if let Ok(push) = PushRequest::decode_json(&fixture.body, &mut scratch) {
            push
        } else {
            refused.push(fixture.set.as_str());
            continue;
        };
        pushes += 1;
        push.validate(&Rules::new(), |violation| {
            assert!(matches!(violation.kind, ViolationKind::InvalidLabels(_)), "{violation}");
            refused.push(&fixture.set);
        });
    }
    refused.dedup();
    // Loki refuses these, too: a label name with a dash, and a quote that is not escaped.
    assert_eq!((refused, pushes), (vec!["fluentbit-loki-json", "winstonloki-proto"], 34));
}
