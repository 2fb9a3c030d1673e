//! The outermost message of a protocol: a body's loop over its records, written once.
//!
//! ```text
//! body    [record][record][field][record] ...
//! record  an element of one of the request's lists: tag, length, content
//! ```
//!
//! A request's own file has the match over its fields ([`ReadRecords`]); here is what is around it.

use alloc::boxed::Box;
use alloc::vec::Vec;
use core::mem;

use super::columns::{index, push, sum, vec_bytes};
use super::cursor::{Cursor, ElementFault, State};
use super::explain::ExplainedError;
use super::lossy::Lossy;
use super::shape::Shape;
use crate::limits::Limits;
use crate::wire::error::{DecodeError, DecodeErrorKind, MAX_MESSAGE_BYTES};
use crate::wire::message::Encode;
use crate::wire::retention::Retention;
use crate::wire::{Reader, Tag, to_usize};
use sealed::RecordKind as _;

/// What partial mode left out: a record, or an element of one.
///
/// ```
/// use borrowire::remote_write::RecordKind;
/// use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
///
/// # use borrowire::{Encode, remote_write::{Label, TimeSeries, v1::WriteRequestEncoder}};
/// # let labels = [Label::new("a", "b")];
/// # let mut body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// # body[6] = 0xff;
/// // The name of a label of its one series is not UTF-8.
/// let partial = DecodeOptions::new().with_partial(true);
/// let request = WriteRequest::decode_with(&body, &partial)?;
/// let skipped = request.skipped()[0];
/// assert_eq!((skipped.kind, skipped.index), (RecordKind::TimeSeries, 0));
/// assert_eq!(skipped.to_string(), "series 0 left out: invalid UTF-8 at byte 6 (field 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Skipped<K> {
    /// Which of the request's lists the record was in.
    pub kind: K,
    /// The record's position among all of its kind as they stood in the body, from 0.
    pub index: usize,
    /// The position, from 0, of the element of the record that alone was left out, such as an
    /// exemplar of a series; `None` if it is the whole record.
    pub element: Option<usize>,
    /// What is wrong with it, and where.
    pub error: DecodeError,
}

impl<K: core::fmt::Display> core::fmt::Display for Skipped<K> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        write!(f, "{} {}", self.kind, self.index)?;
        if let Some(element) = self.element {
            write!(f, ", element {element},")?;
        }
        write!(f, " left out: {}", self.error)
    }
}

