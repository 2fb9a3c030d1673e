//! Conversions to and from the generated types.

use super::metadata::MetricMetadata;
use super::write_request::WriteRequest;
use crate::message::request::Raw;
use crate::proto::prometheus as proto;
use crate::remote_write::model::exemplar::Exemplar;
use crate::remote_write::model::label::Label;
use crate::remote_write::model::metadata::MetricType;
use crate::remote_write::model::prost::convert_values;
use crate::remote_write::model::sample::Sample;
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::time_series::TimeSeries;

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
        push_histogram(&mut storage.histograms, histogram);
    }
    storage.end_series(Raw::default());
}

convert_values!(proto);

impl<'a> From<&'a proto::Label> for Label<'a> {
    fn from(label: &'a proto::Label) -> Self {
        Self::new(&label.name, &label.value)
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
