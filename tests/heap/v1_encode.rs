//! Measuring and writing allocate nothing, whether it is a decoded request or the caller's own data.

use borrowire::remote_write::v1::{
    EncodeOptions, MetricMetadata, WriteRequest, WriteRequestEncoder,
};
use borrowire::remote_write::{
    BucketSpan, Count, Exemplar, Extensions, Histogram, Label, MetricType, RequestSource, Sample,
    TimeSeries,
};
use borrowire::{Encode, EncodeErrorKind};

use crate::{bytes, heap};

/// What a sender might hold.
struct Metric {
    labels: Vec<Label<'static>>,
    samples: Vec<Sample>,
}

/// Blocks allocated by measuring `message` and writing it in every way.
fn blocks(message: &impl Encode) -> u64 {
    let len = message.encoded_len();
    let mut slice = vec![0; len + 10];
    let mut vec = Vec::with_capacity(len);
    let mut bytes = ::bytes::BytesMut::with_capacity(len);
    heap::blocks(|| {
        for _ in 0..3 {
            assert_eq!(message.encoded_len(), len);
            assert_eq!(message.encode(&mut slice), Ok(len));
            vec.clear();
            assert_eq!(message.append_to_vec(&mut vec), Ok(len));
            bytes.clear();
            assert_eq!(message.append_to_bytes(&mut bytes), Ok(len));
            if len > 0 {
                assert!(message.encode(&mut slice[..len - 1]).is_err());
            }
        }
    })
}

pub fn run() {
    let _profiler = heap::profiler();
    let bodies: Vec<_> = bytes::small_bodies().into_iter().map(|(_, body)| body).collect();
    let options = EncodeOptions::new()
        .with_extensions(Extensions::new().with_source(RequestSource::RULE))
        .with_start_timestamps(true);
    for body in bodies.iter().chain([&bodies.concat().repeat(20)]) {
        let request = WriteRequest::decode(body).unwrap();
        assert_eq!(blocks(&request), 0);
        assert_eq!(blocks(&request.encoder().with_options(options)), 0);
        assert_eq!(heap::blocks(|| request.encode_to_vec()), 1, "a new Vec is allocated once");
    }

    let metrics: Vec<_> = (0..50)
        .map(|i| Metric {
            labels: vec![
                Label::new("__name__", "up"),
                Label::new("job", "node"),
                Label::new("x", ""),
            ],
            samples: vec![Sample::new(f64::from(i), 1_700_000_000_000 + i64::from(i))],
        })
        .collect();
    let exemplars = [Exemplar::new(&metrics[0].labels, 0.5, 7)];
    let spans = [BucketSpan::new(-1, 2)];
    let mut histogram = Histogram::default();
    histogram.count = Some(Count::Int(3));
    histogram.positive_spans = &spans;
    histogram.positive_deltas = &[1, 1];
    histogram.custom_values = &[0.5];
    let histograms = [histogram];
    let series = metrics.iter().map(|metric| {
        TimeSeries::new(&metric.labels)
            .with_samples(&metric.samples)
            .with_exemplars(&exemplars)
            .with_histograms(&histograms)
    });
    let metadata = [MetricMetadata::new(MetricType::GAUGE, "up").with_help("Whether it is up.")];
    let own = WriteRequestEncoder::new(series).with_metadata(metadata.iter().copied());
    assert_eq!(blocks(&own), 0);

    // A message of 3 GiB costs as little, and is refused.
    let text = "x".repeat(1 << 20);
    let labels = vec![Label::new("name", &text); 3072];
    let large = WriteRequestEncoder::new([TimeSeries::new(&labels)]);
    let mut vec = Vec::new();
    let refused = || {
        assert!(large.encoded_len() > 3 << 30);
        let error = large.append_to_vec(&mut vec).unwrap_err();
        assert_eq!(error.kind(), EncodeErrorKind::MessageTooLarge);
        assert!(large.encode(&mut [0; 64]).is_err());
    };
    assert_eq!(heap::blocks(refused), 0);
}
