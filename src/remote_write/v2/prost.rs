//! Conversions to and from the generated types.
//!
//! A series of the generated types is references alone, so single series do not convert. A whole
//! request becomes the generated type by way of its bytes: encode it, and let prost read them.

use alloc::vec::Vec;
use core::fmt;

use super::request::Request;
use crate::message::request::Raw;
use crate::proto::prometheus_v2 as proto;
use crate::remote_write::model::histogram::{BucketSpan, Count, Histogram, ResetHint};
use crate::remote_write::model::label::Label;
use crate::remote_write::model::metadata::{MetadataRefs, MetricType};
use crate::remote_write::model::sample::Sample;
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::symbol_table::SymbolTable;
use crate::wire::error::DecodeErrorKind;

/// A generated request has a series whose references to symbols are bad.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FromProstError {
    kind: DecodeErrorKind,
    series: usize,
}

impl FromProstError {
    /// What is wrong: [`OddRefs`](DecodeErrorKind::OddRefs) or
    /// [`RefOutOfRange`](DecodeErrorKind::RefOutOfRange).
    #[must_use]
    pub const fn kind(&self) -> DecodeErrorKind {
        self.kind
    }

    /// The position of the series in the request, from 0.
    #[must_use]
    pub const fn series(&self) -> usize {
        self.series
    }
}

impl fmt::Display for FromProstError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} in series {}", self.kind, self.series)
    }
}

impl core::error::Error for FromProstError {}

impl<'a> Request<'a> {
    /// A request that borrows its text from `request`, references resolved; it has no raw bytes.
    ///
    /// ```
    /// use borrowire::proto::prometheus_v2;
    /// use borrowire::remote_write::Label;
    /// use borrowire::remote_write::v2::Request;
    ///
    /// let mut generated = prometheus_v2::Request {
    ///     symbols: ["", "__name__", "up"].map(String::from).into(),
    ///     timeseries: vec![prometheus_v2::TimeSeries::default()],
    /// };
    /// generated.timeseries[0].labels_refs = vec![1, 2];
    /// let request = Request::from_prost(&generated)?;
    /// assert_eq!(request.timeseries().get(0).unwrap().labels(), [Label::new("__name__", "up")]);
    ///
    /// generated.timeseries[0].labels_refs = vec![1, 3];
    /// let error = Request::from_prost(&generated).unwrap_err();
    /// assert_eq!(error.to_string(), "symbol reference out of range in series 0");
    /// # Ok::<(), borrowire::remote_write::v2::FromProstError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The first series with an odd number of references, or one to a symbol that is not there.
    pub fn from_prost(request: &'a proto::Request) -> Result<Self, FromProstError> {
        let mut converted = Self::default();
        let storage = &mut converted.storage;
        request.symbols.iter().for_each(|symbol| storage.symbols.push(Some(symbol)));
        for (position, series) in request.timeseries.iter().enumerate() {
            push_series(storage, series)
                .map_err(|kind| FromProstError { kind, series: position })?;
        }
        converted.generated = Some(request);
        Ok(converted)
    }

    /// The series at `index` of the generated request that this one was made of.
    pub(super) fn generated_series(&self, index: usize) -> Option<&'a proto::TimeSeries> {
        self.generated?.timeseries.get(index)
    }
}

fn push_series(
    storage: &mut Storage<'_>,
    series: &proto::TimeSeries,
) -> Result<(), DecodeErrorKind> {
    push_labels(&storage.symbols, &series.labels_refs, &mut storage.labels)?;
    storage.samples.extend(series.samples.iter().map(Sample::from));
    for exemplar in &series.exemplars {
        let labels_start = storage.exemplar_labels.len();
        push_labels(&storage.symbols, &exemplar.labels_refs, &mut storage.exemplar_labels)?;
        storage.push_exemplar(labels_start, exemplar.value, exemplar.timestamp);
    }
    for histogram in &series.histograms {
        push_histogram(storage, histogram);
    }
    if let Some(metadata) = &series.metadata {
        for reference in [metadata.help_ref, metadata.unit_ref] {
            // 0 is unset, also where there are no symbols.
            if reference != 0 {
                storage.symbols.resolve(reference)?;
            }
        }
        storage.metadata.update(storage.timeseries.len(), |slot| *slot = metadata.into());
    }
    storage.end_series(Raw::default());
    Ok(())
}