/// A request, decoded from a whole body into flat storage that can be used again.
///
/// Each request has these methods itself: import the trait for code that is generic over requests.
///
/// ```
/// use borrowire::{DecodeError, DecodeRequest};
///
/// /// How many bytes of storage a request of any protocol takes.
/// fn storage_of<'a, R: DecodeRequest<'a>>(body: &'a [u8]) -> Result<usize, DecodeError> {
///     Ok(R::decode(body)?.capacity_bytes())
/// }
///
/// # use borrowire::remote_write::v1::WriteRequest;
/// assert_eq!(storage_of::<WriteRequest>(b"")?, 0);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no request that is decoded from a body",
    note = "what a decoder or a pool returns is a guard around the request: give `&*request`"
)]
pub trait DecodeRequest<'a>: sealed::Sealed + Default + Sized {
    /// How to decode: caps, and what one bad record means.
    type Options: Clone + Copy + core::fmt::Debug + Default + From<Limits>;

    /// Which of the request's lists a record is in.
    type Kind: sealed::RecordKind;

    /// Decodes `body` into new storage, with the default options.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    fn decode(body: &'a [u8]) -> Result<Self, DecodeError> {
        Self::decode_with(body, &Self::Options::default())
    }

    /// Decodes `body` into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    fn decode_with(body: &'a [u8], options: &Self::Options) -> Result<Self, DecodeError> {
        let mut request = Self::default();
        request.decode_into(body, options)?;
        Ok(request)
    }

    /// Decodes `body` into this request's storage, in place of what it held.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The request is then
    /// empty.
    fn decode_into(&mut self, body: &'a [u8], options: &Self::Options) -> Result<(), DecodeError>;

    /// Decodes `body` as [`decode_into`](Self::decode_into) does, and if text in it is not UTF-8,
    /// decodes a copy of it in `scratch`, in which each such piece of text is U+FFFD: for receivers
    /// whose senders are not to be changed. See [`Decoder::decode_lossy`], which has an example.
    ///
    /// [`Decoder::decode_lossy`]: crate::reuse::Decoder::decode_lossy
    ///
    /// # Errors
    ///
    /// The first other fault in the body, or what is over a limit, with its place, which is one in
    /// the copy where there is one. The request is then empty.
    fn decode_lossy_into(
        &mut self,
        body: &'a [u8],
        scratch: &'a mut Vec<u8>,
        options: &Self::Options,
    ) -> Result<(), DecodeError>;

    /// Reads `body` record by record, and keeps none: `visitor` sees the request with one record in
    /// it at a time, so storage grows to the largest record, not to all of them. See
    /// [`Decoder::visit`], which has an example.
    ///
    /// [`Decoder::visit`]: crate::reuse::Decoder::visit
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place. The records in front of
    /// it have been seen by then.
    fn visit(
        &mut self,
        body: &'a [u8],
        options: &Self::Options,
        visitor: impl FnMut(&Self),
    ) -> Result<(), DecodeError>;

    /// What `error`, which decoding `body` with `options` gave, is about in the terms of the message:
    /// which record, which limit. It looks through the body once more; [`ExplainedError`] has an
    /// example.
    #[must_use]
    fn explain(body: &[u8], options: &Self::Options, error: DecodeError) -> ExplainedError;

    /// The body that the request was decoded from; empty if it was not.
    fn body(&self) -> &'a [u8];

    /// What partial mode left out, in wire order.
    fn skipped(&self) -> &[Skipped<Self::Kind>];

    /// The position in the body of the record at `index`: among all of its kind, also those that
    /// partial mode left out. [`Skipped`], violations and losses count so.
    fn index_in_body(&self, kind: Self::Kind, index: usize) -> usize {
        left_out(self.skipped(), kind).fold(index, |at, left_out| {
            // Those in front of it, which come in their order.
            if left_out <= at { at.saturating_add(1) } else { at }
        })
    }

    /// The index of the record at position `in_body` of the body, the other way round; `None` if it
    /// was left out.
    fn index_of(&self, kind: Self::Kind, in_body: usize) -> Option<usize> {
        let before = left_out(self.skipped(), kind).take_while(|at| *at <= in_body);
        let mut count = 0_usize;
        for at in before {
            if at == in_body {
                return None;
            }
            count = count.saturating_add(1);
        }
        in_body.checked_sub(count)
    }

    /// Whether the body held fields that this crate does not know, at any level. They are only in
    /// the raw records; encoding the request again does not write them.
    fn has_unknown_fields(&self) -> bool;

    /// Heap bytes that the request's storage holds.
    fn capacity_bytes(&self) -> usize;
}

/// The positions of whole records that were left out.
fn left_out<K: sealed::RecordKind>(skipped: &[Skipped<K>], kind: K) -> impl Iterator<Item = usize> {
    let whole = skipped.iter().filter(move |it| it.kind == kind && it.element.is_none());
    whole.map(|skipped| skipped.index)
}

pub(crate) mod sealed {
    use core::fmt::{Debug, Display};

    /// Requests of this crate.
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Sealed {}

    /// What tells the records of a request's lists apart; of these there are two at the most.
    #[allow(unnameable_types, reason = "sealed")]
    pub trait RecordKind: Copy + Eq + Debug + Display + 'static {
        /// That of the first list, or the only one.
        const FIRST: Self;
        /// That of the second list.
        const SECOND: Option<Self>;

        /// What such a record is called.
        fn as_str(self) -> &'static str;

        /// Whether it is that of the first list.
        fn is_first(self) -> bool;
    }
}

/// Where a record stands in the body, from byte to byte: tag, length and content.
#[derive(Clone, Copy, Debug, Default)]
#[allow(unnameable_types, reason = "sealed")]
pub struct Raw {
    pub(crate) start: u32,
    pub(crate) end: u32,
}

/// What every request has beside its records.
#[derive(Clone)]
pub(crate) struct Envelope<'a, K> {
    pub(crate) body: &'a [u8],
    pub(crate) unknown_fields: bool,
    retention: Retention,
    /// Apart, so that a small request is quick to move.
    left_out: Option<Box<LeftOut<K>>>,
}

