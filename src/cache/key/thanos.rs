//! The keys of Thanos' index cache, byte for byte.
//!
//! ```text
//! P:<block>:<L>:dss    PostingsKey           L: base64 of the hash of name ":" value
//! EP:<block>:<M>:dss   ExpandedPostingsKey   M: base64 of the hash of the matchers' texts,
//!                                               with ";" in between
//! S:<block>:<id>       SeriesKey             id: decimal
//! ```
//!
//! There is no tenant, labels are always hashed, with BLAKE2b-256, and matchers stay in the order
//! in which they are given. `dss` names how the values are compressed: differences, varints, framed
//! snappy.
//!
//! The labels `a:b="c"` and `a="b:c"` have one key, as in [`mimir`](super::mimir).
//!
//! Source: the index cache of Thanos' store.

use blake2::digest::Update;

use super::error::{KeyError, KeyErrorKind};
use super::key_batch::KeyBatch;
use super::key_buf::Text;
use super::parser::Parser;
use super::part::{
    BLOCK_LEN, BlockId, Digest, LabelId, Matcher, NameColonValue, decimal, write_block,
};
use crate::wire::{BufferFull, Writer, impossible};
use crate::{Encode, EncodeError};

const POSTINGS: &str = "P:";
const EXPANDED_POSTINGS: &str = "EP:";
const SERIES: &str = "S:";

/// How the values of postings are compressed.
const SUFFIX: &str = ":dss";

/// The hash of matchers, in this order: their texts, with `;` in between.
///
/// ```
/// use borrowire::cache::key::{MatchOp, Matcher, thanos};
///
/// let job = Matcher::new("job", MatchOp::Equal, "api");
/// let pod = Matcher::new("pod", MatchOp::Regex, "cart-.*");
/// assert_ne!(thanos::hash_matchers(&[job, pod]), thanos::hash_matchers(&[pod, job]));
/// ```
#[must_use]
pub fn hash_matchers(matchers: &[Matcher<'_>]) -> Digest {
    Digest::of(|hasher| {
        let mut separator = "";
        for matcher in matchers {
            hasher.update(separator.as_bytes());
            separator = ";";
            matcher.for_each_piece(|piece| hasher.update(piece.as_bytes()));
        }
    })
}

/// Every label is hashed.
type Layout = NameColonValue<0>;

/// The key of a label's postings: `P:<block>:<L>:dss`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, thanos};
///
/// let block = BlockId::new("00000000010000000000000000")?;
/// assert_eq!(
///     thanos::PostingsKey::new(block, "foo", "bar").to_buf()?,
///     "P:00000000010000000000000000:jCXwSJJrZbhjpARCdPaLRL-cVX7MJ7mudtvSKh46I9E:dss"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostingsKey {
    /// Of which block.
    pub block: BlockId,
    /// The hash of the label.
    pub label: Digest,
}

impl PostingsKey {
    /// The key of the label `name="value"`, which is hashed here.
    #[must_use]
    pub fn new(block: BlockId, name: &str, value: &str) -> Self {
        Self::with_id(block, LabelId::new::<Layout>(name, value))
    }

    /// Appends the keys of all `labels`, names and values, to `batch`, in order. Where the
    /// processor can, four labels are hashed at a time.
    ///
    /// # Errors
    ///
    /// Never: no key is over 2 GiB - 1.
    pub fn encode_all<'l>(
        block: BlockId,
        labels: impl IntoIterator<Item = (&'l str, &'l str)>,
        batch: &mut KeyBatch,
    ) -> Result<(), EncodeError> {
        batch.push_labels::<Layout, _>(labels, |id| Self::with_id(block, id))
    }

    fn with_id(block: BlockId, id: LabelId) -> Self {
        // Never the default: these are all hashes.
        Self { block, label: id.digest().unwrap_or_else(impossible) }
    }

    fn parse(parser: Parser<'_>) -> Result<Self, KeyError> {
        let (block, label) = block_and_digest(parser)?;
        Ok(Self { block, label })
    }
}

impl Encode for PostingsKey {
    fn encoded_len(&self) -> usize {
        POSTINGS.len().saturating_add(BLOCK_AND_DIGEST)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_block_and_digest(POSTINGS, &self.block, &self.label, writer)
    }
}

impl Text for PostingsKey {}

/// The key of the postings that matchers select: `EP:<block>:<M>:dss`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, thanos};
///
/// let matchers = [
///     Matcher::new("foo", MatchOp::Equal, "bar"),
///     Matcher::new("baz", MatchOp::Regex, "b.*"),
/// ];
/// let block = BlockId::new("00000000010000000000000000")?;
/// assert_eq!(
///     thanos::ExpandedPostingsKey::new(block, &matchers).to_buf()?,
///     "EP:00000000010000000000000000:9-quyDNZueJcCF4B3rjJU7k6r9lvbl9Q4kqdph0zNm8:dss"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpandedPostingsKey {
    /// Of which block.
    pub block: BlockId,
    /// The hash of the matchers: [`hash_matchers`].
    pub matchers: Digest,
}

