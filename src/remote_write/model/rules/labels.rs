//! The rules for labels.

use alloc::vec::Vec;

use super::names::Names;
use super::rule::{Rule, ViolationKind};
use super::set::Rules;
use crate::remote_write::model::label::Label;

impl Rules {
    /// Reports what is wrong with the labels of a series, whose name is that of the label
    /// `metric_name`.
    pub(super) fn check_labels(
        &self,
        labels: &[Label<'_>],
        metric_name: &str,
        names: &impl Names,
        report: &mut impl FnMut(ViolationKind),
    ) {
        let mut sorted = true;
        let mut before: Option<&str> = None;
        for (at, &Label { name, value }) in labels.iter().enumerate() {
            let mut broken = |rule| report(ViolationKind::Label { rule, label: at });
            if let Some(before) = before
                && names.compare(before, name).is_gt()
            {
                sorted = false;
                broken(Rule::UnsortedLabels);
            }
            before = Some(name);
            if name.is_empty() {
                broken(Rule::EmptyLabelName);
            } else if !names.is_valid(name, self.names, false) {
                broken(Rule::InvalidLabelName);
            }
            if value.is_empty() {
                broken(Rule::EmptyLabelValue);
            } else if name == metric_name && !names.is_valid(value, self.names, true) {
                broken(Rule::InvalidMetricName);
            }
            if name.len() > self.max_label_name_bytes {
                broken(Rule::LabelNameTooLong);
            }
            if value.len() > self.max_label_value_bytes {
                broken(Rule::LabelValueTooLong);
            }
        }
        let mut duplicate = |label| {
            report(ViolationKind::Label { rule: Rule::DuplicateLabel, label });
        };
        if sorted {
            sorted_duplicates(labels, names).for_each(duplicate);
        } else {
            unsorted_duplicates(labels, names, &mut duplicate);
        }
    }
}

/// Whether two of `labels` have the same name.
pub(super) fn has_duplicates(labels: &[Label<'_>], names: &impl Names) -> bool {
    let mut found = false;
    unsorted_duplicates(labels, names, &mut |_| found = true);
    found
}

/// The positions of labels with the name of the one before.
fn sorted_duplicates(labels: &[Label<'_>], names: &impl Names) -> impl Iterator<Item = usize> {
    let pairs = labels.iter().zip(labels.iter().enumerate().skip(1));
    pairs.filter(|(before, (_, this))| names.same(before.name, this.name)).map(|(_, (at, _))| at)
}

/// Reports duplicates among labels in any order: by comparing all pairs, or, where those would be
/// many, by sorting a copy.
fn unsorted_duplicates(labels: &[Label<'_>], names: &impl Names, report: &mut impl FnMut(usize)) {
    const PAIRS: usize = 64;
    if labels.len() <= PAIRS {
        for (at, this) in labels.iter().enumerate() {
            if labels.iter().take(at).any(|before| names.same(before.name, this.name)) {
                report(at);
            }
        }
        return;
    }
    let mut all: Vec<(&str, usize)> =
        labels.iter().enumerate().map(|(at, this)| (this.name, at)).collect();
    all.sort_unstable_by(|one, other| {
        names.compare(one.0, other.0).then_with(|| one.1.cmp(&other.1))
    });
    let mut repeated: Vec<usize> = all
        .iter()
        .zip(all.iter().skip(1))
        .filter(|(before, this)| names.same(before.0, this.0))
        .map(|(_, this)| this.1)
        .collect();
    repeated.sort_unstable();
    repeated.into_iter().for_each(report);
}
