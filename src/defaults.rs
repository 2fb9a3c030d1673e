//! Fields of proto3 that are left out when they hold their default.

use crate::wire::{self, BufferFull, Tag, Writer};

/// Bytes of a string field, which an empty string leaves out.
#[inline]
pub(crate) fn text_len(tag: Tag, text: &str) -> usize {
    if text.is_empty() { 0 } else { wire::string_len(tag, text) }
}

/// A string field, unless it is empty.
#[inline]
pub(crate) fn write_text(writer: &mut Writer<'_>, tag: Tag, text: &str) -> Result<(), BufferFull> {
    if text.is_empty() { Ok(()) } else { writer.write_string(tag, text) }
}

/// Bytes of a double field, which only +0.0 leaves out.
#[inline]
pub(crate) fn double_len(tag: Tag, value: f64) -> usize {
    if value.to_bits() == 0 { 0 } else { wire::double_len(tag) }
}

/// A double field, unless it is +0.0; -0.0 is no default.
#[inline]
pub(crate) fn write_double(
    writer: &mut Writer<'_>,
    tag: Tag,
    value: f64,
) -> Result<(), BufferFull> {
    if value.to_bits() == 0 { Ok(()) } else { writer.write_double(tag, value) }
}

/// Bytes of an int64 field, which 0 leaves out.
#[inline]
pub(crate) fn int64_len(tag: Tag, value: i64) -> usize {
    if value == 0 { 0 } else { wire::int64_len(tag, value) }
}

/// An int64 field, unless it is 0.
#[inline]
pub(crate) fn write_int64(writer: &mut Writer<'_>, tag: Tag, value: i64) -> Result<(), BufferFull> {
    if value == 0 { Ok(()) } else { writer.write_int64(tag, value) }
}
