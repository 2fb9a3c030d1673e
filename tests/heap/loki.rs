//! What Loki pushes allocate: nothing after the first ones, to read, write and group them; and from
//! hostile bytes a few bytes for each of theirs, and nothing for a length that is only promised.

use std::hint::black_box;
use std::sync::Arc;

use borrowire::loki::{
    DecodeOptions, Entry, LabelPair, OwnedPushBatch, PushBatch, PushRequest, PushRequestEncoder,
    Rules, Stream, Timestamp,
};
use borrowire::reuse::{Decoder, Pool};
use borrowire::{Encode, EncodeErrorKind};

use crate::bytes::loki::{entry, metadata, push, pushes_of_any_bytes, small_bodies, stream};
use crate::bytes::{Bytes, label};
use crate::heap;

const NOW: i64 = 1_700_000_000;
const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

pub fn run() {
    floods_stay_under_24_bytes_a_byte();
    promises_cost_nothing();
    let _profiler = heap::profiler();
    let bodies = bodies();
    reading(&bodies);
    writing(&bodies);
    writing_of_ones_own();
    grouping();
}

/// Pushes with something of everything, and a stream too long for any first guess of capacity.
fn bodies() -> Vec<Vec<u8>> {
    let bodies = small_bodies().into_iter().chain(pushes_of_any_bytes());
    let mut bodies: Vec<_> = bodies.map(|(_, body)| body).collect();
    bodies.push(bodies.concat().repeat(50));
    let good = entry(NOW, 1, "x").raw(metadata(&[("a", "b"); 40])).len(4, label("c", "d"));
    let bad = stream("bad", &[good.clone().len(3, label("a", b"\xff"))]);
    bodies.push(push(&[bad, stream("good", &vec![good; 40]).varint(3, 7)]));
    // Label strings of all kinds: with escapes, more labels than any list in place holds, broken.
    let many: Vec<_> = (0..1000).map(|n| format!(r#"l{}="\n""#, n % 900)).collect();
    let many = format!("{{{}}}", many.join(","));
    let long = format!(r#"{{"\x61{0}"="{0}\xc3\xa9"}}"#, "x".repeat(3000));
    let labels = [&many, &long, r#"{"\x61"="b", a="c"}"#, r#"{a="\xff"}"#, r#"{a="\q"}"#, "{a"];
    bodies.push(push(&labels.map(|labels| stream(labels, &[]))));
    bodies
}

/// Reads everything that a push shows.
fn read(push: &PushRequest<'_>) -> usize {
    let mut sum = push.skipped().len() + usize::from(push.has_unknown_fields());
    for (i, stream) in push.streams().iter().enumerate() {
        sum += stream.labels().len() + usize::from(stream.hash() != 0);
        sum += push.raw_stream(i).map_or(0, <[u8]>::len);
        for (position, entry) in stream.entries().iter().enumerate() {
            assert_eq!(stream.entries().get(position), Some(entry));
            sum += entry.line().len() + usize::from(entry.line_str().is_ok());
            sum += usize::from(entry.timestamp().is_some_and(Timestamp::is_valid));
            let pairs = entry.structured_metadata().iter().chain(entry.parsed());
            sum += pairs.map(|pair| pair.name.len() + pair.value.len()).sum::<usize>();
        }
    }
    push.validate(&Rules::new(), |_| sum += 1);
    sum
}

fn reading(bodies: &[Vec<u8>]) {
    let mut decoder = Decoder::<PushRequest>::new().with_options(PARTIAL);
    let mut decode_all = || {
        for body in bodies {
            black_box(read(&decoder.decode(body).unwrap()));
            // Pushes that fail give the storage back, too.
            assert!(decoder.decode(&body[..body.len() - 1]).is_err());
        }
    };
    decode_all();
    assert_eq!(heap::blocks(&mut decode_all), 0, "decoder");

    let pool = Pool::<PushRequest>::new().with_options(PARTIAL);
    // Two at a time, so that both storages are ready.
    let pool_all = || {
        let first = pool.decode(&bodies[0]).unwrap();
        for body in bodies {
            black_box(read(&pool.decode(body).unwrap()));
            assert!(pool.decode(&body[..body.len() - 1]).is_err());
        }
        black_box(read(&first));
    };
    pool_all();
    pool_all();
    assert_eq!(heap::blocks(pool_all), 0, "pool");

    let mut request = PushRequest::default();
    let mut recycle_all = || {
        for body in bodies {
            request.decode_into(body, &PARTIAL).unwrap();
            black_box(read(&request));
            let capacity = request.capacity_bytes();
            request = std::mem::take(&mut request).recycle();
            assert_eq!(request.capacity_bytes(), capacity, "recycling keeps every allocation");
        }
    };
    recycle_all();
    assert_eq!(heap::blocks(&mut recycle_all), 0, "recycle");

    // An owned push is one block, which holds body and storage together.
    let shared = Arc::new(Pool::<PushRequest>::new().with_options(PARTIAL));
    let owned: Vec<_> = bodies.iter().cloned().map(::bytes::Bytes::from).collect();
    let mut copies: Vec<_> = Vec::with_capacity(owned.len());
    let mut decode_owned = || {
        copies.extend(owned.iter().cloned());
        let mut blocks = Vec::with_capacity(copies.len());
        for body in copies.drain(..) {
            blocks.push(heap::blocks(|| {
                black_box(read(shared.decode_owned(body).unwrap().request()))
            }));
        }
        blocks
    };
    decode_owned();
    decode_owned();
    assert!(decode_owned().iter().all(|&blocks| blocks == 1), "owned");
}

/// Blocks allocated by measuring `message` and writing it in every way.
fn blocks(message: &impl Encode) -> u64 {
    let len = message.encoded_len();
    let mut slice = vec![0; len + 10];
    let mut vec = Vec::with_capacity(len);
    let mut bytes = ::bytes::BytesMut::with_capacity(len);
    heap::blocks(|| {
        for _ in 0..3 {
            assert_eq!(message.encoded_len(), len);
            assert_eq!(message.encode(&mut slice), Ok(len));
            vec.clear();
            assert_eq!(message.append_to_vec(&mut vec), Ok(len));
            bytes.clear();
            assert_eq!(message.append_to_bytes(&mut bytes), Ok(len));
            if len > 0 {
                assert!(message.encode(&mut slice[..len - 1]).is_err());
            }
        }
    })
}

fn writing(bodies: &[Vec<u8>]) {
    for body in bodies {
        let push = PushRequest::decode_with(body, &PARTIAL).unwrap();
        assert_eq!(blocks(&push), 0);
        assert_eq!(blocks(&push.encoder().with_format("loki")), 0);
        for stream in push.streams().iter().take(20) {
            assert_eq!(blocks(&stream), 0);
        }
        assert_eq!(heap::blocks(|| push.encode_to_vec()), 1, "a new Vec is allocated once");
    }
}

fn writing_of_ones_own() {
    let pairs = [LabelPair::new("trace_id", "0242ac120002"), LabelPair::new("empty", "")];
    let lines: Vec<_> = (0..50).map(|n| format!("line {n}")).collect();
    let entries: Vec<_> = lines
        .iter()
        .map(|line| {
            Entry::new(Timestamp::new(NOW, 5), line.as_bytes()).with_structured_metadata(&pairs)
        })
        .collect();
    let streams = ["{a=\"b\"}", "{a=\"c\"}"];
    let streams = streams.iter().map(|labels| Stream::new(labels).with_entries(&entries));
    assert_eq!(blocks(&PushRequestEncoder::new(streams)), 0);

    // A message of 3 GiB costs as little, and is refused.
    let line = vec![b'x'; 1 << 20];
    let entries = vec![Entry::new(Timestamp::new(NOW, 0), &line); 3072];
    let large = PushRequestEncoder::new([Stream::new("{}").with_entries(&entries)]);
    let mut vec = Vec::new();
    let refused = || {
        assert!(large.encoded_len() > 3 << 30);
        let error = large.append_to_vec(&mut vec).unwrap_err();
        assert_eq!(error.kind(), EncodeErrorKind::MessageTooLarge);
        assert!(large.encode(&mut [0; 64]).is_err());
    };
    assert_eq!(heap::blocks(refused), 0);
}

fn grouping() {
    let names: Vec<_> = (0..300).map(|n| format!("pod-{n}")).collect();
    let lines: Vec<_> = (0..3000).map(|n| format!("line {n}")).collect();
    let pairs = [LabelPair::new("trace_id", "0242ac120002")];
    let (mut batch, mut owned) = (PushBatch::new(), OwnedPushBatch::new());
    let mut out = vec![0; 1 << 20];
    let mut round = || {
        for (n, line) in lines.iter().enumerate() {
            let labels = [LabelPair::new("pod", &names[n % names.len()]), LabelPair::new("a", "b")];
            let entry = Entry::new(Timestamp::new(NOW, 5), line.as_bytes());
            batch.push(&labels, entry.with_structured_metadata(&pairs));
            batch.push_with("{job=\"x\"}", entry);
        }
        let len = batch.encode(&mut out).unwrap();
        assert_eq!(len, batch.encoded_len());
        batch.request().unwrap();
        batch = std::mem::take(&mut batch).recycle();
        for (n, line) in lines.iter().enumerate() {
            let labels = [LabelPair::new("pod", &names[n % names.len()]), LabelPair::new("a", "b")];
            owned.push(&labels, Entry::new(Timestamp::new(NOW, 5), line.as_bytes()));
        }
        owned.encode(&mut out).unwrap();
        owned.request().unwrap();
        owned.clear();
    };
    round();
    assert_eq!(heap::blocks(&mut round), 0, "batch");
    assert_eq!(heap::blocks(&mut round), 0, "batch");
}

/// Bytes of storage for one byte of input, at the most.
const FACTOR: usize = 24;
/// Bytes that each kind of element may take beyond that, for the first few.
const FIRST: usize = 512;

/// `content` as a field in a field ..., outermost first.
fn nested(way: &[u32], content: Vec<u8>) -> Vec<u8> {
    way.iter().rev().fold(content, |inner, &field| Bytes::new().len(field, inner).build())
}

/// Small elements over and over: what they are, how many lists of storage they fill, in the message that
/// the fields lead to, each of the pieces as often as all others, one kind after the other.
type Flood = (&'static str, usize, &'static [u32], Vec<Vec<u8>>);

fn floods() -> Vec<Flood> {
    let flood = |name, lists, way, pieces: &[&[u8]]| -> Flood {
        (name, lists, way, pieces.iter().map(|piece| piece.to_vec()).collect())
    };
    let text = |field, content: &[u8]| Bytes::new().len(field, content).build();
    let long = text(3, label("a", "v".repeat(130)).as_ref());
    let usual = text(2, entry(NOW, 0, "").as_ref());
    let full = text(2, metadata(&[("a", "b")]).len(4, "").as_ref());
    let all =
        text(1, Bytes::new().len(2, Bytes::new().len(3, "").len(4, "")).varint(3, 1).as_ref());
    let bad = text(1, &text(1, b"\xff"));
    let bad_pair = text(1, &text(2, &text(3, &text(1, b"\xff"))));
    vec![
        flood("streams", 1, &[], &[&[0x0a, 0x00]]),
        flood("streams with a hash", 2, &[], &[&text(1, &[0x18, 0x01])]),
        flood("hashes of one stream", 2, &[1], &[&[0x18, 0x01]]),
        flood("entries", 2, &[1], &[&[0x12, 0x00]]),
        flood("streams of an entry", 2, &[], &[&text(1, &[0x12, 0x00])]),
        flood("usual entries", 2, &[1], &[&usual]),
        flood("entries with a time", 2, &[1], &[&text(2, &[0x0a, 0x00])]),
        flood("times of one entry", 2, &[1, 2], &[&[0x0a, 0x00]]),
        flood("pairs", 3, &[1, 2], &[&[0x1a, 0x00]]),
        flood("pairs of a byte", 3, &[1, 2], &[&text(3, &text(1, b"a"))]),
        flood("long pairs", 3, &[1, 2], &[&long]),
        flood("entries of a pair", 3, &[1], &[&text(2, &[0x1a, 0x00])]),
        flood("parsed pairs", 4, &[1, 2], &[&[0x22, 0x00]]),
        flood("entries of a parsed pair", 4, &[1], &[&text(2, &[0x22, 0x00])]),
        flood("streams of a parsed pair", 4, &[], &[&text(1, &text(2, &[0x22, 0x00]))]),
        flood("pairs of both kinds", 5, &[1, 2], &[&[0x1a, 0x00, 0x22, 0x00]]),
        flood("pairs of one kind, then the other", 5, &[1, 2], &[&[0x1a, 0x00], &[0x22, 0x00]]),
        flood("full entries", 5, &[1], &[&full]),
        flood("streams of all", 6, &[], &[&all]),
        flood(
            "entries, then such of a parsed pair",
            4,
            &[1],
            &[&[0x12, 0x00], &text(2, &[0x22, 0x00])],
        ),
        flood("unknown fields", 0, &[], &[&[0x78, 0x00]]),
        flood("formats", 0, &[], &[&[0x12, 0x00]]),
        flood("bad streams", 2, &[], &[&bad]),
        flood("bad pairs", 4, &[], &[&bad_pair]),
        flood("streams, then bad ones", 2, &[], &[&[0x0a, 0x00], &bad]),
    ]
}

/// Numbers of elements just behind each step of a list that grows by a third, where most is in
/// reserve, and some small ones.
fn counts() -> impl Iterator<Item = usize> {
    let steps = std::iter::successors(Some(16_usize), |step| Some(step + (step / 3).max(16)));
    let steps = steps.take_while(|&step| step < 20_000);
    [0, 1, 2, 15, 16].into_iter().chain(steps.flat_map(|step| [step, step + 1]))
}

fn floods_stay_under_24_bytes_a_byte() {
    for (name, lists, way, pieces) in floods() {
        for count in counts() {
            let content: Vec<u8> = pieces.iter().flat_map(|piece| piece.repeat(count)).collect();
            let body = nested(way, content);
            let mut capacity = 0;
            let peak = heap::peak_bytes(|| {
                let push = PushRequest::decode_with(&body, &PARTIAL).unwrap();
                capacity = push.capacity_bytes();
                push
            });
            let about = || format!("{count} {name}, {} bytes of input", body.len());
            let bound = FACTOR * body.len() + FIRST * lists;
            assert!(peak <= bound, "{}: {peak} allocated", about());
            assert!(FIRST * lists < 4096);
            // All that is allocated is storage that is kept.
            assert_eq!(peak, capacity, "{}", about());
        }
    }
}

/// Lengths of 4 GiB and more, with too few bytes behind, of every field that has one or may.
fn promises_cost_nothing() {
    let ways: [&[u32]; 6] = [&[], &[1], &[1, 2], &[1, 2, 1], &[1, 2, 3], &[1, 2, 4]];
    for way in ways {
        for field in 1..6 {
            for length in [0xffff_ffff, 1 << 32, 0x7fff_ffff, u64::MAX] {
                let promise = Bytes::new().tag(field, 2).bare_varint(length).raw([0; 8]);
                let body = nested(way, promise.build());
                let peak = heap::peak_bytes(|| {
                    assert!(PushRequest::decode_with(&body, &PARTIAL).is_err(), "{way:?} {field}");
                });
                assert_eq!(peak, 0, "{way:?} {field} {length:x}");
            }
        }
    }
}
