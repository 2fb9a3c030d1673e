//! Writing: protobuf as the encoders of this crate write it becomes JSON, as the specification has it.
//!
//! ```text
//! names in lowerCamelCase, ids in hexadecimal, other bytes in base64, enums as numbers,
//! 64-bit integers as strings; NaN and infinities as "NaN", "Infinity", "-Infinity"
//! ```
//!
//! The fields of a message stand in number order, and the elements of a list side by side, which is
//! what the encoders promise.

use core::fmt::{self, Write as _};

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;

use super::schema::{Field, Kind, Message, Presence};
use crate::wire::error::DecodeError;
use crate::wire::{
    Double, Enum, Fixed32, Fixed64, Int32, Int64, Reader, Scalar, Sfixed64, Sint32, Tag, Uint32,
    Uint64, WireType, json,
};

/// Why writing stops: the sink's reason, or what is wrong with the protobuf.
pub(super) enum Stop<E> {
    Sink(E),
    Protobuf(DecodeError),
}

impl<E> From<DecodeError> for Stop<E> {
    fn from(error: DecodeError) -> Self {
        Self::Protobuf(error)
    }
}

/// Gives `put` the JSON of `message` as it is in `protobuf`, piece by piece.
pub(super) fn write<E>(
    message: &'static Message,
    protobuf: &[u8],
    put: &mut impl FnMut(&[u8]) -> Result<(), E>,
) -> Result<(), Stop<E>> {
    JsonWriter { put }.write_message(message, &mut Reader::new(protobuf)?)
}

struct JsonWriter<'p, P> {
    put: &'p mut P,
}

