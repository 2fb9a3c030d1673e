//! Remote write 1.0: this crate beside prost and quick-protobuf. Names are
//! `stage/implementation/payload`.
//!
//! ```text
//! cargo bench --bench remote_write_v1 -- decode_reused/borrowire
//! BORROWIRE_PAYLOADS=DIR cargo bench --bench remote_write_v1
//! ```
//!
//! Payloads are generated, captured (`tests/fixtures`), and the `rw1*` files of
//! `BORROWIRE_PAYLOADS`, each a raw protobuf message. All implementations must agree on a payload
//! before it is timed.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the throughput example, which uses other parts")]
mod peers;

use std::cell::LazyCell;
use std::hint::black_box;
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use borrowire::Encode;
use borrowire::remote_write::v1::{WriteRequest, WriteRequestDecoder};
use bytes::Bytes;
use criterion::measurement::WallTime;
use criterion::{
    BenchmarkGroup, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main,
};

use peers::Peer;
use peers::remote_write_v1::{
    Borrowire, ProstBytes, ProstString, QuickProtobuf, check_all, payload,
};

criterion_group!(benches, stages, cost_per_series);
criterion_main!(benches);

type Group<'a> = BenchmarkGroup<'a, WallTime>;

struct Payload {
    name: String,
    body: Bytes,
}

fn stages(criterion: &mut Criterion) {
    let payloads = payloads();
    for payload in &payloads {
        if let Err(error) = check_all(&payload.body) {
            panic!("{}: {error}", payload.name);
        }
    }
    decode_reused(&mut group(criterion, "decode_reused"), &payloads);

    let mut decode_fresh = group(criterion, "decode_fresh");
    for payload in &payloads {
        decode::<Borrowire>(&mut decode_fresh, payload);
        decode::<ProstString>(&mut decode_fresh, payload);
        decode::<ProstBytes>(&mut decode_fresh, payload);
        decode::<QuickProtobuf>(&mut decode_fresh, payload);
    }
    decode_fresh.finish();

    let mut measure = group(criterion, "encoded_len");
    for payload in &payloads {
        encoded_len::<Borrowire>(&mut measure, payload);
        encoded_len::<ProstString>(&mut measure, payload);
        encoded_len::<ProstBytes>(&mut measure, payload);
        encoded_len::<QuickProtobuf>(&mut measure, payload);
    }
    measure.finish();

    let mut write = group(criterion, "encode");
    for payload in &payloads {
        encode::<Borrowire>(&mut write, payload);
        encode::<ProstString>(&mut write, payload);
        encode::<ProstBytes>(&mut write, payload);
        encode::<QuickProtobuf>(&mut write, payload);
    }
    write.finish();
}

/// Only this crate reuses storage; for the others see `decode_fresh`. The copy is the yardstick.
fn decode_reused(group: &mut Group<'_>, payloads: &[Payload]) {
    for Payload { name, body } in payloads {
        group.throughput(Throughput::Bytes(body.len() as u64));
        group.bench_function(BenchmarkId::new(Borrowire::NAME, name), |bencher| {
            let mut decoder = WriteRequestDecoder::new();
            bencher.iter(|| {
                let request = decoder.decode(black_box(body)).expect("checked before");
                black_box(&*request);
            });
        });
        group.bench_function(BenchmarkId::new("copy", name), |bencher| {
            let mut buffer = vec![0; body.len()];
            bencher.iter(|| {
                buffer.copy_from_slice(black_box(body));
                black_box(&mut buffer);
            });
        });
    }
}

fn decode<P: Peer>(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function(BenchmarkId::new(P::NAME, name), |bencher| {
        bencher.iter(|| P::decode(black_box(body)).expect("checked before"));
    });
}

fn encoded_len<P: Peer>(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let request = P::decode(body).expect("checked before");
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function(BenchmarkId::new(P::NAME, name), |bencher| {
        bencher.iter(|| P::encoded_len(black_box(&request)));
    });
}

fn encode<P: Peer>(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let request = P::decode(body).expect("checked before");
    let mut buffer = vec![0; P::encoded_len(&request) + 4096];
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function(BenchmarkId::new(P::NAME, name), |bencher| {
        bencher.iter(|| {
            let written = P::encode(black_box(&request), &mut buffer);
            black_box(&mut buffer);
            written
        });
    });
}

/// The time per series should not grow with their number.
fn cost_per_series(criterion: &mut Criterion) {
    let largest = if is_measured() { 1_000_000 } else { 1_000 };
    let mut group = group(criterion, "per_series");
    for series in [100, 1_000, 10_000, 100_000, 1_000_000] {
        if series > largest {
            break;
        }
        group.throughput(Throughput::Elements(series as u64));
        // Made when a filter lets the benchmark run: a million series are 320 MB.
        let body = LazyCell::new(|| payload::k8s(series));
        let mut decoder = WriteRequestDecoder::new();
        group.bench_function(BenchmarkId::new("decode_reused", series), |bencher| {
            let body = &*body;
            assert_eq!(decoder.decode(body).expect("valid").timeseries().len(), series);
            bencher.iter(|| {
                let request = decoder.decode(black_box(body)).expect("decoded before");
                black_box(&*request);
            });
        });
        drop(decoder);

        let mut decoded = None;
        group.bench_function(BenchmarkId::new("encode", series), |bencher| {
            let (request, buffer) = decoded.get_or_insert_with(|| {
                let request = WriteRequest::decode(&body).expect("valid");
                let buffer = vec![0; request.encoded_len()];
                (request, buffer)
            });
            bencher.iter(|| {
                let written = request.encode(buffer).expect("it fits");
                black_box(&mut *buffer);
                written
            });
        });
    }
    group.finish();
}

fn group<'a>(criterion: &'a mut Criterion, name: &str) -> Group<'a> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    group
}

fn payloads() -> Vec<Payload> {
    let mut payloads: Vec<_> = payload::all().map(|(name, body)| Payload { name, body }).collect();
    if let Some(directory) = env::var_os("BORROWIRE_PAYLOADS") {
        payloads.extend(files(Path::new(&directory)));
    }
    payloads
}

fn files(directory: &Path) -> Vec<Payload> {
    let entries =
        fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut payloads = Vec::new();
    for path in entries.map(|entry| entry.expect("a readable directory").path()) {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with("rw1") {
            let body =
                fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            payloads.push(Payload { name: name.into(), body: body.into() });
        }
    }
    payloads.sort_by(|one, other| one.name.cmp(&other.name));
    payloads
}

/// Whether `cargo bench` runs this to measure; `cargo test --benches` only wants to see that it
/// works.
fn is_measured() -> bool {
    let has = |flag| env::args().any(|argument| argument == flag);
    has("--bench") && !has("--test")
}
