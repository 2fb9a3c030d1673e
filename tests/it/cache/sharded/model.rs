//! Any operations, against a map and a queue; and many threads at once.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use borrowire::cache::{BatchScratch, CacheOptions, DefaultHashBuilder, ShardedCache, Values};
use proptest::prelude::*;

use super::{HEADER, Manual, cache, get};

/// One shard, with everything in it: threads that write and remove, and readers that know from a value
/// whose it is.
#[test]
fn readers_never_see_torn_or_foreign_values() {
    let cache = &cache(20_000, 1);
    let stop = &AtomicBool::new(false);
    let value = |key: u64, version: u64| {
        let len = 8 + (key * 31 + version * 17) as usize % 300;
        let mark = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        mark.into_iter().cycle().take(len).collect::<Vec<u8>>()
    };
    let is_of = |key: u64, found: &[u8]| {
        let mark = key.wrapping_mul(0x9e37_79b9_7f4a_7c15).to_le_bytes();
        found.len() >= 8 && found.iter().zip(mark.into_iter().cycle()).all(|(a, b)| *a == b)
    };
    thread::scope(|scope| {
        let writers: Vec<_> = (0..3)
            .map(|thread| {
                scope.spawn(move || {
                    let mut batch = BatchScratch::new();
                    for round in 0..3_000_u64 {
                        let key = (round * 7 + thread) % 200;
                        cache.put(&key.to_le_bytes(), &value(key, round)).unwrap();
                        if round % 5 == 0 {
                            cache.remove(&((key + 3) % 200).to_le_bytes());
                        }
                        if round % 50 == 0 {
                            let entries = [1, 2, 3].map(|n| {
                                let key = (key + n) % 200;
                                (key.to_le_bytes(), value(key, round + n))
                            });
                            cache.put_many(&entries, &mut batch).unwrap();
                        }
                    }
                })
            })
            .collect();
        let readers: Vec<_> = (0..3)
            .map(|thread| {
                scope.spawn(move || {
                    let (mut hits, mut found) = (0_u64, Values::new());
                    let mut key: u64 = thread;
                    while !stop.load(Ordering::Relaxed) || hits == 0 {
                        key = (key + 11) % 200;
                        if let Some(whole) =
                            cache.get_with(&key.to_le_bytes(), |value| is_of(key, value))
                        {
                            assert!(whole, "{key}");
                            hits += 1;
                        }
                        let keys = [0, 50, 100].map(|n| (key + n) % 200);
                        cache.get_many(&keys.map(u64::to_le_bytes), &mut found);
                        for (key, value) in keys.into_iter().zip(found.iter()) {
                            assert!(value.is_none_or(|value| is_of(key, value)), "{key}");
                        }
                    }
                    hits
                })
            })
            .collect();
        for writer in writers {
            writer.join().unwrap();
        }
        stop.store(true, Ordering::Relaxed);
        assert!(readers.into_iter().all(|reader| reader.join().unwrap() > 0));
    });
    let statistics = cache.statistics();
    assert!(statistics.evicted > 0 && statistics.bytes <= 20_000, "{statistics:?}");
}

#[derive(Clone, Debug)]
enum Operation {
    Put(u8, usize),
    PutMany(Vec<(u8, usize)>),
    Remove(u8),
    Clear,
    Pass(u64),
}

fn operations() -> impl Strategy<Value = Vec<Operation>> {
    let put = || (0..20_u8, 0..80_usize);
    let operation = prop_oneof![
        8 => put().prop_map(|(key, len)| Operation::Put(key, len)),
        2 => proptest::collection::vec(put(), 0..8).prop_map(Operation::PutMany),
        2 => (0..20_u8).prop_map(Operation::Remove),
        1 => Just(Operation::Clear),
        2 => (0..60_u64).prop_map(Operation::Pass),
    ];
    proptest::collection::vec(operation, 0..150)
}

/// A map, and the order in which its entries were written; an entry leaves when the bytes written since reach
/// it. Sizes divide the capacity, so there are no gaps: those are the ring's own test.
#[derive(Default)]
struct Model {
    values: HashMap<u8, (u64, u64, usize)>,
    order: VecDeque<(u8, u64, usize)>,
    bytes: usize,
    written: u64,
}

const UNIT: usize = 120;

const CAPACITY: usize = UNIT * 9;

const TTL: u64 = 100;

impl Model {
    fn put(&mut self, key: u8, len: usize, now: u64) {
        while self.bytes + UNIT > CAPACITY {
            let (key, number, _) = self.order.pop_front().unwrap();
            self.bytes -= UNIT;
            if self.values.get(&key).is_some_and(|value| value.0 == number) {
                self.values.remove(&key);
            }
        }
        self.bytes += UNIT;
        self.written += 1;
        self.order.push_back((key, self.written, len));
        self.values.insert(key, (self.written, now, len));
    }
}

proptest! {
    #[test]
    fn a_shard_does_what_a_map_and_a_queue_do(operations in operations()) {
        let clock = &Manual::default();
        let options =
            CacheOptions::new(CAPACITY).with_shards(1).with_ttl(Duration::from_millis(TTL));
        let hasher = DefaultHashBuilder::default();
        let cache = ShardedCache::with_parts(options, hasher, clock).unwrap();
        let mut model = Model::default();
        let (mut batch, mut found, mut now) = (BatchScratch::new(), Values::new(), 0);
        // The value carries its key, and fills the unit: 16 bytes of key, the rest value.
        let key_bytes = |key: u8| [key; 16];
        let value_bytes = |key: u8, len: usize| {
            let mut value = vec![key; UNIT - HEADER - 16];
            value[0] = len as u8;
            value
        };
        for operation in operations {
            match operation {
                Operation::Put(key, len) => {
                    cache.put(&key_bytes(key), &value_bytes(key, len)).unwrap();
                    model.put(key, len, now);
                }
                Operation::PutMany(entries) => {
                    let written: Vec<_> = entries
                        .iter()
                        .map(|&(key, len)| (key_bytes(key), value_bytes(key, len)))
                        .collect();
                    cache.put_many(&written, &mut batch).unwrap();
                    entries.into_iter().for_each(|(key, len)| model.put(key, len, now));
                }
                Operation::Remove(key) => {
                    let there = model.values.remove(&key);
                    let there = there.is_some_and(|value| now - value.1 < TTL);
                    prop_assert_eq!(cache.remove(&key_bytes(key)), there);
                }
                Operation::Clear => {
                    cache.clear();
                    model = Model { written: model.written, ..Model::default() };
                }
                Operation::Pass(millis) => {
                    now += millis;
                    clock.set(now);
                }
            }
            let keys: Vec<_> = (0..20).map(key_bytes).collect();
            cache.get_many(&keys, &mut found);
            for key in 0..20 {
                let expected = model.values.get(&key).filter(|value| now - value.1 < TTL);
                let expected = expected.map(|value| value_bytes(key, value.2));
                prop_assert_eq!(found.get(usize::from(key)), expected.as_deref());
                let single = get(&cache, &key_bytes(key));
                prop_assert_eq!(single, expected);
            }
            model.values.retain(|_, value| now - value.1 < TTL);
            prop_assert_eq!(cache.statistics().entries, model.values.len());
        }
    }
}
