//! `PushRequest`: the message that log shippers post.
//!
//! ```text
//! 1 streams  repeated StreamAdapter
//! 2 format   string; inside Loki only
//! ```

use alloc::vec::Vec;
use core::fmt;

use super::shape::PUSH_REQUEST;
use super::storage::Storage;
use super::stream::{Stream, Streams, StreamsIter, read_stream};
use crate::loki::options::DecodeOptions;
use crate::loki::record_kind::RecordKind;
use crate::loki::rules::{Rules, ViolationKind, validate_stream};
use crate::message::cursor::Cursor;
use crate::message::explain::ExplainedError;
use crate::message::fields::{text_len, write_text};
use crate::message::request::{
    Common, DecodeRequest, Envelope, Raw, ReadRecords, Skipped, sealed::Sealed,
};
use crate::message::shape::Shape;
use crate::message::violation::Violation;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

pub(in crate::loki) const STREAMS: Tag = Tag::new(1, WireType::Len);
pub(in crate::loki) const FORMAT: Tag = Tag::new(2, WireType::Len);

/// A decoded push: flat storage of views that borrow from the body.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::loki::{Entry, PushRequest, PushRequestEncoder, Stream, Timestamp};
///
/// # let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), b"started")];
/// # let sent = Stream::new(r#"{job="varlogs"}"#).with_entries(&entries);
/// # let body = PushRequestEncoder::new([sent]).encode_to_vec()?;
/// let push = PushRequest::decode(&body)?;
/// for stream in push.streams() {
///     for entry in stream.entries() {
///         assert_eq!((stream.labels(), entry.line()), (r#"{job="varlogs"}"#, &b"started"[..]));
///     }
/// }
/// assert_eq!(push.encode_to_vec()?, body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct PushRequest<'a> {
    pub(in crate::loki) envelope: Envelope<'a, RecordKind>,
    pub(in crate::loki) storage: Storage<'a>,
    pub(in crate::loki) format: &'a str,
}