/// What partial mode left out.
#[derive(Clone)]
struct LeftOut<K> {
    skipped: Vec<Skipped<K>>,
    /// Positions of the whole records among them, of each list.
    records: [Vec<u32>; 2],
    /// Memory for what is wrong with elements of a record, while it is read.
    memory: Vec<ElementFault>,
}

impl<K> Default for LeftOut<K> {
    fn default() -> Self {
        Self { skipped: Vec::new(), records: [Vec::new(), Vec::new()], memory: Vec::new() }
    }
}

impl<K: sealed::RecordKind> LeftOut<K> {
    fn records(&self, kind: K) -> &[u32] {
        let [first, second] = &self.records;
        if kind.is_first() { first } else { second }
    }

    fn records_mut(&mut self, kind: K) -> &mut Vec<u32> {
        let [first, second] = &mut self.records;
        if kind.is_first() { first } else { second }
    }
}

impl<K> Default for Envelope<'_, K> {
    #[inline]
    fn default() -> Self {
        Self { body: &[], unknown_fields: false, retention: Retention::default(), left_out: None }
    }
}

impl<'a, K> Envelope<'a, K> {
    #[inline]
    pub(crate) fn clear(&mut self) {
        self.body = &[];
        self.unknown_fields = false;
        if let Some(left_out) = &mut self.left_out {
            left_out.skipped.clear();
            left_out.records.iter_mut().for_each(Vec::clear);
        }
    }

    /// What was left out, in wire order.
    pub(crate) fn skipped(&self) -> &[Skipped<K>] {
        self.left_out.as_ref().map_or(&[], |left_out| &left_out.skipped)
    }

    #[cold]
    fn skip(&mut self, skipped: Skipped<K>)
    where
        K: sealed::RecordKind,
    {
        let left_out = self.left_out.get_or_insert_default();
        if skipped.element.is_none() {
            push(left_out.records_mut(skipped.kind), index(skipped.index));
        }
        push(&mut left_out.skipped, skipped);
    }

    /// [`DecodeRequest::index_in_body`].
    pub(crate) fn index_in_body(&self, kind: K, index: usize) -> usize
    where
        K: sealed::RecordKind,
    {
        let left_out = self.left_out.as_ref().map_or(&[][..], |it| it.records(kind));
        // How many stand in front of it. Each has in front of it as many that were kept as its
        // position is over its place in this list.
        let (mut none, mut all) = (0, left_out.len());
        while none < all {
            let middle = none.midpoint(all);
            let kept = left_out.get(middle).map_or(0, |at| to_usize(*at).saturating_sub(middle));
            if kept <= index {
                none = middle.saturating_add(1);
            } else {
                all = middle;
            }
        }
        index.saturating_add(none)
    }

    /// [`DecodeRequest::index_of`], of `len` records that were kept.
    pub(crate) fn index_of(&self, kind: K, in_body: usize, len: usize) -> Option<usize>
    where
        K: sealed::RecordKind,
    {
        let left_out = self.left_out.as_ref().map_or(&[][..], |it| it.records(kind));
        let before = left_out.binary_search(&index(in_body)).err()?;
        in_body.checked_sub(before).filter(|index| *index < len)
    }

    #[inline]
    fn take_memory(&mut self) -> Vec<ElementFault> {
        self.left_out.as_mut().map_or_else(Vec::new, |left_out| mem::take(&mut left_out.memory))
    }

    #[inline]
    fn keep_memory(&mut self, memory: Vec<ElementFault>) {
        if memory.capacity() > 0 {
            self.left_out.get_or_insert_default().memory = memory;
        }
    }

    /// The envelope's allocation, emptied, for a body of another lifetime.
    #[inline]
    pub(crate) fn recycle<'b>(mut self) -> Envelope<'b, K> {
        self.clear();
        let Self { retention, left_out, .. } = self;
        Envelope { body: &[], unknown_fields: false, retention, left_out }
    }

    /// Notes that the request needed `used` bytes of its storage; returns whether that should be
    /// freed.
    #[inline]
    pub(crate) fn is_wasted(&mut self, used: usize, capacity: impl FnOnce() -> usize) -> bool {
        self.retention.is_wasted(used, capacity)
    }

