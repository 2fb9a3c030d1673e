//! 2.0 to 1.0.

use alloc::vec::Vec;
use core::fmt;

use super::family::{NameIndex, family_name, last_metric_name};
use super::loss::Loss;
use crate::message::columns::{index, push, recycle, sum, vec_bytes};
use crate::remote_write::Metadata;
use crate::remote_write::v1::{EncodeOptions, MetricMetadata, WriteRequest, WriteRequestEncoder};
use crate::remote_write::v2::{Format, LongSymbols, Request};
use crate::remote_write::{TimeSeries, TimeSeriesIter};
use crate::reuse::Decoded;
use crate::wire::error::EncodeError;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer, to_usize};

/// Makes requests of 1.0 out of decoded requests of 2.0.
///
/// Its memory is used again for the next request.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::convert::remote_write::{Loss, ToV1};
/// use borrowire::remote_write::v1::MetricMetadata;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, Metadata, MetricType, TimeSeries};
///
/// // a series of a summary, and one without a name that has metadata
/// let labels = [Label::new("__name__", "rpc_count")];
/// let summary = Metadata::new(MetricType::SUMMARY);
/// let series = [TimeSeries::new(&labels), TimeSeries::new(&[])];
/// let series = series.map(|series| series.with_metadata(summary));
/// let body = Symbolizer::new().symbolize(series)?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
///
/// let mut to_v1 = ToV1::new();
/// let mut losses = Vec::new();
/// let converted = to_v1.convert(&request, |loss| losses.push(loss));
/// assert_eq!(converted.metadata(), [MetricMetadata::new(MetricType::SUMMARY, "rpc")]);
/// assert_eq!(converted.timeseries().count(), 2);
/// assert_eq!(losses, [Loss::SeriesMetadataWithoutName { series: 1 }]);
///
/// let mut buffer = vec![0; 4096];
/// let len = converted.encode(&mut buffer)?;
/// # assert_eq!(len, converted.encoded_len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct ToV1 {
    /// The first entry of each family, by name.
    index: NameIndex,
    long_symbols: LongSymbols,
    /// Lent to the request that is being made.
    idle_metadata: Vec<MetricMetadata<'static>>,
    /// The message, for those who want it as a request.
    body: Vec<u8>,
    /// Lent to them.
    idle: WriteRequest<'static>,
    /// Which series of a record of Mimir do not only carry metadata.
    kept: Vec<u32>,
}

impl ToV1 {
    /// A converter without memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// `request` as one of 1.0, without extension fields; its [format](Request::format) tells
    /// whether it is read as a [record of Mimir](super#mimirs-records). What 1.0 cannot say goes to
    /// `report`: about the request, then series by series.
    pub fn convert<'c, 'a>(
        &'c mut self,
        request: &'c Request<'a>,
        report: impl FnMut(Loss),
    ) -> ConvertedToV1<'c, 'a> {
        self.convert_with(request, EncodeOptions::new(), report)
    }

    /// `request` as one of 1.0, with what `options` say: the extension fields of Cortex and Mimir,
    /// start timestamps among them.
    pub fn convert_with<'c, 'a>(
        &'c mut self,
        request: &'c Request<'a>,
        options: EncodeOptions,
        report: impl FnMut(Loss),
    ) -> ConvertedToV1<'c, 'a> {
        let metadata = core::mem::take(&mut self.idle_metadata);
        // The guard first: it gives the memory back should `report` panic.
        let mut converted = ConvertedToV1 { converter: self, request, metadata, options };
        converted.collect(report);
        converted
    }

    /// Heap bytes that the converter holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.idle_metadata),
            self.index.capacity_bytes(),
            vec_bytes(&self.body),
            self.idle.capacity_bytes(),
            self.long_symbols.capacity_bytes(),
            vec_bytes(&self.kept),
        ])
    }
}

impl fmt::Debug for ToV1 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToV1").field("capacity_bytes", &self.capacity_bytes()).finish()
    }
}

/// A request of 2.0 as one of 1.0, in the memory of a [`ToV1`], which it gives back when dropped.
///
/// [`Encode`] writes it.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::convert::remote_write::ToV1;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, Metadata, MetricType, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let series = TimeSeries::new(&labels).with_metadata(Metadata::new(MetricType::GAUGE));
/// let body = Symbolizer::new().symbolize([series])?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
///
/// let mut to_v1 = ToV1::new();
/// let converted = to_v1.convert(&request, |loss| eprintln!("{loss}"));
/// assert_eq!(converted.timeseries().next().unwrap().labels(), labels);
/// assert_eq!(converted.metadata()[0].metric_family_name, "up");
/// assert_eq!(WriteRequest::decode(&converted.encode_to_vec()?)?.metadata().len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ConvertedToV1<'c, 'a> {
    converter: &'c mut ToV1,
    request: &'c Request<'a>,
    metadata: Vec<MetricMetadata<'a>>,
    options: EncodeOptions,
}

