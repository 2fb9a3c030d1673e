//! Faults in what values mean: zeros, NaNs, histograms, labels, metadata.

use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder, validate_timeseries};
use borrowire::remote_write::{
    BucketError, Count, Histogram, Label, MetricType, Rule, Rules, STALE_NAN_BITS, Sample,
    TimeSeries, is_stale_nan,
};
use borrowire::{Decode, Encode};

use crate::support::bytes::{Bytes, request, series};

/// Decodes the only series of `body` and hands it to `check`.
fn with_series(body: &[u8], check: impl FnOnce(TimeSeries<'_, '_>)) {
    let decoded = WriteRequest::decode(body).unwrap();
    assert_eq!(decoded.timeseries().len(), 1);
    check(decoded.timeseries().get(0).unwrap());
}

/// Everything in `series` that breaks any rule.
fn violations(series: &TimeSeries<'_, '_>) -> Vec<Rule> {
    let mut found = Vec::new();
    validate_timeseries(series, &Rules::strict(), |kind| found.push(kind.rule()));
    found
}

/// Decodes `content` as the only histogram of a request.
fn with_histogram(content: Bytes, check: impl FnOnce(Histogram<'_>)) {
    with_series(&request(&[Bytes::new().len(4, content)]), |series| {
        assert_eq!(series.histograms().len(), 1);
        check(series.histograms().get(0).unwrap());
    });
}

#[test]
fn a_field_left_out_is_its_default_and_not_that_of_the_sample_before() {
    let samples = [
        Bytes::new().double(1, 5.0).int(2, 1000),
        Bytes::new().int(2, 2000),
        Bytes::new(),
        Bytes::new().double(1, 7.0),
        Bytes::new().int(2, 1_700_000_000_000),
        Bytes::new(),
    ];
    let body = samples.iter().fold(series(&[("__name__", "z")], &[]), |series, s| series.len(2, s));
    with_series(&request(&[body]), |series| {
        let expected =
            [(5.0, 1000), (0.0, 2000), (0.0, 0), (7.0, 0), (0.0, 1_700_000_000_000), (0.0, 0)];
        assert_eq!(series.samples(), expected.map(|(value, time)| Sample::new(value, time)));
    });
}

#[test]
fn minus_zero_is_written_and_read_back_everywhere() {
    let sample = |value| Sample::new(value, 1).encode_to_vec().unwrap();
    assert_eq!(sample(-0.0), Bytes::new().double(1, -0.0).int(2, 1).build());
    assert_eq!(sample(0.0), [0x10, 0x01]);
    assert_ne!(Sample::new(-0.0, 1), Sample::new(0.0, 1));
    // As a usual sample too, with a timestamp of this century.
    assert_eq!(Sample::new(-0.0, 1 << 40).encoded_len(), Sample::new(1.0, 1 << 40).encoded_len());
    let minus = Bytes::new()
        .double(2, -0.0)
        .double(3, -0.0)
        .double(5, -0.0)
        .double(7, -0.0)
        .packed_doubles(10, &[-0.0])
        .packed_doubles(13, &[0.0, -0.0])
        .packed_doubles(16, &[-0.0]);
    with_histogram(minus.clone(), |histogram| {
        assert_eq!(histogram.count, Some(Count::Float(-0.0)));
        assert_ne!(histogram.count, Some(Count::Float(0.0)));
        for value in [
            histogram.sum,
            histogram.zero_threshold,
            histogram.negative_counts[0],
            histogram.positive_counts[1],
        ] {
            assert_eq!(value.to_bits(), 1 << 63);
        }
        assert_eq!(histogram.encode_to_vec().unwrap(), minus.build());
    });
}

#[test]
fn every_nan_keeps_its_bits_and_only_one_is_the_stale_marker() {
    let bits = [
        STALE_NAN_BITS,
        0x7ff8_0000_0000_0001,
        u64::MAX,
        0x7ff0_0000_0000_0001,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        1,
        0xfff0_0000_0000_0002,
    ];
    for (i, bits) in bits.into_iter().enumerate() {
        let value = f64::from_bits(bits);
        assert_eq!(is_stale_nan(value), i == 0, "{bits:x}");
        for timestamp in [1, 1_700_000_000_000] {
            let body = request(&[series(&[("a", "b")], &[(value, timestamp)])
                .len(3, Bytes::new().double(2, value))
                .len(
                    4,
                    Bytes::new().double(2, value).double(3, value).packed_doubles(13, &[value]),
                )]);
            let decoded = WriteRequest::decode(&body).unwrap();
            let series = decoded.timeseries().get(0).unwrap();
            assert_eq!(series.samples()[0].value.to_bits(), bits);
            assert_eq!(series.samples()[0].is_stale_marker(), i == 0);
            assert_eq!(series.exemplars().get(0).unwrap().value().to_bits(), bits);
            let histogram = series.histograms().get(0).unwrap();
            assert_eq!(histogram.is_stale_marker(), i == 0);
            assert_eq!(histogram.positive_counts[0].to_bits(), bits);
            assert_eq!(decoded.encode_to_vec().unwrap(), body);
        }
    }
}

#[test]
fn custom_buckets_arrive_with_their_bounds_or_are_reported() {
    let content = Bytes::new()
        .varint(1, 4)
        .double(3, 10.0)
        .sint(4, -53)
        .len(11, Bytes::new().varint(2, 2))
        .packed_sints(12, &[1, 2])
        .int(15, 99);
    with_histogram(content.clone().packed_doubles(16, &[0.5, 2.5]), |histogram| {
        assert_eq!((histogram.schema, histogram.custom_values), (-53, &[0.5, 2.5][..]));
        let buckets: Vec<_> = histogram.positive_buckets(10).map(|b| b.unwrap()).collect();
        assert_eq!(
            buckets.iter().map(|b| (b.index, b.count)).collect::<Vec<_>>(),
            [(0, Count::Int(1)), (1, Count::Int(3))]
        );
    });
    let named = |histogram: Bytes| request(&[series(&[("__name__", "h")], &[]).len(4, histogram)]);
    with_series(&named(content.clone()), |series| {
        assert_eq!(violations(&series), [Rule::CustomBucketsOverBounds]);
    });
    with_series(&named(content.packed_doubles(16, &[0.5, 2.5])), |series| {
        assert_eq!(violations(&series), []);
    });
}

#[test]
fn spans_that_name_billions_of_buckets_are_read_but_never_filled_in() {
    let span = |offset, length| Bytes::new().sint(1, offset).varint(2, length);
    let refused = |spans: &[Bytes], deltas: &[i64], error| {
        let content = spans.iter().fold(Bytes::new(), |content, span| content.len(11, span));
        with_histogram(content.packed_sints(12, deltas), |histogram| {
            assert_eq!(histogram.positive_spans.len(), spans.len());
            let buckets: Result<Vec<_>, _> = histogram.positive_buckets(1000).collect();
            assert_eq!(buckets.map(|buckets| buckets.len()), error);
        });
    };
    refused(&[span(i64::from(i32::MAX), 1)], &[1], Ok(1));
    refused(&[span(i64::from(i32::MAX), 2)], &[1, 1], Err(BucketError::IndexOutOfRange));
    refused(
        &[span(1, 1), span(i64::from(i32::MAX), 1)],
        &[1, 1],
        Err(BucketError::IndexOutOfRange),
    );
    let most = u64::from(u32::MAX);
    refused(&[span(0, most), span(0, most)], &[1], Err(BucketError::TooManyBuckets));
    refused(&vec![span(0, most); 5000], &[1], Err(BucketError::TooManyBuckets));
    refused(&[span(0, 1001)], &[1], Err(BucketError::TooManyBuckets));
    refused(&[span(0, 1), span(-5, 1)], &[1, 1], Err(BucketError::NegativeGap));
    refused(&[span(0, 2)], &[1], Err(BucketError::LengthMismatch));
    // The first span alone may begin below zero.
    refused(&[span(-5, 1), span(0, 1)], &[1, 1], Ok(2));
}

#[test]
fn labels_are_compared_bytewise_and_stay_in_their_order() {
    let cases: [(&[&str], bool); 9] = [
        (&["b", "a"], false),
        (&["a", "B"], false),
        (&["B", "a"], true),
        (&["a", "a_", "aa"], true),
        (&["a", "aa", "a_"], false),
        (&["a", "a"], false),
        (&["z", "\u{80}", "\u{ffff}", "\u{10000}"], true),
        // UTF-16 would have it the other way round.
        (&["\u{10000}", "\u{ffff}"], false),
        (&[], true),
    ];
    for (names, sorted) in cases {
        let labels: Vec<_> = names.iter().map(|&name| (name, "1")).collect();
        let body = request(&[series(&labels, &[])]);
        with_series(&body, |series| {
            assert_eq!(series.has_sorted_labels(), sorted, "{names:?}");
            let found: Vec<_> = series.labels().iter().map(|label| label.name).collect();
            assert_eq!(found, names);
            // A repeated name is no name out of order: each is reported as what it is.
            let reported = violations(&series);
            let unsorted = reported.contains(&Rule::UnsortedLabels);
            assert_eq!(unsorted, !names.is_sorted(), "{names:?}");
            let duplicate = reported.contains(&Rule::DuplicateLabel);
            assert_eq!(duplicate, names == ["a", "a"], "{names:?}");
            // Neither does encoding sort.
            assert_eq!(WriteRequestEncoder::new([series]).encode_to_vec().unwrap(), body);
        });
    }
}

#[test]
fn the_metric_name_is_found_wherever_it_stands() {
    type Case<'c> = (&'c [(&'c str, &'c str)], Option<&'c str>);
    let cases: [Case<'_>; 6] = [
        (&[("A", "1"), ("__name__", "m")], Some("m")),
        (&[("_0", "1"), ("__name__", "m")], Some("m")),
        (&[("__name__", "m"), ("a", "1")], Some("m")),
        (&[("a", "1")], None),
        (&[("__name__", "")], Some("")),
        (&[], None),
    ];
    for (labels, name) in cases {
        with_series(&request(&[series(labels, &[])]), |series| {
            assert_eq!(series.metric_name(), name);
            let missing = violations(&series).contains(&Rule::MissingMetricName);
            assert_eq!(missing, name.is_none_or(str::is_empty), "{labels:?}");
        });
    }
}

#[test]
fn a_request_may_hold_metadata_only_or_nothing() {
    let entry = Bytes::new().varint(1, 2).len(2, "m").len(4, "h").len(5, "s");
    let body = Bytes::new().len(3, entry).build();
    let decoded = WriteRequest::decode(&body).unwrap();
    assert_eq!((decoded.timeseries().len(), decoded.metadata().len()), (0, 1));
    let metadata = decoded.metadata().get(0).unwrap();
    assert_eq!(metadata.metric_type, MetricType::GAUGE);
    assert_eq!((metadata.metric_family_name, metadata.help, metadata.unit), ("m", "h", "s"));

    let nothing = WriteRequest::decode(&[]).unwrap();
    assert_eq!((nothing.timeseries().len(), nothing.metadata().len()), (0, 0));
    assert!(!nothing.has_unknown_fields());

    let unknown = Bytes::new().varint(15, 1).len(16, "x").build();
    let unknown = WriteRequest::decode(&unknown).unwrap();
    assert_eq!((unknown.timeseries().len(), unknown.metadata().len()), (0, 0));
    assert!(unknown.has_unknown_fields());

    // A type of the future is kept.
    let body = Bytes::new().len(3, Bytes::new().varint(1, 99).len(2, "m")).build();
    let decoded = WriteRequest::decode(&body).unwrap();
    assert_eq!(decoded.metadata().get(0).unwrap().metric_type, MetricType(99));
    assert_eq!(decoded.encode_to_vec().unwrap(), body);
}

#[test]
fn unknown_fields_are_noticed_at_every_level() {
    let unknown = Bytes::new().varint(99, 1);
    let spans = |field| Bytes::new().len(4, Bytes::new().len(field, &unknown));
    let bodies = [
        unknown.clone(),
        Bytes::new().len(3, &unknown),
        Bytes::new().len(1, &unknown),
        Bytes::new().len(1, Bytes::new().len(1, &unknown)),
        Bytes::new().len(1, Bytes::new().len(1, Bytes::new().len(1, "a").raw(&unknown))),
        Bytes::new().len(1, Bytes::new().len(2, &unknown)),
        Bytes::new().len(1, Bytes::new().len(3, &unknown)),
        Bytes::new().len(1, Bytes::new().len(3, Bytes::new().len(1, &unknown))),
        Bytes::new().len(1, Bytes::new().len(4, &unknown)),
        Bytes::new().len(1, spans(8)),
        Bytes::new().len(1, spans(11)),
    ];
    for body in bodies {
        assert!(WriteRequest::decode(body.as_ref()).unwrap().has_unknown_fields(), "{body:x?}");
    }
    assert_eq!(Label::decode(unknown.as_ref()), Ok(Label::default()));
}
