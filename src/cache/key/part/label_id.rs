//! A label in a key: as it is, or hashed.
//!
//! ```text
//! layout           what is encoded, or hashed if it is too long    longest that is not hashed
//! Mimir's          name ":" value                                  32 bytes
//! Thanos'          name ":" value                                  none
//! distinct         length of the name, name, value                 31 bytes
//! ```

use core::fmt;

use blake2::digest::Update;

use super::base64;
use super::digest::Digest;
use crate::cache::key::error::KeyError;
use crate::wire::{BufferFull, Writer, impossible};

/// What a key says of a label: the label itself if that is short, else its hash. At most 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::cache::key) struct LabelId {
    bytes: [u8; Digest::LEN],
    len: usize,
}

/// How a label becomes the bytes that a key has, or that are hashed.
pub(in crate::cache::key) trait LabelLayout {
    /// The most bytes that are not hashed.
    const MAX_RAW: usize;

    /// The number of bytes.
    fn len(name: &str, value: &str) -> usize;

    /// Gives `put` the bytes, piece by piece.
    fn pieces(name: &str, value: &str, put: impl FnMut(&[u8]));
}

impl LabelId {
    #[inline]
    pub(in crate::cache::key) fn new<L: LabelLayout>(name: &str, value: &str) -> Self {
        Self::raw::<L>(name, value).unwrap_or_else(|| {
            Self::from(Digest::of(|hasher| {
                L::pieces(name, value, |piece| {
                    hasher.update(piece);
                });
            }))
        })
    }

    /// The label itself, if it is short enough.
    #[inline]
    pub(in crate::cache::key) fn raw<L: LabelLayout>(name: &str, value: &str) -> Option<Self> {
        if L::len(name, value) > L::MAX_RAW {
            return None;
        }
        let mut bytes = [0; Digest::LEN];
        let mut writer = Writer::new(&mut bytes);
        let mut result = Ok(());
        L::pieces(name, value, |piece| result = result.and_then(|()| writer.write_raw(piece)));
        result.ok()?;
        let len = writer.written();
        Some(Self { bytes, len })
    }

    /// What a key says of a text: `feed` gives it, piece by piece, as often as it is asked.
    pub(in crate::cache::key) fn of_text(
        feed: impl Fn(&mut dyn FnMut(&str) -> Result<(), BufferFull>) -> Result<(), BufferFull>,
    ) -> Self {
        let mut bytes = [0; Digest::LEN];
        let mut writer = Writer::new(&mut bytes);
        let fits = feed(&mut |piece| writer.write_raw(piece.as_bytes())).is_ok();
        let len = writer.written();
        if fits {
            return Self { bytes, len };
        }
        Self::from(Digest::of(|hasher| {
            // Hashing cannot fail.
            let _ = feed(&mut |piece| {
                hasher.update(piece.as_bytes());
                Ok(())
            });
        }))
    }

    pub(in crate::cache::key) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_else(impossible)
    }

    /// The hash, if there are as many bytes as one has.
    pub(in crate::cache::key) fn digest(&self) -> Option<Digest> {
        (self.len == Digest::LEN).then_some(Digest::new(self.bytes))
    }

    /// The length in a key, in characters.
    pub(in crate::cache::key) const fn text_len(&self) -> usize {
        base64::encoded_len(self.len)
    }

    pub(in crate::cache::key) fn write_to(
        &self,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        base64::write(self.as_bytes(), writer)
    }

    /// What `text`, at `offset` in the key, stands for.
    pub(in crate::cache::key) fn read(text: &str, offset: usize) -> Result<Self, KeyError> {
        let (bytes, len) = base64::read(text, offset)?;
        Ok(Self { bytes, len })
    }
}

/// `name ":" value`, hashed if that is over `MAX_RAW` bytes.
pub(in crate::cache::key) struct NameColonValue<const MAX_RAW: usize>;

impl<const MAX_RAW: usize> LabelLayout for NameColonValue<MAX_RAW> {
    const MAX_RAW: usize = MAX_RAW;

    fn len(name: &str, value: &str) -> usize {
        name.len().saturating_add(value.len()).saturating_add(1)
    }

    #[inline]
    fn pieces(name: &str, value: &str, mut put: impl FnMut(&[u8])) {
        put(name.as_bytes());
        put(b":");
        put(value.as_bytes());
    }
}

impl From<Digest> for LabelId {
    fn from(digest: Digest) -> Self {
        Self { bytes: *digest.as_bytes(), len: Digest::LEN }
    }
}

impl fmt::Debug for LabelId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LabelId({} bytes)", self.len)
    }
}
