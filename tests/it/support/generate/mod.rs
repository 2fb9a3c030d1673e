//! Random values, and random wire bytes that are shaped like messages.

pub mod loki_push;
pub mod remote_write_v1;
pub mod remote_write_v2;

use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::bytes::Bytes;

pub fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        6 => "[a-z_]{1,12}",
        2 => Just("__name__".to_owned()),
        1 => Just(String::new()),
        2 => "\\PC{0,30}",
        1 => any::<String>(),
        1 => "[a-zé]{100,140}",
        1 => "[0-9]{300,400}",
    ]
}

pub fn double() -> impl Strategy<Value = f64> {
    prop_oneof![
        4 => any::<u64>().prop_map(f64::from_bits),
        2 => any::<i16>().prop_map(f64::from),
        1 => Just(0.0),
        1 => Just(-0.0),
        1 => Just(f64::from_bits(0x7ff0_0000_0000_0002)),
        1 => Just(f64::NAN),
    ]
}

pub fn timestamp() -> impl Strategy<Value = i64> {
    prop_oneof![
        4 => 1_600_000_000_000_i64..1_900_000_000_000,
        1 => any::<i64>(),
        1 => -200_i64..200,
        1 => (0_u32..63, any::<bool>()).prop_map(|(bits, less)| (1_i64 << bits) - i64::from(less)),
    ]
}

fn delta() -> impl Strategy<Value = i64> {
    prop_oneof![3 => -100_i64..100, 1 => any::<i64>()]
}

fn int(bytes: Bytes, field: u32, value: i64) -> Bytes {
    if value == 0 { bytes } else { bytes.int(field, value) }
}

fn double_field(bytes: Bytes, field: u32, value: f64) -> Bytes {
    if value.to_bits() == 0 { bytes } else { bytes.double(field, value) }
}

fn string(bytes: Bytes, field: u32, text: &str) -> Bytes {
    if text.is_empty() { bytes } else { bytes.len(field, text) }
}

/// Any number of `fields`, in any order, with an unknown one now and then.
fn message(
    fields: Vec<BoxedStrategy<Bytes>>,
    count: std::ops::Range<usize>,
) -> BoxedStrategy<Bytes> {
    let field = prop_oneof![12 => proptest::strategy::Union::new(fields), 1 => unknown()];
    vec(field, count).prop_map(|fields| fields.into_iter().fold(Bytes::new(), Bytes::raw)).boxed()
}

/// A varint of any value, sometimes longer than needed.
fn varint_bytes(field: u32) -> BoxedStrategy<Bytes> {
    let value = prop_oneof![any::<u64>(), 0_u64..300, timestamp().prop_map(|time| time as u64)];
    (value, prop_oneof![4 => Just(false), 1 => Just(true)])
        .prop_map(move |(value, longer)| padded(Bytes::new().tag(field, 0), value, longer))
        .boxed()
}

/// A varint in its shortest form, or with two more bytes where they fit.
fn padded(bytes: Bytes, value: u64, longer: bool) -> Bytes {
    let shortest = Bytes::new().bare_varint(value).build();
    if !longer || shortest.len() > 8 {
        return bytes.raw(shortest);
    }
    let (last, first) = shortest.split_last().expect("at least one byte");
    bytes.raw(first).raw([last | 0x80, 0x80, 0])
}

fn double_bytes(field: u32) -> BoxedStrategy<Bytes> {
    double().prop_map(move |value| Bytes::new().double(field, value)).boxed()
}

fn text_field(field: u32) -> BoxedStrategy<Bytes> {
    text().prop_map(move |text| Bytes::new().len(field, text)).boxed()
}

fn nested(field: u32, content: BoxedStrategy<Bytes>) -> BoxedStrategy<Bytes> {
    (content, prop_oneof![9 => Just(false), 1 => Just(true)])
        .prop_map(move |(content, longer)| {
            let content = content.build();
            padded(Bytes::new().tag(field, 2), content.len() as u64, longer).raw(content)
        })
        .boxed()
}

fn unknown() -> BoxedStrategy<Bytes> {
    let number = prop_oneof![Just(18_u32), Just(99), Just(0x1fff_ffff)];
    let content = prop_oneof![
        any::<u64>().prop_map(|value| (0_u8, Bytes::new().bare_varint(value))),
        any::<[u8; 8]>().prop_map(|value| (1, Bytes::new().raw(value))),
        vec(any::<u8>(), 0..9)
            .prop_map(|value| (2, Bytes::new().bare_varint(value.len() as u64).raw(value))),
        any::<[u8; 4]>().prop_map(|value| (5, Bytes::new().raw(value))),
        Just((3, Bytes::new().varint(1, 5).tag(2, 3).tag(2, 4).len(1, "in a group"))),
    ];
    (number, content)
        .prop_map(|(number, (wire_type, content))| {
            let field = Bytes::new().tag(number, wire_type).raw(content);
            if wire_type == 3 { field.tag(number, 4) } else { field }
        })
        .boxed()
}

/// A change to bytes; places are taken modulo the length.
#[derive(Clone, Debug)]
enum Change {
    Set(usize, u8),
    Flip(usize, u8),
    Insert(usize, u8),
    Remove(usize, usize),
    Repeat(usize, usize, usize),
    Cut(usize),
}

/// The bytes of `source`, with a few changes.
pub fn mutated(source: impl Strategy<Value = Vec<u8>>) -> impl Strategy<Value = Vec<u8>> {
    // Half of the new bytes are such that mean something.
    let byte = || {
        prop_oneof![
            any::<u8>(),
            prop::sample::select(
                &[
                    0x00, 0x07, 0x08, 0x0a, 0x0b, 0x0c, 0x0d, 0x10, 0x12, 0x1a, 0x22, 0x7f, 0x80,
                    0xff
                ][..]
            )
        ]
    };
    let change = prop_oneof![
        (any::<usize>(), byte()).prop_map(|(at, byte)| Change::Set(at, byte)),
        (any::<usize>(), 0_u8..8).prop_map(|(at, bit)| Change::Flip(at, bit)),
        (any::<usize>(), byte()).prop_map(|(at, byte)| Change::Insert(at, byte)),
        (any::<usize>(), 0_usize..9).prop_map(|(at, len)| Change::Remove(at, len)),
        (any::<usize>(), 0_usize..40, any::<usize>())
            .prop_map(|(at, len, to)| Change::Repeat(at, len, to)),
        any::<usize>().prop_map(Change::Cut),
    ];
    (source, vec(change, 1..4)).prop_map(|(mut bytes, changes)| {
        for change in changes {
            apply(&mut bytes, &change);
        }
        bytes
    })
}

fn apply(bytes: &mut Vec<u8>, change: &Change) {
    let place = |at: usize| at % (bytes.len() + 1);
    match *change {
        Change::Insert(at, byte) => bytes.insert(place(at), byte),
        Change::Cut(at) => bytes.truncate(place(at)),
        _ if bytes.is_empty() => {}
        Change::Set(at, byte) => {
            let at = at % bytes.len();
            bytes[at] = byte;
        }
        Change::Flip(at, bit) => {
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
        }
        Change::Remove(at, len) => {
            let (at, end) = (place(at), (place(at) + len).min(bytes.len()));
            drop(bytes.drain(at..end));
        }
        Change::Repeat(at, len, to) => {
            let (at, to) = (place(at), place(to));
            let piece = bytes[at..(at + len).min(bytes.len())].to_vec();
            drop(bytes.splice(to..to, piece));
        }
    }
}
