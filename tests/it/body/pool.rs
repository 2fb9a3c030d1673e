//! The pool: no buffer is with two requests, all of them come back, and what is kept is bounded.

use std::collections::HashSet;
use std::io::{self, Read};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use borrowire::body::{Body, BodyError, BodyLimits, BufferPool, Encoding, Encodings};
use borrowire::remote_write::v1::WriteRequest;

use super::ways;
use crate::support::codecs::{self, Random};

fn receive(pool: &BufferPool, bytes: &[u8]) -> Body {
    pool.decompress(bytes, Encodings::IDENTITY, &BodyLimits::new()).unwrap()
}

#[test]
fn live_buffers_are_distinct() {
    let pool = BufferPool::new();
    drop([receive(&pool, b"one"), receive(&pool, b"two")]);
    let statistics = pool.statistics();
    assert_eq!((statistics.idle, statistics.created), (2, 2));
    let live = [receive(&pool, b"three"), receive(&pool, b"four"), receive(&pool, b"five")];
    let places: HashSet<_> = live.iter().map(|body| body.as_ptr()).collect();
    assert_eq!(places.len(), 3);
    assert_eq!(pool.statistics().idle, 0);
    assert_eq!(live.map(|body| body.to_vec()), [&b"three"[..], b"four", b"five"]);
    let statistics = pool.statistics();
    assert_eq!((statistics.idle, statistics.created, statistics.outstanding()), (3, 3, 0));
}

#[test]
fn bytes_return_with_the_last_of_them() {
    let pool = BufferPool::new();
    let bytes = receive(&pool, b"some bytes").into_bytes();
    let slice = bytes.slice(5..);
    let clone = slice.clone();
    drop(bytes);
    let clone = thread::spawn(move || clone.len()).join().unwrap();
    assert_eq!((clone, pool.statistics().outstanding()), (5, 1));
    assert_eq!(slice, "bytes");
    drop(slice);
    assert_eq!((pool.statistics().outstanding(), pool.statistics().idle), (0, 1));
}

#[test]
fn bodies_outlive_the_pool() {
    let pool = BufferPool::new();
    let body = receive(&pool, b"bytes");
    drop(pool);
    assert_eq!(*body, *b"bytes");
}

/// A reader that fails, or panics, after some bytes.
struct Failing<'a>(&'a [u8], fn() -> io::Result<usize>);

impl Read for Failing<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        match self.0.read(out) {
            Ok(0) => (self.1)(),
            result => result,
        }
    }
}

/// Errors, panics and requests that are given up return everything, a second thousand times without
/// a new buffer.
#[test]
fn all_paths_return_buffers() {
    let pool = BufferPool::new();
    let limits = BodyLimits::new().with_max_decompressed_bytes(10_000);
    let text = Random(17).text(9_000);
    let large = Random(18).text(20_000);
    let encoded: Vec<_> =
        codecs::ALL.map(|e| (e, codecs::encode(e, &text), codecs::encode(e, &large))).into();
    let mut created = 0;
    for round in 0..2_000 {
        let (encoding, sent, large) = &encoded[round % encoded.len()];
        let half = &sent[..sent.len() / 2];
        assert!(pool.decompress(half, *encoding, &limits).is_err());
        assert!(pool.decompress(&[0xff; 40], *encoding, &limits).is_err());
        assert!(pool.decompress(large, *encoding, &limits).is_err());

        let mut given_up = pool.receive(*encoding, &limits, None).unwrap();
        given_up.push(half).unwrap();
        assert!(pool.statistics().outstanding() > 0);
        drop(given_up);

        let body = pool.decompress(sent, *encoding, &limits).unwrap();
        assert!(WriteRequest::decode(&body).is_err(), "it is no message");
        drop(body);

        let broken = Failing(half, || Err(io::ErrorKind::ConnectionReset.into()));
        match pool.read(broken, *encoding, &limits, None) {
            Err(BodyError::Read(error)) => assert_eq!(error.kind(), io::ErrorKind::ConnectionReset),
            other => panic!("{other:?}"),
        }

        if round % 50 == 0 {
            quietly(|| {
                let _body = pool.decompress(sent, *encoding, &limits).unwrap();
                std::panic::resume_unwind(Box::new("in the handler"));
            });
            quietly(|| {
                let panicking = Failing(half, || std::panic::resume_unwind(Box::new("read")));
                let _ = pool.read(panicking, *encoding, &limits, None);
            });
        }
        assert_eq!(pool.statistics().outstanding(), 0, "round {round}");
        if round == 1_000 {
            created = pool.statistics().created;
        }
    }
    assert_eq!(pool.statistics().created, created);
    assert!(created < 10, "{created} buffers for one request at a time");
}

