//! `AnyValue`: a value of any type, of an attribute or as the body of a log record.
//!
//! ```text
//! AnyValue      oneof: 1 string_value  2 bool_value  3 int_value (int64)  4 double_value
//!                      5 array_value   6 kvlist_value  7 bytes_value
//!                      8 string_value_strindex (int32; profiles only)
//! ArrayValue    1 values  repeated AnyValue
//! KeyValueList  1 values  repeated KeyValue
//! ```
//!
//! A value is checked when the request around it is decoded; what is nested in it is then read where it
//! lies. Protobuf merges a message that occurs twice, so the elements of one list can lie in several
//! pieces, with other fields between them; [`Pieces`] is where.

use core::fmt;
use core::iter::FusedIterator;

use super::key_value::{KeyValue, check_key_value};
use super::records::{Records, read_again};
use crate::message::cursor::Cursor;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

const STRING_VALUE: Tag = Tag::new(1, WireType::Len);
const BOOL_VALUE: Tag = Tag::new(2, WireType::Varint);
const INT_VALUE: Tag = Tag::new(3, WireType::Varint);
const DOUBLE_VALUE: Tag = Tag::new(4, WireType::I64);
const ARRAY_VALUE: Tag = Tag::new(5, WireType::Len);
const KVLIST_VALUE: Tag = Tag::new(6, WireType::Len);
const BYTES_VALUE: Tag = Tag::new(7, WireType::Len);
const STRING_VALUE_STRINDEX: Tag = Tag::new(8, WireType::Varint);

/// Of `ArrayValue` and `KeyValueList`.
const VALUES: Tag = Tag::new(1, WireType::Len);

