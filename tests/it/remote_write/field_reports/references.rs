//! Faults around the symbols of remote write 2.0, and in what it has beside them.

use borrowire::remote_write::v2::{BadRef, DecodeOptions, Request, Symbolizer};
use borrowire::remote_write::{Label, MetricType, Rule, Rules, STALE_NAN_BITS, TimeSeries};
use borrowire::{DecodeErrorKind, Encode};

use crate::support::bytes::v2::{packed, refs, request, symbols};
use crate::support::bytes::{Bytes, sample};
use crate::support::oracle::remote_write_v2::PARTIAL;

/// Decodes the only series of `body` and hands it to `check`.
fn with_series(body: &[u8], check: impl FnOnce(TimeSeries<'_, '_>)) {
    let decoded = Request::decode(body).unwrap();
    assert_eq!(decoded.timeseries().len(), 1);
    check(decoded.timeseries().get(0).unwrap());
}

/// The series, written again.
fn written(series: TimeSeries<'_, '_>) -> Vec<u8> {
    Symbolizer::new().symbolize([series]).unwrap().encode_to_vec().unwrap()
}

#[test]
fn lists_of_numbers_are_whole_in_any_mixture_of_forms() {
    let texts = ["", "a", "b", "c", "d"];
    let forms = [
        refs(&[1, 2, 3, 4]),
        Bytes::new().varint(1, 1).varint(1, 2).varint(1, 3).varint(1, 4),
        refs(&[1]).varint(1, 2).len(1, "").raw(refs(&[3, 4])),
        refs(&[1, 2, 3]).varint(1, 4).len(1, ""),
        Bytes::new().varint(1, 1).raw(refs(&[2, 3])).len(5, "").varint(1, 4),
    ];
    for form in forms {
        let exemplar = form.clone().double(2, 1.0);
        with_series(&request(&texts, &[form.len(4, exemplar)]), |series| {
            let labels = [Label::new("a", "b"), Label::new("c", "d")];
            assert_eq!(series.labels(), labels);
            assert_eq!(series.exemplars().get(0).unwrap().labels(), labels);
        });
    }
    let histogram = Bytes::new()
        .sint(12, 3)
        .len(12, "")
        .packed_sints(12, &[-1, 300])
        .sint(12, 5)
        .double(13, 1.0)
        .packed_doubles(13, &[2.0])
        .double(16, -0.0);
    with_series(&request(&texts, &[Bytes::new().len(3, histogram)]), |series| {
        let histogram = series.histograms().get(0).unwrap();
        assert_eq!(histogram.positive_deltas, [3, -1, 300, 5]);
        assert_eq!(histogram.positive_counts, [1.0, 2.0]);
        assert_eq!(histogram.custom_values[0].to_bits(), 1 << 63);
    });
}

#[test]
fn a_block_of_references_promises_no_more_than_is_there() {
    for (block, kind) in [
        (Bytes::new().tag(1, 2).bare_varint(0x7fff_ffff), DecodeErrorKind::Truncated),
        (Bytes::new().tag(1, 2).bare_varint(u64::MAX), DecodeErrorKind::Truncated),
        // A reference that goes on behind its block.
        (Bytes::new().len(1, [0x00, 0x80]).raw([0x01, 0x00]), DecodeErrorKind::Truncated),
        (Bytes::new().len(1, [0x80; 11]), DecodeErrorKind::VarintOverflow),
    ] {
        for series in [block.clone(), Bytes::new().len(4, &block)] {
            let body = request(&["", "a"], &[series]);
            for options in [DecodeOptions::new(), PARTIAL] {
                let error = Request::decode_with(&body, &options).unwrap_err();
                assert_eq!((error.kind(), error.field_number()), (kind, 1));
            }
        }
    }
    for (field, block) in [(13, &[0; 12][..]), (12, &[0x80]), (9, &[0x01, 0x80]), (16, &[0; 7])] {
        let histogram = Bytes::new().len(field, block);
        let body = request(&[""], &[Bytes::new().len(3, histogram)]);
        assert_eq!(Request::decode(&body).unwrap_err().field_number(), field);
    }
}

#[test]
fn metadata_in_parts_is_one() {
    let texts = ["", "help", "s", "other"];
    let parts = [Bytes::new().varint(1, 1), Bytes::new().varint(3, 1), Bytes::new().varint(4, 2)];
    for order in [[0, 1, 2], [2, 1, 0], [1, 0, 2]] {
        let series = order.iter().fold(Bytes::new(), |series, &i| series.len(5, &parts[i]));
        for series in
            [series.clone(), series.clone().len(5, ""), Bytes::new().len(5, "").raw(series)]
        {
            with_series(&request(&texts, &[series]), |series| {
                let metadata = series.metadata().unwrap();
                assert_eq!(metadata.metric_type, MetricType::COUNTER);
                assert_eq!((metadata.help, metadata.unit), ("help", "s"));
            });
        }
    }
    // Of each scalar the last one counts.
    let series =
        Bytes::new().len(5, Bytes::new().varint(3, 1).varint(1, 3)).len(5, [0x18, 3, 8, 0]);
    with_series(&request(&texts, &[series]), |series| {
        let metadata = series.metadata().unwrap();
        assert_eq!((metadata.metric_type, metadata.help), (MetricType::UNKNOWN, "other"));
    });
}

