//! Remote write 1.0.

use borrowire::proto::prometheus as proto;
use borrowire::proto::prometheus::histogram::{Count as ProtoCount, ZeroCount as ProtoZeroCount};
use borrowire::proto::prometheus_v2::Request;
use borrowire::remote_write::v1::{DecodeOptions, EncodeOptions, MetricMetadata, WriteRequest};
use borrowire::remote_write::{
    BucketSpan, Count, Exemplar, Extensions, Histogram, Label, Rules, TimeSeries,
};
use borrowire::{DecodeError, DecodeErrorKind, Encode, Limits};
use prost::Message;

use super::prost::{Kind, is_long_tag};
use super::remote_write::{
    assert_same_series, check_buckets, counts, same_series, same_without_starts, sum,
};
use super::{Subject, check_slices, check_text};

pub struct RemoteWriteV1;

pub const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

impl Subject for RemoteWriteV1 {
    type Family = WriteRequest<'static>;
    type Generated = proto::WriteRequest;
    type Scratch = ();

    const MESSAGE: Kind = Kind::WriteRequest;

    fn with_limits(options: DecodeOptions, limits: Limits) -> DecodeOptions {
        options.with_limits(limits)
    }

    fn with_partial(options: DecodeOptions, partial: bool) -> DecodeOptions {
        options.with_partial(partial)
    }

    fn raws<'r>(request: &'r WriteRequest<'_>) -> Vec<Option<&'r [u8]>> {
        let series = (0..request.timeseries().len()).map(|at| request.raw_timeseries(at));
        let metadata = (0..request.metadata().len()).map(|at| request.raw_metadata(at));
        series.chain(metadata).collect()
    }

    fn assert_same_content(a: &WriteRequest<'_>, b: &WriteRequest<'_>) {
        assert_same_series(a.timeseries().iter(), b.timeseries().iter());
        assert!(a.metadata().iter().eq(b.metadata()));
        assert_eq!(totals(a), totals(b));
        assert_eq!(a.extensions(), b.extensions());
    }

    fn check_views(body: &[u8], request: &WriteRequest<'_>) {
        for (i, series) in request.timeseries().iter().enumerate() {
            for label in series.labels() {
                check_text(body, label.name);
                check_text(body, label.value);
            }
            check_buckets(&series);
            let raw = request.raw_timeseries(i).expect("a decoded series has its bytes");
            let alone = WriteRequest::decode(raw).expect("raw bytes are a request");
            assert_eq!(alone.timeseries().len(), 1);
            assert!(same_series(&alone.timeseries().get(0).unwrap(), &series), "series {i}");
        }
        for (i, metadata) in request.metadata().iter().enumerate() {
            let raw = request.raw_metadata(i).expect("a decoded entry has its bytes");
            let alone = WriteRequest::decode(raw).expect("raw bytes are a request");
            assert_eq!(alone.metadata().get(0), Some(metadata));
        }
        let counted = request.timeseries().iter().map(|series| counts(&series));
        assert_eq!(sum(counted), totals(request));
        let report = |violation: borrowire::Violation<_>| {
            assert!(!violation.to_string().is_empty());
        };
        request.validate(&Rules::strict(), report);
    }

    fn encode<T>(
        request: &WriteRequest<'_>,
        (): &mut (),
        with: impl FnOnce(&dyn Encode) -> T,
    ) -> T {
        let options = EncodeOptions::new().with_extensions(request.extensions());
        with(&request.encoder().with_options(options.with_start_timestamps(true)))
    }

    /// Without extension fields, the rest is the same.
    fn check_encoded(request: &WriteRequest<'_>, _: &[u8]) {
        let encoded = request.encode_to_vec().expect("a decoded request is not too large");
        check_slices(request, &encoded);
        let again = WriteRequest::decode(&encoded).expect("what we write is well-formed");
        assert_eq!(again.timeseries().len(), request.timeseries().len());
        let mut series = again.timeseries().iter().zip(request.timeseries());
        assert!(series.all(|(a, b)| same_without_starts(&a, &b) && a.created_timestamp() == 0));
        assert!(again.metadata().iter().eq(request.metadata()));
        assert_eq!(again.extensions(), Extensions::new(), "extensions are not passed on");
        assert!(!again.has_unknown_fields());
        assert_eq!(again.encode_to_vec().as_ref(), Ok(&encoded), "equal values give equal bytes");
        let theirs = proto::WriteRequest::decode(&encoded[..]).expect("prost reads it");
        assert_same(&again, &theirs);
    }

    fn assert_same_as_prost(ours: &WriteRequest<'_>, theirs: &proto::WriteRequest) {
        assert_same(ours, theirs);
    }

