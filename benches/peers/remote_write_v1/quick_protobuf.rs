//! quick-protobuf, with borrowed strings (UTF-8 checked).

use std::error::Error;

use bytes::Bytes;
use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};

use super::super::digest::Count;
use super::super::{Digest, Peer, Touch};
use super::quick_protobuf_types::{self, WriteRequest};

pub struct QuickProtobuf;

impl Peer for QuickProtobuf {
    const NAME: &'static str = "quick-protobuf";

    type Request<'a> = WriteRequest<'a>;

    fn decode(body: &Bytes) -> Result<WriteRequest<'_>, Box<dyn Error>> {
        Ok(WriteRequest::from_reader(&mut BytesReader::from_bytes(body), body)?)
    }

    fn digest(request: &WriteRequest<'_>) -> Digest {
        let mut digest = Digest::default();
        for series in &request.timeseries {
            digest.series();
            for label in &series.labels {
                digest.label(label.name.as_bytes(), label.value.as_bytes());
            }
            for sample in &series.samples {
                digest.sample(sample.value, sample.timestamp);
            }
            for exemplar in &series.exemplars {
                digest.exemplar(exemplar.value, exemplar.timestamp);
                for label in &exemplar.labels {
                    digest.label(label.name.as_bytes(), label.value.as_bytes());
                }
            }
            for histogram in &series.histograms {
                add_histogram(&mut digest, histogram);
            }
        }
        for metadata in &request.metadata {
            digest.metadata(
                metadata.type_pb as i32,
                metadata.metric_family_name.as_bytes(),
                metadata.help.as_bytes(),
                metadata.unit.as_bytes(),
            );
        }
        digest
    }

    #[inline]
    fn touch(request: &WriteRequest<'_>) -> Touch {
        let mut touch = Touch::default();
        for series in &request.timeseries {
            for label in &series.labels {
                touch.label(label.name.as_bytes(), label.value.as_bytes());
            }
            for sample in &series.samples {
                touch.sample(sample.value, sample.timestamp);
            }
        }
        touch
    }

    #[inline]
    fn encoded_len(request: &WriteRequest<'_>) -> usize {
        request.get_size()
    }

    #[inline]
    fn encode(request: &WriteRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        request.write_message(&mut Writer::new(&mut *buffer)).expect("a vector grows");
        buffer.len()
    }
}

/// A function that adds a histogram of generated types to a digest; those of 2.0 have the same fields.
macro_rules! impl_add_histogram {
    ($types:ident) => {
        fn add_histogram(digest: &mut Digest, histogram: &$types::Histogram) {
            use $types::mod_Histogram::{OneOfcount, OneOfzero_count};

            let span = |span: &$types::BucketSpan| (span.offset, span.length);

            digest.histogram(
                histogram.sum,
                histogram.schema,
                histogram.zero_threshold,
                histogram.reset_hint as i32,
                histogram.timestamp,
            );
            digest.count(match histogram.count {
                OneOfcount::None => None,
                OneOfcount::count_int(count) => Some(Count::Int(count)),
                OneOfcount::count_float(count) => Some(Count::Float(count)),
            });
            digest.count(match histogram.zero_count {
                OneOfzero_count::None => None,
                OneOfzero_count::zero_count_int(count) => Some(Count::Int(count)),
                OneOfzero_count::zero_count_float(count) => Some(Count::Float(count)),
            });
            digest.spans(histogram.negative_spans.iter().map(span));
            digest.deltas(&histogram.negative_deltas);
            digest.floats(&histogram.negative_counts);
            digest.spans(histogram.positive_spans.iter().map(span));
            digest.deltas(&histogram.positive_deltas);
            digest.floats(&histogram.positive_counts);
            digest.floats(&histogram.custom_values);
        }
    };
}
pub(crate) use impl_add_histogram;

impl_add_histogram!(quick_protobuf_types);
