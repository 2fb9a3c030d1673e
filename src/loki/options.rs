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
    /// Whether what is bad is left out and listed, instead of failing the request. Default:
    /// `false`.
    ///
    /// In protobuf that is a stream with content that is bad (invalid UTF-8): see
    /// [`PushRequest::skipped`](super::PushRequest::skipped). In JSON it is an entry, or a stream
    /// whose labels are bad: see `PushRequest::json_skipped`. Faults in the framing, in JSON's
    /// syntax, and what is over a limit always fail the request.
    pub partial: bool,
    /// Streams of one push. Default: no cap of its own, the input's size bounds it.
    pub max_streams: usize,
    /// In JSON, whether a label name that is not an identifier is quoted in the label string, as in
    /// `{"k8s.pod"="web-1"}`, instead of failing the request, as Loki does. Default: `false`.
    ///
    /// **Do not pass such a push on to Loki.** It takes a label string with a quoted name and
    /// stores the stream, but then cannot give it back: its queries know no such names. This is for
    /// streams that end elsewhere, or whose names are changed first.
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

    /// Sets [`quoted_names`](Self::quoted_names): not for what is passed on to Loki, which stores
    /// such streams and cannot give them back.
    #[cfg(feature = "json")]
    #[must_use]
    pub const fn with_quoted_names(mut self, quoted: bool) -> Self {
        self.quoted_names = quoted;
        self
    }
}
