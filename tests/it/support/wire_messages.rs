//! Messages of a schema that the crate does not know, as a user of `borrowire::wire` writes them:
//! every scalar type, presence, merging, oneof, maps, packed and unpacked lists, recursion.

use std::collections::BTreeMap;

use borrowire::wire::{self, BufferFull, Reader, Scalar, Tag, WireType, Writer};
use borrowire::{Decode, DecodeError, Encode};

const VARINT: WireType = WireType::Varint;

/// ```text
/// message Scalars {
///   int32 int32 = 1;          int64 int64 = 2;          uint32 uint32 = 3;    uint64 uint64 = 4;
///   sint32 sint32 = 5;        sint64 sint64 = 6;        bool bool = 7;        Enum enum = 8;
///   fixed32 fixed32 = 9;      fixed64 fixed64 = 10;     sfixed32 sfixed32 = 11;
///   sfixed64 sfixed64 = 12;   float float = 13;         double double = 14;
///   string string = 15;       bytes bytes = 16;
///   optional int32 maybe_int32 = 17;                    optional double maybe_double = 18;
/// }
/// ```
#[derive(Debug, Default)]
pub struct Scalars<'a> {
    int32: i32,
    int64: i64,
    uint32: u32,
    uint64: u64,
    sint32: i32,
    sint64: i64,
    bool: bool,
    number: i32,
    fixed32: u32,
    fixed64: u64,
    sfixed32: i32,
    sfixed64: i64,
    float: f32,
    double: f64,
    string: &'a str,
    bytes: &'a [u8],
    maybe_int32: Option<i32>,
    maybe_double: Option<f64>,
}

const INT32: Tag = Tag::new(1, VARINT);
const INT64: Tag = Tag::new(2, VARINT);
const UINT32: Tag = Tag::new(3, VARINT);
const UINT64: Tag = Tag::new(4, VARINT);
const SINT32: Tag = Tag::new(5, VARINT);
const SINT64: Tag = Tag::new(6, VARINT);
const BOOL: Tag = Tag::new(7, VARINT);
const ENUM: Tag = Tag::new(8, VARINT);
const FIXED32: Tag = Tag::new(9, WireType::I32);
const FIXED64: Tag = Tag::new(10, WireType::I64);
const SFIXED32: Tag = Tag::new(11, WireType::I32);
const SFIXED64: Tag = Tag::new(12, WireType::I64);
const FLOAT: Tag = Tag::new(13, WireType::I32);
const DOUBLE: Tag = Tag::new(14, WireType::I64);
const STRING: Tag = Tag::new(15, WireType::Len);
const BYTES: Tag = Tag::new(16, WireType::Len);
const MAYBE_INT32: Tag = Tag::new(17, VARINT);
const MAYBE_DOUBLE: Tag = Tag::new(18, WireType::I64);

