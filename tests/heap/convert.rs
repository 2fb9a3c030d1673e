//! After the first requests, conversions allocate nothing: neither to views, nor to bytes, whatever is
//! reported.

use borrowire::Encode;
use borrowire::convert::remote_write::{ToV1, ToV2};
use borrowire::remote_write::v1::{self, WriteRequest};
use borrowire::remote_write::v2::{self, Format, Request, Symbolizer};
use borrowire::reuse::Decoder;

use crate::bytes::v2::refs;
use crate::bytes::{self, Bytes, label, sample};
use crate::heap;

const SERIES: u32 = 300;

/// Series with metadata of their own and of others, and metadata without series: what fits and what does
/// not, in numbers that no first guess of capacity holds.
fn large_of_1() -> Vec<u8> {
    let body = (0..SERIES).fold(Bytes::new(), |body, n| {
        let name = format!("metric_{n}_sum");
        let series = Bytes::new().len(1, label("__name__", name)).len(2, sample(1.0, 2));
        body.len(1, series.len(4, Bytes::new().varint(1, 3)).int(6, 5))
    });
    let metadata = |body: Bytes, n: u32| {
        let name = format!("metric_{n}");
        body.len(3, Bytes::new().varint(1, 5).len(2, name).len(4, format!("help {}", n % 7)))
    };
    let body = (0..2 * SERIES).fold(body, metadata);
    (0..SERIES).fold(body, |body, n| metadata(body, n * 3)).build()
}

fn large_of_2() -> Vec<u8> {
    let names: Vec<String> = (0..SERIES).map(|n| format!("metric_{n}_sum")).collect();
    let texts: Vec<&str> = ["", "__name__"].into_iter().chain(names.iter().map(|n| &**n)).collect();
    let series: Vec<Bytes> = (0..2 * SERIES)
        .map(|n| {
            let metadata = Bytes::new().varint(1, 5).varint(3, u64::from(n / 5));
            refs(&[1, 2 + n % SERIES]).len(2, sample(1.0, 2).int(3, 1)).len(5, metadata)
        })
        .collect();
    bytes::v2::request(&texts, &series)
}

pub fn run() {
    let _profiler = heap::profiler();
    let of_1: Vec<_> = bytes::small_bodies().into_iter().map(|(_, body)| body).collect();
    let of_2: Vec<_> = bytes::v2::small_bodies().into_iter().map(|(_, body)| body).collect();
    let of_1 = [of_1, vec![large_of_1()]].concat();
    let of_2 = [of_2, vec![large_of_2()]].concat();
    let mut out = vec![0; 1 << 20];

    for format in [Format::Standard, Format::MimirRecord] {
        let options = v2::DecodeOptions::new().with_format(format);
        let mut to_v1 = ToV1::new();
        let mut to_v2 = ToV2::new().with_format(format);
        let mut symbolizer = Symbolizer::new().with_format(format);
        // A record is one of 1.0, converted.
        let of_2: Vec<Vec<u8>> = match format {
            Format::MimirRecord => of_1.iter().map(|body| record(body)).collect(),
            _ => of_2.clone(),
        };

        let (mut decoder_1, mut decoder_2) =
            (Decoder::<WriteRequest>::new(), Decoder::<Request>::new().with_options(options));
        let mut convert_all = || {
            let (mut losses, mut written) = (0, 0);
            for body in &of_1 {
                let request = decoder_1.decode(body).unwrap();
                let mut converted = to_v2.convert(&request, |_| losses += 1);
                assert!(converted.timeseries().count() >= request.timeseries().len());
                drop(converted.request(&mut symbolizer).unwrap());
                let symbolized = converted.symbolize(&mut symbolizer).unwrap();
                written += symbolized.encode(&mut out).unwrap();
                assert_eq!(symbolized.encode(&mut out), Ok(symbolized.encoded_len()));
            }
            for body in &of_2 {
                let request = decoder_2.decode(body).unwrap();
                let keep = v1::EncodeOptions::new().with_start_timestamps(true);
                for options in [v1::EncodeOptions::new(), keep] {
                    let mut converted = to_v1.convert_with(&request, options, |_| losses += 1);
                    drop(converted.request().unwrap());
                    assert!(converted.metadata().len() <= request.timeseries().len());
                    written += converted.encode(&mut out).unwrap();
                    assert_eq!(converted.encode(&mut out), Ok(converted.encoded_len()));
                }
            }
            (losses, written)
        };
        let first = convert_all();
        assert!(first.0 > 1 && first.1 > 1000, "there is something to convert: {first:?}");
        assert_eq!(convert_all(), first);
        assert_eq!(heap::blocks(|| assert_eq!(convert_all(), first)), 0);
        assert!(to_v1.capacity_bytes() > 0 && to_v2.capacity_bytes() > 0);
    }
    memory_is_bounded_by_the_body();
}

fn record(body: &[u8]) -> Vec<u8> {
    let request = WriteRequest::decode(body).unwrap();
    let mut to_v2 = ToV2::new().with_format(Format::MimirRecord);
    let converted = to_v2.convert(&request, |_| {});
    let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord);
    converted.symbolize(&mut symbolizer).unwrap().encode_to_vec().unwrap()
}

/// What a converter holds is bounded by what it converts: 24 bytes for each byte, as decoding is.
fn memory_is_bounded_by_the_body() {
    // Entries and series as short as they can be and still differ.
    let short = |n: u32| char::from_u32(0x100 + n).unwrap().to_string();
    let body = (0..0x600)
        .fold(Bytes::new(), |body, n| body.len(3, Bytes::new().varint(1, 1).len(2, short(n))));
    let body = body.build();
    let request = WriteRequest::decode(&body).unwrap();
    for format in [Format::Standard, Format::MimirRecord] {
        let mut to_v2 = ToV2::new().with_format(format);
        drop(to_v2.convert(&request, |_| {}));
        let capacity = to_v2.capacity_bytes();
        assert!(capacity <= 24 * body.len() + 4096, "{capacity} for {}", body.len());
    }

    let texts: Vec<String> = (0..0x600).map(short).collect();
    let texts: Vec<&str> =
        ["", "__name__"].into_iter().chain(texts.iter().map(|it| &**it)).collect();
    let series: Vec<_> =
        (2..0x602).map(|n| refs(&[1, n]).len(5, Bytes::new().varint(1, 1))).collect();
    let body = bytes::v2::request(&texts, &series);
    let request = Request::decode(&body).unwrap();
    let mut to_v1 = ToV1::new();
    assert_eq!(to_v1.convert(&request, |_| {}).metadata().len(), 0x600);
    let capacity = to_v1.capacity_bytes();
    assert!(capacity <= 24 * body.len() + 4096, "{capacity} for {}", body.len());
}
