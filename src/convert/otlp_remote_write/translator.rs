//! The walk over a request, from resources down to points.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};
use core::mem;

use hashbrown::HashSet;
use smallvec::SmallVec;

use super::buckets::{Layout, NativeBuckets};
use super::labels::{Does, Labels, ValueText};
use super::loss::{Loss, LossKind};
use super::name::{MetricName, NameKind};
use super::name_cache::NameCache;
use super::settings::Settings;
use super::translated::Translated;
use crate::message::columns::{sum, vec_bytes};
use crate::otlp::Attributes;
use crate::otlp::metrics::{
    self as otlp, AggregationTemporality, Exemplars, ExponentialHistogramDataPoint,
    ExportMetricsServiceRequest, HistogramDataPoint, Metric, MetricData, NumberDataPoint,
    ResourceMetrics, ScopeMetrics, SummaryDataPoint,
};
use crate::remote_write::v1::{Appender, MetricMetadata, SeriesId, append_label};
use crate::remote_write::{
    Count, Exemplar, Extensions, Histogram, Label, METRIC_NAME, MetricType, RequestSource,
    ResetHint, STALE_NAN_BITS, Sample,
};

/// Makes series of metrics. Its memory is used again for the next request.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::convert::otlp_remote_write::{Settings, Translator};
/// use borrowire::otlp::metrics::ExportMetricsServiceRequest;
/// use borrowire::remote_write::v1::WriteRequest;
///
/// let mut translator = Translator::new(Settings::prometheus()); // once
/// let mut buffer = vec![0; 4096];
///
/// # let body = b"";
/// let request = ExportMetricsServiceRequest::decode(body)?;
/// let translated = translator.translate(&request, |loss| eprintln!("{loss}"));
/// let len = translated.encode(&mut buffer)?;
///
/// let written = WriteRequest::decode(&buffer[..len])?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct Translator {
    settings: Settings,
    names: NameCache,
    appender: Appender,
    labels: Labels<'static>,
    scratch: Scratch,
}

/// What a walk needs, and the next one uses again.
#[derive(Default)]
struct Scratch {
    /// The texts of one exemplar, or a metric's name with its suffix.
    text: String,
    value_text: ValueText,
    name_labels: NameLabels,
    positive: NativeBuckets,
    negative: NativeBuckets,
    bounds: BoundTexts,
    custom_values: Vec<f64>,
    /// The samples of `target_info` that are there.
    target_info: HashSet<(SeriesId, i64)>,
}

/// The label `__name__` of each series of a metric, as a field.
#[derive(Default)]
struct NameLabels {
    plain: Vec<u8>,
    sum: Vec<u8>,
    count: Vec<u8>,
    bucket: Vec<u8>,
}

impl NameLabels {
    fn make(&mut self, name: &str, text: &mut String) {
        for (label, suffix) in [
            (&mut self.plain, ""),
            (&mut self.sum, "_sum"),
            (&mut self.count, "_count"),
            (&mut self.bucket, "_bucket"),
        ] {
            text.clear();
            text.push_str(name);
            text.push_str(suffix);
            label.clear();
            // An empty value is none: without escaping a metric can have no name.
            if !text.is_empty() {
                append_label(label, Label::new(METRIC_NAME, text));
            }
        }
    }
}

/// Bounds as text: histograms of a metric have the same.
#[derive(Default)]
struct BoundTexts {
    column: String,
    /// At each place the last bound's bits, and where its text is.
    last: Vec<(u64, usize, usize)>,
}

impl BoundTexts {
    fn clear(&mut self) {
        self.column.clear();
        self.last.clear();
    }

    fn get(&mut self, place: usize, bound: f64) -> &str {
        let bits = bound.to_bits();
        let (start, end) = match self.last.get(place) {
            Some(&(last, start, end)) if last == bits => (start, end),
            _ => {
                let start = self.column.len();
                write_float(&mut self.column, bound);
                let made = (bits, start, self.column.len());
                match self.last.get_mut(place) {
                    Some(last) => *last = made,
                    None => self.last.push(made),
                }
                (start, self.column.len())
            }
        };
        self.column.get(start..end).unwrap_or_default()
    }
}

/// A number as Prometheus has it in labels: without an exponent.
fn write_float(out: &mut String, value: f64) {
    // Writing to a `String` cannot fail.
    let _ = if value.is_infinite() {
        out.write_str(if value > 0.0 { "+Inf" } else { "-Inf" })
    } else {
        write!(out, "{value}")
    };
}

