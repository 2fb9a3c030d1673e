//! Writing a push from the caller's own data.

use super::push_request::{FORMAT, STREAMS};
use super::stream::Stream;
use crate::message::fields::{text_len, write_text};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer};

/// A push made of an iterator of streams: nothing is collected, measured and written as it goes.
///
/// The iterator is cloned for each pass, so let it borrow: `slice.iter().map(...)`.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::loki::{Entry, PushRequestEncoder, Stream, Timestamp};
///
/// let entries = [Entry::new(Timestamp::new(1_700_000_000, 0), b"started")];
/// let streams = [Stream::new(r#"{job="varlogs"}"#).with_entries(&entries)];
///
/// let push = PushRequestEncoder::new(streams);
/// let mut buffer = vec![0; 4096]; // used again and again
/// let len = push.encode(&mut buffer)?;
/// assert_eq!(len, push.encoded_len());
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[derive(Clone, Debug)]
pub struct PushRequestEncoder<'f, S> {
    streams: S,
    format: &'f str,
}

impl<'s, 'a: 's, 'f, S> PushRequestEncoder<'f, S>
where
    S: Iterator<Item = Stream<'s, 'a>> + Clone,
{
    /// A push of `streams`, in their order.
    #[must_use]
    pub fn new<I>(streams: I) -> Self
    where
        I: IntoIterator<Item = Stream<'s, 'a>, IntoIter = S>,
    {
        Self { streams: streams.into_iter(), format: "" }
    }

    /// Sets the format: inside Loki only, not for clients.
    #[must_use]
    pub fn with_format(mut self, format: &'f str) -> Self {
        self.format = format;
        self
    }
}

impl<'s, 'a: 's, S> Encode for PushRequestEncoder<'_, S>
where
    S: Iterator<Item = Stream<'s, 'a>> + Clone,
{
    fn encoded_len(&self) -> usize {
        self.streams.clone().fold(text_len(FORMAT, self.format), |sum, stream| {
            sum.saturating_add(wire::message_len(STREAMS, stream.encoded_len()))
        })
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for stream in self.streams.clone() {
            stream.write_field(writer)?;
        }
        write_text(writer, FORMAT, self.format)
    }
}