/// A value of any type. Doubles are compared by their bits.
///
/// ```
/// use borrowire::otlp::{AnyValue, ArrayValue};
///
/// let ports = [AnyValue::Int(80), AnyValue::Int(443)];
/// let value = AnyValue::Array(ArrayValue::new(&ports));
/// let AnyValue::Array(array) = value else { unreachable!() };
/// assert!(array.iter().eq(ports));
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub enum AnyValue<'a> {
    /// No value: a message without any member, which stands for null.
    #[default]
    Empty,
    /// Text.
    String(&'a str),
    /// True or false.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Double(f64),
    /// A list of values.
    Array(ArrayValue<'a>),
    /// Keys with values.
    KvList(KeyValueList<'a>),
    /// Any bytes.
    Bytes(&'a [u8]),
    /// The number of a text in a dictionary: of profiles, never of metrics or logs.
    StringStrindex(i32),
}

impl<'a> AnyValue<'a> {
    /// The text, if it is text.
    ///
    /// ```
    /// use borrowire::otlp::AnyValue;
    ///
    /// assert_eq!(AnyValue::String("checkout").as_str(), Some("checkout"));
    /// assert_eq!(AnyValue::Int(7).as_str(), None);
    /// ```
    #[inline]
    #[must_use]
    pub const fn as_str(&self) -> Option<&'a str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// The value that lies in `pieces`, which were checked; `None` if there are none.
    pub(in crate::otlp) fn read(pieces: Pieces<'a>) -> Option<Self> {
        let mut value = None;
        // How many records of arrays, and of lists, there were so far.
        let (mut arrays, mut lists) = (0_usize, 0_usize);
        let mut parts = pieces.parts();
        while let Some(part) = parts.next() {
            let mut merged = value.unwrap_or_default();
            read_again(part, |mut reader| {
                while let Some(tag) = reader.next_tag()? {
                    match tag {
                        STRING_VALUE => merged = Self::String(reader.read_string()?),
                        BOOL_VALUE => merged = Self::Bool(reader.read_bool()?),
                        INT_VALUE => merged = Self::Int(reader.read_int64()?),
                        DOUBLE_VALUE => merged = Self::Double(reader.read_double()?),
                        ARRAY_VALUE => {
                            reader.read_bytes()?;
                            if !matches!(merged, Self::Array(_)) {
                                merged = Self::Array(ArrayValue::in_pieces(pieces, arrays));
                            }
                            arrays = arrays.saturating_add(1);
                        }
                        KVLIST_VALUE => {
                            reader.read_bytes()?;
                            if !matches!(merged, Self::KvList(_)) {
                                merged = Self::KvList(KeyValueList::in_pieces(pieces, lists));
                            }
                            lists = lists.saturating_add(1);
                        }
                        BYTES_VALUE => merged = Self::Bytes(reader.read_bytes()?),
                        STRING_VALUE_STRINDEX => {
                            merged = Self::StringStrindex(reader.read_int32()?);
                        }
                        _ => reader.skip_field(tag)?,
                    }
                }
                Ok(())
            });
            value = Some(merged);
        }
        value
    }
}

impl PartialEq for AnyValue<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Empty, Self::Empty) => true,
            (Self::String(one), Self::String(other)) => one == other,
            (Self::Bool(one), Self::Bool(other)) => one == other,
            (Self::Int(one), Self::Int(other)) => one == other,
            (Self::Double(one), Self::Double(other)) => one.to_bits() == other.to_bits(),
            (Self::Array(one), Self::Array(other)) => one == other,
            (Self::KvList(one), Self::KvList(other)) => one == other,
            (Self::Bytes(one), Self::Bytes(other)) => one == other,
            (Self::StringStrindex(one), Self::StringStrindex(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for AnyValue<'_> {}

impl<'a> From<&'a str> for AnyValue<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(text)
    }
}

impl From<bool> for AnyValue<'_> {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for AnyValue<'_> {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<f64> for AnyValue<'_> {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl<'a> From<&'a [u8]> for AnyValue<'a> {
    fn from(bytes: &'a [u8]) -> Self {
        Self::Bytes(bytes)
    }
}

impl Encode for AnyValue<'_> {
    #[inline]
    fn encoded_len(&self) -> usize {
        match self {
            Self::Empty => 0,
            Self::String(text) => wire::string_len(STRING_VALUE, text),
            Self::Bool(_) => wire::bool_len(BOOL_VALUE),
            Self::Int(value) => wire::int64_len(INT_VALUE, *value),
            Self::Double(_) => wire::double_len(DOUBLE_VALUE),
            Self::Array(array) => wire::message_len(ARRAY_VALUE, array.encoded_len()),
            Self::KvList(list) => wire::message_len(KVLIST_VALUE, list.encoded_len()),
            Self::Bytes(bytes) => wire::bytes_len(BYTES_VALUE, bytes),
            Self::StringStrindex(index) => wire::int32_len(STRING_VALUE_STRINDEX, *index),
        }
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        match self {
            Self::Empty => Ok(()),
            Self::String(text) => writer.write_string(STRING_VALUE, text),
            Self::Bool(value) => writer.write_bool(BOOL_VALUE, *value),
            Self::Int(value) => writer.write_int64(INT_VALUE, *value),
            Self::Double(value) => writer.write_double(DOUBLE_VALUE, *value),
            // Measured by writing: measuring at each level would make deep values quadratic.
            Self::Array(array) => {
                writer.write_nested(ARRAY_VALUE, &mut 1, |writer| array.write_to(writer))
            }
            Self::KvList(list) => {
                writer.write_nested(KVLIST_VALUE, &mut 1, |writer| list.write_to(writer))
            }
            Self::Bytes(bytes) => writer.write_bytes(BYTES_VALUE, bytes),
            Self::StringStrindex(index) => writer.write_int32(STRING_VALUE_STRINDEX, *index),
        }
    }
}

/// What a value that was checked is, where that is told at once.
#[derive(Clone, Copy)]
pub(in crate::otlp) enum Checked {
    Bool(bool),
    Int(i64),
    Double(f64),
    /// Anything else.
    Other,
}

/// Checks the value that takes the rest of `cursor`.
pub(in crate::otlp) fn check_value(cursor: &mut Cursor<'_, '_>) -> Result<Checked, DecodeError> {
    let mut checked = Checked::Other;
    while let Some(tag) = cursor.next_tag()? {
        checked = match tag {
            STRING_VALUE => {
                cursor.read_string()?;
                Checked::Other
            }
            BOOL_VALUE => Checked::Bool(cursor.read_bool()?),
            INT_VALUE => Checked::Int(cursor.read_int64()?),
            DOUBLE_VALUE => Checked::Double(cursor.read_double()?),
            ARRAY_VALUE => {
                check_array(&mut cursor.read_message()?)?;
                Checked::Other
            }
            KVLIST_VALUE => {
                check_list(&mut cursor.read_message()?)?;
                Checked::Other
            }
            BYTES_VALUE => {
                cursor.read_bytes()?;
                Checked::Other
            }
            STRING_VALUE_STRINDEX => {
                cursor.read_int32()?;
                Checked::Other
            }
            _ => {
                cursor.skip_field(tag)?;
                checked
            }
        };
    }
    Ok(checked)
}

fn check_array(cursor: &mut Cursor<'_, '_>) -> Result<(), DecodeError> {
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            VALUES => {
                check_value(&mut cursor.read_message()?)?;
            }
            _ => cursor.skip_field(tag)?,
        }
    }
    Ok(())
}

