//! Caps on bodies, with their defaults and the reasons for them.

use super::error::BodyError;

/// The default cap on a decompressed body.
const MAX_DECOMPRESSED_BYTES: usize = 32 << 20;

/// Caps on one request's body, enforced while it is received and decompressed.
///
/// Memory for a body is bounded by [`max_decompressed_bytes`](Self::max_decompressed_bytes)
/// whatever the body is. Caps on what the message in it may hold are [`Limits`](crate::Limits).
///
/// ```
/// use borrowire::body::{BodyLimits, BufferPool, Encoding};
///
/// let pool = BufferPool::new();
/// let limits = BodyLimits::new().with_max_decompressed_bytes(1 << 20);
///
/// # #[cfg(feature = "snappy")] {
/// let bomb = pool.compress(&vec![0; 2 << 20], Encoding::Snappy)?;
/// let error = pool.decompress(&bomb, Encoding::Snappy, &limits).unwrap_err();
/// assert_eq!(error.to_string(), "decompressed body over 1048576 bytes");
/// assert_eq!(error.status(), 413);
/// # }
/// # Ok::<(), borrowire::body::CompressError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct BodyLimits {
    /// Bytes of a body as it is sent. Default: 37 MiB, what 32 MiB that do not compress take as a
    /// snappy block (`n + n / 6 + 32` bytes), so that the other limit decides.
    pub max_compressed_bytes: usize,
    /// Bytes of a body, or of a layer of it, decompressed. Default: 32 MiB, as vmagent takes;
    /// Prometheus sends a megabyte or so, and log shippers up to a few. Mimir takes 100 MB, behind
    /// proxies and with gigabytes of memory.
    pub max_decompressed_bytes: usize,
    /// Bytes that a body may yield for each byte sent so far; the first 64 KiB are free. Default:
    /// no cap; metrics repeat themselves, and gzip reaches 1,032, zstd more. A body that arrives in
    /// chunks may begin with what compresses best, so leave room.
    pub max_ratio: usize,
}

impl Default for BodyLimits {
    fn default() -> Self {
        Self::new()
    }
}

impl BodyLimits {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            max_compressed_bytes: MAX_DECOMPRESSED_BYTES + MAX_DECOMPRESSED_BYTES / 6 + 32,
            max_decompressed_bytes: MAX_DECOMPRESSED_BYTES,
            max_ratio: usize::MAX,
        }
    }

    /// Sets [`max_compressed_bytes`](Self::max_compressed_bytes).
    #[must_use]
    pub const fn with_max_compressed_bytes(mut self, bytes: usize) -> Self {
        self.max_compressed_bytes = bytes;
        self
    }

    /// Sets [`max_decompressed_bytes`](Self::max_decompressed_bytes).
    #[must_use]
    pub const fn with_max_decompressed_bytes(mut self, bytes: usize) -> Self {
        self.max_decompressed_bytes = bytes;
        self
    }

    /// Sets [`max_ratio`](Self::max_ratio).
    #[must_use]
    pub const fn with_max_ratio(mut self, ratio: usize) -> Self {
        self.max_ratio = ratio;
        self
    }

    /// Refuses a body of `len` bytes as sent, if they are too many.
    pub(super) const fn check_compressed(&self, len: usize) -> Result<(), BodyError> {
        if len > self.max_compressed_bytes {
            return Err(BodyError::CompressedTooLarge { limit: self.max_compressed_bytes });
        }
        Ok(())
    }
}
