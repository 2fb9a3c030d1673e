//! A body whose bytes are all there, decompressed layer by layer.

use super::buffers::{Body, Buffers, Kind, PooledBuffer};
use super::codec::{self, Codecs, Output};
use super::encoding::Encoding;
use super::error::BodyError;
use super::limits::BodyLimits;
use super::sync::Arc;

/// What it takes to decompress one body in one piece.
#[derive(Clone, Copy)]
pub(super) struct Decompressor<'p> {
    pub(super) buffers: &'p Buffers,
    pub(super) codecs: &'p Arc<Codecs>,
    pub(super) limits: &'p BodyLimits,
    /// The size of the body as it was sent.
    pub(super) sent: usize,
}

impl Decompressor<'_> {
    /// Decompresses `layers`, the outermost first, which are around `bytes`.
    pub(super) fn decompress(
        self,
        mut layers: impl Iterator<Item = Encoding> + Clone,
        bytes: &[u8],
    ) -> Result<Body, BodyError> {
        let Some(outermost) = layers.next() else {
            let mut buffer = self.buffers.take(Kind::Decompressed, bytes.len());
            Output::new(&mut buffer, self.limits, self.sent).append(bytes)?;
            return Ok(Body::new(buffer));
        };
        let buffer = self.decompress_layer(outermost, bytes, kind_within(layers.clone()))?;
        self.decompress_buffer(layers, buffer)
    }

    /// Decompresses `layers`, the outermost first, which are around what is in `buffer`. Each
    /// buffer returns to the pool as soon as it is read.
    pub(super) fn decompress_buffer(
        self,
        mut layers: impl Iterator<Item = Encoding> + Clone,
        mut buffer: PooledBuffer,
    ) -> Result<Body, BodyError> {
        while let Some(encoding) = layers.next() {
            buffer = self.decompress_layer(encoding, &buffer, kind_within(layers.clone()))?;
        }
        Ok(Body::new(buffer))
    }

    /// Decompresses one layer into a buffer of its own.
    fn decompress_layer(
        self,
        encoding: Encoding,
        bytes: &[u8],
        kind: Kind,
    ) -> Result<PooledBuffer, BodyError> {
        let hint = codec::decompressed_len_hint(encoding, bytes);
        let mut buffer = self.buffers.take(kind, hint);
        let mut output = Output::new(&mut buffer, self.limits, self.sent);
        codec::decompress(encoding, bytes, self.codecs, &mut output)?;
        Ok(buffer)
    }
}

/// Of what kind the buffer is that has `layers` still around its content.
pub(super) fn kind_within(mut layers: impl Iterator<Item = Encoding>) -> Kind {
    if layers.next().is_some() { Kind::Compressed } else { Kind::Decompressed }
}
