//! Which list of a push a record is in.

use core::fmt;

use crate::message::request::sealed;

/// Which list of a push a record is in: there is one.
///
/// ```
/// use borrowire::loki::{DecodeOptions, PushRequest, RecordKind};
///
/// # use borrowire::{Encode, loki::{PushRequestEncoder, Stream}};
/// # let mut body = PushRequestEncoder::new([Stream::new("{a=\"b\"}")]).encode_to_vec()?;
/// # body[4] = 0xff;
/// // The label string of its one stream is not UTF-8.
/// let partial = DecodeOptions::new().with_partial(true);
/// let request = PushRequest::decode_with(&body, &partial)?;
/// assert_eq!(request.skipped()[0].kind, RecordKind::Stream);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum RecordKind {
    /// An entry of `streams`.
    Stream,
}

impl sealed::RecordKind for RecordKind {
    const FIRST: Self = Self::Stream;
    const SECOND: Option<Self> = None;

    fn as_str(self) -> &'static str {
        match self {
            Self::Stream => "stream",
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
