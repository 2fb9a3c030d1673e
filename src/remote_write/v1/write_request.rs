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

use alloc::vec::Vec;
use core::fmt;

use super::metadata::{MetadataColumns, MetadataEntries, MetadataEntriesIter, MetricMetadata};
use super::options::{DecodeOptions, EncodeOptions};
use super::shape::WRITE_REQUEST;
use super::time_series::{TailLen, read_series, series_len, validate_timeseries, write_series};
use crate::message::columns::sum;
use crate::message::cursor::{Cursor, Merge};
use crate::message::explain::ExplainedError;
use crate::message::request::{
    Common, DecodeRequest, Envelope, Raw, ReadRecords, Skipped, sealed::Sealed,
};
use crate::message::shape::Shape;
use crate::message::violation::Violation;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::record_kind::RecordKind;
use crate::remote_write::model::rules::{Rules, ViolationKind};
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::time_series::{TimeSeries, TimeSeriesIter, TimeSeriesList};
use crate::remote_write::v2::shape as other_version;
use crate::reuse::{Reuse, tie};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer, impossible};

pub(super) const TIMESERIES: Tag = Tag::new(1, WireType::Len);
pub(super) const METADATA: Tag = Tag::new(3, WireType::Len);

/// A decoded request of remote write 1.0: flat storage of views that borrow from the body.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
/// use borrowire::remote_write::{Label, Sample, TimeSeries};
///
/// # let labels = [Label::new("__name__", "up")];
/// # let samples = [Sample::new(1.0, 1_700_000_000_000)];
/// # let sent = TimeSeries::new(&labels).with_samples(&samples);
/// # let body = WriteRequestEncoder::new([sent]).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
/// for series in request.timeseries() {
///     assert_eq!(series.metric_name(), Some("up"));
///     assert_eq!(series.samples()[0].timestamp, 1_700_000_000_000);
/// }
/// assert_eq!(request.encode_to_vec()?, body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Text outlives the storage, but never the body:
///
/// ```compile_fail,E0597
/// # use borrowire::remote_write::v1::WriteRequest;
/// # fn receive() -> Vec<u8> { Vec::new() }
/// let name = {
///     let body = receive();
///     let request = WriteRequest::decode(&body).unwrap();
///     request.timeseries().get(0).unwrap().labels()[0].value
/// };
/// println!("{name}");
/// ```
#[derive(Clone, Default)]
pub struct WriteRequest<'a> {
    envelope: Envelope<'a, RecordKind>,
    extensions: Extensions,
    pub(super) storage: Storage<'a>,
    pub(super) metadata: MetadataColumns<'a>,
    tail_len: TailLen,
}

impl<'a> WriteRequest<'a> {
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

    /// The request's allocations, emptied, for a body of another lifetime: give it to
    /// [`decode_into`](Self::decode_into).
    #[must_use]
    pub fn recycle<'b>(mut self) -> WriteRequest<'b> {
        self.clear();
        WriteRequest {
            envelope: self.envelope.recycle(),
            extensions: Extensions::new(),
            storage: self.storage.recycle(),
            metadata: self.metadata.recycle(),
            tail_len: 0,
        }
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
    pub const fn metadata(&self) -> MetadataEntries<'_, 'a> {
        MetadataEntries::stored(&self.metadata)
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

    /// The body that the request was decoded from; empty if it was not.
    #[inline]
    #[must_use]
    pub const fn body(&self) -> &'a [u8] {
        self.envelope.body
    }

    /// The bytes that the series at `index` was decoded from: the whole record, tag and length
    /// included, unknown fields and all. Records put one behind the other are a request again.
    ///
    /// `None` if there is no such series, or the request was not decoded from a body.
    #[must_use]
    pub fn raw_timeseries(&self, index: usize) -> Option<&'a [u8]> {
        self.envelope.raw(self.storage.timeseries.get(index)?.raw)
    }

