//! `StreamAdapter`: the lines of one label set.
//!
//! ```text
//! 1 labels   string, such as {job="varlogs", host="a"}
//! 2 entries  repeated EntryAdapter
//! 3 hash     uint64, of the labels; what clients send here is ignored
//! ```

use core::fmt;

use super::entry::{Entries, Entry, EntryRecord};
use super::push_request::STREAMS;
use super::storage::Storage;
use crate::message::fields::{text_len, write_text};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::message::columns::{DecodeState, index, push};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

pub(super) const LABELS: Tag = Tag::new(1, WireType::Len);
pub(super) const ENTRIES: Tag = Tag::new(2, WireType::Len);
const HASH: Tag = Tag::new(3, WireType::Varint);

/// The most bytes that a stream takes besides labels and entries: tag and length of its labels, the hash.
const FRAMING: usize = 6 + 11;

/// The lines of one label set: a view of decoded storage, or of the caller's own slices.
///
/// ```
/// use borrowire::loki::{Entry, Stream, Timestamp};
///
/// let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), b"started")];
/// let stream = Stream::new(r#"{job="varlogs"}"#).with_entries(&entries);
/// assert_eq!(stream.entries().len(), 1);
/// ```
#[derive(Clone, Copy)]
pub struct Stream<'s, 'a> {
    labels: &'a str,
    entries: Entries<'s, 'a>,
    hash: u64,
}

impl<'s, 'a> Stream<'s, 'a> {
    /// A stream of `labels`, as Loki writes them (see `selector`), without entries.
    #[must_use]
    pub const fn new(labels: &'a str) -> Self {
        Self { labels, entries: Entries::slice(&[]), hash: 0 }
    }

    /// Sets the entries.
    #[must_use]
    pub const fn with_entries(mut self, entries: &'s [Entry<'s, 'a>]) -> Self {
        self.entries = Entries::slice(entries);
        self
    }

    /// Sets the hash of the labels.
    #[must_use]
    pub const fn with_hash(mut self, hash: u64) -> Self {
        self.hash = hash;
        self
    }

    /// The label string, as it was sent: not parsed, perhaps not even well-formed.
    #[must_use]
    pub const fn labels(&self) -> &'a str {
        self.labels
    }

    /// The entries, in wire order.
    #[must_use]
    pub const fn entries(&self) -> Entries<'s, 'a> {
        self.entries
    }

    /// What the sender says is the hash of the labels; 0 is unset.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }
}

impl Stream<'_, '_> {
    /// Writes the stream as a field of its request. The length in front of it is filled in at the end
    /// where a quick look tells how many bytes it takes: measuring every entry would cost as much as
    /// writing it.
    pub(super) fn write_field(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let (at_least, at_most) = self.entries.len_bounds();
        let labels = self.labels.len();
        let at_least = at_least.saturating_add(labels);
        let at_most = at_most.saturating_add(labels).saturating_add(FRAMING);
        match writer.begin_message(STREAMS, at_least, at_most)? {
            Some(length) => {
                self.write_to(writer)?;
                writer.end_message(length);
                Ok(())
            }
            None => writer.write_message(STREAMS, self),
        }
    }
}

/// Equal when all parts are.
impl PartialEq for Stream<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels
            && self.hash == other.hash
            && self.entries.iter().eq(other.entries.iter())
    }
}

impl Eq for Stream<'_, '_> {}

impl fmt::Debug for Stream<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream")
            .field("labels_len", &self.labels.len())
            .field("entries", &self.entries.len())
            .field("hash", &self.hash)
            .finish()
    }
}

impl Encode for Stream<'_, '_> {
    fn encoded_len(&self) -> usize {
        let hash = if self.hash == 0 { 0 } else { wire::uint64_len(HASH, self.hash) };
        let entries = self.entries.iter().fold(0, |sum: usize, entry| {
            sum.saturating_add(wire::message_len(ENTRIES, entry.encoded_len()))
        });
        text_len(LABELS, self.labels).saturating_add(entries).saturating_add(hash)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let mut local = writer.take_over();
        write_text(&mut local, LABELS, self.labels)?;
        for entry in self.entries {
            local.write_message(ENTRIES, &entry)?;
        }
        if self.hash != 0 {
            local.write_uint64(HASH, self.hash)?;
        }
        *writer = local;
        Ok(())
    }
}

/// A stream in storage. Its entries end here and begin where those of the stream before end.
#[derive(Clone, Copy, Default)]
pub(super) struct StreamRecord<'a> {
    labels: &'a str,
    pub(super) raw_start: u32,
    pub(super) raw_end: u32,
    entries_end: u32,
}

impl<'a> StreamRecord<'a> {
    /// Reads the stream in `message`, all of it, which stands from `raw_start` to `raw_end`.
    pub(super) fn read(
        message: Reader<'a>,
        raw_start: u32,
        raw_end: u32,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        // A local variable can live in registers; a parameter of this size is in memory.
        let mut message = message.clone();
        let (mut labels, mut hash) = ("", 0);
        while let Some(tag) = message.next_tag()? {
            match tag {
                ENTRIES => {
                    state.count_element_at(&message)?;
                    EntryRecord::read(message.read_message()?, storage, state)?;
                }
                LABELS => labels = state.read_string(&mut message)?,
                HASH => hash = message.read_uint64()?,
                _ => state.skip_field(&mut message, tag)?,
            }
        }
        Self::push(storage, labels, hash, raw_start, raw_end);
        Ok(())
    }

    /// Appends a stream whose entries are all that were added since the stream before.
    pub(super) fn push(
        storage: &mut Storage<'a>,
        labels: &'a str,
        hash: u64,
        raw_start: u32,
        raw_end: u32,
    ) {
        if hash != 0 {
            let stream = index(storage.streams.len());
            push(&mut storage.rare_mut().hashes, (stream, hash));
        }
        let entries_end = index(storage.entries.len());
        push(&mut storage.streams, Self { labels, raw_start, raw_end, entries_end });
    }
}

/// The streams of a decoded request.
#[derive(Clone, Copy)]
pub struct Streams<'s, 'a> {
    storage: &'s Storage<'a>,
}

impl<'s, 'a> Streams<'s, 'a> {
    pub(super) const fn stored(storage: &'s Storage<'a>) -> Self {
        Self { storage }
    }

    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.storage.streams.len()
    }

    /// The stream at `index`, in wire order.
    #[must_use]
    pub fn get(&self, position: usize) -> Option<Stream<'s, 'a>> {
        let storage = self.storage;
        let record = storage.streams.get(position)?;
        let before = position.checked_sub(1).and_then(|before| storage.streams.get(before));
        let start = before.map_or(0, |before| before.entries_end);
        let entries = Entries::stored(storage, start, record.entries_end);
        Some(Stream { labels: record.labels, entries, hash: storage.hash_of(position) })
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`Streams`].
    Streams, StreamsIter, ['s, 'a], Stream<'s, 'a>
}
