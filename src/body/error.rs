//! Why a body was refused, and which HTTP status says so.

use core::fmt;
use std::io;

use super::encoding::Encoding;

/// What is wrong with compressed bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Fault {
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

impl Fault {
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

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why a body was refused.
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
        fault: Fault,
    },
    /// The body grows by more than `max_ratio`.
    RatioTooHigh {
        /// The limit: bytes out for each byte in.
        limit: usize,
    },
    /// Reading from the client failed.
    Read(io::Error),
    /// The encoding's feature is not enabled.
    Unsupported(Encoding),
}

impl BodyError {
    #[cfg(any(feature = "gzip", feature = "snappy", feature = "zstd"))]
    #[cold]
    pub(super) fn malformed(encoding: Encoding, fault: Fault) -> Self {
        Self::Malformed { encoding, fault }
    }

    /// The same error, but for what a reader returned.
    pub(super) const fn again(&self) -> Option<Self> {
        Some(match *self {
            Self::CompressedTooLarge { limit } => Self::CompressedTooLarge { limit },
            Self::DecompressedTooLarge { limit } => Self::DecompressedTooLarge { limit },
            Self::Malformed { encoding, fault } => Self::Malformed { encoding, fault },
            Self::RatioTooHigh { limit } => Self::RatioTooHigh { limit },
            Self::Unsupported(encoding) => Self::Unsupported(encoding),
            Self::Read(_) => return None,
        })
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

    /// Whether the bytes are wrong: sending them again is no use.
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
            Self::Unsupported(_) => 415,
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
            Self::Malformed { encoding, fault } => write!(f, "{fault} ({encoding})"),
            Self::RatioTooHigh { limit } => {
                write!(f, "body decompresses to over {limit} times its size")
            }
            Self::Read(error) => write!(f, "cannot read the body: {error}"),
            Self::Unsupported(encoding) => write!(f, "unsupported content encoding: {encoding}"),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_error_has_its_status_and_class() {
        let malformed = BodyError::Malformed { encoding: Encoding::Gzip, fault: Fault::Checksum };
        for (error, status, large, bad) in [
            (BodyError::CompressedTooLarge { limit: 1 }, 413, true, false),
            (BodyError::DecompressedTooLarge { limit: 1 }, 413, true, false),
            (BodyError::RatioTooHigh { limit: 1 }, 413, true, false),
            (malformed, 400, false, true),
            (BodyError::Read(io::ErrorKind::BrokenPipe.into()), 400, false, false),
            (BodyError::Unsupported(Encoding::Zstd), 415, false, false),
        ] {
            assert_eq!(
                (error.status(), error.is_too_large(), error.is_malformed()),
                (status, large, bad),
                "{error}"
            );
        }
    }
}
