//! Reading records.

use core::fmt;
use core::str;

use super::version::{MimirVersion, ReadError};
use crate::kafka::record::Header;
use crate::remote_write::TimeSeriesList;
use crate::remote_write::v1::{self, WriteRequest};
use crate::remote_write::v2::{self, Format, Request};
use crate::reuse::{Decoded, Decoder};

/// Reads records of Mimir, of any version, into storage that is used again.
///
/// ```
/// use borrowire::kafka::{MimirReader, MimirRequest, MimirVersion, MimirWriter};
/// use borrowire::remote_write::v1::WriteRequest;
///
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("__name__", "up")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// # let request = WriteRequest::decode(&body)?;
/// # let (mut writer, mut memory) = (MimirWriter::new(MimirVersion::V2), Vec::new());
/// # let records = writer.encode("tenant", &request, &mut memory)?;
/// let mut reader = MimirReader::new(); // used again
/// for consumed in records {
///     let headers = consumed.headers.iter().copied();
///     let record = reader.read(consumed.key, headers, consumed.value)?;
///     assert_eq!((record.tenant, record.version), ("tenant", MimirVersion::V2));
///     for series in record.timeseries() {
///         assert_eq!(series.metric_name(), Some("up"));
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct MimirReader {
    v1: Decoder<WriteRequest<'static>>,
    v2: Decoder<Request<'static>>,
}

impl Default for MimirReader {
    fn default() -> Self {
        Self::new()
    }
}

impl MimirReader {
    /// A reader with the default options, and no storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::with_options(v1::DecodeOptions::new(), v2::DecodeOptions::new())
    }

    /// A reader that decodes versions 0 and 1 with `v1`, and version 2 with `v2`, in whatever
    /// format.
    #[must_use]
    pub fn with_options(v1: v1::DecodeOptions, v2: v2::DecodeOptions) -> Self {
        Self {
            v1: Decoder::new().with_options(v1),
            v2: Decoder::new().with_options(v2.with_format(Format::MimirRecord)),
        }
    }

    /// Reads a record. What Kafka calls null is empty.
    ///
    /// # Errors
    ///
    /// If the key is no text, the version is not known, or the value is no request. Mimir passes
    /// such records over.
    pub fn read<'d, 'a, 'h>(
        &'d mut self,
        key: &'a [u8],
        headers: impl IntoIterator<Item = Header<'h>>,
        value: &'a [u8],
    ) -> Result<MimirRecord<'d, 'a>, ReadError> {
        let tenant = str::from_utf8(key)?;
        let version = MimirVersion::from_headers(headers)?;
        let request = match version {
            MimirVersion::V0 | MimirVersion::V1 => MimirRequest::V1(self.v1.decode(value)?),
            MimirVersion::V2 => MimirRequest::V2(self.v2.decode(value)?),
        };
        Ok(MimirRecord { tenant, version, request })
    }
}

impl fmt::Debug for MimirReader {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MimirReader").finish_non_exhaustive()
    }
}

/// A record that was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct MimirRecord<'d, 'a> {
    /// The tenant: the record's key, which Mimir's consumer trusts.
    pub tenant: &'a str,
    /// The version.
    pub version: MimirVersion,
    /// The value.
    pub request: MimirRequest<'d, 'a>,
}

/// The request in a record.
#[derive(Debug)]
#[non_exhaustive]
pub enum MimirRequest<'d, 'a> {
    /// Of versions 0 and 1.
    V1(Decoded<'d, 'a, WriteRequest<'static>>),
    /// Of version 2. [`ToV1`](crate::convert::remote_write::ToV1) takes out the series that only
    /// carry metadata.
    V2(Decoded<'d, 'a, Request<'static>>),
}

impl<'a> MimirRecord<'_, 'a> {
    /// The series, in wire order.
    #[must_use]
    pub fn timeseries(&self) -> TimeSeriesList<'_, 'a> {
        match &self.request {
            MimirRequest::V1(request) => request.timeseries(),
            MimirRequest::V2(request) => request.timeseries(),
        }
    }
}
