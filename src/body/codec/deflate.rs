//! Deflate streams: raw, and in zlib's wrapper.
//!
//! `Content-Encoding: deflate` means zlib (RFC 9110, section 8.4.1.2), and many clients send the
//! raw stream instead. A raw stream can only pass for zlib if it starts with a stored block, and
//! then its length is there twice, once inverted. So the two are told apart by their first five
//! bytes, but for one zlib stream in 65,536, which is tried first as what it says it is.

use flate2::{
    Compress, Compression, Decompress, DecompressError, FlushCompress, FlushDecompress, Status,
};

use super::idle::Codecs;
use super::output::Output;
use super::sink::Sink;
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, MalformedKind};

/// How a deflate stream is wrapped.
#[derive(Clone, Copy)]
pub(super) enum Format {
    Raw,
    Zlib,
}

impl Format {
    const fn is_zlib(self) -> bool {
        matches!(self, Self::Zlib)
    }
}

fn malformed(kind: MalformedKind) -> BodyError {
    BodyError::malformed(Encoding::Deflate, kind)
}

/// An idle decompressor, reset, or a new one.
pub(super) fn take(codecs: &Codecs, format: Format) -> Decompress {
    match codecs.inflate.take() {
        Some(mut inflate) => {
            inflate.reset(format.is_zlib());
            inflate
        }
        None => Decompress::new(format.is_zlib()),
    }
}

/// About what a decompressor holds: its window and its tables.
const INFLATE_BYTES: usize = 48 << 10;
/// About what a compressor holds.
const DEFLATE_BYTES: usize = 300 << 10;

pub(super) fn give_back(inflate: Decompress, codecs: &Codecs) {
    codecs.inflate.give_back(inflate, INFLATE_BYTES);
}

/// How a step of [`inflate`] ended.
pub(super) enum Progress {
    /// The stream is at its end; so many bytes of the input belonged to it.
    Ended(usize),
    /// All input was taken, and more must follow.
    Wants,
    /// The input is no such stream.
    Malformed(MalformedKind),
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
            Err(error) => return Ok(Progress::Malformed(malformed_kind(&error))),
        }
    }
}

/// The library tells kinds of errors by their text only.
fn malformed_kind(error: &DecompressError) -> MalformedKind {
    match error.message() {
        Some(text) if text.contains("data check") => MalformedKind::Checksum,
        _ => MalformedKind::Corrupt,
    }
}

pub(super) fn decompress(
    bytes: &[u8],
    codecs: &Codecs,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    if !is_zlib(bytes) {
        return decompress_as(Format::Raw, bytes, codecs, output);
    }
    let result = decompress_as(Format::Zlib, bytes, codecs, output);
    match result {
        // What is whole but for its checksum is zlib, damaged.
        Err(BodyError::Malformed { kind, .. })
            if kind != MalformedKind::Checksum && is_stored_block(bytes) =>
        {
            output.clear();
            decompress_as(Format::Raw, bytes, codecs, output)
        }
        result => result,
    }
}

/// Whether `bytes` start with a header of zlib: method 8, a window of at most 32 KiB, no
/// dictionary, and both bytes together a multiple of 31.
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

fn decompress_as(
    format: Format,
    bytes: &[u8],
    codecs: &Codecs,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    let mut decompress = take(codecs, format);
    let progress = inflate(&mut decompress, bytes, output, |_| {});
    give_back(decompress, codecs);
    match progress? {
        Progress::Ended(len) if len == bytes.len() => Ok(()),
        Progress::Ended(_) => Err(malformed(MalformedKind::TrailingData)),
        Progress::Wants => Err(malformed(MalformedKind::Truncated)),
        Progress::Malformed(kind) => Err(malformed(kind)),
    }
}

/// The most bytes that a stream of `len` bytes takes: nine bits for each byte, as the fixed code has
/// them at the worst, and the ends of the stream; stored blocks take less. In zlib's wrapper it has a
/// header of two bytes and a checksum of four.
pub(super) const fn max_compressed_len(format: Format, len: usize) -> usize {
    let ends = if format.is_zlib() { 22 } else { 16 };
    len.saturating_add(len >> 3).saturating_add(ends)
}

/// Writes a deflate stream of `bytes`; `None` if the library refuses.
pub(super) fn compress(
    format: Format,
    bytes: &[u8],
    codecs: &Codecs,
    out: &mut impl Sink,
) -> Option<()> {
    let idle = match format {
        Format::Raw => &codecs.deflate_raw,
        Format::Zlib => &codecs.deflate_zlib,
    };
    let mut deflate = match idle.take() {
        Some(mut deflate) => {
            deflate.reset();
            deflate
        }
        None => Compress::new(Compression::default(), format.is_zlib()),
    };
    // What the library writes depends on where it runs out of room: so in pieces of one size, wherever
    // they go.
    let mut piece = [0; 8 << 10];
    let ended = loop {
        let taken = usize::try_from(deflate.total_in()).unwrap_or(usize::MAX);
        let before = deflate.total_out();
        let rest = bytes.get(taken..).unwrap_or_default();
        let status = deflate.compress(rest, &mut piece, FlushCompress::Finish);
        let written = deflate.total_out().saturating_sub(before);
        let written = usize::try_from(written).ok().and_then(|len| piece.get(..len));
        if written.is_none_or(|written| out.append(written).is_none()) {
            break false;
        }
        match status {
            Ok(Status::StreamEnd) => break true,
            Ok(_) => {}
            Err(_) => break false,
        }
    };
    idle.give_back(deflate, DEFLATE_BYTES);
    ended.then_some(())
}
