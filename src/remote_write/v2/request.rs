//! `Request`: the message that senders post.
//!
//! ```text
//!    4 symbols     repeated string
//!    5 timeseries  repeated TimeSeries
//!    2, 1000, 1001, 1002: see `Extensions`
//! ```
//!
//! 1 and 3 are reserved: they are what remote write 1.0 has. They are skipped here, unless there is
//! nothing else: a request of 1.0 is an error.

use alloc::vec::Vec;
use core::fmt;

use super::common_symbols::{COMMON_SYMBOLS, COMMON_SYMBOLS_END};
use super::encoder::RequestEncoder;
use super::format::Format;
use super::options::DecodeOptions;
use super::refs::SeriesRefs;
use super::shape::REQUEST;
use super::symbolizer::{Symbolizer, TooManySymbols};
use super::symbols::{SYMBOLS, Symbols, read_symbols};
use super::time_series::{TIMESERIES, read_series};
use crate::message::cursor::Cursor;
use crate::message::explain::ExplainedError;
use crate::message::request::{
    Common, DecodeRequest, Envelope, Raw, ReadRecords, Skipped, sealed::Sealed,
};
use crate::message::shape::Shape;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::record_kind::RecordKind;
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::time_series::{TimeSeriesIter, TimeSeriesList};
use crate::remote_write::v1::shape as other_version;
use crate::reuse::{Reuse, tie};
use crate::wire::error::{DecodeError, DecodeErrorKind};
use crate::wire::{Reader, Tag, to_usize};

/// A decoded request of remote write 2.0: flat storage of views that borrow from the body.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, Sample, TimeSeries};
///
/// # let labels = [Label::new("__name__", "up")];
/// # let samples = [Sample::new(1.0, 1_700_000_000_000)];
/// # let sent = TimeSeries::new(&labels).with_samples(&samples);
/// # let mut symbolizer = Symbolizer::new();
/// # let body = symbolizer.symbolize([sent])?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
/// for series in request.timeseries() {
///     assert_eq!(series.labels(), [Label::new("__name__", "up")]);
///     assert_eq!(series.samples()[0].timestamp, 1_700_000_000_000);
/// }
/// assert_eq!(request.refs(0).unwrap().labels().collect::<Vec<_>>(), [1, 2]);
/// assert_eq!(request.encoder(&mut symbolizer)?.encode_to_vec()?, body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// A request has no place for references of its own once it is decoded, so encoding it again makes
/// new symbols of its texts: see [`encoder`](Self::encoder).
#[derive(Clone, Default)]
#[doc(alias("WriteRequest", "WriteRequestV2"))]
pub struct Request<'a> {
    envelope: Envelope<'a, RecordKind>,
    extensions: Extensions,
    pub(super) storage: Storage<'a>,
    format: Format,
    /// Whether all symbols of the body were read, also those behind the current place.
    all_symbols: bool,
    /// What it was made of, if not of a body: it alone knows the references.
    #[cfg(feature = "prost")]
    pub(super) generated: Option<&'a crate::proto::prometheus_v2::Request>,
}

impl<'a> Request<'a> {
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
    pub fn recycle<'b>(mut self) -> Request<'b> {
        self.clear();
        Request {
            envelope: self.envelope.recycle(),
            extensions: Extensions::new(),
            storage: self.storage.recycle(),
            format: Format::Standard,
            all_symbols: false,
            #[cfg(feature = "prost")]
            generated: None,
        }
    }

    /// The series, in wire order.
    #[inline]
    #[must_use]
    pub const fn timeseries(&self) -> TimeSeriesList<'_, 'a> {
        TimeSeriesList::stored(&self.storage)
    }

    /// The symbols, by reference.
    #[must_use]
    pub const fn symbols(&self) -> Symbols<'_, 'a> {
        Symbols::stored(&self.storage.symbols)
    }

    /// Which form of the message it was decoded as.
    #[must_use]
    pub const fn format(&self) -> Format {
        self.format
    }

