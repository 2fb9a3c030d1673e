//! The way out, for senders: a message encoded and compressed into pooled buffers.

use core::fmt;

use super::buffer::Kind;
use super::codec::compress;
use super::encoding::{Encoding, Encodings};
use super::pool::{Body, BufferPool};
use crate::wire::error::EncodeError;
use crate::wire::message::{Encode, checked_len};

/// Why a message was not compressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompressError {
    /// The message is over 2 GiB - 1.
    Encode(EncodeError),
    /// The encoding cannot be written: its feature is not enabled, or the sender must choose one.
    Unsupported(Encoding),
    /// The codec refuses the bytes: for snappy, over 4 GiB.
    Codec(Encoding),
}

impl fmt::Display for CompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encode(error) => error.fmt(f),
            Self::Unsupported(encoding) => write!(f, "cannot write content encoding: {encoding}"),
            Self::Codec(encoding) => write!(f, "compression failed ({encoding})"),
        }
    }
}

impl core::error::Error for CompressError {}

impl BufferPool {
    /// Encodes `message` and compresses it, layer by layer. Buffers and the state of codecs come from
    /// the pool, so nothing is allocated once it is warm.
    ///
    /// Gzip and deflate (written in zlib's wrapper) use level 6, zstd level 3.
    ///
    /// ```
    /// # #[cfg(feature = "snappy")] {
    /// use borrowire::Limits;
    /// use borrowire::body::{BufferPool, Encoding};
    /// use borrowire::remote_write::v1::WriteRequest;
    ///
    /// let pool = BufferPool::new();
    /// let request = WriteRequest::decode(&[0x0a, 0x00])?;
    /// let body = pool.compress(&request, Encoding::Snappy)?; // what to post
    /// let received = pool.decompress(&body, Encoding::Snappy, &Limits::new())?;
    /// assert_eq!(*received, [0x0a, 0x00]);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the message is over protobuf's limit, or an encoding cannot be written.
    pub fn compress(
        &self,
        message: &impl Encode,
        encodings: impl Into<Encodings>,
    ) -> Result<Body, CompressError> {
        let len = checked_len(message, 0).map_err(CompressError::Encode)?;
        let mut buffer = self.take(Kind::Decompressed, len);
        let written = message.encode(buffer.room_for(len)).map_err(CompressError::Encode)?;
        buffer.advance(written);
        for encoding in encodings.into().layers() {
            let mut compressed = self.take(Kind::Compressed, buffer.len());
            compress(encoding, &buffer, self, &mut compressed)?;
            buffer = compressed;
        }
        Ok(Body::new(buffer))
    }
}
