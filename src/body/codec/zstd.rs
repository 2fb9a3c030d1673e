//! Zstandard, all frames, as the bytes arrive; and one frame, written.
//!
//! ```text
//! frame     := 28 b5 2f fd, descriptor, [window], [dictionary], [content size], blocks, [checksum]
//! skippable := 50..5f 2a 4d 18, length (4), bytes
//! ```
//!
//! Source: RFC 8878; RFC 9659 for the window, which is at most 8 MiB in a content encoding. Headers
//! are looked at here: the library does not look at all of them, depending on how the bytes arrive.

use core::mem;
use std::io;

use zstd::zstd_safe::{
    CCtx, CParameter, DCtx, DParameter, InBuffer, OutBuffer, ResetDirective, compress_bound,
    get_error_name,
};

use super::idle::Codecs;
use super::output::Output;
use super::sink::Sink;
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, MalformedKind};
use crate::body::sync::Arc;

const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// The largest window: 2^23 bytes.
const WINDOW_LOG_MAX: u32 = 23;
/// Bytes that hold any frame header.
const MAX_HEADER: usize = 18;

fn malformed(kind: MalformedKind) -> BodyError {
    BodyError::malformed(Encoding::Zstd, kind)
}

/// A zstd stream, and how far it is read.
pub(in crate::body) struct Zstd {
    /// Taken when a header has passed, and given back on drop.
    context: Option<DCtx<'static>>,
    /// The frame whose header was read, and whose end was not.
    frame: Option<Frame>,
    /// The header of a frame, when a chunk ends in it.
    header: [u8; MAX_HEADER],
    header_len: usize,
    /// Whether there was a frame.
    started: bool,
    codecs: Arc<Codecs>,
}

impl Zstd {
    pub(super) fn new(codecs: &Arc<Codecs>) -> Self {
        Self {
            context: None,
            frame: None,
            header: [0; MAX_HEADER],
            header_len: 0,
            started: false,
            codecs: Arc::clone(codecs),
        }
    }

    pub(super) fn push(&mut self, chunk: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
        let mut rest = chunk;
        while let Some((&byte, behind)) = rest.split_first() {
            if self.frame.is_some() {
                rest = self.decompress(rest, output)?;
            } else if self.header_len == 0
                && let Some(frame) = self.start_of_frame(rest, output)?
            {
                // The usual case: the library sees the frame from its beginning.
                self.enter(frame);
            } else {
                rest = behind;
                self.take_header_byte(byte, output)?;
            }
        }
        Ok(())
    }

    /// Ends the stream, which must be between two frames.
    pub(super) const fn finish(&self) -> Result<(), BodyError> {
        if self.frame.is_some() || self.header_len > 0 {
            return Err(BodyError::Malformed {
                encoding: Encoding::Zstd,
                kind: MalformedKind::Truncated,
            });
        }
        Ok(())
    }

    fn take_header_byte(&mut self, byte: u8, output: &mut Output<'_>) -> Result<(), BodyError> {
        if let Some(place) = self.header.get_mut(self.header_len) {
            *place = byte;
        }
        self.header_len = self.header_len.saturating_add(1);
        let header = self.header;
        let header = header.get(..self.header_len).unwrap_or_default();
        if let Some(frame) = self.start_of_frame(header, output)? {
            self.enter(frame);
            self.decompress(header, output)?;
        }
        Ok(())
    }

    const fn enter(&mut self, frame: Frame) {
        self.frame = Some(frame);
        self.started = true;
        self.header_len = 0;
    }

    /// The frame whose header `bytes` begin with, once it is whole. What it declares must be within
    /// the limits.
    fn start_of_frame(
        &self,
        bytes: &[u8],
        output: &Output<'_>,
    ) -> Result<Option<Frame>, BodyError> {
        let magic = match bytes.first() {
            Some(&first) if first & 0xf0 == 0x50 => [first, 0x2a, 0x4d, 0x18],
            _ => MAGIC,
        };
        if bytes.iter().zip(magic).any(|(byte, magic)| *byte != magic) {
            // Behind a frame they trail, at the start the body is something else.
            let kind =
                if self.started { MalformedKind::TrailingData } else { MalformedKind::Corrupt };
            return Err(malformed(kind));
        }
        let start = output.len();
        if magic != MAGIC {
            let whole = bytes.len() >= magic.len();
            return Ok(whole.then_some(Frame { start, is_fresh: true, content_size: None }));
        }
        let Some(Header { window, content_size }) = Header::parse(bytes) else { return Ok(None) };
        let left = u64::try_from(output.max_bytes().saturating_sub(start)).unwrap_or(u64::MAX);
        if content_size.is_some_and(|size| size > left) {
            return Err(BodyError::DecompressedTooLarge { limit: output.max_bytes() });
        }
        if window > 1 << WINDOW_LOG_MAX {
            return Err(malformed(MalformedKind::WindowTooLarge));
        }
        Ok(Some(Frame { start, is_fresh: true, content_size }))
    }

