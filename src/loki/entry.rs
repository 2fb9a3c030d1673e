//! `EntryAdapter`: a log line at a time.
//!
//! ```text
//! 1 timestamp           google.protobuf.Timestamp
//! 2 line                string on paper; real lines hold any byte, and Loki does not look
//! 3 structuredMetadata  repeated LabelPairAdapter
//! 4 parsed              repeated LabelPairAdapter; inside Loki only
//! ```
//!
//! Nearly every entry has this shape, with seconds of five bytes (from 1978 to 3058):
//!
//! ```text
//! 0a t  08 <5 bytes>  [10 <1 to 5 bytes>]   12 n line   (1a L  0a n name  12 v value)*
//! ```

use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;
use core::str::{self, Utf8Error};

use super::label_pair::LabelPair;
use super::storage::Storage;
use super::timestamp::Timestamp;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::message::regions::{pairs_len, read_pair, take_region, write_pairs};
use crate::message::columns::{DecodeState, index, push, range};
use crate::wire::{
    self, BufferFull, Reader, Tag, WireType, Writer, split_delimited, split_word_varint,
    text_region, text_run_len, text_tail,
};

const TIMESTAMP: Tag = Tag::new(1, WireType::Len);
const LINE: Tag = Tag::new(2, WireType::Len);
const STRUCTURED_METADATA: Tag = Tag::new(3, WireType::Len);
const PARSED: Tag = Tag::new(4, WireType::Len);

const METADATA_BYTE: u8 = 0x1a;
const PARSED_BYTE: u8 = 0x22;

/// A log line with its time: a view of decoded storage, or of the caller's own slices.
///
/// ```
/// use borrowire::loki::{Entry, LabelPair, Timestamp};
///
/// let metadata = [LabelPair::new("trace_id", "0242ac120002")];
/// let entry = Entry::new(Timestamp::from_unix_nanos(1_700_000_000_000_000_000), b"level=info")
///     .with_structured_metadata(&metadata);
/// assert_eq!(entry.line_str(), Ok("level=info"));
/// ```
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Entry<'s, 'a> {
    timestamp: Option<Timestamp>,
    line: &'a [u8],
    structured_metadata: &'s [LabelPair<'a>],
    parsed: &'s [LabelPair<'a>],
}

impl<'s, 'a> Entry<'s, 'a> {
    /// An entry of `line` at `timestamp`, without structured metadata.
    #[must_use]
    pub const fn new(timestamp: Timestamp, line: &'a [u8]) -> Self {
        Self { timestamp: Some(timestamp), line, structured_metadata: &[], parsed: &[] }
    }

    pub(super) const fn from_parts(
        timestamp: Option<Timestamp>,
        line: &'a [u8],
        structured_metadata: &'s [LabelPair<'a>],
    ) -> Self {
        Self { timestamp, line, structured_metadata, parsed: &[] }
    }

    /// Sets the structured metadata.
    #[must_use]
    pub const fn with_structured_metadata(mut self, pairs: &'s [LabelPair<'a>]) -> Self {
        self.structured_metadata = pairs;
        self
    }

    /// Sets the pairs that a query's parser found in the line: inside Loki only, not for clients.
    #[must_use]
    pub const fn with_parsed(mut self, pairs: &'s [LabelPair<'a>]) -> Self {
        self.parsed = pairs;
        self
    }

    /// The time; `None` if the sender left it out, which Loki reads as the year 1, and which is not
    /// the epoch.
    #[must_use]
    pub const fn timestamp(&self) -> Option<Timestamp> {
        self.timestamp
    }

    /// The line's bytes, which are often but not always UTF-8.
    #[must_use]
    pub const fn line(&self) -> &'a [u8] {
        self.line
    }

    /// The line as text.
    ///
    /// # Errors
    ///
    /// If it is not UTF-8.
    pub const fn line_str(&self) -> Result<&'a str, Utf8Error> {
        str::from_utf8(self.line)
    }

    /// The structured metadata, in wire order.
    #[must_use]
    pub const fn structured_metadata(&self) -> &'s [LabelPair<'a>] {
        self.structured_metadata
    }

    /// The pairs that a query's parser found in the line: inside Loki only.
    #[must_use]
    pub const fn parsed(&self) -> &'s [LabelPair<'a>] {
        self.parsed
    }
}

