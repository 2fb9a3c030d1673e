//! Requests of remote write 2.0 that nobody means well: no panic, no place outside the body, no more work
//! than there are bytes, and nothing over a cap.
//!
//! No test here looks at a clock. The floods are so large that work which grows with the square of the
//! input would take hours.

use borrowire::remote_write::v2::{DecodeOptions, Request};
use borrowire::reuse::Decoder;
use borrowire::{DecodeError, DecodeErrorKind, Limits};

use crate::support::bytes::v2::{packed, refs, request, small_bodies, symbols};
use crate::support::bytes::{Bytes, sample};
use crate::support::oracle::v2::{self, PARTIAL, Used};

/// Decodes in every way, and compares with prost.
fn check(body: &[u8], used: &mut Used) {
    let ours = v2::decode(body, used);
    v2::check_prost(body, ours.as_ref().map_err(|error| *error));
    v2::check_common_symbols(body);
}

#[test]
fn bodies_cut_at_every_byte() {
    let mut used = Used::new();
    for (name, body) in small_bodies() {
        for cut in 0..body.len() {
            check(&body[..cut], &mut used);
            if let Err(error) = Request::decode(&body[..cut]) {
                // Symbols that were to come behind the series are missing then.
                let missing = error.kind() == DecodeErrorKind::RefOutOfRange;
                assert!(
                    missing || error.kind() == DecodeErrorKind::Truncated,
                    "{name} cut at {cut}: {error}"
                );
            }
        }
        check(&body, &mut used);
    }
}

#[test]
fn bodies_with_any_bit_flipped() {
    let mut used = Used::new();
    for (_, body) in small_bodies() {
        for at in 0..body.len() {
            for bit in 0..8 {
                let mut flipped = body.clone();
                flipped[at] ^= 1 << bit;
                check(&flipped, &mut used);
            }
        }
    }
}

#[test]
fn bodies_with_a_huge_number_anywhere() {
    let numbers =
        [0x7fff_ffff_u64, 1 << 31, (1 << 32) - 1, 1 << 32, (1 << 32) + 2, 1 << 63, u64::MAX];
    let mut used = Used::new();
    for (_, body) in small_bodies() {
        for at in 0..body.len() {
            for number in numbers {
                let head = Bytes::new().raw(&body[..at]).bare_varint(number);
                check(&head.raw(&body[at + 1..]).build(), &mut used);
            }
        }
    }
}

const MANY: usize = 300_000;

/// `MANY` times `piece`.
fn flood(piece: impl AsRef<[u8]>) -> Bytes {
    Bytes::new().raw(piece.as_ref().repeat(MANY))
}

/// Decodes strictly and partially.
fn decode_both(body: &[u8]) -> Request<'_> {
    let strict = Request::decode(body);
    let partial = Request::decode_with(body, &PARTIAL).unwrap();
    if let Ok(strict) = &strict {
        v2::same(strict, &partial);
    }
    partial
}

#[test]
fn a_million_references() {
    const MILLION: usize = 1_000_000;
    let block = |references: &[u8]| Bytes::new().len(1, references.repeat(MILLION / 2));
    for (list, labels) in [
        (block(&[0, 1]), MILLION / 2),
        (block(&[0x81, 0x00, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00]), MILLION / 2),
        (Bytes::new().raw([8, 0, 8, 1].repeat(MILLION / 2)), MILLION / 2),
        (Bytes::new().raw([0x0a, 1, 0, 0x0a, 0, 8, 1].repeat(MILLION / 2)), MILLION / 2),
    ] {
        for late in [false, true] {
            let body = if late {
                Bytes::new().len(5, &list).raw(symbols(&["", "a"])).build()
            } else {
                request(&["", "a"], std::slice::from_ref(&list))
            };
            let decoded = decode_both(&body);
            assert_eq!(decoded.labels_len(), labels);
            assert_eq!(decoded.refs(0).unwrap().labels().count(), 2 * labels);
        }
    }
    // One too many, over two blocks; and one of them bad, at the end.
    for list in [block(&[0, 1]).len(1, [0]), block(&[0, 1]).len(1, [0, 2])] {
        let body = request(&["", "a"], &[list]);
        let decoded = decode_both(&body);
        assert_eq!((decoded.labels_len(), decoded.skipped().len()), (0, 1));
        assert!(decoded.skipped()[0].error.offset() + 1 >= body.len());
    }
}

