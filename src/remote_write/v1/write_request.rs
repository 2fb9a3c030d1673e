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

use super::encoder::WriteRequestEncoder;
use super::metadata::{MetadataIter, MetadataList, MetadataStorage, MetricMetadata};
use super::time_series::read_series;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::message::{DecodeOptions, Encode};
use crate::remote_write::request::{SkippedKind, impl_series_access};
use crate::remote_write::storage::Storage;
use crate::remote_write::time_series::{TimeSeriesIter, TimeSeriesRecord};
use crate::remote_write::validate::{Rules, Violation};
use crate::storage::DecodeState;
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer};

pub(super) const TIMESERIES: Tag = Tag::new(1, WireType::Len);
pub(super) const METADATA: Tag = Tag::new(3, WireType::Len);

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
    pub(super) storage: Storage<'a>,
    pub(super) metadata: MetadataStorage<'a>,
}

impl_series_access!(WriteRequest);
crate::reuse::impl_request!(WriteRequest);

impl<'a> WriteRequest<'a> {
    fn clear(&mut self) {
        self.storage.clear();
        self.metadata.clear();
    }

    fn into_empty<'b>(self) -> WriteRequest<'b> {
        WriteRequest { storage: self.storage.recycle(), metadata: self.metadata.recycle() }
    }

    fn read(&mut self, body: &'a [u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        let mut reader = Reader::new(body)?;
        if body.len() > options.limits.max_message_bytes {
            return Err(reader.error(DecodeErrorKind::MessageTooLarge));
        }
        self.storage.body = body;
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
                _ => self.storage.extensions.read(&mut reader, tag, &mut state)?,
            }
        }
        self.storage.unknown_fields = state.unknown_fields;
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
            read_series(message, storage, state)?;
            TimeSeriesRecord::push(storage, raw_start, raw_end);
            return Ok(());
        }
        read_series(message, storage, state)?;
        match state.take_content_fault() {
            None => TimeSeriesRecord::push(storage, raw_start, raw_end),
            Some(error) => storage.skip_series(position, error),
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
        match state.take_content_fault() {
            None => self.metadata.push(&metadata, raw_start, raw_end),
            Some(error) => self.storage.skip(SkippedKind::Metadata, position, error),
        }
        Ok(())
    }

    /// The metadata entries, in wire order.
    #[inline]
    #[must_use]
    pub const fn metadata(&self) -> MetadataList<'_, 'a> {
        MetadataList::stored(&self.metadata)
    }

    /// The bytes that the metadata entry at `index` was decoded from: the whole record, as
    /// [`raw_timeseries`](Self::raw_timeseries) has it.
    #[must_use]
    pub fn raw_metadata(&self, index: usize) -> Option<&'a [u8]> {
        let (start, end) = self.metadata.raw(index)?;
        self.storage.raw(start, end)
    }

    /// Where in the body the records of the series stand, from byte to byte.
    #[inline]
    pub(crate) fn timeseries_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.storage.timeseries.iter().map(|record| (record.raw_start, record.raw_end))
    }

    /// Where in the body the records of the metadata entries stand, from byte to byte.
    #[inline]
    pub(crate) fn metadata_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.metadata.raws()
    }

    /// Reports everything in the request that breaks `rules`, series by series.
    ///
    /// Nothing is allocated, except to find duplicates among more than 64 unsorted labels.
    ///
    /// ```
    /// use borrowire::remote_write::v1::{Rules, ViolationKind, WriteRequest};
    ///
    /// let request = WriteRequest::decode(b"\x0a\x0a\x0a\x08\x0a\x01a\x12\x03foo")?;
    /// let mut violations = Vec::new();
    /// request.validate(&Rules::new(), |violation| violations.push(violation));
    /// assert_eq!(violations.len(), 1);
    /// assert_eq!(violations[0].to_string(), "series 0: no metric name");
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    pub fn validate(&self, rules: &Rules, mut report: impl FnMut(Violation)) {
        for (series, view) in self.timeseries().iter().enumerate() {
            view.violations(rules, |kind| report(Violation { series, kind }));
        }
    }

    /// An encoder of the request's series and metadata, for example to add extensions.
    #[must_use]
    pub fn encoder(&self) -> WriteRequestEncoder<TimeSeriesIter<'_, 'a>, MetadataIter<'_, 'a>> {
        WriteRequestEncoder::new(self.timeseries()).with_metadata(self.metadata())
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage.capacity_bytes().saturating_add(self.metadata.capacity_bytes())
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
            .field("bytes", &self.body().len())
            .field("timeseries", &self.storage.timeseries.len())
            .field("labels", &self.labels_len())
            .field("samples", &self.samples_len())
            .field("exemplars", &self.exemplars_len())
            .field("histograms", &self.histograms_len())
            .field("metadata", &self.metadata().len())
            .field("skipped", &self.storage.skipped.len())
            .finish()
    }
}
