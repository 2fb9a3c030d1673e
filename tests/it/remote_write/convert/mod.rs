//! Requests of one version as requests of the other, and each thing that cannot be said.

mod bodies;
mod records;

use borrowire::Encode;
use borrowire::convert::remote_write::{Loss, ToV1, ToV2};
use borrowire::remote_write::v1::{self, MetricMetadata, WriteRequest};
use borrowire::remote_write::v2::{self, Request, Symbolizer};
use borrowire::remote_write::{Label, MetricType, Sample, TimeSeries};

use crate::support::bytes::v2::refs;
use crate::support::bytes::{self, Bytes, label, sample};

fn to_v2(body: &[u8], converter: &mut ToV2, options: v2::EncodeOptions) -> (Vec<u8>, Vec<Loss>) {
    let request = WriteRequest::decode(body).unwrap();
    let mut losses = Vec::new();
    let converted = converter.convert_with(&request, options, |loss| losses.push(loss));
    let encoded = converted.symbolize(&mut Symbolizer::new()).unwrap().encode_to_vec().unwrap();
    (encoded, losses)
}

fn to_v1(body: &[u8], converter: &mut ToV1, options: v1::EncodeOptions) -> (Vec<u8>, Vec<Loss>) {
    let request = Request::decode(body).unwrap();
    let mut losses = Vec::new();
    let converted = converter.convert_with(&request, options, |loss| losses.push(loss));
    (converted.encode_to_vec().unwrap(), losses)
}

// ---- 1.0 to 2.0

fn named(name: &str) -> Bytes {
    Bytes::new().len(1, label("__name__", name))
}

fn entry(metric_type: u64, name: &str, help: &str) -> Bytes {
    let entry = Bytes::new().varint(1, metric_type).len(2, name);
    if help.is_empty() { entry } else { entry.len(4, help) }
}

const SUMMARY: u64 = 5;

const HISTOGRAM: u64 = 3;

const COUNTER: u64 = 1;

#[test]
fn golden_bytes_of_2() {
    let body = Bytes::new()
        .len(
            1,
            named("rpc_sum")
                .len(1, label("job", ""))
                .len(2, sample(1.5, 7))
                .len(3, Bytes::new().len(1, label("job", "rpc_sum")).double(2, 0.5).int(3, 9)),
        )
        .len(1, named("up").len(2, sample(1.0, 8)))
        .len(3, entry(SUMMARY, "rpc", "Calls."))
        .build();
    let expected = bytes::v2::request(
        &["", "__name__", "rpc_sum", "job", "Calls.", "up"],
        &[
            refs(&[1, 2, 3, 0])
                .len(2, sample(1.5, 7))
                .len(4, refs(&[3, 2]).double(2, 0.5).int(3, 9))
                .len(5, Bytes::new().varint(1, SUMMARY).varint(3, 4)),
            refs(&[1, 5]).len(2, sample(1.0, 8)),
        ],
    );
    let (found, losses) = to_v2(&body, &mut ToV2::new(), v2::EncodeOptions::new());
    assert_eq!((found, losses), (expected, vec![]));
}

#[test]
fn metadata_finds_the_series_of_its_family() {
    let metrics = [
        "rpc_count",
        "rpc_sum",
        "rpc_bucket",
        "rpc",
        "h_bucket",
        "h_gcount",
        "g_gcount",
        "g_count",
        "c_count",
        "both_sum",
        "_sum",
        "twice_sum_sum",
    ];
    let body = metrics.iter().fold(Bytes::new(), |body, name| body.len(1, named(name)));
    let body = body
        .len(3, entry(SUMMARY, "rpc", ""))
        .len(3, entry(HISTOGRAM, "h", ""))
        .len(3, entry(4, "g", ""))
        .len(3, entry(COUNTER, "c_count", ""))
        .len(3, entry(SUMMARY, "both", ""))
        .len(3, entry(COUNTER, "both_sum", ""))
        .len(3, entry(SUMMARY, "_sum", ""))
        .len(3, entry(SUMMARY, "twice_sum", ""))
        .build();
    let request = WriteRequest::decode(&body).unwrap();
    let (mut to_v2, mut losses) = (ToV2::new(), Vec::new());
    let converted = to_v2.convert(&request, |loss| losses.push(loss));
    let types = converted.timeseries().map(|series| series.metadata().map(|it| it.metric_type.0));
    let expected = [
        Some(5),
        Some(5),
        None,
        Some(5),
        Some(3),
        None,
        Some(4),
        None,
        Some(1),
        Some(1),
        Some(5),
        Some(5),
    ];
    assert!(types.eq(expected));
    // Its only series is that of the counter.
    assert_eq!(losses, [Loss::MetadataWithoutSeries { metadata: 4 }]);
}

