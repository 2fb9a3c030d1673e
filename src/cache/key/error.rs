//! Why bytes are not a key.

use crate::wire::impl_located;

/// What is wrong with a key, or with a part of one.
///
/// ```
/// use borrowire::cache::key::{KeyErrorKind, check_memcached};
///
/// let error = check_memcached(b"").unwrap_err();
/// assert_eq!(error.kind(), KeyErrorKind::Empty);
/// assert_eq!(error.kind().as_str(), "empty key"); // for a metric's label
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum KeyErrorKind {
    /// A key of no bytes, of which memcached knows none.
    Empty,
    /// Something behind the last part.
    ExpectedEnd,
    /// A character that is not of base64's URL alphabet; padding is one.
    InvalidBase64,
    /// Base64 of a length that no number of bytes has, or not of the length that the key needs.
    InvalidBase64Length,
    /// Not the 26 characters of a ULID, in capitals.
    InvalidBlock,
    /// An escaped key that [`escape_memcached`](super::escape_memcached) does not write.
    InvalidEscape,
    /// A label that is not laid out as in the keys of this kind.
    InvalidLabel,
    /// Not a decimal number of up to 64 bits, or one with leading zeros.
    InvalidNumber,
    /// Neither `all` nor a shard such as `2_of_16`.
    InvalidShard,
    /// Something else than `:dss` at the end of a key of Thanos.
    InvalidSuffix,
    /// A tenant with a colon, which could be taken for another tenant with other parts.
    InvalidTenant,
    /// A key that is not UTF-8.
    InvalidUtf8,
    /// No colon where the next part should begin.
    MissingSeparator,
    /// Base64 whose last character has bits set that stand for nothing: a second name of the same
    /// bytes.
    NonCanonicalBase64,
    /// A key over memcached's 250 bytes, as it is or escaped.
    TooLong,
    /// A key of no kind that is known here.
    UnknownPrefix,
    /// A control character or a space, with which memcached's protocol would end the key; in an
    /// escaped key also a byte over 126.
    UnsafeByte,
}

impl KeyErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Empty => "empty key",
            Self::ExpectedEnd => "expected the end of the key",
            Self::InvalidBase64 => "invalid base64",
            Self::InvalidBase64Length => "invalid length of base64",
            Self::InvalidBlock => "invalid block",
            Self::InvalidEscape => "invalid escape",
            Self::InvalidLabel => "invalid label",
            Self::InvalidNumber => "invalid number",
            Self::InvalidShard => "invalid shard",
            Self::InvalidSuffix => "invalid suffix",
            Self::InvalidTenant => "colon in a tenant",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::MissingSeparator => "missing colon",
            Self::NonCanonicalBase64 => "base64 is not canonical",
            Self::TooLong => "key too long for memcached",
            Self::UnknownPrefix => "unknown kind of key",
            Self::UnsafeByte => "byte that memcached refuses in a key",
        }
    }
}

/// Why a key, or a part of one, was refused, and where.
///
/// ```
/// use borrowire::cache::key::{KeyErrorKind, mimir};
///
/// let error = mimir::Key::parse(b"S:tenant:00000000010000000000000000:007").unwrap_err();
/// assert_eq!(error.kind(), KeyErrorKind::InvalidNumber);
/// assert_eq!(error.offset(), 36);
/// assert_eq!(error.to_string(), "invalid number at byte 36");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyError {
    kind: KeyErrorKind,
    offset: usize,
}

impl_located!(KeyError, KeyErrorKind, InvalidInput);

impl KeyError {
    /// Where, in bytes from the start of what was handed in: the byte that was not expected, which
    /// may be the end; or where the part begins that is wrong as a whole, such as a number.
    #[must_use]
    pub const fn offset(&self) -> usize {
        self.offset
    }
}