fn quietly(run: impl FnOnce()) {
    assert!(catch_unwind(AssertUnwindSafe(run)).is_err());
}

/// One large body, then many small ones: what lies idle is bounded all the time.
#[test]
fn a_large_body_leaves_no_mark() {
    let small = Random(13).text(2 << 10);
    for threads in [1, 8] {
        let pool = BufferPool::new().with_max_idle_bytes(1 << 20).with_max_buffer_bytes(1 << 20);
        drop(receive(&pool, &vec![7; 30 << 20]));
        thread::scope(|scope| {
            for _ in 0..threads {
                scope.spawn(|| {
                    for _ in 0..10_000 / threads {
                        assert_eq!(receive(&pool, &small).len(), 2 << 10);
                        assert!(pool.statistics().idle_bytes <= 1 << 20);
                    }
                });
            }
        });
        let statistics = pool.statistics();
        assert_eq!((statistics.outstanding(), statistics.taken), (0, 10_001));
        assert!(statistics.idle_bytes <= threads * (64 << 10), "{statistics:?}");
    }
}

/// Bodies that are all large keep their buffers, and are no reason to make new ones.
#[test]
fn large_bodies_reuse_large_buffers() {
    let pool = BufferPool::new();
    for (encoding, len) in [(Encoding::Snappy, 256 << 10), (Encoding::Zstd, 3 << 20)] {
        let sent = codecs::encode(encoding, &vec![1; len]);
        let mut created = 0;
        for round in 0..40 {
            let whole = pool.decompress(&sent, encoding, &BodyLimits::new()).unwrap();
            let chunks =
                ways::receive(&pool, &sent, encoding.into(), &BodyLimits::new(), |_| 1_000);
            assert_eq!((whole.len(), chunks.unwrap().len()), (len, len));
            if round == 1 {
                created = pool.statistics().created;
            }
        }
        let statistics = pool.statistics();
        assert_eq!((statistics.created, statistics.dropped), (created, 0), "{encoding}");
    }
}

/// Codecs of bodies that arrive at the same time are not each other's.
#[test]
fn bodies_that_arrive_together_stay_apart() {
    let pool = BufferPool::new();
    let mut random = Random(20);
    for _ in 0..20 {
        let mut bodies: Vec<_> = (0..10)
            .map(|i| {
                let encoding = codecs::ALL[i % codecs::ALL.len()];
                let len = random.below(50_000);
                let bytes = random.text(len);
                let receiver = pool.receive(encoding, &BodyLimits::new(), None).unwrap();
                (receiver, codecs::encode(encoding, &bytes), 0, bytes)
            })
            .collect();
        while !bodies.is_empty() {
            let index = random.below(bodies.len());
            let (receiver, sent, pushed, _) = &mut bodies[index];
            let end = sent.len().min(*pushed + random.below(2_000));
            receiver.push(&sent[*pushed..end]).unwrap();
            *pushed = end;
            if end == sent.len() {
                let (receiver, _, _, bytes) = bodies.swap_remove(index);
                assert!(*receiver.finish().unwrap() == *bytes);
            }
        }
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}
