//! The reader of the wire format on any bytes, every way of reading a field against the others, and
//! the writer against the reader.

use borrowire::DecodeError;
use borrowire::wire::{
    self, Double, Fixed32, Reader, Scalar, Sint64, Tag, Uint64, WireType, Writer,
};

/// Reads `body` as a message of unknown type.
pub fn wire_reader(body: &[u8]) {
    message(body, Reader::new(body).expect("short enough"), 0);
}

/// Reads the fields of a message that lies in `body`.
fn message(body: &[u8], mut reader: Reader<'_>, depth: usize) {
    assert!(depth <= 100, "nesting is limited");
    loop {
        let start = reader.offset();
        let tag = match reader.next_tag() {
            Ok(Some(tag)) => tag,
            Ok(None) => break assert!(reader.is_empty()),
            Err(error) => {
                assert_eq!(error.offset(), start, "the fault is in the tag");
                break check(body, &error);
            }
        };
        assert!((1..=Tag::MAX_FIELD_NUMBER).contains(&tag.field_number()));
        assert!((start + 1..=start + 5).contains(&reader.offset()));
        let value = reader.clone();
        match reader.skip_field(tag) {
            Ok(()) => field(body, tag, &value, &reader, depth),
            Err(error) => {
                check(body, &error);
                break cannot_be_read(body, tag, &value);
            }
        }
        assert!(reader.offset() > start, "every field takes a byte");
    }
}

/// Reads the value of `tag`, which is known to end where `after` stands, in every way.
fn field(body: &[u8], tag: Tag, value: &Reader<'_>, after: &Reader<'_>, depth: usize) {
    let mut reader = value.clone();
    match tag.wire_type() {
        WireType::Varint => {
            let varint = reader.read_varint().expect("it was skipped");
            assert_eq!(value.clone().read_bool(), Ok(varint != 0));
            assert_eq!(value.clone().read_uint32(), Ok(varint as u32));
            assert_eq!(value.clone().read_int64(), Ok(varint as i64));
            assert_eq!(value.clone().read_enum(), Ok(varint as i32));
            assert_eq!(value.clone().read_sint64().map(wire::zigzag_encode64), Ok(varint));
            assert_eq!(value.clone().read_sint32().map(wire::zigzag_encode32), Ok(varint as u32));
            written(
                wire::uint64_len(tag, varint),
                |writer| writer.write_uint64(tag, varint),
                |reader| {
                    assert_eq!(reader.read_uint64(), Ok(varint));
                },
            );
            assert_eq!(repeated::<Uint64>(value, tag), Ok(vec![varint]));
        }
        WireType::I64 => {
            let bits = reader.read_fixed64().expect("it was skipped");
            assert_eq!(value.clone().read_double().map(f64::to_bits), Ok(bits));
            assert_eq!(value.clone().read_sfixed64(), Ok(bits as i64));
            let double = f64::from_bits(bits);
            written(
                wire::double_len(tag),
                |writer| writer.write_double(tag, double),
                |reader| {
                    assert_eq!(reader.read_double().map(f64::to_bits), Ok(bits));
                },
            );
        }
        WireType::I32 => {
            let bits = reader.read_fixed32().expect("it was skipped");
            assert_eq!(value.clone().read_float().map(f32::to_bits), Ok(bits));
            assert_eq!(value.clone().read_sfixed32(), Ok(bits as i32));
            assert_eq!(repeated::<Fixed32>(value, tag), Ok(vec![bits]));
        }
        WireType::Len => {
            let bytes = reader.read_bytes().expect("it was skipped");
            delimited(body, tag, value, bytes, depth);
        }
        WireType::SGroup => {
            assert!(after.offset() > value.offset());
            return;
        }
        WireType::EGroup => panic!("it cannot be skipped"),
    }
    assert_eq!(reader.offset(), after.offset(), "all ways of reading end at the same place");
    assert_eq!(reader.rest(), after.rest());
}