    /// Ends the frame, with `len` bytes of output in all. The library does not compare the size
    /// with what the header declares if the last block is empty and the frame came in pieces.
    fn leave_frame(&mut self, len: usize) -> Result<(), BodyError> {
        let Some(frame) = self.frame.take() else { return Ok(()) };
        let size = u64::try_from(len.saturating_sub(frame.start)).ok();
        if frame.content_size.is_some() && frame.content_size != size {
            return Err(malformed(MalformedKind::Corrupt));
        }
        Ok(())
    }

    /// Decompresses as far as this frame goes, and returns the bytes behind it.
    ///
    /// The library refuses some frames only if they lie there whole (a last block that is compressed to
    /// nothing). What is refused must not depend on how a body arrives, so that is asked again, in pieces.
    fn decompress<'c>(
        &mut self,
        chunk: &'c [u8],
        output: &mut Output<'_>,
    ) -> Result<&'c [u8], BodyError> {
        let is_fresh = self.frame.as_mut().is_some_and(|frame| mem::take(&mut frame.is_fresh));
        let result = self.decompress_some(chunk, output);
        let is_untouched = self.frame.as_ref().is_some_and(|frame| frame.start == output.len());
        if let (Err(BodyError::Malformed { .. }), true, Some((first, rest)), Some(context)) =
            (&result, is_fresh && is_untouched, chunk.split_at_checked(1), &mut self.context)
            && context.reset(ResetDirective::SessionOnly).is_ok()
        {
            self.decompress_some(first, output)?;
            return self.decompress_some(rest, output);
        }
        result
    }

    fn decompress_some<'c>(
        &mut self,
        chunk: &'c [u8],
        output: &mut Output<'_>,
    ) -> Result<&'c [u8], BodyError> {
        let context = match &mut self.context {
            Some(context) => context,
            none => none.insert(take(&self.codecs)?),
        };
        let mut input = InBuffer::around(chunk);
        loop {
            let mut room = OutBuffer::around(output.room());
            let hint = context.decompress_stream(&mut room, &mut input);
            let (written, full) = (room.pos(), room.pos() == room.capacity());
            output.advance(written)?;
            match hint {
                Ok(0) => {
                    self.leave_frame(output.len())?;
                    return Ok(chunk.get(input.pos()..).unwrap_or_default());
                }
                // With room left for output, the input is what is missing.
                Ok(_) if input.pos() == chunk.len() && !full => return Ok(&[]),
                Ok(_) => {}
                Err(code) => return Err(malformed(malformed_kind(get_error_name(code)))),
            }
        }
    }
}

struct Frame {
    /// How long the output was before it.
    start: usize,
    /// Whether the library has seen nothing of it.
    is_fresh: bool,
    content_size: Option<u64>,
}

/// What a frame's header declares.
struct Header {
    /// Bytes that the decoder must hold.
    window: u64,
    content_size: Option<u64>,
}

impl Header {
    /// The header at the front of `bytes`, behind whose magic number nothing can be wrong with it;
    /// `None` if it is not whole.
    fn parse(bytes: &[u8]) -> Option<Self> {
        let (&[_, _, _, _, descriptor], rest) = bytes.split_first_chunk()?;
        let is_single_segment = descriptor & 0x20 != 0;
        let (window, rest) = if is_single_segment { (None, rest) } else { window(rest)? };
        let dictionary_len = [0, 1, 2, 4].get(usize::from(descriptor & 3))?;
        let (_, rest) = rest.split_at_checked(*dictionary_len)?;
        let content_size = match descriptor >> 6 {
            0 if is_single_segment => Some(u64::from(*rest.first()?)),
            0 => None,
            1 => Some(u64::from(u16::from_le_bytes(*rest.first_chunk()?)).saturating_add(256)),
            2 => Some(u64::from(u32::from_le_bytes(*rest.first_chunk()?))),
            _ => Some(u64::from_le_bytes(*rest.first_chunk()?)),
        };
        Some(Self { window: window.or(content_size)?, content_size })
    }
}

/// A window descriptor: an exponent in the high five bits, eighths in the low three.
fn window(bytes: &[u8]) -> Option<(Option<u64>, &[u8])> {
    let (&descriptor, rest) = bytes.split_first()?;
    let base = 1024_u64 << (descriptor >> 3);
    let eighths = (base >> 3).saturating_mul(u64::from(descriptor & 7));
    Some((Some(base.saturating_add(eighths)), rest))
}

/// An idle context, reset whatever the last stream left, or a new one.
fn take(codecs: &Codecs) -> Result<DCtx<'static>, BodyError> {
    if let Some(mut context) = codecs.zstd_decoder.take()
        && context.reset(ResetDirective::SessionOnly).is_ok()
    {
        return Ok(context);
    }
    let create = || {
        let mut context = DCtx::try_create()?;
        context.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX)).ok()?;
        Some(context)
    };
    create().ok_or_else(|| BodyError::Read(io::ErrorKind::OutOfMemory.into()))
}

/// The library tells kinds of errors by their text only.
fn malformed_kind(text: &str) -> MalformedKind {
    if text.contains("too much memory") {
        MalformedKind::WindowTooLarge
    } else if text.contains("checksum") {
        MalformedKind::Checksum
    } else {
        MalformedKind::Corrupt
    }
}

