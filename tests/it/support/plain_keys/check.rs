//! What the tests and the fuzz target check of any keys.

use borrowire::cache::key::{
    BlockId, CacheKey, KeyBatch, KeyBuf, MatchOp, Matcher, QueryShard, Scope, distinct, mimir,
    thanos,
};

use super::plain;

const BLOCK: &str = "01HV2Z3Q9MXV4N8T7E6R5W4Q3P";

/// A key that is read is written the same again, by its exact length.
pub fn parse(key: &[u8]) {
    if let Ok(parsed) = mimir::Key::parse(key) {
        assert_written(&parsed, key);
    }
    if let Ok(parsed) = distinct::Key::parse(key) {
        assert_written(&parsed, key);
        assert!(mimir::Key::parse(key).is_err() && thanos::Key::parse(key).is_err());
    }
    if let Ok(parsed) = thanos::Key::parse(key) {
        assert_written(&parsed, key);
    }
}

/// Keys of any parts are those of the plain version, and are read back to the same parts. Returns them.
pub fn build(text: &str) -> Vec<String> {
    let mut parts = text.split('\x1f');
    let mut part = || parts.next().unwrap_or_default();
    let (tenant, name, value, strategy) = (part(), part(), part(), part());
    let parts: Vec<_> = parts.collect();
    let mut matchers: Vec<_> = parts
        .chunks_exact(2)
        .enumerate()
        .map(|(i, pair)| Matcher::new(pair[0], OPS[(i + pair[1].len()) % 4], pair[1]))
        .collect();
    matchers.push(Matcher::new(name, MatchOp::Regex, value));
    let block = BlockId::new(BLOCK).expect("a ULID");
    let Ok(scope) = Scope::new(tenant, block) else {
        assert!(tenant.contains(':'));
        return Vec::new();
    };
    let keys = Keys { scope, name, value, strategy, matchers: &matchers };
    [keys.mimir(), keys.thanos(), keys.distinct()].concat()
}

const OPS: [MatchOp; 4] = [MatchOp::Equal, MatchOp::NotEqual, MatchOp::Regex, MatchOp::NotRegex];

struct Keys<'a> {
    scope: Scope<'a>,
    name: &'a str,
    value: &'a str,
    strategy: &'a str,
    matchers: &'a [Matcher<'a>],
}

impl Keys<'_> {
    fn plain_matchers(&self) -> Vec<plain::Matcher<'_>> {
        let plain = |matcher: &Matcher<'_>| match matcher.op {
            MatchOp::Equal => "=",
            MatchOp::NotEqual => "!=",
            MatchOp::Regex => "=~",
            MatchOp::NotRegex => "!~",
        };
        self.matchers.iter().map(|matcher| (matcher.name, plain(matcher), matcher.value)).collect()
    }

    fn mimir(&self) -> Vec<String> {
        use mimir::{
            ExpandedPostingsKey, Key, LabelNamesKey, LabelValuesKey, PostingsKey,
            PostingsOffsetKey, SeriesForPostingsKey, SeriesKey,
        };
        let &Self { scope, name, value, strategy, matchers } = self;
        let (tenant, block) = (scope.tenant(), BLOCK);
        let plain_matchers = self.plain_matchers();
        let refs: Vec<u64> = value.bytes().map(|byte| u64::from(byte) << (byte % 57)).collect();
        let (index, count) = (name.len() as u64, value.len() as u64);
        let shard = QueryShard::new(index, count).unwrap_or(QueryShard::ALL);
        let plain_shard = match shard == QueryShard::ALL {
            true => "all".to_owned(),
            false => format!("{}_of_{count}", index + 1),
        };
        let series_ref = refs.iter().fold(index, |all, value| all.rotate_left(7) ^ value);
        let not = format!("not:{}", matchers[0]);
        let keys = [
            (
                Key::Postings(PostingsKey::new(scope, name, value)),
                plain::mimir::postings(tenant, block, name, value),
            ),
            (
                Key::PostingsOffset(PostingsOffsetKey::new(scope, name, value)),
                plain::mimir::postings_offset(tenant, block, &format!("{name}:{value}")),
            ),
            (
                Key::PostingsOffset(PostingsOffsetKey::for_matcher(scope, &matchers[0])),
                plain::mimir::postings_offset(tenant, block, &not[4..]),
            ),
            (
                Key::PostingsOffset(PostingsOffsetKey::for_subtracted_matcher(scope, &matchers[0])),
                plain::mimir::postings_offset(tenant, block, &not),
            ),
            (
                Key::Series(SeriesKey::new(scope, series_ref)),
                plain::mimir::series(tenant, block, series_ref),
            ),
            (
                Key::ExpandedPostings(ExpandedPostingsKey::new(scope, matchers, strategy)),
                plain::mimir::expanded_postings(tenant, block, &plain_matchers, strategy),
            ),
            (
                Key::SeriesForPostings(SeriesForPostingsKey::new(scope, shard, &refs)),
                plain::mimir::series_for_postings(tenant, block, &plain_shard, &refs),
            ),
            (
                Key::LabelNames(LabelNamesKey::new(scope, matchers)),
                plain::mimir::label_names(tenant, block, &plain_matchers),
            ),
            (
                Key::LabelValues(LabelValuesKey::new(scope, name, matchers)),
                plain::mimir::label_values(tenant, block, name, &plain_matchers),
            ),
        ];
        keys.map(|(key, plain)| {
            assert_written(&key, plain.as_bytes());
            assert_eq!(mimir::Key::parse(plain.as_bytes()), Ok(key));
            plain
        })
        .into()
    }

    fn thanos(&self) -> Vec<String> {
        use thanos::{ExpandedPostingsKey, Key, PostingsKey, SeriesKey};
        let &Self { scope, name, value, matchers, .. } = self;
        let texts: Vec<_> = matchers.iter().map(Matcher::to_string).collect();
        let keys = [
            (
                Key::Postings(PostingsKey::new(scope.block(), name, value)),
                plain::thanos::postings(BLOCK, name, value),
            ),
            (
                Key::ExpandedPostings(ExpandedPostingsKey::new(scope.block(), matchers)),
                plain::thanos::expanded_postings(BLOCK, &texts),
            ),
            (
                Key::Series(SeriesKey::new(scope.block(), value.len() as u64)),
                plain::thanos::series(BLOCK, value.len() as u64),
            ),
        ];
        keys.map(|(key, plain)| {
            assert_written(&key, plain.as_bytes());
            assert_eq!(thanos::Key::parse(plain.as_bytes()), Ok(key));
            plain
        })
        .into()
    }

    fn distinct(&self) -> Vec<String> {
        use distinct::{ExpandedPostingsKey, Key, LabelNamesKey, LabelValuesKey, PostingsKey};
        let &Self { scope, name, value, strategy, matchers } = self;
        let (tenant, block) = (scope.tenant(), BLOCK);
        let plain_matchers = self.plain_matchers();
        let postings = PostingsKey::new(scope, name, value);
        assert!(postings.label().is_none_or(|label| label == (name, value)));
        assert_eq!(postings.label().is_some(), name.len() + value.len() <= 30);
        let keys = [
            (Key::Postings(postings), plain::distinct::postings(tenant, block, name, value)),
            (
                Key::ExpandedPostings(ExpandedPostingsKey::new(scope, matchers, strategy)),
                plain::distinct::expanded_postings(tenant, block, &plain_matchers, strategy),
            ),
            (
                Key::LabelNames(LabelNamesKey::new(scope, matchers)),
                plain::distinct::label_names(tenant, block, &plain_matchers),
            ),
            (
                Key::LabelValues(LabelValuesKey::new(scope, name, matchers)),
                plain::distinct::label_values(tenant, block, name, &plain_matchers),
            ),
        ];
        keys.map(|(key, plain)| {
            assert_written(&key, plain.as_bytes());
            assert_eq!(distinct::Key::parse(plain.as_bytes()), Ok(key));
            plain
        })
        .into()
    }
}

