//! FNV-1 with 32 bits: multiply, then xor (not FNV-1a, which does it the other way round).

use crate::wire::impossible;
use crate::wire::work::count;

/// The hash of nothing.
pub(crate) const FNV_OFFSET: u32 = 2_166_136_261;
const PRIME: u32 = 16_777_619;

/// How many texts are hashed side by side: as many as fit into registers. A step takes four cycles
/// or so to come out, and the next byte of the same text has to wait for it.
const LANES: usize = 6;
/// The place of a lane without a text.
const IDLE: usize = usize::MAX;

/// Goes on from `hash` over `bytes`.
#[inline]
pub(crate) fn fnv1(hash: u32, bytes: &[u8]) -> u32 {
    count(bytes.len());
    bytes.iter().fold(hash, |hash, &byte| step(hash, byte))
}

#[inline(always)]
const fn step(hash: u32, byte: u8) -> u32 {
    // Lossless: `u32::from` is not const.
    #[allow(clippy::as_conversions)]
    let byte = byte as u32;
    hash.wrapping_mul(PRIME) ^ byte
}

/// A text on its way: what is left of it, its hash so far, and where that goes.
#[derive(Clone, Copy)]
struct Lane<'t> {
    rest: &'t [u8],
    hash: u32,
    at: usize,
}

/// Hashes `texts`, each from `seed` on, into `out`, which has a place for each.
pub(crate) fn fnv1_all<'t>(seed: u32, texts: impl IntoIterator<Item = &'t [u8]>, out: &mut [u32]) {
    let mut texts = texts.into_iter().enumerate();
    let mut lanes = [Lane { rest: &[][..], hash: 0, at: IDLE }; LANES];
    loop {
        for lane in &mut lanes {
            while lane.rest.is_empty() {
                if let Some(out) = out.get_mut(lane.at) {
                    *out = lane.hash;
                }
                let Some((at, rest)) = texts.next() else {
                    lane.at = IDLE;
                    break;
                };
                count(rest.len());
                *lane = Lane { rest, hash: seed, at };
            }
        }
        if lanes.iter().any(|lane| lane.at == IDLE) {
            // Idle lanes go along with the one that has the longest way to go.
            let busy = lanes.iter().filter(|lane| lane.at != IDLE);
            let Some(longest) = busy.max_by_key(|lane| lane.rest.len()).copied() else { return };
            for lane in lanes.iter_mut().filter(|lane| lane.at == IDLE) {
                lane.rest = longest.rest;
            }
        }
        advance(&mut lanes);
    }
}

/// Takes as many bytes from each lane as the shortest has.
#[inline]
fn advance(lanes: &mut [Lane<'_>; LANES]) {
    let len = lanes.iter().map(|lane| lane.rest.len()).fold(usize::MAX, usize::min);
    let [a, b, c, d, e, f] = lanes.each_mut().map(|lane| {
        let (now, rest) = lane.rest.split_at_checked(len).unwrap_or_else(impossible);
        lane.rest = rest;
        now.iter()
    });
    let [mut ha, mut hb, mut hc, mut hd, mut he, mut hf] = lanes.map(|lane| lane.hash);
    for (((((&a, &b), &c), &d), &e), &f) in a.zip(b).zip(c).zip(d).zip(e).zip(f) {
        ha = step(ha, a);
        hb = step(hb, b);
        hc = step(hc, c);
        hd = step(hd, d);
        he = step(he, e);
        hf = step(hf, f);
    }
    for (lane, hash) in lanes.iter_mut().zip([ha, hb, hc, hd, he, hf]) {
        lane.hash = hash;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;
    use alloc::vec::Vec;

    #[test]
    fn published_values() {
        // Of the reference implementation's test suite.
        for (text, hash) in
            [("", 0x811c_9dc5), ("a", 0x050c_5d7e), ("foo", 0x408f_5e13), ("foobar", 0x31f0_b262)]
        {
            assert_eq!(fnv1(FNV_OFFSET, text.as_bytes()), hash, "{text:?}");
        }
    }

    #[test]
    fn side_by_side_is_one_by_one() {
        let bytes: Vec<u8> = (0..=255).cycle().take(5_000).collect();
        for count in 0..24 {
            for seed in [FNV_OFFSET, 7] {
                // Empty ones, equal ones, and one that outlasts all others.
                let lens = (0..count).map(|n| if n == 2 { 3_000 } else { n * n * 7 % 61 });
                let texts: Vec<&[u8]> = lens.map(|len| &bytes[len / 2..][..len]).collect();
                let mut out = vec![1; count];
                fnv1_all(seed, texts.iter().copied(), &mut out);
                let one_by_one: Vec<u32> = texts.iter().map(|text| fnv1(seed, text)).collect();
                assert_eq!(out, one_by_one, "{count} texts");
            }
        }
    }
}
