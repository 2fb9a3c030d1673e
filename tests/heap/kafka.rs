//! After the first requests, records are written and read without allocating, in whatever version and
//! however they are cut; looking a partition up never allocates.

use borrowire::convert::remote_write::ToV1;
use borrowire::kafka::{
    LokiReader, LokiWriter, MimirReader, MimirVersion, MimirWriter, PartitionRing,
};
use borrowire::loki::PushRequest;
use borrowire::remote_write::MimirTokens;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::Request;
use borrowire::reuse::Decoder;

use crate::bytes::v2::{refs, request};
use crate::bytes::{Bytes, label, sample};
use crate::heap;

/// Series with exemplars, histograms and metadata, in numbers that no first guess of capacity holds.
fn body_1() -> Vec<u8> {
    let series = |n: u32| {
        let exemplar = Bytes::new().len(1, label("trace_id", format!("{n:032}")));
        Bytes::new()
            .len(1, label("__name__", format!("metric_{}", n % 50)))
            .len(1, label("instance", format!("host-{n}")))
            .len(2, sample(if n.is_multiple_of(5) { -0.0 } else { 1.0 }, n.into()))
            .len(3, exemplar)
            .len(4, Bytes::new().varint(1, 3))
    };
    let metadata = |n: u32| Bytes::new().varint(1, 1).len(2, format!("metric_{n}"));
    let body = (0..300).fold(Bytes::new(), |body, n| body.len(1, series(n)));
    (0..70).fold(body, |body, n| body.len(3, metadata(n))).build()
}

fn body_2() -> Vec<u8> {
    let texts: Vec<String> = (0..200).map(|n| format!("text {n}")).collect();
    let mut symbols = vec!["", "__name__"];
    symbols.extend(texts.iter().map(|text| &text[..]));
    let series: Vec<_> = (0..190)
        .map(|n| refs(&[1, 2 + n, 3 + n, 4 + n]).len(5, Bytes::new().varint(1, 1).varint(3, 9)))
        .collect();
    request(&symbols, &series)
}

fn push() -> Vec<u8> {
    let entry = |n: u32| {
        let time = Bytes::new().varint(1, u64::from(n));
        Bytes::new().len(1, time).len(2, format!("line {n}")).len(3, label("n", n.to_string()))
    };
    let stream = |n: u32| {
        let labels = Bytes::new().len(1, format!("{{stream=\"{n}\"}}"));
        (0..40).fold(labels, |stream, n| stream.len(2, entry(n)))
    };
    (0..20).fold(Bytes::new(), |body, n| body.len(1, stream(n))).build()
}

pub fn run() {
    let _profiler = heap::profiler();
    let (of_1, of_2, of_loki) = (body_1(), body_2(), push());
    let ring = PartitionRing::with_active(20).unwrap();
    let (mut decoder_1, mut decoder_2) =
        (Decoder::<WriteRequest>::new(), Decoder::<Request>::new());
    let mut decoder_loki = Decoder::<PushRequest>::new();
    let (mut to_v1, mut tokens, mut memory) = (ToV1::new(), Vec::new(), Vec::new());
    let (mut mimir, mut loki) = (MimirReader::new(), LokiReader::new());
    let tenant = MimirTokens::new("tenant");
    let mut writers = Vec::new();
    for version in [MimirVersion::V0, MimirVersion::V1, MimirVersion::V2] {
        for raw in [true, false] {
            for max in [1 << 20, 2000] {
                let writer = MimirWriter::new(version).with_max_value_bytes(max);
                writers.push(writer.with_raw_records(raw));
            }
        }
    }
    let mut loki_writers = [1 << 20, 500].map(|max| LokiWriter::new().with_max_value_bytes(max));
    let mut all = || {
        let mut records = 0;
        for writer in &mut writers {
            let request = decoder_1.decode(&of_1).unwrap();
            tenant.tokens(&*request, &mut tokens);
            let whole = writer.encode("tenant", &*request, &mut memory).unwrap();
            records += whole.len();
            for record in whole {
                let headers = record.headers.iter().copied();
                let read = mimir.read(record.key, headers, record.value).unwrap();
                assert_eq!(read.tenant, "tenant");
            }
            let partition = |at: usize| ring.partition_for_key(tokens[at]).unwrap();
            let spread = writer.prepare(&*request).encode_by_position("t", &mut memory, partition);
            records += spread.unwrap().len();
            drop(request);
            let request = decoder_2.decode(&of_2).unwrap();
            let converted = to_v1.convert(&request, |_| {});
            records += writer.encode("tenant", &converted, &mut memory).unwrap().len();
        }
        for writer in &mut loki_writers {
            let push = decoder_loki.decode(&of_loki).unwrap();
            for record in writer.encode("tenant", push.streams(), &mut memory).unwrap() {
                assert!(loki.read(record.key, record.value).unwrap().stream().is_some());
                records += 1;
            }
        }
        records
    };
    let first = all();
    assert!(first > 200, "there are many: {first}");
    assert_eq!(all(), first);
    assert_eq!(heap::blocks(|| assert_eq!(all(), first)), 0);
}
