//! Loki pushes that nobody means well with: no panic, no place outside the body, no more work than
//! there are bytes, and nothing over a cap.
//!
//! No test here looks at a clock. The floods are so large that work which grows with the square of
//! the input would take hours.

use borrowire::loki::{DecodeOptions, Entry, LabelPair, PushBatch, PushRequest, Rules, Timestamp};
use borrowire::reuse::{Decoded, Decoder};
use borrowire::{DecodeErrorKind, Encode, Limits};

use crate::support::bytes::loki::{
    entry, metadata, push, push_of, pushes_of_any_bytes, small_bodies, stream,
};
use crate::support::bytes::{Bytes, label};
use crate::support::oracle::loki::{self, PARTIAL, Used};

const NOW: i64 = 1_700_000_000;

fn bodies() -> Vec<(&'static str, Vec<u8>)> {
    small_bodies().into_iter().chain(pushes_of_any_bytes()).collect()
}

/// Decodes in every way, and compares with prost.
fn check(body: &[u8], used: &mut Used) {
    let ours = loki::decode(body, used);
    loki::check_prost(body, ours.as_ref().map_err(|error| *error));
}

#[test]
fn bodies_cut_at_every_byte() {
    let mut used = Used::new();
    for (name, body) in bodies() {
        for cut in 0..body.len() {
            check(&body[..cut], &mut used);
            if let Err(error) = PushRequest::decode(&body[..cut]) {
                assert_eq!(error.kind(), DecodeErrorKind::Truncated, "{name} cut at {cut}");
            }
        }
        check(&body, &mut used);
    }
}

#[test]
fn bodies_with_any_bit_flipped() {
    let mut used = Used::new();
    for (_, body) in bodies() {
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
    for (_, body) in bodies() {
        for at in 0..body.len() {
            for number in numbers {
                let head = Bytes::new().raw(&body[..at]).bare_varint(number);
                check(&head.raw(&body[at + 1..]).build(), &mut used);
            }
        }
    }
}

/// Every length of the first field, and every tag in front of the line, of an entry that is usual
/// otherwise.
#[test]
fn entries_that_are_nearly_usual() {
    let mut used = Used::new();
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
                    check(&push_of(&entry), &mut used);
                }
            }
        }
    }
}

#[test]
fn a_body_of_two_gib_is_refused_unread() {
    // Pages that nobody touches.
    let body = vec![0; 1 << 31];
    let error = PushRequest::decode(&body).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::MessageTooLarge, 0));
}

const MANY: usize = 300_000;

/// `MANY` times `piece`.
fn flood(piece: impl AsRef<[u8]>) -> Vec<u8> {
    piece.as_ref().repeat(MANY)
}

/// Decodes strictly and partially, walks over what came of it, and writes it.
fn decode_both(body: &[u8]) -> PushRequest<'_> {
    let strict = PushRequest::decode(body);
    let partial = PushRequest::decode_with(body, &PARTIAL).unwrap();
    if let Ok(strict) = &strict {
        loki::same_content(strict, &partial);
    }
    partial.validate(&Rules::new(), |_| {});
    let encoded = partial.encode_to_vec().unwrap();
    assert_eq!(encoded.len(), partial.encoded_len());
    loki::same_content(&PushRequest::decode(&encoded).unwrap(), &partial);
    for (position, stream) in partial.streams().iter().enumerate() {
        assert!(partial.raw_stream(position).is_some());
        let last = stream.entries().len().checked_sub(1);
        let last = last.and_then(|last| stream.entries().get(last));
        assert_eq!(last.is_some(), !stream.entries().is_empty());
    }
    partial
}

#[test]
fn a_million_of_every_empty_message() {
    const MILLION: usize = 1_000_000;
    let streams = [0x0a, 0x00].repeat(MILLION);
    assert_eq!(decode_both(&streams).streams().len(), MILLION);
    let entries = push(&[Bytes::new().raw([0x12, 0x00].repeat(MILLION))]);
    assert_eq!(decode_both(&entries).entries_len(), MILLION);
    let pairs = push_of(&Bytes::new().raw([0x1a, 0x00].repeat(MILLION)));
    assert_eq!(decode_both(&pairs).structured_metadata_len(), MILLION);
    let parsed = push_of(&Bytes::new().raw([0x22, 0x00].repeat(MILLION)));
    let decoded = decode_both(&parsed);
    let entry = decoded.streams().get(0).unwrap().entries().get(0).unwrap();
    assert_eq!(entry.parsed().len(), MILLION);
    let times = push_of(&Bytes::new().raw([0x0a, 0x00].repeat(MILLION)));
    let decoded = decode_both(&times);
    let entry = decoded.streams().get(0).unwrap().entries().get(0).unwrap();
    assert_eq!(entry.timestamp(), Some(Timestamp::default()));
}

