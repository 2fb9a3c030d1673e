//! Grouping for senders: entries of a loop, collected into streams by their labels.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt::{self, Write};

use hashbrown::{DefaultHashBuilder, HashTable};

use super::entry::Entry;
use super::label_pair::LabelPair;
use super::push_request::{PushRequest, STREAMS};
use super::stream::{ENTRIES, LABELS};
use super::timestamp::Timestamp;
use crate::limits::Limits;
use crate::loki::options::DecodeOptions;
use crate::loki::selector::Canonical;
use crate::message::batch::append_with;
use crate::message::columns::{clear_table, hash_text, index, range, recycle};
use crate::message::fields::{text_len, write_text};
use crate::reuse::Decoded;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer, impossible, to_usize};

/// Entries grouped by label string, in the order in which each was first seen: a push to encode.
///
/// Lines and metadata are borrowed until the push is written; label strings are kept once each.
/// [`recycle`](Self::recycle) keeps all memory for the next push.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::loki::{Entry, LabelPair, PushBatch, Timestamp};
///
/// let records = [("web", 1, "GET /"), ("db", 2, "connected"), ("web", 3, "GET /favicon.ico")];
///
/// let mut batch = PushBatch::new();
/// for (job, second, line) in &records {
///     let labels = [LabelPair::new("env", "prod"), LabelPair::new("job", job)];
///     batch.push(&labels, Entry::new(Timestamp::new(*second, 0), line.as_bytes()));
/// }
/// assert_eq!((batch.streams_len(), batch.entries_len()), (2, 3));
/// let body = batch.encode_to_vec()?;
/// # let push = borrowire::loki::PushRequest::decode(&body)?;
/// # assert_eq!(push.streams().get(0).unwrap().labels(), r#"{env="prod", job="web"}"#);
/// # assert_eq!(push.streams().get(0).unwrap().entries().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct PushBatch<'a> {
    /// All label strings, one behind the other.
    labels: String,
    streams: Vec<BatchStream>,
    entries: Vec<BatchEntry<'a>>,
    metadata: Vec<LabelPair<'a>>,
    /// Positions in `streams`, by label string.
    by_labels: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// Bytes of the message.
    len: usize,
    /// The message, for those who want it as a request.
    body: Vec<u8>,
    /// Lent to them.
    idle: PushRequest<'static>,
}

/// A stream: its labels, and the ends of the chain of its entries.
#[derive(Clone, Copy)]
struct BatchStream {
    labels_start: u32,
    labels_end: u32,
    first: u32,
    last: u32,
    /// Bytes of the message.
    len: usize,
}

/// An entry, and the next one of the same stream.
#[derive(Clone, Copy, Default)]
struct BatchEntry<'a> {
    timestamp: Option<Timestamp>,
    line: &'a [u8],
    metadata_start: u32,
    metadata_end: u32,
    next: u32,
}

/// No entry.
const NONE: u32 = u32::MAX;

