//! The embedded cache: what it holds, what it refuses, what it forgets, and many threads at once.

mod faults;
mod model;

use std::hash::{BuildHasher, BuildHasherDefault, Hasher};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use borrowire::Encode;
use borrowire::cache::{
    BatchScratch, CacheError, CacheOptions, Clock, DefaultHashBuilder, MonotonicClock,
    ShardedCache, Values,
};
use borrowire::remote_write::Label;
use bytes::BytesMut;

const HEADER: usize = 24;

fn cache(bytes: usize, shards: usize) -> ShardedCache {
    ShardedCache::new(CacheOptions::new(bytes).with_shards(shards)).unwrap()
}

fn get<K, S, C>(cache: &ShardedCache<S, C>, key: &K) -> Option<Vec<u8>>
where
    K: Encode + ?Sized,
    S: BuildHasher,
    C: Clock,
{
    cache.get_with(key, <[u8]>::to_vec)
}

/// A time that a test sets.
#[derive(Default)]
struct Manual(AtomicU64);

impl Manual {
    fn set(&self, millis: u64) {
        self.0.store(millis, Ordering::Relaxed);
    }
}

impl Clock for Manual {
    fn now(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

/// All keys have the same hash: shard, index and half of the ring's header say nothing.
#[derive(Clone, Copy, Default)]
struct Collide;

impl Hasher for Collide {
    fn write(&mut self, _: &[u8]) {}

    fn finish(&self) -> u64 {
        0x5a5a_5a5a_5a5a_5a5a
    }
}

#[test]
fn an_empty_value_is_a_value() {
    let cache = cache(4096, 1);
    assert_eq!(get(&cache, b"k"), None);
    cache.put(b"k", b"").unwrap();
    assert_eq!(get(&cache, b"k").as_deref(), Some(&b""[..]));
    cache.put(b"k", b"vv").unwrap();
    assert_eq!(get(&cache, b"k").as_deref(), Some(&b"vv"[..]));
    cache.put(b"k", b"").unwrap();
    assert_eq!(get(&cache, b"k").as_deref(), Some(&b""[..]));

    assert_eq!(get(&cache, b""), None);
    cache.put(b"", b"").unwrap();
    assert_eq!(get(&cache, b"").as_deref(), Some(&b""[..]));
    assert!(cache.remove(b"") && !cache.remove(b""));
    assert_eq!(get(&cache, b""), None);
    let statistics = cache.statistics();
    assert_eq!((statistics.hits, statistics.misses, statistics.entries), (4, 3, 1));
}

#[test]
fn a_value_is_read_in_place_or_copied() {
    let cache = cache(4096, 1);
    cache.put("key", "value").unwrap();
    let mut out = [0; 8];
    assert_eq!(cache.get_into("key", &mut out), Ok(Some(5)));
    assert_eq!(&out, b"value\0\0\0");
    assert_eq!(cache.get_into("other", &mut out), Ok(None));
    let error = cache.get_into("key", &mut out[..4]).unwrap_err();
    assert_eq!((error.needed(), error.capacity()), (5, 4));
    let (mut vec, mut bytes) = (b"> ".to_vec(), BytesMut::from(&b"> "[..]));
    assert_eq!(cache.append_to_vec("key", &mut vec), Some(5));
    assert_eq!(cache.append_to_bytes("key", &mut bytes), Some(5));
    assert_eq!(cache.append_to_vec("other", &mut vec), None);
    assert_eq!((&vec[..], &bytes[..]), (&b"> value"[..], &b"> value"[..]));
    assert_eq!(cache.get_with("key", |value| (value.len(), value[0])), Some((5, b'v')));
    assert_eq!(cache.get_with("other", |_| panic!("there is no value")), None);
}

#[test]
fn messages_are_keys_and_values_by_their_encoded_bytes() {
    let cache = cache(1 << 20, 4);
    let label = Label::new("job", "node");
    cache.put(&label, &label).unwrap();
    let bytes = b"\x0a\x03job\x12\x04node";
    assert_eq!(get(&cache, bytes).as_deref(), Some(&bytes[..]));
    assert!(get(&cache, &label).is_some() && cache.remove(&label) && get(&cache, bytes).is_none());
    // Longer than any scratch, alone and in a batch.
    let long = "x".repeat(70_000);
    let label = Label::new("long", &long);
    cache.put_many(&[(label, label), (Label::default(), label)], &mut BatchScratch::new()).unwrap();
    let bytes = label.encode_to_vec().unwrap();
    assert_eq!(get(&cache, &bytes), Some(bytes.clone()));
    assert_eq!(get(&cache, b""), Some(bytes.clone()));
    assert!(get(&cache, &label).is_some());
    cache.put(&label, b"v").unwrap();
    assert_eq!(get(&cache, &bytes).as_deref(), Some(&b"v"[..]));
}

#[test]
fn an_entry_that_can_never_fit_harms_no_other() {
    let cache = cache(4096, 1);
    for key in ["a", "b", "c"] {
        cache.put(key, "small").unwrap();
    }
    let bytes = cache.statistics().bytes;
    let error = cache.put("large", &[0; 5 * 1024]).unwrap_err();
    let entry_bytes = HEADER + 5 + 5 * 1024;
    assert_eq!(error, CacheError::EntryTooLarge { entry_bytes, shard_bytes: 4096 });
    // Nor one byte too much, nor in place of another.
    assert!(cache.put("", &[0; 4096 - HEADER + 1]).is_err());
    assert!(cache.put("a", &[0; 5 * 1024]).is_err());
    let large = [0; 5 * 1024];
    let entries = [("large", &large[..]), ("d", b"small"), ("b", &large)];
    let error = cache.put_many(&entries, &mut BatchScratch::new()).unwrap_err();
    assert_eq!(error.as_str(), "entry too large");
    for key in ["a", "b", "c", "d"] {
        assert_eq!(get(&cache, key.as_bytes()).as_deref(), Some(&b"small"[..]), "{key}");
    }
    let statistics = cache.statistics();
    assert_eq!((statistics.refused, statistics.evicted, statistics.entries), (5, 0, 4));
    assert_eq!(statistics.bytes, bytes + HEADER + 6);
    // One that just fits takes the place of all.
    cache.put("", &[0; 4096 - HEADER]).unwrap();
    let statistics = cache.statistics();
    assert_eq!((statistics.evicted, statistics.entries, statistics.bytes), (4, 1, 4096));
}

#[test]
fn budgets_without_room_for_an_entry_are_refused() {
    let too_small = |shard_bytes| CacheError::ShardTooSmall { shard_bytes, min_bytes: HEADER };
    let invalid = |shards| CacheError::InvalidShards { shards, max_shards: 8192 };
    let max_bytes = u32::MAX as usize;
    for (bytes, shards, error) in [
        (0, 1, too_small(0)),
        (HEADER - 1, 1, too_small(HEADER - 1)),
        (HEADER * 8192 - 1, 8192, too_small(HEADER - 1)),
        (1 << 20, 0, invalid(0)),
        (1 << 20, 3, invalid(3)),
        (1 << 20, 16_384, invalid(16_384)),
        (1 << 33, 1, CacheError::ShardTooLarge { shard_bytes: 1 << 33, max_bytes }),
    ] {
        let options = CacheOptions::new(bytes).with_shards(shards);
        assert_eq!(ShardedCache::new(options).unwrap_err(), error, "{bytes} in {shards}");
    }
    let options = CacheOptions::new(1 << 20).with_ttl(Duration::ZERO);
    assert_eq!(ShardedCache::new(options).unwrap_err(), CacheError::InvalidTtl);
    assert_eq!(
        ShardedCache::new(CacheOptions::new(0)).unwrap_err().to_string(),
        "shard too small: 0 bytes, an entry takes at least 24"
    );

    // The smallest that there are.
    for shards in [1, 2, 8192] {
        let cache = cache(HEADER * shards, shards);
        cache.put(b"", b"").unwrap();
        assert!(get(&cache, b"").is_some());
        assert!(cache.put(b"k", b"").is_err());
    }
}

/// With all hashes equal only the keys tell entries apart: no key ever finds the value of another.
#[test]
fn keys_with_equal_hashes_are_kept_apart() {
    let options = CacheOptions::new(1 << 16).with_shards(4);
    let hasher = BuildHasherDefault::<Collide>::default();
    let cache = ShardedCache::with_parts(options, hasher, MonotonicClock::new()).unwrap();
    let key = |n: u64| format!("tenant-{}:{n}", n % 7);
    for n in 0..100 {
        cache.put(&key(n), &n.to_le_bytes()).unwrap();
    }
    for n in (0..100).step_by(3) {
        assert!(cache.remove(&key(n)), "{n}");
        cache.put(&key(n + 1), b"again").unwrap();
    }
    assert_eq!(get(&cache, b"tenant-1"), None);
    for n in 0..101_u64 {
        let expected = match n % 3 {
            0 => None,
            1 => Some(b"again".to_vec()),
            _ => Some(n.to_le_bytes().to_vec()),
        };
        assert_eq!(get(&cache, key(n).as_bytes()), expected, "{n}");
    }
    let statistics = cache.statistics();
    assert!(statistics.collisions > 1000, "{statistics:?}");
    let keys: Vec<_> = (0..100).map(key).collect();
    let mut found = Values::new();
    cache.get_many(&keys, &mut found);
    assert_eq!(found.missing().collect::<Vec<_>>(), (0..100).step_by(3).collect::<Vec<_>>());

    // Those that leave are found by where they lie, not by their hash.
    for n in 1000..1600 {
        cache.put(&key(n), &n.to_le_bytes()).unwrap();
        assert_eq!(get(&cache, key(n).as_bytes()), Some(n.to_le_bytes().to_vec()));
        assert_eq!(get(&cache, key(n - 500).as_bytes()), None);
    }
    assert!(cache.statistics().evicted > 100);
}

#[test]
fn an_entry_is_gone_when_its_time_is_over() {
    let clock = &Manual::default();
    let options = CacheOptions::new(4096).with_shards(1).with_ttl(Duration::from_millis(100));
    let cache = ShardedCache::with_parts(options, DefaultHashBuilder::default(), clock).unwrap();
    clock.set(1000);
    cache.put("k", "v").unwrap();
    for (now, there) in [(1000, true), (1099, true), (999, true), (0, true), (1099, true)] {
        clock.set(now);
        assert_eq!(get(&cache, "k").is_some(), there, "{now}");
    }
    clock.set(1100);
    let mut found = Values::new();
    cache.get_many(&["k", "k"], &mut found);
    assert_eq!(found.hits(), 0);
    // Gone is gone, also for a clock that goes back.
    clock.set(1000);
    assert!(get(&cache, "k").is_none());
    let statistics = cache.statistics();
    assert_eq!((statistics.expired, statistics.entries), (1, 0));
    assert_eq!((statistics.hits, statistics.misses), (5, 3));

    // A new entry has its time from when it was put last.
    cache.put("k", "1").unwrap();
    clock.set(1060);
    cache.put("k", "2").unwrap();
    clock.set(1159);
    assert_eq!(get(&cache, b"k").as_deref(), Some(&b"2"[..]));
    clock.set(1160);
    assert!(!cache.remove("k"), "it was there no more");
    assert_eq!(cache.statistics().expired, 2);

    // Made in the future of a clock that was set back: there until that has come and passed.
    clock.set(u64::MAX);
    cache.put("k", "3").unwrap();
    clock.set(0);
    assert!(get(&cache, "k").is_some());
    // An entry that makes room behind its time was not evicted before it.
    cache.clear();
    cache.put("old", &[0; 2000]).unwrap();
    cache.put("new", &[0; 1000]).unwrap();
    clock.set(100);
    cache.put("large", &[0; 4000]).unwrap();
    let statistics = cache.statistics();
    assert_eq!((statistics.expired, statistics.evicted), (4, 0));
}

#[test]
fn without_a_time_to_live_entries_stay_and_the_clock_is_not_asked() {
    struct Never;
    impl Clock for Never {
        fn now(&self) -> u64 {
            panic!("the clock was asked");
        }
    }
    let hasher = DefaultHashBuilder::default();
    let cache = ShardedCache::with_parts(CacheOptions::new(4096), hasher, Never).unwrap();
    cache.put("k", "v").unwrap();
    assert!(get(&cache, "k").is_some());
    let clock = MonotonicClock::default();
    let before = clock.now();
    assert!(clock.now() >= before);
}

#[test]
fn what_was_removed_is_gone() {
    let cache = cache(1 << 16, 2);
    for n in 0..50_u32 {
        cache.put(&n.to_le_bytes(), &[1; 10]).unwrap();
    }
    assert!(cache.remove(&7_u32.to_le_bytes()) && !cache.remove(&7_u32.to_le_bytes()));
    assert!(get(&cache, &7_u32.to_le_bytes()).is_none());
    assert_eq!(cache.statistics().entries, 49);
    cache.clear();
    assert!((0..50_u32).all(|n| get(&cache, &n.to_le_bytes()).is_none()));
    let statistics = cache.statistics();
    assert_eq!((statistics.entries, statistics.bytes, statistics.evicted), (0, 0, 0));
    cache.put(&7_u32.to_le_bytes(), b"again").unwrap();
    assert_eq!(get(&cache, &7_u32.to_le_bytes()).as_deref(), Some(&b"again"[..]));
}

#[test]
fn batches_do_what_single_operations_do() {
    for shards in [1, 2, 64, 8192] {
        let cache = cache(8 << 20, shards);
        let (mut batch, mut found) = (BatchScratch::new(), Values::new());
        // From large to small, so that what the last batch left behind would show.
        for count in [3000, 100, 1, 0, 7] {
            cache.clear();
            let keys: Vec<_> = (0..count).map(|n| format!("{count}-{n}")).collect();
            let entries: Vec<_> = keys.iter().step_by(2).map(|key| (key, key)).collect();
            cache.put_many(&entries, &mut batch).unwrap();
            cache.get_many(&keys, &mut found);
            assert_eq!((found.len(), found.hits()), (count, entries.len()));
            assert_eq!(found.is_empty(), count == 0);
            for (n, (key, value)) in keys.iter().zip(found.iter()).enumerate() {
                assert_eq!(value, (n % 2 == 0).then_some(key.as_bytes()));
                assert_eq!(value, found.get(n));
                assert_eq!(get(&cache, key).as_deref(), value);
            }
            assert!(found.get(count).is_none());
            assert!(found.missing().eq((1..count).step_by(2)));
        }
        // The last of equal keys stays, whatever lies between.
        let entries = [("a", "1"), ("b", "1"), ("a", "2"), ("c", "1"), ("a", "3"), ("b", "2")];
        cache.put_many(&entries, &mut batch).unwrap();
        cache.get_many(&["c", "b", "a", "b"], &mut found);
        let values: Vec<_> = found.iter().map(Option::unwrap).collect();
        assert_eq!(values, [b"1", b"2", b"3", b"2"]);
    }
}

#[test]
fn debug_output_shows_no_data() {
    let cache = cache(4096, 1);
    cache.put("secret", "secret").unwrap();
    let mut found = Values::new();
    cache.get_many(&["secret"], &mut found);
    let texts = [format!("{cache:?}"), format!("{found:?}"), format!("{:?}", cache.statistics())];
    assert!(
        texts.iter().all(|text| !text.contains("secret") && !text.contains("115")),
        "{texts:?}"
    );
}
