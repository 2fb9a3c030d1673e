//! Every scalar type of protobuf in a repeated field: packed, one by one, and both.

use std::fmt::Debug;

use borrowire::wire::{
    self, Bool, Double, Enum, Fixed32, Fixed64, Float, Int32, Int64, Reader, Scalar, Sfixed32,
    Sfixed64, Sint32, Sint64, Tag, Uint32, Uint64, WireType, Writer,
};

use crate::support::bytes::{Bytes, zigzag};

/// Checks `values` of a scalar type against `encode`, which tells the bytes of one.
fn check<S>(values: &[S::Value], wire_type: WireType, encode: impl Fn(S::Value) -> Bytes)
where
    S: Scalar,
    S::Value: Debug,
{
    let shown = |values: &[S::Value]| format!("{values:?}");
    for number in [1, 15, 16, Tag::MAX_FIELD_NUMBER] {
        let tag = Tag::new(number, wire_type);
        let block = values.iter().fold(Bytes::new(), |block, &value| block.raw(encode(value)));
        let packed = Bytes::new().len(number, block).build();

        assert_eq!(wire::packed_len::<S>(tag.packed(), values), packed.len());
        let mut out = vec![0; packed.len()];
        let mut writer = Writer::new(&mut out);
        writer.write_packed::<S>(tag.packed(), values).unwrap();
        assert_eq!((writer.remaining(), &out), (0, &packed), "{}", shown(values));
        assert!(Writer::new(&mut out[1..]).write_packed::<S>(tag.packed(), values).is_err());

        // One by one, then packed, then one by one again, with something else in between.
        let mut body = Vec::new();
        let one_by_one = |body: &mut Vec<u8>| {
            for &value in values {
                body.extend(
                    Bytes::new().bare_varint(tag.value().into()).raw(encode(value)).build(),
                );
                assert_eq!(S::len(value), encode(value).build().len());
            }
        };
        one_by_one(&mut body);
        body.extend(packed);
        body.extend(Bytes::new().fixed32(77, 7).build());
        one_by_one(&mut body);
        let mut found = Vec::new();
        let mut reader = Reader::new(&body).unwrap();
        while let Some(next) = reader.next_tag().unwrap() {
            if next == tag || next == tag.packed() {
                reader
                    .read_repeated::<S>(next, |value| {
                        found.push(value);
                        Ok(())
                    })
                    .unwrap();
            } else {
                reader.skip_field(next).unwrap();
            }
        }
        assert_eq!(shown(&found), shown(&[values, values, values].concat()));
    }
}

#[test]
fn varints() {
    let varint = |value: u64| Bytes::new().bare_varint(value);
    check::<Bool>(&[true, false, true], WireType::Varint, |value| varint(value.into()));
    let ints = [0, 1, -1, 63, 64, 127, 128, i32::MIN, i32::MAX];
    check::<Int32>(&ints, WireType::Varint, |value| varint(i64::from(value) as u64));
    check::<Enum>(&ints, WireType::Varint, |value| varint(i64::from(value) as u64));
    check::<Sint32>(&ints, WireType::Varint, |value| varint(zigzag(value.into())));
    check::<Uint32>(&ints.map(|value| value as u32), WireType::Varint, |value| {
        varint(value.into())
    });
    let longs = [0, 1, -1, 1 << 35, -(1 << 35), 1 << 56, i64::MIN, i64::MAX];
    check::<Int64>(&longs, WireType::Varint, |value| varint(value as u64));
    check::<Sint64>(&longs, WireType::Varint, |value| varint(zigzag(value)));
    check::<Uint64>(&longs.map(|value| value as u64), WireType::Varint, varint);
}

#[test]
fn values_of_fixed_size() {
    let raw = |bytes: &[u8]| Bytes::new().raw(bytes);
    let doubles = [0.0, -0.0, 1.5, f64::INFINITY, f64::MIN_POSITIVE];
    check::<Double>(&doubles, WireType::I64, |value| raw(&value.to_le_bytes()));
    check::<Float>(&[0.0, -0.0, 1.5, f32::NEG_INFINITY], WireType::I32, |value| {
        raw(&value.to_le_bytes())
    });
    check::<Fixed32>(&[0, 1, u32::MAX], WireType::I32, |value| raw(&value.to_le_bytes()));
    check::<Fixed64>(&[0, 1, u64::MAX], WireType::I64, |value| raw(&value.to_le_bytes()));
    check::<Sfixed32>(&[0, -1, i32::MIN], WireType::I32, |value| raw(&value.to_le_bytes()));
    check::<Sfixed64>(&[0, -1, i64::MIN], WireType::I64, |value| raw(&value.to_le_bytes()));
}

#[test]
fn a_value_over_32_bits_is_cut_to_them() {
    for (bytes, sint, int) in
        [([0x81, 0x80, 0x80, 0x80, 0x10], -1, 1), ([0xff, 0xff, 0xff, 0xff, 0x7f], i32::MIN, -1)]
    {
        let read = |bytes| Reader::new(bytes).unwrap();
        assert_eq!(read(&bytes).read_sint32(), Ok(sint));
        assert_eq!(read(&bytes).read_int32(), Ok(int));
        assert_eq!(read(&bytes).read_enum(), Ok(int));
        assert_eq!(read(&bytes).read_uint32(), Ok(int as u32));
        assert_eq!(read(&bytes).read_bool(), Ok(true));
    }
}
