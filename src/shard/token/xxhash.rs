//! Tokens by xxHash, over texts with a separator behind each.

use alloc::vec::Vec;
use core::fmt;
use core::hash::Hasher;
use core::marker::PhantomData;

use twox_hash::xxhash3_64::{RawHasher, SecretBuffer};
use twox_hash::{XxHash3_64, XxHash64};

use super::text::Text;
use crate::remote_write::v1::{Label, WriteRequest};
use crate::shard::Record;

/// In no UTF-8 text.
const SEPARATOR: u8 = 0xff;
/// Bytes that are hashed at once; longer texts are hashed in pieces, with the same result.
const GATHERED: usize = 512;

/// The hash that Prometheus calls `labels.StableHash`, and `labels.Hash` where labels are a slice: XXH64
/// over each name and value with a byte `ff` behind it. Labels count in the order in which they stand.
///
/// ```
/// use borrowire::remote_write::v1::Label;
/// use borrowire::shard::token::labels_hash;
///
/// assert_eq!(labels_hash(&[Label::new("hello", "world")]), 0x347c_8ee7_a9e2_9708);
/// ```
#[must_use]
pub fn labels_hash(labels: &[Label<'_>]) -> u64 {
    Gathering::<Xxh64>::new(None).labels(labels, &[])
}

/// Thanos' tokens for a tenant's series, of both its hash rings: XXH64.
///
/// ```
/// use borrowire::remote_write::v1::Label;
/// use borrowire::shard::token::{ThanosTokens, shard_of};
///
/// let tokens = ThanosTokens::new("tenant");
/// let token = tokens.series(&[Label::new("__name__", "metric"), Label::new("label", "value")]);
/// let endpoint = shard_of(token, 3); // in the ring `hashmod` of three endpoints
/// # assert_eq!(token, 0xd950_a542_6809_35d5);
/// ```
#[derive(Clone, Copy)]
pub struct ThanosTokens<'t> {
    tenant: &'t str,
}

impl<'t> ThanosTokens<'t> {
    /// The tokens of `tenant`.
    #[must_use]
    pub const fn new(tenant: &'t str) -> Self {
        Self { tenant }
    }

    /// The token of a series with `labels`. Thanos has none for metadata.
    #[must_use]
    pub fn series(&self, labels: &[Label<'_>]) -> u64 {
        Gathering::<Xxh64>::new(Some(self.tenant)).labels(labels, &[])
    }
}

impl fmt::Debug for ThanosTokens<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThanosTokens").finish_non_exhaustive()
    }
}

/// Tokens for clusters of your own: fast, well spread, and the same on every machine and in every version
/// of this crate. XXH3 with 64 bits over the tenant and each name and value, with a byte `ff` behind each.
///
/// ```
/// use borrowire::remote_write::v1::Label;
/// use borrowire::shard::token::StableTokens;
///
/// let tokens = StableTokens::new("tenant");
/// let labels = [Label::new("__name__", "metric"), Label::new("label", "value")];
/// assert_eq!(tokens.series(&labels), 0xe9eb_c91b_7d3e_48ec);
/// assert_ne!(tokens.series(&[Label::new("a", "bc")]), tokens.series(&[Label::new("ab", "c")]));
/// ```
#[derive(Clone, Copy)]
pub struct StableTokens<'t> {
    tenant: &'t str,
}

impl<'t> StableTokens<'t> {
    /// The tokens of `tenant`.
    #[must_use]
    pub const fn new(tenant: &'t str) -> Self {
        Self { tenant }
    }

    /// The token of a record.
    #[must_use]
    pub fn token(&self, record: &Record<'_, '_>) -> u64 {
        match record {
            Record::TimeSeries(series) => self.series(series.labels()),
            Record::Metadata(metadata) => self.metadata(metadata.metric_family_name),
        }
    }

    /// The token of a series with `labels`.
    #[must_use]
    pub fn series(&self, labels: &[Label<'_>]) -> u64 {
        self.gathering().labels(labels, &[])
    }

    /// The token of the metadata of `family`: the family in place of the labels.
    #[must_use]
    pub fn metadata(&self, family: &str) -> u64 {
        self.gathering().text(family)
    }

    /// The token of a stream with the label string `labels`: the string in place of the labels.
    #[must_use]
    pub fn stream(&self, labels: &str) -> u64 {
        self.gathering().text(labels)
    }

    /// The tokens of all records of `request` in place of what `tokens` held: of the series, then of the
    /// metadata entries.
    pub fn tokens(&self, request: &WriteRequest<'_>, tokens: &mut Vec<u64>) {
        let mut gathering = self.gathering();
        let (series, metadata, body) = (request.timeseries(), request.metadata(), request.body());
        tokens.clear();
        tokens.reserve(series.len().saturating_add(metadata.len()));
        tokens.extend(series.iter().map(|series| gathering.labels(series.labels(), body)));
        tokens.extend(metadata.iter().map(|entry| gathering.text(entry.metric_family_name)));
    }

    fn gathering(&self) -> Gathering<'t, Xxh3> {
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
/// assert_eq!(borrowire::shard::token::shard_of(0xffff_ffff_0000_0007, 16), 7);
/// ```
#[inline]
#[must_use]
pub fn shard_of(token: u64, shards: u32) -> u32 {
    let shard = token.checked_rem(u64::from(shards)).unwrap_or(0);
    u32::try_from(shard).unwrap_or(0)
}

/// A hash of 64 bits, over a text that is there, or over one that comes in pieces.
trait Algorithm {
    type Hasher: Hasher;

    fn oneshot(text: &[u8]) -> u64;

    fn hasher() -> Self::Hasher;
}

enum Xxh64 {}

impl Algorithm for Xxh64 {
    type Hasher = XxHash64;

    fn oneshot(text: &[u8]) -> u64 {
        XxHash64::oneshot(0, text)
    }

    fn hasher() -> Self::Hasher {
        XxHash64::with_seed(0)
    }
}

enum Xxh3 {}

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
struct Gathering<'t, A> {
    tenant: Option<&'t str>,
    gathered: Text<GATHERED>,
    /// Where the tenant ends; `None` if it is too long.
    start: Option<usize>,
    algorithm: PhantomData<A>,
}

impl<'t, A: Algorithm> Gathering<'t, A> {
    fn new(tenant: Option<&'t str>) -> Self {
        let mut gathered = Text::new();
        let start = tenant
            .map_or(Some(0), |tenant| gathered.put_with(0, tenant.as_bytes(), &[], SEPARATOR));
        Self { tenant, gathered, start, algorithm: PhantomData }
    }

    /// The hash of labels, which may lie in `body`.
    #[inline]
    fn labels(&mut self, labels: &[Label<'_>], body: &[u8]) -> u64 {
        match self.gather(labels, body) {
            Some(()) => A::oneshot(self.gathered.as_bytes()),
            None => self.long(labels.iter().flat_map(|label| [label.name, label.value])),
        }
    }

    #[inline]
    fn gather(&mut self, labels: &[Label<'_>], body: &[u8]) -> Option<()> {
        let mut at = self.start?;
        for label in labels {
            at = self.gathered.put_with(at, label.name.as_bytes(), body, SEPARATOR)?;
            at = self.gathered.put_with(at, label.value.as_bytes(), body, SEPARATOR)?;
        }
        self.gathered.set_len(at);
        Some(())
    }

    /// The hash of one text.
    fn text(&mut self, text: &str) -> u64 {
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
            hasher.write(text.as_bytes());
            hasher.write(&[SEPARATOR]);
        }
        hasher.finish()
    }
}