impl<'a> PushBatch<'a> {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds `entry` to the stream of `labels`, which are written in Loki's canonical form, sorted
    /// and without those that have no value: label sets that only differ in these are one stream.
    ///
    /// Structured metadata is copied as far as its slices; parsed pairs are not kept, as they are
    /// not for senders.
    pub fn push(&mut self, labels: &[LabelPair<'_>], entry: Entry<'_, 'a>) {
        let start = self.labels.len();
        // Writing to a `String` cannot fail.
        let _ = write!(self.labels, "{}", Canonical::new(labels.iter().copied()));
        self.push_written(start, entry);
    }

    /// Adds `entry` to the stream of `labels`, a label string that is taken as it is.
    pub fn push_with(&mut self, labels: &str, entry: Entry<'_, 'a>) {
        let start = self.labels.len();
        self.labels.push_str(labels);
        self.push_written(start, entry);
    }

    /// Adds `entry` to the stream whose labels were just written from `start` on, and takes these
    /// back if the stream is known.
    fn push_written(&mut self, start: usize, entry: Entry<'_, 'a>) {
        let (known, new) = self.labels.split_at_checked(start).unwrap_or_else(impossible);
        let hash = hash_text(&self.hasher, new);
        let streams = &self.streams;
        let found = self.by_labels.find(hash, |&at| stream_labels(known, streams, at) == new);
        let stream = match found {
            Some(&stream) => {
                self.labels.truncate(start);
                stream
            }
            None => {
                let stream = index(self.streams.len());
                let (labels_start, labels_end) = (index(start), index(self.labels.len()));
                self.streams.push(BatchStream {
                    labels_start,
                    labels_end,
                    first: NONE,
                    last: NONE,
                    len: text_len(LABELS, new),
                });
                self.len =
                    self.len.saturating_add(wire::message_len(STREAMS, text_len(LABELS, new)));
                let (labels, streams, hasher) = (&self.labels, &self.streams, &self.hasher);
                self.by_labels.insert_unique(hash, stream, |&at| {
                    hash_text(hasher, stream_labels(labels, streams, at))
                });
                stream
            }
        };
        self.chain(stream, entry);
    }

    /// Appends `entry` to the chain of `stream`.
    fn chain(&mut self, stream: u32, entry: Entry<'_, 'a>) {
        let position = index(self.entries.len());
        let metadata_start = index(self.metadata.len());
        self.metadata.extend_from_slice(entry.structured_metadata());
        self.entries.push(BatchEntry {
            timestamp: entry.timestamp(),
            line: entry.line(),
            metadata_start,
            metadata_end: index(self.metadata.len()),
            next: NONE,
        });
        let Some(stream) = self.streams.get_mut(to_usize(stream)) else { return impossible() };
        let entry =
            Entry::from_parts(entry.timestamp(), entry.line(), entry.structured_metadata(), &[]);
        self.len = self.len.saturating_sub(wire::message_len(STREAMS, stream.len));
        stream.len = stream.len.saturating_add(wire::message_len(ENTRIES, entry.encoded_len()));
        self.len = self.len.saturating_add(wire::message_len(STREAMS, stream.len));
        let before = core::mem::replace(&mut stream.last, position);
        match self.entries.get_mut(to_usize(before)) {
            Some(before) => before.next = position,
            None => stream.first = position,
        }
    }

    /// How many streams there are.
    #[must_use]
    pub const fn streams_len(&self) -> usize {
        self.streams.len()
    }

    /// How many entries there are.
    #[must_use]
    pub const fn entries_len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no entries.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The batch as a request: to be split, validated, or written as JSON.
    ///
    /// ```
    /// use borrowire::Encode;
    /// use borrowire::loki::json::{JsonEncoder, JsonScratch};
    /// use borrowire::loki::{Entry, LabelPair, PushBatch, Timestamp};
    ///
    /// let mut batch = PushBatch::new();
    /// batch.push(&[LabelPair::new("job", "web")], Entry::new(Timestamp::new(1, 0), b"GET /"));
    /// let request = batch.request()?;
    /// let mut scratch = JsonScratch::new(); // used again
    /// let json = JsonEncoder::new(request.streams(), &mut scratch)?.encode_to_vec()?;
    /// let expected = r#"{"streams":[{"stream":{"job":"web"},"values":[["1000000000","GET /"]]}]}"#;
    /// assert_eq!(json, expected.as_bytes());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the message is over 2 GiB - 1.
    pub fn request(&mut self) -> Result<Decoded<'_, '_, PushRequest<'static>>, DecodeError> {
        let mut body = core::mem::take(&mut self.body);
        body.clear();
        append_with(&mut body, self.len, |writer| self.write_to(writer));
        self.body = body;
        let Self { body, idle, .. } = self;
        Decoded::try_filled(idle, |request: &mut PushRequest<'_>| {
            // Of what was just written nothing is too much.
            let options = DecodeOptions::new().with_limits(Limits::unlimited());
            request.decode_into(body, &options.with_max_streams(usize::MAX))
        })
    }

    /// The batch's memory, emptied, for entries of another lifetime.
    #[must_use]
    pub fn recycle<'b>(mut self) -> PushBatch<'b> {
        self.labels.clear();
        self.streams.clear();
        self.entries.clear();
        self.metadata.clear();
        clear_table(&mut self.by_labels);
        PushBatch {
            labels: self.labels,
            streams: self.streams,
            entries: recycle(self.entries),
            metadata: recycle(self.metadata),
            by_labels: self.by_labels,
            hasher: self.hasher,
            len: 0,
            body: self.body,
            idle: self.idle,
        }
    }

    /// The entries of a stream, in the order in which they were added.
    fn entries_of(&self, stream: &BatchStream) -> impl Iterator<Item = Entry<'_, 'a>> {
        let mut next = stream.first;
        core::iter::from_fn(move || {
            let entry = self.entries.get(to_usize(next))?;
            next = entry.next;
            let metadata = range(&self.metadata, entry.metadata_start, entry.metadata_end);
            Some(Entry::from_parts(entry.timestamp, entry.line, metadata, &[]))
        })
    }

    fn labels_of(&self, stream: &BatchStream) -> &str {
        labels_in(&self.labels, stream)
    }
}

