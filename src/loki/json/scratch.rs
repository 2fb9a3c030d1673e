//! Memory for text that a JSON body does not hold as it is wanted.

use alloc::vec::Vec;
use core::fmt;

use bumpalo::Bump;

use crate::reuse::Scratch;
use crate::wire::retention::Retention;

/// Memory for text that a JSON body does not hold as it is wanted: strings with escapes, and label
/// strings.
///
/// Decoders and pools keep one themselves; to decode without them, or to encode, lend one. It is
/// emptied for each body, and keeps its memory, so that nothing is allocated once it has grown to
/// the bodies' size. One that has seen a body of unusual size may be dropped for a new one: see
/// [`capacity_bytes`](Self::capacity_bytes).
///
/// ```
/// use borrowire::loki::PushRequest;
/// use borrowire::loki::json::JsonScratch;
///
/// let body = br#"{"streams":[{"stream":{"job":"varlogs"},"values":[["1","say \"hi\""]]}]}"#;
/// let mut scratch = JsonScratch::new();
/// assert_eq!(scratch.capacity_bytes(), 0);
/// let push = PushRequest::decode_json(body, &mut scratch)?;
/// assert_eq!(push.streams().get(0).unwrap().labels(), r#"{job="varlogs"}"#);
/// assert!(scratch.capacity_bytes() > 0); // the label string, and the line without its backslashes
/// # Ok::<(), borrowire::loki::json::JsonError>(())
/// ```
#[derive(Default)]
pub struct JsonScratch {
    arena: Bump,
    /// For what is read in label strings, one at a time.
    bytes: Vec<u8>,
    retention: Retention,
}

impl JsonScratch {
    /// Memory for text, none of it allocated yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Heap bytes that are kept for the next body.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.arena.allocated_bytes().saturating_add(self.bytes.capacity())
    }

    /// The parts, emptied.
    pub(super) fn parts(&mut self) -> (&Bump, &mut Vec<u8>) {
        // The arena does not tell how much of its last chunk was used: what is left does.
        let capacity = self.arena.allocated_bytes();
        let used = capacity.saturating_sub(self.arena.chunk_capacity());
        if self.retention.is_wasted(used, || capacity) {
            *self = Self::default();
        }
        self.arena.reset();
        (&self.arena, &mut self.bytes)
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
