//! Records of Loki: one stream each.
//!
//! ```text
//! key       the tenant
//! headers   none
//! value     a stream: labels, entries, hash of the labels
//! ```
//!
//! Source: Loki, `pkg/kafka/encoding.go`.

use alloc::vec::Vec;
use core::fmt;
use core::str;

use super::memory::Memory;
use super::mimir::ReadError;
use super::record::{MAX_VALUE_BYTES, Place, Records};
use crate::loki::{DecodeOptions, PushRequest, Stream};
use crate::reuse::{Decoded, Decoder};
use crate::wire::error::EncodeError;
use crate::wire::message::Encode;
use crate::wire::varint_len;

/// Makes records of Loki out of streams, in memory that is used again.
///
/// A stream that is too long for a record becomes several, cut where Loki cuts them. Loki's
/// distributors pass streams without entries over; here they are records, too.
///
/// ```
/// use borrowire::kafka::LokiWriter;
/// use borrowire::loki::PushRequest;
///
/// # use borrowire::Encode;
/// # use borrowire::loki::{Entry, PushRequestEncoder, Stream, Timestamp};
/// # let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), b"started")];
/// # let sent = Stream::new(r#"{job="varlogs"}"#).with_entries(&entries);
/// # let body = PushRequestEncoder::new([sent]).encode_to_vec()?;
/// let push = PushRequest::decode(&body)?;
/// let (mut writer, mut memory) = (LokiWriter::new(), Vec::new()); // used again
/// let records = writer.encode("tenant", push.streams(), &mut memory)?;
/// let record = records.get(0).unwrap();
/// assert_eq!((record.key, record.headers), (&b"tenant"[..], &[][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LokiWriter {
    max_value_bytes: usize,
    places: Vec<Place>,
}

impl Default for LokiWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl LokiWriter {
    /// A writer without memory yet.
    #[must_use]
    pub const fn new() -> Self {
        Self { max_value_bytes: MAX_VALUE_BYTES, places: Vec::new() }
    }

    /// Sets how long a value may be. Default: [`MAX_VALUE_BYTES`].
    #[must_use]
    pub const fn with_max_value_bytes(mut self, bytes: usize) -> Self {
        self.max_value_bytes = bytes;
        self
    }

    /// The records of `streams`, all for partition 0. Their values are at the front of `memory`,
    /// which grows if need be.
    ///
    /// # Errors
    ///
    /// If an entry, or a stream without entries, is too long for a record. There are no records
    /// then. Only the first entry is looked at together with the labels, as in Loki: with them, a
    /// later one may be a value that is too long.
    pub fn encode<'r, 's, 'a: 's>(
        &'r mut self,
        tenant: &'r str,
        streams: impl IntoIterator<Item = Stream<'s, 'a>>,
        memory: &'r mut Vec<u8>,
    ) -> Result<Records<'r>, LokiWriteError> {
        self.encode_by_stream(tenant, streams, memory, |_| 0)
    }

    /// The records of `streams`, in their order, each for the partition that `partition_of` says.
    ///
    /// ```
    /// use borrowire::kafka::{LokiWriter, PartitionRing};
    /// use borrowire::loki::{LokiTokens, Stream};
    ///
    /// let ring = PartitionRing::with_active(10)?;
    /// let tokens = LokiTokens::new("tenant");
    /// let streams = [r#"{job="a"}"#, r#"{job="b"}"#].map(Stream::new);
    /// let (mut writer, mut memory) = (LokiWriter::new(), Vec::new());
    /// let records = writer.encode_by_stream("tenant", streams, &mut memory, |stream| {
    ///     ring.partition_for_key(tokens.token(stream)).expect("a partition is active")
    /// })?;
    /// assert!(records.iter().all(|record| record.partition < 10));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode).
    pub fn encode_by_stream<'r, 's, 'a: 's>(
        &'r mut self,
        tenant: &'r str,
        streams: impl IntoIterator<Item = Stream<'s, 'a>>,
        memory: &'r mut Vec<u8>,
        mut partition_of: impl FnMut(&Stream<'s, 'a>) -> u32,
    ) -> Result<Records<'r>, LokiWriteError> {
        let Self { max_value_bytes: max, places } = self;
        places.clear();
        let mut values = Memory::new(memory);
        for (index, stream) in streams.into_iter().enumerate() {
            let partition = partition_of(&stream);
            split(&stream, *max, |part| Ok(values.append(part, partition, places)?))
                .map_err(|error| error.of_stream(index))?;
        }
        Ok(Records { key: tenant, headers: &[], memory, places })
    }
}

impl fmt::Debug for LokiWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LokiWriter")
            .field("max_value_bytes", &self.max_value_bytes)
            .finish_non_exhaustive()
    }
}

