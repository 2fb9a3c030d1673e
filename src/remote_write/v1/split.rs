//! Splitting and merging requests of 1.0.

use super::message::Message;
use super::metadata::MetricMetadata;
use super::write_request::{METADATA, TIMESERIES, WriteRequest};
use crate::message::request::{DecodeRequest, Raw};
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::record_kind::RecordKind;
use crate::remote_write::model::time_series::TimeSeries;
use crate::shard::sealed::Records as _;
use crate::shard::{MergeErrorKind, MergeRequest, Place, SplitRequest, sealed};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

/// The message of 2.0, and Mimir's form of it in the message of 1.0.
const SYMBOLS: Tag = Tag::new(4, WireType::Len);
const TIMESERIES_WITH_REFS: Tag = Tag::new(5, WireType::Len);

/// A record of a request of 1.0: what goes to a shard as a whole.
///
/// ```
/// use borrowire::remote_write::v1::{Record, WriteRequest};
/// use borrowire::shard::Splitter;
///
/// let request = WriteRequest::default();
/// let mut splitter = Splitter::new();
/// let split = splitter.split(&request, |record| match record {
///     Record::TimeSeries(series) => series.labels().len() as u32 % 4,
///     Record::Metadata(_) => 0,
/// });
/// assert_eq!(split.encoded_len(), 0);
/// ```
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "a view that is read at once, not kept")]
#[allow(clippy::exhaustive_enums, reason = "the message has no third list")]
pub enum Record<'s, 'a> {
    /// An entry of `timeseries`.
    TimeSeries(TimeSeries<'s, 'a>),
    /// An entry of `metadata`.
    Metadata(MetricMetadata<'a>),
}

impl<'a> SplitRequest for WriteRequest<'a> {
    type Record<'s>
        = Record<'s, 'a>
    where
        Self: 's;

    #[inline]
    fn records_len(&self, kind: RecordKind) -> usize {
        match kind {
            RecordKind::TimeSeries => self.timeseries().len(),
            RecordKind::Metadata => self.metadata().len(),
        }
    }

    #[inline]
    fn record(&self, kind: RecordKind, index: usize) -> Option<Record<'_, 'a>> {
        match kind {
            RecordKind::TimeSeries => self.timeseries().get(index).map(Record::TimeSeries),
            RecordKind::Metadata => self.metadata().get(index).map(Record::Metadata),
        }
    }
}

impl sealed::Records for WriteRequest<'_> {
    type Kind = RecordKind;
    type Fields = Extensions;

    fn position_in_body(&self, kind: RecordKind, index: usize) -> usize {
        DecodeRequest::index_in_body(self, kind, index)
    }

    fn fields_len(extensions: &Extensions) -> usize {
        extensions.source_len().saturating_add(extensions.flags_len())
    }

    fn write_fields(
        extensions: &Extensions,
        place: Place,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match place {
            Place::Front => Ok(()),
            Place::Between => extensions.write_source(writer),
            Place::Behind => extensions.write_flags(writer),
        }
    }

    #[inline]
    fn body_bytes(&self) -> &[u8] {
        self.body()
    }

    #[inline]
    fn first_raws(&self) -> impl ExactSizeIterator<Item = Raw> {
        self.storage.timeseries.iter().map(|row| row.raw)
    }

    #[inline]
    fn second_raws(&self) -> impl ExactSizeIterator<Item = Raw> {
        self.metadata.raws()
    }

    fn index_at(&self, kind: RecordKind, start: u32) -> Option<usize> {
        match kind {
            RecordKind::TimeSeries => {
                self.storage.timeseries.binary_search_by_key(&start, |row| row.raw.start).ok()
            }
            RecordKind::Metadata => self.metadata.index_at(start),
        }
    }

    fn record_len(&self, kind: RecordKind, index: usize) -> usize {
        match self.record(kind, index) {
            Some(Record::TimeSeries(series)) => {
                wire::message_len(TIMESERIES, Message(series).encoded_len())
            }
            Some(Record::Metadata(metadata)) => wire::message_len(METADATA, metadata.encoded_len()),
            None => 0,
        }
    }

    fn write_record(
        &self,
        kind: RecordKind,
        index: usize,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match self.record(kind, index) {
            Some(Record::TimeSeries(series)) => writer.write_message(TIMESERIES, &Message(series)),
            Some(Record::Metadata(metadata)) => writer.write_message(METADATA, &metadata),
            None => Ok(()),
        }
    }
}

impl MergeRequest for WriteRequest<'_> {}

impl sealed::Merge for WriteRequest<'_> {
    const RECORD: Tag = TIMESERIES;

    type Fields<'b> = Extensions;

    #[inline]
    fn read<'b>(
        extensions: &mut Extensions,
        reader: &mut Reader<'b>,
        tag: Tag,
    ) -> Result<bool, MergeErrorKind> {
        match tag {
            TIMESERIES | METADATA => drop(reader.read_bytes()?),
            SYMBOLS | TIMESERIES_WITH_REFS => return Err(MergeErrorKind::Symbols),
            _ => extensions.read_alone(tag, reader)?,
        }
        Ok(Extensions::have(tag))
    }

    fn len(extensions: &Extensions) -> usize {
        Self::fields_len(extensions)
    }

    fn write(extensions: &Extensions, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        extensions.write_source(writer)?;
        extensions.write_flags(writer)
    }
}
