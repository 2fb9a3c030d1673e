//! What clients really sent: read as their headers say, cut short, and damaged.

use borrowire::body::{BodyLimits, BufferPool, Encoding, Encodings};
use borrowire::remote_write::v1::WriteRequest;

use super::ways;
use crate::support::codecs;
use crate::support::fixtures::{self, Fixture};

/// The bodies that are compressed.
fn compressed() -> impl Iterator<Item = (&'static Fixture, Encoding)> {
    fixtures::all().iter().filter_map(|fixture| Some((fixture, fixture.golden().compression()?)))
}

/// Every place in a small body, and some in a large one.
fn places(sent: &[u8]) -> impl Iterator<Item = usize> + use<> {
    let step = if sent.len() < 800 { 1 } else { sent.len() / 61 };
    (0..sent.len()).step_by(step)
}

#[test]
fn every_way_reads_what_the_client_compressed() {
    let pool = BufferPool::new();
    let mut seen = [0; codecs::ALL.len() + 1];
    for fixture in fixtures::all() {
        let Fixture { name, sent, .. } = fixture;
        let compression = fixture.golden().compression();
        let expected = match compression {
            Some(encoding) => codecs::decode(encoding, sent).expect(name),
            None => sent.clone(),
        };
        assert_eq!(expected.len(), fixture.golden().decoded_bytes(), "{name}");
        let read = ways::read(&pool, sent, fixture.encodings, &BodyLimits::new()).expect(name);
        assert!(read == expected, "{name}");
        let index = codecs::ALL.iter().position(|encoding| Some(*encoding) == compression);
        seen[index.unwrap_or(codecs::ALL.len())] += 1;
    }
    // But for lz4, which no client of these can send.
    let used = seen.iter().zip(codecs::ALL).filter(|(_, encoding)| *encoding != Encoding::Lz4);
    assert!(used.clone().count() == 5 && used.clone().all(|(bodies, _)| *bodies > 0), "{seen:?}");
    assert!(seen[codecs::ALL.len()] > 0, "some client uses none: {seen:?}");
    assert_eq!(pool.statistics().outstanding(), 0);
}

#[test]
fn the_limit_may_be_the_very_size() {
    let pool = BufferPool::new();
    for Fixture { name, sent, encodings, body, .. } in fixtures::all() {
        let limits = BodyLimits::new().with_max_compressed_bytes(sent.len());
        let exact = limits.with_max_decompressed_bytes(body.len());
        pool.decompress(sent, *encodings, &exact).expect(name);
        let over = limits.with_max_decompressed_bytes(body.len() - 1);
        assert!(pool.decompress(sent, *encodings, &over).unwrap_err().is_too_large(), "{name}");
        let over = exact.with_max_compressed_bytes(sent.len() - 1);
        assert!(pool.decompress(sent, *encodings, &over).unwrap_err().is_too_large(), "{name}");
    }
}

#[test]
fn every_prefix_is_refused() {
    let pool = BufferPool::new();
    let limits = BodyLimits::new();
    for (Fixture { name, sent, encodings, .. }, encoding) in compressed() {
        for len in places(sent).skip(1) {
            let prefix = &sent[..len];
            // All ways are slow to try, and agree.
            let read = match len % 8 {
                0 if len < 800 => ways::read(&pool, prefix, *encodings, &limits),
                _ => pool.decompress(prefix, *encodings, &limits).map(|body| body.to_vec()),
            };
            let body = match read {
                Ok(body) => body,
                Err(error) => {
                    assert!(error.is_malformed(), "{name}, {len} bytes: {error}");
                    continue;
                }
            };
            match *encodings {
                // A stream of snappy has no end of its own: it may end behind any chunk.
                _ if encoding == Encoding::SnappyFramed => {
                    assert_eq!(body, codecs::decode(encoding, prefix).expect(name));
                }
                // What does not look like a block is taken as it is, and must not pass for a message.
                unstated if unstated == Encodings::from(Encoding::Unstated) => {
                    assert_eq!(body, prefix, "{name}, {len} bytes");
                    if let Ok(request) = WriteRequest::decode(&body) {
                        assert!(request.has_unknown_fields(), "{name}, {len} bytes");
                        assert!(request.timeseries().is_empty(), "{name}, {len} bytes");
                    }
                }
                _ => panic!("{name}: {len} bytes of {} pass", sent.len()),
            }
        }
    }
}

#[test]
fn a_damaged_byte_is_refused_or_changes_bytes_within_the_limits() {
    let pool = BufferPool::new();
    for (Fixture { name, sent, encodings, .. }, encoding) in compressed() {
        let original = codecs::decode(encoding, sent).expect(name);
        let limits = BodyLimits::new().with_max_decompressed_bytes(original.len() + 10);
        let damages = places(sent).flat_map(|i| [0x01, 0x08, 0x80].map(|flip| (i, flip)));
        for (place, flip) in damages {
            let mut damaged = sent.clone();
            damaged[place] ^= flip;
            let Ok(body) = pool.decompress(&damaged, *encodings, &limits) else { continue };
            assert!(body.len() <= original.len() + 10, "{name}: {place} ^ {flip:#x}");
            // A checksum finds all of it, but for fields of the header that mean nothing here.
            if matches!(encoding, Encoding::Gzip | Encoding::Deflate) {
                assert!(*body == *original, "{name}: {place} ^ {flip:#x}");
            }
        }
        let same = pool.decompress(sent, *encodings, &limits).expect(name);
        assert!(*same == *original, "{name}: read again after damaged ones");
    }
    assert_eq!(pool.statistics().outstanding(), 0);
}
