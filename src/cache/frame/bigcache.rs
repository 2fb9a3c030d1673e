//! The layouts of BigCache v3, the Go library: entries, and the blocks of its queue.
//!
//! Source: encoding and queue of BigCache 3.

use core::fmt;

use super::entry::write_exactly;
use super::error::{FrameError, FrameErrorKind};
use crate::Encode;
use crate::wire::{BufferFull, Writer, impossible, split_varint, varint_len};

/// Bytes in front of the key.
const HEADER_BYTES: usize = 18;
const KEY_LEN: usize = 16;
/// The largest length that BigCache can add its header to.
const MAX_KEY_BYTES: usize = 65_517;

/// A key and a value as BigCache wraps them: 18 bytes, key, value.
///
/// ```text
/// offset  size
///  0      8     timestamp, unix seconds, u64
///  8      8     hash of the key, u64; by default 64-bit FNV-1a
/// 16      2     key length, u16
/// 18      n     key
/// 18+n          value, to the end
/// ```
///
/// Integers are little endian. BigCache adds 18 to the key length in 16 bits: behind a key of over
/// 65,517 bytes it reads the value from somewhere in the header or the key. Such entries are
/// refused here, both ways.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::cache::frame::BigCacheEntry;
///
/// let entry = BigCacheEntry::new(1_700_000_000, 42, b"key", b"value")?;
/// let bytes = entry.encode_to_vec()?;
/// assert_eq!(bytes.len(), 18 + 3 + 5);
/// let read = BigCacheEntry::decode(&bytes)?;
/// assert_eq!((read.key(), read.value()), (&b"key"[..], &b"value"[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BigCacheEntry<K, V = K> {
    timestamp: u64,
    hash: u64,
    key: K,
    value: V,
}

impl<K: Copy, V: Copy> BigCacheEntry<K, V> {
    /// When the entry was made or last appended to, in unix seconds.
    #[must_use]
    pub const fn timestamp(&self) -> u64 {
        self.timestamp
    }

    /// The hash of the key; 0 also stands for an entry that was deleted.
    #[must_use]
    pub const fn hash(&self) -> u64 {
        self.hash
    }

    /// The key.
    #[must_use]
    pub const fn key(&self) -> K {
        self.key
    }

    /// The value.
    #[must_use]
    pub const fn value(&self) -> V {
        self.value
    }
}

impl<K: Encode, V: Encode> BigCacheEntry<K, V> {
    /// An entry of these parts; `timestamp` in unix seconds.
    ///
    /// # Errors
    ///
    /// If the key is over 65,517 bytes.
    pub fn new(timestamp: u64, hash: u64, key: K, value: V) -> Result<Self, FrameError> {
        if key.encoded_len() > MAX_KEY_BYTES {
            return Err(FrameError::new(FrameErrorKind::KeyTooLong, KEY_LEN));
        }
        Ok(Self { timestamp, hash, key, value })
    }
}

impl<'a> BigCacheEntry<&'a [u8]> {
    /// Reads an entry that takes the whole of `bytes`: the layout has no length of the value.
    ///
    /// # Errors
    ///
    /// If `bytes` end inside the key, or the key is over 65,517 bytes.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
            return Err(FrameError::new(FrameErrorKind::Truncated, 0));
        };
        let &[t0, t1, t2, t3, t4, t5, t6, t7, h0, h1, h2, h3, h4, h5, h6, h7, k0, k1] = header;
        let key_len = usize::from(u16::from_le_bytes([k0, k1]));
        if key_len > MAX_KEY_BYTES {
            return Err(FrameError::new(FrameErrorKind::KeyTooLong, KEY_LEN));
        }
        let Some((key, value)) = rest.split_at_checked(key_len) else {
            return Err(FrameError::new(FrameErrorKind::Truncated, KEY_LEN));
        };
        let timestamp = u64::from_le_bytes([t0, t1, t2, t3, t4, t5, t6, t7]);
        let hash = u64::from_le_bytes([h0, h1, h2, h3, h4, h5, h6, h7]);
        Ok(Self { timestamp, hash, key, value })
    }
}

impl<K: Encode, V: Encode> Encode for BigCacheEntry<K, V> {
    fn encoded_len(&self) -> usize {
        let content = self.key.encoded_len().saturating_add(self.value.encoded_len());
        content.saturating_add(HEADER_BYTES)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let key_len = u16::try_from(self.key.encoded_len()).map_err(|_| BufferFull)?;
        writer.write_raw(&self.timestamp.to_le_bytes())?;
        writer.write_raw(&self.hash.to_le_bytes())?;
        writer.write_raw(&key_len.to_le_bytes())?;
        write_exactly(writer, &self.key, u32::from(key_len))?;
        self.value.write_to(writer)
    }
}

/// Lengths only: key and value are a tenant's.
impl<K: Encode, V: Encode> fmt::Debug for BigCacheEntry<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigCacheEntry")
            .field("timestamp", &self.timestamp)
            .field("hash", &self.hash)
            .field("key_len", &self.key.encoded_len())
            .field("value_len", &self.value.encoded_len())
            .finish()
    }
}