    /// The bytes that the metadata entry at `index` was decoded from: the whole record, as
    /// [`raw_timeseries`](Self::raw_timeseries) has it.
    #[must_use]
    pub fn raw_metadata(&self, index: usize) -> Option<&'a [u8]> {
        self.envelope.raw(self.metadata.raw(index)?)
    }

    /// What partial mode left out, in wire order.
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

    /// The request's extension fields. Encoding the request does not write them, so that a client
    /// cannot set internal flags through a proxy: hand them over if they may pass.
    #[must_use]
    pub const fn extensions(&self) -> Extensions {
        self.extensions
    }

    /// Reports everything in the request that breaks `rules`, series by series, then of its
    /// metadata.
    ///
    /// Nothing is allocated, except to find duplicates among more than 64 unsorted labels.
    ///
    /// ```
    /// # use borrowire::Encode;
    /// # use borrowire::remote_write::v1::WriteRequestEncoder;
    /// use borrowire::remote_write::v1::WriteRequest;
    /// use borrowire::remote_write::{Label, Rules, TimeSeries};
    ///
    /// # let labels = [Label::new("job", "node")];
    /// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
    /// let request = WriteRequest::decode(&body)?;
    /// let mut violations = Vec::new();
    /// request.validate(&Rules::new(), |violation| violations.push(violation));
    /// assert_eq!(violations[0].to_string(), "series 0: missing metric name");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn validate(&self, rules: &Rules, mut report: impl FnMut(Violation<ViolationKind>)) {
        for (index, series) in self.timeseries().iter().enumerate() {
            validate_timeseries(&series, rules, |kind| {
                let index = self.index_in_body(RecordKind::TimeSeries, index);
                report(Violation::of_record(index, kind));
            });
        }
        let mut report = rules.filter(|kind| report(Violation::of_request(kind)));
        for (metadata, entry) in self.metadata().iter().enumerate() {
            entry.check(rules, |rule| {
                let metadata = self.index_in_body(RecordKind::Metadata, metadata);
                report(ViolationKind::Metadata { rule, metadata });
            });
        }
    }

    /// An encoder of the request's series and metadata, for example to add extensions.
    #[must_use]
    pub fn encoder(
        &self,
    ) -> WriteRequestEncoder<TimeSeriesIter<'_, 'a>, MetadataEntriesIter<'_, 'a>> {
        WriteRequestEncoder::new(self.timeseries()).with_metadata(self.metadata())
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage
            .capacity_bytes()
            .saturating_add(self.metadata.capacity_bytes())
            .saturating_add(self.envelope.capacity_bytes())
    }
}

impl<'a> WriteRequest<'a> {
    /// Begins a request that is not decoded from `body` but made along with it.
    pub(super) fn begin_made(
        &mut self,
        body: &'a [u8],
        extensions: Extensions,
        has_unknown_fields: bool,
    ) {
        self.envelope.body = body;
        self.envelope.unknown_fields = has_unknown_fields;
        self.extensions = extensions;
    }
}

impl<'a> WriteRequest<'a> {
    /// Makes this, which is empty, the request that was written as `body` with `options`, of
    /// `timeseries` and `metadata`.
    pub(crate) fn make<'s>(
        &mut self,
        body: &'a [u8],
        options: &EncodeOptions,
        timeseries: impl Iterator<Item = TimeSeries<'s, 'a>>,
        metadata: impl Iterator<Item = MetricMetadata<'a>>,
    ) where
        'a: 's,
    {
        // Longer than a message may be, it could not be decoded either.
        let Ok(mut reader) = Reader::new(body) else { return };
        self.begin_made(body, options.extensions, false);
        let (mut timeseries, mut metadata) = (timeseries, metadata);
        loop {
            let start = reader.offset32();
            // It was just written: nothing is wrong with it.
            let Ok(Some(tag)) = reader.next_tag() else { return };
            let Ok(()) = reader.skip_field(tag) else { return impossible() };
            let raw = Raw { start, end: reader.offset32() };
            if tag == TIMESERIES
                && let Some(series) = timeseries.next()
            {
                self.storage.labels.extend_from_slice(series.labels());
                let created = series.created_timestamp();
                if options.start_timestamps {
                    series.store_values(&mut self.storage, |start| start, created);
                } else {
                    series.store_values(&mut self.storage, |_| 0, 0);
                }
                self.storage.end_series(raw);
            } else if tag == METADATA
                && let Some(entry) = metadata.next()
            {
                self.metadata.push(&entry, raw);
            }
        }
    }
}

