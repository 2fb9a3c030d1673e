//! Keys are made, written and read without allocating, and so are batches in memory that was used before.

use borrowire::Encode;
use borrowire::cache::key::{
    BlockId, CacheKey, KeyBatch, MatchOp, Matcher, QueryShard, Scope, check_memcached, distinct,
    escape_memcached, mimir, thanos,
};

use crate::heap;

pub fn run() {
    let _profiler = heap::profiler();
    let block = BlockId::new("01HV2Z3Q9MXV4N8T7E6R5W4Q3P").unwrap();
    let scope = Scope::new("tenant", block).unwrap();
    let values: Vec<_> = [0, 17, 40, 200, 1_100, 100_000].map(|len| "v".repeat(len)).into();
    // As many as are put in order in place, in the wrong order.
    let names: Vec<_> = (0..16).map(|i| format!("label_{i:02}")).collect();
    let matchers: Vec<_> =
        names.iter().rev().map(|name| Matcher::new(name, MatchOp::NotRegex, "\"v\".*")).collect();
    let refs: Vec<u64> = (0..1_000).collect();

    let mut out = [0; 300];
    let mut write = |key: &dyn Encode| {
        let len = key.encode(&mut out).unwrap();
        assert_eq!(len, key.encoded_len());
        len
    };
    let single = heap::blocks(|| {
        for value in &values {
            write(&mimir::PostingsKey::new(scope, "name", value));
            write(&mimir::PostingsOffsetKey::new(scope, "name", value));
            write(&thanos::PostingsKey::new(block, "name", value));
            write(&distinct::PostingsKey::new(scope, "name", value));
            let matcher = Matcher::new("name", MatchOp::Equal, value);
            write(&mimir::PostingsOffsetKey::for_subtracted_matcher(scope, &matcher));
        }
        write(&mimir::SeriesKey::new(scope, u64::MAX));
        write(&mimir::ExpandedPostingsKey::new(scope, &matchers, "all"));
        write(&mimir::SeriesForPostingsKey::new(scope, QueryShard::ALL, &refs));
        write(&mimir::LabelNamesKey::new(scope, &matchers));
        write(&mimir::LabelValuesKey::new(scope, "name", &matchers));
        write(&thanos::ExpandedPostingsKey::new(block, &matchers));
        write(&thanos::SeriesKey::new(block, 7));
        write(&distinct::ExpandedPostingsKey::new(scope, &matchers, "all"));
        write(&distinct::LabelNamesKey::new(scope, &matchers));
        write(&distinct::LabelValuesKey::new(scope, "name", &matchers));
    });
    assert_eq!(single, 0);

    let stack = heap::blocks(|| {
        let key = mimir::LabelValuesKey::new(scope, "name", &matchers).to_buf().unwrap();
        check_memcached(key.as_bytes()).unwrap();
        assert_eq!(*escape_memcached(key.as_bytes()).unwrap(), *key.as_bytes());
        mimir::Key::parse(key.as_bytes()).unwrap();
        mimir::Key::parse(&key.as_bytes()[..50]).unwrap_err();
    });
    assert_eq!(stack, 0);

    let mut batch = KeyBatch::new();
    let mut fill = |count: usize| {
        batch.clear();
        let labels = || values.iter().map(|value| ("name", value.as_str())).cycle().take(count);
        mimir::PostingsKey::encode_all(scope, labels(), &mut batch).unwrap();
        thanos::PostingsKey::encode_all(block, labels(), &mut batch).unwrap();
        distinct::PostingsKey::encode_all(scope, labels(), &mut batch).unwrap();
        batch.push(&mimir::SeriesKey::new(scope, 7)).unwrap();
        assert_eq!(batch.iter().map(str::len).filter(|&len| len > 0).count(), 3 * count + 1);
    };
    assert!(heap::blocks(|| fill(1_000)) > 0);
    for count in [1_000, 0, 1, 3, 4, 5, 999] {
        assert_eq!(heap::blocks(|| fill(count)), 0, "{count}");
    }
}
