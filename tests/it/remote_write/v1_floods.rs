//! Floods of what is read in ways of its own in requests of 1.0, and what makes guesses go wrong.

use borrowire::Encode;
use borrowire::remote_write::v1::validate_timeseries;
use borrowire::remote_write::{Label, Rules, TimeSeries};

use crate::properties::hostile::{MANY, OVER_TWO_BYTES, decode_both, flood};
use crate::support::bytes::{Bytes, label, request, sample, series};
use crate::support::oracle::remote_write_v1::RemoteWriteV1;
use crate::support::oracle::{Used, read};

#[test]
fn more_empty_series_than_two_bytes_count() {
    let body = [0x0a, 0x00].repeat(OVER_TWO_BYTES);
    assert_eq!(decode_both::<RemoteWriteV1>(&body).timeseries().len(), OVER_TWO_BYTES);
}

#[test]
fn more_labels_in_one_series_than_two_bytes_count() {
    let usual = Bytes::new().len(1, label("name", "value"));
    for piece in [Bytes::new().len(1, ""), usual] {
        let body = request(&[Bytes::new().raw(piece.as_ref().repeat(OVER_TWO_BYTES))]);
        let decoded = decode_both::<RemoteWriteV1>(&body);
        assert_eq!(decoded.labels_len(), OVER_TWO_BYTES);
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
        let body = request(&[flood(piece)]);
        let decoded = decode_both::<RemoteWriteV1>(&body);
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
            let body = request(&[flood(piece)]);
            let decoded = decode_both::<RemoteWriteV1>(&body);
            assert_eq!((decoded.timeseries().len(), decoded.skipped().len()), (0, 1));
            assert!(decoded.skipped()[0].error.offset() < 40);
            // One bad label in each of as many series.
            let body = flood(Bytes::new().len(1, Bytes::new().len(1, &content))).build();
            assert_eq!(decode_both::<RemoteWriteV1>(&body).skipped().len(), MANY);
        }
    }
    // All valid but the last, so that the fault is found late.
    let last = flood(Bytes::new().len(1, label("a", "b")));
    let body = request(&[last.len(1, label("a", b"\xff"))]);
    assert_eq!(decode_both::<RemoteWriteV1>(&body).skipped().len(), 1);
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
    read::<RemoteWriteV1>(&body, &mut Used::default()).unwrap();
    let decoded = decode_both::<RemoteWriteV1>(&body);
    assert!(decoded.timeseries().iter().all(|series| series.metric_name() == Some("metric")));
    // One series with many labels, whose every guess would be checked over all of them.
    let labels = flood(Bytes::new().len(1, label("a", "b")));
    for tail in &tails {
        decode_both::<RemoteWriteV1>(&request(&[
            Bytes::new().raw(&labels).raw(tail),
            Bytes::new().raw(tail).raw(&labels),
        ]));
    }
}

#[test]
fn validation_of_more_labels_than_two_bytes_count() {
    const LABELS: usize = OVER_TWO_BYTES;
    let names: Vec<String> =
        (0..LABELS).map(|i| format!("{:x}", i.wrapping_mul(0x9e37_79b9) % 25_000)).collect();
    let labels: Vec<_> = names.iter().map(|name| Label::new(name, "v")).collect();
    let mut violations = 0;
    validate_timeseries(&TimeSeries::new(&labels), &Rules::strict(), |_| violations += 1);
    assert!(violations > 2 * LABELS / 3);
}
