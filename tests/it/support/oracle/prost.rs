//! The same bytes as prost reads them, and the few ways in which it may differ.

use borrowire::proto::prometheus as proto;
use borrowire::proto::prometheus::histogram::{Count as ProtoCount, ZeroCount as ProtoZeroCount};
use borrowire::remote_write::v1::{MetricMetadata, WriteRequest};
use borrowire::remote_write::{Count, Exemplar, Histogram, Label, TimeSeries};
use borrowire::{DecodeError, DecodeErrorKind};
use prost::Message;

/// Checks what this crate made of `body` against what prost makes of it.
pub fn check(body: &[u8], ours: Result<&WriteRequest<'_>, DecodeError>) {
    match (ours, proto::WriteRequest::decode(body)) {
        (Ok(ours), Ok(theirs)) => assert_same(ours, &theirs),
        (Ok(_), Err(theirs)) => {
            assert!(prost_may_refuse(Kind::WriteRequest, body), "prost refuses it: {theirs}");
        }
        (Err(ours), Ok(_)) => check_refused_alone(body, &ours),
        (Err(_), Err(_)) => {}
    }
}

/// Checks that this crate has a reason to refuse what prost takes: tags of over five bytes.
pub(super) fn check_refused_alone(body: &[u8], ours: &DecodeError) {
    assert_eq!(ours.kind(), DecodeErrorKind::InvalidTag, "prost takes it");
    assert!(is_long_tag(&body[ours.offset()..]), "{ours}");
}

/// Whether `rest` begins with a tag of over five bytes.
pub(super) fn is_long_tag(rest: &[u8]) -> bool {
    rest.iter().take(5).filter(|&&byte| byte >= 0x80).count() == 5
}

/// Panics unless the request equals prost's, floats by bits.
pub fn assert_same(ours: &WriteRequest<'_>, theirs: &proto::WriteRequest) {
    assert_eq!(ours.timeseries().len(), theirs.timeseries.len());
    for (i, (ours, theirs)) in ours.timeseries().iter().zip(&theirs.timeseries).enumerate() {
        assert!(same_series(&ours, theirs), "series {i}: {ours:?} and {theirs:?}");
    }
    assert_eq!(ours.metadata().len(), theirs.metadata.len());
    for (ours, theirs) in ours.metadata().iter().zip(&theirs.metadata) {
        assert!(same_metadata(&ours, theirs), "{ours:?} and {theirs:?}");
    }
}

