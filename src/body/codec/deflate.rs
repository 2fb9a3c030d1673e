//! Deflate streams: raw, and in zlib's wrapper.
//!
//! `Content-Encoding: deflate` means zlib (RFC 9110, section 8.4.1.2), and many clients send the raw
//! stream instead. A raw stream can only pass for zlib if it starts with a stored block, and then its
//! length is there twice, once inverted. So the two are told apart by their first five bytes, but for one
//! zlib stream in 65,536, which is tried first as what it says it is.

use flate2::{Decompress, DecompressError, FlushDecompress, Status};

use super::Output;
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, Fault};
use crate::body::pool::BufferPool;

fn malformed(fault: Fault) -> BodyError {
    BodyError::malformed(Encoding::Deflate, fault)
}

/// A decompressor of the pool, set back, for a raw stream or one in zlib's wrapper.
pub(super) fn take(pool: &BufferPool, zlib: bool) -> Decompress {
    match pool.shared.codecs.inflate.take() {
        Some(mut inflate) => {
            inflate.reset(zlib);
            inflate
        }
        None => Decompress::new(zlib),
    }
}

/// About what a decompressor holds: its window and its tables.
const BYTES: usize = 48 << 10;

pub(super) fn give_back(inflate: Decompress, pool: &BufferPool) {
    pool.shared.codecs.inflate.give_back(inflate, BYTES);
}

/// How a step of [`inflate`] ended.
pub(super) enum Progress {
    /// The stream is at its end; so many bytes of the input belonged to it.
    Ended(usize),
    /// All input was taken, and more must follow.
    Wants,
    /// The input is no such stream.
    Malformed(Fault),
}

/// Inflates `input` as far as it goes. `written` sees each piece that is appended to the output.
pub(super) fn inflate(
    inflate: &mut Decompress,
    input: &[u8],
    output: &mut Output<'_>,
    mut written: impl FnMut(&[u8]),
) -> Result<Progress, BodyError> {
    let mut rest = input;
    loop {
        let (total_in, total_out) = (inflate.total_in(), inflate.total_out());
        let room = output.room();
        let status = inflate.decompress(rest, room, FlushDecompress::None);
        let since = |total: u64, before| usize::try_from(total.saturating_sub(before));
        let taken = since(inflate.total_in(), total_in).unwrap_or(usize::MAX);
        let len = since(inflate.total_out(), total_out).unwrap_or(usize::MAX);
        let full = len == room.len();
        written(room.get(..len).unwrap_or_default());
        rest = rest.get(taken..).unwrap_or_default();
        output.advance(len)?;
        match status {
            Ok(Status::StreamEnd) => {
                return Ok(Progress::Ended(input.len().saturating_sub(rest.len())));
            }
            // With room left for output, the input is what is missing.
            Ok(_) if !full => return Ok(Progress::Wants),
            Ok(_) => {}
            Err(error) => return Ok(Progress::Malformed(fault(&error))),
        }
    }
}

/// The library tells kinds of errors by their text only.
fn fault(error: &DecompressError) -> Fault {
    match error.message() {
        Some(text) if text.contains("data check") => Fault::Checksum,
        _ => Fault::Corrupt,
    }
}

pub(super) fn undo(
    bytes: &[u8],
    pool: &BufferPool,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    if !is_zlib(bytes) {
        return undo_as(false, bytes, pool, output);
    }
    let result = undo_as(true, bytes, pool, output);
    match result {
        // What is whole but for its checksum is zlib, damaged.
        Err(BodyError::Malformed { fault, .. })
            if fault != Fault::Checksum && is_stored_block(bytes) =>
        {
            output.buffer.clear();
            undo_as(false, bytes, pool, output)
        }
        result => result,
    }
}

/// Whether `bytes` start with a header of zlib: method 8, a window of at most 32 KiB, no dictionary,
/// and both bytes together a multiple of 31.
fn is_zlib(bytes: &[u8]) -> bool {
    match *bytes {
        [method, flags, ..] => {
            method & 0x0f == 8
                && method >> 4 <= 7
                && flags & 0x20 == 0
                && u16::from_be_bytes([method, flags]) % 31 == 0
        }
        _ => false,
    }
}

/// Whether `bytes`, which pass for zlib, pass for a raw stored block as well.
fn is_stored_block(bytes: &[u8]) -> bool {
    match *bytes {
        [_, a, b, c, d, ..] => u16::from_le_bytes([a, b]) == !u16::from_le_bytes([c, d]),
        _ => false,
    }
}

fn undo_as(
    zlib: bool,
    bytes: &[u8],
    pool: &BufferPool,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    let mut decompress = take(pool, zlib);
    let progress = inflate(&mut decompress, bytes, output, |_| {});
    give_back(decompress, pool);
    match progress? {
        Progress::Ended(len) if len == bytes.len() => Ok(()),
        Progress::Ended(_) => Err(malformed(Fault::TrailingData)),
        Progress::Wants => Err(malformed(Fault::Truncated)),
        Progress::Malformed(fault) => Err(malformed(fault)),
    }
}
