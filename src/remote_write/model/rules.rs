//! What a series must look like, beyond being well-formed protobuf: reported, never changed.
//!
//! Source: the label rules of the remote write specification (sorted, unique, no empty names or
//! values, `__name__` present), with the caps that Mimir and Cortex put on top.

use alloc::vec::Vec;
use core::fmt;

use super::histogram::CUSTOM_BUCKETS_SCHEMA;
use super::label::{Label, METRIC_NAME};
use super::time_series::TimeSeries;
use crate::message::violation;

/// Which names are valid.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum NameScheme {
    /// Labels `[a-zA-Z_][a-zA-Z0-9_]*`, metrics `[a-zA-Z_:][a-zA-Z0-9_:]*`: what remote write 1.0
    /// says.
    Classic,
    /// Any UTF-8 that is not empty: what Prometheus accepts since 3.0.
    #[default]
    Utf8,
}

/// What the requests' `validate`, and `validate_timeseries` of either version, look for.
///
/// ```
/// use borrowire::remote_write::{NameScheme, Rules};
///
/// let rules = Rules::new()
///     .with_names(NameScheme::Classic)
///     .with_max_labels_per_series(60)
///     .with_timestamps(1_600_000_000_000, 1_900_000_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// Which names are valid. Default: any UTF-8.
    pub names: NameScheme,
    /// Labels of one series, `__name__` included. Default: 30, as Mimir and Cortex have it.
    pub max_labels_per_series: usize,
    /// Bytes of a label name. Default: 1024, as Mimir and Cortex have it.
    pub max_label_name_bytes: usize,
    /// Bytes of a label value. Default: 2048, as Mimir and Cortex have it.
    pub max_label_value_bytes: usize,
    /// Samples and histograms of one series. Default: no cap; senders differ widely.
    pub max_samples_per_series: usize,
    /// The earliest timestamp, in milliseconds since the Unix epoch. Default: none; 0 and negative
    /// timestamps are legal.
    pub min_timestamp: i64,
    /// The latest timestamp, in milliseconds since the Unix epoch. Default: none. Receivers usually
    /// allow ten minutes from now.
    pub max_timestamp: i64,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

impl Rules {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            names: NameScheme::Utf8,
            max_labels_per_series: 30,
            max_label_name_bytes: 1024,
            max_label_value_bytes: 2048,
            max_samples_per_series: usize::MAX,
            min_timestamp: i64::MIN,
            max_timestamp: i64::MAX,
        }
    }

    /// Sets [`names`](Self::names).
    #[must_use]
    pub const fn with_names(mut self, names: NameScheme) -> Self {
        self.names = names;
        self
    }

    /// Sets [`max_labels_per_series`](Self::max_labels_per_series).
    #[must_use]
    pub const fn with_max_labels_per_series(mut self, count: usize) -> Self {
        self.max_labels_per_series = count;
        self
    }

    /// Sets [`max_label_name_bytes`](Self::max_label_name_bytes).
    #[must_use]
    pub const fn with_max_label_name_bytes(mut self, bytes: usize) -> Self {
        self.max_label_name_bytes = bytes;
        self
    }

    /// Sets [`max_label_value_bytes`](Self::max_label_value_bytes).
    #[must_use]
    pub const fn with_max_label_value_bytes(mut self, bytes: usize) -> Self {
        self.max_label_value_bytes = bytes;
        self
    }

    /// Sets [`max_samples_per_series`](Self::max_samples_per_series).
    #[must_use]
    pub const fn with_max_samples_per_series(mut self, count: usize) -> Self {
        self.max_samples_per_series = count;
        self
    }

    /// Sets [`min_timestamp`](Self::min_timestamp) and [`max_timestamp`](Self::max_timestamp), both
    /// allowed themselves, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn with_timestamps(mut self, min: i64, max: i64) -> Self {
        self.min_timestamp = min;
        self.max_timestamp = max;
        self
    }
}

