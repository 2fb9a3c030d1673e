//! What Loki wants of a stream, beyond being well-formed protobuf: reported, never changed.
//!
//! Source: the validation and the default limits of Loki's distributor.

use core::fmt;

use smallvec::SmallVec;

use super::push::{Entry, Stream};
use super::rule::Rule;
use super::selector::{self, Checked, SelectorError};
use crate::message::violation;

/// What [`PushRequest::validate`](super::PushRequest::validate) and [`validate_stream`] look for.
///
/// ```
/// use borrowire::loki::Rules;
///
/// let rules = Rules::new()
///     .with_max_labels_per_stream(30)
///     .with_timestamps(1_600_000_000_000, 1_900_000_000_000);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rules {
    /// Labels of one stream, `service_name` not counted. Default: 15, as Loki has it.
    pub max_labels_per_stream: usize,
    /// Bytes of a label name. Default: 1024, as Loki has it.
    pub max_label_name_bytes: usize,
    /// Bytes of a label value. Default: 2048, as Loki has it.
    pub max_label_value_bytes: usize,
    /// Bytes of a log line. Default: 256 KiB, as Loki has it.
    pub max_line_bytes: usize,
    /// Bytes of an entry's structured metadata, names and values together. Default: 64 KiB, as Loki
    /// has it.
    pub max_structured_metadata_bytes: usize,
    /// Pairs of an entry's structured metadata. Default: 128, as Loki has it.
    pub max_structured_metadata_pairs: usize,
    /// The earliest timestamp, in milliseconds since the Unix epoch. Default: none; 0 and negative
    /// timestamps are legal.
    pub min_timestamp: i64,
    /// The latest timestamp, in milliseconds since the Unix epoch. Default: none. Receivers usually
    /// allow ten minutes from now.
    pub max_timestamp: i64,
    /// The rules that are switched off, by bits.
    off: u16,
}

impl Default for Rules {
    fn default() -> Self {
        Self::new()
    }
}

