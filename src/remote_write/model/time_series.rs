//! A series as both versions of remote write have it: labels, and what was measured under them.
//!
//! The versions differ on the wire: see `v1/time_series.rs` and `v2/time_series.rs`. So a series
//! alone is no message: [`v1::Message`](crate::remote_write::v1::Message) makes it one.

use core::fmt;

use super::exemplar::{Exemplar, Exemplars};
use super::histogram::{Histogram, Histograms};
use super::label::{Label, METRIC_NAME};
use super::metadata::Metadata;
use super::sample::Sample;
use super::storage::{Storage, TimeSeriesRow};
use crate::message::columns::range;
use crate::shard::{FNV_OFFSET, fnv1};
use crate::wire::work::count;

/// One series of a request: a view of decoded storage, or of the caller's own slices.
///
/// `'s` is the storage's lifetime, `'a` that of the text: labels can be kept for as long as the
/// body that they were decoded from, even when the storage is used again.
///
/// ```
/// use borrowire::remote_write::{Label, Sample, TimeSeries};
///
/// let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
/// let samples = [Sample::new(1.0, 1_700_000_000_000)];
/// let series = TimeSeries::new(&labels).with_samples(&samples);
/// assert_eq!(series.metric_name(), Some("up"));
/// assert_eq!(series.samples()[0].value, 1.0);
/// ```
#[derive(Clone, Copy)]
#[doc(alias("series", "metric"))]
pub struct TimeSeries<'s, 'a> {
    labels: &'s [Label<'a>],
    samples: &'s [Sample],
    exemplars: Exemplars<'s, 'a>,
    histograms: Histograms<'s>,
    rare: Rare<'s, 'a>,
}

/// What few series have, or few readers want: looked up only when it is asked for.
#[derive(Clone, Copy)]
enum Rare<'s, 'a> {
    Given { metadata: Option<Metadata<'a>>, created_timestamp: i64 },
    Stored { storage: &'s Storage<'a>, position: usize },
}

impl<'s, 'a> TimeSeries<'s, 'a> {
    /// A series of `labels`, which receivers expect sorted by name, without samples.
    #[must_use]
    pub const fn new(labels: &'s [Label<'a>]) -> Self {
        Self {
            labels,
            samples: &[],
            exemplars: Exemplars::slice(&[]),
            histograms: Histograms::slice(&[]),
            rare: Rare::Given { metadata: None, created_timestamp: 0 },
        }
    }

    /// Sets the samples.
    #[must_use]
    pub const fn with_samples(mut self, samples: &'s [Sample]) -> Self {
        self.samples = samples;
        self
    }

    /// Sets the exemplars.
    #[must_use]
    pub const fn with_exemplars(mut self, exemplars: &'s [Exemplar<'s, 'a>]) -> Self {
        self.exemplars = Exemplars::slice(exemplars);
        self
    }

