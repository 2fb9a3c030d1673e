//! Why bytes are not a frame.

use crate::wire::impl_located;

/// What is wrong with a frame.
///
/// ```
/// use borrowire::cache::frame::{CacheEntry, FrameErrorKind};
///
/// let error = CacheEntry::decode(b"too short").unwrap_err();
/// assert_eq!(error.kind(), FrameErrorKind::Truncated);
/// assert_eq!(error.kind().as_str(), "truncated frame"); // for a metric's label
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FrameErrorKind {
    /// The checksum does not fit the bytes.
    Checksum,
    /// A length that the layout cannot have: a block shorter than its header, a key or value over
    /// 32 bits.
    InvalidLength,
    /// The key is longer than the layout allows.
    KeyTooLong,
    /// Bytes follow the frame.
    TrailingData,
    /// The bytes end inside the frame.
    Truncated,
    /// A version that this crate does not know.
    UnknownVersion,
}

impl FrameErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Checksum => "checksum mismatch",
            Self::InvalidLength => "invalid length",
            Self::KeyTooLong => "key too long",
            Self::TrailingData => "trailing data",
            Self::Truncated => "truncated frame",
            Self::UnknownVersion => "unknown version",
        }
    }
}

/// Why bytes are not a frame, or parts cannot be made one, and where.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::cache::frame::{CacheEntry, FrameErrorKind};
///
/// let mut bytes = CacheEntry::new(0, 42, b"key", b"value").encode_to_vec()?;
/// bytes.push(0);
/// let error = CacheEntry::decode(&bytes).unwrap_err();
/// assert_eq!((error.kind(), error.offset()), (FrameErrorKind::TrailingData, 32));
/// assert_eq!(error.to_string(), "trailing data at byte 32");
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FrameError {
    kind: FrameErrorKind,
    offset: usize,
}

impl_located!(FrameError, FrameErrorKind, InvalidData);

impl FrameError {
    /// Where the field begins that is wrong or cut short, in bytes from the start of the frame.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}
