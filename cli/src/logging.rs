//! Logs and progress bars, both on standard error and not in each other's way.

use std::io::{self, IsTerminal, Write};
use std::sync::LazyLock;

use indicatif::MultiProgress;
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
