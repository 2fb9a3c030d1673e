//! 1.0 to 2.0.

use alloc::vec::Vec;
use core::fmt;
use core::marker::PhantomData;
use core::slice;

use super::family::{NameIndex, belongs_to, last_metric_name, stem};
use super::loss::Loss;
use super::source::{Positions, RequestV1, Selection};
use crate::message::columns::{index, push, recycle, sum, vec_bytes};
use crate::remote_write::Metadata;
use crate::remote_write::TimeSeries;
use crate::remote_write::v1::{MetricMetadata, WriteRequest};
use crate::remote_write::v2::{
    EncodeOptions, Format, Request, RequestEncoder, Symbolizer, TooManySymbols,
};
use crate::remote_write::{Label, METRIC_NAME};
use crate::reuse::Decoded;
use crate::wire::message::Encode;
use crate::wire::to_usize;

/// Makes requests of 2.0 out of decoded requests of 1.0.
///
/// Its memory is used again for the next request.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::convert::remote_write::{Loss, ToV2};
/// use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, Metadata, MetricType, TimeSeries};
///
/// // a series of the summary "rpc", and metadata of the summaries "rpc" and "http"
/// let labels = [Label::new("__name__", "rpc_sum")];
/// let metadata = ["rpc", "http"].map(|name| MetricMetadata::new(MetricType::SUMMARY, name));
/// let body = WriteRequestEncoder::new([TimeSeries::new(&labels)])
///     .with_metadata(metadata)
///     .encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
///
/// let mut to_v2 = ToV2::new();
/// let mut losses = Vec::new();
/// let converted = to_v2.convert(&request, |loss| losses.push(loss));
/// let series = converted.timeseries().next().unwrap();
/// assert_eq!(series.metadata(), Some(Metadata::new(MetricType::SUMMARY)));
/// assert_eq!(losses, [Loss::MetadataWithoutSeries { metadata: 1 }]);
///
/// let mut symbolizer = Symbolizer::new();
/// let mut buffer = vec![0; 4096];
/// let len = converted.symbolize(&mut symbolizer)?.encode(&mut buffer)?;
/// assert!(Request::decode(&buffer[..len])?.timeseries().iter().eq(converted.timeseries()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Default)]
pub struct ToV2 {
    format: Format,
    /// The first entry of each family, by name.
    index: NameIndex,
    /// For each entry, whether it still looks for a series.
    waiting: Vec<bool>,
    /// For each series the position of its entry, or [`NONE`].
    attached: Vec<u32>,
    /// Lent to the request that is being made.
    idle_carriers: Vec<Carrier<'static>>,
    /// The message, for those who want it as a request.
    body: Vec<u8>,
    /// Lent to them.
    idle: Request<'static>,
}

/// The position of no entry: there are fewer than bytes in a body.
const NONE: u32 = u32::MAX;

/// What a series is made of that carries an entry which no other series does.
#[derive(Clone, Copy, Default)]
struct Carrier<'a> {
    labels: [Label<'a>; 1],
    /// The entry's position.
    metadata: u32,
}

impl ToV2 {
    /// A converter without memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets which form of 2.0 is made: the standard one, or [records of
    /// Mimir](super#mimirs-records).
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    fn makes_mimir_records(&self) -> bool {
        self.format == Format::MimirRecord
    }

    /// `request` as one of 2.0, without the fields of Cortex and Mimir. What 2.0 cannot say goes to
    /// `report`: about the request, then entry by entry, series by series, and the entries without
    /// a series.
    pub fn convert<'c, 'a>(
        &'c mut self,
        request: &'c WriteRequest<'a>,
        report: impl FnMut(Loss),
    ) -> ConvertedToV2<'c, 'a> {
        self.convert_with(request, EncodeOptions::new(), report)
    }

    /// `request` as one of 2.0, with what `options` say: the request fields of Cortex and Mimir,
    /// and the series' `created_timestamp`.
    pub fn convert_with<'c, 'a>(
        &'c mut self,
        request: &'c WriteRequest<'a>,
        options: EncodeOptions,
        report: impl FnMut(Loss),
    ) -> ConvertedToV2<'c, 'a> {
        let report = Loss::in_body(request, report);
        self.convert_some(request, Selection::all(request), options, report)
    }