impl<'c, 'a> ConvertedToV1<'c, 'a> {
    fn collect(&mut self, report: impl FnMut(Loss)) {
        let request = self.request;
        let mut report = Loss::in_body(request, report);
        if request.has_unknown_fields() {
            report(Loss::UnknownFields);
        }
        self.converter.long_symbols.read(self.request.symbols());
        let mut before = None;
        let is_record = self.is_mimir_record();
        for (position, series) in self.request.timeseries().iter().enumerate() {
            if is_record && !only_carries_metadata(&series) {
                push(&mut self.converter.kept, index(position));
            }
            if !self.options.start_timestamps && has_start_timestamp(&series) {
                report(Loss::StartTimestamp { series: position });
            }
            let Some(metadata) = series.metadata().filter(|it| *it != Metadata::default()) else {
                continue;
            };
            let name = if is_record { last_metric_name(&series) } else { series.metric_name() };
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                report(Loss::SeriesMetadataWithoutName { series: position });
                continue;
            };
            // Series of one metric mostly stand together.
            if !self.is_same(before, (name, metadata)) && !self.add(name, metadata) {
                report(Loss::ConflictingSeriesMetadata { series: position });
                continue;
            }
            before = Some((name, metadata));
        }
    }

    /// Whether a metric and its metadata are those before.
    fn is_same(
        &self,
        before: Option<(&str, Metadata<'_>)>,
        (name, metadata): (&str, Metadata<'_>),
    ) -> bool {
        let long_symbols = &self.converter.long_symbols;
        before.is_some_and(|before| {
            long_symbols.same(before.0, name) && is_same(long_symbols, before.1, metadata)
        })
    }

    fn is_mimir_record(&self) -> bool {
        self.request.format() == Format::MimirRecord
    }

    /// Adds the metadata of a metric, unless it is there already. `false` if there is other
    /// metadata in its place.
    fn add(&mut self, metric_name: &'a str, metadata: Metadata<'a>) -> bool {
        let is_record = self.is_mimir_record();
        let ToV1 { index: names, long_symbols, .. } = &mut *self.converter;
        let entries = &mut self.metadata;
        let Metadata { metric_type, help, unit, .. } = metadata;
        let name = if is_record { metric_name } else { family_name(metric_name, metric_type) };
        let entry = MetricMetadata::new(metric_type, name).with_help(help).with_unit(unit);
        let at = |position: u32| entries.get(to_usize(position));
        let name_at = |position| at(position).map_or("", |entry| entry.metric_family_name);
        match names.find_or_insert(name, index(entries.len()), name_at).map(at) {
            // Of the same family.
            Some(Some(first)) if is_same(long_symbols, metadata_of(first), metadata) => {
                return true;
            }
            Some(_) if !is_record => return false,
            _ => {}
        }
        push(entries, entry);
        true
    }

    /// The series, in wire order, without those that only carry metadata in a record of Mimir. They
    /// have their start timestamps, whether these are written or not.
    #[must_use]
    pub fn timeseries(&self) -> V1Series<'c, 'a> {
        V1Series { series: self.request.timeseries().iter(), records: self.is_mimir_record() }
    }

    /// How many series there are.
    pub(super) fn positions_len(&self) -> usize {
        if self.is_mimir_record() {
            self.converter.kept.len()
        } else {
            self.request.timeseries().len()
        }
    }

    /// One of the series, as [`timeseries`](Self::timeseries) has them.
    #[inline]
    pub(super) fn series_at_position(&self, position: usize) -> Option<TimeSeries<'_, 'a>> {
        let position = if self.is_mimir_record() {
            to_usize(*self.converter.kept.get(position)?)
        } else {
            position
        };
        Some(self.request.timeseries().get(position)?.without_metadata())
    }

    /// The request that is converted.
    pub(super) const fn source(&self) -> &'c Request<'a> {
        self.request
    }

    /// The metadata entries, in the order of the series that they come from.
    #[must_use]
    pub fn metadata(&self) -> &[MetricMetadata<'a>] {
        &self.metadata
    }

    /// Writes the request, and gives it as if it were decoded from that: to be split, hashed,
    /// validated or relabelled.
    ///
    /// ```
    /// use borrowire::convert::remote_write::ToV1;
    /// use borrowire::remote_write::v2::Request;
    /// use borrowire::shard::Splitter;
    ///
    /// # use borrowire::Encode;
    /// # use borrowire::remote_write::{Label, TimeSeries, v2::Symbolizer};
    /// # let labels = [Label::new("__name__", "up")];
    /// # let body = Symbolizer::new().symbolize([TimeSeries::new(&labels)])?.encode_to_vec()?;
    /// let request = Request::decode(&body)?;
    /// let mut to_v1 = ToV1::new();
    /// let mut converted = to_v1.convert(&request, |loss| eprintln!("{loss}"));
    /// let old = converted.request()?;
    /// let mut splitter = Splitter::new();
    /// assert_eq!(splitter.split_by_size(&*old, 1 << 20).encoded_len(), old.body().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the message is over 2 GiB - 1.
    pub fn request(&mut self) -> Result<Decoded<'_, '_, WriteRequest<'static>>, EncodeError> {
        let mut body = core::mem::take(&mut self.converter.body);
        body.clear();
        let written = self.append_to_vec(&mut body);
        self.converter.body = body;
        written?;
        let timeseries = self.timeseries();
        let ToV1 { body, idle, .. } = &mut *self.converter;
        let (metadata, options) = (self.metadata.iter().copied(), &self.options);
        Ok(Decoded::filled(idle, |request: &mut WriteRequest<'_>| {
            request.make(body, options, timeseries, metadata);
        }))
    }

    fn encoder<S>(
        &self,
        timeseries: S,
    ) -> WriteRequestEncoder<S, impl Iterator<Item = MetricMetadata<'a>> + Clone>
    where
        S: Iterator<Item = TimeSeries<'c, 'a>> + Clone,
    {
        WriteRequestEncoder::new(timeseries)
            .with_metadata(self.metadata.iter().copied())
            .with_options(self.options)
    }
}