fn check_list(cursor: &mut Cursor<'_, '_>) -> Result<(), DecodeError> {
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            VALUES => check_key_value(&mut cursor.read_message()?)?,
            _ => cursor.skip_field(tag)?,
        }
    }
    Ok(())
}

/// Where a value lies: in all records of one field of a message, or in one piece.
#[derive(Clone, Copy, Debug)]
pub(in crate::otlp) struct Pieces<'a> {
    bytes: &'a [u8],
    /// `None` if `bytes` are the value itself.
    field: Option<Tag>,
}

impl<'a> Pieces<'a> {
    /// The value in the records `field` of `message`.
    pub(in crate::otlp) const fn field(message: &'a [u8], field: Tag) -> Self {
        Self { bytes: message, field: Some(field) }
    }

    const fn whole(value: &'a [u8]) -> Self {
        Self { bytes: value, field: None }
    }

    const fn parts(self) -> Parts<'a> {
        Parts { records: Records::new(self.bytes), pieces: self, taken: false }
    }
}

/// The pieces, one by one.
#[derive(Clone, Copy, Debug)]
struct Parts<'a> {
    records: Records<'a>,
    pieces: Pieces<'a>,
    taken: bool,
}

impl<'a> Parts<'a> {
    fn next(&mut self) -> Option<&'a [u8]> {
        match self.pieces.field {
            Some(tag) => self.records.next(tag),
            None if self.taken => None,
            None => {
                self.taken = true;
                Some(self.pieces.bytes)
            }
        }
    }
}

/// The elements of a list that lies in pieces: of each piece of the value, of each record of the
/// member there from the `skipped`th on, each record of `values`.
#[derive(Clone, Copy, Debug)]
struct Elements<'a> {
    parts: Parts<'a>,
    member: Tag,
    skipped: usize,
    value: Records<'a>,
    list: Records<'a>,
}

impl<'a> Elements<'a> {
    const fn new(pieces: Pieces<'a>, member: Tag, skipped: usize) -> Self {
        let none = Records::new(&[]);
        Self { parts: pieces.parts(), member, skipped, value: none, list: none }
    }

    fn next(&mut self) -> Option<&'a [u8]> {
        loop {
            if let Some(element) = self.list.next(VALUES) {
                return Some(element);
            }
            match self.value.next(self.member) {
                Some(_) if self.skipped > 0 => self.skipped = self.skipped.saturating_sub(1),
                Some(list) => self.list = Records::new(list),
                None => self.value = Records::new(self.parts.next()?),
            }
        }
    }
}

