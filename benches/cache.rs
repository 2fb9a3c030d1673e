//! The embedded cache. Names are `stage/implementation/parameter`.
//!
//! ```text
//! cargo bench --bench cache
//! ```
//!
//! `frame` sets writing an entry of a 256-byte value into a ring beside copying its key and value to the
//! same place. `put` sets the cache beside quick_cache with owned keys and values, with the same budget of
//! bytes, over numbers of shards. `get_many` looks up 20,000 keys of an index cache of which 10,000 are there,
//! the building of the keys included, beside a loop of look-ups with formatted keys. Answers are checked
//! before they are timed. At the end the ratios are printed, from the medians of many rounds that take turns:
//! what the machine does besides hits both sides.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[path = "peers/random.rs"]
#[allow(dead_code, reason = "shared with the other benchmarks, which use other parts")]
mod random;

use std::hint::black_box;
use std::time::{Duration, Instant};
use std::{env, iter};

use base64::Engine;
use base64::prelude::BASE64_URL_SAFE_NO_PAD as URL_SAFE_NO_PAD;
use borrowire::Encode;
use borrowire::cache::frame::{BigCacheEntry, CacheEntry, Frame};
use borrowire::cache::key::{BlockId, KeyBatch, Scope, mimir};
use borrowire::cache::{CacheOptions, Ring, ShardedCache, Values};
use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};
use quick_cache::sync::{Cache, DefaultLifecycle};
use quick_cache::{DefaultHashBuilder, OptionsBuilder, Weighter};

use random::Random;

criterion_group!(benches, frame, put, get, get_many, ratios);
criterion_main!(benches);

const VALUE: [u8; 256] = [0xa5; 256];
const BUDGET: usize = 64 << 20;
/// Twice as many as the budget holds: of the entries that are put, some take the place of their own kind, and
/// more make others leave.
const KEYS: u64 = 1 << 19;
const SHARDS: [usize; 5] = [1, 16, 256, 1024, 8192];
const BATCH: usize = 20_000;
const TENANT: &str = "tenant";
const BLOCK: &str = "01HZ0000000000000000000000";

/// Keys as long as those of an index cache, at random.
struct Keys {
    random: Random,
    key: [u8; 50],
}

impl Keys {
    fn new(seed: u64) -> Self {
        let mut key = [0; 50];
        key.copy_from_slice(format!("S:{TENANT}-12345:{BLOCK}:........").as_bytes());
        Self { random: Random(seed), key }
    }

    /// Writes the number in binary: digits would take longer than all else.
    fn next(&mut self) -> &[u8] {
        let number = self.random.below(KEYS);
        self.key[42..].copy_from_slice(&number.to_le_bytes());
        &self.key
    }
}

// ---- frame

fn frame(criterion: &mut Criterion) {
    let mut group = group(criterion, "frame");
    group.throughput(Throughput::Bytes(VALUE.len() as u64));
    let mut frames = Frames::new();
    group.bench_function("ring", |bencher| bencher.iter(|| frames.ring()));
    group.bench_function("copy", |bencher| bencher.iter(|| frames.copy()));
    group.bench_function("checked", |bencher| bencher.iter(|| frames.checked()));
    group.bench_function("bigcache", |bencher| bencher.iter(|| frames.bigcache()));
    group.finish();
}

/// The same entries, written in several ways to places of the same size.
struct Frames {
    keys: Vec<String>,
    next: usize,
    ring: Ring,
    copies: Vec<u8>,
    at: usize,
    out: Vec<u8>,
}

impl Frames {
    const BYTES: usize = 1 << 18;

