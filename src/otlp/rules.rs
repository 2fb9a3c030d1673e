//! What a receiver should refuse or report, beyond being well-formed protobuf: reported, never changed.
//!
//! Source: the comments of opentelemetry-proto, and the data model of metrics and of logs.

use core::fmt;

use super::common::{Attributes, Resource};
use super::logs::{LogRecord, ResourceLogs};
use super::metrics::{
    AggregationTemporality, DataPoint, Exemplars, HistogramDataPoint, Metric, MetricData,
    ResourceMetrics, SummaryDataPoint,
};
use crate::message::violation;

/// What `validate` of both requests looks for: by default all of [`Rule`].
///
/// ```
/// use borrowire::otlp::{Rule, Rules};
///
/// let rules = Rules::new()
///     .without(Rule::MissingTime)
///     .with_times(1_600_000_000_000_000_000, 1_900_000_000_000_000_000);
/// assert!(rules.has(Rule::EmptyKey) && !rules.has(Rule::MissingTime));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// A bit for each rule that is looked for.
    rules: u32,
    /// The earliest time, in nanoseconds since the Unix epoch. Default: none.
    pub min_time_unix_nano: u64,
    /// The latest time, in nanoseconds since the Unix epoch. Default: none.
    pub max_time_unix_nano: u64,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

impl Rules {
    /// All rules, and no bounds of times.
    #[must_use]
    pub const fn new() -> Self {
        Self { rules: u32::MAX, min_time_unix_nano: 0, max_time_unix_nano: u64::MAX }
    }

    /// These rules, and no others.
    #[must_use]
    pub const fn only(rules: &[Rule]) -> Self {
        let mut only = Self { rules: 0, ..Self::new() };
        let mut rest = rules;
        while let [rule, tail @ ..] = rest {
            only.rules |= rule.bit();
            rest = tail;
        }
        only
    }

    /// Does not look for `rule`.
    #[must_use]
    pub const fn without(mut self, rule: Rule) -> Self {
        self.rules &= !rule.bit();
        self
    }

    /// Whether it is looked for `rule`.
    #[must_use]
    pub const fn has(&self, rule: Rule) -> bool {
        self.rules & rule.bit() != 0
    }

    /// Sets [`min_time_unix_nano`](Self::min_time_unix_nano) and
    /// [`max_time_unix_nano`](Self::max_time_unix_nano), both allowed themselves.
    #[must_use]
    pub const fn with_times(mut self, min: u64, max: u64) -> Self {
        self.min_time_unix_nano = min;
        self.max_time_unix_nano = max;
        self
    }
}

