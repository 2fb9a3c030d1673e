//! Variable-length integers and the zigzag mapping.
//!
//! ```text
//! 300 = 0b10_0101100  ->  ac 02      seven bits a byte, low bits first
//! zigzag: 0, -1, 1, -2, 2 ...  ->  0, 1, 2, 3, 4 ...
//! ```

use crate::wire::error::DecodeErrorKind;
use crate::wire::{impossible, to_usize};

/// Bytes of the longest varint.
const MAX_VARINT_BYTES: usize = 10;
/// The bit that says "another byte follows", in each byte of a word.
const CONTINUE: u64 = 0x8080_8080_8080_8080;

/// How many bytes the varint of `value` takes: 1 to 10.
///
/// ```
/// use borrowire::wire::varint_len;
///
/// assert_eq!([0, 127, 128, u64::MAX].map(varint_len), [1, 1, 2, 10]);
/// ```
#[inline]
#[must_use]
pub const fn varint_len(value: u64) -> usize {
    // A byte for each started group of seven bits: 9/64 is close enough to 1/7 up to 64 bits.
    #[allow(clippy::as_conversions, clippy::arithmetic_side_effects)]
    {
        ((64 - (value | 1).leading_zeros()) as usize * 9 + 64) / 64
    }
}

/// Maps 0, -1, 1, -2 ... to 0, 1, 2, 3 ...: the form of `sint32` on the wire.
///
/// ```
/// use borrowire::wire::{zigzag_decode32, zigzag_encode32};
///
/// assert_eq!([0, -1, 1].map(zigzag_encode32), [0, 1, 2]);
/// assert_eq!(zigzag_decode32(zigzag_encode32(-300)), -300);
/// ```
#[inline]
#[must_use]
pub const fn zigzag_encode32(value: i32) -> u32 {
    value.cast_unsigned() << 1 ^ (value >> 31).cast_unsigned()
}

/// Maps 0, 1, 2, 3 ... to 0, -1, 1, -2 ...: what a `sint32` on the wire stands for.
#[inline]
#[must_use]
pub const fn zigzag_decode32(value: u32) -> i32 {
    (value >> 1).cast_signed() ^ 0_i32.wrapping_sub((value & 1).cast_signed())
}

/// Maps 0, -1, 1, -2 ... to 0, 1, 2, 3 ...: the form of `sint64` on the wire.
///
/// ```
/// use borrowire::wire::{zigzag_decode64, zigzag_encode64};
///
/// assert_eq!([0, -1, 1].map(zigzag_encode64), [0, 1, 2]);
/// assert_eq!(zigzag_decode64(zigzag_encode64(-300)), -300);
/// ```
#[inline]
#[must_use]
pub const fn zigzag_encode64(value: i64) -> u64 {
    value.cast_unsigned() << 1 ^ (value >> 63).cast_unsigned()
}

/// Maps 0, 1, 2, 3 ... to 0, -1, 1, -2 ...: what a `sint64` on the wire stands for.
#[inline]
#[must_use]
pub const fn zigzag_decode64(value: u64) -> i64 {
    (value >> 1).cast_signed() ^ 0_i64.wrapping_sub((value & 1).cast_signed())
}

/// The varint at the front of `bytes`, and the bytes behind it.
#[inline(always)]
pub(crate) fn split_varint(bytes: &[u8]) -> Result<(u64, &[u8]), DecodeErrorKind> {
    match *bytes {
        [a, ref rest @ ..] if a < 0x80 => Ok((u64::from(a), rest)),
        [a, b, ref rest @ ..] if b < 0x80 => Ok((u64::from(a & 0x7f) | u64::from(b) << 7, rest)),
        _ => split_long_varint(bytes),
    }
}

/// The varint that takes all of `bytes`.
#[inline]
pub(crate) fn whole_varint(bytes: &[u8]) -> Option<u64> {
    let (value, rest) = split_varint(bytes).ok()?;
    rest.is_empty().then_some(value)
}

