//! LZ4 frames, all of them, in one piece; and one frame, written.
//!
//! ```text
//! frame     := 04 22 4d 18, flags, block size, [content size (8)], [dictionary (4)], header checksum,
//!              blocks, 0 (4), [content checksum (4)]
//! block     := length (4; the highest bit: not compressed), bytes, [checksum (4)]
//! skippable := 50..5f 2a 4d 18, length (4), bytes
//! ```
//!
//! Source: the LZ4 frame format 1.6.4. Checksums are XXH32. The frames are read here, and the library
//! decompresses blocks: straight into the body's buffer, where the blocks before are at hand that a
//! block may copy from. Its own reader allocates a window for each body, of the size that the body asks
//! for.

use core::mem;

use lz4_flex::block::{CompressTable, DecompressError};
use twox_hash::XxHash32;

use super::idle::Codecs;
use super::output::Output;
use super::sink::Sink;
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, MalformedKind};
use crate::body::limits::BodyLimits;

const MAGIC: [u8; 4] = [0x04, 0x22, 0x4d, 0x18];

/// Of the flags: the version, which is 1, and what a frame has.
const VERSION: u8 = 0xc0;
const VERSION_1: u8 = 0x40;
const INDEPENDENT_BLOCKS: u8 = 0x20;
const BLOCK_CHECKSUMS: u8 = 0x10;
const CONTENT_SIZE: u8 = 0x08;
const CONTENT_CHECKSUM: u8 = 0x04;
const RESERVED: u8 = 0x02;
const DICTIONARY: u8 = 0x01;

/// Of a block's length: the block is not compressed.
const STORED: u32 = 1 << 31;

/// How far back a block may copy from.
const WINDOW: usize = 64 << 10;

/// The code of the largest blocks, of 4 MiB.
const LARGEST_BLOCKS: u8 = 7;

fn malformed(kind: MalformedKind) -> BodyError {
    BodyError::malformed(Encoding::Lz4, kind)
}

fn truncated() -> BodyError {
    malformed(MalformedKind::Truncated)
}

fn corrupt() -> BodyError {
    malformed(MalformedKind::Corrupt)
}

/// The most bytes of a block by the code of its size: 64 KiB, 256 KiB, 1 MiB or 4 MiB.
fn block_size(code: u8) -> usize {
    256_usize << u32::from(code).saturating_mul(2)
}

fn checksum(bytes: &[u8]) -> u32 {
    XxHash32::oneshot(0, bytes)
}

/// What a frame's header declares.
struct Header {
    flags: u8,
    block_size: usize,
    content_size: Option<u64>,
}

impl Header {
    /// The header behind the magic number at the front of `bytes`, and the bytes behind it.
    fn split(bytes: &[u8]) -> Result<(Self, &[u8]), BodyError> {
        let (&[flags, sizes], rest) = bytes.split_first_chunk().ok_or_else(truncated)?;
        let code = sizes >> 4;
        // A dictionary is nothing that a sender and a receiver have here.
        if flags & VERSION != VERSION_1
            || flags & (RESERVED | DICTIONARY) != 0
            || !(4..=LARGEST_BLOCKS).contains(&code)
            || sizes & 0x0f != 0
        {
            return Err(corrupt());
        }
        let (content_size, rest) = if flags & CONTENT_SIZE == 0 {
            (None, rest)
        } else {
            let (size, rest) = rest.split_first_chunk().ok_or_else(truncated)?;
            (Some(u64::from_le_bytes(*size)), rest)
        };
        let descriptor = bytes.get(..bytes.len().saturating_sub(rest.len())).unwrap_or_default();
        let (&stated, rest) = rest.split_first().ok_or_else(truncated)?;
        let [_, expected, ..] = checksum(descriptor).to_le_bytes();
        if stated != expected {
            return Err(malformed(MalformedKind::Checksum));
        }
        Ok((Self { flags, block_size: block_size(code), content_size }, rest))
    }

