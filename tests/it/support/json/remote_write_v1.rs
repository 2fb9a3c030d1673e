//! `prometheus.WriteRequest`, with the fields that Prometheus' own schema has.

use borrowire::remote_write::v1::{MetricMetadata, WriteRequest};
use borrowire::remote_write::{BucketSpan, Count, Exemplar, Histogram, Label, Sample, TimeSeries};

use super::{Object, double, integer, list, string};

/// Appends `request` to `json`.
pub fn write_request(json: &mut String, request: &WriteRequest<'_>) {
    let mut object = Object::begin(json);
    object.list("timeseries", request.timeseries(), time_series);
    object.list("metadata", request.metadata(), metric_metadata);
    object.end();
}

fn time_series(json: &mut String, series: TimeSeries<'_, '_>) {
    let mut object = Object::begin(json);
    object.list("labels", series.labels(), label);
    object.list("samples", series.samples(), sample);
    object.list("exemplars", series.exemplars(), exemplar);
    object.list("histograms", series.histograms(), histogram);
    object.end();
}

/// Short form: `[name, value]`.
fn label(json: &mut String, label: &Label<'_>) {
    list(json, [label.name, label.value], string);
}

/// Short form: `[value, timestamp]`.
fn sample(json: &mut String, sample: &Sample) {
    json.push('[');
    double(json, sample.value);
    json.push(',');
    integer(json, sample.timestamp);
    json.push(']');
}

fn exemplar(json: &mut String, exemplar: Exemplar<'_, '_>) {
    let mut object = Object::begin(json);
    object.list("labels", exemplar.labels(), label);
    object.double("value", exemplar.value());
    object.integer("timestamp", exemplar.timestamp());
    object.end();
}

fn histogram(json: &mut String, histogram: Histogram<'_>) {
    let mut object = Object::begin(json);
    histogram_fields(&mut object, histogram);
    object.end();
}

/// The fields up to 16, which remote write 2.0 has as well.
pub(super) fn histogram_fields(object: &mut Object<'_>, histogram: Histogram<'_>) {
    count(object, histogram.count, ["count_int", "count_float"]);
    object.double("sum", histogram.sum);
    object.integer("schema", histogram.schema);
    object.double("zero_threshold", histogram.zero_threshold);
    count(object, histogram.zero_count, ["zero_count_int", "zero_count_float"]);
    object.list("negative_spans", histogram.negative_spans, bucket_span);
    object.list("negative_deltas", histogram.negative_deltas, integer);
    object.list("negative_counts", doubles(histogram.negative_counts), double);
    object.list("positive_spans", histogram.positive_spans, bucket_span);
    object.list("positive_deltas", histogram.positive_deltas, integer);
    object.list("positive_counts", doubles(histogram.positive_counts), double);
    object.integer("reset_hint", histogram.reset_hint.0);
    object.integer("timestamp", histogram.timestamp);
    object.list("custom_values", doubles(histogram.custom_values), double);
}

/// The member of a oneof that is set, zero or not.
fn count(object: &mut Object<'_>, value: Option<Count>, [int, float]: [&str; 2]) {
    match value {
        Some(Count::Int(value)) => integer(object.member(int), value),
        Some(Count::Float(value)) => double(object.member(float), value),
        None => {}
    }
}

fn bucket_span(json: &mut String, span: &BucketSpan) {
    let mut object = Object::begin(json);
    object.integer("offset", span.offset);
    object.integer("length", span.length);
    object.end();
}

fn metric_metadata(json: &mut String, metadata: MetricMetadata<'_>) {
    let mut object = Object::begin(json);
    object.integer("type", metadata.metric_type.0);
    object.string("metric_family_name", metadata.metric_family_name);
    object.string("help", metadata.help);
    object.string("unit", metadata.unit);
    object.end();
}

fn doubles(values: &[f64]) -> impl Iterator<Item = f64> {
    values.iter().copied()
}
