//! What the fuzz targets check. Most of it the tests check too, with bytes of their own: `oracle`.
//!
//! ```text
//! (cd fuzz && cargo run --bin seeds)                      fills fuzz/corpus from the fixtures
//! cargo +nightly fuzz run decode -- -max_total_time=20    or round_trip, differential, json, loki_push,
//!                                                         selector, wire_reader
//! ```

#[path = "../../tests/loki_json/check.rs"]
mod loki_json;
#[path = "../../tests/oracle/mod.rs"]
mod oracle;
mod selector;
mod wire;

use std::cell::RefCell;

use borrowire::Encode;
use borrowire::remote_write::v1::WriteRequest;

pub use selector::selector;
pub use wire::wire_reader;

thread_local! {
    /// Decoders that every input of this run has gone through.
    static USED: RefCell<oracle::Used> = RefCell::new(oracle::Used::new());
    static USED_FOR_PUSH: RefCell<oracle::loki::Used> = RefCell::new(oracle::loki::Used::new());
    static USED_FOR_JSON: RefCell<loki_json::Used> = RefCell::default();
}

/// New and used decoders, strict and partial, agree; what they show adds up and lies in the body.
pub fn decode(body: &[u8]) {
    USED.with_borrow_mut(|used| drop(oracle::decode(body, used)));
}

/// New and used decoders of Loki's JSON agree; what they accept is JSON, and stays the same as JSON again.
pub fn json(body: &[u8]) {
    USED_FOR_JSON.with_borrow_mut(|used| loki_json::check(body, used));
}

/// What was decoded encodes to its exact length, and decodes to the same again.
pub fn round_trip(body: &[u8]) {
    if let Ok(request) = WriteRequest::decode(body) {
        oracle::round_trip(&request);
    }
}

/// prost reads the same, apart from the differences that are documented.
pub fn differential(body: &[u8]) {
    let ours = WriteRequest::decode(body);
    oracle::prost::check(body, ours.as_ref().map_err(|error| *error));
    if let Ok(request) = &ours {
        let encoded = request.encode_to_vec().expect("a decoded request is not too large");
        let theirs = prost::Message::decode(&encoded[..]).expect("prost reads what we write");
        oracle::prost::assert_same(request, &theirs);
        oracle::prost::assert_same(&WriteRequest::from_prost(&theirs), &theirs);
    }
}

/// Loki's push: new and used decoders agree, what was decoded is written and read again, and prost reads
/// the same where lines are text.
pub fn loki_push(body: &[u8]) {
    let push = USED_FOR_PUSH.with_borrow_mut(|used| oracle::loki::decode(body, used));
    oracle::loki::check_prost(body, push.as_ref().map_err(|error| *error));
    if let Ok(push) = &push {
        oracle::loki::round_trip(push);
    }
}
