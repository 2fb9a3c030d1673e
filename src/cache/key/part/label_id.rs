use core::fmt;

use blake2::digest::Update;

use super::base64;
use super::digest::Digest;
use super::error::KeyError;
use crate::wire::{BufferFull, Writer};

/// What a key says of a label: the label itself if that is short, else its hash. At most 32 bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct LabelId {
    bytes: [u8; Digest::LEN],
    len: usize,
}

/// How a label becomes the bytes that a key has, or that are hashed.
pub(super) trait LabelLayout {
    /// The most bytes that are not hashed.
    const MAX_RAW: usize;

    /// The number of bytes.
    fn len(name: &str, value: &str) -> usize;

    /// Gives `put` the bytes, piece by piece.
    fn pieces(name: &str, value: &str, put: impl FnMut(&[u8]));
}

impl LabelId {
    #[inline]
    pub(super) fn new<L: LabelLayout>(name: &str, value: &str) -> Self {
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
    pub(super) fn raw<L: LabelLayout>(name: &str, value: &str) -> Option<Self> {
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

    /// The same for a text that `feed` gives, piece by piece, as often as it is asked.
    pub(super) fn of_text(
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

    pub(super) fn as_bytes(&self) -> &[u8] {
        self.bytes.get(..self.len).unwrap_or_default()
    }

    /// The hash, if there are as many bytes as one has.
    pub(super) fn digest(&self) -> Option<Digest> {
        (self.len == Digest::LEN).then_some(Digest::new(self.bytes))
    }

    /// The length in a key, in characters.
    pub(super) const fn text_len(&self) -> usize {
        base64::encoded_len(self.len)
    }

    pub(super) fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        base64::write(self.as_bytes(), writer)
    }

    /// What `text`, at `offset` in the key, stands for.
    pub(super) fn read(text: &str, offset: usize) -> Result<Self, KeyError> {
        let (bytes, len) = base64::read(text, offset)?;
        Ok(Self { bytes, len })
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
