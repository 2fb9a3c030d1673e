//! Bytes that nobody means well with: no panic, no place outside the body, and no more work than there are
//! bytes.
//!
//! No test here looks at a clock. The floods are so large that work which grows with the square of the
//! input would not go unnoticed: one pass over all that came before, for each piece, makes seconds of what
//! takes milliseconds, and minutes of a test.

use borrowire::{DecodeErrorKind, DecodeRequest};

use super::{Tested, used};
use crate::support::bytes::Bytes;
use crate::support::oracle::{Request, partial, read};

pub fn bodies_cut_at_every_byte<S: Tested>() {
    let mut used = used::<S>();
    for (name, body) in S::small_bodies() {
        for cut in 0..body.len() {
            if let Err(error) = read(&body[..cut], &mut used) {
                assert!(S::is_cut(error.kind()), "{name} cut at {cut}: {error}");
            }
        }
        read(&body, &mut used).unwrap();
    }
}

pub fn bodies_with_any_bit_flipped<S: Tested>() {
    let mut used = used::<S>();
    for (_, body) in S::small_bodies() {
        for at in 0..body.len() {
            for bit in 0..8 {
                let mut flipped = body.clone();
                flipped[at] ^= 1 << bit;
                let _ = read(&flipped, &mut used);
            }
        }
    }
}

pub fn bodies_with_a_huge_number_anywhere<S: Tested>() {
    let numbers =
        [0x7fff_ffff_u64, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 2, 1 << 63, u64::MAX];
    let mut used = used::<S>();
    for (_, body) in S::small_bodies() {
        for at in 0..body.len() {
            for number in numbers {
                let head = Bytes::new().raw(&body[..at]).bare_varint(number);
                let _ = read(&head.raw(&body[at + 1..]).build(), &mut used);
            }
        }
    }
}

pub fn a_body_of_two_gib_is_refused_unread<S: Tested>() {
    // Pages that nobody touches.
    let body = vec![0; 1 << 31];
    let Err(error) = <Request<'_, S>>::decode(&body) else { panic!("it is too large") };
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::MessageTooLarge, 0));
}

pub fn floods<S: Tested>() {
    for body in S::floods() {
        decode_both::<S>(&body);
    }
}

/// How much of something is a flood. Twice as many are more than two bytes count.
pub const MANY: usize = 33_000;

/// More than two bytes count.
pub const OVER_TWO_BYTES: usize = 70_000;

/// `MANY` times `piece`.
pub fn flood(piece: impl AsRef<[u8]>) -> Bytes {
    Bytes::new().raw(piece.as_ref().repeat(MANY))
}

/// Decodes strictly and partially, walks over what came of it, and writes it.
pub fn decode_both<S: Tested>(body: &(impl AsRef<[u8]> + ?Sized)) -> Request<'_, S> {
    let body = body.as_ref();
    let strict = <Request<'_, S>>::decode(body);
    let partial = <Request<'_, S>>::decode_with(body, &partial::<S>());
    let partial = partial.unwrap_or_else(|error| panic!("{error}"));
    if let Ok(strict) = &strict {
        S::assert_same_content(strict, &partial);
    }
    S::validate(&partial);
    assert!(S::raws(&partial).iter().all(Option::is_some));
    let encoded = S::encode(&partial, &mut S::Scratch::default(), |encoder| {
        let encoded = encoder.encode_to_vec().unwrap();
        assert_eq!(encoded.len(), encoder.encoded_len());
        encoded
    });
    let Ok(again) = <Request<'_, S>>::decode(&encoded) else { panic!("it was just written") };
    S::assert_same_content(&again, &partial);
    partial
}