/// The rules, with a name for logs and metric labels each.
macro_rules! rules {
    ($($(#[$doc:meta])* $rule:ident = $name:literal,)*) => {
        /// What can be wrong.
        ///
        /// ```
        /// use borrowire::otlp::Rule;
        ///
        /// assert_eq!(Rule::DuplicateKey.as_str(), "duplicate attribute key");
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Rule {
            $($(#[$doc])* $rule,)*
        }

        impl Rule {
            /// All rules.
            pub const ALL: &[Self] = &[$(Self::$rule),*];

            /// A fixed, lower-case name, for logs and metric labels.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self {
                    $(Self::$rule => $name,)*
                }
            }
        }
    };
}

rules! {
    /// An attribute with an empty key.
    EmptyKey = "empty attribute key",
    /// An attribute with the key of one before it, which is among the first 32.
    DuplicateKey = "duplicate attribute key",
    /// A trace id or span id of zeros only.
    ZeroId = "id of zeros",
    /// A point, or a record without either of its times, at time 0.
    MissingTime = "missing time",
    /// A time out of the bounds of [`Rules`].
    TimeOutOfRange = "time out of range",
    /// A severity that has no name.
    UnknownSeverity = "unknown severity",
    /// A metric without a name.
    EmptyMetricName = "empty metric name",
    /// A metric without data.
    MissingData = "metric without data",
    /// A sum or a histogram that does not say what time its values stand for, or says it with a number
    /// that is not known.
    UnspecifiedTemporality = "unspecified temporality",
    /// A point that starts after its time.
    StartAfterTime = "start after time",
    /// A point of a number without a value, which does not say that there is none.
    MissingValue = "missing value",
    /// A histogram whose counts are not one more than its bounds; it may have neither.
    BucketsAndBounds = "bucket counts do not fit bounds",
    /// A histogram whose count is not the sum of its buckets, if it has some.
    CountAndBuckets = "count is not the sum of buckets",
    /// Bounds that do not ascend, or quantiles that do not, or are not from 0 to 1.
    NotAscending = "bounds or quantiles do not ascend",
    /// An exemplar without a value.
    ExemplarWithoutValue = "exemplar without value",
}

impl Rule {
    const fn bit(self) -> u32 {
        // Fewer than 32.
        #[allow(clippy::as_conversions)]
        1_u32.wrapping_shl(self as u32)
    }
}

const _: () = assert!(Rule::ALL.len() <= 32);

/// What is wrong, and where in a resource. Positions count from 0, in wire order.
///
/// ```
/// use borrowire::otlp::logs::ResourceLogs;
/// use borrowire::otlp::{Attributes, KeyValue, Resource, Rule, Rules, validate_resource_logs};
///
/// let attributes = [KeyValue::new("", "x")];
/// let resource = Resource::new(Attributes::new(&attributes));
/// let logs = ResourceLogs::new(resource, Default::default());
/// let mut found = Vec::new();
/// validate_resource_logs(&logs, &Rules::new(), |kind| found.push(kind));
/// assert_eq!((found[0].rule, found[0].attribute), (Rule::EmptyKey, Some(0)));
/// assert_eq!(found[0].to_string(), "empty attribute key (attribute 0)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct ViolationKind {
    /// What is wrong.
    pub rule: Rule,
    /// In which scope of the resource; `None` if it is about the resource itself.
    pub scope: Option<usize>,
    /// In which metric of the scope.
    pub metric: Option<usize>,
    /// In which data point of the metric, or log record of the scope.
    pub item: Option<usize>,
    /// In which exemplar of the point.
    pub exemplar: Option<usize>,
    /// Which attribute is at fault, of what the other positions name.
    pub attribute: Option<usize>,
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.rule.as_str())?;
        let item = if self.metric.is_some() { "data point" } else { "log record" };
        let places = [
            ("scope", self.scope),
            ("metric", self.metric),
            (item, self.item),
            ("exemplar", self.exemplar),
            ("attribute", self.attribute),
        ];
        let mut separator = " (";
        for (what, position) in places {
            if let Some(position) = position {
                write!(f, "{separator}{what} {position}")?;
                separator = ", ";
            }
        }
        if separator == ", " { f.write_str(")") } else { Ok(()) }
    }
}

impl violation::ViolationKind for ViolationKind {
    const RECORD: &'static str = "resource";
}

/// Looks at parts of a resource, and knows where it is.
struct Checker<'r, F> {
    rules: &'r Rules,
    at: ViolationKind,
    report: F,
}

/// How many attributes are looked at for duplicates: comparing any number of them would take either
/// memory or quadratic time.
const COMPARED: usize = 32;

impl<'r, F: FnMut(ViolationKind)> Checker<'r, F> {
    fn new(rules: &'r Rules, report: F) -> Self {
        let at = ViolationKind {
            rule: Rule::EmptyKey,
            scope: None,
            metric: None,
            item: None,
            exemplar: None,
            attribute: None,
        };
        Self { rules, at, report }
    }

    #[inline]
    fn expect(&mut self, rule: Rule, is_right: bool) {
        if !is_right && self.rules.has(rule) {
            self.report(rule, None);
        }
    }

    #[cold]
    fn report(&mut self, rule: Rule, attribute: Option<usize>) {
        (self.report)(ViolationKind { rule, attribute, ..self.at });
    }