#[test]
fn symbols_that_do_not_fit_one_text_region() {
    let long = "v".repeat(130);
    let text = Bytes::new().len(4, "ab");
    let bad = Bytes::new().len(4, b"\xff");
    // Half a character that looks whole together with the next record.
    let half = Bytes::new().len(4, b"\xc3").raw([0xa9, 0x01]).raw(b"12345678");
    for piece in [
        Bytes::new().len(4, ""),
        text.clone(),
        Bytes::new().len(4, &long),
        text.clone().len(4, &long),
        text.clone().varint(99, 1),
        // A length of two bytes where one would do.
        Bytes::new().raw([0x22, 0x81, 0x00, b'a']),
        text.clone().raw([0xa2, 0x00, 0x01, b'b']),
        text.clone().len(5, ""),
    ] {
        let body = flood(piece).build();
        let decoded = decode_both(&body);
        assert!(decoded.symbols().len() >= MANY && decoded.symbols().iter().all(|s| s.is_some()));
    }
    for piece in [bad.clone(), text.clone().raw(&bad), bad.clone().raw(&text), half] {
        let body = flood(piece).len(5, refs(&[0, 0])).build();
        assert!(Request::decode(&body).unwrap_err().offset() < 10);
        let decoded = decode_both(&body);
        let none = decoded.symbols().iter().filter(|symbol| symbol.is_none()).count();
        assert_eq!(none, MANY);
    }
    // All good but the last, so that the fault is found late, or but the first.
    for body in [flood(&text).raw(&bad), Bytes::new().raw(&bad).raw(flood(&text))] {
        assert_eq!(decode_both(&body.build()).symbols().len(), MANY + 1);
    }
    // The same where the limits might not allow as many as a run of such a length may hold.
    let body = flood(&text).build();
    for (symbols, elements) in
        [(MANY, usize::MAX), (usize::MAX, MANY), (MANY - 1, usize::MAX), (usize::MAX, MANY - 1)]
    {
        let limits = Limits::new().with_max_elements(elements);
        let options = DecodeOptions::new().with_limits(limits).with_max_symbols(symbols);
        let result = Request::decode_with(&body, &options);
        if symbols.min(elements) == MANY {
            assert_eq!(result.unwrap().symbols().len(), MANY);
        } else {
            let error = result.unwrap_err();
            let place = (DecodeErrorKind::LimitExceeded, 4 * (MANY - 1) + 1);
            assert_eq!((error.kind(), error.offset()), place);
        }
    }
}

#[test]
fn floods_of_everything() {
    let bad = Bytes::new().len(5, refs(&[7, 7]));
    let series = |content: Bytes| request(&[""], &[content]);
    let bodies = [
        flood([0x2a, 0x00]).build(),
        flood(Bytes::new().len(5, refs(&[0, 0]))).raw(symbols(&[""])).build(),
        flood(Bytes::new().len(5, [0x2a, 0x00])).build(),
        flood(Bytes::new().len(5, [0x2a, 0x00]).raw([0x22, 0x00])).build(),
        flood(Bytes::new().len(5, Bytes::new().int(6, 1))).build(),
        flood(&bad).build(),
        flood(bad.clone().raw([0x22, 0x00])).build(),
        flood(Bytes::new().len(5, [0x0a, 0x01, 0x00]).len(4, "")).build(),
        flood(Bytes::new().varint(2, 1)).build(),
        flood([0x0a, 0x00, 0x1a, 0x00]).build(),
        series(flood([0x12, 0x00])),
        series(flood([0x1a, 0x00])),
        series(flood([0x22, 0x00])),
        series(flood([0x2a, 0x00])),
        series(flood([0x0a, 0x00])),
        series(flood(Bytes::new().int(6, 1))),
        series(flood(Bytes::new().len(4, refs(&[0, 0])))),
        series(flood(Bytes::new().len(4, refs(&[0])))),
        series(flood(Bytes::new().len(4, refs(&[0, 9])))),
        series(flood(Bytes::new().len(5, [0x18, 0x00]))),
        series(Bytes::new().len(5, flood([0x18, 0x00]))),
        series(Bytes::new().len(4, Bytes::new().len(1, flood([0x00])))),
        series(Bytes::new().len(3, flood([0x42, 0x00]))),
        series(Bytes::new().len(3, Bytes::new().len(12, flood([0x01])))),
    ];
    for body in bodies {
        decode_both(&body);
    }
}

/// How many elements a request holds, by what it shows.
fn elements(request: &Request<'_>) -> usize {
    let exemplar_labels =
        request.timeseries().iter().flat_map(|s| s.exemplars()).map(|e| e.labels().len());
    let lists = request.timeseries().iter().flat_map(|s| s.histograms()).map(|h| {
        h.negative_spans.len()
            + h.negative_deltas.len()
            + h.negative_counts.len()
            + h.positive_spans.len()
            + h.positive_deltas.len()
            + h.positive_counts.len()
            + h.custom_values.len()
    });
    [
        request.symbols().len(),
        request.timeseries().len(),
        request.labels_len(),
        request.samples_len(),
        request.exemplars_len(),
        request.histograms_len(),
        exemplar_labels.sum(),
        lists.sum(),
    ]
    .into_iter()
    .sum()
}

