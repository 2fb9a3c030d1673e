//! Logs and progress bars, both on standard error and not in each other's way.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::MultiProgress;
use tracing::error;
use tracing::level_filters::LevelFilter;

/// All progress bars. They show on a terminal only.
pub static BARS: LazyLock<MultiProgress> = LazyLock::new(MultiProgress::new);

/// Starts to log what is at least as grave as `level`.
pub fn start(level: LevelFilter) {
    let logs = tracing_subscriber::fmt()
        .compact()
        .with_target(false)
        .with_max_level(level)
        .with_ansi(io::stderr().is_terminal())
        .with_writer(|| BesideBars);
    // An error means that somebody else logs already, as a test may.
    let _ = logs.try_init();
}

/// Standard error, with the progress bars out of the way while something is written.
struct BesideBars;

impl Write for BesideBars {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        BARS.suspend(|| io::stderr().write(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        io::stderr().flush()
    }
}

/// How often what happens again and again is logged.
const THROTTLED: Duration = Duration::from_secs(10);

/// Logs what may happen with every request, at most every ten seconds: a disk that is full must not
/// fill another one with lines.
#[derive(Debug, Default)]
pub struct Throttle(Mutex<Throttled>);

#[derive(Debug, Default)]
struct Throttled {
    logged: Option<Instant>,
    unsaid: u64,
}

impl Throttle {
    /// Has logged nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Logs an error, with how many others there were since the last one that was logged.
    pub fn error(&self, what: &dyn fmt::Display) {
        match self.pass(Instant::now()) {
            None => {}
            Some(0) => error!("{what}"),
            Some(unsaid) => error!("{what} (and {unsaid} more since the last line)"),
        }
    }

    /// Whether it is time for a line, and then how many were left out.
    fn pass(&self, now: Instant) -> Option<u64> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.logged.is_some_and(|logged| now < logged + THROTTLED) {
            state.unsaid += 1;
            return None;
        }
        let unsaid = state.unsaid;
        *state = Throttled { logged: Some(now), unsaid: 0 };
        Some(unsaid)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_now_and_then_and_say_how_many_did_not() {
        let throttle = Throttle::new();
        let start = Instant::now();
        let at = |seconds| throttle.pass(start + Duration::from_secs(seconds));
        assert_eq!([0, 1, 9, 10, 19, 21].map(at), [Some(0), None, None, Some(2), None, Some(1)]);
    }
}
