//! `ExportMetricsServiceRequest` and `ExportLogsServiceRequest`, as OpenTelemetry has them.

use borrowire::otlp::logs::{ExportLogsServiceRequest, LogRecord, ResourceLogs, ScopeLogs};
use borrowire::otlp::metrics::{
    Buckets, Exemplar, ExponentialHistogramDataPoint, ExportMetricsServiceRequest,
    HistogramDataPoint, Metric, MetricData, NumberDataPoint, NumberValue, ResourceMetrics,
    ScopeMetrics, SummaryDataPoint, ValueAtQuantile,
};
use borrowire::otlp::{AnyValue, EntityRef, InstrumentationScope, KeyValue, Resource};
use serde::ser::{Error, Serialize, Serializer};

use super::{Double, Object};

/// A view that is written by a function of this module.
macro_rules! form {
    ($($(#[$doc:meta])* $visibility:vis $form:ident($view:ty), |$it:ident, $object:ident| $write:block)*) => {$(
        $(#[$doc])*
        $visibility struct $form<'r, 'a>($visibility $view);

        impl Serialize for $form<'_, '_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let $it = &self.0;
                let mut $object = Object::begin(serializer)?;
                $write
                $object.end()
            }
        }
    )*};
}

form! {
    /// A request of metrics.
    pub MetricsRequestForm(&'r ExportMetricsServiceRequest<'a>), |it, object| {
        object.list("resource_metrics", it.resource_metrics().into_iter().map(ResourceMetricsForm))?;
    }

    /// A request of logs.
    pub LogsRequestForm(&'r ExportLogsServiceRequest<'a>), |it, object| {
        object.list("resource_logs", it.resource_logs().into_iter().map(ResourceLogsForm))?;
    }

    ResourceMetricsForm(ResourceMetrics<'r, 'a>), |it, object| {
        object.present("resource", it.resource.map(ResourceForm))?;
        object.list("scope_metrics", it.scope_metrics.into_iter().map(ScopeMetricsForm))?;
        object.string("schema_url", it.schema_url)?;
    }

    ResourceLogsForm(ResourceLogs<'r, 'a>), |it, object| {
        object.present("resource", it.resource.map(ResourceForm))?;
        object.list("scope_logs", it.scope_logs.into_iter().map(ScopeLogsForm))?;
        object.string("schema_url", it.schema_url)?;
    }

    ResourceForm(Resource<'r, 'a>), |it, object| {
        object.list("attributes", it.attributes.into_iter().map(KeyValueForm))?;
        object.integer("dropped_attributes_count", it.dropped_attributes_count)?;
        object.list("entity_refs", it.entity_refs.into_iter().map(EntityRefForm))?;
    }

    EntityRefForm(EntityRef<'r, 'a>), |it, object| {
        object.string("schema_url", it.schema_url)?;
        object.string("type", it.r#type)?;
        object.list("id_keys", it.id_keys)?;
        object.list("description_keys", it.description_keys)?;
    }

    ScopeForm(InstrumentationScope<'r, 'a>), |it, object| {
        object.string("name", it.name)?;
        object.string("version", it.version)?;
        object.list("attributes", it.attributes.into_iter().map(KeyValueForm))?;
        object.integer("dropped_attributes_count", it.dropped_attributes_count)?;
    }

    ScopeMetricsForm(ScopeMetrics<'r, 'a>), |it, object| {
        object.present("scope", it.scope.map(ScopeForm))?;
        object.list("metrics", it.metrics.into_iter().map(MetricForm))?;
        object.string("schema_url", it.schema_url)?;
    }

    ScopeLogsForm(ScopeLogs<'r, 'a>), |it, object| {
        object.present("scope", it.scope.map(ScopeForm))?;
        object.list("log_records", it.log_records.into_iter().map(LogRecordForm))?;
        object.string("schema_url", it.schema_url)?;
    }

    LogRecordForm(LogRecord<'r, 'a>), |it, object| {
        object.integer("time_unix_nano", it.time_unix_nano)?;
        object.integer("severity_number", it.severity_number.0)?;
        object.string("severity_text", it.severity_text)?;
        object.present("body", it.body.map(AnyValueForm))?;
        object.list("attributes", it.attributes.into_iter().map(KeyValueForm))?;
        object.integer("dropped_attributes_count", it.dropped_attributes_count)?;
        object.integer("flags", it.flags)?;
        object.present("trace_id", it.trace_id.as_ref().map(|id| Hex(&id.0)))?;
        object.present("span_id", it.span_id.as_ref().map(|id| Hex(&id.0)))?;
        object.integer("observed_time_unix_nano", it.observed_time_unix_nano)?;
        object.string("event_name", it.event_name)?;
    }

    MetricForm(Metric<'r, 'a>), |it, object| {
        object.string("name", it.name)?;
        object.string("description", it.description)?;
        object.string("unit", it.unit)?;
        object.present(data_name(it.data.as_ref()), it.data.map(MetricDataForm))?;
        object.list("metadata", it.metadata.into_iter().map(KeyValueForm))?;
    }

    MetricDataForm(MetricData<'r, 'a>), |it, object| {
        match it {
            MetricData::Gauge(gauge) => {
                object.list("data_points", gauge.data_points.into_iter().map(NumberDataPointForm))?;
            }
            MetricData::Sum(sum) => {
                object.list("data_points", sum.data_points.into_iter().map(NumberDataPointForm))?;
                object.integer("aggregation_temporality", sum.aggregation_temporality.0)?;
                object.present("is_monotonic", sum.is_monotonic.then_some(true))?;
            }
            MetricData::Histogram(histogram) => {
                let points = histogram.data_points.into_iter().map(HistogramDataPointForm);
                object.list("data_points", points)?;
                object.integer("aggregation_temporality", histogram.aggregation_temporality.0)?;
            }
            MetricData::ExponentialHistogram(histogram) => {
                let points = histogram.data_points.into_iter().map(ExponentialForm);
                object.list("data_points", points)?;
                object.integer("aggregation_temporality", histogram.aggregation_temporality.0)?;
            }
            MetricData::Summary(summary) => {
                let points = summary.data_points.into_iter().map(SummaryDataPointForm);
                object.list("data_points", points)?;
            }
            _ => return Err(S::Error::custom("unknown data")),
        }
    }

    NumberDataPointForm(NumberDataPoint<'r, 'a>), |it, object| {
        object.integer("start_time_unix_nano", it.start_time_unix_nano)?;
        object.integer("time_unix_nano", it.time_unix_nano)?;
        object.present("as_double", as_double(it.value))?;
        object.list("exemplars", it.exemplars.into_iter().map(ExemplarForm))?;
        object.present("as_int", as_int(it.value))?;
        object.list("attributes", it.attributes.into_iter().map(KeyValueForm))?;
        object.integer("flags", it.flags)?;
    }

    HistogramDataPointForm(HistogramDataPoint<'r, 'a>), |it, object| {
        object.integer("start_time_unix_nano", it.start_time_unix_nano)?;
        object.integer("time_unix_nano", it.time_unix_nano)?;
        object.integer("count", it.count)?;
        object.present("sum", it.sum.map(Double))?;
        object.list("bucket_counts", it.bucket_counts)?;
        object.list("explicit_bounds", it.explicit_bounds.iter().map(|bound| Double(*bound)))?;
        object.list("exemplars", it.exemplars.into_iter().map(ExemplarForm))?;
        object.list("attributes", it.attributes.into_iter().map(KeyValueForm))?;
        object.integer("flags", it.flags)?;
        object.present("min", it.min.map(Double))?;
        object.present("max", it.max.map(Double))?;
    }

    ExponentialForm(ExponentialHistogramDataPoint<'r, 'a>), |it, object| {
        object.list("attributes", it.attributes.into_iter().map(KeyValueForm))?;
        object.integer("start_time_unix_nano", it.start_time_unix_nano)?;
        object.integer("time_unix_nano", it.time_unix_nano)?;
        object.integer("count", it.count)?;
        object.present("sum", it.sum.map(Double))?;
        object.integer("scale", it.scale)?;
        object.integer("zero_count", it.zero_count)?;
        object.present("positive", it.positive.map(BucketsForm))?;
        object.present("negative", it.negative.map(BucketsForm))?;
        object.integer("flags", it.flags)?;
        object.list("exemplars", it.exemplars.into_iter().map(ExemplarForm))?;
        object.present("min", it.min.map(Double))?;
        object.present("max", it.max.map(Double))?;
        object.double("zero_threshold", it.zero_threshold)?;
    }

    SummaryDataPointForm(SummaryDataPoint<'r, 'a>), |it, object| {
        object.integer("start_time_unix_nano", it.start_time_unix_nano)?;
        object.integer("time_unix_nano", it.time_unix_nano)?;
        object.integer("count", it.count)?;
        object.double("sum", it.sum)?;
        object.list("quantile_values", it.quantile_values.iter().map(ValueAtQuantileForm))?;
        object.list("attributes", it.attributes.into_iter().map(KeyValueForm))?;
        object.integer("flags", it.flags)?;
    }

    ExemplarForm(Exemplar<'r, 'a>), |it, object| {
        object.integer("time_unix_nano", it.time_unix_nano)?;
        object.present("as_double", as_double(it.value))?;
        object.present("span_id", it.span_id.as_ref().map(|id| Hex(&id.0)))?;
        object.present("trace_id", it.trace_id.as_ref().map(|id| Hex(&id.0)))?;
        object.present("as_int", as_int(it.value))?;
        object.list("filtered_attributes", it.filtered_attributes.into_iter().map(KeyValueForm))?;
    }
}

struct BucketsForm<'s>(Buckets<'s>);

