//! Keys of which no two are equal unless the things that they stand for are: for new caches.
//!
//! ```text
//! bw1p:<tenant>:<block>:<id>              PostingsKey
//! bw1e:<tenant>:<block>:<M>:<strategy>    ExpandedPostingsKey
//! bw1n:<tenant>:<block>:<M>               LabelNamesKey
//! bw1v:<tenant>:<block>:<N>               LabelValuesKey
//!
//! id   base64 of: length of the name (1 byte), name, value; if that is at most 31 bytes, else
//!      base64 of the hash of: length of the name (8 bytes), name, value; which is 32 bytes
//! M    base64 of the hash of the matchers, sorted by name, operator and value; of each:
//!      operator's number (1 byte), length of the name (8 bytes), name, length of the value
//!      (8 bytes), value
//! N    base64 of the hash of: length of the label's name (8 bytes), name, the matchers as in M
//! ```
//!
//! Lengths are little endian, hashes BLAKE2b-256, base64 is that of URLs, without padding.
//!
//! In front of everything of variable length stands its length, or it ends with the key, and a
//! label cannot be taken for a hash: so two keys are equal only if all parts are, or if BLAKE2b-256
//! collides. No two labels or matchers share a key, as they do in [`mimir`](super::mimir). Label
//! names never stand in a key as they are, so every key of a tenant of up to 150 bytes, and with a
//! strategy of up to 23, fits into memcached's 250, and has no byte that memcached refuses, unless
//! the tenant or the strategy has. Then the key works as well: `Memcached` sends it escaped, and
//! for other clients [`escape_memcached`](super::escape_memcached) does that.
//!
//! `bw1` is the version of this layout: whatever changes in it changes the prefix. No key of Mimir
//! or Thanos begins with a small letter, so both kinds may live in one cache. Series, and series
//! for postings, have no ambiguity in [`mimir`](super::mimir): use those.

use core::str;

use blake2::Blake2b256;
use blake2::digest::Update;

use super::error::{KeyError, KeyErrorKind};
use super::key_batch::KeyBatch;
use super::key_buf::Text;
use super::parser::Parser;
use super::part::{Digest, LabelId, LabelLayout, Matcher, Scope, for_each_sorted};
use crate::wire::{BufferFull, Writer, impossible};
use crate::{Encode, EncodeError};

const POSTINGS: &str = "bw1p:";
const EXPANDED_POSTINGS: &str = "bw1e:";
const LABEL_NAMES: &str = "bw1n:";
const LABEL_VALUES: &str = "bw1v:";

