//! Floods of what is read in ways of its own in pushes, and entries that are nearly usual.

use borrowire::loki::Timestamp;

use crate::properties::hostile::{MANY, OVER_TWO_BYTES, decode_both, flood};
use crate::support::bytes::loki::{entry, metadata, push, push_of};
use crate::support::bytes::{Bytes, label};
use crate::support::oracle::loki_push::LokiPush;
use crate::support::oracle::{Used, read};

const NOW: i64 = 1_700_000_000;

/// Every length of the first field, and every tag in front of the line, of an entry that is usual
/// otherwise.
#[test]
fn entries_that_are_nearly_usual() {
    let mut used = Used::default();
    let rests = [
        Bytes::new().len(2, "line"),
        Bytes::new().len(2, "line").raw(metadata(&[("a", "b")])),
        Bytes::new().raw(metadata(&[("a", "b")])).len(2, "line"),
        Bytes::new(),
    ];
    let nanos: [&[u8]; 10] = [
        &[],
        &[0x10],
        &[0x10, 0x00],
        &[0x10, 0x80, 0x00],
        &[0x10, 0xff, 0xff, 0xff, 0x7f],
        &[0x10, 0xff, 0xff, 0xff, 0xff, 0x07],
        &[0x10, 0xff, 0xff, 0xff, 0xff, 0x0f],
        &[0x10, 0xff, 0xff, 0xff, 0xff, 0x7f],
        &[0x10, 0xff, 0xff, 0xff, 0xff, 0x80, 0x00],
        &[0x18, 0x01],
    ];
    let seconds: [&[u8]; 5] = [
        &[0x08, 0x80, 0x80, 0x80, 0x80, 0x01],
        &[0x08, 0x80, 0x80, 0x80, 0x80, 0x00],
        &[0x08, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01],
        &[0x08, 0x80, 0x80, 0x80, 0x01],
        &[0x10, 0x80, 0x80, 0x80, 0x80, 0x01],
    ];
    for seconds in seconds {
        for nanos in nanos {
            for rest in &rests {
                let time = [seconds, nanos].concat();
                for len in 0..=u8::try_from(time.len()).unwrap() + 2 {
                    let entry = Bytes::new().raw([0x0a, len]).raw(&time).raw(rest);
                    let _ = read::<LokiPush>(&push_of(&entry), &mut used);
                }
            }
        }
    }
}

#[test]
fn more_of_every_empty_message_than_two_bytes_count() {
    const COUNT: usize = OVER_TWO_BYTES;
    let streams = [0x0a, 0x00].repeat(COUNT);
    assert_eq!(decode_both::<LokiPush>(&streams).streams().len(), COUNT);
    let entries = push(&[Bytes::new().raw([0x12, 0x00].repeat(COUNT))]);
    assert_eq!(decode_both::<LokiPush>(&entries).entries_len(), COUNT);
    let pairs = push_of(&Bytes::new().raw([0x1a, 0x00].repeat(COUNT)));
    assert_eq!(decode_both::<LokiPush>(&pairs).structured_metadata_len(), COUNT);
    let parsed = push_of(&Bytes::new().raw([0x22, 0x00].repeat(COUNT)));
    let decoded = decode_both::<LokiPush>(&parsed);
    let entry = decoded.streams().get(0).unwrap().entries().get(0).unwrap();
    assert_eq!(entry.parsed().len(), COUNT);
    let times = push_of(&Bytes::new().raw([0x0a, 0x00].repeat(COUNT)));
    let decoded = decode_both::<LokiPush>(&times);
    let entry = decoded.streams().get(0).unwrap().entries().get(0).unwrap();
    assert_eq!(entry.timestamp(), Some(Timestamp::default()));
}

