//! [`Encode`], which all that goes out implements, and [`Decode`], for messages without lists.

use alloc::string::String;
use alloc::vec::Vec;

use bytes::{Bytes, BytesMut};

use crate::wire::error::{DecodeError, EncodeError, MAX_MESSAGE_BYTES};
use crate::wire::{BufferFull, Reader, Writer, impossible};

/// A message without nested lists, read in place from the input that it borrows.
///
/// Decoding is merging into a value, because protobuf says that a message field which occurs
/// twice is merged: of each scalar the last one wins, repeated fields append.
/// Messages with nested lists keep them in shared storage instead of implementing this trait:
/// see [`WriteRequest`](crate::remote_write::v1::WriteRequest).
///
/// ```
/// use borrowire::{Decode, Encode, remote_write::Label};
///
/// let bytes = Label::new("job", "node").encode_to_vec()?;
/// let label = Label::decode(&bytes)?;
/// assert_eq!((label.name, label.value), ("job", "node"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Decode<'a>: Default {
    /// Reads all fields up to the end of `reader` into `self`.
    ///
    /// # Errors
    ///
    /// The first fault in the input, with its place.
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError>;

    /// Reads a message that takes the whole of `body`.
    ///
    /// # Errors
    ///
    /// The first fault in the input, with its place.
    fn decode(body: &'a [u8]) -> Result<Self, DecodeError> {
        let mut message = Self::default();
        message.merge(&mut Reader::new(body)?)?;
        Ok(message)
    }
}

/// A message that can tell its exact length and write itself into memory of the caller.
///
/// ```
/// use borrowire::{Encode, remote_write::Label};
///
/// let label = Label::new("job", "node");
/// let mut buffer = [0; 64];
/// let written = label.encode(&mut buffer)?;
/// assert_eq!(written, label.encoded_len());
/// # Ok::<(), borrowire::EncodeError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no message",
    note = "a decoded request is written by its `encoder()`, if it is no message itself",
    note = "what a decoder or a pool returns is a guard around the request: give `&*request`",
    note = "a series or exemplar alone is no message, as versions write it differently: \
            `v1::Message(series)` is one"
)]
pub trait Encode {
    /// How many bytes the message takes; saturates at `usize::MAX`.
    fn encoded_len(&self) -> usize;

    /// The written form, where it lies in memory already; by default it does not.
    ///
    /// ```
    /// use borrowire::{Encode, remote_write::Label};
    ///
    /// assert_eq!(b"bytes".as_encoded(), Some(&b"bytes"[..]));
    /// assert_eq!(Label::new("job", "node").as_encoded(), None);
    /// ```
    #[inline]
    fn as_encoded(&self) -> Option<&[u8]> {
        None
    }

    /// Writes the message's fields to `writer`, exactly [`encoded_len`](Self::encoded_len) bytes.
    ///
    /// This is the method to implement; [`encode`](Self::encode) is the one to call.
    ///
    /// # Errors
    ///
    /// `BufferFull` when the writer has no room left.
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull>;

    /// Writes the message to the front of `out`, which may be longer, and returns its length.
    /// Bytes of `out` behind that are not touched.
    ///
    /// # Errors
    ///
    /// If `out` is shorter than the message, or the message is over 2 GiB - 1. The content of
    /// `out` is then unspecified.
    fn encode(&self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let capacity = out.len();
        // A shorter slice cannot take a message that is too large: no need to measure first.
        if capacity > MAX_MESSAGE_BYTES {
            let needed = self.encoded_len();
            if needed > MAX_MESSAGE_BYTES {
                return Err(EncodeError::new(needed, capacity));
            }
        }
        let mut writer = Writer::new(out);
        match self.write_to(&mut writer) {
            Ok(()) => Ok(writer.written()),
            Err(BufferFull) => Err(EncodeError::new(self.encoded_len(), capacity)),
        }
    }

    /// The message in a new `Vec`, allocated once.
    ///
    /// # Errors
    ///
    /// If the message is over 2 GiB - 1.
    fn encode_to_vec(&self) -> Result<Vec<u8>, EncodeError> {
        let mut out = Vec::new();
        self.append_to_vec(&mut out)?;
        Ok(out)
    }

    /// Appends the message to `out` and returns its length. `out` grows at most once.
    ///
    /// # Errors
    ///
    /// If the message is over 2 GiB - 1; `out` is then as it was.
    fn append_to_vec(&self, out: &mut Vec<u8>) -> Result<usize, EncodeError> {
        let start = out.len();
        let needed = checked_len(self, out.capacity().saturating_sub(start))?;
        out.resize(start.saturating_add(needed), 0);
        let result = self.encode(out.get_mut(start..).unwrap_or_else(impossible));
        if result.is_err() {
            out.truncate(start);
        }
        result
    }

    /// Appends the message to `out` and returns its length. `out` grows at most once.
    ///
    /// # Errors
    ///
    /// If the message is over 2 GiB - 1; `out` is then as it was.
    fn append_to_bytes(&self, out: &mut BytesMut) -> Result<usize, EncodeError> {
        let start = out.len();
        let needed = checked_len(self, out.capacity().saturating_sub(start))?;
        out.resize(start.saturating_add(needed), 0);
        let result = self.encode(out.get_mut(start..).unwrap_or_else(impossible));
        if result.is_err() {
            out.truncate(start);
        }
        result
    }
}

/// The length of a message that protobuf allows.
pub(crate) fn checked_len<M: Encode + ?Sized>(
    message: &M,
    capacity: usize,
) -> Result<usize, EncodeError> {
    let needed = message.encoded_len();
    if needed > MAX_MESSAGE_BYTES {
        return Err(EncodeError::new(needed, capacity));
    }
    Ok(needed)
}

impl<M: Encode + ?Sized> Encode for &M {
    fn encoded_len(&self) -> usize {
        (**self).encoded_len()
    }

    #[inline]
    fn as_encoded(&self) -> Option<&[u8]> {
        (**self).as_encoded()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        (**self).write_to(writer)
    }
}

/// Bytes and text, as they are.
macro_rules! encode_as_is {
    ($($what:tt)*) => {
        impl $($what)* {
            #[inline]
            fn encoded_len(&self) -> usize {
                self.len()
            }

            #[inline]
            fn as_encoded(&self) -> Option<&[u8]> {
                Some(self.as_ref())
            }

            #[inline]
            fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
                writer.write_raw(self.as_ref())
            }
        }
    };
}

encode_as_is!(Encode for [u8]);
encode_as_is!(<const N: usize> Encode for [u8; N]);
encode_as_is!(Encode for Vec<u8>);
encode_as_is!(Encode for Bytes);
encode_as_is!(Encode for BytesMut);
encode_as_is!(Encode for str);
encode_as_is!(Encode for String);
