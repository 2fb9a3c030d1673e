//! What hostile bytes can make a decoder allocate: a few bytes for each of theirs, and nothing for a
//! length that is only promised.

use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};

use crate::bytes::{Bytes, label};
use crate::heap;

/// Bytes of storage for one byte of input, at the most.
const FACTOR: usize = 24;
/// Bytes that each kind of element may take beyond that, for the first few.
const FIRST: usize = 704;

/// Small elements over and over: in the message that the fields `way` lead to, each of `pieces` as
/// often as all others, one kind after the other.
struct Flood {
    name: &'static str,
    /// How many lists of storage it fills.
    lists: usize,
    way: &'static [u32],
    pieces: Vec<Vec<u8>>,
}

impl Flood {
    fn body(&self, count: usize) -> Vec<u8> {
        let content: Vec<u8> = self.pieces.iter().flat_map(|piece| piece.repeat(count)).collect();
        nested(self.way, content)
    }
}

/// `content` as a field in a field ..., outermost first.
fn nested(way: &[u32], content: Vec<u8>) -> Vec<u8> {
    way.iter().rev().fold(content, |inner, &field| Bytes::new().len(field, inner).build())
}

fn floods() -> Vec<Flood> {
    let flood = |name, lists, way, pieces: &[&[u8]]| Flood {
        name,
        lists,
        way,
        pieces: pieces.iter().map(|piece| piece.to_vec()).collect(),
    };
    let text = |field, content: &[u8]| Bytes::new().len(field, content).build();
    let entry = Bytes::new().len(3, Bytes::new().len(2, "m").len(4, "h").len(5, "u")).build();
    let long = text(1, label("a", "v".repeat(130)).as_ref());
    let full = Bytes::new()
        .varint(1, 1)
        .double(3, 1.0)
        .sint(4, 1)
        .varint(6, 1)
        .len(8, "")
        .packed_sints(9, &[1]);
    vec![
        flood("series", 1, &[], &[&[0x0a, 0x00]]),
        flood("metadata", 1, &[], &[&[0x1a, 0x00]]),
        flood("metadata with texts", 2, &[], &[&entry]),
        flood("metadata with one text", 2, &[], &[&text(3, &text(2, b"m"))]),
        flood("labels", 2, &[1], &[&[0x0a, 0x00]]),
        flood("labels of a byte", 2, &[1], &[&text(1, &text(1, b"a"))]),
        flood("long labels", 2, &[1], &[&long]),
        flood("series of a label", 2, &[], &[&text(1, &[0x0a, 0x00])]),
        flood("samples", 2, &[1], &[&[0x12, 0x00]]),
        flood("series of a sample", 2, &[], &[&text(1, &[0x12, 0x00])]),
        flood("exemplars", 2, &[1], &[&[0x1a, 0x00]]),
        flood("exemplar labels", 3, &[1, 3], &[&[0x0a, 0x00]]),
        flood("exemplars of a label", 3, &[1], &[&text(3, &[0x0a, 0x00])]),
        flood("histograms", 3, &[1], &[&[0x22, 0x00]]),
        flood("series of a histogram", 3, &[], &[&text(1, &[0x22, 0x00])]),
        flood("histograms with a count", 3, &[1], &[&text(4, &[0x08, 0x00])]),
        flood("histograms with a span", 4, &[1], &[&text(4, &[0x42, 0x00])]),
        flood("histograms with a delta", 4, &[1], &[&text(4, &[0x48, 0x01])]),
        flood("full histograms", 5, &[1], &[&text(4, full.as_ref())]),
        flood("spans", 4, &[1, 4], &[&[0x42, 0x00]]),
        flood("spans of both sides", 5, &[1, 4], &[&[0x42, 0x00], &[0x5a, 0x00]]),
        flood("packed deltas", 4, &[1, 4, 12], &[&[0x01]]),
        flood("unpacked deltas", 5, &[1, 4], &[&[0x60, 0x01], &[0x48, 0x01]]),
        flood("packed counts", 4, &[1, 4, 13], &[&[0; 8]]),
        flood("created timestamps", 2, &[], &[&text(1, &[0x30, 0x01])]),
        flood("unknown fields", 0, &[], &[&[0x78, 0x00]]),
        flood("bad series", 2, &[], &[&text(1, &text(1, &text(1, b"\xff")))]),
        flood("bad metadata", 1, &[], &[&text(3, &text(2, b"\xff"))]),
        flood("series and metadata", 2, &[], &[&[0x0a, 0x00, 0x1a, 0x00]]),
        flood("labels and samples", 3, &[1], &[&[0x0a, 0x00, 0x12, 0x00]]),
        flood(
            "everything in a series",
            6,
            &[1],
            &[&[0x0a, 0x00, 0x12, 0x00, 0x1a, 0x00, 0x22, 0x00]],
        ),
        flood(
            "one after the other",
            6,
            &[1],
            &[&[0x0a, 0x00], &[0x12, 0x00], &[0x1a, 0x00], &[0x22, 0x00]],
        ),
    ]
}

/// Numbers of elements just behind each step of a list that grows by a third, where most is in
/// reserve, and some small ones.
fn counts() -> impl Iterator<Item = usize> {
    let steps = std::iter::successors(Some(16_usize), |step| Some(step + (step / 3).max(16)));
    let steps = steps.take_while(|&step| step < 20_000);
    [0, 1, 2, 15, 16].into_iter().chain(steps.flat_map(|step| [step, step + 1]))
}

pub fn run() {
    let options = DecodeOptions::new().with_partial(true);
    for flood in floods() {
        for count in counts() {
            let body = flood.body(count);
            let mut capacity = 0;
            let peak = heap::peak_bytes(|| {
                let request = WriteRequest::decode_with(&body, &options).unwrap();
                capacity = request.capacity_bytes();
                request
            });
            let bound = FACTOR * body.len() + FIRST * flood.lists;
            let about = || format!("{count} {}, {} bytes of input", flood.name, body.len());
            assert!(peak <= bound, "{}: {peak} allocated", about());
            assert!(capacity <= peak, "{}: {capacity} said, {peak} allocated", about());
            // All that is allocated is storage that is kept.
            assert_eq!(peak, capacity, "{}", about());
        }
    }

    // Lengths of 4 GiB and more, with too few bytes behind, of every field that has one or may.
    let ways: [&[u32]; 8] = [&[], &[1], &[1, 1], &[1, 3], &[1, 3, 1], &[1, 4], &[1, 4, 8], &[3]];
    for way in ways {
        for field in 1..18 {
            for length in [0xffff_ffff, 1 << 32, 0x7fff_ffff, u64::MAX] {
                let promise = Bytes::new().tag(field, 2).bare_varint(length).raw([0; 8]);
                let body = nested(way, promise.build());
                let peak = heap::peak_bytes(|| {
                    assert!(WriteRequest::decode_with(&body, &options).is_err(), "{way:?} {field}");
                });
                assert_eq!(peak, 0, "{way:?} {field} {length:x}");
            }
        }
    }
}
