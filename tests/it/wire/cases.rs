//! Messages byte by byte: what each decodes to, and which error at which place each faulty one is.
//! The table in `cases.tsv` is read by messages of the crate and by messages of this test, which
//! are written against the public `wire` module.

use borrowire::loki::{self, LabelPair, PushRequest, Timestamp};
use borrowire::remote_write::v1::{DecodeOptions, WriteRequest};
use borrowire::remote_write::v2::{self, Request, Symbolizer};
use borrowire::remote_write::{Label, Sample};
use borrowire::reuse::Decoder;
use borrowire::{Decode, DecodeError, DecodeErrorKind, Encode};

use crate::support::bytes::{self, Bytes};
use crate::support::wire_messages::{Nest, Parent, Scalars};

struct Case {
    id: &'static str,
    message: &'static str,
    bytes: Vec<u8>,
    result: Outcome,
}

/// What a decoder makes of bytes: the canonical encoding, or kind, field number and offset.
type Outcome = Result<Vec<u8>, (String, u32, usize)>;

fn cases() -> Vec<Case> {
    let lines = include_str!("cases.tsv").lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split('\t').collect();
            let [id, message, bytes, result, _] = columns[..] else { panic!("{line}") };
            let bytes = from_hex(bytes);
            let error: Vec<&str> = result.split(':').collect();
            let result = match error[..] {
                [kind, field, offset] => {
                    Err((kind.to_owned(), field.parse().unwrap(), offset.parse().unwrap()))
                }
                _ if result == "same" => Ok(bytes.clone()),
                _ => Ok(from_hex(result)),
            };
            Case { id, message, bytes, result }
        })
        .collect()
}

fn from_hex(hex: &str) -> Vec<u8> {
    if hex == "-" {
        return Vec::new();
    }
    assert!(hex.len().is_multiple_of(2), "{hex}");
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

fn outcome(encoded: Result<Vec<u8>, DecodeError>) -> Outcome {
    encoded.map_err(|error| (format!("{:?}", error.kind()), error.field_number(), error.offset()))
}

/// Decodes and encodes a message that stands alone.
fn alone<'a, M: Decode<'a> + Encode>(body: &'a [u8]) -> Outcome {
    outcome(M::decode(body).map(|message| {
        let encoded = message.encode_to_vec().unwrap();
        assert_eq!(encoded.len(), message.encoded_len());
        encoded
    }))
}

/// Decodes and encodes a sample as 1.0 has it: without its start timestamp.
fn alone_in_v1(body: &[u8]) -> Outcome {
    outcome(
        Sample::decode(body).map(|sample| sample.with_start_timestamp(0).encode_to_vec().unwrap()),
    )
}

/// Decodes and encodes a request, by every way of decoding.
fn request(body: &[u8]) -> Outcome {
    let fresh = outcome(WriteRequest::decode(body).map(|request| request.encode_to_vec().unwrap()));
    let mut decoder = Decoder::<WriteRequest>::new();
    for (_, used) in bytes::small_bodies() {
        drop(decoder.decode(&used).unwrap());
    }
    let reused = outcome(decoder.decode(body).map(|request| request.encode_to_vec().unwrap()));
    assert_eq!(reused, fresh, "a used decoder gives what a new one gives");
    let partial = WriteRequest::decode_with(body, &DecodeOptions::new().with_partial(true));
    let partial = outcome(partial.and_then(|request| match request.skipped() {
        [] => Ok(request.encode_to_vec().unwrap()),
        [skipped, ..] => Err(skipped.error),
    }));
    assert_eq!(partial, fresh, "partial mode finds the same fault at the same place");
    fresh
}

/// What stands in front of each case of remote write 2.0: ten symbols, and a series that uses all of them
/// in their order, so that a symbolizer gives them the same references again.
fn head_v2() -> Vec<u8> {
    let symbols = ["", "b", "c", "d", "e", "f", "g", "h", "i", "j"];
    bytes::v2::request(&symbols, &[bytes::v2::refs(&[1, 2, 3, 4, 5, 6, 7, 8, 9, 0])])
}

/// Decodes and encodes a request of remote write 2.0, by every way of decoding.
fn request_v2(body: &[u8]) -> Outcome {
    let encode = |request: &Request<'_>| {
        let mut symbolizer = Symbolizer::new();
        symbolizer.symbolize(request.timeseries()).unwrap().encode_to_vec().unwrap()
    };
    let strict = Request::decode(body);
    let fresh = outcome(strict.as_ref().map(encode).map_err(|error| *error));
    let mut decoder = Decoder::<Request>::new();
    for (_, used) in bytes::v2::small_bodies() {
        drop(decoder.decode(&used).unwrap());
    }
    let reused = outcome(decoder.decode(body).map(|request| encode(&request)));
    assert_eq!(reused, fresh, "a used decoder gives what a new one gives");
    let partial = Request::decode_with(body, &v2::DecodeOptions::new().with_partial(true));
    if strict.is_err_and(|error| error.kind() == DecodeErrorKind::InvalidUtf8) {
        assert!(partial.unwrap().skipped().is_empty(), "a symbol is no series");
    } else {
        let partial = outcome(partial.and_then(|request| match request.skipped() {
            [] => Ok(encode(&request)),
            [skipped, ..] => Err(skipped.error),
        }));
        assert_eq!(partial, fresh, "partial mode finds the same fault at the same place");
    }
    fresh
}

