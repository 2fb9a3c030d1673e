//! Faults in reading the wire format.

use std::thread;

use borrowire::remote_write::RecordKind;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::{DecodeError, DecodeErrorKind};

use crate::support::bytes::{Bytes, label, request, series};
use crate::support::oracle::Subject;
use crate::support::oracle::remote_write_v1::{PARTIAL, RemoteWriteV1};

fn error(body: &[u8]) -> DecodeError {
    WriteRequest::decode(body).expect_err("refused")
}

fn kind(body: &[u8]) -> DecodeErrorKind {
    error(body).kind()
}

/// `content` as a field in a field ..., outermost first.
fn nested(fields: &[u32], content: Bytes) -> Bytes {
    fields.iter().rev().fold(content, |content, &field| Bytes::new().len(field, content))
}

/// The way to each message: the fields that lead there.
const MESSAGES: [&[u32]; 9] =
    [&[], &[1], &[1, 1], &[1, 2], &[1, 3], &[1, 3, 1], &[1, 4], &[1, 4, 8], &[3]];

#[test]
fn a_varint_has_ten_bytes_and_64_bits_wherever_it_stands() {
    let overlong = [&[0x80; 9][..], &[0x00]].concat();
    let greatest = [&[0xff; 9][..], &[0x01]].concat();
    let overflows = [
        [&[0xff; 9][..], &[0x02]].concat(),
        [&[0x81][..], &[0x80; 8], &[0x02]].concat(),
        vec![0x80; 10],
        [&[0x80; 10][..], &[0x01]].concat(),
        [&[0x80; 20][..], &[0x01]].concat(),
    ];
    for path in MESSAGES {
        // As the value of an unknown field, of a length, and as a tag.
        let value = |varint: &[u8]| nested(path, Bytes::new().tag(40, 0).raw(varint)).build();
        for good in [&[0x80, 0x80, 0x00][..], &overlong, &greatest] {
            assert!(WriteRequest::decode(&value(good)).is_ok(), "{path:?} {good:x?}");
        }
        let length = |varint: &[u8]| nested(path, Bytes::new().tag(40, 2).raw(varint)).build();
        assert!(WriteRequest::decode(&length(&overlong)).is_ok());
        for bad in &overflows {
            assert_eq!(kind(&value(bad)), DecodeErrorKind::VarintOverflow, "{path:?} {bad:x?}");
            assert_eq!(kind(&length(bad)), DecodeErrorKind::VarintOverflow, "{path:?} {bad:x?}");
            let tag = nested(path, Bytes::new().raw(bad)).build();
            assert_eq!(kind(&tag), DecodeErrorKind::VarintOverflow, "{path:?} {bad:x?}");
        }
        let tag = nested(path, Bytes::new().raw(&overlong)).build();
        assert_eq!(kind(&tag), DecodeErrorKind::InvalidTag);
    }
}

