//! One layer of compression, undone: in one piece, or chunk by chunk.

#![cfg_attr(
    not(any(feature = "gzip", feature = "snappy", feature = "zstd")),
    allow(dead_code, reason = "there is no codec without a feature")
)]

mod compress;
#[cfg(feature = "gzip")]
mod deflate;
#[cfg(feature = "gzip")]
mod gzip;
#[cfg(feature = "snappy")]
mod snappy;
#[cfg(feature = "zstd")]
mod zstd;

pub(super) use compress::compress;

use alloc::vec::Vec;

use super::buffer::PooledBuffer;
use super::encoding::Encoding;
use super::error::BodyError;
use super::pool::BufferPool;
use super::sync::{Mutex, PoisonError};
use crate::limits::Limits;

/// The state of codecs that lies idle: tables and windows that are costly to make.
#[derive(Default)]
pub(super) struct Codecs {
    #[cfg(feature = "gzip")]
    pub(super) inflate: Idle<flate2::Decompress>,
    #[cfg(feature = "gzip")]
    pub(super) deflate: Idle<flate2::Compress>,
    #[cfg(feature = "gzip")]
    pub(super) zlib: Idle<flate2::Compress>,
    #[cfg(feature = "snappy")]
    pub(super) snappy: Idle<snap::raw::Encoder>,
    #[cfg(feature = "zstd")]
    pub(super) unzstd: Idle<::zstd::zstd_safe::DCtx<'static>>,
    #[cfg(feature = "zstd")]
    pub(super) zstd: Idle<::zstd::zstd_safe::CCtx<'static>>,
}

/// Codecs of one kind that lie idle. They are set back when they are taken, whatever happened before,
/// and one that fails then is not used.
pub(super) struct Idle<T>(Mutex<IdleCodecs<T>>);

struct IdleCodecs<T> {
    /// Each with the bytes of memory that it holds.
    codecs: Vec<(T, usize)>,
    bytes: usize,
}

impl<T> Default for Idle<T> {
    fn default() -> Self {
        Self(Mutex::new(IdleCodecs { codecs: Vec::new(), bytes: 0 }))
    }
}

impl<T> Idle<T> {
    /// How many of a kind are kept.
    const MAX: usize = 64;
    /// How much memory they may hold: the window of a zstd stream is up to 8 MiB, if its sender
    /// wants, and stays with the decoder.
    const MAX_BYTES: usize = 32 << 20;

    pub(super) fn take(&self) -> Option<T> {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (codec, bytes) = idle.codecs.pop()?;
        idle.bytes = idle.bytes.saturating_sub(bytes);
        Some(codec)
    }

    /// Keeps `codec`, which holds `bytes` of memory.
    pub(super) fn give_back(&self, codec: T, bytes: usize) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = idle.bytes.saturating_add(bytes);
        if idle.codecs.len() < Self::MAX && all <= Self::MAX_BYTES {
            idle.bytes = all;
            idle.codecs.push((codec, bytes));
        }
    }
}

/// Where a layer's output goes, and how much of it is allowed.
pub(super) struct Output<'o> {
    buffer: &'o mut PooledBuffer,
    max_bytes: usize,
    max_ratio: usize,
    /// Compressed bytes so far.
    input: usize,
}

impl<'o> Output<'o> {
    /// How many bytes any ratio may yield: small bodies often compress very well.
    const RATIO_FROM: usize = 64 << 10;

    pub(super) const fn new(buffer: &'o mut PooledBuffer, limits: &Limits, input: usize) -> Self {
        let Limits { max_decompressed_bytes: max_bytes, max_ratio, .. } = *limits;
        Self { buffer, max_bytes, max_ratio, input }
    }

    fn max_by_ratio(&self) -> usize {
        self.input.saturating_mul(self.max_ratio).max(Self::RATIO_FROM)
    }

    /// Refuses `len` bytes in all, if they are too many.
    pub(super) fn check(&self, len: usize) -> Result<(), BodyError> {
        if len > self.max_bytes {
            return Err(BodyError::DecompressedTooLarge { limit: self.max_bytes });
        }
        if len > self.max_by_ratio() {
            return Err(BodyError::RatioTooHigh { limit: self.max_ratio });
        }
        Ok(())
    }

    /// The most bytes that make sense in all: one over the limit is enough to know.
    fn most(&self) -> usize {
        self.max_bytes.min(self.max_by_ratio()).saturating_add(1)
    }

    /// Room for more bytes, at least for one.
    #[cfg(any(feature = "gzip", feature = "snappy", feature = "zstd"))]
    fn room(&mut self) -> &mut [u8] {
        self.buffer.room(self.most().saturating_sub(self.buffer.len()))
    }

    /// Takes `len` bytes that were written to the room.
    #[cfg(any(feature = "gzip", feature = "snappy", feature = "zstd"))]
    fn advance(&mut self, len: usize) -> Result<(), BodyError> {
        self.buffer.advance(len);
        self.check(self.buffer.len())
    }

