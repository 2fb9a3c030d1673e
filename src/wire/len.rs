//! Exact lengths of fields, tag included: the twins of the [`Writer`](super::Writer) methods.
//!
//! They count a field that is written; whether a default is left out is the message's decision.
//!
//! ```
//! use borrowire::wire::{self, Tag, WireType};
//!
//! const NAME: Tag = Tag::new(1, WireType::Len);
//! const TIMESTAMP: Tag = Tag::new(2, WireType::Varint);
//! assert_eq!(wire::string_len(NAME, "job"), 5); // tag, length, three letters
//! assert_eq!(wire::int64_len(TIMESTAMP, 1_700_000_000_000), 7);
//! ```

use super::scalar::{Int32, Int64, Scalar, Sint32, Sint64, Uint32, Uint64};
use super::tag::Tag;
use super::varint::varint_len;

/// Bytes of a tag: 1 to 5.
#[inline]
#[must_use]
pub const fn tag_len(tag: Tag) -> usize {
    // Lossless: `u64::from` is not const.
    #[allow(clippy::as_conversions)]
    varint_len(tag.value() as u64)
}

#[inline]
const fn scalar_len(tag: Tag, len: usize) -> usize {
    tag_len(tag).saturating_add(len)
}

/// A length-delimited field whose content takes `len` bytes.
#[inline]
const fn delimited_len(tag: Tag, len: usize) -> usize {
    // Lossless: no `usize` is wider than 64 bits.
    #[allow(clippy::as_conversions)]
    let prefix = varint_len(len as u64);
    tag_len(tag).saturating_add(prefix).saturating_add(len)
}

/// Bytes of an `int32` field; negative values take ten bytes besides the tag.
#[inline]
#[must_use]
pub fn int32_len(tag: Tag, value: i32) -> usize {
    scalar_len(tag, Int32::len(value))
}

/// Bytes of an `int64` field.
#[inline]
#[must_use]
pub fn int64_len(tag: Tag, value: i64) -> usize {
    scalar_len(tag, Int64::len(value))
}

/// Bytes of a `uint32` field.
#[inline]
#[must_use]
pub fn uint32_len(tag: Tag, value: u32) -> usize {
    scalar_len(tag, Uint32::len(value))
}

/// Bytes of a `uint64` field.
#[inline]
#[must_use]
pub fn uint64_len(tag: Tag, value: u64) -> usize {
    scalar_len(tag, Uint64::len(value))
}

/// Bytes of a `sint32` field.
#[inline]
#[must_use]
pub fn sint32_len(tag: Tag, value: i32) -> usize {
    scalar_len(tag, Sint32::len(value))
}

/// Bytes of a `sint64` field.
#[inline]
#[must_use]
pub fn sint64_len(tag: Tag, value: i64) -> usize {
    scalar_len(tag, Sint64::len(value))
}

/// Bytes of an enum field.
#[inline]
#[must_use]
pub fn enum_len(tag: Tag, value: i32) -> usize {
    int32_len(tag, value)
}

/// Bytes of a `bool` field.
#[inline]
#[must_use]
pub const fn bool_len(tag: Tag) -> usize {
    scalar_len(tag, 1)
}

/// Bytes of a `fixed32` field.
#[inline]
#[must_use]
pub const fn fixed32_len(tag: Tag) -> usize {
    scalar_len(tag, 4)
}

/// Bytes of an `sfixed32` field.
#[inline]
#[must_use]
pub const fn sfixed32_len(tag: Tag) -> usize {
    scalar_len(tag, 4)
}

/// Bytes of a `float` field.
#[inline]
#[must_use]
pub const fn float_len(tag: Tag) -> usize {
    scalar_len(tag, 4)
}

/// Bytes of a `fixed64` field.
#[inline]
#[must_use]
pub const fn fixed64_len(tag: Tag) -> usize {
    scalar_len(tag, 8)
}

/// Bytes of an `sfixed64` field.
#[inline]
#[must_use]
pub const fn sfixed64_len(tag: Tag) -> usize {
    scalar_len(tag, 8)
}

/// Bytes of a `double` field.
#[inline]
#[must_use]
pub const fn double_len(tag: Tag) -> usize {
    scalar_len(tag, 8)
}

/// Bytes of a `bytes` field.
#[inline]
#[must_use]
pub const fn bytes_len(tag: Tag, value: &[u8]) -> usize {
    delimited_len(tag, value.len())
}

/// Bytes of a `string` field.
#[inline]
#[must_use]
pub const fn string_len(tag: Tag, value: &str) -> usize {
    delimited_len(tag, value.len())
}

/// Bytes of a message field whose content takes `content_len` bytes.
#[inline]
#[must_use]
pub const fn message_len(tag: Tag, content_len: usize) -> usize {
    delimited_len(tag, content_len)
}

/// Bytes of a packed repeated field; nothing for an empty list, which is not written.
#[inline]
#[must_use]
pub fn packed_len<S: Scalar>(tag: Tag, values: &[S::Value]) -> usize {
    if values.is_empty() { 0 } else { delimited_len(tag, packed_content_len::<S>(values)) }
}

/// Bytes of a packed block's content.
pub(super) fn packed_content_len<S: Scalar>(values: &[S::Value]) -> usize {
    match S::FIXED_LEN {
        Some(size) => values.len().saturating_mul(size),
        None => values.iter().fold(0, |sum, &value| sum.saturating_add(S::len(value))),
    }
}
