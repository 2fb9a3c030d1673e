//! Remote write 2.0: this crate beside prost and quick-protobuf, and both versions of remote write with
//! the same series. Names are `stage/implementation/payload`.
//!
//! ```text
//! cargo bench --bench remote_write_v2 -- versions
//! BORROWIRE_PAYLOADS=DIR cargo bench --bench remote_write_v2
//! ```
//!
//! Payloads are generated, captured (`tests/fixtures`), and the `rw2*` files of `BORROWIRE_PAYLOADS`, each
//! a raw protobuf message. All implementations must agree on a payload before it is timed.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the throughput example, which uses other parts")]
mod peers;
#[allow(dead_code, reason = "shared with the other benches, which use other parts")]
mod stages;

use std::hint::black_box;

use borrowire::remote_write::v1::WriteRequestDecoder;
use borrowire::remote_write::v2::RequestDecoder;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use peers::remote_write_v2::{
    Borrowire, ProstBytes, ProstString, QuickProtobuf, check_all, payload,
};
use peers::{Peer, remote_write_v1};
use stages::{Group, Payload, decode, encode, group};

criterion_group!(benches, all_stages, versions);
criterion_main!(benches);

fn all_stages(criterion: &mut Criterion) {
    let payloads = stages::payloads(payload::all(), "rw2");
    for payload in &payloads {
        if let Err(error) = check_all(&payload.body) {
            panic!("{}: {error}", payload.name);
        }
    }
    let mut reused = group(criterion, "v2_decode_reused");
    for payload in &payloads {
        decode_reused(&mut reused, payload);
        stages::copy(&mut reused, &payload.name, &payload.body);
    }
    reused.finish();

    let mut decode_fresh = group(criterion, "v2_decode_fresh");
    for payload in &payloads {
        decode::<Borrowire>(&mut decode_fresh, payload);
        decode::<ProstString>(&mut decode_fresh, payload);
        decode::<ProstBytes>(&mut decode_fresh, payload);
        decode::<QuickProtobuf>(&mut decode_fresh, payload);
    }
    decode_fresh.finish();

    let mut write = group(criterion, "v2_encode");
    for payload in &payloads {
        encode::<Borrowire>(&mut write, payload);
        encode::<ProstString>(&mut write, payload);
        encode::<ProstBytes>(&mut write, payload);
        encode::<QuickProtobuf>(&mut write, payload);
    }
    write.finish();
}

/// Only this crate reuses storage; for the others see `v2_decode_fresh`.
fn decode_reused(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function(BenchmarkId::new(Borrowire::NAME, name), |bencher| {
        let mut decoder = RequestDecoder::new();
        bencher.iter(|| {
            let request = decoder.decode(black_box(body)).expect("checked before");
            black_box(&*request);
        });
    });
}

/// The same series in both versions.
fn versions(criterion: &mut Criterion) {
    const SERIES: usize = 10_000;
    let old = remote_write_v1::payload::k8s(SERIES);
    let new = payload::k8s(SERIES);
    let (mut old_decoder, mut new_decoder) = (WriteRequestDecoder::new(), RequestDecoder::new());
    {
        let (old, new) = (old_decoder.decode(&old), new_decoder.decode(&new));
        let (old, new) = (old.expect("valid"), new.expect("valid"));
        let same = old
            .timeseries()
            .iter()
            .zip(new.timeseries())
            .all(|(old, new)| old.labels() == new.labels() && old.samples() == new.samples());
        assert!(same && old.timeseries().len() == new.timeseries().len());
    }
    let mut group = group(criterion, "versions");
    group.throughput(Throughput::Elements(SERIES as u64));
    group.bench_function("decode_reused/1.0", |bencher| {
        bencher.iter(|| {
            let request = old_decoder.decode(black_box(&old)).expect("decoded before");
            black_box(&*request);
        });
    });
    group.bench_function("decode_reused/2.0", |bencher| {
        bencher.iter(|| {
            let request = new_decoder.decode(black_box(&new)).expect("decoded before");
            black_box(&*request);
        });
    });
    group.finish();
}
