//! Tokens by xxHash.

use alloc::vec::Vec;
use core::fmt;

use super::series_request::SeriesRequest;
use crate::remote_write::model::label::Label;
use crate::remote_write::model::normalize::{Labels, normalized};
use crate::remote_write::v1::Record;
use crate::shard::{Gathering, StableTokens, Xxh64};

/// The hash that Prometheus calls `labels.StableHash`, and `labels.Hash` where labels are a slice:
/// XXH64 over each name and value with a byte `ff` behind it. Labels count in the order in which
/// they stand.
///
/// ```
/// use borrowire::remote_write::{Label, labels_hash};
///
/// assert_eq!(labels_hash(&[Label::new("hello", "world")]), 0x347c_8ee7_a9e2_9708);
/// ```
#[must_use]
#[doc(alias("StableHash", "hashmod"))]
pub fn labels_hash(labels: &[Label<'_>]) -> u64 {
    Gathering::<Xxh64>::new(None).pairs(pairs(labels), &[])
}

/// Thanos' tokens for a tenant's series, of both its hash rings: XXH64.
///
/// ```
/// use borrowire::remote_write::{Label, ThanosTokens};
/// use borrowire::shard::shard_of;
///
/// let tokens = ThanosTokens::new("tenant");
/// let token = tokens.series(&[Label::new("__name__", "metric"), Label::new("label", "value")]);
/// let endpoint = shard_of(token, 3); // in the ring `hashmod` of three endpoints
/// # assert_eq!(token, 0xd950_a542_6809_35d5);
/// ```
#[derive(Clone, Copy)]
#[doc(alias("hash", "shard", "hashring", "tenant"))]
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
        Gathering::<Xxh64>::new(Some(self.tenant)).pairs(pairs(labels), &[])
    }
}

impl fmt::Debug for ThanosTokens<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ThanosTokens").finish_non_exhaustive()
    }
}

fn pairs<'a>(labels: &[Label<'a>]) -> impl Iterator<Item = (&'a str, &'a str)> + Clone {
    labels.iter().map(|label| (label.name, label.value))
}

/// The tokens of remote write.
impl StableTokens<'_> {
    /// Sets whether the labels of a series are put in order before they are hashed: without those
    /// of no value, sorted by name. So a series has one token, however its sender wrote it. Without
    /// it labels count as they stand.
    ///
    /// ```
    /// use borrowire::remote_write::Label;
    /// use borrowire::shard::StableTokens;
    ///
    /// let tokens = StableTokens::new("tenant").with_normalized_labels(true);
    /// let (a, b) = (Label::new("a", "1"), Label::new("b", "2"));
    /// assert_eq!(tokens.series(&[a, b]), tokens.series(&[b, Label::new("c", ""), a]));
    /// ```
    #[must_use]
    pub const fn with_normalized_labels(mut self, normalized: bool) -> Self {
        self.normalized = normalized;
        self
    }

    /// The token of a record of 1.0.
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
        self.ordered(labels, &mut Labels::new(), |labels| {
            self.gathering().pairs(pairs(labels), &[])
        })
    }

    /// What `hash` makes of the labels that count.
    #[inline]
    fn ordered<'a>(
        &self,
        labels: &[Label<'a>],
        scratch: &mut Labels<'a>,
        hash: impl FnOnce(&[Label<'a>]) -> u64,
    ) -> u64 {
        hash(if self.normalized { normalized(labels, scratch) } else { labels })
    }

    /// The token of the metadata of `family`: the family in place of the labels.
    #[must_use]
    pub fn metadata(&self, family: &str) -> u64 {
        self.text(family)
    }

    /// The tokens of all records of `request`, of either version, in place of what `tokens` held:
    /// of the series, then of the metadata entries.
    pub fn tokens<'a>(&self, request: &impl SeriesRequest<'a>, tokens: &mut Vec<u64>) {
        let mut gathering = self.gathering();
        let (series, families, body) = (request.timeseries(), request.families(), request.body());
        tokens.clear();
        tokens.reserve(series.len().saturating_add(families.len()));
        let mut scratch = Labels::new();
        tokens.extend(series.iter().map(|series| {
            self.ordered(series.labels(), &mut scratch, |labels| {
                gathering.pairs(pairs(labels), body)
            })
        }));
        tokens.extend(families.map(|family| gathering.text(family)));
    }
}
