//! `deflate`: zlib as the RFC has it, and the raw stream that many clients send.

use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, MalformedKind};

use super::ways::{self, fault, hex};
use crate::support::codecs::{self, Random};

fn read(sent: &[u8]) -> Result<Vec<u8>, BodyError> {
    ways::read(&BufferPool::new(), sent, Encoding::Deflate, &BodyLimits::new())
}

#[test]
fn both_forms_are_read() {
    for bytes in [ways::messages().0, Vec::new(), Random(4).bytes(70_000), vec![0; 70_000]] {
        assert!(read(&codecs::zlib(&bytes)).unwrap() == bytes);
        assert!(read(&codecs::raw_deflate(&bytes)).unwrap() == bytes);
    }
}

/// A stored block may begin with bytes that pass for a header of zlib.
#[test]
fn a_raw_stream_that_looks_like_zlib_is_read() {
    let stored = [&hex("789c0063ff")[..], &[0; 156], &hex("010000ffff")].concat();
    assert_eq!(read(&stored).unwrap(), [0; 156]);
}

/// And one zlib stream in 65,536 passes for a stored block.
#[test]
fn a_zlib_stream_that_looks_raw_is_read_as_zlib() {
    let bytes = Random(8).bytes(0xfefe);
    let mut adler = (1_u32, 0_u32);
    for byte in &bytes {
        adler.0 = (adler.0 + u32::from(*byte)) % 65_521;
        adler.1 = (adler.1 + adler.0) % 65_521;
    }
    let adler = (adler.1 << 16 | adler.0).to_be_bytes();
    let sent = [&hex("780101fefe0101")[..], &bytes, &adler].concat();
    assert!(read(&sent).unwrap() == bytes);

    // With a wrong checksum it is not tried as something else, even if it could be: the raw reading
    // is 257 bytes and an empty block.
    let mut twofold = sent;
    twofold[5 + 257..][..5].copy_from_slice(&hex("010000ffff"));
    twofold.truncate(5 + 257 + 5);
    assert!(read(&twofold).unwrap() == twofold[5..5 + 257], "cut short as zlib, whole as raw");
    twofold.resize(7 + 0xfefe + 4, 0);
    assert_eq!(fault(read(&twofold)), (Encoding::Deflate, MalformedKind::Checksum));
}

#[test]
fn faults_are_told() {
    let (a, _) = ways::messages();
    let (zlib, raw) = (codecs::zlib(&a), codecs::raw_deflate(&a));
    let mut wrong_checksum = zlib.clone();
    *wrong_checksum.last_mut().unwrap() += 1;
    for (sent, expected) in [
        (&wrong_checksum[..], MalformedKind::Checksum),
        (&[&zlib[..], b"x"].concat(), MalformedKind::TrailingData),
        (&[&raw[..], b"x"].concat(), MalformedKind::TrailingData),
        (&[&zlib[..], &zlib].concat(), MalformedKind::TrailingData),
        (b"\x78\x9c", MalformedKind::Truncated),
        (b"\x07", MalformedKind::Corrupt), // a block of the kind that there is not
        (b"\x78\xbb\0\0\0\x01", MalformedKind::Corrupt), // a dictionary that nobody has
    ] {
        assert_eq!(fault(read(sent)), (Encoding::Deflate, expected), "{sent:x?}");
    }
    assert!(read(b" ").unwrap_err().is_malformed());
    for sent in [zlib, raw] {
        for len in 1..sent.len() {
            assert!(read(&sent[..len]).unwrap_err().is_malformed(), "{len} bytes");
        }
    }
}
