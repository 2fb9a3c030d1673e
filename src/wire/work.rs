//! How many bytes are gone over: for the tests and the fuzz target that bound work. Anywhere else
//! counting is nothing at all.
//!
//! Counted is what looks at text, or at a list, of any length: hashing, comparing, copying, writing.

#[cfg(any(test, fuzzing))]
mod counter {
    extern crate std;

    use core::cell::Cell;

    std::thread_local! {
        static BYTES: Cell<usize> = const { Cell::new(0) };
    }

    /// Counts bytes of text, or elements of a list, that are gone over.
    #[inline]
    pub(crate) fn count(bytes: usize) {
        BYTES.set(BYTES.get().wrapping_add(bytes));
    }

    /// What this thread counts while `work` is done.
    pub(crate) fn measure(work: impl FnOnce()) -> usize {
        let before = BYTES.get();
        work();
        BYTES.get().wrapping_sub(before)
    }
}

#[cfg(any(test, fuzzing))]
pub(crate) use counter::{count, measure};

/// Counts bytes of text, or elements of a list, that are gone over.
#[cfg(not(any(test, fuzzing)))]
#[inline(always)]
pub(crate) fn count(_: usize) {}
