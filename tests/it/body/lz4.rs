//! LZ4: frames, what their headers may say, and what may be between them.

use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, MalformedKind};
use lz4_flex::frame::{BlockMode, BlockSize, FrameInfo};

use super::ways::{self, fault, hex};
use crate::support::codecs::{self, Random};

fn read(sent: &[u8]) -> Result<Vec<u8>, BodyError> {
    ways::read(&BufferPool::new(), sent, Encoding::Lz4, &BodyLimits::new())
}

#[track_caller]
fn assert_fault(sent: &[u8], expected: MalformedKind) {
    assert_eq!(fault(read(sent)), (Encoding::Lz4, expected), "{:x?}", &sent[..sent.len().min(20)]);
}

/// A frame by hand: flags, the size of blocks, and what follows the header.
fn frame(flags: u8, block_size: u8, fields: &[u8], rest: &[u8]) -> Vec<u8> {
    let descriptor = [&[flags, block_size], fields].concat();
    let checksum = (xxh32(&descriptor) >> 8) as u8;
    [&hex("04224d18")[..], &descriptor, &[checksum], rest].concat()
}

/// XXH32 of less than 16 bytes, with seed 0.
fn xxh32(bytes: &[u8]) -> u32 {
    const PRIMES: [u32; 5] = [2654435761, 2246822519, 3266489917, 668265263, 374761393];
    let [p1, p2, p3, p4, p5] = PRIMES;
    assert!(bytes.len() < 16);
    let mut hash = p5.wrapping_add(bytes.len() as u32);
    let mut words = bytes.chunks_exact(4);
    for word in &mut words {
        let word = u32::from_le_bytes(word.try_into().unwrap());
        hash = hash.wrapping_add(word.wrapping_mul(p3)).rotate_left(17).wrapping_mul(p4);
    }
    for &byte in words.remainder() {
        hash = hash.wrapping_add(u32::from(byte).wrapping_mul(p5)).rotate_left(11);
        hash = hash.wrapping_mul(p1);
    }
    hash = (hash ^ hash >> 15).wrapping_mul(p2);
    hash = (hash ^ hash >> 13).wrapping_mul(p3);
    hash ^ hash >> 16
}

/// A block that is not compressed.
fn stored(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32 | 1 << 31).to_le_bytes()[..], bytes].concat()
}

fn block(bytes: &[u8]) -> Vec<u8> {
    [&(bytes.len() as u32).to_le_bytes()[..], bytes].concat()
}

const END: [u8; 4] = [0; 4];

#[test]
fn frames_by_hand_are_read() {
    let content = b"hello hello hello hello\n";
    let sent = [stored(content), END.to_vec()].concat();
    for (flags, fields) in [(0x60, &b""[..]), (0x68, &24_u64.to_le_bytes()), (0x40, b"")] {
        assert_eq!(read(&frame(flags, 0x40, fields, &sent)).unwrap(), content);
    }
    // Literals `hello `, then a copy of 18 bytes from 6 back, then the literals of the end.
    let elements = [&b"\x6ehello "[..], b"\x06\x00", b"\x10\n"].concat();
    let sent = [block(&elements), END.to_vec()].concat();
    assert_eq!(read(&frame(0x60, 0x40, b"", &sent)).unwrap(), b"hello hello hello hello \n");
}

#[test]
fn every_kind_of_frame_is_read() {
    let bytes = [Random(61).text(300_000), vec![0; 200_000], Random(62).bytes(100_000)].concat();
    let sizes = [BlockSize::Max64KB, BlockSize::Max256KB, BlockSize::Max1MB, BlockSize::Max4MB];
    for size in sizes {
        for mode in [BlockMode::Independent, BlockMode::Linked] {
            for checksums in [false, true] {
                for len in [0, 1, 12, 65_535, 65_536, 65_537, 600_000] {
                    let bytes = &bytes[..len];
                    let info = FrameInfo::new()
                        .block_size(size)
                        .block_mode(mode)
                        .block_checksums(checksums)
                        .content_checksum(checksums)
                        .content_size(checksums.then_some(len as u64));
                    let sent = codecs::lz4(info.clone(), bytes);
                    assert!(read(&sent).unwrap() == bytes, "{len} bytes, {info:?}");
                }
            }
        }
    }
}

