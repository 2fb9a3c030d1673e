//! Grouping for senders that borrow nothing: entries that come through a channel.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use super::entry::Entry;
use super::label_pair::LabelPair;
use super::push_request::{PushRequest, STREAMS};
use super::stream::{ENTRIES, LABELS};
use crate::limits::Limits;
use crate::loki::options::DecodeOptions;
use crate::loki::selector::Canonical;
use crate::message::batch::{Batch, append_with};
use crate::message::columns::{sum, vec_bytes};
use crate::message::fields::{text_len, write_text};
use crate::reuse::Decoded;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// A [`PushBatch`](super::PushBatch) that keeps copies: for entries that come through a channel, or
/// do not live until the push is written.
///
/// Its memory is used again after [`clear`](Self::clear), and its length is known at any time.
///
/// ```
/// use std::sync::mpsc::channel;
///
/// use borrowire::Encode;
/// use borrowire::loki::{Entry, LabelPair, OwnedPushBatch, PushRequest, Timestamp};
///
/// # fn send(body: &[u8]) { assert_eq!(PushRequest::decode(body).unwrap().entries_len(), 3) }
/// let (sender, receiver) = channel();
/// for (job, line) in [("web", "GET /"), ("db", "connected"), ("web", "GET /favicon.ico")] {
///     sender.send((job.to_owned(), line.to_owned()))?;
/// }
/// # drop(sender);
/// let mut batch = OwnedPushBatch::new(); // used again
/// let mut body = Vec::new(); // used again
/// for (job, line) in receiver {
///     let labels = [LabelPair::new("job", &job)];
///     batch.push(&labels, Entry::new(Timestamp::new(1, 0), line.as_bytes()));
///     if batch.encoded_len() >= 60 {
///         batch.append_to_vec(&mut body)?;
///         send(&body);
///         batch.clear();
///         body.clear();
///     }
/// }
/// # assert!(batch.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[doc(alias("queue", "shipper"))]
pub struct OwnedPushBatch {
    streams: Batch,
    entries_len: usize,
    /// The labels of the entry that is added.
    labels: String,
    /// The message, for those who want it as a request.
    body: Vec<u8>,
    /// Lent to them.
    idle: PushRequest<'static>,
}

impl Default for OwnedPushBatch {
    fn default() -> Self {
        Self::new()
    }
}

impl OwnedPushBatch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self {
            streams: Batch::new(STREAMS),
            entries_len: 0,
            labels: String::new(),
            body: Vec::new(),
            idle: PushRequest::default(),
        }
    }

    /// Adds `entry` to the stream of `labels`, as [`PushBatch::push`](super::PushBatch::push) does.
    pub fn push(&mut self, labels: &[LabelPair<'_>], entry: Entry<'_, '_>) {
        let mut written = core::mem::take(&mut self.labels);
        written.clear();
        // Writing to a `String` cannot fail.
        let _ = write!(written, "{}", Canonical::new(labels.iter().copied()));
        self.push_with(&written, entry);
        self.labels = written;
    }

    /// Adds `entry` to the stream of `labels`, a label string that is taken as it is.
    pub fn push_with(&mut self, labels: &str, entry: Entry<'_, '_>) {
        let write = |writer: &mut Writer<'_>| write_text(writer, LABELS, labels);
        let stream = self.streams.group(text_len(LABELS, labels), write);
        let metadata = entry.structured_metadata();
        let entry = Entry::from_parts(entry.timestamp(), entry.line(), metadata, &[]);
        let len = wire::message_len(ENTRIES, entry.encoded_len());
        self.streams.append(stream, len, |writer| writer.write_message(ENTRIES, &entry));
        self.entries_len = self.entries_len.saturating_add(1);
    }

    /// How many streams there are.
    #[must_use]
    pub const fn streams_len(&self) -> usize {
        self.streams.groups_len()
    }

    /// How many entries there are.
    #[must_use]
    pub const fn entries_len(&self) -> usize {
        self.entries_len
    }

    /// Whether there are no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries_len == 0
    }

    /// Empties the batch, and keeps its memory.
    pub fn clear(&mut self) {
        self.streams.clear();
        self.entries_len = 0;
    }

    /// The batch as a request: to be split, validated, or written as JSON.
    ///
    /// # Errors
    ///
    /// If the message is over 2 GiB - 1.
    pub fn request(&mut self) -> Result<Decoded<'_, '_, PushRequest<'static>>, DecodeError> {
        let Self { streams, body, idle, .. } = self;
        body.clear();
        append_with(body, streams.encoded_len(), |writer| streams.write_to(writer));
        Decoded::try_filled(idle, |request: &mut PushRequest<'_>| {
            // Of what was just written nothing is too much.
            let options = DecodeOptions::new().with_limits(Limits::unlimited());
            request.decode_into(body, &options.with_max_streams(usize::MAX))
        })
    }

    /// Heap bytes that the batch holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            self.streams.capacity_bytes(),
            self.labels.capacity(),
            vec_bytes(&self.body),
            self.idle.capacity_bytes(),
        ])
    }
}

impl Encode for OwnedPushBatch {
    fn encoded_len(&self) -> usize {
        self.streams.encoded_len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.streams.write_to(writer)
    }
}

/// Shows counts, not content.
impl fmt::Debug for OwnedPushBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OwnedPushBatch")
            .field("streams", &self.streams_len())
            .field("entries", &self.entries_len)
            .field("bytes", &self.encoded_len())
            .finish_non_exhaustive()
    }
}
