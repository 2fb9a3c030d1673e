//! The pool: every way in and out for a body.

use core::fmt;
use std::io::{self, Read};

use super::buffers::{Body, Buffers, Caps, PoolStatistics};
use super::codec::{self, Codecs};
use super::compressor::Compressor;
use super::decompressor::Decompressor;
use super::encoding::Encodings;
use super::error::{BodyError, CompressError};
use super::limits::BodyLimits;
use super::receive::BodyReceiver;
use super::sync::Arc;
use crate::Encode;

/// Buffers and codecs that lie idle between requests, for any number of threads; a clone is the
/// same pool.
///
/// | from | to a [`Body`] by |
/// |---|---|
/// | a body in one piece | [`decompress`](Self::decompress) |
/// | a reader | [`read`](Self::read) |
/// | chunks, as an HTTP server has them | [`receive`](Self::receive) |
/// | a message to send | [`compress`](Self::compress) |
///
/// A message to send into memory of the caller: [`compress_to_slice`](Self::compress_to_slice).
///
/// ```
/// # #[cfg(feature = "snappy")] {
/// use borrowire::body::{BodyLimits, BufferPool, Encoding};
/// use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let pool = BufferPool::new(); // once, shared by all requests
///
/// let labels = [Label::new("__name__", "up")];
/// let message = WriteRequestEncoder::new([TimeSeries::new(&labels)]);
/// let sent = pool.compress(&message, Encoding::Snappy)?;
///
/// let body = pool.decompress(&sent, Encoding::Snappy, &BodyLimits::new())?;
/// let request = WriteRequest::decode(&body)?; // borrows from `body`
/// assert_eq!(request.timeseries().len(), 1);
/// drop((sent, body)); // their buffers are back in the pool
/// assert_eq!(pool.statistics().outstanding(), 0);
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// What it keeps is capped. Caps are set on a new pool: each of the `with_` methods returns an
/// empty pool, apart from all others.
///
/// ```
/// # use borrowire::body::BufferPool;
/// let pool = BufferPool::new().with_max_idle_bytes(64 << 20).with_large_buffer_bytes(4 << 20);
/// ```
///
/// A view cannot outlive its body:
///
/// ```compile_fail,E0505
/// # use borrowire::body::{BodyLimits, BufferPool, Encodings};
/// # use borrowire::remote_write::v1::WriteRequest;
/// # let (pool, sent) = (BufferPool::new(), []);
/// let body = pool.decompress(&sent, Encodings::IDENTITY, &BodyLimits::new()).unwrap();
/// let request = WriteRequest::decode(&body).unwrap();
/// drop(body);
/// println!("{}", request.timeseries().len());
/// ```
#[derive(Clone)]
#[doc(alias("snappy", "gzip", "zstd", "decompress", "compress"))]
pub struct BufferPool {
    buffers: Buffers,
    codecs: Arc<Codecs>,
}

impl Default for BufferPool {
    fn default() -> Self {
        Self::new()
    }
}

impl BufferPool {
    /// An empty pool with the default caps on what it keeps.
    #[must_use]
    pub fn new() -> Self {
        Self::with_caps(Caps::DEFAULT)
    }

    /// Sets how many bytes all idle buffers together may hold. Default: 256 MiB.
    #[must_use]
    pub fn with_max_idle_bytes(self, bytes: usize) -> Self {
        Self::with_caps(Caps { max_idle_bytes: bytes, ..self.buffers.caps() })
    }

    /// Sets the size of the largest buffer that is kept. Default: 64 MiB. A workload whose bodies
    /// are mostly larger should raise it, or each of them costs an allocation.
    #[must_use]
    pub fn with_max_buffer_bytes(self, bytes: usize) -> Self {
        Self::with_caps(Caps { max_buffer_bytes: bytes, ..self.buffers.caps() })
    }

    /// Sets the size over which a buffer is freed if it was used to less than a quarter, so that
    /// one large request does not leave its mark. Default: 1 MiB.
    #[must_use]
    pub fn with_large_buffer_bytes(self, bytes: usize) -> Self {
        Self::with_caps(Caps { large_buffer_bytes: bytes, ..self.buffers.caps() })
    }

