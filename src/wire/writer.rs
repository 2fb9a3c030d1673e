//! The writer: fills a slice of the caller from front to back.

use core::fmt;
use core::mem;

use super::len::packed_content_len;
use super::scalar::{Double, Enum, Int32, Int64, Scalar, Sint32, Sint64, Uint32, Uint64};
use super::tag::Tag;
use super::varint::varint_len;
use super::work::count;
use crate::wire::error::MAX_MESSAGE_BYTES;
use crate::wire::message::Encode;

/// The slice has no room for the next piece.
///
/// ```
/// use borrowire::wire::{BufferFull, Tag, WireType, Writer};
///
/// let mut out = [0; 4];
/// let mut writer = Writer::new(&mut out);
/// assert_eq!(writer.write_string(Tag::new(1, WireType::Len), "text"), Err(BufferFull));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferFull;

impl fmt::Display for BufferFull {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("buffer full")
    }
}

impl core::error::Error for BufferFull {}

/// Writes fields to the front of a slice, one behind the other.
///
/// Each `write_` method takes the field's tag; write fields in number order, and leave proto3
/// defaults out, so that equal messages give equal bytes. A piece that does not fit is
/// [`BufferFull`], never written in part behind the slice.
///
/// ```
/// use borrowire::wire::{Reader, Tag, WireType, Writer};
///
/// const NAME: Tag = Tag::new(1, WireType::Len);
///
/// let mut out = [0; 64];
/// let mut writer = Writer::new(&mut out);
/// writer.write_string(NAME, "job")?;
/// let len = writer.written();
///
/// let mut reader = Reader::new(&out[..len])?;
/// assert_eq!(reader.next_tag()?, Some(NAME));
/// assert_eq!(reader.read_string()?, "job");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Writer<'o> {
    rest: &'o mut [u8],
    capacity: usize,
}

impl<'o> Writer<'o> {
    /// A writer that starts at the front of `out`.
    #[must_use]
    pub const fn new(out: &'o mut [u8]) -> Self {
        let capacity = out.len();
        Self { rest: out, capacity }
    }

    /// This writer as a local variable, which a loop keeps in registers if it hands out no
    /// reference to it; to be put back in the end.
    #[inline]
    pub(crate) fn take_over(&mut self) -> Self {
        Self { rest: mem::take(&mut self.rest), capacity: self.capacity }
    }

    /// How many bytes are written so far.
    #[must_use]
    pub const fn written(&self) -> usize {
        self.capacity.saturating_sub(self.rest.len())
    }

    /// How many more bytes there is room for.
    #[must_use]
    pub const fn remaining(&self) -> usize {
        self.rest.len()
    }