impl Translator {
    /// A translator without memory yet.
    #[must_use]
    pub fn new(settings: Settings) -> Self {
        Self { settings, ..Self::default() }
    }

    /// Its settings.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The series of `request`. What does not become series goes to `report`, and the rest goes on.
    pub fn translate(
        &mut self,
        request: &ExportMetricsServiceRequest<'_>,
        report: impl FnMut(Loss),
    ) -> Translated<'_> {
        let Self { settings, names, appender, labels, scratch } = self;
        appender.clear();
        appender.extensions = Extensions::new().with_source(RequestSource::OTLP);
        scratch.bounds.clear();
        scratch.target_info.clear();
        scratch.value_text.set(settings);
        let cap = request.body().len().saturating_mul(settings.max_expansion);
        let mut walk = Walk {
            settings,
            names,
            appender,
            labels: mem::take(labels).for_request(settings),
            scratch,
            stale_steps: true,
            spent: 0,
            cap: cap.max(settings.min_output),
            place: Place::default(),
            overflow: None,
            report,
        };
        walk.request(request);
        *labels = walk.labels.recycle();
        Translated::new(appender)
    }

    /// Heap bytes that the translator holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        let scratch = &self.scratch;
        let names = &scratch.name_labels;
        sum([
            self.names.capacity_bytes(),
            self.appender.capacity_bytes(),
            self.labels.capacity_bytes(),
            scratch.text.capacity(),
            scratch.value_text.capacity_bytes(),
            vec_bytes(&names.plain),
            vec_bytes(&names.sum),
            vec_bytes(&names.count),
            vec_bytes(&names.bucket),
            scratch.bounds.column.capacity(),
            vec_bytes(&scratch.bounds.last),
            vec_bytes(&scratch.custom_values),
            scratch.positive.capacity_bytes(),
            scratch.negative.capacity_bytes(),
            scratch.target_info.allocation_size(),
        ])
    }
}

impl fmt::Debug for Translator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Translator")
            .field("settings", &self.settings)
            .field("capacity_bytes", &self.capacity_bytes())
            .finish()
    }
}

/// A walk over one request.
struct Walk<'t, R> {
    settings: &'t Settings,
    names: &'t mut NameCache,
    appender: &'t mut Appender,
    labels: Labels<'t>,
    scratch: &'t mut Scratch,
    /// Whether the labels around have changed since they were put in order.
    stale_steps: bool,
    /// Work that leaves no bytes.
    spent: usize,
    /// What output and work may come to.
    cap: usize,
    place: Place,
    /// The loss of all that is behind the point where the output was full.
    overflow: Option<Loss>,
    report: R,
}

/// Where the walk is.
#[derive(Clone, Copy, Default)]
struct Place {
    resource: usize,
    scope: Option<usize>,
    metric: Option<usize>,
    point: Option<usize>,
}

/// The attributes of a resource that `job` and `instance` are made of.
const SERVICE_NAME: &str = "service.name";
const SERVICE_NAMESPACE: &str = "service.namespace";
const SERVICE_INSTANCE_ID: &str = "service.instance.id";
const IDENTIFYING: [&str; 3] = [SERVICE_NAMESPACE, SERVICE_NAME, SERVICE_INSTANCE_ID];

const JOB: &str = "job";
const INSTANCE: &str = "instance";
const TYPE: &str = "__type__";
const UNIT: &str = "__unit__";
/// The value of a series that has ended.
const STALE_NAN: f64 = f64::from_bits(STALE_NAN_BITS);

const BUCKET_BOUND: &str = "le";
const QUANTILE: &str = "quantile";
const TARGET_INFO: &str = "target_info";

/// The width of the zero bucket of all native histograms.
const ZERO_THRESHOLD: f64 = 1e-128;

/// The longest time, in milliseconds, that a start time may be before its point.
const MAX_START_AGE: i64 = 5 * 60 * 1000;

/// The finest resolution of native histograms, and the coarsest.
const MAX_SCALE: i32 = 8;
const MIN_SCALE: i32 = -4;

/// The schema of native histograms with bounds of their own.
const CUSTOM_BUCKETS: i32 = -53;

impl<'t, R: FnMut(Loss)> Walk<'t, R> {
    fn request(&mut self, request: &'t ExportMetricsServiceRequest<'t>) {
        for (resource, resource_metrics) in request.resource_metrics().iter().enumerate() {
            self.place = Place { resource, ..Place::default() };
            self.resource(resource_metrics);
        }
        if let Some(overflow) = self.overflow {
            (self.report)(overflow);
        }
    }