    fn with_caps(caps: Caps) -> Self {
        Self { buffers: Buffers::new(caps), codecs: Arc::new(Codecs::default()) }
    }

    /// Decompresses a body that is there in one piece.
    ///
    /// ```
    /// # #[cfg(feature = "snappy")] {
    /// use borrowire::body::{BodyLimits, BufferPool, Encoding};
    ///
    /// let pool = BufferPool::new();
    /// # let sent = pool.compress("some text", Encoding::Snappy)?;
    /// let body = pool.decompress(&sent, Encoding::Snappy, &BodyLimits::new())?;
    /// assert_eq!(*body, *b"some text");
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or which limit it is over.
    pub fn decompress(
        &self,
        body: &[u8],
        encodings: impl Into<Encodings>,
        limits: &BodyLimits,
    ) -> Result<Body, BodyError> {
        limits.check_compressed(body.len())?;
        let Self { buffers, codecs } = self;
        let decompressor = Decompressor { buffers, codecs, limits, sent: body.len() };
        decompressor.decompress(encodings.into().outermost_first(), body)
    }

    /// Reads a body to its end, and decompresses it as it comes.
    ///
    /// `content_length` is what the header of this name says, if there is one: a hint, which sizes
    /// no allocation by itself.
    ///
    /// ```
    /// use borrowire::body::{BodyLimits, BufferPool, Encodings};
    ///
    /// let pool = BufferPool::new();
    /// let reader = &b"some text"[..]; // any `std::io::Read`
    /// let body = pool.read(reader, Encodings::IDENTITY, &BodyLimits::new(), Some(9))?;
    /// assert_eq!(*body, *b"some text");
    /// # Ok::<(), borrowire::body::BodyError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// What is wrong with the body, which limit it is over, or what `reader` returns; an
    /// interrupted read is tried again.
    pub fn read(
        &self,
        mut reader: impl Read,
        encodings: impl Into<Encodings>,
        limits: &BodyLimits,
        content_length: Option<u64>,
    ) -> Result<Body, BodyError> {
        let mut receiver = self.receive(encodings, limits, content_length)?;
        let mut chunk = [0; 8 << 10];
        loop {
            match reader.read(&mut chunk) {
                Ok(0) => return receiver.finish(),
                Ok(len) => receiver.push(chunk.get(..len).unwrap_or_default())?,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(BodyError::Read(error)),
            }
        }
    }

    /// Starts a body that arrives chunk by chunk.
    ///
    /// `content_length` is what the header of this name says, if there is one: a hint, which sizes
    /// no allocation by itself. For an example see [`BodyReceiver`].
    ///
    /// # Errors
    ///
    /// If the content length is over the limit already, or an encoding's feature is not enabled.
    pub fn receive(
        &self,
        encodings: impl Into<Encodings>,
        limits: &BodyLimits,
        content_length: Option<u64>,
    ) -> Result<BodyReceiver, BodyError> {
        let encodings = encodings.into();
        BodyReceiver::new(&self.buffers, &self.codecs, encodings, limits, content_length)
    }

    /// Encodes `message` and compresses it, layer by layer. Buffers and the state of codecs come
    /// from the pool, so nothing is allocated once it is warm.
    ///
    /// Gzip and deflate (written in zlib's wrapper) use level 6, zstd level 3.
    ///
    /// ```
    /// # #[cfg(feature = "snappy")] {
    /// use borrowire::body::{BodyLimits, BufferPool, Encoding};
    /// use borrowire::remote_write::v1::WriteRequestEncoder;
    /// use borrowire::remote_write::{Label, TimeSeries};
    ///
    /// let pool = BufferPool::new();
    /// let labels = [Label::new("__name__", "up")];
    /// let message = WriteRequestEncoder::new([TimeSeries::new(&labels)]); // any `Encode`
    /// let sent = pool.compress(&message, Encoding::Snappy)?; // what to post
    /// # let read = pool.decompress(&sent, Encoding::Snappy, &BodyLimits::new())?;
    /// # assert_eq!(*read, *borrowire::Encode::encode_to_vec(&message)?);
    /// # }
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the message is over protobuf's limit, or an encoding cannot be written.
    pub fn compress(
        &self,
        message: &(impl Encode + ?Sized),
        encodings: impl Into<Encodings>,
    ) -> Result<Body, CompressError> {
        self.compressor().compress(message, encodings.into())
    }

