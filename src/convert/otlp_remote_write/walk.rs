//! The walk over a request, from resources down to points.

use super::append::push_sample;
use super::labels::{Does, Labels};
use super::loss::{Loss, LossKind};
use super::name::{MetricName, NameKind};
use super::name_cache::NameCache;
use super::scratch::Scratch;
use super::settings::Settings;
use super::times::{Times, milliseconds_down};
use crate::otlp::Attributes;
use crate::otlp::metrics::{
    AggregationTemporality, ExportMetricsServiceRequest, Metric, MetricData, ResourceMetrics,
    ScopeMetrics,
};
use crate::remote_write::v1::{Appender, MetricMetadata, append_label};
use crate::remote_write::{Label, METRIC_NAME, MetricType};
use crate::wire::message::Encode;

/// The attributes of a resource that `job` and `instance` are made of.
const SERVICE_NAME: &str = "service.name";
const SERVICE_NAMESPACE: &str = "service.namespace";
const SERVICE_INSTANCE_ID: &str = "service.instance.id";
const IDENTIFYING: [&str; 3] = [SERVICE_NAMESPACE, SERVICE_NAME, SERVICE_INSTANCE_ID];

const JOB: &str = "job";
const INSTANCE: &str = "instance";
const TYPE: &str = "__type__";
const UNIT: &str = "__unit__";
const TARGET_INFO: &str = "target_info";

/// A walk over one request.
pub(super) struct Walk<'t, R> {
    pub(super) settings: &'t Settings,
    names: &'t mut NameCache,
    pub(super) appender: &'t mut Appender,
    pub(super) labels: Labels<'t>,
    pub(super) scratch: &'t mut Scratch,
    /// Whether the labels around have changed since they were put in order.
    stale_steps: bool,
    /// Work that leaves no bytes.
    pub(super) spent: usize,
    /// What output and work may come to.
    pub(super) cap: usize,
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

impl<'t, R: FnMut(Loss)> Walk<'t, R> {
    pub(super) fn new(
        settings: &'t Settings,
        names: &'t mut NameCache,
        appender: &'t mut Appender,
        labels: Labels<'t>,
        scratch: &'t mut Scratch,
        cap: usize,
        report: R,
    ) -> Self {
        Self {
            settings,
            names,
            appender,
            labels,
            scratch,
            stale_steps: true,
            spent: 0,
            cap,
            place: Place::default(),
            overflow: None,
            report,
        }
    }

    /// The memory, for the next walk.
    pub(super) fn into_labels(self) -> Labels<'static> {
        self.labels.recycle()
    }

    pub(super) fn request(&mut self, request: &'t ExportMetricsServiceRequest<'t>) {
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
            let timestamp = milliseconds_down(time);
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

pub(super) fn check_output(appender: &Appender, spent: usize, cap: usize) -> Result<(), LossKind> {
    let bytes = appender.encoded_len();
    if bytes.saturating_add(spent) > cap { Err(LossKind::OutputTooLarge) } else { Ok(()) }
}
