//! The ways in: a body in one piece, a reader, or chunk by chunk.

use core::fmt;
use std::io::{self, Read};

use super::buffer::{Kind, PooledBuffer};
use super::codec::{Output, Stream, check_start, decompressed_len_hint, undo};
use super::encoding::{Encoding, Encodings};
use super::error::BodyError;
use super::pool::{Body, BufferPool};
use crate::limits::Limits;

impl BufferPool {
    /// Decompresses a body that is there in one piece.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or which limit it is over.
    pub fn decompress(
        &self,
        body: &[u8],
        encodings: impl Into<Encodings>,
        limits: &Limits,
    ) -> Result<Body, BodyError> {
        check_compressed(body.len(), limits)?;
        let mut layers = encodings.into().undo();
        let Some(outermost) = layers.next() else {
            let mut buffer = self.take(Kind::Decompressed, body.len());
            Output::new(&mut buffer, limits, body.len()).append(body)?;
            return Ok(Body::new(buffer));
        };
        let kind = kind(layers.clone());
        let buffer = self.undo(outermost, body, kind, limits, body.len())?;
        self.undo_rest(layers, buffer, limits, body.len())
    }

    /// Reads a body to its end, and decompresses it as it comes.
    ///
    /// `content_length` is what the header of this name says, if there is one: a hint, which sizes no
    /// allocation by itself.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, which limit it is over, or what `reader` returns; an interrupted
    /// read is tried again.
    pub fn read(
        &self,
        mut reader: impl Read,
        encodings: impl Into<Encodings>,
        limits: &Limits,
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
    /// `content_length` is what the header of this name says, if there is one: a hint, which sizes no
    /// allocation by itself.
    ///
    /// # Errors
    ///
    /// If the content length is over the limit already, or an encoding's feature is not enabled.
    pub fn receive(
        &self,
        encodings: impl Into<Encodings>,
        limits: &Limits,
        content_length: Option<u64>,
    ) -> Result<BodyReceiver, BodyError> {
        let hint = content_length.map_or(0, |len| usize::try_from(len).unwrap_or(usize::MAX));
        check_compressed(hint, limits)?;
        let encodings = encodings.into();
        let mut layers = encodings.undo();
        let stage = match layers.next() {
            None => {
                let out = self.take(Kind::Decompressed, hint);
                Stage::Stream { stream: Stream::Identity, out }
            }
            Some(encoding) => match Stream::new(encoding, self)? {
                Some(stream) => Stage::Stream { stream, out: self.take(kind(layers), 0) },
                None => Stage::Held { encoding, held: self.take(Kind::Compressed, hint) },
            },
        };
        let pool = self.clone();
        Ok(BodyReceiver { stage, received: 0, refused: None, encodings, limits: *limits, pool })
    }

    /// Undoes one layer into a buffer of its own. `sent` is the size of the body as it was sent.
    fn undo(
        &self,
        encoding: Encoding,
        bytes: &[u8],
        kind: Kind,
        limits: &Limits,
        sent: usize,
    ) -> Result<PooledBuffer, BodyError> {
        let mut buffer = self.take(kind, decompressed_len_hint(encoding, bytes));
        undo(encoding, bytes, self, &mut Output::new(&mut buffer, limits, sent))?;
        Ok(buffer)
    }

    /// Undoes what is left of the layers. Each buffer returns to the pool as soon as it is read.
    fn undo_rest(
        &self,
        mut layers: impl Iterator<Item = Encoding> + Clone,
        outermost: PooledBuffer,
        limits: &Limits,
        sent: usize,
    ) -> Result<Body, BodyError> {
        let mut buffer = outermost;
        while let Some(encoding) = layers.next() {
            buffer = self.undo(encoding, &buffer, kind(layers.clone()), limits, sent)?;
        }
        Ok(Body::new(buffer))
    }
}

/// Of what kind the buffer is that has `layers` still around it.
fn kind(mut layers: impl Iterator<Item = Encoding>) -> Kind {
    if layers.next().is_some() { Kind::Compressed } else { Kind::Decompressed }
}

fn check_compressed(len: usize, limits: &Limits) -> Result<(), BodyError> {
    if len > limits.max_compressed_bytes {
        return Err(BodyError::CompressedTooLarge { limit: limits.max_compressed_bytes });
    }
    Ok(())
}

/// A body that arrives chunk by chunk, as an HTTP server hands it over.
///
/// Gzip and zstd are inflated as the chunks come. It holds all buffers that the body needs, and gives
/// them back when it is dropped: at the end, after an error, or because the request was cancelled.
///
/// ```
/// # #[cfg(feature = "snappy")] {
/// use borrowire::Limits;
/// use borrowire::body::{BufferPool, Encoding};
///
/// let pool = BufferPool::new();
/// let mut receiver = pool.receive(Encoding::Snappy, &Limits::new(), Some(4))?;
/// for chunk in [&[0x02, 0x04][..], &[0x0a], &[0x00]] {
///     receiver.push(chunk)?;
/// }
/// let body = receiver.finish()?;
/// assert_eq!(*body, [0x0a, 0x00]);
/// # }
/// # Ok::<(), borrowire::body::BodyError>(())
/// ```
pub struct BodyReceiver {
    stage: Stage,
    /// Bytes as sent, so far.
    received: usize,
    /// Why a chunk was refused: what follows is refused, too, or bytes would be missing.
    refused: Option<BodyError>,
    encodings: Encodings,
    limits: Limits,
    pool: BufferPool,
}

/// The outermost layer.
#[allow(clippy::large_enum_variant, reason = "there is one for a request, and it stays in place")]
enum Stage {
    /// Undone as the chunks come.
    Stream { stream: Stream, out: PooledBuffer },
    /// Of a format that is undone in one piece: the bytes are held until then.
    Held { encoding: Encoding, held: PooledBuffer },
}

impl BodyReceiver {
    /// Takes the next chunk of the body, as it was sent.
    ///
    /// # Errors
    ///
    /// What is wrong with the body so far, or which limit it is over. It stays refused then.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), BodyError> {
        self.check()?;
        self.try_push(chunk).inspect_err(|error| self.refused = error.again())
    }

    fn try_push(&mut self, chunk: &[u8]) -> Result<(), BodyError> {
        self.received = self.received.saturating_add(chunk.len());
        check_compressed(self.received, &self.limits)?;
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
        self.refused.as_ref().and_then(BodyError::again).map_or(Ok(()), Err)
    }

    /// Ends the body: all its chunks are there.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or which limit it is over.
    pub fn finish(self) -> Result<Body, BodyError> {
        self.check()?;
        let Self { stage, received: sent, encodings, limits, pool, .. } = self;
        let layers = encodings.undo().skip(1);
        let buffer = match stage {
            Stage::Stream { stream, out } => {
                stream.finish()?;
                out
            }
            Stage::Held { encoding, held } => {
                pool.undo(encoding, &held, kind(layers.clone()), &limits, sent)?
            }
        };
        pool.undo_rest(layers, buffer, &limits, sent)
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

const _: () = {
    const fn assert_send<T: Send + 'static>() {}
    assert_send::<BodyReceiver>();
    assert_send::<Body>();
    assert_send::<BufferPool>();
};