impl<'a> Decode<'a> for Scalars<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                INT32 => self.int32 = reader.read_int32()?,
                INT64 => self.int64 = reader.read_int64()?,
                UINT32 => self.uint32 = reader.read_uint32()?,
                UINT64 => self.uint64 = reader.read_uint64()?,
                SINT32 => self.sint32 = reader.read_sint32()?,
                SINT64 => self.sint64 = reader.read_sint64()?,
                BOOL => self.bool = reader.read_bool()?,
                ENUM => self.number = reader.read_enum()?,
                FIXED32 => self.fixed32 = reader.read_fixed32()?,
                FIXED64 => self.fixed64 = reader.read_fixed64()?,
                SFIXED32 => self.sfixed32 = reader.read_sfixed32()?,
                SFIXED64 => self.sfixed64 = reader.read_sfixed64()?,
                FLOAT => self.float = reader.read_float()?,
                DOUBLE => self.double = reader.read_double()?,
                STRING => self.string = reader.read_string()?,
                BYTES => self.bytes = reader.read_bytes()?,
                MAYBE_INT32 => self.maybe_int32 = Some(reader.read_int32()?),
                MAYBE_DOUBLE => self.maybe_double = Some(reader.read_double()?),
                _ => reader.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for Scalars<'_> {
    fn encoded_len(&self) -> usize {
        [
            (self.int32 != 0, wire::int32_len(INT32, self.int32)),
            (self.int64 != 0, wire::int64_len(INT64, self.int64)),
            (self.uint32 != 0, wire::uint32_len(UINT32, self.uint32)),
            (self.uint64 != 0, wire::uint64_len(UINT64, self.uint64)),
            (self.sint32 != 0, wire::sint32_len(SINT32, self.sint32)),
            (self.sint64 != 0, wire::sint64_len(SINT64, self.sint64)),
            (self.bool, wire::bool_len(BOOL)),
            (self.number != 0, wire::enum_len(ENUM, self.number)),
            (self.fixed32 != 0, wire::fixed32_len(FIXED32)),
            (self.fixed64 != 0, wire::fixed64_len(FIXED64)),
            (self.sfixed32 != 0, wire::sfixed32_len(SFIXED32)),
            (self.sfixed64 != 0, wire::sfixed64_len(SFIXED64)),
            (self.float.to_bits() != 0, wire::float_len(FLOAT)),
            (self.double.to_bits() != 0, wire::double_len(DOUBLE)),
            (!self.string.is_empty(), wire::string_len(STRING, self.string)),
            (!self.bytes.is_empty(), wire::bytes_len(BYTES, self.bytes)),
            (
                self.maybe_int32.is_some(),
                wire::int32_len(MAYBE_INT32, self.maybe_int32.unwrap_or(0)),
            ),
            (self.maybe_double.is_some(), wire::double_len(MAYBE_DOUBLE)),
        ]
        .into_iter()
        .filter_map(|(present, len)| present.then_some(len))
        .sum()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if self.int32 != 0 {
            writer.write_int32(INT32, self.int32)?;
        }
        if self.int64 != 0 {
            writer.write_int64(INT64, self.int64)?;
        }
        if self.uint32 != 0 {
            writer.write_uint32(UINT32, self.uint32)?;
        }
        if self.uint64 != 0 {
            writer.write_uint64(UINT64, self.uint64)?;
        }
        if self.sint32 != 0 {
            writer.write_sint32(SINT32, self.sint32)?;
        }
        if self.sint64 != 0 {
            writer.write_sint64(SINT64, self.sint64)?;
        }
        if self.bool {
            writer.write_bool(BOOL, self.bool)?;
        }
        if self.number != 0 {
            writer.write_enum(ENUM, self.number)?;
        }
        if self.fixed32 != 0 {
            writer.write_fixed32(FIXED32, self.fixed32)?;
        }
        if self.fixed64 != 0 {
            writer.write_fixed64(FIXED64, self.fixed64)?;
        }
        if self.sfixed32 != 0 {
            writer.write_sfixed32(SFIXED32, self.sfixed32)?;
        }
        if self.sfixed64 != 0 {
            writer.write_sfixed64(SFIXED64, self.sfixed64)?;
        }
        if self.float.to_bits() != 0 {
            writer.write_float(FLOAT, self.float)?;
        }
        if self.double.to_bits() != 0 {
            writer.write_double(DOUBLE, self.double)?;
        }
        if !self.string.is_empty() {
            writer.write_string(STRING, self.string)?;
        }
        if !self.bytes.is_empty() {
            writer.write_bytes(BYTES, self.bytes)?;
        }
        if let Some(value) = self.maybe_int32 {
            writer.write_int32(MAYBE_INT32, value)?;
        }
        if let Some(value) = self.maybe_double {
            writer.write_double(MAYBE_DOUBLE, value)?;
        }
        Ok(())
    }
}

/// ```text
/// message Child { int32 x = 1; string y = 2; repeated int32 z = 3; }
/// ```
#[derive(Debug, Default)]
pub struct Child<'a> {
    x: i32,
    y: &'a str,
    z: Vec<i32>,
}

const X: Tag = Tag::new(1, VARINT);
const Y: Tag = Tag::new(2, WireType::Len);
const Z: Tag = Tag::new(3, VARINT);
const Z_PACKED: Tag = Z.packed();

impl<'a> Decode<'a> for Child<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                X => self.x = reader.read_int32()?,
                Y => self.y = reader.read_string()?,
                Z | Z_PACKED => read_list::<wire::Int32>(reader, tag, &mut self.z)?,
                _ => reader.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for Child<'_> {
    fn encoded_len(&self) -> usize {
        let x = if self.x == 0 { 0 } else { wire::int32_len(X, self.x) };
        let y = if self.y.is_empty() { 0 } else { wire::string_len(Y, self.y) };
        x + y + wire::packed_len::<wire::Int32>(Z_PACKED, &self.z)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if self.x != 0 {
            writer.write_int32(X, self.x)?;
        }
        if !self.y.is_empty() {
            writer.write_string(Y, self.y)?;
        }
        writer.write_packed::<wire::Int32>(Z_PACKED, &self.z)
    }
}

