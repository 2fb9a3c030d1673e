//! `WriteRequest`: the message that senders post.
//!
//! ```text
//!    1 timeseries                   repeated TimeSeries
//!    2 source                       enum (Cortex, Mimir)
//!    3 metadata                     repeated MetricMetadata
//! 1000 skip_label_validation        bool (Mimir; skip_label_name_validation in Cortex)
//! 1001 skip_label_count_validation  bool (Mimir; Cortex writes an empty message here)
//! 1002 discard_out_of_order         bool (Cortex)
//! ```

use core::fmt;

use super::encoder::{Extensions, Source, WriteRequestEncoder};
use super::metadata::{Metadata, MetadataIter, MetadataRecord, MetricMetadata};
use super::storage::{Mark, Storage};
use super::time_series::{TimeSeriesIter, TimeSeriesList, TimeSeriesRecord};
use crate::error::{DecodeError, DecodeErrorKind};
use crate::message::{DecodeOptions, Encode};
use crate::reuse::Reuse;
use crate::storage::{DecodeState, push};
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer};

pub(super) const TIMESERIES: Tag = Tag::new(1, WireType::Len);
pub(super) const SOURCE: Tag = Tag::new(2, WireType::Varint);
pub(super) const METADATA: Tag = Tag::new(3, WireType::Len);
pub(super) const SKIP_LABEL_VALIDATION: Tag = Tag::new(1000, WireType::Varint);
pub(super) const SKIP_LABEL_COUNT_VALIDATION: Tag = Tag::new(1001, WireType::Varint);
/// Cortex' reference to its own buffers: always there, always empty.
const REF: Tag = Tag::new(1001, WireType::Len);
pub(super) const DISCARD_OUT_OF_ORDER: Tag = Tag::new(1002, WireType::Varint);

/// What kind of element partial mode left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SkippedKind {
    /// An entry of `timeseries`.
    TimeSeries,
    /// An entry of `metadata`.
    Metadata,
}

/// An element that partial mode left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SkippedItem {
    /// Series or metadata.
    pub kind: SkippedKind,
    /// Its position among all elements of its kind as they stood in the body, from 0.
    pub index: usize,
    /// What is wrong with it, and where.
    pub error: DecodeError,
}

/// A decoded request: flat storage of views that borrow from the body.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
///
/// let body = b"\x0a\x19\x0a\x0e\x0a\x08__name__\x12\x02up\x12\x07\x10\x80\xd0\x95\xff\xbc\x31";
/// let request = WriteRequest::decode(body)?;
/// for series in request.timeseries() {
///     assert_eq!(series.metric_name(), Some("up"));
///     assert_eq!(series.samples()[0].timestamp, 1_700_000_000_000);
/// }
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
///
/// Text outlives the storage, but never the body:
///
/// ```compile_fail,E0597
/// # use borrowire::remote_write::v1::WriteRequest;
/// let name = {
///     let body = b"\x0a\x0d\x0a\x0b\x0a\x01a\x12\x06metric".to_vec();
///     let request = WriteRequest::decode(&body).unwrap();
///     request.timeseries().get(0).unwrap().labels()[0].value
/// };
/// println!("{name}");
/// ```
#[derive(Clone, Default)]
pub struct WriteRequest<'a> {
    body: &'a [u8],
    storage: Storage<'a>,
    extensions: Extensions,
    unknown_fields: bool,
}

impl<'a> WriteRequest<'a> {
    /// Decodes `body` into new storage, with the default options.
    ///
    /// # Errors
    ///
    /// The first fault in the body, with its place.
    pub fn decode(body: &'a [u8]) -> Result<Self, DecodeError> {
        Self::decode_with(body, &DecodeOptions::new())
    }

    /// Decodes `body` into new storage.
    ///
    /// # Errors
    ///
    /// The first fault in the body, or what is over a limit, with its place.
    pub fn decode_with(body: &'a [u8], options: &DecodeOptions) -> Result<Self, DecodeError> {
        let mut request = Self::default();
        request.decode_into(body, options)?;
        Ok(request)
    }

