//! Cache keys: this crate beside what one writes without thinking of speed: `format!`, base64 into strings,
//! and the hash of the crate `blake2`. Names are `key/implementation`.
//!
//! ```text
//! cargo bench --bench cache_key
//! ```
//!
//! Answers are compared before they are timed. At the end the ratios are printed, from the best of many
//! short rounds that take turns: what the machine does besides hits both sides.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the tests, which use more of it")]
#[path = "../tests/it/support/plain_keys/mod.rs"]
mod plain_keys;

use std::env;
use std::hint::black_box;
use std::time::Instant;

use borrowire::Encode;
use borrowire::cache::key::{BlockId, KeyBatch, MatchOp, Matcher, Scope, mimir};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

use plain_keys::plain::{self as peer, mimir as plain};

criterion_group!(benches, keys, ratios);
criterion_main!(benches);

const TENANT: &str = "tenant-1";
const BLOCK: &str = "01HV2Z3Q9MXV4N8T7E6R5W4Q3P";
const MATCHERS: [peer::Matcher<'static>; 3] = [
    ("namespace", "=", "shop"),
    ("__name__", "=", "http_request_duration_seconds_bucket"),
    ("pod", "=~", "cart-.*"),
];

/// How many keys a batch has.
const BATCH: usize = 20_000;

/// Writes a key to the front of a slice, and returns its length.
type Write = dyn FnMut(&mut [u8]) -> usize;

/// A way to make one key.
struct Case {
    name: String,
    /// How many times as fast as the plain version it is to be.
    floor: f64,
    ours: Box<Write>,
    plain: Box<dyn FnMut() -> String>,
}

impl Case {
    fn new<K: Encode>(
        name: impl Into<String>,
        floor: f64,
        key: impl Fn() -> K + 'static,
        plain: impl Fn() -> String + 'static,
    ) -> Self {
        let mut case = Self {
            name: name.into(),
            floor,
            ours: Box::new(move |out| key().encode(out).expect("there is room")),
            plain: Box::new(plain),
        };
        let mut out = [0; 256];
        let len = (case.ours)(&mut out);
        assert_eq!(out[..len], *(case.plain)().as_bytes(), "{}", case.name);
        case
    }
}

fn scope() -> Scope<'static> {
    Scope::new(TENANT, BlockId::new(BLOCK).expect("a ULID")).expect("no colon")
}

fn cases() -> Vec<Case> {
    let scope = scope();
    let postings = [(21, 3.0), (49, 1.5), (1_101, 1.1)].map(|(len, floor)| {
        let value = "v".repeat(len - "namespace:".len());
        let same = value.clone();
        Case::new(
            format!("postings_{len}"),
            floor,
            move || mimir::PostingsKey::new(scope, black_box("namespace"), black_box(&value)),
            move || plain::postings(TENANT, BLOCK, black_box("namespace"), black_box(&same)),
        )
    });
    let series = Case::new(
        "series",
        3.0,
        move || mimir::SeriesKey::new(scope, black_box(12_345_678)),
        || plain::series(TENANT, BLOCK, black_box(12_345_678)),
    );
    let matchers = MATCHERS.map(|(name, op, value)| match op {
        "=" => Matcher::new(name, MatchOp::Equal, value),
        _ => Matcher::new(name, MatchOp::Regex, value),
    });
    let expanded = Case::new(
        "expanded_postings",
        1.5,
        move || mimir::ExpandedPostingsKey::new(scope, black_box(&matchers), "all"),
        || plain::expanded_postings(TENANT, BLOCK, black_box(&MATCHERS), "all"),
    );
    postings.into_iter().chain([series, expanded]).collect()
}

/// Labels that are all hashed, of one of BLAKE2b's blocks and of two.
fn labels() -> Vec<(&'static str, String)> {
    let count = if is_measured() { BATCH } else { 100 };
    (0..count).map(|i| ("instance", format!("{i:0width$}", width = 30 + i % 113))).collect()
}