    /// Reports that `points` are lost from where the walk is.
    fn lose(&mut self, kind: LossKind, points: usize) {
        let Place { resource, scope, metric, point } = self.place;
        match &mut self.overflow {
            Some(overflow) => overflow.points = overflow.points.saturating_add(points),
            None => {
                let loss = Loss { kind, resource, scope, metric, point, points };
                if kind == LossKind::OutputTooLarge {
                    self.overflow = Some(loss);
                } else {
                    (self.report)(loss);
                }
            }
        }
    }

    fn resource(&mut self, resource_metrics: ResourceMetrics<'t, 't>) {
        let attributes = resource_metrics.resource.unwrap_or_default().attributes;
        let around = self.labels.mark();
        let scopes = resource_metrics.scope_metrics;
        let mut pushed = self.push_promoted(attributes);
        if pushed.is_ok() {
            pushed = self.push_identity(attributes);
        }
        if let Err(kind) = pushed {
            let points = scopes.iter().flat_map(|scope| scope.metrics.iter()).map(points).sum();
            self.lose(kind, points);
        } else {
            let mut times = Times::default();
            for (scope, scope_metrics) in scopes.iter().enumerate() {
                self.place.scope = Some(scope);
                self.scope(scope_metrics, &mut times);
            }
            self.place = Place { resource: self.place.resource, ..Place::default() };
            self.labels.back_to(around);
            if self.settings.target_info
                && times.earliest != u64::MAX
                && self.overflow.is_none()
                && let Err(kind) = self.target_info(attributes, times)
            {
                self.lose(kind, 0);
            }
        }
        self.labels.back_to(around);
        self.stale_steps = true;
    }

    fn push_promoted(&mut self, attributes: Attributes<'t, 't>) -> Result<(), LossKind> {
        for attribute in attributes.iter() {
            if self.settings.promotion.promotes(attribute.key) {
                self.labels.push_attribute(Does::Promote, "", attribute.key, attribute.value)?;
            }
        }
        Ok(())
    }

    /// Has the labels `job` and `instance`, and those that all series get.
    fn push_identity(&mut self, attributes: Attributes<'t, 't>) -> Result<(), LossKind> {
        let find = |key| attributes.iter().find(|attribute| attribute.key == key);
        if let Some(name) = find(SERVICE_NAME) {
            let namespace = find(SERVICE_NAMESPACE);
            let prefix = namespace.map(|namespace| (namespace.value, "/"));
            self.labels.push_texts(JOB, prefix, name.value)?;
        }
        if let Some(id) = find(SERVICE_INSTANCE_ID) {
            self.labels.push_texts(INSTANCE, None, id.value)?;
        }
        for (name, value) in &self.settings.external_labels {
            self.labels.push(Does::Default, name, value);
        }
        Ok(())
    }

    fn scope(&mut self, scope_metrics: ScopeMetrics<'t, 't>, times: &mut Times) {
        let around = self.labels.mark();
        if self.settings.promote_scope_metadata
            && let Err(kind) = self.push_scope(&scope_metrics)
        {
            self.lose(kind, scope_metrics.metrics.iter().map(points).sum());
        } else {
            self.stale_steps = true;
            for (position, metric) in scope_metrics.metrics.iter().enumerate() {
                times.note(&metric);
                self.place.metric = Some(position);
                self.place.point = None;
                let total = points(metric);
                if self.overflow.is_some() {
                    self.lose(LossKind::OutputTooLarge, total);
                } else if let Err(kind) = self.metric(&metric) {
                    let before = self.place.point.unwrap_or(0);
                    self.lose(kind, total.saturating_sub(before));
                }
            }
            self.place.metric = None;
            self.place.point = None;
        }
        self.labels.back_to(around);
        self.stale_steps = true;
    }

    fn push_scope(&mut self, scope_metrics: &ScopeMetrics<'t, 't>) -> Result<(), LossKind> {
        let scope = scope_metrics.scope.unwrap_or_default();
        if scope.name.is_empty() {
            return Ok(());
        }
        for attribute in scope.attributes.iter() {
            self.labels.push_attribute(Does::Set, "otel_scope_", attribute.key, attribute.value)?;
        }
        self.labels.push(Does::Set, "otel_scope_name", scope.name);
        self.labels.push(Does::Set, "otel_scope_version", scope.version);
        self.labels.push(Does::Set, "otel_scope_schema_url", scope_metrics.schema_url);
        Ok(())
    }

