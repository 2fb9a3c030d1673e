//! Which list of a request a record is in.

use core::fmt;

use crate::message::request::sealed;

/// Which list of a request a record is in.
///
/// ```
/// use borrowire::remote_write::RecordKind;
/// use borrowire::remote_write::v1::WriteRequest;
///
/// let request = WriteRequest::default();
/// let skipped = request.skipped().iter();
/// assert_eq!(skipped.filter(|record| record.kind == RecordKind::TimeSeries).count(), 0);
/// assert_eq!(RecordKind::TimeSeries.to_string(), "series");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// An entry of `timeseries`.
    TimeSeries,
    /// An entry of `metadata` (1.0).
    Metadata,
}

impl sealed::RecordKind for RecordKind {
    const FIRST: Self = Self::TimeSeries;
    const SECOND: Option<Self> = Some(Self::Metadata);

    fn as_str(self) -> &'static str {
        match self {
            Self::TimeSeries => "series",
            Self::Metadata => "metadata",
        }
    }

    #[inline]
    fn is_first(self) -> bool {
        matches!(self, Self::TimeSeries)
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(sealed::RecordKind::as_str(*self))
    }
}