impl fmt::Debug for Entry<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("timestamp", &self.timestamp)
            .field("line_len", &self.line.len())
            .field("structured_metadata", &self.structured_metadata.len())
            .finish_non_exhaustive()
    }
}

impl Encode for Entry<'_, '_> {
    #[inline(always)]
    fn encoded_len(&self) -> usize {
        let timestamp = self.timestamp.map_or(0, timestamp_field_len);
        let line = if self.line.is_empty() { 0 } else { wire::bytes_len(LINE, self.line) };
        let len =
            timestamp.saturating_add(line).saturating_add(pairs_len(self.structured_metadata));
        if self.parsed.is_empty() { len } else { len.saturating_add(pairs_len(self.parsed)) }
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if let Some(timestamp) = self.timestamp
            && !write_usual_timestamp(writer, timestamp)?
        {
            writer.write_message(TIMESTAMP, &timestamp)?;
        }
        if !self.line.is_empty() {
            writer.write_bytes(LINE, self.line)?;
        }
        write_pairs::<METADATA_BYTE>(writer, STRUCTURED_METADATA, self.structured_metadata)?;
        if self.parsed.is_empty() {
            return Ok(());
        }
        write_pairs::<PARSED_BYTE>(writer, PARSED, self.parsed)
    }
}

/// Whether the seconds take five bytes, which hold 29 to 35 bits, and the nanoseconds are not
/// negative: all of today's times.
#[inline]
fn is_usual(timestamp: Timestamp) -> bool {
    const FIRST: u64 = 1 << 28;
    let beyond_first = timestamp.seconds.cast_unsigned().wrapping_sub(FIRST);
    beyond_first < (1 << 35) - FIRST && timestamp.nanos >= 0
}

/// Bytes of the field `timestamp`.
#[inline]
fn timestamp_field_len(timestamp: Timestamp) -> usize {
    if !is_usual(timestamp) {
        return wire::message_len(TIMESTAMP, timestamp.encoded_len());
    }
    match timestamp.nanos.cast_unsigned() {
        0 => 8,
        nanos => wire::varint_len(nanos.into()).wrapping_add(9),
    }
}