#[test]
fn a_length_near_a_power_of_two_is_only_compared() {
    let lengths = [
        1 << 31,
        (1 << 31) - 1,
        (1 << 32) - 1,
        1 << 32,
        (1 << 32) + 1,
        (1 << 63) - 1,
        1 << 63,
        u64::MAX - 1,
        u64::MAX,
    ];
    for path in MESSAGES {
        for known in [true, false] {
            let field = match path {
                [.., 2] | [1, 4, 8] => 40,
                _ if known => 1,
                _ => 40,
            };
            for length in lengths {
                for behind in 0..4 {
                    let head = Bytes::new().tag(field, 2).bare_varint(length);
                    let head_len = Bytes::new().tag(field, 2).build().len();
                    let content = head
                        .raw([0x78, 0x01, 0x78].iter().take(behind).copied().collect::<Vec<_>>());
                    let framing =
                        nested(path, content.clone()).build().len() - content.clone().build().len();
                    let body = nested(path, content).build();
                    let error = error(&body);
                    assert_eq!(error.kind(), DecodeErrorKind::Truncated, "{path:?} {length:x}");
                    assert_eq!((error.field_number(), error.offset()), (field, framing + head_len));
                    // And with more of the outer message behind the inner one.
                    let longer = [&body[..], &[0x78, 0x01, 0x78, 0x01]].concat();
                    if !path.is_empty() {
                        assert_eq!(
                            kind(&longer),
                            DecodeErrorKind::Truncated,
                            "{path:?} {length:x}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn groups_are_passed_over_without_recursion() {
    // Far less stack than one frame for each group would take.
    let run = || {
        for path in MESSAGES {
            let open = |count: usize| Bytes::new().raw([0x7b].repeat(count));
            let closed = |count: usize| open(count).raw([0x7c].repeat(count));
            assert!(WriteRequest::decode(&nested(path, closed(50)).build()).is_ok(), "{path:?}");
            for deep in [open(20_000), closed(20_000)] {
                assert_eq!(
                    kind(&nested(path, deep).build()),
                    DecodeErrorKind::DepthLimit,
                    "{path:?}"
                );
            }
            // Many beside each other are no depth.
            let beside = nested(path, Bytes::new().raw([0x7b, 0x7c].repeat(20_000))).build();
            assert!(WriteRequest::decode(&beside).is_ok(), "{path:?}");
        }
    };
    thread::Builder::new().stack_size(64 << 10).spawn(run).unwrap().join().unwrap();
}

#[test]
fn a_group_ends_with_its_own_number_inside_its_own_message() {
    let usual = series(&[("__name__", "up"), ("job", "aaaaaaaa")], &[(1.0, 1000)]);
    let balanced =
        Bytes::new().tag(15, 3).varint(1, 1).len(2, "x").tag(15, 4).len(1, usual).build();
    let decoded = WriteRequest::decode(&balanced).unwrap();
    assert_eq!((decoded.timeseries().len(), decoded.has_unknown_fields()), (1, true));
    for path in MESSAGES {
        let kind = |content: Bytes| kind(&nested(path, content).raw([0x7c]).build());
        assert_eq!(kind(Bytes::new().raw([0x7b, 0x84, 0x01])), DecodeErrorKind::GroupMismatch);
        assert_eq!(kind(Bytes::new().raw([0x7c])), DecodeErrorKind::GroupMismatch);
        // Left open: where the message around it is the outermost, the last byte above closes it.
        if !path.is_empty() {
            assert_eq!(kind(Bytes::new().raw([0x7b, 0x08, 0x01])), DecodeErrorKind::Truncated);
        }
    }
    assert_eq!(kind(&[0x7b, 0x08, 0x01]), DecodeErrorKind::Truncated);
}

#[test]
fn a_known_field_under_another_wire_type_is_passed_over_whole() {
    /// The way to a message; number and wire type of each of its fields, extensions included.
    type Fields = (&'static [u32], &'static [(u32, u8)]);
    const FIELDS: [Fields; 9] = [
        (&[], &[(1, 2), (2, 0), (3, 2), (1000, 0), (1001, 0), (1002, 0)]),
        (&[1], &[(1, 2), (2, 2), (3, 2), (4, 2), (6, 0)]),
        (&[1, 1], &[(1, 2), (2, 2)]),
        (&[1, 2], &[(1, 1), (2, 0), (3, 0)]),
        (&[1, 3], &[(1, 2), (2, 1), (3, 0)]),
        (&[1, 3, 1], &[(1, 2), (2, 2)]),
        (
            &[1, 4],
            &[
                (1, 0),
                (2, 1),
                (3, 1),
                (4, 0),
                (5, 1),
                (6, 0),
                (7, 1),
                (8, 2),
                (9, 0),
                (10, 1),
                (11, 2),
                (12, 0),
                (13, 1),
                (14, 0),
                (15, 0),
                (16, 1),
                (17, 0),
            ],
        ),
        (&[1, 4, 8], &[(1, 0), (2, 0)]),
        (&[3], &[(1, 0), (2, 2), (4, 2), (5, 2)]),
    ];
    for (path, fields) in FIELDS {
        let bare = nested(path, Bytes::new()).build();
        let bare = WriteRequest::decode(&bare).unwrap();
        for &(number, wire_type) in fields {
            let packable = path == [1, 4] && matches!(number, 9 | 10 | 12 | 13 | 16);
            let values: [(u8, &[u8]); 5] = [
                (0, &[5]),
                (1, &[0x0a, 1, 2, 3, 4, 5, 6, 7]),
                (2, &[2, 0x0a, 0x40]),
                (3, &[0x0a, 0x01, b'x', (number % 16) as u8 * 8 + 4]),
                (5, &[0x0a, 1, 2, 3]),
            ];
            for (other, value) in values {
                // Groups of numbers over 15 would need a longer end tag.
                if other == wire_type || (other == 2 && packable) || (other == 3 && number > 15) {
                    continue;
                }
                let body = nested(path, Bytes::new().tag(number, other).raw(value)).build();
                let decoded = WriteRequest::decode(&body).expect("passed over");
                assert!(decoded.has_unknown_fields(), "{path:?} {number} {other}");
                RemoteWriteV1::assert_same_content(&decoded, &bare);
            }
        }
    }
}

#[test]
fn packed_doubles_promise_no_more_than_is_there() {
    for field in [10, 13, 16] {
        let histogram = |content: Bytes| request(&[Bytes::new().len(4, content)]);
        let promised = histogram(Bytes::new().tag(field, 2).bare_varint(0x7fff_ffff));
        assert_eq!(kind(&promised), DecodeErrorKind::Truncated);
        for len in 1..24 {
            let body = histogram(Bytes::new().len(field, vec![0; len]));
            match WriteRequest::decode(&body) {
                Ok(_) => assert_eq!(len % 8, 0, "{len}"),
                Err(error) => assert_eq!(error.kind(), DecodeErrorKind::InvalidLength, "{len}"),
            }
        }
        let body = histogram(Bytes::new().len(field, ""));
        let decoded = WriteRequest::decode(&body).unwrap();
        let histogram = decoded.timeseries().get(0).unwrap().histograms().get(0).unwrap();
        assert_eq!(histogram, Default::default());
    }
}

/// Text that is not UTF-8, and how much of it is.
const INVALID: [(&[u8], usize); 7] = [
    (b"\xfftest", 0),
    (b"ok\xff", 2),
    (b"\xc0\x80", 0),
    (b"\xed\xa0\x80", 0),
    (b"a\xe2\x82", 1),
    (b"\xf4\x90\x80\x80", 0),
    (b"0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef\x80", 64),
];

#[test]
fn text_that_is_no_utf8_is_an_error_at_its_first_bad_byte() {
    for (bad, valid) in INVALID {
        for (path, fields) in
            [(&[1, 1][..], &[1, 2][..]), (&[1, 3, 1], &[1, 2]), (&[3], &[2, 4, 5])]
        {
            for &field in fields {
                let field_bytes = Bytes::new().len(field, bad);
                let body = nested(path, field_bytes.clone()).build();
                let error = error(&body);
                assert_eq!(error.kind(), DecodeErrorKind::InvalidUtf8);
                assert_eq!(error.offset(), body.len() - bad.len() + valid, "{path:?}");
                assert_eq!(error.field_number(), field);
                assert!(!error.to_string().contains("test"), "input is not echoed");
            }
        }
    }
    for good in ["a\0b", "\u{1f600}", "\u{fffd}"] {
        let body = request(&[series(&[("a", good)], &[])]);
        let decoded = WriteRequest::decode(&body).unwrap();
        assert_eq!(decoded.timeseries().get(0).unwrap().label("a"), Some(good));
    }
}

#[test]
fn partial_mode_lists_bad_text_and_keeps_the_rest_within_reach() {
    let good = series(&[("__name__", "good")], &[(1.0, 1)]);
    for (bad, valid) in INVALID {
        let prefix = Bytes::new().len(1, &good).len(3, Bytes::new().len(2, "m")).len(1, &good);
        let bad_series = series(&[("__name__", "bad")], &[]).len(1, label("job", bad)).build();
        let after = prefix.clone().len(1, &bad_series).build().len();
        let body = prefix
            .len(1, &bad_series)
            .len(3, Bytes::new().len(4, bad))
            .len(1, &good)
            .len(3, Bytes::new().len(2, "n"))
            .build();
        let decoded = WriteRequest::decode_with(&body, &PARTIAL).unwrap();
        assert_eq!(decoded.timeseries().len(), 3);
        assert!(decoded.timeseries().iter().all(|series| series.metric_name() == Some("good")));
        assert_eq!(decoded.metadata().len(), 2);
        assert_eq!(decoded.raw_timeseries(2), Some(&request(std::slice::from_ref(&good))[..]));
        let [first, second] = decoded.skipped() else { panic!("{:?}", decoded.skipped()) };
        assert_eq!((first.kind, first.index), (RecordKind::TimeSeries, 2));
        assert_eq!(first.error, error(&body));
        assert_eq!(first.error.offset(), after - bad.len() + valid);
        // The bytes that are no text can still be had from the body.
        assert_eq!(body[first.error.offset()..][..bad.len() - valid], bad[valid..]);
        assert_eq!((second.kind, second.index), (RecordKind::Metadata, 1));
        assert_eq!(second.error.kind(), DecodeErrorKind::InvalidUtf8);
    }
}

#[test]
fn the_place_of_bad_text_is_right_where_the_bytes_around_it_make_it_look_valid() {
    // The name is half a character; the other half is the first byte of the tag behind it. A check of
    // the label as a whole finds nothing wrong.
    let halves = Bytes::new().len(1, b"\xc3").raw([0xa9, 0x01]).raw(b"12345678");
    for before in 0..3 {
        let first = (0..before).fold(Bytes::new(), |series, _| series.len(1, label("job", "node")));
        for sample in
            [Bytes::new(), Bytes::new().len(2, Bytes::new().double(1, 1.0).int(2, 1 << 40))]
        {
            let body = request(&[first.clone().len(1, &halves).raw(sample)]);
            let strict = error(&body);
            assert_eq!(strict.kind(), DecodeErrorKind::InvalidUtf8);
            assert_eq!(body[strict.offset()], 0xc3);
            let partial = WriteRequest::decode_with(&body, &PARTIAL).unwrap();
            assert_eq!(partial.skipped().len(), 1);
            assert_eq!(partial.skipped()[0].error, strict);
        }
    }
}