/// Three bytes and more: in one word as far as eight bytes, or the six of today's timestamps in
/// milliseconds, are there; else byte by byte.
#[inline(never)]
fn split_long_varint(bytes: &[u8]) -> Result<(u64, &[u8]), DecodeErrorKind> {
    if let Some(split) = split_word_varint(bytes) {
        return Ok(split);
    }
    if bytes.len() < 8
        && let Some(&[a, b, c, d, e, f]) = bytes.first_chunk::<6>()
    {
        let word = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
        if let Some((value, len)) = varint_in(word, CONTINUE >> 16) {
            return Ok((value, bytes.get(len..).unwrap_or_else(impossible)));
        }
    }
    split_varint_bytewise(bytes)
}

/// The varint at the front of `bytes`, and the bytes behind it, without a branch for its length: if
/// it takes at most eight bytes, and so many are there.
#[inline]
pub(crate) fn split_word_varint(bytes: &[u8]) -> Option<(u64, &[u8])> {
    let word = u64::from_le_bytes(*bytes.first_chunk()?);
    let (value, len) = varint_in(word, CONTINUE)?;
    Some((value, bytes.get(len..)?))
}

/// The varint that begins with the lowest byte of `word` and ends with one of `ends`, which are
/// continuation bits; and how many bytes it takes.
#[inline]
fn varint_in(word: u64, ends: u64) -> Option<(u64, usize)> {
    let stops = !word & ends;
    if stops == 0 {
        return None;
    }
    // All bits up to the first clear continuation bit belong to the varint.
    let mask = stops ^ stops.wrapping_sub(1);
    let len = stops.trailing_zeros().wrapping_add(1) >> 3;
    Some((compact(word & mask), to_usize(len)))
}

/// Joins the low seven bits of each byte.
#[inline]
pub(crate) const fn compact(word: u64) -> u64 {
    let word = word & !CONTINUE;
    let word = (word & 0x007f_007f_007f_007f) | (word & 0x7f00_7f00_7f00_7f00) >> 1;
    let word = (word & 0x0000_3fff_0000_3fff) | (word & 0x3fff_0000_3fff_0000) >> 2;
    (word & 0x0fff_ffff) | (word & 0x0fff_ffff_0000_0000) >> 4
}

/// The inverse of [`compact`] for values under 56 bits: seven bits in each byte.
#[inline]
pub(crate) const fn spread(value: u64) -> u64 {
    let word = (value & 0x0fff_ffff) | (value & 0x00ff_ffff_f000_0000) << 4;
    let word = (word & 0x0000_3fff_0000_3fff) | (word & 0x0fff_c000_0fff_c000) << 2;
    (word & 0x007f_007f_007f_007f) | (word & 0x3f80_3f80_3f80_3f80) << 1
}

#[cold]
fn split_varint_bytewise(bytes: &[u8]) -> Result<(u64, &[u8]), DecodeErrorKind> {
    let mut value = 0_u64;
    let mut shift = 0_u32;
    let mut rest = bytes;
    for _ in 0..MAX_VARINT_BYTES {
        let Some((&byte, tail)) = rest.split_first() else {
            return Err(DecodeErrorKind::Truncated);
        };
        // The tenth byte holds bit 63 alone.
        if shift == 63 && byte > 1 {
            return Err(DecodeErrorKind::VarintOverflow);
        }
        value |= u64::from(byte & 0x7f) << shift;
        rest = tail;
        if byte < 0x80 {
            return Ok((value, rest));
        }
        shift = shift.wrapping_add(7);
    }
    Err(DecodeErrorKind::VarintOverflow)
}

/// The longest varint of 32 bits.
pub(crate) const MAX_VARINT32_BYTES: usize = 5;