impl<'a> PushRequest<'a> {
    /// Decodes `body` into new storage, with the default options.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    pub fn decode(body: &'a [u8]) -> Result<Self, DecodeError> {
        DecodeRequest::decode(body)
    }

    /// Decodes `body` into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_with(body: &'a [u8], options: &DecodeOptions) -> Result<Self, DecodeError> {
        DecodeRequest::decode_with(body, options)
    }

    /// Decodes `body` into this request's storage, in place of what it held.
    ///
    /// To use the storage for a body of another lifetime, [`recycle`](Self::recycle) it first; a
    /// [`Decoder`](crate::reuse::Decoder) does so by itself.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The request is then
    /// empty.
    pub fn decode_into(
        &mut self,
        body: &'a [u8],
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        self.decode_body(body, options)
    }

    /// Decodes `body` as [`decode_into`](Self::decode_into) does, and if text in it is not UTF-8,
    /// decodes a copy of it in `scratch`, in which each such piece of text is U+FFFD. See
    /// [`Decoder::decode_lossy`](crate::reuse::Decoder::decode_lossy), which has an example.
    ///
    /// # Errors
    ///
    /// The first other fault, or what is over a limit, with its place, which is one in the copy
    /// where there is one. The request is then empty.
    pub fn decode_lossy_into(
        &mut self,
        body: &'a [u8],
        scratch: &'a mut Vec<u8>,
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        self.decode_body_lossy(body, scratch, options)
    }

    /// Reads `body` record by record, and keeps none: `visitor` sees the request with one record in
    /// it at a time. See [`Decoder::visit`](crate::reuse::Decoder::visit), which has an example.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The records in front of
    /// it have been seen by then.
    pub fn visit(
        &mut self,
        body: &'a [u8],
        options: &DecodeOptions,
        visitor: impl FnMut(&Self),
    ) -> Result<(), DecodeError> {
        self.visit_body(body, options, visitor)
    }

    /// What `error`, which decoding `body` with `options` gave, is about in the terms of the message:
    /// which record, which limit. [`ExplainedError`] has an example.
    #[must_use]
    pub fn explain(body: &[u8], options: &DecodeOptions, error: DecodeError) -> ExplainedError {
        Self::explain_error(body, options, error)
    }

    /// Decodes a stream that is a message by itself into this request's storage, in place of what
    /// it held. The request has no body then.
    #[cfg(feature = "kafka")]
    pub(crate) fn decode_stream_into(
        &mut self,
        stream: &'a [u8],
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        self.decode_record(RecordKind::Stream, stream, options)
    }

    /// The request's allocations, emptied, for a body of another lifetime: give it to
    /// [`decode_into`](Self::decode_into).
    #[inline]
    #[must_use]
    pub fn recycle<'b>(mut self) -> PushRequest<'b> {
        if self.is_wasteful() {
            return PushRequest::default();
        }
        // Field by field: a default to fill in the others would be made whole, and dropped.
        PushRequest {
            envelope: self.envelope.recycle(),
            storage: self.storage.recycle(),
            format: "",
        }
    }

    /// Whether the storage should be given up, as far too large for long; notes the use that ends.
    #[inline]
    fn is_wasteful(&mut self) -> bool {
        let Self { envelope, storage, .. } = self;
        !storage.is_small() && envelope.is_wasted(storage.used_bytes(), || storage.capacity_bytes())
    }

    /// The streams, in wire order.
    #[inline]
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

    /// The body that the request was decoded from; empty if it was not decoded from protobuf.
    #[inline]
    #[must_use]
    pub const fn body(&self) -> &'a [u8] {
        self.envelope.body
    }

    /// The bytes that the stream at `index` was decoded from: the whole record, tag and length
    /// included, unknown fields and all. Records put one behind the other are a request again.
    ///
    /// `None` if there is no such stream, or the request was not decoded from protobuf.
    #[must_use]
    pub fn raw_stream(&self, index: usize) -> Option<&'a [u8]> {
        self.envelope.raw(self.storage.streams.get(index)?.raw)
    }

    /// What partial mode left out of a push in protobuf, in wire order. For one in JSON see
    /// `json_skipped`.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped<RecordKind>] {
        self.envelope.skipped()
    }

    /// The position in the body of the record at `index`: among all of its kind, also those that
    /// partial mode left out. [`skipped`](Self::skipped), violations and losses count so.
    #[must_use]
    pub fn index_in_body(&self, kind: RecordKind, index: usize) -> usize {
        self.envelope.index_in_body(kind, index)
    }

    /// The index of the record at position `in_body` of the body, the other way round; `None` if it
    /// was left out, or there is none.
    #[must_use]
    pub fn index_of(&self, kind: RecordKind, in_body: usize) -> Option<usize> {
        self.envelope.index_of(kind, in_body, ReadRecords::records_len(self, kind))
    }

    /// Whether the body held fields that this crate does not know, at any level. They are only in
    /// the raw bytes; encoding the request again does not write them.
    #[must_use]
    pub const fn has_unknown_fields(&self) -> bool {
        self.envelope.unknown_fields
    }

    /// Reports everything in the push that breaks `rules`, stream by stream: all that Loki would
    /// refuse. (A stream without labels passes where Loki may add `service_name` by itself, as it
    /// does by default.)
    ///
    /// Nothing is allocated, not even for escapes in label strings.
    ///
    /// ```
    /// # use borrowire::Encode;
    /// # use borrowire::loki::{Entry, PushRequestEncoder, Stream, Timestamp};
    /// use borrowire::loki::{PushRequest, Rules};
    ///
    /// # let entries = [Entry::new(Timestamp::new(0, -1), b"started")];
    /// # let sent = Stream::new(r#"{job="varlogs"}"#).with_entries(&entries);
    /// # let body = PushRequestEncoder::new([sent]).encode_to_vec()?;
    /// let push = PushRequest::decode(&body)?;
    /// let mut violations = Vec::new();
    /// push.validate(&Rules::new(), |violation| violations.push(violation));
    /// assert_eq!(violations[0].to_string(), "stream 0: invalid timestamp (entry 0)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&self, rules: &Rules, mut report: impl FnMut(Violation<ViolationKind>)) {
        for (index, stream) in self.streams().iter().enumerate() {
            validate_stream(&stream, rules, |kind| {
                let index = self.index_in_body(RecordKind::Stream, index);
                report(Violation::of_record(index, kind));
            });
        }
    }

    /// An encoder of the request's streams and format.
    #[must_use]
    pub fn encoder(&self) -> PushRequestEncoder<'a, StreamsIter<'_, 'a>> {
        PushRequestEncoder::new(self.streams()).with_format(self.format)
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage.capacity_bytes().saturating_add(self.envelope.capacity_bytes())
    }
}