/// Writes the field `timestamp` for one of the usual lengths; `false` for any other.
#[inline]
fn write_usual_timestamp(
    writer: &mut Writer<'_>,
    timestamp: Timestamp,
) -> Result<bool, BufferFull> {
    if !is_usual(timestamp) {
        return Ok(false);
    }
    let seconds = wire::spread(timestamp.seconds.cast_unsigned()) | 0x8080_8080;
    let [a, b, c, d, e, ..] = seconds.to_le_bytes();
    let nanos = timestamp.nanos.cast_unsigned();
    let spread = wire::spread(nanos.into());
    if nanos >> 28 != 0 {
        let [f, g, h, i, j, ..] = (spread | 0x8080_8080).to_le_bytes();
        *writer.take_array::<14>()? = [0x0a, 12, 0x08, a, b, c, d, e, 0x10, f, g, h, i, j];
    } else if nanos >> 21 != 0 {
        let [f, g, h, i, ..] = (spread | 0x0080_8080).to_le_bytes();
        *writer.take_array::<13>()? = [0x0a, 11, 0x08, a, b, c, d, e, 0x10, f, g, h, i];
    } else if nanos == 0 {
        *writer.take_array::<8>()? = [0x0a, 6, 0x08, a, b, c, d, e];
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// An entry in storage. Its structured metadata ends here and begins where that of the entry before
/// ends. Parsed pairs, which clients do not send, have an index of their own.
#[derive(Clone, Copy, Default)]
pub(super) struct EntryRecord<'a> {
    seconds: i64,
    line: &'a [u8],
    nanos: i32,
    /// The end of the structured metadata, and in the two highest bits whether there are a timestamp and
    /// parsed pairs: pairs take two bytes at least, so that a body under 2 GiB has no use for these bits.
    /// So the record takes 32 bytes.
    metadata_end: u32,
}

const _: () = assert!(size_of::<EntryRecord<'_>>() == 32);

const HAS_TIMESTAMP: u32 = 1 << 31;
const HAS_PARSED: u32 = 1 << 30;
const METADATA_END: u32 = HAS_PARSED - 1;

impl<'a> EntryRecord<'a> {
    /// Appends an entry whose structured metadata is all that was added since the entry before, and whose
    /// parsed pairs are those from `parsed_start` on.
    #[inline]
    pub(super) fn push(
        storage: &mut Storage<'a>,
        timestamp: Option<Timestamp>,
        line: &'a [u8],
        parsed_start: usize,
    ) {
        let mut metadata_end = index(storage.metadata.len()) & METADATA_END;
        if timestamp.is_some() {
            metadata_end |= HAS_TIMESTAMP;
        }
        if storage.parsed_pairs.len() > parsed_start {
            storage.push_parsed(parsed_start);
            metadata_end |= HAS_PARSED;
        }
        let Timestamp { seconds, nanos } = timestamp.unwrap_or_default();
        push(&mut storage.entries, Self { seconds, line, nanos, metadata_end });
    }

    const fn timestamp(&self) -> Option<Timestamp> {
        if self.metadata_end & HAS_TIMESTAMP == 0 {
            return None;
        }
        Some(Timestamp { seconds: self.seconds, nanos: self.nanos })
    }

    const fn metadata_end(&self) -> u32 {
        self.metadata_end & METADATA_END
    }

    /// The parsed pairs, if the entry is the one at `position`.
    #[inline]
    fn parsed<'s>(&self, storage: &'s Storage<'a>, position: usize) -> &'s [LabelPair<'a>] {
        if self.metadata_end & HAS_PARSED == 0 {
            return &[];
        }
        storage.parsed_between(position, position.saturating_add(1))
    }

    /// Reads the entry in `message`, all of it.
    #[inline]
    pub(super) fn read(
        message: Reader<'a>,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        let parsed_start = storage.parsed_pairs.len();
        let Some(usual) = split_usual_entry(message.rest()) else {
            return Self::read_fields(message, None, &[], parsed_start, storage, state);
        };
        if usual.rest.is_empty() {
            Self::push(storage, Some(usual.timestamp), usual.line, parsed_start);
            return Ok(());
        }
        Self::read_pairs(message, usual, storage, state)
    }

    /// Reads what is behind the line of an entry: structured metadata.
    // Apart from the loop over entries, which has registers enough for itself only.
    #[inline(never)]
    fn read_pairs(
        mut message: Reader<'a>,
        UsualEntry { timestamp, line, rest }: UsualEntry<'a>,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        let parsed_start = storage.parsed_pairs.len();
        let entry = message.rest();
        message.advance_to(rest);
        // Structured metadata up to the end of the entry is one region.
        if rest.first() == Some(&METADATA_BYTE)
            && let Some(text) = text_tail(entry, rest.len())
        {
            if take_region::<METADATA_BYTE, _>(&mut message, text, &mut storage.metadata, state) {
                Self::push(storage, Some(timestamp), line, parsed_start);
                return Ok(());
            }
            // So are parsed pairs behind it.
            let taken = text.len().saturating_sub(message.rest().len());
            let text = text.get(taken..).unwrap_or_default();
            let parsed = &mut storage.parsed_pairs;
            if take_region::<PARSED_BYTE, _>(&mut message, text, parsed, state) {
                Self::push(storage, Some(timestamp), line, parsed_start);
                return Ok(());
            }
        }
        Self::read_fields(message, Some(timestamp), line, parsed_start, storage, state)
    }

    /// Reads an entry, or what is left of it, field by field. Its parsed pairs are those from
    /// `parsed_start` on.
    fn read_fields(
        mut reader: Reader<'a>,
        mut timestamp: Option<Timestamp>,
        mut line: &'a [u8],
        parsed_start: usize,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        // Given up when a region is no text, so that no byte is checked twice.
        let mut regions = true;
        loop {
            if regions {
                let (metadata, parsed) = (&mut storage.metadata, &mut storage.parsed_pairs);
                regions = take_run::<METADATA_BYTE>(&mut reader, metadata, state)
                    && take_run::<PARSED_BYTE>(&mut reader, parsed, state);
            }
            let Some(tag) = reader.next_tag()? else { break };
            match tag {
                TIMESTAMP => {
                    let time = timestamp.get_or_insert_default();
                    time.merge_fields(&mut reader.read_message()?, state)?;
                }
                LINE => line = reader.read_bytes()?,
                STRUCTURED_METADATA => {
                    state.count_element_at(&reader)?;
                    push(&mut storage.metadata, read_pair(&mut reader, state)?);
                }
                PARSED => {
                    state.count_element_at(&reader)?;
                    push(&mut storage.parsed_pairs, read_pair(&mut reader, state)?);
                }
                _ => state.skip_field(&mut reader, tag)?,
            }
        }
        Self::push(storage, timestamp, line, parsed_start);
        Ok(())
    }
}

/// Takes the pairs of field `T` that lie side by side where `reader` stands, as one region. Returns
/// whether all of them could be taken so.
#[inline]
fn take_run<'a, const T: u8>(
    reader: &mut Reader<'a>,
    pairs: &mut Vec<LabelPair<'a>>,
    state: &mut DecodeState,
) -> bool {
    if reader.rest().first() != Some(&T) {
        return true;
    }
    let run = text_run_len(reader.rest(), T);
    match text_region(reader.rest().get(..run).unwrap_or_default()) {
        Some(text) => take_region::<T, _>(reader, text, pairs, state),
        None => false,
    }
}

/// The front of an entry of the usual shape.
struct UsualEntry<'a> {
    timestamp: Timestamp,
    line: &'a [u8],
    rest: &'a [u8],
}