/// ```text
/// message Parent {
///   Child child = 1;                    repeated Child kids = 2;
///   repeated int32 packed = 3;          repeated int32 unpacked = 4 [packed = false];
///   repeated double doubles = 5;        repeated sint64 sints = 6;
///   oneof choice { Child choice_child = 7; int32 choice_int = 8; string choice_text = 9; }
///   repeated bool bools = 10;           repeated Enum enums = 11;
///   map<string, int32> map = 12;
/// }
/// ```
#[derive(Debug, Default)]
pub struct Parent<'a> {
    child: Option<Child<'a>>,
    kids: Vec<Child<'a>>,
    packed: Vec<i32>,
    unpacked: Vec<i32>,
    doubles: Vec<f64>,
    sints: Vec<i64>,
    choice: Option<Choice<'a>>,
    bools: Vec<bool>,
    enums: Vec<i32>,
    map: BTreeMap<&'a str, i32>,
}

#[derive(Debug)]
enum Choice<'a> {
    Child(Child<'a>),
    Int(i32),
    Text(&'a str),
}

const CHILD: Tag = Tag::new(1, WireType::Len);
const KIDS: Tag = Tag::new(2, WireType::Len);
const PACKED: Tag = Tag::new(3, VARINT);
const PACKED_BLOCK: Tag = PACKED.packed();
const UNPACKED: Tag = Tag::new(4, VARINT);
const UNPACKED_BLOCK: Tag = UNPACKED.packed();
const DOUBLES: Tag = Tag::new(5, WireType::I64);
const DOUBLES_BLOCK: Tag = DOUBLES.packed();
const SINTS: Tag = Tag::new(6, VARINT);
const SINTS_BLOCK: Tag = SINTS.packed();
const CHOICE_CHILD: Tag = Tag::new(7, WireType::Len);
const CHOICE_INT: Tag = Tag::new(8, VARINT);
const CHOICE_TEXT: Tag = Tag::new(9, WireType::Len);
const BOOLS: Tag = Tag::new(10, VARINT);
const BOOLS_BLOCK: Tag = BOOLS.packed();
const ENUMS: Tag = Tag::new(11, VARINT);
const ENUMS_BLOCK: Tag = ENUMS.packed();
const MAP: Tag = Tag::new(12, WireType::Len);

impl<'a> Decode<'a> for Parent<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                CHILD => reader.merge_message(self.child.get_or_insert_default())?,
                KIDS => {
                    let mut kid = Child::default();
                    reader.merge_message(&mut kid)?;
                    self.kids.push(kid);
                }
                PACKED | PACKED_BLOCK => read_list::<wire::Int32>(reader, tag, &mut self.packed)?,
                UNPACKED | UNPACKED_BLOCK => {
                    read_list::<wire::Int32>(reader, tag, &mut self.unpacked)?;
                }
                DOUBLES | DOUBLES_BLOCK => {
                    read_list::<wire::Double>(reader, tag, &mut self.doubles)?;
                }
                SINTS | SINTS_BLOCK => read_list::<wire::Sint64>(reader, tag, &mut self.sints)?,
                CHOICE_CHILD => match &mut self.choice {
                    Some(Choice::Child(child)) => reader.merge_message(child)?,
                    choice => {
                        let mut child = Child::default();
                        reader.merge_message(&mut child)?;
                        *choice = Some(Choice::Child(child));
                    }
                },
                CHOICE_INT => self.choice = Some(Choice::Int(reader.read_int32()?)),
                CHOICE_TEXT => self.choice = Some(Choice::Text(reader.read_string()?)),
                BOOLS | BOOLS_BLOCK => read_list::<wire::Bool>(reader, tag, &mut self.bools)?,
                ENUMS | ENUMS_BLOCK => read_list::<wire::Enum>(reader, tag, &mut self.enums)?,
                MAP => {
                    let mut entry = Entry::default();
                    reader.merge_message(&mut entry)?;
                    self.map.insert(entry.key, entry.value);
                }
                _ => reader.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for Parent<'_> {
    fn encoded_len(&self) -> usize {
        let child = self.child.as_ref().map_or(0, |child| message_len(CHILD, child));
        let kids: usize = self.kids.iter().map(|kid| message_len(KIDS, kid)).sum();
        let unpacked: usize =
            self.unpacked.iter().map(|&value| wire::int32_len(UNPACKED, value)).sum();
        let choice = match &self.choice {
            None => 0,
            Some(Choice::Child(child)) => message_len(CHOICE_CHILD, child),
            Some(Choice::Int(value)) => wire::int32_len(CHOICE_INT, *value),
            Some(Choice::Text(text)) => wire::string_len(CHOICE_TEXT, text),
        };
        let map: usize = entries(&self.map).map(|entry| message_len(MAP, &entry)).sum();
        child
            + kids
            + wire::packed_len::<wire::Int32>(PACKED_BLOCK, &self.packed)
            + unpacked
            + wire::packed_len::<wire::Double>(DOUBLES_BLOCK, &self.doubles)
            + wire::packed_len::<wire::Sint64>(SINTS_BLOCK, &self.sints)
            + choice
            + wire::packed_len::<wire::Bool>(BOOLS_BLOCK, &self.bools)
            + wire::packed_len::<wire::Enum>(ENUMS_BLOCK, &self.enums)
            + map
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if let Some(child) = &self.child {
            writer.write_message(CHILD, child)?;
        }
        for kid in &self.kids {
            writer.write_message(KIDS, kid)?;
        }
        writer.write_packed::<wire::Int32>(PACKED_BLOCK, &self.packed)?;
        for &value in &self.unpacked {
            writer.write_int32(UNPACKED, value)?;
        }
        writer.write_packed::<wire::Double>(DOUBLES_BLOCK, &self.doubles)?;
        writer.write_packed::<wire::Sint64>(SINTS_BLOCK, &self.sints)?;
        match &self.choice {
            None => {}
            Some(Choice::Child(child)) => writer.write_message(CHOICE_CHILD, child)?,
            Some(Choice::Int(value)) => writer.write_int32(CHOICE_INT, *value)?,
            Some(Choice::Text(text)) => writer.write_string(CHOICE_TEXT, text)?,
        }
        writer.write_packed::<wire::Bool>(BOOLS_BLOCK, &self.bools)?;
        writer.write_packed::<wire::Enum>(ENUMS_BLOCK, &self.enums)?;
        entries(&self.map).try_for_each(|entry| writer.write_message(MAP, &entry))
    }
}

