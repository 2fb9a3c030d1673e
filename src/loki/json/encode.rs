//! Writing a push as JSON.

use core::fmt;

use bumpalo::collections::Vec;

use super::labels::{self, LabelsFault, write_object};
use super::{JsonScratch, quote};
use crate::loki::selector::SelectorError;
use crate::loki::{Entry, PushRequest, Stream, StreamsIter};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// Why a stream has no JSON form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum JsonEncodeErrorKind {
    /// The label string names a label twice.
    DuplicateLabel,
    /// The label string is none.
    InvalidLabels(SelectorError),
    /// An entry without a timestamp, with an invalid one, or one before 1677-09-21 or after 2262-04-11:
    /// its nanoseconds do not fit 64 bits.
    InvalidTimestamp {
        /// The entry's position.
        entry: usize,
    },
    /// A line that is not UTF-8, as JSON has to be.
    InvalidUtf8 {
        /// The entry's position.
        entry: usize,
    },
}

/// A stream that has no JSON form, and why.
///
/// ```
/// use borrowire::loki::json::{JsonEncodeErrorKind, JsonEncoder, JsonScratch};
/// use borrowire::loki::{Entry, Stream, Timestamp};
///
/// let entries = [Entry::new(Timestamp::new(1, 0), b"\xff")];
/// let streams = [Stream::new(r#"{job="varlogs"}"#).with_entries(&entries)];
/// let error = JsonEncoder::new(streams, &mut JsonScratch::new()).unwrap_err();
/// assert_eq!((error.stream(), error.kind()), (0, JsonEncodeErrorKind::InvalidUtf8 { entry: 0 }));
/// assert_eq!(error.to_string(), "line is not UTF-8 (stream 0, entry 0)");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct JsonEncodeError {
    stream: usize,
    kind: JsonEncodeErrorKind,
}

impl JsonEncodeError {
    /// The stream's position, from 0.
    #[must_use]
    pub const fn stream(&self) -> usize {
        self.stream
    }

    /// What is wrong with it.
    #[must_use]
    pub const fn kind(&self) -> JsonEncodeErrorKind {
        self.kind
    }
}

impl fmt::Display for JsonEncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let stream = self.stream;
        match self.kind {
            JsonEncodeErrorKind::DuplicateLabel => {
                write!(f, "label string names a label twice (stream {stream})")
            }
            JsonEncodeErrorKind::InvalidLabels(error) => {
                write!(f, "invalid label string: {error} of it (stream {stream})")
            }
            JsonEncodeErrorKind::InvalidTimestamp { entry } => {
                write!(
                    f,
                    "timestamp has no 64 bits of nanoseconds (stream {stream}, entry {entry})"
                )
            }
            JsonEncodeErrorKind::InvalidUtf8 { entry } => {
                write!(f, "line is not UTF-8 (stream {stream}, entry {entry})")
            }
        }
    }
}

impl core::error::Error for JsonEncodeError {}

/// Streams as a JSON body, which is measured and written like any message: see [`Encode`].
///
/// A label string becomes an object, sorted by name; an empty one is left out. Hashes, formats and parsed
/// pairs are not written: they are not for clients.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::loki::json::{JsonEncoder, JsonScratch};
/// use borrowire::loki::{Entry, LabelPair, Stream, Timestamp};
///
/// let metadata = [LabelPair::new("trace_id", "0242ac120002")];
/// let entries = [
///     Entry::new(Timestamp::new(1_700_000_000, 5), b"say \"hi\""),
///     Entry::new(Timestamp::new(1_700_000_001, 0), b"bye").with_structured_metadata(&metadata),
/// ];
/// let streams = [Stream::new(r#"{job="varlogs", app="web"}"#).with_entries(&entries)];
///
/// let mut scratch = JsonScratch::new(); // used again for the next body
/// let body = JsonEncoder::new(streams, &mut scratch)?.encode_to_vec()?;
/// let expected = concat!(
///     r#"{"streams":[{"stream":{"app":"web","job":"varlogs"},"values":["#,
///     r#"["1700000000000000005","say \"hi\""],"#,
///     r#"["1700000001000000000","bye",{"trace_id":"0242ac120002"}]]}]}"#,
/// );
/// assert_eq!(body, expected.as_bytes());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct JsonEncoder<'x, S> {
    streams: S,
    /// The JSON object of each stream's labels; empty if it has none.
    labels: &'x [&'x [u8]],
}