    /// Encodes `message` and compresses it, layer by layer, into the front of `out`, and returns how
    /// many bytes it takes: for memory that is the caller's, such as a frame or a batch. Bytes of `out`
    /// behind that are unspecified. The bytes are those that [`compress`](Self::compress) gives, and
    /// nothing is allocated once the pool is warm.
    ///
    /// `out` is long enough if it holds [`max_compressed_len`](Self::max_compressed_len) bytes. If it is
    /// shorter, but the bytes fit, they go through a buffer of the pool.
    ///
    /// ```
    /// # #[cfg(feature = "snappy")] {
    /// use borrowire::Encode;
    /// use borrowire::body::{BodyLimits, BufferPool, Encoding};
    /// use borrowire::remote_write::v1::WriteRequestEncoder;
    /// use borrowire::remote_write::{Label, TimeSeries};
    ///
    /// let pool = BufferPool::new();
    /// let labels = [Label::new("__name__", "up")];
    /// let message = WriteRequestEncoder::new([TimeSeries::new(&labels)]); // any `Encode`
    ///
    /// let most = BufferPool::max_compressed_len(message.encoded_len(), Encoding::Snappy)?;
    /// let mut out = vec![0; most]; // used again and again
    /// let len = pool.compress_to_slice(&message, Encoding::Snappy, &mut out)?;
    /// assert_eq!(out[..len], *pool.compress(&message, Encoding::Snappy)?);
    /// # }
    /// # Ok::<(), borrowire::body::CompressError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If `out` is too short, with how many bytes it takes; if the message is over protobuf's limit, or
    /// an encoding cannot be written. What is in `out` is then unspecified.
    pub fn compress_to_slice(
        &self,
        message: &(impl Encode + ?Sized),
        encodings: impl Into<Encodings>,
        out: &mut [u8],
    ) -> Result<usize, CompressError> {
        self.compressor().compress_to_slice(message, encodings.into(), out)
    }

    /// The most bytes that a message of `len` bytes takes when it is compressed: a little more than
    /// `len`, because not all bytes can be compressed.
    ///
    /// ```
    /// # #[cfg(feature = "snappy")] {
    /// use borrowire::body::{BufferPool, Encoding, Encodings};
    ///
    /// assert_eq!(BufferPool::max_compressed_len(600, Encodings::IDENTITY)?, 600);
    /// assert_eq!(BufferPool::max_compressed_len(600, Encoding::Snappy)?, 600 + 600 / 6 + 32);
    /// # }
    /// # Ok::<(), borrowire::body::CompressError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If an encoding cannot be written, or not for so many bytes.
    pub fn max_compressed_len(
        len: usize,
        encodings: impl Into<Encodings>,
    ) -> Result<usize, CompressError> {
        let mut layers = encodings.into().layers();
        layers.try_fold(len, |len, encoding| codec::max_compressed_len(encoding, len))
    }

    fn compressor(&self) -> Compressor<'_> {
        Compressor { buffers: &self.buffers, codecs: &self.codecs }
    }

    /// What happened so far, for a metrics page.
    #[must_use]
    pub fn statistics(&self) -> PoolStatistics {
        self.buffers.statistics()
    }
}

impl fmt::Debug for BufferPool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BufferPool")
            .field("caps", &self.buffers.caps())
            .field("statistics", &self.statistics())
            .finish()
    }
}

const _: () = {
    const fn assert_send<T: Send + 'static>() {}
    assert_send::<BodyReceiver>();
    assert_send::<Body>();
    assert_send::<BufferPool>();
};
