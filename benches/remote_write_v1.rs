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
mod stages;

use std::cell::LazyCell;
use std::env;
use std::hint::black_box;

use borrowire::Encode;
use borrowire::remote_write::v1::{WriteRequest, WriteRequestDecoder};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use peers::Peer;
use peers::remote_write_v1::{
    Borrowire, ProstBytes, ProstString, QuickProtobuf, check_all, payload,
};
use stages::{Group, Payload, decode, encode, encoded_len, group};

criterion_group!(benches, all_stages, cost_per_series);
criterion_main!(benches);

fn all_stages(criterion: &mut Criterion) {
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
        stages::copy(group, name, body);
    }
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

fn payloads() -> Vec<Payload> {
    stages::payloads(payload::all(), "rw1")
}

/// Whether `cargo bench` runs this to measure; `cargo test --benches` only wants to see that it
/// works.
fn is_measured() -> bool {
    let has = |flag| env::args().any(|argument| argument == flag);
    has("--bench") && !has("--test")
}
