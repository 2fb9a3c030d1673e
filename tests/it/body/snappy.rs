//! Snappy: blocks, and the stream format that is told from them.

use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, MalformedKind};

use super::ways::{self, fault, hex};
use crate::support::codecs::{self, Random};

const IDENTIFIER: &[u8] = b"\xff\x06\x00\x00sNaPpY";

fn read(sent: &[u8]) -> Result<Vec<u8>, BodyError> {
    ways::read(&BufferPool::new(), sent, Encoding::Snappy, &BodyLimits::new())
}

fn read_framed(sent: &[u8]) -> Result<Vec<u8>, BodyError> {
    ways::read(&BufferPool::new(), sent, Encoding::SnappyFramed, &BodyLimits::new())
}

/// A shorter output would show what lay in the buffer before.
#[test]
fn a_block_yields_what_it_declares() {
    assert_eq!(read(b"\x00").unwrap(), b"");
    assert_eq!(read(b"\x05\x10abcde").unwrap(), b"abcde");
    for (sent, expected) in [
        (&b"\x0a\x10abcde"[..], MalformedKind::Corrupt),
        (b"\x03\x10abcde", MalformedKind::Corrupt),
        (b"\x00\x00A", MalformedKind::Corrupt),
        (b" ", MalformedKind::Truncated),
        (b"\x80", MalformedKind::Truncated),
        (b"\xff\xff\xff\xff", MalformedKind::Truncated),
        (b"\xff\xff\xff\xff\xff", MalformedKind::Corrupt),
        (b"\x80\x80\x80\x80\x80\x00", MalformedKind::Corrupt),
        (b"\x80\x80\x80\x80\x10\x00", MalformedKind::Corrupt),
    ] {
        assert_eq!(fault(read(sent)), (Encoding::Snappy, expected), "{sent:x?}");
    }
}

#[test]
fn literals_and_copies_stay_inside() {
    for sent in [
        hex("640041fcffffffff"), // a literal of 2^32 bytes
        hex("640041fcfeffffff"), // and of one less
        hex("05f0ff6162"),       // a literal longer than the block
        hex("080061010261"),     // a copy from before the start
        hex("080061fe0000"),     // a copy from the place itself
        hex("08006103ffffffff"), // a copy from 4 GiB before
        hex("0400610d01"),       // a copy over the end
    ] {
        let (encoding, fault) = fault(read(&sent));
        assert_eq!(encoding, Encoding::Snappy, "{sent:x?}");
        assert!(
            matches!(fault, MalformedKind::Corrupt | MalformedKind::Truncated),
            "{sent:x?}: {fault}"
        );
    }
}

#[test]
fn a_length_that_cannot_be_is_refused() {
    // One byte of content cannot be 16 MiB; 63 bytes of copies are 21 times as many.
    assert_eq!(fault(read(&hex("808080080041"))).1, MalformedKind::Truncated);
    let best = [&hex("81140041")[..], &b"\xfe\x01\x00".repeat(40)].concat();
    assert_eq!(read(&best).unwrap(), [b'A'; 2561]);

    let limits = BodyLimits::new().with_max_decompressed_bytes(1 << 20);
    let pool = BufferPool::new();
    for declared in ["ffffffff0f", "808080807f", "8180c000"] {
        let result = ways::read(&pool, &hex(declared), Encoding::Snappy, &limits);
        let large = result.as_ref().is_err_and(BodyError::is_too_large);
        // Of over 32 bits it is no length at all.
        let corrupt = matches!(result, Err(BodyError::Malformed { .. }));
        assert!(if declared == "808080807f" { corrupt } else { large }, "{declared}: {result:?}");
    }
}

#[test]
fn a_stream_where_a_block_is_expected_is_told() {
    let framed = codecs::encode(Encoding::SnappyFramed, b"content");
    for (sent, name) in [
        (IDENTIFIER, "identifier alone"),
        (&[IDENTIFIER, b"\0\0\0\0"].concat(), "a chunk of no length"),
        (&[IDENTIFIER, b"\x01\x07\0\0\0\0\0\0abc"].concat(), "a chunk that is not compressed"),
        (&framed, "content"),
    ] {
        assert_eq!(fault(read(sent)), (Encoding::Snappy, MalformedKind::FramedNotBlock), "{name}");
    }
}

