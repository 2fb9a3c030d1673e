//! What requests of OTLP allocate: nothing after the first ones, to read, check, write and split them; and
//! from hostile bytes a few bytes for each of theirs.

use std::hint::black_box;

use borrowire::Encode;
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::otlp::{DecodeOptions, ItemSplitter, Rules};
use borrowire::reuse::Decoder;

use crate::bytes::Bytes;
use crate::heap;

const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

pub fn run() {
    floods_stay_under_24_bytes_a_byte();
    let _profiler = heap::profiler();
    nothing_after_the_first_ones();
}

fn attribute(key: &str, value: Bytes) -> Bytes {
    Bytes::new().len(1, key).len(2, value)
}

/// Bodies of logs and of metrics, with something of everything.
fn bodies() -> [Vec<u8>; 2] {
    let nested = Bytes::new().len(5, Bytes::new().len(1, Bytes::new().int(3, 7)));
    let attributes = [
        attribute("text", Bytes::new().len(1, "value")),
        attribute("number", Bytes::new().int(3, 500)),
        attribute("list", nested),
    ];
    let with = |field| attributes.iter().fold(Bytes::new(), |bytes, it| bytes.len(field, it));
    let record = with(6).len(3, "INFO").len(5, Bytes::new().len(1, "line")).len(9, [7; 16]);
    let number = with(7).double(4, 1.5).varint(8, 1).len(5, with(7).double(3, 1.0));
    let histogram = with(9).len(6, [0; 64]).packed_doubles(7, &[0.5; 7]).len(8, with(7));
    let exponential = with(1).len(8, Bytes::new().len(2, [1, 2, 3]));
    let summary = with(7).len(6, Bytes::new().double(1, 0.5));
    let points = |point: Bytes| Bytes::new().raw(Bytes::new().len(1, point).build().repeat(30));
    let metrics = [(5, number), (9, histogram), (10, exponential), (11, summary)];
    let metrics = metrics.map(|(field, point)| {
        Bytes::new().len(1, "name").len(field, points(point)).len(12, &attributes[0])
    });
    let request = |children: &[Bytes]| {
        let scope =
            children.iter().fold(Bytes::new().len(1, with(3)), |scope, child| scope.len(2, child));
        let resource = Bytes::new().len(1, with(1).varint(2, 1)).len(2, scope).len(3, "url");
        Bytes::new().len(1, resource).build().repeat(20)
    };
    let bad = with(6).len(9, "x");
    [request(&[record.clone(), bad, record]), request(&metrics)]
}

fn nothing_after_the_first_ones() {
    let [logs, metrics] = bodies();
    let mut out = vec![0; 2 * (logs.len() + metrics.len())];
    let mut splitter = ItemSplitter::new().with_max_bytes(4000);
    macro_rules! all_of {
        ($request:ident, $body:expr) => {
            let mut decoder = Decoder::<$request>::new().with_options(PARTIAL);
            let mut all = || {
                let request = decoder.decode($body).unwrap();
                let mut found = 0;
                request.validate(&Rules::new(), |_| found += 1);
                black_box(request.items().map(|item| black_box(item)).count());
                assert_eq!(request.encode(&mut out), Ok(request.encoded_len()));
                let split = splitter.split_by_position(&*request, |at| at as u32 % 5);
                let len = split.parts().map(|(_, part)| part.encode(&mut out).unwrap());
                black_box(len.sum::<usize>() + found);
            };
            all();
            all();
            assert_eq!(heap::blocks(&mut all), 0, stringify!($request));
        };
    }
    all_of!(ExportLogsServiceRequest, &logs);
    all_of!(ExportMetricsServiceRequest, &metrics);
}

/// The cheapest of each element, as often as can be.
fn floods_stay_under_24_bytes_a_byte() {
    let around = |fields: &[u32], content: Vec<u8>| {
        fields
            .iter()
            .rev()
            .fold(content, |content, &field| Bytes::new().len(field, content).build())
    };
    let point = |data: u32, content: Vec<u8>| around(&[1, 2, 2, data, 1], content);
    for count in [1, 1000, 100_000] {
        let times = |piece: &[u8]| piece.repeat(count);
        let bodies = [
            times(&[0x0a, 0]),
            around(&[1], times(&[0x12, 0])),
            around(&[1, 1], times(&[0x0a, 0])),
            around(&[1, 2], times(&[0x12, 0])),
            around(&[1, 2], times(&[0x12, 2, 0x62, 0])),
            around(&[1, 2, 2], times(&[0x32, 0])),
            around(&[1, 2, 2, 5], times(&[0x0a, 0])),
            around(&[1, 2, 2, 5], times(&[0x0a, 2, 0x40, 1])),
            around(&[1, 2, 2, 9], times(&[0x0a, 0])),
            around(&[1, 2, 2, 10], times(&[0x0a, 2, 0x42, 0])),
            around(&[1, 2, 2, 11], times(&[0x0a, 0])),
            point(5, times(&[0x2a, 0])),
            point(5, times(&[0x3a, 0])),
            point(5, times(&[0x3a, 5, 0x0a, 1, b'k', 0x12, 0])),
            point(10, Bytes::new().len(8, Bytes::new().len(2, times(&[1]))).build()),
            point(11, times(&[0x32, 0])),
        ];
        for (number, body) in bodies.iter().enumerate() {
            let bound = 24 * body.len() + 4096;
            let logs = heap::peak_bytes(|| ExportLogsServiceRequest::decode_with(body, &PARTIAL));
            assert!(logs <= bound, "logs, flood {number} of {count}: {logs} over {bound}");
            let metrics =
                heap::peak_bytes(|| ExportMetricsServiceRequest::decode_with(body, &PARTIAL));
            assert!(metrics <= bound, "metrics, flood {number} of {count}: {metrics} over {bound}");
        }
    }
}
