//! Timing and counting, with no idea of what is measured.

use std::hint::black_box;
use std::time::{Duration, Instant};

use crate::allocations::count_allocations;

/// The time of an operation is spent in so many slices; all operations take turns, so that a noisy
/// moment hits all of them alike.
const ROUNDS: u32 = 10;

/// A batch takes at least this long, so that reading the clock does not count.
const BATCH: Duration = Duration::from_micros(20);

/// One stage of one implementation, ready to be run again and again.
pub struct Operation<'a> {
    pub stage: &'static str,
    pub implementation: &'static str,
    run: Box<dyn FnMut(u32) + 'a>,
}

impl<'a> Operation<'a> {
    /// What `operation` returns is dropped, in the time that is measured.
    pub fn new<T>(
        stage: &'static str,
        implementation: &'static str,
        mut operation: impl FnMut() -> T + 'a,
    ) -> Self {
        let run = move |times| {
            for _ in 0..times {
                black_box(operation());
            }
        };
        Self { stage, implementation, run: Box::new(run) }
    }

    fn time(&mut self, times: u32) -> Duration {
        let start = Instant::now();
        (self.run)(times);
        start.elapsed()
    }

    /// How many runs make a batch. Warms up, too.
    fn batch_size(&mut self) -> u32 {
        let mut size = 1;
        self.time(size);
        while self.time(size) < BATCH && size < 1 << 20 {
            size *= 2;
        }
        size
    }

    fn allocations_per_run(&mut self) -> f64 {
        const RUNS: u32 = 4;
        let ((), allocations, _bytes) = count_allocations(|| (self.run)(RUNS));
        allocations as f64 / f64::from(RUNS)
    }
}

/// What one operation took.
pub struct Measurement {
    pub stage: &'static str,
    pub implementation: &'static str,
    pub min_ns: f64,
    pub median_ns: f64,
    pub allocs_per_op: f64,
}

/// Spends `budget` on each operation, then counts its allocations in a pass of its own.
pub fn measure(operations: &mut [Operation<'_>], budget: Duration) -> Vec<Measurement> {
    let sizes = operations.iter_mut().map(Operation::batch_size).collect::<Vec<_>>();
    let mut times = vec![Vec::new(); operations.len()];
    for _ in 0..ROUNDS {
        for ((operation, &size), times) in operations.iter_mut().zip(&sizes).zip(&mut times) {
            // The first batch finds the caches full of what others used.
            operation.time(size);
            let start = Instant::now();
            loop {
                let elapsed = operation.time(size);
                times.push(elapsed.as_nanos() as f64 / f64::from(size));
                if start.elapsed() >= budget / ROUNDS {
                    break;
                }
            }
        }
    }

    let measured = operations.iter_mut().zip(times).map(|(operation, mut times)| {
        times.sort_by(f64::total_cmp);
        Measurement {
            stage: operation.stage,
            implementation: operation.implementation,
            min_ns: times[0],
            median_ns: times[times.len() / 2],
            allocs_per_op: operation.allocations_per_run(),
        }
    });
    measured.collect()
}
