//! Writing a request from the caller's own data.

use super::metadata::MetricMetadata;
use super::write_request::{METADATA, TIMESERIES};
use crate::message::Encode;
use crate::remote_write::extensions::Extensions;
use crate::remote_write::time_series::TimeSeries;
use crate::wire::{self, BufferFull, Writer};

/// A request made of an iterator of series: nothing is collected, measured and written as it goes.
///
/// The iterators are cloned for each pass, so let them borrow: `slice.iter().map(...)`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{Label, Sample, TimeSeries, WriteRequestEncoder};
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
    extensions: Extensions,
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
            extensions: Extensions::new(),
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
            extensions: self.extensions,
        }
    }

    /// Sets the extension fields.
    #[must_use]
    pub fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
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
        let start = self.extensions.start_timestamps;
        let timeseries = self.timeseries.clone().fold(0, |sum: usize, series| {
            sum.saturating_add(wire::message_len(TIMESERIES, series.len(start)))
        });
        let metadata = self.metadata.clone().fold(0, |sum: usize, metadata| {
            sum.saturating_add(wire::message_len(METADATA, metadata.encoded_len()))
        });
        timeseries
            .saturating_add(self.extensions.source_len())
            .saturating_add(metadata)
            .saturating_add(self.extensions.flags_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let start = self.extensions.start_timestamps;
        for series in self.timeseries.clone() {
            writer.write_len(TIMESERIES, series.len(start))?;
            series.write(writer, start)?;
        }
        self.extensions.write_source(writer)?;
        for metadata in self.metadata.clone() {
            writer.write_message(METADATA, &metadata)?;
        }
        self.extensions.write_flags(writer)
    }
}
