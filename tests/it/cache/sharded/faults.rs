//! Values, keys and batches that break their word leave the cache whole.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use borrowire::Encode;
use borrowire::cache::{BatchScratch, CacheError, Keys, ShardedCache, Values};
use borrowire::wire::{BufferFull, Writer};

use super::{HEADER, cache, get};

/// Announces more than it writes, or panics.
struct Bad(bool);

impl Encode for Bad {
    fn encoded_len(&self) -> usize {
        10
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        assert!(self.0, "a value that panics while it is written");
        writer.write_raw(b"short")
    }
}

#[test]
fn a_value_that_fails_while_it_is_written_leaves_the_cache_whole() {
    let cache = cache(4096, 1);
    cache.put("k", "before").unwrap();
    let error = cache.put("k", &Bad(true)).unwrap_err();
    assert_eq!(error, CacheError::WrongLength { announced_bytes: HEADER + 1 + 10 });
    let panicked = thread::scope(|scope| scope.spawn(|| cache.put("k", &Bad(false))).join());
    assert!(panicked.is_err());
    assert_eq!(get(&cache, b"k").as_deref(), Some(&b"before"[..]));
    cache.put("k", "after").unwrap();
    assert_eq!(get(&cache, b"k").as_deref(), Some(&b"after"[..]));
    assert_eq!(cache.statistics().refused, 1);
}

/// A key that announces one length and writes this many bytes.
struct BadKey {
    announced: usize,
    written: usize,
}

impl Encode for BadKey {
    fn encoded_len(&self) -> usize {
        self.announced
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(&vec![b'k'; self.written])
    }
}

/// Neither by the bytes that it wrote, nor by none.
#[test]
fn a_key_that_breaks_its_word_is_no_other_key() {
    for (announced, written) in
        [(10, 5), (10, 0), (0, 1), (10, 11), (1000, 999), (1000, 0), (1000, 1001), (200, 300)]
    {
        let cache = cache(1 << 16, 2);
        let keys = [0, written, announced].map(|len| vec![b'k'; len]);
        for key in &keys {
            cache.put(key, b"theirs").unwrap();
        }
        let bad = BadKey { announced, written };
        assert!(get(&cache, &bad).is_none() && !cache.remove(&bad), "{announced} {written}");
        let error = CacheError::WrongLength { announced_bytes: HEADER + announced + 4 };
        assert_eq!(cache.put(&bad, b"mine"), Err(error));
        assert_eq!(cache.put_many(&[(bad, b"mine")], &mut BatchScratch::new()), Err(error));
        assert!(keys.iter().all(|key| get(&cache, key).as_deref() == Some(b"theirs")));
        assert_eq!(cache.statistics().refused, 2);
    }
}

fn ignore<T>(_: T) {}

/// Runs something whenever it is encoded, or asked for a key.
struct Calls<'a>(&'a dyn Fn());

impl Encode for Calls<'_> {
    fn encoded_len(&self) -> usize {
        3
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        (self.0)();
        writer.write_raw(b"new")
    }
}

impl Keys for Calls<'_> {
    fn len(&self) -> usize {
        1
    }

    fn key(&self, _: usize) -> &[u8] {
        (self.0)();
        b"key"
    }
}

/// Whichever shard it would be, this cache or another: a test finds it at once, not one run in a
/// thousand, and nobody waits for ever.
#[test]
fn a_cache_that_is_used_under_a_lock_of_its_thread_panics() {
    let (one, other) = (cache(1 << 16, 16), cache(1 << 16, 16));
    one.put("key", "value").unwrap();
    type Operation<'a> = &'a dyn Fn(&ShardedCache);
    let operations: [Operation<'_>; 9] = [
        &|cache| ignore(get(cache, "key")),
        &|cache| ignore(cache.append_to_vec("other", &mut Vec::new())),
        &|cache| ignore(cache.get_into("key", &mut [0; 8])),
        &|cache| ignore(cache.put("another", "value")),
        &|cache| ignore(cache.remove("absent")),
        &|cache| cache.get_many(&["key"], &mut Values::new()),
        &|cache| ignore(cache.put_many(&[("a", "value")], &mut BatchScratch::new())),
        &|cache| cache.clear(),
        &|cache| ignore(cache.statistics()),
    ];
    for (index, operation) in operations.into_iter().enumerate() {
        for used in [&one, &other] {
            let calls = Calls(&|| operation(used));
            let places: [&dyn Fn(); 3] = [
                &|| ignore(one.get_with("key", |_| operation(used))),
                &|| ignore(one.put("key", &calls)),
                &|| ignore(one.put_many(&[("key", &calls)], &mut BatchScratch::new())),
            ];
            for (place, run) in places.into_iter().enumerate() {
                let panic = catch_unwind(AssertUnwindSafe(run)).expect_err("under a lock");
                let text = panic.downcast_ref::<&str>().unwrap();
                assert!(text.starts_with("deadlock"), "{index} in {place}: {text}");
                // The lock is free again, and so is the thread; what was being put is not there.
                assert_eq!(get(&one, "key").as_deref(), Some(&b"value"[..]), "{index} in {place}");
            }
        }
    }
    // Keys are asked for without a lock first, for their hashes.
    let calls = Calls(&|| ignore(one.statistics()));
    let run = || one.get_many(&calls, &mut Values::new());
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
    assert_eq!(get(&one, "key").as_deref(), Some(&b"value"[..]));
    // What is encoded before the lock is taken may use a cache: keys, for one.
    one.put(&Calls(&|| ignore(one.statistics())), "value").unwrap();
    assert_eq!(get(&one, "new").as_deref(), Some(&b"value"[..]));
}