    const fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The header of a body's first frame, if the body begins with a frame and the header is whole.
fn first_header(bytes: &[u8]) -> Option<(Header, &[u8])> {
    Header::split(bytes.strip_prefix(&MAGIC)?).ok()
}

/// Refuses a body by what its first frame declares, as soon as the header is there.
pub(super) fn check_header(start: &[u8], limits: &BodyLimits) -> Result<(), BodyError> {
    let limit = limits.max_decompressed_bytes;
    match first_header(start).and_then(|(header, _)| header.content_size) {
        Some(size) if size > u64::try_from(limit).unwrap_or(u64::MAX) => {
            Err(BodyError::DecompressedTooLarge { limit })
        }
        _ => Ok(()),
    }
}

/// The size of the content that the first frame declares, if it can be right.
pub(super) fn declared_len(bytes: &[u8]) -> usize {
    let declared = first_header(bytes).and_then(|(header, blocks)| {
        let size = usize::try_from(header.content_size?).ok()?;
        Some(size).filter(|&size| size <= max_yield(blocks.len()))
    });
    declared.unwrap_or_default()
}

/// The most that compressed bytes can yield: each adds at most 255 to a length.
const fn max_yield(len: usize) -> usize {
    len.saturating_mul(255)
}

/// Decompresses all frames of a body.
pub(super) fn decompress(bytes: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
    let mut rest = bytes;
    let mut started = false;
    while !rest.is_empty() {
        let magic = match rest {
            [first, ..] if first & 0xf0 == 0x50 => [*first, 0x2a, 0x4d, 0x18],
            _ => MAGIC,
        };
        if rest.iter().zip(magic).any(|(byte, magic)| *byte != magic) {
            let kind = if started { MalformedKind::TrailingData } else { MalformedKind::Corrupt };
            return Err(malformed(kind));
        }
        let (_, behind) = rest.split_at_checked(magic.len()).ok_or_else(truncated)?;
        rest = if magic == MAGIC {
            decompress_frame(behind, output)?
        } else {
            let (len, behind) = split_u32(behind)?;
            let len = usize::try_from(len).unwrap_or(usize::MAX);
            behind.get(len..).ok_or_else(truncated)?
        };
        started = true;
    }
    Ok(())
}

/// Decompresses the frame whose magic number is in front of `bytes`, and returns what is behind it.
fn decompress_frame<'b>(bytes: &'b [u8], output: &mut Output<'_>) -> Result<&'b [u8], BodyError> {
    let (header, mut rest) = Header::split(bytes)?;
    let start = output.bytes().len();
    if let Some(size) = header.content_size {
        output.check(start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX)))?;
    }
    loop {
        let (len, behind) = split_u32(rest)?;
        if len == 0 {
            rest = behind;
            break;
        }
        let stored = len & STORED != 0;
        let len = usize::try_from(len & !STORED).unwrap_or(usize::MAX);
        if len > header.block_size {
            return Err(corrupt());
        }
        let (block, behind) = behind.split_at_checked(len).ok_or_else(truncated)?;
        rest = if header.has(BLOCK_CHECKSUMS) { check(block, behind)? } else { behind };
        if stored {
            output.append(block)?;
        } else {
            // Copies reach back into this frame, unless it says that they do not.
            let since = if header.has(INDEPENDENT_BLOCKS) { output.bytes().len() } else { start };
            decompress_block(block, header.block_size, since, output)?;
        }
    }
    let content = output.bytes().get(start..).unwrap_or_default();
    let size = u64::try_from(content.len()).unwrap_or(u64::MAX);
    if header.content_size.is_some_and(|declared| declared != size) {
        return Err(corrupt());
    }
    if header.has(CONTENT_CHECKSUM) { check(content, rest) } else { Ok(rest) }
}

/// Decompresses a block of at most `block_size` bytes, whose copies may reach back to where the output
/// held `since` bytes.
fn decompress_block(
    block: &[u8],
    block_size: usize,
    since: usize,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    let wanted = block_size.min(max_yield(block.len()));
    let (before, room) = output.room_behind(wanted);
    let since = since.max(before.len().saturating_sub(WINDOW));
    let window = before.get(since..).unwrap_or_default();
    let offered = room.len();
    match lz4_flex::block::decompress_into_with_dict(block, room, window) {
        Ok(written) => output.advance(written),
        Err(DecompressError::OutputTooSmall { .. }) if offered < wanted => {
            // It yields more than the room, which ends one byte over the limit.
            output.check(output.bytes().len().saturating_add(offered))?;
            Err(corrupt())
        }
        Err(_) => Err(corrupt()),
    }
}

/// Compares the checksum of `bytes` with the one in front of `rest`, and returns what is behind it.
fn check<'b>(bytes: &[u8], rest: &'b [u8]) -> Result<&'b [u8], BodyError> {
    let (stated, rest) = split_u32(rest)?;
    if stated != checksum(bytes) {
        return Err(malformed(MalformedKind::Checksum));
    }
    Ok(rest)
}

