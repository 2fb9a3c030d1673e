//! What clients really sent reads as its golden contents, by every way of decoding, and is written back as
//! the same.

use std::collections::BTreeMap;
use std::sync::Arc;

use borrowire::DecodeRequest;
use borrowire::reuse::{Decoder, Owned, Pool};
use bytes::Bytes;

use super::Tested;
use crate::support::fixtures::{self, Fixture};
use crate::support::oracle::{Request, Used, assert_same, check};

/// The captured requests in protobuf.
fn captured<S: Tested>() -> impl Iterator<Item = &'static Fixture> {
    fixtures::of(S::FIXTURES.0).filter(|fixture| fixture.golden().json().is_null())
}

fn decode<S: Tested>(fixture: &Fixture) -> Request<'_, S> {
    <Request<'_, S>>::decode(&fixture.body).unwrap_or_else(|e| panic!("{}: {e}", fixture.name))
}

/// Compares with the golden content, of which there may be a megabyte, and shows no more of it than the
/// first difference.
#[track_caller]
fn assert_golden<S: Tested>(fixture: &Fixture, request: &Request<'_, S>) {
    let (found, golden) = (S::to_json(request), &fixture.golden().message);
    if found == *golden {
        return;
    }
    let same = found.bytes().zip(golden.bytes()).take_while(|(a, b)| a == b).count();
    let around = |json: &str| {
        let shown = json.as_bytes().iter().skip(same.saturating_sub(80)).take(160);
        String::from_utf8_lossy(&shown.copied().collect::<Vec<u8>>()).into_owned()
    };
    panic!(
        "{}: differs from the golden JSON at byte {same}\n found: {}\ngolden: {}",
        fixture.name,
        around(&found),
        around(golden),
    );
}

pub fn all_sets_are_there<S: Tested>() {
    let mut sets = BTreeMap::<&str, usize>::new();
    for fixture in captured::<S>() {
        *sets.entry(&fixture.set).or_default() += 1;
        assert!(fixture.name.starts_with(&fixture.set), "{}", fixture.name);
        assert!(!fixture.client.is_empty(), "{}", fixture.name);
    }
    assert!(sets.iter().map(|(set, count)| (*set, *count)).eq(S::FIXTURES.1.iter().copied()));
}

pub fn decoded_contents_are_golden<S: Tested>() {
    let mut totals = BTreeMap::<&str, usize>::new();
    for fixture in captured::<S>() {
        let (name, golden) = (&fixture.name, fixture.golden());
        assert_eq!(fixture.body.len(), golden.decoded_bytes(), "{name}: decompressed length");
        let request = decode::<S>(fixture);
        assert_golden::<S>(fixture, &request);
        for (what, count) in S::counts(&request) {
            assert_eq!(count, golden.count(what), "{name}: {what}");
            *totals.entry(what).or_default() += count;
        }
        assert!(!request.has_unknown_fields(), "{name}: no client sends unknown fields");
        assert!(request.skipped().is_empty(), "{name}: nothing is skipped unasked");
    }
    assert!(totals.values().all(|total| *total > 0), "some client sends each: {totals:?}");
}

pub fn encoded_again_contents_are_the_same<S: Tested>() {
    let mut used = Used::default();
    let mut scratch = S::Scratch::default();
    for fixture in captured::<S>() {
        let request = check::<S>(&fixture.body, &mut used).unwrap();
        if fixture.golden().is_canonical() {
            let written = S::encode(&request, &mut scratch, |encoder| encoder.encode_to_vec());
            let is_same = S::is_same_encoding(&written.unwrap(), &fixture.body);
            assert!(is_same, "{}: encoded bytes are not those the client sent", fixture.name);
        }
    }
}

pub fn raw_records_make_up_the_request<S: Tested>() {
    for fixture in captured::<S>() {
        let request = decode::<S>(fixture);
        let mut joined = S::head(&request);
        for raw in S::raws(&request) {
            joined.extend_from_slice(raw.expect("a decoded record has its bytes"));
        }
        let name = &fixture.name;
        assert_eq!(joined.len(), fixture.body.len(), "{name}: the records are not the whole body");
        assert_same::<S>(&<Request<'_, S>>::decode(&joined).unwrap(), &request);
    }
}

pub fn reused_storage_reads_the_same<S: Tested>() {
    let mut decoder = Decoder::<S::Family>::new();
    let pool = Arc::new(Pool::<S::Family>::new());
    for fixture in captured::<S>() {
        let fresh = decode::<S>(fixture);
        assert_same::<S>(&decoder.decode(&fixture.body).unwrap(), &fresh);
        assert_same::<S>(&pool.decode(&fixture.body).unwrap(), &fresh);
        let body = Bytes::from_static(&fixture.body);
        assert_same::<S>(pool.decode_owned(body.clone()).unwrap().request(), &fresh);
        assert_same::<S>(Owned::<S::Family>::decode(body).unwrap().request(), &fresh);
    }
    assert_eq!(pool.idle(), 1, "one request at a time needs one storage");
}
