//! How to decode and encode requests of 1.0.

use crate::limits::Limits;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::sample::StartTimestamps;

/// How to decode a request of 1.0: caps, and what one bad series means.
///
/// ```
/// use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
///
/// let options = DecodeOptions::new().with_partial(true).with_max_timeseries(50_000);
/// let request = WriteRequest::decode_with(b"", &options)?;
/// assert!(request.skipped().is_empty());
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// Caps that all protocols share.
    pub limits: Limits,
    /// Whether a series or metadata entry whose content is bad (invalid UTF-8) is left out and
    /// listed in [`WriteRequest::skipped`](super::WriteRequest::skipped), instead of failing the
    /// request. Faults in the framing always fail it. Default: `false`.
    pub partial: bool,
    /// Time series of one request. Default: no cap of its own, the input's size bounds it.
    pub max_timeseries: usize,
    /// Metadata entries of one request. Default: no cap of its own, the input's size bounds it.
    pub max_metadata: usize,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self::new()
    }
}

impl DecodeOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            limits: Limits::new(),
            partial: false,
            max_timeseries: usize::MAX,
            max_metadata: usize::MAX,
        }
    }

    /// Sets [`limits`](Self::limits).
    #[must_use]
    pub const fn with_limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets [`partial`](Self::partial).
    #[must_use]
    pub const fn with_partial(mut self, partial: bool) -> Self {
        self.partial = partial;
        self
    }

    /// Sets [`max_timeseries`](Self::max_timeseries).
    #[must_use]
    pub const fn with_max_timeseries(mut self, count: usize) -> Self {
        self.max_timeseries = count;
        self
    }

    /// Sets [`max_metadata`](Self::max_metadata).
    #[must_use]
    pub const fn with_max_metadata(mut self, count: usize) -> Self {
        self.max_metadata = count;
        self
    }
}

/// What is written of a request of 1.0 beside Prometheus' own fields. Default: nothing.
///
/// ```
/// use borrowire::remote_write::v1::EncodeOptions;
/// use borrowire::remote_write::{Extensions, RequestSource};
///
/// let options = EncodeOptions::new()
///     .with_extensions(Extensions::new().with_source(RequestSource::RULE))
///     .with_start_timestamps(true);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodeOptions {
    /// The request's extension fields.
    pub extensions: Extensions,
    /// Whether the series' `created_timestamp` (field 6, Mimir) and the `start_timestamp` of
    /// samples (3) and histograms (17, both Cortex) are written where they are not 0.
    pub start_timestamps: bool,
}

impl EncodeOptions {
    /// Prometheus' own fields alone.
    #[must_use]
    pub const fn new() -> Self {
        Self { extensions: Extensions::new(), start_timestamps: false }
    }

    /// Sets [`extensions`](Self::extensions).
    #[must_use]
    pub const fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// Sets [`start_timestamps`](Self::start_timestamps).
    #[must_use]
    pub const fn with_start_timestamps(mut self, write: bool) -> Self {
        self.start_timestamps = write;
        self
    }

    pub(super) const fn start(&self) -> StartTimestamps {
        if self.start_timestamps { StartTimestamps::Write } else { StartTimestamps::Omit }
    }
}
