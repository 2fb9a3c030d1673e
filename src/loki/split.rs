//! Splitting and merging pushes.

use super::push::{FORMAT, PushRequest, STREAMS, Stream};
use super::record_kind::RecordKind;
use crate::message::fields::{text_len, write_text};
use crate::message::request::{DecodeRequest, Raw};
use crate::shard::{MergeErrorKind, MergeRequest, Place, SplitRequest, sealed};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Reader, Tag, Writer};

impl<'a> SplitRequest for PushRequest<'a> {
    type Record<'s>
        = Stream<'s, 'a>
    where
        Self: 's;

    #[inline]
    fn records_len(&self, kind: RecordKind) -> usize {
        match kind {
            RecordKind::Stream => self.streams().len(),
        }
    }

    #[inline]
    fn record(&self, kind: RecordKind, index: usize) -> Option<Stream<'_, 'a>> {
        match kind {
            RecordKind::Stream => self.streams().get(index),
        }
    }
}

impl<'a> sealed::Records for PushRequest<'a> {
    type Kind = RecordKind;
    /// The format.
    type Fields = &'a str;

    fn position_in_body(&self, kind: RecordKind, index: usize) -> usize {
        DecodeRequest::index_in_body(self, kind, index)
    }

    fn fields_len(format: &&'a str) -> usize {
        text_len(FORMAT, format)
    }

    fn write_fields(
        format: &&'a str,
        place: Place,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match place {
            Place::Front | Place::Between => Ok(()),
            Place::Behind => write_text(writer, FORMAT, format),
        }
    }

    #[inline]
    fn body_bytes(&self) -> &[u8] {
        self.body()
    }

    #[inline]
    fn first_raws(&self) -> impl ExactSizeIterator<Item = Raw> {
        self.storage.streams.iter().map(|row| row.raw)
    }

    fn index_at(&self, kind: RecordKind, start: u32) -> Option<usize> {
        match kind {
            RecordKind::Stream => {
                self.storage.streams.binary_search_by_key(&start, |row| row.raw.start).ok()
            }
        }
    }

    fn record_len(&self, kind: RecordKind, index: usize) -> usize {
        let stream = self.record(kind, index);
        stream.map_or(0, |stream| wire::message_len(STREAMS, stream.encoded_len()))
    }

    fn write_record(
        &self,
        kind: RecordKind,
        index: usize,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match self.record(kind, index) {
            Some(stream) => writer.write_message(STREAMS, &stream),
            None => Ok(()),
        }
    }
}

impl MergeRequest for PushRequest<'_> {}

impl sealed::Merge for PushRequest<'_> {
    const RECORD: Tag = STREAMS;

    /// The format.
    type Fields<'b> = &'b [u8];

    fn read<'b>(
        format: &mut &'b [u8],
        reader: &mut Reader<'b>,
        tag: Tag,
    ) -> Result<bool, MergeErrorKind> {
        match tag {
            STREAMS => drop(reader.read_bytes()?),
            FORMAT => *format = reader.read_bytes()?,
            _ => reader.skip_field(tag)?,
        }
        Ok(tag == FORMAT)
    }

    fn len(format: &&[u8]) -> usize {
        if format.is_empty() { 0 } else { wire::bytes_len(FORMAT, format) }
    }

    fn write(format: &&[u8], writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if format.is_empty() { Ok(()) } else { writer.write_bytes(FORMAT, format) }
    }
}
