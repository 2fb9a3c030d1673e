//! Layers of compression: in the order of the header, each within the limits.

use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings, EncodingsError, MalformedKind};

use super::ways::{self, fault};
use crate::support::codecs::{self, Random};

#[test]
fn the_header_says_what_is_decompressed() {
    let pool = BufferPool::new();
    let (message, _) = ways::messages();
    let gzip = codecs::gzip(&message);
    let both = codecs::encode(Encoding::Snappy, &gzip);
    for (header, sent) in [
        ("gzip, snappy", &both),
        ("X-GZIP,\tSnappy", &both),
        ("gzip,,snappy,", &both),
        ("GZIP", &gzip),
        (" x-gzip ", &gzip),
        ("gzip, identity", &gzip),
        ("identity", &message),
        ("", &message),
    ] {
        let encodings = Encodings::parse(header).unwrap();
        let read = ways::read(&pool, sent, encodings, &BodyLimits::new()).unwrap();
        assert_eq!(read, message, "{header:?}");
    }
    assert_eq!(Encodings::parse("br"), Err(EncodingsError::Unsupported));
    assert_eq!(Encodings::parse(&["gzip"; 9].join(", ")), Err(EncodingsError::TooMany));
    // In the wrong order, the layer that is not there is named.
    let wrong = Encodings::parse("snappy, gzip").unwrap();
    let result = ways::read(&pool, &both, wrong, &BodyLimits::new());
    assert_eq!(fault(result), (Encoding::Gzip, MalformedKind::Corrupt));
}

#[test]
fn every_order_of_all_encodings_is_decompressed() {
    let pool = BufferPool::new();
    let bytes = Random(40).text(3_000);
    for first in codecs::ALL {
        for second in codecs::ALL {
            for third in [Encoding::Gzip, Encoding::Snappy] {
                let encodings = Encodings::new(first).and(second).unwrap().and(third).unwrap();
                let encodings = encodings.and(Encoding::Zstd).unwrap();
                let sent = codecs::encode_all(encodings, &bytes);
                let read = ways::read(&pool, &sent, encodings, &BodyLimits::new()).unwrap();
                assert!(read == bytes, "{encodings:?}");
            }
        }
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}

/// A layer in between may be larger than what it holds.
#[test]
fn each_layer_is_within_the_limit() {
    let pool = BufferPool::new();
    let bytes = Random(41).bytes(10_000);
    for inner in codecs::ALL {
        let middle = codecs::encode(inner, &bytes);
        assert!(middle.len() > bytes.len(), "{inner}");
        for outer in codecs::ALL {
            let sent = codecs::encode(outer, &middle);
            let encodings = Encodings::new(inner).and(outer).unwrap();
            let limits = |limit| BodyLimits::new().with_max_decompressed_bytes(limit);
            let read = ways::read(&pool, &sent, encodings, &limits(middle.len()));
            assert!(read.unwrap() == bytes, "{encodings:?}");
            let error = ways::read(&pool, &sent, encodings, &limits(middle.len() - 1));
            assert!(error.unwrap_err().is_too_large(), "{encodings:?}");
        }
    }
}

/// Each layer of gzip multiplies by a thousand: 30 MB of zeros in 3 kB, then 100 bytes of that.
#[test]
fn nested_bombs_are_refused_where_they_grow() {
    let pool = BufferPool::new();
    let mut bomb = codecs::gzip(&vec![0; 30 << 20]);
    let mut encodings = Encodings::new(Encoding::Gzip);
    for _ in 0..3 {
        let limits = BodyLimits::new().with_max_decompressed_bytes(1 << 20).with_max_ratio(5_000);
        let error = pool.decompress(&bomb, encodings, &limits).unwrap_err();
        assert!(error.is_too_large(), "{error}");
        bomb = codecs::gzip(&bomb);
        encodings = encodings.and(Encoding::Gzip).unwrap();
    }
    // Together they pass the ratio, whatever each of them does.
    let limits = BodyLimits::new().with_max_ratio(2_000);
    assert!(pool.decompress(&bomb, encodings, &limits).unwrap_err().is_too_large());
}

#[test]
fn a_fault_names_its_layer() {
    let pool = BufferPool::new();
    for inner in codecs::ALL {
        let mut middle = codecs::encode(inner, &Random(42).text(500));
        middle.truncate(middle.len() - 2);
        for outer in codecs::ALL {
            let encodings = Encodings::new(inner).and(outer).unwrap();
            let sent = codecs::encode(outer, &middle);
            let result = ways::read(&pool, &sent, encodings, &BodyLimits::new());
            assert_eq!(fault(result).0, inner);
            let cut = ways::read(&pool, &sent[..sent.len() - 2], encodings, &BodyLimits::new());
            assert_eq!(fault(cut).0, outer);
        }
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}

#[test]
fn an_empty_body_is_empty_in_all_layers() {
    let pool = BufferPool::new();
    for encoding in codecs::ALL.into_iter().chain([Encoding::Unstated]) {
        assert!(ways::read(&pool, b"", encoding, &BodyLimits::new()).unwrap().is_empty());
        let both = Encodings::new(encoding).and(Encoding::Gzip).unwrap();
        assert!(ways::read(&pool, b"", both, &BodyLimits::new()).unwrap().is_empty());
        let sent = codecs::gzip(b"");
        assert!(ways::read(&pool, &sent, both, &BodyLimits::new()).unwrap().is_empty());
    }
}
