//! Heap blocks and bytes for each stage after warm-up: this crate beside prost.
//!
//! ```text
//! cargo bench --bench heap
//! CARGO_PROFILE_BENCH_DEBUG=true cargo bench --bench heap    # with line numbers in the profile
//! ```
//!
//! Leaves `target/tmp/dhat-heap.json` for dhat's viewer (`dhat/dh_view.html` of valgrind).

#[allow(dead_code, reason = "shared with the other benchmarks, which use other parts")]
mod peers;

use std::env;
use std::hint::black_box;
use std::path::Path;
use std::sync::Arc;

use borrowire::Encode;
use borrowire::remote_write::Rules;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::reuse::{Decoder, Pool};
use bytes::Bytes;
use dhat::HeapStats;

use peers::remote_write_v1::{ProstString, check_all, payload};
use peers::{Digest, Peer};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

/// Enough to warm up, and for storage to have found its size.
const WARM_UP: u64 = 2;
const RUNS: u64 = 4;

fn main() {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("dhat-heap.json");
    let profiler = dhat::Profiler::builder().file_name(&path).build();

    // `cargo test --benches` only wants to see that it works.
    let has = |flag| env::args().any(|argument| argument == flag);
    let series = if has("--bench") && !has("--test") { 10_000 } else { 10 };
    let body = payload::k8s(series);
    let content = check_all(&body).expect("all read the same");
    print_table(&body, &content);
    drop(profiler); // writes the profile and tells where it is
}

fn print_table(body: &Bytes, content: &Digest) {
    println!();
    println!(
        "Heap use of one operation after warm-up: {} series, {} labels, {} samples, {} bytes.",
        content.series,
        content.labels,
        content.samples,
        body.len()
    );
    println!();
    println!(
        "| {:<13} | {:>16} | {:>15} | {:>12} | {:>11} |",
        "", "borrowire blocks", "borrowire bytes", "prost blocks", "prost bytes"
    );
    println!("|{:-<15}|{:->17}:|{:->16}:|{:->13}:|{:->12}:|", "", "", "", "", "");
    for ((stage, ours), prost) in of_borrowire(body).into_iter().zip(of_prost(body)) {
        let prost = prost.map(|usage| [usage.blocks.to_string(), usage.bytes.to_string()]);
        let [prost_blocks, prost_bytes] = prost.unwrap_or_else(|| ["-".into(), "-".into()]);
        println!(
            "| {stage:<13} | {:>16} | {:>15} | {prost_blocks:>12} | {prost_bytes:>11} |",
            ours.blocks, ours.bytes
        );
    }
}

fn of_borrowire(body: &Bytes) -> [(&'static str, Usage); 6] {
    let mut decoder = Decoder::<WriteRequest<'_>>::new();
    let pool = Arc::new(Pool::<WriteRequest<'_>>::new());
    let request = WriteRequest::decode(body).expect("checked before");
    let mut buffer = vec![0; request.encoded_len()];
    let rules = Rules::new();
    [
        ("decode_fresh", usage(|| WriteRequest::decode(body).expect("checked before"))),
        (
            "decode_reused",
            usage(|| {
                black_box(&*decoder.decode(body).expect("checked before"));
            }),
        ),
        ("decode_owned", usage(|| pool.decode_owned(body.clone()).expect("checked before"))),
        ("encoded_len", usage(|| request.encoded_len())),
        ("encode", usage(|| request.encode(&mut buffer).expect("it fits"))),
        (
            "validate",
            usage(|| {
                request.validate(&rules, |violation| {
                    black_box(violation);
                });
            }),
        ),
    ]
}

/// The same stages; prost has no `validate`.
fn of_prost(body: &Bytes) -> [Option<Usage>; 6] {
    let decode = || ProstString::decode(body).expect("checked before");
    let request = decode();
    let mut buffer = Vec::new();
    [
        Some(usage(decode)),
        Some(usage(decode)),
        Some(usage(decode)),
        Some(usage(|| ProstString::encoded_len(&request))),
        Some(usage(|| ProstString::encode(&request, &mut buffer))),
        None,
    ]
}

/// What one operation asks the heap for.
struct Usage {
    blocks: u64,
    bytes: u64,
}

fn usage<T>(mut operation: impl FnMut() -> T) -> Usage {
    for _ in 0..WARM_UP {
        black_box(operation());
    }
    let before = HeapStats::get();
    for _ in 0..RUNS {
        black_box(operation());
    }
    let after = HeapStats::get();
    Usage {
        blocks: (after.total_blocks - before.total_blocks) / RUNS,
        bytes: (after.total_bytes - before.total_bytes) / RUNS,
    }
}