#[test]
fn what_2_has_no_place_for_is_reported() {
    let created = |series: Bytes| series.int(6, 5);
    let body = Bytes::new()
        .len(1, named("a").len(2, sample(1.0, 2)).varint(9, 9))
        .len(1, created(named("a")))
        .len(1, created(named("a").len(2, sample(1.0, 2))))
        .len(1, created(named("a").len(3, "")))
        .len(3, entry(COUNTER, "a", "help"))
        .len(3, entry(COUNTER, "", "help"))
        .len(3, entry(COUNTER, "a", "help"))
        .len(3, entry(0, "empty", ""))
        .len(3, entry(COUNTER, "a", "other"))
        .len(3, entry(COUNTER, "b", "help"))
        .len(3, entry(SUMMARY, "a_sum", "help"))
        .build();
    let (_, losses) = to_v2(&body, &mut ToV2::new(), v2::EncodeOptions::new());
    let of_all = [
        Loss::UnknownFields,
        Loss::MetadataWithoutName { metadata: 1 },
        Loss::EmptyMetadata { metadata: 3 },
        Loss::ConflictingMetadata { metadata: 4 },
        Loss::StartTimestamp { series: 1 },
        Loss::StartTimestamp { series: 3 },
        Loss::MetadataWithoutSeries { metadata: 5 },
        Loss::MetadataWithoutSeries { metadata: 6 },
    ];
    assert_eq!(losses, of_all);
    let keep = v2::EncodeOptions::new().with_created_timestamps(true);
    let (_, losses) = to_v2(&body, &mut ToV2::new(), keep);
    assert_eq!(losses, [&of_all[..4], &of_all[6..]].concat());
}

#[test]
fn a_series_of_samples_and_histograms_becomes_two() {
    let both = named("a")
        .len(2, sample(1.0, 2))
        .len(3, Bytes::new().double(2, 4.0))
        .len(4, Bytes::new().varint(1, 3).int(15, 2))
        .int(6, 1);
    let body = Bytes::new().len(1, both).len(3, entry(COUNTER, "a", "")).build();
    let (found, losses) = to_v2(&body, &mut ToV2::new(), v2::EncodeOptions::new());
    let metadata = Bytes::new().varint(1, COUNTER);
    let expected = bytes::v2::request(
        &["", "__name__", "a"],
        &[
            refs(&[1, 2])
                .len(2, sample(1.0, 2).int(3, 1))
                .len(4, Bytes::new().double(2, 4.0))
                .len(5, &metadata),
            refs(&[1, 2]).len(3, Bytes::new().varint(1, 3).int(15, 2).int(17, 1)).len(5, &metadata),
        ],
    );
    assert_eq!((found, losses), (expected, vec![]));
}

// ---- 2.0 to 1.0

fn meta(metric_type: u64, help_ref: u64) -> Bytes {
    Bytes::new().varint(1, metric_type).varint(3, help_ref)
}

#[test]
fn golden_bytes_of_1() {
    let body = bytes::v2::request(
        &["", "__name__", "rpc_sum", "job", "Calls.", "rpc_count"],
        &[
            refs(&[1, 2, 3, 0]).len(2, sample(1.5, 7)).len(5, meta(SUMMARY, 4)),
            refs(&[3, 2, 1, 5])
                .len(4, refs(&[3, 2]).double(2, 0.5).int(3, 9))
                .len(5, meta(SUMMARY, 4)),
            refs(&[1, 5]).len(5, ""),
        ],
    );
    let expected = Bytes::new()
        .len(1, named("rpc_sum").len(1, Bytes::new().len(1, "job")).len(2, sample(1.5, 7)))
        .len(
            1,
            Bytes::new()
                .len(1, label("job", "rpc_sum"))
                .len(1, label("__name__", "rpc_count"))
                .len(3, Bytes::new().len(1, label("job", "rpc_sum")).double(2, 0.5).int(3, 9)),
        )
        .len(1, named("rpc_count"))
        .len(3, entry(SUMMARY, "rpc", "Calls."))
        .build();
    let (found, losses) = to_v1(&body, &mut ToV1::new(), v1::EncodeOptions::new());
    assert_eq!((found, losses), (expected, vec![]));
}

