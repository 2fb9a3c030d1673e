//! Every captured push of Loki's protobuf decodes to its golden contents, by every way of decoding,
//! and encodes back to them.

use std::collections::BTreeSet;
use std::sync::Arc;

use borrowire::Encode;
use borrowire::loki::{PushRequest, PushRequestEncoder};
use borrowire::proto::logproto as proto;
use borrowire::reuse::{Decoder, Owned, Pool};
use bytes::Bytes;
use prost::Message;

use crate::support::fixtures::{self, Fixture, Golden};
use crate::support::json::loki_push::push_request;

/// Calls `check` with each captured push, its decompressed body and its golden contents.
fn for_each(mut check: impl FnMut(&Fixture, &[u8], &Golden)) {
    let (mut sets, mut count) = (BTreeSet::new(), 0);
    for fixture in fixtures::load("loki") {
        let golden = fixture.golden();
        // Those that are JSON have a test of their own.
        if golden.json().is_null() {
            check(&fixture, &fixture.body, &golden);
            sets.insert(fixture.set);
            count += 1;
        }
    }
    let expected =
        ["loki-canary", "promtail363", "promtail363-badutf8", "tracing-loki", "winstonloki-proto"];
    assert!(sets.iter().eq(expected.iter()), "{sets:?}");
    assert_eq!(count, 16);
}

fn to_json(request: &PushRequest<'_>) -> String {
    let mut json = String::new();
    push_request(&mut json, request);
    json
}

#[test]
fn decoded_contents_are_golden() {
    for_each(|Fixture { name, .. }, body, golden| {
        assert_eq!(body.len(), golden.decoded_bytes(), "{name}: decompressed length");
        let request = PushRequest::decode(body).expect(name);
        assert!(to_json(&request) == golden.message(), "{name}");
        for (what, count) in [
            ("streams", request.streams().len()),
            ("entries", request.entries_len()),
            ("structured_metadata", request.structured_metadata_len()),
        ] {
            assert_eq!(count, golden.count(what), "{name}: {what}");
        }
        assert!(!request.has_unknown_fields(), "{name}: no client sends unknown fields");
        assert!(request.skipped().is_empty(), "{name}: nothing is skipped unasked");
    });
}

#[test]
fn encoded_again_contents_are_golden() {
    for_each(|Fixture { name, .. }, body, golden| {
        let request = PushRequest::decode(body).expect(name);
        let encoded = request.encode_to_vec().expect(name);
        assert_eq!(encoded.len(), request.encoded_len(), "{name}: encoded_len");
        if golden.is_canonical() {
            assert!(encoded == body, "{name}: encoded bytes are not those the client sent");
        }
        let again = PushRequest::decode(&encoded).expect(name);
        assert!(to_json(&again) == golden.message(), "{name}");

        let mut stream_by_stream = Vec::new();
        let encoder = PushRequestEncoder::new(request.streams()).with_format(request.format());
        encoder.append_to_vec(&mut stream_by_stream).expect(name);
        assert!(stream_by_stream == encoded, "{name}: an encoder over the views writes otherwise");
    });
}

#[test]
fn raw_streams_make_up_the_request() {
    for_each(|Fixture { name, .. }, body, golden| {
        let request = PushRequest::decode(body).expect(name);
        let streams = (0..request.streams().len()).map(|i| request.raw_stream(i));
        let records: Vec<&[u8]> = streams
            .map(|raw| raw.unwrap_or_else(|| panic!("{name}: a stream without its bytes")))
            .collect();
        let joined = records.concat();
        assert_eq!(joined.len(), body.len(), "{name}: the streams are not the whole body");
        let again = PushRequest::decode(&joined).expect(name);
        assert!(to_json(&again) == golden.message(), "{name}");
    });
}

#[test]
fn reused_storage_reads_the_same() {
    let mut decoder = Decoder::<PushRequest>::new();
    let pool = Arc::new(Pool::<PushRequest>::new());
    for_each(|Fixture { name, .. }, body, golden| {
        let message = golden.message();
        let request = decoder.decode(body).expect(name);
        assert!(to_json(&request) == message, "{name}: reused decoder");
        drop(request);

        let request = pool.decode(body).expect(name);
        assert!(to_json(&request) == message, "{name}: pool");
        drop(request);

        let owned = pool.decode_owned(Bytes::copy_from_slice(body)).expect(name);
        assert!(to_json(owned.request()) == message, "{name}: pool, owned");
        drop(owned);

        let owned = Owned::<PushRequest>::decode(body.to_vec()).expect(name);
        assert!(to_json(owned.request()) == message, "{name}: owned");
    });
    assert_eq!(pool.idle(), 1, "one request at a time needs one storage");
}

#[test]
fn prost_conversions_agree() {
    for_each(|Fixture { name, .. }, body, golden| {
        let request = PushRequest::decode(body).expect(name);
        let converted = proto::PushRequest::try_from(&request);
        let Ok(by_prost) = proto::PushRequest::decode(body) else {
            assert!(name.starts_with("promtail363-badutf8"), "{name}: prost refuses it");
            assert!(converted.is_err(), "{name}: a line that is not UTF-8 was converted");
            return;
        };
        assert!(to_json(&PushRequest::from_prost(&by_prost)) == golden.message(), "{name}");
        assert!(converted.expect(name) == by_prost, "{name}: to prost");
    });
}
