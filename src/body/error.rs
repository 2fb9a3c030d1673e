//! Why a body was refused, and which HTTP status says so; why a message was not compressed.

use core::fmt;
use std::io;

use super::encoding::Encoding;
use crate::EncodeError;

/// What is wrong with compressed bytes.
///
/// ```
/// # #[cfg(feature = "snappy")] {
/// use borrowire::body::{BodyError, BodyLimits, BufferPool, Encoding, MalformedKind};
///
/// let pool = BufferPool::new();
/// let sent = pool.compress("some text", Encoding::Snappy)?;
/// let cut = &sent[..1];
/// let error = pool.decompress(cut, Encoding::Snappy, &BodyLimits::new()).unwrap_err();
/// assert!(matches!(error, BodyError::Malformed { kind: MalformedKind::Truncated, .. }));
/// # }
/// # Ok::<(), borrowire::body::CompressError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum MalformedKind {
    /// The bytes are not of the encoding's format.
    Corrupt,
    /// A checksum, or the length beside it, does not fit the bytes.
    Checksum,
    /// The stream format of snappy where a block is expected: the sender is set up wrong.
    FramedNotBlock,
    /// Bytes follow the end of the compressed data.
    TrailingData,
    /// The compressed data end too early.
    Truncated,
    /// The frame asks for a window of more than 8 MiB, the limit of RFC 9659.
    WindowTooLarge,
}

impl MalformedKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Corrupt => "corrupt data",
            Self::Checksum => "checksum mismatch",
            Self::FramedNotBlock => "framed data where a block is expected",
            Self::TrailingData => "trailing data",
            Self::Truncated => "truncated data",
            Self::WindowTooLarge => "window too large",
        }
    }
}

impl fmt::Display for MalformedKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a body was refused.
///
/// ```
/// # #[cfg(feature = "gzip")] {
/// use borrowire::body::{BodyLimits, BufferPool, Encoding};
///
/// let pool = BufferPool::new();
/// let error = pool.decompress(b"no gzip", Encoding::Gzip, &BodyLimits::new()).unwrap_err();
/// assert_eq!(error.to_string(), "corrupt data (gzip)");
/// assert_eq!(error.status(), 400); // what to answer
/// assert!(error.is_malformed()); // a retry is of no use
/// # }
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum BodyError {
    /// The body as sent is over `max_compressed_bytes`.
    CompressedTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The body, or a layer of it, is over `max_decompressed_bytes`.
    DecompressedTooLarge {
        /// The limit, in bytes.
        limit: usize,
    },
    /// The bytes are not what the encoding says.
    Malformed {
        /// The layer that is malformed.
        encoding: Encoding,
        /// What is wrong.
        kind: MalformedKind,
    },
    /// The body grows by more than `max_ratio`.
    RatioTooHigh {
        /// The limit: bytes out for each byte in.
        limit: usize,
    },
    /// The encoding's feature is not enabled.
    NotEnabled(Encoding),
    /// Reading from the client failed.
    Read(io::Error),
}

impl BodyError {
    #[cfg(any(feature = "gzip", feature = "lz4", feature = "snappy", feature = "zstd"))]
    #[cold]
    pub(super) fn malformed(encoding: Encoding, kind: MalformedKind) -> Self {
        Self::Malformed { encoding, kind }
    }

    /// A copy, unless it holds what a reader returned.
    pub(super) const fn try_clone(&self) -> Option<Self> {
        Some(match *self {
            Self::CompressedTooLarge { limit } => Self::CompressedTooLarge { limit },
            Self::DecompressedTooLarge { limit } => Self::DecompressedTooLarge { limit },
            Self::Malformed { encoding, kind } => Self::Malformed { encoding, kind },
            Self::RatioTooHigh { limit } => Self::RatioTooHigh { limit },
            Self::NotEnabled(encoding) => Self::NotEnabled(encoding),
            Self::Read(_) => return None,
        })
    }

    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::CompressedTooLarge { .. } => "body too large",
            Self::DecompressedTooLarge { .. } => "decompressed body too large",
            Self::Malformed { .. } => "malformed body",
            Self::RatioTooHigh { .. } => "body decompresses to too much",
            Self::NotEnabled(_) => "encoding not enabled",
            Self::Read(_) => "body not read to its end",
        }
    }

    /// Whether a limit was hit: the sender may split its request.
    #[must_use]
    pub const fn is_too_large(&self) -> bool {
        matches!(
            self,
            Self::CompressedTooLarge { .. }
                | Self::DecompressedTooLarge { .. }
                | Self::RatioTooHigh { .. }
        )
    }

    /// Whether the bytes are wrong: a retry would be refused again.
    #[must_use]
    pub const fn is_malformed(&self) -> bool {
        matches!(self, Self::Malformed { .. })
    }

    /// The HTTP status of the answer: 400, 413 or 415.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self {
            Self::CompressedTooLarge { .. }
            | Self::DecompressedTooLarge { .. }
            | Self::RatioTooHigh { .. } => 413,
            Self::Malformed { .. } | Self::Read(_) => 400,
            Self::NotEnabled(_) => 415,
        }
    }
}

