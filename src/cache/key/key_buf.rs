//! Keys as text, on the stack.

use core::borrow::Borrow;
use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};
use core::ops::Deref;
use core::str;

use crate::wire::impossible;
use crate::{Encode, EncodeError};

/// A key, whose bytes are text. All the keys of this module are.
///
/// They implement [`Encode`]: their exact length, and writing them into memory of the caller. This
/// trait adds what holds for text, and cannot be implemented elsewhere.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, thanos};
///
/// fn log(key: &impl CacheKey) -> String {
///     key.to_buf().map_or("a long key".to_owned(), |key| key.to_string())
/// }
/// let block = BlockId::new("00000000010000000000000000")?;
/// assert_eq!(log(&thanos::SeriesKey::new(block, 7)), "S:00000000010000000000000000:7");
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
pub trait CacheKey: Encode + Text {
    /// The key on the stack.
    ///
    /// # Errors
    ///
    /// If it is over [`KeyBuf::CAPACITY`] bytes.
    fn to_buf(&self) -> Result<KeyBuf, EncodeError>;
}

/// What encodes to UTF-8. Private, so that it holds.
#[allow(unnameable_types, reason = "seals CacheKey")]
pub trait Text {}

impl<T: Text + ?Sized> Text for &T {}

impl<K: Encode + Text + ?Sized> CacheKey for K {
    #[inline]
    fn to_buf(&self) -> Result<KeyBuf, EncodeError> {
        let mut key = KeyBuf { bytes: [0; KeyBuf::CAPACITY], len: 0 };
        let len = self.encode(&mut key.bytes)?;
        // Never fails: the capacity is the largest `u8`.
        key.len = u8::try_from(len).unwrap_or_else(|_| impossible());
        Ok(key)
    }
}

/// A key of at most 255 bytes, kept in place: a `str` that needs no heap. Every key that memcached
/// takes fits.
///
/// ```
/// use std::collections::HashSet;
///
/// use borrowire::cache::key::{BlockId, CacheKey, KeyBuf, Scope, mimir};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let key: KeyBuf = mimir::SeriesKey::new(scope, 7).to_buf()?;
/// assert_eq!(key.len(), 37);
/// assert!(key.starts_with("S:tenant:"));
///
/// let seen = HashSet::from([key]);
/// assert!(seen.contains("S:tenant:00000000010000000000000000:7"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct KeyBuf {
    bytes: [u8; Self::CAPACITY],
    len: u8,
}

impl KeyBuf {
    /// The most bytes that fit.
    pub const CAPACITY: usize = 255;

    /// The key.
    #[must_use]
    pub fn as_str(&self) -> &str {
        // Never empty instead: only text is put in.
        str::from_utf8(self.as_bytes()).unwrap_or_else(|_| impossible())
    }

    /// The key's bytes. Cheaper than those of the text, which is checked each time.
    #[inline]
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..usize::from(self.len)).unwrap_or_else(impossible)
    }
}

impl Deref for KeyBuf {
    type Target = str;

    fn deref(&self) -> &str {
        self.as_str()
    }
}

impl AsRef<str> for KeyBuf {
    fn as_ref(&self) -> &str {
        self
    }
}

impl AsRef<[u8]> for KeyBuf {
    fn as_ref(&self) -> &[u8] {
        self.as_bytes()
    }
}

// Looked up by text: equality, order and hash are those of `str`.
impl Borrow<str> for KeyBuf {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq for KeyBuf {
    fn eq(&self, other: &Self) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl Eq for KeyBuf {}

impl PartialEq<str> for KeyBuf {
    fn eq(&self, other: &str) -> bool {
        self.as_bytes() == other.as_bytes()
    }
}

impl PartialEq<&str> for KeyBuf {
    fn eq(&self, other: &&str) -> bool {
        self == *other
    }
}

impl PartialOrd for KeyBuf {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for KeyBuf {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_bytes().cmp(other.as_bytes())
    }
}

impl Hash for KeyBuf {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.as_str().hash(state);
    }
}

impl fmt::Display for KeyBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self)
    }
}

impl fmt::Debug for KeyBuf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "KeyBuf({} bytes)", self.len)
    }
}
