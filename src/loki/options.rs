//! How to decode pushes.

use crate::limits::Limits;

/// How to decode a push: caps, and what one bad stream means.
///
/// ```
/// use borrowire::loki::{DecodeOptions, PushRequest};
///
/// let options = DecodeOptions::new().with_partial(true).with_max_streams(50_000);
/// let push = PushRequest::decode_with(b"", &options)?;
/// assert!(push.skipped().is_empty());
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DecodeOptions {
    /// Caps that all protocols share.
    pub limits: Limits,
    /// Whether a stream whose content is bad (invalid UTF-8) is left out and listed in
    /// [`PushRequest::skipped`](super::PushRequest::skipped), instead of failing the request.
    /// Faults in the framing always fail it. In JSON it makes no difference. Default: `false`.
    pub partial: bool,
    /// Streams of one push. Default: no cap of its own, the input's size bounds it.
    pub max_streams: usize,
    /// In JSON, whether a label name that is not an identifier is quoted in the label string, as
    /// current versions read it, instead of failing the request, as Loki does. Default: `false`.
    #[cfg(feature = "json")]
    pub quoted_names: bool,
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
            max_streams: usize::MAX,
            #[cfg(feature = "json")]
            quoted_names: false,
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

    /// Sets [`max_streams`](Self::max_streams).
    #[must_use]
    pub const fn with_max_streams(mut self, count: usize) -> Self {
        self.max_streams = count;
        self
    }

    /// Sets [`quoted_names`](Self::quoted_names).
    #[cfg(feature = "json")]
    #[must_use]
    pub const fn with_quoted_names(mut self, quoted: bool) -> Self {
        self.quoted_names = quoted;
        self
    }
}
