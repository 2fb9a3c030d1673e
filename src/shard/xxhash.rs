//! Tokens by xxHash, over texts with a separator behind each.

use core::fmt;
use core::hash::Hasher;
use core::marker::PhantomData;

use twox_hash::xxhash3_64::{RawHasher, SecretBuffer};
use twox_hash::{XxHash3_64, XxHash64};

use super::text::Text;
use crate::wire::impossible;
use crate::wire::work::count;

/// In no UTF-8 text.
const SEPARATOR: u8 = 0xff;
/// Bytes that are hashed at once; longer texts are hashed in pieces, with the same result.
const GATHERED: usize = 512;

/// Tokens for clusters of your own: fast, well spread, and the same on every machine and in every
/// version of this crate. XXH3 with 64 bits over the tenant and each text, with a byte `ff` behind
/// each.
///
/// Each protocol adds the tokens of its records to it.
///
/// ```
/// use borrowire::remote_write::Label;
/// use borrowire::shard::{StableTokens, shard_of};
///
/// let tokens = StableTokens::new("tenant");
/// let labels = [Label::new("__name__", "metric"), Label::new("label", "value")];
/// assert_eq!(tokens.series(&labels), 0xe9eb_c91b_7d3e_48ec);
/// assert_ne!(tokens.series(&[Label::new("a", "bc")]), tokens.series(&[Label::new("ab", "c")]));
/// assert!(shard_of(tokens.series(&labels), 16) < 16);
/// ```
#[derive(Clone, Copy)]
#[doc(alias("hash", "shard", "xxh3", "tenant"))]
pub struct StableTokens<'t> {
    tenant: &'t str,
    /// Whether labels are put in order first, where a record has labels.
    pub(crate) normalized: bool,
}

impl<'t> StableTokens<'t> {
    /// The tokens of `tenant`.
    #[must_use]
    pub const fn new(tenant: &'t str) -> Self {
        Self { tenant, normalized: false }
    }

    /// The token of one text: of a stream's label string, of a metric family's name.
    #[must_use]
    pub fn text(&self, text: &str) -> u64 {
        self.gathering().text(text)
    }

    pub(crate) fn gathering(&self) -> Gathering<'t, Xxh3> {
        Gathering::new(Some(self.tenant))
    }
}

impl fmt::Debug for StableTokens<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StableTokens").finish_non_exhaustive()
    }
}

/// The shard of a token among `shards`: the remainder; 0 if there are none.
///
/// ```
/// assert_eq!(borrowire::shard::shard_of(0xffff_ffff_0000_0007, 16), 7);
/// ```
#[inline]
#[must_use]
pub fn shard_of(token: u64, shards: u32) -> u32 {
    let shard = token.checked_rem(u64::from(shards)).unwrap_or(0);
    u32::try_from(shard).unwrap_or_else(|_| impossible())
}

/// A hash of 64 bits, over a text that is there, or over one that comes in pieces.
pub(crate) trait Algorithm {
    type Hasher: Hasher;

    fn oneshot(text: &[u8]) -> u64;

    fn hasher() -> Self::Hasher;
}

pub(crate) enum Xxh64 {}

impl Algorithm for Xxh64 {
    type Hasher = XxHash64;

    fn oneshot(text: &[u8]) -> u64 {
        XxHash64::oneshot(0, text)
    }

    fn hasher() -> Self::Hasher {
        XxHash64::with_seed(0)
    }
}

pub(crate) enum Xxh3 {}

impl Algorithm for Xxh3 {
    type Hasher = RawHasher<&'static [u8; 192]>;

    fn oneshot(text: &[u8]) -> u64 {
        XxHash3_64::oneshot(text)
    }

    fn hasher() -> Self::Hasher {
        RawHasher::new(SecretBuffer::default())
    }
}

/// Puts texts behind a tenant, a separator behind each, and hashes them.
pub(crate) struct Gathering<'t, A> {
    tenant: Option<&'t str>,
    gathered: Text<GATHERED>,
    /// Where the tenant ends; `None` if it is too long.
    start: Option<usize>,
    algorithm: PhantomData<A>,
}

impl<'t, A: Algorithm> Gathering<'t, A> {
    pub(crate) fn new(tenant: Option<&'t str>) -> Self {
        let mut gathered = Text::new();
        let start = tenant
            .map_or(Some(0), |tenant| gathered.put_with(0, tenant.as_bytes(), &[], SEPARATOR));
        Self { tenant, gathered, start, algorithm: PhantomData }
    }

    /// The hash of pairs of texts, which may lie in `body`.
    #[inline]
    pub(crate) fn pairs<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a str, &'a str)> + Clone,
        body: &[u8],
    ) -> u64
    where
        't: 'a,
    {
        match self.gather(pairs.clone(), body) {
            Some(()) => A::oneshot(self.gathered.as_bytes()),
            None => self.long(pairs.flat_map(|(name, value)| [name, value])),
        }
    }

    #[inline]
    fn gather<'a>(
        &mut self,
        pairs: impl Iterator<Item = (&'a str, &'a str)>,
        body: &[u8],
    ) -> Option<()> {
        let mut at = self.start?;
        for (name, value) in pairs {
            at = self.gathered.put_with(at, name.as_bytes(), body, SEPARATOR)?;
            at = self.gathered.put_with(at, value.as_bytes(), body, SEPARATOR)?;
        }
        self.gathered.set_len(at);
        Some(())
    }

    /// The hash of one text.
    pub(crate) fn text(&mut self, text: &str) -> u64 {
        let end = self
            .start
            .and_then(|start| self.gathered.put_with(start, text.as_bytes(), &[], SEPARATOR));
        match end {
            Some(end) => {
                self.gathered.set_len(end);
                A::oneshot(self.gathered.as_bytes())
            }
            None => self.long([text]),
        }
    }

    /// The hash of texts that are too long to be gathered.
    #[cold]
    fn long<'a>(&self, texts: impl IntoIterator<Item = &'a str>) -> u64
    where
        't: 'a,
    {
        let mut hasher = A::hasher();
        for text in self.tenant.into_iter().chain(texts) {
            count(text.len());
            hasher.write(text.as_bytes());
            hasher.write(&[SEPARATOR]);
        }
        hasher.finish()
    }
}