/// An entry of a map: a message whose two fields are always written.
#[derive(Debug, Default)]
struct Entry<'a> {
    key: &'a str,
    value: i32,
}

const KEY: Tag = Tag::new(1, WireType::Len);
const MAP_VALUE: Tag = Tag::new(2, VARINT);

impl<'a> Decode<'a> for Entry<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                KEY => self.key = reader.read_string()?,
                MAP_VALUE => self.value = reader.read_int32()?,
                _ => reader.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for Entry<'_> {
    fn encoded_len(&self) -> usize {
        wire::string_len(KEY, self.key) + wire::int32_len(MAP_VALUE, self.value)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_string(KEY, self.key)?;
        writer.write_int32(MAP_VALUE, self.value)
    }
}

/// ```text
/// message Nest { Nest nest = 1; }
/// ```
#[derive(Debug, Default)]
pub struct Nest {
    nest: Option<Box<Nest>>,
}

const NEST: Tag = Tag::new(1, WireType::Len);

impl<'a> Decode<'a> for Nest {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                NEST => reader.merge_message(&mut **self.nest.get_or_insert_default())?,
                _ => reader.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for Nest {
    fn encoded_len(&self) -> usize {
        self.nest.as_ref().map_or(0, |nest| message_len(NEST, &**nest))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.nest.as_ref().map_or(Ok(()), |nest| writer.write_message(NEST, &**nest))
    }
}

fn entries<'m, 'a>(
    map: &'m BTreeMap<&'a str, i32>,
) -> impl Iterator<Item = Entry<'a>> + use<'m, 'a> {
    map.iter().map(|(&key, &value)| Entry { key, value })
}

fn message_len(tag: Tag, message: &impl Encode) -> usize {
    wire::message_len(tag, message.encoded_len())
}

fn read_list<S: Scalar>(
    reader: &mut Reader<'_>,
    tag: Tag,
    list: &mut Vec<S::Value>,
) -> Result<(), DecodeError> {
    reader.read_repeated::<S>(tag, |value| {
        list.push(value);
        Ok(())
    })
}
