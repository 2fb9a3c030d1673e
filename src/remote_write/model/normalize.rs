//! Labels as Prometheus, Mimir and Cortex put them in order before they look at them: sorted by
//! name, and none without a value.

use core::slice;

use alloc::vec::Vec;
use smallvec::SmallVec;

use super::label::Label;
use super::time_series::TimeSeries;
use crate::wire::impossible;
use crate::wire::work::count;

/// How many labels need no allocation: Mimir takes 30 by default.
const INLINE: usize = 32;

/// The labels of a series, collected by the caller to be put in order: of a decoded one, or such as
/// a program makes. Up to 32 need no allocation.
///
/// Receivers sort labels and drop those without a value before they hash, store or compare them.
/// A decoded series keeps what its sender wrote:
///
/// ```
/// use borrowire::remote_write::{Label, Labels, MimirTokens, TimeSeries};
///
/// let sent = [Label::new("job", "node"), Label::new("zone", ""), Label::new("__name__", "up")];
/// let series = TimeSeries::new(&sent);
/// assert!(!series.has_normalized_labels());
///
/// let mut labels = Labels::from(series.labels());
/// labels.normalize();
/// assert_eq!(labels.as_slice(), [Label::new("__name__", "up"), Label::new("job", "node")]);
/// let series = TimeSeries::new(labels.as_slice()); // to be hashed, kept or encoded
/// # assert!(series.has_normalized_labels());
/// ```
#[derive(Clone, Debug, Default, Eq, Hash)]
#[doc(alias("sort", "external labels"))]
pub struct Labels<'a> {
    labels: SmallVec<[Label<'a>; INLINE]>,
}

impl<'a> Labels<'a> {
    /// No labels.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends a label.
    #[inline]
    pub fn push(&mut self, label: Label<'a>) {
        self.labels.push(label);
    }

    /// Removes all labels, to collect others.
    pub fn clear(&mut self) {
        self.labels.clear();
    }

    /// Removes the labels without a value, which mean the same as no label.
    pub fn drop_empty(&mut self) {
        self.labels.retain(|label| !label.value.is_empty());
    }

    /// Sorts by name, bytewise, and by value where names are equal.
    pub fn sort(&mut self) {
        self.labels.sort_unstable();
    }

    /// What receivers do: [`drop_empty`](Self::drop_empty), then [`sort`](Self::sort). Labels that
    /// are in order already are only looked at.
    pub fn normalize(&mut self) {
        if !is_normalized(&self.labels) {
            self.drop_empty();
            self.sort();
        }
    }

    /// The labels.
    #[must_use]
    pub fn as_slice(&self) -> &[Label<'a>] {
        &self.labels
    }

    /// The labels, one by one.
    pub fn iter(&self) -> slice::Iter<'_, Label<'a>> {
        self.labels.iter()
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }
}

// Not derived: `SmallVec` is invariant, so that would only compare labels of one lifetime.
impl<'b> PartialEq<Labels<'b>> for Labels<'_> {
    fn eq(&self, other: &Labels<'b>) -> bool {
        self.as_slice() == other.as_slice()
    }
}

impl<'a> AsRef<[Label<'a>]> for Labels<'a> {
    fn as_ref(&self) -> &[Label<'a>] {
        &self.labels
    }
}

impl<'a> From<&[Label<'a>]> for Labels<'a> {
    fn from(labels: &[Label<'a>]) -> Self {
        Self { labels: SmallVec::from_slice(labels) }
    }
}

impl<'a> FromIterator<Label<'a>> for Labels<'a> {
    fn from_iter<I: IntoIterator<Item = Label<'a>>>(labels: I) -> Self {
        Self { labels: labels.into_iter().collect() }
    }
}

impl<'a> Extend<Label<'a>> for Labels<'a> {
    fn extend<I: IntoIterator<Item = Label<'a>>>(&mut self, labels: I) {
        self.labels.extend(labels);
    }
}

