//! Why a body was refused, in the terms of its message: which record, which limit.

use core::fmt;

use crate::wire::error::DecodeError;

/// A [`DecodeError`] in the terms of the message: the record that it is in, and the limit that it is
/// over.
///
/// The error itself is eight bytes, a kind and a place, because it is in the way of every value that
/// is read. This is found afterwards, from body and options, by the `explain` of each request.
///
/// ```
/// use borrowire::Limits;
/// use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
///
/// # use borrowire::{Encode, remote_write::{Label, TimeSeries, v1::WriteRequestEncoder}};
/// # let labels = [Label::new("a", "b"), Label::new("c", "d")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels); 3]).encode_to_vec()?;
/// // `body`: three series, of two labels each
/// let options = DecodeOptions::new().with_limits(Limits::new().with_max_elements(4));
/// let error = WriteRequest::decode_with(&body, &options).unwrap_err();
/// assert_eq!(error.to_string(), "too many elements at byte 21 (field 1)");
///
/// let explained = WriteRequest::explain(&body, &options, error);
/// assert_eq!(explained.record(), Some(("series", 1)));
/// assert_eq!(explained.limit(), Some(("max_elements", 4)));
/// assert_eq!(
///     explained.to_string(),
///     "too many elements at byte 21 (field 1), in series 1: max_elements is 4"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExplainedError {
    pub(crate) error: DecodeError,
    pub(crate) record: Option<(&'static str, usize)>,
    pub(crate) limit: Option<(&'static str, u64)>,
}

impl ExplainedError {
    /// What is wrong, and at which byte.
    #[must_use]
    pub const fn error(&self) -> DecodeError {
        self.error
    }

    /// The record that the fault is in, if it is in one: what it is (`series`, `metadata`,
    /// `stream`, `resource`), and its position among those of its kind in the body, from 0.
    #[must_use]
    pub const fn record(&self) -> Option<(&'static str, usize)> {
        self.record
    }

    /// The limit that the body is over, if that is the fault: the name of the option, and its value.
    #[must_use]
    pub const fn limit(&self) -> Option<(&'static str, u64)> {
        self.limit
    }
}

impl fmt::Display for ExplainedError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.error.fmt(f)?;
        if let Some((kind, index)) = self.record {
            write!(f, ", in {kind} {index}")?;
        }
        if let Some((name, value)) = self.limit {
            write!(f, ": {name} is {value}")?;
        }
        Ok(())
    }
}

impl core::error::Error for ExplainedError {}