/// Splits an entry behind its line, if it has the usual shape up to there.
#[inline]
fn split_usual_entry(entry: &[u8]) -> Option<UsualEntry<'_>> {
    let ([0x0a, len, 0x08], rest) = entry.split_first_chunk()? else { return None };
    let (seconds, rest) = split_word_varint(rest)?;
    let (nanos, rest) = match *rest {
        [0x10, ref rest @ ..] => split_word_varint(rest)?,
        _ => (0, rest),
    };
    // The timestamp must end here.
    if entry.len().wrapping_sub(rest.len()) != usize::from(*len).wrapping_add(2) {
        return None;
    }
    let (0x12, rest) = rest.split_first()? else { return None };
    let (line, rest) = split_delimited(rest).ok()?;
    // More than 31 bits are read in the general way.
    let timestamp = Timestamp::new(seconds.cast_signed(), i32::try_from(nanos).ok()?);
    Some(UsualEntry { timestamp, line, rest })
}

/// The most bytes that an entry takes besides line and pairs: tag and length of itself, of its
/// timestamp and of its line, and two numbers with their tags.
const ENTRY_FRAMING: usize = 6 + 2 + 6 + 2 * 11;
/// The same of a pair: tag and length of itself, of its name and of its value.
const PAIR_FRAMING: usize = 6 + 6 + 6;

/// The entries of a stream: the caller's slice, or a range of decoded storage.
#[derive(Clone, Copy)]
pub struct Entries<'s, 'a>(Source<'s, 'a>);

#[derive(Clone, Copy)]
enum Source<'s, 'a> {
    Slice(&'s [Entry<'s, 'a>]),
    Stored {
        records: &'s [EntryRecord<'a>],
        /// Position of the first record in the storage.
        first: usize,
        storage: &'s Storage<'a>,
    },
}

impl<'s, 'a> Entries<'s, 'a> {
    pub(super) const fn slice(entries: &'s [Entry<'s, 'a>]) -> Self {
        Self(Source::Slice(entries))
    }

