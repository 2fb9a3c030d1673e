//! The rules, by name, and what breaks them.

use core::fmt;

use crate::message::violation;

/// A rule that [`Rules`](super::Rules) can switch on and off. Its name is what logs and metric
/// labels call it.
///
/// ```
/// use borrowire::remote_write::{Rule, Rules};
///
/// assert!(!Rules::new().has(Rule::UnsortedLabels));
/// let rules = Rules::new().with_rule(Rule::UnsortedLabels, true);
/// assert!(rules.has(Rule::UnsortedLabels));
/// assert_eq!(Rule::UnsortedLabels.as_str(), "unsorted labels");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// Counts of the buckets fit into 64 bits.
    BucketCountOverflow,
    /// A histogram's count is the sum of its buckets, or more where observations were NaN. (Integer
    /// form only: floats are rounded.)
    BucketCountMismatch,
    /// No bucket has a negative count.
    BucketNegativeCount,
    /// Spans name as many buckets as there are deltas or counts.
    BucketSpanMismatch,
    /// No span begins before the end of the one in front of it; of custom buckets none before the
    /// first.
    BucketNegativeOffset,
    /// The index of a bucket fits into 32 bits.
    BucketIndexOutOfRange,
    /// Bounds of custom buckets ascend, none twice, none NaN.
    CustomBoundsNotAscending,
    /// The last bucket goes to infinity by itself: no bound does.
    CustomBoundsInfinite,
    /// Bounds belong to custom buckets (schema -53) alone.
    CustomBoundsWithoutCustomSchema,
    /// Custom buckets are at most one more than their bounds.
    CustomBucketsOverBounds,
    /// Custom buckets have no negative side.
    CustomBucketsNegative,
    /// Custom buckets have neither a zero bucket nor its width.
    CustomBucketsZeroBucket,
    /// No two labels have the same name.
    DuplicateLabel,
    /// No sample stands twice, time and value.
    DuplicateSample,
    /// No symbol stands twice in the table (2.0).
    DuplicateSymbol,
    /// Each label has a name.
    EmptyLabelName,
    /// Each label has a value: an empty one means the same as no label.
    EmptyLabelValue,
    /// No two labels of an exemplar have the same name.
    ExemplarDuplicateLabel,
    /// An exemplar's labels are at most 128 characters together.
    ExemplarLabelsTooLong,
    /// Each exemplar has a timestamp (2.0).
    ExemplarWithoutTimestamp,
    /// The first symbol is the empty one (2.0): a reference that is left out reads as it.
    FirstSymbolNotEmpty,
    /// A histogram is in integer form or in float form, not in both.
    HistogramMixedForms,
    /// A histogram's schema is one that there is: -4 to 8, or -53.
    HistogramSchema,
    /// A histogram's schema is at most 8: Prometheus reduces those from 9 to 52, others refuse
    /// them.
    HistogramResolution,
    /// Timestamps of histograms lie between `min_timestamp` and `max_timestamp`.
    HistogramTimestampOutOfRange,
    /// Each histogram is later than the one before it.
    HistogramsOutOfOrder,
    /// Label names are such that the name scheme allows them.
    InvalidLabelName,
    /// The metric's name is such that the name scheme allows it.
    InvalidMetricName,
    /// Label names are at most `max_label_name_bytes` long.
    LabelNameTooLong,
    /// Label values are at most `max_label_value_bytes` long.
    LabelValueTooLong,
    /// Help texts are at most `max_metadata_bytes` long: Mimir cuts longer ones.
    MetadataHelpTooLong,
    /// Family names are at most `max_metadata_bytes` long.
    MetadataNameTooLong,
    /// Units are at most `max_metadata_bytes` long.
    MetadataUnitTooLong,
    /// Each metadata entry names its family.
    MetadataWithoutName,
    /// Each series has a metric name.
    MissingMetricName,
    /// Each series has samples or histograms (2.0; Prometheus sends exemplars without them).
    NoSamples,
    /// Timestamps of samples lie between `min_timestamp` and `max_timestamp`.
    SampleTimestampOutOfRange,
    /// No series has both samples and histograms (2.0).
    SamplesAndHistograms,
    /// Each sample is later than the one before it.
    SamplesOutOfOrder,
    /// A series has at most `max_labels_per_series` labels.
    TooManyLabels,
    /// A series has at most `max_samples_per_series` samples and histograms.
    TooManySamples,
    /// Labels are in ascending order of their names, bytewise.
    UnsortedLabels,
}