fn same_series(ours: &TimeSeries<'_, '_>, theirs: &proto::TimeSeries) -> bool {
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
        same_lists(
            ours,
            theirs,
            |a: &borrowire::remote_write::BucketSpan, b: &proto::BucketSpan| {
                a.offset == b.offset && a.length == b.length
            },
        )
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

/// Whether prost has a reason to refuse well-formed bytes: a known field under another wire type, groups
/// so deep that, counted together with the messages around them, they are over its limit, or a log line
/// that is no text.
pub(super) fn prost_may_refuse(message: Kind, body: &[u8]) -> bool {
    walk(message, body)
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum Kind {
    WriteRequest,
    TimeSeries,
    Label,
    Sample,
    Exemplar,
    Histogram,
    BucketSpan,
    MetricMetadata,
    RequestV2,
    TimeSeriesV2,
    SampleV2,
    ExemplarV2,
    HistogramV2,
    MetadataV2,
    PushRequest,
    Stream,
    Entry,
    Timestamp,
}

/// The wire type of a known field, with the message that it holds.
fn known(message: Kind, number: u64) -> Option<(u64, Option<Kind>)> {
    const LEN: u64 = 2;
    Some(match (message, number) {
        (Kind::WriteRequest, 1) => (LEN, Some(Kind::TimeSeries)),
        (Kind::WriteRequest, 3) => (LEN, Some(Kind::MetricMetadata)),
        (Kind::TimeSeries | Kind::Exemplar, 1) => (LEN, Some(Kind::Label)),
        (Kind::TimeSeries, 2) => (LEN, Some(Kind::Sample)),
        (Kind::TimeSeries, 3) => (LEN, Some(Kind::Exemplar)),
        (Kind::TimeSeries, 4) => (LEN, Some(Kind::Histogram)),
        (Kind::Label, 1 | 2) | (Kind::MetricMetadata, 2 | 4 | 5) => (LEN, None),
        (Kind::Sample, 1) | (Kind::Exemplar, 2) => (1, None),
        (Kind::Sample, 2) | (Kind::Exemplar, 3) => (0, None),
        (Kind::Histogram, 8 | 11) => (LEN, Some(Kind::BucketSpan)),
        (Kind::Histogram, 1 | 4 | 6 | 9 | 12 | 14 | 15) => (0, None),
        (Kind::Histogram, 2 | 3 | 5 | 7 | 10 | 13 | 16) => (1, None),
        (Kind::BucketSpan, 1 | 2) | (Kind::MetricMetadata, 1) => (0, None),
        (Kind::RequestV2, 4) => (LEN, None),
        (Kind::RequestV2, 5) => (LEN, Some(Kind::TimeSeriesV2)),
        (Kind::TimeSeriesV2 | Kind::ExemplarV2, 1) => (0, None),
        (Kind::TimeSeriesV2, 2) => (LEN, Some(Kind::SampleV2)),
        (Kind::TimeSeriesV2, 3) => (LEN, Some(Kind::HistogramV2)),
        (Kind::TimeSeriesV2, 4) => (LEN, Some(Kind::ExemplarV2)),
        (Kind::TimeSeriesV2, 5) => (LEN, Some(Kind::MetadataV2)),
        (Kind::SampleV2, 3) | (Kind::HistogramV2, 17) => (0, None),
        (Kind::SampleV2, _) => return known(Kind::Sample, number),
        (Kind::HistogramV2, _) => return known(Kind::Histogram, number),
        (Kind::ExemplarV2, _) => return known(Kind::Exemplar, number),
        (Kind::MetadataV2, 1 | 3 | 4) => (0, None),
        (Kind::PushRequest, 1) => (LEN, Some(Kind::Stream)),
        (Kind::Stream, 2) => (LEN, Some(Kind::Entry)),
        (Kind::Entry, 1) => (LEN, Some(Kind::Timestamp)),
        (Kind::Entry, 3 | 4) => (LEN, Some(Kind::Label)),
        (Kind::PushRequest | Kind::Entry, 2) | (Kind::Stream, 1) => (LEN, None),
        (Kind::Stream, 3) | (Kind::Timestamp, 1 | 2) => (0, None),
        _ => return None,
    })
}

fn is_packable(message: Kind, number: u64) -> bool {
    match message {
        Kind::Histogram | Kind::HistogramV2 => matches!(number, 9 | 10 | 12 | 13 | 16),
        Kind::TimeSeriesV2 | Kind::ExemplarV2 => number == 1,
        _ => false,
    }
}

/// Walks over the well-formed fields of `message`.
fn walk(message: Kind, mut rest: &[u8]) -> bool {
    const DEEP: usize = 90;
    let rest = &mut rest;
    let mut depth = 0_usize;
    let mut refused = false;
    while !rest.is_empty() {
        let tag = varint(rest);
        let (number, wire_type) = (tag >> 3, tag & 7);
        // Inside a group nothing is known.
        let field = if depth == 0 { known(message, number) } else { None };
        if let Some((expected, _)) = field {
            refused |= wire_type != expected && !(wire_type == 2 && is_packable(message, number));
        }
        match wire_type {
            0 => drop(varint(rest)),
            1 => *rest = &rest[8..],
            2 => {
                let len = varint(rest) as usize;
                let (content, tail) = rest.split_at(len);
                if let Some((2, Some(inner))) = field {
                    refused |= walk(inner, content);
                }
                let is_line = message == Kind::Entry && number == 2 && field.is_some();
                refused |= is_line && std::str::from_utf8(content).is_err();
                *rest = tail;
            }
            3 => {
                depth += 1;
                refused |= depth > DEEP;
            }
            4 => depth -= 1,
            _ => *rest = &rest[4..],
        }
    }
    refused
}

fn varint(rest: &mut &[u8]) -> u64 {
    let mut value = 0;
    for shift in (0..).step_by(7) {
        let byte = rest[0];
        *rest = &rest[1..];
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            break;
        }
    }
    value
}