    pub(super) fn stored(storage: &'s Storage<'a>, start: u32, end: u32) -> Self {
        let records = range(&storage.entries, start, end);
        let first = usize::try_from(start).unwrap_or(usize::MAX);
        Self(Source::Stored { records, first, storage })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Source::Slice(entries) => entries.len(),
            Source::Stored { records, .. } => records.len(),
        }
    }

    /// The entry at `index`, in wire order.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Entry<'s, 'a>> {
        match self.0 {
            Source::Slice(entries) => entries.get(index).copied(),
            Source::Stored { records, first, storage } => {
                let record = records.get(index)?;
                let position = first.saturating_add(index);
                let before = position.checked_sub(1).and_then(|at| storage.entries.get(at));
                let start = before.map_or(0, EntryRecord::metadata_end);
                Some(Entry {
                    timestamp: record.timestamp(),
                    line: record.line,
                    structured_metadata: range(&storage.metadata, start, record.metadata_end()),
                    parsed: record.parsed(storage, position),
                })
            }
        }
    }
}

impl<'s, 'a> Entries<'s, 'a> {
    /// All of them, in wire order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> EntriesIter<'s, 'a> {
        EntriesIter { list: *self, next: 0, metadata_start: self.metadata_start() }
    }

    /// Where the structured metadata of the first entry begins in the storage.
    #[inline]
    fn metadata_start(&self) -> u32 {
        let Source::Stored { first, storage, .. } = self.0 else { return 0 };
        let before = first.checked_sub(1).and_then(|before| storage.entries.get(before));
        before.map_or(0, EntryRecord::metadata_end)
    }

    /// The least and the most bytes that the entries may take as fields: a quick look at lines and pairs.
    pub(super) fn len_bounds(&self) -> (usize, usize) {
        let mut text = 0_usize;
        let mut pairs = 0_usize;
        let mut add_pairs = |list: &[LabelPair<'_>]| {
            pairs = pairs.saturating_add(list.len());
            list.iter().fold(0, |sum: usize, pair| {
                sum.saturating_add(pair.name.len()).saturating_add(pair.value.len())
            })
        };
        match self.0 {
            Source::Slice(entries) => {
                for entry in entries {
                    text = text
                        .saturating_add(entry.line.len())
                        .saturating_add(add_pairs(entry.structured_metadata))
                        .saturating_add(add_pairs(entry.parsed));
                }
            }
            Source::Stored { records, first, storage } => {
                let end = records.last().map_or(0, EntryRecord::metadata_end);
                text = records
                    .iter()
                    .fold(0, |sum: usize, record| sum.saturating_add(record.line.len()))
                    .saturating_add(add_pairs(range(&storage.metadata, self.metadata_start(), end)))
                    .saturating_add(add_pairs(
                        storage.parsed_between(first, first.saturating_add(records.len())),
                    ));
            }
        }
        let framing = self.len().saturating_mul(ENTRY_FRAMING);
        let framing = framing.saturating_add(pairs.saturating_mul(PAIR_FRAMING));
        (text, text.saturating_add(framing))
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

impl<'s, 'a> IntoIterator for Entries<'s, 'a> {
    type Item = Entry<'s, 'a>;
    type IntoIter = EntriesIter<'s, 'a>;

    #[inline]
    fn into_iter(self) -> EntriesIter<'s, 'a> {
        self.iter()
    }
}

impl fmt::Debug for Entries<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("len", &self.len()).finish()
    }
}

/// Iterates over [`Entries`].
#[derive(Clone, Copy, Debug)]
pub struct EntriesIter<'s, 'a> {
    list: Entries<'s, 'a>,
    next: usize,
    /// Where the next entry's structured metadata begins in the storage.
    metadata_start: u32,
}

impl<'s, 'a> Iterator for EntriesIter<'s, 'a> {
    type Item = Entry<'s, 'a>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'s, 'a>> {
        let entry = match self.list.0 {
            Source::Slice(entries) => *entries.get(self.next)?,
            Source::Stored { records, first, storage } => {
                let record = records.get(self.next)?;
                let (start, end) = (self.metadata_start, record.metadata_end());
                self.metadata_start = end;
                let position = first.saturating_add(self.next);
                Entry {
                    timestamp: record.timestamp(),
                    line: record.line,
                    structured_metadata: range(&storage.metadata, start, end),
                    parsed: record.parsed(storage, position),
                }
            }
        };
        self.next = self.next.saturating_add(1);
        Some(entry)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.list.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for EntriesIter<'_, '_> {}
impl FusedIterator for EntriesIter<'_, '_> {}
