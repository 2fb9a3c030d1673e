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
    /// Whether a field that is not known, at any level and also in partial mode, fails the request
    /// ([`UnknownField`](crate::DecodeErrorKind::UnknownField)), instead of being passed over. Fields
    /// are added to protocols, so this is for tests and for senders that are known. Default: `false`.
    ///
    /// In JSON it is a member that is not known, or an element behind an entry's metadata.
    pub deny_unknown_fields: bool,
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

    /// Sets [`deny_unknown_fields`](Self::deny_unknown_fields).
    ///
    /// ```
    /// use borrowire::loki::{DecodeOptions, PushRequest};
    /// use borrowire::wire::{Tag, WireType, Writer};
    ///
    /// let mut body = [0; 3]; // a request with a field that nobody knows
    /// Writer::new(&mut body).write_bool(Tag::new(99, WireType::Varint), true)?;
    /// assert!(PushRequest::decode(&body)?.has_unknown_fields());
    ///
    /// let options = DecodeOptions::new().with_deny_unknown_fields(true);
    /// let error = PushRequest::decode_with(&body, &options).unwrap_err();
    /// assert_eq!(error.to_string(), "unknown field at byte 0 (field 99)");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub const fn with_deny_unknown_fields(mut self, deny: bool) -> Self {
        self.deny_unknown_fields = deny;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DecodeErrorKind;
    use crate::loki::PushRequest;
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
        let error = PushRequest::decode_with(body, &options).err()?;
        Some((error.kind(), error.field_number(), error.offset()))
    }

    #[test]
    fn an_unknown_field_is_an_error_at_every_level() {
        let in_stream = |content: &[u8]| field(1, content);
        for (level, body) in [
            ("push", UNKNOWN.to_vec()),
            ("behind a stream", [in_stream(b""), UNKNOWN.to_vec()].concat()),
            ("stream", in_stream(UNKNOWN)),
            ("entry", in_stream(&field(2, UNKNOWN))),
            ("time", in_stream(&field(2, &field(1, UNKNOWN)))),
            ("structured metadata", in_stream(&field(2, &field(3, UNKNOWN)))),
            ("parsed labels", in_stream(&field(2, &field(4, UNKNOWN)))),
        ] {
            assert!(PushRequest::decode(&body).unwrap().has_unknown_fields(), "{level}");
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

    #[cfg(feature = "json")]
    #[test]
    fn an_unknown_member_is_an_error_at_every_level() {
        use crate::loki::json::{JsonErrorKind, JsonScratch};

        let decode = |body: &str, options: &DecodeOptions| {
            let mut scratch = JsonScratch::new();
            PushRequest::decode_json_with(body.as_bytes(), &mut scratch, options)
                .map(|push| push.has_unknown_fields())
        };
        for body in [
            r#"{"unknown":1,"streams":[]}"#,
            r#"{"streams":[{"stream":{},"unknown":{"a":[1]},"values":[]}]}"#,
            r#"{"streams":[{"stream":{},"values":[["1","line",{"a":"b"},"unknown"]]}]}"#,
            r#"{"streams":[{"labels":"{}","entries":[{"ts":"2023-11-14T22:13:20Z","line":"","unknown":null}]}]}"#,
        ] {
            assert_eq!(decode(body, &DecodeOptions::new()), Ok(true), "{body}");
            for partial in [false, true] {
                let options =
                    DecodeOptions::new().with_deny_unknown_fields(true).with_partial(partial);
                let error = decode(body, &options).unwrap_err();
                assert_eq!(error.kind(), JsonErrorKind::UnknownField, "{body}");
                assert_eq!(Some(error.offset()), body.find("\"unknown\""), "{body}");
                assert_eq!(error.status(), 400);
            }
        }
        let known = r#"{"streams":[{"stream":{"a":"b"},"values":[["1","line",{"a":"b"}]]}]}"#;
        let options = DecodeOptions::new().with_deny_unknown_fields(true);
        assert_eq!(decode(known, &options), Ok(false));
    }
}