impl Sealed for PushRequest<'_> {}

impl<'a> ReadRecords<'a> for PushRequest<'a> {
    const SHAPE: &'static Shape = &PUSH_REQUEST;
    #[inline]
    fn kind_of(tag: Tag) -> Option<RecordKind> {
        match tag {
            STREAMS => Some(RecordKind::Stream),
            _ => None,
        }
    }

    #[inline]
    fn max_records(options: &DecodeOptions, kind: RecordKind) -> usize {
        match kind {
            RecordKind::Stream => options.max_streams,
        }
    }

    fn limit_at(options: &DecodeOptions, tag: Tag, before: usize) -> Option<(&'static str, usize)> {
        Some(match tag {
            STREAMS if before >= options.max_streams => ("max_streams", options.max_streams),
            _ => ("max_elements", options.limits.max_elements),
        })
    }

    #[inline]
    fn records_len(&self, kind: RecordKind) -> usize {
        match kind {
            RecordKind::Stream => self.storage.streams.len(),
        }
    }

    #[inline]
    fn read_record(
        &mut self,
        kind: RecordKind,
        message: Cursor<'a, '_>,
        raw: Raw,
        _: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        match kind {
            RecordKind::Stream => read_stream(message, raw, &mut self.storage),
        }
    }

    fn truncate(&mut self, kind: RecordKind, len: usize) {
        match kind {
            RecordKind::Stream => self.storage.truncate(len),
        }
    }

    fn read_field(
        &mut self,
        tag: Tag,
        cursor: &mut Cursor<'a, '_>,
        _: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        match tag {
            // No stream's content: an error also in partial mode.
            FORMAT => self.format = cursor.read_strict_string()?,
            _ => cursor.skip_field(tag)?,
        }
        Ok(())
    }

    #[inline]
    fn envelope(&mut self) -> &mut Envelope<'a, RecordKind> {
        &mut self.envelope
    }

    #[inline]
    fn common(options: &DecodeOptions) -> Common<'_> {
        let DecodeOptions { limits, partial, deny_unknown_fields, .. } = options;
        Common { limits, partial: *partial, deny_unknown_fields: *deny_unknown_fields }
    }

    #[inline]
    fn clear(&mut self) {
        if self.is_wasteful() {
            *self = Self::default();
            return;
        }
        self.envelope.clear();
        self.storage.clear();
        self.format = "";
    }
}

impl<'a> DecodeRequest<'a> for PushRequest<'a> {
    type Options = DecodeOptions;
    type Kind = RecordKind;

    #[inline]
    fn decode_into(&mut self, body: &'a [u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        self.decode_body(body, options)
    }

    fn decode_lossy_into(
        &mut self,
        body: &'a [u8],
        scratch: &'a mut Vec<u8>,
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        self.decode_body_lossy(body, scratch, options)
    }

    fn visit(
        &mut self,
        body: &'a [u8],
        options: &DecodeOptions,
        visitor: impl FnMut(&Self),
    ) -> Result<(), DecodeError> {
        self.visit_body(body, options, visitor)
    }

    fn explain(body: &[u8], options: &DecodeOptions, error: DecodeError) -> ExplainedError {
        Self::explain_error(body, options, error)
    }

    fn body(&self) -> &'a [u8] {
        self.body()
    }

    fn skipped(&self) -> &[Skipped<RecordKind>] {
        self.skipped()
    }

    fn index_in_body(&self, kind: RecordKind, index: usize) -> usize {
        self.index_in_body(kind, index)
    }

    fn index_of(&self, kind: RecordKind, in_body: usize) -> Option<usize> {
        self.index_of(kind, in_body)
    }

    fn has_unknown_fields(&self) -> bool {
        self.has_unknown_fields()
    }

    fn capacity_bytes(&self) -> usize {
        self.capacity_bytes()
    }
}

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
        let skipped = self.skipped().len();
        #[cfg(feature = "json")]
        let skipped = skipped.saturating_add(self.json_skipped().len());
        f.debug_struct("PushRequest")
            .field("bytes", &self.body().len())
            .field("streams", &self.storage.streams.len())
            .field("entries", &self.entries_len())
            .field("structured_metadata", &self.structured_metadata_len())
            .field("skipped", &skipped)
            .finish()
    }
}

