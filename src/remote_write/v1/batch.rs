//! Grouping for senders: samples of a loop, collected into series by their labels.

use alloc::vec::Vec;
use core::fmt;

use super::message::Message;
use super::metadata::MetricMetadata;
use super::options::DecodeOptions;
use super::time_series::LABELS_BYTE;
use super::write_request::{METADATA, TIMESERIES, WriteRequest};
use crate::limits::Limits;
use crate::message::batch::{Batch, append_with};
use crate::message::columns::{sum, vec_bytes};
use crate::message::regions::{pairs_len, write_pairs};
use crate::remote_write::model::label::Label;
use crate::remote_write::model::sample::Sample;
use crate::remote_write::model::time_series::TimeSeries;
use crate::reuse::Decoded;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer, to_usize};

/// Samples grouped by their labels, in the order in which each series was first seen: a request to
/// encode.
///
/// It borrows nothing, so it can collect what comes through a channel; its memory is used again
/// after [`clear`](Self::clear). Its length is known at any time, so a batch of so many bytes is no
/// guess.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{WriteBatch, WriteRequest};
/// use borrowire::remote_write::{Label, Sample};
///
/// let registry = vec![("http_requests_total".to_owned(), 17.0), ("up".to_owned(), 1.0)];
///
/// let mut batch = WriteBatch::new(); // used again
/// for (second, instance) in [(1, "a".to_owned()), (2, "a".to_owned())] {
///     for (name, value) in &registry {
///         let labels = [Label::new("instance", &instance), Label::new("__name__", name)];
///         batch.push(&labels, Sample::new(*value, second * 1000));
///     }
/// }
/// assert_eq!((batch.timeseries_len(), batch.samples_len()), (2, 4));
///
/// let body = batch.encode_to_vec()?;
/// assert_eq!(body.len(), batch.encoded_len());
/// let request = WriteRequest::decode(&body)?;
/// let series = request.timeseries().get(0).unwrap();
/// assert_eq!(series.metric_name(), Some("http_requests_total"));
/// assert!(series.has_sorted_labels());
/// assert_eq!(series.samples().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// For 2.0, or to split it, a batch is a request:
///
/// ```
/// use borrowire::remote_write::v1::WriteBatch;
/// use borrowire::remote_write::v2::Symbolizer;
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, Sample};
///
/// # let mut batch = WriteBatch::new();
/// # batch.push(&[Label::new("__name__", "up")], Sample::new(1.0, 1));
/// let mut symbolizer = Symbolizer::new();
/// let request = batch.request()?;
/// let body = symbolizer.symbolize(request.timeseries())?.encode_to_vec()?;
/// # assert!(!body.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[doc(alias("queue", "shipper", "PushBatch"))]
pub struct WriteBatch {
    timeseries: Batch,
    samples_len: usize,
    /// Encoded metadata entries.
    metadata: Vec<u8>,
    /// The places of labels in the order of their names.
    order: Vec<u32>,
    /// The message, for those who want it as a request.
    body: Vec<u8>,
    /// Lent to them.
    idle: WriteRequest<'static>,
}

impl Default for WriteBatch {
    fn default() -> Self {
        Self::new()
    }
}

impl WriteBatch {
    /// An empty batch.
    #[must_use]
    pub fn new() -> Self {
        Self {
            timeseries: Batch::new(TIMESERIES),
            samples_len: 0,
            metadata: Vec::new(),
            order: Vec::new(),
            body: Vec::new(),
            idle: WriteRequest::default(),
        }
    }

    /// Adds `sample` to the series of `labels`. These are sorted by name, and those without a value
    /// are left out: label sets that only differ in these are one series.
    pub fn push(&mut self, labels: &[Label<'_>], sample: Sample) {
        self.push_series(&TimeSeries::new(labels).with_samples(&[sample]));
    }

    /// Adds all that `series` has to the series of its labels, as [`push`](Self::push) does; without
    /// extension fields.
    pub fn push_series(&mut self, series: &TimeSeries<'_, '_>) {
        let Self { timeseries, order, .. } = self;
        let labels = Sorted::new(series.labels(), order);
        let group = timeseries.group(labels.len(), |writer| labels.write(writer));
        let values = Message(series.with_labels(&[]));
        timeseries.append(group, values.encoded_len(), |writer| values.write_to(writer));
        self.samples_len = self.samples_len.saturating_add(series.samples().len());
    }

    /// Adds a metadata entry.
    pub fn push_metadata(&mut self, entry: &MetricMetadata<'_>) {
        let len = wire::message_len(METADATA, entry.encoded_len());
        append_with(&mut self.metadata, len, |writer| writer.write_message(METADATA, entry));
    }

    /// Bytes that the message would have with what `series` has added to it: to send the batch
    /// before it is over a limit.
    ///
    /// ```
    /// use borrowire::Encode;
    /// use borrowire::remote_write::v1::WriteBatch;
    /// use borrowire::remote_write::{Label, Sample, TimeSeries};
    ///
    /// # fn send(batch: &WriteBatch) { assert!(batch.encoded_len() <= 100) }
    /// let mut batch = WriteBatch::new();
    /// for second in 0..60 {
    ///     let (labels, samples) = ([Label::new("__name__", "up")], [Sample::new(1.0, second)]);
    ///     let series = TimeSeries::new(&labels).with_samples(&samples);
    ///     if batch.encoded_len_with(&series) > 100 {
    ///         send(&batch);
    ///         batch.clear();
    ///     }
    ///     batch.push_series(&series);
    /// }
    /// # assert!(!batch.is_empty());
    /// ```
    #[must_use]
    pub fn encoded_len_with(&mut self, series: &TimeSeries<'_, '_>) -> usize {
        let Self { timeseries, order, metadata, .. } = self;
        let labels = Sorted::new(series.labels(), order);
        let values = Message(series.with_labels(&[])).encoded_len();
        let len = timeseries.len_if(labels.len(), |writer| labels.write(writer), values);
        len.saturating_add(metadata.len())
    }

    /// How many series there are.
    #[must_use]
    pub const fn timeseries_len(&self) -> usize {
        self.timeseries.groups_len()
    }

    /// How many samples there are.
    #[must_use]
    pub const fn samples_len(&self) -> usize {
        self.samples_len
    }

    /// Whether there is nothing in it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.timeseries.groups_len() == 0 && self.metadata.is_empty()
    }

