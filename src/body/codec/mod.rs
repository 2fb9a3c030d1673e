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
use core::fmt;

use super::encoding::Encoding;
use super::error::BodyError;
use super::pool::{BufferPool, PooledBuffer};
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
    pub(super) unzstd: Idle<::zstd::stream::raw::Decoder<'static>>,
    #[cfg(feature = "zstd")]
    pub(super) zstd: Idle<::zstd::stream::raw::Encoder<'static>>,
}

/// Codecs of one kind that lie idle. They are set back when they are taken, whatever happened before,
/// and one that fails then is not used.
pub(super) struct Idle<T>(Mutex<Vec<T>>);

impl<T> Default for Idle<T> {
    fn default() -> Self {
        Self(Mutex::new(Vec::new()))
    }
}

impl<T> Idle<T> {
    /// How many of a kind are kept.
    const MAX: usize = 64;

    pub(super) fn take(&self) -> Option<T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).pop()
    }

    pub(super) fn give_back(&self, codec: T) {
        let mut idle = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < Self::MAX {
            idle.push(codec);
        }
    }
}

/// Where a layer's output goes, and how much of it is allowed.
pub(super) struct Output<'o> {
    bytes: &'o mut Vec<u8>,
    max_bytes: usize,
    max_ratio: usize,
    /// Compressed bytes so far.
    input: usize,
}

impl<'o> Output<'o> {
    /// How many bytes any ratio may yield: small bodies often compress very well.
    const RATIO_FROM: usize = 64 << 10;

    pub(super) fn new(bytes: &'o mut Vec<u8>, limits: &Limits, input: usize) -> Self {
        let Limits { max_decompressed_bytes: max_bytes, max_ratio, .. } = *limits;
        Self { bytes, max_bytes, max_ratio, input }
    }

    /// Refuses `len` bytes in all, if they are too many.
    pub(super) fn check(&self, len: usize) -> Result<(), BodyError> {
        if len > self.max_bytes {
            return Err(BodyError::DecompressedTooLarge { limit: self.max_bytes });
        }
        if len > Self::RATIO_FROM && len > self.input.saturating_mul(self.max_ratio) {
            return Err(BodyError::RatioTooHigh { limit: self.max_ratio });
        }
        Ok(())
    }

    /// Makes room for more, twice as much each time, but never for more than a byte over the limit.
    #[cfg(any(feature = "gzip", feature = "zstd"))]
    fn make_room(&mut self) -> &mut Vec<u8> {
        const AT_LEAST: usize = 32 << 10;
        let len = self.bytes.len();
        if self.bytes.capacity() == len {
            let rest = self.max_bytes.saturating_sub(len).saturating_add(1);
            self.bytes.reserve_exact(len.max(AT_LEAST).min(rest));
        }
        self.bytes
    }

    /// Appends bytes as they are.
    fn append(&mut self, bytes: &[u8]) -> Result<(), BodyError> {
        let len = self.bytes.len().saturating_add(bytes.len());
        self.check(len)?;
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }
}

/// A layer that is undone as its bytes arrive.
pub(super) enum Layer {
    /// Not compressed.
    Identity,
    #[cfg(feature = "gzip")]
    Gzip(gzip::Gzip),
    #[cfg(feature = "zstd")]
    Zstd(zstd::Zstd),
    /// Of a format that is undone in one piece: the bytes are held until then.
    Held { encoding: Encoding, held: PooledBuffer },
}

impl Layer {
    /// The layer of `encoding`, whose compressed bytes are probably `hint` in number.
    pub(super) fn new(
        encoding: Option<Encoding>,
        pool: &BufferPool,
        hint: usize,
    ) -> Result<Self, BodyError> {
        match encoding {
            None => Ok(Self::Identity),
            #[cfg(feature = "gzip")]
            Some(Encoding::Gzip) => Ok(Self::Gzip(gzip::Gzip::new(pool))),
            #[cfg(feature = "zstd")]
            Some(Encoding::Zstd) => Ok(Self::Zstd(zstd::Zstd::new(pool)?)),
            Some(encoding) if is_supported(encoding) => {
                Ok(Self::Held { encoding, held: pool.take(hint) })
            }
            Some(encoding) => Err(BodyError::Unsupported(encoding)),
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
            Self::Held { encoding, held } => {
                let held = held.as_mut_vec();
                held.extend_from_slice(chunk);
                #[cfg(feature = "snappy")]
                if *encoding == Encoding::Snappy {
                    snappy::check_header(held, output)?;
                }
                #[cfg(not(feature = "snappy"))]
                let _ = encoding;
                Ok(())
            }
        }
    }

    /// Ends the layer: all its bytes are there.
    pub(super) fn finish(
        &mut self,
        pool: &BufferPool,
        output: &mut Output<'_>,
    ) -> Result<(), BodyError> {
        match self {
            Self::Identity => Ok(()),
            #[cfg(feature = "gzip")]
            Self::Gzip(gzip) => gzip.finish(),
            #[cfg(feature = "zstd")]
            Self::Zstd(zstd) => zstd.finish(),
            Self::Held { encoding, held } => undo_held(*encoding, held, pool, output),
        }
    }
}

/// Undoes a layer whose bytes are all there.
pub(super) fn undo(
    encoding: Encoding,
    bytes: &[u8],
    pool: &BufferPool,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    match encoding {
        Encoding::Gzip | Encoding::Zstd => {
            let mut layer = Layer::new(Some(encoding), pool, 0)?;
            layer.push(bytes, output)?;
            layer.finish(pool, output)
        }
        held if is_supported(held) => undo_held(held, bytes, pool, output),
        other => Err(BodyError::Unsupported(other)),
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

#[cfg_attr(not(feature = "gzip"), allow(unused_variables))]
fn undo_held(
    encoding: Encoding,
    bytes: &[u8],
    pool: &BufferPool,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    // Handshakes and health checks post nothing, whatever their headers say.
    if bytes.is_empty() {
        return Ok(());
    }
    match encoding {
        #[cfg(feature = "gzip")]
        Encoding::Deflate => deflate::undo(bytes, pool, output),
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::undo_block(bytes, output),
        #[cfg(feature = "snappy")]
        Encoding::SnappyFramed => snappy::undo_framed(bytes, output),
        #[cfg(feature = "snappy")]
        Encoding::Unstated if snappy::looks_like_a_block(bytes) => {
            snappy::undo_block(bytes, output)
        }
        #[cfg(feature = "snappy")]
        Encoding::Unstated => output.append(bytes),
        other => Err(BodyError::Unsupported(other)),
    }
}

impl fmt::Debug for Layer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Identity => "Identity",
            #[cfg(feature = "gzip")]
            Self::Gzip(_) => "Gzip",
            #[cfg(feature = "zstd")]
            Self::Zstd(_) => "Zstd",
            Self::Held { .. } => "Held",
        })
    }
}
