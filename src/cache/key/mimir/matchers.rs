//! The keys of what matchers select.
//!
//! ```text
//! E2:<tenant>:<block>:<M>:<strategy>      ExpandedPostingsKey
//! LN:<tenant>:<block>:<M>                 LabelNamesKey
//! LV2:<tenant>:<block>:<label name>:<M>   LabelValuesKey        the name as it is
//!
//! M   base64 of the BLAKE2b-256 hash of the matchers, sorted by name, operator and value:
//!     of each its name, operator, value and a zero byte
//! ```

use blake2::digest::Update;

use crate::Encode;
use crate::cache::key::error::KeyError;
use crate::cache::key::key_buf::Text;
use crate::cache::key::parser::Parser;
use crate::cache::key::part::{Digest, Matcher, Scope, for_each_sorted};
use crate::wire::{BufferFull, Writer};

pub(super) const EXPANDED_POSTINGS: &str = "E2:";
pub(super) const LABEL_NAMES: &str = "LN:";
pub(super) const LABEL_VALUES: &str = "LV2:";

/// The hash of matchers, in any order: of each its name, operator, value and a zero byte, sorted.
/// Nothing is allocated for up to 16 matchers, or if they are in order.
///
/// Some matchers that differ have one hash: see [the module](super).
///
/// ```
/// use borrowire::cache::key::{MatchOp, Matcher, mimir};
///
/// let job = Matcher::new("job", MatchOp::Equal, "api");
/// let pod = Matcher::new("pod", MatchOp::Regex, "cart-.*");
/// assert_eq!(mimir::hash_matchers(&[job, pod]), mimir::hash_matchers(&[pod, job]));
/// ```
#[must_use]
pub fn hash_matchers(matchers: &[Matcher<'_>]) -> Digest {
    Digest::of(|hasher| {
        for_each_sorted(matchers, |matcher| {
            hasher.update(matcher.name.as_bytes());
            hasher.update(matcher.op.as_str().as_bytes());
            hasher.update(matcher.value.as_bytes());
            hasher.update(&[0]);
        });
    })
}

/// The key of the postings that matchers select: `E2:<tenant>:<block>:<M>:<strategy>`.
///
/// ```
/// use borrowire::cache::key::mimir::{ExpandedPostingsKey, LabelNamesKey};
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, Scope};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let matchers = [
///     Matcher::new("foo", MatchOp::Regex, "b.*"),
///     Matcher::new("baz", MatchOp::Equal, "boo"),
/// ];
/// let postings = ExpandedPostingsKey::new(scope, &matchers, "all");
/// assert_eq!(
///     postings.to_buf()?,
///     "E2:tenant:00000000010000000000000000:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk:all"
/// );
/// // The same matchers, not hashed again.
/// let names = LabelNamesKey { scope, matchers: postings.matchers };
/// assert_eq!(names, LabelNamesKey::new(scope, &matchers));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ExpandedPostingsKey<'a> {
    /// Whose postings, and of which block.
    pub scope: Scope<'a>,
    /// The hash of the matchers: [`hash_matchers`].
    pub matchers: Digest,
    /// How it was chosen which postings to fetch, such as `all`, `worst-case` or `speculative`.
    pub strategy: &'a str,
}

impl<'a> ExpandedPostingsKey<'a> {
    /// The key of what `matchers` select, which are hashed here.
    #[must_use]
    pub fn new(scope: Scope<'a>, matchers: &[Matcher<'_>], strategy: &'a str) -> Self {
        Self { scope, matchers: hash_matchers(matchers), strategy }
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
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

/// The key of the names of labels that matching series have: `LN:<tenant>:<block>:<M>`.
///
/// ```
/// use borrowire::cache::key::mimir::LabelNamesKey;
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, Scope};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let matchers = [
///     Matcher::new("foo", MatchOp::Regex, "b.*"),
///     Matcher::new("baz", MatchOp::Equal, "boo"),
/// ];
/// assert_eq!(
///     LabelNamesKey::new(scope, &matchers).to_buf()?,
///     "LN:tenant:00000000010000000000000000:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk"
/// );
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

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
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

/// The key of a label's values in matching series: `LV2:<tenant>:<block>:<label name>:<M>`.
///
/// The name is in the key as it is, so a long one makes a key that memcached refuses, and so does
/// one with a space, unless it is escaped: see [`mimir`](super#tenants-and-label-names).
///
/// ```
/// use borrowire::cache::key::mimir::LabelValuesKey;
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, Scope};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let matchers = [
///     Matcher::new("foo", MatchOp::Regex, "b.*"),
///     Matcher::new("baz", MatchOp::Equal, "boo"),
/// ];
/// assert_eq!(
///     LabelValuesKey::new(scope, "job", &matchers).to_buf()?,
///     "LV2:tenant:00000000010000000000000000:job:YZhgZcxhevUMc3taXFZ52bBLqAIjzYENBzBrd68aVOk"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct LabelValuesKey<'a> {
    /// Whose labels, and of which block.
    pub scope: Scope<'a>,
    /// The label's name; it may have colons.
    pub name: &'a str,
    /// The hash of the matchers: [`hash_matchers`].
    pub matchers: Digest,
}

impl<'a> LabelValuesKey<'a> {
    /// The key of the label `name` for `matchers`, which are hashed here.
    #[must_use]
    pub fn new(scope: Scope<'a>, name: &'a str, matchers: &[Matcher<'_>]) -> Self {
        Self { scope, name, matchers: hash_matchers(matchers) }
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let (scope, name) = (parser.scope()?, parser.until_last_colon()?);
        let matchers = parser.digest()?;
        parser.end(Self { scope, name, matchers })
    }
}

impl Encode for LabelValuesKey<'_> {
    fn encoded_len(&self) -> usize {
        self.scope
            .len(LABEL_VALUES)
            .saturating_add(self.name.len())
            .saturating_add(1 + Digest::TEXT_LEN)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(LABEL_VALUES, writer)?;
        writer.write_raw(self.name.as_bytes())?;
        writer.write_raw(b":")?;
        self.matchers.write_to(writer)
    }
}

impl Text for LabelValuesKey<'_> {}
