//! The series of one point of each kind.

use super::append::{check_exemplars, push_exemplar, push_sample, without_negative_zero};
use super::buckets::Layout;
use super::loss::{Loss, LossKind};
use super::scratch::Scratch;
use super::times::milliseconds;
use super::walk::{Walk, check_output};
use crate::otlp::Attributes;
use crate::otlp::metrics::{
    self as otlp, Exemplars, ExponentialHistogramDataPoint, HistogramDataPoint, NumberDataPoint,
    SummaryDataPoint,
};
use crate::remote_write::v1::{Appender, SeriesId};
use crate::remote_write::{Count, Histogram, Label, ResetHint, STALE_NAN_BITS};

/// The value of a series that has ended.
const STALE_NAN: f64 = f64::from_bits(STALE_NAN_BITS);

const BUCKET_BOUND: &str = "le";
const QUANTILE: &str = "quantile";

/// The width of the zero bucket of native histograms, unless their bounds are their own.
const ZERO_THRESHOLD: f64 = 1e-128;

/// The longest time, in milliseconds, that a start time may be before its point.
const MAX_START_AGE: i64 = 5 * 60 * 1000;

/// The finest resolution of native histograms, and the coarsest.
const MAX_SCALE: i32 = 8;
const MIN_SCALE: i32 = -4;

/// The schema of native histograms with bounds of their own.
const CUSTOM_BUCKETS: i32 = -53;

impl<'t, R: FnMut(Loss)> Walk<'t, R> {
    fn created_timestamp(&self, start_time_unix_nano: u64, timestamp: i64) -> i64 {
        let start = milliseconds(start_time_unix_nano);
        let age = timestamp.checked_sub(start);
        let is_kept = self.settings.start_timestamps
            && start >= 0
            && age.is_some_and(|age| (0..=MAX_START_AGE).contains(&age));
        if is_kept { start } else { 0 }
    }

    pub(super) fn gauge(&mut self, point: NumberDataPoint<'t, 't>) -> Result<(), LossKind> {
        self.number(&point).map(drop)
    }

    pub(super) fn sum(&mut self, point: NumberDataPoint<'t, 't>) -> Result<(), LossKind> {
        check_exemplars(point.exemplars)?;
        let series = self.number(&point)?;
        for exemplar in point.exemplars.iter() {
            push_exemplar(self.appender, self.scratch, series, &exemplar)?;
        }
        Ok(())
    }

    fn number(&mut self, point: &NumberDataPoint<'t, 't>) -> Result<SeriesId, LossKind> {
        let timestamp = milliseconds(point.time_unix_nano);
        let created = self.created_timestamp(point.start_time_unix_nano, timestamp);
        let value = match point.value {
            _ if point.has_no_recorded_value() => STALE_NAN,
            value => value.map_or(0.0, otlp::NumberValue::as_f64),
        };
        let frame = self.labels.point(point.attributes, "", |_| true)?;
        let name = &self.scratch.name_labels.plain;
        let series = self.appender.series(created, |out| frame.write(out, name));
        push_sample(self.appender, series, value, timestamp);
        Ok(series)
    }

    pub(super) fn histogram(&mut self, point: HistogramDataPoint<'t, 't>) -> Result<(), LossKind> {
        let timestamp = milliseconds(point.time_unix_nano);
        let created = self.created_timestamp(point.start_time_unix_nano, timestamp);
        let recorded = !point.has_no_recorded_value();
        let value = |value| if recorded { value } else { STALE_NAN };
        let Self { appender, labels, scratch, spent, cap, .. } = self;
        let frame = labels.point(point.attributes, BUCKET_BOUND, |_| true)?;
        let push = |appender: &mut Appender, name: &[u8], own: Option<&str>, sample: f64| {
            let series = appender.series(created, |out| match own {
                None => frame.write(out, name),
                Some(bound) => frame.write_with(out, name, Label::new(BUCKET_BOUND, bound)),
            });
            push_sample(appender, series, value(sample), timestamp);
            series
        };
        if let Some(sum) = point.sum {
            push(appender, &scratch.name_labels.sum, None, sum);
        }
        push(appender, &scratch.name_labels.count, None, count_to_double(point.count));
        check_exemplars(point.exemplars)?;
        let mut exemplars = point.exemplars.iter().peekable();
        let mut sum = 0_u64;
        let buckets = point.explicit_bounds.iter().zip(point.bucket_counts);
        for (place, (&bound, &count)) in buckets.enumerate() {
            check_output(appender, *spent, *cap)?;
            sum = sum.wrapping_add(count);
            let text = scratch.bounds.get(place, bound);
            let name = &scratch.name_labels.bucket;
            let series = push(appender, name, Some(text), count_to_double(sum));
            // A NaN is above no bound.
            let is_above = |exemplar: &otlp::Exemplar<'_, '_>| {
                exemplar.value.is_some_and(|value| value.as_f64() > bound)
            };
            while let Some(exemplar) = exemplars.next_if(|exemplar| !is_above(exemplar)) {
                push_exemplar(appender, scratch, series, &exemplar)?;
            }
        }
        let name = &scratch.name_labels.bucket;
        let series = push(appender, name, Some("+Inf"), count_to_double(point.count));
        for exemplar in exemplars {
            push_exemplar(appender, scratch, series, &exemplar)?;
        }
        Ok(())
    }