impl Rule {
    /// The last one.
    const LAST: Self = Self::UnsortedLabels;

    /// A fixed, lower-case name, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::BucketCountOverflow => "bucket count overflow",
            Self::BucketCountMismatch => "bucket count mismatch",
            Self::BucketNegativeCount => "negative bucket count",
            Self::BucketSpanMismatch => "bucket span mismatch",
            Self::BucketNegativeOffset => "negative span offset",
            Self::BucketIndexOutOfRange => "bucket index out of range",
            Self::CustomBoundsNotAscending => "custom bounds not ascending",
            Self::CustomBoundsInfinite => "custom bounds infinite",
            Self::CustomBoundsWithoutCustomSchema => "custom bounds without custom schema",
            Self::CustomBucketsOverBounds => "custom buckets over bounds",
            Self::CustomBucketsNegative => "negative custom buckets",
            Self::CustomBucketsZeroBucket => "zero bucket of custom buckets",
            Self::DuplicateLabel => "duplicate label",
            Self::DuplicateSample => "duplicate sample",
            Self::DuplicateSymbol => "duplicate symbol",
            Self::EmptyLabelName => "empty label name",
            Self::EmptyLabelValue => "empty label value",
            Self::ExemplarDuplicateLabel => "duplicate exemplar label",
            Self::ExemplarLabelsTooLong => "exemplar labels too long",
            Self::ExemplarWithoutTimestamp => "exemplar without timestamp",
            Self::FirstSymbolNotEmpty => "first symbol not empty",
            Self::HistogramMixedForms => "mixed histogram forms",
            Self::HistogramSchema => "unknown histogram schema",
            Self::HistogramResolution => "histogram resolution too high",
            Self::HistogramTimestampOutOfRange => "histogram timestamp out of range",
            Self::HistogramsOutOfOrder => "histograms out of order",
            Self::InvalidLabelName => "invalid label name",
            Self::InvalidMetricName => "invalid metric name",
            Self::LabelNameTooLong => "label name too long",
            Self::LabelValueTooLong => "label value too long",
            Self::MetadataHelpTooLong => "metadata help too long",
            Self::MetadataNameTooLong => "metadata name too long",
            Self::MetadataUnitTooLong => "metadata unit too long",
            Self::MetadataWithoutName => "metadata without name",
            Self::MissingMetricName => "missing metric name",
            Self::NoSamples => "no samples",
            Self::SampleTimestampOutOfRange => "sample timestamp out of range",
            Self::SamplesAndHistograms => "samples and histograms",
            Self::SamplesOutOfOrder => "samples out of order",
            Self::TooManyLabels => "too many labels",
            Self::TooManySamples => "too many samples",
            Self::UnsortedLabels => "unsorted labels",
        }
    }

    /// Its bit in a set.
    #[allow(clippy::as_conversions)]
    const fn bit(self) -> u64 {
        1 << self as u32
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Rules that are on.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) struct RuleSet(u64);

impl RuleSet {
    pub(super) const ALL: Self = {
        // As many bits as there are rules.
        let last = Rule::LAST.bit();
        Self(last | last.wrapping_sub(1))
    };

    pub(super) const fn of(rules: &[Rule]) -> Self {
        let mut set = Self(0);
        let mut rest = rules;
        while let [rule, tail @ ..] = rest {
            set = set.with(*rule);
            rest = tail;
        }
        set
    }

    pub(super) const fn with(self, rule: Rule) -> Self {
        Self(self.0 | rule.bit())
    }

    pub(super) const fn without(self, rule: Rule) -> Self {
        Self(self.0 & !rule.bit())
    }

    pub(super) const fn has(self, rule: Rule) -> bool {
        self.0 & rule.bit() != 0
    }
}

impl fmt::Debug for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} rules", self.0.count_ones())
    }
}

