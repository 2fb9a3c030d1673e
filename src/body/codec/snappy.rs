//! Snappy: single blocks, and the stream format.
//!
//! ```text
//! block:  varint of the decompressed length, then elements: literals and copies
//! stream: ff 06 00 00 "sNaPpY", then chunks with a type, a length and a checksum
//! ```

use std::io::{self, Read};

use snap::raw::{Decoder, Encoder, max_compress_len};

use super::idle::Codecs;
use super::output::Output;
use super::sink::Sink;
use crate::body::encoding::{Encoding, SNAPPY_FRAMED as STREAM_IDENTIFIER};
use crate::body::error::{BodyError, MalformedKind};
use crate::body::limits::BodyLimits;
use crate::wire::split_varint;

/// A decompressed length of over 32 bits is none.
const MAX_BLOCK: u64 = 0xffff_ffff;

fn malformed(kind: MalformedKind) -> BodyError {
    BodyError::malformed(Encoding::Snappy, kind)
}

/// The decompressed length that a block declares, and its elements.
fn split_header(block: &[u8]) -> Option<(usize, &[u8])> {
    let (len, elements) = split_varint(block).ok()?;
    let header_len = block.len().saturating_sub(elements.len());
    if len > MAX_BLOCK || header_len > 5 {
        return None;
    }
    Some((usize::try_from(len).ok()?, elements))
}

/// Refuses a block by what its first bytes declare, as soon as they are there.
pub(super) fn check_header(block: &[u8], limits: &BodyLimits) -> Result<(), BodyError> {
    match split_header(block) {
        Some((len, _)) => check_len(len, limits.max_decompressed_bytes),
        None if block.len() >= 10 => Err(header_error(block)),
        // The header may not be whole yet.
        None => Ok(()),
    }
}

/// Refuses a length over the limit. The ratio is known only at the end.
const fn check_len(len: usize, limit: usize) -> Result<(), BodyError> {
    if len > limit {
        return Err(BodyError::DecompressedTooLarge { limit });
    }
    Ok(())
}

/// The length that a block declares, if it can be right.
pub(super) fn declared_len(block: &[u8]) -> usize {
    let declared = split_header(block).filter(|&(len, elements)| len <= max_yield(elements.len()));
    declared.map_or(0, |(len, _)| len)
}

fn header_error(block: &[u8]) -> BodyError {
    malformed(if block.starts_with(STREAM_IDENTIFIER) {
        MalformedKind::FramedNotBlock
    } else if block.len() < 5 && block.iter().all(|byte| *byte >= 0x80) {
        MalformedKind::Truncated
    } else {
        MalformedKind::Corrupt
    })
}

/// The most that elements of `len` bytes can yield: 64 bytes for each 3 (a copy with a two-byte
/// offset).
fn max_yield(len: usize) -> usize {
    len.saturating_mul(64).div_ceil(3)
}

pub(super) fn decompress_block(block: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
    // A stream passes for a block of 895 bytes at first sight.
    if block.starts_with(STREAM_IDENTIFIER) {
        return Err(malformed(MalformedKind::FramedNotBlock));
    }
    let Some((len, elements)) = split_header(block) else {
        return Err(header_error(block));
    };
    check_len(len, output.max_bytes())?;
    if len > max_yield(elements.len()) {
        return Err(malformed(MalformedKind::Truncated));
    }
    output.check(len)?;
    match Decoder::new().decompress(block, output.room_for(len)) {
        Ok(written) if written == len => output.advance(len),
        _ => Err(malformed(MalformedKind::Corrupt)),
    }
}

/// Whether `bytes` have the shape of a block, by its header and first element alone, so that a
/// damaged block has it, too.
///
/// A block that declares `n` bytes is at most `32 + n + n / 6` long and at least `3 / 64 n`, and
/// starts with a literal that fits.
pub(super) fn looks_like_a_block(bytes: &[u8]) -> bool {
    let Some((len, elements)) = split_header(bytes) else {
        return false;
    };
    let max_len = len.saturating_add(len / 6).saturating_add(32);
    if elements.len() > max_len || len > max_yield(elements.len()) {
        return false;
    }
    match *elements {
        [] => len == 0,
        [tag, ref rest @ ..] => {
            // The low two bits 0: a literal; the others its length less one, up to 60 bytes.
            let literal = usize::from(tag >> 2).saturating_add(1);
            tag & 3 == 0 && (literal > 60 || (literal <= len && literal <= rest.len()))
        }
    }
}

