//! What partial mode leaves out of requests of 2.0, and where a bad reference is.

use borrowire::DecodeErrorKind;
use borrowire::remote_write::RecordKind;
use borrowire::remote_write::v2::Request;

use super::v2_cases::{TEXTS, fields, full_series};
use crate::support::bytes::v2::{refs, request, symbols};
use crate::support::bytes::{Bytes, sample};
use crate::support::oracle::remote_write_v2::{PARTIAL, RemoteWriteV2};
use crate::support::oracle::{Subject, Used, decode};

/// A fault in front of, behind and between the fields of a series.
fn around(fault: &Bytes) -> [Bytes; 3] {
    let [a, b, c, d, e, f] = fields();
    [
        fault.clone().raw(full_series()),
        full_series().raw(fault),
        a.raw(b).raw(c).raw(fault).raw(d).raw(e).raw(f),
    ]
}

/// Series that are bad in every way, each with something of everything around it.
fn bad_series() -> Vec<(Bytes, DecodeErrorKind, u32)> {
    use DecodeErrorKind::{InvalidUtf8, OddRefs, RefOutOfRange};
    // Symbol 6 is no text.
    let faults = [
        (refs(&[1, 99]), RefOutOfRange, 1),
        (refs(&[7, 1]), RefOutOfRange, 1),
        (Bytes::new().varint(1, 1).varint(1, u64::from(u32::MAX)), RefOutOfRange, 1),
        (refs(&[1, 6]), InvalidUtf8, 1),
        (refs(&[1]), OddRefs, 1),
        (refs(&[1]).raw(refs(&[2, 1])), OddRefs, 1),
        (Bytes::new().len(5, Bytes::new().varint(3, 7)), RefOutOfRange, 3),
        (Bytes::new().len(5, Bytes::new().varint(4, 99)), RefOutOfRange, 4),
        (Bytes::new().len(5, Bytes::new().varint(4, 6)), InvalidUtf8, 4),
    ];
    faults
        .into_iter()
        .flat_map(|(fault, kind, field)| around(&fault).map(|series| (series, kind, field)))
        .collect()
}

/// Series with an exemplar more that is bad in every way, and its position among the exemplars.
fn series_of_bad_exemplars() -> Vec<(Bytes, DecodeErrorKind, usize)> {
    use DecodeErrorKind::{InvalidUtf8, OddRefs, RefOutOfRange};
    let faults =
        [(refs(&[3, 7]), RefOutOfRange), (refs(&[6, 3]), InvalidUtf8), (refs(&[3, 5, 3]), OddRefs)];
    faults
        .into_iter()
        .flat_map(|(refs, kind)| {
            let exemplar = Bytes::new().len(4, refs.double(2, 9.0).int(3, 9));
            let [front, behind, between] = around(&exemplar);
            [(front, kind, 0), (behind, kind, 1), (between, kind, 0)]
        })
        .collect()
}

/// A request whose seventh symbol is no text.
fn with_bad_symbol(series: &[Bytes]) -> Vec<u8> {
    let head = symbols(&TEXTS).len(4, b"b\xff");
    series.iter().fold(head, |request, series| request.len(5, series)).build()
}

#[test]
fn a_bad_series_is_left_out_without_a_trace() {
    let mut used = Used::default();
    let bare = refs(&[1, 2]).len(2, sample(2.0, 10));
    let good = [full_series(), bare.clone(), full_series(), bare];
    let expected = with_bad_symbol(&good);
    let expected = Request::decode_with(&expected, &PARTIAL).unwrap();
    assert!(expected.skipped().is_empty(), "nothing uses the bad symbol");
    for (bad, kind, field) in bad_series() {
        for at in 0..=good.len() {
            let mut series = good.to_vec();
            series.insert(at, bad.clone());
            series.insert(at, bad.clone());
            let body = with_bad_symbol(&series);
            let decoded = Request::decode_with(&body, &PARTIAL).unwrap();
            RemoteWriteV2::assert_same_content(&decoded, &expected);
            let skipped: Vec<_> = decoded
                .skipped()
                .iter()
                .map(|item| (item.kind, item.index, item.error.kind(), item.error.field_number()))
                .collect();
            assert_eq!(skipped, [at, at + 1].map(|at| (RecordKind::TimeSeries, at, kind, field)));
            // The raw bytes and references are those of the series that are left.
            for (i, series) in good.iter().enumerate() {
                let record = Bytes::new().len(5, series).build();
                assert_eq!(decoded.raw_timeseries(i), Some(&*record));
                assert!(decoded.refs(i).unwrap().labels().eq([1, 2]));
            }
            // Strict, new and used: the bad symbol itself is what fails.
            let error = decode::<RemoteWriteV2>(&body, &mut used).unwrap_err();
            assert_eq!((error.kind(), error.field_number()), (DecodeErrorKind::InvalidUtf8, 4));
        }
    }
}