    /// The references of the series at `index`, as they were in the body.
    ///
    /// `None` if there is no such series, or the request was not decoded from a body.
    #[must_use]
    pub fn refs(&self, index: usize) -> Option<SeriesRefs<'_, 'a>> {
        SeriesRefs::new(self.raw_timeseries(index)?, self.left_out_of(index))
    }

    /// What partial mode left out of the series at `index`.
    pub(super) fn left_out_of(&self, index: usize) -> &[Skipped<RecordKind>] {
        let skipped = self.skipped();
        let Some(row) = self.storage.timeseries.get(index) else { return &[] };
        // A value that is missing is missed at the end.
        let until = |end: u32| skipped.partition_point(|it| it.error.offset() <= to_usize(end));
        skipped.get(until(row.raw.start)..until(row.raw.end)).unwrap_or_default()
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
    /// included, with unknown fields and what partial mode left out of it. Records behind the
    /// symbols are a request again.
    ///
    /// `None` if there is no such series, or the request was not decoded from a body.
    #[must_use]
    pub fn raw_timeseries(&self, index: usize) -> Option<&'a [u8]> {
        self.envelope.raw(self.storage.timeseries.get(index)?.raw)
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

    /// An encoder of the request's series, in the symbolizer's form of the message.
    ///
    /// # Errors
    ///
    /// If there are more symbols than the symbolizer allows.
    pub fn encoder<'z>(
        &self,
        symbolizer: &'z mut Symbolizer,
    ) -> Result<RequestEncoder<'z, 'a, TimeSeriesIter<'_, 'a>>, TooManySymbols> {
        symbolizer.symbolize(self.timeseries())
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage.capacity_bytes().saturating_add(self.envelope.capacity_bytes())
    }

    /// Begins a request that is not decoded from `body` but made along with it. The symbols that
    /// all requests of its form have are there then.
    pub(super) fn begin_made(
        &mut self,
        body: &'a [u8],
        format: Format,
        extensions: Extensions,
        has_unknown_fields: bool,
    ) {
        self.begin(&DecodeOptions::new().with_format(format));
        self.envelope.body = body;
        self.envelope.unknown_fields = has_unknown_fields;
        self.extensions = extensions;
        self.all_symbols = true;
    }

    /// Reads the symbols that are still to come, from place `from` of the body on: they may stand
    /// behind the series that use them.
    #[cold]
    fn read_symbols_behind(
        &mut self,
        from: u32,
        cursor: &mut Cursor<'a, '_>,
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        let mut cursor = cursor.elsewhere(Reader::at(self.envelope.body, from)?);
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                SYMBOLS => {
                    read_symbols(&mut cursor, &mut self.storage.symbols, options.max_symbols)?;
                }
                _ => cursor.pass_field(tag)?,
            }
        }
        self.all_symbols = true;
        Ok(())
    }
}

impl Sealed for Request<'_> {}