impl Sealed for WriteRequest<'_> {}

impl<'a> ReadRecords<'a> for WriteRequest<'a> {
    const SHAPE: &'static Shape = &WRITE_REQUEST;
    const OTHER_VERSION: Option<&'static Shape> = Some(&other_version::REQUEST);

    #[inline]
    fn kind_of(tag: Tag) -> Option<RecordKind> {
        match tag {
            TIMESERIES => Some(RecordKind::TimeSeries),
            METADATA => Some(RecordKind::Metadata),
            _ => None,
        }
    }

    #[inline]
    fn max_records(options: &DecodeOptions, kind: RecordKind) -> usize {
        match kind {
            RecordKind::TimeSeries => options.max_timeseries,
            RecordKind::Metadata => options.max_metadata,
        }
    }

    fn limit_at(options: &DecodeOptions, tag: Tag, before: usize) -> Option<(&'static str, usize)> {
        Some(match tag {
            TIMESERIES if before >= options.max_timeseries => {
                ("max_timeseries", options.max_timeseries)
            }
            METADATA if before >= options.max_metadata => ("max_metadata", options.max_metadata),
            _ => ("max_elements", options.limits.max_elements),
        })
    }

    #[inline]
    fn records_len(&self, kind: RecordKind) -> usize {
        match kind {
            RecordKind::TimeSeries => self.storage.timeseries.len(),
            RecordKind::Metadata => self.metadata.len(),
        }
    }

    #[inline]
    fn read_record(
        &mut self,
        kind: RecordKind,
        mut message: Cursor<'a, '_>,
        raw: Raw,
        _: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        match kind {
            RecordKind::TimeSeries => {
                read_series(message.again(), &mut self.storage, &mut self.tail_len)?;
                if message.content_is_good() {
                    self.storage.end_series(raw);
                }
            }
            RecordKind::Metadata => {
                let mut metadata = MetricMetadata::default();
                metadata.merge_fields(&mut message)?;
                if message.content_is_good() {
                    self.metadata.push(&metadata, raw);
                }
            }
        }
        Ok(())
    }

    fn truncate(&mut self, kind: RecordKind, len: usize) {
        match kind {
            RecordKind::TimeSeries => self.storage.truncate(len),
            RecordKind::Metadata => self.metadata.truncate(len),
        }
    }

    fn read_field(
        &mut self,
        tag: Tag,
        cursor: &mut Cursor<'a, '_>,
        _: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        self.extensions.read(tag, cursor)
    }

    fn envelope(&mut self) -> &mut Envelope<'a, RecordKind> {
        &mut self.envelope
    }

    fn common(options: &DecodeOptions) -> Common<'_> {
        let DecodeOptions { limits, partial, deny_unknown_fields, .. } = options;
        Common { limits, partial: *partial, deny_unknown_fields: *deny_unknown_fields }
    }

    fn clear(&mut self) {
        let used = self.storage.used_bytes().saturating_add(self.metadata.used_bytes());
        let Self { envelope, storage, metadata, .. } = self;
        if envelope.is_wasted(used, || sum([storage.capacity_bytes(), metadata.capacity_bytes()])) {
            *self = Self::default();
            return;
        }
        self.envelope.clear();
        self.extensions = Extensions::new();
        self.storage.clear();
        self.metadata.clear();
        self.tail_len = 0;
    }
}

impl<'a> DecodeRequest<'a> for WriteRequest<'a> {
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

tie!(TiedWriteRequest, WriteRequest, bytes::Bytes);