fn split_u32(bytes: &[u8]) -> Result<(u32, &[u8]), BodyError> {
    let (number, rest) = bytes.split_first_chunk().ok_or_else(truncated)?;
    Ok((u32::from_le_bytes(*number), rest))
}

/// The most bytes around the blocks that are written.
const FRAMING: usize = 4 + 2 + 8 + 1 + 4 + 4;

/// The most bytes of which the library wants to have room for `len`.
const fn block_room(len: usize) -> usize {
    len.saturating_add(len / 10).saturating_add(21)
}

/// The most bytes that a frame of `len` bytes takes, and while it is written.
pub(super) fn max_compressed_len(len: usize) -> usize {
    let blocks = len.div_ceil(block_size(LARGEST_BLOCKS));
    block_room(len).saturating_add(blocks.saturating_mul(32)).saturating_add(FRAMING)
}

/// Writes `bytes` as one frame of independent blocks, with the size of its content and a checksum;
/// `None` if the library refuses.
pub(super) fn compress(bytes: &[u8], codecs: &Codecs, out: &mut impl Sink) -> Option<()> {
    /// What a table holds.
    const TABLE_BYTES: usize = 16 << 10;
    // Of one kind, so that equal bytes give equal output.
    let mut table = codecs.lz4_table.take().unwrap_or_else(CompressTable::large);
    let mut room = out.room_for(max_compressed_len(bytes.len()));
    let offered = room.len();
    let result = write_frame(bytes, &mut table, &mut room);
    let written = offered.saturating_sub(room.len());
    codecs.lz4_table.give_back(table, TABLE_BYTES);
    result?;
    out.advance(written);
    Some(())
}

/// Writes a frame to the front of `room`, and leaves what is behind it.
fn write_frame(bytes: &[u8], table: &mut CompressTable, room: &mut &mut [u8]) -> Option<()> {
    // The smallest blocks that hold it at once, for readers that allocate for one.
    let code = (4..LARGEST_BLOCKS).find(|&code| bytes.len() <= block_size(code));
    let code = code.unwrap_or(LARGEST_BLOCKS);
    let mut descriptor = [0; 10];
    let flags = VERSION_1 | INDEPENDENT_BLOCKS | CONTENT_SIZE | CONTENT_CHECKSUM;
    let size = u64::try_from(bytes.len()).ok()?.to_le_bytes();
    for (place, byte) in descriptor.iter_mut().zip([flags, code << 4].into_iter().chain(size)) {
        *place = byte;
    }
    let [_, header_checksum, ..] = checksum(&descriptor).to_le_bytes();
    put(room, &MAGIC)?;
    put(room, &descriptor)?;
    put(room, &[header_checksum])?;
    for block in bytes.chunks(block_size(code)) {
        let len = u32::try_from(block.len()).ok()?;
        let (head, behind) = mem::take(room).split_first_chunk_mut::<4>()?;
        let written = lz4_flex::block::compress_into_with_table(block, behind, table).ok()?;
        let (len, written) = match u32::try_from(written) {
            Ok(shorter) if shorter < len => (shorter, written),
            _ => {
                behind.get_mut(..block.len())?.copy_from_slice(block);
                (len | STORED, block.len())
            }
        };
        *head = len.to_le_bytes();
        *room = behind.get_mut(written..)?;
    }
    put(room, &[0; 4])?;
    put(room, &checksum(bytes).to_le_bytes())
}

/// Writes `bytes` to the front of `room`.
fn put(room: &mut &mut [u8], bytes: &[u8]) -> Option<()> {
    let (front, behind) = mem::take(room).split_at_mut_checked(bytes.len())?;
    front.copy_from_slice(bytes);
    *room = behind;
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_blocks_are_the_format_s() {
        assert_eq!([4, 5, 6, 7].map(block_size), [64 << 10, 256 << 10, 1 << 20, 4 << 20]);
    }

    #[test]
    fn the_library_s_need_for_room_is_known() {
        for len in (0..2_000).chain([65_536, 262_144, 1 << 20, 4 << 20]) {
            assert!(block_room(len) >= lz4_flex::block::get_maximum_output_size(len), "{len}");
        }
        assert_eq!(max_compressed_len(usize::MAX), usize::MAX);
    }
}