/// The labels of `stream`.
fn labels_in<'l>(labels: &'l str, stream: &BatchStream) -> &'l str {
    let range = to_usize(stream.labels_start)..to_usize(stream.labels_end);
    labels.get(range).unwrap_or_else(impossible)
}

/// The labels of the stream at `position`.
fn stream_labels<'l>(labels: &'l str, streams: &[BatchStream], position: u32) -> &'l str {
    streams.get(to_usize(position)).map_or_else(impossible, |stream| labels_in(labels, stream))
}

impl Encode for PushBatch<'_> {
    fn encoded_len(&self) -> usize {
        self.len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for stream in &self.streams {
            writer.write_len(STREAMS, stream.len)?;
            write_text(writer, LABELS, self.labels_of(stream))?;
            for entry in self.entries_of(stream) {
                writer.write_message(ENTRIES, &entry)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for PushBatch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushBatch")
            .field("streams", &self.streams.len())
            .field("entries", &self.entries.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loki::PushRequest;
    use alloc::format;

    #[test]
    fn label_sets_in_any_order_are_one_stream() {
        let (a, b) = (LabelPair::new("a", "1"), LabelPair::new("b", "2"));
        let metadata = [LabelPair::new("trace", "x")];
        let mut batch = PushBatch::new();
        for (labels, line) in [([a, b], "one"), ([b, a], "two"), ([a, a], "three")] {
            let entry = Entry::new(Timestamp::new(1, 0), line.as_bytes());
            batch.push(&labels, entry.with_structured_metadata(&metadata));
        }
        batch.push_with(r#"{a="1", b="2"}"#, Entry::new(Timestamp::new(2, 0), b"four"));
        let body = batch.encode_to_vec().unwrap();
        assert_eq!(body.len(), batch.encoded_len());
        let push = PushRequest::decode(&body).unwrap();
        let stream = push.streams().get(0).unwrap();
        assert_eq!((push.streams().len(), stream.labels()), (2, r#"{a="1", b="2"}"#));
        let lines: Vec<_> = stream.entries().iter().map(|entry| entry.line()).collect();
        assert_eq!(lines, [&b"one"[..], b"two", b"four"]);
        assert_eq!(stream.entries().get(1).unwrap().structured_metadata(), metadata);
        assert_eq!(stream.entries().get(2).unwrap().structured_metadata(), []);
    }

    #[test]
    fn many_streams_keep_their_entries_apart_and_in_order() {
        let lines: Vec<String> = (0..5_000).map(|n| format!("{n}")).collect();
        let mut batch = PushBatch::new();
        for round in 0..2 {
            batch = batch.recycle();
            assert!(batch.is_empty(), "round {round}");
            for (n, line) in lines.iter().enumerate() {
                let name = format!("s{}", n % 700);
                let labels = [LabelPair::new("job", &name)];
                batch.push(&labels, Entry::new(Timestamp::new(0, 0), line.as_bytes()));
            }
        }
        let body = batch.encode_to_vec().unwrap();
        let push = PushRequest::decode(&body).unwrap();
        assert_eq!((push.streams().len(), push.entries_len()), (700, 5_000));
        for (position, stream) in push.streams().iter().enumerate() {
            assert_eq!(stream.labels(), format!("{{job=\"s{position}\"}}"));
            for (round, entry) in stream.entries().iter().enumerate() {
                let expected = format!("{}", position + round * 700);
                assert_eq!(entry.line_str(), Ok(&*expected));
            }
        }
    }
}