    pub(super) fn summary(&mut self, point: SummaryDataPoint<'t, 't>) -> Result<(), LossKind> {
        let timestamp = milliseconds(point.time_unix_nano);
        let created = self.created_timestamp(point.start_time_unix_nano, timestamp);
        let recorded = !point.has_no_recorded_value();
        let value = |value| if recorded { value } else { STALE_NAN };
        let Self { appender, labels, scratch, spent, cap, .. } = self;
        let frame = labels.point(point.attributes, QUANTILE, |_| true)?;
        let names = &scratch.name_labels;
        for (name, sample) in
            [(&names.sum, point.sum), (&names.count, count_to_double(point.count))]
        {
            let series = appender.series(created, |out| frame.write(out, name));
            push_sample(appender, series, value(sample), timestamp);
        }
        for (place, quantile) in point.quantile_values.iter().enumerate() {
            check_output(appender, *spent, *cap)?;
            let text = scratch.bounds.get(place, quantile.quantile);
            let own = Label::new(QUANTILE, text);
            let series = appender.series(created, |out| frame.write_with(out, &names.plain, own));
            push_sample(appender, series, value(quantile.value), timestamp);
        }
        Ok(())
    }

    pub(super) fn exponential(
        &mut self,
        point: ExponentialHistogramDataPoint<'t, 't>,
        is_delta: bool,
    ) -> Result<(), LossKind> {
        if point.scale < MIN_SCALE {
            return Err(LossKind::UnsupportedScale);
        }
        check_exemplars(point.exemplars)?;
        let schema = point.scale.min(MAX_SCALE);
        let scale_down = point.scale.saturating_sub(schema).unsigned_abs();
        let Scratch { positive, negative, .. } = self.scratch;
        for (buckets, side) in [(point.positive, positive), (point.negative, negative)] {
            let buckets = buckets.unwrap_or_default();
            side.convert(
                buckets.bucket_counts.iter().copied(),
                buckets.offset,
                scale_down,
                Layout::Exponential,
            );
        }
        let histogram = Native {
            schema,
            zero_threshold: ZERO_THRESHOLD,
            zero_count: point.zero_count,
            count: point.count,
            sum: point.sum.unwrap_or(0.0),
            custom: false,
            is_delta,
            recorded: !point.has_no_recorded_value(),
            times: (point.start_time_unix_nano, point.time_unix_nano),
        };
        self.native(point.attributes, point.exemplars, &histogram)
    }

    pub(super) fn custom_buckets(
        &mut self,
        point: HistogramDataPoint<'t, 't>,
        is_delta: bool,
    ) -> Result<(), LossKind> {
        check_exemplars(point.exemplars)?;
        let Scratch { positive, negative, custom_values, .. } = &mut *self.scratch;
        let empty = point.bucket_counts.iter().take_while(|count| **count == 0).count();
        let offset = i32::try_from(empty).unwrap_or(i32::MAX);
        positive.convert(
            point.bucket_counts.iter().skip(empty).copied(),
            offset,
            0,
            Layout::Custom,
        );
        negative.clear();
        custom_values.clear();
        custom_values.extend_from_slice(point.explicit_bounds);
        let histogram = Native {
            schema: CUSTOM_BUCKETS,
            zero_threshold: 0.0,
            zero_count: 0,
            count: point.count,
            sum: point.sum.unwrap_or(0.0),
            custom: true,
            is_delta,
            recorded: !point.has_no_recorded_value(),
            times: (point.start_time_unix_nano, point.time_unix_nano),
        };
        self.native(point.attributes, point.exemplars, &histogram)
    }

    /// Appends the native histogram whose buckets are in the scratch memory.
    fn native(
        &mut self,
        attributes: Attributes<'t, 't>,
        exemplars: Exemplars<'t, 't>,
        native: &Native,
    ) -> Result<(), LossKind> {
        let (start_time, time) = native.times;
        let timestamp = milliseconds(time);
        let created = self.created_timestamp(start_time, timestamp);
        let Self { appender, labels, scratch, .. } = self;
        let frame = labels.point(attributes, "", |_| true)?;
        let name = &scratch.name_labels.plain;
        let series = appender.series(created, |out| frame.write(out, name));
        let (count, sum) = if native.recorded {
            (native.count, without_negative_zero(native.sum))
        } else {
            (STALE_NAN.to_bits(), STALE_NAN)
        };
        let histogram = Histogram {
            count: Some(Count::Int(count)),
            sum,
            schema: native.schema,
            zero_threshold: native.zero_threshold,
            zero_count: Some(Count::Int(native.zero_count)),
            negative_spans: &scratch.negative.spans,
            negative_deltas: &scratch.negative.deltas,
            positive_spans: &scratch.positive.spans,
            positive_deltas: &scratch.positive.deltas,
            reset_hint: if native.is_delta { ResetHint::GAUGE } else { ResetHint::default() },
            timestamp,
            custom_values: if native.custom { &scratch.custom_values } else { &[] },
            ..Histogram::default()
        };
        appender.push_histogram(series, &histogram);
        for exemplar in exemplars.iter() {
            push_exemplar(appender, scratch, series, &exemplar)?;
        }
        Ok(())
    }
}

/// A native histogram, but for its buckets.
struct Native {
    schema: i32,
    zero_threshold: f64,
    zero_count: u64,
    count: u64,
    sum: f64,
    custom: bool,
    is_delta: bool,
    recorded: bool,
    /// The start and the time, in nanoseconds.
    times: (u64, u64),
}

// Rounds, as it does in Go.
#[allow(clippy::as_conversions)]
const fn count_to_double(count: u64) -> f64 {
    count as f64
}
