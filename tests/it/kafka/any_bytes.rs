//! Bytes of any kind as records, and requests of any kind in records.

use proptest::prelude::*;

use crate::support::bytes;
use crate::support::oracle::kafka::{Used, check};

/// A limit, a key of one byte, a header of four bytes, and a value.
fn record(max: u8, version: u8, value: &[u8]) -> Vec<u8> {
    [&[max, 1, 4, b't', 0, 0, 0, version][..], value].concat()
}

#[test]
fn small_bodies_in_records() {
    let mut used = Used::default();
    let bodies = bytes::small_bodies().into_iter().chain(bytes::v2::small_bodies());
    for (_, body) in bodies.chain(bytes::loki::small_bodies()) {
        for max in [5, 255] {
            for version in 0..4 {
                check(&record(max, version, &body), &mut used);
            }
            // Cut short, and one bit wrong.
            check(&record(max, 2, &body[..body.len() / 2]), &mut used);
            for at in (0..body.len()).step_by(29) {
                let mut wrong = body.clone();
                wrong[at] ^= 1 << (at % 8);
                check(&record(max, (at % 3) as u8, &wrong), &mut used);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn any_bytes(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes, &mut Used::default());
    }
}
