//! Going over a series.

use super::names::Names;
use super::rule::{Rule, ViolationKind};
use super::set::Rules;
use super::{histogram, labels};
use crate::remote_write::model::label::METRIC_NAME;
use crate::remote_write::model::time_series::TimeSeries;

impl Rules {
    /// Reports what both versions forbid in `series`, whether the rule is on or not.
    pub(in crate::remote_write) fn check(
        &self,
        series: &TimeSeries<'_, '_>,
        names: &impl Names,
        report: &mut impl FnMut(ViolationKind),
    ) {
        let mut broken = |rule| report(ViolationKind::Series { rule });
        if series.labels().len() > self.max_labels_per_series {
            broken(Rule::TooManyLabels);
        }
        if series.metric_name().is_none_or(str::is_empty) {
            broken(Rule::MissingMetricName);
        }
        let count = series.samples().len().saturating_add(series.histograms().len());
        if count > self.max_samples_per_series {
            broken(Rule::TooManySamples);
        }
        self.check_labels(series.labels(), METRIC_NAME, names, report);
        self.check_samples(series, report);
        if !series.histograms().is_empty() {
            self.check_histograms(series, report);
        }
        if !series.exemplars().is_empty() {
            check_exemplars(series, names, report);
        }
    }

    fn check_samples(&self, series: &TimeSeries<'_, '_>, report: &mut impl FnMut(ViolationKind)) {
        let timestamps = self.min_timestamp..=self.max_timestamp;
        let mut before = None;
        for (at, sample) in series.samples().iter().enumerate() {
            let mut broken = |rule| report(ViolationKind::Sample { rule, sample: at });
            if !timestamps.contains(&sample.timestamp) {
                broken(Rule::SampleTimestampOutOfRange);
            }
            if let Some((timestamp, value)) = before
                && sample.timestamp <= timestamp
            {
                broken(if (sample.timestamp, sample.value.to_bits()) == (timestamp, value) {
                    Rule::DuplicateSample
                } else {
                    Rule::SamplesOutOfOrder
                });
            }
            before = Some((sample.timestamp, sample.value.to_bits()));
        }
    }

    fn check_histograms(
        &self,
        series: &TimeSeries<'_, '_>,
        report: &mut impl FnMut(ViolationKind),
    ) {
        let timestamps = self.min_timestamp..=self.max_timestamp;
        let mut before = i64::MIN;
        for (at, histogram) in series.histograms().iter().enumerate() {
            let mut broken =
                |rule, side| report(ViolationKind::Histogram { rule, histogram: at, side });
            if !timestamps.contains(&histogram.timestamp) {
                broken(Rule::HistogramTimestampOutOfRange, None);
            }
            if at > 0 && histogram.timestamp <= before {
                broken(Rule::HistogramsOutOfOrder, None);
            }
            before = histogram.timestamp;
            if let Err((rule, side)) = histogram::check(&histogram) {
                broken(rule, side);
            }
        }
    }
}

/// The most characters that an exemplar's labels have together: OpenMetrics' cap.
const MAX_EXEMPLAR_CHARACTERS: usize = 128;

fn check_exemplars(
    series: &TimeSeries<'_, '_>,
    names: &impl Names,
    report: &mut impl FnMut(ViolationKind),
) {
    for (at, exemplar) in series.exemplars().iter().enumerate() {
        let labels = exemplar.labels();
        let texts = labels.iter().flat_map(|label| [label.name, label.value]);
        // No character takes less than a byte: mostly there is no need to count them.
        let bytes = texts.clone().fold(0, |sum: usize, text| sum.saturating_add(text.len()));
        let mut broken = |rule| report(ViolationKind::Exemplar { rule, exemplar: at });
        if bytes > MAX_EXEMPLAR_CHARACTERS
            && texts.flat_map(str::chars).nth(MAX_EXEMPLAR_CHARACTERS).is_some()
        {
            broken(Rule::ExemplarLabelsTooLong);
        }
        if labels::has_duplicates(labels, names) {
            broken(Rule::ExemplarDuplicateLabel);
        }
    }
}
