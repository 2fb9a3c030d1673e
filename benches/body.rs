//! Bodies: from the bytes that a client sent to a decoded request. Names are
//! `stage/implementation/payload`.
//!
//! ```text
//! cargo bench --bench body -- small
//! BORROWIRE_PAYLOADS=DIR cargo bench --bench body
//! ```
//!
//! `large` sets a whole request, a snappy block, beside its two parts: snappy alone into a buffer that
//! is there, and decoding alone. `small` sets pooled buffers and codecs beside new ones for each
//! request. Answers are checked before they are timed. At the end the ratios are printed, from the best
//! of many short rounds that take turns: what the machine does besides hits both sides.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the other benchmarks, which use other parts")]
mod peers;

use std::hint::black_box;
use std::io::{Read, Write};
use std::path::Path;
use std::time::{Duration, Instant};
use std::{env, fs};

use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use borrowire::remote_write::v1::WriteRequest;
use borrowire::reuse::Decoder;
use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};

use peers::remote_write_v1::payload;

criterion_group!(benches, large, small, ratios);
criterion_main!(benches);

/// A request as it is sent.
struct Sent {
    name: String,
    encoding: Encoding,
    body: Vec<u8>,
    message: Vec<u8>,
}

impl Sent {
    fn new(name: impl Into<String>, encoding: Encoding, message: &[u8]) -> Self {
        let body = match encoding {
            Encoding::Gzip => {
                let level = flate2::Compression::default();
                let mut encoder = flate2::write::GzEncoder::new(Vec::new(), level);
                encoder.write_all(message).expect("memory");
                encoder.finish().expect("memory")
            }
            Encoding::Zstd => zstd::bulk::compress(message, 3).expect("memory"),
            _ => snap::raw::Encoder::new().compress_vec(message).expect("under 4 GiB"),
        };
        let sent = Self { name: name.into(), encoding, body, message: message.to_vec() };
        let read = BufferPool::new().decompress(&sent.body, encoding, &BodyLimits::new());
        assert!(*read.expect("what was compressed") == *sent.message, "{}", sent.name);
        assert!(fresh(&sent) == sent.message, "{}", sent.name);
        sent
    }
}

/// Requests in snappy blocks: a generated one, and those of `BORROWIRE_PAYLOADS`.
fn large_bodies() -> Vec<Sent> {
    let series = if is_measured() { 10_000 } else { 100 };
    let generated = payload::k8s(series);
    let mut bodies = vec![Sent::new("generated_10k", Encoding::Snappy, &generated)];
    if let Some(directory) = env::var_os("BORROWIRE_PAYLOADS") {
        let entries = fs::read_dir(Path::new(&directory)).expect("a directory");
        let mut paths: Vec<_> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.sort();
        for path in paths {
            let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with("rw1") {
                let message = fs::read(&path).expect("a file");
                bodies.push(Sent::new(name, Encoding::Snappy, &message));
            }
        }
    }
    bodies
}

/// Requests of 1 to 20 kB, and captured ones as they were sent: 2 kB, which are 8 and 18 kB.
fn small_bodies() -> Vec<Sent> {
    let mut bodies = Vec::new();
    for encoding in [Encoding::Gzip, Encoding::Zstd] {
        for (name, series) in [("1kB", 3), ("5kB", 16), ("20kB", 62)] {
            bodies.push(Sent::new(format!("{encoding}_{name}"), encoding, &payload::k8s(series)));
        }
    }
    for (encoding, set, number) in
        [(Encoding::Gzip, "fluentbit-rw1-gzip", 5), (Encoding::Zstd, "vmagent1150-zstd", 7)]
    {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures");
        let body = fs::read(format!("{folder}/{set}/{set}-{number:03}.body")).expect("a fixture");
        let read = BufferPool::new().decompress(&body, encoding, &BodyLimits::new());
        let message = read.expect("a body of a client").to_vec();
        let sent = Sent { name: format!("{encoding}_captured"), encoding, body, message };
        assert!(fresh(&sent) == sent.message, "{}", sent.name);
        bodies.push(sent);
    }
    bodies
}

/// As one writes it without a pool.
fn fresh(sent: &Sent) -> Vec<u8> {
    let mut message = Vec::new();
    let read = match sent.encoding {
        Encoding::Gzip => {
            flate2::bufread::MultiGzDecoder::new(&sent.body[..]).read_to_end(&mut message)
        }
        Encoding::Zstd => zstd::stream::read::Decoder::with_buffer(&sent.body[..])
            .and_then(|mut decoder| decoder.read_to_end(&mut message)),
        _ => {
            let decoded = snap::raw::Decoder::new().decompress_vec(&sent.body);
            return decoded.expect("checked before");
        }
    };
    read.expect("checked before");
    message
}