    fn new() -> Self {
        let keys = (0..1024).map(|n| format!("S:{TENANT}-12345:{BLOCK}:{n:010}")).collect();
        let ring = Ring::new(Self::BYTES).expect("large enough");
        let mut frames =
            Self { keys, next: 0, ring, copies: vec![0; Self::BYTES], at: 0, out: vec![0; 1024] };
        let position = frames.ring();
        let entry = frames.ring.get(position).expect("just written");
        assert_eq!((entry.key, entry.value), (frames.keys[1].as_bytes(), &VALUE[..]));
        let len = frames.checked();
        let entry = Frame::decode(&frames.out[..len]).expect("just written").entry();
        assert_eq!((entry.key, entry.value), (frames.keys[2].as_bytes(), &VALUE[..]));
        let len = frames.bigcache();
        let entry = BigCacheEntry::decode(&frames.out[..len]).expect("just written");
        assert_eq!((entry.key(), entry.value()), (frames.keys[3].as_bytes(), &VALUE[..]));
        frames
    }

    fn next(&mut self) -> (u64, usize) {
        self.next = (self.next + 1) % self.keys.len();
        (self.next as u64, self.next)
    }

    fn ring(&mut self) -> borrowire::cache::RingPosition {
        let (n, at) = self.next();
        let entry = CacheEntry::new(n, n, self.keys[at].as_bytes(), black_box(&VALUE[..]));
        self.ring.push(&entry, |_, _| {}).expect("small enough")
    }

    /// What is the least that a cache can do.
    fn copy(&mut self) -> usize {
        let (_, at) = self.next();
        let (key, value) = (self.keys[at].as_bytes(), black_box(&VALUE[..]));
        if self.at + key.len() + value.len() > self.copies.len() {
            self.at = 0;
        }
        let end = self.at + key.len();
        self.copies[self.at..end].copy_from_slice(key);
        self.copies[end..end + value.len()].copy_from_slice(value);
        self.at = end + value.len();
        self.at
    }

    fn checked(&mut self) -> usize {
        let (n, at) = self.next();
        let entry = CacheEntry::new(n, n, self.keys[at].as_bytes(), black_box(&VALUE[..]));
        Frame::new(entry).encode(&mut self.out).expect("large enough")
    }

    fn bigcache(&mut self) -> usize {
        let (n, at) = self.next();
        let key = self.keys[at].as_bytes();
        let entry = BigCacheEntry::new(n, n, key, black_box(&VALUE[..])).expect("a short key");
        entry.encode(&mut self.out).expect("large enough")
    }
}

// ---- put, get

fn put(criterion: &mut Criterion) {
    let mut group = group(criterion, "put");
    for shards in SHARDS {
        let (ours, theirs) = filled(shards);
        let mut keys = Keys::new(2);
        group.bench_function(BenchmarkId::new("borrowire", shards), |bencher| {
            bencher.iter(|| put_ours(&ours, keys.next()));
        });
        let mut keys = Keys::new(2);
        group.bench_function(BenchmarkId::new("quick_cache", shards), |bencher| {
            bencher.iter(|| put_theirs(&theirs, keys.next()));
        });
    }
    group.finish();
}

/// Look-ups that find about as often as not.
fn get(criterion: &mut Criterion) {
    let mut group = group(criterion, "get");
    for shards in [1, 256] {
        let (ours, theirs) = filled(shards);
        let mut keys = Keys::new(2);
        group.bench_function(BenchmarkId::new("borrowire", shards), |bencher| {
            bencher.iter(|| ours.get_with(keys.next(), |value| value[255]));
        });
        let mut keys = Keys::new(2);
        group.bench_function(BenchmarkId::new("quick_cache", shards), |bencher| {
            bencher.iter(|| theirs.get(keys.next()).map(|value| value[255]));
        });
    }
    group.finish();
}

fn put_ours(cache: &ShardedCache, key: &[u8]) {
    cache.put(key, black_box(&VALUE[..])).expect("small enough");
}

fn put_theirs(cache: &Quick, key: &[u8]) {
    cache.insert(key.into(), black_box(&VALUE[..]).into());
}

