//! Go's `math/rand`, version 1: the generator that picks the partitions of a shuffle shard.
//!
//! ```text
//! x(n) = x(n - 607) + x(n - 273)     64 bits, wrapping
//! ```
//!
//! The state is filled by a Lehmer generator, x = 48271 x mod 2^31 - 1, from the seed.

use super::cooked::COOKED;
use crate::wire::impossible;

const LEN: usize = COOKED.len();
const TAP: usize = 273;
/// The modulus of the Lehmer generator, a prime.
const MODULUS: u64 = (1 << 31) - 1;

/// A generator with the seed that Go's `rand.NewSource` takes.
pub(super) struct GoRand {
    state: [u64; LEN],
    /// Where the next number is added, and where it takes the other one from; both go downwards.
    feed: usize,
    tap: usize,
}

impl GoRand {
    pub(super) fn new(seed: i64) -> Self {
        let modulus = i64::try_from(MODULUS).unwrap_or_else(|_| impossible());
        let mut lehmer =
            match u64::try_from(seed.rem_euclid(modulus)).unwrap_or_else(|_| impossible()) {
                // 0 would stay 0.
                0 => 89_482_311,
                start => start,
            };
        let mut next = || {
            lehmer = lehmer.wrapping_mul(48_271) % MODULUS;
            lehmer
        };
        for _ in 0..20 {
            next();
        }
        let state = COOKED.map(|cooked| next() << 40 ^ next() << 20 ^ next() ^ cooked);
        Self { state, feed: LEN - TAP, tap: 0 }
    }

    /// 32 random bits, as `Rand.Uint32`.
    pub(super) fn next_u32(&mut self) -> u32 {
        self.tap = before(self.tap);
        self.feed = before(self.feed);
        let tapped = self.state.get(self.tap).copied().unwrap_or_else(impossible);
        let Some(word) = self.state.get_mut(self.feed) else { return impossible() };
        *word = word.wrapping_add(tapped);
        // 63 bits of it are a number in Go, and its upper 32 bits are this.
        u32::try_from((*word << 1) >> 32).unwrap_or_else(|_| impossible())
    }
}

/// The place in front of `at`, around the end.
fn before(at: usize) -> usize {
    at.checked_sub(1).unwrap_or(LEN - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What `rand.New(rand.NewSource(1)).Intn(100)` gives, well known from Go's playground.
    #[test]
    fn seed_1() {
        let mut random = GoRand::new(1);
        // `Intn` of a small number that is no power of two: `Int31n`, 31 bits modulo it.
        let numbers = [(); 10].map(|()| (random.next_u32() >> 1) % 100);
        assert_eq!(numbers, [81, 87, 47, 59, 81, 18, 25, 40, 56, 0]);
    }

    #[test]
    fn seeds_count_modulo_the_prime_and_zero_is_another() {
        let first = |seed| GoRand::new(seed).next_u32();
        assert_eq!(first(1), first(0x7fff_ffff + 1));
        assert_eq!(first(-1), first(0x7fff_ffff - 1));
        assert_eq!(first(0), first(89_482_311));
        assert_ne!(first(0), first(1));
        first(i64::MIN);
    }
}
