//! `ExportMetricsServiceRequest` and `ExportLogsServiceRequest`.

use borrowire::otlp::logs::{ExportLogsServiceRequest, LogRecord, ResourceLogs, ScopeLogs};
use borrowire::otlp::metrics::{
    Buckets, Exemplar, ExponentialHistogramDataPoint, ExportMetricsServiceRequest,
    HistogramDataPoint, Metric, MetricData, NumberDataPoint, NumberValue, ResourceMetrics,
    ScopeMetrics, SummaryDataPoint, ValueAtQuantile,
};
use borrowire::otlp::{AnyValue, EntityRef, InstrumentationScope, KeyValue, Resource};

use super::{Object, double, integer, string};

/// Appends `request` to `json`.
pub fn metrics(json: &mut String, request: &ExportMetricsServiceRequest<'_>) {
    let mut object = Object::begin(json);
    object.list("resource_metrics", request.resource_metrics(), resource_metrics);
    object.end();
}

/// Appends `request` to `json`.
pub fn logs(json: &mut String, request: &ExportLogsServiceRequest<'_>) {
    let mut object = Object::begin(json);
    object.list("resource_logs", request.resource_logs(), resource_logs);
    object.end();
}

fn resource_metrics(json: &mut String, metrics: ResourceMetrics<'_, '_>) {
    let mut object = Object::begin(json);
    if let Some(it) = metrics.resource {
        resource(object.member("resource"), it);
    }
    object.list("scope_metrics", metrics.scope_metrics, scope_metrics);
    object.string("schema_url", metrics.schema_url);
    object.end();
}

fn resource_logs(json: &mut String, logs: ResourceLogs<'_, '_>) {
    let mut object = Object::begin(json);
    if let Some(it) = logs.resource {
        resource(object.member("resource"), it);
    }
    object.list("scope_logs", logs.scope_logs, scope_logs);
    object.string("schema_url", logs.schema_url);
    object.end();
}

fn resource(json: &mut String, resource: Resource<'_, '_>) {
    let mut object = Object::begin(json);
    object.list("attributes", resource.attributes, key_value);
    object.integer("dropped_attributes_count", resource.dropped_attributes_count);
    object.list("entity_refs", resource.entity_refs, entity_ref);
    object.end();
}

