//! All tokens of a ring, and finding one.
//!
//! ```text
//! key         0x02 345678
//! starts      [.. .. 17 19 ..]       for the upper bits of a key, where its tokens begin
//! tokens      .. 17: 0x02 300000  18: 0x02 800000 ..
//! ```
//!
//! There are about as many starts as tokens, and tokens are spread evenly: a look-up is two reads.

use alloc::vec;
use alloc::vec::Vec;

use crate::message::columns::index;
use crate::wire::{impossible, to_usize};

/// A token, and the number of the partition that it is of.
pub(super) type Token = (u32, u32);

/// Tokens in ascending order.
#[derive(Clone)]
pub(super) struct Tokens {
    tokens: Vec<Token>,
    /// For each value of a key's upper bits, the first token that is not below it; one more at the
    /// end.
    starts: Vec<u32>,
    /// How many bits the others are.
    shift: u32,
}

impl Tokens {
    pub(super) fn new(mut tokens: Vec<Token>) -> Self {
        tokens.sort_unstable();
        tokens.shrink_to_fit();
        // Between half as many starts as tokens and as many.
        let bits = tokens.len().checked_ilog2().unwrap_or(0).min(31);
        let shift = 32_u32.saturating_sub(bits);
        let mut starts = vec![0; (1_usize << bits).saturating_add(1)];
        let mut at = 0_usize;
        for (upper, start) in (0_u64..).zip(&mut starts) {
            let least = upper << shift;
            while tokens.get(at).is_some_and(|token| u64::from(token.0) < least) {
                at = at.saturating_add(1);
            }
            *start = index(at);
        }
        Self { tokens, starts, shift }
    }

    pub(super) fn len(&self) -> usize {
        self.tokens.len()
    }

    pub(super) fn iter(&self) -> impl ExactSizeIterator<Item = Token> {
        self.tokens.iter().copied()
    }

    /// The position of the first token above `key`; around the end it is the first of all.
    #[inline]
    pub(super) fn position(&self, key: u32) -> usize {
        let upper = to_usize(key.checked_shr(self.shift).unwrap_or(0));
        let Some([start, end]) = self.starts.get(upper..).and_then(|starts| starts.first_chunk())
        else {
            return impossible();
        };
        let tokens = self.tokens.get(to_usize(*start)..to_usize(*end)).unwrap_or_else(impossible);
        let within = tokens.partition_point(|token| token.0 <= key);
        let found = to_usize(*start).saturating_add(within);
        if found < self.tokens.len() { found } else { 0 }
    }

    /// The partition of the first token above `key`; `None` if there are no tokens.
    #[inline]
    pub(super) fn partition_after(&self, key: u32) -> Option<u32> {
        self.tokens.get(self.position(key)).map(|token| token.1)
    }

    /// The partitions of all tokens from the first above `key` on, once around.
    pub(super) fn partitions_after(&self, key: u32) -> impl Iterator<Item = u32> {
        let (before, behind) =
            self.tokens.split_at_checked(self.position(key)).unwrap_or_else(impossible);
        behind.iter().chain(before).map(|token| token.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The same as looking at all of them, wherever tokens are.
    #[test]
    fn a_look_up_is_a_search() {
        let spread: Vec<_> = (0..1000).map(|n: u32| (n.wrapping_mul(0x9e37_79b9), n)).collect();
        let crowded: Vec<_> = (0..1000).map(|n| (0x7fff_ff00 + n * 3, n)).collect();
        for tokens in
            [vec![], vec![(0, 0)], vec![(u32::MAX, 0)], vec![(7, 1), (5, 0)], spread, crowded]
        {
            let sorted = Tokens::new(tokens.clone());
            let around = [0, 1, u32::MAX - 1, u32::MAX].into_iter();
            let keys = tokens.iter().flat_map(|&(token, _)| {
                [token.wrapping_sub(1), token, token.wrapping_add(1), token.wrapping_mul(77)]
            });
            for key in around.chain(keys) {
                let above = tokens.iter().filter(|token| token.0 > key).min();
                let found = above.or(tokens.iter().min()).map(|token| token.1);
                assert_eq!(sorted.partition_after(key), found, "{key}");
                assert_eq!(sorted.partitions_after(key).next(), found, "{key}");
                assert_eq!(sorted.partitions_after(key).count(), tokens.len());
            }
        }
    }
}
