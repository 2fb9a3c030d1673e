//! How to decode and encode requests of 2.0.

use super::format::Format;
use crate::limits::Limits;
use crate::remote_write::model::extensions::Extensions;

/// How to decode a request of 2.0: caps, and what one bad series means.
///
/// ```
/// use borrowire::remote_write::v2::{DecodeOptions, Request};
///
/// let options = DecodeOptions::new().with_partial(true).with_max_symbols(100_000);
/// let request = Request::decode_with(b"", &options)?;
/// assert!(request.skipped().is_empty());
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// Caps that all protocols share.
    pub limits: Limits,
    /// Whether a series whose content is bad (invalid UTF-8, references to symbols that are not
    /// there or lack a partner) is left out and listed in
    /// [`Request::skipped`](super::Request::skipped), instead of failing the request. Faults in the
    /// framing always fail it. Default: `false`.
    pub partial: bool,
    /// Time series of one request. Default: no cap of its own, the input's size bounds it.
    pub max_timeseries: usize,
    /// Symbols of one request. Default: no cap of its own, the input's size bounds it.
    pub max_symbols: usize,
    /// Which form of the message it is.
    pub format: Format,
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
            max_symbols: usize::MAX,
            format: Format::Standard,
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

    /// Sets [`max_symbols`](Self::max_symbols).
    #[must_use]
    pub const fn with_max_symbols(mut self, count: usize) -> Self {
        self.max_symbols = count;
        self
    }

    /// Sets [`format`](Self::format).
    #[must_use]
    pub const fn with_format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }
}

/// What is written of a request of 2.0 beside its series. Default: nothing.
///
/// ```
/// use borrowire::remote_write::v2::EncodeOptions;
/// use borrowire::remote_write::{Extensions, RequestSource};
///
/// let options = EncodeOptions::new()
///     .with_extensions(Extensions::new().with_source(RequestSource::RULE))
///     .with_created_timestamps(true);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct EncodeOptions {
    /// The request's extension fields, which Mimir adds.
    pub extensions: Extensions,
    /// Whether the series' `created_timestamp` is written in its old place (field 6), where
    /// receivers before 2.0-rc.4 and Mimir look for it. If not, samples and histograms without a
    /// `start_timestamp` get it.
    pub created_timestamps: bool,
}

impl EncodeOptions {
    /// The fields of the specification alone.
    #[must_use]
    pub const fn new() -> Self {
        Self { extensions: Extensions::new(), created_timestamps: false }
    }

    /// Sets [`extensions`](Self::extensions).
    #[must_use]
    pub const fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// Sets [`created_timestamps`](Self::created_timestamps).
    #[must_use]
    pub const fn with_created_timestamps(mut self, write: bool) -> Self {
        self.created_timestamps = write;
        self
    }
}
