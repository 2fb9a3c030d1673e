//! Faults in measuring: lengths that change their own length, and messages too large for protobuf.

use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::{
    BucketSpan, Count, Exemplar, Histogram, Label, MetricType, ResetHint, Sample, TimeSeries,
};
use borrowire::{Encode, EncodeErrorKind};

use crate::support::oracle::Subject;
use crate::support::oracle::remote_write::same_series;
use crate::support::oracle::remote_write_v1::RemoteWriteV1;

/// Lengths around those where a length prefix grows.
const LENGTHS: [usize; 17] = [
    0, 1, 121, 122, 123, 124, 125, 126, 127, 128, 129, 16_381, 16_382, 16_383, 16_384, 16_385,
    2_097_151,
];

/// Encodes, checks length and borders, and decodes again.
fn check(series: TimeSeries<'_, '_>, metadata: MetricMetadata<'_>) {
    let encoder = WriteRequestEncoder::new([series]).with_metadata([metadata]);
    let encoded = encoder.encode_to_vec().unwrap();
    assert_eq!(encoded.len(), encoder.encoded_len());
    let mut exact = vec![0; encoded.len()];
    assert_eq!(encoder.encode(&mut exact), Ok(encoded.len()));
    assert_eq!(exact, encoded);
    let error = encoder.encode(&mut exact[1..]).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::BufferTooSmall);
    assert_eq!((error.needed(), error.capacity()), (encoded.len(), encoded.len() - 1));
    let decoded = WriteRequest::decode(&encoded).unwrap();
    assert!(same_series(&decoded.timeseries().get(0).unwrap(), &series));
    assert_eq!(decoded.metadata().get(0), Some(metadata));
    let prost =
        <borrowire::proto::prometheus::WriteRequest as prost::Message>::decode(&encoded[..]);
    RemoteWriteV1::assert_same_as_prost(&decoded, &prost.unwrap());
}

#[test]
fn lengths_are_right_where_a_prefix_grows_at_every_level() {
    let empty = MetricMetadata::default();
    for length in LENGTHS.into_iter().chain([2_097_152]) {
        let text = "v".repeat(length);
        for labels in [
            &[Label::new("n", &text)][..],
            &[Label::new(&text, "v")],
            &[Label::new(&text, "")],
            &[Label::new("a", "b"), Label::new("", &text), Label::new("c", "d")],
        ] {
            check(TimeSeries::new(labels), empty);
            let exemplars = [Exemplar::new(labels, 1.5, 7)];
            check(TimeSeries::new(&[]).with_exemplars(&exemplars), empty);
        }
        check(TimeSeries::new(&[]), MetricMetadata::new(MetricType::GAUGE, &text));
        check(TimeSeries::new(&[]), empty.with_help(&text));
        check(TimeSeries::new(&[]), empty.with_unit(&text));
    }
}

#[test]
fn lengths_are_right_where_a_series_grows_by_its_parts() {
    // Series and histograms whose own length passes 128 and 16384, one element after the other.
    let labels = [Label::new("a", "b")];
    let spans = vec![BucketSpan::new(1, 1); 16_500];
    let deltas = vec![1; 16_500];
    let counts = vec![1.0; 2100];
    let samples = vec![Sample::default(); 8200];
    for len in (0..150).chain(8185..8195) {
        check(TimeSeries::new(&labels).with_samples(&samples[..len]), MetricMetadata::default());
    }
    for len in (0..140).chain(16_375..16_390) {
        let mut histogram = Histogram::default();
        histogram.positive_deltas = &deltas[..len];
        check(TimeSeries::new(&[]).with_histograms(&[histogram]), MetricMetadata::default());
        let mut histogram = Histogram::default();
        histogram.negative_counts = &counts[..len.min(2100)];
        histogram.custom_values = &counts[..len % 20];
        check(TimeSeries::new(&[]).with_histograms(&[histogram]), MetricMetadata::default());
        let mut histogram = Histogram::default();
        histogram.negative_spans = &spans[..len];
        check(TimeSeries::new(&[]).with_histograms(&[histogram]), MetricMetadata::default());
    }
}

#[test]
fn lengths_are_right_for_numbers_at_their_edges() {
    let timestamps = (0..63).flat_map(|bits| [1_i64 << bits, (1 << bits) - 1, -(1 << bits)]);
    for timestamp in timestamps.chain([i64::MIN, i64::MAX, -1, 0]) {
        for value in [0.0, -0.0, 1.0, f64::NAN] {
            let samples = [Sample::new(value, timestamp), Sample::new(value, timestamp)];
            let exemplars = [Exemplar::new(&[], value, timestamp)];
            check(
                TimeSeries::new(&[]).with_samples(&samples).with_exemplars(&exemplars),
                MetricMetadata::default(),
            );
        }
        let deltas = [timestamp, -(timestamp / 2), 1 << 62, -(1 << 62)];
        let spans = [BucketSpan::new(timestamp as i32, timestamp as u32)];
        let mut histogram = Histogram::default();
        histogram.count = Some(Count::Int(timestamp as u64));
        histogram.zero_count = Some(Count::Int(timestamp as u64));
        histogram.schema = timestamp as i32;
        histogram.negative_deltas = &deltas;
        histogram.positive_deltas = &deltas[..2];
        histogram.positive_spans = &spans;
        histogram.reset_hint = ResetHint(timestamp as i32);
        histogram.timestamp = timestamp;
        check(
            TimeSeries::new(&[]).with_histograms(&[histogram]),
            MetricMetadata::new(MetricType(timestamp as i32), "m"),
        );
    }
}

#[test]
fn a_message_over_two_gib_is_measured_and_refused_without_output() {
    // Many labels that borrow one text: 3 GiB of message in little memory.
    let text = "x".repeat(1 << 20);
    let labels = vec![Label::new("name", &text); 3072];
    let encoder = WriteRequestEncoder::new([TimeSeries::new(&labels)]);
    let label = (1 << 20) + 4 + 6;
    let series = labels.len() * (label + 4);
    assert_eq!(encoder.encoded_len(), series + 6);

    let mut vec = vec![1, 2, 3];
    let error = encoder.append_to_vec(&mut vec).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::MessageTooLarge);
    assert_eq!(error.needed(), series + 6);
    assert_eq!(vec, [1, 2, 3]);
    assert!(vec.capacity() < 1000, "nothing was reserved");
    let mut bytes = ::bytes::BytesMut::from(&[1, 2, 3][..]);
    let error = encoder.append_to_bytes(&mut bytes).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::MessageTooLarge);
    assert_eq!(bytes, [1, 2, 3][..]);
    assert_eq!(encoder.encode_to_vec().unwrap_err().kind(), EncodeErrorKind::MessageTooLarge);
    assert_eq!(encoder.encode(&mut [0; 100]).unwrap_err().kind(), EncodeErrorKind::MessageTooLarge);
    // A slice that the message would fit into, of pages that nobody touches.
    let mut long = vec![0; series + 100];
    let error = encoder.encode(&mut long).unwrap_err();
    assert_eq!(error.kind(), EncodeErrorKind::MessageTooLarge);
    assert_eq!((error.needed(), error.capacity()), (series + 6, series + 100));
    assert!(long[..1000].iter().all(|&byte| byte == 0), "nothing was written");
}
