//! The tokens of partitions, which depend on nothing but the partition's number.
//!
//! ```text
//! partition 0   512 tokens, 2^23 apart, from 0
//! partition i   512 times: where the most is owned, by the partition that owns the most, cut off a
//!               share, so that in the end each partition owns 2^32 / (i + 1)
//! ```
//!
//! A token owns the keys from the token before it, which it does not own, up to itself.
//!
//! Source: dskit, `spread_minimizing_token_generator.go`, zone 0.

use alloc::collections::BinaryHeap;
use alloc::collections::binary_heap::PeekMut;
use alloc::vec::Vec;

use crate::wire::{impossible, to_usize};

/// How many tokens each partition has.
pub(super) const TOKENS: usize = 512;
/// All keys.
const KEYS: u64 = 1 << 32;
/// The largest token: all are multiples of 8, so that 8 zones can have different ones.
const LARGEST: u32 = u32::MAX - 7;

/// A token, behind how many keys it owns: the order in which they are cut.
type OwnedToken = (u32, u32);

/// Gives the tokens of one partition after the other, sorted. Each depends on all before.
#[derive(Default)]
pub(super) struct Generator {
    /// How many keys each partition owns, and its number.
    partitions: BinaryHeap<(u64, u32)>,
    /// The tokens of each partition, by number.
    tokens: Vec<BinaryHeap<OwnedToken>>,
    /// Partitions without a token that is worth cutting, until the next one.
    aside: Vec<(u64, u32)>,
}

impl Generator {
    fn next_partition(&mut self) -> Option<[u32; TOKENS]> {
        let number = u32::try_from(self.tokens.len()).ok()?;
        let mut tokens = [0_u32; TOKENS];
        let mut heap = Vec::with_capacity(TOKENS);
        let mut owned = 0_u64;
        if number == 0 {
            let step = 1_u32 << 23;
            for (token, at) in tokens.iter_mut().zip(0_u32..) {
                *token = at.wrapping_mul(step);
                heap.push((step, *token));
            }
            owned = KEYS;
        } else {
            // Whole numbers: where dskit has fractions it cuts them off in the end, and none is so
            // near to a whole number that its rounding could reach it.
            let fair = KEYS.checked_div(u64::from(number).saturating_add(1))?;
            for (token, left) in tokens.iter_mut().zip((1..=512_u64).rev()) {
                let share = fair.saturating_sub(owned).checked_div(left)? & !7;
                let share = u32::try_from(share).ok()?;
                let (owns, new) = self.cut(share)?;
                owned = owned.saturating_add(owns.into());
                heap.push((owns, new));
                *token = new;
            }
            self.partitions.extend(self.aside.drain(..));
        }
        self.partitions.push((owned, number));
        self.tokens.push(BinaryHeap::from(heap));
        tokens.sort_unstable();
        Some(tokens)
    }

    /// Makes a new token that owns about `share` keys of another one, which it returns with how
    /// many it owns. `None` if no token owns more than that.
    fn cut(&mut self, share: u32) -> Option<OwnedToken> {
        if share == 0 {
            return None;
        }
        loop {
            let mut partition = self.partitions.peek_mut()?;
            let mut token = self.tokens.get_mut(to_usize(partition.1))?.peek_mut()?;
            let (owns, old) = *token;
            if owns <= share {
                self.aside.push(PeekMut::pop(partition));
                continue;
            }
            let before = old.wrapping_sub(owns);
            let new = match LARGEST.checked_sub(before).unwrap_or_else(impossible) {
                // Around the end there are 8 keys more.
                left if left < share => share.wrapping_sub(left),
                _ => before.wrapping_add(share),
            };
            let taken = new.wrapping_sub(before);
            token.0 = owns.wrapping_sub(taken);
            partition.0 = partition.0.saturating_sub(taken.into());
            return Some((taken, new));
        }
    }
}

impl Iterator for Generator {
    type Item = [u32; TOKENS];

    fn next(&mut self) -> Option<Self::Item> {
        self.next_partition()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tokens that dskit made.
    #[test]
    fn known_tokens() {
        let partitions: Vec<_> = Generator::default().take(10).collect();
        assert_eq!(partitions[0][..3], [0, 8_388_608, 16_777_216]);
        assert_eq!(partitions[1][..3], [4_194_304, 12_582_912, 20_971_520]);
        assert_eq!(partitions[2][..2], [2_146_085_552, 2_150_279_856]);
        assert_eq!(partitions[9][..3], [546_098_384, 547_776_104, 550_292_688]);
        assert_eq!(partitions[9][509..], [4_135_024_496, 4_136_422_600, 4_139_218_800]);
    }

    #[test]
    fn no_token_is_there_twice() {
        let mut tokens: Vec<_> = Generator::default().take(300).flatten().collect();
        let len = tokens.len();
        assert_eq!(len, 300 * TOKENS);
        tokens.sort_unstable();
        tokens.dedup();
        assert_eq!(tokens.len(), len);
    }
}
