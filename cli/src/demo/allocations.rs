//! Counts heap blocks.

use std::alloc::System;

use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Runs `f` and returns what it returned, and how many blocks it asked for.
///
/// A block that grows or shrinks counts as a new one. All threads count.
pub fn count_blocks<T>(f: impl FnOnce() -> T) -> (T, usize) {
    let region = Region::new(ALLOCATOR);
    let value = f();
    let change = region.change();
    (value, change.allocations + change.reallocations)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_block_that_grows_counts_again() {
        // Other tests allocate at the same time, so there may be more.
        let (mut block, blocks) = count_blocks(|| vec![0_u8; 100]);
        assert!(blocks >= 1);
        let ((), blocks) = count_blocks(|| block.resize(1000, 0));
        assert!(blocks >= 1);
    }
}