    fn from_prost(generated: &proto::WriteRequest) -> WriteRequest<'_> {
        WriteRequest::from_prost(generated)
    }

    fn is_refused_alone(body: &[u8], ours: &DecodeError, theirs: &proto::WriteRequest) -> bool {
        match ours.kind() {
            DecodeErrorKind::InvalidTag => is_long_tag(&body[ours.offset()..]),
            DecodeErrorKind::OtherVersion => {
                // If prost refuses it as one of 2.0, that is for what the shape leaves out.
                let other = Request::decode(body);
                theirs.timeseries.is_empty()
                    && theirs.metadata.is_empty()
                    && other.map_or(true, |other| !other.timeseries.is_empty())
            }
            _ => false,
        }
    }

    fn check_conversions(ours: &WriteRequest<'_>, theirs: &proto::WriteRequest) {
        assert_same(&WriteRequest::from_prost(theirs), theirs);
        let back = proto::WriteRequest::from(ours);
        assert_same(ours, &back);
        // By bytes, because of NaN.
        assert_eq!(back.encode_to_vec(), theirs.encode_to_vec());
    }
}

fn totals(request: &WriteRequest<'_>) -> [usize; 4] {
    [request.labels_len(), request.samples_len(), request.exemplars_len(), request.histograms_len()]
}

/// Panics unless the request equals prost's, floats by bits.
pub fn assert_same(ours: &WriteRequest<'_>, theirs: &proto::WriteRequest) {
    assert_eq!(ours.timeseries().len(), theirs.timeseries.len());
    for (i, (ours, theirs)) in ours.timeseries().iter().zip(&theirs.timeseries).enumerate() {
        assert!(is_same_series(&ours, theirs), "series {i}: {ours:?} and {theirs:?}");
    }
    assert_eq!(ours.metadata().len(), theirs.metadata.len());
    for (ours, theirs) in ours.metadata().iter().zip(&theirs.metadata) {
        assert!(same_metadata(&ours, theirs), "{ours:?} and {theirs:?}");
    }
}

fn is_same_series(ours: &TimeSeries<'_, '_>, theirs: &proto::TimeSeries) -> bool {
    same_lists(ours.labels(), &theirs.labels, same_label)
        && same_lists(ours.samples(), &theirs.samples, |ours, theirs| {
            same_double(ours.value, theirs.value) && ours.timestamp == theirs.timestamp
        })
        && same_lists(ours.exemplars(), &theirs.exemplars, same_exemplar)
        && same_lists(ours.histograms(), &theirs.histograms, same_histogram)
}

/// Compares two lists, element by element.
fn same_lists<A, B>(
    ours: impl IntoIterator<Item = A, IntoIter: ExactSizeIterator>,
    theirs: &[B],
    same: impl Fn(A, &B) -> bool,
) -> bool {
    let ours = ours.into_iter();
    ours.len() == theirs.len()
        && ours.zip(theirs).fold(true, |all, (ours, theirs)| all & same(ours, theirs))
}

fn same_double(ours: f64, theirs: f64) -> bool {
    ours.to_bits() == theirs.to_bits()
}

fn same_label(ours: &Label<'_>, theirs: &proto::Label) -> bool {
    ours.name == theirs.name && ours.value == theirs.value
}

fn same_exemplar(ours: Exemplar<'_, '_>, theirs: &proto::Exemplar) -> bool {
    same_lists(ours.labels(), &theirs.labels, same_label)
        && same_double(ours.value(), theirs.value)
        && ours.timestamp() == theirs.timestamp
}

fn same_histogram(ours: Histogram<'_>, theirs: &proto::Histogram) -> bool {
    let doubles =
        |ours: &[f64], theirs: &[f64]| same_lists(ours, theirs, |a, b| same_double(*a, *b));
    let spans = |ours: &[_], theirs: &[_]| {
        same_lists(ours, theirs, |a: &BucketSpan, b: &proto::BucketSpan| {
            a.offset == b.offset && a.length == b.length
        })
    };
    let count = match (ours.count, theirs.count) {
        (None, None) => true,
        (Some(Count::Int(a)), Some(ProtoCount::CountInt(b))) => a == b,
        (Some(Count::Float(a)), Some(ProtoCount::CountFloat(b))) => same_double(a, b),
        _ => false,
    };
    let zero_count = match (ours.zero_count, theirs.zero_count) {
        (None, None) => true,
        (Some(Count::Int(a)), Some(ProtoZeroCount::ZeroCountInt(b))) => a == b,
        (Some(Count::Float(a)), Some(ProtoZeroCount::ZeroCountFloat(b))) => same_double(a, b),
        _ => false,
    };
    count
        && zero_count
        && same_double(ours.sum, theirs.sum)
        && ours.schema == theirs.schema
        && same_double(ours.zero_threshold, theirs.zero_threshold)
        && spans(ours.negative_spans, &theirs.negative_spans)
        && ours.negative_deltas == theirs.negative_deltas
        && doubles(ours.negative_counts, &theirs.negative_counts)
        && spans(ours.positive_spans, &theirs.positive_spans)
        && ours.positive_deltas == theirs.positive_deltas
        && doubles(ours.positive_counts, &theirs.positive_counts)
        && ours.reset_hint.0 == theirs.reset_hint
        && ours.timestamp == theirs.timestamp
        && doubles(ours.custom_values, &theirs.custom_values)
}

fn same_metadata(ours: &MetricMetadata<'_>, theirs: &proto::MetricMetadata) -> bool {
    ours.metric_type.0 == theirs.r#type
        && ours.metric_family_name == theirs.metric_family_name
        && ours.help == theirs.help
        && ours.unit == theirs.unit
}
