//! The tokens of Mimir and Cortex.

use alloc::vec::Vec;

use super::series_request::SeriesRequest;
use crate::remote_write::model::label::{Label, METRIC_NAME};
use crate::remote_write::model::normalize::{Labels, normalized};
use crate::remote_write::model::time_series::TimeSeries;
use crate::remote_write::v1::Record;
use crate::shard::{FNV_OFFSET, Text, fnv1, fnv1_all};
use crate::wire::impossible;

/// Bytes of label text that are gathered before they are hashed.
const BATCH_BYTES: usize = 16 * 1024;
/// Series that are gathered before they are hashed.
const BATCH: usize = 64;

/// Mimir's ring tokens for a tenant's series and metadata, and Cortex': 32 bits of FNV-1.
///
/// ```
/// use borrowire::remote_write::{Label, MimirTokens};
///
/// let tokens = MimirTokens::new("user-1");
/// let labels =
///     [Label::new("__name__", "foo"), Label::new("bar", "baz"), Label::new("sample", "1")];
/// assert_eq!(tokens.series(&labels), 1_345_192_342);
/// assert_eq!(tokens.metadata("foo"), 1_481_338_450);
/// ```
///
/// The distributors of both put labels in order first: they drop those without a value and sort the
/// rest. Here labels count as they stand, unless
/// [`with_normalized_labels`](Self::with_normalized_labels) says otherwise: for series of senders
/// that sort, which is most of them, it makes no difference.
#[derive(Clone, Copy, Debug)]
#[doc(alias("hash", "shard", "ring", "tenant", "Cortex"))]
pub struct MimirTokens {
    /// The hash of the tenant.
    tenant: u32,
    by: By,
    normalized: bool,
}

/// What of a series is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum By {
    AllLabels,
    LabelsWithValue,
    MetricName,
}

impl MimirTokens {
    /// Mimir's: all labels of a series, and the family of a metadata entry.
    #[must_use]
    pub fn new(tenant: &str) -> Self {
        Self { tenant: fnv1(FNV_OFFSET, tenant.as_bytes()), by: By::AllLabels, normalized: false }
    }

    /// Cortex' with `-distributor.shard-by-all-labels`: as Mimir's, but labels with an empty value
    /// do not count.
    #[must_use]
    pub fn cortex(tenant: &str) -> Self {
        Self { by: By::LabelsWithValue, ..Self::new(tenant) }
    }

    /// Cortex' without `-distributor.shard-by-all-labels`: the metric's name alone, and for
    /// metadata the tenant alone. A series without a name counts as one with an empty name.
    #[must_use]
    pub fn cortex_by_metric_name(tenant: &str) -> Self {
        Self { by: By::MetricName, ..Self::new(tenant) }
    }

    /// Sets whether the labels of a series are put in order before they are hashed, as the
    /// distributors of Mimir and Cortex do: without those of no value, sorted by name. So a series
    /// has the token that the cluster gives it, however its sender wrote it.
    ///
    /// That costs a look at each label, and for series that are not in order a copy of up to 32
    /// labels that allocates nothing.
    ///
    /// ```
    /// use borrowire::remote_write::{Label, MimirTokens};
    ///
    /// let sent = [Label::new("sample", "1"), Label::new("__name__", "foo"), Label::new("a", ""),
    ///     Label::new("bar", "baz")];
    /// let tokens = MimirTokens::new("user-1").with_normalized_labels(true);
    /// assert_eq!(tokens.series(&sent), 1_345_192_342); // of {__name__="foo", bar="baz", sample="1"}
    /// ```
    #[must_use]
    pub const fn with_normalized_labels(mut self, normalized: bool) -> Self {
        self.normalized = normalized;
        self
    }

    /// The token of a record.
    #[must_use]
    pub fn token(&self, record: &Record<'_, '_>) -> u32 {
        match record {
            Record::TimeSeries(series) => self.series(series.labels()),
            Record::Metadata(metadata) => self.metadata(metadata.metric_family_name),
        }
    }

