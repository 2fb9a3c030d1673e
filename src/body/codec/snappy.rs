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
use crate::body::buffers::PooledBuffer;
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, MalformedKind};
use crate::body::limits::BodyLimits;
use crate::wire::split_varint;

/// What a stream begins with.
const STREAM_IDENTIFIER: &[u8] = b"\xff\x06\x00\x00sNaPpY";

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

/// Whether `bytes` have the shape of a block: told by its header and first element alone, never by
/// trying, so that a damaged block is an error and not something else.
///
/// A block that declares `n` bytes is at most `32 + n + n / 6` long and at least `3 / 64 n`, and
/// starts with a literal that fits. A message whose first field is of number 1 and has a length
/// starts with the byte 10, and is no block by these rules if it is longer than 43 bytes.
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

/// Writes `bytes` as a block; `None` if they are over 4 GiB.
pub(super) fn compress_block(bytes: &[u8], codecs: &Codecs, out: &mut PooledBuffer) -> Option<()> {
    /// What an encoder holds: its table.
    const ENCODER_BYTES: usize = 40 << 10;
    let most = max_compress_len(bytes.len());
    if most == 0 {
        return None;
    }
    let mut encoder = codecs.snappy_encoder.take().unwrap_or_else(Encoder::new);
    let written = encoder.compress(bytes, out.room_for(most));
    codecs.snappy_encoder.give_back(encoder, ENCODER_BYTES);
    out.advance(written.ok()?);
    Some(())
}
