//! Counts heap allocations of one closure, and costs one well-predicted branch otherwise.
//!
//! The crates that do this count on every call (atomics or thread-locals), which would slow exactly
//! the peers that allocate and so flatter the others. Here counting is off unless a pass of its own
//! asks.

// `GlobalAlloc` is an unsafe trait. This is an example's own instrument: the library forbids unsafe
// code.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

#[global_allocator]
static ALLOCATOR: Counting = Counting;

static ENABLED: AtomicBool = AtomicBool::new(false);
static ALLOCATIONS: AtomicU64 = AtomicU64::new(0);
static BYTES: AtomicU64 = AtomicU64::new(0);

/// Runs `f` and returns what it returned, how many blocks it asked for, and their bytes.
///
/// A block that grows or shrinks counts as a new one. All threads count: call it from one at a
/// time.
pub fn count_allocations<T>(f: impl FnOnce() -> T) -> (T, u64, u64) {
    ALLOCATIONS.store(0, Relaxed);
    BYTES.store(0, Relaxed);
    ENABLED.store(true, Relaxed);
    let value = f();
    ENABLED.store(false, Relaxed);
    (value, ALLOCATIONS.load(Relaxed), BYTES.load(Relaxed))
}

/// The system's allocator, seen through.
struct Counting;

impl Counting {
    #[inline]
    fn record(size: usize) {
        if ENABLED.load(Relaxed) {
            ALLOCATIONS.fetch_add(1, Relaxed);
            BYTES.fetch_add(u64::try_from(size).unwrap_or(u64::MAX), Relaxed);
        }
    }
}

// SAFETY: every call is handed to `System` unchanged, and counting touches atomics only.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        Self::record(layout.size());
        // SAFETY: the caller's contract for `layout` is `System`'s.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        Self::record(layout.size());
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        Self::record(new_size);
        // SAFETY: `block` came from `System`, by way of this allocator.
        unsafe { System.realloc(block, layout, new_size) }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(block, layout) }
    }
}