impl<'a> ReadRecords<'a> for Request<'a> {
    const SHAPE: &'static Shape = &REQUEST;
    const OTHER_VERSION: Option<&'static Shape> = Some(&other_version::WRITE_REQUEST);

    #[inline]
    fn kind_of(tag: Tag) -> Option<RecordKind> {
        if tag == TIMESERIES { Some(RecordKind::TimeSeries) } else { None }
    }

    #[inline]
    fn max_records(options: &DecodeOptions, _: RecordKind) -> usize {
        options.max_timeseries
    }

    fn limit_at(options: &DecodeOptions, tag: Tag, before: usize) -> Option<(&'static str, usize)> {
        Some(match tag {
            TIMESERIES if before >= options.max_timeseries => {
                ("max_timeseries", options.max_timeseries)
            }
            SYMBOLS if before >= options.max_symbols => ("max_symbols", options.max_symbols),
            _ => ("max_elements", options.limits.max_elements),
        })
    }

    #[inline]
    fn records_len(&self, _: RecordKind) -> usize {
        self.storage.timeseries.len()
    }

    #[inline]
    fn read_record(
        &mut self,
        _: RecordKind,
        mut message: Cursor<'a, '_>,
        raw: Raw,
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        let elements_left = message.elements_left();
        let expanded_before = self.storage.expanded_bytes;
        let mut result = read_series(message.again(), &mut self.storage);
        let failed = result.is_err() || message.has_noted_faults();
        if failed && !self.all_symbols && lacks_symbol(&result, &message) {
            self.storage.truncate(self.storage.timeseries.len());
            self.storage.expanded_bytes = expanded_before;
            message.retry(elements_left);
            self.read_symbols_behind(raw.end, &mut message, options)?;
            result = read_series(message.again(), &mut self.storage);
        }
        result?;
        // The work that is done once it is decoded grows with what it stands for.
        if self.storage.expanded_bytes > options.limits.max_expanded_bytes {
            let error = DecodeErrorKind::ExpansionTooLarge;
            return Err(DecodeError::in_field(error, TIMESERIES, raw.start));
        }
        if message.content_is_good() {
            self.storage.end_series(raw);
        }
        Ok(())
    }

    fn truncate(&mut self, _: RecordKind, len: usize) {
        self.storage.truncate(len);
    }

    fn read_field(
        &mut self,
        tag: Tag,
        cursor: &mut Cursor<'a, '_>,
        options: &DecodeOptions,
    ) -> Result<(), DecodeError> {
        match tag {
            SYMBOLS if self.all_symbols => cursor.pass_field(tag),
            SYMBOLS => read_symbols(cursor, &mut self.storage.symbols, options.max_symbols),
            _ => self.extensions.read(tag, cursor),
        }
    }

    fn begin(&mut self, options: &DecodeOptions) {
        self.format = options.format;
        if options.format == Format::MimirRecord {
            self.storage.symbols.push_common(&COMMON_SYMBOLS, COMMON_SYMBOLS_END);
        }
    }

    fn envelope(&mut self) -> &mut Envelope<'a, RecordKind> {
        &mut self.envelope
    }

    fn common(options: &DecodeOptions) -> Common<'_> {
        let DecodeOptions { limits, partial, deny_unknown_fields, .. } = options;
        Common { limits, partial: *partial, deny_unknown_fields: *deny_unknown_fields }
    }

    fn clear(&mut self) {
        let Self { envelope, storage, .. } = self;
        if envelope.is_wasted(storage.used_bytes(), || storage.capacity_bytes()) {
            *self = Self::default();
            return;
        }
        self.envelope.clear();
        self.extensions = Extensions::new();
        self.storage.clear();
        self.format = Format::Standard;
        self.all_symbols = false;
        #[cfg(feature = "prost")]
        {
            self.generated = None;
        }
    }
}

impl<'a> DecodeRequest<'a> for Request<'a> {
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

tie!(TiedRequest, Request, bytes::Bytes);

impl Reuse for Request<'_> {
    type Options = DecodeOptions;
    type Kind = RecordKind;
    type Request<'a> = Request<'a>;
    type Tied = TiedRequest;
    type Scratch = ();

    #[inline]
    fn recycle(request: Request<'_>) -> Request<'static> {
        request.recycle()
    }

    #[inline]
    fn shorten<'a>(request: Request<'static>) -> Request<'a> {
        request
    }
}

/// Whether a series failed for a reference that no symbol so far has.
fn lacks_symbol(result: &Result<(), DecodeError>, cursor: &Cursor<'_, '_>) -> bool {
    let kind = DecodeErrorKind::RefOutOfRange;
    cursor.has_noted(kind) || result.is_err_and(|error| error.kind() == kind)
}

