//! Label strings: this crate beside a parser into owned strings, and one into a map of them.
//!
//! ```text
//! cargo bench --bench loki_selector
//! ```

#![allow(missing_docs, reason = "criterion's macros make public items")]

use std::collections::HashMap;
use std::hint::black_box;
use std::iter::Peekable;
use std::str::Chars;

use borrowire::Encode;
use borrowire::loki::LabelPair;
use borrowire::loki::selector::{self, Canonical};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};

criterion_group!(benches, parse, write);
criterion_main!(benches);

const LABELS: [(&str, &str); 3] = [
    (
        "six",
        r#"{cluster="eu-west-1", namespace="shop", pod="cart-5d8f7c6b9-x2x7k", container="cart", filename="/var/log/pods/cart/0.log", stream="stderr"}"#,
    ),
    ("two", r#"{name="canary-a", stream="push"}"#),
    (
        "escaped",
        r#"{cluster="läb\"q\\", filename="/var/log/app/b.log", job="json", level="débug"}"#,
    ),
];

fn parse(criterion: &mut Criterion) {
    for (name, text) in LABELS {
        let mut scratch = Vec::new();
        assert_same(text, &mut scratch);

        let mut group = criterion.benchmark_group(format!("selector_parse/{name}"));
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function("borrowire", |bencher| {
            bencher
                .iter(|| selector::parse(black_box(text), &mut scratch).map(|labels| labels.len()));
        });
        group.bench_function("owned_vec", |bencher| {
            bencher.iter(|| owned(black_box(text)).map(|pairs| pairs.len()));
        });
        group.bench_function("owned_map", |bencher| {
            bencher.iter(|| {
                owned(black_box(text))
                    .map(|pairs| pairs.into_iter().collect::<HashMap<_, _>>().len())
            });
        });
        group.finish();
    }
}

fn write(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("selector_write");
    for (name, text) in LABELS {
        let mut scratch = Vec::new();
        let canonical = Canonical::from(selector::parse(text, &mut scratch).expect("well-formed"));
        let mut out = [0; 512];
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_function(name, |bencher| {
            bencher.iter(|| {
                let canonical = black_box(&canonical);
                (canonical.encoded_len(), canonical.encode(black_box(&mut out)))
            });
        });
    }
    group.finish();
}

fn assert_same(text: &str, scratch: &mut Vec<u8>) {
    let ours = selector::parse(text, scratch).expect("well-formed");
    let owned = owned(text).expect("well-formed");
    let owned = owned.iter().map(|(name, value)| LabelPair::new(name, value));
    assert!(ours.iter().copied().eq(owned));
}

/// What one writes without thinking of speed: character by character, into strings.
fn owned(text: &str) -> Option<Vec<(String, String)>> {
    let mut chars = text.chars().peekable();
    let mut pairs = Vec::new();
    skip_space(&mut chars);
    if chars.next()? != '{' {
        return None;
    }
    loop {
        skip_space(&mut chars);
        if chars.next_if_eq(&'}').is_some() {
            return Some(pairs);
        }
        let mut name = String::new();
        while let Some(char) = chars.next_if(|char| char.is_ascii_alphanumeric() || *char == '_') {
            name.push(char);
        }
        skip_space(&mut chars);
        if name.is_empty() || chars.next()? != '=' {
            return None;
        }
        skip_space(&mut chars);
        let value = owned_string(&mut chars)?;
        pairs.push((name, value));
        skip_space(&mut chars);
        if chars.next_if_eq(&',').is_none() && chars.peek() != Some(&'}') {
            return None;
        }
    }
}

fn owned_string(chars: &mut Peekable<Chars<'_>>) -> Option<String> {
    let mut value = String::new();
    if chars.next()? != '"' {
        return None;
    }
    loop {
        match chars.next()? {
            '"' => return Some(value),
            '\n' | '\u{fffd}' => return None,
            '\\' => match chars.next()? {
                'n' => value.push('\n'),
                't' => value.push('\t'),
                char @ ('"' | '\\') => value.push(char),
                _ => return None,
            },
            char => value.push(char),
        }
    }
}

fn skip_space(chars: &mut Peekable<Chars<'_>>) {
    while chars.next_if(|char| matches!(char, ' ' | '\t' | '\r' | '\n')).is_some() {}
}