fn push_labels<'a>(
    symbols: &SymbolTable<'a>,
    refs: &[u32],
    labels: &mut Vec<Label<'a>>,
) -> Result<(), DecodeErrorKind> {
    let (pairs, rest) = refs.as_chunks();
    for &[name, value] in pairs {
        labels.push(Label::new(symbols.resolve(name)?, symbols.resolve(value)?));
    }
    if rest.is_empty() { Ok(()) } else { Err(DecodeErrorKind::OddRefs) }
}

fn push_histogram(storage: &mut Storage<'_>, histogram: &proto::Histogram) {
    let spans =
        |spans: &[proto::BucketSpan]| -> Vec<_> { spans.iter().map(BucketSpan::from).collect() };
    storage.histograms.push(&Histogram {
        count: histogram.count.as_ref().map(|count| match *count {
            proto::histogram::Count::CountInt(count) => Count::Int(count),
            proto::histogram::Count::CountFloat(count) => Count::Float(count),
        }),
        sum: histogram.sum,
        schema: histogram.schema,
        zero_threshold: histogram.zero_threshold,
        zero_count: histogram.zero_count.as_ref().map(|count| match *count {
            proto::histogram::ZeroCount::ZeroCountInt(count) => Count::Int(count),
            proto::histogram::ZeroCount::ZeroCountFloat(count) => Count::Float(count),
        }),
        negative_spans: &spans(&histogram.negative_spans),
        negative_deltas: &histogram.negative_deltas,
        negative_counts: &histogram.negative_counts,
        positive_spans: &spans(&histogram.positive_spans),
        positive_deltas: &histogram.positive_deltas,
        positive_counts: &histogram.positive_counts,
        reset_hint: ResetHint(histogram.reset_hint),
        timestamp: histogram.timestamp,
        custom_values: &histogram.custom_values,
        start_timestamp: histogram.start_timestamp,
    });
}

impl From<&proto::Sample> for Sample {
    fn from(sample: &proto::Sample) -> Self {
        Self::new(sample.value, sample.timestamp).with_start_timestamp(sample.start_timestamp)
    }
}

impl From<&proto::BucketSpan> for BucketSpan {
    fn from(span: &proto::BucketSpan) -> Self {
        Self::new(span.offset, span.length)
    }
}

impl From<&proto::Metadata> for MetadataRefs {
    fn from(metadata: &proto::Metadata) -> Self {
        Self {
            metric_type: MetricType(metadata.r#type),
            help_ref: metadata.help_ref,
            unit_ref: metadata.unit_ref,
        }
    }
}

impl From<Sample> for proto::Sample {
    fn from(sample: Sample) -> Self {
        Self {
            value: sample.value,
            timestamp: sample.timestamp,
            start_timestamp: sample.start_timestamp,
        }
    }
}

impl From<BucketSpan> for proto::BucketSpan {
    fn from(span: BucketSpan) -> Self {
        Self { offset: span.offset, length: span.length }
    }
}

impl From<MetadataRefs> for proto::Metadata {
    fn from(metadata: MetadataRefs) -> Self {
        Self {
            r#type: metadata.metric_type.0,
            help_ref: metadata.help_ref,
            unit_ref: metadata.unit_ref,
        }
    }
}

impl From<Histogram<'_>> for proto::Histogram {
    fn from(histogram: Histogram<'_>) -> Self {
        let spans =
            |spans: &[BucketSpan]| spans.iter().copied().map(Into::into).collect::<Vec<_>>();
        Self {
            count: histogram.count.map(|count| match count {
                Count::Int(count) => proto::histogram::Count::CountInt(count),
                Count::Float(count) => proto::histogram::Count::CountFloat(count),
            }),
            sum: histogram.sum,
            schema: histogram.schema,
            zero_threshold: histogram.zero_threshold,
            zero_count: histogram.zero_count.map(|count| match count {
                Count::Int(count) => proto::histogram::ZeroCount::ZeroCountInt(count),
                Count::Float(count) => proto::histogram::ZeroCount::ZeroCountFloat(count),
            }),
            negative_spans: spans(histogram.negative_spans),
            negative_deltas: histogram.negative_deltas.into(),
            negative_counts: histogram.negative_counts.into(),
            positive_spans: spans(histogram.positive_spans),
            positive_deltas: histogram.positive_deltas.into(),
            positive_counts: histogram.positive_counts.into(),
            reset_hint: histogram.reset_hint.0,
            timestamp: histogram.timestamp,
            custom_values: histogram.custom_values.into(),
            start_timestamp: histogram.start_timestamp,
        }
    }
}
