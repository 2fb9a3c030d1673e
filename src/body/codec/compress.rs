//! One layer of compression, put on.

use alloc::vec::Vec;

#[cfg(feature = "gzip")]
use super::Idle;
use crate::body::compress::CompressError;
use crate::body::encoding::Encoding;
use crate::body::pool::BufferPool;

/// Writes `bytes`, compressed, to the empty `out`.
#[cfg_attr(
    not(any(feature = "gzip", feature = "snappy", feature = "zstd")),
    allow(
        unused_variables,
        unreachable_code,
        clippy::ptr_arg,
        reason = "nothing can be written without features"
    )
)]
pub(in crate::body) fn compress(
    encoding: Encoding,
    bytes: &[u8],
    pool: &BufferPool,
    out: &mut Vec<u8>,
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
fn snappy(bytes: &[u8], pool: &BufferPool, out: &mut Vec<u8>) -> Option<()> {
    let codecs = &pool.shared.codecs.snappy;
    let mut encoder = codecs.take().unwrap_or_else(snap::raw::Encoder::new);
    let most = snap::raw::max_compress_len(bytes.len());
    if most == 0 {
        return None;
    }
    out.resize(most, 0);
    let written = encoder.compress(bytes, out);
    codecs.give_back(encoder);
    out.truncate(written.ok()?);
    Some(())
}

#[cfg(feature = "gzip")]
fn gzip(bytes: &[u8], pool: &BufferPool, out: &mut Vec<u8>) -> Option<()> {
    // No name, no time, unknown system: equal bytes give equal output.
    const HEADER: [u8; 10] = [0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff];
    out.extend_from_slice(&HEADER);
    deflate(bytes, false, &pool.shared.codecs.deflate, out)?;
    let mut crc = flate2::Crc::new();
    crc.update(bytes);
    out.extend_from_slice(&crc.sum().to_le_bytes());
    out.extend_from_slice(&crc.amount().to_le_bytes());
    Some(())
}

/// A deflate stream, raw or in zlib's wrapper.
#[cfg(feature = "gzip")]
fn deflate(
    bytes: &[u8],
    zlib: bool,
    codecs: &Idle<flate2::Compress>,
    out: &mut Vec<u8>,
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
        let rest = bytes.get(taken..).unwrap_or_default();
        out.reserve(rest.len().saturating_div(4).saturating_add(4 << 10));
        match deflate.compress_vec(rest, out, FlushCompress::Finish) {
            Ok(Status::StreamEnd) => break true,
            Ok(_) => {}
            Err(_) => break false,
        }
    };
    codecs.give_back(deflate);
    ended.then_some(())
}

#[cfg(feature = "zstd")]
fn zstd(bytes: &[u8], pool: &BufferPool, out: &mut Vec<u8>) -> Option<()> {
    use ::zstd::stream::raw::{CParameter, Encoder, InBuffer, Operation, OutBuffer};

    let codecs = &pool.shared.codecs.zstd;
    let mut encoder = match codecs.take().map(|mut encoder| encoder.reinit().map(|()| encoder)) {
        Some(Ok(encoder)) => encoder,
        _ => {
            let mut encoder = Encoder::new(0).ok()?;
            encoder.set_parameter(CParameter::ChecksumFlag(true)).ok()?;
            encoder
        }
    };
    // The size in the frame's header lets the reader refuse or reserve at once.
    encoder.set_pledged_src_size(u64::try_from(bytes.len()).ok()).ok()?;
    out.reserve(::zstd::zstd_safe::compress_bound(bytes.len()));
    let mut input = InBuffer::around(bytes);
    let mut output = OutBuffer::around(out);
    let compressed = encoder.run(&mut input, &mut output);
    // With the whole bound reserved, one step takes everything, and one ends the frame.
    let ended = encoder.finish(&mut output, false);
    let all = input.pos() == bytes.len() && compressed.is_ok() && matches!(ended, Ok(0));
    if all {
        codecs.give_back(encoder);
    }
    all.then_some(())
}