impl Reuse for WriteRequest<'_> {
    type Options = DecodeOptions;
    type Kind = RecordKind;
    type Request<'a> = WriteRequest<'a>;
    type Tied = TiedWriteRequest;
    type Scratch = ();

    #[inline]
    fn recycle(request: WriteRequest<'_>) -> WriteRequest<'static> {
        request.recycle()
    }

    #[inline]
    fn shorten<'a>(request: WriteRequest<'static>) -> WriteRequest<'a> {
        request
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
            .field("skipped", &self.skipped().len())
            .finish()
    }
}

/// A request made of an iterator of series: nothing is collected, measured and written as it goes.
///
/// The iterators are cloned for each pass, so let them borrow: `slice.iter().map(...)`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::WriteRequestEncoder;
/// use borrowire::remote_write::{Label, Sample, TimeSeries};
///
/// struct Metric<'a> {
///     labels: Vec<Label<'a>>,
///     samples: Vec<Sample>,
/// }
/// let metrics = vec![Metric {
///     labels: vec![Label::new("__name__", "up"), Label::new("job", "node")],
///     samples: vec![Sample::new(1.0, 1_700_000_000_000)],
/// }];
///
/// let request = WriteRequestEncoder::new(
///     metrics.iter().map(|metric| TimeSeries::new(&metric.labels).with_samples(&metric.samples)),
/// );
/// let mut buffer = vec![0; 4096]; // used again and again
/// let len = request.encode(&mut buffer)?;
/// assert_eq!(len, request.encoded_len());
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct WriteRequestEncoder<S, M = core::iter::Empty<MetricMetadata<'static>>> {
    timeseries: S,
    metadata: M,
    options: EncodeOptions,
}

impl<'s, 'a: 's, S> WriteRequestEncoder<S>
where
    S: Iterator<Item = TimeSeries<'s, 'a>> + Clone,
{
    /// A request of `timeseries`, in their order.
    #[must_use]
    pub fn new<I>(timeseries: I) -> Self
    where
        I: IntoIterator<Item = TimeSeries<'s, 'a>, IntoIter = S>,
    {
        Self {
            timeseries: timeseries.into_iter(),
            metadata: core::iter::empty(),
            options: EncodeOptions::new(),
        }
    }
}

impl<S, M> WriteRequestEncoder<S, M> {
    /// Sets the metadata entries, which are written behind the series.
    #[must_use]
    pub fn with_metadata<'a, I>(self, metadata: I) -> WriteRequestEncoder<S, I::IntoIter>
    where
        I: IntoIterator<Item = MetricMetadata<'a>>,
        I::IntoIter: Clone,
    {
        WriteRequestEncoder {
            timeseries: self.timeseries,
            metadata: metadata.into_iter(),
            options: self.options,
        }
    }

    /// Sets what is written beside Prometheus' own fields.
    #[must_use]
    pub fn with_options(mut self, options: EncodeOptions) -> Self {
        self.options = options;
        self
    }
}

impl<'s, 'a, 'm, S, M> Encode for WriteRequestEncoder<S, M>
where
    'a: 's,
    S: Iterator<Item = TimeSeries<'s, 'a>> + Clone,
    M: Iterator<Item = MetricMetadata<'m>> + Clone,
{
    fn encoded_len(&self) -> usize {
        let options = &self.options;
        let timeseries = self.timeseries.clone().fold(0, |sum: usize, series| {
            sum.saturating_add(wire::message_len(TIMESERIES, series_len(&series, options)))
        });
        let metadata = self.metadata.clone().fold(0, |sum: usize, metadata| {
            sum.saturating_add(wire::message_len(METADATA, metadata.encoded_len()))
        });
        timeseries
            .saturating_add(options.extensions.source_len())
            .saturating_add(metadata)
            .saturating_add(options.extensions.flags_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let options = &self.options;
        for series in self.timeseries.clone() {
            writer.write_len(TIMESERIES, series_len(&series, options))?;
            write_series(writer, &series, options)?;
        }
        options.extensions.write_source(writer)?;
        for metadata in self.metadata.clone() {
            writer.write_message(METADATA, &metadata)?;
        }
        options.extensions.write_flags(writer)
    }
}
