//! Content encodings, and lists of them.

use core::fmt;

/// What gzip (method 8), frames of lz4 and zstd, and streams of framed snappy begin with.
pub(super) const GZIP: &[u8] = b"\x1f\x8b\x08";
pub(super) const LZ4: &[u8] = b"\x04\x22\x4d\x18";
pub(super) const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";
pub(super) const SNAPPY_FRAMED: &[u8] = b"\xff\x06\x00\x00sNaPpY";

/// One layer of compression around a body.
///
/// ```
/// use borrowire::body::Encoding;
///
/// let header = ("Content-Encoding", Encoding::Zstd.as_str());
/// assert_eq!(header.1, "zstd");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
#[doc(alias("Content-Encoding", "snappy", "gzip", "zstd", "deflate", "lz4"))]
pub enum Encoding {
    /// `deflate`: zlib as the RFC says, or a raw deflate stream as many clients send it.
    Deflate,
    /// `gzip`, all members.
    Gzip,
    /// `lz4`, all frames.
    Lz4,
    /// `snappy`: one block.
    Snappy,
    /// `x-snappy-framed`: the stream format of snappy.
    SnappyFramed,
    /// `zstd`, all frames.
    Zstd,
    /// The sender did not say, and clients differ: told by the bytes alone.
    ///
    /// What is promised: a body that begins as gzip, zstd, lz4 and framed snappy do is read so; a
    /// whole snappy block is read as one; and a message whose fields all have a length, as those of the
    /// protocols of this crate do, is taken as it is, however small. A damaged snappy block is an
    /// error, unless so little is left of it that its first bytes do not tell. Anything else is
    /// taken as it is.
    ///
    /// It is read in one piece.
    Unstated,
}

impl Encoding {
    /// The token of the `Content-Encoding` header; empty for [`Unstated`](Self::Unstated).
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Deflate => "deflate",
            Self::Gzip => "gzip",
            Self::Lz4 => "lz4",
            Self::Snappy => "snappy",
            Self::SnappyFramed => "x-snappy-framed",
            Self::Zstd => "zstd",
            Self::Unstated => "",
        }
    }

    /// The feature of this crate that it needs.
    pub(super) const fn feature(self) -> &'static str {
        match self {
            Self::Deflate | Self::Gzip => "gzip",
            Self::Lz4 => "lz4",
            Self::Snappy | Self::SnappyFramed | Self::Unstated => "snappy",
            Self::Zstd => "zstd",
        }
    }

    /// Whether the feature is enabled.
    pub(super) const fn is_enabled(self) -> bool {
        match self {
            Self::Deflate | Self::Gzip => cfg!(feature = "gzip"),
            Self::Lz4 => cfg!(feature = "lz4"),
            Self::Snappy | Self::SnappyFramed | Self::Unstated => cfg!(feature = "snappy"),
            Self::Zstd => cfg!(feature = "zstd"),
        }
    }

    /// The encoding whose streams all begin as `bytes` do, and no message does.
    pub(crate) fn by_magic_number(bytes: &[u8]) -> Option<Self> {
        let magic = [
            (GZIP, Self::Gzip),
            (LZ4, Self::Lz4),
            (ZSTD, Self::Zstd),
            (SNAPPY_FRAMED, Self::SnappyFramed),
        ];
        let mut known = magic.into_iter().filter(|(magic, _)| bytes.starts_with(magic));
        known.next().map(|(_, encoding)| encoding)
    }

    fn from_token(token: &str) -> Option<Self> {
        const TOKENS: [(&str, Encoding); 7] = [
            ("deflate", Encoding::Deflate),
            ("gzip", Encoding::Gzip),
            ("x-gzip", Encoding::Gzip),
            ("lz4", Encoding::Lz4),
            ("snappy", Encoding::Snappy),
            ("x-snappy-framed", Encoding::SnappyFramed),
            ("zstd", Encoding::Zstd),
        ];
        let (_, encoding) = TOKENS.iter().find(|(name, _)| token.eq_ignore_ascii_case(name))?;
        Some(*encoding)
    }
}

impl fmt::Display for Encoding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unstated => "unstated",
            named => named.as_str(),
        })
    }
}

/// Why a `Content-Encoding` header is refused.
///
/// ```
/// use borrowire::body::{Encodings, EncodingsError};
///
/// assert_eq!(Encodings::parse("gzip, br"), Err(EncodingsError::Unsupported));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodingsError {
    /// More than four layers.
    TooMany,
    /// A token that is no encoding of this crate.
    Unsupported,
}

