//! Zstandard: frames, what their headers may ask for, and what may be between them.

use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, MalformedKind};

use super::ways::{self, fault, hex};
use crate::support::codecs::{self, Random};

fn read(sent: &[u8]) -> Result<Vec<u8>, BodyError> {
    ways::read(&BufferPool::new(), sent, Encoding::Zstd, &BodyLimits::new())
}

/// The fault, which is the same in whichever chunks the bytes arrive.
#[track_caller]
fn assert_fault(sent: &[u8], expected: MalformedKind) {
    assert_eq!(fault(read(sent)), (Encoding::Zstd, expected), "{:x?}", &sent[..sent.len().min(20)]);
    let pool = BufferPool::new();
    for len in [1, 3, 5, 17] {
        let result = ways::receive(&pool, sent, Encoding::Zstd.into(), &BodyLimits::new(), |_| len);
        assert_eq!(fault(result), (Encoding::Zstd, expected), "in chunks of {len}");
    }
}

/// A frame of one raw block, by hand: what the header says, and what there is.
fn frame(header: &str, bytes: &[u8]) -> Vec<u8> {
    let block = (bytes.len() as u32) << 3 | 1;
    [&hex("28b52ffd")[..], &hex(header), &block.to_le_bytes()[..3], bytes].concat()
}

#[test]
fn all_frames_are_read() {
    let (a, b) = ways::messages();
    let skippable = hex("5f2a4d1804000000736b6970");
    let sent = [
        codecs::zstd(&a),
        skippable.clone(),
        codecs::zstd(b""),
        codecs::zstd_of_unknown_size(&b),
        skippable.clone(),
    ];
    assert_eq!(read(&sent.concat()).unwrap(), [&a[..], &b].concat());
    assert_eq!(read(&skippable).unwrap(), b"");
    assert_eq!(read(&hex("502a4d1800000000")).unwrap(), b"");
    // The limit counts the sum of them.
    let limits = BodyLimits::new().with_max_decompressed_bytes(a.len() + b.len() - 1);
    let result = ways::read(&BufferPool::new(), &sent.concat(), Encoding::Zstd, &limits);
    assert!(result.unwrap_err().is_too_large());
}

#[test]
fn what_follows_must_be_a_frame() {
    let (a, _) = ways::messages();
    for content in [&a[..], b""] {
        let whole = codecs::zstd(content);
        for garbage in [&b"garbage!"[..], b"\0", b"\x28\xb5\x2f\xfe", b"\x28\xb6", b"\x50\x2a\x4e"]
        {
            assert_fault(&[&whole, garbage].concat(), MalformedKind::TrailingData);
        }
        for start in 1..whole.len() {
            assert_fault(&[&whole, &whole[..start]].concat(), MalformedKind::Truncated);
        }
    }
    assert_fault(&hex("502a4d1804000000736b69"), MalformedKind::Truncated);
}

#[test]
fn faults_are_told() {
    let (a, _) = ways::messages();
    let whole = codecs::zstd(&a);
    let mut wrong_checksum = whole.clone();
    *wrong_checksum.last_mut().unwrap() ^= 1;
    assert_fault(&wrong_checksum, MalformedKind::Checksum);
    let mut reserved = whole.clone();
    reserved[4] |= 8; // a flag of the descriptor that must be zero
    assert_fault(&reserved, MalformedKind::Corrupt);
    for sent in [&b" "[..], b"\0", b"\x0a\x00", b"\x1f\x8b\x08"] {
        assert_fault(sent, MalformedKind::Corrupt);
    }
    for len in 1..whole.len() {
        assert_fault(&whole[..len], MalformedKind::Truncated);
    }
    // A size that the content does not have; a dictionary that nobody has; a reserved kind of block.
    assert_fault(&frame("2006", b"hello"), MalformedKind::Corrupt);
    assert_fault(&frame("2004", b"hello"), MalformedKind::Corrupt);
    assert_fault(&frame("210705", b"hello"), MalformedKind::Corrupt);
    assert_fault(&hex("28b52ffd200507000068656c6c6f"), MalformedKind::Corrupt);
    // A declared size, and an empty last block behind less than that.
    let mut two_blocks = frame("2006", b"hello");
    two_blocks[6] &= !1; // not the last
    two_blocks.extend_from_slice(b"\x01\0\0");
    assert_fault(&two_blocks, MalformedKind::Corrupt);
    assert_fault(&hex("28b52ffd203a010000"), MalformedKind::Corrupt);
    // The library and the format differ about an empty compressed block; neither may panic.
    let _ = read(&hex("28b52ffd20001500000000"));
}

#[test]
fn windows_are_limited_and_are_no_limit_of_content() {
    // 8 MiB is what every decoder should take; the frame holds five bytes.
    let window_8_mib = frame("0068", b"hello");
    assert_eq!(read(&window_8_mib).unwrap(), b"hello");
    let limits = BodyLimits::new().with_max_decompressed_bytes(5);
    let pool = BufferPool::new();
    assert_eq!(ways::read(&pool, &window_8_mib, Encoding::Zstd, &limits).unwrap(), b"hello");
    for header in ["0069", "0070", "00a8", "00ff"] {
        assert_fault(&frame(header, b"hello"), MalformedKind::WindowTooLarge);
    }
    // A single segment is its own window, and 2^23 bytes of it are fine.
    assert_fault(&frame("a001008000", b"hello"), MalformedKind::WindowTooLarge);
    assert_fault(&frame("a000008000", b"hello"), MalformedKind::Corrupt);
    // Behind another frame, too.
    let (a, _) = ways::messages();
    let second = [codecs::zstd(&a), frame("00a8", b"hello")].concat();
    assert_fault(&second, MalformedKind::WindowTooLarge);
}

#[test]
fn declared_sizes_are_refused_in_any_frame_and_in_any_chunks() {
    let (a, _) = ways::messages();
    let pool = BufferPool::new();
    let limits = BodyLimits::new().with_max_decompressed_bytes(1 << 20);
    // In two, four and eight bytes; one byte and two bytes of 255 and 256 are within the limit.
    for (header, large) in [
        ("20ff", false),
        ("600000", false),
        ("a001001000", true),
        ("80680100100000", true),
        ("e0ffffffffffffffff", true),
        ("e00100000001000000", true),
    ] {
        for before in [Vec::new(), codecs::zstd(&a)] {
            let sent = [before, hex("28b52ffd"), hex(header)].concat();
            let error = ways::read(&pool, &sent, Encoding::Zstd, &limits).unwrap_err();
            assert_eq!(error.is_too_large(), large, "{header}: {error}");
        }
    }
}

#[test]
fn every_window_and_size_of_real_frames_is_read() {
    let bytes = Random(35).text(300_000);
    for level in [-5, 1, 3, 9, 19] {
        for len in [0, 1, 255, 256, 65_791, 65_792, 300_000] {
            let bytes = &bytes[..len];
            let sent = ::zstd::bulk::compress(bytes, level).unwrap();
            assert!(read(&sent).unwrap() == bytes, "{len} bytes at level {level}");
            let sent = ::zstd::stream::encode_all(bytes, level).unwrap();
            assert!(read(&sent).unwrap() == bytes, "{len} bytes at level {level}, size unknown");
        }
    }
}