impl Drop for Zstd {
    fn drop(&mut self) {
        if let Some(context) = mem::take(&mut self.context) {
            let bytes = context.sizeof();
            self.codecs.zstd_decoder.give_back(context, bytes);
        }
    }
}

/// The most bytes that a frame of `len` bytes takes.
pub(super) fn max_compressed_len(len: usize) -> usize {
    // Of a length that the library refuses it is about the largest number.
    compress_bound(len)
}

/// Writes `bytes` as one frame with a checksum; `None` if the library refuses.
pub(super) fn compress(bytes: &[u8], codecs: &Codecs, out: &mut impl Sink) -> Option<()> {
    let mut context = match codecs.zstd_encoder.take() {
        Some(context) => context,
        None => {
            let mut context = CCtx::try_create()?;
            context.set_parameter(CParameter::ChecksumFlag(true)).ok()?;
            context
        }
    };
    // In one piece: the size in the frame's header lets the reader refuse or reserve at once.
    let written = context.compress2(out.room_for(max_compressed_len(bytes.len())), bytes);
    // Whatever it did, it begins anew with the next.
    let held = context.sizeof();
    codecs.zstd_encoder.give_back(context, held);
    out.advance(written.ok()?);
    Some(())
}

#[cfg(test)]
mod tests {
    use crate::body::{BodyError, BodyLimits, BufferPool, Encoding, MalformedKind};
    use std::vec;
    use std::vec::Vec;

    /// In one piece and byte by byte, which must say the same.
    fn read(pool: &BufferPool, sent: &[u8]) -> Result<Vec<u8>, MalformedKind> {
        let kind = |error| match error {
            BodyError::Malformed { encoding: Encoding::Zstd, kind } => kind,
            other => panic!("{other}"),
        };
        let limits = BodyLimits::new();
        let whole = pool.decompress(sent, Encoding::Zstd, &limits);
        let mut receiver = pool.receive(Encoding::Zstd, &limits, None).unwrap();
        let pushed = sent.iter().try_for_each(|&byte| receiver.push(&[byte]));
        let pieces = pushed.and_then(|()| receiver.finish());
        let [whole, pieces] =
            [whole, pieces].map(|body| body.map(|body| body.to_vec()).map_err(kind));
        assert_eq!(whole.is_ok(), pieces.is_ok());
        assert!(whole == pieces || whole.is_err());
        whole
    }

    /// The size of the content takes 1, 2 or 4 bytes in the header, and that of 2 bytes counts from 256.
    #[test]
    fn sizes_at_the_changes_of_width_are_exact() {
        let pool = BufferPool::new();
        for (len, descriptor, width) in [
            (0, 0x20, 1),
            (255, 0x20, 1),
            (256, 0x60, 2),
            (257, 0x60, 2),
            (65_791, 0x60, 2),
            (65_792, 0xa0, 4),
            (65_793, 0xa0, 4),
        ] {
            let content = vec![b'x'; len];
            let sent = pool.compress(&content, Encoding::Zstd).unwrap().to_vec();
            // Behind the magic number; the lowest bits tell of the checksum.
            assert_eq!(sent[4] & 0xe0, descriptor, "{len} bytes");
            assert!(read(&pool, &sent).unwrap() == content, "{len} bytes");
            let mut size = [0; 8];
            size[..width].copy_from_slice(&sent[5..5 + width]);
            let size = u64::from_le_bytes(size);
            for wrong in [size.wrapping_sub(1), size.wrapping_add(1)] {
                let mut sent = sent.clone();
                sent[5..5 + width].copy_from_slice(&wrong.to_le_bytes()[..width]);
                assert!(read(&pool, &sent).is_err(), "{len} bytes, declared {wrong}");
            }
        }
    }

    /// The library takes them only in pieces.
    #[test]
    fn blocks_compressed_to_nothing_are_read_in_one_piece_too() {
        let pool = BufferPool::new();
        for (frame, content) in [
            (&b"\x28\xb5\x2f\xfd\x24\x00\x05\x00\x00\x99\xe9\xd8\x51"[..], ""),
            (b"\x28\xb5\x2f\xfd\x20\x00\x05\x00\x00", ""),
            (b"\x28\xb5\x2f\xfd\x20\x01\x08\x00\x00a\x05\x00\x00", "a"),
            (b"\x28\xb5\x2f\xfd\x20\x01\x04\x00\x00\x09\x00\x00a", "a"),
            (b"\x28\xb5\x2f\xfd\x00\x00\x08\x00\x00a\x05\x00\x00", "a"),
        ] {
            assert_eq!(read(&pool, frame).unwrap(), content.as_bytes(), "{frame:x?}");
            // And what follows is a frame again.
            let twice = frame.repeat(2);
            assert_eq!(read(&pool, &twice).unwrap(), content.repeat(2).as_bytes());
            for len in 1..frame.len() {
                assert!(read(&pool, &frame[..len]).is_err(), "{len} bytes");
            }
        }
    }
}
