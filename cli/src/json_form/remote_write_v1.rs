//! `prometheus.WriteRequest`, with the fields that Prometheus' own schema has.

use borrowire::remote_write::v1::{MetricMetadata, WriteRequest};
use borrowire::remote_write::{Exemplar, Histogram, Label, Sample, TimeSeries};
use serde::ser::{Serialize, Serializer};

use super::{Double, Object, histogram};

/// A request of remote write 1.0.
pub struct WriteRequestForm<'r, 'a>(pub &'r WriteRequest<'a>);

impl Serialize for WriteRequestForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.list("timeseries", self.0.timeseries().iter().map(SeriesForm))?;
        object.list("metadata", self.0.metadata().iter().map(MetadataForm))?;
        object.end()
    }
}

struct SeriesForm<'s, 'a>(TimeSeries<'s, 'a>);

impl Serialize for SeriesForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.list("labels", self.0.labels().iter().map(short_label))?;
        object.list("samples", self.0.samples().iter().map(short_sample))?;
        object.list("exemplars", self.0.exemplars().iter().map(ExemplarForm))?;
        object.list("histograms", self.0.histograms().iter().map(HistogramForm))?;
        object.end()
    }
}

/// Short form: `[name, value]`.
fn short_label<'a>(label: &Label<'a>) -> [&'a str; 2] {
    [label.name, label.value]
}

/// Short form: `[value, timestamp]`.
fn short_sample(sample: &Sample) -> (Double, i64) {
    (Double(sample.value), sample.timestamp)
}

struct ExemplarForm<'s, 'a>(Exemplar<'s, 'a>);

impl Serialize for ExemplarForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.list("labels", self.0.labels().iter().map(short_label))?;
        object.double("value", self.0.value())?;
        object.integer("timestamp", self.0.timestamp())?;
        object.end()
    }
}

struct HistogramForm<'s>(Histogram<'s>);

impl Serialize for HistogramForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        histogram::fields(&mut object, self.0)?;
        object.end()
    }
}

struct MetadataForm<'a>(MetricMetadata<'a>);

impl Serialize for MetadataForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.integer("type", self.0.metric_type.0)?;
        object.string("metric_family_name", self.0.metric_family_name)?;
        object.string("help", self.0.help)?;
        object.string("unit", self.0.unit)?;
        object.end()
    }
}
