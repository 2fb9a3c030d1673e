//! Fields of proto3 that are left out when they hold their default, both ways: measured and
//! written.
//!
//! Optional fields and members of a `oneof` have no default: they go through the [`Writer`] itself.

use crate::wire::{self, BufferFull, Tag, Writer};

/// A measuring and a writing function a scalar type.
macro_rules! fields {
    ($($proto:literal: $len:ident, $write:ident, $value:ty, |$it:ident| $is_default:expr,
        $wire_len:expr, $wire_write:ident;)*) => {$(
        #[doc = concat!("Bytes of a `", $proto, "` field, which its default leaves out.")]
        #[inline]
        pub(crate) fn $len(tag: Tag, $it: $value) -> usize {
            let len: fn(Tag, $value) -> usize = $wire_len;
            if $is_default { 0 } else { len(tag, $it) }
        }

        #[doc = concat!("A `", $proto, "` field, unless it holds its default.")]
        #[inline]
        pub(crate) fn $write(
            writer: &mut Writer<'_>,
            tag: Tag,
            $it: $value,
        ) -> Result<(), BufferFull> {
            if $is_default { Ok(()) } else { writer.$wire_write(tag, $it) }
        }
    )*};
}

fields! {
    "string": text_len, write_text, &str, |text| text.is_empty(),
        |tag, text| wire::string_len(tag, text), write_string;
    "bytes": bytes_len, write_bytes, &[u8], |bytes| bytes.is_empty(),
        |tag, bytes| wire::bytes_len(tag, bytes), write_bytes;
    // Only +0.0 is the default: -0.0 is a value.
    "double": double_len, write_double, f64, |value| value.to_bits() == 0,
        |tag, _| wire::double_len(tag), write_double;
    "int64": int64_len, write_int64, i64, |value| value == 0, wire::int64_len, write_int64;
    "int32": int32_len, write_int32, i32, |value| value == 0, wire::int32_len, write_int32;
    "uint64": uint64_len, write_uint64, u64, |value| value == 0, wire::uint64_len, write_uint64;
    "uint32": uint32_len, write_uint32, u32, |value| value == 0, wire::uint32_len, write_uint32;
    "fixed64": fixed64_len, write_fixed64, u64, |value| value == 0,
        |tag, _| wire::fixed64_len(tag), write_fixed64;
    "sint32": sint32_len, write_sint32, i32, |value| value == 0, wire::sint32_len, write_sint32;
    "enum": enum_len, write_enum, i32, |value| value == 0, wire::enum_len, write_enum;
}

/// Bytes of an `optional double` field, if it is set.
#[inline]
pub(crate) fn optional_double_len(tag: Tag, value: Option<f64>) -> usize {
    value.map_or(0, |_| wire::double_len(tag))
}

/// An `optional double` field, if it is set.
#[inline]
pub(crate) fn write_optional_double(
    writer: &mut Writer<'_>,
    tag: Tag,
    value: Option<f64>,
) -> Result<(), BufferFull> {
    value.map_or(Ok(()), |value| writer.write_double(tag, value))
}