impl Rules {
    /// What Loki refuses by default, and all of it: labels in any order and labels without a value
    /// pass, since Loki sorts them, and drops those.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_labels_per_stream: 15,
            max_label_name_bytes: 1024,
            max_label_value_bytes: 2048,
            max_line_bytes: 256 << 10,
            max_structured_metadata_bytes: 64 << 10,
            max_structured_metadata_pairs: 128,
            min_timestamp: i64::MIN,
            max_timestamp: i64::MAX,
            off: 0,
        }
    }

    /// Switches a rule on or off. Default: all are on.
    #[must_use]
    pub const fn with_rule(mut self, rule: Rule, on: bool) -> Self {
        self.off = if on { self.off & !rule.bit() } else { self.off | rule.bit() };
        self
    }

    /// Whether a rule is on.
    #[must_use]
    pub const fn has(&self, rule: Rule) -> bool {
        self.off & rule.bit() == 0
    }

    /// Sets [`max_labels_per_stream`](Self::max_labels_per_stream).
    #[must_use]
    pub const fn with_max_labels_per_stream(mut self, count: usize) -> Self {
        self.max_labels_per_stream = count;
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

    /// Sets [`max_line_bytes`](Self::max_line_bytes).
    #[must_use]
    pub const fn with_max_line_bytes(mut self, bytes: usize) -> Self {
        self.max_line_bytes = bytes;
        self
    }

    /// Sets [`max_structured_metadata_bytes`](Self::max_structured_metadata_bytes).
    #[must_use]
    pub const fn with_max_structured_metadata_bytes(mut self, bytes: usize) -> Self {
        self.max_structured_metadata_bytes = bytes;
        self
    }

    /// Sets [`max_structured_metadata_pairs`](Self::max_structured_metadata_pairs).
    #[must_use]
    pub const fn with_max_structured_metadata_pairs(mut self, count: usize) -> Self {
        self.max_structured_metadata_pairs = count;
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

/// What is wrong with a stream or one of its entries. Positions count from 0: of entries in wire
/// order, of labels in the order in which [`selector::parse`] gives them.
///
/// ```
/// use borrowire::loki::{Rules, Stream, ViolationKind, validate_stream};
///
/// let mut found = Vec::new();
/// validate_stream(&Stream::new("{}"), &Rules::new(), |kind| found.push(kind));
/// assert_eq!(found, [ViolationKind::NoLabels]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// The label string has no label, or none with a value, which is the same to Loki.
    NoLabels,
    /// The label string does not parse: why, and where in it.
    InvalidLabels(SelectorError),
    /// More labels than `max_labels_per_stream`, those without a value and `service_name` not
    /// counted.
    TooManyLabels {
        /// How many.
        count: usize,
    },
    /// A label name over `max_label_name_bytes`.
    LabelNameTooLong {
        /// The label's position.
        label: usize,
        /// The name's length in bytes, without quotes and escapes.
        bytes: usize,
    },
    /// A label value over `max_label_value_bytes`.
    LabelValueTooLong {
        /// The label's position.
        label: usize,
        /// The value's length in bytes, without quotes and escapes.
        bytes: usize,
    },
    /// A label with the name of one before it, which is among the first 32 of the stream.
    DuplicateLabel {
        /// The label's position.
        label: usize,
    },
    /// An entry without a timestamp, which Loki reads as the year 1.
    MissingTimestamp {
        /// The entry's position.
        entry: usize,
    },
    /// A timestamp that is not one: nanoseconds out of range, or outside the years 1 to 9999.
    InvalidTimestamp {
        /// The entry's position.
        entry: usize,
    },
    /// A timestamp outside `min_timestamp` to `max_timestamp`.
    TimestampOutOfRange {
        /// The entry's position.
        entry: usize,
    },
    /// A line over `max_line_bytes`.
    LineTooLong {
        /// The entry's position.
        entry: usize,
        /// The line's length in bytes.
        bytes: usize,
    },
    /// Structured metadata over `max_structured_metadata_bytes`, names and values together.
    StructuredMetadataTooLarge {
        /// The entry's position.
        entry: usize,
        /// Its size in bytes.
        bytes: usize,
    },
    /// More pairs of structured metadata than `max_structured_metadata_pairs`.
    TooManyStructuredMetadataPairs {
        /// The entry's position.
        entry: usize,
        /// How many.
        count: usize,
    },
}

impl ViolationKind {
    /// A fixed, lower-case name, for logs and metric labels: that of the [`rule`](Self::rule).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.rule().as_str()
    }

    /// The rule that is broken.
    #[must_use]
    pub const fn rule(self) -> Rule {
        match self {
            Self::NoLabels => Rule::NoLabels,
            Self::InvalidLabels(_) => Rule::InvalidLabels,
            Self::TooManyLabels { .. } => Rule::TooManyLabels,
            Self::LabelNameTooLong { .. } => Rule::LabelNameTooLong,
            Self::LabelValueTooLong { .. } => Rule::LabelValueTooLong,
            Self::DuplicateLabel { .. } => Rule::DuplicateLabel,
            Self::MissingTimestamp { .. } => Rule::MissingTimestamp,
            Self::InvalidTimestamp { .. } => Rule::InvalidTimestamp,
            Self::TimestampOutOfRange { .. } => Rule::TimestampOutOfRange,
            Self::LineTooLong { .. } => Rule::LineTooLong,
            Self::StructuredMetadataTooLarge { .. } => Rule::StructuredMetadataTooLarge,
            Self::TooManyStructuredMetadataPairs { .. } => Rule::TooManyStructuredMetadataPairs,
        }
    }

    /// The position of the entry that is at fault; `None` if it is the stream itself.
    #[must_use]
    pub const fn entry(self) -> Option<usize> {
        match self {
            Self::NoLabels
            | Self::InvalidLabels(_)
            | Self::TooManyLabels { .. }
            | Self::LabelNameTooLong { .. }
            | Self::LabelValueTooLong { .. }
            | Self::DuplicateLabel { .. } => None,
            Self::MissingTimestamp { entry }
            | Self::InvalidTimestamp { entry }
            | Self::TimestampOutOfRange { entry }
            | Self::LineTooLong { entry, .. }
            | Self::StructuredMetadataTooLarge { entry, .. }
            | Self::TooManyStructuredMetadataPairs { entry, .. } => Some(entry),
        }
    }

    /// The position of the label that is at fault, if it is one label.
    #[must_use]
    pub const fn label(self) -> Option<usize> {
        match self {
            Self::LabelNameTooLong { label, .. }
            | Self::LabelValueTooLong { label, .. }
            | Self::DuplicateLabel { label } => Some(label),
            _ => None,
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match (self, self.entry(), self.label()) {
            (Self::InvalidLabels(error), ..) => write!(f, ": {error}"),
            (_, Some(entry), _) => write!(f, " (entry {entry})"),
            (_, _, Some(label)) => write!(f, " (label {label})"),
            _ => Ok(()),
        }
    }
}

impl violation::ViolationKind for ViolationKind {
    const RECORD: &'static str = "stream";
}

/// Reports everything in `stream` that breaks `rules`: all that Loki would refuse.
///
/// ```
/// use borrowire::loki::{self, Rules, Stream, ViolationKind};
///
/// let mut found = Vec::new();
/// loki::validate_stream(&Stream::new("{}"), &Rules::new(), |kind| found.push(kind));
/// assert_eq!(found, [ViolationKind::NoLabels]);
/// ```
pub fn validate_stream(
    stream: &Stream<'_, '_>,
    rules: &Rules,
    mut report: impl FnMut(ViolationKind),
) {
    let mut report = |kind: ViolationKind| {
        if rules.has(kind.rule()) {
            report(kind);
        }
    };
    check_labels(stream.labels(), rules, &mut report);
    for (position, entry) in stream.entries().iter().enumerate() {
        check_entry(position, &entry, rules, &mut report);
    }
}

/// How many labels are looked at for duplicates. More are too many by default, and comparing any
/// number of them would take either memory or quadratic time.
const COMPARED: usize = 32;

fn check_labels(labels: &str, rules: &Rules, report: &mut impl FnMut(ViolationKind)) {
    let mut names = SmallVec::<[Checked<'_>; COMPARED]>::new();
    let (mut position, mut count) = (0_usize, 0_usize);
    let mut service_names = 0_usize;
    let checked = selector::check(labels, |name, value| {
        let label = position;
        position = position.saturating_add(1);
        // To Loki it is not there.
        if value.is_empty() {
            return;
        }
        count = count.saturating_add(1);
        if name.is("service_name") {
            service_names = 1;
        }
        if value.len() > rules.max_label_value_bytes {
            report(ViolationKind::LabelValueTooLong { label, bytes: value.len() });
        }
        if name.len() > rules.max_label_name_bytes {
            report(ViolationKind::LabelNameTooLong { label, bytes: name.len() });
        } else if names.contains(&name) {
            report(ViolationKind::DuplicateLabel { label });
        } else if names.len() < COMPARED {
            names.push(name);
        }
    });
    if let Err(error) = checked {
        report(ViolationKind::InvalidLabels(error));
        return;
    }
    let counted = count.saturating_sub(service_names);
    if counted > rules.max_labels_per_stream {
        report(ViolationKind::TooManyLabels { count: counted });
    }
    if count == 0 {
        report(ViolationKind::NoLabels);
    }
}

fn check_entry(
    entry: usize,
    view: &Entry<'_, '_>,
    rules: &Rules,
    report: &mut impl FnMut(ViolationKind),
) {
    match view.timestamp() {
        None => report(ViolationKind::MissingTimestamp { entry }),
        Some(timestamp) if !timestamp.is_valid() => {
            report(ViolationKind::InvalidTimestamp { entry });
        }
        Some(timestamp) => {
            let millis = timestamp.to_unix_millis().unwrap_or(i64::MIN);
            if !(rules.min_timestamp..=rules.max_timestamp).contains(&millis) {
                report(ViolationKind::TimestampOutOfRange { entry });
            }
        }
    }
    let bytes = view.line().len();
    if bytes > rules.max_line_bytes {
        report(ViolationKind::LineTooLong { entry, bytes });
    }
    let count = view.structured_metadata().len();
    if count > rules.max_structured_metadata_pairs {
        report(ViolationKind::TooManyStructuredMetadataPairs { entry, count });
    }
    let bytes = view.structured_metadata().iter().fold(0, |sum: usize, pair| {
        sum.saturating_add(pair.name.len()).saturating_add(pair.value.len())
    });
    if bytes > rules.max_structured_metadata_bytes {
        report(ViolationKind::StructuredMetadataTooLarge { entry, bytes });
    }
}