/// The hash of matchers, in any order. Nothing is allocated for up to 16 matchers, or if they are
/// in order.
///
/// ```
/// use borrowire::cache::key::{MatchOp, Matcher, distinct, mimir};
///
/// let (equal, regex) =
///     (Matcher::new("a", MatchOp::Equal, "~b"), Matcher::new("a", MatchOp::Regex, "b"));
/// assert_eq!(mimir::hash_matchers(&[equal]), mimir::hash_matchers(&[regex]));
/// assert_ne!(distinct::hash_matchers(&[equal]), distinct::hash_matchers(&[regex]));
/// ```
#[must_use]
pub fn hash_matchers(matchers: &[Matcher<'_>]) -> Digest {
    Digest::of(|hasher| update_with_matchers(hasher, matchers))
}

fn update_with_matchers(hasher: &mut Blake2b256, matchers: &[Matcher<'_>]) {
    for_each_sorted(matchers, |matcher| {
        hasher.update(&[matcher.op.number()]);
        update_with_text(hasher, matcher.name);
        update_with_text(hasher, matcher.value);
    });
}

fn update_with_text(hasher: &mut Blake2b256, text: &str) {
    hasher.update(&length(text));
    hasher.update(text.as_bytes());
}

fn length(text: &str) -> [u8; 8] {
    u64::try_from(text.len()).unwrap_or(u64::MAX).to_le_bytes()
}

/// The length of the name, the name, the value.
struct LengthNameValue;

impl LabelLayout for LengthNameValue {
    /// One less than a hash has.
    const MAX_RAW: usize = Digest::LEN - 1;

    fn len(name: &str, value: &str) -> usize {
        name.len().saturating_add(value.len()).saturating_add(1)
    }

    #[inline]
    fn pieces(name: &str, value: &str, mut put: impl FnMut(&[u8])) {
        let length = length(name);
        let is_raw = Self::len(name, value) <= Self::MAX_RAW;
        put(if is_raw { length.get(..1).unwrap_or_else(impossible) } else { &length });
        put(name.as_bytes());
        put(value.as_bytes());
    }
}

/// The key of a label's postings: `bw1p:<tenant>:<block>:<id>`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, Scope, distinct, mimir};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let postings = distinct::PostingsKey::new(scope, "foo", "bar");
/// assert_eq!(postings.to_buf()?, "bw1p:tenant:00000000010000000000000000:A2Zvb2Jhcg");
/// assert_eq!(postings.label(), Some(("foo", "bar")));
///
/// assert_eq!(
///     mimir::PostingsKey::new(scope, "a:b", "c"),
///     mimir::PostingsKey::new(scope, "a", "b:c"),
/// );
/// assert_ne!(
///     distinct::PostingsKey::new(scope, "a:b", "c"),
///     distinct::PostingsKey::new(scope, "a", "b:c"),
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostingsKey<'a> {
    scope: Scope<'a>,
    id: LabelId,
}

impl<'a> PostingsKey<'a> {
    /// The key of the label `name="value"`, which is hashed here if both are over 30 bytes
    /// together.
    #[must_use]
    pub fn new(scope: Scope<'a>, name: &str, value: &str) -> Self {
        Self { scope, id: LabelId::new::<LengthNameValue>(name, value) }
    }

    /// Appends the keys of all `labels`, names and values, to `batch`, in order. Where the
    /// processor can, four labels are hashed at a time.
    ///
    /// # Errors
    ///
    /// If a key is over 2 GiB - 1; the keys in front of it are in `batch` then.
    pub fn encode_all<'l>(
        scope: Scope<'a>,
        labels: impl IntoIterator<Item = (&'l str, &'l str)>,
        batch: &mut KeyBatch,
    ) -> Result<(), EncodeError> {
        batch.push_labels::<LengthNameValue, _>(labels, |id| Self { scope, id })
    }

    fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let key = Self { scope: parser.scope()?, id: parser.label_id()? };
        if key.label().is_none() && key.hash().is_none() {
            return Err(parser.error(KeyErrorKind::InvalidLabel));
        }
        Ok(key)
    }

    /// Whose postings, and of which block.
    #[must_use]
    pub const fn scope(&self) -> Scope<'a> {
        self.scope
    }

    /// The label's name and value, if they are not hashed.
    #[must_use]
    pub fn label(&self) -> Option<(&str, &str)> {
        if self.hash().is_some() {
            return None;
        }
        let (&len, label) = self.id.as_bytes().split_first()?;
        str::from_utf8(label).ok()?.split_at_checked(usize::from(len))
    }

    /// The label's hash, if it is hashed.
    #[must_use]
    pub fn hash(&self) -> Option<Digest> {
        self.id.digest()
    }
}

impl Encode for PostingsKey<'_> {
    fn encoded_len(&self) -> usize {
        self.scope.len(POSTINGS).saturating_add(self.id.text_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(POSTINGS, writer)?;
        self.id.write_to(writer)
    }
}

impl Text for PostingsKey<'_> {}

/// The key of the postings that matchers select: `bw1e:<tenant>:<block>:<M>:<strategy>`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, Scope, distinct};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let matchers = [Matcher::new("job", MatchOp::Equal, "api")];
/// let key = distinct::ExpandedPostingsKey::new(scope, &matchers, "all").to_buf()?;
/// assert!(key.starts_with("bw1e:tenant:00000000010000000000000000:") && key.ends_with(":all"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpandedPostingsKey<'a> {
    /// Whose postings, and of which block.
    pub scope: Scope<'a>,
    /// The hash of the matchers: [`hash_matchers`].
    pub matchers: Digest,
    /// How it was chosen which postings to fetch: a short name.
    pub strategy: &'a str,
}

impl<'a> ExpandedPostingsKey<'a> {
    /// The key of what `matchers` select, which are hashed here.
    #[must_use]
    pub fn new(scope: Scope<'a>, matchers: &[Matcher<'_>], strategy: &'a str) -> Self {
        Self { scope, matchers: hash_matchers(matchers), strategy }
    }

    fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let (scope, matchers) = (parser.scope()?, parser.digest()?);
        parser.colon()?;
        Ok(Self { scope, matchers, strategy: parser.text() })
    }
}

impl Encode for ExpandedPostingsKey<'_> {
    fn encoded_len(&self) -> usize {
        self.scope
            .len(EXPANDED_POSTINGS)
            .saturating_add(Digest::TEXT_LEN + 1)
            .saturating_add(self.strategy.len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(EXPANDED_POSTINGS, writer)?;
        self.matchers.write_to(writer)?;
        writer.write_raw(b":")?;
        writer.write_raw(self.strategy.as_bytes())
    }
}

impl Text for ExpandedPostingsKey<'_> {}

/// The key of the names of labels that matching series have: `bw1n:<tenant>:<block>:<M>`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, Scope, distinct};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let matchers = [Matcher::new("job", MatchOp::Equal, "api")];
/// let key = distinct::LabelNamesKey::new(scope, &matchers).to_buf()?;
/// assert!(key.starts_with("bw1n:tenant:00000000010000000000000000:"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelNamesKey<'a> {
    /// Whose labels, and of which block.
    pub scope: Scope<'a>,
    /// The hash of the matchers: [`hash_matchers`].
    pub matchers: Digest,
}

