//! Requests of few long symbols under many series, and any others.

use std::string::{String, ToString};
use std::vec;
use std::vec::Vec;

use borrowire::convert::remote_write::ToV1;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{DecodeOptions, Request, Symbolizer, Validator};
use borrowire::remote_write::{NameScheme, Rules};
use borrowire::{Encode, Limits};
use proptest::prelude::*;

use super::check::{body_v2, check_series, check_v1, check_v2, expanded};

fn measure(work: &mut dyn FnMut()) -> usize {
    crate::wire::work::measure(work)
}

fn options() -> DecodeOptions {
    let limits = Limits::new().with_max_expanded_bytes(u64::MAX);
    DecodeOptions::new().with_limits(limits)
}

/// Texts that differ in their last byte alone, each of them twice.
fn alike(count: u8, len: usize) -> Vec<String> {
    let text = |n: u8| "x".repeat(len) + &char::from(b'a' + n / 2).to_string();
    [String::new()].into_iter().chain((0..2 * count).map(text)).collect()
}

/// A series of labels, sample, an exemplar, and metadata.
fn series(refs: &[u8]) -> Vec<u8> {
    let labels = [&[0x0a, refs.len() as u8], refs].concat();
    let exemplar = [&[0x22, labels.len() as u8], &labels[..]].concat();
    let help = refs.first().copied().unwrap_or(0);
    let metadata = [0x2a, 6, 8, 1, 0x18, help, 0x20, help];
    [&labels[..], &[0x12, 0], &exemplar, &metadata].concat()
}

/// The same few long texts under many series, which differ only at their ends: of the body each
/// takes a byte, of what it stands for 32 KiB.
#[test]
fn work_on_a_long_symbol_is_done_once() {
    let work = |series_len: usize| {
        let all: Vec<_> = (0..series_len)
            .map(|n| series(&[1 + n as u8 % 7, 9, 2 + n as u8 % 5, 3, 12, 12]))
            .collect();
        let body = body_v2(&alike(6, 1 << 15), &all);
        let request = Request::decode_with(&body, &options()).unwrap();
        assert!(expanded(&request) > 100_000 * series_len);
        let mut validator = Validator::new(Rules::strict().with_names(NameScheme::Classic));
        let mut symbolizer = Symbolizer::new();
        let mut to_v1 = ToV1::new();
        (
            body.len(),
            measure(&mut || {
                validator.validate(&request, |_| {});
                assert!(request.encoder(&mut symbolizer).is_ok());
                assert!(to_v1.convert(&request, |_| {}).encoded_len() > body.len());
            }),
        )
    };
    let [(small, few), (large, many)] = [work(500), work(1000)];
    // Twice the series: as much on the symbols, and what each series takes by itself. Texts whose hashes
    // begin alike, by chance, are compared once more in the one or the other.
    assert!(many.saturating_sub(few) < 100 * (large - small), "{few}, {many}");
    assert!(many < 16 * large, "{many} for {large}");
}

#[test]
fn what_is_hashed_is_what_the_body_stands_for() {
    let body = body_v2(&alike(6, 1 << 12), &vec![series(&[1, 9, 2, 3]); 100]);
    let request = Request::decode_with(&body, &options()).unwrap();
    check_series(&request, measure);
    check_v2(&request, measure);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 16, ..ProptestConfig::default() })]

    #[test]
    fn work_grows_with_the_input(
        lens in prop::collection::vec(0_usize..20_000, 1..12),
        alike in any::<bool>(),
        refs in prop::collection::vec(prop::collection::vec(0_u8..12, 0..20), 0..40),
    ) {
        let len = |at: usize| if alike { lens[0] } else { lens[at] };
        let text = |at: usize| "x".repeat(len(at)) + ["", "a", "b"][at % 3];
        let symbols: Vec<_> = (0..lens.len()).map(text).collect();
        let all: Vec<_> = refs.iter().map(|refs| {
            let refs: Vec<_> = refs.iter().map(|&r| r % lens.len() as u8).collect();
            series(&refs[..refs.len() & !1])
        }).collect();
        let body = body_v2(&symbols, &all);
        let request = Request::decode_with(&body, &options()).unwrap();
        check_v2(&request, measure);
        let spelled_out = ToV1::new().convert(&request, |_| {}).encode_to_vec().unwrap();
        check_v1(&WriteRequest::decode(&spelled_out).unwrap(), measure);
    }
}
