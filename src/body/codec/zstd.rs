//! Zstandard, all frames, as the bytes arrive.
//!
//! Source: RFC 8878; RFC 9659 for the window, which is at most 8 MiB in a content encoding.

use core::mem;
use std::io;

use zstd::stream::raw::{DParameter, Decoder, InBuffer, Operation, OutBuffer};

use super::Output;
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, Fault};
use crate::body::pool::BufferPool;

/// The largest window: 2^23 bytes.
const WINDOW_LOG_MAX: u32 = 23;
/// Bytes that hold any frame header.
const MAX_HEADER: usize = 18;

fn malformed(fault: Fault) -> BodyError {
    BodyError::malformed(Encoding::Zstd, fault)
}

/// A zstd stream, and how far it is read.
pub(in crate::body) struct Zstd {
    /// Given back to the pool on drop.
    decoder: Option<Decoder<'static>>,
    /// Whether the last frame is at its end.
    ended: bool,
    /// Whether there was a frame.
    started: bool,
    pool: BufferPool,
}

impl Zstd {
    pub(super) fn new(pool: &BufferPool) -> Result<Self, BodyError> {
        let idle = pool.shared.codecs.unzstd.take();
        // Set back here, whatever the last stream left.
        let decoder = match idle.map(|mut decoder| decoder.reinit().map(|()| decoder)) {
            Some(Ok(decoder)) => decoder,
            _ => new_decoder().map_err(BodyError::Read)?,
        };
        Ok(Self { decoder: Some(decoder), ended: true, started: false, pool: pool.clone() })
    }

    pub(super) fn push(&mut self, chunk: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
        let Some(decoder) = &mut self.decoder else { return Ok(()) };
        if !self.started && !chunk.is_empty() {
            self.started = true;
            refuse_by_header(chunk, output)?;
        }
        let mut input = InBuffer::around(chunk);
        loop {
            let out = output.make_room();
            let before = out.len();
            let (hint, full) = {
                let mut target = OutBuffer::around_pos(out, before);
                let hint = decoder.run(&mut input, &mut target);
                (hint, target.pos() == target.capacity())
            };
            let len = output.bytes.len();
            output.check(len)?;
            match hint {
                Ok(hint) => self.ended = hint == 0,
                // What does not even begin like a frame trails the one before.
                Err(_) if self.ended && before > 0 => return Err(malformed(Fault::TrailingData)),
                Err(error) => return Err(malformed(fault(&error))),
            }
            // With room left for output, the input is what is missing.
            if input.pos() == chunk.len() && !full {
                return Ok(());
            }
        }
    }

    /// Ends the stream, which must be between two frames.
    pub(super) fn finish(&mut self) -> Result<(), BodyError> {
        if self.ended { Ok(()) } else { Err(malformed(Fault::Truncated)) }
    }
}

/// Refuses a frame whose header, if it is whole, declares more than the limit.
fn refuse_by_header(chunk: &[u8], output: &Output<'_>) -> Result<(), BodyError> {
    let header = chunk.get(..MAX_HEADER.min(chunk.len())).unwrap_or_default();
    match zstd::zstd_safe::get_frame_content_size(header) {
        Ok(Some(len)) if usize::try_from(len).is_ok_and(|len| len <= output.max_bytes) => Ok(()),
        Ok(Some(_)) => Err(BodyError::DecompressedTooLarge { limit: output.max_bytes }),
        _ => Ok(()),
    }
}

fn new_decoder() -> io::Result<Decoder<'static>> {
    let mut decoder = Decoder::new()?;
    decoder.set_parameter(DParameter::WindowLogMax(WINDOW_LOG_MAX))?;
    Ok(decoder)
}

/// The library tells kinds of errors by their text only.
fn fault(error: &io::Error) -> Fault {
    let text = error.to_string();
    if text.contains("too much memory") {
        Fault::WindowTooLarge
    } else if text.contains("checksum") {
        Fault::Checksum
    } else {
        Fault::Corrupt
    }
}

impl Drop for Zstd {
    fn drop(&mut self) {
        if let Some(decoder) = mem::take(&mut self.decoder) {
            self.pool.shared.codecs.unzstd.give_back(decoder);
        }
    }
}