#[test]
fn every_nan_keeps_its_bits() {
    let bits = [
        STALE_NAN_BITS,
        0x7ff8_0000_0000_0001,
        u64::MAX,
        0x7ff0_0000_0000_0001,
        0xfff0_0000_0000_0000,
        1,
        1 << 63,
    ];
    for (i, bits) in bits.into_iter().enumerate() {
        let value = f64::from_bits(bits);
        let histogram = Bytes::new().double(3, value).packed_doubles(13, &[value]);
        let body = request(
            &["", "a", "b"],
            &[refs(&[1, 2])
                .len(2, sample(value, 1))
                .len(3, histogram)
                .len(4, Bytes::new().double(2, value))],
        );
        with_series(&body, |series| {
            assert_eq!(series.samples()[0].value.to_bits(), bits);
            assert_eq!(series.samples()[0].is_stale_marker(), i == 0);
            assert_eq!(series.exemplars().get(0).unwrap().value().to_bits(), bits);
            let histogram = series.histograms().get(0).unwrap();
            assert_eq!(histogram.sum.to_bits(), bits);
            assert_eq!(histogram.is_stale_marker(), i == 0);
            assert_eq!(histogram.positive_counts[0].to_bits(), bits);
            assert_eq!(written(series), body);
        });
    }
}

/// The error of decoding, which partial mode must list in its place.
#[track_caller]
fn bad_reference(body: &[u8]) -> (DecodeErrorKind, u32, Option<BadRef>) {
    let error = Request::decode(body).unwrap_err();
    let partial = Request::decode_with(body, &PARTIAL).unwrap();
    assert_eq!(partial.skipped()[0].error, error);
    (error.kind(), error.field_number(), BadRef::find(body, &error))
}

#[test]
fn a_reference_needs_a_symbol() {
    let series = refs(&[1, 2]);
    for texts in [&[""][..], &[], &["", "n"]] {
        let (kind, field, bad) = bad_reference(&request(texts, std::slice::from_ref(&series)));
        assert_eq!((kind, field), (DecodeErrorKind::RefOutOfRange, 1));
        let reference = if texts.len() < 2 { 1 } else { 2 };
        assert_eq!(bad.unwrap().reference, Some(reference));
    }
    let (kind, _, bad) = bad_reference(&request(&["", "n"], &[refs(&[1, u32::MAX])]));
    assert_eq!(kind, DecodeErrorKind::RefOutOfRange);
    assert_eq!(bad.unwrap().reference, Some(u32::MAX));
    // The series' exemplars and metadata as well, which have a way of their own to their symbols.
    let good = refs(&[1, 2]).len(2, sample(1.0, 1));
    for (bad, field) in [
        (Bytes::new().len(5, Bytes::new().varint(1, 1).varint(3, 99)), 3),
        (Bytes::new().len(5, Bytes::new().varint(1, 1).varint(4, 99)), 4),
        (Bytes::new().len(4, refs(&[1, 99])), 1),
        (Bytes::new().len(4, refs(&[99, 1])), 1),
        (Bytes::new().len(4, Bytes::new().varint(1, 1).varint(1, 99)), 1),
    ] {
        for series in [good.clone().raw(&bad), bad.clone().raw(&good)] {
            let body = request(&["", "__name__", "m"], &[good.clone(), series]);
            let (kind, at, bad) = bad_reference(&body);
            assert_eq!((kind, at), (DecodeErrorKind::RefOutOfRange, field));
            let bad = bad.unwrap();
            assert_eq!((bad.series, bad.reference), (1, Some(99)));
        }
    }
    // Where symbols stand does not matter.
    let late = Bytes::new().len(5, refs(&[1, 2])).raw(symbols(&["", "n", "v"])).build();
    with_series(&late, |series| assert_eq!(series.labels(), [Label::new("n", "v")]));
    let (kind, _, bad) = bad_reference(
        &Bytes::new()
            .len(5, refs(&[1, 2]))
            .len(5, refs(&[1, 3]))
            .raw(symbols(&["", "n", "v"]))
            .build(),
    );
    assert_eq!((kind, bad.unwrap().series), (DecodeErrorKind::RefOutOfRange, 1));
}