impl<'x, 's, 'a: 's, S> JsonEncoder<'x, S>
where
    S: Iterator<Item = Stream<'s, 'a>> + Clone,
{
    /// A body of `streams`, in their order. The labels are translated here, into `scratch`, which is
    /// emptied first; the rest is checked.
    ///
    /// # Errors
    ///
    /// The first stream that has no JSON form.
    pub fn new<I>(streams: I, scratch: &'x mut JsonScratch) -> Result<Self, JsonEncodeError>
    where
        I: IntoIterator<Item = Stream<'s, 'a>, IntoIter = S>,
    {
        let streams = streams.into_iter();
        let (arena, bytes) = scratch.parts();
        let mut objects = Vec::with_capacity_in(streams.size_hint().0, arena);
        for (position, stream) in streams.clone().enumerate() {
            let fail = |kind| JsonEncodeError { stream: position, kind };
            objects.push(match stream.labels() {
                "" => &[][..],
                labels => labels::to_object(labels, bytes, arena).map_err(|fault| {
                    fail(match fault {
                        LabelsFault::Duplicate => JsonEncodeErrorKind::DuplicateLabel,
                        LabelsFault::Selector(error) => JsonEncodeErrorKind::InvalidLabels(error),
                    })
                })?,
            });
            for (entry, view) in stream.entries().iter().enumerate() {
                if unix_nanos(&view).is_none() {
                    return Err(fail(JsonEncodeErrorKind::InvalidTimestamp { entry }));
                }
                if wire::text_region(view.line()).is_none() {
                    return Err(fail(JsonEncodeErrorKind::InvalidUtf8 { entry }));
                }
            }
        }
        Ok(Self { streams, labels: objects.into_bump_slice() })
    }

    /// Gives `put` the body, piece by piece.
    fn write<E>(&self, put: &mut impl FnMut(&[u8]) -> Result<(), E>) -> Result<(), E> {
        put(br#"{"streams":["#)?;
        let mut separator: &[u8] = b"{";
        for (stream, labels) in self.streams.clone().zip(self.labels) {
            put(separator)?;
            separator = b",{";
            if !labels.is_empty() {
                put(br#""stream":"#)?;
                put(labels)?;
                put(b",")?;
            }
            put(br#""values":["#)?;
            let mut separator: &[u8] = b"";
            for entry in stream.entries() {
                put(separator)?;
                separator = b",";
                write_entry(&entry, put)?;
            }
            put(b"]}")?;
        }
        put(b"]}")
    }
}

impl<'s, 'a: 's, S> Encode for JsonEncoder<'_, S>
where
    S: Iterator<Item = Stream<'s, 'a>> + Clone,
{
    fn encoded_len(&self) -> usize {
        let mut len: usize = 0;
        let counted: Result<(), core::convert::Infallible> = self.write(&mut |piece| {
            len = len.saturating_add(piece.len());
            Ok(())
        });
        match counted {
            Ok(()) => len,
        }
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(&mut |piece| writer.write_raw(piece))
    }
}

impl<S> fmt::Debug for JsonEncoder<'_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("JsonEncoder").field("streams", &self.labels.len()).finish_non_exhaustive()
    }
}

impl<'a> PushRequest<'a> {
    /// An encoder of the request's streams as JSON. It writes labels into `scratch`, which is emptied
    /// first: not the one that the request itself was decoded with, if it came as JSON.
    ///
    /// # Errors
    ///
    /// The first stream that has no JSON form.
    pub fn json_encoder<'s, 'x>(
        &'s self,
        scratch: &'x mut JsonScratch,
    ) -> Result<JsonEncoder<'x, StreamsIter<'s, 'a>>, JsonEncodeError> {
        JsonEncoder::new(self.streams(), scratch)
    }
}

fn unix_nanos(entry: &Entry<'_, '_>) -> Option<i64> {
    entry.timestamp()?.to_unix_nanos()
}

fn write_entry<E>(
    entry: &Entry<'_, '_>,
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), E> {
    put(b"[\"")?;
    // Looked at before.
    let nanos = unix_nanos(entry).unwrap_or_default();
    put(decimal(nanos, &mut [0; 20]))?;
    put(b"\",")?;
    quote::write(entry.line(), put)?;
    if !entry.structured_metadata().is_empty() {
        put(b",")?;
        write_object(entry.structured_metadata(), put)?;
    }
    put(b"]")
}

/// `number` in decimal, written to the end of `out`.
fn decimal(number: i64, out: &mut [u8; 20]) -> &[u8] {
    let mut left = number.unsigned_abs();
    let mut start = out.len();
    for (at, slot) in out.iter_mut().enumerate().rev() {
        // One digit.
        *slot = b'0' | u8::try_from(left % 10).unwrap_or_default();
        left /= 10;
        start = at;
        if left == 0 {
            break;
        }
    }
    if number < 0 {
        // Nineteen digits at the most: there is a place left.
        start = start.saturating_sub(1);
        if let Some(sign) = out.get_mut(start) {
            *sign = b'-';
        }
    }
    out.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn decimal_numbers_of_every_length() {
        let mut number = 1_i64;
        for _ in 0..19 {
            for number in [number, number - 1, number + 1, -number, -number + 1, -number - 1] {
                assert_eq!(decimal(number, &mut [0; 20]), number.to_string().as_bytes());
            }
            number = number.saturating_mul(10);
        }
        for number in [i64::MIN, i64::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string().as_bytes());
        }
    }
}