/// A list that is the caller's slice, or lies in pieces.
macro_rules! nested_list {
    (
        $(#[$doc:meta])* $list:ident of $item:ident, $member:ident, $(#[$iter_doc:meta])* $iter:ident,
        |$element:ident| $read:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        pub struct $list<'a>(Place<'a, $item<'a>>);

        impl<'a> $list<'a> {
            /// A list of the caller's own.
            #[must_use]
            pub const fn new(values: &'a [$item<'a>]) -> Self {
                Self(Place::Slice(values))
            }

            const fn in_pieces(pieces: Pieces<'a>, skipped: usize) -> Self {
                Self(Place::Pieces(Elements::new(pieces, $member, skipped)))
            }

            /// All of them, in wire order. They are read one after the other: to count them is to read
            /// them.
            #[must_use]
            pub fn iter(&self) -> $iter<'a> {
                $iter(match self.0 {
                    Place::Slice(values) => IterPlace::Slice(values.iter()),
                    Place::Pieces(elements) => IterPlace::Pieces(elements),
                })
            }

            /// Whether there are none.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.iter().next().is_none()
            }
        }

        impl Default for $list<'_> {
            fn default() -> Self {
                Self::new(&[])
            }
        }

        impl<'a> From<&'a [$item<'a>]> for $list<'a> {
            fn from(values: &'a [$item<'a>]) -> Self {
                Self::new(values)
            }
        }

        impl PartialEq for $list<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.iter().eq(other.iter())
            }
        }

        impl Eq for $list<'_> {}

        impl fmt::Debug for $list<'_> {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.debug_list().entries(self.iter()).finish()
            }
        }

        impl<'a> IntoIterator for $list<'a> {
            type Item = $item<'a>;
            type IntoIter = $iter<'a>;

            fn into_iter(self) -> $iter<'a> {
                self.iter()
            }
        }

        impl Encode for $list<'_> {
            fn encoded_len(&self) -> usize {
                self.iter().fold(0, |sum, value| {
                    sum.saturating_add(wire::message_len(VALUES, value.encoded_len()))
                })
            }

            fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
                self.iter().try_for_each(|value| {
                    writer.write_nested(VALUES, &mut 1, |writer| value.write_to(writer))
                })
            }
        }

        $(#[$iter_doc])*
        #[derive(Clone, Debug)]
        pub struct $iter<'a>(IterPlace<'a, $item<'a>>);

        impl<'a> Iterator for $iter<'a> {
            type Item = $item<'a>;

            fn next(&mut self) -> Option<$item<'a>> {
                match &mut self.0 {
                    IterPlace::Slice(values) => values.next().copied(),
                    IterPlace::Pieces(elements) => elements.next().map(|$element| $read),
                }
            }
        }

        impl FusedIterator for $iter<'_> {}
    };
}

#[derive(Clone, Copy)]
enum Place<'a, T> {
    Slice(&'a [T]),
    Pieces(Elements<'a>),
}

#[derive(Clone, Debug)]
enum IterPlace<'a, T> {
    Slice(core::slice::Iter<'a, T>),
    Pieces(Elements<'a>),
}

nested_list! {
    /// `ArrayValue`: a list of values.
    ///
    /// ```
    /// use borrowire::otlp::{AnyValue, ArrayValue};
    ///
    /// let array = ArrayValue::new(&[AnyValue::Int(1), AnyValue::String("two")]);
    /// assert_eq!(array.iter().last(), Some(AnyValue::String("two")));
    /// ```
    ArrayValue of AnyValue, ARRAY_VALUE,
    /// Iterates over [`ArrayValue`].
    ArrayValueIter,
    |element| AnyValue::read(Pieces::whole(element)).unwrap_or_default()
}

nested_list! {
    /// `KeyValueList`: keys with values. A key should be there once, which nothing here sees to.
    ///
    /// ```
    /// use borrowire::otlp::{AnyValue, KeyValue, KeyValueList};
    ///
    /// let pairs = [KeyValue::new("user", "ann"), KeyValue::new("tries", 3)];
    /// let list = KeyValueList::new(&pairs);
    /// assert_eq!(list.iter().next().unwrap().value, Some(AnyValue::String("ann")));
    /// ```
    KeyValueList of KeyValue, KVLIST_VALUE,
    /// Iterates over [`KeyValueList`].
    KeyValueListIter,
    |element| KeyValue::read(element)
}

/// A value that stands alone.
impl<'a> AnyValue<'a> {
    /// Reads a value that takes the whole of `message`.
    ///
    /// # Errors
    ///
    /// The first fault in the message, with its place.
    ///
    /// ```
    /// use borrowire::Encode;
    /// use borrowire::otlp::AnyValue;
    ///
    /// let message = AnyValue::Int(7).encode_to_vec()?;
    /// assert_eq!(AnyValue::decode(&message)?, AnyValue::Int(7));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(message: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(message)?;
        crate::message::cursor::read_alone(&mut reader, |cursor| check_value(cursor).map(drop))?;
        Ok(Self::read(Pieces::whole(message)).unwrap_or_default())
    }
}