impl fmt::Display for BodyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::CompressedTooLarge { limit } => write!(f, "body over {limit} bytes"),
            Self::DecompressedTooLarge { limit } => {
                write!(f, "decompressed body over {limit} bytes")
            }
            Self::Malformed { encoding, kind } => write!(f, "{kind} ({encoding})"),
            Self::RatioTooHigh { limit } => {
                write!(f, "body decompresses to over {limit} times its size")
            }
            Self::Read(error) => write!(f, "cannot read the body: {error}"),
            Self::NotEnabled(encoding) => {
                write!(f, "cannot read {encoding}: feature `{}` is not enabled", encoding.feature())
            }
        }
    }
}

impl core::error::Error for BodyError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Read(error) => Some(error),
            _ => None,
        }
    }
}

impl From<BodyError> for io::Error {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::Read(error) => error,
            error => Self::new(io::ErrorKind::InvalidData, error),
        }
    }
}

/// Why a message was not compressed.
///
/// ```
/// use borrowire::body::{BufferPool, CompressError, Encoding};
///
/// let error = BufferPool::new().compress("some text", Encoding::Unstated).unwrap_err();
/// assert_eq!(error, CompressError::Unsupported(Encoding::Unstated));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum CompressError {
    /// The slice is shorter than the compressed message.
    BufferTooSmall {
        /// How many bytes the compressed message takes.
        needed: usize,
        /// How many bytes there were to write to.
        capacity: usize,
    },
    /// The codec refuses the bytes: for snappy, over 4 GiB.
    Codec(Encoding),
    /// The message is over 2 GiB - 1.
    Encode(EncodeError),
    /// The encoding's feature is not enabled.
    NotEnabled(Encoding),
    /// The encoding is only read: framed snappy, and [`Encoding::Unstated`], where the sender must
    /// choose.
    Unsupported(Encoding),
}

impl fmt::Display for CompressError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BufferTooSmall { needed, capacity } => write!(
                f,
                "buffer too small: the compressed message takes {needed} bytes, the buffer has \
                 {capacity}"
            ),
            Self::Codec(encoding) => write!(f, "compression failed ({encoding})"),
            Self::Encode(error) => error.fmt(f),
            Self::NotEnabled(encoding) => write!(
                f,
                "cannot write {encoding}: feature `{}` is not enabled",
                encoding.feature()
            ),
            Self::Unsupported(encoding) => write!(f, "cannot write content encoding: {encoding}"),
        }
    }
}

impl core::error::Error for CompressError {}

impl From<CompressError> for io::Error {
    fn from(error: CompressError) -> Self {
        Self::new(io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::format;
    use std::string::ToString;

    #[test]
    fn each_error_has_its_status_and_class() {
        let malformed =
            BodyError::Malformed { encoding: Encoding::Gzip, kind: MalformedKind::Checksum };
        for (error, status, large, bad) in [
            (BodyError::CompressedTooLarge { limit: 1 }, 413, true, false),
            (BodyError::DecompressedTooLarge { limit: 1 }, 413, true, false),
            (BodyError::RatioTooHigh { limit: 1 }, 413, true, false),
            (malformed, 400, false, true),
            (BodyError::Read(io::ErrorKind::BrokenPipe.into()), 400, false, false),
            (BodyError::NotEnabled(Encoding::Zstd), 415, false, false),
        ] {
            assert_eq!(
                (error.status(), error.is_too_large(), error.is_malformed()),
                (status, large, bad),
                "{error}"
            );
        }
    }

    #[test]
    fn what_is_not_enabled_names_its_feature() {
        for (encoding, feature) in [
            (Encoding::Deflate, "gzip"),
            (Encoding::Gzip, "gzip"),
            (Encoding::Lz4, "lz4"),
            (Encoding::Snappy, "snappy"),
            (Encoding::SnappyFramed, "snappy"),
            (Encoding::Unstated, "snappy"),
            (Encoding::Zstd, "zstd"),
        ] {
            let expected = format!("{encoding}: feature `{feature}` is not enabled");
            let read = BodyError::NotEnabled(encoding).to_string();
            assert_eq!(read, format!("cannot read {expected}"));
            let written = CompressError::NotEnabled(encoding).to_string();
            assert_eq!(written, format!("cannot write {expected}"));
        }
    }
}
