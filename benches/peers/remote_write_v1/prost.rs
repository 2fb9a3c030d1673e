//! prost, with `String` fields (UTF-8 checked) and with `Bytes` fields (unchecked, sharing the
//! body).

use std::error::Error;

use borrowire::proto::prometheus as string_types;
use bytes::Bytes;
use prost::Message;

use super::super::digest::Count;
use super::super::{Digest, Peer, Touch};

/// `proto/prometheus_v1.proto` with every `string` turned into `bytes`: see `build.rs`.
#[allow(clippy::all, clippy::pedantic)]
mod bytes_types {
    include!(concat!(env!("OUT_DIR"), "/prometheus_v1_bytes/prometheus.rs"));
}

pub struct ProstString;
pub struct ProstBytes;

/// A function that adds a histogram of generated types to a digest; those of 2.0 have the same fields.
macro_rules! impl_add_histogram {
    ($name:ident, $types:ident) => {
        fn $name(digest: &mut Digest, histogram: &$types::Histogram) {
            use $types::histogram::{Count as Total, ZeroCount};

            digest.histogram(
                histogram.sum,
                histogram.schema,
                histogram.zero_threshold,
                histogram.reset_hint,
                histogram.timestamp,
            );
            digest.count(histogram.count.map(|count| match count {
                Total::CountInt(count) => Count::Int(count),
                Total::CountFloat(count) => Count::Float(count),
            }));
            digest.count(histogram.zero_count.map(|count| match count {
                ZeroCount::ZeroCountInt(count) => Count::Int(count),
                ZeroCount::ZeroCountFloat(count) => Count::Float(count),
            }));
            let span = |span: &$types::BucketSpan| (span.offset, span.length);
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

impl_add_histogram!(add_string_histogram, string_types);
impl_add_histogram!(add_bytes_histogram, bytes_types);

// The types differ in their text fields only, and both kinds of text are `AsRef<[u8]>`.
macro_rules! impl_peer {
    ($peer:ident, $name:literal, $types:ident, $add_histogram:ident, $decode:expr) => {
        impl Peer for $peer {
            const NAME: &'static str = $name;

            type Request<'a> = $types::WriteRequest;

            fn decode(body: &Bytes) -> Result<$types::WriteRequest, Box<dyn Error>> {
                let decode: fn(&Bytes) -> _ = $decode;
                Ok(decode(body)?)
            }

            fn digest(request: &$types::WriteRequest) -> Digest {
                let mut digest = Digest::default();
                for series in &request.timeseries {
                    digest.series();
                    for label in &series.labels {
                        digest.label(label.name.as_ref(), label.value.as_ref());
                    }
                    for sample in &series.samples {
                        digest.sample(sample.value, sample.timestamp);
                    }
                    for exemplar in &series.exemplars {
                        digest.exemplar(exemplar.value, exemplar.timestamp);
                        for label in &exemplar.labels {
                            digest.label(label.name.as_ref(), label.value.as_ref());
                        }
                    }
                    for histogram in &series.histograms {
                        $add_histogram(&mut digest, histogram);
                    }
                }
                for metadata in &request.metadata {
                    digest.metadata(
                        metadata.r#type,
                        metadata.metric_family_name.as_ref(),
                        metadata.help.as_ref(),
                        metadata.unit.as_ref(),
                    );
                }
                return digest;
            }

            #[inline]
            fn touch(request: &$types::WriteRequest) -> Touch {
                let mut touch = Touch::default();
                for series in &request.timeseries {
                    for label in &series.labels {
                        touch.label(label.name.as_ref(), label.value.as_ref());
                    }
                    for sample in &series.samples {
                        touch.sample(sample.value, sample.timestamp);
                    }
                }
                touch
            }

            #[inline]
            fn encoded_len(request: &$types::WriteRequest) -> usize {
                request.encoded_len()
            }

            #[inline]
            fn encode(request: &$types::WriteRequest, buffer: &mut Vec<u8>) -> usize {
                buffer.clear();
                request.encode(buffer).expect("a vector grows");
                buffer.len()
            }
        }
    };
}

impl_peer!(ProstString, "prost-string", string_types, add_string_histogram, |body| {
    string_types::WriteRequest::decode(body.as_ref())
});
impl_peer!(ProstBytes, "prost-bytes", bytes_types, add_bytes_histogram, |body| {
    bytes_types::WriteRequest::decode(body.clone())
});