/// Calls `part` with streams of at most `max` bytes that have the entries of `stream`.
fn split(
    stream: &Stream<'_, '_>,
    max: usize,
    mut part: impl FnMut(&Stream<'_, '_>) -> Result<(), LokiWriteError>,
) -> Result<(), LokiWriteError> {
    let bytes = stream.encoded_len();
    if bytes <= max {
        return part(stream);
    }
    let base = stream.slice(0, 0).encoded_len();
    let (mut start, mut size) = (0, base);
    for (entry, view) in stream.entries().iter().enumerate() {
        let content = view.encoded_len();
        let prefix = u64::try_from(content).map_or(0, varint_len).saturating_add(1);
        let field = content.saturating_add(prefix);
        let least = if entry == 0 { base.saturating_add(field) } else { field };
        if least > max {
            return Err(LokiWriteError::EntryTooLong { stream: 0, entry, bytes: field, max });
        }
        if size.saturating_add(field) > max && entry > start {
            part(&stream.slice(start, entry))?;
            (start, size) = (entry, base);
        }
        size = size.saturating_add(field);
    }
    match stream.entries().len() {
        0 => Err(LokiWriteError::StreamTooLong { stream: 0, bytes, max }),
        end => part(&stream.slice(start, end)),
    }
}

/// Streams cannot be written to records.
///
/// ```
/// use borrowire::kafka::LokiWriter;
/// use borrowire::loki::{Entry, Stream, Timestamp};
///
/// let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), &[b'x'; 1000])];
/// let streams = [Stream::new("{}"), Stream::new("{}").with_entries(&entries)];
/// let mut writer = LokiWriter::new().with_max_value_bytes(500);
/// let error = writer.encode("tenant", streams, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.to_string(), "stream 1: entry 0 takes 1014 bytes, over the limit of 500");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LokiWriteError {
    /// An entry is too long for a record; the first one with its stream's labels.
    EntryTooLong {
        /// The stream's position.
        stream: usize,
        /// The entry's position in the stream.
        entry: usize,
        /// How many bytes it takes, without the labels.
        bytes: usize,
        /// How many a value may have.
        max: usize,
    },
    /// A stream without entries is too long for a record.
    StreamTooLong {
        /// The stream's position.
        stream: usize,
        /// How many bytes it takes.
        bytes: usize,
        /// How many a value may have.
        max: usize,
    },
    /// A value is over 2 GiB - 1.
    Encode(EncodeError),
}

impl LokiWriteError {
    fn of_stream(mut self, position: usize) -> Self {
        match &mut self {
            Self::EntryTooLong { stream, .. } | Self::StreamTooLong { stream, .. } => {
                *stream = position;
            }
            Self::Encode(_) => {}
        }
        self
    }
}

impl From<EncodeError> for LokiWriteError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl fmt::Display for LokiWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let over = |f: &mut fmt::Formatter<'_>, bytes, max| {
            write!(f, " takes {bytes} bytes, over the limit of {max}")
        };
        match *self {
            Self::EntryTooLong { stream, entry, bytes, max } => {
                write!(f, "stream {stream}: entry {entry}")?;
                over(f, bytes, max)
            }
            Self::StreamTooLong { stream, bytes, max } => {
                write!(f, "stream {stream}: without entries, it")?;
                over(f, bytes, max)
            }
            Self::Encode(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for LokiWriteError {}

/// Reads records of Loki into storage that is used again.
///
/// ```
/// use borrowire::kafka::{LokiReader, LokiWriter};
/// use borrowire::loki::{Entry, Stream, Timestamp};
///
/// let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), b"started")];
/// let stream = Stream::new(r#"{job="varlogs"}"#).with_entries(&entries);
/// let (mut writer, mut memory) = (LokiWriter::new(), Vec::new());
///
/// let mut reader = LokiReader::new(); // used again
/// for consumed in writer.encode("tenant", [stream], &mut memory)? {
///     let record = reader.read(consumed.key, consumed.value)?;
///     assert_eq!((record.tenant, record.stream()), ("tenant", Some(stream)));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct LokiReader {
    decoder: Decoder<PushRequest<'static>>,
}

impl Default for LokiReader {
    fn default() -> Self {
        Self::new()
    }
}

impl LokiReader {
    /// A reader with the default options, and no storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(DecodeOptions::new())
    }

    /// A reader with options.
    #[must_use]
    pub fn with_options(options: DecodeOptions) -> Self {
        Self { decoder: Decoder::new().with_options(options) }
    }

    /// Reads a record, whose headers say nothing about it. The labels are not parsed. What Kafka
    /// calls null is empty.
    ///
    /// # Errors
    ///
    /// If the key is no text, or the value is no stream.
    pub fn read<'d, 'a>(
        &'d mut self,
        key: &'a [u8],
        value: &'a [u8],
    ) -> Result<LokiRecord<'d, 'a>, ReadError> {
        let tenant = str::from_utf8(key)?;
        let push =
            self.decoder.decode_by(|push, _, options| push.decode_stream_into(value, options))?;
        Ok(LokiRecord { tenant, push })
    }
}

impl fmt::Debug for LokiReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LokiReader").finish_non_exhaustive()
    }
}

/// A record that was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct LokiRecord<'d, 'a> {
    /// The tenant: the record's key.
    pub tenant: &'a str,
    /// A push of the record's stream. It has no body.
    pub push: Decoded<'d, 'a, PushRequest<'static>>,
}

impl<'a> LokiRecord<'_, 'a> {
    /// The stream; `None` if partial mode left it out.
    #[must_use]
    pub fn stream(&self) -> Option<Stream<'_, 'a>> {
        self.push.streams().get(0)
    }
}
