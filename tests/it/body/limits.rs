//! Limits: kept to the byte, enforced while inflating, and final.

use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, Encodings};

use super::ways;
use crate::support::codecs::{self, Random};

fn one(encoding: Encoding) -> Encodings {
    Encodings::new(encoding)
}

fn decompressed(limit: usize) -> BodyLimits {
    BodyLimits::new().with_max_decompressed_bytes(limit)
}

#[test]
fn decompressed_bytes_may_be_exactly_as_many() {
    let mut random = Random(31);
    let pool = BufferPool::new();
    for len in [1, 900, (32 << 10) - 1, 32 << 10, (64 << 10) + 1] {
        for bytes in [random.bytes(len), random.text(len), vec![0; len]] {
            for encodings in codecs::ALL.map(one).into_iter().chain([Encodings::IDENTITY]) {
                let sent = codecs::encode_all(encodings, &bytes);
                let read = ways::read(&pool, &sent, encodings, &decompressed(len));
                assert!(read.unwrap() == bytes, "{len} bytes, {encodings:?}");
                match ways::read(&pool, &sent, encodings, &decompressed(len - 1)) {
                    Err(BodyError::DecompressedTooLarge { limit }) => assert_eq!(limit, len - 1),
                    other => panic!("{len} bytes, {encodings:?}: {other:?}"),
                }
            }
        }
    }
}

#[test]
fn nothing_is_within_a_limit_of_nothing() {
    let pool = BufferPool::new();
    for encoding in codecs::ALL {
        let empty = codecs::encode(encoding, b"");
        assert!(ways::read(&pool, &empty, encoding, &decompressed(0)).unwrap().is_empty());
        let one = codecs::encode(encoding, b"x");
        let error = ways::read(&pool, &one, encoding, &decompressed(0)).unwrap_err();
        assert!(error.is_too_large(), "{encoding}: {error}");
    }
}

#[test]
fn compressed_bytes_may_be_exactly_as_many() {
    let bytes = Random(32).text(5_000);
    let pool = BufferPool::new();
    for encodings in codecs::ALL.map(one).into_iter().chain([Encodings::IDENTITY]) {
        let sent = codecs::encode_all(encodings, &bytes);
        let limits = |limit| BodyLimits::new().with_max_compressed_bytes(limit);
        let read = ways::read(&pool, &sent, encodings, &limits(sent.len())).unwrap();
        assert!(read == bytes, "{encodings:?}");
        match ways::read(&pool, &sent, encodings, &limits(sent.len() - 1)) {
            Err(BodyError::CompressedTooLarge { limit }) => assert_eq!(limit, sent.len() - 1),
            other => panic!("{encodings:?}: {other:?}"),
        }
        // A content length over the limit is refused before anything is read.
        let len = sent.len() as u64;
        assert!(pool.receive(encodings, &limits(sent.len()), Some(len)).is_ok());
        for len in [len + 1, u64::MAX] {
            let error = pool.receive(encodings, &limits(sent.len()), Some(len)).unwrap_err();
            assert!(error.is_too_large(), "{error}");
        }
    }
}

/// Snappy makes what does not compress longer: the default for what is sent allows for it.
#[test]
fn the_defaults_let_bytes_through_that_do_not_compress() {
    let limits = BodyLimits::new();
    let most = snap::raw::max_compress_len(limits.max_decompressed_bytes);
    assert!(limits.max_compressed_bytes >= most);
    let sent = codecs::encode(Encoding::Snappy, &Random(33).bytes(900));
    assert!(sent.len() > 900);
    let pool = BufferPool::new();
    assert_eq!(ways::read(&pool, &sent, Encoding::Snappy, &decompressed(900)).unwrap().len(), 900);
}

