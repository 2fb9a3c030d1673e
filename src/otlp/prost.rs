//! Conversions to and from the generated types.

use alloc::vec::Vec;

use prost::Message as _;

use super::common::{AnyValue, Attributes, EntityRef, InstrumentationScope, KeyValue, Resource};
use super::logs::{ExportLogsServiceRequest, LogRecord, ResourceLogs, ScopeLogs};
use super::metrics::{
    Buckets, Exemplar, ExponentialHistogramDataPoint, ExportMetricsServiceRequest,
    HistogramDataPoint, Metric, MetricData, NumberDataPoint, NumberValue, ResourceMetrics,
    ScopeMetrics, SummaryDataPoint, ValueAtQuantile,
};
use crate::proto::opentelemetry::proto::collector::logs::v1 as collector_logs;
use crate::proto::opentelemetry::proto::collector::metrics::v1 as collector_metrics;
use crate::proto::opentelemetry::proto::common::v1 as common;
use crate::proto::opentelemetry::proto::logs::v1 as logs;
use crate::proto::opentelemetry::proto::metrics::v1 as metrics;
use crate::proto::opentelemetry::proto::resource::v1 as resource;
use crate::wire::error::DecodeError;

impl<'a> ExportMetricsServiceRequest<'a> {
    /// A request of what `request` holds, which prost writes to `buffer` first: storage refers to a
    /// body.
    ///
    /// # Errors
    ///
    /// What the generated types can hold and OTLP does not allow: ids of a wrong length, values that
    /// are nested too deep.
    ///
    /// ```
    /// use borrowire::otlp::metrics::ExportMetricsServiceRequest;
    /// use borrowire::proto::opentelemetry::proto::collector::metrics::v1 as generated;
    ///
    /// let types = generated::ExportMetricsServiceRequest::default();
    /// let mut buffer = Vec::new(); // used again
    /// let request = ExportMetricsServiceRequest::from_prost(&types, &mut buffer)?;
    /// assert_eq!(generated::ExportMetricsServiceRequest::from(&request), types);
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    pub fn from_prost(
        request: &collector_metrics::ExportMetricsServiceRequest,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Self, DecodeError> {
        buffer.clear();
        // A vector grows.
        let _ = request.encode(buffer);
        Self::decode(buffer)
    }
}

impl<'a> ExportLogsServiceRequest<'a> {
    /// A request of what `request` holds, which prost writes to `buffer` first: storage refers to a
    /// body.
    ///
    /// # Errors
    ///
    /// What the generated types can hold and OTLP does not allow: ids of a wrong length, values that
    /// are nested too deep.
    ///
    /// ```
    /// use borrowire::otlp::logs::ExportLogsServiceRequest;
    /// use borrowire::proto::opentelemetry::proto::collector::logs::v1 as generated;
    ///
    /// let types = generated::ExportLogsServiceRequest::default();
    /// let mut buffer = Vec::new(); // used again
    /// let request = ExportLogsServiceRequest::from_prost(&types, &mut buffer)?;
    /// assert_eq!(generated::ExportLogsServiceRequest::from(&request), types);
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    pub fn from_prost(
        request: &collector_logs::ExportLogsServiceRequest,
        buffer: &'a mut Vec<u8>,
    ) -> Result<Self, DecodeError> {
        buffer.clear();
        // A vector grows.
        let _ = request.encode(buffer);
        Self::decode(buffer)
    }
}

/// Without unknown fields.
impl From<&ExportMetricsServiceRequest<'_>> for collector_metrics::ExportMetricsServiceRequest {
    fn from(request: &ExportMetricsServiceRequest<'_>) -> Self {
        Self { resource_metrics: request.resource_metrics().iter().map(Into::into).collect() }
    }
}

/// Without unknown fields.
impl From<&ExportLogsServiceRequest<'_>> for collector_logs::ExportLogsServiceRequest {
    fn from(request: &ExportLogsServiceRequest<'_>) -> Self {
        Self { resource_logs: request.resource_logs().iter().map(Into::into).collect() }
    }
}

impl From<ResourceMetrics<'_, '_>> for metrics::ResourceMetrics {
    fn from(metrics: ResourceMetrics<'_, '_>) -> Self {
        Self {
            resource: metrics.resource.map(Into::into),
            scope_metrics: metrics.scope_metrics.iter().map(Into::into).collect(),
            schema_url: metrics.schema_url.into(),
        }
    }
}

impl From<ScopeMetrics<'_, '_>> for metrics::ScopeMetrics {
    fn from(metrics: ScopeMetrics<'_, '_>) -> Self {
        Self {
            scope: metrics.scope.map(Into::into),
            metrics: metrics.metrics.iter().map(Into::into).collect(),
            schema_url: metrics.schema_url.into(),
        }
    }
}