    /// Takes the next `len` bytes of the slice, to be filled in place.
    ///
    /// # Errors
    ///
    /// `BufferFull` if there are fewer.
    #[inline]
    pub fn take(&mut self, len: usize) -> Result<&'o mut [u8], BufferFull> {
        count(len);
        // Splitting the shortened slice off would need it back on failure, hence the test first.
        if len > self.rest.len() {
            return Err(BufferFull);
        }
        let (slot, rest) = mem::take(&mut self.rest).split_at_mut(len);
        self.rest = rest;
        Ok(slot)
    }

    /// Takes the next `N` bytes of the slice, to be filled in place.
    #[inline]
    pub(crate) fn take_array<const N: usize>(&mut self) -> Result<&'o mut [u8; N], BufferFull> {
        match mem::take(&mut self.rest).split_first_chunk_mut::<N>() {
            Some((slot, rest)) => {
                self.rest = rest;
                Ok(slot)
            }
            None => Err(BufferFull),
        }
    }

    /// Bytes as they are: a record copied from elsewhere.
    ///
    /// # Errors
    ///
    /// `BufferFull` if they do not fit.
    #[inline]
    pub fn write_raw(&mut self, bytes: &[u8]) -> Result<(), BufferFull> {
        self.take(bytes.len())?.copy_from_slice(bytes);
        Ok(())
    }

    /// A bare varint.
    ///
    /// # Errors
    ///
    /// `BufferFull` if it does not fit.
    #[inline]
    pub fn write_varint(&mut self, value: u64) -> Result<(), BufferFull> {
        let mut value = value;
        while value >= 0x80 {
            *self.take_array::<1>()? = [low_byte(value) | 0x80];
            value >>= 7;
        }
        *self.take_array::<1>()? = [low_byte(value)];
        Ok(())
    }

    /// A bare tag.
    ///
    /// # Errors
    ///
    /// `BufferFull` if it does not fit.
    #[inline]
    pub fn write_tag(&mut self, tag: Tag) -> Result<(), BufferFull> {
        self.write_varint(u64::from(tag.value()))
    }

    /// The tag and length of a length-delimited field, whose content of `len` bytes follows.
    ///
    /// # Errors
    ///
    /// `BufferFull` if they do not fit.
    #[inline]
    pub fn write_len(&mut self, tag: Tag, len: usize) -> Result<(), BufferFull> {
        let (number, len) = (u64::from(tag.value()), u64::try_from(len).unwrap_or(u64::MAX));
        // Nearly all fields: a tag of one byte, a length of one or two.
        if number < 0x80 && len < 0x80 {
            *self.take_array()? = [low_byte(number), low_byte(len)];
            return Ok(());
        }
        if number < 0x80 && len < 0x4000 {
            *self.take_array()? = [low_byte(number), low_byte(len) | 0x80, low_byte(len >> 7)];
            return Ok(());
        }
        self.write_varint(number)?;
        self.write_varint(len)
    }

    /// A `bytes` field.
    ///
    /// # Errors
    ///
    /// `BufferFull` if it does not fit.
    #[inline]
    pub fn write_bytes(&mut self, tag: Tag, value: &[u8]) -> Result<(), BufferFull> {
        self.write_len(tag, value.len())?;
        self.write_raw(value)
    }

    /// A `string` field.
    ///
    /// # Errors
    ///
    /// `BufferFull` if it does not fit.
    #[inline]
    pub fn write_string(&mut self, tag: Tag, value: &str) -> Result<(), BufferFull> {
        self.write_bytes(tag, value.as_bytes())
    }

    /// A message field.
    ///
    /// # Errors
    ///
    /// `BufferFull` if it does not fit.
    #[inline]
    pub fn write_message(&mut self, tag: Tag, message: &impl Encode) -> Result<(), BufferFull> {
        self.write_len(tag, message.encoded_len())?;
        message.write_to(self)
    }

    /// The tag of a message field whose content takes `at_least` to `at_most` bytes, and room for
    /// its length, which is known once the content is written: see
    /// [`end_message`](Self::end_message). `None`, and nothing written, unless all these lengths
    /// take the same number of bytes.
    #[inline]
    pub(crate) fn begin_message(
        &mut self,
        tag: Tag,
        at_least: usize,
        at_most: usize,
    ) -> Result<Option<OpenMessage<'o>>, BufferFull> {
        let width = |len: usize| varint_len(u64::try_from(len).unwrap_or(u64::MAX));
        if width(at_least) != width(at_most) || at_most > MAX_MESSAGE_BYTES {
            return Ok(None);
        }
        self.write_tag(tag)?;
        let length = self.take(width(at_least))?;
        Ok(Some(OpenMessage { length, start: self.written() }))
    }

    /// Fills in the length of the message that was written since
    /// [`begin_message`](Self::begin_message).
    #[inline]
    pub(crate) fn end_message(&self, message: OpenMessage<'o>) {
        let len = self.written().saturating_sub(message.start);
        debug_assert_eq!(
            u64::try_from(len).map(varint_len),
            Ok(message.length.len()),
            "the bounds were wrong"
        );
        put_length(message.length, len);
    }

    /// A message field whose content `write` writes. The length in front of it is filled in at the
    /// end, in as many bytes as `width` says; where that was wrong the content is moved, and `width`
    /// says what was right: for the next message of its kind, which mostly takes the same.
    ///
    /// With too large a width the content may not fit where it would otherwise.
    #[inline]
    pub(crate) fn write_nested(
        &mut self,
        tag: Tag,
        width: &mut usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) -> Result<(), BufferFull> {
        self.write_tag(tag)?;
        let all = mem::take(&mut self.rest);
        let (_, room) = all.split_at_mut_checked(*width).ok_or(BufferFull)?;
        let mut content = Writer::new(room);
        write(&mut content)?;
        let len = content.written();
        let needed = varint_len(u64::try_from(len).unwrap_or(u64::MAX));
        if needed != *width {
            if needed.saturating_add(len) > all.len() {
                return Err(BufferFull);
            }
            all.copy_within(*width..width.saturating_add(len), needed);
            *width = needed;
        }
        let (length, rest) = all.split_at_mut_checked(needed).ok_or(BufferFull)?;
        put_length(length, len);
        let (_, rest) = rest.split_at_mut_checked(len).ok_or(BufferFull)?;
        self.rest = rest;
        Ok(())
    }

    /// Writes to the same place as this writer, which stands behind that only if `write` succeeds.
    #[inline]
    pub(crate) fn attempt(
        &mut self,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) -> Result<(), BufferFull> {
        let mut attempt = Writer::new(self.rest);
        write(&mut attempt)?;
        let written = attempt.written();
        self.take(written).map(drop)
    }

    /// A packed repeated field; nothing for an empty list.
    ///
    /// # Errors
    ///
    /// `BufferFull` if it does not fit.
    pub fn write_packed<S: Scalar>(
        &mut self,
        tag: Tag,
        values: &[S::Value],
    ) -> Result<(), BufferFull> {
        if values.is_empty() {
            return Ok(());
        }
        self.write_len(tag, packed_content_len::<S>(values))?;
        values.iter().try_for_each(|&value| S::write(self, value))
    }
}