/// Both, full, and with what they should hold.
fn filled(shards: usize) -> (ShardedCache, Quick) {
    let (ours, theirs) = (sharded(shards), quick(shards));
    let mut keys = Keys::new(1);
    for _ in 0..KEYS {
        let key = keys.next();
        put_ours(&ours, key);
        put_theirs(&theirs, key);
        assert_eq!(ours.get_with(key, |value| value == VALUE), Some(true));
    }
    let statistics = ours.statistics();
    assert!(statistics.evicted > 0, "{statistics:?}");
    // Bytes that were replaced, and the ends of small shards, are of no use.
    assert!(statistics.entries > 150_000 && theirs.len() > 150_000, "{statistics:?}");
    (ours, theirs)
}

fn sharded(shards: usize) -> ShardedCache {
    ShardedCache::new(CacheOptions::new(BUDGET).with_shards(shards)).expect("large enough")
}

type Quick = Cache<Box<[u8]>, Box<[u8]>, Bytes>;

#[derive(Clone)]
struct Bytes;

impl Weighter<Box<[u8]>, Box<[u8]>> for Bytes {
    fn weight(&self, key: &Box<[u8]>, value: &Box<[u8]>) -> u64 {
        (key.len() + value.len()) as u64
    }
}

fn quick(shards: usize) -> Quick {
    let options = OptionsBuilder::new()
        .shards(shards)
        // Any lower, and it would take fewer shards.
        .estimated_items_capacity(1 << 18)
        .weight_capacity(BUDGET as u64)
        .build()
        .expect("complete");
    let cache = Cache::with_options(
        options,
        Bytes,
        DefaultHashBuilder::default(),
        DefaultLifecycle::default(),
    );
    assert_eq!(cache.num_shards(), shards);
    cache
}

// ---- get_many

fn get_many(criterion: &mut Criterion) {
    for kind in KINDS {
        let lookups = &mut Lookups::new(kind);
        let mut group = group(criterion, "get_many");
        group.throughput(Throughput::Elements(BATCH as u64));
        group.bench_function(BenchmarkId::new("batch", kind.name()), |bencher| {
            bencher.iter(|| lookups.batch());
        });
        group.bench_function(BenchmarkId::new("loop", kind.name()), |bencher| {
            bencher.iter(|| lookups.one_by_one());
        });
        group.finish();
    }
}

const KINDS: [Kind; 2] = [Kind::Series, Kind::Postings];

/// What is looked up: series by their references, or the postings of labels.
#[derive(Clone, Copy)]
enum Kind {
    Series,
    Postings,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::Series => "series",
            Self::Postings => "postings",
        }
    }

    /// The key as one writes it without thinking of speed.
    fn formatted(self, n: usize, labels: &[String]) -> String {
        match self {
            Self::Series => format!("S:{TENANT}:{BLOCK}:{n}"),
            Self::Postings => {
                let label = URL_SAFE_NO_PAD.encode(format!("pod:{}", labels[n]));
                format!("P2:{TENANT}:{BLOCK}:{label}")
            }
        }
    }
}

struct Lookups {
    kind: Kind,
    cache: ShardedCache,
    /// The values of the labels.
    labels: Vec<String>,
    keys: KeyBatch,
    found: Values,
    values: Vec<u8>,
}

impl Lookups {
    fn new(kind: Kind) -> Self {
        let cache = ShardedCache::new(CacheOptions::new(BUDGET)).expect("large enough");
        let labels: Vec<_> = (0..BATCH * 6).map(|n| format!("shop-cart-{n}")).collect();
        // Every second of the batch is there, and many others are.
        for n in (0..BATCH).step_by(2).chain(BATCH..labels.len()) {
            cache.put(&kind.formatted(n, &labels), &VALUE).expect("small enough");
        }
        let (keys, found, values) = (KeyBatch::new(), Values::new(), Vec::new());
        let mut lookups = Self { kind, cache, labels, keys, found, values };
        assert_eq!(lookups.one_by_one(), BATCH / 2);
        assert_eq!(lookups.batch(), BATCH / 2);
        assert!(
            lookups
                .found
                .iter()
                .enumerate()
                .all(|(n, value)| { value == (n % 2 == 0).then_some(&VALUE[..]) })
        );
        lookups
    }

