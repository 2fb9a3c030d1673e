//! This crate.

use std::error::Error;

use borrowire::Encode;
use borrowire::otlp::metrics::{
    Exemplar, ExportMetricsServiceRequest, MetricData, NumberDataPoint, NumberValue,
};
use bytes::Bytes;

use super::super::otlp::borrowire::{add_attributes, add_resource, add_scope, touch_attributes};
use super::super::{Digest, Peer, Touch};

pub struct Borrowire;

impl Peer for Borrowire {
    const NAME: &'static str = "borrowire";

    type Request<'a> = ExportMetricsServiceRequest<'a>;

    fn decode(body: &Bytes) -> Result<ExportMetricsServiceRequest<'_>, Box<dyn Error>> {
        Ok(ExportMetricsServiceRequest::decode(body)?)
    }

    fn digest(request: &ExportMetricsServiceRequest<'_>) -> Digest {
        let mut digest = Digest::default();
        let to = &mut digest;
        for metrics in request.resource_metrics() {
            to.resource();
            add_resource(to, metrics.resource);
            to.text(metrics.schema_url.as_bytes());
            for metrics in metrics.scope_metrics {
                add_scope(to, metrics.scope);
                to.text(metrics.schema_url.as_bytes());
                for metric in metrics.metrics {
                    to.metric(metric.name.as_bytes());
                    to.text(metric.description.as_bytes());
                    to.text(metric.unit.as_bytes());
                    add_attributes(to, metric.metadata);
                    add_data(to, metric.data);
                }
            }
        }
        digest
    }

    #[inline]
    fn touch(request: &ExportMetricsServiceRequest<'_>) -> Touch {
        let mut touch = Touch::default();
        let to = &mut touch;
        for metrics in request.resource_metrics() {
            for metrics in metrics.scope_metrics {
                for metric in metrics.metrics {
                    to.text(metric.name.as_bytes());
                    touch_data(to, metric.data);
                }
            }
        }
        touch
    }

    #[inline]
    fn encoded_len(request: &ExportMetricsServiceRequest<'_>) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &ExportMetricsServiceRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        request.encode(buffer).expect("the buffer is longer than the message")
    }
}

fn add_data(to: &mut Digest, data: Option<MetricData<'_, '_>>) {
    match data {
        None => to.word(300),
        Some(MetricData::Gauge(gauge)) => {
            to.word(301);
            gauge.data_points.iter().for_each(|it| add_number(to, it));
        }
        Some(MetricData::Sum(sum)) => {
            to.word(302);
            to.int(sum.aggregation_temporality.0.into());
            to.word(sum.is_monotonic.into());
            sum.data_points.iter().for_each(|it| add_number(to, it));
        }
        Some(MetricData::Histogram(histogram)) => {
            to.word(303);
            to.int(histogram.aggregation_temporality.0.into());
            for point in histogram.data_points {
                to.data_point(point.start_time_unix_nano, point.time_unix_nano);
                add_attributes(to, point.attributes);
                to.word(point.count);
                to.optional(point.sum);
                to.words(point.bucket_counts);
                to.floats(point.explicit_bounds);
                point.exemplars.iter().for_each(|it| add_exemplar(to, it));
                to.word(point.flags.into());
                to.optional(point.min);
                to.optional(point.max);
            }
        }
        Some(MetricData::ExponentialHistogram(histogram)) => {
            to.word(304);
            to.int(histogram.aggregation_temporality.0.into());
            for point in histogram.data_points {
                to.data_point(point.start_time_unix_nano, point.time_unix_nano);
                add_attributes(to, point.attributes);
                to.word(point.count);
                to.optional(point.sum);
                to.int(point.scale.into());
                to.word(point.zero_count);
                for buckets in [point.positive, point.negative] {
                    match buckets {
                        None => to.word(400),
                        Some(buckets) => {
                            to.int(buckets.offset.into());
                            to.words(buckets.bucket_counts);
                        }
                    }
                }
                point.exemplars.iter().for_each(|it| add_exemplar(to, it));
                to.word(point.flags.into());
                to.optional(point.min);
                to.optional(point.max);
                to.float(point.zero_threshold);
            }
        }
        Some(MetricData::Summary(summary)) => {
            to.word(305);
            for point in summary.data_points {
                to.data_point(point.start_time_unix_nano, point.time_unix_nano);
                add_attributes(to, point.attributes);
                to.word(point.count);
                to.float(point.sum);
                for value in point.quantile_values {
                    to.float(value.quantile);
                    to.float(value.value);
                }
                to.word(point.flags.into());
            }
        }
        Some(other) => panic!("{other:?}"),
    }
}

fn add_value(to: &mut Digest, value: Option<NumberValue>) {
    match value {
        None => to.word(0),
        Some(NumberValue::Double(value)) => to.float(value),
        Some(NumberValue::Int(value)) => to.int(value),
    }
}

fn add_number(to: &mut Digest, point: NumberDataPoint<'_, '_>) {
    to.data_point(point.start_time_unix_nano, point.time_unix_nano);
    add_value(to, point.value);
    add_attributes(to, point.attributes);
    point.exemplars.iter().for_each(|it| add_exemplar(to, it));
    to.word(point.flags.into());
}

fn add_exemplar(to: &mut Digest, exemplar: Exemplar<'_, '_>) {
    to.word(exemplar.time_unix_nano);
    add_value(to, exemplar.value);
    to.text(exemplar.span_id.as_ref().map_or(&[], |id| &id.0));
    to.text(exemplar.trace_id.as_ref().map_or(&[], |id| &id.0));
    add_attributes(to, exemplar.filtered_attributes);
}

#[inline]
fn touch_data(to: &mut Touch, data: Option<MetricData<'_, '_>>) {
    match data {
        Some(MetricData::Gauge(gauge)) => {
            gauge.data_points.iter().for_each(|it| touch_number(to, it));
        }
        Some(MetricData::Sum(sum)) => sum.data_points.iter().for_each(|it| touch_number(to, it)),
        Some(MetricData::Histogram(histogram)) => {
            for point in histogram.data_points {
                to.time(point.time_unix_nano.cast_signed(), 0);
                for count in point.bucket_counts {
                    to.time(count.cast_signed(), 0);
                }
                touch_attributes(to, point.attributes);
            }
        }
        Some(MetricData::ExponentialHistogram(histogram)) => {
            for point in histogram.data_points {
                to.time(point.time_unix_nano.cast_signed(), 0);
                touch_attributes(to, point.attributes);
            }
        }
        Some(MetricData::Summary(summary)) => {
            for point in summary.data_points {
                to.time(point.time_unix_nano.cast_signed(), 0);
                touch_attributes(to, point.attributes);
            }
        }
        _ => {}
    }
}

#[inline]
fn touch_number(to: &mut Touch, point: NumberDataPoint<'_, '_>) {
    match point.value {
        None => {}
        Some(NumberValue::Double(value)) => to.sample(value, point.time_unix_nano.cast_signed()),
        Some(NumberValue::Int(value)) => to.time(value, 0),
    }
    touch_attributes(to, point.attributes);
    for exemplar in point.exemplars {
        touch_attributes(to, exemplar.filtered_attributes);
    }
}
