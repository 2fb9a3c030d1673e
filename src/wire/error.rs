//! What can go wrong: [`DecodeError`] while reading, [`EncodeError`] while writing.
//!
//! Both are small `Copy` values that never hold or print input bytes.

use core::fmt;

use super::tag::Tag;

/// The largest protobuf message, in bytes: 2 GiB - 1, the limit of the official runtimes.
pub(crate) const MAX_MESSAGE_BYTES: usize = 0x7fff_ffff;

/// What is wrong with the input.
///
/// ```
/// use borrowire::{DecodeErrorKind, remote_write::v1::WriteRequest};
///
/// let error = WriteRequest::decode(b"no protobuf").unwrap_err();
/// assert_eq!(error.kind(), DecodeErrorKind::InvalidWireType);
/// assert_eq!(error.kind().as_str(), "invalid wire type");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DecodeErrorKind {
    /// Messages are nested more than 250 deep, or unknown groups more than 100.
    DepthLimit,
    /// The request stands for more text than [`Limits`](crate::Limits) allow: few bytes can name a
    /// long symbol many times.
    ExpansionTooLarge,
    /// An end-group tag without its start, or with another field number than its start.
    GroupMismatch,
    /// A trace id or span id of another length than it has: 16 or 8 bytes, or none.
    InvalidId,
    /// A packed block of fixed-size elements whose length is not a multiple of their size.
    InvalidLength,
    /// A tag with field number 0, over five bytes, or over 32 bits.
    InvalidTag,
    /// A `string` field that is not UTF-8.
    InvalidUtf8,
    /// Wire type 6 or 7.
    InvalidWireType,
    /// More elements than [`Limits`](crate::Limits) allow.
    LimitExceeded,
    /// The message is longer than [`Limits`](crate::Limits) allow, or than 2 GiB - 1.
    MessageTooLarge,
    /// A label's name without a value: an odd number of references to symbols.
    OddRefs,
    /// No record of the version that the body was decoded as, but records of the protocol's other
    /// version: the sender says the one and sends the other, or the receiver did not look.
    OtherVersion,
    /// A reference to a symbol that the request does not have.
    RefOutOfRange,
    /// The input, or the message around the field, ends inside the field.
    Truncated,
    /// A field that is not known, or known with another wire type, where the decode options deny such.
    UnknownField,
    /// A varint of more than ten bytes, or whose tenth byte is over 1.
    VarintOverflow,
}

impl DecodeErrorKind {
    /// A fixed, lower-case description, for logs and metric labels.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::DepthLimit => "nesting too deep",
            Self::ExpansionTooLarge => "stands for too much text",
            Self::GroupMismatch => "mismatched end of group",
            Self::InvalidId => "id of a wrong length",
            Self::InvalidLength => "packed length is no multiple of the element size",
            Self::InvalidTag => "invalid tag",
            Self::InvalidUtf8 => "invalid UTF-8",
            Self::InvalidWireType => "invalid wire type",
            Self::LimitExceeded => "too many elements",
            Self::MessageTooLarge => "message too large",
            Self::OddRefs => "odd number of label references",
            Self::OtherVersion => "request of the protocol's other version",
            Self::RefOutOfRange => "symbol reference out of range",
            Self::Truncated => "truncated value",
            Self::UnknownField => "unknown field",
            Self::VarintOverflow => "varint overflow",
        }
    }
}

impl fmt::Display for DecodeErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Why input was refused, and where: kind, field number and byte offset.
///
/// ```
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::{DecodeErrorKind, Encode};
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("job", "node")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// let error = WriteRequest::decode(&body[..body.len() - 1]).unwrap_err(); // cut short
/// assert_eq!(error.kind(), DecodeErrorKind::Truncated);
/// assert_eq!((error.field_number(), error.offset()), (1, 1));
/// assert_eq!(error.to_string(), "truncated value at byte 1 (field 1)");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DecodeError {
    offset: u32,
    field_number: u16,
    kind: DecodeErrorKind,
}

// A small error keeps `Result<&[u8], DecodeError>` in two registers.
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<DecodeError>() == 8);
#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<Result<&[u8], DecodeError>>() == 16);

