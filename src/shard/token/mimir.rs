//! The tokens of Mimir and Cortex.

use alloc::vec::Vec;

use super::fnv::{OFFSET, fnv1, fnv1_all};
use super::text::Text;
use crate::remote_write::v1::{Label, METRIC_NAME, TimeSeries, WriteRequest};
use crate::remote_write::v2;
use crate::shard::Record;

/// Bytes of label text that are gathered before they are hashed.
const BATCH_BYTES: usize = 16 * 1024;
/// Series that are gathered before they are hashed.
const BATCH: usize = 64;

/// Mimir's ring tokens for a tenant's series and metadata, and Cortex': 32 bits of FNV-1.
///
/// ```
/// use borrowire::remote_write::v1::Label;
/// use borrowire::shard::token::MimirTokens;
///
/// let tokens = MimirTokens::new("user-1");
/// let labels =
///     [Label::new("__name__", "foo"), Label::new("bar", "baz"), Label::new("sample", "1")];
/// assert_eq!(tokens.series(&labels), 1_345_192_342);
/// assert_eq!(tokens.metadata("foo"), 1_481_338_450);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct MimirTokens {
    /// The hash of the tenant.
    tenant: u32,
    by: By,
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
        Self { tenant: fnv1(OFFSET, tenant.as_bytes()), by: By::AllLabels }
    }

    /// Cortex' with `-distributor.shard-by-all-labels`: as Mimir's, but labels with an empty value do not
    /// count.
    #[must_use]
    pub fn cortex(tenant: &str) -> Self {
        Self { by: By::LabelsWithValue, ..Self::new(tenant) }
    }

    /// Cortex' without `-distributor.shard-by-all-labels`: the metric's name alone, and for metadata the
    /// tenant alone. A series without a name counts as one with an empty name.
    #[must_use]
    pub fn cortex_by_metric_name(tenant: &str) -> Self {
        Self { by: By::MetricName, ..Self::new(tenant) }
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

    /// The tokens of all records of `request` in place of what `tokens` held: of the series, then of the
    /// metadata entries. The fast way, if more than a few are wanted.
    ///
    /// ```
    /// use borrowire::remote_write::v1::WriteRequest;
    /// use borrowire::shard::Splitter;
    /// use borrowire::shard::token::MimirTokens;
    ///
    /// # let body = b"\x0a\x09\x0a\x07\x0a\x01a\x12\x02bc\x1a\x03\x12\x01m";
    /// let request = WriteRequest::decode(body)?;
    /// let mut tokens = Vec::new(); // used again
    /// MimirTokens::new("u").tokens(&request, &mut tokens);
    /// assert_eq!((tokens.len(), tokens[0]), (2, 1_088_413_374));
    ///
    /// let mut splitter = Splitter::new();
    /// let split = splitter.split_by_position(&request, |position| tokens[position] % 16);
    /// # assert_eq!(split.ranges().count(), 2);
    /// # Ok::<(), borrowire::DecodeError>(())
    /// ```
    pub fn tokens(&self, request: &WriteRequest<'_>, tokens: &mut Vec<u32>) {
        let (series, metadata) = (request.timeseries(), request.metadata());
        tokens.clear();
        tokens.resize(series.len().saturating_add(metadata.len()), 0);
        let (of_series, of_metadata) =
            tokens.split_at_mut_checked(series.len()).unwrap_or_default();
        self.series_tokens(series.iter(), request.body(), of_series);
        for (token, metadata) in of_metadata.iter_mut().zip(metadata) {
            *token = self.metadata(metadata.metric_family_name);
        }
    }

    /// The same for remote write 2.0: the tokens of the series, whose metadata goes with them.
    pub fn tokens_v2(&self, request: &v2::Request<'_>, tokens: &mut Vec<u32>) {
        let series = request.timeseries();
        tokens.clear();
        tokens.resize(series.len(), 0);
        self.series_tokens(series.iter(), request.body(), tokens);
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
        let mut waiting = series.next();
        while waiting.is_some() {
            text.set_len(0);
            let mut batch = ends.iter_mut();
            let mut gathered = 0_usize;
            while let Some(next) = &waiting
                && let Some(end) = batch.next()
                && self.gather(next.labels(), body, &mut text).is_some()
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
                    rest.split_at_checked(end.saturating_sub(start)).unwrap_or_default();
                (rest, start) = (behind, end);
                one
            });
            let (now, later) =
                core::mem::take(&mut tokens).split_at_mut_checked(gathered).unwrap_or_default();
            fnv1_all(self.tenant, texts, now);
            tokens = later;
        }
    }

    /// Appends what is hashed of a series; `None`, with nothing appended, if it does not fit.
    #[inline]
    fn gather(
        &self,
        labels: &[Label<'_>],
        body: &[u8],
        text: &mut Text<BATCH_BYTES>,
    ) -> Option<()> {
        let mut at = text.len();
        if self.by == By::AllLabels {
            // The same as below, without a question for each label.
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