/// Whether `block` is whole: its elements copy only what is there, and yield exactly the length
/// that it declares.
pub(crate) fn is_whole_block(block: &[u8]) -> bool {
    let Some((len, mut elements)) = split_header(block) else {
        return false;
    };
    let mut yielded = 0_usize;
    while let Some((element, rest)) = split_element(elements, yielded) {
        yielded = yielded.saturating_add(element);
        if yielded > len {
            return false;
        }
        elements = rest;
    }
    elements.is_empty() && yielded == len
}

/// How many bytes the element at the front of `elements` yields, and the elements behind it; `None`
/// at the end, or if it is no element behind `yielded` bytes.
///
/// ```text
/// literal  n - 1 << 2, n up to 60           n bytes
///          59 + k << 2, n - 1 in k bytes    n bytes
/// copy     offset high 3, n - 4 in 3, 01    offset low 8
///          n - 1 << 2 | 10                  offset in 2 bytes
///          n - 1 << 2 | 11                  offset in 4 bytes
/// ```
fn split_element(elements: &[u8], yielded: usize) -> Option<(usize, &[u8])> {
    let (&tag, rest) = elements.split_first()?;
    let high = usize::from(tag >> 2);
    let copy_bytes = match tag & 3 {
        0 => {
            let len_bytes = high.saturating_sub(59);
            let (number, rest) = split_number(rest, len_bytes)?;
            let len = if len_bytes == 0 { high } else { number }.checked_add(1)?;
            let (_, rest) = rest.split_at_checked(len)?;
            return Some((len, rest));
        }
        1 => 1,
        2 => 2,
        _ => 4,
    };
    let (low, rest) = split_number(rest, copy_bytes)?;
    let (offset, len) = match copy_bytes {
        1 => (usize::from(tag >> 5) << 8 | low, (high & 7).saturating_add(4)),
        _ => (low, high.saturating_add(1)),
    };
    (1..=yielded).contains(&offset).then_some((len, rest))
}

/// The number in the first `len` bytes of `bytes`, the low ones first, and the bytes behind it.
fn split_number(bytes: &[u8], len: usize) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_at_checked(len)?;
    Some((number.iter().rev().fold(0, |number, &byte| number << 8 | usize::from(byte)), rest))
}

pub(super) fn decompress_framed(stream: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
    let malformed = |kind| BodyError::malformed(Encoding::SnappyFramed, kind);
    if !stream.starts_with(STREAM_IDENTIFIER) {
        return Err(malformed(MalformedKind::Corrupt));
    }
    let mut decoder = snap::read::FrameDecoder::new(stream);
    loop {
        match decoder.read(output.room()) {
            Ok(0) => return Ok(()),
            Ok(len) => output.advance(len)?,
            Err(error) => return Err(malformed(framed_kind(&error))),
        }
    }
}

fn framed_kind(error: &io::Error) -> MalformedKind {
    let source = error.get_ref().and_then(|source| source.downcast_ref::<snap::Error>());
    match source {
        Some(snap::Error::Checksum { .. }) => MalformedKind::Checksum,
        _ if error.kind() == io::ErrorKind::UnexpectedEof => MalformedKind::Truncated,
        _ => MalformedKind::Corrupt,
    }
}

/// The most bytes that a block of `len` bytes takes; `None` if they are over 4 GiB.
pub(super) fn max_compressed_len(len: usize) -> Option<usize> {
    Some(max_compress_len(len)).filter(|&most| most > 0)
}

