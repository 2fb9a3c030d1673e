//! What criterion's benchmarks of several payloads share.

use std::hint::black_box;
use std::path::Path;
use std::time::Duration;
use std::{env, fs};

use bytes::Bytes;
use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, BenchmarkId, Criterion};

pub type Group<'a> = BenchmarkGroup<'a, WallTime>;

pub struct Payload {
    pub name: String,
    pub body: Bytes,
}

/// The yardstick.
pub fn copy(group: &mut Group<'_>, name: &str, body: &Bytes) {
    group.bench_function(BenchmarkId::new("copy", name), |bencher| {
        let mut buffer = vec![0; body.len()];
        bencher.iter(|| {
            buffer.copy_from_slice(black_box(body));
            black_box(&mut buffer);
        });
    });
}

pub fn group<'a>(criterion: &'a mut Criterion, name: &str) -> Group<'a> {
    let mut group = criterion.benchmark_group(name);
    group
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    group
}

/// What is `made`, and the files of `BORROWIRE_PAYLOADS` whose name starts with `prefix`.
pub fn payloads(made: impl Iterator<Item = (String, Bytes)>, prefix: &str) -> Vec<Payload> {
    let mut payloads: Vec<_> = made.map(|(name, body)| Payload { name, body }).collect();
    if let Some(directory) = env::var_os("BORROWIRE_PAYLOADS") {
        payloads.extend(files(Path::new(&directory), prefix));
    }
    payloads
}

fn files(directory: &Path, prefix: &str) -> Vec<Payload> {
    let entries =
        fs::read_dir(directory).unwrap_or_else(|error| panic!("{}: {error}", directory.display()));
    let mut payloads = Vec::new();
    for path in entries.map(|entry| entry.expect("a readable directory").path()) {
        let name = path.file_stem().and_then(|name| name.to_str()).unwrap_or_default();
        if name.starts_with(prefix) {
            let body =
                fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            payloads.push(Payload { name: name.into(), body: body.into() });
        }
    }
    payloads.sort_by(|one, other| one.name.cmp(&other.name));
    payloads
}
