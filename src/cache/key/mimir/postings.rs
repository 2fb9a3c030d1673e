//! The keys of postings, and of where they lie in the index.
//!
//! ```text
//! P2:<tenant>:<block>:<id>    PostingsKey         id of name ":" value
//! PO<tenant>:<block>:<id>     PostingsOffsetKey   id of name ":" value, of a matcher's text, or of
//!                                                 "not:" and that text
//!
//! id   base64 of the bytes themselves up to 32, else of their BLAKE2b-256 hash
//! ```

use crate::cache::key::error::{KeyError, KeyErrorKind};
use crate::cache::key::key_batch::KeyBatch;
use crate::cache::key::key_buf::Text;
use crate::cache::key::parser::Parser;
use crate::cache::key::part::{Digest, LabelId, Matcher, NameColonValue, Scope};
use crate::wire::{BufferFull, Writer};
use crate::{Encode, EncodeError};

pub(super) const POSTINGS: &str = "P2:";
pub(super) const POSTINGS_OFFSET: &str = "PO";

/// What stands in front of a matcher whose series are taken away.
const SUBTRACTED: &str = "not:";

/// A label is hashed if it is longer than a hash.
type Layout = NameColonValue<{ Digest::LEN }>;

/// The key of a label's postings: `P2:<tenant>:<block>:<id>`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::cache::key::{BlockId, Scope, mimir};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let mut out = [0; 250];
/// let len = mimir::PostingsKey::new(scope, "foo", "bar").encode(&mut out)?;
/// assert_eq!(&out[..len], b"P2:tenant:00000000010000000000000000:Zm9vOmJhcg");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostingsKey<'a> {
    scope: Scope<'a>,
    id: LabelId,
}

impl<'a> PostingsKey<'a> {
    /// The key of the label `name="value"`, which is hashed here if it is over 32 bytes with its
    /// colon.
    #[inline]
    #[must_use]
    pub fn new(scope: Scope<'a>, name: &str, value: &str) -> Self {
        Self { scope, id: LabelId::new::<Layout>(name, value) }
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
        batch.push_labels::<Layout, _>(labels, |id| Self { scope, id })
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        let scope = parser.scope()?;
        let id = parser.label_id()?;
        if id.digest().is_none() && !id.as_bytes().contains(&b':') {
            return Err(parser.error(KeyErrorKind::InvalidLabel));
        }
        Ok(Self { scope, id })
    }

    /// Whose postings, and of which block.
    #[must_use]
    pub const fn scope(&self) -> Scope<'a> {
        self.scope
    }

    /// `name:value` as it is, or, with 32 bytes, its hash. The name ends at one of the colons.
    #[must_use]
    pub fn id(&self) -> &[u8] {
        self.id.as_bytes()
    }
}

impl Encode for PostingsKey<'_> {
    #[inline]
    fn encoded_len(&self) -> usize {
        self.scope.len(POSTINGS).saturating_add(self.id.text_len())
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(POSTINGS, writer)?;
        self.id.write_to(writer)
    }
}

impl Text for PostingsKey<'_> {}

/// The key of where a label's postings lie in the index, or those of all labels that a matcher
/// selects: `PO<tenant>:<block>:<id>`, without a colon behind `PO`. Experimental in Mimir.
///
/// ```
/// use borrowire::cache::key::mimir::PostingsOffsetKey;
/// use borrowire::cache::key::{BlockId, CacheKey, MatchOp, Matcher, Scope};
///
/// let scope = Scope::new("tenant", BlockId::new("00000000010000000000000000")?)?;
/// let label = PostingsOffsetKey::new(scope, "foo", "bar");
/// assert_eq!(label.to_buf()?, "POtenant:00000000010000000000000000:Zm9vOmJhcg");
///
/// let matcher = Matcher::new("foo", MatchOp::NotEqual, "bar");
/// let subtracted = PostingsOffsetKey::for_subtracted_matcher(scope, &matcher);
/// assert_eq!(subtracted.id(), br#"not:foo!="bar""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostingsOffsetKey<'a> {
    scope: Scope<'a>,
    id: LabelId,
}

impl<'a> PostingsOffsetKey<'a> {
    /// The key of the label `name="value"`, which is hashed here if it is over 32 bytes with its
    /// colon.
    #[must_use]
    pub fn new(scope: Scope<'a>, name: &str, value: &str) -> Self {
        Self { scope, id: LabelId::new::<Layout>(name, value) }
    }

    /// The key of all labels that `matcher` selects.
    #[must_use]
    pub fn for_matcher(scope: Scope<'a>, matcher: &Matcher<'_>) -> Self {
        Self::with_text(scope, "", matcher)
    }

    /// The key of all labels that `matcher` selects, if their series are to be taken away.
    #[must_use]
    pub fn for_subtracted_matcher(scope: Scope<'a>, matcher: &Matcher<'_>) -> Self {
        Self::with_text(scope, SUBTRACTED, matcher)
    }

    fn with_text(scope: Scope<'a>, prefix: &str, matcher: &Matcher<'_>) -> Self {
        let id = LabelId::of_text(|mut put| {
            put(prefix)?;
            matcher.pieces(&mut put)
        });
        Self { scope, id }
    }

    pub(super) fn parse(mut parser: Parser<'a>) -> Result<Self, KeyError> {
        Ok(Self { scope: parser.scope()?, id: parser.label_id()? })
    }

    /// Whose postings, and of which block.
    #[must_use]
    pub const fn scope(&self) -> Scope<'a> {
        self.scope
    }

    /// `name:value`, or the text of a matcher, as it is; or, with 32 bytes, its hash.
    #[must_use]
    pub fn id(&self) -> &[u8] {
        self.id.as_bytes()
    }
}

impl Encode for PostingsOffsetKey<'_> {
    fn encoded_len(&self) -> usize {
        self.scope.len(POSTINGS_OFFSET).saturating_add(self.id.text_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(POSTINGS_OFFSET, writer)?;
        self.id.write_to(writer)
    }
}

impl Text for PostingsOffsetKey<'_> {}
