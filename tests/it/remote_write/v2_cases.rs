//! Remote write 2.0 beyond single faults: any order of fields, what partial mode leaves out, and what
//! Mimir has of its own.

use borrowire::remote_write::v2::{
    COMMON_SYMBOLS, COMMON_SYMBOLS_END, DecodeOptions, Format, Request,
};
use borrowire::remote_write::{Label, RecordKind, RequestSource};
use borrowire::reuse::Decoder;
use borrowire::{DecodeErrorKind, Limits};
use prost::Message;

use crate::support::bytes::v2::{packed, refs, request, symbols};
use crate::support::bytes::{Bytes, sample};
use crate::support::oracle::remote_write_v2::{PARTIAL, RemoteWriteV2};
use crate::support::oracle::{Subject, Used, decode};
use crate::support::proto::mimirpb;

const TEXTS: [&str; 6] = ["", "__name__", "up", "trace_id", "Help.", "s"];

/// The six fields of a series, each with something in it.
fn fields() -> [Bytes; 6] {
    let histogram = Bytes::new().varint(1, 3).packed_sints(12, &[1, 2]);
    let exemplar = refs(&[3, 5]).double(2, 0.5).int(3, 7);
    let metadata = Bytes::new().varint(1, 2).varint(3, 4).varint(4, 5);
    [
        refs(&[1, 2]),
        Bytes::new().len(2, sample(1.5, 9)),
        Bytes::new().len(3, histogram),
        Bytes::new().len(4, exemplar),
        Bytes::new().len(5, metadata),
        Bytes::new().int(6, 5),
    ]
}

fn full_series() -> Bytes {
    fields().into_iter().fold(Bytes::new(), Bytes::raw)
}

/// All orders of `items`.
fn permutations<T: Clone>(items: &[T]) -> Vec<Vec<T>> {
    if items.is_empty() {
        return vec![vec![]];
    }
    (0..items.len())
        .flat_map(|first| {
            let mut rest = items.to_vec();
            let first = rest.remove(first);
            permutations(&rest).into_iter().map(move |mut order| {
                order.insert(0, first.clone());
                order
            })
        })
        .collect()
}

#[test]
fn fields_may_come_in_any_order() {
    let expected = request(&TEXTS, &[full_series(), refs(&[1, 5])]);
    let expected = Request::decode(&expected).unwrap();
    let texts: Vec<Bytes> = TEXTS.iter().map(|text| symbols(&[text])).collect();
    let mut decoder = Decoder::<Request>::new();
    for order in permutations(&fields()) {
        let full = Bytes::new().len(5, order.into_iter().fold(Bytes::new(), Bytes::raw));
        let other = Bytes::new().len(5, refs(&[1, 5]));
        // The two series anywhere between the symbols.
        for first in 0..=texts.len() {
            for second in first..=texts.len() {
                let body = (0..=texts.len()).fold(Bytes::new(), |body, at| {
                    let body = if at == first { body.raw(&full) } else { body };
                    let body = if at == second { body.raw(&other) } else { body };
                    texts.get(at).map_or(body.clone(), |text| body.raw(text))
                });
                let body = body.build();
                RemoteWriteV2::assert_same_content(&decoder.decode(&body).unwrap(), &expected);
            }
        }
    }
}

#[test]
fn the_same_fields_in_pieces() {
    let whole = request(&TEXTS, &[full_series()]);
    let whole = Request::decode(&whole).unwrap();
    let exemplar = Bytes::new().varint(1, 3).double(2, 0.5).varint(1, 5).int(3, 7);
    let [_, sample, histogram, _, _, created] = fields();
    let pieces = Bytes::new()
        .varint(1, 1)
        .raw(created)
        .len(5, Bytes::new().varint(3, 4))
        .raw(sample)
        .len(1, [2])
        .len(1, "")
        .raw(histogram)
        .len(5, Bytes::new().varint(1, 7).varint(4, 5))
        .len(4, exemplar)
        .len(5, Bytes::new().varint(1, 2));
    let body = request(&TEXTS, &[pieces]);
    RemoteWriteV2::assert_same_content(&Request::decode(&body).unwrap(), &whole);
}

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

/// Options of Mimir's records of version 2.
const COMMON: DecodeOptions = DecodeOptions::new().with_format(Format::MimirRecord);

