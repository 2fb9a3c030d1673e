//! Where the bytes of a layer go.

use crate::body::buffers::PooledBuffer;
use crate::body::error::BodyError;
use crate::body::limits::BodyLimits;

/// The output of a layer, and how much of it is allowed.
pub(in crate::body) struct Output<'o> {
    buffer: &'o mut PooledBuffer,
    max_bytes: usize,
    max_ratio: usize,
    /// Compressed bytes so far.
    input: usize,
}

impl<'o> Output<'o> {
    /// How many bytes any ratio may yield: small bodies often compress very well.
    const RATIO_FROM: usize = 64 << 10;

    pub(in crate::body) const fn new(
        buffer: &'o mut PooledBuffer,
        limits: &BodyLimits,
        input: usize,
    ) -> Self {
        let BodyLimits { max_decompressed_bytes: max_bytes, max_ratio, .. } = *limits;
        Self { buffer, max_bytes, max_ratio, input }
    }

    /// Appends bytes as they are.
    pub(in crate::body) fn append(&mut self, bytes: &[u8]) -> Result<(), BodyError> {
        self.check(self.buffer.len().saturating_add(bytes.len()))?;
        self.buffer.extend_from_slice(bytes, self.most());
        Ok(())
    }

    /// Room for more bytes, at least for one.
    #[cfg(any(feature = "gzip", feature = "snappy", feature = "zstd"))]
    pub(super) fn room(&mut self) -> &mut [u8] {
        self.buffer.room(self.most().saturating_sub(self.buffer.len()))
    }

    /// Room for exactly `len` bytes, which were [`check`](Self::check)ed.
    #[cfg(feature = "snappy")]
    pub(super) fn room_for(&mut self, len: usize) -> &mut [u8] {
        self.buffer.room_for(len)
    }

    /// All bytes so far, and room behind them for `len` more; for fewer if so many are over a limit.
    #[cfg(feature = "lz4")]
    pub(super) fn room_behind(&mut self, len: usize) -> (&[u8], &mut [u8]) {
        let most = self.most();
        self.buffer.room_behind(len.min(most.saturating_sub(self.buffer.len())), most)
    }

    /// Takes `len` bytes that were written to the room.
    #[cfg(any(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd"))]
    pub(super) fn advance(&mut self, len: usize) -> Result<(), BodyError> {
        self.buffer.advance(len);
        self.check(self.buffer.len())
    }

    /// Discards all bytes.
    #[cfg(feature = "gzip")]
    pub(super) const fn clear(&mut self) {
        self.buffer.clear();
    }

    /// All bytes so far.
    #[cfg(feature = "lz4")]
    pub(super) fn bytes(&self) -> &[u8] {
        self.buffer
    }

    /// How many bytes there are.
    #[cfg(feature = "zstd")]
    pub(super) fn len(&self) -> usize {
        self.buffer.len()
    }

    /// How many bytes there may be.
    #[cfg(any(feature = "snappy", feature = "zstd"))]
    pub(super) const fn max_bytes(&self) -> usize {
        self.max_bytes
    }

    /// Refuses `len` bytes in all, if they are too many.
    pub(super) fn check(&self, len: usize) -> Result<(), BodyError> {
        if len > self.max_bytes {
            return Err(BodyError::DecompressedTooLarge { limit: self.max_bytes });
        }
        if len > self.max_by_ratio() {
            return Err(BodyError::RatioTooHigh { limit: self.max_ratio });
        }
        Ok(())
    }

    fn max_by_ratio(&self) -> usize {
        self.input.saturating_mul(self.max_ratio).max(Self::RATIO_FROM)
    }

    /// The most bytes that make sense in all: one over the limit is enough to know.
    fn most(&self) -> usize {
        self.max_bytes.min(self.max_by_ratio()).saturating_add(1)
    }
}
