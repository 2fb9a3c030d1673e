//! Sets of rules.

use super::rule::{Rule, RuleSet, ViolationKind};

/// Which names are valid.
///
/// ```
/// use borrowire::remote_write::{NameScheme, Rules};
///
/// let rules = Rules::new().with_names(NameScheme::Classic);
/// assert_ne!(rules, Rules::new());
/// ```
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
/// What receivers do with what breaks a rule, and which set therefore has it:
///
/// | in a request | Prometheus | Mimir, Cortex | [`new`](Self::new) | [`mimir`](Self::mimir) |
/// |---|---|---|---|---|
/// | labels out of order | sorts them | sort them | - | - |
/// | label without a value | takes it as absent | drop it | - | - |
/// | no metric name, bad or repeated label name | leaves the series out, answers 204 | 400 | yes | yes |
/// | histogram that makes no sense | 400 | 400 | yes | yes |
/// | histogram schema 9 to 52 | reduces it to 8 | 400 | - | yes |
/// | series with neither samples nor histograms, in 2.0 | 400 | takes it | yes | - |
/// | samples out of order or twice | as its storage is set up | as the tenant is | - | - |
/// | over 30 labels, 1024 bytes a name, 2048 a value | takes it | 400 | - | yes |
/// | exemplar of over 128 characters, or without time | takes the series | leave it out | - | yes |
/// | metadata without a name, or over 1024 bytes | takes it | leave it out | - | yes |
///
/// [`strict`](Self::strict) has all of them. To put labels in order as receivers do:
/// [`Labels::normalize`](crate::remote_write::Labels::normalize).
///
/// Start from a set by name, and change what differs at your place:
///
/// ```
/// use borrowire::remote_write::{NameScheme, Rule, Rules};
///
/// let rules = Rules::mimir()
///     .with_names(NameScheme::Classic)
///     .with_max_labels_per_series(60)
///     .with_timestamps(1_600_000_000_000, 1_900_000_000_000)
///     .with_rule(Rule::SamplesOutOfOrder, true)
///     .with_rule(Rule::MissingMetricName, false);
/// assert!(!rules.has(Rule::MissingMetricName));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// Which names are valid. Default: any UTF-8.
    pub names: NameScheme,
    /// Labels of one series, `__name__` included. Default: no cap; Mimir and Cortex: 30.
    pub max_labels_per_series: usize,
    /// Bytes of a label name. Default: no cap; Mimir and Cortex: 1024.
    pub max_label_name_bytes: usize,
    /// Bytes of a label value. Default: no cap; Mimir and Cortex: 2048.
    pub max_label_value_bytes: usize,
    /// Bytes of a metadata entry's name, help and unit, each. Default: no cap; Mimir and Cortex:
    /// 1024.
    pub max_metadata_bytes: usize,
    /// Samples and histograms of one series. Default: no cap; senders differ widely.
    pub max_samples_per_series: usize,
    /// The earliest timestamp, in milliseconds since the Unix epoch. Default: none; 0 and negative
    /// timestamps are legal.
    pub min_timestamp: i64,
    /// The latest timestamp, in milliseconds since the Unix epoch. Default: none. Receivers usually
    /// allow ten minutes from now.
    pub max_timestamp: i64,
    rules: RuleSet,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

impl Rules {
    /// What Prometheus refuses, or leaves out without a word: series without a valid name, with
    /// labels without a name or of the same name, with histograms that make no sense, and in 2.0
    /// without samples. Caps are off until they are set.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            names: NameScheme::Utf8,
            max_labels_per_series: usize::MAX,
            max_label_name_bytes: usize::MAX,
            max_label_value_bytes: usize::MAX,
            max_metadata_bytes: usize::MAX,
            max_samples_per_series: usize::MAX,
            min_timestamp: i64::MIN,
            max_timestamp: i64::MAX,
            rules: RuleSet::of(&[
                Rule::BucketCountMismatch,
                Rule::BucketCountOverflow,
                Rule::BucketIndexOutOfRange,
                Rule::BucketNegativeCount,
                Rule::BucketNegativeOffset,
                Rule::BucketSpanMismatch,
                Rule::CustomBoundsInfinite,
                Rule::CustomBoundsNotAscending,
                Rule::CustomBoundsWithoutCustomSchema,
                Rule::CustomBucketsNegative,
                Rule::CustomBucketsOverBounds,
                Rule::CustomBucketsZeroBucket,
                Rule::DuplicateLabel,
                Rule::EmptyLabelName,
                Rule::HistogramMixedForms,
                Rule::HistogramSchema,
                Rule::HistogramTimestampOutOfRange,
                Rule::InvalidLabelName,
                Rule::InvalidMetricName,
                Rule::LabelNameTooLong,
                Rule::LabelValueTooLong,
                Rule::MetadataHelpTooLong,
                Rule::MetadataNameTooLong,
                Rule::MetadataUnitTooLong,
                Rule::MissingMetricName,
                Rule::NoSamples,
                Rule::SampleTimestampOutOfRange,
                Rule::TooManyLabels,
                Rule::TooManySamples,
            ]),
        }
    }

    /// What Mimir refuses by default, and Cortex nearly so: Prometheus' rules with caps of 30
    /// labels, 1024 bytes a name, 2048 bytes a value; metadata without a name or over 1024 bytes;
    /// exemplars without a timestamp or over 128 characters; histograms of schema 9 and up; tables
    /// whose first symbol is not empty. Series without samples pass, as they can carry metadata.
    /// (Help texts over the cap are cut, not refused.)
    #[must_use]
    pub const fn mimir() -> Self {
        Self { rules: RuleSet::ALL, ..Self::new() }
            .with_max_labels_per_series(30)
            .with_max_label_name_bytes(1024)
            .with_max_label_value_bytes(2048)
            .with_max_metadata_bytes(1024)
            .with_rule(Rule::DuplicateSample, false)
            .with_rule(Rule::DuplicateSymbol, false)
            .with_rule(Rule::EmptyLabelValue, false)
            .with_rule(Rule::ExemplarDuplicateLabel, false)
            .with_rule(Rule::HistogramsOutOfOrder, false)
            .with_rule(Rule::MetadataHelpTooLong, false)
            .with_rule(Rule::NoSamples, false)
            .with_rule(Rule::SamplesAndHistograms, false)
            .with_rule(Rule::SamplesOutOfOrder, false)
            .with_rule(Rule::UnsortedLabels, false)
    }

    /// All rules, with Mimir's caps: what the specifications ask of a sender, and what any receiver
    /// minds.
    #[must_use]
    pub const fn strict() -> Self {
        Self { rules: RuleSet::ALL, ..Self::mimir() }
    }

    /// Switches a rule on or off.
    #[must_use]
    pub const fn with_rule(mut self, rule: Rule, on: bool) -> Self {
        self.rules = if on { self.rules.with(rule) } else { self.rules.without(rule) };
        self
    }

    /// Whether a rule is on.
    #[must_use]
    pub const fn has(&self, rule: Rule) -> bool {
        self.rules.has(rule)
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

    /// Sets [`max_metadata_bytes`](Self::max_metadata_bytes).
    #[must_use]
    pub const fn with_max_metadata_bytes(mut self, bytes: usize) -> Self {
        self.max_metadata_bytes = bytes;
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

    /// Passes on to `report` what breaks a rule that is on.
    pub(in crate::remote_write) fn filter(
        &self,
        mut report: impl FnMut(ViolationKind),
    ) -> impl FnMut(ViolationKind) {
        let rules = self.rules;
        move |kind: ViolationKind| {
            if rules.has(kind.rule()) {
                report(kind);
            }
        }
    }
}