    /// Sets the native histograms.
    #[must_use]
    pub const fn with_histograms(mut self, histograms: &'s [Histogram<'s>]) -> Self {
        self.histograms = Histograms::slice(histograms);
        self
    }

    /// Sets the [`metadata`](Self::metadata).
    #[must_use]
    pub fn with_metadata(mut self, metadata: Metadata<'a>) -> Self {
        let created_timestamp = self.created_timestamp();
        self.rare = Rare::Given { metadata: Some(metadata), created_timestamp };
        self
    }

    /// The series as 1.0 has it.
    #[inline]
    pub(crate) fn without_metadata(mut self) -> Self {
        let created_timestamp = self.created_timestamp();
        self.rare = Rare::Given { metadata: None, created_timestamp };
        self
    }

    /// Sets the [`created_timestamp`](Self::created_timestamp).
    #[must_use]
    pub fn with_created_timestamp(mut self, timestamp: i64) -> Self {
        self.rare = Rare::Given { metadata: self.metadata(), created_timestamp: timestamp };
        self
    }

    /// This series with other labels.
    pub(crate) const fn with_labels(mut self, labels: &'s [Label<'a>]) -> Self {
        self.labels = labels;
        self
    }

    /// Appends what the series has besides its labels and metadata to the one that `storage` is
    /// given, with other start timestamps: `start` makes those of samples and histograms, and
    /// `created` is the series' own.
    pub(in crate::remote_write) fn store_values(
        &self,
        storage: &mut Storage<'a>,
        start: impl Fn(i64) -> i64,
        created: i64,
    ) {
        storage.samples.extend(
            self.samples.iter().map(|it| it.with_start_timestamp(start(it.start_timestamp))),
        );
        for exemplar in self.exemplars {
            let labels_start = storage.exemplar_labels.len();
            storage.exemplar_labels.extend_from_slice(exemplar.labels());
            storage.push_exemplar(labels_start, exemplar.value(), exemplar.timestamp());
        }
        for histogram in self.histograms {
            let start_timestamp = start(histogram.start_timestamp);
            storage.histograms.push(&Histogram { start_timestamp, ..histogram });
        }
        if created != 0 {
            storage.set_created_timestamp(created);
        }
    }

    /// The labels, in wire order.
    #[inline]
    #[must_use]
    pub const fn labels(&self) -> &'s [Label<'a>] {
        self.labels
    }

    /// The samples, in wire order.
    #[inline]
    #[must_use]
    pub const fn samples(&self) -> &'s [Sample] {
        self.samples
    }

    /// The exemplars, in wire order.
    #[inline]
    #[must_use]
    pub const fn exemplars(&self) -> Exemplars<'s, 'a> {
        self.exemplars
    }

    /// The native histograms, in wire order.
    #[inline]
    #[must_use]
    pub const fn histograms(&self) -> Histograms<'s> {
        self.histograms
    }

    /// Type, help and unit of the metric, if the series has them: in 2.0 only. Present but empty
    /// differs from absent. (In 1.0 metadata stands beside the series:
    /// [`MetricMetadata`](crate::remote_write::v1::MetricMetadata).)
    #[must_use]
    pub fn metadata(&self) -> Option<Metadata<'a>> {
        match self.rare {
            Rare::Given { metadata, .. } => metadata,
            Rare::Stored { storage, position } => {
                let refs = storage.metadata.get(position)?;
                let text = |reference| storage.symbols.get(reference).unwrap_or("");
                let metadata = Metadata::new(refs.metric_type);
                Some(metadata.with_help(text(refs.help_ref)).with_unit(text(refs.unit_ref)))
            }
        }
    }

    /// When the series' counters were last reset, in milliseconds since the Unix epoch; 0 is unset.
    /// Mimir's extension of 1.0 and the older form of 2.0 (field 6 of both), written only on
    /// demand. Since 2.0-rc.4 samples and histograms have a `start_timestamp` of their own:
    /// [`start_timestamp`](Self::start_timestamp) takes both into account.
    #[must_use]
    pub fn created_timestamp(&self) -> i64 {
        match self.rare {
            Rare::Given { created_timestamp, .. } => created_timestamp,
            Rare::Stored { storage, position } => {
                storage.created_timestamps.get(position).unwrap_or(0)
            }
        }
    }

    /// The start timestamp that holds for a sample or histogram of the series whose own is `own`:
    /// its own, or, where that is 0 (unset), the series'
    /// [`created_timestamp`](Self::created_timestamp).
    ///
    /// ```
    /// use borrowire::remote_write::TimeSeries;
    ///
    /// let series = TimeSeries::new(&[]).with_created_timestamp(5);
    /// assert_eq!((series.start_timestamp(6), series.start_timestamp(0)), (6, 5));
    /// ```
    #[inline]
    #[must_use]
    pub fn start_timestamp(&self, own: i64) -> i64 {
        if own == 0 { self.created_timestamp() } else { own }
    }

    /// The value of the first label called `name`; labels need not be sorted.
    #[must_use]
    pub fn label(&self, name: &str) -> Option<&'a str> {
        self.labels.iter().find(|label| label.name == name).map(|label| label.value)
    }

    /// The metric's name: the value of `__name__`, wherever it stands among the labels.
    #[must_use]
    pub fn metric_name(&self) -> Option<&'a str> {
        self.label(METRIC_NAME)
    }

    /// The labels without `__name__`, in wire order: what tells the series of a metric apart.
    ///
    /// ```
    /// use borrowire::remote_write::{Label, TimeSeries};
    ///
    /// let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
    /// let series = TimeSeries::new(&labels);
    /// assert!(series.labels_without_name().eq([Label::new("job", "node")]));
    /// ```
    pub fn labels_without_name(&self) -> impl DoubleEndedIterator<Item = Label<'a>> + Clone + 's {
        self.labels.iter().copied().filter(|label| label.name != METRIC_NAME)
    }

    /// Whether the label names are in ascending order, bytewise, and unique.
    #[must_use]
    pub fn has_sorted_labels(&self) -> bool {
        self.labels.is_sorted_by(|a, b| a.name < b.name)
    }
}

/// Equal when all parts are, floats by bits.
impl PartialEq for TimeSeries<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels
            && self.samples == other.samples
            && self.exemplars.iter().eq(other.exemplars.iter())
            && self.histograms.iter().eq(other.histograms.iter())
            && self.metadata() == other.metadata()
            && self.created_timestamp() == other.created_timestamp()
    }
}

impl Eq for TimeSeries<'_, '_> {}

/// Shows the first labels, and of the others how many there are and a hash: enough to tell two series
/// apart, and not what a log should not hold.
impl fmt::Debug for TimeSeries<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimeSeries")
            .field("labels", &FirstLabels(self.labels))
            .field("samples", &self.samples.len())
            .field("exemplars", &self.exemplars.len())
            .field("histograms", &self.histograms.len())
            .finish_non_exhaustive()
    }
}

/// How many labels are shown, and how many bytes of a text.
const SHOWN: (usize, usize) = (4, 64);

/// As `{__name__="up", job="node", 7 more, hash 8c1f03a2}`.
struct FirstLabels<'s, 'a>(&'s [Label<'a>]);