    /// Some records of `request` as a request of 2.0.
    pub(crate) fn convert_some<'c, 'a, R: RequestV1<'a>>(
        &'c mut self,
        request: &'c R,
        records: Selection<'c>,
        options: EncodeOptions,
        report: impl FnMut(Loss),
    ) -> ConvertedToV2<'c, 'a, R> {
        let carriers = core::mem::take(&mut self.idle_carriers);
        // The guard first: it gives the memory back should `report` panic.
        let mut converted = ConvertedToV2 { converter: self, request, records, carriers, options };
        converted.attach(report);
        converted
    }

    /// Heap bytes that the converter holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            self.index.capacity_bytes(),
            vec_bytes(&self.waiting),
            vec_bytes(&self.attached),
            vec_bytes(&self.idle_carriers),
            vec_bytes(&self.body),
            self.idle.capacity_bytes(),
        ])
    }

    /// Takes up the metadata entries of a request, by name, if they are `wanted` by series.
    fn add_entries<'a, R: RequestV1<'a>>(
        &mut self,
        entries: &Entries<'_, 'a, R>,
        wanted: bool,
        report: &mut impl FnMut(Loss),
    ) {
        let records = self.makes_mimir_records();
        for metadata in 0..entries.len() {
            let Some(entry) = entries.get(index(metadata)) else { break };
            let says_nothing = if entry.metric_family_name.is_empty() {
                report(Loss::MetadataWithoutName { metadata });
                true
            } else if content(&entry) == Metadata::default() {
                report(Loss::EmptyMetadata { metadata });
                true
            } else {
                false
            };
            // Mimir writes also what nobody can read, and all there is if nobody looks for it.
            if says_nothing && !records || records && !wanted {
                self.waiting.push(records);
                continue;
            }
            let name_at = |position| entries.name(position);
            let name = entry.metric_family_name;
            let waiting = match self.index.find_or_insert(name, index(metadata), name_at) {
                None => true,
                Some(first) if entries.get(first) == Some(entry) => false,
                Some(_) if records => true,
                Some(_) => {
                    report(Loss::ConflictingMetadata { metadata });
                    false
                }
            };
            self.waiting.push(waiting);
        }
    }

    /// The entry of the family that a metric belongs to.
    fn find<'a, R: RequestV1<'a>>(
        &self,
        entries: &Entries<'_, 'a, R>,
        metric_name: &str,
    ) -> Option<u32> {
        let name_at = |position| entries.name(position);
        if self.makes_mimir_records() {
            return self.index.find(metric_name, name_at);
        }
        // Of another type the name may be of another family.
        let family = |name: &str| {
            let position = self.index.find(name, name_at)?;
            let metric_type = entries.get(position)?.metric_type;
            belongs_to(metric_name, name, metric_type).then_some(position)
        };
        family(metric_name).or_else(|| family(stem(metric_name)?))
    }
}

impl fmt::Debug for ToV2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToV2")
            .field("format", &self.format)
            .field("capacity_bytes", &self.capacity_bytes())
            .finish()
    }
}

/// The metadata entries of a request, or some of them, by positions of 32 bits among these.
struct Entries<'c, 'a, R> {
    request: &'c R,
    positions: Positions<'c>,
    lifetime: PhantomData<&'a ()>,
}

impl<R> Clone for Entries<'_, '_, R> {
    fn clone(&self) -> Self {
        Self { positions: self.positions.clone(), ..*self }
    }
}

impl<'a, R: RequestV1<'a>> Entries<'_, 'a, R> {
    fn len(&self) -> usize {
        self.positions.len()
    }

    fn get(&self, position: u32) -> Option<MetricMetadata<'a>> {
        self.request.metadata_at(self.positions.get(to_usize(position))?)
    }

    fn name(&self, position: u32) -> &'a str {
        self.get(position).map_or("", |entry| entry.metric_family_name)
    }
}

fn content<'a>(entry: &MetricMetadata<'a>) -> Metadata<'a> {
    Metadata::new(entry.metric_type).with_help(entry.help).with_unit(entry.unit)
}

/// A request of 1.0 as one of 2.0, in the memory of a [`ToV2`], which it gives back when dropped.
///
/// [`symbolize`](Self::symbolize) makes it ready to be written.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::convert::remote_write::ToV2;
/// use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, MetricType, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let body = WriteRequestEncoder::new([TimeSeries::new(&labels)])
///     .with_metadata([MetricMetadata::new(MetricType::GAUGE, "up")])
///     .encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
///
/// let (mut to_v2, mut symbolizer) = (ToV2::new(), Symbolizer::new());
/// let converted = to_v2.convert(&request, |loss| eprintln!("{loss}"));
/// let series = converted.timeseries().next().unwrap();
/// assert_eq!(series.metadata().unwrap().metric_type, MetricType::GAUGE);
/// let body = converted.symbolize(&mut symbolizer)?.encode_to_vec()?;
/// assert!(Request::decode(&body)?.timeseries().iter().eq(converted.timeseries()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ConvertedToV2<'c, 'a, R = WriteRequest<'a>> {
    converter: &'c mut ToV2,
    request: &'c R,
    records: Selection<'c>,
    carriers: Vec<Carrier<'a>>,
    options: EncodeOptions,
}

