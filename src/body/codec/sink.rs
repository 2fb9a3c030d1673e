//! Where compressed bytes go: a buffer of the pool, which grows, or a slice of the caller.

use crate::body::buffers::PooledBuffer;

/// What a codec compresses into: in one piece where it knows the most that there can be, else piece by
/// piece.
pub(in crate::body) trait Sink {
    /// Room for `len` bytes; for fewer only if there are no more.
    #[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
    fn room_for(&mut self, len: usize) -> &mut [u8];

    /// Takes `len` bytes that were written to the room.
    #[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
    fn advance(&mut self, len: usize);

    /// Appends `bytes`; `None` if there is no room for them.
    #[cfg(feature = "gzip")]
    fn append(&mut self, bytes: &[u8]) -> Option<()>;
}

impl Sink for PooledBuffer {
    #[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
    fn room_for(&mut self, len: usize) -> &mut [u8] {
        self.room_for(len)
    }

    #[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
    fn advance(&mut self, len: usize) {
        self.advance(len);
    }

    #[cfg(feature = "gzip")]
    fn append(&mut self, bytes: &[u8]) -> Option<()> {
        self.extend_from_slice(bytes, usize::MAX);
        Some(())
    }
}

/// A slice that is filled from its front.
pub(in crate::body) struct SliceSink<'o> {
    out: &'o mut [u8],
    written: usize,
}

impl<'o> SliceSink<'o> {
    pub(in crate::body) const fn new(out: &'o mut [u8]) -> Self {
        Self { out, written: 0 }
    }

    /// How many bytes it holds.
    pub(in crate::body) const fn written(&self) -> usize {
        self.written
    }
}

impl Sink for SliceSink<'_> {
    #[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
    fn room_for(&mut self, len: usize) -> &mut [u8] {
        let end = self.written.saturating_add(len).min(self.out.len());
        self.out.get_mut(self.written..end).unwrap_or_default()
    }

    #[cfg(any(feature = "lz4", feature = "snappy", feature = "zstd"))]
    fn advance(&mut self, len: usize) {
        self.written = self.written.saturating_add(len).min(self.out.len());
    }

    #[cfg(feature = "gzip")]
    fn append(&mut self, bytes: &[u8]) -> Option<()> {
        let end = self.written.checked_add(bytes.len())?;
        self.out.get_mut(self.written..end)?.copy_from_slice(bytes);
        self.written = end;
        Some(())
    }
}