/// As much of `text` as fits into so many bytes.
fn start(text: &str, bytes: usize) -> &str {
    (0..=bytes.min(text.len())).rev().find_map(|end| text.get(..end)).unwrap_or_default()
}

impl fmt::Debug for FirstLabels<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (labels_shown, bytes_shown) = SHOWN;
        let cut = |text: &str| text.len() > bytes_shown;
        let shown = self.0.iter().take(labels_shown);
        f.write_str("{")?;
        for (at, label) in shown.clone().enumerate() {
            let (name, value) = (start(label.name, bytes_shown), start(label.value, bytes_shown));
            let separator = if at == 0 { "" } else { ", " };
            let dots = |text| if cut(text) { ".." } else { "" };
            let (name_dots, value_dots) = (dots(label.name), dots(label.value));
            write!(f, "{separator}{}{name_dots}={value:?}{value_dots}", name.escape_debug())?;
        }
        let more = self.0.len().saturating_sub(labels_shown);
        if more > 0 {
            write!(f, ", {more} more")?;
        }
        if more > 0 || shown.clone().any(|label| cut(label.name) || cut(label.value)) {
            let separated = |hash, text: &str| fnv1(fnv1(hash, text.as_bytes()), &[0xff]);
            let hash = self.0.iter().fold(FNV_OFFSET, |hash, label| {
                separated(separated(hash, label.name), label.value)
            });
            write!(f, ", hash {hash:08x}")?;
        }
        f.write_str("}")
    }
}

/// The series of a decoded request.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
/// assert_eq!(request.timeseries().len(), 1);
/// assert_eq!(request.timeseries().get(0).unwrap().metric_name(), Some("up"));
/// for series in request.timeseries() {
///     println!("{:?}", series.labels());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct TimeSeriesList<'s, 'a> {
    storage: &'s Storage<'a>,
}

impl<'s, 'a> TimeSeriesList<'s, 'a> {
    pub(in crate::remote_write) const fn stored(storage: &'s Storage<'a>) -> Self {
        Self { storage }
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        self.storage.timeseries.len()
    }

    /// The series at `index`, in wire order.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<TimeSeries<'s, 'a>> {
        let storage = self.storage;
        let end = storage.timeseries.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => *storage.timeseries.get(before)?,
            None => TimeSeriesRow::default(),
        };
        let exemplars = range(&storage.exemplars, start.exemplars_end, end.exemplars_end);
        let labels = range(&storage.labels, start.labels_end, end.labels_end);
        count(labels.len().saturating_add(1));
        Some(TimeSeries {
            labels,
            samples: range(&storage.samples, start.samples_end, end.samples_end),
            exemplars: Exemplars::stored(exemplars, &storage.exemplar_labels),
            histograms: Histograms::stored(
                &storage.histograms,
                start.histograms_end,
                end.histograms_end,
            ),
            rare: Rare::Stored { storage, position: index },
        })
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`TimeSeriesList`].
    TimeSeriesList, TimeSeriesIter, ['s, 'a], TimeSeries<'s, 'a>
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;
    use alloc::vec::Vec;
    use alloc::{format, vec};

    #[test]
    fn debug_shows_the_first_labels() {
        let shown = |labels: &[Label<'_>]| format!("{:?}", TimeSeries::new(labels));
        let few = [Label::new("__name__", "up"), Label::new("job", "a\"\n")];
        let expected = "TimeSeries { labels: {__name__=\"up\", job=\"a\\\"\\n\"}, samples: 0, \
                        exemplars: 0, histograms: 0, .. }";
        assert_eq!(shown(&few), expected);
        assert_eq!(shown(&[]).find("{}, samples"), Some("TimeSeries { labels: ".len()));

        // Many, long, and of more than a byte a character: the last one differs.
        let long = "\u{e9}".repeat(1000);
        let names: Vec<String> = (0..9).map(|at| format!("label{at}")).collect();
        let mut labels: Vec<_> = names.iter().map(|name| Label::new(name, &long)).collect();
        let one = shown(&labels);
        assert!(one.len() < 600 && one.contains(", 5 more, hash "), "{one}");
        assert!(!one.contains("label4"), "{one}");
        labels[8].value = "other";
        let other = shown(&labels);
        assert_ne!(one, other);
        assert_eq!(one.split_once(", hash").unwrap().0, other.split_once(", hash").unwrap().0);
        // Where a text ends counts.
        let [ab, a] = [["ab", ""], ["a", "b"]].map(|[name, value]| {
            shown(&[vec![Label::default(); 4], vec![Label::new(name, value)]].concat())
        });
        assert_ne!(ab, a);
    }

    #[test]
    fn the_name_is_left_out_wherever_it_stands() {
        let labels = ["a", METRIC_NAME, "b", METRIC_NAME].map(|name| Label::new(name, "x"));
        let series = TimeSeries::new(&labels);
        let names: Vec<_> = series.labels_without_name().map(|label| label.name).collect();
        assert_eq!(names, ["a", "b"]);
        assert_eq!(TimeSeries::new(&[]).labels_without_name().next(), None);
    }
}
