//! The scalar types, as repeated fields need them: one value each, or packed blocks.

use super::reader::Reader;
use super::varint::{varint_len, zigzag_encode32, zigzag_encode64};
use super::writer::{BufferFull, Writer};
use crate::wire::error::DecodeError;

/// A scalar type of protobuf: how one bare value, without its tag, is read, measured and written.
///
/// The implementing types are names only, to be given to [`Reader::read_repeated`],
/// [`Writer::write_packed`] and [`packed_len`](super::packed_len).
///
/// ```
/// use borrowire::wire::{Double, Sint64, Tag, WireType, packed_len};
///
/// const VALUES: Tag = Tag::new(1, WireType::Len);
///
/// assert_eq!(packed_len::<Sint64>(VALUES, &[-1, 1, -2]), 5); // tag, length, a byte each
/// assert_eq!(packed_len::<Double>(VALUES, &[0.5, 1.0]), 18);
/// ```
pub trait Scalar {
    /// The Rust type of a value.
    type Value: Copy;
    /// The size of every value in bytes, for types that have a fixed one.
    const FIXED_LEN: Option<usize>;

    /// Reads one value.
    ///
    /// # Errors
    ///
    /// As the [`Reader`] method of the same name.
    fn read(reader: &mut Reader<'_>) -> Result<Self::Value, DecodeError>;
    /// How many bytes `value` takes.
    fn len(value: Self::Value) -> usize;
    /// Writes one value.
    ///
    /// # Errors
    ///
    /// `BufferFull` when the writer has no room left.
    fn write(writer: &mut Writer<'_>, value: Self::Value) -> Result<(), BufferFull>;
}

/// Scalar types that travel as varints: name, Rust type, read method, value as a varint.
macro_rules! varint_scalars {
    ($($name:ident, $proto:literal, $value:ty, $read:ident, $to_varint:expr;)*) => {$(
        #[doc = concat!("The scalar type `", $proto, "`.")]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl Scalar for $name {
            type Value = $value;
            const FIXED_LEN: Option<usize> = None;

            #[inline]
            fn read(reader: &mut Reader<'_>) -> Result<$value, DecodeError> {
                reader.$read()
            }

            #[inline]
            fn len(value: $value) -> usize {
                let to_varint: fn($value) -> u64 = $to_varint;
                varint_len(to_varint(value))
            }

            #[inline]
            fn write(writer: &mut Writer<'_>, value: $value) -> Result<(), BufferFull> {
                let to_varint: fn($value) -> u64 = $to_varint;
                writer.write_varint(to_varint(value))
            }
        }
    )*};
}

varint_scalars! {
    Bool, "bool", bool, read_bool, u64::from;
    Enum, "enum", i32, read_enum, |value| i64::from(value).cast_unsigned();
    Int32, "int32", i32, read_int32, |value| i64::from(value).cast_unsigned();
    Int64, "int64", i64, read_int64, i64::cast_unsigned;
    Sint32, "sint32", i32, read_sint32, |value| u64::from(zigzag_encode32(value));
    Sint64, "sint64", i64, read_sint64, zigzag_encode64;
    Uint32, "uint32", u32, read_uint32, u64::from;
    Uint64, "uint64", u64, read_uint64, |value| value;
}

/// Scalar types of fixed size: name, Rust type, read method.
macro_rules! fixed_scalars {
    ($($name:ident, $proto:literal, $value:ty, $read:ident;)*) => {$(
        #[doc = concat!("The scalar type `", $proto, "`.")]
        #[derive(Clone, Copy, Debug)]
        pub enum $name {}

        impl Scalar for $name {
            type Value = $value;
            const FIXED_LEN: Option<usize> = Some(size_of::<$value>());

            #[inline]
            fn read(reader: &mut Reader<'_>) -> Result<$value, DecodeError> {
                reader.$read()
            }

            #[inline]
            fn len(_: $value) -> usize {
                size_of::<$value>()
            }

            #[inline]
            fn write(writer: &mut Writer<'_>, value: $value) -> Result<(), BufferFull> {
                writer.write_raw(&value.to_le_bytes())
            }
        }
    )*};
}

fixed_scalars! {
    Double, "double", f64, read_double;
    Fixed32, "fixed32", u32, read_fixed32;
    Fixed64, "fixed64", u64, read_fixed64;
    Float, "float", f32, read_float;
    Sfixed32, "sfixed32", i32, read_sfixed32;
    Sfixed64, "sfixed64", i64, read_sfixed64;
}
