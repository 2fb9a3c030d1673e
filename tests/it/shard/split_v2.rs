//! Splitting remote write 2.0. What holds for any request is in `oracle::split`.

use borrowire::Encode;
use borrowire::remote_write::v2::{DecodeOptions, Format, Request};
use borrowire::remote_write::{Extensions, RequestSource};
use borrowire::shard::{Split, Splitter};

use crate::support::bytes::v2::{packed, refs, request, symbols};
use crate::support::bytes::{Bytes, sample};

fn parts(body: &[u8], options: &DecodeOptions, shard_of: impl Fn(usize) -> u32) -> Vec<Vec<u8>> {
    let request = Request::decode_with(body, options).unwrap();
    let mut splitter = Splitter::new();
    let mut split = splitter.split_by_position(&request, shard_of);
    split.parts().map(|(_, part)| part.encode_to_vec().unwrap()).collect()
}

#[test]
fn parts_have_the_symbols_that_they_use() {
    let exemplar = |refs: Bytes| refs.double(2, 0.5).varint(44, 1);
    // References in one field, one by one, and in two; unknown fields at every level.
    let first = Bytes::new()
        .varint(99, 1)
        .varint(1, 1)
        .varint(1, 2)
        .len(2, sample(1.0, 2).varint(55, 3))
        .len(4, exemplar(refs(&[5, 6])))
        .len(5, Bytes::new().varint(4, 7).varint(1, 2).varint(66, 1).varint(3, 2));
    let second = refs(&[3, 4]);
    let third = refs(&[1]).len(1, packed(&[4]));
    let texts = ["", "a", "b", "c", "d", "trace", "id", "seconds", "unused"];
    let body = Bytes::new()
        .varint(2, 1)
        .raw(request(&texts, &[first, second.clone(), third]))
        .varint(1000, 1)
        .len(50, "of the request itself")
        .build();
    let first = refs(&[1, 2])
        .varint(99, 1)
        .len(2, sample(1.0, 2).varint(55, 3))
        .len(4, exemplar(refs(&[3, 4])))
        .len(5, Bytes::new().varint(4, 5).varint(1, 2).varint(66, 1).varint(3, 2));
    let expected = [
        request(&["", "a", "b", "trace", "id", "seconds", "d"], &[first, refs(&[1, 6])]),
        request(&["", "c", "d"], &[refs(&[1, 2])]),
    ];
    assert_eq!(parts(&body, &DecodeOptions::new(), |at| at as u32 % 2), expected);
}

#[test]
fn common_symbols_keep_their_numbers() {
    let body = request(&["", "own", "other"], &[refs(&[1, 65]), refs(&[1, 66]), refs(&[19, 64])]);
    let common = DecodeOptions::new().with_format(Format::MimirRecord);
    let expected = [
        request(&["", "own"], &[refs(&[1, 65])]),
        request(&["", "other"], &[refs(&[1, 65])]),
        // An empty text has one number.
        request(&[""], &[refs(&[19, 0])]),
    ];
    assert_eq!(parts(&body, &common, |at| at as u32), expected);
}

#[test]
fn numbers_of_more_bytes_and_symbols_behind_the_series() {
    let texts: Vec<String> =
        (0..300).map(|n| if n == 0 { String::new() } else { n.to_string() }).collect();
    let texts: Vec<&str> = texts.iter().map(|text| &text[..]).collect();
    let series: Vec<Bytes> = (1..299).map(|n| refs(&[n, n + 1])).collect();
    let body = series.iter().fold(Bytes::new(), |body, series| body.len(5, series));
    let body = body.raw(symbols(&texts)).build();
    let parts = parts(&body, &DecodeOptions::new(), |at| u32::from(at >= 290));
    assert_eq!(parts[0], request(&texts[..292], &series[..290]));
    let rest: Vec<Bytes> = (1..9).map(|n| refs(&[n, n + 1])).collect();
    let own: Vec<&str> = [""].into_iter().chain(texts[291..].iter().copied()).collect();
    assert_eq!(parts[1], request(&own, &rest));
}

#[test]
fn a_first_symbol_that_is_not_empty_stays_the_first() {
    let body = request(&["x", "x", "", "a"], &[refs(&[0, 3, 1, 2]), refs(&[3, 0])]);
    let expected = [
        request(&["x", "a", "x", ""], &[refs(&[0, 1, 2, 3])]),
        request(&["x", "a"], &[refs(&[1, 0])]),
    ];
    assert_eq!(parts(&body, &DecodeOptions::new(), |at| at as u32), expected);
}

