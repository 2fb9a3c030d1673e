//! `io.prometheus.write.v2.Request`, symbols and references as they were in the body.

use borrowire::remote_write::v2::{Refs, Request, SeriesRefs};
use borrowire::remote_write::{Exemplar, Histogram, MetadataRefs, Sample, TimeSeries};
use serde::ser::{Serialize, Serializer};

use super::{Double, Object, histogram};

/// A request of remote write 2.0 that was decoded from a body: no other has references.
pub struct RequestForm<'r, 'a>(pub &'r Request<'a>);

impl Serialize for RequestForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        // Without partial mode all are text.
        object.list("symbols", self.0.symbols().iter().map(Option::unwrap_or_default))?;
        let refs = (0..).map_while(|index| self.0.refs(index));
        let series = self.0.timeseries().iter().zip(refs);
        object.list("timeseries", series.map(|(series, refs)| SeriesForm { series, refs }))?;
        object.end()
    }
}

struct SeriesForm<'s, 'a> {
    series: TimeSeries<'s, 'a>,
    refs: SeriesRefs<'s, 'a>,
}

impl Serialize for SeriesForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { series, refs } = self;
        let mut object = Object::begin(serializer)?;
        object.list("labels_refs", refs.labels())?;
        object.list("samples", series.samples().iter().map(short_sample))?;
        object.list("histograms", series.histograms().iter().map(HistogramForm))?;
        let exemplars = series.exemplars().iter().zip(refs.exemplars());
        let exemplars = exemplars.map(|(exemplar, refs)| ExemplarForm { exemplar, refs });
        object.list("exemplars", exemplars)?;
        if let Some(metadata) = refs.metadata() {
            object.member("metadata", &MetadataForm(metadata))?;
        }
        object.end()
    }
}

/// Short form: `[value, timestamp, start_timestamp]`.
fn short_sample(sample: &Sample) -> (Double, i64, i64) {
    (Double(sample.value), sample.timestamp, sample.start_timestamp)
}

struct ExemplarForm<'s, 'a> {
    exemplar: Exemplar<'s, 'a>,
    refs: Refs<'a>,
}

impl Serialize for ExemplarForm<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.list("labels_refs", self.refs.clone())?;
        object.double("value", self.exemplar.value())?;
        object.integer("timestamp", self.exemplar.timestamp())?;
        object.end()
    }
}

struct HistogramForm<'s>(Histogram<'s>);

impl Serialize for HistogramForm<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        histogram::fields(&mut object, self.0)?;
        object.integer("start_timestamp", self.0.start_timestamp)?;
        object.end()
    }
}

struct MetadataForm(MetadataRefs);

impl Serialize for MetadataForm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.integer("type", self.0.metric_type.0)?;
        object.integer("help_ref", self.0.help_ref)?;
        object.integer("unit_ref", self.0.unit_ref)?;
        object.end()
    }
}
