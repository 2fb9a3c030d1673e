//! Records of plain OTLP, as the Collector and many others put them into Kafka.
//!
//! ```text
//! key       the caller's: none, a tenant, a trace id
//! headers   none
//! value     an ExportMetricsServiceRequest or ExportLogsServiceRequest
//! ```

use alloc::vec::Vec;
use core::fmt;

use super::memory::Memory;
use super::record::{MAX_VALUE_BYTES, Place, Records};
use crate::otlp::{ItemSplitter, OversizedItem, SplitItems};
use crate::wire::error::EncodeError;

/// Makes records of plain OTLP out of requests, in memory that is used again.
///
/// Values are cut by the bytes that they take, between data points or log records, which are copied
/// as they came. Nothing is dropped: an item that is too long for a record is an error that names
/// it. A decoder of the request reads a value.
///
/// ```
/// use borrowire::kafka::OtlpWriter;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// # use borrowire::Encode;
/// # use borrowire::otlp::logs::*;
/// # let logs = [LogRecord::default(); 3];
/// # let scopes = [ScopeLogs::new(Default::default(), LogRecords::new(&logs))];
/// # let resources = [ResourceLogs::new(Default::default(), ScopeLogsList::new(&scopes))];
/// # let body = ExportLogsServiceRequestEncoder::new(resources).encode_to_vec()?;
/// let request = ExportLogsServiceRequest::decode(&body)?; // of three records
/// let mut writer = OtlpWriter::new().with_max_value_bytes(1_000_000); // as brokers have it
/// let mut memory = Vec::new();
/// let records = writer.encode("tenant", &request, &mut memory)?;
/// assert_eq!((records.len(), records.values()), (1, &body[..]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct OtlpWriter {
    max_value_bytes: usize,
    splitter: ItemSplitter,
    places: Vec<Place>,
}

impl Default for OtlpWriter {
    fn default() -> Self {
        Self::new()
    }
}

impl OtlpWriter {
    /// A writer without memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self { max_value_bytes: 0, splitter: ItemSplitter::new(), places: Vec::new() }
            .with_max_value_bytes(MAX_VALUE_BYTES)
    }

    /// Sets how long a value may be. Default: [`MAX_VALUE_BYTES`]; brokers that nobody configured
    /// take about 1,000,000 bytes.
    #[must_use]
    pub fn with_max_value_bytes(mut self, bytes: usize) -> Self {
        self.max_value_bytes = bytes;
        self.splitter = self.splitter.with_max_bytes(bytes);
        self
    }

    /// The records of `request`, all for partition 0. Their values are at the front of `memory`,
    /// which grows if need be. A request without items has none.
    ///
    /// # Errors
    ///
    /// If an item is too long for a record. There are no records then.
    pub fn encode<'r, R: SplitItems>(
        &'r mut self,
        key: &'r str,
        request: &R,
        memory: &'r mut Vec<u8>,
    ) -> Result<Records<'r>, OtlpWriteError> {
        self.encode_by_position(key, request, memory, |_| 0)
    }

    /// The records of `request`, each item in one for the partition that `partition_of` says for its
    /// position, counted through all its items.
    ///
    /// # Errors
    ///
    /// As [`encode`](Self::encode).
    pub fn encode_by_position<'r, R: SplitItems>(
        &'r mut self,
        key: &'r str,
        request: &R,
        memory: &'r mut Vec<u8>,
        partition_of: impl FnMut(usize) -> u32,
    ) -> Result<Records<'r>, OtlpWriteError> {
        let Self { max_value_bytes: max, splitter, places } = self;
        places.clear();
        let mut values = Memory::new(memory);
        let split = splitter.split_by_position(request, partition_of);
        if let Some(&OversizedItem { index, part_len, .. }) = split.oversized().first() {
            return Err(OtlpWriteError::ItemTooLong { item: index, bytes: part_len, max: *max });
        }
        for (partition, part) in split.parts() {
            values.append(&part, partition, places)?;
        }
        Ok(Records { key, headers: &[], memory, places })
    }
}

impl fmt::Debug for OtlpWriter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OtlpWriter")
            .field("max_value_bytes", &self.max_value_bytes)
            .finish_non_exhaustive()
    }
}

/// A request cannot be written to records.
///
/// ```
/// use borrowire::kafka::OtlpWriter;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let body = [0x0a, 7, 0x12, 5, 0x12, 3, 0x62, 1, b'x']; // one log record
/// let request = ExportLogsServiceRequest::decode(&body)?;
/// let mut writer = OtlpWriter::new().with_max_value_bytes(8);
/// let error = writer.encode("", &request, &mut Vec::new()).unwrap_err();
/// assert_eq!(error.to_string(), "item 0 takes 9 bytes, over the limit of 8");
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum OtlpWriteError {
    /// A data point or log record is too long for a record of its own: the first such.
    ItemTooLong {
        /// Its position among the items of the request.
        item: usize,
        /// How many bytes a value of it alone takes.
        bytes: usize,
        /// How many a value may have.
        max: usize,
    },
    /// A value is over 2 GiB - 1.
    Encode(EncodeError),
}

impl From<EncodeError> for OtlpWriteError {
    fn from(error: EncodeError) -> Self {
        Self::Encode(error)
    }
}

impl fmt::Display for OtlpWriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::ItemTooLong { item, bytes, max } => {
                write!(f, "item {item} takes {bytes} bytes, over the limit of {max}")
            }
            Self::Encode(error) => error.fmt(f),
        }
    }
}

impl core::error::Error for OtlpWriteError {}
