//! How to decode and encode requests of 2.0.

use super::format::Format;
use crate::limits::Limits;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::sample::ValueForm;

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
    /// Whether a field that is not known, at any level and also in partial mode, fails the request
    /// ([`UnknownField`](crate::DecodeErrorKind::UnknownField)), instead of being passed over. Fields
    /// are added to protocols, so this is for tests and for senders that are known. Default: `false`.
    pub deny_unknown_fields: bool,
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

    /// Sets [`deny_unknown_fields`](Self::deny_unknown_fields).
    ///
    /// ```
    /// use borrowire::remote_write::v2::{DecodeOptions, Request};
    /// use borrowire::wire::{Tag, WireType, Writer};
    ///
    /// let mut body = [0; 3]; // a request with a field that nobody knows
    /// Writer::new(&mut body).write_bool(Tag::new(99, WireType::Varint), true)?;
    /// assert!(Request::decode(&body)?.has_unknown_fields());
    ///
    /// let options = DecodeOptions::new().with_deny_unknown_fields(true);
    /// let error = Request::decode_with(&body, &options).unwrap_err();
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
    /// Whether -0.0 is left out where 0.0 is, which is what it is read as then: so do programs in
    /// Go, whose bytes can only be met this way.
    pub omit_negative_zeros: bool,
}

impl EncodeOptions {
    /// The fields of the specification alone.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            extensions: Extensions::new(),
            created_timestamps: false,
            omit_negative_zeros: false,
        }
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

    /// Sets [`omit_negative_zeros`](Self::omit_negative_zeros).
    #[must_use]
    pub const fn with_omit_negative_zeros(mut self, omit: bool) -> Self {
        self.omit_negative_zeros = omit;
        self
    }

    pub(super) const fn form(&self) -> ValueForm {
        let omit_negative_zeros = self.omit_negative_zeros;
        ValueForm { start_timestamps: true, omit_negative_zeros }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeErrorKind;
    use crate::remote_write::v2::Request;
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
        let error = Request::decode_with(body, &options).err()?;
        Some((error.kind(), error.field_number(), error.offset()))
    }

    #[test]
    fn an_unknown_field_is_an_error_at_every_level() {
        let in_series = |content: &[u8]| field(5, content);
        for (level, body) in [
            ("request", UNKNOWN.to_vec()),
            ("behind a symbol", [field(4, b""), UNKNOWN.to_vec()].concat()),
            ("behind a series", [in_series(b""), UNKNOWN.to_vec()].concat()),
            ("series", in_series(UNKNOWN)),
            ("sample", in_series(&field(2, UNKNOWN))),
            ("histogram", in_series(&field(3, UNKNOWN))),
            ("span", in_series(&field(3, &field(8, UNKNOWN)))),
            ("exemplar", in_series(&field(4, UNKNOWN))),
            ("metadata", in_series(&field(5, UNKNOWN))),
            // Read ahead, because a series before it names them.
            ("before a late symbol", {
                let series = in_series(&field(1, b"\x01\x01"));
                [&series[..], UNKNOWN, &field(4, b""), &field(4, b"a")].concat()
            }),
        ] {
            assert!(Request::decode(&body).unwrap().has_unknown_fields(), "{level}");
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
}
