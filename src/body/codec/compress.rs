//! One layer of compression, put on.

#[cfg(feature = "gzip")]
use super::Idle;
use crate::body::buffer::PooledBuffer;
use crate::body::compress::CompressError;
use crate::body::encoding::Encoding;
use crate::body::pool::BufferPool;

/// Writes `bytes`, compressed, to the empty `out`.
#[cfg_attr(
    not(any(feature = "gzip", feature = "snappy", feature = "zstd")),
    allow(unused_variables, unreachable_code, reason = "nothing can be written without features")
)]
pub(in crate::body) fn compress(
    encoding: Encoding,
    bytes: &[u8],
    pool: &BufferPool,
    out: &mut PooledBuffer,
) -> Result<(), CompressError> {
    let written: Option<()> = match encoding {
        #[cfg(feature = "snappy")]
        Encoding::Snappy => snappy(bytes, pool, out),
        #[cfg(feature = "gzip")]
        Encoding::Gzip => gzip(bytes, pool, out),
        #[cfg(feature = "gzip")]
        Encoding::Deflate => deflate(bytes, true, &pool.shared.codecs.zlib, out),
        #[cfg(feature = "zstd")]
        Encoding::Zstd => zstd(bytes, pool, out),
        other => return Err(CompressError::Unsupported(other)),
    };
    written.ok_or(CompressError::Codec(encoding))
}

#[cfg(feature = "snappy")]
fn snappy(bytes: &[u8], pool: &BufferPool, out: &mut PooledBuffer) -> Option<()> {
    let codecs = &pool.shared.codecs.snappy;
    let mut encoder = codecs.take().unwrap_or_else(snap::raw::Encoder::new);
    let most = snap::raw::max_compress_len(bytes.len());
    if most == 0 {
        return None;
    }
    let written = encoder.compress(bytes, out.room_for(most));
    codecs.give_back(encoder, 40 << 10);
    out.advance(written.ok()?);
    Some(())
}

#[cfg(feature = "gzip")]
fn gzip(bytes: &[u8], pool: &BufferPool, out: &mut PooledBuffer) -> Option<()> {
    // No name, no time, unknown system: equal bytes give equal output.
    const HEADER: [u8; 10] = [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff];
    out.extend_from_slice(&HEADER, usize::MAX);
    deflate(bytes, false, &pool.shared.codecs.deflate, out)?;
    let mut crc = super::gzip::Crc::default();
    crc.update(bytes);
    out.extend_from_slice(&crc.sum().to_le_bytes(), usize::MAX);
    out.extend_from_slice(&crc.amount().to_le_bytes(), usize::MAX);
    Some(())
}

/// A deflate stream, raw or in zlib's wrapper.
#[cfg(feature = "gzip")]
fn deflate(
    bytes: &[u8],
    zlib: bool,
    codecs: &Idle<flate2::Compress>,
    out: &mut PooledBuffer,
) -> Option<()> {
    use flate2::{Compress, Compression, FlushCompress, Status};

    let mut deflate = match codecs.take() {
        Some(mut deflate) => {
            deflate.reset();
            deflate
        }
        None => Compress::new(Compression::default(), zlib),
    };
    let ended = loop {
        let taken = usize::try_from(deflate.total_in()).unwrap_or(usize::MAX);
        let before = deflate.total_out();
        let rest = bytes.get(taken..).unwrap_or_default();
        let status = deflate.compress(rest, out.room(usize::MAX), FlushCompress::Finish);
        let written = deflate.total_out().saturating_sub(before);
        out.advance(usize::try_from(written).unwrap_or(usize::MAX));
        match status {
            Ok(Status::StreamEnd) => break true,
            Ok(_) => {}
            Err(_) => break false,
        }
    };
    // About what its tables and windows take.
    codecs.give_back(deflate, 300 << 10);
    ended.then_some(())
}

#[cfg(feature = "zstd")]
fn zstd(bytes: &[u8], pool: &BufferPool, out: &mut PooledBuffer) -> Option<()> {
    use ::zstd::zstd_safe::{CCtx, CParameter, compress_bound};

    let codecs = &pool.shared.codecs.zstd;
    let mut context = match codecs.take() {
        Some(context) => context,
        None => {
            let mut context = CCtx::try_create()?;
            context.set_parameter(CParameter::ChecksumFlag(true)).ok()?;
            context
        }
    };
    // In one piece: the size in the frame's header lets the reader refuse or reserve at once.
    let written = context.compress2(out.room_for(compress_bound(bytes.len())), bytes).ok()?;
    let held = context.sizeof();
    codecs.give_back(context, held);
    out.advance(written);
    Some(())
}
