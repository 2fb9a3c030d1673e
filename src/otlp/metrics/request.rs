//! `ExportMetricsServiceRequest`: what a sender of metrics posts.
//!
//! ```text
//! ExportMetricsServiceRequest  1 resource_metrics  repeated ResourceMetrics
//! ```

use alloc::vec::Vec;
use core::fmt;

use super::data_point::DataPointItem;
use super::resource_metrics::{
    Guesses, ResourceMetrics, ResourceMetricsList, ResourceMetricsListIter,
};
use super::storage::Storage;
use crate::message::columns::index;
use crate::message::cursor::Cursor;
use crate::message::explain::ExplainedError;
use crate::message::request::{
    Common, DecodeRequest, Envelope, Raw, ReadRecords, Skipped, sealed::Sealed,
};
use crate::message::shape::Shape;
use crate::message::violation::Violation;
use crate::otlp::common::{
    RESOURCES, Scratch, SignalMark, mark, read_resource, truncate_to, write_guessing,
};
use crate::otlp::options::DecodeOptions;
use crate::otlp::record_kind::RecordKind;
use crate::otlp::response::ExportResponse;
use crate::otlp::rules::{Rules, ViolationKind, validate_resource_metrics};
use crate::otlp::shape::METRICS;
use crate::reuse::{Reuse, tie};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, Writer};

/// A decoded request: flat storage of views that borrow from the body.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::metrics::{ExportMetricsServiceRequest, MetricData};
///
/// # use borrowire::otlp::{Attributes, InstrumentationScope, KeyValue, Resource, metrics::*};
/// # let attributes = [KeyValue::new("service.name", "checkout")];
/// # let mut point = NumberDataPoint::default();
/// # point.value = Some(NumberValue::Int(7));
/// # let points = [point];
/// # let gauge = MetricData::Gauge(Gauge::new(NumberDataPoints::new(&points)));
/// # let metrics = [Metric::new("queue.length", gauge)];
/// # let scopes = [ScopeMetrics::new(InstrumentationScope::default(), Metrics::new(&metrics))];
/// # let resource = Resource::new(Attributes::new(&attributes));
/// # let resources = [ResourceMetrics::new(resource, ScopeMetricsList::new(&scopes))];
/// # let body = ExportMetricsServiceRequestEncoder::new(resources).encode_to_vec()?;
/// let request = ExportMetricsServiceRequest::decode(&body)?;
/// for resource_metrics in request.resource_metrics() {
///     let resource = resource_metrics.resource.unwrap_or_default();
///     let service = resource.attributes.value("service.name");
///     for scope_metrics in resource_metrics.scope_metrics {
///         for metric in scope_metrics.metrics {
///             if let Some(MetricData::Gauge(gauge)) = metric.data {
///                 for point in gauge.data_points {
///                     println!("{service:?} {} {:?}", metric.name, point.value);
///                 }
///             }
///         }
///     }
/// }
/// assert_eq!(request.encode_to_vec()?, body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[doc(alias("MetricsData", "otlp"))]
pub struct ExportMetricsServiceRequest<'a> {
    envelope: Envelope<'a, RecordKind>,
    pub(in crate::otlp) storage: Storage<'a>,
    /// Where the storage stood in front of the record that is being read.
    before: Option<SignalMark<super::storage::Mark>>,
}

impl<'a> ExportMetricsServiceRequest<'a> {
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
    #[inline]
    #[must_use]
    pub fn recycle<'b>(mut self) -> ExportMetricsServiceRequest<'b> {
        if self.is_wasteful() {
            return ExportMetricsServiceRequest::default();
        }
        ExportMetricsServiceRequest {
            envelope: self.envelope.recycle(),
            storage: self.storage.recycle(),
            before: None,
        }
    }

    /// Whether the storage should be given up, as far too large for long; notes the use that ends.
    fn is_wasteful(&mut self) -> bool {
        let Self { envelope, storage, .. } = self;
        envelope.is_wasted(storage.used_bytes(), || storage.capacity_bytes())
    }

    /// The metrics, by resource, in wire order.
    #[must_use]
    pub fn resource_metrics(&self) -> ResourceMetricsList<'_, 'a> {
        let len = index(self.storage.parents.resources.len());
        ResourceMetricsList::stored(&self.storage, (0, len))
    }

    /// All points, each with all that is around it, in wire order.
    pub fn items(&self) -> impl Iterator<Item = DataPointItem<'_, 'a>> {
        self.resource_metrics().iter().flat_map(ResourceMetrics::items)
    }

    /// How many scopes all resources have together.
    #[must_use]
    pub const fn scope_metrics_len(&self) -> usize {
        self.storage.parents.scopes.len()
    }

    /// How many metrics there are.
    #[must_use]
    pub const fn metrics_len(&self) -> usize {
        self.storage.metrics.len()
    }