impl fmt::Display for EncodingsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::TooMany => "too many content encodings",
            Self::Unsupported => "unsupported content encoding",
        })
    }
}

impl core::error::Error for EncodingsError {}

/// How many layers of compression a body may have.
const MAX_LAYERS: usize = 4;

/// The layers of compression around a body, in the order in which they were applied.
///
/// ```
/// use borrowire::body::{Encoding, Encodings};
///
/// let encodings = Encodings::parse("GZIP, snappy")?; // gzip inside, snappy around it
/// assert!(encodings.outermost_first().eq([Encoding::Snappy, Encoding::Gzip]));
/// assert_eq!(Encodings::parse("identity")?, Encodings::IDENTITY);
/// # Ok::<(), borrowire::body::EncodingsError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Encodings {
    layers: [Option<Encoding>; MAX_LAYERS],
}

impl Encodings {
    /// No compression.
    pub const IDENTITY: Self = Self { layers: [None; MAX_LAYERS] };

    /// One layer.
    #[must_use]
    pub const fn new(encoding: Encoding) -> Self {
        Self { layers: [Some(encoding), None, None, None] }
    }

    /// Adds a layer of `encoding` around the others.
    ///
    /// # Errors
    ///
    /// [`TooMany`](EncodingsError::TooMany) for the fifth layer.
    pub fn and(mut self, encoding: Encoding) -> Result<Self, EncodingsError> {
        let free = self.layers.iter_mut().find(|layer| layer.is_none());
        *free.ok_or(EncodingsError::TooMany)? = Some(encoding);
        Ok(self)
    }

    /// Reads the value of a `Content-Encoding` header: a list, in any case. `identity` and empty
    /// elements are no layers (RFC 9110, sections 5.6.1 and 8.4).
    ///
    /// # Errors
    ///
    /// For a token that is no encoding of this crate, and for over four layers.
    pub fn parse(header: &str) -> Result<Self, EncodingsError> {
        let mut encodings = Self::IDENTITY;
        for token in header.split(',').map(|token| token.trim_matches([' ', '\t'])) {
            if token.is_empty() || token.eq_ignore_ascii_case("identity") {
                continue;
            }
            let encoding = Encoding::from_token(token).ok_or(EncodingsError::Unsupported)?;
            encodings = encodings.and(encoding)?;
        }
        Ok(encodings)
    }

    /// Whether there is no layer.
    #[must_use]
    pub fn is_identity(&self) -> bool {
        *self == Self::IDENTITY
    }

    /// The layers in the order in which they are applied, and listed in the header: the innermost
    /// first.
    pub fn layers(&self) -> impl DoubleEndedIterator<Item = Encoding> + Clone + use<> {
        self.layers.into_iter().flatten()
    }

    /// The layers in the order in which they are decompressed: the outermost first.
    pub fn outermost_first(&self) -> impl Iterator<Item = Encoding> + Clone + use<> {
        self.layers().rev()
    }
}

impl From<Encoding> for Encodings {
    fn from(encoding: Encoding) -> Self {
        Self::new(encoding)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_as_clients_send_them() {
        let one = |encoding| Ok(Encodings::new(encoding));
        assert_eq!(Encodings::parse(""), Ok(Encodings::IDENTITY));
        assert_eq!(Encodings::parse(" identity "), Ok(Encodings::IDENTITY));
        assert_eq!(Encodings::parse("GZIP"), one(Encoding::Gzip));
        assert_eq!(Encodings::parse("\tx-gzip "), one(Encoding::Gzip));
        assert_eq!(Encodings::parse("gzip, identity"), one(Encoding::Gzip));
        let both = Encodings::new(Encoding::Snappy).and(Encoding::Gzip);
        assert_eq!(Encodings::parse("snappy,,gzip"), both);
        assert_eq!(Encodings::parse("br"), Err(EncodingsError::Unsupported));
        assert_eq!(Encodings::parse("gzip snappy"), Err(EncodingsError::Unsupported));
        assert_eq!(Encodings::parse(&["gzip"; 9].join(",")), Err(EncodingsError::TooMany));
    }

    #[test]
    fn the_last_layer_is_decompressed_first() {
        let encodings = Encodings::parse("gzip, snappy, zstd").unwrap();
        assert!(encodings.outermost_first().eq([Encoding::Zstd, Encoding::Snappy, Encoding::Gzip]));
    }
}