/// Reads `bytes`, the value of `tag`, as everything that a length can stand in front of.
fn delimited(body: &[u8], tag: Tag, value: &Reader<'_>, bytes: &[u8], depth: usize) {
    match (value.clone().read_string(), std::str::from_utf8(bytes)) {
        (Ok(ours), Ok(theirs)) => assert_eq!(ours, theirs),
        (Err(error), Err(theirs)) => {
            check(body, &error);
            assert!(body[error.offset()..].starts_with(&bytes[theirs.valid_up_to()..]));
        }
        (ours, theirs) => panic!("{ours:?}, {theirs:?}"),
    }
    // Bytes deep inside are read once for each level above: what is cheap is enough for them.
    if depth < 4 {
        packed(body, tag, value, bytes);
    }
    match value.clone().read_message() {
        Ok(inner) => message(body, inner, depth + 1),
        Err(error) => {
            assert_eq!(depth, 100, "{error}");
        }
    }
}

/// Reads `bytes`, the value of `tag`, as packed lists, and writes them.
fn packed(body: &[u8], tag: Tag, value: &Reader<'_>, bytes: &[u8]) {
    match repeated::<Double>(value, tag) {
        Ok(doubles) => assert_eq!(doubles.len() * 8, bytes.len()),
        Err(error) => {
            check(body, &error);
            assert_ne!(bytes.len() % 8, 0);
        }
    }
    match repeated::<Sint64>(value, tag) {
        Ok(values) => {
            assert!(values.len() <= bytes.len());
            written(
                wire::packed_len::<Sint64>(tag, &values),
                |writer| writer.write_packed::<Sint64>(tag, &values),
                |reader| {
                    assert_eq!(repeated::<Sint64>(reader, tag), Ok(values.clone()));
                },
            );
        }
        Err(error) => check(body, &error),
    }
    written(
        wire::bytes_len(tag, bytes),
        |writer| writer.write_bytes(tag, bytes),
        |reader| {
            assert_eq!(reader.read_bytes(), Ok(bytes));
        },
    );
}

fn repeated<S: Scalar>(value: &Reader<'_>, tag: Tag) -> Result<Vec<S::Value>, DecodeError> {
    let mut values = Vec::new();
    value.clone().read_repeated::<S>(tag, |value| {
        values.push(value);
        Ok(())
    })?;
    Ok(values)
}

/// A value that cannot be skipped cannot be read either, and is at fault in the same way.
fn cannot_be_read(body: &[u8], tag: Tag, value: &Reader<'_>) {
    let error = match tag.wire_type() {
        WireType::Varint => value.clone().read_varint().map(drop),
        WireType::I64 => value.clone().read_double().map(drop),
        WireType::I32 => value.clone().read_float().map(drop),
        WireType::Len => value.clone().read_bytes().map(drop),
        WireType::SGroup | WireType::EGroup => return,
    };
    let error = error.expect_err("it was refused");
    check(body, &error);
    assert_eq!(value.clone().skip_field(tag), Err(error));
    assert_eq!(error.offset(), value.offset());
}

/// Checks that `write` writes a field of exactly `len` bytes, and lets `read` read its value.
fn written(
    len: usize,
    write: impl Fn(&mut Writer<'_>) -> Result<(), wire::BufferFull>,
    read: impl Fn(&mut Reader<'_>),
) {
    let mut out = vec![0; len];
    let mut writer = Writer::new(&mut out);
    write(&mut writer).expect("the length is right");
    assert_eq!((writer.written(), writer.remaining()), (len, 0));
    if let Some(short) = len.checked_sub(1) {
        assert!(write(&mut Writer::new(&mut vec![0; short])).is_err());
        let mut reader = Reader::new(&out).expect("short enough");
        reader.next_tag().expect("a tag").expect("is there");
        read(&mut reader);
    }
}

fn check(body: &[u8], error: &DecodeError) {
    assert!(error.offset() <= body.len(), "{error} is outside {} bytes", body.len());
    assert!(!error.to_string().is_empty());
}