    fn metric(&mut self, metric: &Metric<'t, 't>) -> Result<(), LossKind> {
        let Some(data) = metric.data else { return Err(LossKind::NoData) };
        let about = About::of(&data);
        let is_delta = match about.temporality {
            None | Some(AggregationTemporality::CUMULATIVE) => false,
            Some(AggregationTemporality::DELTA) if self.settings.allow_delta_temporality => true,
            Some(_) => return Err(LossKind::InvalidTemporality),
        };
        let name = MetricName { name: metric.name, unit: metric.unit, kind: about.name_kind };
        let names = self.names.find(&name, self.settings);
        let names = names.map_err(|_| LossKind::InvalidMetricName)?;
        if points(*metric) == 0 {
            return Err(LossKind::NoDataPoints);
        }
        let metric_type = if is_delta { MetricType::UNKNOWN } else { about.metric_type };
        self.scratch.name_labels.make(self.names.metric(names), &mut self.scratch.text);
        let around = self.labels.mark();
        if self.settings.type_and_unit_labels {
            if metric_type != MetricType::UNKNOWN {
                self.labels.push(Does::Set, TYPE, type_name(metric_type));
            }
            self.labels.push_copy(UNIT, self.names.unit(names));
            self.stale_steps = true;
        }
        let before = self.appender.values_count();
        let translated = match data {
            MetricData::Gauge(gauge) => self.each(gauge.data_points.iter(), Self::gauge),
            MetricData::Sum(sum) => self.each(sum.data_points.iter(), Self::sum),
            MetricData::Histogram(histogram) if self.settings.convert_histograms_to_nhcb => self
                .each(histogram.data_points.iter(), |walk, point| {
                    walk.custom_buckets(point, is_delta)
                }),
            MetricData::Histogram(histogram) => {
                self.each(histogram.data_points.iter(), Self::histogram)
            }
            MetricData::ExponentialHistogram(histogram) => self
                .each(histogram.data_points.iter(), |walk, point| {
                    walk.exponential(point, is_delta)
                }),
            MetricData::Summary(summary) => self.each(summary.data_points.iter(), Self::summary),
        };
        if self.appender.values_count() != before {
            let metadata = MetricMetadata::new(metric_type, self.names.metric(names))
                .with_help(metric.description)
                .with_unit(self.names.unit(names));
            self.appender.push_metadata(&metadata);
        }
        self.labels.back_to(around);
        self.stale_steps |= self.settings.type_and_unit_labels;
        translated
    }

    fn each<P>(
        &mut self,
        points: impl Iterator<Item = P>,
        mut translate: impl FnMut(&mut Self, P) -> Result<(), LossKind>,
    ) -> Result<(), LossKind> {
        for (position, point) in points.enumerate() {
            self.place.point = Some(position);
            if self.stale_steps {
                self.spend(self.labels.unmerged_steps());
                self.labels.merge_steps();
                self.stale_steps = false;
            }
            self.spend(self.labels.steps());
            self.check_output()?;
            translate(self, point)?;
        }
        Ok(())
    }

    fn spend(&mut self, work: usize) {
        self.spent = self.spent.saturating_add(work);
    }

    fn check_output(&self) -> Result<(), LossKind> {
        check_output(self.appender, self.spent, self.cap)
    }

    fn created_timestamp(&self, start_time_unix_nano: u64, timestamp: i64) -> i64 {
        let start = milliseconds(start_time_unix_nano);
        let age = timestamp.checked_sub(start);
        let is_kept = self.settings.start_timestamps
            && start >= 0
            && age.is_some_and(|age| (0..=MAX_START_AGE).contains(&age));
        if is_kept { start } else { 0 }
    }

    fn gauge(&mut self, point: NumberDataPoint<'t, 't>) -> Result<(), LossKind> {
        self.number(&point).map(drop)
    }