/// Fills `length` with the varint of `len`, which takes all of it.
#[inline]
fn put_length(length: &mut [u8], len: usize) {
    let mut left = len;
    if let Some((last, front)) = length.split_last_mut() {
        for byte in front {
            *byte = low_byte_of(left) | 0x80;
            left >>= 7;
        }
        *last = low_byte_of(left);
    }
}

/// The length of a message that is being written: where it belongs, and where the content began.
pub(crate) struct OpenMessage<'o> {
    length: &'o mut [u8],
    start: usize,
}

/// The low eight bits.
#[inline]
#[allow(clippy::as_conversions)]
pub(crate) const fn low_byte_of(len: usize) -> u8 {
    len as u8
}

/// The low eight bits.
#[inline]
#[allow(clippy::as_conversions)]
pub(crate) const fn low_byte(value: u64) -> u8 {
    value as u8
}

/// One method a scalar type: tag, then value.
macro_rules! write_scalars {
    ($($method:ident, $scalar:ty, $value:ty, $proto:literal;)*) => {
        impl Writer<'_> {$(
            #[doc = concat!("A `", $proto, "` field.")]
            ///
            /// # Errors
            ///
            /// `BufferFull` if it does not fit.
            #[inline]
            pub fn $method(&mut self, tag: Tag, value: $value) -> Result<(), BufferFull> {
                self.write_tag(tag)?;
                <$scalar>::write(self, value)
            }
        )*}
    };
}

write_scalars! {
    write_bool, super::scalar::Bool, bool, "bool";
    write_double, Double, f64, "double";
    write_enum, Enum, i32, "enum";
    write_fixed32, super::scalar::Fixed32, u32, "fixed32";
    write_fixed64, super::scalar::Fixed64, u64, "fixed64";
    write_float, super::scalar::Float, f32, "float";
    write_int32, Int32, i32, "int32";
    write_int64, Int64, i64, "int64";
    write_sfixed32, super::scalar::Sfixed32, i32, "sfixed32";
    write_sfixed64, super::scalar::Sfixed64, i64, "sfixed64";
    write_sint32, Sint32, i32, "sint32";
    write_sint64, Sint64, i64, "sint64";
    write_uint32, Uint32, u32, "uint32";
    write_uint64, Uint64, u64, "uint64";
}