/// The length of one block in 128 has the first byte of a stream, that of one in 16,384 the second.
#[test]
fn blocks_that_begin_like_a_stream_are_blocks() {
    let mut random = Random(26);
    for k in 1..=40 {
        for bytes in [random.text(127 + 128 * k), vec![0; 127 + 128 * k]] {
            let sent = codecs::encode(Encoding::Snappy, &bytes);
            assert_eq!(sent[0], 0xff);
            assert!(read(&sent).unwrap() == bytes, "{}", bytes.len());
        }
    }
    let sent = codecs::encode(Encoding::Snappy, &[0; 895]);
    assert_eq!(sent[..2], IDENTIFIER[..2]);
}

/// What the sender does not state is told by its shape, and never by what happens to succeed.
#[test]
fn unstated_bodies_are_told_by_their_shape() {
    let pool = BufferPool::new();
    let read = |sent: &[u8]| ways::read(&pool, sent, Encoding::Unstated, &BodyLimits::new());
    let (message, _) = ways::messages();
    let block = codecs::encode(Encoding::Snappy, &message);
    assert_eq!(read(&message).unwrap(), message);
    assert_eq!(read(&block).unwrap(), message);
    assert_eq!(read(b"").unwrap(), b"");
    // Behind the first literal, which is what the shape is told by.
    let first = 2 + usize::from(block[1] >> 2) + 1;
    for len in first..block.len() {
        assert_eq!(fault(read(&block[..len])).0, Encoding::Snappy, "{len} bytes");
    }
    let mut damaged = block;
    damaged[1] -= 4; // the length of the literal
    assert_eq!(fault(read(&damaged)).0, Encoding::Snappy);
}

#[test]
fn named_encodings_are_not_guessed() {
    let (message, _) = ways::messages();
    let block = codecs::encode(Encoding::Snappy, &message);
    assert_eq!(fault(read(&block[..block.len() - 3])).0, Encoding::Snappy);
    // 78 9c begins a block of 15,480 bytes as well.
    let zlib = codecs::zlib(&message);
    assert_eq!(zlib[..2], [0x78, 0x9c]);
    assert_eq!(fault(read(&zlib)).0, Encoding::Snappy);
    let raw = [&b"\x0a\x00"[..], &message].concat();
    assert_eq!(fault(read(&raw)).0, Encoding::Snappy);
}

#[test]
fn streams_are_read_to_their_end() {
    let bytes = Random(5).text(200_000); // four chunks
    let sent = codecs::encode(Encoding::SnappyFramed, &bytes);
    assert!(read_framed(&sent).unwrap() == bytes);
    // Streams follow each other, and padding is skipped.
    let more = [&sent[..], &sent, b"\xfe\x03\0\0abc\x80\0\0\0"].concat();
    assert!(read_framed(&more).unwrap() == bytes.repeat(2));
    assert_eq!(read_framed(IDENTIFIER).unwrap(), b"");

    let mut damaged = sent.clone();
    damaged[14] ^= 1; // the first checksum
    let mut short = sent.clone();
    short.truncate(sent.len() - 1);
    for (sent, expected) in [
        (&sent[10..], MalformedKind::Corrupt), // without the identifier
        (&damaged, MalformedKind::Checksum),
        (&short, MalformedKind::Truncated),
        (&sent[..12], MalformedKind::Truncated), // in a chunk's header
        (&[IDENTIFIER, b"\x02\0\0\0"].concat(), MalformedKind::Corrupt), // a kind that must be known
        (&[IDENTIFIER, b"\0\0\0\0"].concat(), MalformedKind::Corrupt),   // no room for a checksum
        (&[IDENTIFIER, b"\x01\x03\0\0abc"].concat(), MalformedKind::Corrupt),
        (&[IDENTIFIER, b"\0\xff\xff\xff"].concat(), MalformedKind::Corrupt),
        (b" ", MalformedKind::Corrupt),
    ] {
        assert_eq!(fault(read_framed(sent)), (Encoding::SnappyFramed, expected));
    }
}