/// Which buckets of a histogram.
///
/// ```
/// use borrowire::remote_write::{Histogram, Rules, Side, TimeSeries, ViolationKind, v1};
///
/// let mut histogram = Histogram::default();
/// histogram.negative_deltas = &[1]; // and no span for it
/// let histograms = [histogram];
/// let series = TimeSeries::new(&[]).with_histograms(&histograms);
/// let mut sides = Vec::new();
/// v1::validate_timeseries(&series, &Rules::new(), |kind| {
///     if let ViolationKind::Histogram { side, .. } = kind {
///         sides.push(side);
///     }
/// });
/// assert_eq!(sides, [Some(Side::Negative)]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_enums, reason = "there is no third side of zero")]
pub enum Side {
    /// Those below zero.
    Negative,
    /// Those above zero, and custom ones.
    Positive,
}

impl fmt::Display for Side {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Negative => "negative",
            Self::Positive => "positive",
        })
    }
}

/// What is wrong with a request or one of its series. Positions count from 0, in wire order.
///
/// ```
/// use borrowire::remote_write::{Label, Rule, Rules, TimeSeries, ViolationKind, v1};
///
/// let labels = [Label::new("__name__", "up"), Label::new("", "node")];
/// let mut found = Vec::new();
/// v1::validate_timeseries(&TimeSeries::new(&labels), &Rules::new(), |kind| found.push(kind));
/// assert_eq!(found, [ViolationKind::Label { rule: Rule::EmptyLabelName, label: 1 }]);
/// assert_eq!(found[0].to_string(), "empty label name (label 1)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// Of an exemplar.
    Exemplar {
        /// The rule that it breaks.
        rule: Rule,
        /// The exemplar's position.
        exemplar: usize,
    },
    /// Of a histogram: the first rule that it breaks, as receivers answer.
    Histogram {
        /// The rule that it breaks.
        rule: Rule,
        /// The histogram's position.
        histogram: usize,
        /// Which of its buckets are at fault, where it is those of one side.
        side: Option<Side>,
    },
    /// Of a label.
    Label {
        /// The rule that it breaks.
        rule: Rule,
        /// The label's position: of two labels the later one's.
        label: usize,
    },
    /// Of a metadata entry (1.0).
    Metadata {
        /// The rule that it breaks.
        rule: Rule,
        /// The entry's position.
        metadata: usize,
    },
    /// Of a sample.
    Sample {
        /// The rule that it breaks.
        rule: Rule,
        /// The sample's position: of two samples the later one's.
        sample: usize,
    },
    /// Of a series as a whole.
    Series {
        /// The rule that it breaks.
        rule: Rule,
    },
    /// Of the table of symbols (2.0).
    Symbol {
        /// The rule that it breaks.
        rule: Rule,
        /// The symbol's reference.
        reference: u32,
    },
}

impl ViolationKind {
    /// The rule that is broken.
    #[must_use]
    pub const fn rule(self) -> Rule {
        match self {
            Self::Exemplar { rule, .. }
            | Self::Histogram { rule, .. }
            | Self::Label { rule, .. }
            | Self::Metadata { rule, .. }
            | Self::Sample { rule, .. }
            | Self::Series { rule }
            | Self::Symbol { rule, .. } => rule,
        }
    }

    /// The rule's fixed, lower-case name, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.rule().as_str()
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match *self {
            Self::Exemplar { exemplar, .. } => write!(f, " (exemplar {exemplar})"),
            Self::Histogram { histogram, side: None, .. } => write!(f, " (histogram {histogram})"),
            Self::Histogram { histogram, side: Some(side), .. } => {
                write!(f, " (histogram {histogram}, {side} buckets)")
            }
            Self::Label { label, .. } => write!(f, " (label {label})"),
            Self::Metadata { metadata, .. } => write!(f, " (metadata {metadata})"),
            Self::Sample { sample, .. } => write!(f, " (sample {sample})"),
            Self::Series { .. } => Ok(()),
            Self::Symbol { reference, .. } => write!(f, " (symbol {reference})"),
        }
    }
}

impl violation::ViolationKind for ViolationKind {
    const RECORD: &'static str = "series";
}