#[test]
fn all_frames_are_read() {
    let (a, b) = ways::messages();
    let skippable = hex("5f2a4d1804000000736b6970");
    let linked = codecs::lz4(FrameInfo::new().block_mode(BlockMode::Linked), &b);
    let sent = [
        codecs::encode(Encoding::Lz4, &a),
        skippable.clone(),
        codecs::encode(Encoding::Lz4, b""),
        linked,
        skippable.clone(),
    ];
    assert_eq!(read(&sent.concat()).unwrap(), [&a[..], &b].concat());
    assert_eq!(read(&skippable).unwrap(), b"");
    // The limit counts the sum of them.
    let limits = BodyLimits::new().with_max_decompressed_bytes(a.len() + b.len() - 1);
    let result = ways::read(&BufferPool::new(), &sent.concat(), Encoding::Lz4, &limits);
    assert!(result.unwrap_err().is_too_large());
}

#[test]
fn blocks_copy_from_their_frame_alone() {
    // A copy of four bytes from three back, where the frame has only two so far.
    let first = frame(0x40, 0x40, b"", &[stored(b"secret"), END.to_vec()].concat());
    for flags in [0x40, 0x60] {
        let copy = block(b"\x20ab\x03\x00\x00");
        let second = frame(flags, 0x40, b"", &[copy, END.to_vec()].concat());
        assert_fault(&[first.clone(), second].concat(), MalformedKind::Corrupt);
    }
    // From the block before: only where blocks are linked.
    let blocks = [stored(b"abc"), block(b"\x00\x03\x00\x10d"), END.to_vec()].concat();
    assert_eq!(read(&frame(0x40, 0x40, b"", &blocks)).unwrap(), b"abcabcad");
    assert_fault(&frame(0x60, 0x40, b"", &blocks), MalformedKind::Corrupt);
}

#[test]
fn what_follows_must_be_a_frame() {
    let (a, _) = ways::messages();
    for content in [&a[..], b""] {
        let whole = codecs::encode(Encoding::Lz4, content);
        for garbage in [&b"garbage!"[..], b"\0", b"\x04\x22\x4d\x19", b"\x04\x23", b"\x50\x2a\x4e"]
        {
            assert_fault(&[&whole, garbage].concat(), MalformedKind::TrailingData);
        }
        for start in 1..whole.len() {
            assert_fault(&[&whole, &whole[..start]].concat(), MalformedKind::Truncated);
            assert_fault(&whole[..start], MalformedKind::Truncated);
        }
    }
    assert_fault(&hex("502a4d1804000000736b69"), MalformedKind::Truncated);
}

