//! What the fuzz targets check. Most of it the tests check too, with bytes of their own: `oracle`.
//!
//! ```text
//! (cd fuzz && cargo run --bin seeds)                      fills fuzz/corpus from the fixtures
//! cargo +nightly fuzz run decode -- -max_total_time=20    or round_trip, differential, remote_write_v2,
//!                                                         convert, json, loki_push, selector, wire_reader,
//!                                                         cache_frame, cache_key, cache_ring, split
//! ```

mod cache;
#[path = "../../tests/it/support/cache_model.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod cache_model;
#[path = "../../tests/it/support/loki_json.rs"]
mod loki_json;
#[path = "../../tests/it/support/oracle/mod.rs"]
mod oracle;
#[path = "../../tests/it/support/plain_keys/mod.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod plain_keys;
mod selector;
mod wire;

use std::cell::RefCell;

use borrowire::Encode;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{DecodeOptions, Format, Request};

pub use cache::{cache_frame, cache_ring};
pub use selector::selector;
pub use wire::wire_reader;

thread_local! {
    /// Decoders that every input of this run has gone through.
    static USED: RefCell<oracle::Used> = RefCell::new(oracle::Used::new());
    static USED_FOR_V2: RefCell<oracle::v2::Used> = RefCell::new(oracle::v2::Used::new());
    static USED_FOR_PUSH: RefCell<oracle::loki::Used> = RefCell::new(oracle::loki::Used::new());
    static USED_TO_CONVERT: RefCell<oracle::convert::Used> = RefCell::default();
    static USED_TO_SPLIT: RefCell<oracle::shard::Used> = RefCell::default();
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

/// Requests are split, merged again and relabelled as the obvious way to do it does.
pub fn split(body: &[u8]) {
    USED_TO_SPLIT.with_borrow_mut(|used| oracle::shard::check(body, used));
}

/// What was decoded encodes to its exact length, and decodes to the same again.
pub fn round_trip(body: &[u8]) {
    if let Ok(request) = WriteRequest::decode(body) {
        oracle::round_trip(&request);
    }
}

/// Requests of either version become the other as the rules say, and lose what is reported, no more.
pub fn convert(body: &[u8]) {
    USED_TO_CONVERT.with_borrow_mut(|used| {
        if let Ok(request) = WriteRequest::decode(body) {
            oracle::convert::from_v1(&request, used);
        }
        for format in [Format::Standard, Format::MimirRecord] {
            let options = DecodeOptions::new().with_format(format);
            if let Ok(request) = Request::decode_with(body, &options) {
                oracle::convert::from_v2(&request, used);
            }
        }
    });
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

/// Remote write 2.0: new and used decoders agree, labels are what the references say, what was decoded is
/// written and read again, and prost reads the same where references are good. The same bytes as a record
/// of Mimir's, whose small references name symbols that are not in it.
pub fn remote_write_v2(body: &[u8]) {
    USED_FOR_V2.with_borrow_mut(|used| {
        let request = oracle::v2::decode(body, used);
        oracle::v2::check_prost(body, request.as_ref().map_err(|error| *error));
        if let Ok(request) = &request {
            oracle::v2::round_trip(request, used);
        }
        oracle::v2::check_common_symbols(body);
    });
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

/// Keys of caches: one that is read is written the same again, and any parts make the keys that a plain
/// version makes of them.
pub fn cache_key(bytes: &[u8]) {
    plain_keys::check::parse(bytes);
    if let Ok(text) = str::from_utf8(bytes) {
        plain_keys::check::build(text);
    }
}