    /// Appends bytes as they are.
    pub(super) fn append(&mut self, bytes: &[u8]) -> Result<(), BodyError> {
        self.check(self.buffer.len().saturating_add(bytes.len()))?;
        self.buffer.extend_from_slice(bytes, self.most());
        Ok(())
    }
}

/// A layer that is undone as its bytes arrive.
#[allow(clippy::large_enum_variant, reason = "there is one for a request, and it stays in place")]
pub(super) enum Stream {
    /// Not compressed.
    Identity,
    #[cfg(feature = "gzip")]
    Gzip(gzip::Gzip),
    #[cfg(feature = "zstd")]
    Zstd(zstd::Zstd),
}

impl Stream {
    /// A stream of `encoding`; `None` if it is undone in one piece.
    #[cfg_attr(not(any(feature = "gzip", feature = "zstd")), allow(unused_variables))]
    pub(super) fn new(encoding: Encoding, pool: &BufferPool) -> Result<Option<Self>, BodyError> {
        match encoding {
            #[cfg(feature = "gzip")]
            Encoding::Gzip => Ok(Some(Self::Gzip(gzip::Gzip::new(pool)))),
            #[cfg(feature = "zstd")]
            Encoding::Zstd => Ok(Some(Self::Zstd(zstd::Zstd::new(pool)))),
            held if is_supported(held) => Ok(None),
            other => Err(BodyError::Unsupported(other)),
        }
    }

    /// Takes the next `chunk` of compressed bytes. `output` counts it already.
    pub(super) fn push(&mut self, chunk: &[u8], output: &mut Output<'_>) -> Result<(), BodyError> {
        match self {
            Self::Identity => output.append(chunk),
            #[cfg(feature = "gzip")]
            Self::Gzip(gzip) => gzip.push(chunk, output),
            #[cfg(feature = "zstd")]
            Self::Zstd(zstd) => zstd.push(chunk, output),
        }
    }

    /// Ends the layer: all its bytes are there.
    pub(super) const fn finish(&self) -> Result<(), BodyError> {
        match self {
            Self::Identity => Ok(()),
            #[cfg(feature = "gzip")]
            Self::Gzip(gzip) => gzip.finish(),
            #[cfg(feature = "zstd")]
            Self::Zstd(zstd) => zstd.finish(),
        }
    }
}

/// Whether the encoding's feature is enabled.
const fn is_supported(encoding: Encoding) -> bool {
    match encoding {
        Encoding::Deflate | Encoding::Gzip => cfg!(feature = "gzip"),
        Encoding::Snappy | Encoding::SnappyFramed | Encoding::Unstated => cfg!(feature = "snappy"),
        Encoding::Zstd => cfg!(feature = "zstd"),
    }
}

/// Refuses a layer that is undone in one piece by its first bytes, before the others are there.
#[cfg_attr(not(feature = "snappy"), allow(unused_variables, clippy::unnecessary_wraps))]
pub(super) fn check_start(
    encoding: Encoding,
    start: &[u8],
    limits: &Limits,
) -> Result<(), BodyError> {
    match encoding {
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::check_header(start, limits),
        _ => Ok(()),
    }
}

/// How many bytes a layer yields, as far as its first bytes tell: a hint.
pub(super) fn decompressed_len_hint(encoding: Encoding, bytes: &[u8]) -> usize {
    match encoding {
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::declared_len(bytes),
        _ => bytes.len(),
    }
}

/// Undoes a layer whose bytes are all there.
#[cfg_attr(not(any(feature = "gzip", feature = "zstd")), allow(unused_variables))]
pub(super) fn undo(
    encoding: Encoding,
    bytes: &[u8],
    pool: &BufferPool,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    // Handshakes and health checks post nothing, whatever their headers say.
    if bytes.is_empty() && is_supported(encoding) {
        return Ok(());
    }
    match encoding {
        #[cfg(feature = "gzip")]
        Encoding::Deflate => deflate::undo(bytes, pool, output),
        #[cfg(feature = "gzip")]
        Encoding::Gzip => {
            let mut gzip = gzip::Gzip::new(pool);
            gzip.push(bytes, output)?;
            gzip.finish()
        }
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::undo_block(bytes, output),
        #[cfg(feature = "snappy")]
        Encoding::SnappyFramed => snappy::undo_framed(bytes, output),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => {
            let mut zstd = zstd::Zstd::new(pool);
            zstd.push(bytes, output)?;
            zstd.finish()
        }
        #[cfg(feature = "snappy")]
        Encoding::Unstated if snappy::looks_like_a_block(bytes) => {
            snappy::undo_block(bytes, output)
        }
        #[cfg(feature = "snappy")]
        Encoding::Unstated => output.append(bytes),
        #[cfg(not(all(feature = "gzip", feature = "snappy", feature = "zstd")))]
        other => Err(BodyError::Unsupported(other)),
    }
}
