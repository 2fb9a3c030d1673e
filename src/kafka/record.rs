//! Records: what a client hands to Kafka, and gets from it.

use core::ops::Range;

/// The longest value that Grafana's databases put into a record unless told otherwise: 16,000,000
/// bytes of a batch, less 16 KiB for the rest of it.
pub const MAX_VALUE_BYTES: usize = 16_000_000 - 16_384;

/// A header of a record.
///
/// ```
/// use borrowire::kafka::{Header, MimirVersion};
///
/// assert_eq!(MimirVersion::V2.headers(), [Header { key: "Version", value: &[0, 0, 0, 2] }]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[allow(clippy::exhaustive_structs, reason = "Kafka's headers have nothing else")]
pub struct Header<'a> {
    /// Its name; Kafka allows a name more than once.
    pub key: &'a str,
    /// Its value; what Kafka calls null is empty.
    pub value: &'a [u8],
}

/// A record that is ready to be produced, or was consumed.
#[derive(Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Record<'a> {
    /// The partition that the caller has chosen for it; 0 if none was.
    pub partition: u32,
    /// The tenant.
    pub key: &'a [u8],
    /// The headers.
    pub headers: &'a [Header<'a>],
    /// The request or stream, as protobuf.
    pub value: &'a [u8],
}

/// Shows lengths, not content.
impl core::fmt::Debug for Record<'_> {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        f.debug_struct("Record")
            .field("partition", &self.partition)
            .field("key_len", &self.key.len())
            .field("headers", &self.headers.len())
            .field("value_len", &self.value.len())
            .finish()
    }
}

/// Where the value of a record lies.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) partition: u32,
    pub(super) value: Range<usize>,
}

/// The records of a request, by partition: their values lie one behind the other in the memory that
/// they were written to.
///
/// ```
/// use borrowire::kafka::{MimirVersion, MimirWriter};
/// use borrowire::remote_write::v1::WriteRequest;
///
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("__name__", "up")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels); 3]).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?; // of three series
/// let (mut writer, mut memory) = (MimirWriter::new(MimirVersion::V1), Vec::new());
/// let records = writer.prepare(&request).encode_by_position("tenant", &mut memory, |at| {
///     at as u32 % 2 // the partition of each record
/// })?;
/// assert_eq!((records.len(), records.values()), (2, &body[..]));
/// assert_eq!(records.iter().map(|record| record.partition).collect::<Vec<_>>(), [0, 1]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Records<'r> {
    pub(super) key: &'r str,
    pub(super) headers: &'r [Header<'r>],
    pub(super) memory: &'r [u8],
    pub(super) places: &'r [Place],
}

impl<'r> Records<'r> {
    /// How many there are.
    #[must_use]
    pub const fn len(&self) -> usize {
        self.places.len()
    }

    /// The record at `index`.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Record<'r>> {
        let Place { partition, value } = self.places.get(index)?;
        Some(Record {
            partition: *partition,
            key: self.key.as_bytes(),
            headers: self.headers,
            value: self.memory.get(value.clone())?,
        })
    }

    /// All values, one behind the other.
    #[must_use]
    pub fn values(&self) -> &'r [u8] {
        let end = self.places.last().map_or(0, |place| place.value.end);
        self.memory.get(..end).unwrap_or_default()
    }
}

crate::message::list::impl_list! {
    /// Iterates over [`Records`].
    Records, RecordsIter, ['r], Record<'r>
}