#[test]
fn the_ratio_counts_from_64_kib() {
    let pool = BufferPool::new();
    for encoding in codecs::ALL {
        let read = |len: usize, ratio: usize| {
            let sent = codecs::encode(encoding, &vec![0; len]);
            let limits = BodyLimits::new().with_max_ratio(ratio);
            let whole = pool.decompress(&sent, encoding, &limits);
            let chunk = ways::receive(&pool, &sent, encoding.into(), &limits, |_| sent.len());
            assert_eq!(whole.is_ok(), chunk.is_ok());
            whole.map(|body| (body.len(), sent.len()))
        };
        assert_eq!(read(64 << 10, 1).unwrap().0, 64 << 10, "{encoding}");
        match read((64 << 10) + 1, 1) {
            Err(BodyError::RatioTooHigh { limit: 1 }) => {}
            other => panic!("{encoding}: {other:?}"),
        }
        let len = 1 << 20;
        let sent_len = read(len, usize::MAX).unwrap().1;
        let ratio = len.div_ceil(sent_len);
        assert!(read(len, ratio).is_ok(), "{encoding}");
        assert!(read(len, ratio - 1).unwrap_err().is_too_large(), "{encoding}");
    }
    let limits = BodyLimits::new().with_max_ratio(1);
    assert!(ways::read(&pool, &vec![0; 1 << 20], Encodings::IDENTITY, &limits).is_ok());
}

/// 8 MiB of zeros: 400 kB of snappy, 8 kB of gzip, 300 bytes of zstd.
#[test]
fn bombs_are_refused() {
    let zeros = vec![0; 8 << 20];
    let pool = BufferPool::new();
    for encoding in codecs::ALL {
        let sent = codecs::encode(encoding, &zeros);
        let whole = pool.decompress(&sent, encoding, &decompressed(1 << 20));
        assert!(whole.unwrap_err().is_too_large(), "{encoding}");
        let error = ways::receive(&pool, &sent, encoding.into(), &decompressed(1 << 20), |_| 100);
        assert!(error.unwrap_err().is_too_large(), "{encoding}");
    }
    assert!(pool.statistics().idle_bytes < 4 << 20);
}

/// A large buffer in the pool is no reason to inflate more than the limit allows.
#[test]
fn buffers_of_others_do_not_widen_the_limit() {
    let pool = BufferPool::new().with_large_buffer_bytes(16 << 20);
    let large = vec![1; 8 << 20];
    for encoding in codecs::ALL {
        drop(pool.decompress(&large, Encodings::IDENTITY, &BodyLimits::new()).unwrap());
        // The second half is garbage, which is never reached.
        let mut sent = codecs::encode(encoding, &vec![0; 4 << 20]);
        let half = sent.len() / 2;
        sent[half..].fill(0xff);
        let limits = decompressed(1 << 20).with_max_ratio(usize::MAX);
        let error = pool.decompress(&sent, encoding, &limits).unwrap_err();
        assert!(error.is_too_large(), "{encoding}: {error}");
    }
}

/// Bytes of a chunk that was refused would be missing from the body.
#[test]
fn what_was_refused_stays_refused() {
    let pool = BufferPool::new();
    let member = codecs::gzip(b"member");
    let frame = codecs::zstd(b"frame");
    let framed = codecs::encode(Encoding::SnappyFramed, b"stream");
    for (encodings, chunk) in [
        (Encodings::IDENTITY, &b"bytes"[..]),
        (one(Encoding::Gzip), &member),
        (one(Encoding::Zstd), &frame),
        (one(Encoding::SnappyFramed), &framed),
    ] {
        let limits = BodyLimits::new().with_max_compressed_bytes(chunk.len() * 2 - 1);
        let mut receiver = pool.receive(encodings, &limits, None).unwrap();
        receiver.push(chunk).unwrap();
        assert!(receiver.push(chunk).unwrap_err().is_too_large());
        assert!(receiver.push(b"").unwrap_err().is_too_large());
        assert!(receiver.finish().unwrap_err().is_too_large(), "{encodings:?}");
    }
    let mut receiver = pool.receive(Encoding::Gzip, &BodyLimits::new(), None).unwrap();
    receiver.push(&member).unwrap();
    assert!(receiver.push(b"x").unwrap_err().is_malformed());
    assert!(receiver.push(&member).unwrap_err().is_malformed());
    assert!(receiver.finish().unwrap_err().is_malformed());
    assert_eq!(pool.statistics().outstanding(), 0);
}
