//! A body that arrives chunk by chunk.

use core::fmt;

use super::buffers::{Body, Buffers, Kind, PooledBuffer};
use super::codec::{Codecs, Output, Stream, check_start};
use super::decompressor::{Decompressor, kind_within};
use super::encoding::{Encoding, Encodings};
use super::error::BodyError;
use super::limits::BodyLimits;
use super::sync::Arc;

/// A body that arrives chunk by chunk, as an HTTP server hands it over.
///
/// Gzip and zstd are inflated as the chunks come. It holds all buffers that the body needs, and
/// gives them back when it is dropped: at the end, after an error, or because the request was
/// cancelled.
///
/// ```
/// # #[cfg(feature = "snappy")] {
/// use borrowire::body::{BodyLimits, BufferPool, Encoding};
///
/// let pool = BufferPool::new();
/// let sent = pool.compress("some text", Encoding::Snappy)?;
///
/// let mut receiver = pool.receive(Encoding::Snappy, &BodyLimits::new(), None)?;
/// for chunk in sent.chunks(4) {
///     receiver.push(chunk)?;
/// }
/// assert_eq!(receiver.received(), sent.len());
/// let body = receiver.finish()?;
/// assert_eq!(*body, *b"some text");
/// # }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct BodyReceiver {
    stage: Stage,
    /// Bytes as sent, so far.
    received: usize,
    /// Why a chunk was refused: what follows is refused, too, or bytes would be missing.
    refused: Option<BodyError>,
    encodings: Encodings,
    limits: BodyLimits,
    buffers: Buffers,
    codecs: Arc<Codecs>,
}

/// The outermost layer.
#[allow(clippy::large_enum_variant, reason = "there is one for a request, and it stays in place")]
enum Stage {
    /// Decompressed as the chunks come.
    Stream { stream: Stream, out: PooledBuffer },
    /// Of a format that is decompressed in one piece: the bytes are held until then.
    Held { encoding: Encoding, held: PooledBuffer },
}

impl BodyReceiver {
    /// A receiver of a body of which nothing is there; `content_length` is what its sender says.
    pub(super) fn new(
        buffers: &Buffers,
        codecs: &Arc<Codecs>,
        encodings: Encodings,
        limits: &BodyLimits,
        content_length: Option<u64>,
    ) -> Result<Self, BodyError> {
        let hint = content_length.map_or(0, |len| usize::try_from(len).unwrap_or(usize::MAX));
        limits.check_compressed(hint)?;
        let mut layers = encodings.outermost_first();
        let stage = match layers.next() {
            None => {
                let out = buffers.take(Kind::Decompressed, hint);
                Stage::Stream { stream: Stream::Identity, out }
            }
            Some(encoding) => match Stream::new(encoding, codecs)? {
                Some(stream) => Stage::Stream { stream, out: buffers.take(kind_within(layers), 0) },
                None => Stage::Held { encoding, held: buffers.take(Kind::Compressed, hint) },
            },
        };
        Ok(Self {
            stage,
            received: 0,
            refused: None,
            encodings,
            limits: *limits,
            buffers: buffers.clone(),
            codecs: Arc::clone(codecs),
        })
    }

    /// Takes the next chunk of the body, as it was sent.
    ///
    /// # Errors
    ///
    /// What is wrong with the body so far, or which limit it is over. It stays refused then.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), BodyError> {
        self.check()?;
        self.try_push(chunk).inspect_err(|error| self.refused = error.try_clone())
    }

    fn try_push(&mut self, chunk: &[u8]) -> Result<(), BodyError> {
        self.received = self.received.saturating_add(chunk.len());
        self.limits.check_compressed(self.received)?;
        match &mut self.stage {
            Stage::Stream { stream, out } => {
                stream.push(chunk, &mut Output::new(out, &self.limits, self.received))
            }
            Stage::Held { encoding, held } => {
                held.extend_from_slice(chunk, self.limits.max_compressed_bytes);
                check_start(*encoding, held, &self.limits)
            }
        }
    }

    /// Whether all chunks so far were taken.
    fn check(&self) -> Result<(), BodyError> {
        self.refused.as_ref().and_then(BodyError::try_clone).map_or(Ok(()), Err)
    }

    /// Ends the body: all its chunks are there.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or which limit it is over.
    pub fn finish(self) -> Result<Body, BodyError> {
        self.check()?;
        let Self { stage, received: sent, encodings, limits, buffers, codecs, .. } = self;
        let mut layers = encodings.outermost_first();
        let buffer = match stage {
            Stage::Stream { stream, out } => {
                stream.finish()?;
                layers.next();
                out
            }
            Stage::Held { held, .. } => held,
        };
        let decompressor =
            Decompressor { buffers: &buffers, codecs: &codecs, limits: &limits, sent };
        decompressor.decompress_buffer(layers, buffer)
    }

    /// How many bytes were taken so far, as they were sent.
    #[must_use]
    pub const fn received(&self) -> usize {
        self.received
    }
}

impl fmt::Debug for BodyReceiver {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BodyReceiver")
            .field("encodings", &self.encodings)
            .field("received", &self.received)
            .finish_non_exhaustive()
    }
}
