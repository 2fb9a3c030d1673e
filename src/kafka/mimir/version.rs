//! Versions of records, which a header tells.
//!
//! ```text
//! header Version   4 bytes, big endian; without it 0
//! ```

use core::fmt;
use core::str::Utf8Error;

use crate::kafka::record::Header;
use crate::wire::error::DecodeError;

/// The name of the header.
const VERSION: &str = "Version";

/// What a record of Mimir holds.
///
/// ```
/// use borrowire::kafka::{Header, MimirVersion};
///
/// assert_eq!(MimirVersion::from_headers([])?, MimirVersion::V0);
/// let headers = [Header { key: "Version", value: &[0, 0, 0, 1] }];
/// assert_eq!(MimirVersion::from_headers(headers)?, MimirVersion::V1);
/// # Ok::<(), borrowire::kafka::ReadError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum MimirVersion {
    /// A request of remote write 1.0, with Mimir's fields, and no header.
    V0,
    /// The same, with the header.
    V1,
    /// A request in a form of remote write 2.0, whose first 64 symbols are those that all records
    /// share: [`Format::MimirRecord`](crate::remote_write::v2::Format::MimirRecord).
    V2,
}

impl MimirVersion {
    /// The headers of a record.
    #[must_use]
    pub const fn headers(self) -> &'static [Header<'static>] {
        const V1: [Header<'static>; 1] = [Header { key: VERSION, value: &[0, 0, 0, 1] }];
        const V2: [Header<'static>; 1] = [Header { key: VERSION, value: &[0, 0, 0, 2] }];
        match self {
            Self::V0 => &[],
            Self::V1 => &V1,
            Self::V2 => &V2,
        }
    }

    /// The version of a record with these headers. The first header of the name counts, and of its
    /// value the first four bytes.
    ///
    /// # Errors
    ///
    /// If the header is shorter, or says a version that is not known.
    pub fn from_headers<'h>(
        headers: impl IntoIterator<Item = Header<'h>>,
    ) -> Result<Self, ReadError> {
        let Some(header) = headers.into_iter().find(|header| header.key == VERSION) else {
            return Ok(Self::V0);
        };
        let Some(bytes) = header.value.first_chunk() else {
            return Err(ReadError::ShortVersion { len: header.value.len() });
        };
        match u32::from_be_bytes(*bytes) {
            0 => Ok(Self::V0),
            1 => Ok(Self::V1),
            2 => Ok(Self::V2),
            version => Err(ReadError::UnknownVersion { version }),
        }
    }
}

/// A record cannot be read.
///
/// ```
/// use borrowire::kafka::{Header, MimirVersion};
///
/// let error = |value| MimirVersion::from_headers([Header { key: "Version", value }]).unwrap_err();
/// assert_eq!(error(&[0, 1]).to_string(), "header Version has 2 bytes of 4");
/// assert_eq!(error(&[0, 0, 1, 0]).to_string(), "records of version 256 are not known");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadError {
    /// The key, which is the tenant, is not UTF-8.
    Key(Utf8Error),
    /// The header that tells the version has less than four bytes.
    ShortVersion {
        /// How many it has.
        len: usize,
    },
    /// The header tells a version that is not known.
    UnknownVersion {
        /// The version.
        version: u32,
    },
    /// The value cannot be decoded.
    Value(DecodeError),
}

impl From<DecodeError> for ReadError {
    fn from(error: DecodeError) -> Self {
        Self::Value(error)
    }
}

impl From<Utf8Error> for ReadError {
    fn from(error: Utf8Error) -> Self {
        Self::Key(error)
    }
}

impl fmt::Display for ReadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Key(_) => f.write_str("the key is not UTF-8"),
            Self::ShortVersion { len } => write!(f, "header {VERSION} has {len} bytes of 4"),
            Self::UnknownVersion { version } => {
                write!(f, "records of version {version} are not known")
            }
            Self::Value(error) => write!(f, "value: {error}"),
        }
    }
}

impl core::error::Error for ReadError {
    fn source(&self) -> Option<&(dyn core::error::Error + 'static)> {
        match self {
            Self::Key(error) => Some(error),
            _ => None,
        }
    }
}
