//! How to decode requests.

use crate::limits::Limits;

/// How to decode a request of metrics or logs: caps, and what a bad item means.
///
/// ```
/// use borrowire::otlp::DecodeOptions;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let options = DecodeOptions::new().with_partial(true).with_max_items(50_000);
/// let request = ExportLogsServiceRequest::decode_with(b"", &options)?;
/// assert!(request.skipped().is_empty());
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// Caps that all protocols share.
    pub limits: Limits,
    /// Whether what is bad is left out and listed, instead of failing the request. Default: `false`.
    ///
    /// Bad is text that is not UTF-8, and an id of another length than it has. It sinks the innermost of
    /// these that it is in: exemplar, data point or log record, metric, scope, resource. Faults in the
    /// framing, and what is over a limit, always fail the request.
    pub partial: bool,
    /// Whether a field that is not known, at any level and also in partial mode, fails the request
    /// ([`UnknownField`](crate::DecodeErrorKind::UnknownField)), instead of being passed over. Fields
    /// are added to protocols, so this is for tests and for senders that are known. Default: `false`.
    pub deny_unknown_fields: bool,
    /// Resources of one request. Default: no cap of its own, the input's size bounds it.
    pub max_resources: usize,
    /// Data points or log records of one request. Default: no cap of its own, the input's size bounds it.
    pub max_items: usize,
}

impl Default for DecodeOptions {
    fn default() -> Self {
        Self::new()
    }
}

/// The defaults, with other limits.
impl From<Limits> for DecodeOptions {
    fn from(limits: Limits) -> Self {
        Self::new().with_limits(limits)
    }
}

impl DecodeOptions {
    /// The defaults.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            limits: Limits::new(),
            partial: false,
            deny_unknown_fields: false,
            max_resources: usize::MAX,
            max_items: usize::MAX,
        }
    }

    /// The limit that is met in a resource with so many before it, if one alone can be.
    pub(super) fn limit_at(&self, before: usize) -> Option<(&'static str, usize)> {
        match (self.max_items, self.limits.max_elements) {
            _ if before >= self.max_resources => Some(("max_resources", self.max_resources)),
            (usize::MAX, max_elements) => Some(("max_elements", max_elements)),
            (max_items, usize::MAX) => Some(("max_items", max_items)),
            _ => None,
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

    /// Sets [`deny_unknown_fields`](Self::deny_unknown_fields).
    #[must_use]
    pub const fn with_deny_unknown_fields(mut self, deny: bool) -> Self {
        self.deny_unknown_fields = deny;
        self
    }

    /// Sets [`max_resources`](Self::max_resources).
    #[must_use]
    pub const fn with_max_resources(mut self, count: usize) -> Self {
        self.max_resources = count;
        self
    }

    /// Sets [`max_items`](Self::max_items).
    #[must_use]
    pub const fn with_max_items(mut self, count: usize) -> Self {
        self.max_items = count;
        self
    }
}