fn large(criterion: &mut Criterion) {
    let mut group = group(criterion, "large");
    for sent in large_bodies() {
        let Sent { name, body, message, .. } = &sent;
        group.throughput(Throughput::Bytes(message.len() as u64));
        let limits = BodyLimits::new();
        group.bench_function(BenchmarkId::new("body_and_decode", name), |bencher| {
            let pool = BufferPool::new();
            let mut decoder = Decoder::<WriteRequest<'_>>::new();
            bencher.iter(|| whole(&pool, &mut decoder, black_box(body), &limits));
        });
        group.bench_function(BenchmarkId::new("snap_alone", name), |bencher| {
            let mut buffer = vec![0; message.len()];
            bencher.iter(|| snap_alone(black_box(body), &mut buffer));
        });
        group.bench_function(BenchmarkId::new("decode_alone", name), |bencher| {
            let mut decoder = Decoder::<WriteRequest<'_>>::new();
            bencher.iter(|| decode_alone(&mut decoder, black_box(message)));
        });
    }
    group.finish();
}

fn whole(
    pool: &BufferPool,
    decoder: &mut Decoder<WriteRequest<'static>>,
    sent: &[u8],
    limits: &BodyLimits,
) {
    let body = pool.decompress(sent, Encoding::Snappy, limits).expect("checked before");
    black_box(&*decoder.decode(&body).expect("a request"));
}

fn snap_alone(sent: &[u8], buffer: &mut [u8]) {
    let len = snap::raw::Decoder::new().decompress(sent, buffer).expect("checked before");
    black_box((len, buffer));
}

fn decode_alone(decoder: &mut Decoder<WriteRequest<'static>>, message: &[u8]) {
    black_box(&*decoder.decode(message).expect("a request"));
}

fn small(criterion: &mut Criterion) {
    let mut group = group(criterion, "small");
    for sent in small_bodies() {
        group.throughput(Throughput::Bytes(sent.message.len() as u64));
        group.bench_function(BenchmarkId::new("pool", &sent.name), |bencher| {
            let pool = BufferPool::new();
            bencher.iter(|| pooled(&pool, black_box(&sent)));
        });
        group.bench_function(BenchmarkId::new("fresh", &sent.name), |bencher| {
            bencher.iter(|| fresh(black_box(&sent)));
        });
    }
    group.finish();
}

fn pooled(pool: &BufferPool, sent: &Sent) {
    let encodings = Encodings::new(sent.encoding);
    black_box(
        &*pool.decompress(&sent.body, encodings, &BodyLimits::new()).expect("checked before"),
    );
}

fn ratios(_: &mut Criterion) {
    if !is_measured() {
        return;
    }
    let limits = BodyLimits::new();
    for sent in large_bodies() {
        let pool = BufferPool::new();
        let (mut one, mut other) =
            (Decoder::<WriteRequest<'_>>::new(), Decoder::<WriteRequest<'_>>::new());
        let mut buffer = vec![0; sent.message.len()];
        let [whole, snap, decode] = best([
            &mut || whole(&pool, &mut one, &sent.body, &limits),
            &mut || snap_alone(&sent.body, &mut buffer),
            &mut || decode_alone(&mut other, &sent.message),
        ]);
        let ratio = whole.as_secs_f64() / (snap + decode).as_secs_f64();
        println!("{}: body and decode take {ratio:.3} of snappy and decode alone", sent.name);
        println!("  {whole:.1?}, snappy {snap:.1?}, decode {decode:.1?}");
    }
    for sent in small_bodies() {
        let pool = BufferPool::new();
        let [pool, fresh] = best([&mut || pooled(&pool, &sent), &mut || {
            black_box(fresh(&sent));
        }]);
        let ratio = fresh.as_secs_f64() / pool.as_secs_f64();
        let (sent_len, len) = (sent.body.len(), sent.message.len());
        println!("{}, {sent_len} bytes of {len}: {ratio:.2} times as fast as fresh", sent.name);
        println!("  {pool:.2?}, fresh {fresh:.2?}");
    }
}

/// The best time of each, in rounds that take turns.
fn best<const N: usize>(mut runs: [&mut dyn FnMut(); N]) -> [Duration; N] {
    const ROUNDS: u32 = 400;
    let mut best = [Duration::MAX; N];
    for round in 0..ROUNDS {
        for (run, best) in runs.iter_mut().zip(&mut best) {
            // Short ones several times at once, for the clock's sake.
            let repeats = if round == 0 || *best > Duration::from_micros(100) { 1 } else { 20 };
            let start = Instant::now();
            (0..repeats).for_each(|_| run());
            *best = (start.elapsed() / repeats).min(*best);
        }
    }
    best
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> BenchmarkGroup<'a, WallTime> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    group
}

/// Whether `cargo bench` runs this to measure; `cargo test --benches` only wants to see that it
/// works.
fn is_measured() -> bool {
    let has = |flag| env::args().any(|argument| argument == flag);
    has("--bench") && !has("--test")
}
