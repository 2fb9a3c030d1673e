//! Caps that every protocol has, each with its default and the reason for it.

use crate::wire::error::MAX_MESSAGE_BYTES;

/// Caps on what one request may hold, whatever its protocol: they bound memory and work, and are
/// enforced while decoding. The defaults are those of a receiver that does not know its senders.
///
/// A protocol's own caps, such as how many series a request may hold, are in its decode options;
/// what a series may look like is in its rules; what a body may weigh is in `body::BodyLimits`.
///
/// ```
/// use borrowire::Limits;
/// use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
///
/// let limits = Limits::new().with_max_message_bytes(100 << 20).with_max_elements(1_000_000);
/// let options = DecodeOptions::new().with_limits(limits).with_max_timeseries(50_000);
/// let request = WriteRequest::decode_with(b"", &options)?;
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Limits {
    /// Bytes of one message. Default and maximum: 2 GiB - 1, protobuf's own limit.
    pub max_message_bytes: usize,
    /// Elements of one request: everything repeated that takes a place in decoded storage (series,
    /// streams, metadata entries, symbols, labels, samples, exemplars and their labels, histograms,
    /// spans, bucket values, log entries and their metadata, and what else a protocol has of the
    /// kind). Default: 4 Mi (4,194,304), which is 100,000 series of 40 labels. An element takes up to
    /// 43 bytes of storage, so that a request takes 180 MB at the most, whatever its size; two bytes
    /// can make an element.
    pub max_elements: usize,
    /// Bytes of text that one request stands for, where it names a text by a number and each use
    /// counts: remote write 2.0. A megabyte can stand for many gigabytes, over which hashes and
    /// messages of 1.0 would go. (Other work, such as validating, looks at a long text once.) Default: 64 MiB; for comparison, 100,000
    /// series of 20 labels with names and values of 30 bytes together are 60 MB.
    pub max_expanded_bytes: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self::new()
    }
}

impl Limits {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_message_bytes: MAX_MESSAGE_BYTES,
            max_elements: 4 << 20,
            max_expanded_bytes: 64 << 20,
        }
    }

    /// No caps but protobuf's own: for input that is trusted, such as files. Storage takes at most 24
    /// bytes for each byte of input whatever the input is.
    ///
    /// ```
    /// use borrowire::Limits;
    /// use borrowire::remote_write::v1::WriteRequest;
    ///
    /// let request = WriteRequest::decode_with(b"", &Limits::unlimited().into())?;
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    #[must_use]
    pub const fn unlimited() -> Self {
        Self {
            max_message_bytes: MAX_MESSAGE_BYTES,
            max_elements: usize::MAX,
            max_expanded_bytes: u64::MAX,
        }
    }

    /// Sets [`max_message_bytes`](Self::max_message_bytes).
    #[must_use]
    pub const fn with_max_message_bytes(mut self, bytes: usize) -> Self {
        self.max_message_bytes = bytes;
        self
    }

    /// Sets [`max_elements`](Self::max_elements).
    #[must_use]
    pub const fn with_max_elements(mut self, count: usize) -> Self {
        self.max_elements = count;
        self
    }

    /// Sets [`max_expanded_bytes`](Self::max_expanded_bytes).
    #[must_use]
    pub const fn with_max_expanded_bytes(mut self, bytes: u64) -> Self {
        self.max_expanded_bytes = bytes;
        self
    }
}