impl Serialize for BucketsForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.integer("offset", self.0.offset)?;
        object.list("bucket_counts", self.0.bucket_counts)?;
        object.end()
    }
}

struct ValueAtQuantileForm<'s>(&'s ValueAtQuantile);

impl Serialize for ValueAtQuantileForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.double("quantile", self.0.quantile)?;
        object.double("value", self.0.value)?;
        object.end()
    }
}

struct KeyValueForm<'a>(KeyValue<'a>);

impl Serialize for KeyValueForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.string("key", self.0.key)?;
        object.present("value", self.0.value.map(AnyValueForm))?;
        object.integer("key_strindex", self.0.key_strindex)?;
        object.end()
    }
}

struct AnyValueForm<'a>(AnyValue<'a>);

impl Serialize for AnyValueForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        match self.0 {
            AnyValue::Empty => {}
            AnyValue::String(text) => object.member("string_value", text)?,
            AnyValue::Bool(value) => object.member("bool_value", &value)?,
            AnyValue::Int(value) => object.member("int_value", &value)?,
            AnyValue::Double(value) => object.member("double_value", &Double(value))?,
            AnyValue::Array(array) => {
                object.member("array_value", &Values(|| array.into_iter().map(AnyValueForm)))?;
            }
            AnyValue::KvList(list) => {
                object.member("kvlist_value", &Values(|| list.into_iter().map(KeyValueForm)))?;
            }
            AnyValue::Bytes(bytes) => object.member("bytes_value", &Hex(bytes))?,
            AnyValue::StringStrindex(index) => object.member("string_value_strindex", &index)?,
            _ => return Err(S::Error::custom("unknown value")),
        }
        object.end()
    }
}

/// A message of values alone.
struct Values<F>(F);

impl<F: Fn() -> I, I: Iterator<Item = T>, T: Serialize> Serialize for Values<F> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.list("values", (self.0)())?;
        object.end()
    }
}

/// Bytes, in hexadecimal.
struct Hex<'a>(&'a [u8]);

impl Serialize for Hex<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let hex: String = self.0.iter().map(|byte| format!("{byte:02x}")).collect();
        serializer.serialize_str(&hex)
    }
}

const fn data_name(data: Option<&MetricData<'_, '_>>) -> &'static str {
    match data {
        Some(MetricData::Gauge(_)) => "gauge",
        Some(MetricData::Sum(_)) => "sum",
        Some(MetricData::Histogram(_)) => "histogram",
        Some(MetricData::ExponentialHistogram(_)) => "exponential_histogram",
        Some(MetricData::Summary(_)) => "summary",
        _ => "",
    }
}

fn as_double(value: Option<NumberValue>) -> Option<Double> {
    match value {
        Some(NumberValue::Double(value)) => Some(Double(value)),
        _ => None,
    }
}

const fn as_int(value: Option<NumberValue>) -> Option<i64> {
    match value {
        Some(NumberValue::Int(value)) => Some(value),
        _ => None,
    }
}