impl DecodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(kind: DecodeErrorKind, field_number: u16, offset: u32) -> Self {
        Self { offset, field_number, kind }
    }

    /// An error of `kind` in field `tag`, at `offset`.
    #[cold]
    #[inline(never)]
    pub(crate) fn in_field(kind: DecodeErrorKind, tag: Tag, offset: u32) -> Self {
        Self::new(kind, u16::try_from(tag.field_number()).unwrap_or(u16::MAX), offset)
    }

    /// What is wrong.
    #[must_use]
    pub const fn kind(&self) -> DecodeErrorKind {
        self.kind
    }

    /// The number of the field that was being read, in the message where the fault lies; 0 between
    /// fields, 65535 also stands for every larger number.
    #[must_use]
    pub const fn field_number(&self) -> u32 {
        // Lossless: `u32::from` is not const.
        #[allow(clippy::as_conversions)]
        {
            self.field_number as u32
        }
    }

    /// The HTTP status of the answer: 413 where a limit was hit, else 400.
    #[must_use]
    pub const fn status(&self) -> u16 {
        match self.kind {
            DecodeErrorKind::ExpansionTooLarge
            | DecodeErrorKind::LimitExceeded
            | DecodeErrorKind::MessageTooLarge => 413,
            _ => 400,
        }
    }

    /// Where the piece begins that could not be read, in bytes from the start of the body that
    /// was handed in; at most its length. For [`InvalidUtf8`](DecodeErrorKind::InvalidUtf8) it is
    /// the first byte that is not UTF-8; for [`UnknownField`](DecodeErrorKind::UnknownField) of the
    /// field's tag.
    #[must_use]
    pub const fn offset(&self) -> usize {
        // Lossless wherever a 4 GiB body fits in memory.
        #[allow(clippy::as_conversions)]
        {
            self.offset as usize
        }
    }
}

impl fmt::Display for DecodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.kind, self.offset)?;
        if self.field_number != 0 {
            write!(f, " (field {})", self.field_number)?;
        }
        Ok(())
    }
}

impl core::error::Error for DecodeError {}

#[cfg(feature = "std")]
impl From<DecodeError> for std::io::Error {
    fn from(error: DecodeError) -> Self {
        Self::new(std::io::ErrorKind::InvalidData, error)
    }
}

/// Why a message was not written.
///
/// ```
/// use borrowire::{Encode, EncodeErrorKind, remote_write::Label};
///
/// let error = Label::new("job", "node").encode(&mut [0; 4]).unwrap_err();
/// assert_eq!(error.kind(), EncodeErrorKind::BufferTooSmall);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EncodeErrorKind {
    /// The slice is shorter than the message.
    BufferTooSmall,
    /// The message would be over 2 GiB - 1, which no protobuf reader accepts.
    MessageTooLarge,
}

/// The message does not fit: into the slice, or into what protobuf allows.
///
/// After an error the slice's content is unspecified; nothing outside it was touched.
///
/// ```
/// use borrowire::{Encode, remote_write::Label};
///
/// let error = Label::new("job", "node").encode(&mut [0; 4]).unwrap_err();
/// assert_eq!((error.needed(), error.capacity()), (11, 4));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct EncodeError {
    needed: usize,
    capacity: usize,
}

impl EncodeError {
    #[cold]
    #[inline(never)]
    pub(crate) fn new(needed: usize, capacity: usize) -> Self {
        Self { needed, capacity }
    }

    /// Whether the slice or protobuf's limit is too small.
    #[must_use]
    pub const fn kind(&self) -> EncodeErrorKind {
        if self.needed > MAX_MESSAGE_BYTES {
            EncodeErrorKind::MessageTooLarge
        } else {
            EncodeErrorKind::BufferTooSmall
        }
    }

    /// How many bytes the message takes.
    #[must_use]
    pub const fn needed(&self) -> usize {
        self.needed
    }

    /// How many bytes there were to write to.
    #[must_use]
    pub const fn capacity(&self) -> usize {
        self.capacity
    }
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind() {
            EncodeErrorKind::BufferTooSmall => write!(
                f,
                "buffer too small: the message takes {} bytes, the buffer has {}",
                self.needed, self.capacity
            ),
            EncodeErrorKind::MessageTooLarge => write!(
                f,
                "message too large: {} bytes, protobuf allows {MAX_MESSAGE_BYTES}",
                self.needed
            ),
        }
    }
}

impl core::error::Error for EncodeError {}

#[cfg(feature = "std")]
impl From<EncodeError> for std::io::Error {
    fn from(error: EncodeError) -> Self {
        Self::new(std::io::ErrorKind::InvalidInput, error)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::ToString;

    #[test]
    fn decode_error_reads_as_one_line() {
        let error = DecodeError::new(DecodeErrorKind::InvalidUtf8, 2, 31);
        assert_eq!(error.to_string(), "invalid UTF-8 at byte 31 (field 2)");
        assert_eq!(error.status(), 400);
        let error = DecodeError::new(DecodeErrorKind::InvalidTag, 0, 0);
        assert_eq!(error.to_string(), "invalid tag at byte 0");
        assert_eq!(DecodeError::new(DecodeErrorKind::LimitExceeded, 1, 0).status(), 413);
    }

    #[test]
    fn encode_error_tells_which_limit() {
        let small = EncodeError::new(10, 9);
        assert_eq!(small.kind(), EncodeErrorKind::BufferTooSmall);
        assert_eq!(
            small.to_string(),
            "buffer too small: the message takes 10 bytes, the buffer has 9"
        );
        let large = EncodeError::new(MAX_MESSAGE_BYTES + 1, usize::MAX);
        assert_eq!(large.kind(), EncodeErrorKind::MessageTooLarge);
        assert_eq!(
            large.to_string(),
            "message too large: 2147483648 bytes, protobuf allows 2147483647"
        );
    }
}
