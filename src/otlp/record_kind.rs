//! What of a request can be left out.

use core::fmt;

use crate::message::request::sealed;

/// What partial mode can leave out of a request, from the outside in. Only
/// [`Resource`](Self::Resource) is an entry of one of the request's own lists.
///
/// ```
/// use borrowire::otlp::{DecodeOptions, RecordKind};
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// // A record whose trace id is of one byte, in a scope of a resource.
/// let body = [0x0a, 7, 0x12, 5, 0x12, 3, 0x4a, 1, 0xff];
/// let partial = DecodeOptions::new().with_partial(true);
/// let request = ExportLogsServiceRequest::decode_with(&body, &partial)?;
/// let skipped = request.skipped()[0];
/// assert_eq!(skipped.kind, RecordKind::LogRecord);
/// assert_eq!(skipped.to_string(), "log record 0 left out: id of a wrong length at byte 7 (field 9)");
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// A `ResourceMetrics` or `ResourceLogs`, with all that is in it.
    Resource,
    /// A `ScopeMetrics` or `ScopeLogs`, with all that is in it.
    Scope,
    /// A metric, with its points.
    Metric,
    /// A point of a metric, of whichever kind.
    DataPoint,
    /// An exemplar of a point, which stays.
    Exemplar,
    /// A log record.
    LogRecord,
}

impl sealed::RecordKind for RecordKind {
    const FIRST: Self = Self::Resource;
    const SECOND: Option<Self> = None;

    fn as_str(self) -> &'static str {
        match self {
            Self::Resource => "resource",
            Self::Scope => "scope",
            Self::Metric => "metric",
            Self::DataPoint => "data point",
            Self::Exemplar => "exemplar",
            Self::LogRecord => "log record",
        }
    }

    #[inline]
    fn is_first(self) -> bool {
        true
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(sealed::RecordKind::as_str(*self))
    }
}
