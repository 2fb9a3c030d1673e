//! The time by which entries expire.

use std::time::Instant;

/// A clock of milliseconds, from whatever moment it counts.
///
/// A clock that goes backwards makes no entry older: its age is then zero.
///
/// ```
/// use std::sync::atomic::{AtomicU64, Ordering};
/// use borrowire::cache::Clock;
///
/// /// A clock that a test moves.
/// struct Manual(AtomicU64);
///
/// impl Clock for Manual {
///     fn now(&self) -> u64 {
///         self.0.load(Ordering::Relaxed)
///     }
/// }
/// # assert_eq!(Manual(AtomicU64::new(7)).now(), 7);
/// ```
pub trait Clock {
    /// The time, in milliseconds.
    fn now(&self) -> u64;
}

impl<C: Clock + ?Sized> Clock for &C {
    fn now(&self) -> u64 {
        (**self).now()
    }
}

/// The operating system's monotonic clock, from when this was made.
///
/// ```
/// use borrowire::cache::{Clock, MonotonicClock};
///
/// let clock = MonotonicClock::new();
/// let before = clock.now();
/// assert!(clock.now() >= before);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MonotonicClock {
    start: Instant,
}

impl MonotonicClock {
    /// A clock that starts at zero.
    #[must_use]
    pub fn new() -> Self {
        Self { start: Instant::now() }
    }
}

impl Default for MonotonicClock {
    fn default() -> Self {
        Self::new()
    }
}

impl Clock for MonotonicClock {
    #[inline]
    fn now(&self) -> u64 {
        u64::try_from(self.start.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}
