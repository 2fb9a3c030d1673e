//! The protobuf wire format, without any message: for the messages of this crate, and for yours.
//!
//! ```text
//! message := (tag value)*
//! tag     := varint of (field number << 3 | wire type), at most five bytes
//! value   := varint                  wire type 0: (u,s)int32 (u,s)int64 bool enum
//!          | 8 bytes, little endian  wire type 1: fixed64 sfixed64 double
//!          | length, bytes           wire type 2: string bytes message, packed repeated scalars
//!          | message, end tag        wire type 3: group (deprecated: skipped whole)
//!          | 4 bytes, little endian  wire type 5: fixed32 sfixed32 float
//! varint  := seven bits a byte, low bits first, high bit set on all but the last; 1 to 10 bytes
//! ```
//!
//! Source: <https://protobuf.dev/programming-guides/encoding/>; where the official runtimes differ,
//! each method says what it does.
//!
//! A message type is two constants a field, [`Decode`](crate::Decode) and
//! [`Encode`](crate::Encode):
//!
//! ```
//! use borrowire::wire::{self, BufferFull, Reader, Tag, WireType, Writer};
//! use borrowire::{Decode, DecodeError, Encode};
//!
//! /// message Point { sint32 x = 1; string name = 2; }
//! #[derive(Debug, Default, PartialEq)]
//! struct Point<'a> {
//!     x: i32,
//!     name: &'a str,
//! }
//!
//! const X: Tag = Tag::new(1, WireType::Varint);
//! const NAME: Tag = Tag::new(2, WireType::Len);
//!
//! impl<'a> Decode<'a> for Point<'a> {
//!     fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
//!         while let Some(tag) = reader.next_tag()? {
//!             match tag {
//!                 X => self.x = reader.read_sint32()?,
//!                 NAME => self.name = reader.read_string()?,
//!                 _ => reader.skip_field(tag)?, // unknown, or known with another wire type
//!             }
//!         }
//!         Ok(())
//!     }
//! }
//!
//! impl Encode for Point<'_> {
//!     fn encoded_len(&self) -> usize {
//!         let x = if self.x != 0 { wire::sint32_len(X, self.x) } else { 0 };
//!         let name = if self.name.is_empty() { 0 } else { wire::string_len(NAME, self.name) };
//!         x + name
//!     }
//!
//!     fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
//!         if self.x != 0 {
//!             writer.write_sint32(X, self.x)?;
//!         }
//!         if !self.name.is_empty() {
//!             writer.write_string(NAME, self.name)?;
//!         }
//!         Ok(())
//!     }
//! }
//!
//! let point = Point { x: -3, name: "p" };
//! let bytes = point.encode_to_vec()?;
//! assert_eq!(bytes.len(), point.encoded_len());
//! assert_eq!(Point::decode(&bytes)?, point);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub(crate) mod error;
mod impossible;
mod index;
pub(crate) mod json;
mod len;
mod located;
pub(crate) mod message;
pub(crate) mod quote;
mod reader;
pub(crate) mod retention;
mod scalar;
mod tag;
mod text;
mod varint;
pub(crate) mod work;
mod writer;

pub use len::{
    bool_len, bytes_len, double_len, enum_len, fixed32_len, fixed64_len, float_len, int32_len,
    int64_len, message_len, packed_len, sfixed32_len, sfixed64_len, sint32_len, sint64_len,
    string_len, tag_len, uint32_len, uint64_len,
};
pub use reader::Reader;
pub use scalar::{
    Bool, Double, Enum, Fixed32, Fixed64, Float, Int32, Int64, Scalar, Sfixed32, Sfixed64, Sint32,
    Sint64, Uint32, Uint64,
};
pub use tag::{Tag, WireType};
pub use text::{text_region, text_run_len};
pub use varint::{varint_len, zigzag_decode32, zigzag_decode64, zigzag_encode32, zigzag_encode64};
pub use writer::{BufferFull, Writer};

pub(crate) use impossible::impossible;
pub(crate) use index::to_usize;
pub(crate) use located::impl_located;
pub(crate) use reader::split_delimited;
pub(crate) use text::text_tail;
pub(crate) use varint::{
    MAX_VARINT32_BYTES, compact, put_varint32, split_varint, split_word_varint, spread,
    whole_varint,
};
pub(crate) use writer::{low_byte, low_byte_of};
