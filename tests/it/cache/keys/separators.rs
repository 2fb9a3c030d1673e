//! Parts that could be taken for others.

use super::*;

const LABELS: [(&str, &str); 20] = [
    ("a:b", "c"),
    ("a", "b:c"),
    ("x", "yz"),
    ("xy", "z"),
    ("m::n", "o"),
    ("m", "n::o"),
    ("p", "qq"),
    ("p", "q"),
    ("qq", "r"),
    ("q", "r"),
    ("", ""),
    ("", "\0"),
    ("\0", ""),
    ("\x01", ""),
    ("", "\x01"),
    ("a", "=\n"),
    ("a=", "\n"),
    ("a", "\u{ff}:"),
    ("a\u{ff}", ":"),
    ("a", "\x01\0\0\0\0\0\0\0b"),
];

/// Pairs that have one key in Mimir, and so must have it here.
#[test]
fn some_things_share_a_key() {
    let postings = |name, value| mimir::PostingsKey::new(scope(), name, value);
    assert_eq!(postings("a:b", "c"), postings("a", "b:c"));
    let long = "c".repeat(40);
    assert_eq!(postings("a:b", &long), postings("a", &format!("b:{long}")));
    let matchers = |name, op, value| mimir::hash_matchers(&[Matcher::new(name, op, value)]);
    assert_eq!(matchers("a", MatchOp::Equal, "~b"), matchers("a", MatchOp::Regex, "b"));
    let two = [Matcher::new("a", MatchOp::Equal, "b"), Matcher::new("c", MatchOp::Equal, "d")];
    assert_eq!(mimir::hash_matchers(&two), matchers("a", MatchOp::Equal, "b\0c=d"));
}

#[test]
fn distinct_keys_do_not() {
    let mut keys = HashSet::new();
    // Short ones, and the same with so much behind them that they are hashed.
    for tail in ["", &"t".repeat(40)] {
        for (name, value) in LABELS {
            let value = format!("{value}{tail}");
            let key = text(distinct::PostingsKey::new(scope(), name, &value));
            assert!(keys.insert(key), "{name:?} {value:?}");
        }
    }
    // A label whose bytes are another label's hash.
    let label = distinct::PostingsKey::new(scope(), "a", &"t".repeat(40));
    assert!(label.label().is_none() && label.hash().is_some());

    let one = |(name, value)| vec![Matcher::new(name, MatchOp::Equal, value)];
    let mut lists: Vec<_> = LABELS.map(one).into();
    lists.push(Vec::new());
    lists
        .push(vec![Matcher::new("a", MatchOp::Equal, "b"), Matcher::new("c", MatchOp::Equal, "d")]);
    lists.push(vec![Matcher::new("a", MatchOp::Equal, "b\0c=d")]);
    lists.push(vec![Matcher::new("a", MatchOp::Equal, "~b")]);
    lists.push(vec![Matcher::new("a", MatchOp::Regex, "b")]);
    lists.push([one(("a", "b")), one(("a", "b"))].concat());
    lists.push(one(("a", "b")));
    for matchers in &lists {
        assert!(keys.insert(text(distinct::LabelNamesKey::new(scope(), matchers))), "{matchers:?}");
        for name in ["", "a", "aa"] {
            let key = text(distinct::LabelValuesKey::new(scope(), name, matchers));
            assert!(keys.insert(key), "{name:?} {matchers:?}");
        }
    }
    // No key is one of Mimir's or Thanos'.
    for key in &keys {
        assert_eq!(mimir::Key::parse(key.as_bytes()).unwrap_err().kind(), Kind::UnknownPrefix);
        assert_eq!(thanos::Key::parse(key.as_bytes()).unwrap_err().kind(), Kind::UnknownPrefix);
    }
}

/// With a colon, a tenant's key could be that of another tenant, with a block in its label.
#[test]
fn tenants_have_no_colon() {
    let other = Scope::new("other", block()).unwrap();
    let name = format!("{BLOCK}:x");
    let key = text(mimir::LabelValuesKey::new(other, &name, &[]));
    assert!(key.starts_with(&format!("LV2:other:{BLOCK}:{BLOCK}:x:")));
    let tenant = format!("other:{BLOCK}");
    let error = Scope::new(&tenant, block()).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (Kind::InvalidTenant, 5));
    // Names of labels may have some.
    let Ok(mimir::Key::LabelValues(parsed)) = mimir::Key::parse(key.as_bytes()) else { panic!() };
    assert_eq!((parsed.scope, parsed.name), (other, &*name));
}