/// A block of BigCache's queue: its own length, as a varint of 1 to 5 bytes, then the content.
///
/// The length counts itself. Its size follows from the content alone, as BigCache chooses it, so
/// content of any size has exactly one form.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::cache::frame::BigCacheBlock;
///
/// let bytes = BigCacheBlock::new(&[7; 126]).encode_to_vec()?;
/// assert_eq!(bytes[..2], [127, 7]);
/// let bytes = BigCacheBlock::new(&[7; 127]).encode_to_vec()?;
/// assert_eq!(bytes[..3], [0x81, 0x01, 7]); // 129: a length of 128 does not occur
/// assert_eq!(BigCacheBlock::split(&bytes)?, (BigCacheBlock::new(&[7; 127][..]), &[][..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct BigCacheBlock<T> {
    content: T,
}

impl<T> BigCacheBlock<T> {
    /// A block around `content`.
    #[must_use]
    pub const fn new(content: T) -> Self {
        Self { content }
    }

    /// What is in the block.
    #[must_use]
    pub fn content(self) -> T {
        self.content
    }
}

impl<'a> BigCacheBlock<&'a [u8]> {
    /// Reads the block at the front of `bytes`, and returns it with the bytes behind.
    ///
    /// # Errors
    ///
    /// If the length is not a varint, counts less than itself, or goes past the end of `bytes`.
    pub fn split(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), FrameError> {
        let invalid = || FrameError::new(FrameErrorKind::InvalidLength, 0);
        let truncated = || FrameError::new(FrameErrorKind::Truncated, 0);
        // A varint that ends with the bytes is cut short; one of over ten bytes is none.
        let (len, behind) = split_varint(bytes)
            .map_err(|_| if bytes.len() < 10 { truncated() } else { invalid() })?;
        let header = bytes.len().saturating_sub(behind.len());
        let len = usize::try_from(len).unwrap_or(usize::MAX);
        let content_len = len.checked_sub(header).ok_or_else(invalid)?;
        let (content, rest) = behind.split_at_checked(content_len).ok_or_else(truncated)?;
        Ok((Self { content }, rest))
    }
}

/// How many bytes the length takes in front of so much content: it counts itself.
fn length_bytes(content: u64) -> usize {
    // Where counting itself makes it longer, one byte more is enough.
    let len = varint_len(content);
    let total = content.saturating_add(u64::try_from(len).unwrap_or_else(|_| impossible()));
    varint_len(total)
}

impl<T: Encode> Encode for BigCacheBlock<T> {
    fn encoded_len(&self) -> usize {
        let len = self.content.encoded_len();
        len.saturating_add(length_bytes(u64::try_from(len).unwrap_or(u64::MAX)))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let total = u64::try_from(self.encoded_len()).map_err(|_| BufferFull)?;
        writer.write_varint(total)?;
        self.content.write_to(writer)
    }
}

/// The length only: the content is a tenant's.
impl<T: Encode> fmt::Debug for BigCacheBlock<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("BigCacheBlock").field("content_len", &self.content.encoded_len()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_that_is_cut_short_is_an_error() {
        let error = |bytes: &[u8]| {
            let error = BigCacheEntry::decode(bytes).unwrap_err();
            (error.kind(), error.offset())
        };
        for len in 0..HEADER_BYTES {
            assert_eq!(error(&[0; HEADER_BYTES][..len]), (FrameErrorKind::Truncated, 0), "{len}");
        }
        let key_of_five_in_three = [&[0; KEY_LEN][..], b"\x05\0abc"].concat();
        assert_eq!(error(&key_of_five_in_three), (FrameErrorKind::Truncated, KEY_LEN));
        // Not a key of 0 bytes: an empty key and an empty value are an entry.
        assert!(BigCacheEntry::decode(&[0; HEADER_BYTES]).is_ok());
    }

    #[test]
    fn keys_are_as_long_as_its_arithmetic_goes() {
        let key = vec![b'k'; 65_536];
        for len in [65_516, 65_517] {
            let entry = BigCacheEntry::new(1, 2, &key[..len], &b"v"[..]).unwrap();
            let bytes = entry.encode_to_vec().unwrap();
            assert!(BigCacheEntry::decode(&bytes) == Ok(entry), "{len}");
        }
        for len in [65_518, 65_535, 65_536] {
            let error = BigCacheEntry::new(1, 2, &key[..len], b"v").unwrap_err();
            assert_eq!(error.kind(), FrameErrorKind::KeyTooLong, "{len}");
        }
        for len in [65_518, 65_535] {
            let header = [&[0; KEY_LEN][..], &u16::to_le_bytes(len)].concat();
            let error = BigCacheEntry::decode(&[&header[..], &key].concat()).unwrap_err();
            assert_eq!(error.kind(), FrameErrorKind::KeyTooLong, "{len}");
        }
    }

    #[test]
    fn the_length_takes_what_bigcache_gives_it() {
        // The last size of content for each number of bytes, from its source.
        let last = [126, 16_381, 2_097_148, 268_435_451];
        for (at, &content) in last.iter().enumerate() {
            assert_eq!((length_bytes(content), length_bytes(content + 1)), (at + 1, at + 2));
        }
        assert_eq!((length_bytes(0), length_bytes(1)), (1, 1));
    }
}
