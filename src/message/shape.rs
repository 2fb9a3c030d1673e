//! What a body is, told by the shape of its first fields: for bodies that are not what they were
//! taken for.
//!
//! Protobuf does not say which message it is: nearly any message is read as nearly any other, with
//! other numbers as its unknown fields. But a field that both have, with another wire type or another
//! content, tells them apart.

use crate::wire::{Reader, WireType};

/// The fields of a message that tell it from others; those that are not listed may be anything.
#[derive(Debug)]
pub(crate) struct Shape(pub(crate) &'static [(u32, Value)]);

/// What stands in a field.
#[derive(Debug)]
pub(crate) enum Value {
    Varint,
    I32,
    I64,
    /// Any bytes.
    Len,
    /// Any text.
    Text,
    /// Text without control characters.
    Name,
    /// Text that begins with this byte.
    Begins(u8),
    /// Numbers, in a block or one by one.
    Numbers,
    Message(&'static Shape),
    /// A value that every message has which is not empty.
    Always(&'static Self),
    /// A message that is a record of the request.
    Record(&'static Shape),
}

/// How many fields are looked at inside of records, at all levels together, before what was seen is
/// enough.
const FIELDS: u32 = 512;
/// How many bytes of a text.
const TEXT_BYTES: usize = 64;

impl Value {
    /// Whether it is a `string`.
    pub(crate) const fn is_text(&self) -> bool {
        match self {
            Self::Text | Self::Name | Self::Begins(_) => true,
            Self::Always(value) => value.is_text(),
            _ => false,
        }
    }
}

impl Shape {
    fn has_always(&self) -> bool {
        self.0.iter().any(|(_, value)| matches!(value, Value::Always(_)))
    }

    /// Whether `body` begins as a request of this shape does, and has a record that is
    /// not empty. It may be cut short
    /// behind its first record.
    pub(crate) fn fits(&self, body: &[u8]) -> bool {
        let mut look = Look { fields_left: FIELDS, records: 0 };
        let fits = Reader::new(body).is_ok_and(|mut reader| look.request(self, &mut reader));
        fits && look.records > 0
    }
}

/// What was looked at so far.
struct Look {
    fields_left: u32,
    records: u32,
}

impl Look {
    fn request(&mut self, shape: &Shape, reader: &mut Reader<'_>) -> bool {
        let mut missing = shape.has_always();
        while self.fields_left > 0 {
            match self.field(shape, reader) {
                Some(Field::Fits | Field::Unknown) => {}
                Some(Field::Always) => missing = false,
                Some(Field::Differs) => return false,
                // The end, or where the body is cut.
                Some(Field::Broken) | None => break,
            }
        }
        !missing
    }

    /// Whether a message inside the request is of such a shape: it is empty, or some field of it
    /// tells so, and none tells otherwise.
    fn message(&mut self, shape: &Shape, message: &[u8]) -> bool {
        let Ok(mut reader) = Reader::new(message) else { return false };
        let mut fits = message.is_empty();
        let mut missing = !fits && shape.has_always();
        while let Some(left) = self.fields_left.checked_sub(1) {
            self.fields_left = left;
            match self.field(shape, &mut reader) {
                Some(Field::Fits) => fits = true,
                Some(Field::Always) => (fits, missing) = (true, false),
                Some(Field::Unknown) => {}
                Some(Field::Differs | Field::Broken) => return false,
                None => return fits && !missing,
            }
        }
        true
    }

    /// Reads a field, if there is one more.
    fn field(&mut self, shape: &Shape, reader: &mut Reader<'_>) -> Option<Field> {
        let tag = match reader.next_tag() {
            Ok(tag) => tag?,
            Err(_) => return Some(Field::Broken),
        };
        let mut known = shape.0.iter().filter(|(number, _)| *number == tag.field_number());
        let Some((_, value)) = known.next() else {
            return Some(reader.skip_field(tag).map_or(Field::Broken, |()| Field::Unknown));
        };
        let (value, fitting) = match value {
            Value::Always(value) => (*value, Field::Always),
            value => (value, Field::Fits),
        };
        if tag.wire_type() != WireType::Len {
            let fits = match value {
                Value::Varint | Value::Numbers => tag.wire_type() == WireType::Varint,
                Value::I32 => tag.wire_type() == WireType::I32,
                Value::I64 => tag.wire_type() == WireType::I64,
                _ => false,
            };
            return Some(match reader.skip_field(tag) {
                _ if !fits => Field::Differs,
                Ok(()) => fitting,
                Err(_) => Field::Broken,
            });
        }
        let Ok(bytes) = reader.read_bytes() else { return Some(Field::Broken) };
        let fits = match value {
            Value::Varint | Value::I32 | Value::I64 | Value::Always(_) => false,
            Value::Numbers => bytes.last().is_none_or(|byte| *byte < 0x80),
            Value::Len | Value::Text => true,
            Value::Name => !bytes.iter().take(TEXT_BYTES).any(u8::is_ascii_control),
            Value::Begins(first) => bytes.first() == Some(first),
            Value::Message(shape) => self.message(shape, bytes),
            Value::Record(shape) => {
                self.records = self.records.saturating_add(u32::from(!bytes.is_empty()));
                self.message(shape, bytes)
            }
        };
        Some(if fits { fitting } else { Field::Differs })
    }
}

/// What a field says of the message that it is in.
enum Field {
    Fits,
    /// It fits, and every message has it.
    Always,
    /// Its number says nothing.
    Unknown,
    /// Its number is of something else.
    Differs,
    /// It is no field, or is cut.
    Broken,
}

#[cfg(test)]
mod tests {
    use super::*;

    static POINT: Shape = Shape(&[(1, Value::Varint), (2, Value::Name), (3, Value::I64)]);
    static TEXT: Shape = Shape(&[(1, Value::Always(&Value::Begins(b'{'))), (2, Value::Varint)]);
    static REQUEST: Shape = Shape(&[
        (1, Value::Record(&POINT)),
        (2, Value::Numbers),
        (3, Value::Begins(b'{')),
        (4, Value::Message(&POINT)),
        (5, Value::I32),
        (6, Value::Len),
        (8, Value::Message(&TEXT)),
    ]);

    #[test]
    fn a_field_of_another_kind_is_another_message() {
        let record = b"\x0a\x05\x08\x01\x12\x01a";
        assert!(REQUEST.fits(record));
        for (field, fits) in [
            (&b""[..], true),
            (b"\x0a\x00", true),          // an empty record
            (b"\x0a\x02\x20\x01", false), // one of which nothing is known
            (b"\x0a\x04\x20\x01\x08\x02", true),
            (b"\x0a\x03\x0a\x01a", false),  // text for a number
            (b"\x0a\x03\x12\x01\n", false), // a name with a control character
            (b"\x0a\x02\x12\x09", false),   // a record that is cut inside
            (b"\x0a\x09\x12", true),        // the body is cut
            (b"\x08\x01", false),           // a number for a record
            (b"\x12\x02\x01\x02", true),
            (b"\x10\x01", true),
            (b"\x12\x01\x80", false), // half a number
            (b"\x15\0\0\0\0", false),
            (b"\x1a\x01{", true),
            (b"\x1a\x01a", false),
            (b"\x22\x02\x08\x01", true),
            (b"\x22\x01a", false),
            (b"\x2d\0\0\0\0", true),
            (b"\x29\0\0\0\0\0\0\0\0", false),
            (b"\x32\x01\n", true),
            (b"\x3a\x01\n", true), // unknown
            (b"\x42\x00", true),
            (b"\x42\x03\x0a\x01{", true),
            (b"\x42\x02\x10\x01", false),
            (b"\x07", true), // no field: where the body is damaged
        ] {
            assert_eq!(REQUEST.fits(&[record, field].concat()), fits, "{field:x?}");
        }
        // Without a record it is nothing.
        assert!(
            !REQUEST.fits(b"")
                && !REQUEST.fits(b"\x10\x01")
                && !REQUEST.fits(b"\x0a\x09\x08")
                && !REQUEST.fits(b"\x0a\x00")
        );
    }

    #[test]
    fn work_does_not_grow_with_the_body() {
        // The difference is behind what is looked at.
        let mut body = b"\x0a\x02\x08\x01".repeat(1 << 10);
        body.extend_from_slice(b"\x08\x01");
        assert!(REQUEST.fits(&body));
        assert!(!REQUEST.fits(&body[body.len() - 200..]));
        let mut record = b"\x08\x01".repeat(1 << 10);
        record.extend_from_slice(b"\x0a\x00");
        assert!(REQUEST.fits(&[b"\x0a\x82\x10", &record[..]].concat()));
    }
}
