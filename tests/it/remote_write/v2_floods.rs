//! Floods of what is read in ways of its own in requests of 2.0.

use borrowire::remote_write::v2::{DecodeOptions, Request};
use borrowire::{DecodeErrorKind, Limits};

use crate::properties::hostile::{MANY, OVER_TWO_BYTES, decode_both, flood};
use crate::support::bytes::Bytes;
use crate::support::bytes::v2::{refs, request, symbols};
use crate::support::oracle::remote_write_v2::RemoteWriteV2;

#[test]
fn more_references_than_two_bytes_count() {
    const LABELS: usize = OVER_TWO_BYTES;
    let block = |references: &[u8]| Bytes::new().len(1, references.repeat(LABELS));
    for (list, labels) in [
        (block(&[0, 1]), LABELS),
        (block(&[0x81, 0x00, 0x81, 0x80, 0x80, 0x80, 0x80, 0x00]), LABELS),
        (Bytes::new().raw([8, 0, 8, 1].repeat(LABELS)), LABELS),
        (Bytes::new().raw([0x0a, 1, 0, 0x0a, 0, 8, 1].repeat(LABELS)), LABELS),
    ] {
        for late in [false, true] {
            let body = if late {
                Bytes::new().len(5, &list).raw(symbols(&["", "a"])).build()
            } else {
                request(&["", "a"], std::slice::from_ref(&list))
            };
            let decoded = decode_both::<RemoteWriteV2>(&body);
            assert_eq!(decoded.labels_len(), labels);
            assert_eq!(decoded.refs(0).unwrap().labels().count(), 2 * labels);
        }
    }
    // One too many, over two blocks; and one of them bad, at the end.
    for list in [block(&[0, 1]).len(1, [0]), block(&[0, 1]).len(1, [0, 2])] {
        let body = request(&["", "a"], &[list]);
        let decoded = decode_both::<RemoteWriteV2>(&body);
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
        let decoded = decode_both::<RemoteWriteV2>(&body);
        assert!(decoded.symbols().len() >= MANY && decoded.symbols().iter().all(|s| s.is_some()));
    }
    for piece in [bad.clone(), text.clone().raw(&bad), bad.clone().raw(&text), half] {
        let body = flood(piece).len(5, refs(&[0, 0])).build();
        assert!(Request::decode(&body).unwrap_err().offset() < 10);
        let decoded = decode_both::<RemoteWriteV2>(&body);
        let none = decoded.symbols().iter().filter(|symbol| symbol.is_none()).count();
        assert_eq!(none, MANY);
    }
    // All good but the last, so that the fault is found late, or but the first.
    for body in [flood(&text).raw(&bad), Bytes::new().raw(&bad).raw(flood(&text))] {
        assert_eq!(decode_both::<RemoteWriteV2>(&body.build()).symbols().len(), MANY + 1);
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
