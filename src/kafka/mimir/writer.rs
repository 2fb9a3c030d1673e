//! Writing records.

use alloc::vec::Vec;
use core::fmt;

use super::part_v1::PartV1;
use super::split_v2;
use super::version::MimirVersion;
use crate::convert::remote_write::{Positions, RequestV1, Selection, ToV2};
use crate::kafka::groups::Groups;
use crate::kafka::memory::Memory;
use crate::kafka::record::{MAX_VALUE_BYTES, Place, Records};
use crate::message::columns::{sum, vec_bytes};
use crate::remote_write::Extensions;
use crate::remote_write::v2::{EncodeOptions, Format, Symbolizer};
use crate::wire::error::EncodeError;

/// Makes records of Mimir out of requests, in memory that is used again.
///
/// Values are cut where Mimir cuts them, and are byte for byte what Mimir writes. A request of 2.0
/// is converted first, as Mimir does: see
/// [`ToV1`](crate::convert::remote_write::ToV1).
///
/// ```
/// use borrowire::kafka::{MimirReader, MimirVersion, MimirWriter};
/// use borrowire::remote_write::v1::WriteRequest;
///
/// # use borrowire::Encode;
/// # use borrowire::kafka::Record;
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("__name__", "up")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// # let produce = |record: Record<'_>| assert_eq!(record.key, b"tenant");
/// let mut writer = MimirWriter::new(MimirVersion::V2); // used again, as the memory is
/// let mut memory = Vec::new();
///
/// let request = WriteRequest::decode(&body)?;
/// let records = writer.encode("tenant", &request, &mut memory)?;
/// drop(request); // and the body: a record waits for its acknowledgement without them
/// for record in records {
///     produce(record); // to `record.partition`, with its key, headers and value
/// }
/// # assert_eq!(records.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MimirWriter {
    version: MimirVersion,
    max_value_bytes: usize,
    raw_records: bool,
    to_v2: ToV2,
    whole: Symbolizer,
    part: Symbolizer,
    groups: Groups,
    places: Vec<Place>,
}

impl MimirWriter {
    /// A writer of records of `version`, without memory yet.
    #[must_use]
    pub fn new(version: MimirVersion) -> Self {
        Self {
            version,
            max_value_bytes: MAX_VALUE_BYTES,
            raw_records: true,
            to_v2: ToV2::new().with_format(Format::MimirRecord),
            whole: Symbolizer::new(),
            part: Symbolizer::new(),
            groups: Groups::default(),
            places: Vec::new(),
        }
    }

    /// Sets how long a value may be; a request that takes more becomes several records. A series
    /// that alone takes more is a record nevertheless, as in Mimir, whose client then refuses it:
    /// look at the value's length. (By the tag and length of its last series, a value of version 0
    /// and 1 may be longer than that.) Default: [`MAX_VALUE_BYTES`].
    #[must_use]
    pub fn with_max_value_bytes(mut self, bytes: usize) -> Self {
        self.max_value_bytes = bytes;
        self
    }

    /// Sets whether series and metadata that came as 1.0 are copied into versions 0 and 1 as they
    /// came, unknown fields and all, instead of being encoded again. Mimir does so with those that
    /// it did not change. Default: `true`.
    #[must_use]
    pub fn with_raw_records(mut self, copy: bool) -> Self {
        self.raw_records = copy;
        self
    }

    /// Which version the records have.
    #[must_use]
    pub const fn version(&self) -> MimirVersion {
        self.version
    }

    /// The records of `request`, all for partition 0, with the fields of Mimir that it has. Their
    /// values are at the front of `memory`, which grows if need be.
    ///
    /// A request without any records is one of an empty value in versions 0 and 1, and none in
    /// version 2, which Mimir could not read.
    ///
    /// # Errors
    ///
    /// If a value is over 2 GiB - 1. There are no records then.
    pub fn encode<'r, 'a, R: RequestV1<'a>>(
        &'r mut self,
        tenant: &'r str,
        request: &R,
        memory: &'r mut Vec<u8>,
    ) -> Result<Records<'r>, EncodeError> {
        self.prepare(request).encode(tenant, memory)
    }

    /// To make records of `request` for many partitions, or with other fields than it has.
    pub fn prepare<'w, 'q, 'a, R: RequestV1<'a>>(
        &'w mut self,
        request: &'q R,
    ) -> MimirRequestWriter<'w, 'q, R> {
        MimirRequestWriter { writer: self, request, extensions: request.extensions() }
    }

    /// Heap bytes that the writer holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            self.to_v2.capacity_bytes(),
            self.whole.capacity_bytes(),
            self.part.capacity_bytes(),
            self.groups.capacity_bytes(),
            vec_bytes(&self.places),
        ])
    }

    /// Appends the records of some of a request's records.
    fn write<'a, R: RequestV1<'a>>(
        &mut self,
        request: &R,
        records: Selection<'_>,
        extensions: Extensions,
        partition: u32,
        memory: &mut Memory<'_>,
    ) -> Result<(), EncodeError> {
        let (max, places) = (self.max_value_bytes, &mut self.places);
        match self.version {
            MimirVersion::V0 | MimirVersion::V1 => {
                let whole = PartV1 { request, records, extensions, raw: self.raw_records };
                whole.split(max, |part| memory.append(&part, partition, places))
            }
            MimirVersion::V2 => {
                let options = EncodeOptions::new()
                    .with_extensions(extensions)
                    .with_created_timestamps(true)
                    .with_omit_negative_zeros(true);
                let converted = self.to_v2.convert_some(request, records, options, |_| {});
                let symbolizers = (&mut self.whole, &mut self.part);
                split_v2::split(&converted, &options, max, symbolizers, |part| {
                    memory.append(part, partition, places)
                })
            }
        }
    }
}

