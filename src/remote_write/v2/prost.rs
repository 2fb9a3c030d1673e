//! Conversions to and from the generated types.
//!
//! A series of the generated types is references alone, so a series converts only with the request
//! whose symbols it refers to.

use alloc::vec::Vec;
use core::fmt;

use super::refs::SeriesRefs;
use super::request::Request;
use crate::message::request::Raw;
use crate::proto::prometheus_v2 as proto;
use crate::remote_write::model::histogram::Histogram;
use crate::remote_write::model::label::Label;
use crate::remote_write::model::metadata::{MetadataRefs, MetricType};
use crate::remote_write::model::prost::convert_values;
use crate::remote_write::model::sample::Sample;
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::symbol_table::SymbolTable;
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::error::DecodeErrorKind;

/// A generated request has a series whose references to symbols are bad.
///
/// ```
/// use borrowire::proto::prometheus_v2;
/// use borrowire::remote_write::v2::Request;
///
/// let series = prometheus_v2::TimeSeries { labels_refs: vec![0], ..Default::default() };
/// let generated =
///     prometheus_v2::Request { symbols: vec![String::new()], timeseries: vec![series] };
/// let error = Request::from_prost(&generated).unwrap_err();
/// assert_eq!(error.series(), 0);
/// assert_eq!(error.to_string(), "odd number of label references in series 0");
/// ```
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
    /// assert_eq!(prometheus_v2::Request::from(&request), generated);
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
        push_histogram(&mut storage.histograms, histogram);
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

convert_values!(proto, start_timestamp);