/// Decodes `body` under `limits` in every way; all must say the same.
fn limited(body: &[u8], limits: DecodeOptions) -> Result<(), (DecodeErrorKind, usize)> {
    let mut result = None;
    for partial in [false, true] {
        let options = limits.with_partial(partial);
        let mut decoder = Decoder::<Request>::new().with_options(options);
        let fresh = Request::decode_with(body, &options).map(drop);
        for _ in 0..3 {
            assert_eq!(decoder.decode(body).map(drop), fresh);
        }
        // A series in front of its symbols is read twice. The first time, partial mode goes on where the
        // strict one looks for symbols, and may meet the cap there.
        let kind = |result: &Result<(), DecodeError>| result.map_err(|error| error.kind());
        let before = *result.get_or_insert(fresh);
        assert_eq!(kind(&before), kind(&fresh), "partial mode has the same caps");
    }
    result.unwrap().map_err(|error| {
        assert!(error.offset() <= body.len());
        (error.kind(), error.offset())
    })
}

fn elements_up_to(max: usize) -> DecodeOptions {
    DecodeOptions::new().with_limits(Limits::new().with_max_elements(max))
}

fn bytes_up_to(max: usize) -> DecodeOptions {
    DecodeOptions::new().with_limits(Limits::new().with_max_message_bytes(max))
}

#[test]
fn elements_up_to_the_cap_and_not_one_more() {
    let of = |series: Bytes| request(&["", "a"], &[series]);
    let long = "v".repeat(130);
    let mut bodies: Vec<_> = small_bodies();
    bodies.extend(
        [
            [0x22, 0x00].repeat(9),
            request(&["", &long, "b", &long], &[]),
            [0x2a, 0x00].repeat(9),
            of(Bytes::new().len(1, packed(&[0, 1].repeat(9)))),
            of(Bytes::new().raw([8, 0, 8, 1].repeat(9))),
            of(refs(&[0]).raw(refs(&[1, 0])).varint(1, 1)),
            of(Bytes::new().raw([0x12, 0x00].repeat(9))),
            of(Bytes::new().raw([0x22, 0x00].repeat(9))),
            of(Bytes::new().len(4, refs(&[0, 1].repeat(9)))),
            of(Bytes::new().raw([0x2a, 0x00].repeat(9))),
            of(Bytes::new().len(3, Bytes::new().packed_sints(12, &[1; 9]).sint(9, 1))),
        ]
        .map(|body| ("made", body)),
    );
    for (name, body) in bodies {
        let count = elements(&Request::decode(&body).unwrap());
        let mut before = 0;
        for max in 0..count {
            let (kind, at) = limited(&body, elements_up_to(max)).unwrap_err();
            assert_eq!(kind, DecodeErrorKind::LimitExceeded, "{name}");
            // Symbols behind a series are counted before its elements.
            let ordered = !name.starts_with("symbols");
            assert!(
                at > before || !ordered,
                "{name}: element {max} of {count} begins behind the last"
            );
            before = at;
        }
        assert_eq!(limited(&body, elements_up_to(count)), Ok(()), "{name}");
    }
}

#[test]
fn symbols_and_series_up_to_the_cap_and_not_one_more() {
    let one = Bytes::new().len(5, refs(&[0, 0]).len(2, sample(1.0, 1)));
    for text in ["", "abc", "ü", &"v".repeat(200)] {
        let symbol = Bytes::new().len(4, text);
        for count in 1..6 {
            // In front of the series, and behind them.
            let symbols = symbol.as_ref().repeat(count);
            let series = one.as_ref().repeat(count);
            for (late, body) in [
                (false, [&symbols[..], &series].concat()),
                (true, [&series[..], &symbols].concat()),
            ] {
                let limits =
                    DecodeOptions::new().with_max_symbols(count).with_max_timeseries(count);
                assert_eq!(limited(&body, limits), Ok(()));
                // One byte into the record that is too many: behind its tag.
                let start = if late { series.len() } else { 0 };
                let at = start + symbol.as_ref().len() * (count - 1) + 1;
                let result = limited(&body, DecodeOptions::new().with_max_symbols(count - 1));
                assert_eq!(result, Err((DecodeErrorKind::LimitExceeded, at)));
                let start = if late { 0 } else { symbols.len() };
                let at = start + one.as_ref().len() * (count - 1) + 1;
                let result = limited(&body, DecodeOptions::new().with_max_timeseries(count - 1));
                assert_eq!(result, Err((DecodeErrorKind::LimitExceeded, at)));
                let result = limited(&body, bytes_up_to(body.len() - 1));
                assert_eq!(result, Err((DecodeErrorKind::MessageTooLarge, 0)));
            }
        }
    }
}