impl<'a> LabelNamesKey<'a> {
    /// The key for `matchers`, which are hashed here.
    #[must_use]
    pub fn new(scope: Scope<'a>, matchers: &[Matcher<'_>]) -> Self {
        Self { scope, matchers: hash_matchers(matchers) }
    }

    fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let (scope, matchers) = (parser.scope()?, parser.digest()?);
        parser.end(Self { scope, matchers })
    }
}

impl Encode for LabelNamesKey<'_> {
    fn encoded_len(&self) -> usize {
        self.scope.len(LABEL_NAMES).saturating_add(Digest::TEXT_LEN)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(LABEL_NAMES, writer)?;
        self.matchers.write_to(writer)
    }
}

impl Text for LabelNamesKey<'_> {}

/// The key of the values that a label has in matching series: `bw1v:<tenant>:<block>:<N>`.
///
/// ```
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, Scope, distinct};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let matchers = [Matcher::new("job", MatchOp::Equal, "api")];
/// // Longer than memcached takes, were the name in the key.
/// let key = distinct::LabelValuesKey::new(scope, &"n".repeat(300), &matchers).to_buf()?;
/// assert!(key.starts_with("bw1v:tenant:00000000010000000000000000:"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelValuesKey<'a> {
    /// Whose labels, and of which block.
    pub scope: Scope<'a>,
    /// The hash of the label's name and the matchers.
    pub name_and_matchers: Digest,
}

impl<'a> LabelValuesKey<'a> {
    /// The key of the label `name` for `matchers`, which are hashed here.
    #[must_use]
    pub fn new(scope: Scope<'a>, name: &str, matchers: &[Matcher<'_>]) -> Self {
        let name_and_matchers = Digest::of(|hasher| {
            update_with_text(hasher, name);
            update_with_matchers(hasher, matchers);
        });
        Self { scope, name_and_matchers }
    }

    fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let (scope, name_and_matchers) = (parser.scope()?, parser.digest()?);
        parser.end(Self { scope, name_and_matchers })
    }
}

impl Encode for LabelValuesKey<'_> {
    fn encoded_len(&self) -> usize {
        self.scope.len(LABEL_VALUES).saturating_add(Digest::TEXT_LEN)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(LABEL_VALUES, writer)?;
        self.name_and_matchers.write_to(writer)
    }
}

impl Text for LabelValuesKey<'_> {}

/// Any of these keys, read from its text. Encoded, it is the same text again.
///
/// ```
/// use borrowire::cache::key::distinct::Key;
///
/// let Key::Postings(postings) =
///     Key::parse(b"bw1p:tenant:00000000010000000000000000:A2Zvb2Jhcg")?
/// else {
///     unreachable!()
/// };
/// assert_eq!(postings.label(), Some(("foo", "bar")));
/// # Ok::<(), borrowire::cache::key::KeyError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Key<'a> {
    /// `bw1p`
    Postings(PostingsKey<'a>),
    /// `bw1e`
    ExpandedPostings(ExpandedPostingsKey<'a>),
    /// `bw1n`
    LabelNames(LabelNamesKey<'a>),
    /// `bw1v`
    LabelValues(LabelValuesKey<'a>),
}

impl<'a> Key<'a> {
    /// Reads a key, which must be exactly as it is written here.
    ///
    /// # Errors
    ///
    /// The first fault, with its place.
    pub fn parse(key: &'a [u8]) -> Result<Self, KeyError> {
        let mut parser = Parser::new(key)?;
        if parser.skip(POSTINGS) {
            PostingsKey::parse(parser).map(Self::Postings)
        } else if parser.skip(EXPANDED_POSTINGS) {
            ExpandedPostingsKey::parse(parser).map(Self::ExpandedPostings)
        } else if parser.skip(LABEL_NAMES) {
            LabelNamesKey::parse(parser).map(Self::LabelNames)
        } else if parser.skip(LABEL_VALUES) {
            LabelValuesKey::parse(parser).map(Self::LabelValues)
        } else {
            Err(parser.error(KeyErrorKind::UnknownPrefix))
        }
    }
}

impl Encode for Key<'_> {
    fn encoded_len(&self) -> usize {
        match self {
            Self::Postings(key) => key.encoded_len(),
            Self::ExpandedPostings(key) => key.encoded_len(),
            Self::LabelNames(key) => key.encoded_len(),
            Self::LabelValues(key) => key.encoded_len(),
        }
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        match self {
            Self::Postings(key) => key.write_to(writer),
            Self::ExpandedPostings(key) => key.write_to(writer),
            Self::LabelNames(key) => key.write_to(writer),
            Self::LabelValues(key) => key.write_to(writer),
        }
    }
}

impl Text for Key<'_> {}
