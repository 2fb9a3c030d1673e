//! Frames: layouts byte for byte, sizes at which lengths change their width, and bytes that are no frames.
//! The expected bytes are put together here, not by the crate's writer.

use borrowire::Encode;
use borrowire::cache::frame::{
    BigCacheBlock, BigCacheEntry, CacheEntry, Frame, FrameError, FrameErrorKind,
};
use borrowire::wire::{BufferFull, Writer};
use proptest::prelude::*;

/// Bit by bit, from the polynomial: slow, and not the library's.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |crc: u32| if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 };
    let byte = |crc: u32, byte: &u8| (0..8).fold(crc ^ u32::from(*byte), |crc, _| step(crc));
    !bytes.iter().fold(!0, byte)
}

fn entry_bytes(timestamp: u64, hash: u64, key: &[u8], value: &[u8]) -> Vec<u8> {
    let lengths = [key.len() as u32, value.len() as u32].map(u32::to_le_bytes).concat();
    [&timestamp.to_le_bytes(), &hash.to_le_bytes(), &lengths[..], key, value].concat()
}

fn frame_bytes(timestamp: u64, hash: u64, key: &[u8], value: &[u8]) -> Vec<u8> {
    let entry = entry_bytes(timestamp, hash, key, value);
    [&[1, 0, 0, 0], &crc32(&entry).to_le_bytes()[..], &entry].concat()
}

fn bigcache_bytes(timestamp: u64, hash: u64, key_len: u16, rest: &[u8]) -> Vec<u8> {
    [&timestamp.to_le_bytes(), &hash.to_le_bytes(), &key_len.to_le_bytes()[..], rest].concat()
}

fn error<T: std::fmt::Debug>(result: Result<T, FrameError>) -> (FrameErrorKind, usize) {
    let error = result.unwrap_err();
    (error.kind(), error.offset())
}

/// Key and value as any reader of the three layouts finds them.
fn assert_reads(key: &[u8], value: &[u8]) {
    let bytes = entry_bytes(1, 2, key, value);
    let written = CacheEntry::new(1, 2, key, value);
    assert_eq!((written.encoded_len(), &written.encode_to_vec().unwrap()), (bytes.len(), &bytes));
    assert!(CacheEntry::decode(&bytes) == Ok(written), "entry, {} and {}", key.len(), value.len());

    let bytes = frame_bytes(1, 2, key, value);
    let frame = Frame::new(written);
    assert_eq!((frame.encoded_len(), &frame.encode_to_vec().unwrap()), (bytes.len(), &bytes));
    assert!(Frame::decode(&bytes).unwrap().entry() == written, "frame, {}", key.len());
}

#[test]
fn bigcache_entries_are_its_own_byte_for_byte() {
    // What BigCache 3 wrote.
    let bytes = b"\x00\xf1\x53\x65\0\0\0\0\xec\x10\x5b\x36\x19\x4a\xc9\x3d\x03\x00keyval";
    let (timestamp, hash) = (1_700_000_000, 0x3dc9_4a19_365b_10ec);
    let entry = BigCacheEntry::new(timestamp, hash, b"key", b"val").unwrap();
    assert_eq!(entry.encode_to_vec().unwrap(), bytes);
    let read = BigCacheEntry::decode(bytes).unwrap();
    assert_eq!((read.timestamp(), read.hash()), (timestamp, hash));
    assert_eq!((read.key(), read.value()), (&b"key"[..], &b"val"[..]));

    let block = [&[25], &bytes[..]].concat();
    assert_eq!(BigCacheBlock::new(entry).encode_to_vec().unwrap(), block);
    let (read, rest) = BigCacheBlock::split(&block).unwrap();
    assert_eq!((read.content(), rest), (&bytes[..], &[][..]));
}

#[test]
fn lengths_of_any_width_keep_key_and_value_apart() {
    let key = vec![b'k'; 131_072];
    for len in [0, 1, 65_516, 65_517, 65_518, 65_519, 65_535, 65_536, 65_537, 65_541, 131_072] {
        for value in [&b"v"[..], b"", &key] {
            assert_reads(&key[..len], value);
        }
    }
}

#[test]
fn bigcache_keys_end_where_its_arithmetic_does() {
    let key = vec![b'k'; 131_072];
    for len in [0, 1, 65_516, 65_517] {
        let entry = BigCacheEntry::new(1, 2, &key[..len], &b"v"[..]).unwrap();
        let bytes = bigcache_bytes(1, 2, len as u16, &[&key[..len], b"v"].concat());
        assert_eq!(entry.encode_to_vec().unwrap(), bytes, "{len}");
        let read = BigCacheEntry::decode(&bytes).unwrap();
        assert_eq!((read.key().len(), read.value()), (len, &b"v"[..]));
    }
    for len in (65_518..=65_540).chain([65_541, 131_072]) {
        let result = BigCacheEntry::new(1, 2, &key[..len], b"v");
        assert_eq!(error(result), (FrameErrorKind::KeyTooLong, 16), "{len}");
    }
    // 18 + length is 0 to 17 in 16 bits: BigCache would return header and key as the value.
    for len in 65_518..=u16::MAX {
        let bytes = bigcache_bytes(1, 2, len, &key[..65_536]);
        assert_eq!(error(BigCacheEntry::decode(&bytes)), (FrameErrorKind::KeyTooLong, 16), "{len}");
    }
}