/// A push made of an iterator of streams: nothing is collected, measured and written as it goes.
///
/// The iterator is cloned for each pass, so let it borrow: `slice.iter().map(...)`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::loki::{Entry, PushRequestEncoder, Stream, Timestamp};
///
/// let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), b"started")];
/// let streams = [Stream::new(r#"{job="varlogs"}"#).with_entries(&entries)];
///
/// let push = PushRequestEncoder::new(streams);
/// let mut buffer = vec![0; 4096]; // used again and again
/// let len = push.encode(&mut buffer)?;
/// assert_eq!(len, push.encoded_len());
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PushRequestEncoder<'f, S> {
    streams: S,
    format: &'f str,
}

impl<'s, 'a: 's, 'f, S> PushRequestEncoder<'f, S>
where
    S: Iterator<Item = Stream<'s, 'a>> + Clone,
{
    /// A push of `streams`, in their order.
    #[must_use]
    pub fn new<I>(streams: I) -> Self
    where
        I: IntoIterator<Item = Stream<'s, 'a>, IntoIter = S>,
    {
        Self { streams: streams.into_iter(), format: "" }
    }

    /// Sets the format: inside Loki only, not for clients.
    #[must_use]
    pub fn with_format(mut self, format: &'f str) -> Self {
        self.format = format;
        self
    }
}

impl<'s, 'a: 's, S> Encode for PushRequestEncoder<'_, S>
where
    S: Iterator<Item = Stream<'s, 'a>> + Clone,
{
    fn encoded_len(&self) -> usize {
        self.streams.clone().fold(text_len(FORMAT, self.format), |sum, stream| {
            sum.saturating_add(wire::message_len(STREAMS, stream.encoded_len()))
        })
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for stream in self.streams.clone() {
            stream.write_field(writer, STREAMS)?;
        }
        write_text(writer, FORMAT, self.format)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::loki::{Entry, LabelPair, Timestamp};
    use alloc::vec::Vec;

    #[test]
    fn a_bad_stream_is_left_out_with_all_that_it_has() {
        let pairs = [LabelPair::new("trace_id", "1")];
        let time = Timestamp::new(1_700_000_000, 5);
        let entry = Entry::new(time, b"line").with_structured_metadata(&pairs);
        let entries = [entry, entry.with_parsed(&pairs), entry];
        let stream = |labels, hash| Stream::new(labels).with_entries(&entries).with_hash(hash);
        let streams = [stream("{a=\"b\"}", 7), stream("BAD", 8), stream("{c=\"d\"}", 9)];
        let mut body = PushRequestEncoder::new(streams).encode_to_vec().unwrap();
        let at = body.windows(3).position(|text| text == b"BAD").unwrap();
        body[at] = 0xff;
        assert!(PushRequest::decode(&body).is_err());

        let options = DecodeOptions::new().with_partial(true);
        let push = PushRequest::decode_with(&body, &options).unwrap();
        let [skipped] = push.skipped() else { panic!("one stream is bad") };
        assert_eq!(
            (skipped.kind, skipped.index, skipped.error.offset()),
            (RecordKind::Stream, 1, at)
        );
        let good = [streams[0], streams[2]];
        assert!(push.streams().iter().eq(good));
        let raws: Vec<u8> = (0..2).flat_map(|at| push.raw_stream(at).unwrap()).copied().collect();
        assert_eq!(raws, PushRequestEncoder::new(good).encode_to_vec().unwrap());
    }
}