/// Writes `value` as a varint at `at`, where there must be five bytes, and returns where it ends.
#[inline]
pub(crate) fn put_varint32(out: &mut [u8], at: usize, value: u32) -> usize {
    let low_seven = |shift: u32| super::writer::low_byte(u64::from(value >> shift)) & 0x7f;
    let Some(slot) = out.get_mut(at..).and_then(|out| out.first_chunk_mut::<MAX_VARINT32_BYTES>())
    else {
        return at;
    };
    if value < 0x80 {
        slot[0] = low_seven(0);
        return at.wrapping_add(1);
    }
    if value < 0x4000 {
        (slot[0], slot[1]) = (low_seven(0) | 0x80, low_seven(7));
        return at.wrapping_add(2);
    }
    *slot = [low_seven(0), low_seven(7), low_seven(14), low_seven(21), low_seven(28)];
    let len = varint_len(u64::from(value));
    for byte in slot.iter_mut().take(len.wrapping_sub(1)) {
        *byte |= 0x80;
    }
    at.wrapping_add(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    /// The definition, one bit group at a time.
    fn naive(mut value: u64) -> Vec<u8> {
        let mut out = Vec::new();
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
        out
    }

    #[test]
    fn every_length_reads_back_with_and_without_bytes_behind() {
        for bits in 0..64 {
            for value in
                [1 << bits, (1 << bits) - 1, u64::MAX >> bits, 0x5a5a_5a5a_5a5a_5a5a >> bits]
            {
                let mut bytes = naive(value);
                assert_eq!(varint_len(value), bytes.len(), "{value:#x}");
                for behind in 0..10 {
                    assert_eq!(split_varint(&bytes), Ok((value, &[0xff; 9][..behind])));
                    bytes.push(0xff);
                }
            }
        }
    }

    #[test]
    fn ten_bytes_at_most_and_the_tenth_at_most_one() {
        let take = |bytes: &[u8]| split_varint(bytes).map(|(value, _)| value);
        assert_eq!(take(&[&[0xff; 9][..], &[1]].concat()), Ok(u64::MAX));
        assert_eq!(take(&[&[0x80; 9][..], &[0]].concat()), Ok(0));
        for bad in [[&[0xff; 9][..], &[2]].concat(), vec![0x80; 10], vec![0x80; 11]] {
            assert_eq!(take(&bad), Err(DecodeErrorKind::VarintOverflow), "{bad:x?}");
        }
        for len in 0..10 {
            assert_eq!(take(&vec![0x80; len]), Err(DecodeErrorKind::Truncated), "{len}");
        }
    }

    #[test]
    fn longer_than_needed_is_accepted() {
        for len in 2..10 {
            let mut bytes = vec![0x81];
            bytes.resize(len - 1, 0x80);
            bytes.push(0);
            assert_eq!(split_varint(&bytes), Ok((1, &[][..])), "{len} bytes");
        }
    }

    #[test]
    fn spread_and_compact_are_inverse() {
        for bits in 0..56 {
            for value in [1 << bits, (1 << bits) - 1, 0x005a_5a5a_5a5a_5a5a >> bits] {
                assert_eq!(compact(spread(value)), value, "{value:#x}");
                assert_eq!(spread(value) & CONTINUE, 0);
            }
        }
        assert_eq!(spread(300).to_le_bytes(), [0x2c, 0x02, 0, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn zigzag_is_a_bijection_at_the_edges() {
        for value in [0, -1, 1, i32::MIN, i32::MAX] {
            assert_eq!(zigzag_decode32(zigzag_encode32(value)), value);
        }
        for value in [0, -1, 1, i64::MIN, i64::MAX, -(1 << 62)] {
            assert_eq!(zigzag_decode64(zigzag_encode64(value)), value);
        }
        assert_eq!([0, -1, 1, -2].map(zigzag_encode32), [0, 1, 2, 3]);
        assert_eq!(zigzag_encode64(i64::MIN), u64::MAX);
    }
}
