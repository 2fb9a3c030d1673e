//! Gzip: members, their headers, and their checksums.

use std::io::Write;

use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, MalformedKind};

use super::ways::{self, fault};
use crate::support::codecs::{self, Random};

fn read(sent: &[u8]) -> Result<Vec<u8>, BodyError> {
    ways::read(&BufferPool::new(), sent, Encoding::Gzip, &BodyLimits::new())
}

#[track_caller]
fn assert_fault(sent: &[u8], expected: MalformedKind) {
    assert_eq!(fault(read(sent)), (Encoding::Gzip, expected));
}

#[test]
fn all_members_are_read() {
    let (a, b) = ways::messages();
    let both = [codecs::gzip(&a), codecs::gzip(&b)].concat();
    assert_eq!(read(&both).unwrap(), [&a[..], &b].concat());
    assert_eq!(read(&[codecs::gzip(&a), codecs::gzip(b"")].concat()).unwrap(), a);
    let many = codecs::gzip(&b).repeat(300);
    assert!(read(&many).unwrap() == b.repeat(300));
    // The limit counts the sum of them.
    let limits = BodyLimits::new().with_max_decompressed_bytes(a.len() + b.len() - 1);
    let pool = BufferPool::new();
    let result = ways::read(&pool, &both, Encoding::Gzip, &limits);
    assert!(result.unwrap_err().is_too_large());
}

#[test]
fn what_follows_must_be_a_member() {
    let (a, _) = ways::messages();
    let member = codecs::gzip(&a);
    for garbage in
        [&b"garbage!"[..], b"\0", b"\0\0\0\0\0\0\0\0", b"\n", b"\x1f\x8c", b"\x1f\x8b\x07"]
    {
        assert_fault(&[&member, garbage].concat(), MalformedKind::TrailingData);
    }
    // What may become one is cut short.
    for start in 1..member.len() {
        assert_fault(&[&member, &member[..start]].concat(), MalformedKind::Truncated);
    }
}

#[test]
fn checksum_and_length_are_checked() {
    let member = codecs::gzip(&Random(9).text(100_000));
    for place in 1..=8 {
        let mut damaged = member.clone();
        let len = damaged.len();
        damaged[len - place] ^= 0x40;
        assert_fault(&damaged, MalformedKind::Checksum);
    }
}

#[test]
fn garbage_is_no_gzip() {
    for sent in [&b" "[..], b"\0", b"\x0a\x00", b"\x1f\x8b\x09", b"\x78\x9c\x03\x00"] {
        assert_fault(sent, MalformedKind::Corrupt);
    }
    let (a, _) = ways::messages();
    let mut block = codecs::gzip(&a);
    block[10] = 0x07; // a block of the kind that there is not
    assert_fault(&block, MalformedKind::Corrupt);
}

/// A member with all that a header can have.
fn member(bytes: &[u8], flags: u8) -> Vec<u8> {
    let mut header = vec![0x1f, 0x8b, 8, flags, 1, 2, 3, 4, 0, 3];
    if flags & 4 != 0 {
        header.extend_from_slice(&[5, 1]);
        header.extend_from_slice(&[7; 256 + 5]);
    }
    if flags & 8 != 0 {
        header.extend_from_slice(b"a name\0");
    }
    if flags & 16 != 0 {
        header.extend_from_slice(b"a comment\0");
    }
    let mut crc = flate2::Crc::new();
    if flags & 2 != 0 {
        crc.update(&header);
        let crc = crc.sum() as u16;
        header.write_all(&crc.to_le_bytes()).unwrap();
    }
    let plain = codecs::gzip(bytes);
    header.extend_from_slice(&plain[10..]);
    header
}

#[test]
fn headers_may_have_fields() {
    let (a, _) = ways::messages();
    for flags in 0..32 {
        let sent = member(&a, flags);
        assert_eq!(codecs::decode(Encoding::Gzip, &sent).unwrap(), a, "{flags}");
        assert_eq!(read(&sent).unwrap(), a, "{flags}");
    }
    let sent = member(&a, 2 | 4 | 8 | 16);
    for len in 1..sent.len() {
        assert_fault(&sent[..len], MalformedKind::Truncated);
    }
    // The header has a checksum of its own; reserved flags may change what follows.
    for place in (4..295).filter(|place| ![10, 11].contains(place)) {
        let mut damaged = sent.clone();
        damaged[place] ^= 0x20;
        let (encoding, _) = fault(read(&damaged));
        assert_eq!(encoding, Encoding::Gzip, "{place}");
    }
    for flag in [0x20, 0x40, 0x80] {
        assert_fault(&member(&a, flag), MalformedKind::Corrupt);
    }
}
