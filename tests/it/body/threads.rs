//! Many threads at one pool: nobody ever sees bytes of another, and codecs work whatever the one
//! before did to them.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};

use super::ways;
use crate::support::codecs::{self, Random};

const THREADS: u64 = 8;

/// Bytes that carry `mark` everywhere.
fn marked(mark: u32, len: usize) -> Vec<u8> {
    mark.to_le_bytes().into_iter().cycle().take(len * 4).collect()
}

#[track_caller]
fn assert_marked(bytes: &[u8], mark: u32, len: usize) {
    assert_eq!(bytes.len(), len * 4);
    assert!(bytes.chunks_exact(4).all(|bytes| *bytes == mark.to_le_bytes()), "foreign bytes");
}

#[test]
fn no_request_sees_bytes_of_another() {
    // Small enough for buffers to be dropped now and then.
    let pool = BufferPool::new().with_max_idle_bytes(400 << 10).with_large_buffer_bytes(64 << 10);
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let pool = &pool;
            scope.spawn(move || {
                let mut random = Random(1 + thread);
                for request in 0..250 {
                    handle(pool, (thread as u32) << 16 | request, &mut random);
                }
            });
        }
    });
    let statistics = pool.statistics();
    assert_eq!(statistics.outstanding(), 0);
    assert!(statistics.idle_bytes <= 400 << 10);
    assert!(statistics.created < statistics.taken / 2, "{statistics:?}");
}

/// One request: whole, in chunks, given up, cut short or with a panic in its handler.
fn handle(pool: &BufferPool, mark: u32, random: &mut Random) {
    let len = 1 + random.below(5_000);
    let bytes = marked(mark, len);
    let encodings = match random.below(7) {
        6 => Encodings::IDENTITY,
        5 => Encodings::new(Encoding::Snappy).and(Encoding::Gzip).unwrap(),
        i => Encodings::new(codecs::ALL[i]),
    };
    let sent = codecs::encode_all(encodings, &bytes);
    let limits = BodyLimits::new();
    match random.below(6) {
        0 => {
            let body = pool.decompress(&sent, encodings, &limits).unwrap();
            thread::yield_now();
            assert_marked(&body, mark, len);
        }
        1 => {
            let chunk = 1 + random.below(sent.len());
            let body = ways::receive(pool, &sent, encodings, &limits, |_| chunk).unwrap();
            let bytes = body.into_bytes();
            let kept = thread::spawn(move || {
                assert_marked(&bytes, mark, len);
                bytes
            });
            assert_marked(&kept.join().unwrap(), mark, len);
        }
        2 => {
            let mut receiver = pool.receive(encodings, &limits, None).unwrap();
            receiver.push(&sent[..sent.len() / 2]).unwrap();
        }
        3 => {
            let cut = pool.decompress(&sent[..sent.len() - 1], encodings, &limits);
            assert!(cut.is_err() || encodings.is_identity());
        }
        4 => {
            let panicked = catch_unwind(AssertUnwindSafe(|| {
                let body = pool.decompress(&sent, encodings, &limits).unwrap();
                assert_marked(&body, mark, len);
                std::panic::resume_unwind(Box::new(body));
            }));
            assert!(panicked.unwrap_err().is::<borrowire::body::Body>());
        }
        _ => {
            let body = pool.read(&sent[..], encodings, &limits, None).unwrap();
            assert_marked(&body, mark, len);
        }
    }
}

/// Good bodies, cut ones and damaged ones in any order, with what a decoder in its first use says
/// about each.
#[test]
fn codecs_that_met_damage_work_like_new() {
    let mut random = Random(19);
    let mut cases = Vec::new();
    for encoding in codecs::ALL {
        for len in [10, 50, 400, 3_000] {
            let sent = codecs::encode(encoding, &random.text(len));
            cases.push((encoding, sent.clone()));
            for _ in 0..6 {
                let mut damaged = sent.clone();
                damaged.truncate(1 + random.below(sent.len()));
                cases.push((encoding, damaged));
                let mut damaged = sent.clone();
                damaged[random.below(sent.len())] ^= 1 << random.below(8);
                cases.push((encoding, damaged));
            }
        }
    }
    let limits = BodyLimits::new().with_max_decompressed_bytes(1 << 20);
    let cases: Vec<_> = cases
        .into_iter()
        .map(|(encoding, sent)| {
            let expected = codecs::decode(encoding, &sent).ok();
            (encoding, sent, expected.filter(|bytes| bytes.len() <= 1 << 20))
        })
        .collect();
    assert!(cases.iter().any(|case| case.2.is_some()) && cases.iter().any(|case| case.2.is_none()));

    let pool = BufferPool::new();
    thread::scope(|scope| {
        for thread in 0..THREADS {
            let (pool, cases, limits) = (&pool, &cases, &limits);
            scope.spawn(move || {
                let mut random = Random(100 + thread);
                for _ in 0..10_000 {
                    let (encoding, sent, expected) = &cases[random.below(cases.len())];
                    let body = pool.decompress(sent, *encoding, limits);
                    let found = body.as_deref().ok();
                    assert!(found == expected.as_deref(), "{encoding}: {sent:x?}: {body:?}");
                }
            });
        }
    });
    assert_eq!(pool.statistics().outstanding(), 0);
}