fn entity_ref(json: &mut String, entity: EntityRef<'_, '_>) {
    let mut object = Object::begin(json);
    object.string("schema_url", entity.schema_url);
    object.string("type", entity.r#type);
    object.list("id_keys", entity.id_keys, string);
    object.list("description_keys", entity.description_keys, string);
    object.end();
}

fn scope(json: &mut String, scope: InstrumentationScope<'_, '_>) {
    let mut object = Object::begin(json);
    object.string("name", scope.name);
    object.string("version", scope.version);
    object.list("attributes", scope.attributes, key_value);
    object.integer("dropped_attributes_count", scope.dropped_attributes_count);
    object.end();
}

fn scope_metrics(json: &mut String, metrics: ScopeMetrics<'_, '_>) {
    let mut object = Object::begin(json);
    if let Some(it) = metrics.scope {
        scope(object.member("scope"), it);
    }
    object.list("metrics", metrics.metrics, metric);
    object.string("schema_url", metrics.schema_url);
    object.end();
}

fn scope_logs(json: &mut String, logs: ScopeLogs<'_, '_>) {
    let mut object = Object::begin(json);
    if let Some(it) = logs.scope {
        scope(object.member("scope"), it);
    }
    object.list("log_records", logs.log_records, log_record);
    object.string("schema_url", logs.schema_url);
    object.end();
}

pub fn key_value(json: &mut String, attribute: KeyValue<'_>) {
    let mut object = Object::begin(json);
    object.string("key", attribute.key);
    if let Some(value) = attribute.value {
        any_value(object.member("value"), value);
    }
    object.integer("key_strindex", attribute.key_strindex);
    object.end();
}

pub fn any_value(json: &mut String, value: AnyValue<'_>) {
    let mut object = Object::begin(json);
    match value {
        AnyValue::Empty => {}
        AnyValue::String(text) => string(object.member("string_value"), text),
        AnyValue::Bool(value) => integer(object.member("bool_value"), value),
        AnyValue::Int(value) => integer(object.member("int_value"), value),
        AnyValue::Double(value) => double(object.member("double_value"), value),
        AnyValue::Array(array) => {
            let mut values = Object::begin(object.member("array_value"));
            values.list("values", array, any_value);
            values.end();
        }
        AnyValue::KvList(pairs) => {
            let mut values = Object::begin(object.member("kvlist_value"));
            values.list("values", pairs, key_value);
            values.end();
        }
        AnyValue::Bytes(bytes) => hex(object.member("bytes_value"), bytes),
        AnyValue::StringStrindex(index) => integer(object.member("string_value_strindex"), index),
        _ => unreachable!("no other kinds"),
    }
    object.end();
}

fn hex(json: &mut String, bytes: &[u8]) {
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    string(json, &hex);
}

fn id(object: &mut Object<'_>, name: &str, id: Option<&[u8]>) {
    if let Some(id) = id {
        hex(object.member(name), id);
    }
}

fn log_record(json: &mut String, record: LogRecord<'_, '_>) {
    let mut object = Object::begin(json);
    object.integer("time_unix_nano", record.time_unix_nano);
    object.integer("severity_number", record.severity_number.0);
    object.string("severity_text", record.severity_text);
    if let Some(body) = record.body {
        any_value(object.member("body"), body);
    }
    object.list("attributes", record.attributes, key_value);
    object.integer("dropped_attributes_count", record.dropped_attributes_count);
    object.integer("flags", record.flags);
    id(&mut object, "trace_id", record.trace_id.as_ref().map(|id| &id.0[..]));
    id(&mut object, "span_id", record.span_id.as_ref().map(|id| &id.0[..]));
    object.integer("observed_time_unix_nano", record.observed_time_unix_nano);
    object.string("event_name", record.event_name);
    object.end();
}

fn metric(json: &mut String, metric: Metric<'_, '_>) {
    let mut object = Object::begin(json);
    object.string("name", metric.name);
    object.string("description", metric.description);
    object.string("unit", metric.unit);
    match metric.data {
        None => {}
        Some(MetricData::Gauge(gauge)) => {
            let mut data = Object::begin(object.member("gauge"));
            data.list("data_points", gauge.data_points, number_data_point);
            data.end();
        }
        Some(MetricData::Sum(sum)) => {
            let mut data = Object::begin(object.member("sum"));
            data.list("data_points", sum.data_points, number_data_point);
            data.integer("aggregation_temporality", sum.aggregation_temporality.0);
            if sum.is_monotonic {
                data.member("is_monotonic").push_str("true");
            }
            data.end();
        }
        Some(MetricData::Histogram(histogram)) => {
            let mut data = Object::begin(object.member("histogram"));
            data.list("data_points", histogram.data_points, histogram_data_point);
            data.integer("aggregation_temporality", histogram.aggregation_temporality.0);
            data.end();
        }
        Some(MetricData::ExponentialHistogram(histogram)) => {
            let mut data = Object::begin(object.member("exponential_histogram"));
            data.list("data_points", histogram.data_points, exponential_histogram_data_point);
            data.integer("aggregation_temporality", histogram.aggregation_temporality.0);
            data.end();
        }
        Some(MetricData::Summary(summary)) => {
            let mut data = Object::begin(object.member("summary"));
            data.list("data_points", summary.data_points, summary_data_point);
            data.end();
        }
        Some(_) => unreachable!("no other kinds"),
    }
    object.list("metadata", metric.metadata, key_value);
    object.end();
}

fn as_double(object: &mut Object<'_>, value: Option<NumberValue>) {
    if let Some(NumberValue::Double(value)) = value {
        double(object.member("as_double"), value);
    }
}

fn as_int(object: &mut Object<'_>, value: Option<NumberValue>) {
    if let Some(NumberValue::Int(value)) = value {
        integer(object.member("as_int"), value);
    }
}

fn optional(object: &mut Object<'_>, name: &str, value: Option<f64>) {
    if let Some(value) = value {
        double(object.member(name), value);
    }
}

fn exemplar(json: &mut String, exemplar: Exemplar<'_, '_>) {
    let mut object = Object::begin(json);
    object.integer("time_unix_nano", exemplar.time_unix_nano);
    as_double(&mut object, exemplar.value);
    id(&mut object, "span_id", exemplar.span_id.as_ref().map(|id| &id.0[..]));
    id(&mut object, "trace_id", exemplar.trace_id.as_ref().map(|id| &id.0[..]));
    as_int(&mut object, exemplar.value);
    object.list("filtered_attributes", exemplar.filtered_attributes, key_value);
    object.end();
}

fn number_data_point(json: &mut String, point: NumberDataPoint<'_, '_>) {
    let mut object = Object::begin(json);
    object.integer("start_time_unix_nano", point.start_time_unix_nano);
    object.integer("time_unix_nano", point.time_unix_nano);
    as_double(&mut object, point.value);
    object.list("exemplars", point.exemplars, exemplar);
    as_int(&mut object, point.value);
    object.list("attributes", point.attributes, key_value);
    object.integer("flags", point.flags);
    object.end();
}

fn histogram_data_point(json: &mut String, point: HistogramDataPoint<'_, '_>) {
    let mut object = Object::begin(json);
    object.integer("start_time_unix_nano", point.start_time_unix_nano);
    object.integer("time_unix_nano", point.time_unix_nano);
    object.integer("count", point.count);
    optional(&mut object, "sum", point.sum);
    object.list("bucket_counts", point.bucket_counts, integer);
    object.list("explicit_bounds", point.explicit_bounds, |json, bound| double(json, *bound));
    object.list("exemplars", point.exemplars, exemplar);
    object.list("attributes", point.attributes, key_value);
    object.integer("flags", point.flags);
    optional(&mut object, "min", point.min);
    optional(&mut object, "max", point.max);
    object.end();
}

fn exponential_histogram_data_point(
    json: &mut String,
    point: ExponentialHistogramDataPoint<'_, '_>,
) {
    let mut object = Object::begin(json);
    object.list("attributes", point.attributes, key_value);
    object.integer("start_time_unix_nano", point.start_time_unix_nano);
    object.integer("time_unix_nano", point.time_unix_nano);
    object.integer("count", point.count);
    optional(&mut object, "sum", point.sum);
    object.integer("scale", point.scale);
    object.integer("zero_count", point.zero_count);
    for (name, side) in [("positive", point.positive), ("negative", point.negative)] {
        if let Some(side) = side {
            buckets(object.member(name), side);
        }
    }
    object.integer("flags", point.flags);
    object.list("exemplars", point.exemplars, exemplar);
    optional(&mut object, "min", point.min);
    optional(&mut object, "max", point.max);
    object.double("zero_threshold", point.zero_threshold);
    object.end();
}

fn buckets(json: &mut String, buckets: Buckets<'_>) {
    let mut object = Object::begin(json);
    object.integer("offset", buckets.offset);
    object.list("bucket_counts", buckets.bucket_counts, integer);
    object.end();
}

fn summary_data_point(json: &mut String, point: SummaryDataPoint<'_, '_>) {
    let mut object = Object::begin(json);
    object.integer("start_time_unix_nano", point.start_time_unix_nano);
    object.integer("time_unix_nano", point.time_unix_nano);
    object.integer("count", point.count);
    object.double("sum", point.sum);
    object.list("quantile_values", point.quantile_values, value_at_quantile);
    object.list("attributes", point.attributes, key_value);
    object.integer("flags", point.flags);
    object.end();
}

fn value_at_quantile(json: &mut String, value: &ValueAtQuantile) {
    let mut object = Object::begin(json);
    object.double("quantile", value.quantile);
    object.double("value", value.value);
    object.end();
}
