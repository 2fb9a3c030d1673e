//! What was left out of a body of which not all was good.

use core::fmt;

use super::error::JsonError;
use crate::message::columns::index;
use crate::wire::to_usize;

/// An entry or a stream that partial mode left out of a push in JSON.
///
/// ```
/// use borrowire::loki::json::{JsonErrorKind, JsonScratch};
/// use borrowire::loki::{DecodeOptions, PushRequest};
///
/// let body = br#"{"streams":[
///   {"stream":{"job":"a"},"values":[["1","x"],["soon","y"],["3","z"]]}
/// ]}"#;
/// let options = DecodeOptions::new().with_partial(true);
/// let mut scratch = JsonScratch::new();
/// let push = PushRequest::decode_json_with(body, &mut scratch, &options)?;
/// assert_eq!(push.entries_len(), 2);
///
/// let skipped = push.json_skipped()[0];
/// assert_eq!((skipped.stream(), skipped.entry()), (0, Some(1)));
/// assert_eq!(skipped.error().kind(), JsonErrorKind::InvalidTimestamp);
/// assert_eq!(skipped.to_string(), "stream 0, entry 1 left out: invalid timestamp at byte 58");
/// # Ok::<(), borrowire::loki::json::JsonError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonSkipped {
    // Small, for there can be one for each two bytes of a body.
    stream: u32,
    entry: Option<u32>,
    error: JsonError,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<JsonSkipped>() == 32);

impl JsonSkipped {
    pub(super) fn of_stream(stream: usize, error: JsonError) -> Self {
        Self { stream: index(stream), entry: None, error }
    }

    pub(super) fn of_entry(stream: usize, entry: usize, error: JsonError) -> Self {
        Self { stream: index(stream), entry: Some(index(entry)), error }
    }

    /// The stream's position in the body, from 0.
    #[must_use]
    pub const fn stream(&self) -> usize {
        to_usize(self.stream)
    }

    /// The position in its array, from 0, of the entry that alone was left out; `None` if it is the
    /// whole stream.
    #[must_use]
    pub fn entry(&self) -> Option<usize> {
        self.entry.map(to_usize)
    }

    /// What is wrong, and where in the body.
    #[must_use]
    pub const fn error(&self) -> JsonError {
        self.error
    }
}

impl fmt::Display for JsonSkipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stream {}", self.stream)?;
        if let Some(entry) = self.entry {
            write!(f, ", entry {entry}")?;
        }
        write!(f, " left out: {}", self.error)
    }
}