/// Shows counts, not content.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("bytes", &self.body().len())
            .field("symbols", &self.symbols().len())
            .field("timeseries", &self.storage.timeseries.len())
            .field("labels", &self.labels_len())
            .field("samples", &self.samples_len())
            .field("exemplars", &self.exemplars_len())
            .field("histograms", &self.histograms_len())
            .field("skipped", &self.skipped().len())
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Limits;
    use crate::remote_write::model::label::Label;
    use alloc::vec::Vec;

    /// Symbols "", "a", "b".
    const TABLE: &[u8] = b"\x22\0\x22\x01a\x22\x01b";

    fn fault(body: &[u8]) -> (DecodeErrorKind, u32, usize) {
        let error = Request::decode(body).unwrap_err();
        (error.kind(), error.field_number(), error.offset())
    }

    /// The fault of a series behind the table, its place counted in the series.
    fn fault_in(series: &[u8]) -> (DecodeErrorKind, u32, usize) {
        let len = u8::try_from(series.len()).unwrap();
        let (kind, field, at) = fault(&[TABLE, &[0x2a, len], series].concat());
        (kind, field, at - TABLE.len() - 2)
    }

    #[test]
    fn every_field_of_golden_bytes() {
        let series =
            b"\x0a\x02\x01\x02\x12\x0d\x09\0\0\0\0\0\0\xf8\x3f\x10\x07\x18\x05\x1a\x02\x08\x03\
            \x22\x06\x0a\x02\x02\x01\x18\x09\x2a\x06\x08\x02\x18\x01\x20\x02\x30\x04";
        let len = u8::try_from(series.len()).unwrap();
        let body = [&b"\x10\x01"[..], TABLE, &[0x2a, len], series, b"\xc0\x3e\x01"].concat();
        let request = Request::decode(&body).unwrap();
        assert_eq!(request.extensions().source.0, 1);
        assert!(request.extensions().skip_label_validation && !request.has_unknown_fields());
        let series = request.timeseries().get(0).unwrap();
        assert_eq!(series.labels(), [Label::new("a", "b")]);
        let sample = series.samples()[0];
        assert_eq!((sample.value, sample.timestamp, sample.start_timestamp), (1.5, 7, 5));
        assert_eq!(series.histograms().len(), 1);
        let exemplar = series.exemplars().get(0).unwrap();
        assert_eq!((exemplar.labels(), exemplar.timestamp()), (&[Label::new("b", "a")][..], 9));
        let metadata = series.metadata().unwrap();
        assert_eq!((metadata.metric_type.0, metadata.help, metadata.unit), (2, "a", "b"));
        assert_eq!(series.created_timestamp(), 4);
        let refs = request.refs(0).unwrap();
        assert_eq!(refs.labels().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(refs.exemplars().next().unwrap().collect::<Vec<_>>(), [2, 1]);
        assert_eq!(refs.metadata().unwrap().unit_ref, 2);
    }

    #[test]
    fn faults_have_kind_and_place() {
        use DecodeErrorKind::*;
        assert_eq!(fault(b"\x22\x05a"), (Truncated, 4, 1));
        assert_eq!(fault(b"\x22\0\x22\x02a\xff"), (InvalidUtf8, 4, 5));
        assert_eq!(fault(b"\x22\x01a\x2a\x01"), (Truncated, 5, 4));
        assert_eq!(fault(b"\x02"), (InvalidTag, 0, 0));
        assert_eq!(fault_in(b"\x0a\x02\x01\x03"), (RefOutOfRange, 1, 3));
        assert_eq!(fault_in(b"\x08\x01\x08\x03"), (RefOutOfRange, 1, 3));
        assert_eq!(fault_in(b"\x0a\x01\x01"), (OddRefs, 1, 3));
        assert_eq!(fault_in(b"\x0a\x02\x01\x80"), (Truncated, 1, 3));
        assert_eq!(fault_in(b"\x0a\x03\x01"), (Truncated, 1, 1));
        assert_eq!(fault_in(b"\x12\x01\x10"), (Truncated, 2, 3));
        assert_eq!(fault_in(b"\x1a\x02\x6a\x07"), (Truncated, 13, 3));
        assert_eq!(fault_in(b"\x22\x04\x0a\x02\x01\x03"), (RefOutOfRange, 1, 5));
        assert_eq!(fault_in(b"\x22\x03\x0a\x01\x01"), (OddRefs, 1, 5));
        assert_eq!(fault_in(b"\x22\x02\x11\0"), (Truncated, 2, 3));
        assert_eq!(fault_in(b"\x2a\x02\x18\x03"), (RefOutOfRange, 3, 3));
        assert_eq!(fault_in(b"\x2a\x02\x20\x03"), (RefOutOfRange, 4, 3));
        assert_eq!(fault_in(b"\x2a\x01\x08"), (Truncated, 1, 3));
        assert_eq!(fault_in(b"\x30"), (Truncated, 6, 1));
    }

    #[test]
    fn caps_have_their_place() {
        let body = [TABLE, b"\x2a\x08\x0a\x02\x01\x02\x12\0\x22\0\x2a\0"].concat();
        let limited = |options: DecodeOptions| {
            let error = Request::decode_with(&body, &options).err()?;
            Some((error.kind(), error.field_number(), error.offset()))
        };
        let elements = |max| DecodeOptions::new().with_limits(Limits::new().with_max_elements(max));
        let over = |field, at| Some((DecodeErrorKind::LimitExceeded, field, at));
        assert_eq!(limited(DecodeOptions::new().with_max_symbols(2)), over(4, 6));
        assert_eq!(limited(DecodeOptions::new().with_max_symbols(3)), None);
        assert_eq!(limited(DecodeOptions::new().with_max_timeseries(1)), over(5, 19));
        // Three symbols, a series, a label, a sample, an exemplar, a series.
        let places = [(4, 1), (4, 3), (4, 6), (5, 9), (1, 12), (2, 15), (4, 17), (5, 19)];
        for (max, (field, at)) in places.into_iter().enumerate() {
            assert_eq!(limited(elements(max)), over(field, at), "{max}");
        }
        assert_eq!(limited(elements(places.len())), None);
    }

    #[test]
    fn symbols_behind_a_series_count_once() {
        let body = [b"\x2a\x04\x0a\x02\x01\x02", TABLE].concat();
        let options = |max| DecodeOptions::new().with_limits(Limits::new().with_max_elements(max));
        assert!(Request::decode_with(&body, &options(5)).is_ok());
        let error = Request::decode_with(&body, &options(4)).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::LimitExceeded);
    }

    #[test]
    fn a_bad_exemplar_costs_the_exemplar() {
        // two exemplars, of which the first refers to no symbol, then a sample
        let series = b"\x0a\x02\x01\x02\x22\x04\x0a\x02\x01\x09\x22\x04\x0a\x02\x02\x01\x12\0";
        let len = u8::try_from(series.len()).unwrap();
        let record = [&[0x2a, len], &series[..]].concat();
        let partial = DecodeOptions::new().with_partial(true);
        for body in [[TABLE, &record].concat(), [&record, TABLE].concat()] {
            assert_eq!(Request::decode(&body).unwrap_err().kind(), DecodeErrorKind::RefOutOfRange);
            let request = Request::decode_with(&body, &partial).unwrap();
            let series = request.timeseries().get(0).unwrap();
            assert_eq!((series.samples().len(), series.exemplars().len()), (1, 1));
            let kept = series.exemplars().get(0).unwrap();
            assert_eq!(kept.labels(), [Label::new("b", "a")]);
            let [skipped] = request.skipped() else { panic!("{:?}", request.skipped()) };
            assert_eq!((skipped.index, skipped.element), (0, Some(0)));
            assert!(skipped.to_string().contains(" 0, element 0, left out: "));
        }
    }

    #[test]
    fn debug_output_shows_counts() {
        let body = [TABLE, b"\x2a\0"].concat();
        let shown = alloc::format!("{:?}", Request::decode(&body).unwrap());
        assert!(shown.contains("symbols: 3") && !shown.contains('"'), "{shown}");
    }
}
