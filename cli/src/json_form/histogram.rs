//! Native histograms: the fields that both versions of remote write have.

use borrowire::remote_write::{BucketSpan, Count, Histogram};
use serde::ser::{Serialize, Serializer};

use super::{Double, Object};

/// The fields up to number 16.
pub(super) fn fields<S: Serializer>(
    object: &mut Object<S>,
    histogram: Histogram<'_>,
) -> Result<(), S::Error> {
    count(object, histogram.count, ["count_int", "count_float"])?;
    object.double("sum", histogram.sum)?;
    object.integer("schema", histogram.schema)?;
    object.double("zero_threshold", histogram.zero_threshold)?;
    count(object, histogram.zero_count, ["zero_count_int", "zero_count_float"])?;
    object.list("negative_spans", histogram.negative_spans.iter().map(Span))?;
    object.list("negative_deltas", histogram.negative_deltas)?;
    object.list("negative_counts", doubles(histogram.negative_counts))?;
    object.list("positive_spans", histogram.positive_spans.iter().map(Span))?;
    object.list("positive_deltas", histogram.positive_deltas)?;
    object.list("positive_counts", doubles(histogram.positive_counts))?;
    object.integer("reset_hint", histogram.reset_hint.0)?;
    object.integer("timestamp", histogram.timestamp)?;
    object.list("custom_values", doubles(histogram.custom_values))
}

/// The member of a oneof that is set, zero or not.
fn count<S: Serializer>(
    object: &mut Object<S>,
    value: Option<Count>,
    [int, float]: [&str; 2],
) -> Result<(), S::Error> {
    match value {
        Some(Count::Int(value)) => object.member(int, &value),
        Some(Count::Float(value)) => object.member(float, &Double(value)),
        None => Ok(()),
    }
}

struct Span<'h>(&'h BucketSpan);

impl Serialize for Span<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Object::begin(serializer)?;
        object.integer("offset", self.0.offset)?;
        object.integer("length", self.0.length)?;
        object.end()
    }
}

fn doubles(values: &[f64]) -> impl Iterator<Item = Double> {
    values.iter().copied().map(Double)
}