/// A length that counts itself: each size of content has one form, and all are read.
#[test]
fn blocks_of_every_size_are_read() {
    let content = vec![7; (1 << 21) + 16];
    let mut out = vec![0; content.len() + 8];
    let mut before = 0;
    for len in (0..=20_000).chain((1 << 21) - 10..=(1 << 21) + 10) {
        let content = &content[..len];
        let block = BigCacheBlock::new(content);
        let written = block.encode(&mut out).unwrap();
        assert_eq!(written, block.encoded_len());
        assert!(written > before || len == (1 << 21) - 10, "{len}: longer content, longer block");
        before = written;
        let (read, rest) = BigCacheBlock::split(&out[..written + 3]).unwrap();
        assert_eq!((read.content() == content, rest.len()), (true, 3), "{len}");
        // The header as BigCache chooses it, from the length of the content.
        let header = match len {
            0..127 => 1,
            127..16_382 => 2,
            16_382..2_097_149 => 3,
            _ => 4,
        };
        assert_eq!(written, len + header, "{len}");
    }
}

#[test]
fn bytes_that_are_no_block_are_errors() {
    use FrameErrorKind::{InvalidLength, Truncated};
    for (bytes, kind) in [
        (&[][..], Truncated),
        (&[0], InvalidLength), // counts less than itself
        (&[0x80, 0], InvalidLength),
        (&[0x81, 0], InvalidLength),
        (&[2], Truncated),
        (&[3, 1], Truncated),
        (&[0x80], Truncated),
        (&[0xff; 9], Truncated),
        (&[0xff; 10], InvalidLength),
        (&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1], Truncated),
    ] {
        assert_eq!(error(BigCacheBlock::split(bytes)), (kind, 0), "{bytes:?}");
    }
    assert_eq!(BigCacheBlock::split(&[1]), Ok((BigCacheBlock::new(&[][..]), &[][..])));
    assert_eq!(BigCacheBlock::split(&[2, 9, 8]), Ok((BigCacheBlock::new(&[9][..]), &[8][..])));
}

#[test]
fn a_frame_that_is_cut_or_longer_is_an_error() {
    let bytes = frame_bytes(3, 4, b"key", b"value");
    let start = b"\x01\0\0\0";
    assert_eq!(&bytes[..4], start);
    for end in 0..bytes.len() {
        let (kind, offset) = error(Frame::decode(&bytes[..end]));
        let expected = match end {
            0..8 => 0,
            8..32 => 8,
            32..35 => 24, // the length of the key says more
            _ => 28,
        };
        assert_eq!((kind, offset), (FrameErrorKind::Truncated, expected), "{end}");
        let entry = &bytes[8..];
        if end < entry.len() {
            assert_eq!(
                error(CacheEntry::decode(&entry[..end])).0,
                FrameErrorKind::Truncated,
                "{end}"
            );
        }
        let bigcache = bigcache_bytes(3, 4, 20, &[b'k'; 20]);
        if end < bigcache.len() {
            let result = BigCacheEntry::decode(&bigcache[..end]);
            let offset = if end < 18 { 0 } else { 16 };
            assert_eq!(error(result), (FrameErrorKind::Truncated, offset), "{end}");
        }
    }
    let more = [&bytes[..], b"x"].concat();
    assert_eq!(error(Frame::decode(&more)), (FrameErrorKind::TrailingData, bytes.len()));
    assert_eq!(
        error(CacheEntry::decode(&more[8..])),
        (FrameErrorKind::TrailingData, bytes.len() - 8)
    );
    let two = [&bytes[..], &frame_bytes(5, 6, b"", b"")].concat();
    let (first, rest) = Frame::split(&two).unwrap();
    let (second, rest) = (Frame::split(rest).unwrap().0.entry(), Frame::split(rest).unwrap().1);
    assert_eq!((first.entry().key, second.timestamp, rest.len()), (&b"key"[..], 5, 0));
}

#[test]
fn any_wrong_bit_of_a_frame_is_found() {
    let bytes = frame_bytes(3, 4, b"key", b"value");
    for bit in 0..bytes.len() * 8 {
        let mut bytes = bytes.clone();
        bytes[bit / 8] ^= 1 << (bit % 8);
        let (kind, _) = error(Frame::decode(&bytes));
        let expected = match bit / 8 {
            0..4 => kind == FrameErrorKind::UnknownVersion,
            // A wrong length leads elsewhere.
            24..32 => kind != FrameErrorKind::UnknownVersion,
            _ => kind == FrameErrorKind::Checksum,
        };
        assert!(expected, "bit {bit}: {kind}");
    }
    // Nor do zeros, or a frame at another place, pass.
    assert_eq!(error(Frame::decode(&[0; 64])).0, FrameErrorKind::UnknownVersion);
    assert_eq!(error(Frame::decode(&[0xff; 64])).0, FrameErrorKind::UnknownVersion);
}

