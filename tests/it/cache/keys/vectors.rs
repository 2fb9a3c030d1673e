//! Keys that were computed without this crate.

use super::*;

#[test]
fn postings() {
    for (value, id) in [
        ("bar", "Zm9vOmJhcg"),
        (&"bar".repeat(11), "lnEWc3-vlB4j3LUrfwjKtXSnP-BLSNtF1Hk5xdJ-N1U"),
        (&"x".repeat(28), "Zm9vOnh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHh4eHg"),
        (&"x".repeat(29), "vuf_f7Bk9_DIQyGYJNQnpNnDMlrAu76suxBhz4sRLAI"),
    ] {
        let key = format!("P2:tenant:{BLOCK}:{id}");
        assert_eq!(text(mimir::PostingsKey::new(scope(), "foo", value)), key);
        let mut batch = KeyBatch::new();
        mimir::PostingsKey::encode_all(scope(), [("foo", value); 5], &mut batch).unwrap();
        assert!(batch.iter().all(|other| other == key));
        // The layout of offsets is that of postings, but for the prefix.
        let key = format!("POtenant:{BLOCK}:{id}");
        assert_eq!(text(mimir::PostingsOffsetKey::new(scope(), "foo", value)), key);
    }
}

#[test]
fn series_and_matchers() {
    let matchers =
        [Matcher::new("foo", MatchOp::Regex, "b.*"), Matcher::new("baz", MatchOp::Equal, "boo")];
    let shard = QueryShard::new(1, 16).unwrap();
    let refs = "rUaXhjCvbO4nxc9U_dVxWOCVLbaKb0eYZDagiu4PCBk";
    for (key, expected) in [
        (text(mimir::SeriesKey::new(scope(), 12345)), format!("S:tenant:{BLOCK}:12345")),
        (
            text(mimir::ExpandedPostingsKey::new(scope(), &matchers, "all")),
            format!("E2:tenant:{BLOCK}:{M}:all"),
        ),
        (text(mimir::LabelNamesKey::new(scope(), &matchers)), format!("LN:tenant:{BLOCK}:{M}")),
        (
            text(mimir::LabelValuesKey::new(scope(), "job", &matchers)),
            format!("LV2:tenant:{BLOCK}:job:{M}"),
        ),
        (
            text(mimir::SeriesForPostingsKey::new(scope(), QueryShard::ALL, &[1, 2])),
            format!("SP2:tenant:{BLOCK}:all:{refs}"),
        ),
        (
            text(mimir::SeriesForPostingsKey::new(scope(), shard, &[1, 2])),
            format!("SP2:tenant:{BLOCK}:2_of_16:{refs}"),
        ),
    ] {
        assert_eq!(key, expected);
    }
}

#[test]
fn thanos() {
    let matchers =
        [Matcher::new("foo", MatchOp::Equal, "bar"), Matcher::new("baz", MatchOp::Regex, "b.*")];
    for (key, expected) in [
        (
            text(thanos::PostingsKey::new(block(), "foo", "bar")),
            "P:00000000010000000000000000:jCXwSJJrZbhjpARCdPaLRL-cVX7MJ7mudtvSKh46I9E:dss",
        ),
        (
            text(thanos::ExpandedPostingsKey::new(block(), &matchers)),
            "EP:00000000010000000000000000:9-quyDNZueJcCF4B3rjJU7k6r9lvbl9Q4kqdph0zNm8:dss",
        ),
        (text(thanos::SeriesKey::new(block(), 12345)), "S:00000000010000000000000000:12345"),
    ] {
        assert_eq!(key, expected);
    }
    // The order counts, as it does there.
    let [one, other] = matchers;
    assert_ne!(thanos::hash_matchers(&[one, other]), thanos::hash_matchers(&[other, one]));
}

/// What stands in a key, from Go's rules for quoted strings.
#[test]
fn texts_of_matchers() {
    for (name, value, expected) in [
        ("a", "", r#"a="""#),
        ("", "x", r#"""="x""#),
        ("_1", "\"\\", r#"_1="\"\\""#),
        ("1a", "\u{7}\n\u{1}", r#""1a"="\a\n\x01""#),
        ("a:b", "é\u{a0}\u{fffd}", "\"a:b\"=\"é\\u00a0\u{fffd}\""),
    ] {
        let matcher = Matcher::new(name, MatchOp::Equal, value);
        assert_eq!(matcher.to_string(), expected);
        assert_eq!(matcher.encode_to_vec().unwrap(), expected.as_bytes());
        assert_eq!(matcher.encoded_len(), expected.len());
    }
    let ops = [MatchOp::Equal, MatchOp::NotEqual, MatchOp::Regex, MatchOp::NotRegex];
    assert_eq!(ops.map(MatchOp::number), [0, 1, 2, 3]);
    assert_eq!(ops.map(|op| op.to_string()), ["=", "!=", "=~", "!~"]);
    assert!(ops.is_sorted());
}
