//! After the first requests, reading a body and decoding it allocates nothing, in any encoding; nor
//! does compressing one. What lies idle is bounded.
//!
//! The codecs' own memory counts, too: in tests, zstd allocates as Rust does.

use std::hint::black_box;

use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use borrowire::proto::prometheus as proto;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::reuse::Decoder;
use prost::Message;

use crate::{codecs, heap};

pub fn run() {
    let _profiler = heap::profiler();
    receiving();
    receiving_framed_streams();
    bytes_that_outlive_the_request();
    sending();
    sending_into_a_slice();
    large_bodies_only();
    one_large_body();
}

/// How many make a small request, one of some kilobytes, and one of over a mebibyte.
const SERIES: [usize; 3] = [1, 30, 12_000];

/// A request of `series` series, about 100 bytes each.
fn message(series: usize) -> Vec<u8> {
    let label = |name: &str, value: String| proto::Label { name: name.into(), value };
    let timeseries = (0..series).map(|i| proto::TimeSeries {
        labels: vec![
            label("__name__", "http_requests_total".into()),
            label("instance", format!("10.0.{}.{}:9100", i >> 8, i & 255)),
            label("pod", format!("checkout-{:x}", i.wrapping_mul(0x9e37_79b9))),
        ],
        samples: vec![proto::Sample { value: i as f64 * 0.1, timestamp: 1_700_000_000_000 }],
        ..Default::default()
    });
    proto::WriteRequest { timeseries: timeseries.collect(), ..Default::default() }.encode_to_vec()
}

fn all_encodings() -> Vec<Encodings> {
    let one = |encoding| Encodings::new(encoding);
    vec![
        Encodings::IDENTITY,
        one(Encoding::Deflate),
        one(Encoding::Gzip),
        one(Encoding::Snappy),
        one(Encoding::Lz4),
        one(Encoding::Zstd),
        one(Encoding::Snappy).and(Encoding::Gzip).unwrap(),
        one(Encoding::Gzip).and(Encoding::Snappy).unwrap(),
        one(Encoding::Gzip).and(Encoding::Zstd).unwrap().and(Encoding::Deflate).unwrap(),
    ]
}

/// Four ways in: whole, in chunks with and without a content length, and from a reader.
fn receive(
    pool: &BufferPool,
    decoder: &mut Decoder<WriteRequest<'static>>,
    sent: &[u8],
    encodings: Encodings,
    series: usize,
) {
    let limits = BodyLimits::new();
    for way in 0..4 {
        let chunks = |content_length| {
            let mut receiver = pool.receive(encodings, &limits, content_length)?;
            sent.chunks(16 << 10).try_for_each(|chunk| receiver.push(chunk))?;
            receiver.finish()
        };
        let body = match way {
            0 => pool.decompress(sent, encodings, &limits),
            1 => chunks(Some(sent.len() as u64)),
            2 => chunks(None),
            _ => pool.read(sent, encodings, &limits, None),
        };
        let body = body.unwrap();
        let request = decoder.decode(&body).unwrap();
        assert_eq!(request.timeseries().len(), series);
        drop(request);
        // A body that is cut short takes the same path, and fails.
        if way == 0 {
            let cut = &sent[..sent.len() - 1];
            let body = pool.decompress(cut, encodings, &limits);
            assert!(body.is_err() || encodings.is_identity());
        }
    }
}

fn receiving() {
    // From a hundred bytes to over the size from which unused buffers are freed.
    let messages: Vec<_> = SERIES.map(|series| (series, message(series))).into();
    assert!(messages[2].1.len() > 1 << 20);
    for encodings in all_encodings() {
        for (series, message) in &messages {
            let sent = codecs::encode_all(encodings, message);
            let pool = BufferPool::new();
            let mut decoder = Decoder::<WriteRequest>::new();
            let mut run = || receive(&pool, &mut decoder, &sent, encodings, *series);
            run();
            run();
            assert_eq!(heap::blocks(&mut run), 0, "{series} series, {encodings:?}");
        }
    }
    // One pool for small bodies of all encodings, one after the other.
    let pool = BufferPool::new();
    let mut decoder = Decoder::<WriteRequest>::new();
    let small = message(200);
    let bodies: Vec<_> = all_encodings()
        .into_iter()
        .map(|encodings| (encodings, codecs::encode_all(encodings, &small)))
        .collect();
    let mut run = || {
        for (encodings, sent) in &bodies {
            receive(&pool, &mut decoder, sent, *encodings, 200);
        }
    };
    run();
    run();
    assert_eq!(heap::blocks(&mut run), 0, "all encodings");
}

