//! Records of Kafka and the partition ring: what they cost beside what is done anyway. Names are
//! `stage/implementation/payload`.
//!
//! ```text
//! cargo bench --bench kafka
//! ```
//!
//! `record` is a decoded request of 1.0 to the values of records, beside encoding it as 1.0. At the end their
//! ratios are printed, from the best of many rounds that take turns, with a look-up in rings of many sizes.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the other benchmarks, which use other parts")]
mod peers;
#[allow(dead_code, reason = "shared with the other benchmarks")]
mod stages;

use std::hint::black_box;
use std::time::{Duration, Instant};

use borrowire::Encode;
use borrowire::kafka::{MimirVersion, MimirWriter, PartitionRing};
use borrowire::remote_write::MimirTokens;
use borrowire::remote_write::v1::WriteRequest;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use peers::random::Random;
use peers::remote_write_v1::payload;
use stages::group;

criterion_group!(benches, records, look_ups, ratios);
criterion_main!(benches);

const VERSIONS: [(&str, MimirVersion, bool); 3] = [
    ("v1-raw", MimirVersion::V1, true),
    ("v1", MimirVersion::V1, false),
    ("v2", MimirVersion::V2, false),
];

fn writer(version: MimirVersion, raw: bool) -> MimirWriter {
    MimirWriter::new(version).with_raw_records(raw)
}

fn records(criterion: &mut Criterion) {
    let made = [("10k".to_owned(), payload::k8s(10_000))];
    let mut group = group(criterion, "record");
    for payload in &stages::payloads(made.into_iter(), "rw1") {
        let request = WriteRequest::decode(&payload.body).expect("a good body");
        group.throughput(Throughput::Bytes(payload.body.len() as u64));
        let mut memory = Vec::new();
        for (name, version, raw) in VERSIONS {
            let mut writer = writer(version, raw);
            group.bench_function(BenchmarkId::new(name, &payload.name), |bencher| {
                bencher.iter(|| {
                    let records = writer.encode("tenant", black_box(&request), &mut memory);
                    black_box(records.expect("small").len())
                });
            });
        }
        let ring = PartitionRing::with_active(64).expect("few");
        let (tokens, mut writer) = (MimirTokens::new("tenant"), writer(MimirVersion::V2, false));
        let mut keys = Vec::new();
        group.bench_function(BenchmarkId::new("v2-64-partitions", &payload.name), |bencher| {
            bencher.iter(|| {
                tokens.tokens(black_box(&request), &mut keys);
                let partition = |at: usize| ring.partition_for_key(keys[at]).unwrap_or(0);
                let records =
                    writer.prepare(&request).encode_by_position("tenant", &mut memory, partition);
                black_box(records.expect("small").len())
            });
        });
        let mut out = vec![0; 2 * payload.body.len()];
        group.bench_function(BenchmarkId::new("encode-1.0", &payload.name), |bencher| {
            bencher.iter(|| black_box(&request).encode(&mut out));
        });
    }
    group.finish();
}

fn keys() -> Vec<u32> {
    let mut random = Random(7);
    (0..4096).map(|_| (random.next() >> 16) as u32).collect()
}

fn look_ups(criterion: &mut Criterion) {
    let keys = keys();
    let mut group = group(criterion, "ring");
    for partitions in [10, 100, 1000] {
        let ring = PartitionRing::with_active(partitions).expect("few");
        group.throughput(Throughput::Elements(keys.len() as u64));
        group.bench_function(BenchmarkId::new("partition_for_key", partitions), |bencher| {
            bencher.iter(|| look_up(&ring, black_box(&keys)));
        });
        group.bench_function(BenchmarkId::new("shuffle_shard_3", partitions), |bencher| {
            bencher.iter(|| black_box(ring.shuffle_shard(black_box("tenant"), 3)));
        });
    }
    group.finish();
}

fn look_up(ring: &PartitionRing, keys: &[u32]) -> u32 {
    keys.iter().fold(0, |sum, &key| sum.wrapping_add(ring.partition_for_key(key).unwrap_or(0)))
}

/// A stage, by name.
type Stage<'s> = (String, Box<dyn FnMut() + 's>);

/// The best of rounds that take turns.
fn best(mut stages: Vec<Stage<'_>>) -> Vec<(String, Duration)> {
    let mut best = vec![Duration::MAX; stages.len()];
    for _ in 0..60 {
        for (stage, best) in stages.iter_mut().zip(&mut best) {
            let start = Instant::now();
            stage.1();
            *best = start.elapsed().min(*best);
        }
    }
    stages.into_iter().map(|stage| stage.0).zip(best).collect()
}

fn ratios(_: &mut Criterion) {
    let made = [("10k".to_owned(), payload::k8s(10_000))];
    for payload in &stages::payloads(made.into_iter(), "rw1") {
        let request = &WriteRequest::decode(&payload.body).expect("a good body");
        let mut out = vec![0; 2 * payload.body.len()];
        let mut rows: Vec<Stage<'_>> = vec![(
            "encode 1.0".to_owned(),
            Box::new(|| _ = black_box(request.encode(&mut out).expect("it fits"))),
        )];
        for (name, version, raw) in VERSIONS {
            let (mut writer, mut memory) = (writer(version, raw), Vec::new());
            let encode = move || {
                let records = writer.encode("tenant", request, &mut memory);
                _ = black_box(records.expect("small").len());
            };
            rows.push((name.to_owned(), Box::new(encode)));
        }
        let rows = best(rows);
        let encode = rows[0].1.as_secs_f64();
        for (name, time) in &rows {
            let ratio = time.as_secs_f64() / encode;
            println!("{:>12} {name:>12} {time:>10.1?}, {ratio:.2} of encoding 1.0", payload.name);
        }
    }
    let keys = keys();
    for partitions in [10, 100, 1000] {
        let ring = PartitionRing::with_active(partitions).expect("few");
        let stage: Stage<'_> = (String::new(), Box::new(|| _ = black_box(look_up(&ring, &keys))));
        let time = best(vec![stage])[0].1;
        let each = time.as_secs_f64() * 1e9 / keys.len() as f64;
        println!("{partitions:>12} partitions: {each:.1} ns a look-up");
    }
}