impl fmt::Debug for MimirWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MimirWriter")
            .field("version", &self.version)
            .field("max_value_bytes", &self.max_value_bytes)
            .field("raw_records", &self.raw_records)
            .field("capacity_bytes", &self.capacity_bytes())
            .finish_non_exhaustive()
    }
}

/// A request about to become records.
///
/// ```
/// use borrowire::kafka::{MimirVersion, MimirWriter, PartitionRing};
/// use borrowire::remote_write::{Extensions, MimirTokens, v1::WriteRequest};
///
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let names = ["a", "b", "c"].map(|name| [Label::new("__name__", name)]);
/// # let series = names.iter().map(|labels| TimeSeries::new(labels));
/// # let body = WriteRequestEncoder::new(series).encode_to_vec()?;
/// let shard = PartitionRing::with_active(10)?.shuffle_shard("tenant", 3);
/// let request = WriteRequest::decode(&body)?;
/// let mut tokens = Vec::new();
/// MimirTokens::new("tenant").tokens(&request, &mut tokens); // of series, then of metadata
///
/// let (mut writer, mut memory) = (MimirWriter::new(MimirVersion::V2), Vec::new());
/// let records = writer
///     .prepare(&request)
///     .with_extensions(Extensions::new()) // at the edge: not what the client sent
///     .encode_by_position("tenant", &mut memory, |at| {
///         shard.partition_for_key(tokens[at]).expect("a partition is active")
///     })?;
/// assert!(records.iter().all(|record| [0, 3, 8].contains(&record.partition)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MimirRequestWriter<'w, 'q, R> {
    writer: &'w mut MimirWriter,
    request: &'q R,
    extensions: Extensions,
}

impl<'w, 'a, R: RequestV1<'a>> MimirRequestWriter<'w, '_, R> {
    /// Sets the fields of Mimir that records have, in place of the request's own. Parts of a
    /// request that is too long lack
    /// [`skip_label_count_validation`](Extensions::skip_label_count_validation), as in Mimir.
    #[must_use]
    pub fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// The records, all for partition 0, as [`MimirWriter::encode`] has them.
    ///
    /// # Errors
    ///
    /// If a value is over 2 GiB - 1. There are no records then.
    pub fn encode<'r>(
        self,
        tenant: &'r str,
        memory: &'r mut Vec<u8>,
    ) -> Result<Records<'r>, EncodeError>
    where
        'w: 'r,
    {
        let Self { writer, request, extensions } = self;
        writer.places.clear();
        let mut values = Memory::new(memory);
        writer.write(request, Selection::all(request), extensions, 0, &mut values)?;
        Ok(writer.records(tenant, memory))
    }

    /// The records, in ascending order of their partitions: each series and metadata entry goes to
    /// the partition that `partition_of` says for its position, counted through series, then
    /// metadata, as the tokens of a whole request are. A partition that gets nothing has no record.
    ///
    /// # Errors
    ///
    /// If a value is over 2 GiB - 1. There are no records then.
    pub fn encode_by_position<'r>(
        self,
        tenant: &'r str,
        memory: &'r mut Vec<u8>,
        partition_of: impl FnMut(usize) -> u32,
    ) -> Result<Records<'r>, EncodeError>
    where
        'w: 'r,
    {
        let Self { writer, request, extensions } = self;
        writer.places.clear();
        let mut values = Memory::new(memory);
        let mut groups = core::mem::take(&mut writer.groups);
        groups.assign(request.series_len(), request.metadata_len(), partition_of);
        let written = groups.iter().try_for_each(|group| {
            let records = Selection {
                series: Positions::Some(group.first.iter()),
                metadata: Positions::Some(group.second.iter()),
            };
            writer.write(request, records, extensions, group.partition, &mut values)
        });
        writer.groups = groups;
        written?;
        Ok(writer.records(tenant, memory))
    }
}

impl MimirWriter {
    fn records<'r>(&'r self, key: &'r str, memory: &'r [u8]) -> Records<'r> {
        Records { key, headers: self.version.headers(), memory, places: &self.places }
    }
}

impl<R> fmt::Debug for MimirRequestWriter<'_, '_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MimirRequestWriter")
            .field("writer", self.writer)
            .field("extensions", &self.extensions)
            .finish_non_exhaustive()
    }
}
