//! A shard behind its lock, and why there is no deadlock.
//!
//! ```text
//! lock, copy bytes, unlock      always ends
//! lock, caller's code, unlock   deadlock, if that code uses a cache: it waits for this lock, or
//!                               for another one whose holder waits for this one
//! ```
//!
//! So a thread notes when it runs the caller's code under a lock, and takes no lock meanwhile.
//! Which shard a key is in depends on the seed of the hash: to refuse all is what the first test
//! finds.

use core::cell::Cell;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread_local;

use super::shard::Shard;

thread_local! {
    /// Whether this thread runs the caller's code under a lock of a cache.
    static IN_CALLERS_CODE: Cell<bool> = const { Cell::new(false) };
}

/// A shard in cache lines of its own: its neighbours' locks do not slow it down.
#[repr(align(128))]
pub(super) struct LockedShard(Mutex<Shard>);

impl LockedShard {
    pub(super) const fn new(shard: Shard) -> Self {
        Self(Mutex::new(shard))
    }

    /// Takes the lock, also after a panic: a shard is whole at every moment in which the caller's
    /// code can panic.
    ///
    /// # Panics
    ///
    /// In the caller's code under a lock, where it could wait for ever.
    #[inline]
    pub(super) fn lock(&self) -> MutexGuard<'_, Shard> {
        if IN_CALLERS_CODE.get() {
            would_deadlock();
        }
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cold]
#[inline(never)]
#[allow(clippy::panic, reason = "for the caller's error in the caller's code, not for input")]
fn would_deadlock() -> ! {
    panic!("deadlock: a cache was used by code that runs under the lock of a cache")
}

/// This thread runs the caller's code under a lock, for as long as this lives.
pub(super) struct CallersCode(());

impl CallersCode {
    /// To be called with the lock taken, so there is no other one of this thread.
    #[inline]
    pub(super) fn enter() -> Self {
        IN_CALLERS_CODE.set(true);
        Self(())
    }
}

impl Drop for CallersCode {
    #[inline]
    fn drop(&mut self) {
        IN_CALLERS_CODE.set(false);
    }
}
