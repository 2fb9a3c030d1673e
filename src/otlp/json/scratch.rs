//! Memory in which JSON becomes protobuf, and the other way round.

use alloc::vec::Vec;
use core::fmt;

use super::read::Target;
use super::skipped::JsonSkipped;
use crate::message::columns::vec_bytes;
use crate::reuse::Scratch;
use crate::wire::retention::Retention;

/// Memory for the protobuf that a JSON body stands for, or is made from.
///
/// Decoders and pools keep one themselves; to decode without them, or to encode, lend one. It is
/// emptied for each body, and keeps its memory, so that nothing is allocated once it has grown to the
/// bodies' size. Memory that was far too large for long is freed.
///
/// ```
/// use borrowire::otlp::json::JsonScratch;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let mut scratch = JsonScratch::new();
/// assert_eq!(scratch.capacity_bytes(), 0);
/// let request = ExportLogsServiceRequest::decode_json(b"{\"resourceLogs\":[{}]}", &mut scratch)?;
/// assert_eq!(request.body(), [0x0a, 0x00]); // the protobuf, which views borrow from
/// assert!(scratch.capacity_bytes() > 0);
/// # Ok::<(), borrowire::otlp::json::JsonError>(())
/// ```
#[derive(Default)]
pub struct JsonScratch {
    pub(super) protobuf: Vec<u8>,
    pub(super) skipped: Vec<JsonSkipped>,
    /// For a string that is not wanted as it stands, one at a time.
    string: Vec<u8>,
    retention: Retention,
}

impl JsonScratch {
    /// Memory for protobuf, none of it allocated yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Heap bytes that are kept for the next body.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        let bytes = self.protobuf.capacity().saturating_add(self.string.capacity());
        bytes.saturating_add(vec_bytes(&self.skipped))
    }

    /// Forgets what is in it, and gives up memory that was of little use for long.
    pub(super) fn clear(&mut self) {
        let capacity = self.protobuf.capacity();
        if self.retention.is_wasted(self.protobuf.len(), || capacity) {
            *self = Self::default();
        }
        self.protobuf.clear();
        self.skipped.clear();
    }

    /// Where reading writes to, emptied.
    pub(super) fn target(&mut self) -> Target<'_> {
        self.clear();
        let Self { protobuf, skipped, string, .. } = self;
        Target { protobuf, skipped, string }
    }
}

impl Scratch for JsonScratch {
    fn capacity_bytes(&self) -> usize {
        self.capacity_bytes()
    }
}

impl fmt::Debug for JsonScratch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonScratch").field("capacity_bytes", &self.capacity_bytes()).finish()
    }
}