impl From<&proto::Metadata> for MetadataRefs {
    fn from(metadata: &proto::Metadata) -> Self {
        Self {
            metric_type: MetricType(metadata.r#type),
            help_ref: metadata.help_ref,
            unit_ref: metadata.unit_ref,
        }
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

/// With the request's own symbols and references, so that what was decoded is what prost decodes of
/// the same body. A series' created timestamp, which the generated type has no place for, goes to
/// its samples and histograms without a start timestamp; extensions and unknown fields are left
/// out. So are, in partial mode, series that were skipped; the symbol that was not UTF-8 is empty.
///
/// A [record of Mimir](super::Format::MimirRecord) refers to symbols that it does not hold, and
/// still does afterwards.
impl From<&Request<'_>> for proto::Request {
    fn from(request: &Request<'_>) -> Self {
        if let Some(generated) = request.generated {
            return generated.clone();
        }
        let symbols = request.symbols();
        let own = symbols.iter().skip(symbols.own_start());
        Self {
            symbols: own.map(|symbol| symbol.unwrap_or_default().into()).collect(),
            timeseries: (request.timeseries().iter().enumerate())
                .filter_map(|(at, series)| Some(with_refs(&series, &request.refs(at)?)))
                .collect(),
        }
    }
}

fn with_refs(series: &TimeSeries<'_, '_>, refs: &SeriesRefs<'_, '_>) -> proto::TimeSeries {
    let sample = |sample: &Sample| {
        sample.with_start_timestamp(series.start_timestamp(sample.start_timestamp)).into()
    };
    let histogram = |histogram: Histogram<'_>| {
        let start_timestamp = series.start_timestamp(histogram.start_timestamp);
        Histogram { start_timestamp, ..histogram }.into()
    };
    let exemplars = series.exemplars().iter().zip(refs.exemplars());
    proto::TimeSeries {
        labels_refs: refs.labels().collect(),
        samples: series.samples().iter().map(sample).collect(),
        histograms: series.histograms().iter().map(histogram).collect(),
        exemplars: exemplars
            .map(|(exemplar, refs)| proto::Exemplar {
                labels_refs: refs.collect(),
                value: exemplar.value(),
                timestamp: exemplar.timestamp(),
            })
            .collect(),
        metadata: refs.metadata().map(Into::into),
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;

    use super::*;
    use crate::Encode;
    use crate::remote_write::v2::{DecodeOptions, EncodeOptions, Format, Symbolizer};
    use crate::remote_write::{Count, Exemplar, Metadata};

    fn body(format: Format, created_timestamps: bool) -> Vec<u8> {
        let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
        let samples = [Sample::new(1.0, 2), Sample::new(-0.0, 3).with_start_timestamp(1)];
        let trace = [Label::new("trace_id", "up")];
        let exemplars = [Exemplar::new(&trace, 0.5, 4), Exemplar::new(&[], 0.0, 0)];
        let histogram = Histogram {
            count: Some(Count::Int(0)),
            positive_deltas: &[1, -1],
            start_timestamp: 7,
            ..Histogram::default()
        };
        let histograms = [histogram, Histogram::default()];
        let metadata = Metadata::new(MetricType::COUNTER).with_help("Whether it is up.");
        let series = [
            TimeSeries::new(&labels).with_samples(&samples).with_exemplars(&exemplars),
            TimeSeries::new(&labels[..1]).with_histograms(&histograms).with_metadata(metadata),
            TimeSeries::new(&labels).with_samples(&samples).with_created_timestamp(9),
        ];
        let options = EncodeOptions::new().with_created_timestamps(created_timestamps);
        let mut symbolizer = Symbolizer::new().with_format(format);
        symbolizer.symbolize_with(series, &options).unwrap().encode_to_vec().unwrap()
    }

    /// What was decoded is what prost decodes, in both forms of the message.
    #[test]
    fn as_prost_decodes_it() {
        for format in [Format::Standard, Format::MimirRecord] {
            let body = body(format, false);
            let options = DecodeOptions::new().with_format(format);
            let request = Request::decode_with(&body, &options).unwrap();
            let generated = proto::Request::decode(&body[..]).unwrap();
            assert_eq!(proto::Request::from(&request), generated);
        }
    }

    /// And what was made of generated types is them.
    #[test]
    fn back_again() {
        let generated = proto::Request::decode(&body(Format::Standard, false)[..]).unwrap();
        let request = Request::from_prost(&generated).unwrap();
        assert_eq!(proto::Request::from(&request), generated);
        assert_eq!(proto::Request::from(&Request::default()), proto::Request::default());
    }

    /// The generated type has no created timestamp of a series.
    #[test]
    fn created_timestamps() {
        let body = body(Format::Standard, true);
        let generated = proto::Request::from(&Request::decode(&body).unwrap());
        let starts = generated.timeseries[2].samples.iter().map(|sample| sample.start_timestamp);
        assert_eq!(starts.collect::<Vec<_>>(), [9, 1]);
    }

    /// Of bad text only what no series uses is left.
    #[test]
    fn partial_mode() {
        // "", "a", bad; series of "a" "a" and of "a" with the bad symbol.
        let body = b"\x22\x00\x22\x01a\x22\x01\xff\x2a\x04\x0a\x02\x01\x01\x2a\x04\x0a\x02\x01\x02";
        let partial = DecodeOptions::new().with_partial(true);
        let generated = proto::Request::from(&Request::decode_with(body, &partial).unwrap());
        assert_eq!(generated.symbols, ["", "a", ""]);
        assert_eq!(generated.timeseries.len(), 1);
        assert_eq!(generated.timeseries[0].labels_refs, [1, 1]);
    }

    /// An exemplar that was left out is none of those that have references.
    #[test]
    fn partial_mode_of_exemplars() {
        // "", "a"; a series with two exemplars, of which the first refers to nothing.
        let body = b"\x22\x00\x22\x01a\x2a\x10\x0a\x02\x01\x01\x22\x04\x0a\x02\x01\x09\x22\x04\x0a\x02\x01\x00";
        let partial = DecodeOptions::new().with_partial(true);
        let request = Request::decode_with(body, &partial).unwrap();
        assert_eq!(request.exemplars_len(), 1);
        let generated = proto::Request::from(&request);
        let exemplars = &generated.timeseries[0].exemplars;
        assert_eq!(exemplars.iter().map(|one| &one.labels_refs[..]).collect::<Vec<_>>(), [[1, 0]]);
    }
}