#[test]
fn a_series_goes_to_several_shards_or_none() {
    let body = request(&["", "a", "b", "c"], &[refs(&[1, 2]), refs(&[2, 3]), refs(&[1, 3])]);
    let decoded = Request::decode(&body).unwrap();
    let mut splitter = Splitter::new();
    let collect = |mut split: Split<'_, Request<'_>>| -> Vec<_> {
        split.parts().map(|(shard, part)| (shard, part.encode_to_vec().unwrap())).collect()
    };
    let split = splitter.replicate(&decoded, |series| match series.labels()[0].value {
        "b" => vec![7, 2, 7],
        _ if series.label("b").is_some() => vec![],
        _ => vec![2],
    });
    let expected = [
        (2, request(&["", "a", "b", "c"], &[refs(&[1, 2]), refs(&[1, 3])])),
        (7, request(&["", "a", "b"], &[refs(&[1, 2])])),
    ];
    assert_eq!(collect(split), expected);

    // Each series to a shard of its own, and to one that all have.
    let mut own = 0..;
    let prepared = splitter.prepare(&decoded).with_max_bytes(14);
    let mut split = prepared.replicate(|_| [own.next().unwrap(), 3]);
    let shards: Vec<_> = split.parts().map(|(shard, _)| shard).collect();
    assert_eq!((shards, split.oversized().len()), (vec![0, 1, 2, 3, 3, 3], 0));
    let mut own = 0..;
    let prepared = splitter.prepare(&decoded).with_max_bytes(13);
    let mut split = prepared.replicate(|_| [own.next().unwrap(), 3]);
    let oversized: Vec<_> = split.oversized().map(|one| (one.index, one.part_len)).collect();
    assert_eq!(oversized, [(0, 14), (1, 14), (2, 14)]);
    assert_eq!(split.parts().len(), 0);
}

#[test]
fn sizes_count_symbols_and_fields() {
    let body = request(&["", "a", "b", "c"], &[refs(&[1, 2]), refs(&[1, 3]), refs(&[2, 3])]);
    let decoded = Request::decode(&body).unwrap();
    let own = Extensions::new().with_source(RequestSource::RULE);
    let mut splitter = Splitter::new();
    let mut lens = |max_bytes, extensions| {
        let prepared = splitter.prepare(&decoded);
        let prepared = prepared.with_max_bytes(max_bytes).with_extensions(extensions);
        let mut split = prepared.split_by_position(|_| 0);
        let oversized: Vec<_> = split.oversized().map(|one| (one.index, one.part_len)).collect();
        (split.parts().map(|(_, part)| part.encoded_len()).collect::<Vec<_>>(), oversized)
    };
    // The empty symbol 2, others 3 each, a series 6.
    let none = Extensions::new();
    assert_eq!(lens(29, none), (vec![29], vec![]));
    assert_eq!(lens(28, none), (vec![23, 14], vec![]));
    assert_eq!(lens(22, none), (vec![14; 3], vec![]));
    assert_eq!(lens(13, none), (vec![], vec![(0, 14), (1, 14), (2, 14)]));
    assert_eq!(lens(31, own), (vec![31], vec![]));
    assert_eq!(lens(30, own), (vec![25, 16], vec![]));
    assert_eq!(splitter.split_by_size(&decoded, 28).parts().len(), 2);
}

#[test]
fn a_request_without_a_body_is_encoded() {
    let mut splitter = Splitter::new();
    let empty = Request::default();
    assert_eq!(splitter.split(&empty, |_| 0).parts().len(), 0);
    let all = refs(&[1, 2])
        .len(2, sample(1.0, 2))
        .len(3, Bytes::new().varint(1, 3))
        .len(4, refs(&[3, 2]).double(2, 0.5))
        .len(5, Bytes::new().varint(1, 2).varint(3, 4).varint(4, 3));
    let body = request(&["", "a", "b", "c", "help"], &[refs(&[1, 2]), all]);
    let prost: borrowire::proto::prometheus_v2::Request =
        prost::Message::decode(&body[..]).unwrap();
    let converted = Request::from_prost(&prost).unwrap();
    let mut split = splitter.split_by_position(&converted, |at| at as u32);
    let of_converted: Vec<_> =
        split.parts().map(|(_, part)| part.encode_to_vec().unwrap()).collect();
    assert_eq!(of_converted, parts(&body, &DecodeOptions::new(), |at| at as u32));
}
