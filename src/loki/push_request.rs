//! `PushRequest`: the message that log shippers post.
//!
//! ```text
//! 1 streams  repeated StreamAdapter
//! 2 format   string; inside Loki only
//! ```

use core::fmt;

use super::encoder::PushRequestEncoder;
use super::storage::Storage;
use super::stream::{StreamRecord, Streams, StreamsIter};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::message::{DecodeOptions, Encode};
use crate::message::columns::{DecodeState, push};
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer};

pub(super) const STREAMS: Tag = Tag::new(1, WireType::Len);
pub(super) const FORMAT: Tag = Tag::new(2, WireType::Len);

/// A stream that partial mode left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SkippedStream {
    /// Its position among all streams as they stood in the body, from 0.
    pub index: usize,
    /// What is wrong with it, and where.
    pub error: DecodeError,
}

/// A decoded push: flat storage of views that borrow from the body.
///
/// ```
/// use borrowire::loki::PushRequest;
///
/// let body = b"\x0a\x1b\x0a\x0c{job=\"logs\"}\x12\x0b\x0a\x02\x08\x01\x12\x05hello";
/// let push = PushRequest::decode(body)?;
/// for stream in push.streams() {
///     for entry in stream.entries() {
///         assert_eq!((stream.labels(), entry.line()), (r#"{job="logs"}"#, &b"hello"[..]));
///     }
/// }
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Default)]
pub struct PushRequest<'a> {
    body: &'a [u8],
    pub(super) storage: Storage<'a>,
    format: &'a str,
    pub(super) unknown_fields: bool,
}

impl<'a> PushRequest<'a> {
    #[inline]
    fn into_empty<'b>(self) -> PushRequest<'b> {
        // Field by field: a default to fill in the others would be made whole, and dropped.
        let storage = self.storage.recycle();
        PushRequest { body: &[], storage, format: "", unknown_fields: false }
    }

    #[cfg(feature = "prost")]
    pub(super) const fn set_format(&mut self, format: &'a str) {
        self.format = format;
    }

    pub(super) fn clear(&mut self) {
        self.body = &[];
        self.storage.clear();
        self.format = "";
        self.unknown_fields = false;
    }

    fn read(&mut self, body: &'a [u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        let mut reader = Reader::new(body)?;
        if body.len() > options.limits.max_message_bytes {
            return Err(reader.error(DecodeErrorKind::MessageTooLarge));
        }
        self.body = body;
        let mut state = DecodeState::new(options);
        let mut streams = 0_usize;
        loop {
            let raw_start = reader.offset32();
            let Some(tag) = reader.next_tag()? else { break };
            match tag {
                STREAMS => {
                    if streams >= options.limits.max_streams {
                        return Err(reader.error(DecodeErrorKind::LimitExceeded));
                    }
                    state.count_element_at(&reader)?;
                    let message = reader.read_message()?;
                    let mark = state.partial().then(|| self.storage.mark());
                    let raw_end = reader.offset32();
                    StreamRecord::read(message, raw_start, raw_end, &mut self.storage, &mut state)?;
                    if let (Some(mark), Some(error)) = (mark, state.take_content_fault()) {
                        self.storage.truncate(&mark);
                        let skipped = &mut self.storage.rare_mut().skipped;
                        push(skipped, SkippedStream { index: streams, error });
                    }
                    streams = streams.saturating_add(1);
                }
                // No stream's content: an error also in partial mode.
                FORMAT => self.format = reader.read_string()?,
                _ => state.skip_field(&mut reader, tag)?,
            }
        }
        self.unknown_fields = state.unknown_fields;
        Ok(())
    }

    /// The streams, in wire order.
    #[must_use]
    pub const fn streams(&self) -> Streams<'_, 'a> {
        Streams::stored(&self.storage)
    }

    /// How many entries all streams have together.
    #[must_use]
    pub const fn entries_len(&self) -> usize {
        self.storage.entries.len()
    }

    /// How many pairs of structured metadata all entries have together.
    #[must_use]
    pub const fn structured_metadata_len(&self) -> usize {
        self.storage.metadata.len()
    }

    /// `loki` or `otlp`, inside Loki; empty from clients.
    #[must_use]
    pub const fn format(&self) -> &'a str {
        self.format
    }

    /// The bytes that the stream at `index` was decoded from: the whole record, tag and length
    /// included, unknown fields and all. Records put one behind the other are a request again.
    ///
    /// `None` if there is no such stream, or the request was not decoded from protobuf.
    #[must_use]
    pub fn raw_stream(&self, index: usize) -> Option<&'a [u8]> {
        let record = self.storage.streams.get(index)?;
        let start = usize::try_from(record.raw_start).ok()?;
        let end = usize::try_from(record.raw_end).ok()?;
        // A record is never empty: an empty range is that of a request without a body.
        self.body.get(start..end).filter(|raw| !raw.is_empty())
    }

    /// The body; empty if the push was not decoded from protobuf.
    #[inline]
    pub(crate) const fn body(&self) -> &'a [u8] {
        self.body
    }

    /// Where in the body the records of the streams stand, from byte to byte.
    #[inline]
    pub(crate) fn stream_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.storage.streams.iter().map(|record| (record.raw_start, record.raw_end))
    }

    /// What partial mode left out, in wire order.
    #[must_use]
    pub fn skipped(&self) -> &[SkippedStream] {
        self.storage.rare().map_or(&[], |rare| &rare.skipped)
    }

    /// Whether the body held fields that this crate does not know, at any level. They are only in
    /// the raw bytes; encoding the request again does not write them.
    #[must_use]
    pub const fn has_unknown_fields(&self) -> bool {
        self.unknown_fields
    }

    /// An encoder of the request's streams.
    #[must_use]
    pub fn encoder(&self) -> PushRequestEncoder<'a, StreamsIter<'_, 'a>> {
        PushRequestEncoder::new(self.streams()).with_format(self.format)
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage.capacity_bytes()
    }
}

crate::reuse::impl_request!(PushRequest, Scratch);

/// What a push may borrow from besides its body: protobuf holds all text as it is wanted, JSON does
/// not.
#[cfg(feature = "json")]
type Scratch = super::json::scratch::JsonScratch;
#[cfg(not(feature = "json"))]
type Scratch = ();

/// Without unknown fields.
impl Encode for PushRequest<'_> {
    fn encoded_len(&self) -> usize {
        self.encoder().encoded_len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.encoder().write_to(writer)
    }
}

/// Shows counts, not content.
impl fmt::Debug for PushRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PushRequest")
            .field("bytes", &self.body.len())
            .field("streams", &self.storage.streams.len())
            .field("entries", &self.entries_len())
            .field("structured_metadata", &self.structured_metadata_len())
            .field("skipped", &self.skipped().len())
            .finish()
    }
}