    /// How many points all metrics have together, of all kinds.
    #[must_use]
    pub const fn data_points_len(&self) -> usize {
        self.storage.data_points_len()
    }

    /// The body that the request was decoded from; empty if it was not.
    #[inline]
    #[must_use]
    pub const fn body(&self) -> &'a [u8] {
        self.envelope.body
    }

    /// The bytes that the entry of `resource_metrics` at `index` was decoded from: the whole record, tag
    /// and length included, unknown fields and all. Records put one behind the other are a request
    /// again.
    #[must_use]
    pub fn raw_resource_metrics(&self, index: usize) -> Option<&'a [u8]> {
        self.envelope.raw(self.storage.parents.resources.get(index)?.raw)
    }

    /// What partial mode left out, in wire order.
    #[must_use]
    pub fn skipped(&self) -> &[Skipped<RecordKind>] {
        &self.storage.parents.skipped
    }

    /// How many points partial mode left out, alone or with what they were in: what a partial success
    /// reports.
    #[must_use]
    pub const fn rejected_data_points(&self) -> usize {
        self.storage.parents.seen.items.saturating_sub(self.storage.data_points_len())
    }

    /// The answer to the request, when what was decoded of it is stored: full success, or how many
    /// data points partial mode left out, with `error_message` to say why.
    ///
    /// ```
    /// use borrowire::otlp::{ExportResponse, metrics::ExportMetricsServiceRequest};
    ///
    /// let request = ExportMetricsServiceRequest::decode(b"")?;
    /// assert_eq!(request.response("bad text"), ExportResponse::success());
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    #[must_use]
    pub fn response<'m>(&self, error_message: &'m str) -> ExportResponse<'m> {
        let rejected = i64::try_from(self.rejected_data_points()).unwrap_or(i64::MAX);
        if rejected == 0 && self.skipped().is_empty() {
            return ExportResponse::success();
        }
        ExportResponse::rejected(rejected, error_message)
    }

    /// Whether the body held fields that this crate does not know, at any level. They are only in
    /// the raw bytes; encoding the request again does not write them.
    #[must_use]
    pub const fn has_unknown_fields(&self) -> bool {
        self.envelope.unknown_fields
    }

    /// Reports everything in the request that breaks `rules`, resource by resource. Nothing is allocated.
    ///
    /// ```
    /// use borrowire::otlp::Rules;
    /// use borrowire::otlp::metrics::ExportMetricsServiceRequest;
    ///
    /// let request = ExportMetricsServiceRequest::default();
    /// request.validate(&Rules::new(), |violation| eprintln!("{violation}"));
    /// ```
    pub fn validate(&self, rules: &Rules, mut report: impl FnMut(Violation<ViolationKind>)) {
        for (index, metrics) in self.resource_metrics().iter().enumerate() {
            validate_resource_metrics(&metrics, rules, |kind| {
                report(Violation::of_record(index, kind));
            });
        }
    }

    /// An encoder of the request.
    #[must_use]
    pub fn encoder(&self) -> ExportMetricsServiceRequestEncoder<ResourceMetricsListIter<'_, 'a>> {
        ExportMetricsServiceRequestEncoder::new(self.resource_metrics())
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage.capacity_bytes().saturating_add(self.envelope.capacity_bytes())
    }
}

impl Sealed for ExportMetricsServiceRequest<'_> {}

impl<'a> ReadRecords<'a> for ExportMetricsServiceRequest<'a> {
    const SHAPE: &'static Shape = &METRICS;
    #[inline]
    fn kind_of(tag: Tag) -> Option<RecordKind> {
        match tag {
            RESOURCES => Some(RecordKind::Resource),
            _ => None,
        }
    }

    #[inline]
    fn max_records(options: &DecodeOptions, _: RecordKind) -> usize {
        options.max_resources
    }

    fn limit_at(options: &DecodeOptions, _: Tag, before: usize) -> Option<(&'static str, usize)> {
        options.limit_at(before)
    }

    #[inline]
    fn records_len(&self, _: RecordKind) -> usize {
        self.storage.parents.resources.len()
    }

    #[inline]
    fn read_record(
        &mut self,
        _: RecordKind,
        message: Cursor<'a, '_>,
        raw: Raw,
        _: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        self.before = Some(mark(&mut self.storage));
        read_resource(message, raw, &mut self.storage)
    }

    fn truncate(&mut self, _: RecordKind, len: usize) {
        self.storage.parents.resources.truncate(len);
        if let Some(mark) = self.before {
            truncate_to(&mut self.storage, mark);
        }
    }

    fn skip(&mut self, skipped: Skipped<RecordKind>) {
        self.storage.parents.skip(skipped.kind, skipped.index, skipped.error);
    }

    fn read_field(
        &mut self,
        tag: Tag,
        cursor: &mut Cursor<'a, '_>,
        _: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        cursor.skip_field(tag)
    }

    fn begin(&mut self, options: &DecodeOptions) {
        self.storage.begin(self.envelope.body);
        self.storage.parents.max_items = options.max_items;
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
    }
}

