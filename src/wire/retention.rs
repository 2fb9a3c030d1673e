//! When storage that is far too large is given up.
//!
//! Storage is used again, so a request of unusual size would leave its memory behind for ever.
//! Where it holds over 1 MiB, and 16 uses in a row needed less than a quarter of it, it is freed;
//! the next large request makes it anew. Alternating sizes keep theirs.

/// Counts the uses of some storage that needed little of it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Retention {
    small_uses: u8,
}

impl Retention {
    /// Nothing was used yet.
    pub(crate) const NEW: Self = Self { small_uses: 0 };

    /// Storage up to this size is always kept.
    const LARGE: usize = 1 << 20;
    /// How many uses in a row must have needed little.
    const SMALL_USES: u8 = 16;

    /// Notes that a use needed `used` bytes of `capacity`; returns whether the storage should be
    /// freed. A use that needed nothing does not count.
    #[inline]
    pub(crate) fn is_wasted(&mut self, used: usize, capacity: impl FnOnce() -> usize) -> bool {
        if used == 0 {
            return false;
        }
        let capacity = capacity();
        if capacity <= Self::LARGE || capacity >> 2 <= used {
            self.small_uses = 0;
            return false;
        }
        self.small_uses = self.small_uses.saturating_add(1);
        self.small_uses >= Self::SMALL_USES
    }
}

impl Default for Retention {
    fn default() -> Self {
        Self::NEW
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_large_and_little_used_for_long_is_freed() {
        let freed_after = |used: usize, capacity: usize| {
            let mut retention = Retention::default();
            (1..100).find(|_| retention.is_wasted(used, || capacity))
        };
        assert_eq!(freed_after(1000, 8 << 20), Some(16));
        assert_eq!(freed_after(1000, 1 << 20), None);
        assert_eq!(freed_after(3 << 20, 8 << 20), None);
        assert_eq!(freed_after(0, 8 << 20), None);
        // One large use in between, and counting starts again.
        let mut retention = Retention::default();
        for round in 0..100 {
            let used = if round % 15 == 0 { 4 << 20 } else { 1 };
            assert!(!retention.is_wasted(used, || 8 << 20));
        }
    }
}