#[test]
fn what_1_has_no_place_for_is_reported() {
    let body = bytes::v2::request(
        &["", "__name__", "a_sum", "a", "help", "other"],
        &[
            refs(&[1, 2]).len(5, meta(SUMMARY, 4)).varint(9, 9),
            refs(&[1, 3]).len(5, meta(SUMMARY, 4)).int(6, 1),
            refs(&[1, 3]).len(5, meta(SUMMARY, 5)).len(2, sample(1.0, 2).int(3, 1)),
            refs(&[2, 3]).len(5, meta(SUMMARY, 4)).len(3, Bytes::new().int(17, 1)),
            refs(&[1, 0]).len(5, meta(0, 4)),
            refs(&[1, 2]).len(5, meta(COUNTER, 4)),
            refs(&[1, 2]).len(5, meta(COUNTER, 5)),
            Bytes::new().len(5, ""),
        ],
    );
    let (found, losses) = to_v1(&body, &mut ToV1::new(), v1::EncodeOptions::new());
    assert_eq!(
        losses,
        [
            Loss::UnknownFields,
            Loss::StartTimestamp { series: 1 },
            Loss::StartTimestamp { series: 2 },
            Loss::ConflictingSeriesMetadata { series: 2 },
            Loss::StartTimestamp { series: 3 },
            Loss::SeriesMetadataWithoutName { series: 3 },
            Loss::SeriesMetadataWithoutName { series: 4 },
            Loss::ConflictingSeriesMetadata { series: 6 },
        ]
    );
    let found = WriteRequest::decode(&found).unwrap();
    let entries = [
        MetricMetadata::new(MetricType::SUMMARY, "a").with_help("help"),
        MetricMetadata::new(MetricType::COUNTER, "a_sum").with_help("help"),
    ];
    assert!(found.metadata().iter().eq(entries));
    let samples = [Sample::new(1.0, 2)];
    let series = found.timeseries().get(2).unwrap();
    assert_eq!(series, TimeSeries::new(&[Label::new("__name__", "a")]).with_samples(&samples));

    let keep = v1::EncodeOptions::new().with_start_timestamps(true);
    let (found, losses) = to_v1(&body, &mut ToV1::new(), keep);
    assert!(losses.iter().all(|loss| !matches!(loss, Loss::StartTimestamp { .. })));
    let found = WriteRequest::decode(&found).unwrap();
    let starts: Vec<_> = found
        .timeseries()
        .iter()
        .map(|series| {
            let sample = series.samples().first().map_or(0, |sample| sample.start_timestamp);
            let histogram = series.histograms().get(0).map_or(0, |it| it.start_timestamp);
            (series.created_timestamp(), sample, histogram)
        })
        .collect();
    assert_eq!(starts[..4], [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]);
}

// ---- memory that is used again

#[test]
fn a_converter_is_empty_after_each_request() {
    let with = Bytes::new().len(1, named("a")).len(3, entry(COUNTER, "a", "help")).build();
    let without = Bytes::new().len(1, named("a")).build();
    let mut converter = ToV2::new();
    for _ in 0..2 {
        let (first, _) = to_v2(&with, &mut converter, v2::EncodeOptions::new());
        let (second, losses) = to_v2(&without, &mut converter, v2::EncodeOptions::new());
        assert_ne!(first, second);
        assert_eq!(second, bytes::v2::request(&["", "__name__", "a"], &[refs(&[1, 2])]));
        assert_eq!(losses, []);
    }
    let with = bytes::v2::request(
        &["", "__name__", "a", "help"],
        &[refs(&[1, 2]).len(5, meta(COUNTER, 3))],
    );
    let mut converter = ToV1::new();
    for help in ["help", "else"] {
        let body = String::from_utf8(with.clone()).unwrap().replace("help", help);
        let (found, losses) = to_v1(body.as_bytes(), &mut converter, v1::EncodeOptions::new());
        let found = WriteRequest::decode(&found).unwrap();
        assert_eq!((found.metadata().get(0).unwrap().help, losses), (help, vec![]));
    }
}

#[test]
fn a_report_that_panics_leaves_a_converter_usable() {
    let body = Bytes::new().len(1, named("a")).len(3, entry(COUNTER, "b", "help")).build();
    let request = WriteRequest::decode(&body).unwrap();
    let mut converter = ToV2::new();
    let panics = std::panic::AssertUnwindSafe(|| drop(converter.convert(&request, |_| panic!())));
    assert!(std::panic::catch_unwind(panics).is_err());
    assert!(converter.capacity_bytes() > 0);
    let (_, losses) = to_v2(&body, &mut converter, v2::EncodeOptions::new());
    assert_eq!(losses, [Loss::MetadataWithoutSeries { metadata: 0 }]);
}

#[test]
fn losses_read_as_one_line() {
    let (series, metadata) = (3, 4);
    for (loss, name, line) in [
        (Loss::UnknownFields, "unknown fields", "the request has unknown fields"),
        (
            Loss::StartTimestamp { series },
            "start timestamp",
            "series 3 has a start timestamp that finds no place",
        ),
        (
            Loss::SeriesMetadataWithoutName { series },
            "series metadata without name",
            "series 3 has metadata but no metric name",
        ),
        (
            Loss::ConflictingSeriesMetadata { series },
            "conflicting series metadata",
            "series 3 has other metadata than its family had before",
        ),
        (
            Loss::MetadataWithoutName { metadata },
            "metadata without name",
            "metadata 4 has no family name",
        ),
        (
            Loss::EmptyMetadata { metadata },
            "empty metadata",
            "metadata 4 has neither type nor help nor unit",
        ),
        (
            Loss::ConflictingMetadata { metadata },
            "conflicting metadata",
            "metadata 4 differs from an earlier one of its family",
        ),
        (
            Loss::MetadataWithoutSeries { metadata },
            "metadata without series",
            "metadata 4 is of a family without series",
        ),
    ] {
        assert_eq!((loss.as_str(), loss.to_string().as_str()), (name, line));
    }
}
