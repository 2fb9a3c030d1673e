//! What Loki wants of a stream, beyond being well-formed protobuf: reported, never changed.
//!
//! Source: the validation and the default limits of Loki's distributor.

use core::fmt;

use smallvec::SmallVec;

use super::entry::Entry;
use super::push_request::PushRequest;
use super::selector::{self, Checked, SelectorError};
use super::stream::Stream;
use crate::limits::Limits;

/// What is wrong with a stream or one of its entries. Positions count from 0: of entries in wire order, of
/// labels in the order in which [`selector::parse`] gives them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// The label string has no label, or none with a value, which is the same to Loki.
    NoLabels,
    /// The label string is none: why, and where in it.
    InvalidLabels(SelectorError),
    /// More labels than `max_labels_per_stream`, those without a value and `service_name` not counted.
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
    /// A fixed, lower-case name, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::NoLabels => "no labels",
            Self::InvalidLabels(_) => "invalid labels",
            Self::TooManyLabels { .. } => "too many labels",
            Self::LabelNameTooLong { .. } => "label name too long",
            Self::LabelValueTooLong { .. } => "label value too long",
            Self::DuplicateLabel { .. } => "duplicate label",
            Self::MissingTimestamp { .. } => "missing timestamp",
            Self::InvalidTimestamp { .. } => "invalid timestamp",
            Self::TimestampOutOfRange { .. } => "timestamp out of range",
            Self::LineTooLong { .. } => "line too long",
            Self::StructuredMetadataTooLarge { .. } => "structured metadata too large",
            Self::TooManyStructuredMetadataPairs { .. } => "too many structured metadata pairs",
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

/// What is wrong with which stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Violation {
    /// The stream's position in [`PushRequest::streams`], from 0.
    pub stream: usize,
    /// What is wrong with it.
    pub kind: ViolationKind,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stream {}: {}", self.stream, self.kind)
    }
}

impl core::error::Error for Violation {}

impl PushRequest<'_> {
    /// Reports everything in the push that Loki would refuse, stream by stream. Nothing is allocated, not
    /// even for escapes in label strings. (A stream without labels passes where Loki may add
    /// `service_name` by itself, as it does by default.)
    ///
    /// ```
    /// use borrowire::Limits;
    /// use borrowire::loki::PushRequest;
    ///
    /// let push = PushRequest::decode(b"\x0a\x10\x0a\x07{a=\"b\"}\x12\x05\x12\x03abc")?;
    /// let mut violations = Vec::new();
    /// push.validate(&Limits::new(), |violation| violations.push(violation));
    /// assert_eq!(violations[0].to_string(), "stream 0: missing timestamp (entry 0)");
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    pub fn validate(&self, limits: &Limits, mut report: impl FnMut(Violation)) {
        for (stream, view) in self.streams().iter().enumerate() {
            view.violations(limits, |kind| report(Violation { stream, kind }));
        }
    }
}

impl Stream<'_, '_> {
    /// The first thing in the stream that Loki would refuse.
    ///
    /// # Errors
    ///
    /// What is wrong.
    pub fn validate(&self, limits: &Limits) -> Result<(), ViolationKind> {
        let mut first = None;
        self.violations(limits, |kind| {
            first.get_or_insert(kind);
        });
        first.map_or(Ok(()), Err)
    }

    /// Reports everything in the stream that Loki would refuse.
    pub fn violations(&self, limits: &Limits, mut report: impl FnMut(ViolationKind)) {
        check_labels(self.labels(), limits, &mut report);
        for (entry, view) in self.entries().iter().enumerate() {
            check_entry(entry, &view, limits, &mut report);
        }
    }
}

/// How many labels are looked at for duplicates. More are too many by default, and comparing any number of
/// them would take either memory or quadratic time.
const COMPARED: usize = 32;

fn check_labels(labels: &str, limits: &Limits, report: &mut impl FnMut(ViolationKind)) {
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
        if value.len() > limits.max_label_value_bytes {
            report(ViolationKind::LabelValueTooLong { label, bytes: value.len() });
        }
        if name.len() > limits.max_label_name_bytes {
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
    if counted > limits.max_labels_per_stream {
        report(ViolationKind::TooManyLabels { count: counted });
    }
    if count == 0 {
        report(ViolationKind::NoLabels);
    }
}

fn check_entry(
    entry: usize,
    view: &Entry<'_, '_>,
    limits: &Limits,
    report: &mut impl FnMut(ViolationKind),
) {
    match view.timestamp() {
        None => report(ViolationKind::MissingTimestamp { entry }),
        Some(timestamp) if !timestamp.is_valid() => {
            report(ViolationKind::InvalidTimestamp { entry });
        }
        Some(timestamp) => {
            let millis = timestamp.to_unix_millis().unwrap_or(i64::MIN);
            if !(limits.min_timestamp..=limits.max_timestamp).contains(&millis) {
                report(ViolationKind::TimestampOutOfRange { entry });
            }
        }
    }
    let bytes = view.line().len();
    if bytes > limits.max_line_bytes {
        report(ViolationKind::LineTooLong { entry, bytes });
    }
    let count = view.structured_metadata().len();
    if count > limits.max_structured_metadata_pairs {
        report(ViolationKind::TooManyStructuredMetadataPairs { entry, count });
    }
    let bytes = view.structured_metadata().iter().fold(0, |sum: usize, pair| {
        sum.saturating_add(pair.name.len()).saturating_add(pair.value.len())
    });
    if bytes > limits.max_structured_metadata_bytes {
        report(ViolationKind::StructuredMetadataTooLarge { entry, bytes });
    }
}