#[test]
fn what_few_have_had_by_all() {
    // A hash for every stream, or every other; parsed pairs for every entry, or every other.
    let hashed = Bytes::new().len(1, Bytes::new().varint(3, 9));
    for (piece, count) in [(hashed.clone(), MANY), (hashed.raw([0x0a, 0x00]), 2 * MANY)] {
        let body = flood(piece);
        let decoded = decode_both::<LokiPush>(&body);
        let hashes = decoded.streams().iter().filter(|stream| stream.hash() == 9);
        assert_eq!((hashes.count(), decoded.streams().len()), (MANY, count));
    }
    let parsed = Bytes::new().len(2, Bytes::new().len(4, label("a", "b")));
    for (piece, count) in [(parsed.clone(), MANY), (parsed.raw([0x12, 0x00]), 2 * MANY)] {
        let body = push(&[Bytes::new().raw(flood(&piece))]);
        let decoded = decode_both::<LokiPush>(&body);
        let entries = decoded.streams().get(0).unwrap().entries();
        let found = (0..entries.len()).filter(|&at| !entries.get(at).unwrap().parsed().is_empty());
        assert_eq!((found.count(), entries.len()), (MANY, count));
        // One in each of as many streams.
        let body = flood(Bytes::new().len(1, piece));
        assert_eq!(decode_both::<LokiPush>(&body).streams().len(), MANY);
    }
}

/// Fewer, because each is made into a request in several ways.
const PIECES: usize = 10_000;

#[test]
fn pairs_that_do_not_fit_one_text_region() {
    let long = "v".repeat(130);
    let usual = Bytes::new().len(3, label("a", "b"));
    let pieces = [
        // Every pair alone has a length of two bytes.
        metadata(&[("a", &long)]),
        // The region ends at every second pair.
        metadata(&[("a", "b"), ("a", &long)]),
        // The region ends behind every pair.
        usual.clone().len(2, "line"),
        usual.clone().len(1, ""),
        usual.clone().varint(99, 1),
        // And begins anew as one of the other list.
        usual.clone().len(4, label("a", "b")),
        usual.clone().len(4, label("a", &long)),
        metadata(&[("a", &long)]).len(4, label("a", "b")),
        // A pair in an unusual shape, one by one or every other.
        Bytes::new().len(3, Bytes::new().len(2, "b").len(1, "a")),
        Bytes::new().len(3, label("a", "b").varint(99, 1)).raw(&usual),
        Bytes::new().len(3, Bytes::new().len(1, "a").len(2, "b").len(2, "c")),
        Bytes::new().len(4, Bytes::new().len(2, "b").len(1, "a")),
    ];
    let front = entry(NOW, 1, "line");
    for piece in pieces {
        for front in [&front, &Bytes::new()] {
            let body = push_of(&front.clone().raw(piece.as_ref().repeat(PIECES)));
            let decoded = decode_both::<LokiPush>(&body);
            let entry = decoded.streams().get(0).unwrap().entries().get(0).unwrap();
            assert!(entry.structured_metadata().len() + entry.parsed().len() >= PIECES);
            assert!(decoded.skipped().is_empty());
        }
    }
}

#[test]
fn pairs_that_are_no_text() {
    // Invalid everywhere, and half a character that looks whole together with the next tag.
    let halves = Bytes::new().len(1, b"\xc3").raw([0xa9, 0x01]).raw(b"12345678");
    let front = entry(NOW, 1, "line");
    for field in [3, 4] {
        for content in [label("a", b"\xff"), halves.clone()] {
            let good = Bytes::new().len(field, label("a", "b"));
            for piece in [
                Bytes::new().len(field, &content),
                good.clone().len(field, &content),
                Bytes::new().len(field, &content).raw(&good),
            ] {
                let body = push_of(&front.clone().raw(flood(piece)));
                let decoded = decode_both::<LokiPush>(&body);
                assert_eq!((decoded.streams().len(), decoded.skipped().len()), (0, 1));
                assert!(decoded.skipped()[0].error.offset() < 60);
            }
            // One bad pair in each of as many streams, and in each entry of one.
            let bad = Bytes::new().len(2, front.clone().len(field, &content));
            let body = flood(Bytes::new().len(1, &bad));
            assert_eq!(decode_both::<LokiPush>(&body).skipped().len(), MANY);
            let body = push(&[Bytes::new().raw(flood(&bad))]);
            assert_eq!(decode_both::<LokiPush>(&body).skipped().len(), 1);
        }
        // All valid but the last, so that the fault is found late.
        let good = flood(Bytes::new().len(field, label("a", "b")));
        let body = push_of(&front.clone().raw(good).len(field, label("a", b"\xff")));
        assert_eq!(decode_both::<LokiPush>(&body).skipped().len(), 1);
    }
}