    /// Decodes `body` into this request's storage, in place of what it held.
    ///
    /// To use the storage for a body of another lifetime, [`recycle`](Self::recycle) it first;
    /// [`WriteRequestDecoder`](super::WriteRequestDecoder) does so by itself.
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
        self.clear();
        let result = self.read(body, options);
        if result.is_err() {
            self.clear();
        }
        result
    }

    /// The same allocations, emptied, for a body of another lifetime.
    ///
    /// ```
    /// use borrowire::DecodeOptions;
    /// use borrowire::remote_write::v1::WriteRequest;
    ///
    /// let mut idle = WriteRequest::default();
    /// for _ in 0..3 {
    ///     let body = vec![0x0a, 0x00]; // a buffer that lives for one round only
    ///     let mut request = idle.recycle();
    ///     request.decode_into(&body, &DecodeOptions::new())?;
    ///     assert_eq!(request.timeseries().len(), 1);
    ///     idle = request.recycle();
    /// }
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn recycle<'b>(self) -> WriteRequest<'b> {
        WriteRequest { storage: self.storage.recycle(), ..WriteRequest::default() }
    }

    fn clear(&mut self) {
        self.body = &[];
        self.storage.clear();
        self.extensions = Extensions::default();
        self.unknown_fields = false;
    }

    fn read(&mut self, body: &'a [u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        let mut reader = Reader::new(body)?;
        if body.len() > options.limits.max_message_bytes {
            return Err(reader.error(DecodeErrorKind::MessageTooLarge));
        }
        self.body = body;
        let mut state = DecodeState::new(options);
        let (mut timeseries, mut metadata) = (0_usize, 0_usize);
        loop {
            let raw_start = reader.offset32();
            let Some(tag) = reader.next_tag()? else { break };
            match tag {
                TIMESERIES => {
                    if timeseries >= options.limits.max_timeseries {
                        return Err(reader.error(DecodeErrorKind::LimitExceeded));
                    }
                    state.count_element_at(&reader)?;
                    let message = reader.read_message()?;
                    self.read_timeseries(
                        message,
                        raw_start,
                        reader.offset32(),
                        timeseries,
                        &mut state,
                    )?;
                    timeseries = timeseries.saturating_add(1);
                }
                METADATA => {
                    if metadata >= options.limits.max_metadata {
                        return Err(reader.error(DecodeErrorKind::LimitExceeded));
                    }
                    state.count_element_at(&reader)?;
                    let message = reader.read_message()?;
                    self.read_metadata(
                        message,
                        raw_start,
                        reader.offset32(),
                        metadata,
                        &mut state,
                    )?;
                    metadata = metadata.saturating_add(1);
                }
                SOURCE => self.extensions.source = Source(reader.read_enum()?),
                SKIP_LABEL_VALIDATION => {
                    self.extensions.skip_label_validation = reader.read_bool()?;
                }
                SKIP_LABEL_COUNT_VALIDATION => {
                    self.extensions.skip_label_count_validation = reader.read_bool()?;
                }
                DISCARD_OUT_OF_ORDER => {
                    self.extensions.discard_out_of_order = reader.read_bool()?;
                }
                REF => state.unknown_fields |= !reader.read_bytes()?.is_empty(),
                _ => state.skip_field(&mut reader, tag)?,
            }
        }
        self.unknown_fields = state.unknown_fields;
        Ok(())
    }

    /// Reads the series in `message`, the `position`th of the body.
    #[inline]
    fn read_timeseries(
        &mut self,
        message: Reader<'a>,
        raw_start: u32,
        raw_end: u32,
        position: usize,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        let storage = &mut self.storage;
        if !state.partial() {
            TimeSeriesRecord::read(message, storage, state)?;
            TimeSeriesRecord::push(storage, raw_start, raw_end);
            return Ok(());
        }
        let mark = storage.mark();
        TimeSeriesRecord::read(message, storage, state)?;
        match state.invalid_text.take() {
            None => TimeSeriesRecord::push(storage, raw_start, raw_end),
            Some(error) => self.skip_item(&mark, SkippedKind::TimeSeries, position, error),
        }
        Ok(())
    }

    /// Reads the metadata entry in `message`, the `position`th of the body.
    fn read_metadata(
        &mut self,
        mut message: Reader<'a>,
        raw_start: u32,
        raw_end: u32,
        position: usize,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        let mut metadata = MetricMetadata::default();
        metadata.merge_fields(&mut message, state)?;
        match state.invalid_text.take() {
            None => MetadataRecord::push(&mut self.storage, &metadata, raw_start, raw_end),
            Some(error) => {
                let mark = self.storage.mark();
                self.skip_item(&mark, SkippedKind::Metadata, position, error);
            }
        }
        Ok(())
    }

    /// Takes back what a bad element left since `mark`, and lists it.
    #[cold]
    fn skip_item(&mut self, mark: &Mark, kind: SkippedKind, index: usize, error: DecodeError) {
        self.storage.truncate(mark);
        push(&mut self.storage.skipped, SkippedItem { kind, index, error });
    }

    /// The series, in wire order.
    #[inline]
    #[must_use]
    pub const fn timeseries(&self) -> TimeSeriesList<'_, 'a> {
        TimeSeriesList::stored(&self.storage)
    }

    /// The metadata entries, in wire order.
    #[inline]
    #[must_use]
    pub fn metadata(&self) -> Metadata<'_, 'a> {
        Metadata::stored(&self.storage)
    }

    /// How many labels all series have together.
    #[must_use]
    pub const fn labels_len(&self) -> usize {
        self.storage.labels.len()
    }

    /// How many samples all series have together.
    #[must_use]
    pub const fn samples_len(&self) -> usize {
        self.storage.samples.len()
    }

    /// How many exemplars all series have together.
    #[must_use]
    pub const fn exemplars_len(&self) -> usize {
        self.storage.exemplars.len()
    }

    /// How many native histograms all series have together.
    #[must_use]
    pub const fn histograms_len(&self) -> usize {
        self.storage.histograms.len()
    }

    /// The bytes that the series at `index` was decoded from: the whole record, tag and length
    /// included, unknown fields and all. Records put one behind the other are a request again.
    ///
    /// `None` if there is no such series, or the request was not decoded from a body.
    #[must_use]
    pub fn raw_timeseries(&self, index: usize) -> Option<&'a [u8]> {
        let record = self.storage.timeseries.get(index)?;
        self.raw(record.raw_start, record.raw_end)
    }

    /// The bytes that the metadata entry at `index` was decoded from: the whole record, as
    /// [`raw_timeseries`](Self::raw_timeseries) has it.
    #[must_use]
    pub fn raw_metadata(&self, index: usize) -> Option<&'a [u8]> {
        let record = self.storage.metadata.get(index)?;
        self.raw(record.raw_start, record.raw_end)
    }

    fn raw(&self, start: u32, end: u32) -> Option<&'a [u8]> {
        let (start, end) = (usize::try_from(start).ok()?, usize::try_from(end).ok()?);
        // A record is never empty: an empty range is that of a request without a body.
        self.body.get(start..end).filter(|raw| !raw.is_empty())
    }

    /// What partial mode left out, in wire order.
    #[must_use]
    pub fn skipped(&self) -> &[SkippedItem] {
        &self.storage.skipped
    }

    /// Whether the body held fields that this crate does not know, at any level. They are only in
    /// the raw bytes; encoding the request again does not write them.
    #[must_use]
    pub const fn has_unknown_fields(&self) -> bool {
        self.unknown_fields
    }

    /// The request's extension fields. Encoding the request does not write them, so that a client
    /// cannot set internal flags through a proxy: hand them over if they may pass.
    ///
    /// [`start_timestamps`](Extensions::start_timestamps) is `false` here, as it is about writing.
    #[must_use]
    pub const fn extensions(&self) -> Extensions {
        self.extensions
    }

    /// An encoder of the request's series and metadata, for example to add extensions.
    #[must_use]
    pub fn encoder(&self) -> WriteRequestEncoder<TimeSeriesIter<'_, 'a>, MetadataIter<'_, 'a>> {
        WriteRequestEncoder::new(self.timeseries()).with_metadata(self.metadata())
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage.capacity_bytes()
    }

    #[cfg(feature = "prost")]
    pub(super) const fn storage_mut(&mut self) -> &mut Storage<'a> {
        &mut self.storage
    }
}

