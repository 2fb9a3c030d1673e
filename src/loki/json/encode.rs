//! Writing a push as JSON.

use core::fmt;

use bumpalo::collections::Vec;

use super::error::{JsonEncodeError, JsonEncodeErrorKind};
use super::labels::{self, write_object};
use super::scratch::JsonScratch;
use crate::loki::{Entry, Stream};
use crate::wire::message::Encode;
use crate::wire::quote::count;
use crate::wire::{self, BufferFull, Writer, json};

/// Streams as a JSON body, which is measured and written like any message: see [`Encode`].
///
/// A label string becomes an object, sorted by name; an empty one is left out. Hashes, formats and
/// parsed pairs are not written: they are not for clients.
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
    /// A body of `streams`, in their order. The labels are translated here, into `scratch`, which
    /// is emptied first; the rest is checked.
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
            let fail = |kind| JsonEncodeError::new(position, kind);
            objects.push(match stream.labels() {
                "" => &[][..],
                labels => labels::to_object(labels, bytes, arena).map_err(fail)?,
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
        let mut len = 0;
        let Ok(()) = self.write(&mut count(&mut len));
        len
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
    put(itoa::Buffer::new().format(nanos).as_bytes())?;
    put(b"\",")?;
    json::write_string(entry.line(), put)?;
    if !entry.structured_metadata().is_empty() {
        put(b",")?;
        write_object(entry.structured_metadata(), put)?;
    }
    put(b"]")
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::vec::Vec;
    use core::convert::Infallible;

    use super::*;
    use crate::loki::Timestamp;

    /// An entry at so many nanoseconds, as it is written.
    fn written(nanos: i64) -> Vec<u8> {
        let mut out = Vec::new();
        let entry = Entry::new(Timestamp::from_unix_nanos(nanos), b"");
        let Ok(()) = write_entry(&entry, &mut |piece| {
            out.extend_from_slice(piece);
            Ok::<_, Infallible>(())
        });
        out
    }

    #[test]
    fn times_of_every_length() {
        let powers = (0..19).map(|digits| 10_i64.pow(digits));
        let around = powers.flat_map(|power| [power - 1, power, power + 1]);
        for nanos in around.flat_map(|nanos| [nanos, -nanos]).chain([i64::MIN, i64::MAX]) {
            assert_eq!(written(nanos), format!(r#"["{nanos}",""]"#).as_bytes());
        }
    }
}
