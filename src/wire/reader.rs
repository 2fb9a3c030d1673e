//! The bounded reader: a shrinking slice that knows its absolute place.

use super::scalar::Scalar;
use super::tag::{Tag, WireType};
use super::text::{self, utf8};
use super::varint::{split_varint, zigzag_decode32, zigzag_decode64};
use crate::wire::error::{DecodeError, DecodeErrorKind, MAX_MESSAGE_BYTES};
use crate::wire::message::Decode;
use crate::wire::{impossible, to_usize};

/// How deep messages may be nested below the root. The C++ runtime and prost take 100, others any
/// depth; values of OTLP in one another, each of which takes two or three levels, need more.
const MAX_DEPTH: u8 = 250;
/// How deep unknown groups may be nested: as in prost.
const MAX_GROUPS: usize = 100;

/// Reads the fields of one message from a slice, strictly inside its bounds.
///
/// Call [`next_tag`](Self::next_tag), then the one `read_` method that fits the tag, or
/// [`skip_field`](Self::skip_field). What it returns borrows from the input, not from the reader.
/// Offsets in errors count from the start of the outermost message, whatever the nesting.
///
/// After an error the reader's position is unspecified: give up on the message.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::Label;
/// use borrowire::wire::{Reader, Tag, WireType};
///
/// const NAME: Tag = Tag::new(1, WireType::Len); // of a label
///
/// let message = Label::new("job", "node").encode_to_vec()?;
/// let mut reader = Reader::new(&message)?;
/// let mut name = "";
/// while let Some(tag) = reader.next_tag()? {
///     match tag {
///         NAME => name = reader.read_string()?,
///         _ => reader.skip_field(tag)?,
///     }
/// }
/// assert_eq!(name, "job");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Reader<'a> {
    rest: &'a [u8],
    /// Absolute offset of the end of `rest`.
    end: u32,
    /// Number of the field being read, saturated; 0 between fields.
    field_number: u16,
    /// Bytes of the tag that was read last.
    tag_len: u8,
    depth: u8,
}

impl<'a> Reader<'a> {
    /// A reader over a whole message.
    ///
    /// # Errors
    ///
    /// If `message` is over 2 GiB - 1.
    pub fn new(message: &'a [u8]) -> Result<Self, DecodeError> {
        match u32::try_from(message.len()) {
            Ok(end) if message.len() <= MAX_MESSAGE_BYTES => {
                Ok(Self { rest: message, end, field_number: 0, tag_len: 0, depth: 0 })
            }
            _ => Err(DecodeError::new(DecodeErrorKind::MessageTooLarge, 0, 0)),
        }
    }

    /// A reader over a whole message that stands at place `at`, between two fields.
    pub(crate) fn at(message: &'a [u8], at: u32) -> Result<Self, DecodeError> {
        let mut reader = Self::new(message)?;
        reader.rest = message.get(to_usize(at)..).unwrap_or_else(impossible);
        Ok(reader)
    }

    /// Where the reader stands, in bytes from the start of the outermost message.
    #[inline]
    #[must_use]
    pub fn offset(&self) -> usize {
        to_usize(self.offset32())
    }

