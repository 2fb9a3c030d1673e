//! Any way of cutting a body into chunks reads the same as the body in one piece.

use std::sync::LazyLock;

use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::ways;
use crate::support::codecs::{self, Random};

/// One pool for all cases, so that each meets buffers and codecs that others have used.
static POOL: LazyLock<BufferPool> = LazyLock::new(BufferPool::new);

/// Sizes around those at which buffers grow, and any other.
fn len() -> impl Strategy<Value = usize> {
    prop_oneof![
        4 => 0_usize..2_000,
        2 => 0_usize..150_000,
        2 => (select(vec![32_usize << 10, 64 << 10, 128 << 10]), 0_usize..3)
            .prop_map(|(len, less)| len + 1 - less),
    ]
}

/// Bytes that compress well, a little, and not at all.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    (len(), any::<u64>(), 0..3).prop_map(|(len, seed, kind)| {
        let mut random = Random(seed | 1);
        match kind {
            0 => vec![seed as u8; len],
            1 => random.text(len),
            _ => random.bytes(len),
        }
    })
}

fn encodings() -> impl Strategy<Value = Encodings> {
    vec(select(codecs::ALL.to_vec()), 0..=3).prop_map(|layers| {
        let and = |all: Encodings, layer| all.and(layer).expect("at most three");
        layers.into_iter().fold(Encodings::IDENTITY, and)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_chunks_read_as_one_piece(
        bytes in bytes(),
        encodings in encodings(),
        cuts in vec(0_usize..5_000, 1..9),
        hint in any::<Option<u16>>(),
    ) {
        let sent = codecs::encode_all(encodings, &bytes);
        let limits = BodyLimits::new().with_max_decompressed_bytes(bytes.len().max(sent.len()) + 1_000);
        let whole = POOL.decompress(&sent, encodings, &limits)?;
        prop_assert!(*whole == *bytes);

        // The content length is a hint, and may be wrong.
        let mut receiver = POOL.receive(encodings, &limits, hint.map(u64::from))?;
        let mut rest = &sent[..];
        for cut in cuts.iter().cycle().map(|cut| cut + usize::from(cuts.iter().sum::<usize>() == 0)) {
            let (chunk, left) = rest.split_at(cut.min(rest.len()));
            receiver.push(chunk)?;
            rest = left;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(receiver.received(), sent.len());
        let body = receiver.finish()?;
        prop_assert!(*body == *bytes);
    }

    #[test]
    fn anything_is_read_alike_in_all_ways(
        sent in vec(any::<u8>(), 0..300),
        start in select(vec![&b""[..], b"\x1f\x8b\x08\0", b"\x28\xb5\x2f\xfd", b"\x78\x9c", b"\xff\x06\0\0sNaPpY", b"\x40\xf0"]),
        layers in encodings(),
        unstated in any::<bool>(),
    ) {
        let sent = [start, &sent].concat();
        let encodings = if unstated { Encoding::Unstated.into() } else { layers };
        let limits = BodyLimits::new().with_max_decompressed_bytes(5_000);
        if let Ok(body) = ways::read(&POOL, &sent, encodings, &limits) {
            prop_assert!(body.len() <= 5_000);
        }
    }

    #[test]
    fn damaged_bodies_are_read_alike_in_all_ways(
        bytes in bytes().prop_filter("quick", |bytes| bytes.len() < 3_000),
        encodings in encodings(),
        damage in vec((any::<prop::sample::Index>(), 1_u8..), 1..4),
    ) {
        let mut sent = codecs::encode_all(encodings, &bytes);
        for (place, flip) in damage.into_iter().filter(|_| !sent.is_empty()).collect::<Vec<_>>() {
            let place = place.index(sent.len());
            sent[place] ^= flip;
        }
        let limits = BodyLimits::new().with_max_decompressed_bytes(50_000);
        let _ = ways::read(&POOL, &sent, encodings, &limits);
    }
}

/// Whole and by single bytes at every size near a power of two, where buffers are exactly full.
#[test]
fn full_buffers_end_like_any_other() {
    let pool = BufferPool::new();
    let mut random = Random(7);
    for size in [1_usize << 10, 32 << 10, 64 << 10] {
        for len in size - 2..=size + 2 {
            let bytes = random.text(len);
            for encoding in codecs::ALL {
                let sent = codecs::encode(encoding, &bytes);
                let read = ways::read(&pool, &sent, encoding, &BodyLimits::new());
                assert!(read.unwrap() == bytes, "{len} bytes, {encoding}");
            }
        }
    }
}

#[test]
fn empty_chunks_mean_nothing() {
    let pool = BufferPool::new();
    let bytes = Random(3).text(1_000);
    for encoding in codecs::ALL {
        let sent = codecs::encode(encoding, &bytes);
        let (first, second) = sent.split_at(sent.len() / 2);
        let mut receiver = pool.receive(encoding, &BodyLimits::new(), None).unwrap();
        for chunk in [&[][..], first, &[], second, &[], &[]] {
            receiver.push(chunk).unwrap();
        }
        assert!(*receiver.finish().unwrap() == *bytes, "{encoding}");
    }
}
