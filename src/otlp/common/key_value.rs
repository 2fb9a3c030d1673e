//! `KeyValue`: a key with a value of any type.
//!
//! ```text
//! 1 key           string
//! 2 value         AnyValue
//! 3 key_strindex  int32; profiles only
//! ```

use super::any_value::{AnyValue, Checked, Pieces, check_value};
use super::records::read_again;
use crate::message::cursor::Cursor;
use crate::message::fields::{int32_len, text_len, write_int32, write_text};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

pub(super) const KEY: Tag = Tag::new(1, WireType::Len);
pub(super) const VALUE: Tag = Tag::new(2, WireType::Len);
const KEY_STRINDEX: Tag = Tag::new(3, WireType::Varint);

/// A key with a value: an attribute, or an element of a list of such.
///
/// ```
/// use borrowire::otlp::{AnyValue, KeyValue};
///
/// let attribute = KeyValue::new("service.name", "checkout");
/// assert_eq!(attribute.value, Some(AnyValue::String("checkout")));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "attribute")]
pub struct KeyValue<'a> {
    /// The key.
    pub key: &'a str,
    /// The value; `None` if the sender left it out, which is not an empty one.
    pub value: Option<AnyValue<'a>>,
    /// The number of the key in a dictionary: of profiles, 0 in metrics and logs.
    pub key_strindex: i32,
}

impl<'a> KeyValue<'a> {
    /// `key` with `value`.
    #[must_use]
    pub fn new(key: &'a str, value: impl Into<AnyValue<'a>>) -> Self {
        Self { key, value: Some(value.into()), key_strindex: 0 }
    }

    /// Reads `message`, which was checked, again.
    pub(super) fn read(message: &'a [u8]) -> Self {
        let (key, key_strindex) = read_again(message, |mut reader| {
            let (mut key, mut key_strindex) = ("", 0);
            while let Some(tag) = reader.next_tag()? {
                match tag {
                    KEY => key = reader.read_string()?,
                    KEY_STRINDEX => key_strindex = reader.read_int32()?,
                    _ => reader.skip_field(tag)?,
                }
            }
            Ok((key, key_strindex))
        });
        Self { key, value: AnyValue::read(Pieces::field(message, VALUE)), key_strindex }
    }

    /// Reads a message that takes the whole of `message`.
    ///
    /// # Errors
    ///
    /// The first fault in the message, with its place.
    ///
    /// ```
    /// use borrowire::Encode;
    /// use borrowire::otlp::KeyValue;
    ///
    /// let attribute = KeyValue::new("service.name", "checkout");
    /// assert_eq!(KeyValue::decode(&attribute.encode_to_vec()?)?, attribute);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn decode(message: &'a [u8]) -> Result<Self, DecodeError> {
        let mut reader = Reader::new(message)?;
        crate::message::cursor::read_alone(&mut reader, check_key_value)?;
        Ok(Self::read(message))
    }
}

impl Encode for KeyValue<'_> {
    #[inline]
    fn encoded_len(&self) -> usize {
        let value = self.value.map_or(0, |value| wire::message_len(VALUE, value.encoded_len()));
        text_len(KEY, self.key)
            .saturating_add(value)
            .saturating_add(int32_len(KEY_STRINDEX, self.key_strindex))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_text(writer, KEY, self.key)?;
        if let Some(value) = self.value {
            writer.write_nested(VALUE, &mut 1, |writer| value.write_to(writer))?;
        }
        write_int32(writer, KEY_STRINDEX, self.key_strindex)
    }
}

/// Checks the message that takes the rest of `cursor`.
pub(super) fn check_key_value(cursor: &mut Cursor<'_, '_>) -> Result<(), DecodeError> {
    read_key(cursor).map(drop)
}

/// Reads the message that takes the rest of `cursor`: its key, and what its value is, where that is
/// all there is.
pub(super) fn read_key<'a>(cursor: &mut Cursor<'a, '_>) -> Result<(&'a str, Checked), DecodeError> {
    let (mut key, mut key_strindex, mut values) = ("", 0, 0_usize);
    let mut checked = Checked::Other;
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            KEY => key = cursor.read_string()?,
            VALUE => {
                checked = check_value(&mut cursor.read_message()?)?;
                values = values.saturating_add(1);
            }
            KEY_STRINDEX => key_strindex = cursor.read_int32()?,
            _ => cursor.skip_field(tag)?,
        }
    }
    if values != 1 || key_strindex != 0 {
        checked = Checked::Other;
    }
    Ok((key, checked))
}
