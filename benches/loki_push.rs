//! Loki push: this crate beside prost and quick-protobuf. Names are
//! `stage/implementation/payload`.
//!
//! ```text
//! cargo bench --bench loki_push -- decode_reused
//! BORROWIRE_PAYLOADS=DIR cargo bench --bench loki_push
//! ```
//!
//! Payloads are generated, and the `loki_push*` files of `BORROWIRE_PAYLOADS`, each a raw protobuf
//! message. All implementations must agree on a payload before it is timed.

#![allow(missing_docs, reason = "criterion's macros make public items")]

#[allow(dead_code, reason = "shared with the throughput example, which uses other parts")]
mod peers;
mod stages;

use std::hint::black_box;

use borrowire::loki::PushRequestDecoder;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

use peers::Peer;
use peers::loki_push::{Borrowire, ProstBytes, ProstString, QuickProtobuf, check_all, payload};
use stages::{Group, Payload, decode, encode, encoded_len, group};

criterion_group!(benches, all_stages);
criterion_main!(benches);

fn all_stages(criterion: &mut Criterion) {
    let payloads = stages::payloads(payload::all(), "loki_push");
    for payload in &payloads {
        if let Err(error) = check_all(&payload.body) {
            panic!("{}: {error}", payload.name);
        }
    }

    let mut decode_reused = group(criterion, "push_decode_reused");
    for payload in &payloads {
        reused(&mut decode_reused, payload);
        // Without reuse, a plain decode is the best they can do.
        decode::<ProstString>(&mut decode_reused, payload);
        decode::<ProstBytes>(&mut decode_reused, payload);
        decode::<QuickProtobuf>(&mut decode_reused, payload);
        stages::copy(&mut decode_reused, &payload.name, &payload.body);
    }
    decode_reused.finish();

    let mut measure = group(criterion, "push_encoded_len");
    for payload in &payloads {
        encoded_len::<Borrowire>(&mut measure, payload);
        encoded_len::<ProstString>(&mut measure, payload);
        encoded_len::<ProstBytes>(&mut measure, payload);
        encoded_len::<QuickProtobuf>(&mut measure, payload);
    }
    measure.finish();

    let mut write = group(criterion, "push_encode");
    for payload in &payloads {
        encode::<Borrowire>(&mut write, payload);
        encode::<ProstString>(&mut write, payload);
        encode::<ProstBytes>(&mut write, payload);
        encode::<QuickProtobuf>(&mut write, payload);
    }
    write.finish();
}

fn reused(group: &mut Group<'_>, Payload { name, body }: &Payload) {
    group.throughput(Throughput::Bytes(body.len() as u64));
    group.bench_function(BenchmarkId::new(Borrowire::NAME, name), |bencher| {
        let mut decoder = PushRequestDecoder::new();
        bencher.iter(|| {
            let request = decoder.decode(black_box(body)).expect("checked before");
            black_box(&*request);
        });
    });
}
