//! `StreamAdapter`: the lines of one label set.
//!
//! ```text
//! 1 labels   string, such as {job="varlogs", host="a"}
//! 2 entries  repeated EntryAdapter
//! 3 hash     uint64, of the labels; what clients send here is ignored
//! ```

use core::fmt;

use super::entries::Entries;
use super::entry::{Entry, read_entry};
use super::storage::Storage;
use crate::message::cursor::Cursor;
use crate::message::fields::{text_len, uint64_len, write_text, write_uint64};
use crate::message::request::Raw;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

pub(super) const LABELS: Tag = Tag::new(1, WireType::Len);
pub(super) const ENTRIES: Tag = Tag::new(2, WireType::Len);
const HASH: Tag = Tag::new(3, WireType::Varint);

/// The most bytes that a stream takes besides labels and entries: tag and length of its labels, the
/// hash.
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
#[doc(alias("labels", "label set"))]
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

    /// The stream with the entries from the `start`th on, up to the `end`th.
    #[cfg(feature = "kafka")]
    pub(crate) fn slice(&self, start: usize, end: usize) -> Self {
        Self { entries: self.entries.part(start, end), ..*self }
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
    /// Writes the stream as field `tag` of its request. The length in front of it is filled in at
    /// the end where a quick look tells how many bytes it takes: measuring every entry would cost
    /// as much as writing it.
    pub(super) fn write_field(&self, writer: &mut Writer<'_>, tag: Tag) -> Result<(), BufferFull> {
        let (at_least, at_most) = self.entries.len_bounds();
        let labels = self.labels.len();
        let at_least = at_least.saturating_add(labels);
        let at_most = at_most.saturating_add(labels).saturating_add(FRAMING);
        match writer.begin_message(tag, at_least, at_most)? {
            Some(length) => {
                self.write_to(writer)?;
                writer.end_message(length);
                Ok(())
            }
            None => writer.write_message(tag, self),
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

/// Shows the label string, up to 64 bytes of it, and how long it is.
impl fmt::Debug for Stream<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut ends = (0..=self.labels.len().min(64)).rev();
        let start = ends.find_map(|end| self.labels.get(..end));
        f.debug_struct("Stream")
            .field("labels", &start.unwrap_or_default())
            .field("labels_len", &self.labels.len())
            .field("entries", &self.entries.len())
            .field("hash", &self.hash)
            .finish()
    }
}

impl Encode for Stream<'_, '_> {
    fn encoded_len(&self) -> usize {
        let entries = self.entries.iter().fold(0, |sum: usize, entry| {
            sum.saturating_add(wire::message_len(ENTRIES, entry.encoded_len()))
        });
        text_len(LABELS, self.labels)
            .saturating_add(entries)
            .saturating_add(uint64_len(HASH, self.hash))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let mut local = writer.take_over();
        write_text(&mut local, LABELS, self.labels)?;
        for entry in self.entries {
            local.write_message(ENTRIES, &entry)?;
        }
        write_uint64(&mut local, HASH, self.hash)?;
        *writer = local;
        Ok(())
    }
}

/// Reads a stream from `message`, all of it, which stands at `raw` in the body.
pub(super) fn read_stream<'a>(
    message: Cursor<'a, '_>,
    raw: Raw,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    // A local variable can live in registers; a parameter of this size is in memory.
    let mut cursor = message;
    let (mut labels, mut hash) = ("", 0);
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            ENTRIES => {
                cursor.count_element()?;
                read_entry(cursor.read_message()?, storage)?;
            }
            LABELS => labels = cursor.read_string()?,
            HASH => hash = cursor.read_uint64()?,
            _ => cursor.skip_field(tag)?,
        }
    }
    if cursor.content_is_good() {
        storage.end_stream(labels, hash, raw);
    }
    Ok(())
}

/// The streams of a decoded push.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::loki::{PushRequest, PushRequestEncoder, Stream};
///
/// let streams = [r#"{job="a"}"#, r#"{job="b"}"#].map(Stream::new);
/// let body = PushRequestEncoder::new(streams).encode_to_vec()?;
/// let request = PushRequest::decode(&body)?;
/// assert_eq!(request.streams().len(), 2);
/// assert_eq!(request.streams().get(1).unwrap().labels(), r#"{job="b"}"#);
/// for stream in request.streams() {
///     println!("{}", stream.labels());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
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
    pub fn get(&self, index: usize) -> Option<Stream<'s, 'a>> {
        let storage = self.storage;
        let row = storage.streams.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => storage.streams.get(before)?.entries_end,
            None => 0,
        };
        let entries = Entries::stored(storage, start, row.entries_end);
        Some(Stream { labels: row.labels, entries, hash: storage.hash_of(index) })
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`Streams`].
    Streams, StreamsIter, ['s, 'a], Stream<'s, 'a>
}
