//! Tokens, splitting, relabelling and merging: 10,000 series, as a distributor sends them on. Names are
//! `stage/implementation/payload`.
//!
//! ```text
//! cargo bench --bench shard -- split16
//! BORROWIRE_PAYLOADS=DIR cargo bench --bench shard
//! ```
//!
//! `split16` and `merge100` are what comes on top of decoding, beside a copy of the same bytes.
//! `split16_total` is all of it, beside prost: decode, partition, encode.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the other benchmarks, which use other parts")]
mod peers;
#[allow(dead_code, reason = "shared with the other benches")]
mod stages;

use std::hint::black_box;

use borrowire::Encode;
use borrowire::remote_write::v1::{Relabeler, WriteRequest};
use borrowire::remote_write::v2::Request;
use borrowire::remote_write::{MimirTokens, ThanosTokens};
use borrowire::reuse::Decoder;
use borrowire::shard::{Merger, Splitter, StableTokens};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use peers::Peer;
use peers::random::Random;
use peers::remote_write_v1::shard::{self, ProstSplit};
use peers::remote_write_v1::{Borrowire, ProstString, payload};
use peers::split::{SHARDS, Split, TENANT, fnv1_tokens};
use stages::{Group, Payload, copy, group};

type Stage = fn(&mut Group<'_>, &Payload);

criterion_group!(benches, all_stages);
criterion_main!(benches);

fn all_stages(criterion: &mut Criterion) {
    let made = [("10k".to_owned(), payload::k8s(10_000))];
    let payloads = stages::payloads(made.into_iter(), "rw1");
    for payload in &payloads {
        if let Err(error) = shard::check(&payload.body) {
            panic!("{}: {error}", payload.name);
        }
    }
    let stages: [(&str, Stage); 5] = [
        ("token", token),
        ("split16", split16),
        ("split16_total", split16_total),
        ("relabel", relabel),
        ("merge100", merge100),
    ];
    for (name, stage) in stages {
        let mut group = group(criterion, name);
        for payload in &payloads {
            group.throughput(Throughput::Bytes(payload.body.len() as u64));
            stage(&mut group, payload);
        }
        group.finish();
    }

    let made = [("10k".to_owned(), peers::remote_write_v2::payload::k8s(10_000))];
    let mut group = group(criterion, "split16_v2");
    for payload in &stages::payloads(made.into_iter(), "rw2") {
        group.throughput(Throughput::Bytes(payload.body.len() as u64));
        split16_v2(&mut group, payload);
    }
    group.finish();
}

fn token(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let request = WriteRequest::decode(body).expect("checked before");
    let (mut tokens, mut long_tokens) = (Vec::new(), Vec::new());
    group.bench_function(BenchmarkId::new("mimir", name), |bencher| {
        let mimir = MimirTokens::new(TENANT);
        bencher.iter(|| mimir.tokens(black_box(&request), black_box(&mut tokens)));
    });
    group.bench_function(BenchmarkId::new("mimir-byte-by-byte", name), |bencher| {
        bencher.iter(|| fnv1_tokens(black_box(&request), black_box(&mut tokens)));
    });
    group.bench_function(BenchmarkId::new("stable", name), |bencher| {
        let stable = StableTokens::new(TENANT);
        bencher.iter(|| stable.tokens(black_box(&request), black_box(&mut long_tokens)));
    });
    group.bench_function(BenchmarkId::new("thanos", name), |bencher| {
        let thanos = ThanosTokens::new(TENANT);
        bencher.iter(|| {
            long_tokens.clear();
            let series = black_box(&request).timeseries().iter();
            long_tokens.extend(series.map(|series| thanos.series(series.labels())));
            black_box(&long_tokens);
        });
    });
}

/// Shards that are known: as a rule they come from tokens.
fn split16(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let request = WriteRequest::decode(body).expect("checked before");
    let records = request.timeseries().len() + request.metadata().len();
    let mut random = Random(16);
    let shards: Vec<u32> = (0..records).map(|_| random.next() as u32 % SHARDS).collect();
    let mut splitter = Splitter::new();
    let mut out = vec![0; body.len() + 4096];
    group.bench_function(BenchmarkId::new(Borrowire::NAME, name), |bencher| {
        bencher.iter(|| {
            let mut split = splitter.split_by_position(black_box(&request), |at| shards[at]);
            let written = split.encode_all(&mut out).expect("it fits");
            black_box(&mut out);
            written
        });
    });
    group.bench_function(BenchmarkId::new("borrowire-part-by-part", name), |bencher| {
        bencher.iter(|| {
            let mut split = splitter.split_by_position(black_box(&request), |at| shards[at]);
            let mut rest = &mut out[..];
            for (_, part) in split.parts() {
                let (slot, behind) = rest.split_at_mut(part.encoded_len());
                part.encode(slot).expect("it fits");
                rest = behind;
            }
            black_box(&mut out);
        });
    });
    copy(group, name, body);
}

/// References numbered anew, each part with the symbols that it uses.
fn split16_v2(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let request = Request::decode(body).expect("a request");
    let mut random = Random(16);
    let series = request.timeseries().len();
    let shards: Vec<u32> = (0..series).map(|_| random.next() as u32 % SHARDS).collect();
    let mut splitter = Splitter::new();
    let mut out = Vec::new();
    let mut run = |out: &mut Vec<u8>| {
        let mut split = splitter.split_by_position(black_box(&request), |at| shards[at]);
        let mut series = 0;
        for (_, part) in split.parts() {
            out.clear();
            part.append_to_vec(out).expect("it is small");
            series += part.records_len();
        }
        series
    };
    assert_eq!(run(&mut out), series);
    group.bench_function(BenchmarkId::new(Borrowire::NAME, name), |bencher| {
        bencher.iter(|| run(&mut out));
    });
    copy(group, name, body);
}

fn split16_total(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let mut split = Split::<WriteRequest<'_>>::default();
    group.bench_function(BenchmarkId::new(Borrowire::NAME, name), |bencher| {
        bencher.iter(|| split.run(black_box(body)));
    });
    let mut split = ProstSplit::default();
    group.bench_function(BenchmarkId::new(ProstString::NAME, name), |bencher| {
        bencher.iter(|| split.run(black_box(body)));
    });
}

/// One label more for every series, one series in ten dropped: beside decoding, editing and encoding.
fn relabel(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let mut decoder = Decoder::<WriteRequest<'_>>::new();
    let mut relabeler = Relabeler::new();
    let mut out = vec![0; body.len() * 2 + 4096];
    for (touched, every) in [("all", 1), ("one-in-ten", 10)] {
        let request = decoder.decode(body).expect("checked before");
        group.bench_function(BenchmarkId::new(format!("borrowire-{touched}"), name), |bencher| {
            bencher.iter(|| {
                let mut at = 0_usize;
                let relabeled = relabeler.relabel(black_box(&request), |_, labels| {
                    at += 1;
                    if at.is_multiple_of(every) {
                        labels.set("cluster", "eu-1");
                    }
                    at % 10 != 5
                });
                let written = relabeled.encode(&mut out).expect("it fits");
                black_box(&mut out);
                written
            });
        });
    }
}

/// The series of the payload in a hundred requests.
fn merge100(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    let request = WriteRequest::decode(body).expect("checked before");
    let series = request.timeseries().len();
    let bodies: Vec<Vec<u8>> = (0..100)
        .map(|part| {
            let indexes = part * series / 100..(part + 1) * series / 100;
            indexes.filter_map(|at| request.raw_timeseries(at)).flatten().copied().collect()
        })
        .collect();
    let mut out = vec![0; body.len()];
    let mut merger = Merger::<WriteRequest<'_>>::new();
    group.bench_function(BenchmarkId::new(Borrowire::NAME, name), |bencher| {
        bencher.iter(|| {
            merger = std::mem::take(&mut merger).recycle();
            let bodies = black_box(&bodies).iter().map(|body| &body[..]);
            merger.extend(bodies).expect("checked before");
            let written = merger.encode(&mut out).expect("it fits");
            black_box(&mut out);
            written
        });
    });
    group.bench_function(BenchmarkId::new("copy", name), |bencher| {
        bencher.iter(|| {
            let mut rest = &mut out[..];
            for body in black_box(&bodies) {
                let (slot, behind) = rest.split_at_mut(body.len());
                slot.copy_from_slice(body);
                rest = behind;
            }
            black_box(&mut out);
        });
    });
}