#[test]
fn common_symbols_stand_in_front_of_the_records_own() {
    let own = COMMON_SYMBOLS_END;
    let series = refs(&[1, own + 1, 19, own + 2, 0, own]);
    let body = request(&["", "up", "node"], std::slice::from_ref(&series));
    let decoded = Request::decode_with(&body, &COMMON).unwrap();
    let labels = [Label::new("__name__", "up"), Label::new("job", "node"), Label::new("", "")];
    assert_eq!(decoded.timeseries().get(0).unwrap().labels(), labels);
    assert_eq!(decoded.symbols().len(), 67);
    assert_eq!(decoded.symbols().get(own + 2), Some("node"));
    // All that have a text, with nothing of the record's own.
    let all: Vec<u32> = (0..COMMON_SYMBOLS.len() as u32).collect();
    let body = request(&[], &[refs(&all)]);
    let decoded = Request::decode_with(&body, &COMMON).unwrap();
    let labels = decoded.timeseries().get(0).unwrap().labels();
    assert!(labels.iter().flat_map(|label| [label.name, label.value]).eq(COMMON_SYMBOLS));
    // Without the option they mean something else.
    let error = Request::decode(&body).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::RefOutOfRange);
    // Behind the series.
    let body = Bytes::new().len(5, series).raw(symbols(&["", "up", "node"])).build();
    let decoded = Request::decode_with(&body, &COMMON).unwrap();
    assert_eq!(decoded.timeseries().get(0).unwrap().metric_name(), Some("up"));
}

#[test]
fn common_symbols_that_are_not_assigned_are_none() {
    for reference in 36..64 {
        for (series, element) in [
            (refs(&[1, reference]), None),
            (refs(&[reference, 1]), None),
            (Bytes::new().len(4, refs(&[1, reference])), Some(0)),
            (Bytes::new().len(5, Bytes::new().varint(3, reference.into())), None),
        ] {
            let body = request(&["", "own"], &[series, refs(&[1, 65])]);
            let error = Request::decode_with(&body, &COMMON).unwrap_err();
            assert_eq!(error.kind(), DecodeErrorKind::RefOutOfRange);
            let partial = Request::decode_with(&body, &COMMON.with_partial(true)).unwrap();
            let [skipped] = partial.skipped() else { panic!("{:?}", partial.skipped()) };
            assert_eq!((skipped.index, skipped.element), (0, element));
            assert_eq!(partial.timeseries().len(), 1 + usize::from(element.is_some()));
        }
    }
    let body = request(&["", "own"], &[refs(&[1, 66])]);
    assert!(Request::decode_with(&body, &COMMON).is_err());
}

#[test]
fn one_storage_with_and_without_common_symbols() {
    let own = COMMON_SYMBOLS_END;
    let of_mimir = request(&["", "up"], &[refs(&[1, own + 1])]);
    let plain = request(&["", "__name__", "up"], &[refs(&[1, 2])]);
    let mut decoded = Request::default();
    for _ in 0..3 {
        decoded.decode_into(&of_mimir, &COMMON).unwrap();
        assert_eq!(decoded.timeseries().get(0).unwrap().metric_name(), Some("up"));
        assert_eq!(decoded.symbols().len(), 66);
        decoded.decode_into(&plain, &DecodeOptions::new()).unwrap();
        assert_eq!(decoded.timeseries().get(0).unwrap().metric_name(), Some("up"));
        assert_eq!(decoded.symbols().len(), 3);
        decoded = decoded.recycle();
        assert!(decoded.symbols().is_empty());
    }
    // The cap is about the request's own.
    let limits = |max| COMMON.with_max_symbols(max);
    assert!(Request::decode_with(&of_mimir, &limits(2)).is_ok());
    let error = Request::decode_with(&of_mimir, &limits(1)).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::LimitExceeded, 3));
}

#[test]
fn the_message_that_mimir_shares_between_the_versions() {
    let series = mimirpb::TimeSeriesRw2 {
        labels_refs: vec![1, 2],
        samples: vec![mimirpb::Sample { value: 1.0, timestamp_ms: 9 }],
        created_timestamp: 5,
        ..Default::default()
    };
    let request = mimirpb::WriteRequest {
        source: 1,
        symbols_rw2: ["", "__name__", "up"].map(String::from).into(),
        timeseries_rw2: vec![series],
        skip_label_validation: true,
        skip_label_count_validation: true,
        // What 1.0 has in it is passed over.
        timeseries: vec![mimirpb::TimeSeries::default()],
        metadata: vec![mimirpb::MetricMetadata::default()],
    };
    let body = request.encode_to_vec();
    let decoded = Request::decode(&body).unwrap();
    assert_eq!(decoded.timeseries().len(), 1);
    let series = decoded.timeseries().get(0).unwrap();
    assert_eq!(series.metric_name(), Some("up"));
    assert_eq!((series.created_timestamp(), series.start_timestamp(0)), (5, 5));
    let extensions = decoded.extensions();
    assert_eq!(extensions.source, RequestSource(1));
    assert!(extensions.skip_label_validation && extensions.skip_label_count_validation);
    assert!(decoded.has_unknown_fields(), "those of 1.0");

    let plain = mimirpb::WriteRequest { timeseries: vec![], metadata: vec![], ..request };
    let body = plain.encode_to_vec();
    assert!(!Request::decode(&body).unwrap().has_unknown_fields());
}

