//! How to decode and encode requests of 1.0.

use crate::limits::Limits;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::sample::ValueForm;

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
    /// Whether a field that is not known, at any level and also in partial mode, fails the request
    /// ([`UnknownField`](crate::DecodeErrorKind::UnknownField)), instead of being passed over. Fields
    /// are added to protocols, so this is for tests and for senders that are known. Default: `false`.
    pub deny_unknown_fields: bool,
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

    /// Sets [`deny_unknown_fields`](Self::deny_unknown_fields).
    ///
    /// ```
    /// use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
    /// use borrowire::wire::{Tag, WireType, Writer};
    ///
    /// let mut body = [0; 3]; // a request with a field that nobody knows
    /// Writer::new(&mut body).write_bool(Tag::new(99, WireType::Varint), true)?;
    /// assert!(WriteRequest::decode(&body)?.has_unknown_fields());
    ///
    /// let options = DecodeOptions::new().with_deny_unknown_fields(true);
    /// let error = WriteRequest::decode_with(&body, &options).unwrap_err();
    /// assert_eq!(error.to_string(), "unknown field at byte 0 (field 99)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_deny_unknown_fields(mut self, deny: bool) -> Self {
        self.deny_unknown_fields = deny;
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
    /// Whether -0.0 is left out where 0.0 is, which is what it is read as then: so do programs in
    /// Go, whose bytes can only be met this way.
    pub omit_negative_zeros: bool,
}

impl EncodeOptions {
    /// Prometheus' own fields alone.
    #[must_use]
    pub const fn new() -> Self {
        Self { extensions: Extensions::new(), start_timestamps: false, omit_negative_zeros: false }
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

    /// Sets [`omit_negative_zeros`](Self::omit_negative_zeros).
    #[must_use]
    pub const fn with_omit_negative_zeros(mut self, omit: bool) -> Self {
        self.omit_negative_zeros = omit;
        self
    }

    pub(super) const fn form(&self) -> ValueForm {
        let Self { start_timestamps, omit_negative_zeros, .. } = *self;
        ValueForm { start_timestamps, omit_negative_zeros }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeErrorKind;
    use crate::remote_write::v1::WriteRequest;
    use alloc::vec::Vec;

    /// Field 30, which no message has.
    const UNKNOWN: &[u8] = b"\xf2\x01\x07unknown";

    /// A field with a length.
    fn field(number: u8, content: &[u8]) -> Vec<u8> {
        let len = u8::try_from(content.len()).unwrap();
        [&[number << 3 | 2, len], content].concat()
    }

    /// What is wrong with `body` for whoever denies unknown fields.
    fn denied(body: &[u8], partial: bool) -> Option<(DecodeErrorKind, u32, usize)> {
        let options = DecodeOptions::new().with_deny_unknown_fields(true).with_partial(partial);
        let error = WriteRequest::decode_with(body, &options).err()?;
        Some((error.kind(), error.field_number(), error.offset()))
    }

    #[test]
    fn an_unknown_field_is_an_error_at_every_level() {
        let in_series = |content: &[u8]| field(1, content);
        for (level, body) in [
            ("request", UNKNOWN.to_vec()),
            ("behind a series", [in_series(b""), UNKNOWN.to_vec()].concat()),
            ("series", in_series(UNKNOWN)),
            ("label", in_series(&field(1, &[&field(1, b"a"), UNKNOWN, &field(2, b"b")].concat()))),
            ("second label", {
                let pair = field(1, &[field(1, b"a"), field(2, b"b")].concat());
                in_series(&[pair, field(1, UNKNOWN)].concat())
            }),
            ("sample", in_series(&field(2, UNKNOWN))),
            ("exemplar", in_series(&field(3, UNKNOWN))),
            ("exemplar's label", in_series(&field(3, &field(1, UNKNOWN)))),
            ("histogram", in_series(&field(4, UNKNOWN))),
            ("span", in_series(&field(4, &field(8, UNKNOWN)))),
            ("metadata", field(3, UNKNOWN)),
        ] {
            assert!(WriteRequest::decode(&body).unwrap().has_unknown_fields(), "{level}");
            let at = body.windows(UNKNOWN.len()).position(|bytes| bytes == UNKNOWN).unwrap();
            for partial in [false, true] {
                let expected = Some((DecodeErrorKind::UnknownField, 30, at));
                assert_eq!(denied(&body, partial), expected, "{level}");
            }
        }
    }

    #[test]
    fn the_first_unknown_field_is_named_and_framing_comes_first() {
        let unknown = DecodeErrorKind::UnknownField;
        // A known number with another wire type; a varint; a group, with a field in it.
        assert_eq!(denied(b"\x08\x01\x78\x01", false), Some((unknown, 1, 0)));
        assert_eq!(denied(b"\x78\x01\x08\x01", false), Some((unknown, 15, 0)));
        assert_eq!(denied(b"\x7b\x08\x01\x7c", false), Some((unknown, 15, 0)));
        assert_eq!(denied(b"\x78\xff", false), Some((DecodeErrorKind::Truncated, 15, 1)));
        assert_eq!(denied(b"\x7c", false), Some((DecodeErrorKind::GroupMismatch, 15, 0)));
        // Numbers are told up to a cap.
        assert_eq!(denied(b"\x80\x80\x80\x08\x01", true), Some((unknown, 65_535, 0)));
    }

    /// Fields of Cortex and Mimir are known; the reference that Cortex writes is, while it is empty.
    #[test]
    fn extensions_are_no_unknown_fields() {
        for body in [&b"\x10\x01"[..], b"\xc0\x3e\x01", b"\xc8\x3e\x01", b"\xca\x3e\x00"] {
            assert_eq!(denied(body, false), None, "{body:x?}");
        }
        let unknown = Some((DecodeErrorKind::UnknownField, 1001, 0));
        assert_eq!(denied(b"\xca\x3e\x01a", false), unknown);
    }
}