    fn attributes(&mut self, attributes: Attributes<'_, '_>) {
        let mut before = [""; COMPARED];
        let duplicates = self.rules.has(Rule::DuplicateKey);
        for position in 0..attributes.len() {
            let key = attributes.key(position).unwrap_or_default();
            if key.is_empty() && self.rules.has(Rule::EmptyKey) {
                self.report(Rule::EmptyKey, Some(position));
            }
            if !duplicates {
                continue;
            }
            let compared = before.get(..position.min(COMPARED)).unwrap_or_default();
            // Lengths first: that spares most comparisons of bytes.
            if compared.iter().any(|other| other.len() == key.len() && *other == key) {
                self.report(Rule::DuplicateKey, Some(position));
            }
            if let Some(place) = before.get_mut(position) {
                *place = key;
            }
        }
    }

    fn resource(&mut self, resource: Option<Resource<'_, '_>>) {
        if let Some(resource) = resource {
            self.attributes(resource.attributes);
        }
    }

    fn log_record(&mut self, record: &LogRecord<'_, '_>) {
        let time = record.time_unix_nano;
        self.expect(Rule::MissingTime, time != 0 || record.observed_time_unix_nano != 0);
        if time != 0 {
            self.time(time);
        }
        let severity = record.severity_number;
        self.expect(Rule::UnknownSeverity, (0..=24).contains(&severity.0));
        self.expect(Rule::ZeroId, !record.trace_id.is_some_and(|id| id.is_zero()));
        self.expect(Rule::ZeroId, !record.span_id.is_some_and(|id| id.is_zero()));
        self.attributes(record.attributes);
    }

    fn time(&mut self, time: u64) {
        let Rules { min_time_unix_nano, max_time_unix_nano, .. } = *self.rules;
        self.expect(
            Rule::TimeOutOfRange,
            (min_time_unix_nano..=max_time_unix_nano).contains(&time),
        );
    }

    fn metric(&mut self, metric: &Metric<'_, '_>) {
        self.expect(Rule::EmptyMetricName, !metric.name.is_empty());
        self.expect(Rule::MissingData, metric.data.is_some());
        self.attributes(metric.metadata);
        let Some(data) = metric.data else { return };
        let temporality = match data {
            MetricData::Gauge(_) | MetricData::Summary(_) => None,
            MetricData::Sum(sum) => Some(sum.aggregation_temporality),
            MetricData::Histogram(histogram) => Some(histogram.aggregation_temporality),
            MetricData::ExponentialHistogram(histogram) => Some(histogram.aggregation_temporality),
        };
        self.expect(
            Rule::UnspecifiedTemporality,
            temporality.is_none_or(|temporality| {
                temporality == AggregationTemporality::DELTA
                    || temporality == AggregationTemporality::CUMULATIVE
            }),
        );
        for (position, point) in data.data_points().iter().enumerate() {
            self.at.item = Some(position);
            self.data_point(&point);
        }
        self.at.item = None;
    }

    fn data_point(&mut self, point: &DataPoint<'_, '_>) {
        let (start, time) = (point.start_time_unix_nano(), point.time_unix_nano());
        self.expect(Rule::MissingTime, time != 0);
        if time != 0 {
            self.time(time);
            self.expect(Rule::StartAfterTime, start <= time);
        }
        self.attributes(point.attributes());
        match point {
            DataPoint::Number(point) => {
                let has_value = point.value.is_some() || point.has_no_recorded_value();
                self.expect(Rule::MissingValue, has_value);
                self.exemplars(point.exemplars);
            }
            DataPoint::Histogram(point) => {
                self.histogram(point);
                self.exemplars(point.exemplars);
            }
            DataPoint::ExponentialHistogram(point) => {
                if !point.has_no_recorded_value() {
                    let counts = [point.positive, point.negative].into_iter().flatten();
                    let counts = counts.flat_map(|buckets| buckets.bucket_counts);
                    let total = counts.copied().fold(point.zero_count, u64::saturating_add);
                    self.expect(Rule::CountAndBuckets, total == point.count);
                }
                self.exemplars(point.exemplars);
            }
            DataPoint::Summary(point) => self.summary(point),
        }
    }