impl<'c, 'a, R: RequestV1<'a>> ConvertedToV2<'c, 'a, R> {
    fn attach(&mut self, mut report: impl FnMut(Loss)) {
        if self.request.has_unknown_fields() {
            report(Loss::UnknownFields);
        }
        let request = self.request;
        let positions = self.records.series.clone();
        let entries = self.entries();
        let (is_empty, makes_records) = (entries.len() == 0, self.converter.makes_mimir_records());
        self.converter.add_entries(&entries, positions.len() != 0, &mut report);
        // The last metric's name, and its entry: its series mostly stand together.
        let mut last: Option<(&str, Option<u32>)> = None;
        for (series, position) in positions.enumerate() {
            let Some(view) = request.series_at(position) else { break };
            if !self.options.created_timestamps && loses_created_timestamp(&view) {
                report(Loss::StartTimestamp { series });
            }
            if is_empty {
                continue;
            }
            let name = if makes_records { last_metric_name(&view) } else { view.metric_name() };
            let name = name.unwrap_or("");
            let entry = match last {
                Some((before, entry)) if before == name => entry,
                _ => self.converter.find(&entries, name),
            };
            last = Some((name, entry));
            if let Some(waiting) =
                entry.and_then(|entry| self.converter.waiting.get_mut(to_usize(entry)))
            {
                *waiting = false;
            }
            push(&mut self.converter.attached, entry.unwrap_or(NONE));
        }
        for metadata in 0..self.converter.waiting.len() {
            if self.converter.waiting.get(metadata) != Some(&true) {
                continue;
            }
            if makes_records {
                let position = index(metadata);
                let labels = [Label::new(METRIC_NAME, entries.name(position))];
                push(&mut self.carriers, Carrier { labels, metadata: position });
            } else {
                report(Loss::MetadataWithoutSeries { metadata });
            }
        }
    }

    fn entries(&self) -> Entries<'c, 'a, R> {
        let Self { request, records, .. } = self;
        Entries { request, positions: records.metadata.clone(), lifetime: PhantomData }
    }

    /// The series, in wire order, with metadata; behind them, in a record of Mimir, those that only
    /// carry metadata.
    #[must_use]
    pub fn timeseries(&self) -> V2Series<'_, 'a, R> {
        let attached = &self.converter.attached;
        let records = self.converter.makes_mimir_records();
        V2Series::new(&self.records, self.entries(), attached, &self.carriers, records)
    }

    /// Whether there are no series: a request of 1.0 that has metadata alone is none of 2.0, but
    /// for a record of Mimir. Such a request is better not sent: Mimir's receiver panics on it.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.timeseries().next().is_none()
    }

    /// The request with its texts as symbols, which can be encoded: in the form that the converter
    /// makes, whatever the symbolizer's is.
    ///
    /// # Errors
    ///
    /// If there are more symbols than the symbolizer may give. The position is among
    /// [`timeseries`](Self::timeseries), of which the first so many make a request.
    pub fn symbolize<'z>(
        &'z self,
        symbolizer: &'z mut Symbolizer,
    ) -> Result<RequestEncoder<'z, 'a, V2Series<'z, 'a, R>>, TooManySymbols> {
        symbolizer.symbolize_as(self.converter.format, self.timeseries(), &self.options)
    }

    /// Writes the request, and gives it as if it were decoded from that: to be split, hashed,
    /// validated or relabelled.
    ///
    /// ```
    /// use borrowire::convert::remote_write::ToV2;
    /// use borrowire::remote_write::v1::WriteRequest;
    /// use borrowire::remote_write::v2::Symbolizer;
    /// use borrowire::shard::Splitter;
    ///
    /// # use borrowire::Encode;
    /// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
    /// # let labels = [Label::new("__name__", "up")];
    /// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
    /// let request = WriteRequest::decode(&body)?;
    /// let (mut to_v2, mut symbolizer) = (ToV2::new(), Symbolizer::new());
    /// let mut converted = to_v2.convert(&request, |loss| eprintln!("{loss}"));
    /// let new = converted.request(&mut symbolizer)?;
    /// let mut splitter = Splitter::new();
    /// assert_eq!(splitter.split_by_size(&*new, 1 << 20).encoded_len(), new.body().len());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If there are more symbols than the symbolizer may give, as [`symbolize`](Self::symbolize)
    /// has it. A message of over 2 GiB - 1, which nobody could decode, has no series here.
    pub fn request(
        &mut self,
        symbolizer: &mut Symbolizer,
    ) -> Result<Decoded<'_, '_, Request<'static>>, TooManySymbols> {
        let entries = self.entries();
        let records = self.converter.makes_mimir_records();
        let ToV2 { format, attached, body, idle, .. } = &mut *self.converter;
        let series = V2Series::new(&self.records, entries, attached, &self.carriers, records);
        let symbolized = symbolizer.symbolize_as(*format, series, &self.options)?;
        body.clear();
        if symbolized.append_to_vec(body).is_err() {
            body.clear();
        }
        let body = &**body;
        Ok(Decoded::filled(idle, |request: &mut Request<'_>| symbolized.make(body, request)))
    }
}