    fn sum(&mut self, point: NumberDataPoint<'t, 't>) -> Result<(), LossKind> {
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

    fn histogram(&mut self, point: HistogramDataPoint<'t, 't>) -> Result<(), LossKind> {
        let timestamp = milliseconds(point.time_unix_nano);
        let created = self.created_timestamp(point.start_time_unix_nano, timestamp);
        let recorded = !point.has_no_recorded_value();
        let value = |value| if recorded { value } else { STALE_NAN };
        let Self { appender, labels, scratch, spent, cap, .. } = self;
        let frame = labels.point(point.attributes, BUCKET_BOUND, |_| true)?;
        let push = |appender: &mut Appender, name: &Vec<u8>, own: Option<&str>, sample: f64| {
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

    fn summary(&mut self, point: SummaryDataPoint<'t, 't>) -> Result<(), LossKind> {
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

    fn exponential(
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

    fn custom_buckets(
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

    /// Appends `target_info`, which says what is known of a resource, over the time of its points.
    fn target_info(
        &mut self,
        attributes: Attributes<'t, 't>,
        times: Times,
    ) -> Result<(), LossKind> {
        let identifying = IDENTIFYING.iter().filter(|key| attributes.value(key).is_some()).count();
        if attributes.len() <= identifying {
            return Ok(());
        }
        self.push_identity(attributes)?;
        if self.settings.type_and_unit_labels {
            self.labels.push(Does::Set, TYPE, "");
        }
        self.labels.merge_steps();
        self.stale_steps = true;
        self.spend(self.labels.steps());
        let Self { appender, labels, scratch, settings, .. } = self;
        let keeps = settings.keep_identifying_resource_attributes;
        let is_label = |key: &str| keeps || !IDENTIFYING.contains(&key);
        let frame = labels.point(attributes, "", is_label)?;
        if !frame.has(JOB) && !frame.has(INSTANCE) {
            return Ok(());
        }
        let text = &mut scratch.text;
        text.clear();
        if !settings.namespace.is_empty() {
            text.push_str(&settings.namespace);
            text.push('_');
        }
        text.push_str(TARGET_INFO);
        let name = &mut scratch.name_labels.plain;
        name.clear();
        append_label(name, Label::new(METRIC_NAME, text));
        let series = appender.series(0, |out| frame.write(out, name));
        let metadata = MetricMetadata::new(MetricType::GAUGE, text).with_help("Target metadata");
        let (earliest, latest) = (times.earliest.cast_signed(), times.latest.cast_signed());
        let (steps, step) = (times.steps(settings.target_info_step()), settings.target_info_step());
        let kept = u64::try_from(settings.max_target_info_samples).unwrap_or(u64::MAX);
        let first = steps.saturating_sub(kept.saturating_sub(1));
        let before = appender.values_count();
        let stepped =
            (first..steps).map(|at| earliest.wrapping_add(step.wrapping_mul(at.cast_signed())));
        for time in stepped.chain([latest]) {
            let timestamp = time.div_euclid(NANOSECONDS);
            if scratch.target_info.insert((series, timestamp)) {
                push_sample(appender, series, 1.0, timestamp);
            }
            check_output(appender, self.spent, self.cap)?;
        }
        if appender.values_count() != before {
            appender.push_metadata(&metadata);
        }
        if first > 0 { Err(LossKind::TargetInfoTooLong) } else { Ok(()) }
    }
}

/// What is the same of all metrics of a type.
struct About {
    temporality: Option<AggregationTemporality>,
    name_kind: NameKind,
    metric_type: MetricType,
}

impl About {
    fn of(data: &MetricData<'_, '_>) -> Self {
        let (temporality, name_kind, metric_type) = match data {
            MetricData::Gauge(_) => (None, NameKind::Gauge, MetricType::GAUGE),
            MetricData::Sum(sum) if sum.is_monotonic => {
                (Some(sum.aggregation_temporality), NameKind::Counter, MetricType::COUNTER)
            }
            MetricData::Sum(sum) => {
                (Some(sum.aggregation_temporality), NameKind::Other, MetricType::GAUGE)
            }
            MetricData::Histogram(histogram) => {
                (Some(histogram.aggregation_temporality), NameKind::Other, MetricType::HISTOGRAM)
            }
            MetricData::ExponentialHistogram(histogram) => {
                (Some(histogram.aggregation_temporality), NameKind::Other, MetricType::HISTOGRAM)
            }
            MetricData::Summary(_) => (None, NameKind::Other, MetricType::SUMMARY),
        };
        Self { temporality, name_kind, metric_type }
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

/// The times of all points of a resource, in nanoseconds.
#[derive(Clone, Copy)]
struct Times {
    earliest: u64,
    latest: u64,
}

impl Default for Times {
    fn default() -> Self {
        Self { earliest: u64::MAX, latest: 0 }
    }
}

impl Times {
    fn note(&mut self, metric: &Metric<'_, '_>) {
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
    fn steps(self, step: i64) -> u64 {
        let (earliest, latest) = (self.earliest.cast_signed(), self.latest.cast_signed());
        if latest > earliest {
            latest.abs_diff(earliest).div_ceil(step.unsigned_abs().max(1))
        } else {
            0
        }
    }
}

fn points(metric: Metric<'_, '_>) -> usize {
    match metric.data {
        Some(MetricData::Gauge(gauge)) => gauge.data_points.len(),
        Some(MetricData::Sum(sum)) => sum.data_points.len(),
        Some(MetricData::Histogram(histogram)) => histogram.data_points.len(),
        Some(MetricData::ExponentialHistogram(histogram)) => histogram.data_points.len(),
        Some(MetricData::Summary(summary)) => summary.data_points.len(),
        _ => 0,
    }
}

const fn type_name(metric_type: MetricType) -> &'static str {
    match metric_type {
        MetricType::COUNTER => "counter",
        MetricType::GAUGE => "gauge",
        MetricType::HISTOGRAM => "histogram",
        MetricType::SUMMARY => "summary",
        _ => "unknown",
    }
}

const NANOSECONDS: i64 = 1_000_000;

/// Nanoseconds as milliseconds, as points have them: towards zero, and negative from 2^63 on.
const fn milliseconds(nanoseconds: u64) -> i64 {
    nanoseconds.cast_signed().wrapping_div(NANOSECONDS)
}

// Rounds, as it does in Go.
#[allow(clippy::as_conversions)]
const fn count_to_double(count: u64) -> f64 {
    count as f64
}

/// Prometheus leaves negative zeros out.
fn without_negative_zero(value: f64) -> f64 {
    if value == 0.0 { 0.0 } else { value }
}

fn check_output(appender: &Appender, spent: usize, cap: usize) -> Result<(), LossKind> {
    let bytes = crate::wire::message::Encode::encoded_len(appender);
    if bytes.saturating_add(spent) > cap { Err(LossKind::OutputTooLarge) } else { Ok(()) }
}

fn push_sample(appender: &mut Appender, series: SeriesId, value: f64, timestamp: i64) {
    appender.push_sample(series, Sample::new(without_negative_zero(value), timestamp));
}

/// An exemplar without a value is not written, nor is what comes behind it.
fn check_exemplars(exemplars: Exemplars<'_, '_>) -> Result<(), LossKind> {
    let complete = exemplars.iter().all(|exemplar| exemplar.value.is_some());
    if complete { Ok(()) } else { Err(LossKind::ExemplarWithoutValue) }
}

/// Characters that the labels of an exemplar may have together.
const MAX_EXEMPLAR_CHARS: usize = 128;

fn push_exemplar(
    appender: &mut Appender,
    scratch: &mut Scratch,
    series: SeriesId,
    exemplar: &otlp::Exemplar<'_, '_>,
) -> Result<(), LossKind> {
    let Scratch { text, value_text, .. } = scratch;
    text.clear();
    // The name of each label, and where its value is.
    let mut labels: SmallVec<[(&str, usize, usize); 16]> = SmallVec::new();
    let mut chars = 0_usize;
    let mut note = |labels: &mut SmallVec<_>, name, start: usize, text: &str| {
        let value = text.get(start..).unwrap_or_default();
        chars = sum([chars, count_chars(name), count_chars(value)]);
        labels.push((name, start, text.len()));
    };
    // Writing to a `String` cannot fail.
    if let Some(id) = exemplar.trace_id.filter(|id| !id.is_zero()) {
        let _ = write!(text, "{id}");
        note(&mut labels, "trace_id", 0, text);
    }
    if let Some(id) = exemplar.span_id.filter(|id| !id.is_zero()) {
        let start = text.len();
        let _ = write!(text, "{id}");
        note(&mut labels, "span_id", start, text);
    }
    let ids = labels.len();
    for attribute in exemplar.filtered_attributes.iter() {
        let start = text.len();
        value_text.push(text, attribute.value)?;
        note(&mut labels, attribute.key, start, text);
    }
    if chars > MAX_EXEMPLAR_CHARS {
        labels.truncate(ids);
    }
    labels.sort_by_key(|(name, ..)| *name);
    let labels: SmallVec<[Label<'_>; 16]> = labels
        .iter()
        .map(|&(name, start, end)| Label::new(name, text.get(start..end).unwrap_or_default()))
        .collect();
    let timestamp = exemplar.time_unix_nano.cast_signed().div_euclid(NANOSECONDS);
    let value = without_negative_zero(exemplar.value.map_or(0.0, otlp::NumberValue::as_f64));
    appender.push_exemplar(series, Exemplar::new(&labels, value, timestamp));
    Ok(())
}

fn count_chars(text: &str) -> usize {
    text.chars().count()
}