    /// Empties the batch, and keeps its memory.
    pub fn clear(&mut self) {
        self.timeseries.clear();
        self.metadata.clear();
        self.samples_len = 0;
    }

    /// The batch as a request: to be split, hashed, validated, or written as 2.0.
    ///
    /// # Errors
    ///
    /// If the message is over 2 GiB - 1.
    pub fn request(&mut self) -> Result<Decoded<'_, '_, WriteRequest<'static>>, DecodeError> {
        let mut body = core::mem::take(&mut self.body);
        body.clear();
        let len = self.encoded_len();
        append_with(&mut body, len, |writer| self.write_to(writer));
        self.body = body;
        let Self { body, idle, .. } = self;
        // Of what was just written nothing is too much.
        let options = DecodeOptions::new()
            .with_limits(Limits::unlimited())
            .with_max_timeseries(usize::MAX)
            .with_max_metadata(usize::MAX);
        Decoded::try_filled(idle, |request: &mut WriteRequest<'_>| {
            request.decode_into(body, &options)
        })
    }

    /// Heap bytes that the batch holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            self.timeseries.capacity_bytes(),
            vec_bytes(&self.metadata),
            vec_bytes(&self.order),
            vec_bytes(&self.body),
            self.idle.capacity_bytes(),
        ])
    }
}

/// Labels that have a value, sorted by name.
#[derive(Clone, Copy)]
struct Sorted<'b> {
    labels: &'b [Label<'b>],
    /// Their places in that order; nothing if they are in it.
    order: Option<&'b [u32]>,
}

impl<'b> Sorted<'b> {
    fn new(labels: &'b [Label<'b>], order: &'b mut Vec<u32>) -> Self {
        let is_sorted = labels.is_sorted_by_key(|label| label.name);
        if is_sorted && labels.iter().all(|label| !label.value.is_empty()) {
            return Self { labels, order: None };
        }
        order.clear();
        order.extend((0..).zip(labels).filter(|(_, it)| !it.value.is_empty()).map(|(at, _)| at));
        let name = |at: u32| labels.get(to_usize(at)).map(|label| label.name);
        order.sort_unstable_by_key(|at| (name(*at), *at));
        Self { labels, order: Some(order) }
    }

    fn iter(&self) -> impl Iterator<Item = &'b Label<'b>> {
        let Self { labels, order } = *self;
        order.unwrap_or_default().iter().filter_map(move |at| labels.get(to_usize(*at)))
    }

    fn len(&self) -> usize {
        match self.order {
            None => pairs_len(self.labels),
            Some(_) => {
                self.iter().fold(0, |sum: usize, label| sum.saturating_add(pairs_len(&[*label])))
            }
        }
    }

    fn write(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        match self.order {
            None => write_pairs::<LABELS_BYTE, _>(writer, self.labels),
            Some(_) => {
                let mut labels = self.iter();
                labels.try_for_each(|label| write_pairs::<LABELS_BYTE, _>(writer, &[*label]))
            }
        }
    }
}

impl Encode for WriteBatch {
    fn encoded_len(&self) -> usize {
        self.timeseries.encoded_len().saturating_add(self.metadata.len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.timeseries.write_to(writer)?;
        writer.write_raw(&self.metadata)
    }
}

/// Shows counts, not content.
impl fmt::Debug for WriteBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WriteBatch")
            .field("timeseries", &self.timeseries_len())
            .field("samples", &self.samples_len)
            .field("bytes", &self.encoded_len())
            .finish_non_exhaustive()
    }
}
