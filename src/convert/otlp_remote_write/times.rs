//! Times of points.

use crate::otlp::metrics::{Metric, MetricData};

pub(super) const NANOSECONDS: i64 = 1_000_000;

/// Nanoseconds as milliseconds, as points have them: towards zero, and negative from 2^63 on.
pub(super) const fn milliseconds(nanoseconds: u64) -> i64 {
    nanoseconds.cast_signed().wrapping_div(NANOSECONDS)
}

/// Nanoseconds as milliseconds, as exemplars and `target_info` have them: downwards.
pub(super) const fn milliseconds_down(nanoseconds: i64) -> i64 {
    nanoseconds.div_euclid(NANOSECONDS)
}

/// The times of all points of a resource, in nanoseconds.
#[derive(Clone, Copy)]
pub(super) struct Times {
    pub(super) earliest: u64,
    pub(super) latest: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self { earliest: u64::MAX, latest: 0 }
    }
}

impl Times {
    pub(super) fn note(&mut self, metric: &Metric<'_, '_>) {
        match metric.data {
            Some(MetricData::Gauge(it)) => {
                self.note_all(it.data_points.iter().map(|it| it.time_unix_nano))
            }
            Some(MetricData::Sum(it)) => {
                self.note_all(it.data_points.iter().map(|it| it.time_unix_nano))
            }
            Some(MetricData::Histogram(it)) => {
                self.note_all(it.data_points.iter().map(|it| it.time_unix_nano))
            }
            Some(MetricData::ExponentialHistogram(it)) => {
                self.note_all(it.data_points.iter().map(|it| it.time_unix_nano))
            }
            Some(MetricData::Summary(it)) => {
                self.note_all(it.data_points.iter().map(|it| it.time_unix_nano))
            }
            _ => {}
        }
    }

    fn note_all(&mut self, times: impl Iterator<Item = u64>) {
        for time in times {
            self.earliest = self.earliest.min(time);
            self.latest = self.latest.max(time);
        }
    }

    /// How many times from the earliest on, one `step` apart, are before the latest.
    pub(super) fn steps(self, step: i64) -> u64 {
        let (earliest, latest) = (self.earliest.cast_signed(), self.latest.cast_signed());
        if latest > earliest {
            latest.abs_diff(earliest).div_ceil(step.unsigned_abs().max(1))
        } else {
            0
        }
    }
}