impl ExpandedPostingsKey {
    /// The key of what `matchers` select, which are hashed here.
    #[must_use]
    pub fn new(block: BlockId, matchers: &[Matcher<'_>]) -> Self {
        Self { block, matchers: hash_matchers(matchers) }
    }

    fn parse(parser: Parser<'_>) -> Result<Self, KeyError> {
        let (block, matchers) = block_and_digest(parser)?;
        Ok(Self { block, matchers })
    }
}

impl Encode for ExpandedPostingsKey {
    fn encoded_len(&self) -> usize {
        EXPANDED_POSTINGS.len().saturating_add(BLOCK_AND_DIGEST)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_block_and_digest(EXPANDED_POSTINGS, &self.block, &self.matchers, writer)
    }
}

impl Text for ExpandedPostingsKey {}

/// The key of a series: `S:<block>:<id>`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, thanos};
///
/// let block = BlockId::new("00000000010000000000000000")?;
/// let key = thanos::SeriesKey::new(block, 12345).to_buf()?;
/// assert_eq!(key, "S:00000000010000000000000000:12345");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SeriesKey {
    /// Of which block.
    pub block: BlockId,
    /// Where in the block's index the series lies: TSDB's series reference.
    pub series_ref: u64,
}

impl SeriesKey {
    /// The key of the series `series_ref`.
    #[must_use]
    pub const fn new(block: BlockId, series_ref: u64) -> Self {
        Self { block, series_ref }
    }

    fn parse(mut parser: Parser<'_>) -> Result<Self, KeyError> {
        Ok(Self { block: parser.block()?, series_ref: parser.number()? })
    }
}

impl Encode for SeriesKey {
    fn encoded_len(&self) -> usize {
        SERIES.len().saturating_add(BLOCK_LEN).saturating_add(decimal::len(self.series_ref))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(SERIES.as_bytes())?;
        write_block(&self.block, writer)?;
        decimal::write(self.series_ref, writer)
    }
}

impl Text for SeriesKey {}

/// Any key of Thanos', read from its text. Encoded, it is the same text again.
///
/// ```
/// use borrowire::cache::key::thanos::Key;
///
/// let key = Key::parse(b"S:00000000010000000000000000:12345")?;
/// assert!(matches!(key, Key::Series(series) if series.series_ref == 12345));
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Key {
    /// `P`
    Postings(PostingsKey),
    /// `EP`
    ExpandedPostings(ExpandedPostingsKey),
    /// `S`
    Series(SeriesKey),
}

impl Key {
    /// Reads a key, which must be exactly as it is written here: other texts that stand for the
    /// same are refused.
    ///
    /// # Errors
    ///
    /// The first fault, with its place.
    pub fn parse(key: &[u8]) -> Result<Self, KeyError> {
        let mut parser = Parser::new(key)?;
        if parser.skip(POSTINGS) {
            PostingsKey::parse(parser).map(Self::Postings)
        } else if parser.skip(EXPANDED_POSTINGS) {
            ExpandedPostingsKey::parse(parser).map(Self::ExpandedPostings)
        } else if parser.skip(SERIES) {
            SeriesKey::parse(parser).map(Self::Series)
        } else {
            Err(parser.error(KeyErrorKind::UnknownPrefix))
        }
    }
}

impl Encode for Key {
    fn encoded_len(&self) -> usize {
        match self {
            Self::Postings(key) => key.encoded_len(),
            Self::ExpandedPostings(key) => key.encoded_len(),
            Self::Series(key) => key.encoded_len(),
        }
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        match self {
            Self::Postings(key) => key.write_to(writer),
            Self::ExpandedPostings(key) => key.write_to(writer),
            Self::Series(key) => key.write_to(writer),
        }
    }
}

impl Text for Key {}

/// The length of `<block>:<hash>:dss`.
const BLOCK_AND_DIGEST: usize = BLOCK_LEN + Digest::TEXT_LEN + SUFFIX.len();

fn write_block_and_digest(
    prefix: &str,
    block: &BlockId,
    digest: &Digest,
    writer: &mut Writer<'_>,
) -> Result<(), BufferFull> {
    writer.write_raw(prefix.as_bytes())?;
    write_block(block, writer)?;
    digest.write_to(writer)?;
    writer.write_raw(SUFFIX.as_bytes())
}

fn block_and_digest(mut parser: Parser<'_>) -> Result<(BlockId, Digest), KeyError> {
    let parts = (parser.block()?, parser.digest()?);
    if !parser.skip(SUFFIX) {
        return Err(parser.error(KeyErrorKind::InvalidSuffix));
    }
    parser.end(parts)
}
