//! The ways in: a body in one piece, a reader, or chunk by chunk.

use core::fmt;
use std::io::{self, Read};

use super::codec::{Layer, Output, undo};
use super::encoding::{Encoding, Encodings};
use super::error::BodyError;
use super::pool::{Body, BufferPool, PooledBuffer};
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
            let mut buffer = self.take(body.len());
            let mut output = Output::new(buffer.as_mut_vec(), limits, body.len());
            Layer::Identity.push(body, &mut output)?;
            return Ok(Body::new(buffer));
        };
        let buffer = self.undo(outermost, body, limits, body.len())?;
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
        const CHUNK: usize = 32 << 10;
        let mut receiver = self.receive(encodings, limits, content_length)?;
        let mut chunk = self.take(CHUNK);
        let chunk = chunk.as_mut_vec();
        chunk.resize(CHUNK, 0);
        loop {
            match reader.read(chunk) {
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
        let layer = Layer::new(encodings.undo().next(), self, hint)?;
        let out_hint = if encodings.is_identity() { hint } else { 0 };
        Ok(BodyReceiver {
            layer,
            out: self.take(out_hint),
            received: 0,
            encodings,
            limits: *limits,
            pool: self.clone(),
        })
    }

    /// Undoes one layer into a buffer of its own. `sent` is the size of the body as it was sent.
    fn undo(
        &self,
        encoding: Encoding,
        bytes: &[u8],
        limits: &Limits,
        sent: usize,
    ) -> Result<PooledBuffer, BodyError> {
        let mut buffer = self.take(bytes.len());
        undo(encoding, bytes, self, &mut Output::new(buffer.as_mut_vec(), limits, sent))?;
        Ok(buffer)
    }

    /// Undoes what is left of the layers. Each buffer returns to the pool as soon as it is read.
    fn undo_rest(
        &self,
        layers: impl Iterator<Item = Encoding>,
        outermost: PooledBuffer,
        limits: &Limits,
        sent: usize,
    ) -> Result<Body, BodyError> {
        let mut buffer = outermost;
        for encoding in layers {
            buffer = self.undo(encoding, &buffer, limits, sent)?;
        }
        Ok(Body::new(buffer))
    }
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
    layer: Layer,
    out: PooledBuffer,
    /// Bytes as sent, so far.
    received: usize,
    encodings: Encodings,
    limits: Limits,
    pool: BufferPool,
}

impl BodyReceiver {
    /// Takes the next chunk of the body, as it was sent.
    ///
    /// # Errors
    ///
    /// What is wrong with the body so far, or which limit it is over. Give up on it then.
    pub fn push(&mut self, chunk: &[u8]) -> Result<(), BodyError> {
        self.received = self.received.saturating_add(chunk.len());
        check_compressed(self.received, &self.limits)?;
        let mut output = Output::new(self.out.as_mut_vec(), &self.limits, self.received);
        self.layer.push(chunk, &mut output)
    }

    /// Ends the body: all its chunks are there.
    ///
    /// # Errors
    ///
    /// What is wrong with the body, or which limit it is over.
    pub fn finish(mut self) -> Result<Body, BodyError> {
        let sent = self.received;
        let mut output = Output::new(self.out.as_mut_vec(), &self.limits, sent);
        self.layer.finish(&self.pool, &mut output)?;
        let Self { layer, out, encodings, limits, pool, .. } = self;
        drop(layer);
        pool.undo_rest(encodings.undo().skip(1), out, &limits, sent)
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