#[test]
fn what_few_have_had_by_all() {
    // A hash for every stream, or every other; parsed pairs for every entry, or every other.
    let hashed = Bytes::new().len(1, Bytes::new().varint(3, 9));
    for (piece, count) in [(hashed.clone(), MANY), (hashed.raw([0x0a, 0x00]), 2 * MANY)] {
        let body = flood(piece);
        let decoded = decode_both(&body);
        let hashes = decoded.streams().iter().filter(|stream| stream.hash() == 9);
        assert_eq!((hashes.count(), decoded.streams().len()), (MANY, count));
    }
    let parsed = Bytes::new().len(2, Bytes::new().len(4, label("a", "b")));
    for (piece, count) in [(parsed.clone(), MANY), (parsed.raw([0x12, 0x00]), 2 * MANY)] {
        let body = push(&[Bytes::new().raw(flood(&piece))]);
        let decoded = decode_both(&body);
        let entries = decoded.streams().get(0).unwrap().entries();
        let found = (0..entries.len()).filter(|&at| !entries.get(at).unwrap().parsed().is_empty());
        assert_eq!((found.count(), entries.len()), (MANY, count));
        // One in each of as many streams.
        let body = flood(Bytes::new().len(1, piece));
        assert_eq!(decode_both(&body).streams().len(), MANY);
    }
}

/// Fewer, because each is made into a request in several ways.
const PIECES: usize = 30_000;

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
            let decoded = decode_both(&body);
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
                let decoded = decode_both(&body);
                assert_eq!((decoded.streams().len(), decoded.skipped().len()), (0, 1));
                assert!(decoded.skipped()[0].error.offset() < 60);
            }
            // One bad pair in each of as many streams, and in each entry of one.
            let bad = Bytes::new().len(2, front.clone().len(field, &content));
            let body = flood(Bytes::new().len(1, &bad));
            assert_eq!(decode_both(&body).skipped().len(), MANY);
            let body = push(&[Bytes::new().raw(flood(&bad))]);
            assert_eq!(decode_both(&body).skipped().len(), 1);
        }
        // All valid but the last, so that the fault is found late.
        let good = flood(Bytes::new().len(field, label("a", "b")));
        let body = push_of(&front.clone().raw(good).len(field, label("a", b"\xff")));
        assert_eq!(decode_both(&body).skipped().len(), 1);
    }
}

#[test]
fn floods_of_everything_else() {
    let bodies = [
        flood(Bytes::new().len(2, "loki")),
        flood(Bytes::new().fixed32(99, 1)),
        flood([0x7b, 0x7c]),
        push(&[Bytes::new().raw(flood(Bytes::new().len(1, "{}")))]),
        push(&[Bytes::new().raw(flood(Bytes::new().varint(3, 7)))]),
        push(&[Bytes::new().raw(flood(Bytes::new().len(2, entry(NOW, 5, "x"))))]),
        push(&[Bytes::new()
            .raw(flood(Bytes::new().len(2, entry(NOW, 5, "x").raw(metadata(&[("a", "b")])))))]),
        push_of(&Bytes::new().raw(flood(Bytes::new().len(2, "line")))),
        push_of(&Bytes::new().raw(flood(entry(NOW, 5, "line")))),
        push_of(&Bytes::new().len(1, flood(Bytes::new().int(1, 5)))),
        push_of(&Bytes::new().raw(flood([0x7b, 0x7c]))),
    ];
    for body in bodies {
        decode_both(&body);
    }
}