/// Every way to write `key` gives `expected`, and nothing but that.
fn assert_written(key: &impl CacheKey, expected: &[u8]) {
    let len = expected.len();
    assert_eq!(key.encoded_len(), len);
    let mut out = vec![0xaa; len + 3];
    assert_eq!(key.encode(&mut out), Ok(len));
    assert_eq!((&out[..len], &out[len..]), (expected, &[0xaa; 3][..]));
    for shorter in 0..len {
        let error = key.encode(&mut out[..shorter]).expect_err("no room");
        assert_eq!((error.needed(), error.capacity()), (len, shorter));
    }
    assert_eq!(key.encode_to_vec().as_deref(), Ok(expected));
    match key.to_buf() {
        Ok(buf) => assert_eq!(buf.as_bytes(), expected),
        Err(error) => assert!(error.needed() == len && len > KeyBuf::CAPACITY),
    }
}

/// A batch has the keys that are made one by one, in every layout.
pub fn batch(labels: &[(&str, &str)]) {
    let scope = Scope::new("tenant", BlockId::new(BLOCK).expect("a ULID")).expect("no colon");
    let block = scope.block();
    let labels = || labels.iter().copied();
    let mut batch = KeyBatch::new();
    mimir::PostingsKey::encode_all(scope, labels(), &mut batch).expect("small keys");
    assert_same(&batch, labels().map(|(name, value)| mimir::PostingsKey::new(scope, name, value)));

    batch.clear();
    assert!(batch.is_empty() && batch.get(0).is_none());
    thanos::PostingsKey::encode_all(block, labels(), &mut batch).expect("small keys");
    assert_same(&batch, labels().map(|(name, value)| thanos::PostingsKey::new(block, name, value)));

    batch.clear();
    distinct::PostingsKey::encode_all(scope, labels(), &mut batch).expect("small keys");
    assert_same(
        &batch,
        labels().map(|(name, value)| distinct::PostingsKey::new(scope, name, value)),
    );
}

fn assert_same(batch: &KeyBatch, single: impl Iterator<Item = impl CacheKey>) {
    let single: Vec<_> = single.map(|key| key.to_buf().expect("small keys")).collect();
    assert_eq!((batch.len(), batch.iter().len()), (single.len(), single.len()));
    for (index, (key, single)) in batch.into_iter().zip(&single).enumerate() {
        assert_eq!(key, &**single, "{index}");
        assert_eq!(batch.get(index), Some(key));
    }
    assert_eq!(batch.get(single.len()), None);
}