    /// Whether the message's end is reached.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.rest.is_empty()
    }

    /// The bytes of this message that are still to be read.
    #[inline]
    #[must_use]
    pub const fn rest(&self) -> &'a [u8] {
        self.rest
    }

    #[inline]
    pub(crate) fn offset32(&self) -> u32 {
        // Never over `end`: `rest` ends there.
        self.end.wrapping_sub(u32::try_from(self.rest.len()).unwrap_or(u32::MAX))
    }

    /// Where the message ends, in bytes from the start of the outermost message.
    #[inline]
    pub(crate) const fn end32(&self) -> u32 {
        self.end
    }

    /// Moves to `rest`, a tail of what is still to be read.
    #[inline]
    pub(crate) fn advance_to(&mut self, rest: &'a [u8]) {
        // The same end. The bytes are not compared, which would take quadratic time.
        debug_assert!(rest.is_empty() || self.rest.as_ptr_range().end == rest.as_ptr_range().end);
        self.rest = rest;
    }

    /// An error of `kind` at the current place, in the field whose tag was read last: for a message
    /// that has caps or rules of its own.
    // Inlined, and the call inside takes values: handing out a reference to the reader, even here,
    // would keep it out of registers in every loop.
    #[inline(always)]
    #[must_use]
    pub fn error(&self, kind: DecodeErrorKind) -> DecodeError {
        DecodeError::new(kind, self.field_number, self.offset32())
    }

    /// An error of `kind` at the current place, in field `tag`.
    #[cold]
    pub(crate) fn error_in(&self, tag: Tag, kind: DecodeErrorKind) -> DecodeError {
        let field_number = u16::try_from(tag.field_number()).unwrap_or(u16::MAX);
        DecodeError::new(kind, field_number, self.offset32())
    }

    /// An error of `kind` where the reader stood when `before` was still to be read.
    #[inline(always)]
    pub(crate) fn error_at(&self, before: &[u8], kind: DecodeErrorKind) -> DecodeError {
        let offset = self.end.wrapping_sub(u32::try_from(before.len()).unwrap_or(u32::MAX));
        DecodeError::new(kind, self.field_number, offset)
    }

    /// The next field's tag, or `None` at the end of the message.
    ///
    /// An end-group tag is returned like any other: [`skip_field`](Self::skip_field) refuses it.
    ///
    /// # Errors
    ///
    /// [`InvalidTag`](DecodeErrorKind::InvalidTag) for field number 0 and for tags of over five
    /// bytes or 32 bits (as the C++ runtime; others take them and alias small field numbers),
    /// [`InvalidWireType`](DecodeErrorKind::InvalidWireType) for wire types 6 and 7.
    #[inline]
    pub fn next_tag(&mut self) -> Result<Option<Tag>, DecodeError> {
        match *self.rest {
            [] => Ok(None),
            // Field numbers 1 to 15, wire types 0 to 5.
            [byte @ 0x08..0x80, ref rest @ ..] if byte & 7 < 6 => {
                self.rest = rest;
                self.field_number = u16::from(byte >> 3);
                self.tag_len = 1;
                Ok(Some(Tag::from_wire(u32::from(byte))))
            }
            _ => {
                self.field_number = 0;
                let (tag, rest) = split_long_tag(self.rest).map_err(|kind| self.error(kind))?;
                let tag_len = self.rest.len().saturating_sub(rest.len());
                self.rest = rest;
                self.field_number = u16::try_from(tag.field_number()).unwrap_or(u16::MAX);
                self.tag_len = u8::try_from(tag_len).unwrap_or(u8::MAX);
                Ok(Some(tag))
            }
        }
    }

    /// Any varint, as it stands.
    ///
    /// # Errors
    ///
    /// [`VarintOverflow`](DecodeErrorKind::VarintOverflow) over ten bytes or 64 bits,
    /// [`Truncated`](DecodeErrorKind::Truncated). Forms longer than needed are accepted.
    #[inline]
    pub fn read_varint(&mut self) -> Result<u64, DecodeError> {
        let (value, rest) = split_varint(self.rest).map_err(|kind| self.error(kind))?;
        self.rest = rest;
        Ok(value)
    }

    /// A `uint64`.
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_uint64(&mut self) -> Result<u64, DecodeError> {
        self.read_varint()
    }

    /// A `uint32`: the low 32 bits of the varint, as the official runtimes do.
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_uint32(&mut self) -> Result<u32, DecodeError> {
        // Truncation is what protobuf says.
        #[allow(clippy::as_conversions)]
        self.read_varint().map(|value| value as u32)
    }

    /// An `int64`.
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_int64(&mut self) -> Result<i64, DecodeError> {
        self.read_varint().map(u64::cast_signed)
    }

    /// An `int32`: the low 32 bits of the varint.
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_int32(&mut self) -> Result<i32, DecodeError> {
        self.read_uint32().map(u32::cast_signed)
    }

    /// A `sint64` (zigzag).
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_sint64(&mut self) -> Result<i64, DecodeError> {
        self.read_varint().map(zigzag_decode64)
    }

    /// A `sint32` (zigzag): cut to 32 bits first, then mapped.
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_sint32(&mut self) -> Result<i32, DecodeError> {
        self.read_uint32().map(zigzag_decode32)
    }

    /// A `bool`: true when any of the 64 bits is set.
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_bool(&mut self) -> Result<bool, DecodeError> {
        self.read_varint().map(|value| value != 0)
    }

    /// An enum's number; unknown numbers are kept, as proto3 enums are open.
    ///
    /// # Errors
    ///
    /// Those of [`read_varint`](Self::read_varint).
    #[inline]
    pub fn read_enum(&mut self) -> Result<i32, DecodeError> {
        self.read_int32()
    }

    #[inline]
    fn read_array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let Some((array, rest)) = self.rest.split_first_chunk::<N>() else {
            return Err(self.error(DecodeErrorKind::Truncated));
        };
        self.rest = rest;
        Ok(*array)
    }

    /// A `fixed32`.
    ///
    /// # Errors
    ///
    /// [`Truncated`](DecodeErrorKind::Truncated).
    #[inline]
    pub fn read_fixed32(&mut self) -> Result<u32, DecodeError> {
        self.read_array().map(u32::from_le_bytes)
    }

    /// A `fixed64`.
    ///
    /// # Errors
    ///
    /// [`Truncated`](DecodeErrorKind::Truncated).
    #[inline]
    pub fn read_fixed64(&mut self) -> Result<u64, DecodeError> {
        self.read_array().map(u64::from_le_bytes)
    }

    /// An `sfixed32`.
    ///
    /// # Errors
    ///
    /// [`Truncated`](DecodeErrorKind::Truncated).
    #[inline]
    pub fn read_sfixed32(&mut self) -> Result<i32, DecodeError> {
        self.read_array().map(i32::from_le_bytes)
    }

    /// An `sfixed64`.
    ///
    /// # Errors
    ///
    /// [`Truncated`](DecodeErrorKind::Truncated).
    #[inline]
    pub fn read_sfixed64(&mut self) -> Result<i64, DecodeError> {
        self.read_array().map(i64::from_le_bytes)
    }

    /// A `float`; every NaN keeps its bits.
    ///
    /// # Errors
    ///
    /// [`Truncated`](DecodeErrorKind::Truncated).
    #[inline]
    pub fn read_float(&mut self) -> Result<f32, DecodeError> {
        self.read_array().map(f32::from_le_bytes)
    }

    /// A `double`; every NaN keeps its bits.
    ///
    /// # Errors
    ///
    /// [`Truncated`](DecodeErrorKind::Truncated).
    #[inline]
    pub fn read_double(&mut self) -> Result<f64, DecodeError> {
        self.read_array().map(f64::from_le_bytes)
    }

    /// A `bytes` value: a length and that many bytes of this message.
    ///
    /// # Errors
    ///
    /// [`Truncated`](DecodeErrorKind::Truncated) if the length passes the end of the message around
    /// it; errors of the length's varint.
    #[inline]
    pub fn read_bytes(&mut self) -> Result<&'a [u8], DecodeError> {
        match split_delimited(self.rest) {
            Ok((bytes, rest)) => {
                self.rest = rest;
                Ok(bytes)
            }
            Err(kind) => Err(self.error(kind)),
        }
    }

    /// A `string` value, checked to be UTF-8.
    ///
    /// # Errors
    ///
    /// [`InvalidUtf8`](DecodeErrorKind::InvalidUtf8) at the first byte that is not; as
    /// [`read_bytes`](Self::read_bytes).
    #[inline(always)]
    pub fn read_string(&mut self) -> Result<&'a str, DecodeError> {
        let bytes = self.read_bytes()?;
        utf8(bytes).map_err(|valid| self.invalid_utf8(bytes, valid))
    }

    /// The error for `bytes`, just read, that are text only up to `valid`.
    // Inlined for the same reason as `error`.
    #[inline(always)]
    fn invalid_utf8(&self, bytes: &[u8], valid: usize) -> DecodeError {
        let after = u32::try_from(bytes.len().saturating_sub(valid)).unwrap_or(u32::MAX);
        DecodeError::new(text::INVALID, self.field_number, self.offset32().saturating_sub(after))
    }

    /// A message value, as a reader over it.
    ///
    /// # Errors
    ///
    /// Those of [`read_bytes`](Self::read_bytes); [`DepthLimit`](DecodeErrorKind::DepthLimit) for
    /// the 101st level of nesting.
    #[inline]
    pub fn read_message(&mut self) -> Result<Self, DecodeError> {
        let parts = if self.depth < MAX_DEPTH {
            split_delimited(self.rest)
        } else {
            Err(DecodeErrorKind::DepthLimit)
        };
        match parts {
            Ok((message, rest)) => {
                self.rest = rest;
                let (end, depth) = (self.offset32(), self.depth.wrapping_add(1));
                Ok(Self { rest: message, end, field_number: 0, tag_len: 0, depth })
            }
            Err(kind) => Err(self.error(kind)),
        }
    }

    /// A packed block of scalars, as a reader over it; the field stays the same.
    #[inline]
    pub(crate) fn read_block(&mut self) -> Result<Self, DecodeError> {
        let block = self.read_bytes()?;
        Ok(Self { rest: block, end: self.offset32(), ..*self })
    }

    /// A message value, merged into `message`: fields that it has replace or append, all others
    /// stay.
    ///
    /// # Errors
    ///
    /// Those of [`read_message`](Self::read_message), and what the message's content gives.
    #[inline]
    pub fn merge_message(&mut self, message: &mut impl Decode<'a>) -> Result<(), DecodeError> {
        message.merge(&mut self.read_message()?)
    }

    /// The values of a repeated scalar field at `tag`: one, or a packed block of any number.
    ///
    /// Both forms are legal for every repeated scalar, in any mixture, so match both tags:
    ///
    /// ```
    /// use borrowire::wire::{Reader, Sint64, Tag, WireType};
    ///
    /// const DELTAS: Tag = Tag::new(12, WireType::Varint);
    /// const DELTAS_PACKED: Tag = DELTAS.packed();
    ///
    /// # use borrowire::wire::Writer;
    /// # let mut body = [0; 6];
    /// # let mut writer = Writer::new(&mut body);
    /// # writer.write_packed::<Sint64>(DELTAS_PACKED, &[-1, 1])?;
    /// # writer.write_sint64(DELTAS, -2)?;
    /// // `body`: -1 and 1 in a block, and -2 behind it
    /// let mut deltas = Vec::new();
    /// let mut reader = Reader::new(&body)?;
    /// while let Some(tag) = reader.next_tag()? {
    ///     match tag {
    ///         DELTAS | DELTAS_PACKED => {
    ///             reader.read_repeated::<Sint64>(tag, |delta| Ok(deltas.push(delta)))?;
    ///         }
    ///         _ => reader.skip_field(tag)?,
    ///     }
    /// }
    /// assert_eq!(deltas, [-1, 1, -2]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// [`InvalidLength`](DecodeErrorKind::InvalidLength) for a packed block of fixed-size elements
    /// that is no multiple of their size, before any value is handed out; `Truncated` for a varint
    /// cut by the end of its block; what `value` returns.
    #[inline]
    pub fn read_repeated<S: Scalar>(
        &mut self,
        tag: Tag,
        mut value: impl FnMut(S::Value) -> Result<(), DecodeErrorKind>,
    ) -> Result<(), DecodeError> {
        if tag.wire_type() != WireType::Len {
            let before = self.rest;
            let item = S::read(self)?;
            return value(item).map_err(|kind| self.error_at(before, kind));
        }
        let before = self.rest;
        let block = self.read_bytes()?;
        if let Some(size) = S::FIXED_LEN
            && block.len().checked_rem(size) != Some(0)
        {
            return Err(self.error_at(before, DecodeErrorKind::InvalidLength));
        }
        let mut reader = Self { rest: block, end: self.offset32(), ..*self };
        while !reader.is_empty() {
            let before = reader.rest;
            let item = S::read(&mut reader)?;
            value(item).map_err(|kind| reader.error_at(before, kind))?;
        }
        Ok(())
    }

    /// Passes over the value of `tag`: what to do with a field that is unknown, or has another
    /// wire type than expected (the official runtimes treat both alike).
    ///
    /// A group is passed over whole, without recursion.
    ///
    /// # Errors
    ///
    /// As the `read_` methods; [`GroupMismatch`](DecodeErrorKind::GroupMismatch) for an end-group
    /// tag that ends nothing, [`DepthLimit`](DecodeErrorKind::DepthLimit) for over 100 nested
    /// groups.
    #[inline]
    pub fn skip_field(&mut self, tag: Tag) -> Result<(), DecodeError> {
        // On a copy, since no reference to the reader may leave: see `error`.
        self.rest = self.clone().after_field(tag)?;
        Ok(())
    }

    /// The error for a field that must not be unknown, and whose tag has just been read: what is
    /// wrong with its framing, or else that it is there.
    #[cold]
    #[inline(never)]
    pub(crate) fn unknown_field(self, tag: Tag) -> DecodeError {
        let start = self.offset32().saturating_sub(self.tag_len.into());
        match self.after_field(tag) {
            Err(error) => error,
            Ok(_) => DecodeError::in_field(DecodeErrorKind::UnknownField, tag, start),
        }
    }

    /// What is left behind the value of `tag`.
    #[inline(never)]
    pub(crate) fn after_field(mut self, tag: Tag) -> Result<&'a [u8], DecodeError> {
        match tag.wire_type() {
            WireType::Varint => self.read_varint().map(drop),
            WireType::I64 => self.read_array::<8>().map(drop),
            WireType::Len => self.read_bytes().map(drop),
            WireType::I32 => self.read_array::<4>().map(drop),
            WireType::SGroup => self.skip_group(tag),
            WireType::EGroup => Err(DecodeError::new(
                DecodeErrorKind::GroupMismatch,
                self.field_number,
                self.offset32().saturating_sub(self.tag_len.into()),
            )),
        }?;
        Ok(self.rest)
    }

    #[cold]
    fn skip_group(&mut self, start: Tag) -> Result<(), DecodeError> {
        // Field numbers of the groups that are open inside the first, outermost first.
        let mut open = [0_u32; MAX_GROUPS - 1];
        let mut depth = 0_usize;
        loop {
            let before = self.rest;
            let Some(tag) = self.next_tag()? else {
                return Err(self.error(DecodeErrorKind::Truncated));
            };
            match tag.wire_type() {
                WireType::SGroup => {
                    let Some(slot) = open.get_mut(depth) else {
                        return Err(self.error_at(before, DecodeErrorKind::DepthLimit));
                    };
                    *slot = tag.field_number();
                    depth = depth.saturating_add(1);
                }
                WireType::EGroup => {
                    let innermost = match depth.checked_sub(1) {
                        Some(inner) => open.get(inner).copied().unwrap_or_else(impossible),
                        None => start.field_number(),
                    };
                    if innermost != tag.field_number() {
                        return Err(self.error_at(before, DecodeErrorKind::GroupMismatch));
                    }
                    let Some(outer) = depth.checked_sub(1) else {
                        return Ok(());
                    };
                    depth = outer;
                }
                _ => self.skip_field(tag)?,
            }
        }
    }
}

/// The bytes behind the length at the front of `bytes`, and those behind them.
#[inline(always)]
pub(crate) fn split_delimited(bytes: &[u8]) -> Result<(&[u8], &[u8]), DecodeErrorKind> {
    let (len, rest) = split_varint(bytes)?;
    // Compared with what is left before anything is added or allocated.
    usize::try_from(len)
        .ok()
        .and_then(|len| rest.split_at_checked(len))
        .ok_or(DecodeErrorKind::Truncated)
}

/// The tag at the front of `bytes` in any form, and the bytes behind it.
#[inline(never)]
fn split_long_tag(bytes: &[u8]) -> Result<(Tag, &[u8]), DecodeErrorKind> {
    let (value, rest) = split_varint(bytes)?;
    let len = bytes.len().saturating_sub(rest.len());
    match u32::try_from(value) {
        Ok(value) if value >> 3 != 0 && len <= 5 => {
            if value & 7 < 6 {
                Ok((Tag::from_wire(value), rest))
            } else {
                Err(DecodeErrorKind::InvalidWireType)
            }
        }
        _ => Err(DecodeErrorKind::InvalidTag),
    }
}
