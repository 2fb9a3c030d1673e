//! Which list of a request a record is in.

use core::fmt;

use crate::message::request;

/// Which list of a request a record is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// An entry of `timeseries`.
    TimeSeries,
    /// An entry of `metadata` (1.0).
    Metadata,
}

impl request::RecordKind for RecordKind {
    #[inline]
    fn is_first(self) -> bool {
        matches!(self, Self::TimeSeries)
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TimeSeries => "series",
            Self::Metadata => "metadata",
        })
    }
}