#[test]
fn metadata_without_a_type_is_metadata() {
    let texts = ["", "__name__", "m", "text"];
    let labels = refs(&[1, 2]);
    for (content, help, unit) in [
        (Bytes::new().varint(3, 3), "text", ""),
        (Bytes::new().varint(4, 3), "", "text"),
        (Bytes::new(), "", ""),
    ] {
        let metadata = Bytes::new().len(5, content);
        for series in [labels.clone().raw(&metadata), metadata.raw(&labels)] {
            with_series(&request(&texts, &[series]), |series| {
                assert_eq!(series.labels(), [Label::new("__name__", "m")]);
                let metadata = series.metadata().expect("empty is not absent");
                assert_eq!(metadata.metric_type, MetricType::UNKNOWN);
                assert_eq!((metadata.help, metadata.unit), (help, unit));
            });
        }
    }
    with_series(&request(&texts, std::slice::from_ref(&labels)), |series| {
        assert_eq!(series.metadata(), None)
    });
    // A 0 that is spelled out is the same as one that is left out, also where there is no such symbol.
    let zeros = Bytes::new().len(5, Bytes::new().varint(3, 0).varint(4, 0));
    for zeros in [zeros, Bytes::new().len(5, "")] {
        for body in [
            Bytes::new().len(5, zeros.clone()).build(),
            Bytes::new().len(4, b"\xff").len(5, zeros).build(),
        ] {
            let decoded = Request::decode_with(&body, &PARTIAL).unwrap();
            assert!(decoded.skipped().is_empty());
            let metadata = decoded.timeseries().get(0).unwrap().metadata().unwrap();
            assert_eq!((metadata.help, metadata.unit), ("", ""));
        }
    }
    // A table that does not begin with the empty symbol is told of: what is left out would read as "x".
    let body = request(&["x", "__name__", "m"], &[labels.len(5, [0x08, 0x02])]);
    let mut told = false;
    let decoded = Request::decode(&body).unwrap();
    decoded.validate(&Rules::strict(), |violation| {
        told |= violation.kind.rule() == Rule::FirstSymbolNotEmpty;
    });
    assert!(told);
}

#[test]
fn start_timestamps_of_every_draft_are_found() {
    let histogram = |start| Bytes::new().varint(1, 1).int(15, 10).raw(start);
    let own = |value: i64| Bytes::new().int(17, value);
    let series = |start: Option<i64>, series: Option<i64>| {
        let sample = sample(1.0, 10);
        let sample = start.map_or(sample.clone(), |start| sample.int(3, start));
        let bytes = refs(&[1, 2]).len(2, sample).len(3, histogram(start.map_or(Bytes::new(), own)));
        series.map_or(bytes.clone(), |created| bytes.int(6, created))
    };
    for (own, created, effective) in [
        (None, Some(5), 5),
        (Some(6), None, 6),
        (Some(6), Some(5), 6),
        (Some(-1), Some(5), -1),
        (Some(0), Some(-7), -7),
        (None, None, 0),
    ] {
        let body = request(&["", "__name__", "c"], &[series(own, created)]);
        with_series(&body, |series| {
            let (sample, histogram) = (series.samples()[0], series.histograms().get(0).unwrap());
            assert_eq!(series.created_timestamp(), created.unwrap_or(0));
            assert_eq!(sample.start_timestamp, own.unwrap_or(0));
            assert_eq!(histogram.start_timestamp, own.unwrap_or(0));
            assert_eq!(series.start_timestamp(sample.start_timestamp), effective);
            assert_eq!(series.start_timestamp(histogram.start_timestamp), effective);
            // Written in the new place only.
            with_series(&written(series), |again| {
                assert_eq!(again.created_timestamp(), 0);
                assert_eq!(again.samples()[0].start_timestamp, effective);
                assert_eq!(again.histograms().get(0).unwrap().start_timestamp, effective);
            });
        });
    }
}

#[test]
fn a_reference_of_any_length_reads_the_same() {
    let texts: Vec<String> = (0..20_000).map(|i| format!("s{i}")).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let places = [0, 1, 127, 128, 129, 300, 16_383, 16_384, 19_999];
    let all: Vec<u32> = places.iter().flat_map(|&a| places.map(|b| [a, b])).flatten().collect();
    let expected: Vec<_> =
        all.as_chunks().0.iter().map(|&[a, b]| (texts[a as usize], texts[b as usize])).collect();
    // Longer than needed, up to ten bytes.
    let padded = |len: usize| {
        all.iter().fold(Bytes::new(), |bytes, &reference| {
            let shortest = packed(&[reference]).build();
            let (last, first) = shortest.split_last().unwrap();
            if shortest.len() >= len {
                return bytes.raw(&shortest);
            }
            let zeros = [0x80; 10];
            bytes.raw(first).raw([last | 0x80]).raw(&zeros[..len - shortest.len() - 1]).raw([0])
        })
    };
    for len in 1..=10 {
        with_series(&request(&texts, &[Bytes::new().len(1, padded(len))]), |series| {
            let labels: Vec<_> = series.labels().iter().map(|l| (l.name, l.value)).collect();
            assert_eq!(labels, expected, "{len} bytes");
        });
    }
}
