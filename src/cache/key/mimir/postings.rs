use crate::cache::key::batch::KeyBatch;
use crate::cache::key::buf::Text;
use crate::cache::key::digest::Digest;
use crate::cache::key::error::{KeyError, KeyErrorKind};
use crate::cache::key::label_id::{LabelId, LabelLayout};
use crate::cache::key::matcher::Matcher;
use crate::cache::key::parser::Parser;
use crate::cache::key::scope::Scope;
use crate::wire::error::EncodeError;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer};

pub(super) const POSTINGS: &str = "P2:";
pub(super) const POSTINGS_OFFSET: &str = "PO";

/// What stands in front of a matcher whose series are taken away.
const SUBTRACT: &str = "not:";

/// `name ":" value`.
struct Joined;

impl LabelLayout for Joined {
    const MAX_RAW: usize = Digest::LEN;

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

/// The key of a label's postings: `P2:<tenant>:<block>:<id>`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::cache::key::{Block, Scope, mimir};
///
/// let scope = Scope::new("tenant", Block::new("00000000010000000000000000")?)?;
/// let mut out = [0; 250];
/// let len = mimir::Postings::new(scope, "foo", "bar").encode(&mut out)?;
/// assert_eq!(&out[..len], b"P2:tenant:00000000010000000000000000:Zm9vOmJhcg");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Postings<'a> {
    scope: Scope<'a>,
    id: LabelId,
}

impl<'a> Postings<'a> {
    /// The key of the label `name="value"`, which is hashed here if it is over 32 bytes with its colon.
    #[inline]
    #[must_use]
    pub fn new(scope: Scope<'a>, name: &str, value: &str) -> Self {
        Self { scope, id: LabelId::new::<Joined>(name, value) }
    }

    /// Appends the keys of all `labels`, names and values, to `batch`, in order. Where the processor can,
    /// four labels are hashed at a time.
    ///
    /// # Errors
    ///
    /// If a key is over 2 GiB - 1; the keys in front of it are in `batch` then.
    pub fn encode_all<'l>(
        scope: Scope<'a>,
        labels: impl IntoIterator<Item = (&'l str, &'l str)>,
        batch: &mut KeyBatch,
    ) -> Result<(), EncodeError> {
        batch.push_labels::<Joined, _>(labels, |id| Self { scope, id })
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

impl Encode for Postings<'_> {
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

impl Text for Postings<'_> {}

/// The key of where a label's postings lie in the index, or those of all labels that a matcher selects:
/// `PO<tenant>:<block>:<id>`, without a colon behind `PO`. Experimental in Mimir.
///
/// ```
/// use borrowire::cache::key::{Block, CacheKey, MatchOp, Matcher, Scope, mimir::PostingsOffset};
///
/// let scope = Scope::new("tenant", Block::new("00000000010000000000000000")?)?;
/// let label = PostingsOffset::new(scope, "foo", "bar");
/// assert_eq!(label.to_buf()?, "POtenant:00000000010000000000000000:Zm9vOmJhcg");
///
/// let matcher = Matcher::new("foo", MatchOp::NotEqual, "bar");
/// let subtracted = PostingsOffset::for_matcher(scope, &matcher, true);
/// assert_eq!(subtracted.id(), br#"not:foo!="bar""#);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PostingsOffset<'a> {
    scope: Scope<'a>,
    id: LabelId,
}

impl<'a> PostingsOffset<'a> {
    /// The key of the label `name="value"`, which is hashed here if it is over 32 bytes with its colon.
    #[must_use]
    pub fn new(scope: Scope<'a>, name: &str, value: &str) -> Self {
        Self { scope, id: LabelId::new::<Joined>(name, value) }
    }

    /// The key of all labels that `matcher` selects; `subtract` if their series are to be taken away.
    #[must_use]
    pub fn for_matcher(scope: Scope<'a>, matcher: &Matcher<'_>, subtract: bool) -> Self {
        let id = LabelId::of_text(|mut put| {
            put(if subtract { SUBTRACT } else { "" })?;
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

impl Encode for PostingsOffset<'_> {
    fn encoded_len(&self) -> usize {
        self.scope.len(POSTINGS_OFFSET).saturating_add(self.id.text_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.scope.write(POSTINGS_OFFSET, writer)?;
        self.id.write_to(writer)
    }
}

impl Text for PostingsOffset<'_> {}
