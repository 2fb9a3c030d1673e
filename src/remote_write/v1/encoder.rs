//! Writing a request from the caller's own data.

use super::metadata::MetricMetadata;
use super::time_series::TimeSeries;
use super::write_request::{
    DISCARD_OUT_OF_ORDER, METADATA, SKIP_LABEL_COUNT_VALIDATION, SKIP_LABEL_VALIDATION, SOURCE,
    TIMESERIES,
};
use crate::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// Where a request comes from, for Cortex and Mimir. An open enum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Source(pub i32);

impl Source {
    /// 0: a client.
    pub const API: Self = Self(0);
    /// 1: the ruler.
    pub const RULE: Self = Self(1);
    /// 2: an OTLP endpoint (Mimir).
    pub const OTLP: Self = Self(2);
}

/// The fields that Cortex and Mimir add to the request, for services that write to their inside.
///
/// ```
/// use borrowire::remote_write::v1::{Extensions, Source};
///
/// let extensions = Extensions::new().with_source(Source::RULE).with_start_timestamps(true);
/// assert_eq!(extensions.source, Source(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extensions {
    /// Field 2.
    pub source: Source,
    /// Field 1000: labels are known to be valid (Cortex: label names).
    pub skip_label_validation: bool,
    /// Field 1001: the number of labels is known to be valid (Mimir).
    pub skip_label_count_validation: bool,
    /// Field 1002: samples out of order are dropped without an error (Cortex).
    pub discard_out_of_order: bool,
    /// Whether an encoder writes the series' `created_timestamp` (field 6, Mimir) and the
    /// `start_timestamp` of samples (3) and histograms (17, both Cortex) where they are not 0.
    pub start_timestamps: bool,
}

impl Extensions {
    /// None of them.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            source: Source::API,
            skip_label_validation: false,
            skip_label_count_validation: false,
            discard_out_of_order: false,
            start_timestamps: false,
        }
    }

    /// Sets [`source`](Self::source).
    #[must_use]
    pub const fn with_source(mut self, source: Source) -> Self {
        self.source = source;
        self
    }

    /// Sets [`skip_label_validation`](Self::skip_label_validation).
    #[must_use]
    pub const fn with_skip_label_validation(mut self, skip: bool) -> Self {
        self.skip_label_validation = skip;
        self
    }

    /// Sets [`skip_label_count_validation`](Self::skip_label_count_validation).
    #[must_use]
    pub const fn with_skip_label_count_validation(mut self, skip: bool) -> Self {
        self.skip_label_count_validation = skip;
        self
    }

    /// Sets [`discard_out_of_order`](Self::discard_out_of_order).
    #[must_use]
    pub const fn with_discard_out_of_order(mut self, discard: bool) -> Self {
        self.discard_out_of_order = discard;
        self
    }

    /// Sets [`start_timestamps`](Self::start_timestamps).
    #[must_use]
    pub const fn with_start_timestamps(mut self, write: bool) -> Self {
        self.start_timestamps = write;
        self
    }
}

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
        let source = match self.extensions.source.0 {
            0 => 0,
            number => wire::enum_len(SOURCE, number),
        };
        let metadata = self.metadata.clone().fold(0, |sum: usize, metadata| {
            sum.saturating_add(wire::message_len(METADATA, metadata.encoded_len()))
        });
        flags(&self.extensions)
            .into_iter()
            .filter(|(_, set)| *set)
            .map(|(tag, _)| wire::bool_len(tag))
            .fold(timeseries.saturating_add(source).saturating_add(metadata), usize::saturating_add)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let start = self.extensions.start_timestamps;
        for series in self.timeseries.clone() {
            writer.write_len(TIMESERIES, series.len(start))?;
            series.write(writer, start)?;
        }
        if self.extensions.source.0 != 0 {
            writer.write_enum(SOURCE, self.extensions.source.0)?;
        }
        for metadata in self.metadata.clone() {
            writer.write_message(METADATA, &metadata)?;
        }
        for (tag, set) in flags(&self.extensions) {
            if set {
                writer.write_bool(tag, set)?;
            }
        }
        Ok(())
    }
}

fn flags(extensions: &Extensions) -> [(wire::Tag, bool); 3] {
    [
        (SKIP_LABEL_VALIDATION, extensions.skip_label_validation),
        (SKIP_LABEL_COUNT_VALIDATION, extensions.skip_label_count_validation),
        (DISCARD_OUT_OF_ORDER, extensions.discard_out_of_order),
    ]
}