/// The decoder of streams is made for each: it has a buffer for a chunk, compressed and not.
fn receiving_framed_streams() {
    let pool = BufferPool::new();
    let sent = codecs::encode(Encoding::SnappyFramed, &message(5_000));
    let run = || pool.decompress(&sent, Encoding::SnappyFramed, &BodyLimits::new()).unwrap();
    drop(run());
    assert_eq!(heap::blocks(run), 2);
}

/// What is shared has a count of its owners: one block.
fn bytes_that_outlive_the_request() {
    let pool = BufferPool::new();
    let message = message(100);
    let run = || {
        let body = pool.decompress(&message, Encodings::IDENTITY, &BodyLimits::new()).unwrap();
        let bytes = body.into_bytes();
        black_box((bytes.slice(1..), bytes.clone(), bytes))
    };
    drop(run());
    assert_eq!(heap::blocks(run), 1);
}

fn sending() {
    for series in SERIES {
        let message = message(series);
        let request = WriteRequest::decode(&message).unwrap();
        for encodings in all_encodings() {
            let pool = BufferPool::new();
            let run = || black_box(pool.compress(&request, encodings).unwrap().len());
            // Buffers of two layers may change places before they have their sizes.
            for _ in 0..4 {
                run();
            }
            assert_eq!(heap::blocks(run), 0, "{series} series, {encodings:?}");
        }
    }
}

/// Also where the slice is just long enough, and where it is too short.
fn sending_into_a_slice() {
    for series in SERIES {
        let message = message(series);
        let request = WriteRequest::decode(&message).unwrap();
        for encodings in all_encodings() {
            let pool = BufferPool::new();
            let most = BufferPool::max_compressed_len(message.len(), encodings).unwrap();
            let mut out = vec![0; most];
            let len = pool.compress_to_slice(&request, encodings, &mut out).unwrap();
            let mut run = || {
                assert_eq!(pool.compress_to_slice(&request, encodings, &mut out), Ok(len));
                assert_eq!(pool.compress_to_slice(&request, encodings, &mut out[..len]), Ok(len));
                assert!(pool.compress_to_slice(&request, encodings, &mut out[..len - 1]).is_err());
            };
            for _ in 0..4 {
                run();
            }
            assert_eq!(heap::blocks(run), 0, "{series} series, {encodings:?}");
        }
    }
}

/// A workload whose every body is large must not allocate for each of them.
fn large_bodies_only() {
    let bytes = vec![7; 256 << 10];
    let pool = BufferPool::new();
    for encoding in [Encoding::Snappy, Encoding::Gzip] {
        let sent = codecs::encode(encoding, &bytes);
        let read = || pool.decompress(&sent, encoding, &BodyLimits::new()).unwrap();
        drop((read(), read()));
        let rounds = if encoding == Encoding::Snappy { 1_000 } else { 200 };
        assert_eq!(heap::blocks(|| (0..rounds).for_each(|_| drop(read()))), 0, "{encoding}");
    }
}

/// Nor may one large body keep its memory for ever.
fn one_large_body() {
    let sent = codecs::encode(Encoding::Snappy, &vec![0; 30 << 20]);
    let small = codecs::encode(Encoding::Snappy, &[0; 2 << 10]);
    let pool = BufferPool::new().with_max_idle_bytes(4 << 20).with_max_buffer_bytes(2 << 20);
    let before = heap::live_bytes();
    let body = pool.decompress(&sent, Encoding::Snappy, &BodyLimits::new()).unwrap();
    assert!(heap::live_bytes() - before >= 30 << 20);
    drop(body);
    for _ in 0..1_000 {
        drop(pool.decompress(&small, Encoding::Snappy, &BodyLimits::new()).unwrap());
    }
    let kept = heap::live_bytes() - before;
    assert!(kept <= 64 << 10, "{kept} bytes");
}