#[test]
fn a_bad_exemplar_costs_the_exemplar() {
    let mut used = Used::default();
    let good = full_series();
    let expected = with_bad_symbol(&[good.clone(), good.clone(), good.clone()]);
    let expected = Request::decode_with(&expected, &PARTIAL).unwrap();
    for (bad, kind, element) in series_of_bad_exemplars() {
        // In front of their symbols, and behind them.
        let early = Bytes::new()
            .len(5, &bad)
            .len(5, &good)
            .len(5, &bad)
            .raw(symbols(&TEXTS))
            .len(4, b"\xff");
        let late = with_bad_symbol(&[bad.clone(), good.clone(), bad.clone()]);
        for body in [early.build(), late] {
            let decoded = Request::decode_with(&body, &PARTIAL).unwrap();
            RemoteWriteV2::assert_same_content(&decoded, &expected);
            let skipped: Vec<_> = decoded
                .skipped()
                .iter()
                .map(|item| {
                    (item.index, item.element, item.error.kind(), item.error.field_number())
                })
                .collect();
            assert_eq!(skipped, [0, 2].map(|index| (index, Some(element), kind, 1)));
            for index in 0..3 {
                let exemplars = decoded.refs(index).unwrap().exemplars();
                assert!(exemplars.map(Vec::from_iter).eq([[3, 5]]));
            }
            decode::<RemoteWriteV2>(&body, &mut used).unwrap_err();
        }
    }
}

#[test]
fn a_bad_series_hides_its_bad_exemplars() {
    let bad = full_series().len(4, refs(&[99, 1])).raw(refs(&[1, 99])).len(4, refs(&[1]));
    let body = request(&TEXTS, &[bad, full_series().len(4, refs(&[1]))]);
    let decoded = Request::decode_with(&body, &PARTIAL).unwrap();
    assert_eq!(decoded.timeseries().len(), 1);
    let skipped: Vec<_> = decoded
        .skipped()
        .iter()
        .map(|item| (item.index, item.element, item.error.kind()))
        .collect();
    let kinds = [DecodeErrorKind::RefOutOfRange, DecodeErrorKind::OddRefs];
    assert_eq!(skipped, [(0, None, kinds[0]), (1, Some(1), kinds[1])]);
}

#[test]
fn bad_series_in_front_of_their_symbols() {
    let good = full_series();
    for (bad, kind, _) in bad_series() {
        let body = Bytes::new()
            .len(5, &bad)
            .len(5, &good)
            .raw(symbols(&TEXTS[..3]))
            .len(5, &bad)
            .raw(symbols(&TEXTS[3..]))
            .len(4, b"\xff")
            .len(5, &good)
            .build();
        let decoded = Request::decode_with(&body, &PARTIAL).unwrap();
        let expected = request(&TEXTS, &[good.clone(), good.clone()]);
        RemoteWriteV2::assert_same_content(&decoded, &Request::decode(&expected).unwrap());
        let skipped: Vec<_> =
            decoded.skipped().iter().map(|item| (item.index, item.error.kind())).collect();
        assert_eq!(skipped, [(0, kind), (2, kind)]);
    }
}

#[test]
fn places_of_bad_references() {
    let head = symbols(&TEXTS);
    let start = head.as_ref().len() + 2;
    for (series, at) in [
        // first, last, in the middle of a long list
        (refs(&[6, 1]), 2),
        (refs(&[1, 6]), 3),
        (refs(&[1, 2, 1, 2, 6, 2, 1, 2]), 6),
        (Bytes::new().varint(1, 1).varint(1, 6), 3),
        (Bytes::new().varint(1, 6).varint(1, 1), 1),
        // of two bytes, and of five
        (refs(&[1, 2, 128, 2]), 4),
        (refs(&[1, u32::MAX, 1, 2]), 3),
        (Bytes::new().len(4, refs(&[1, 6])), 5),
        (Bytes::new().len(4, Bytes::new().double(2, 1.0).varint(1, 1).varint(1, 6)), 14),
        (Bytes::new().len(5, Bytes::new().varint(3, 6)), 3),
        (Bytes::new().len(5, Bytes::new().varint(1, 1).varint(4, 6)), 5),
    ] {
        let body = head.clone().len(5, &series).build();
        let error = Request::decode(&body).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::RefOutOfRange, start + at));
    }
    // A value is missing where its message ends.
    for (series, at) in [
        (refs(&[1, 2, 1]), 5),
        (refs(&[1]).len(2, "").raw(refs(&[2, 3])), 9),
        (Bytes::new().len(4, refs(&[1])).len(2, ""), 5),
    ] {
        let body = head.clone().len(5, &series).build();
        let error = Request::decode(&body).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::OddRefs, start + at));
        assert_eq!(error.field_number(), 1);
    }
}
