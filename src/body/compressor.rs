//! A message to send, compressed layer by layer.

use super::buffers::{Body, Buffers, Kind, PooledBuffer};
use super::codec::{self, Codecs, SliceSink};
use super::encoding::{Encoding, Encodings};
use super::error::CompressError;
use crate::wire::error::{EncodeError, EncodeErrorKind};
use crate::wire::message::{Encode, checked_len};

/// What it takes to compress one message.
#[derive(Clone, Copy)]
pub(super) struct Compressor<'p> {
    pub(super) buffers: &'p Buffers,
    pub(super) codecs: &'p Codecs,
}

impl Compressor<'_> {
    pub(super) fn compress(
        self,
        message: &(impl Encode + ?Sized),
        encodings: Encodings,
    ) -> Result<Body, CompressError> {
        Ok(Body::new(self.compress_layers(message, encodings.layers())?))
    }

    /// Compresses into the front of `out`, and returns how many bytes it takes.
    pub(super) fn compress_to_slice(
        self,
        message: &(impl Encode + ?Sized),
        encodings: Encodings,
        out: &mut [u8],
    ) -> Result<usize, CompressError> {
        let mut layers = encodings.layers();
        let Some(outermost) = layers.next_back() else {
            return message.encode(out).map_err(not_encoded);
        };
        let inner = self.compress_layers(message, layers)?;
        if out.len() >= codec::max_compressed_len(outermost, inner.len())? {
            let mut sink = SliceSink::new(out);
            codec::compress(outermost, &inner, self.codecs, &mut sink)?;
            return Ok(sink.written());
        }
        // Perhaps there is room enough; in a buffer the bytes show how many they are.
        let compressed = self.compress_layer(outermost, &inner)?;
        let (needed, capacity) = (compressed.len(), out.len());
        let front = out.get_mut(..needed);
        front
            .ok_or(CompressError::BufferTooSmall { needed, capacity })?
            .copy_from_slice(&compressed);
        Ok(needed)
    }

    /// Encodes `message`, and compresses it in `layers`, the innermost first. Each buffer returns to
    /// the pool as soon as it is read.
    fn compress_layers(
        self,
        message: &(impl Encode + ?Sized),
        layers: impl Iterator<Item = Encoding>,
    ) -> Result<PooledBuffer, CompressError> {
        let len = checked_len(message, 0).map_err(CompressError::Encode)?;
        let mut buffer = self.buffers.take(Kind::Decompressed, len);
        let written = message.encode(buffer.room_for(len)).map_err(CompressError::Encode)?;
        buffer.advance(written);
        for encoding in layers {
            buffer = self.compress_layer(encoding, &buffer)?;
        }
        Ok(buffer)
    }

    /// Compresses one layer into a buffer of its own.
    fn compress_layer(
        self,
        encoding: Encoding,
        bytes: &[u8],
    ) -> Result<PooledBuffer, CompressError> {
        let mut compressed = self.buffers.take(Kind::Compressed, bytes.len());
        codec::compress(encoding, bytes, self.codecs, &mut compressed)?;
        Ok(compressed)
    }
}