#[test]
fn faults_are_told() {
    let (a, _) = ways::messages();
    let info = FrameInfo::new().block_checksums(true).content_checksum(true);
    let whole = codecs::lz4(info, &a);
    // The end of the content's checksum, of the block's, and of the header's.
    for at in [whole.len() - 1, whole.len() - 9, 6] {
        let mut wrong = whole.clone();
        wrong[at] ^= 1;
        assert_fault(&wrong, MalformedKind::Checksum);
    }
    let blocks = [stored(b"hello"), END.to_vec()].concat();
    assert_eq!(read(&frame(0x60, 0x40, b"", &blocks)).unwrap(), b"hello");
    // Other versions, a reserved flag, a dictionary, reserved sizes.
    for (flags, size) in
        [(0x20, 0x40), (0xa0, 0x40), (0x62, 0x40), (0x60, 0x30), (0x60, 0x80), (0x60, 0x41)]
    {
        assert_fault(&frame(flags, size, b"", &blocks), MalformedKind::Corrupt);
    }
    assert_fault(&frame(0x61, 0x40, &[1, 0, 0, 0], &blocks), MalformedKind::Corrupt);
    // A size that the content does not have.
    for size in [0_u64, 4, 6] {
        let sent = frame(0x68, 0x40, &size.to_le_bytes(), &blocks);
        assert_fault(&sent, MalformedKind::Corrupt);
    }
    // A block over the frame's own size, compressed and not; a copy from nowhere, or of nothing.
    let large = [stored(&vec![7; (64 << 10) + 1]), END.to_vec()].concat();
    assert_fault(&frame(0x60, 0x40, b"", &large), MalformedKind::Corrupt);
    let zeros = [&b"\x1f\0\x01\0"[..], &[255; 300], b"\0\x00"].concat();
    let large = [block(&zeros), END.to_vec()].concat();
    assert_fault(&frame(0x60, 0x40, b"", &large), MalformedKind::Corrupt);
    assert_eq!(read(&frame(0x60, 0x50, b"", &large)).unwrap().len(), 20 + 300 * 255);
    for elements in [&b"\x10a\x02\0\x00"[..], b"\x10a\0\0\x00", b"\x50abc", b""] {
        let sent = frame(0x60, 0x40, b"", &[block(elements), END.to_vec()].concat());
        if elements.is_empty() {
            // An empty block is the end of the frame, and what follows is no frame.
            assert_fault(&sent, MalformedKind::TrailingData);
        } else {
            assert_fault(&sent, MalformedKind::Corrupt);
        }
    }
    for sent in [&b" "[..], b"\0", b"\x0a\x00", b"\x1f\x8b\x08", b"\x02\x21\x4c\x18"] {
        assert_fault(sent, MalformedKind::Corrupt);
    }
}

#[test]
fn declared_sizes_are_refused_in_any_frame() {
    let (a, _) = ways::messages();
    let pool = BufferPool::new();
    let limits = BodyLimits::new().with_max_decompressed_bytes(1 << 20);
    for (size, large) in
        [(5, false), (1 << 19, false), ((1 << 20) + 1, true), (1 << 40, true), (u64::MAX, true)]
    {
        for before in [Vec::new(), codecs::encode(Encoding::Lz4, &a)] {
            let blocks = [stored(b"hello"), END.to_vec()].concat();
            let header = frame(0x68, 0x70, &size.to_le_bytes(), b"");
            // In the first frame it is refused before the rest is there.
            if before.is_empty() {
                let mut receiver = pool.receive(Encoding::Lz4, &limits, None).unwrap();
                assert_eq!(receiver.push(&header).is_err(), large, "{size}");
            }
            let sent = [before, header, blocks].concat();
            let result = ways::read(&pool, &sent, Encoding::Lz4, &limits);
            assert_eq!(result.is_ok(), size == 5, "{size}");
            assert!(result.is_ok() || result.unwrap_err().is_too_large() == large, "{size}");
        }
    }
}

/// What is written has the size of its content, a checksum, and blocks as large as they need to be.
#[test]
fn frames_are_written_for_readers_that_allocate() {
    let pool = BufferPool::new();
    for (len, size) in [(0, 0x40), (65_536, 0x40), (65_537, 0x50), (1 << 20, 0x60), (5 << 20, 0x70)]
    {
        let bytes = Random(63).text(len);
        let sent = pool.compress(&bytes, Encoding::Lz4).unwrap();
        assert_eq!(sent[..4], hex("04224d18")[..]);
        assert_eq!((sent[4], sent[5]), (0x6c, size), "{len} bytes");
        assert_eq!(sent[6..14], (len as u64).to_le_bytes());
        assert!(codecs::decode(Encoding::Lz4, &sent).unwrap() == bytes);
        assert!(len == 0 || sent.len() < len);
    }
}