impl<'a> DecodeRequest<'a> for ExportMetricsServiceRequest<'a> {
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

    fn has_unknown_fields(&self) -> bool {
        self.has_unknown_fields()
    }

    fn capacity_bytes(&self) -> usize {
        self.capacity_bytes()
    }
}

tie!(TiedExportMetricsServiceRequest, ExportMetricsServiceRequest, bytes::Bytes);

impl Reuse for ExportMetricsServiceRequest<'_> {
    type Options = DecodeOptions;
    type Kind = RecordKind;
    type Request<'a> = ExportMetricsServiceRequest<'a>;
    type Tied = TiedExportMetricsServiceRequest;
    type Scratch = Scratch;

    #[inline]
    fn recycle(request: ExportMetricsServiceRequest<'_>) -> ExportMetricsServiceRequest<'static> {
        request.recycle()
    }

    #[inline]
    fn shorten<'a>(
        request: ExportMetricsServiceRequest<'static>,
    ) -> ExportMetricsServiceRequest<'a> {
        request
    }
}

/// Without unknown fields.
impl Encode for ExportMetricsServiceRequest<'_> {
    fn encoded_len(&self) -> usize {
        self.encoder().encoded_len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.encoder().write_to(writer)
    }
}

/// Shows counts, not content.
impl fmt::Debug for ExportMetricsServiceRequest<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ExportMetricsServiceRequest")
            .field("bytes", &self.body().len())
            .field("resource_metrics", &self.resource_metrics().len())
            .field("scope_metrics", &self.scope_metrics_len())
            .field("metrics", &self.metrics_len())
            .field("data_points", &self.data_points_len())
            .field("skipped", &self.skipped().len())
            .finish()
    }
}

/// A request made of an iterator of metrics by resource: nothing is collected, and it is written in one go.
///
/// The iterator is cloned for each pass, so let it borrow: `slice.iter().map(...)`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::metrics::{
///     ExportMetricsServiceRequestEncoder, Gauge, Metric, MetricData, Metrics, NumberDataPoint,
///     NumberDataPoints, NumberValue, ResourceMetrics, ScopeMetrics, ScopeMetricsList,
/// };
/// use borrowire::otlp::{Attributes, InstrumentationScope, KeyValue, Resource};
///
/// let attributes = [KeyValue::new("service.name", "checkout")];
/// let mut point = NumberDataPoint::default();
/// point.value = Some(NumberValue::Int(7));
/// let points = [point];
/// let gauge = MetricData::Gauge(Gauge::new(NumberDataPoints::new(&points)));
/// let metrics = [Metric::new("queue.length", gauge)];
/// let scope = InstrumentationScope::new("my.library", "1.0.0");
/// let scopes = [ScopeMetrics::new(scope, Metrics::new(&metrics))];
/// let resource = Resource::new(Attributes::new(&attributes));
/// let resources = [ResourceMetrics::new(resource, ScopeMetricsList::new(&scopes))];
///
/// let request = ExportMetricsServiceRequestEncoder::new(resources);
/// let mut buffer = vec![0; 4096]; // used again and again
/// let len = request.encode(&mut buffer)?;
/// assert_eq!(len, request.encoded_len());
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct ExportMetricsServiceRequestEncoder<I> {
    resource_metrics: I,
}

impl<'s, 'a: 's, I> ExportMetricsServiceRequestEncoder<I>
where
    I: Iterator<Item = ResourceMetrics<'s, 'a>> + Clone,
{
    /// A request of `resource_metrics`, in their order.
    #[must_use]
    pub fn new(resource_metrics: impl IntoIterator<IntoIter = I>) -> Self {
        Self { resource_metrics: resource_metrics.into_iter() }
    }
}

impl<'s, 'a: 's, I> Encode for ExportMetricsServiceRequestEncoder<I>
where
    I: Iterator<Item = ResourceMetrics<'s, 'a>> + Clone,
{
    fn encoded_len(&self) -> usize {
        self.resource_metrics.clone().fold(0, |sum: usize, resource| {
            sum.saturating_add(wire::message_len(RESOURCES, resource.encoded_len()))
        })
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_guessing(writer, |writer, guess| {
            let (mut own, mut guesses) = (guess, Guesses::new(guess));
            for resource in self.resource_metrics.clone() {
                own = own.write(
                    writer,
                    RESOURCES,
                    || resource.encoded_len(),
                    |writer| resource.write_guessing(writer, &mut guesses),
                )?;
            }
            Ok(())
        })
    }
}
