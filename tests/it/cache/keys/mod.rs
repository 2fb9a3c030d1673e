//! Keys of index caches: vectors that were computed without this crate, faults that other makers of keys
//! were reported to have, and any parts against a plain version.

mod base64;
mod faults;
mod limits;
mod separators;
mod vectors;

use std::cell::RefCell;
use std::collections::{BTreeSet, HashSet};

use borrowire::Encode;
use borrowire::cache::key::{
    BlockId, CacheKey, Digest, KeyBatch, KeyBuf, KeyError, KeyErrorKind as Kind, MatchOp, Matcher,
    QueryShard, Scope, check_memcached, distinct, mimir, thanos,
};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::plain_keys::{self, check};

const BLOCK: &str = "00000000010000000000000000";
const M: &str = "YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk";

fn block() -> BlockId {
    BlockId::new(BLOCK).unwrap()
}

fn scope() -> Scope<'static> {
    Scope::new("tenant", block()).unwrap()
}

/// The text of a key, which is read back to the same key.
fn text(key: impl CacheKey) -> String {
    let key = key.to_buf().unwrap();
    check::parse(key.as_bytes());
    key.to_string()
}

/// As text, a key on the stack is like any `str`, and shows nothing of its tenant where it is debugged.
#[test]
fn key_buf_is_like_str() {
    let keys = ["b", "", "aé", "tenant"].map(|tenant| {
        mimir::SeriesKey::new(Scope::new(tenant, block()).unwrap(), 7).to_buf().unwrap()
    });
    let texts = keys.map(|key| key.to_string());
    assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), 4);
    for (key, text) in keys.iter().zip(&texts) {
        assert!(*key == text.as_str() && **key == **text && key.as_bytes() == text.as_bytes());
        assert!(HashSet::from(keys).contains(text.as_str()));
        for (other, other_text) in keys.iter().zip(&texts) {
            assert_eq!(key.cmp(other), text.cmp(other_text));
        }
    }
    assert_eq!(format!("{:?}", keys[3]), "KeyBuf(37 bytes)");
    assert_eq!(format!("{:>40}", keys[3]), format!("   {}", texts[3]));
    let mut batch = KeyBatch::new();
    batch.push(&mimir::SeriesKey::new(scope(), 7)).unwrap();
    assert_eq!(
        format!("{batch:?} {:?}", batch.iter()),
        "KeyBatch(1 keys, 37 bytes) KeyBatchIter(1 left)"
    );
    assert!(!format!("{:?}", mimir::PostingsKey::new(scope(), "foo", "bar")).contains("foo"));
}

#[test]
fn batches_of_any_size() {
    let labels: Vec<_> = (0..3000).map(|i| format!("{i:0width$}", width = i * 7 % 300)).collect();
    let labels: Vec<_> = labels.iter().map(|value| ("instance", value.as_str())).collect();
    for count in [0, 1, 2, 3, 4, 5, 7, 8, 63, 64, 65, 127, 128, 129, 3000] {
        check::batch(&labels[..count]);
        check::batch(&labels[3000 - count..]);
    }
    // An iterator that goes on after its end.
    let calls = RefCell::new(0);
    let gaps = std::iter::from_fn(|| {
        *calls.borrow_mut() += 1;
        (*calls.borrow() % 3 != 0).then_some(("a", "b"))
    });
    let mut batch = KeyBatch::new();
    mimir::PostingsKey::encode_all(scope(), gaps, &mut batch).unwrap();
    assert_eq!(batch.len(), 2);
}

/// Text with what has a meaning in keys.
fn text_of(max: usize) -> impl Strategy<Value = String> {
    let char = prop_oneof![
        4 => proptest::char::range('a', 'z'),
        1 => proptest::sample::select(vec![':', '"', '\\', '=', '~', '!', '\0', '\n', ' ', '|', '_']),
        1 => any::<char>(),
    ];
    vec(char, 0..max).prop_map(|chars| chars.into_iter().collect())
}

proptest! {
    #[test]
    fn keys_are_those_of_the_plain_version(
        tenant in "[a-z|._-]{0,20}",
        parts in vec(text_of(80), 3..11),
    ) {
        let text = [&[tenant][..], &parts].concat().join("\x1f");
        check::build(&text);
    }

    #[test]
    fn damaged_keys_are_refused_or_read_as_they_are(
        parts in vec(text_of(20), 3..7),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        for key in check::build(&["tenant"].into_iter().chain(parts.iter().map(String::as_str)).collect::<Vec<_>>().join("\x1f")) {
            let mut key = key.into_bytes();
            let at = at.index(key.len());
            key[at] = byte;
            check::parse(&key);
            check::parse(&key[..at]);
        }
    }

    /// Keys are equal only if their parts are.
    #[test]
    fn distinct_keys_are_distinct(
        one in (text_of(6), text_of(6)),
        cut in any::<prop::sample::Index>(),
        other in (text_of(3), text_of(3)),
    ) {
        let key = |(name, value): &(String, String)| distinct::PostingsKey::new(scope(), name, value).to_buf().unwrap();
        prop_assert_eq!(key(&one) == key(&other), one == other);
        // The same text, cut elsewhere.
        let whole = format!("{}{}", one.0, one.1);
        let ends: Vec<_> = whole.char_indices().map(|(at, _)| at).chain([whole.len()]).collect();
        let (name, value) = whole.split_at(ends[cut.index(ends.len())]);
        let moved = (name.to_owned(), value.to_owned());
        prop_assert_eq!(key(&one) == key(&moved), one == moved);
    }
}

proptest! {
    // Each makes some hundred texts.
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn batches_are_like_single_keys(labels in vec((text_of(20), text_of(160)), 0..40)) {
        let labels: Vec<_> = labels.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
        check::batch(&labels);
    }
}
