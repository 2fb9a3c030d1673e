//! `EntryAdapter`: a log line with its time.
//!
//! ```text
//! 1 timestamp           google.protobuf.Timestamp
//! 2 line                string on paper; real lines hold any byte, and Loki does not look
//! 3 structuredMetadata  repeated LabelPairAdapter
//! 4 parsed              repeated LabelPairAdapter; inside Loki only
//! ```
//!
//! Nearly every entry has this shape:
//!
//! ```text
//! 0a t  08 <5 bytes>  [10 <1 to 5 bytes>]   12 n line   (1a L  0a n name  12 v value)*
//! ```

use core::fmt;
use core::str::{self, Utf8Error};

use super::label_pair::LabelPair;
use super::storage::Storage;
use super::timestamp::{
    Timestamp, split_usual_timestamp, timestamp_field_len, write_timestamp_field,
};
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::message::fields::{bytes_len, write_bytes};
use crate::message::regions::{pairs_len, read_pair, take_region, take_run, write_pairs};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Tag, WireType, Writer, impossible, split_delimited, text_tail};

const TIMESTAMP: Tag = Tag::new(1, WireType::Len);
const LINE: Tag = Tag::new(2, WireType::Len);
const STRUCTURED_METADATA: Tag = Tag::new(3, WireType::Len);
const PARSED: Tag = Tag::new(4, WireType::Len);

const TIMESTAMP_BYTE: u8 = TIMESTAMP.byte();
const LINE_BYTE: u8 = LINE.byte();
const METADATA_BYTE: u8 = STRUCTURED_METADATA.byte();
const PARSED_BYTE: u8 = PARSED.byte();

/// The most bytes that an entry takes as a field besides line and pairs: tag and length of itself,
/// of its timestamp and of its line, and two numbers with their tags.
pub(super) const ENTRY_FRAMING: usize = 6 + 2 + 6 + 2 * 11;
/// The most bytes that a pair takes as a field besides name and value: tag and length of itself, of
/// its name and of its value.
pub(super) const PAIR_FRAMING: usize = 6 + 6 + 6;

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
#[doc(alias("log", "line", "record"))]
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
        parsed: &'s [LabelPair<'a>],
    ) -> Self {
        Self { timestamp, line, structured_metadata, parsed }
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
        let timestamp =
            self.timestamp.map_or(0, |timestamp| timestamp_field_len(TIMESTAMP, timestamp));
        let len = timestamp
            .saturating_add(bytes_len(LINE, self.line))
            .saturating_add(pairs_len(self.structured_metadata));
        if self.parsed.is_empty() { len } else { len.saturating_add(pairs_len(self.parsed)) }
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if let Some(timestamp) = self.timestamp {
            write_timestamp_field::<TIMESTAMP_BYTE>(writer, timestamp)?;
        }
        write_bytes(writer, LINE, self.line)?;
        write_pairs::<METADATA_BYTE, _>(writer, self.structured_metadata)?;
        if self.parsed.is_empty() {
            return Ok(());
        }
        write_pairs::<PARSED_BYTE, _>(writer, self.parsed)
    }
}

/// Reads an entry from `message`, all of it.
#[inline]
pub(super) fn read_entry<'a>(
    message: Cursor<'a, '_>,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    let parsed_start = storage.parsed_pairs.len();
    let Some(usual) = split_usual_entry(message.rest()) else {
        return read_fields(message, None, &[], parsed_start, storage);
    };
    if usual.rest.is_empty() {
        storage.push_entry(Some(usual.timestamp), usual.line, parsed_start);
        return Ok(());
    }
    read_pairs(message, usual, storage)
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
    let (timestamp, rest) = split_usual_timestamp::<TIMESTAMP_BYTE>(entry)?;
    let (&LINE_BYTE, rest) = rest.split_first()? else { return None };
    let (line, rest) = split_delimited(rest).ok()?;
    Some(UsualEntry { timestamp, line, rest })
}

/// Reads what is behind the line of an entry: structured metadata.
// Apart from the loop over entries, which has registers enough for itself only.
#[inline(never)]
fn read_pairs<'a>(
    mut cursor: Cursor<'a, '_>,
    UsualEntry { timestamp, line, rest }: UsualEntry<'a>,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    let parsed_start = storage.parsed_pairs.len();
    let entry = cursor.rest();
    cursor.advance_to(rest);
    // Structured metadata up to the end of the entry is one region.
    if rest.first() == Some(&METADATA_BYTE)
        && let Some(text) = text_tail(entry, rest.len())
    {
        if take_region::<METADATA_BYTE, _>(&mut cursor, text, &mut storage.metadata) {
            storage.push_entry(Some(timestamp), line, parsed_start);
            return Ok(());
        }
        // So are parsed pairs behind it.
        let taken = text.len().saturating_sub(cursor.rest().len());
        let text = text.get(taken..).unwrap_or_else(impossible);
        if take_region::<PARSED_BYTE, _>(&mut cursor, text, &mut storage.parsed_pairs) {
            storage.push_entry(Some(timestamp), line, parsed_start);
            return Ok(());
        }
    }
    read_fields(cursor, Some(timestamp), line, parsed_start, storage)
}

/// Reads an entry, or what is left of it, field by field. Its parsed pairs are those from
/// `parsed_start` on.
fn read_fields<'a>(
    mut cursor: Cursor<'a, '_>,
    mut timestamp: Option<Timestamp>,
    mut line: &'a [u8],
    parsed_start: usize,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    // Given up when a region is no text, so that no byte is checked twice.
    let mut regions = true;
    loop {
        if regions {
            regions = take_run::<METADATA_BYTE, _>(&mut cursor, &mut storage.metadata)
                && take_run::<PARSED_BYTE, _>(&mut cursor, &mut storage.parsed_pairs);
        }
        let Some(tag) = cursor.next_tag()? else { break };
        match tag {
            TIMESTAMP => cursor.merge_message(timestamp.get_or_insert_default())?,
            LINE => line = cursor.read_bytes()?,
            STRUCTURED_METADATA => {
                cursor.count_element()?;
                push(&mut storage.metadata, read_pair(&mut cursor)?);
            }
            PARSED => {
                cursor.count_element()?;
                push(&mut storage.parsed_pairs, read_pair(&mut cursor)?);
            }
            _ => cursor.skip_field(tag)?,
        }
    }
    storage.push_entry(timestamp, line, parsed_start);
    Ok(())
}
