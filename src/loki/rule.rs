//! The rules, by name.

use core::fmt;

/// A rule that [`Rules`](super::Rules) can switch off. Its name is what logs and metric labels call
/// it.
///
/// ```
/// use borrowire::loki::{Rule, Rules, Stream, validate_stream};
///
/// // A Loki that finds out service names gives a label to streams that have none.
/// let rules = Rules::new().with_rule(Rule::NoLabels, false);
/// validate_stream(&Stream::new("{}"), &rules, |kind| unreachable!("{kind}"));
/// assert_eq!(Rule::NoLabels.as_str(), "no labels");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The label string has a label with a value. (Where Loki finds out service names, which is its
    /// default, it adds one to streams that have none.)
    NoLabels,
    /// The label string parses.
    InvalidLabels,
    /// There are at most `max_labels_per_stream` labels.
    TooManyLabels,
    /// Label names are at most `max_label_name_bytes` long.
    LabelNameTooLong,
    /// Label values are at most `max_label_value_bytes` long.
    LabelValueTooLong,
    /// No two labels have the same name.
    DuplicateLabel,
    /// Each entry has a timestamp: without it Loki reads the year 1, which is too long ago.
    MissingTimestamp,
    /// Each timestamp is one.
    InvalidTimestamp,
    /// Timestamps lie between `min_timestamp` and `max_timestamp`.
    TimestampOutOfRange,
    /// Lines are at most `max_line_bytes` long.
    LineTooLong,
    /// Structured metadata takes at most `max_structured_metadata_bytes`.
    StructuredMetadataTooLarge,
    /// There are at most `max_structured_metadata_pairs` pairs of structured metadata.
    TooManyStructuredMetadataPairs,
}

impl Rule {
    /// A fixed, lower-case name, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoLabels => "no labels",
            Self::InvalidLabels => "invalid labels",
            Self::TooManyLabels => "too many labels",
            Self::LabelNameTooLong => "label name too long",
            Self::LabelValueTooLong => "label value too long",
            Self::DuplicateLabel => "duplicate label",
            Self::MissingTimestamp => "missing timestamp",
            Self::InvalidTimestamp => "invalid timestamp",
            Self::TimestampOutOfRange => "timestamp out of range",
            Self::LineTooLong => "line too long",
            Self::StructuredMetadataTooLarge => "structured metadata too large",
            Self::TooManyStructuredMetadataPairs => "too many structured metadata pairs",
        }
    }

    /// A bit of its own.
    #[allow(clippy::as_conversions, reason = "there are fewer than 16")]
    pub(super) const fn bit(self) -> u16 {
        1_u16.wrapping_shl(self as u32)
    }
}

impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