    /// The bytes of a record, if there is a body.
    pub(crate) fn raw(&self, raw: Raw) -> Option<&'a [u8]> {
        // A record is never empty: an empty range is that of a request without a body.
        self.body.get(to_usize(raw.start)..to_usize(raw.end)).filter(|raw| !raw.is_empty())
    }

    pub(crate) fn capacity_bytes(&self) -> usize {
        self.left_out.as_ref().map_or(0, |left_out| {
            let LeftOut { skipped, records: [first, second], memory } = &**left_out;
            let records = vec_bytes(first).saturating_add(vec_bytes(second));
            sum([size_of::<LeftOut<K>>(), vec_bytes(skipped), records, vec_bytes(memory)])
        })
    }
}

/// What the decode options of every protocol have.
pub(crate) struct Common<'o> {
    pub(crate) limits: &'o Limits,
    pub(crate) partial: bool,
    pub(crate) deny_unknown_fields: bool,
}

/// A field of a request, from byte to byte.
struct Field {
    tag: Tag,
    start: usize,
    end: usize,
}

/// The fields of `body`; the last one, if it is cut or no field, goes to the body's end.
fn fields(body: &[u8]) -> impl Iterator<Item = Field> {
    let mut reader = Reader::new(body).ok();
    core::iter::from_fn(move || {
        let start = reader.as_ref()?.offset();
        let tag = reader.as_mut()?.next_tag().ok()??;
        if reader.as_mut()?.skip_field(tag).is_err() {
            reader = None;
        }
        let end = reader.as_ref().map_or(usize::MAX, Reader::offset);
        Some(Field { tag, start, end })
    })
}

/// Lossless: no platform has lengths of over 64 bits.
fn to_u64(len: usize) -> u64 {
    u64::try_from(len).unwrap_or(u64::MAX)
}

#[cold]
fn is_of(shape: Option<&'static Shape>, body: &[u8]) -> bool {
    shape.is_some_and(|shape| shape.fits(body))
}

/// How a request reads its body: what its fields are, and where its records go.
pub(crate) trait ReadRecords<'a>: DecodeRequest<'a> {
    /// The list whose records have `tag`, if there is one.
    fn kind_of(tag: Tag) -> Option<Self::Kind>;

    /// How many records of `kind` the body may hold.
    fn max_records(options: &Self::Options, kind: Self::Kind) -> usize;

