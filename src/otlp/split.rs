//! Splitting and merging requests by resource: see [`ItemSplitter`](super::ItemSplitter) for splitting by
//! data point and log record.

use super::common::RESOURCES;
use super::logs::{ExportLogsServiceRequest, ResourceLogs};
use super::metrics::{ExportMetricsServiceRequest, ResourceMetrics};
use super::record_kind::RecordKind;
use crate::message::request::{DecodeRequest, Raw};
use crate::shard::{MergeErrorKind, MergeRequest, Place, SplitRequest, sealed};
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Reader, Tag, Writer};

/// A request of either signal has one list, and no other fields.
macro_rules! split_by_resource {
    ($($request:ident, $record:ident, $list:ident;)*) => {$(
        impl<'a> SplitRequest for $request<'a> {
            type Record<'s>
                = $record<'s, 'a>
            where
                Self: 's;

            fn records_len(&self, _: RecordKind) -> usize {
                self.$list().len()
            }

            fn record(&self, _: RecordKind, index: usize) -> Option<$record<'_, 'a>> {
                self.$list().get(index)
            }
        }

        impl sealed::Records for $request<'_> {
            type Kind = RecordKind;
            type Fields = ();

            fn position_in_body(&self, kind: RecordKind, index: usize) -> usize {
                DecodeRequest::index_in_body(self, kind, index)
            }

            fn fields_len((): &()) -> usize {
                0
            }

            fn write_fields((): &(), _: Place, _: &mut Writer<'_>) -> Result<(), BufferFull> {
                Ok(())
            }

            fn body_bytes(&self) -> &[u8] {
                self.body()
            }

            fn first_raws(&self) -> impl ExactSizeIterator<Item = Raw> {
                self.storage.parents.resources.iter().map(|row| row.raw)
            }

            fn index_at(&self, _: RecordKind, start: u32) -> Option<usize> {
                let resources = &self.storage.parents.resources;
                resources.binary_search_by_key(&start, |row| row.raw.start).ok()
            }

            fn record_len(&self, kind: RecordKind, index: usize) -> usize {
                let record = self.record(kind, index);
                record.map_or(0, |record| wire::message_len(RESOURCES, record.encoded_len()))
            }

            fn write_record(
                &self,
                kind: RecordKind,
                index: usize,
                writer: &mut Writer<'_>,
            ) -> Result<(), BufferFull> {
                match self.record(kind, index) {
                    Some(record) => writer.write_message(RESOURCES, &record),
                    None => Ok(()),
                }
            }
        }

        impl MergeRequest for $request<'_> {}

        impl sealed::Merge for $request<'_> {
            const RECORD: Tag = RESOURCES;

            type Fields<'b> = ();

            fn read<'b>(
                (): &mut (),
                reader: &mut Reader<'b>,
                tag: Tag,
            ) -> Result<bool, MergeErrorKind> {
                reader.skip_field(tag)?;
                Ok(false)
            }

            fn len((): &()) -> usize {
                0
            }

            fn write((): &(), _: &mut Writer<'_>) -> Result<(), BufferFull> {
                Ok(())
            }
        }
    )*};
}

split_by_resource! {
    ExportMetricsServiceRequest, ResourceMetrics, resource_metrics;
    ExportLogsServiceRequest, ResourceLogs, resource_logs;
}