/// An error of encoding straight into the caller's slice.
const fn not_encoded(error: EncodeError) -> CompressError {
    match error.kind() {
        EncodeErrorKind::BufferTooSmall => {
            CompressError::BufferTooSmall { needed: error.needed(), capacity: error.capacity() }
        }
        EncodeErrorKind::MessageTooLarge => CompressError::Encode(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::body::{BodyLimits, BufferPool};
    use std::vec;
    use std::vec::Vec;

    /// All encodings that are written, alone and one around the other.
    fn written() -> Vec<Encodings> {
        let all =
            [Encoding::Deflate, Encoding::Gzip, Encoding::Lz4, Encoding::Snappy, Encoding::Zstd];
        let single: Vec<_> = all.into_iter().filter(|encoding| encoding.is_enabled()).collect();
        let around = |inner| single.iter().map(move |&outer| Encodings::new(inner).and(outer));
        let double = single.iter().flat_map(|&inner| around(inner)).map(Result::unwrap);
        double
            .chain(single.iter().copied().map(Encodings::new))
            .chain([Encodings::IDENTITY])
            .collect()
    }

    /// Bytes that do not compress, of some length; and such that do.
    fn messages(len: usize) -> [Vec<u8>; 2] {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let noise = (0..len).map(|_| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed.to_le_bytes()[4]
        });
        [noise.collect(), b"http_requests_total".repeat(len / 19)]
    }

    #[test]
    fn a_slice_holds_what_a_body_holds() {
        let pool = BufferPool::new();
        for len in [0, 1, 2, 60, 300, 4_096, 70_000, 300_000] {
            for (message, encodings) in messages(len)
                .iter()
                .flat_map(|message| written().into_iter().map(move |e| (message, e)))
            {
                let body = pool.compress(message, encodings).unwrap();
                let most = BufferPool::max_compressed_len(message.len(), encodings).unwrap();
                assert!(body.len() <= most, "{len} bytes, {encodings:?}: {} > {most}", body.len());
                let mut out = vec![0; most];
                let written = pool.compress_to_slice(message, encodings, &mut out).unwrap();
                assert!(out[..written] == *body, "{len} bytes, {encodings:?}");
                let read = pool.decompress(&out[..written], encodings, &BodyLimits::new());
                assert!(*read.unwrap() == message[..], "{len} bytes, {encodings:?}");
            }
        }
        assert_eq!(pool.statistics().outstanding(), 0);
    }

    #[test]
    fn a_slice_that_is_just_long_enough_will_do() {
        let pool = BufferPool::new();
        for (message, encodings) in [0, 1, 40, 5_000, 200_000]
            .into_iter()
            .flat_map(messages)
            .flat_map(|message| written().into_iter().map(move |e| (message.clone(), e)))
        {
            let body = pool.compress(&message, encodings).unwrap();
            let mut out = vec![0; body.len()];
            let written = pool.compress_to_slice(&message, encodings, &mut out);
            assert_eq!(written, Ok(body.len()), "{encodings:?}");
            assert!(out == *body, "{encodings:?}");
        }
    }

    #[test]
    fn a_slice_that_is_too_short_tells_how_long_it_should_be() {
        let pool = BufferPool::new();
        for (message, encodings) in [1, 40, 5_000]
            .into_iter()
            .flat_map(messages)
            .flat_map(|message| written().into_iter().map(move |e| (message.clone(), e)))
        {
            let needed = pool.compress(&message, encodings).unwrap().len();
            for capacity in [0, 1, needed / 2, needed.saturating_sub(1)] {
                if capacity >= needed {
                    continue;
                }
                let mut out = vec![0; capacity];
                let error = pool.compress_to_slice(&message, encodings, &mut out).unwrap_err();
                assert_eq!(error, CompressError::BufferTooSmall { needed, capacity });
            }
            // And nothing of that is left in the codecs.
            let again = pool.compress(&message, encodings).unwrap();
            assert_eq!(again.len(), needed, "{encodings:?}");
        }
        assert_eq!(pool.statistics().outstanding(), 0);
    }

    /// Deflate would write a byte more or less, depending on where it ran out of room.
    #[test]
    fn where_the_bytes_go_makes_no_difference() {
        let [noise, _] = messages(100_000);
        let message: Vec<u8> = noise
            .iter()
            .flat_map(|byte| std::format!("pod-{byte:x} up 0.{byte}\n").into_bytes())
            .collect();
        for encodings in written() {
            let pool = BufferPool::new();
            let cold = pool.compress(&message, encodings).unwrap().to_vec();
            let warm = pool.compress(&message, encodings).unwrap();
            let mut out = vec![0; 2 * message.len()];
            let len = pool.compress_to_slice(&message, encodings, &mut out).unwrap();
            assert!(cold == *warm && cold == out[..len], "{encodings:?}");
        }
    }

    #[test]
    fn what_cannot_be_written_is_refused_alike() {
        let pool = BufferPool::new();
        for encoding in [Encoding::SnappyFramed, Encoding::Unstated] {
            let refused = CompressError::Unsupported(encoding);
            assert_eq!(BufferPool::max_compressed_len(1, encoding), Err(refused));
            assert_eq!(pool.compress_to_slice("text", encoding, &mut [0; 64]), Err(refused));
            assert_eq!(pool.compress_to_slice("text", encoding, &mut []), Err(refused));
        }
        for encoding in
            [Encoding::Deflate, Encoding::Gzip, Encoding::Lz4, Encoding::Snappy, Encoding::Zstd]
        {
            // Of so many none is refused but by snappy; without its feature each is.
            let expected = match encoding {
                _ if !encoding.is_enabled() => Err(CompressError::NotEnabled(encoding)),
                Encoding::Snappy => Err(CompressError::Codec(encoding)),
                _ => Ok(()),
            };
            let most = BufferPool::max_compressed_len(usize::MAX, encoding);
            assert_eq!(most.map(|most| assert!(most > usize::MAX >> 1)), expected);
        }
    }
}