/// Writes `bytes` as a block; `None` if they are over 4 GiB.
pub(super) fn compress_block(bytes: &[u8], codecs: &Codecs, out: &mut impl Sink) -> Option<()> {
    /// What an encoder holds: its table.
    const ENCODER_BYTES: usize = 40 << 10;
    let most = max_compressed_len(bytes.len())?;
    let mut encoder = codecs.snappy_encoder.take().unwrap_or_else(Encoder::new);
    let written = encoder.compress(bytes, out.room_for(most));
    codecs.snappy_encoder.give_back(encoder, ENCODER_BYTES);
    out.advance(written.ok()?);
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{BodyLimits, BufferPool};
    use std::vec::Vec;

    /// Bytes of which more or fewer repeat.
    fn bytes(len: usize, alphabet: u32) -> Vec<u8> {
        let mut seed = 7_u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            u8::try_from(seed >> 24 & (alphabet - 1)).unwrap()
        };
        (0..len).map(|_| next()).collect()
    }

    #[test]
    fn a_block_is_whole_or_it_is_not() {
        for alphabet in [1, 2, 16, 256] {
            for len in (0..300).chain([4_096, 65_535, 65_536, 200_000]) {
                let block = Encoder::new().compress_vec(&bytes(len, alphabet)).unwrap();
                assert!(is_whole_block(&block) && looks_like_a_block(&block), "{len} {alphabet}");
                assert!(!is_whole_block(&[&block[..], b"\0"].concat()), "{len} {alphabet}");
                if len < 300 {
                    for cut in 0..block.len() {
                        assert!(!is_whole_block(&block[..cut]), "{len} {alphabet} {cut}");
                    }
                }
            }
        }
    }

    /// What is found whole is what the library decompresses.
    #[test]
    fn the_library_agrees_on_what_is_whole() {
        let mut random = bytes(400_000, 256).into_iter();
        for round in 0..20_000 {
            // Small lengths and tags, so that some of them are whole.
            let mut block: Vec<u8> = random.by_ref().take(2 + round % 12).collect();
            block[0] &= 15;
            for byte in &mut block[1..] {
                *byte &= if *byte & 0x80 == 0 { 0x07 } else { 0x1f };
            }
            let mut out = [0; 16];
            let len = usize::from(block[0]);
            let theirs = Decoder::new().decompress(&block, &mut out[..len]) == Ok(len);
            assert_eq!(is_whole_block(&block), theirs, "{block:x?}");
        }
    }

    fn fault(encoding: Encoding, sent: &[u8]) -> MalformedKind {
        match BufferPool::new().decompress(sent, encoding, &BodyLimits::new()) {
            Err(BodyError::Malformed { encoding: at, kind }) if at == encoding => kind,
            other => panic!("{other:?}"),
        }
    }

    /// Only where a chunk ends can a stream end.
    #[test]
    fn a_stream_that_is_cut_is_not_complete() {
        // A chunk of each kind: compressed, as it is, and one that is skipped.
        let compressed = bytes(3_000, 2);
        let as_it_is = bytes(500, 256);
        let mut stream = Vec::new();
        let mut ends = std::vec![STREAM_IDENTIFIER.len()];
        for content in [&compressed, &as_it_is] {
            let mut encoder = snap::write::FrameEncoder::new(Vec::new());
            io::Write::write_all(&mut encoder, content).unwrap();
            let whole = encoder.into_inner().unwrap();
            let from = if stream.is_empty() { 0 } else { STREAM_IDENTIFIER.len() };
            stream.extend_from_slice(&whole[from..]);
            ends.push(stream.len());
        }
        stream.extend_from_slice(b"\xfe\x03\0\0abc");
        ends.push(stream.len());
        let pool = BufferPool::new();
        for cut in 1..=stream.len() {
            let sent = &stream[..cut];
            if ends.contains(&cut) {
                assert!(pool.decompress(sent, Encoding::SnappyFramed, &BodyLimits::new()).is_ok());
                continue;
            }
            let expected = if cut < STREAM_IDENTIFIER.len() {
                MalformedKind::Corrupt
            } else {
                MalformedKind::Truncated
            };
            assert_eq!(fault(Encoding::SnappyFramed, sent), expected, "{cut} bytes");
        }
    }

    #[test]
    fn blocks_and_streams_are_not_taken_for_each_other() {
        let block = Encoder::new().compress_vec(&bytes(500, 16)).unwrap();
        assert_eq!(fault(Encoding::SnappyFramed, &block), MalformedKind::Corrupt);
        let stream = [STREAM_IDENTIFIER, b"\x01\x07\0\0\0\0\0\0abc"].concat();
        assert_eq!(fault(Encoding::Snappy, &stream), MalformedKind::FramedNotBlock);
    }
}