/// Checks that both versions read the same in a message that they share.
fn same_in_both_versions(message: &str, body: &[u8]) {
    let (in_v1, in_v2): (&[u32], &[u32]) = match message {
        "Sample" => (&[1, 2], &[5, 2]),
        "Histogram" => (&[1, 4], &[5, 3]),
        _ => return,
    };
    let (old, new) = (nested(in_v1, body), nested(in_v2, body));
    match (WriteRequest::decode(&old), Request::decode(&new)) {
        (Ok(old), Ok(new)) => assert!(old.timeseries().iter().eq(new.timeseries())),
        (old, new) => assert_eq!(old.unwrap_err(), new.unwrap_err()),
    }
}

/// Decodes and encodes a push, by every way of decoding.
fn push(body: &[u8]) -> Outcome {
    let fresh = outcome(PushRequest::decode(body).map(|push| push.encode_to_vec().unwrap()));
    let mut decoder = Decoder::<PushRequest>::new();
    for (_, used) in bytes::loki::small_bodies() {
        drop(decoder.decode(&used).unwrap());
    }
    let reused = outcome(decoder.decode(body).map(|push| push.encode_to_vec().unwrap()));
    assert_eq!(reused, fresh, "a used decoder gives what a new one gives");
    let partial = PushRequest::decode_with(body, &loki::DecodeOptions::new().with_partial(true));
    let partial = outcome(partial.and_then(|push| match push.skipped() {
        [] => Ok(push.encode_to_vec().unwrap()),
        [skipped, ..] => Err(skipped.error),
    }));
    assert_eq!(partial, fresh, "partial mode finds the same fault at the same place");
    fresh
}

/// The places in a request that hold such a message: what stands in front of it, as nested fields.
fn places(message: &str) -> &'static [&'static [u32]] {
    match message {
        "WriteRequest" => &[&[]],
        "TimeSeries" => &[&[1]],
        "Label" => &[&[1, 1], &[1, 3, 1]],
        "Sample" => &[&[1, 2]],
        "Histogram" => &[&[1, 4]],
        _ => &[],
    }
}

/// The place in a request of remote write 2.0 that holds such a message.
fn place_in_v2(message: &str) -> Option<&'static [u32]> {
    match message {
        "v2.Request" => Some(&[]),
        "v2.TimeSeries" => Some(&[5]),
        "v2.Sample" => Some(&[5, 2]),
        _ => None,
    }
}

/// The places in a push that hold such a message; its pairs are labels, too.
fn places_in_push(message: &str) -> &'static [&'static [u32]] {
    match message {
        "PushRequest" => &[&[]],
        "Stream" => &[&[1]],
        "Entry" => &[&[1, 2]],
        "Timestamp" => &[&[1, 2, 1]],
        "Label" => &[&[1, 2, 3], &[1, 2, 4]],
        _ => &[],
    }
}

