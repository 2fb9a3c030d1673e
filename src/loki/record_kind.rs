//! Which list of a push a record is in.

use core::fmt;

use crate::message::request::sealed;

/// Which list of a push a record is in: there is one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// An entry of `streams`.
    Stream,
}

impl sealed::RecordKind for RecordKind {
    const FIRST: Self = Self::Stream;
    const SECOND: Option<Self> = None;

    #[inline]
    fn is_first(self) -> bool {
        true
    }
}

impl fmt::Display for RecordKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Stream => "stream",
        })
    }
}
