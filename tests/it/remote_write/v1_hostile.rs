//! Bytes that nobody means well with: no panic, no place outside the body, no more work than there
//! are bytes, and nothing over a cap.
//!
//! No test here looks at a clock. The floods are so large that work which grows with the square of
//! the input would take hours.

use borrowire::remote_write::v1::{DecodeOptions, WriteRequest, validate_timeseries};
use borrowire::remote_write::{Label, Rules, TimeSeries};
use borrowire::reuse::Decoder;
use borrowire::{DecodeErrorKind, Encode, Limits};

use crate::support::bytes::{Bytes, label, request, sample, series, small_bodies};
use crate::support::oracle::{self, PARTIAL, Used};

/// Decodes in every way, and compares with prost.
fn check(body: &[u8], used: &mut Used) {
    let ours = oracle::decode(body, used);
    oracle::prost::check(body, ours.as_ref().map_err(|error| *error));
}

#[test]
fn bodies_cut_at_every_byte() {
    let mut used = Used::new();
    for (name, body) in small_bodies() {
        for cut in 0..body.len() {
            check(&body[..cut], &mut used);
            if let Err(error) = WriteRequest::decode(&body[..cut]) {
                assert_eq!(error.kind(), DecodeErrorKind::Truncated, "{name} cut at {cut}");
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

#[test]
fn a_body_of_two_gib_is_refused_unread() {
    // Pages that nobody touches.
    let body = vec![0; 1 << 31];
    let error = WriteRequest::decode(&body).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::MessageTooLarge, 0));
}

const MANY: usize = 300_000;

/// `MANY` times `piece`.
fn flood(piece: impl AsRef<[u8]>) -> Vec<u8> {
    piece.as_ref().repeat(MANY)
}

/// Decodes strictly and partially, and walks over what came of it.
fn decode_both(body: &[u8]) -> WriteRequest<'_> {
    let strict = WriteRequest::decode(body);
    let partial = WriteRequest::decode_with(body, &PARTIAL).unwrap();
    if let Ok(strict) = &strict {
        oracle::same_content(strict, &partial, true);
    }
    partial.validate(&Rules::strict(), |_| {});
    partial
}

#[test]
fn a_million_empty_series() {
    let body = [0x0a, 0x00].repeat(1_000_000);
    assert_eq!(decode_both(&body).timeseries().len(), 1_000_000);
}

#[test]
fn a_million_labels_in_one_series() {
    let usual = Bytes::new().len(1, label("name", "value"));
    for piece in [Bytes::new().len(1, ""), usual] {
        let body = request(&[Bytes::new().raw(piece.as_ref().repeat(1_000_000))]);
        let decoded = decode_both(&body);
        assert_eq!(decoded.labels_len(), 1_000_000);
        assert_eq!(decoded.encoded_len(), body.len());
    }
}

#[test]
fn labels_that_do_not_fit_one_text_region() {
    let long = "v".repeat(130);
    let pieces = [
        // Every label alone has a length of two bytes.
        Bytes::new().len(1, label("a", &long)),
        // The region ends at every second label.
        Bytes::new().len(1, label("a", "b")).len(1, label("a", &long)),
        // The region ends behind every label.
        Bytes::new().len(1, label("a", "b")).len(2, sample(1.0, 1)),
        Bytes::new().len(1, label("a", "b")).varint(99, 1),
        // A label in an unusual shape, one by one or every other.
        Bytes::new().len(1, Bytes::new().len(2, "b").len(1, "a")),
        Bytes::new().len(1, label("a", "b").varint(99, 1)).len(1, label("a", "b")),
        Bytes::new().len(1, Bytes::new().len(1, "a").len(2, "b").len(2, "c")),
    ];
    for piece in pieces {
        let body = request(&[Bytes::new().raw(flood(piece))]);
        let decoded = decode_both(&body);
        assert!(decoded.labels_len() >= MANY);
        assert!(decoded.skipped().is_empty());
    }
}

#[test]
fn labels_that_are_no_text() {
    // Invalid everywhere, and half a character that looks whole together with the next tag.
    let halves = Bytes::new().len(1, b"\xc3").raw([0xa9, 0x01]).raw(b"12345678");
    for content in [label("a", b"\xff"), halves] {
        let good = Bytes::new().len(1, label("a", "b"));
        for piece in [
            Bytes::new().len(1, &content),
            good.clone().len(1, &content),
            Bytes::new().len(1, &content).raw(&good),
        ] {
            let body = request(&[Bytes::new().raw(flood(piece))]);
            let decoded = decode_both(&body);
            assert_eq!((decoded.timeseries().len(), decoded.skipped().len()), (0, 1));
            assert!(decoded.skipped()[0].error.offset() < 40);
            // One bad label in each of as many series.
            let body = flood(Bytes::new().len(1, Bytes::new().len(1, &content)));
            assert_eq!(decode_both(&body).skipped().len(), MANY);
        }
    }
    // All valid but the last, so that the fault is found late.
    let last = flood(Bytes::new().len(1, label("a", "b")));
    let body = request(&[Bytes::new().raw(last).len(1, label("a", b"\xff"))]);
    assert_eq!(decode_both(&body).skipped().len(), 1);
}

#[test]
fn series_whose_ends_are_guessed_wrong() {
    let labels = series(&[("__name__", "metric"), ("job", "node")], &[]);
    // Each series ends in another way than the one before, or as a usual sample would but is none.
    let tails = [
        Bytes::new(),
        Bytes::new().len(2, sample(1.0, 1)),
        Bytes::new().len(2, sample(1.0, 1 << 40)),
        Bytes::new().len(2, Bytes::new().int(2, 1 << 40)),
        Bytes::new().len(2, sample(0.5, 1 << 40)).len(2, sample(0.5, 2)),
        Bytes::new().len(
            9,
            Bytes::new().raw([0x12, 0x10, 0x09, 1, 2, 3, 4, 5, 6, 7, 8, 0x10, 1, 2, 3, 4, 5, 6]),
        ),
        Bytes::new()
            .len(9, Bytes::new().raw([0x12, 0x07, 0x10, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01])),
        Bytes::new().len(1, label("le", "\u{12}\u{7}\u{10}abcdef")),
        Bytes::new().len(1, label("le", "\u{12}\u{10}\u{9}abcdefgh\u{10}abcdef")),
    ];
    let mut body = Vec::new();
    for a in &tails {
        for b in &tails {
            let pair = Bytes::new().len(1, labels.clone().raw(a)).len(1, labels.clone().raw(b));
            body.extend(pair.build());
        }
    }
    let mut used = Used::new();
    check(&body, &mut used);
    let decoded = decode_both(&body);
    assert!(decoded.timeseries().iter().all(|series| series.metric_name() == Some("metric")));
    // One series with many labels, whose every guess would be checked over all of them.
    let labels = flood(Bytes::new().len(1, label("a", "b")));
    for tail in &tails {
        decode_both(&request(&[
            Bytes::new().raw(&labels).raw(tail),
            Bytes::new().raw(tail).raw(&labels),
        ]));
    }
}

#[test]
fn floods_of_everything_else() {
    let histogram = |content: Vec<u8>| request(&[Bytes::new().len(4, content)]);
    let bodies = [
        flood([0x1a, 0x00]),
        flood(Bytes::new().len(1, Bytes::new().int(6, 1))),
        flood(Bytes::new().fixed32(99, 1)),
        flood([0x7b, 0x7c]),
        request(&[Bytes::new().raw(flood(Bytes::new().int(6, 1)))]),
        request(&[Bytes::new().raw(flood([0x12, 0x00]))]),
        request(&[Bytes::new().raw(flood([0x1a, 0x00]))]),
        request(&[Bytes::new().raw(flood([0x22, 0x00]))]),
        request(&[Bytes::new().len(3, flood([0x0a, 0x00]))]),
        histogram(flood([0x42, 0x00])),
        histogram(flood([0x5a, 0x00])),
        histogram(flood([0x48, 0x01])),
        histogram(flood([0x4a, 0x00])),
        histogram(Bytes::new().len(12, flood([0x01])).build()),
        histogram(Bytes::new().len(13, flood([0; 8])).build()),
        histogram(flood(Bytes::new().double(16, 1.0))),
    ];
    for body in bodies {
        decode_both(&body);
    }
}

#[test]
fn validation_of_a_million_labels() {
    let names: Vec<String> =
        (0..MANY).map(|i| format!("{:x}", i.wrapping_mul(0x9e37_79b9) % 100_000)).collect();
    let labels: Vec<_> = names.iter().map(|name| Label::new(name, "v")).collect();
    let mut violations = 0;
    validate_timeseries(&TimeSeries::new(&labels), &Rules::strict(), |_| violations += 1);
    assert!(violations > 2 * MANY / 3);
}

/// How many elements a request holds, by what it shows.
fn elements(request: &WriteRequest<'_>) -> usize {
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
        request.timeseries().len(),
        request.metadata().len(),
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
        let mut decoder = Decoder::<WriteRequest>::new().with_options(options);
        let fresh = WriteRequest::decode_with(body, &options).map(drop);
        for _ in 0..3 {
            assert_eq!(decoder.decode(body).map(drop), fresh);
        }
        assert_eq!(*result.get_or_insert(fresh), fresh, "partial mode has the same caps");
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
    let histogram = |content: Bytes| request(&[Bytes::new().len(4, content)]);
    let long = "v".repeat(130);
    let mut bodies: Vec<_> = small_bodies().into_iter().map(|(_, body)| body).collect();
    bodies.extend([
        [0x0a, 0x00].repeat(9),
        [0x1a, 0x00].repeat(9),
        request(&[Bytes::new().raw([0x0a, 0x00].repeat(9))]),
        request(&[series(&[("a", "b"); 9], &[(1.0, 1 << 40)])]),
        request(&[series(&[("a", &long), ("b", "c"), ("b", &long)], &[(1.0, 1)])]),
        request(&[series(&[("a", "b")], &[]).len(2, "").len(1, label("c", "d")).len(1, "")]),
        request(&[series(&[("a", "b")], &[(1.0, 1 << 40); 9])]),
        request(&[Bytes::new().raw([0x1a, 0x00].repeat(9))]),
        request(&[Bytes::new().len(3, Bytes::new().raw([0x0a, 0x00].repeat(9)))]),
        request(&[Bytes::new().raw([0x22, 0x00].repeat(9))]),
        histogram(Bytes::new().raw([0x42, 0x00].repeat(9))),
        histogram(Bytes::new().raw([0x5a, 0x00].repeat(9))),
        histogram(Bytes::new().packed_sints(9, &[1; 9]).sint(9, 1)),
        histogram(Bytes::new().packed_doubles(10, &[1.0; 9]).double(10, 1.0)),
        histogram(Bytes::new().packed_sints(12, &[300; 9]).sint(12, 1)),
        histogram(Bytes::new().packed_doubles(13, &[1.0; 9]).double(13, 1.0)),
        histogram(Bytes::new().packed_doubles(16, &[1.0; 9]).double(16, 1.0)),
    ]);
    bodies.push(bodies.concat());
    for body in bodies {
        let count = elements(&WriteRequest::decode(&body).unwrap());
        let mut before = 0;
        for max in 0..count {
            let (kind, at) = limited(&body, elements_up_to(max)).unwrap_err();
            assert_eq!(kind, DecodeErrorKind::LimitExceeded);
            assert!(at > before, "element {max} of {count} begins behind the one before it");
            before = at;
        }
        assert_eq!(limited(&body, elements_up_to(count)), Ok(()));
    }
}

#[test]
fn series_metadata_and_bytes_up_to_the_cap_and_not_one_more() {
    let entry = Bytes::new().len(3, Bytes::new().len(2, "m"));
    let one = Bytes::new().len(1, series(&[("a", "b")], &[(1.0, 1)]));
    for count in 0..5 {
        let body = [one.as_ref().repeat(count), entry.as_ref().repeat(count)].concat();
        assert_eq!(
            limited(
                &body,
                DecodeOptions::new().with_max_timeseries(count).with_max_metadata(count)
            ),
            Ok(())
        );
        assert_eq!(limited(&body, bytes_up_to(body.len())), Ok(()));
        if count > 0 {
            // One byte into the record that is too many: behind its tag.
            let at = one.as_ref().len() * (count - 1) + 1;
            let result = limited(&body, DecodeOptions::new().with_max_timeseries(count - 1));
            assert_eq!(result, Err((DecodeErrorKind::LimitExceeded, at)));
            let at = one.as_ref().len() * count + entry.as_ref().len() * (count - 1) + 1;
            let result = limited(&body, DecodeOptions::new().with_max_metadata(count - 1));
            assert_eq!(result, Err((DecodeErrorKind::LimitExceeded, at)));
            let result = limited(&body, bytes_up_to(body.len() - 1));
            assert_eq!(result, Err((DecodeErrorKind::MessageTooLarge, 0)));
        }
    }
}