impl<'s, 'a> IntoIterator for &'s Labels<'a> {
    type Item = &'s Label<'a>;
    type IntoIter = slice::Iter<'s, Label<'a>>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl TimeSeries<'_, '_> {
    /// Whether the labels are as receivers have them after they put them in order: names ascending,
    /// bytewise, and no value empty. A name can still be there twice.
    #[must_use]
    pub fn has_normalized_labels(&self) -> bool {
        is_normalized(self.labels())
    }
}

/// Whether nothing is to be dropped or sorted.
#[inline]
pub(in crate::remote_write) fn is_normalized(labels: &[Label<'_>]) -> bool {
    let mut before = "";
    labels.iter().all(|label| {
        count(before.len().min(label.name.len()));
        let sorted = !label.value.is_empty() && before <= label.name;
        before = label.name;
        sorted
    })
}

/// `labels` as they are if they are normalized, otherwise put in order in `scratch`.
#[inline]
pub(in crate::remote_write) fn normalized<'l, 'a>(
    labels: &'l [Label<'a>],
    scratch: &'l mut Labels<'a>,
) -> &'l [Label<'a>] {
    if is_normalized(labels) {
        return labels;
    }
    scratch.clear();
    scratch.extend(labels.iter().copied());
    scratch.normalize();
    scratch.as_slice()
}

/// Normalizes those of `labels` that stand from `start` on.
pub(in crate::remote_write) fn normalize_from(labels: &mut Vec<Label<'_>>, start: usize) {
    let new = labels.get_mut(start..).unwrap_or_else(impossible);
    if is_normalized(new) {
        return;
    }
    new.sort_unstable_by_key(|label| (label.value.is_empty(), *label));
    let kept = new.iter().take_while(|label| !label.value.is_empty()).count();
    labels.truncate(start.saturating_add(kept));
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::vec;

    fn labels<'a>(pairs: &[(&'a str, &'a str)]) -> Vec<Label<'a>> {
        pairs.iter().map(|&(name, value)| Label::new(name, value)).collect()
    }

    #[test]
    fn sorted_and_without_empty_values() {
        for (given, wanted) in [
            (&[][..], &[][..]),
            (&[("a", "")], &[]),
            (&[("a", "1"), ("b", "2")], &[("a", "1"), ("b", "2")]),
            (&[("b", "2"), ("a", "1")], &[("a", "1"), ("b", "2")]),
            // Bytewise: capitals first, what is longer behind its front, other scripts last.
            (
                &[("é", "1"), ("a", "2"), ("Z", "3"), ("ab", "4"), ("_", "5")],
                &[("Z", "3"), ("_", "5"), ("a", "2"), ("ab", "4"), ("é", "1")],
            ),
            // Not judged: names that are there twice, or none.
            (&[("b", "2"), ("a", ""), ("b", "1")], &[("b", "1"), ("b", "2")]),
            (&[("a", "1"), ("", "2")], &[("", "2"), ("a", "1")]),
        ] {
            let (given, wanted) = (labels(given), labels(wanted));
            let mut collected = Labels::from(&given[..]);
            assert_eq!(is_normalized(&given), given == wanted);
            collected.normalize();
            assert_eq!(collected.as_slice(), wanted);
            assert!(is_normalized(&wanted));

            let mut scratch = Labels::from_iter([Label::new("left", "over")]);
            assert_eq!(normalized(&given, &mut scratch), wanted);
            // What stands in front is left alone.
            let front = labels(&[("z", ""), ("a", "")]);
            let mut column = [&front[..], &given].concat();
            normalize_from(&mut column, front.len());
            assert_eq!(column, [&front[..], &wanted].concat());
        }
    }

    #[test]
    fn dropping_and_sorting_alone() {
        let all = labels(&[("c", ""), ("b", "2"), ("c", "3"), ("a", "")]);
        let mut collected = Labels::from(&all[..]);
        collected.drop_empty();
        assert_eq!(collected.as_slice(), labels(&[("b", "2"), ("c", "3")]));
        let mut collected = Labels::from(&all[..]);
        collected.sort();
        assert_eq!(collected.as_slice(), labels(&[("a", ""), ("b", "2"), ("c", ""), ("c", "3")]));
        let many = vec![Label::new("x", ""); 100];
        let mut collected = Labels::from(&many[..]);
        collected.normalize();
        assert!(collected.is_empty());
    }
}