#[test]
fn a_block_of_references_is_read_in_any_length() {
    let texts: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    for count in (0..600).step_by(2) {
        let list: Vec<u32> = (0..count).map(|i| i * 7 % 300).collect();
        let body = request(&texts, &[Bytes::new().len(1, packed(&list))]);
        let decoded = Request::decode(&body).unwrap();
        let labels = decoded.timeseries().get(0).unwrap().labels();
        let read = labels.iter().flat_map(|label| [label.name, label.value]);
        assert!(read.eq(list.iter().map(|&reference| texts[reference as usize])));
        assert!(decoded.refs(0).unwrap().labels().eq(list));
    }
}

/// Decodes one series behind `head`; the place of a fault is counted in the series.
fn one(
    head: &[u8],
    series: &[u8],
    options: &DecodeOptions,
) -> Result<(), (DecodeErrorKind, u32, usize)> {
    let body = Bytes::new().raw(head).len(5, series).build();
    let start = body.len() - series.len();
    let decoded = Request::decode_with(&body, options);
    decoded.map(drop).map_err(|e| (e.kind(), e.field_number(), e.offset() - start))
}

#[test]
fn series_that_begin_as_usual_and_go_on_otherwise() {
    let texts: Vec<String> = (0..300).map(|i| i.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let head = symbols(&texts).build();
    let lists: [&[u32]; 13] = [
        &[],
        &[1, 2],
        &[1, 200],
        &[200, 1],
        &[200, 201],
        &[1, 2, 200, 3, 4, 200, 201, 202],
        &[1],
        &[1, 2, 200],
        &[1, 2, 1],
        &[300, 1],
        &[1, 300],
        &[1, 2, 3, 20_000],
        &[5; 130],
    ];
    let fronts = lists.iter().flat_map(|list| {
        let padded =
            Bytes::new().len(1, Bytes::new().raw(packed(list)).raw([0x81, 0x80, 0x00, 0x01]));
        [refs(list), refs(list).raw(refs(&[7, 8])), padded, Bytes::new()]
    });
    let now = 1_700_000_000_000;
    let samples = [
        Bytes::new().len(2, sample(1.5, now)),
        Bytes::new().len(2, Bytes::new().int(2, now)),
        Bytes::new().len(2, sample(1.5, 1)),
        Bytes::new().len(2, sample(1.5, now).int(3, 5)),
        Bytes::new().len(2, ""),
        Bytes::new(),
    ];
    let metadata = Bytes::new().len(5, Bytes::new().varint(1, 1).varint(3, 200));
    let tails = [
        Bytes::new(),
        Bytes::new().len(5, ""),
        Bytes::new().len(5, "").len(5, ""),
        metadata.clone(),
        Bytes::new().len(5, "").raw(&metadata),
        refs(&[3, 4]),
        refs(&[3]),
        Bytes::new().varint(1, 3),
        Bytes::new().len(2, sample(2.5, now)).len(5, ""),
        Bytes::new().int(6, 5).len(5, ""),
        Bytes::new().varint(9, 1),
        Bytes::new().len(4, refs(&[1, 2])),
        Bytes::new().raw([0x2a, 0x01]),
        Bytes::new().raw([0x12]),
    ];
    for front in fronts {
        for sample in &samples {
            for tail in &tails {
                let series = front.clone().raw(sample).raw(tail).build();
                // A field in front makes it unusual, and changes nothing else.
                let unusual = [&[0x30, 0x00][..], &series].concat();
                let whole = Bytes::new().raw(&head).len(5, &series).build();
                let again = Bytes::new().raw(&head).len(5, &unusual).build();
                match (Request::decode(&whole), Request::decode(&again)) {
                    (Ok(one), Ok(other)) => {
                        RemoteWriteV2::assert_same_content(&one, &other);
                        assert_eq!(one.has_unknown_fields(), other.has_unknown_fields());
                    }
                    (one, other) => assert_eq!(one.is_ok(), other.is_ok()),
                }
                for max in [usize::MAX, 310, 305, 303, 302, 301] {
                    let limits = Limits::new().with_max_elements(max);
                    for options in [DecodeOptions::new(), PARTIAL] {
                        let options = options.with_limits(limits);
                        let found = one(&head, &series, &options);
                        let expected = one(&head, &unusual, &options);
                        let expected = expected.map_err(|(kind, field, at)| (kind, field, at - 2));
                        assert_eq!(found, expected, "{series:x?} {max}");
                    }
                }
            }
        }
    }
}
