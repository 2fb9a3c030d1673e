//! What Loki wants of a stream, beyond being well-formed protobuf: reported, never changed.
//!
//! Source: the validation and the default limits of Loki's distributor.

use core::fmt;

use super::entry::Entry;
use super::push_request::PushRequest;
use super::stream::Stream;
use crate::limits::Limits;

/// What is wrong with a stream or one of its entries. Positions count from 0, in wire order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ViolationKind {
    /// The label string is empty, or names no label.
    NoLabels,
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
            Self::NoLabels => None,
            Self::MissingTimestamp { entry }
            | Self::InvalidTimestamp { entry }
            | Self::TimestampOutOfRange { entry }
            | Self::LineTooLong { entry, .. }
            | Self::StructuredMetadataTooLarge { entry, .. }
            | Self::TooManyStructuredMetadataPairs { entry, .. } => Some(entry),
        }
    }
}

impl fmt::Display for ViolationKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())?;
        match self.entry() {
            Some(entry) => write!(f, " (entry {entry})"),
            None => Ok(()),
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
    /// Reports everything in the push that Loki would refuse, stream by stream. Label strings are only
    /// looked at as far as being there: what is in them is the business of `selector`.
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
        let braces = |char: char| char == '{' || char == '}' || char.is_ascii_whitespace();
        if self.labels().trim_matches(braces).is_empty() {
            report(ViolationKind::NoLabels);
        }
        for (entry, view) in self.entries().iter().enumerate() {
            check_entry(entry, &view, limits, &mut report);
        }
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