    /// The limit that a field with `tag` is over, if not by what is in it then by being there; so
    /// many such fields stand before it. `None` if that cannot be told.
    fn limit_at(options: &Self::Options, tag: Tag, before: usize) -> Option<(&'static str, usize)>;

    /// How many records of `kind` are in storage.
    fn records_len(&self, kind: Self::Kind) -> usize;

    /// Reads a record from `message`, all of it, and stores it, unless its content is bad.
    fn read_record(
        &mut self,
        kind: Self::Kind,
        message: Cursor<'a, '_>,
        raw: Raw,
        options: &Self::Options,
    ) -> Result<(), DecodeError>;

    /// Keeps the first `len` records of `kind`, and drops all that was read behind them.
    fn truncate(&mut self, kind: Self::Kind, len: usize);

    /// Reads a field that is no record, and whose tag has just been read.
    fn read_field(
        &mut self,
        tag: Tag,
        cursor: &mut Cursor<'a, '_>,
        options: &Self::Options,
    ) -> Result<(), DecodeError>;

    /// The request itself: where its text is, and what tells it from others.
    const SHAPE: &'static Shape;

    /// The request of the protocol's other version, if it has one, with no record in common.
    const OTHER_VERSION: Option<&'static Shape> = None;

    /// What is in storage before the body is read.
    #[inline]
    fn begin(&mut self, _: &Self::Options) {}

    fn envelope(&mut self) -> &mut Envelope<'a, Self::Kind>;

    fn common(options: &Self::Options) -> Common<'_>;

    /// Forgets the body and all that was read of it, and keeps the memory.
    fn clear(&mut self);

    /// [`DecodeRequest::decode_into`].
    #[inline]
    fn decode_body(&mut self, body: &'a [u8], options: &Self::Options) -> Result<(), DecodeError> {
        self.clear();
        let result = self.read_records(body, options, |_, _| false);
        if result.is_err() {
            self.clear();
        }
        result
    }

    /// [`DecodeRequest::decode_lossy_into`].
    fn decode_body_lossy(
        &mut self,
        body: &'a [u8],
        scratch: &'a mut Vec<u8>,
        options: &Self::Options,
    ) -> Result<(), DecodeError> {
        let is_about_text = |error: &DecodeError| error.kind() == DecodeErrorKind::InvalidUtf8;
        let result = self.decode_body(body, options);
        let has_bad_text = match &result {
            Ok(()) => self.skipped().iter().any(|skipped| is_about_text(&skipped.error)),
            Err(error) => is_about_text(error),
        };
        if !has_bad_text {
            return result;
        }
        let lossy = Lossy { shape: Self::SHAPE, bytes: body, depth: 0 };
        scratch.clear();
        // Over 2 GiB - 1 it could not be read either.
        if lossy.append_to_vec(scratch).is_err() {
            self.clear();
            return Err(DecodeError::new(DecodeErrorKind::MessageTooLarge, 0, 0));
        }
        self.decode_body(scratch, options)
    }

    /// [`DecodeRequest::visit`].
    fn visit_body(
        &mut self,
        body: &'a [u8],
        options: &Self::Options,
        mut visitor: impl FnMut(&Self),
    ) -> Result<(), DecodeError> {
        self.clear();
        let mut visited = false;
        let result = self.read_records(body, options, |request, kind| {
            visited = true;
            visitor(request);
            request.truncate(kind, 0);
            true
        });
        self.clear();
        match result {
            // What was seen is not there any more.
            Err(error) if error.kind() == DecodeErrorKind::OtherVersion && visited => Ok(()),
            result => result,
        }
    }

    /// [`DecodeRequest::explain`].
    fn explain_error(body: &[u8], options: &Self::Options, error: DecodeError) -> ExplainedError {
        let place = error.offset();
        let mut explained = ExplainedError { error, record: None, limit: None };
        let limits = Self::common(options).limits;
        match error.kind() {
            DecodeErrorKind::MessageTooLarge => {
                let max = limits.max_message_bytes.min(MAX_MESSAGE_BYTES);
                explained.limit = Some(("max_message_bytes", to_u64(max)));
                return explained;
            }
            DecodeErrorKind::ExpansionTooLarge => {
                explained.limit = Some(("max_expanded_bytes", limits.max_expanded_bytes));
            }
            _ => {}
        }
        // How many fields of the tag that the fault is in come before it.
        let count =
            |tag| fields(body).take_while(|field| field.end <= place).filter(move |f| f.tag == tag);
        // What is missing at the end of a record is missed there, where the next one begins.
        let is_missed = error.kind() == DecodeErrorKind::OddRefs;
        let Some(field) = fields(body).find(|field| {
            field.start <= place && place < field.end || is_missed && place == field.end
        }) else {
            return explained;
        };
        let before = count(field.tag).filter(|before| before.start < field.start).count();
        explained.record = Self::kind_of(field.tag).map(|kind| (kind.as_str(), before));
        if error.kind() == DecodeErrorKind::LimitExceeded {
            let limit = Self::limit_at(options, field.tag, before);
            explained.limit = limit.map(|(name, max)| (name, to_u64(max)));
        }
        explained
    }

    /// Reads `body` into storage that is empty; `seen` gets each record when it is there, and tells
    /// whether it has taken it out again.
    #[inline]
    fn read_records(
        &mut self,
        body: &'a [u8],
        options: &Self::Options,
        seen: impl FnMut(&mut Self, Self::Kind) -> bool,
    ) -> Result<(), DecodeError> {
        self.read_by(body, options, |request, cursor| request.read_all(cursor, options, seen))?;
        // To the other version's reader its records are unknown fields, and all would be lost.
        if self.envelope().unknown_fields
            && self.is_without_records()
            && is_of(Self::OTHER_VERSION, body)
        {
            return Err(Reader::new(body)?.error(DecodeErrorKind::OtherVersion));
        }
        Ok(())
    }

    /// Reads a record that is a message by itself. The request has no body then.
    #[cfg(feature = "kafka")]
    fn decode_record(
        &mut self,
        kind: Self::Kind,
        content: &'a [u8],
        options: &Self::Options,
    ) -> Result<(), DecodeError> {
        self.clear();
        let result = self.read_by(content, options, |request, mut cursor| {
            request.read_record(kind, cursor.again(), Raw::default(), options)?;
            if cursor.has_noted_faults() {
                request.skip_faults(kind, 0, 0, &mut cursor);
            }
            Ok(())
        });
        if result.is_err() {
            self.clear();
        }
        self.envelope().body = &[];
        result
    }

    /// Reads `body`, by `read`, into storage that is empty.
    #[inline]
    fn read_by(
        &mut self,
        body: &'a [u8],
        options: &Self::Options,
        read: impl FnOnce(&mut Self, Cursor<'a, '_>) -> Result<(), DecodeError>,
    ) -> Result<(), DecodeError> {
        let Common { limits, partial, deny_unknown_fields } = Self::common(options);
        let reader = Reader::new(body)?;
        if body.len() > limits.max_message_bytes {
            return Err(reader.error(DecodeErrorKind::MessageTooLarge));
        }
        self.envelope().body = body;
        self.begin(options);
        let memory = self.envelope().take_memory();
        let mut state = State::new(limits, partial)
            .with_deny_unknown_fields(deny_unknown_fields)
            .with_memory(memory);
        let result = read(self, Cursor::over(reader, &mut state));
        let unknown_fields = state.unknown_fields();
        let envelope = self.envelope();
        envelope.unknown_fields = unknown_fields;
        envelope.keep_memory(state.into_memory());
        result
    }

    /// Whether the body had no record, not even one that was left out.
    fn is_without_records(&mut self) -> bool {
        self.records_len(Self::Kind::FIRST) == 0
            && Self::Kind::SECOND.is_none_or(|kind| self.records_len(kind) == 0)
            && self.envelope().skipped().is_empty()
    }

    /// Reads the fields of the request.
    #[inline]
    fn read_all(
        &mut self,
        mut cursor: Cursor<'a, '_>,
        options: &Self::Options,
        mut seen: impl FnMut(&mut Self, Self::Kind) -> bool,
    ) -> Result<(), DecodeError> {
        // How many records of each list may be kept: what is left out counts, too.
        let [mut first, mut second] = [Some(Self::Kind::FIRST), Self::Kind::SECOND]
            .map(|kind| kind.map_or(0, |kind| Self::max_records(options, kind)));
        loop {
            let start = cursor.offset();
            let Some(tag) = cursor.next_tag()? else { break };
            let Some(kind) = Self::kind_of(tag) else {
                self.read_field(tag, &mut cursor, options)?;
                continue;
            };
            let max_kept = if kind.is_first() { &mut first } else { &mut second };
            let kept = self.records_len(kind);
            if kept >= *max_kept {
                return Err(cursor.error(DecodeErrorKind::LimitExceeded));
            }
            cursor.count_element()?;
            let message = cursor.read_message()?;
            let raw = Raw { start, end: message.end() };
            self.read_record(kind, message, raw, options)?;
            // Noted in partial mode only.
            if cursor.has_noted_faults() {
                let left_out = Self::max_records(options, kind).wrapping_sub(*max_kept);
                self.skip_faults(kind, kept.wrapping_add(left_out), kept, &mut cursor);
                let is_kept = self.records_len(kind) > kept;
                *max_kept = max_kept.wrapping_sub(usize::from(!is_kept));
                if !is_kept {
                    continue;
                }
            }
            if seen(self, kind) {
                *max_kept = max_kept.wrapping_sub(1);
            }
        }
        Ok(())
    }

    /// Leaves out the record that was read last, the `index`th of its kind, or what of it is bad.
    #[cold]
    fn skip_faults(
        &mut self,
        kind: Self::Kind,
        index: usize,
        kept: usize,
        cursor: &mut Cursor<'a, '_>,
    ) {
        let record = cursor.take_content_fault();
        let elements = cursor.take_element_faults();
        if let Some(error) = record {
            self.truncate(kind, kept);
            self.skip(Skipped { kind, index, element: None, error });
        } else {
            elements.for_each(|(element, error)| {
                self.skip(Skipped { kind, index, element: Some(element), error });
            });
        }
    }

    /// Lists what was left out.
    #[cold]
    fn skip(&mut self, skipped: Skipped<Self::Kind>) {
        self.envelope().skip(skipped);
    }
}
