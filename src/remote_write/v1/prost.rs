//! Conversions to and from the generated types.

use super::metadata::MetricMetadata;
use super::write_request::WriteRequest;
use crate::message::request::Raw;
use crate::proto::prometheus as proto;
use crate::remote_write::model::exemplar::Exemplar;
use crate::remote_write::model::histogram::{BucketSpan, Count, Histogram, ResetHint};
use crate::remote_write::model::label::Label;
use crate::remote_write::model::metadata::MetricType;
use crate::remote_write::model::sample::Sample;
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::time_series::TimeSeries;
use alloc::vec::Vec;

impl<'a> WriteRequest<'a> {
    /// A request that borrows its text from `request`; it has no raw bytes.
    ///
    /// ```
    /// use borrowire::proto::prometheus;
    /// use borrowire::remote_write::v1::WriteRequest;
    ///
    /// let generated = prometheus::WriteRequest {
    ///     timeseries: vec![prometheus::TimeSeries::default()],
    ///     metadata: vec![],
    /// };
    /// let request = WriteRequest::from_prost(&generated);
    /// assert_eq!(request.timeseries().len(), 1);
    /// assert_eq!(prometheus::WriteRequest::from(&request), generated);
    /// ```
    #[must_use]
    pub fn from_prost(request: &'a proto::WriteRequest) -> Self {
        let mut converted = Self::default();
        for series in &request.timeseries {
            push_series(&mut converted.storage, series);
        }
        for metadata in &request.metadata {
            converted.metadata.push(&MetricMetadata::from(metadata), Raw::default());
        }
        converted
    }
}

fn push_series<'a>(storage: &mut Storage<'a>, series: &'a proto::TimeSeries) {
    storage.labels.extend(series.labels.iter().map(Label::from));
    storage.samples.extend(series.samples.iter().map(Sample::from));
    for exemplar in &series.exemplars {
        let labels_start = storage.exemplar_labels.len();
        storage.exemplar_labels.extend(exemplar.labels.iter().map(Label::from));
        storage.push_exemplar(labels_start, exemplar.value, exemplar.timestamp);
    }
    for histogram in &series.histograms {
        let spans = |spans: &[proto::BucketSpan]| -> Vec<_> {
            spans.iter().map(BucketSpan::from).collect()
        };
        storage.histograms.push(&Histogram {
            count: histogram.count.as_ref().map(|count| match *count {
                proto::histogram::Count::CountInt(count) => Count::Int(count),
                proto::histogram::Count::CountFloat(count) => Count::Float(count),
            }),
            sum: histogram.sum,
            schema: histogram.schema,
            zero_threshold: histogram.zero_threshold,
            zero_count: histogram.zero_count.as_ref().map(|count| match *count {
                proto::histogram::ZeroCount::ZeroCountInt(count) => Count::Int(count),
                proto::histogram::ZeroCount::ZeroCountFloat(count) => Count::Float(count),
            }),
            negative_spans: &spans(&histogram.negative_spans),
            negative_deltas: &histogram.negative_deltas,
            negative_counts: &histogram.negative_counts,
            positive_spans: &spans(&histogram.positive_spans),
            positive_deltas: &histogram.positive_deltas,
            positive_counts: &histogram.positive_counts,
            reset_hint: ResetHint(histogram.reset_hint),
            timestamp: histogram.timestamp,
            custom_values: &histogram.custom_values,
            start_timestamp: 0,
        });
    }
    storage.end_series(Raw::default());
}

impl<'a> From<&'a proto::Label> for Label<'a> {
    fn from(label: &'a proto::Label) -> Self {
        Self::new(&label.name, &label.value)
    }
}

impl From<&proto::Sample> for Sample {
    fn from(sample: &proto::Sample) -> Self {
        Self::new(sample.value, sample.timestamp)
    }
}

impl From<&proto::BucketSpan> for BucketSpan {
    fn from(span: &proto::BucketSpan) -> Self {
        Self::new(span.offset, span.length)
    }
}

impl<'a> From<&'a proto::MetricMetadata> for MetricMetadata<'a> {
    fn from(metadata: &'a proto::MetricMetadata) -> Self {
        Self::new(MetricType(metadata.r#type), &metadata.metric_family_name)
            .with_help(&metadata.help)
            .with_unit(&metadata.unit)
    }
}

impl From<Label<'_>> for proto::Label {
    fn from(label: Label<'_>) -> Self {
        Self { name: label.name.into(), value: label.value.into() }
    }
}

impl From<Sample> for proto::Sample {
    fn from(sample: Sample) -> Self {
        Self { value: sample.value, timestamp: sample.timestamp }
    }
}

impl From<BucketSpan> for proto::BucketSpan {
    fn from(span: BucketSpan) -> Self {
        Self { offset: span.offset, length: span.length }
    }
}

impl From<Exemplar<'_, '_>> for proto::Exemplar {
    fn from(exemplar: Exemplar<'_, '_>) -> Self {
        Self {
            labels: exemplar.labels().iter().copied().map(Into::into).collect(),
            value: exemplar.value(),
            timestamp: exemplar.timestamp(),
        }
    }
}

impl From<MetricMetadata<'_>> for proto::MetricMetadata {
    fn from(metadata: MetricMetadata<'_>) -> Self {
        Self {
            r#type: metadata.metric_type.0,
            metric_family_name: metadata.metric_family_name.into(),
            help: metadata.help.into(),
            unit: metadata.unit.into(),
        }
    }
}

impl From<Histogram<'_>> for proto::Histogram {
    fn from(histogram: Histogram<'_>) -> Self {
        let spans =
            |spans: &[BucketSpan]| spans.iter().copied().map(Into::into).collect::<Vec<_>>();
        Self {
            count: histogram.count.map(|count| match count {
                Count::Int(count) => proto::histogram::Count::CountInt(count),
                Count::Float(count) => proto::histogram::Count::CountFloat(count),
            }),
            sum: histogram.sum,
            schema: histogram.schema,
            zero_threshold: histogram.zero_threshold,
            zero_count: histogram.zero_count.map(|count| match count {
                Count::Int(count) => proto::histogram::ZeroCount::ZeroCountInt(count),
                Count::Float(count) => proto::histogram::ZeroCount::ZeroCountFloat(count),
            }),
            negative_spans: spans(histogram.negative_spans),
            negative_deltas: histogram.negative_deltas.into(),
            negative_counts: histogram.negative_counts.into(),
            positive_spans: spans(histogram.positive_spans),
            positive_deltas: histogram.positive_deltas.into(),
            positive_counts: histogram.positive_counts.into(),
            reset_hint: histogram.reset_hint.0,
            timestamp: histogram.timestamp,
            custom_values: histogram.custom_values.into(),
        }
    }
}

impl From<TimeSeries<'_, '_>> for proto::TimeSeries {
    fn from(series: TimeSeries<'_, '_>) -> Self {
        Self {
            labels: series.labels().iter().copied().map(Into::into).collect(),
            samples: series.samples().iter().copied().map(Into::into).collect(),
            exemplars: series.exemplars().iter().map(Into::into).collect(),
            histograms: series.histograms().iter().map(Into::into).collect(),
        }
    }
}

/// Without extensions and unknown fields, for which the generated type has no place.
impl From<&WriteRequest<'_>> for proto::WriteRequest {
    fn from(request: &WriteRequest<'_>) -> Self {
        Self {
            timeseries: request.timeseries().iter().map(Into::into).collect(),
            metadata: request.metadata().iter().map(Into::into).collect(),
        }
    }
}
