//! This crate.

use std::error::Error;

use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::{self, BucketSpan, Histogram};
use borrowire::{Encode, Limits};
use bytes::Bytes;

use super::super::digest::Count;
use super::super::{Digest, Peer, Touch};

pub struct Borrowire;

impl Peer for Borrowire {
    const NAME: &'static str = "borrowire";

    type Request<'a> = WriteRequest<'a>;

    fn decode(body: &Bytes) -> Result<WriteRequest<'_>, Box<dyn Error>> {
        Ok(WriteRequest::decode_with(body, &Limits::unlimited().into())?)
    }

    fn digest(request: &WriteRequest<'_>) -> Digest {
        let mut digest = Digest::default();
        for series in request.timeseries() {
            digest.series();
            for label in series.labels() {
                digest.label(label.name.as_bytes(), label.value.as_bytes());
            }
            for sample in series.samples() {
                digest.sample(sample.value, sample.timestamp);
            }
            for exemplar in series.exemplars() {
                digest.exemplar(exemplar.value(), exemplar.timestamp());
                for label in exemplar.labels() {
                    digest.label(label.name.as_bytes(), label.value.as_bytes());
                }
            }
            for histogram in series.histograms() {
                add_histogram(&mut digest, &histogram);
            }
        }
        for metadata in request.metadata() {
            digest.metadata(
                metadata.metric_type.0,
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
        for series in request.timeseries() {
            for label in series.labels() {
                touch.label(label.name.as_bytes(), label.value.as_bytes());
            }
            for sample in series.samples() {
                touch.sample(sample.value, sample.timestamp);
            }
        }
        touch
    }

    #[inline]
    fn encoded_len(request: &WriteRequest<'_>) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &WriteRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        request.encode(buffer).expect("the buffer is longer than the message")
    }
}

/// The same in both versions.
pub fn add_histogram(digest: &mut Digest, histogram: &Histogram<'_>) {
    let count = |count| match count {
        remote_write::Count::Int(count) => Count::Int(count),
        remote_write::Count::Float(count) => Count::Float(count),
    };
    let span = |span: &BucketSpan| (span.offset, span.length);

    digest.histogram(
        histogram.sum,
        histogram.schema,
        histogram.zero_threshold,
        histogram.reset_hint.0,
        histogram.timestamp,
    );
    digest.count(histogram.count.map(count));
    digest.count(histogram.zero_count.map(count));
    digest.spans(histogram.negative_spans.iter().map(span));
    digest.deltas(histogram.negative_deltas);
    digest.floats(histogram.negative_counts);
    digest.spans(histogram.positive_spans.iter().map(span));
    digest.deltas(histogram.positive_deltas);
    digest.floats(histogram.positive_counts);
    digest.floats(histogram.custom_values);
}