    /// The token of a series with `labels`.
    #[must_use]
    pub fn series(&self, labels: &[Label<'_>]) -> u32 {
        let mut scratch = Labels::new();
        let labels = if self.normalized { normalized(labels, &mut scratch) } else { labels };
        self.hashed(labels).fold(self.tenant, |hash, text| fnv1(hash, text.as_bytes()))
    }

    /// The token of the metadata of `family`.
    #[must_use]
    pub fn metadata(&self, family: &str) -> u32 {
        match self.by {
            By::MetricName => self.tenant,
            By::AllLabels | By::LabelsWithValue => fnv1(self.tenant, family.as_bytes()),
        }
    }

    /// The tokens of all records of `request`, of either version, in place of what `tokens` held:
    /// of the series, then of the metadata entries, which 2.0 has none of. The fast way, if more
    /// than a few are wanted.
    ///
    /// ```
    /// use borrowire::remote_write::{MimirTokens, v1::WriteRequest};
    /// use borrowire::shard::Splitter;
    ///
    /// # use borrowire::Encode;
    /// # use borrowire::remote_write::{Label, MetricType, TimeSeries, v1};
    /// # let labels = [Label::new("a", "bc")];
    /// # let body = v1::WriteRequestEncoder::new([TimeSeries::new(&labels)])
    /// #     .with_metadata([v1::MetricMetadata::new(MetricType::UNKNOWN, "m")])
    /// #     .encode_to_vec()?;
    /// let request = WriteRequest::decode(&body)?; // {a="bc"}, and an entry of metadata
    /// let mut tokens = Vec::new(); // used again
    /// MimirTokens::new("u").tokens(&request, &mut tokens);
    /// assert_eq!((tokens.len(), tokens[0]), (2, 1_088_413_374));
    ///
    /// let mut splitter = Splitter::new();
    /// let split = splitter.split_by_position(&request, |position| tokens[position] % 16);
    /// # assert_eq!(split.ranges().count(), 2);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn tokens<'a>(&self, request: &impl SeriesRequest<'a>, tokens: &mut Vec<u32>) {
        let (series, families) = (request.timeseries(), request.families());
        tokens.clear();
        tokens.resize(series.len().saturating_add(families.len()), 0);
        let (of_series, of_metadata) =
            tokens.split_at_mut_checked(series.len()).unwrap_or_else(impossible);
        self.series_tokens(series.iter(), request.body(), of_series);
        for (token, family) in of_metadata.iter_mut().zip(families) {
            *token = self.metadata(family);
        }
    }

    /// Gathers the texts of many series, then hashes them side by side.
    fn series_tokens<'s, 'a: 's>(
        &self,
        mut series: impl Iterator<Item = TimeSeries<'s, 'a>>,
        body: &[u8],
        mut tokens: &mut [u32],
    ) {
        let mut text = Text::<BATCH_BYTES>::new();
        let mut ends = [0_usize; BATCH];
        let mut scratch = Labels::new();
        let mut waiting = series.next();
        while waiting.is_some() {
            text.set_len(0);
            let mut batch = ends.iter_mut();
            let mut gathered = 0_usize;
            while let Some(next) = &waiting
                && let Some(end) = batch.next()
                && self.gather(next.labels(), body, &mut text, &mut scratch).is_some()
            {
                *end = text.len();
                gathered = gathered.saturating_add(1);
                waiting = series.next();
            }
            if let (0, Some(long)) = (gathered, &waiting) {
                if let Some((token, rest)) = core::mem::take(&mut tokens).split_first_mut() {
                    *token = self.series(long.labels());
                    tokens = rest;
                }
                waiting = series.next();
                continue;
            }
            let mut rest = text.as_bytes();
            let mut start = 0_usize;
            let texts = ends.iter().take(gathered).map(|&end| {
                let (one, behind) =
                    rest.split_at_checked(end.saturating_sub(start)).unwrap_or_else(impossible);
                (rest, start) = (behind, end);
                one
            });
            let (now, later) = core::mem::take(&mut tokens)
                .split_at_mut_checked(gathered)
                .unwrap_or_else(impossible);
            fnv1_all(self.tenant, texts, now);
            tokens = later;
        }
    }

    /// Appends what is hashed of a series; `None`, with nothing appended, if it does not fit.
    #[inline]
    fn gather<'l, 'a>(
        &self,
        mut labels: &'l [Label<'a>],
        body: &[u8],
        text: &mut Text<BATCH_BYTES>,
        scratch: &'l mut Labels<'a>,
    ) -> Option<()> {
        if self.normalized {
            labels = normalized(labels, scratch);
        }
        let mut at = text.len();
        if self.by == By::AllLabels {
            // What is below, without a question for each label.
            for label in labels {
                at = text.put(at, label.name.as_bytes(), body)?;
                at = text.put(at, label.value.as_bytes(), body)?;
            }
        } else {
            for piece in self.hashed(labels) {
                at = text.put(at, piece.as_bytes(), body)?;
            }
        }
        text.set_len(at);
        Some(())
    }

    /// What is hashed of a series.
    fn hashed<'a>(&self, labels: &[Label<'a>]) -> impl Iterator<Item = &'a str> {
        let by = self.by;
        let mut found = false;
        labels.iter().flat_map(move |label| match by {
            By::AllLabels => [label.name, label.value],
            By::LabelsWithValue if label.value.is_empty() => ["", ""],
            By::LabelsWithValue => [label.name, label.value],
            By::MetricName if !found && label.name == METRIC_NAME => {
                found = true;
                ["", label.value]
            }
            By::MetricName => ["", ""],
        })
    }
}
