//! Every interleaving of threads at one pool, within loom's bounds.
//!
//! ```text
//! RUSTFLAGS="--cfg borrowire_loom" CARGO_TARGET_DIR=target/loom cargo test --release --test loom_pool
//! ```
#![cfg(borrowire_loom)]

use std::collections::HashSet;

use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use loom::sync::{Arc, Mutex};
use loom::thread;

/// The places of all buffers that are with a thread.
type Live = Arc<Mutex<HashSet<usize>>>;

/// Receives `bytes`, and checks that the buffer they are in is with nobody else.
fn receive(pool: &BufferPool, live: &Live, bytes: &[u8]) {
    let body = pool.decompress(bytes, Encodings::IDENTITY, &BodyLimits::new()).unwrap();
    let place = body.as_ptr() as usize;
    assert!(live.lock().unwrap().insert(place), "a buffer is with two threads");
    thread::yield_now();
    assert_eq!(*body, *bytes);
    assert!(live.lock().unwrap().remove(&place));
    drop(body);
}

fn small_pool() -> BufferPool {
    BufferPool::new().with_max_idle_bytes(24)
}

fn assert_all_returned(pool: &BufferPool, taken: u64) {
    let statistics = pool.statistics();
    assert_eq!((statistics.taken, statistics.returned), (taken, taken));
    assert_eq!(statistics.created - statistics.dropped, statistics.idle as u64);
    assert!(statistics.idle_bytes <= 24, "{statistics:?}");
}

#[test]
fn three_threads_take_and_return() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    model.check(|| {
        let pool = small_pool();
        let live = Live::default();
        let threads: Vec<_> = [b"first---", b"second--"]
            .into_iter()
            .map(|bytes| {
                let (pool, live) = (pool.clone(), live.clone());
                thread::spawn(move || receive(&pool, &live, bytes))
            })
            .collect();
        receive(&pool, &live, b"a third one-----");
        assert!(pool.statistics().idle_bytes <= 24);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_all_returned(&pool, 3);
    });
}

#[test]
fn two_threads_take_and_return_twice() {
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(3);
    model.check(|| {
        let pool = small_pool();
        let live = Live::default();
        let other = {
            let (pool, live) = (pool.clone(), live.clone());
            thread::spawn(move || {
                receive(&pool, &live, b"first---");
                receive(&pool, &live, b"second--");
            })
        };
        receive(&pool, &live, b"third---");
        receive(&pool, &live, b"fourth----------");
        other.join().unwrap();
        assert_all_returned(&pool, 4);
    });
}

/// A body that outlives its thread, and one whose last owner is another thread.
#[test]
fn bytes_return_from_any_thread() {
    loom::model(|| {
        let pool = small_pool();
        let body = pool.decompress(b"bytes", Encodings::IDENTITY, &BodyLimits::new()).unwrap();
        let (here, there) = {
            let bytes = body.into_bytes();
            (bytes.slice(..2), bytes)
        };
        let other = thread::spawn(move || drop(there));
        drop(here);
        other.join().unwrap();
        assert_all_returned(&pool, 1);
    });
}

/// The state of codecs is taken and returned like buffers.
#[test]
fn codecs_are_with_one_thread_at_a_time() {
    let sent = |bytes: &[u8]| snap::raw::Encoder::new().compress_vec(bytes).unwrap();
    let mut model = loom::model::Builder::new();
    model.preemption_bound = Some(2);
    let (first, second) = (sent(b"first---"), sent(b"second--"));
    model.check(move || {
        let pool = small_pool();
        let check = |pool: &BufferPool, sent: &[u8], expected: &[u8]| {
            let body = pool.decompress(sent, Encoding::Snappy, &BodyLimits::new()).unwrap();
            assert_eq!(*body, *expected);
            let gzip = b"\x1f\x8b\x08\0\0\0\0\0\0\xff\x03\0\0\0\0\0\0\0\0\0";
            let empty = pool.decompress(gzip, Encoding::Gzip, &BodyLimits::new()).unwrap();
            assert!(empty.is_empty());
        };
        let other = {
            let (pool, first) = (pool.clone(), first.clone());
            thread::spawn(move || check(&pool, &first, b"first---"))
        };
        check(&pool, &second, b"second--");
        other.join().unwrap();
        assert_eq!(pool.statistics().outstanding(), 0);
    });
}