    fn batch(&mut self) -> usize {
        let scope =
            Scope::new(TENANT, BlockId::new(BLOCK).expect("26 characters")).expect("no colon");
        self.keys.clear();
        match self.kind {
            Kind::Series => {
                let keys = (0..BATCH as u64).map(|n| mimir::SeriesKey::new(scope, n));
                keys.for_each(|key| self.keys.push(&key).expect("short"));
            }
            Kind::Postings => {
                let labels = self.labels[..BATCH].iter().map(|value| ("pod", &**value));
                mimir::PostingsKey::encode_all(scope, labels, &mut self.keys).expect("short");
            }
        }
        self.cache.get_many(&self.keys, &mut self.found);
        self.found.hits()
    }

    /// The values go to one buffer here as well.
    fn one_by_one(&mut self) -> usize {
        self.values.clear();
        let Self { kind, cache, labels, values, .. } = self;
        let mut look_up = |&n: &usize| cache.append_to_vec(&kind.formatted(n, labels), values);
        (0..BATCH).filter(|n| look_up(n).is_some()).count()
    }
}

// ---- ratios

fn ratios(_: &mut Criterion) {
    if !is_measured() {
        return;
    }
    let mut frames = [Frames::new(), Frames::new(), Frames::new()];
    let [ring, copy, checked] = &mut frames;
    let [ring, copy, checked] =
        medians([&mut || repeat(|| ring.ring()), &mut || repeat(|| copy.copy()), &mut || {
            repeat(|| checked.checked())
        }]);
    println!("frame: {:.2} times a copy", ring.as_secs_f64() / copy.as_secs_f64());
    println!("  {ring:.1?}, copy {copy:.1?}, checked {checked:.1?}, for {REPEATS}");

    for shards in SHARDS {
        let (ours, theirs) = filled(shards);
        let (mut a, mut b) = (Keys::new(2), Keys::new(2));
        let [ours, theirs] = medians([&mut || repeat(|| put_ours(&ours, a.next())), &mut || {
            repeat(|| put_theirs(&theirs, b.next()))
        }]);
        let ratio = theirs.as_secs_f64() / ours.as_secs_f64();
        println!("put, {shards} shards: {ratio:.2} times as fast as quick_cache");
        println!("  {ours:.1?}, {theirs:.1?}, for {REPEATS}");
    }

    for kind in KINDS {
        let (lookups, one) = (&mut Lookups::new(kind), &mut Lookups::new(kind));
        let [batch, one_by_one] = medians([
            &mut || {
                black_box(lookups.batch());
            },
            &mut || {
                black_box(one.one_by_one());
            },
        ]);
        let ratio = one_by_one.as_secs_f64() / batch.as_secs_f64();
        println!("get_many, {}: {ratio:.2} times as fast as a loop", kind.name());
        println!("  {batch:.1?}, {one_by_one:.1?}");
    }
}

const REPEATS: usize = 1000;

fn repeat<T>(run: impl FnMut() -> T) {
    iter::repeat_with(run).take(REPEATS).for_each(|result| drop(black_box(result)));
}

/// The median time of each, in rounds that take turns.
fn medians<const N: usize>(mut runs: [&mut dyn FnMut(); N]) -> [Duration; N] {
    const ROUNDS: usize = 1000;
    let mut times = [const { Vec::new() }; N];
    for _ in 0..ROUNDS {
        for (run, times) in runs.iter_mut().zip(&mut times) {
            let start = Instant::now();
            run();
            times.push(start.elapsed());
        }
    }
    times.map(|mut times| {
        times.sort_unstable();
        times[ROUNDS / 2]
    })
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    group
}

/// Whether `cargo bench` runs this to measure; `cargo test --benches` only wants to see that it works.
fn is_measured() -> bool {
    let has = |flag| env::args().any(|argument| argument == flag);
    has("--bench") && !has("--test")
}