impl From<ResourceLogs<'_, '_>> for logs::ResourceLogs {
    fn from(logs: ResourceLogs<'_, '_>) -> Self {
        Self {
            resource: logs.resource.map(Into::into),
            scope_logs: logs.scope_logs.iter().map(Into::into).collect(),
            schema_url: logs.schema_url.into(),
        }
    }
}

impl From<ScopeLogs<'_, '_>> for logs::ScopeLogs {
    fn from(logs: ScopeLogs<'_, '_>) -> Self {
        Self {
            scope: logs.scope.map(Into::into),
            log_records: logs.log_records.iter().map(Into::into).collect(),
            schema_url: logs.schema_url.into(),
        }
    }
}

impl From<Resource<'_, '_>> for resource::Resource {
    fn from(resource: Resource<'_, '_>) -> Self {
        Self {
            attributes: attributes(resource.attributes),
            dropped_attributes_count: resource.dropped_attributes_count,
            entity_refs: resource.entity_refs.iter().map(Into::into).collect(),
        }
    }
}

impl From<EntityRef<'_, '_>> for common::EntityRef {
    fn from(entity: EntityRef<'_, '_>) -> Self {
        Self {
            schema_url: entity.schema_url.into(),
            r#type: entity.r#type.into(),
            id_keys: entity.id_keys.iter().map(Into::into).collect(),
            description_keys: entity.description_keys.iter().map(Into::into).collect(),
        }
    }
}

impl From<InstrumentationScope<'_, '_>> for common::InstrumentationScope {
    fn from(scope: InstrumentationScope<'_, '_>) -> Self {
        Self {
            name: scope.name.into(),
            version: scope.version.into(),
            attributes: attributes(scope.attributes),
            dropped_attributes_count: scope.dropped_attributes_count,
        }
    }
}

fn attributes(attributes: Attributes<'_, '_>) -> Vec<common::KeyValue> {
    attributes.iter().map(Into::into).collect()
}

impl From<KeyValue<'_>> for common::KeyValue {
    fn from(attribute: KeyValue<'_>) -> Self {
        Self {
            key: attribute.key.into(),
            value: attribute.value.map(Into::into),
            key_strindex: attribute.key_strindex,
        }
    }
}

impl From<AnyValue<'_>> for common::AnyValue {
    fn from(value: AnyValue<'_>) -> Self {
        use common::any_value::Value;
        let value = match value {
            AnyValue::Empty => None,
            AnyValue::String(text) => Some(Value::StringValue(text.into())),
            AnyValue::Bool(value) => Some(Value::BoolValue(value)),
            AnyValue::Int(value) => Some(Value::IntValue(value)),
            AnyValue::Double(value) => Some(Value::DoubleValue(value)),
            AnyValue::Array(array) => {
                let values = array.iter().map(Into::into).collect();
                Some(Value::ArrayValue(common::ArrayValue { values }))
            }
            AnyValue::KvList(list) => {
                let values = list.iter().map(Into::into).collect();
                Some(Value::KvlistValue(common::KeyValueList { values }))
            }
            AnyValue::Bytes(bytes) => Some(Value::BytesValue(bytes.into())),
            AnyValue::StringStrindex(index) => Some(Value::StringValueStrindex(index)),
        };
        Self { value }
    }
}

impl From<LogRecord<'_, '_>> for logs::LogRecord {
    fn from(record: LogRecord<'_, '_>) -> Self {
        Self {
            time_unix_nano: record.time_unix_nano,
            observed_time_unix_nano: record.observed_time_unix_nano,
            severity_number: record.severity_number.0,
            severity_text: record.severity_text.into(),
            body: record.body.map(Into::into),
            attributes: attributes(record.attributes),
            dropped_attributes_count: record.dropped_attributes_count,
            flags: record.flags,
            trace_id: record.trace_id.map_or_else(Vec::new, |id| id.0.into()),
            span_id: record.span_id.map_or_else(Vec::new, |id| id.0.into()),
            event_name: record.event_name.into(),
        }
    }
}

impl From<Metric<'_, '_>> for metrics::Metric {
    fn from(metric: Metric<'_, '_>) -> Self {
        Self {
            name: metric.name.into(),
            description: metric.description.into(),
            unit: metric.unit.into(),
            metadata: attributes(metric.metadata),
            data: metric.data.map(Into::into),
        }
    }
}

