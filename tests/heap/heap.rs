//! Counting what is allocated. There is one profiler at a time.

use dhat::{HeapStats, Profiler};

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

pub fn profiler() -> Profiler {
    Profiler::builder().testing().build()
}

/// How many blocks `run` allocates; a block that grows counts again.
pub fn blocks<T>(run: impl FnOnce() -> T) -> u64 {
    let before = HeapStats::get();
    drop(run());
    let after = HeapStats::get();
    after.total_blocks - before.total_blocks
}

/// How many bytes are allocated now.
pub fn live_bytes() -> usize {
    HeapStats::get().curr_bytes
}

/// The most bytes that were allocated at any time during `run`.
pub fn peak_bytes<T>(run: impl FnOnce() -> T) -> usize {
    let _profiler = profiler();
    let result = run();
    let stats = HeapStats::get();
    drop(result);
    stats.max_bytes
}