/// What is wrong with a request or one of its series. Positions count from 0, in wire order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// A schema -53 histogram without the bounds of its buckets.
    CustomBucketsWithoutBounds {
        /// The histogram's position.
        histogram: usize,
    },
    /// A symbol that stands in the table before (2.0). Only the request's own are looked at.
    DuplicateSymbol {
        /// The later one's reference.
        reference: u32,
    },
    /// The first symbol is not the empty one, or there is none: a reference that was left out would
    /// read as it (2.0).
    FirstSymbolNotEmpty,
    /// A label with the name of another.
    DuplicateLabel {
        /// The later label's position.
        label: usize,
    },
    /// A label without a name.
    EmptyLabelName {
        /// The label's position.
        label: usize,
    },
    /// A label with an empty value, which means the same as no label.
    EmptyLabelValue {
        /// The label's position.
        label: usize,
    },
    /// An exemplar without a timestamp, or with 0 (2.0).
    ExemplarWithoutTimestamp {
        /// The exemplar's position.
        exemplar: usize,
    },
    /// A label name that the name scheme does not allow.
    InvalidLabelName {
        /// The label's position.
        label: usize,
    },
    /// A metric name that the name scheme does not allow.
    InvalidMetricName {
        /// The position of `__name__`.
        label: usize,
    },
    /// A label name over `max_label_name_bytes`.
    LabelNameTooLong {
        /// The label's position.
        label: usize,
        /// The name's length in bytes.
        bytes: usize,
    },
    /// A label value over `max_label_value_bytes`.
    LabelValueTooLong {
        /// The label's position.
        label: usize,
        /// The value's length in bytes.
        bytes: usize,
    },
    /// No label `__name__`, or an empty one.
    MissingMetricName,
    /// Neither samples nor histograms (2.0; Prometheus sends exemplars so).
    NoSamples,
    /// Samples and histograms in one series (2.0).
    SamplesAndHistograms,
    /// A timestamp of a sample outside `min_timestamp` to `max_timestamp`.
    SampleTimestampOutOfRange {
        /// The sample's position.
        sample: usize,
    },
    /// A timestamp of a histogram outside `min_timestamp` to `max_timestamp`.
    HistogramTimestampOutOfRange {
        /// The histogram's position.
        histogram: usize,
    },
    /// More labels than `max_labels_per_series`.
    TooManyLabels {
        /// How many.
        count: usize,
    },
    /// More samples and histograms than `max_samples_per_series`.
    TooManySamples {
        /// How many.
        count: usize,
    },
    /// A label whose name sorts, bytewise, before that of the label in front of it.
    UnsortedLabels {
        /// The label's position.
        label: usize,
    },
}

impl ViolationKind {
    /// A fixed, lower-case name, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::CustomBucketsWithoutBounds { .. } => "custom buckets without bounds",
            Self::DuplicateLabel { .. } => "duplicate label",
            Self::DuplicateSymbol { .. } => "duplicate symbol",
            Self::FirstSymbolNotEmpty => "first symbol not empty",
            Self::EmptyLabelName { .. } => "empty label name",
            Self::EmptyLabelValue { .. } => "empty label value",
            Self::ExemplarWithoutTimestamp { .. } => "exemplar without timestamp",
            Self::InvalidLabelName { .. } => "invalid label name",
            Self::InvalidMetricName { .. } => "invalid metric name",
            Self::LabelNameTooLong { .. } => "label name too long",
            Self::LabelValueTooLong { .. } => "label value too long",
            Self::MissingMetricName => "missing metric name",
            Self::NoSamples => "no samples",
            Self::SamplesAndHistograms => "samples and histograms",
            Self::SampleTimestampOutOfRange { .. } => "sample timestamp out of range",
            Self::HistogramTimestampOutOfRange { .. } => "histogram timestamp out of range",
            Self::TooManyLabels { .. } => "too many labels",
            Self::TooManySamples { .. } => "too many samples",
            Self::UnsortedLabels { .. } => "unsorted labels",
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::CustomBucketsWithoutBounds { histogram } => {
                write!(f, "histogram {histogram} has custom buckets but no bounds")
            }
            Self::DuplicateLabel { label } => write!(f, "label {label} repeats a name"),
            Self::DuplicateSymbol { reference } => write!(f, "symbol {reference} is there twice"),
            Self::FirstSymbolNotEmpty => f.write_str("the first symbol is not empty"),
            Self::EmptyLabelName { label } => write!(f, "label {label} has an empty name"),
            Self::EmptyLabelValue { label } => write!(f, "label {label} has an empty value"),
            Self::ExemplarWithoutTimestamp { exemplar } => {
                write!(f, "exemplar {exemplar} has no timestamp")
            }
            Self::InvalidLabelName { label } => write!(f, "label {label} has an invalid name"),
            Self::InvalidMetricName { label } => {
                write!(f, "label {label} holds an invalid metric name")
            }
            Self::LabelNameTooLong { label, bytes } => {
                write!(f, "the name of label {label} is too long: {bytes} bytes")
            }
            Self::LabelValueTooLong { label, bytes } => {
                write!(f, "the value of label {label} is too long: {bytes} bytes")
            }
            Self::MissingMetricName => f.write_str("no metric name"),
            Self::NoSamples => f.write_str("neither samples nor histograms"),
            Self::SamplesAndHistograms => f.write_str("samples and histograms in one series"),
            Self::SampleTimestampOutOfRange { sample } => {
                write!(f, "the timestamp of sample {sample} is out of range")
            }
            Self::HistogramTimestampOutOfRange { histogram } => {
                write!(f, "the timestamp of histogram {histogram} is out of range")
            }
            Self::TooManyLabels { count } => write!(f, "too many labels: {count}"),
            Self::TooManySamples { count } => write!(f, "too many samples: {count}"),
            Self::UnsortedLabels { label } => write!(f, "label {label} is out of order"),
        }
    }
}