#[test]
fn lengths_past_the_end_are_errors_and_nothing_is_allocated_for_them() {
    for (key_len, value_len, offset) in [
        (u32::MAX, 0, 16),
        (0, u32::MAX, 20),
        (u32::MAX, u32::MAX, 16),
        (8, 0, 16),
        (7, 1, 20),
        (0x8000_0000, 0x8000_0000, 16),
    ] {
        let mut bytes = entry_bytes(0, 0, b"", b"1234567");
        bytes[16..20].copy_from_slice(&u32::to_le_bytes(key_len));
        bytes[20..24].copy_from_slice(&u32::to_le_bytes(value_len));
        assert_eq!(error(CacheEntry::decode(&bytes)), (FrameErrorKind::Truncated, offset));
    }
}

/// Says one length and writes another.
struct Liar(usize, &'static [u8]);

impl Encode for Liar {
    fn encoded_len(&self) -> usize {
        self.0
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(self.1)
    }
}

#[test]
fn a_part_of_another_length_than_announced_never_shifts_the_boundary() {
    let parts = || [(Liar(2, b"abc"), Liar(3, b"de")), (Liar(3, b"ab"), Liar(2, b"cde"))];
    for (key, value) in parts() {
        assert!(CacheEntry::new(0, 0, key, value).encode(&mut [0; 64]).is_err());
    }
    for (key, value) in parts() {
        assert!(Frame::new(CacheEntry::new(0, 0, key, value)).encode(&mut [0; 64]).is_err());
    }
    for (key, value) in parts() {
        let entry = BigCacheEntry::new(0, 0, key, value).unwrap();
        assert!(entry.encode(&mut [0; 64]).is_err());
    }
    assert!(CacheEntry::new(0, 0, Liar(usize::MAX, b""), b"").encode(&mut [0; 64]).is_err());
    assert!(BigCacheEntry::new(0, 0, Liar(usize::MAX, b""), b"").is_err());
}

#[test]
fn debug_output_has_lengths_only() {
    let entry = CacheEntry::new(1, 2, b"secret", b"secret");
    let bigcache = BigCacheEntry::new(1, 2, b"secret", b"secret").unwrap();
    for text in [
        format!("{entry:?}"),
        format!("{:?}", Frame::new(entry)),
        format!("{bigcache:?}"),
        format!("{:?}", BigCacheBlock::new(b"secret")),
    ] {
        assert!(
            !text.contains("secret") && !text.contains("115") && text.contains("len: 6"),
            "{text}"
        );
    }
}

/// Any bytes, and frames of which some bytes are others: read or refused, within the bytes.
#[test]
fn a_million_damaged_frames_are_read_or_refused() {
    let mut state = 7_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
        (state >> 33) as usize % below
    };
    let whole = frame_bytes(3, 4, b"key", b"value");
    let mut bytes = whole.clone();
    for round in 0..1_000_000 {
        bytes.clone_from(&whole);
        bytes.truncate(bytes.len() - random(8));
        let changed = if round % 4 == 0 { bytes.len() } else { 1 + random(3) };
        for _ in 0..changed {
            let at = random(bytes.len());
            bytes[at] = random(256) as u8;
        }
        if let Ok(frame) = Frame::decode(&bytes) {
            assert!(frame.entry() == CacheEntry::decode(&whole[8..]).unwrap());
        }
        if let Ok((entry, rest)) = CacheEntry::split(&bytes[8..]) {
            assert_eq!(entry.encoded_len() + rest.len(), bytes.len() - 8);
        }
        if let Ok(entry) = BigCacheEntry::decode(&bytes) {
            assert_eq!(entry.encoded_len(), bytes.len());
        }
        if let Ok((block, rest)) = BigCacheBlock::split(&bytes) {
            assert!(block.content().len() + rest.len() < bytes.len());
        }
    }
}

proptest! {
    #[test]
    fn what_is_written_is_read(
        timestamp in any::<u64>(),
        hash in any::<u64>(),
        key in proptest::collection::vec(any::<u8>(), 0..300),
        value in proptest::collection::vec(any::<u8>(), 0..300),
    ) {
        let entry = CacheEntry::new(timestamp, hash, &key[..], &value[..]);
        prop_assert_eq!(entry.encode_to_vec().unwrap(), entry_bytes(timestamp, hash, &key, &value));
        let bytes = frame_bytes(timestamp, hash, &key, &value);
        prop_assert_eq!(Frame::decode(&bytes).unwrap().entry(), entry);
        prop_assert_eq!(&Frame::new(entry).encode_to_vec().unwrap(), &bytes);
        // Every slice that is too short is refused, and nothing is written behind one that is not.
        let mut out = vec![0xee; bytes.len() + 1];
        prop_assert_eq!(Frame::new(entry).encode(&mut out), Ok(bytes.len()));
        prop_assert_eq!(out[bytes.len()], 0xee);
        prop_assert!(Frame::new(entry).encode(&mut out[..bytes.len() - 1]).is_err());
    }
}