/// Whether a series has a `created_timestamp` but nothing that takes it over.
fn loses_created_timestamp(series: &TimeSeries<'_, '_>) -> bool {
    series.created_timestamp() != 0 && series.samples().is_empty() && series.histograms().is_empty()
}

impl<R> Drop for ConvertedToV2<'_, '_, R> {
    fn drop(&mut self) {
        self.converter.idle_carriers = recycle(core::mem::take(&mut self.carriers));
        self.converter.index.clear();
        self.converter.waiting.clear();
        self.converter.attached.clear();
    }
}

/// Shows counts, not content.
impl<'a, R: RequestV1<'a>> fmt::Debug for ConvertedToV2<'_, 'a, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConvertedToV2")
            .field("timeseries", &self.records.series.len())
            .field("metadata", &self.records.metadata.len())
            .field("carriers", &self.carriers.len())
            .finish_non_exhaustive()
    }
}

/// Iterates over the series of a [`ConvertedToV2`].
pub struct V2Series<'c, 'a, R = WriteRequest<'a>> {
    positions: Positions<'c>,
    attached: slice::Iter<'c, u32>,
    entries: Entries<'c, 'a, R>,
    /// Whether it is for a record of Mimir, in which every series has metadata, and a series of
    /// samples and histograms is not two.
    records: bool,
    /// The second of the two.
    rest: Option<TimeSeries<'c, 'a>>,
    carriers: slice::Iter<'c, Carrier<'a>>,
}

impl<R> Clone for V2Series<'_, '_, R> {
    fn clone(&self) -> Self {
        Self {
            positions: self.positions.clone(),
            attached: self.attached.clone(),
            entries: self.entries.clone(),
            carriers: self.carriers.clone(),
            ..*self
        }
    }
}

impl<'c, 'a, R: RequestV1<'a>> V2Series<'c, 'a, R> {
    fn new(
        selection: &Selection<'c>,
        entries: Entries<'c, 'a, R>,
        attached: &'c [u32],
        carriers: &'c [Carrier<'a>],
        records: bool,
    ) -> Self {
        Self {
            positions: selection.series.clone(),
            attached: attached.iter(),
            entries,
            records,
            rest: None,
            carriers: carriers.iter(),
        }
    }

    #[inline]
    fn with_metadata(
        &self,
        series: TimeSeries<'c, 'a>,
        position: Option<u32>,
    ) -> TimeSeries<'c, 'a> {
        match position.and_then(|position| self.entries.get(position)) {
            Some(entry) => series.with_metadata(content(&entry)),
            None if self.records => series.with_metadata(Metadata::default()),
            None => series,
        }
    }
}

impl<'c, 'a, R: RequestV1<'a>> Iterator for V2Series<'c, 'a, R> {
    type Item = TimeSeries<'c, 'a>;

    #[inline]
    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_some() {
            return self.rest.take();
        }
        if let Some(position) = self.positions.next() {
            let series = self.entries.request.series_at(position)?;
            let attached = self.attached.next().copied();
            let mut series = self.with_metadata(series, attached);
            if !self.records && !series.samples().is_empty() && !series.histograms().is_empty() {
                self.rest = Some(series.with_samples(&[]).with_exemplars(&[]));
                series = series.with_histograms(&[]);
            }
            return Some(series);
        }
        let carrier = self.carriers.next()?;
        Some(self.with_metadata(TimeSeries::new(&carrier.labels), Some(carrier.metadata)))
    }
}

impl<'a, R: RequestV1<'a>> core::iter::FusedIterator for V2Series<'_, 'a, R> {}

impl<R> fmt::Debug for V2Series<'_, '_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("V2Series").finish_non_exhaustive()
    }
}