    fn histogram(&mut self, point: &HistogramDataPoint<'_, '_>) {
        let (counts, bounds) = (point.bucket_counts, point.explicit_bounds);
        let has_neither = counts.is_empty() && bounds.is_empty();
        let is_one_more = counts.len() == bounds.len().saturating_add(1);
        self.expect(Rule::BucketsAndBounds, has_neither || is_one_more);
        if !counts.is_empty() {
            let total = counts.iter().copied().fold(0, u64::saturating_add);
            self.expect(Rule::CountAndBuckets, total == point.count);
        }
        let ascend = bounds.is_sorted_by(|one, next| one < next);
        let has_nan = bounds.iter().any(|bound| bound.is_nan());
        self.expect(Rule::NotAscending, ascend && !has_nan);
    }

    fn summary(&mut self, point: &SummaryDataPoint<'_, '_>) {
        let values = point.quantile_values;
        let ascend = values.is_sorted_by(|one, next| one.quantile < next.quantile);
        let in_range = values.iter().all(|value| (0.0..=1.0).contains(&value.quantile));
        self.expect(Rule::NotAscending, ascend && in_range);
    }

    fn exemplars(&mut self, exemplars: Exemplars<'_, '_>) {
        for (position, exemplar) in exemplars.iter().enumerate() {
            self.at.exemplar = Some(position);
            self.expect(Rule::ExemplarWithoutValue, exemplar.value.is_some());
            self.expect(Rule::ZeroId, !exemplar.trace_id.is_some_and(|id| id.is_zero()));
            self.expect(Rule::ZeroId, !exemplar.span_id.is_some_and(|id| id.is_zero()));
            self.attributes(exemplar.filtered_attributes);
        }
        self.at.exemplar = None;
    }
}

/// Reports everything in `metrics` that breaks `rules`. Nothing is allocated.
///
/// ```
/// use borrowire::otlp::metrics::ResourceMetrics;
/// use borrowire::otlp::{Rules, validate_resource_metrics};
///
/// let mut found = Vec::new();
/// validate_resource_metrics(&ResourceMetrics::default(), &Rules::new(), |kind| found.push(kind));
/// assert!(found.is_empty());
/// ```
pub fn validate_resource_metrics(
    metrics: &ResourceMetrics<'_, '_>,
    rules: &Rules,
    report: impl FnMut(ViolationKind),
) {
    let mut checker = Checker::new(rules, report);
    checker.resource(metrics.resource);
    for (position, scope) in metrics.scope_metrics.iter().enumerate() {
        checker.at.scope = Some(position);
        checker.attributes(scope.scope.unwrap_or_default().attributes);
        for (position, metric) in scope.metrics.iter().enumerate() {
            checker.at.metric = Some(position);
            checker.metric(&metric);
        }
        checker.at.metric = None;
    }
}

/// Reports everything in `logs` that breaks `rules`. Nothing is allocated.
///
/// ```
/// use borrowire::otlp::logs::ResourceLogs;
/// use borrowire::otlp::{Rules, validate_resource_logs};
///
/// let mut found = Vec::new();
/// validate_resource_logs(&ResourceLogs::default(), &Rules::new(), |kind| found.push(kind));
/// assert!(found.is_empty());
/// ```
pub fn validate_resource_logs(
    logs: &ResourceLogs<'_, '_>,
    rules: &Rules,
    report: impl FnMut(ViolationKind),
) {
    let mut checker = Checker::new(rules, report);
    checker.resource(logs.resource);
    for (position, scope) in logs.scope_logs.iter().enumerate() {
        checker.at.scope = Some(position);
        checker.attributes(scope.scope.unwrap_or_default().attributes);
        for (position, record) in scope.log_records.iter().enumerate() {
            checker.at.item = Some(position);
            checker.log_record(&record);
        }
        checker.at.item = None;
    }
}
