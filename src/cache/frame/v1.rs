//! A frame for bytes that come back from elsewhere, version 1.
//!
//! CRC-32 is there because what it finds is certain, not likely: every run of up to 32 wrong bits,
//! and any three wrong bits in frames of up to 11 kB. For a value of 256 bytes it takes 40 ns
//! (crc32fast 1.5 on an AMD EPYC, 2026-11), where writing the entry takes 8: much for memory of
//! this process, which needs none, and little for what comes from disk or the network.

use core::fmt;

use super::entry::{CacheEntry, HEADER_BYTES};
use super::error::{FrameError, FrameErrorKind};
use crate::Encode;
use crate::wire::{BufferFull, Writer, impossible};

const VERSION: u8 = 1;
const ENVELOPE_BYTES: usize = 8;
const CHECKSUM: usize = 4;

/// A [`CacheEntry`] behind a version and a checksum: 32 bytes, key, value.
///
/// ```text
/// offset  size
///  0      1     version: 1
///  1      3     zeros
///  4      4     CRC-32 (IEEE) of all that follows, u32, little endian
///  8            entry: timestamp, hash, lengths, key, value
/// ```
///
/// Damage is an error: for certain that of up to 32 bits in a row, else but for one case in four
/// billion. A checksum is no signature: whoever writes such bytes on purpose writes a fitting one.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::cache::frame::{CacheEntry, Frame, FrameErrorKind};
///
/// let frame = Frame::new(CacheEntry::new(1_700_000_000_000, 42, b"key", b"value"));
/// let mut bytes = frame.encode_to_vec()?;
/// let read = Frame::decode(&bytes)?.entry();
/// assert_eq!((read.key, read.value), (&b"key"[..], &b"value"[..]));
///
/// bytes[34] ^= 1; // a bit of the key
/// assert_eq!(Frame::decode(&bytes).unwrap_err().kind(), FrameErrorKind::Checksum);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Frame<K, V = K> {
    entry: CacheEntry<K, V>,
}

impl<K, V> Frame<K, V> {
    /// A frame around `entry`.
    #[must_use]
    pub const fn new(entry: CacheEntry<K, V>) -> Self {
        Self { entry }
    }

    /// What is in the frame.
    #[must_use]
    pub fn entry(self) -> CacheEntry<K, V> {
        self.entry
    }
}

impl<'a> Frame<&'a [u8]> {
    /// Reads a frame that takes the whole of `bytes`.
    ///
    /// # Errors
    ///
    /// If `bytes` are not a frame, end inside it or behind it, or were damaged.
    pub fn decode(bytes: &'a [u8]) -> Result<Self, FrameError> {
        let (frame, rest) = Self::split(bytes)?;
        if !rest.is_empty() {
            let end = bytes.len().saturating_sub(rest.len());
            return Err(FrameError::new(FrameErrorKind::TrailingData, end));
        }
        Ok(frame)
    }

    /// Reads the frame at the front of `bytes`, and returns it with the bytes behind.
    ///
    /// # Errors
    ///
    /// If `bytes` do not begin with a frame, end inside it, or were damaged.
    pub fn split(bytes: &'a [u8]) -> Result<(Self, &'a [u8]), FrameError> {
        let Some((&[version, zeros @ .., c0, c1, c2, c3], content)) =
            bytes.split_first_chunk::<ENVELOPE_BYTES>()
        else {
            return Err(FrameError::new(FrameErrorKind::Truncated, 0));
        };
        if version != VERSION || zeros != [0; 3] {
            return Err(FrameError::new(FrameErrorKind::UnknownVersion, 0));
        }
        let (entry, rest) = CacheEntry::split(content).map_err(|error| {
            FrameError::new(error.kind(), error.offset().saturating_add(ENVELOPE_BYTES))
        })?;
        let len = content.len().saturating_sub(rest.len());
        let checked = content.get(..len).unwrap_or_else(impossible);
        if crc32fast::hash(checked) != u32::from_le_bytes([c0, c1, c2, c3]) {
            return Err(FrameError::new(FrameErrorKind::Checksum, CHECKSUM));
        }
        Ok((Self { entry }, rest))
    }
}

impl<K: Encode, V: Encode> Encode for Frame<K, V> {
    fn encoded_len(&self) -> usize {
        self.entry.encoded_len().saturating_add(ENVELOPE_BYTES)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let envelope = writer.take_array::<ENVELOPE_BYTES>()?;
        let content = writer.take(self.entry.encoded_len())?;
        let mut inner = Writer::new(content);
        self.entry.write_to(&mut inner)?;
        let [c0, c1, c2, c3] = crc32fast::hash(content).to_le_bytes();
        *envelope = [VERSION, 0, 0, 0, c0, c1, c2, c3];
        Ok(())
    }
}

/// Lengths only: key and value are a tenant's.
impl<K: Encode, V: Encode> fmt::Debug for Frame<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Frame").field("entry", &self.entry).finish()
    }
}

const _: () = assert!(ENVELOPE_BYTES + HEADER_BYTES == 32);