impl<E, P: FnMut(&[u8]) -> Result<(), E>> JsonWriter<'_, P> {
    fn put(&mut self, piece: &[u8]) -> Result<(), Stop<E>> {
        (self.put)(piece).map_err(Stop::Sink)
    }

    fn write_message(
        &mut self,
        message: &'static Message,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop<E>> {
        let mut separator: &[u8] = b"{\"";
        // The list whose elements are being written.
        let mut list: Option<u8> = None;
        while let Some(tag) = reader.next_tag()? {
            let field = message.fields.iter().find(|field| tag.value() == u32::from(field.tag()));
            let Some(field) = field else {
                reader.skip_field(tag)?;
                continue;
            };
            if list == Some(field.number) {
                self.put(b",")?;
            } else {
                if list.take().is_some() {
                    self.put(b"]")?;
                }
                self.put(separator)?;
                separator = b",\"";
                self.put(field.name.as_bytes())?;
                self.put(b"\":")?;
                if field.presence == Presence::Repeated {
                    list = Some(field.number);
                    self.put(b"[")?;
                }
            }
            self.write_value(field, tag, reader)?;
        }
        if list.is_some() {
            self.put(b"]")?;
        }
        self.put(if separator == b"{\"" { b"{}" } else { b"}" })
    }

    fn write_value(
        &mut self,
        field: &'static Field,
        tag: Tag,
        reader: &mut Reader<'_>,
    ) -> Result<(), Stop<E>> {
        match field.kind {
            Kind::Message(message) => self.write_message(message, &mut reader.read_message()?),
            Kind::String => {
                let text = reader.read_string()?;
                json::write_string(text.as_bytes(), self.put).map_err(Stop::Sink)
            }
            Kind::Bytes => {
                let bytes = reader.read_bytes()?;
                self.put(b"\"")?;
                self.write_display(Base64Display::new(bytes, &STANDARD))?;
                self.put(b"\"")
            }
            Kind::Id(_) => {
                self.put(b"\"")?;
                for &byte in reader.read_bytes()? {
                    self.put(&[hex_digit(byte >> 4), hex_digit(byte & 0xf)])?;
                }
                self.put(b"\"")
            }
            Kind::Bool => {
                let value = reader.read_bool()?;
                self.put(if value { b"true" } else { b"false" })
            }
            Kind::Enum(_) => self.write_scalars::<Enum>(tag, reader, Self::write_int32),
            Kind::Int32 => self.write_scalars::<Int32>(tag, reader, Self::write_int32),
            Kind::Sint32 => self.write_scalars::<Sint32>(tag, reader, Self::write_int32),
            Kind::Uint32 => self.write_scalars::<Uint32>(tag, reader, Self::write_uint32),
            Kind::Fixed32 => self.write_scalars::<Fixed32>(tag, reader, Self::write_uint32),
            Kind::Int64 => self.write_scalars::<Int64>(tag, reader, Self::write_int64),
            Kind::Sfixed64 => self.write_scalars::<Sfixed64>(tag, reader, Self::write_int64),
            Kind::Uint64 => self.write_scalars::<Uint64>(tag, reader, Self::write_uint64),
            Kind::Fixed64 => self.write_scalars::<Fixed64>(tag, reader, Self::write_uint64),
            Kind::Double => self.write_scalars::<Double>(tag, reader, Self::write_double),
        }
    }

    /// One scalar, or those of a packed block, with commas between them.
    fn write_scalars<S: Scalar>(
        &mut self,
        tag: Tag,
        reader: &mut Reader<'_>,
        write: fn(&mut Self, S::Value) -> Result<(), Stop<E>>,
    ) -> Result<(), Stop<E>> {
        if tag.wire_type() != WireType::Len {
            return write(self, S::read(reader)?);
        }
        let mut block = reader.read_block()?;
        let mut is_first = true;
        while !block.rest().is_empty() {
            if !is_first {
                self.put(b",")?;
            }
            is_first = false;
            write(self, S::read(&mut block)?)?;
        }
        Ok(())
    }

    fn write_int32(&mut self, value: i32) -> Result<(), Stop<E>> {
        self.put(itoa::Buffer::new().format(value).as_bytes())
    }

    fn write_uint32(&mut self, value: u32) -> Result<(), Stop<E>> {
        self.put(itoa::Buffer::new().format(value).as_bytes())
    }

    fn write_int64(&mut self, value: i64) -> Result<(), Stop<E>> {
        self.write_quoted(itoa::Buffer::new().format(value))
    }

    fn write_uint64(&mut self, value: u64) -> Result<(), Stop<E>> {
        self.write_quoted(itoa::Buffer::new().format(value))
    }

    fn write_quoted(&mut self, text: &str) -> Result<(), Stop<E>> {
        self.put(b"\"")?;
        self.put(text.as_bytes())?;
        self.put(b"\"")
    }

    fn write_double(&mut self, value: f64) -> Result<(), Stop<E>> {
        if value.is_nan() {
            return self.put(b"\"NaN\"");
        }
        if value.is_infinite() {
            return self.put(if value > 0.0 { b"\"Infinity\"" } else { b"\"-Infinity\"" });
        }
        if value == 0.0 || (1e-5..1e16).contains(&value.abs()) {
            self.write_display(value)
        } else {
            self.write_display(format_args!("{value:e}"))
        }
    }

    fn write_display(&mut self, value: impl fmt::Display) -> Result<(), Stop<E>> {
        /// A sink that remembers why it was full.
        struct Sink<'p, P, E>(&'p mut P, Option<E>);

        impl<E, P: FnMut(&[u8]) -> Result<(), E>> fmt::Write for Sink<'_, P, E> {
            fn write_str(&mut self, text: &str) -> fmt::Result {
                (self.0)(text.as_bytes()).map_err(|error| {
                    self.1 = Some(error);
                    fmt::Error
                })
            }
        }

        let mut sink = Sink(&mut *self.put, None);
        let result = write!(sink, "{value}");
        match sink.1 {
            Some(error) => Err(Stop::Sink(error)),
            None => {
                debug_assert!(result.is_ok(), "nothing else fails");
                Ok(())
            }
        }
    }
}

/// The digit of a value under 16.
const fn hex_digit(value: u8) -> u8 {
    match value {
        0..=9 => b'0' | value,
        _ => b'a'.wrapping_sub(10).wrapping_add(value),
    }
}
