//! Conversions to and from the generated types, which hold a line as a `String`.

use super::push::{Entry, LabelPair, PushRequest, Stream, Timestamp};
use crate::message::request::Raw;
use crate::proto::logproto as proto;
use alloc::string::String;
use core::str::Utf8Error;

impl<'a> PushRequest<'a> {
    /// A push that borrows its text from `request`; it has no raw bytes.
    ///
    /// ```
    /// use borrowire::loki::PushRequest;
    /// use borrowire::proto::logproto;
    ///
    /// let generated = logproto::PushRequest {
    ///     streams: vec![logproto::StreamAdapter {
    ///         labels: r#"{a="b"}"#.into(),
    ///         ..Default::default()
    ///     }],
    ///     ..Default::default()
    /// };
    /// let push = PushRequest::from_prost(&generated);
    /// assert_eq!(push.streams().get(0).unwrap().labels(), r#"{a="b"}"#);
    /// assert_eq!(logproto::PushRequest::try_from(&push)?, generated);
    /// # Ok::<(), core::str::Utf8Error>(())
    /// ```
    #[must_use]
    pub fn from_prost(request: &'a proto::PushRequest) -> Self {
        let mut converted = Self { format: &request.format, ..Self::default() };
        let storage = &mut converted.storage;
        for stream in &request.streams {
            for entry in &stream.entries {
                storage.metadata.extend(entry.structured_metadata.iter().map(LabelPair::from));
                let parsed_start = storage.parsed_pairs.len();
                storage.parsed_pairs.extend(entry.parsed.iter().map(LabelPair::from));
                let timestamp = entry.timestamp.as_ref().map(Timestamp::from);
                storage.push_entry(timestamp, entry.line.as_bytes(), parsed_start);
            }
            storage.end_stream(&stream.labels, stream.hash, Raw::default());
        }
        converted
    }
}

impl From<&prost_types::Timestamp> for Timestamp {
    fn from(timestamp: &prost_types::Timestamp) -> Self {
        Self::new(timestamp.seconds, timestamp.nanos)
    }
}

impl From<Timestamp> for prost_types::Timestamp {
    fn from(timestamp: Timestamp) -> Self {
        Self { seconds: timestamp.seconds, nanos: timestamp.nanos }
    }
}

impl<'a> From<&'a proto::LabelPairAdapter> for LabelPair<'a> {
    fn from(pair: &'a proto::LabelPairAdapter) -> Self {
        Self::new(&pair.name, &pair.value)
    }
}

impl From<LabelPair<'_>> for proto::LabelPairAdapter {
    fn from(pair: LabelPair<'_>) -> Self {
        Self { name: pair.name.into(), value: pair.value.into() }
    }
}

/// Fails for a line that is not UTF-8.
impl TryFrom<Entry<'_, '_>> for proto::EntryAdapter {
    type Error = Utf8Error;

    fn try_from(entry: Entry<'_, '_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            timestamp: entry.timestamp().map(Into::into),
            line: String::from(entry.line_str()?),
            structured_metadata: entry.structured_metadata().iter().map(|&p| p.into()).collect(),
            parsed: entry.parsed().iter().map(|&pair| pair.into()).collect(),
        })
    }
}

/// Fails for a line that is not UTF-8.
impl TryFrom<Stream<'_, '_>> for proto::StreamAdapter {
    type Error = Utf8Error;

    fn try_from(stream: Stream<'_, '_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            labels: stream.labels().into(),
            entries: stream.entries().iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            hash: stream.hash(),
        })
    }
}

/// Without unknown fields. Fails for a line that is not UTF-8.
impl TryFrom<&PushRequest<'_>> for proto::PushRequest {
    type Error = Utf8Error;

    fn try_from(request: &PushRequest<'_>) -> Result<Self, Utf8Error> {
        Ok(Self {
            streams: request.streams().iter().map(TryInto::try_into).collect::<Result<_, _>>()?,
            format: request.format().into(),
        })
    }
}
