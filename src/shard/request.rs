//! What is split: a request's lists of records, where they stand in the body, and its own fields.

use crate::loki::{PushRequest, Stream};
use crate::wire::message::Encode;
use crate::remote_write::v1::{Extensions, MetricMetadata, TimeSeries, WriteRequest};
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

pub(super) const TIMESERIES: Tag = Tag::new(1, WireType::Len);
pub(super) const METADATA: Tag = Tag::new(3, WireType::Len);
pub(super) const STREAMS: Tag = Tag::new(1, WireType::Len);
const FORMAT: Tag = Tag::new(2, WireType::Len);

/// The longest [`PushRequest::format`] that is passed on unasked. Loki's are shorter; a longer one would
/// let a client send its bytes as often as there are parts.
const LONGEST_FORMAT: usize = 16;

/// A record of a remote write request: what goes to a shard as a whole.
#[derive(Clone, Copy, Debug)]
#[allow(clippy::large_enum_variant, reason = "a view that is read at once, not kept")]
pub enum Record<'s, 'a> {
    /// An entry of `timeseries`.
    TimeSeries(TimeSeries<'s, 'a>),
    /// An entry of `metadata`.
    Metadata(MetricMetadata<'a>),
}

/// Which list of a request a record is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RecordList {
    /// The series, or Loki's streams.
    Series,
    /// The metadata entries.
    Metadata,
}

/// A decoded request that can be split: [`WriteRequest`], [`PushRequest`].
pub trait SplitRequest: sealed::Source {
    /// What a shard function looks at: a [`Record`] of remote write, a [`Stream`] of Loki.
    type Record<'s>: Copy
    where
        Self: 's;

    /// How many records are in `list`.
    fn records_len(&self, list: RecordList) -> usize;

    /// The record at `index` of `list`.
    fn record(&self, list: RecordList, index: usize) -> Option<Self::Record<'_>>;
}

pub(super) mod sealed {
    use super::{BufferFull, RecordList, Writer};

    /// The part of [`SplitRequest`](super::SplitRequest) that may change.
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Source {
        /// The request's fields besides its records.
        type Fields: Copy;

        fn fields(&self) -> Self::Fields;

        fn fields_len(fields: &Self::Fields) -> usize;

        /// Writes the fields whose numbers lie between those of both lists.
        fn write_inner_fields(
            fields: &Self::Fields,
            writer: &mut Writer<'_>,
        ) -> Result<(), BufferFull>;

        /// Writes the fields whose numbers are behind those of both lists.
        fn write_last_fields(
            fields: &Self::Fields,
            writer: &mut Writer<'_>,
        ) -> Result<(), BufferFull>;

        /// The bytes that the request was decoded from; empty if there are none.
        fn body(&self) -> &[u8];

        /// Where in the body the series or streams stand, tags and lengths included.
        fn series_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)>;

        /// Where in the body the metadata entries stand.
        fn metadata_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)>;

        /// Bytes of a record that stands in no body.
        fn record_len(&self, list: RecordList, index: usize) -> usize;

        /// Writes a record that stands in no body.
        fn write_record(
            &self,
            list: RecordList,
            index: usize,
            writer: &mut Writer<'_>,
        ) -> Result<(), BufferFull>;
    }
}

impl<'a> SplitRequest for WriteRequest<'a> {
    type Record<'s>
        = Record<'s, 'a>
    where
        Self: 's;

    #[inline]
    fn records_len(&self, list: RecordList) -> usize {
        match list {
            RecordList::Series => self.timeseries().len(),
            RecordList::Metadata => self.metadata().len(),
        }
    }

    #[inline]
    fn record(&self, list: RecordList, index: usize) -> Option<Record<'_, 'a>> {
        match list {
            RecordList::Series => self.timeseries().get(index).map(Record::TimeSeries),
            RecordList::Metadata => self.metadata().get(index).map(Record::Metadata),
        }
    }
}

impl sealed::Source for WriteRequest<'_> {
    type Fields = Extensions;

    fn fields(&self) -> Extensions {
        self.extensions()
    }

    fn fields_len(extensions: &Extensions) -> usize {
        extensions.source_len().saturating_add(extensions.flags_len())
    }

    fn write_inner_fields(
        extensions: &Extensions,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        extensions.write_source(writer)
    }

    fn write_last_fields(
        extensions: &Extensions,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        extensions.write_flags(writer)
    }

    #[inline]
    fn body(&self) -> &[u8] {
        self.body()
    }

    #[inline]
    fn series_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.timeseries_ranges()
    }

    #[inline]
    fn metadata_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.metadata_ranges()
    }

    fn record_len(&self, list: RecordList, index: usize) -> usize {
        match self.record(list, index) {
            Some(Record::TimeSeries(series)) => wire::message_len(TIMESERIES, series.encoded_len()),
            Some(Record::Metadata(metadata)) => wire::message_len(METADATA, metadata.encoded_len()),
            None => 0,
        }
    }

    fn write_record(
        &self,
        list: RecordList,
        index: usize,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match self.record(list, index) {
            Some(Record::TimeSeries(series)) => writer.write_message(TIMESERIES, &series),
            Some(Record::Metadata(metadata)) => writer.write_message(METADATA, &metadata),
            None => Ok(()),
        }
    }
}

impl<'a> SplitRequest for PushRequest<'a> {
    type Record<'s>
        = Stream<'s, 'a>
    where
        Self: 's;

    #[inline]
    fn records_len(&self, list: RecordList) -> usize {
        match list {
            RecordList::Series => self.streams().len(),
            RecordList::Metadata => 0,
        }
    }

    #[inline]
    fn record(&self, list: RecordList, index: usize) -> Option<Stream<'_, 'a>> {
        match list {
            RecordList::Series => self.streams().get(index),
            RecordList::Metadata => None,
        }
    }
}

impl<'a> sealed::Source for PushRequest<'a> {
    /// The format.
    type Fields = &'a str;

    fn fields(&self) -> &'a str {
        if self.format().len() <= LONGEST_FORMAT { self.format() } else { "" }
    }

    fn fields_len(format: &&'a str) -> usize {
        if format.is_empty() { 0 } else { wire::string_len(FORMAT, format) }
    }

    fn write_inner_fields(_: &&'a str, _: &mut Writer<'_>) -> Result<(), BufferFull> {
        Ok(())
    }

    fn write_last_fields(format: &&'a str, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if format.is_empty() { Ok(()) } else { writer.write_string(FORMAT, format) }
    }

    #[inline]
    fn body(&self) -> &[u8] {
        self.body()
    }

    #[inline]
    fn series_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        self.stream_ranges()
    }

    fn metadata_ranges(&self) -> impl ExactSizeIterator<Item = (u32, u32)> {
        core::iter::empty()
    }

    fn record_len(&self, list: RecordList, index: usize) -> usize {
        let stream = self.record(list, index);
        stream.map_or(0, |stream| wire::message_len(STREAMS, stream.encoded_len()))
    }

    fn write_record(
        &self,
        list: RecordList,
        index: usize,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        match self.record(list, index) {
            Some(stream) => writer.write_message(STREAMS, &stream),
            None => Ok(()),
        }
    }
}