#[test]
fn batches_of_one_stream_and_of_as_many_as_entries() {
    let names: Vec<String> = (0..MANY).map(|n| n.to_string()).collect();
    let mut batch = PushBatch::new();
    for name in &names {
        let labels = [LabelPair::new("n", name)];
        batch.push(&labels, Entry::new(Timestamp::new(NOW, 0), name.as_bytes()));
        batch.push_with("{}", Entry::new(Timestamp::new(NOW, 0), name.as_bytes()));
    }
    assert_eq!((batch.streams_len(), batch.entries_len()), (MANY + 1, 2 * MANY));
    let body = batch.encode_to_vec().unwrap();
    let decoded = PushRequest::decode(&body).unwrap();
    let stream = decoded.streams().get(1).unwrap();
    assert_eq!((stream.labels(), stream.entries().len()), ("{}", MANY));
    assert!(stream.entries().iter().map(|e| e.line()).eq(names.iter().map(|n| n.as_bytes())));
}

/// How many elements a push holds, by what it shows.
fn elements(push: &PushRequest<'_>) -> usize {
    let parsed = push.streams().iter().flat_map(|stream| stream.entries());
    let parsed: usize = parsed.map(|entry| entry.parsed().len()).sum();
    push.streams().len() + push.entries_len() + push.structured_metadata_len() + parsed
}

/// Decodes `body` under `limits` in every way; all must say the same.
fn limited(body: &[u8], limits: DecodeOptions) -> Result<(), (DecodeErrorKind, usize)> {
    let mut result = None;
    for partial in [false, true] {
        let options = limits.with_partial(partial);
        let mut decoder = Decoder::<PushRequest>::new().with_options(options);
        let fresh = PushRequest::decode_with(body, &options).map(drop);
        for _ in 0..3 {
            let reused: Result<Decoded<'_, '_, PushRequest<'static>>, _> = decoder.decode(body);
            assert_eq!(reused.map(drop), fresh);
        }
        assert_eq!(*result.get_or_insert(fresh), fresh, "partial mode has the same caps");
    }
    result.unwrap().map_err(|error| {
        assert!(error.offset() <= body.len());
        assert_eq!(error.status(), 413);
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
    let long = "v".repeat(130);
    let front = entry(NOW, 1, "line");
    let mut bodies: Vec<_> = bodies().into_iter().map(|(_, body)| body).collect();
    bodies.extend([
        [0x0a, 0x00].repeat(9),
        push(&[Bytes::new().raw([0x12, 0x00].repeat(9))]),
        push_of(&Bytes::new().raw([0x1a, 0x00].repeat(9))),
        push_of(&Bytes::new().raw([0x22, 0x00].repeat(9))),
        push_of(&front.clone().raw(metadata(&[("a", "b"); 9]))),
        push_of(&front.clone().raw(metadata(&[("a", &long), ("b", "c"), ("b", &long)]))),
        push_of(&front.clone().len(4, label("a", "b")).len(3, label("a", "b")).len(4, "")),
        push_of(&front.clone().len(3, label("a", "b").varint(9, 1)).len(3, "").len(1, "")),
        push(&[stream("{}", &[front.clone(), front.clone()]), stream("{}", &[front])]),
    ]);
    bodies.push(bodies.concat());
    for body in bodies {
        let count = elements(&PushRequest::decode(&body).unwrap());
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
fn streams_and_bytes_up_to_the_cap_and_not_one_more() {
    let one = Bytes::new().len(1, stream("{a=\"b\"}", &[entry(NOW, 1, "line")]));
    for count in 0..5 {
        let body = one.as_ref().repeat(count);
        assert_eq!(limited(&body, DecodeOptions::new().with_max_streams(count)), Ok(()));
        assert_eq!(limited(&body, bytes_up_to(body.len())), Ok(()));
        if count > 0 {
            // One byte into the record that is too many: behind its tag.
            let at = one.as_ref().len() * (count - 1) + 1;
            let result = limited(&body, DecodeOptions::new().with_max_streams(count - 1));
            assert_eq!(result, Err((DecodeErrorKind::LimitExceeded, at)));
            let result = limited(&body, bytes_up_to(body.len() - 1));
            assert_eq!(result, Err((DecodeErrorKind::MessageTooLarge, 0)));
        }
    }
    // A stream that is left out counts all the same.
    let bad = Bytes::new().len(1, Bytes::new().len(1, b"\xff"));
    let options = PARTIAL.with_max_streams(2);
    let push = |count| PushRequest::decode_with(&bad.as_ref().repeat(count), &options).map(drop);
    assert_eq!(push(2), Ok(()));
    assert_eq!(push(3).unwrap_err().kind(), DecodeErrorKind::LimitExceeded);
}
