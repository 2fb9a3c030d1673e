//! Snappy: blocks, as remote write and Loki send them, and the stream format.
//!
//! ```text
//! block:  varint of the decompressed length, then elements: literals and copies
//! stream: ff 06 00 00 "sNaPpY", then chunks with a type, a length and a checksum
//! ```

use std::io::Read;

use super::Output;
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, Fault};
use crate::wire::split_varint;

/// What a stream begins with.
const STREAM_IDENTIFIER: &[u8] = b"\xff\x06\x00\x00sNaPpY";

/// A decompressed length of over 32 bits is none.
const MAX_BLOCK: u64 = 0xffff_ffff;

fn malformed(fault: Fault) -> BodyError {
    BodyError::malformed(Encoding::Snappy, fault)
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
pub(super) fn check_header(block: &[u8], output: &Output<'_>) -> Result<(), BodyError> {
    match split_header(block) {
        Some((len, _)) => check_len(len, output),
        None if block.len() >= 10 => Err(header_fault(block)),
        // The header may not be whole yet.
        None => Ok(()),
    }
}

/// Refuses a length over the limit. The ratio is known only at the end.
fn check_len(len: usize, output: &Output<'_>) -> Result<(), BodyError> {
    if len > output.max_bytes {
        return Err(BodyError::DecompressedTooLarge { limit: output.max_bytes });
    }
    Ok(())
}

fn header_fault(block: &[u8]) -> BodyError {
    malformed(if block.starts_with(STREAM_IDENTIFIER) {
        Fault::FramedNotBlock
    } else if block.len() < 5 && block.iter().all(|byte| *byte >= 0x80) {
        Fault::Truncated
    } else {
        Fault::Corrupt
    })
}

/// The most that elements of `len` bytes can yield: 64 bytes for each 3 (a copy with a two-byte
/// offset).
fn max_yield(len: usize) -> usize {
    len.saturating_mul(64).div_ceil(3)
}

pub(super) fn undo_block(block: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
    // A stream passes for a block of 895 bytes at first sight.
    if block.starts_with(STREAM_IDENTIFIER) {
        return Err(malformed(Fault::FramedNotBlock));
    }
    let Some((len, elements)) = split_header(block) else {
        return Err(header_fault(block));
    };
    check_len(len, output)?;
    if len > max_yield(elements.len()) {
        return Err(malformed(Fault::Truncated));
    }
    output.check(len)?;
    let out = &mut *output.bytes;
    out.clear();
    out.reserve_exact(len);
    out.resize(len, 0);
    match snap::raw::Decoder::new().decompress(block, out) {
        Ok(written) if written == len => Ok(()),
        _ => {
            out.clear();
            Err(malformed(Fault::Corrupt))
        }
    }
}

/// Whether `bytes` have the shape of a block: told by its header and first element alone, never by
/// trying, so that a damaged block is an error and not something else.
///
/// A block that declares `n` bytes is at most `32 + n + n / 6` long and at least `3 / 64 n`, and
/// starts with a literal that fits. A write request starts with the byte 10 and is no block by these
/// rules if it is longer than 43 bytes.
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

pub(super) fn undo_framed(stream: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
    let malformed = |fault| BodyError::malformed(Encoding::SnappyFramed, fault);
    if !stream.starts_with(STREAM_IDENTIFIER) {
        return Err(malformed(Fault::Corrupt));
    }
    // One byte over the limit is enough to know.
    let most = u64::try_from(output.max_bytes).unwrap_or(u64::MAX).saturating_add(1);
    let out = &mut *output.bytes;
    let result = snap::read::FrameDecoder::new(stream).take(most).read_to_end(out);
    let len = out.len();
    output.check(len)?;
    match result {
        Ok(_) => Ok(()),
        Err(error) => Err(malformed(match error.kind() {
            std::io::ErrorKind::UnexpectedEof => Fault::Truncated,
            _ => match error.get_ref().and_then(|source| source.downcast_ref::<snap::Error>()) {
                Some(snap::Error::Checksum { .. }) => Fault::Checksum,
                _ => Fault::Corrupt,
            },
        })),
    }
}
