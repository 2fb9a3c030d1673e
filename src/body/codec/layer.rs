//! A layer whose bytes are all there, decompressed and compressed.

#[cfg(feature = "gzip")]
use super::deflate;
#[cfg(feature = "gzip")]
use super::gzip::{self, Gzip};
use super::idle::Codecs;
#[cfg(feature = "lz4")]
use super::lz4;
use super::output::Output;
use super::sink::Sink;
#[cfg(feature = "snappy")]
use super::snappy;
#[cfg(feature = "snappy")]
use super::unstated;
#[cfg(feature = "zstd")]
use super::zstd::{self, Zstd};
use crate::body::encoding::Encoding;
use crate::body::error::{BodyError, CompressError};
use crate::body::limits::BodyLimits;
use crate::body::sync::Arc;

/// Refuses a layer that is decompressed in one piece by its first bytes, before the others are
/// there.
#[cfg_attr(
    not(any(feature = "lz4", feature = "snappy")),
    allow(unused_variables, clippy::unnecessary_wraps)
)]
pub(in crate::body) fn check_start(
    encoding: Encoding,
    start: &[u8],
    limits: &BodyLimits,
) -> Result<(), BodyError> {
    match encoding {
        #[cfg(feature = "lz4")]
        Encoding::Lz4 => lz4::check_header(start, limits),
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::check_header(start, limits),
        _ => Ok(()),
    }
}

/// How many bytes a layer yields, as far as its first bytes tell: a hint.
pub(in crate::body) fn decompressed_len_hint(encoding: Encoding, bytes: &[u8]) -> usize {
    match encoding {
        #[cfg(feature = "lz4")]
        Encoding::Lz4 => lz4::declared_len(bytes),
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::declared_len(bytes),
        _ => bytes.len(),
    }
}

/// Decompresses a layer whose bytes are all there.
#[cfg_attr(
    not(any(feature = "gzip", feature = "zstd")),
    allow(unused_variables, clippy::only_used_in_recursion)
)]
pub(in crate::body) fn decompress(
    encoding: Encoding,
    bytes: &[u8],
    codecs: &Arc<Codecs>,
    output: &mut Output<'_>,
) -> Result<(), BodyError> {
    // Handshakes and health checks post nothing, whatever their headers say.
    if bytes.is_empty() && encoding.is_enabled() {
        return Ok(());
    }
    match encoding {
        #[cfg(feature = "gzip")]
        Encoding::Deflate => deflate::decompress(bytes, codecs, output),
        #[cfg(feature = "gzip")]
        Encoding::Gzip => {
            let mut gzip = Gzip::new(codecs);
            gzip.push(bytes, output)?;
            gzip.finish()
        }
        #[cfg(feature = "lz4")]
        Encoding::Lz4 => lz4::decompress(bytes, output),
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::decompress_block(bytes, output),
        #[cfg(feature = "snappy")]
        Encoding::SnappyFramed => snappy::decompress_framed(bytes, output),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => {
            let mut zstd = Zstd::new(codecs);
            zstd.push(bytes, output)?;
            zstd.finish()
        }
        #[cfg(feature = "snappy")]
        Encoding::Unstated => match unstated::tell(bytes) {
            Some(told) => decompress(told, bytes, codecs, output),
            None => output.append(bytes),
        },
        #[cfg(not(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")))]
        other => Err(BodyError::NotEnabled(other)),
    }
}

/// Writes `bytes`, compressed, to the empty `out`, which has or makes room for the most that they may
/// take. Equal bytes give equal output.
#[cfg_attr(
    not(any(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")),
    allow(unused_variables, unreachable_code, reason = "nothing can be written without features")
)]
pub(in crate::body) fn compress(
    encoding: Encoding,
    bytes: &[u8],
    codecs: &Codecs,
    out: &mut impl Sink,
) -> Result<(), CompressError> {
    let written: Option<()> = match encoding {
        #[cfg(feature = "gzip")]
        Encoding::Deflate => deflate::compress(deflate::Format::Zlib, bytes, codecs, out),
        #[cfg(feature = "gzip")]
        Encoding::Gzip => gzip::compress(bytes, codecs, out),
        #[cfg(feature = "lz4")]
        Encoding::Lz4 => lz4::compress(bytes, codecs, out),
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::compress_block(bytes, codecs, out),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => zstd::compress(bytes, codecs, out),
        Encoding::SnappyFramed | Encoding::Unstated => {
            return Err(CompressError::Unsupported(encoding));
        }
        #[cfg(not(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")))]
        other => return Err(CompressError::NotEnabled(other)),
    };
    written.ok_or(CompressError::Codec(encoding))
}

/// The most bytes that `len` bytes take when they are compressed.
#[cfg_attr(
    not(any(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")),
    allow(unused_variables, unreachable_code, reason = "nothing can be written without features")
)]
pub(in crate::body) fn max_compressed_len(
    encoding: Encoding,
    len: usize,
) -> Result<usize, CompressError> {
    let most: Option<usize> = match encoding {
        #[cfg(feature = "gzip")]
        Encoding::Deflate => Some(deflate::max_compressed_len(deflate::Format::Zlib, len)),
        #[cfg(feature = "gzip")]
        Encoding::Gzip => Some(gzip::max_compressed_len(len)),
        #[cfg(feature = "lz4")]
        Encoding::Lz4 => Some(lz4::max_compressed_len(len)),
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy::max_compressed_len(len),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => Some(zstd::max_compressed_len(len)),
        Encoding::SnappyFramed | Encoding::Unstated => {
            return Err(CompressError::Unsupported(encoding));
        }
        #[cfg(not(all(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd")))]
        other => return Err(CompressError::NotEnabled(other)),
    };
    most.ok_or(CompressError::Codec(encoding))
}