fn metadata_of<'a>(entry: &MetricMetadata<'a>) -> Metadata<'a> {
    Metadata::new(entry.metric_type).with_help(entry.help).with_unit(entry.unit)
}

fn is_same(long_symbols: &LongSymbols, one: Metadata<'_>, other: Metadata<'_>) -> bool {
    one.metric_type == other.metric_type
        && long_symbols.same(one.help, other.help)
        && long_symbols.same(one.unit, other.unit)
}

#[inline]
fn has_start_timestamp(series: &TimeSeries<'_, '_>) -> bool {
    series.created_timestamp() != 0
        || series.samples().iter().any(|sample| sample.start_timestamp != 0)
        || series.histograms().iter().any(|histogram| histogram.start_timestamp != 0)
}

/// The message of remote write 1.0, with the extension fields that were handed over.
impl Encode for ConvertedToV1<'_, '_> {
    fn encoded_len(&self) -> usize {
        if self.is_mimir_record() {
            return self.encoder(self.timeseries()).encoded_len();
        }
        // Nothing is left out, and 1.0 does not write what the views still have: no need to take it
        // out.
        self.encoder(self.request.timeseries().iter()).encoded_len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if self.is_mimir_record() {
            return self.encoder(self.timeseries()).write_to(writer);
        }
        self.encoder(self.request.timeseries().iter()).write_to(writer)
    }
}

impl Drop for ConvertedToV1<'_, '_> {
    fn drop(&mut self) {
        self.converter.idle_metadata = recycle(core::mem::take(&mut self.metadata));
        self.converter.index.clear();
        self.converter.kept.clear();
        self.converter.long_symbols.clear();
    }
}

/// Shows counts, not content.
impl fmt::Debug for ConvertedToV1<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConvertedToV1")
            .field("request", self.request)
            .field("metadata", &self.metadata.len())
            .finish_non_exhaustive()
    }
}

/// Iterates over the series of a [`ConvertedToV1`].
#[derive(Clone, Debug)]
pub struct V1Series<'c, 'a> {
    series: TimeSeriesIter<'c, 'a>,
    /// Whether to leave out those that only carry metadata.
    records: bool,
}

impl<'c, 'a> Iterator for V1Series<'c, 'a> {
    type Item = TimeSeries<'c, 'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let series = self.series.next()?;
            if !(self.records && only_carries_metadata(&series)) {
                return Some(series.without_metadata());
            }
        }
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let (least, most) = self.series.size_hint();
        (if self.records { 0 } else { least }, most)
    }
}

impl core::iter::FusedIterator for V1Series<'_, '_> {}

fn only_carries_metadata(series: &TimeSeries<'_, '_>) -> bool {
    series.samples().is_empty()
        && series.histograms().is_empty()
        && series.exemplars().is_empty()
        && series.created_timestamp() == 0
        && series.metadata().is_some_and(|metadata| metadata != Metadata::default())
        && series.labels().len() == 1
        && series.metric_name().is_some_and(|name| !name.is_empty())
}
