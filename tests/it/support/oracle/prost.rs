//! The few ways in which prost may differ: its schemas, as far as they matter.

/// Whether `rest` begins with a tag of over five bytes.
pub fn is_long_tag(rest: &[u8]) -> bool {
    rest.iter().take(5).filter(|&&byte| byte >= 0x80).count() == 5
}

/// Whether prost has a reason to refuse well-formed bytes: a known field under another wire type, groups
/// so deep that, counted together with the messages around them, they are over its limit, or a log line
/// that is no text.
pub fn may_refuse(message: Kind, body: &[u8]) -> bool {
    message == Kind::Otlp || walk(message, body)
}

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
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
    /// Of either signal, whose schemas are not spelled out here: prost may refuse whatever it does.
    Otlp,
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