impl From<MetricData<'_, '_>> for metrics::metric::Data {
    fn from(data: MetricData<'_, '_>) -> Self {
        match data {
            MetricData::Gauge(gauge) => Self::Gauge(metrics::Gauge {
                data_points: gauge.data_points.iter().map(Into::into).collect(),
            }),
            MetricData::Sum(sum) => Self::Sum(metrics::Sum {
                data_points: sum.data_points.iter().map(Into::into).collect(),
                aggregation_temporality: sum.aggregation_temporality.0,
                is_monotonic: sum.is_monotonic,
            }),
            MetricData::Histogram(histogram) => Self::Histogram(metrics::Histogram {
                data_points: histogram.data_points.iter().map(Into::into).collect(),
                aggregation_temporality: histogram.aggregation_temporality.0,
            }),
            MetricData::ExponentialHistogram(histogram) => {
                Self::ExponentialHistogram(metrics::ExponentialHistogram {
                    data_points: histogram.data_points.iter().map(Into::into).collect(),
                    aggregation_temporality: histogram.aggregation_temporality.0,
                })
            }
            MetricData::Summary(summary) => Self::Summary(metrics::Summary {
                data_points: summary.data_points.iter().map(Into::into).collect(),
            }),
        }
    }
}

impl From<NumberDataPoint<'_, '_>> for metrics::NumberDataPoint {
    fn from(point: NumberDataPoint<'_, '_>) -> Self {
        use metrics::number_data_point::Value;
        Self {
            attributes: attributes(point.attributes),
            start_time_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            exemplars: point.exemplars.iter().map(Into::into).collect(),
            flags: point.flags,
            value: point.value.map(|value| match value {
                NumberValue::Double(value) => Value::AsDouble(value),
                NumberValue::Int(value) => Value::AsInt(value),
            }),
        }
    }
}

impl From<HistogramDataPoint<'_, '_>> for metrics::HistogramDataPoint {
    fn from(point: HistogramDataPoint<'_, '_>) -> Self {
        Self {
            attributes: attributes(point.attributes),
            start_time_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            count: point.count,
            sum: point.sum,
            bucket_counts: point.bucket_counts.into(),
            explicit_bounds: point.explicit_bounds.into(),
            exemplars: point.exemplars.iter().map(Into::into).collect(),
            flags: point.flags,
            min: point.min,
            max: point.max,
        }
    }
}

impl From<ExponentialHistogramDataPoint<'_, '_>> for metrics::ExponentialHistogramDataPoint {
    fn from(point: ExponentialHistogramDataPoint<'_, '_>) -> Self {
        Self {
            attributes: attributes(point.attributes),
            start_time_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            count: point.count,
            sum: point.sum,
            scale: point.scale,
            zero_count: point.zero_count,
            positive: point.positive.map(Into::into),
            negative: point.negative.map(Into::into),
            flags: point.flags,
            exemplars: point.exemplars.iter().map(Into::into).collect(),
            min: point.min,
            max: point.max,
            zero_threshold: point.zero_threshold,
        }
    }
}

impl From<Buckets<'_>> for metrics::exponential_histogram_data_point::Buckets {
    fn from(buckets: Buckets<'_>) -> Self {
        Self { offset: buckets.offset, bucket_counts: buckets.bucket_counts.into() }
    }
}

impl From<SummaryDataPoint<'_, '_>> for metrics::SummaryDataPoint {
    fn from(point: SummaryDataPoint<'_, '_>) -> Self {
        Self {
            attributes: attributes(point.attributes),
            start_time_unix_nano: point.start_time_unix_nano,
            time_unix_nano: point.time_unix_nano,
            count: point.count,
            sum: point.sum,
            quantile_values: point.quantile_values.iter().map(|&value| value.into()).collect(),
            flags: point.flags,
        }
    }
}

impl From<ValueAtQuantile> for metrics::summary_data_point::ValueAtQuantile {
    fn from(value: ValueAtQuantile) -> Self {
        Self { quantile: value.quantile, value: value.value }
    }
}

impl From<Exemplar<'_, '_>> for metrics::Exemplar {
    fn from(exemplar: Exemplar<'_, '_>) -> Self {
        use metrics::exemplar::Value;
        Self {
            filtered_attributes: attributes(exemplar.filtered_attributes),
            time_unix_nano: exemplar.time_unix_nano,
            span_id: exemplar.span_id.map_or_else(Vec::new, |id| id.0.into()),
            trace_id: exemplar.trace_id.map_or_else(Vec::new, |id| id.0.into()),
            value: exemplar.value.map(|value| match value {
                NumberValue::Double(value) => Value::AsDouble(value),
                NumberValue::Int(value) => Value::AsInt(value),
            }),
        }
    }
}
