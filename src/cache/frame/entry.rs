//! An entry in memory: what a ring holds, and what a frame wraps.

use core::fmt;

use super::error::{FrameError, FrameErrorKind};
use crate::Encode;
use crate::wire::{BufferFull, Writer, to_usize};

/// Bytes in front of the key.
pub(in crate::cache) const HEADER_BYTES: usize = 24;
const KEY_LEN: usize = 16;
const VALUE_LEN: usize = 20;

/// A key and a value with a hash and a time: 24 bytes, key, value.
///
/// ```text
/// offset  size
///  0      8     timestamp, u64
///  8      8     hash of the key, u64
/// 16      4     key length, u32
/// 20      4     value length, u32
/// 24      n     key
/// 24+n    m     value
/// ```
///
/// Integers are little endian.
///
/// Key and value are anything that implements [`Encode`], byte slices among it. An entry that was
/// read, a `CacheEntry<&[u8]>`, has slices of the input.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::cache::frame::CacheEntry;
///
/// let entry = CacheEntry::new(1_700_000_000_000, 42, b"key", b"value");
/// let bytes = entry.encode_to_vec()?;
/// assert_eq!(bytes.len(), 24 + 3 + 5);
/// let read = CacheEntry::decode(&bytes)?;
/// assert_eq!((read.key, read.value), (&b"key"[..], &b"value"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CacheEntry<K, V = K> {
    /// When the entry was made. [`ShardedCache`](crate::cache::ShardedCache) has milliseconds of
    /// its clock here.
    pub timestamp: u64,
    /// A hash of the key; which one is the caller's business.
    pub hash: u64,
    /// The key.
    pub key: K,
    /// The value.
    pub value: V,
}

impl<K, V> CacheEntry<K, V> {
    /// An entry of these parts.
    #[must_use]
    pub const fn new(timestamp: u64, hash: u64, key: K, value: V) -> Self {
        Self { timestamp, hash, key, value }
    }
}

impl<'a> CacheEntry<&'a [u8]> {
    /// Reads an entry that takes the whole of `bytes`.
    ///
    /// # Errors
    ///
    /// If `bytes` end inside the entry, or behind it.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let (entry, rest) = Self::split(bytes)?;
        if !rest.is_empty() {
            let end = bytes.len().saturating_sub(rest.len());
            return Err(FrameError::new(FrameErrorKind::TrailingData, end));
        }
        Ok(entry)
    }

    /// Reads the entry at the front of `bytes`, and returns it with the bytes behind.
    ///
    /// # Errors
    ///
    /// If `bytes` end inside the entry.
    #[inline]
    pub fn split(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), FrameError> {
        let truncated = |offset| FrameError::new(FrameErrorKind::Truncated, offset);
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(truncated(0));
        };
        let &[t0, t1, t2, t3, t4, t5, t6, t7, h0, h1, h2, h3, h4, h5, h6, h7, ref lengths @ ..] =
            header;
        let &[k0, k1, k2, k3, v0, v1, v2, v3] = lengths;
        // A length of more than `usize` is longer than any slice.
        let key_len = to_usize(u32::from_le_bytes([k0, k1, k2, k3]));
        let value_len = to_usize(u32::from_le_bytes([v0, v1, v2, v3]));
        let (key, rest) = rest.split_at_checked(key_len).ok_or(truncated(KEY_LEN))?;
        let (value, rest) = rest.split_at_checked(value_len).ok_or(truncated(VALUE_LEN))?;
        let timestamp = u64::from_le_bytes([t0, t1, t2, t3, t4, t5, t6, t7]);
        let hash = u64::from_le_bytes([h0, h1, h2, h3, h4, h5, h6, h7]);
        Ok((Self { timestamp, hash, key, value }, rest))
    }
}

impl<K: Encode, V: Encode> CacheEntry<K, V> {
    /// The lengths of key and value, where they have 32 bits.
    fn lengths(&self) -> Option<(u32, u32)> {
        let key = u32::try_from(self.key.encoded_len()).ok()?;
        let value = u32::try_from(self.value.encoded_len()).ok()?;
        Some((key, value))
    }
}

impl<K: Encode, V: Encode> Encode for CacheEntry<K, V> {
    #[inline]
    fn encoded_len(&self) -> usize {
        let content = self.key.encoded_len().saturating_add(self.value.encoded_len());
        content.saturating_add(HEADER_BYTES)
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let (key_len, value_len) = self.lengths().ok_or(BufferFull)?;
        let header = writer.take_array::<HEADER_BYTES>()?;
        let (timestamp, rest) = header.split_at_mut(8);
        let (hash, lengths) = rest.split_at_mut(8);
        let (key, value) = lengths.split_at_mut(4);
        timestamp.copy_from_slice(&self.timestamp.to_le_bytes());
        hash.copy_from_slice(&self.hash.to_le_bytes());
        key.copy_from_slice(&key_len.to_le_bytes());
        value.copy_from_slice(&value_len.to_le_bytes());
        write_exactly(writer, &self.key, key_len)?;
        write_exactly(writer, &self.value, value_len)
    }
}

/// Writes a part whose length was already written: one that wrote more or less would shift the
/// boundary between key and value.
#[inline]
pub(super) fn write_exactly(
    writer: &mut Writer<'_>,
    part: &impl Encode,
    len: u32,
) -> Result<(), BufferFull> {
    let before = writer.remaining();
    part.write_to(writer)?;
    let written = before.saturating_sub(writer.remaining());
    if u32::try_from(written) == Ok(len) { Ok(()) } else { Err(BufferFull) }
}

/// Lengths only: key and value are a tenant's.
impl<K: Encode, V: Encode> fmt::Debug for CacheEntry<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CacheEntry")
            .field("timestamp", &self.timestamp)
            .field("hash", &self.hash)
            .field("key_len", &self.key.encoded_len())
            .field("value_len", &self.value.encoded_len())
            .finish()
    }
}
