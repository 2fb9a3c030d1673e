//! Remote write 2.0 beyond single faults: any order of fields, and in pieces.

use borrowire::remote_write::v2::{DecodeOptions, Request};
use borrowire::reuse::Decoder;
use borrowire::{DecodeErrorKind, Limits};

use crate::support::bytes::v2::{packed, refs, request, symbols};
use crate::support::bytes::{Bytes, sample};
use crate::support::oracle::Subject;
use crate::support::oracle::remote_write_v2::{PARTIAL, RemoteWriteV2};

pub(super) const TEXTS: [&str; 6] = ["", "__name__", "up", "trace_id", "Help.", "s"];

/// The six fields of a series, each with something in it.
pub(super) fn fields() -> [Bytes; 6] {
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

pub(super) fn full_series() -> Bytes {
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
pub(super) fn fields_may_come_in_any_order() {
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
    // Few, but so many that the references to the last take two bytes.
    const SYMBOLS: usize = 132;
    let texts: Vec<String> = (0..SYMBOLS).map(|i| i.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let head = symbols(&texts).build();
    let lists: [&[u32]; 13] = [
        &[],
        &[1, 2],
        &[1, 129],
        &[129, 1],
        &[129, 130],
        &[1, 2, 129, 3, 4, 129, 130, 131],
        &[1],
        &[1, 2, 129],
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
    let metadata = Bytes::new().len(5, Bytes::new().varint(1, 1).varint(3, 129));
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
                for max in
                    [usize::MAX, SYMBOLS + 10, SYMBOLS + 5, SYMBOLS + 3, SYMBOLS + 2, SYMBOLS + 1]
                {
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