fn one_at_a_time(labels: &[(&str, String)], out: &mut [u8]) {
    let scope = scope();
    for (name, value) in labels {
        black_box(mimir::PostingsKey::new(scope, name, value).encode(black_box(out)).is_ok());
    }
}

fn as_batch(labels: &[(&str, String)], batch: &mut KeyBatch) {
    batch.clear();
    let labels = labels.iter().map(|(name, value)| (*name, value.as_str()));
    mimir::PostingsKey::encode_all(scope(), labels, batch).expect("small keys");
    black_box(batch);
}

fn keys(criterion: &mut Criterion) {
    let mut out = [0; 256];
    for mut case in cases() {
        let mut group = criterion.benchmark_group(format!("cache_key/{}", case.name));
        group.bench_function("borrowire", |bencher| {
            bencher.iter(|| (case.ours)(black_box(&mut out)));
        });
        group.bench_function("plain", |bencher| bencher.iter(|| (case.plain)()));
        group.finish();
    }

    let (labels, mut batch) = (labels(), KeyBatch::new());
    as_batch(&labels, &mut batch);
    let plain = labels.iter().map(|(name, value)| plain::postings(TENANT, BLOCK, name, value));
    assert!(batch.iter().eq(plain));
    let mut group = criterion.benchmark_group("cache_key/postings_batch");
    group.throughput(Throughput::Elements(labels.len() as u64));
    group.bench_function("batch", |bencher| bencher.iter(|| as_batch(&labels, &mut batch)));
    group.bench_function("one_at_a_time", |bencher| {
        bencher.iter(|| one_at_a_time(&labels, &mut out));
    });
    group.finish();
}

fn ratios(_: &mut Criterion) {
    if !is_measured() {
        return;
    }
    let mut out = [0; 256];
    for mut case in cases() {
        let [ours, plain] = best([
            &mut || {
                black_box((case.ours)(black_box(&mut out)));
            },
            &mut || drop(black_box((case.plain)())),
        ]);
        let ratio = plain / ours;
        println!("{}: {ratio:.2} times as fast as plain, at least {}", case.name, case.floor);
        println!("  {ours:.1} ns, plain {plain:.1} ns");
    }
    let (labels, mut batch) = (labels(), KeyBatch::new());
    let plain = || {
        for (name, value) in &labels {
            drop(black_box(plain::postings(TENANT, BLOCK, name, value)));
        }
    };
    let [batch, single, plain] = best([
        &mut || as_batch(&labels, &mut batch),
        &mut || one_at_a_time(&labels, &mut out),
        &mut { plain },
    ])
    .map(|total| total / labels.len() as f64);
    let (ratio, to_plain) = (single / batch, plain / batch);
    println!(
        "a batch of {}: {ratio:.2} times as fast as one at a time, at least 2.5",
        labels.len()
    );
    println!("  and {to_plain:.2} times as fast as plain");
    println!("  {batch:.1} ns a key, one at a time {single:.1} ns, plain {plain:.1} ns");
}

/// The best time of each, in nanoseconds, in rounds that take turns.
fn best<const N: usize>(mut runs: [&mut dyn FnMut(); N]) -> [f64; N] {
    const ROUNDS: u32 = 400;
    let mut best = [f64::INFINITY; N];
    for round in 0..ROUNDS {
        for (run, best) in runs.iter_mut().zip(&mut best) {
            // Short ones many times at once, for the clock's sake.
            let repeats = if round == 0 || *best > 100_000.0 { 1 } else { 1_000 };
            let start = Instant::now();
            (0..repeats).for_each(|_| run());
            let took = start.elapsed().as_secs_f64() * 1e9 / f64::from(repeats);
            *best = took.min(*best);
        }
    }
    best
}

/// Whether `cargo bench` runs this to measure; `cargo test --benches` only wants to see that it works.
fn is_measured() -> bool {
    let has = |flag| env::args().any(|argument| argument == flag);
    has("--bench") && !has("--test")
}
