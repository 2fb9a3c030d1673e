//! `io.prometheus.write.v2.Request`, symbols and references as they were in the body.

use borrowire::remote_write::v2::{Refs, Request, SeriesRefs};
use borrowire::remote_write::{Exemplar, Histogram, MetadataRefs, Sample, TimeSeries};

use super::remote_write_v1::histogram_fields;
use super::{Object, double, integer, string};

/// Appends `request`, which was decoded from a body, to `json`.
///
/// # Panics
///
/// If it was not.
pub fn request(json: &mut String, request: &Request<'_>) {
    let mut object = Object::begin(json);
    // Without partial mode all are text.
    let symbols = request.symbols().iter().map(Option::unwrap_or_default);
    object.list("symbols", symbols, string);
    let refs = (0..).map_while(|index| request.refs(index));
    object.list("timeseries", request.timeseries().iter().zip(refs), time_series);
    object.end();
}

fn time_series(json: &mut String, (series, refs): (TimeSeries<'_, '_>, SeriesRefs<'_, '_>)) {
    let mut object = Object::begin(json);
    object.list("labels_refs", refs.labels(), integer);
    object.list("samples", series.samples(), sample);
    object.list("histograms", series.histograms(), histogram);
    object.list("exemplars", series.exemplars().iter().zip(refs.exemplars()), exemplar);
    if let Some(refs) = refs.metadata() {
        metadata(object.member("metadata"), refs);
    }
    object.end();
}

/// Short form: `[value, timestamp, start_timestamp]`.
fn sample(json: &mut String, sample: &Sample) {
    json.push('[');
    double(json, sample.value);
    for time in [sample.timestamp, sample.start_timestamp] {
        json.push(',');
        integer(json, time);
    }
    json.push(']');
}

fn exemplar(json: &mut String, (exemplar, refs): (Exemplar<'_, '_>, Refs<'_>)) {
    let mut object = Object::begin(json);
    object.list("labels_refs", refs, integer);
    object.double("value", exemplar.value());
    object.integer("timestamp", exemplar.timestamp());
    object.end();
}

fn histogram(json: &mut String, histogram: Histogram<'_>) {
    let mut object = Object::begin(json);
    histogram_fields(&mut object, histogram);
    object.integer("start_timestamp", histogram.start_timestamp);
    object.end();
}

fn metadata(json: &mut String, metadata: MetadataRefs) {
    let mut object = Object::begin(json);
    object.integer("type", metadata.metric_type.0);
    object.integer("help_ref", metadata.help_ref);
    object.integer("unit_ref", metadata.unit_ref);
    object.end();
}