/// `content` as a field in a field ..., outermost first.
fn nested(fields: &[u32], content: &[u8]) -> Vec<u8> {
    fields
        .iter()
        .rev()
        .fold(content.to_vec(), |content, &field| Bytes::new().len(field, content).build())
}

#[test]
fn every_case_gives_its_result() {
    let mut wrong = Vec::new();
    let mut check = |case: &Case, place: &[u32], found: Outcome| {
        let expected = match &case.result {
            Ok(canonical) => Ok(nested(place, canonical)),
            Err((kind, field, offset)) => {
                let framing = nested(place, &case.bytes).len() - case.bytes.len();
                Err((kind.clone(), *field, framing + offset))
            }
        };
        if found != expected {
            wrong.push(format!("{} at {place:?}: {found:x?}, not {expected:x?}", case.id));
        }
    };
    let mut count = 0;
    for case in cases() {
        count += 1;
        let body = &case.bytes[..];
        for place in places(case.message) {
            check(&case, place, request(&nested(place, body)));
        }
        if let Some(place) = place_in_v2(case.message) {
            let head = head_v2();
            let found = request_v2(&[&head, &*nested(place, body)].concat());
            // Without what stands in front of the case.
            let found = found
                .map(|encoded| encoded.strip_prefix(&*head).expect("the same head").to_vec())
                .map_err(|(kind, field, offset)| (kind, field, offset - head.len()));
            check(&case, place, found);
        }
        same_in_both_versions(case.message, body);
        for place in places_in_push(case.message) {
            check(&case, place, push(&nested(place, body)));
        }
        match case.message {
            "WriteRequest" | "TimeSeries" | "Histogram" | "PushRequest" | "Stream" | "Entry" => {}
            "v2.Request" | "v2.TimeSeries" => {}
            "Label" => {
                check(&case, &[], alone::<Label<'_>>(body));
                check(&case, &[], alone::<LabelPair<'_>>(body));
            }
            "Timestamp" => check(&case, &[], alone::<Timestamp>(body)),
            "Sample" => check(&case, &[], alone_in_v1(body)),
            "v2.Sample" => check(&case, &[], alone::<Sample>(body)),
            "Scalars" => check(&case, &[], alone::<Scalars<'_>>(body)),
            "Parent" => check(&case, &[], alone::<Parent<'_>>(body)),
            other => panic!("{other}"),
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert!(count > 100, "the whole table was read");
}

/// `depth` unknown groups inside each other, then a timestamp.
fn groups(depth: usize) -> Vec<u8> {
    let open = Bytes::new().tag(5, 3).build().repeat(depth);
    let close = Bytes::new().tag(5, 4).build().repeat(depth);
    Bytes::new().raw(open).raw(close).int(2, 3).build()
}

#[test]
fn groups_nest_to_a_hundred() {
    for depth in [1, 2, 90, 99, 100] {
        assert_eq!(alone::<Sample>(&groups(depth)), Ok(vec![0x10, 3]), "{depth}");
        assert_eq!(
            request(&nested(&[1, 2], &groups(depth))),
            Ok(nested(&[1, 2], &[0x10, 3])),
            "{depth}"
        );
    }
    for depth in [101, 102, 200] {
        // The tag of the group that is one too many.
        let error = ("DepthLimit".to_owned(), 5, 100);
        assert_eq!(alone::<Sample>(&groups(depth)), Err(error), "{depth}");
    }
}

#[test]
fn messages_nest_to_250_below_the_outermost() {
    let nest = |depth| nested(&vec![1; depth], &[]);
    for depth in [0, 1, 100, 249, 250] {
        assert_eq!(alone::<Nest>(&nest(depth)), Ok(nest(depth)), "{depth}");
    }
    for depth in [251, 252, 300] {
        let Err((kind, field, offset)) = alone::<Nest>(&nest(depth)) else {
            panic!("{depth} levels");
        };
        assert_eq!((&kind[..], field), ("DepthLimit", 1), "{depth}");
        // The length of the message that is one too deep.
        let body = nest(depth);
        assert_eq!(body[offset - 1..], Bytes::new().len(1, nest(depth - 251)).build(), "{depth}");
    }
}