impl Reuse for WriteRequest<'_> {
    type Request<'a> = WriteRequest<'a>;

    fn decode_into<'a>(
        request: &mut WriteRequest<'a>,
        body: &'a [u8],
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        request.decode_into(body, options)
    }

    fn recycle(request: WriteRequest<'_>) -> WriteRequest<'static> {
        request.recycle()
    }

    fn shorten<'a>(request: WriteRequest<'static>) -> WriteRequest<'a> {
        request
    }

    fn capacity_bytes(request: &WriteRequest<'_>) -> usize {
        request.capacity_bytes()
    }
}

/// Prometheus' fields only: no extensions, no unknown fields.
impl Encode for WriteRequest<'_> {
    fn encoded_len(&self) -> usize {
        self.encoder().encoded_len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.encoder().write_to(writer)
    }
}

/// Shows counts, not content.
impl fmt::Debug for WriteRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteRequest")
            .field("bytes", &self.body.len())
            .field("timeseries", &self.storage.timeseries.len())
            .field("labels", &self.labels_len())
            .field("samples", &self.samples_len())
            .field("exemplars", &self.exemplars_len())
            .field("histograms", &self.histograms_len())
            .field("metadata", &self.storage.metadata.len())
            .field("skipped", &self.storage.skipped.len())
            .finish()
    }
}