impl violation::ViolationKind for ViolationKind {
    const RECORD: &'static str = "series";
}

impl Rules {
    /// Reports what both versions forbid in `series`.
    pub(in crate::remote_write) fn check(
        &self,
        series: &TimeSeries<'_, '_>,
        report: &mut impl FnMut(ViolationKind),
    ) {
        let count = series.labels().len();
        if count > self.max_labels_per_series {
            report(ViolationKind::TooManyLabels { count });
        }
        check_labels(series.labels(), self, report);
        if series.metric_name().is_none_or(str::is_empty) {
            report(ViolationKind::MissingMetricName);
        }
        let count = series.samples().len().saturating_add(series.histograms().len());
        if count > self.max_samples_per_series {
            report(ViolationKind::TooManySamples { count });
        }
        let timestamps = self.min_timestamp..=self.max_timestamp;
        for (sample, value) in series.samples().iter().enumerate() {
            if !timestamps.contains(&value.timestamp) {
                report(ViolationKind::SampleTimestampOutOfRange { sample });
            }
        }
        for (histogram, value) in series.histograms().iter().enumerate() {
            if !timestamps.contains(&value.timestamp) {
                report(ViolationKind::HistogramTimestampOutOfRange { histogram });
            }
            if value.schema == CUSTOM_BUCKETS_SCHEMA && value.custom_values.is_empty() {
                report(ViolationKind::CustomBucketsWithoutBounds { histogram });
            }
        }
    }
}

fn check_labels(labels: &[Label<'_>], rules: &Rules, report: &mut impl FnMut(ViolationKind)) {
    let mut sorted = true;
    let mut before: Option<&str> = None;
    for (label, &Label { name, value }) in labels.iter().enumerate() {
        match before {
            Some(before) if before > name => {
                sorted = false;
                report(ViolationKind::UnsortedLabels { label });
            }
            _ => {}
        }
        before = Some(name);
        if name.is_empty() {
            report(ViolationKind::EmptyLabelName { label });
        } else if !is_valid_name(name, rules.names, false) {
            report(ViolationKind::InvalidLabelName { label });
        }
        if value.is_empty() {
            report(ViolationKind::EmptyLabelValue { label });
        } else if name == METRIC_NAME && !is_valid_name(value, rules.names, true) {
            report(ViolationKind::InvalidMetricName { label });
        }
        if name.len() > rules.max_label_name_bytes {
            report(ViolationKind::LabelNameTooLong { label, bytes: name.len() });
        }
        if value.len() > rules.max_label_value_bytes {
            report(ViolationKind::LabelValueTooLong { label, bytes: value.len() });
        }
    }
    if sorted {
        let pairs = labels.iter().zip(labels.iter().enumerate().skip(1));
        for (_, (label, _)) in pairs.filter(|(before, (_, this))| before.name == this.name) {
            report(ViolationKind::DuplicateLabel { label });
        }
    } else {
        check_unsorted_duplicates(labels, report);
    }
}

/// Reports duplicates among labels in any order: by comparing all pairs, or, where those would be
/// many, by sorting a copy.
fn check_unsorted_duplicates(labels: &[Label<'_>], report: &mut impl FnMut(ViolationKind)) {
    const PAIRS: usize = 64;
    if labels.len() <= PAIRS {
        for (label, this) in labels.iter().enumerate() {
            if labels.iter().take(label).any(|before| before.name == this.name) {
                report(ViolationKind::DuplicateLabel { label });
            }
        }
        return;
    }
    let mut names: Vec<(&str, usize)> =
        labels.iter().enumerate().map(|(label, this)| (this.name, label)).collect();
    names.sort_unstable();
    let mut repeated: Vec<usize> = names
        .iter()
        .zip(names.iter().skip(1))
        .filter(|(before, this)| before.0 == this.0)
        .map(|(_, this)| this.1)
        .collect();
    repeated.sort_unstable();
    for label in repeated {
        report(ViolationKind::DuplicateLabel { label });
    }
}

fn is_valid_name(name: &str, scheme: NameScheme, metric: bool) -> bool {
    let valid = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || (metric && byte == b':');
    match scheme {
        NameScheme::Utf8 => true,
        NameScheme::Classic => {
            name.bytes().all(valid) && name.bytes().next().is_none_or(|byte| !byte.is_ascii_digit())
        }
    }
}
