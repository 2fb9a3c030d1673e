//! The block that a key is about, by its ULID.

use core::fmt;
use core::str::{self, FromStr};

use crate::cache::key::error::{KeyError, KeyErrorKind};
use crate::wire::impossible;

/// A block's ULID, as text: 26 characters of Crockford's base32, in capitals, of which the first is
/// at most 7, so that it stands for 128 bits.
///
/// Readers of ULIDs accept small letters too. They are refused here: a key made of them is another
/// key.
///
/// ```
/// use borrowire::cache::key::BlockId;
///
/// let block = BlockId::new("01HV2Z3Q9MXV4N8T7E6R5W4Q3P")?;
/// assert_eq!(block.as_str(), "01HV2Z3Q9MXV4N8T7E6R5W4Q3P");
/// assert!(BlockId::new("01hv2z3q9mxv4n8t7e6r5w4q3p").is_err());
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct BlockId([u8; Self::LEN]);

impl BlockId {
    /// The length of a ULID, in characters.
    pub const LEN: usize = 26;

    /// The block with this ULID.
    ///
    /// # Errors
    ///
    /// `InvalidBlock`, at the first character that cannot be there, or at the end of a text that is
    /// too short.
    pub fn new(ulid: &str) -> Result<Self, KeyError> {
        let ulid = ulid.as_bytes();
        if let Some(at) = ulid.iter().position(|&byte| !is_base32(byte)) {
            return Err(KeyError::new(KeyErrorKind::InvalidBlock, at.min(Self::LEN)));
        }
        if ulid.first().is_some_and(|&first| first > b'7') {
            return Err(KeyError::new(KeyErrorKind::InvalidBlock, 0));
        }
        let len = ulid.len().min(Self::LEN);
        let text = ulid.try_into().map_err(|_| KeyError::new(KeyErrorKind::InvalidBlock, len))?;
        Ok(Self(text))
    }

    /// The ULID.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Never empty: it was text.
        str::from_utf8(&self.0).unwrap_or_else(|_| impossible())
    }

    /// The ULID's characters.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; Self::LEN] {
        &self.0
    }
}

/// Crockford's alphabet: digits and capitals but for I, L, O and U.
const fn is_base32(byte: u8) -> bool {
    byte.is_ascii_digit() || byte.is_ascii_uppercase() && !matches!(byte, b'I' | b'L' | b'O' | b'U')
}

impl FromStr for BlockId {
    type Err = KeyError;

    fn from_str(ulid: &str) -> Result<Self, KeyError> {
        Self::new(ulid)
    }
}

impl fmt::Display for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for BlockId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "BlockId({self})")
    }
}
