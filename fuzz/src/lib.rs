//! What the fuzz targets check. Most of it the tests check too, with bytes of their own: `oracle`.
//!
//! ```text
//! (cd fuzz && cargo run --bin seeds)              fills fuzz/corpus from the fixtures
//! cargo +nightly fuzz run convert -- -max_total_time=20
//! cargo +nightly fuzz list                        all targets
//! ```

mod cache;
#[path = "../../tests/it/support/cache_model.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod cache_model;
#[path = "../../src/linear_work/check.rs"]
mod linear_work;
#[path = "../../tests/it/support/loki_json.rs"]
mod loki_json;
#[path = "../../tests/it/support/oracle/mod.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod oracle;
#[path = "../../tests/it/support/plain_keys/mod.rs"]
#[allow(dead_code, reason = "shared with the tests, which use more of it")]
mod plain_keys;
mod selector;
mod wire;

use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;

use borrowire::loki::{self, LokiTokens, PushRequest};
use borrowire::remote_write::v1::{Relabeler, WriteRequest};
use borrowire::remote_write::v2::{DecodeOptions, Format, Request};
use borrowire::shard::Splitter;
use borrowire::wire::Reader;
use borrowire::{Encode, Limits};

pub use cache::{cache_frame, cache_ring};
pub use oracle::Subject;
pub use oracle::loki_push::LokiPush;
pub use oracle::remote_write_v1::RemoteWriteV1;
pub use oracle::remote_write_v2::RemoteWriteV2;
pub use selector::selector;
pub use wire::wire_reader;

/// Calls `check` with memory that every input of this run has gone through.
fn with_used<T: Default + 'static>(check: impl FnOnce(&mut T)) {
    thread_local! {
        static USED: RefCell<HashMap<TypeId, Box<dyn Any>>> = RefCell::default();
    }
    USED.with_borrow_mut(|used| {
        let used = used.entry(TypeId::of::<T>()).or_insert_with(|| Box::new(T::default()));
        check(used.downcast_mut().expect("of this type"));
    });
}

/// A request of any protocol: new and used decoders, strict and partial, agree; what they show adds up and
/// lies in the body; prost reads the same, apart from the differences that are documented; and what was
/// decoded encodes to its exact length, and decodes to the same again.
pub fn request<S: Subject>(body: &[u8]) {
    with_used(|used: &mut oracle::Used<S>| drop(oracle::check::<S>(body, used)));
}

/// New and used decoders of Loki's JSON agree; what they accept is JSON, and stays the same as JSON again.
pub fn json(body: &[u8]) {
    with_used(|used: &mut loki_json::Used| loki_json::check(body, used));
}

/// Requests of all protocols are split, merged again and relabelled as the obvious way to do it does.
pub fn split(body: &[u8]) {
    with_used(|splitter: &mut Splitter| {
        oracle::split::check::<RemoteWriteV1>(body, splitter);
        oracle::split::check::<RemoteWriteV2>(body, splitter);
        oracle::split::check::<LokiPush>(body, splitter);
    });
    if let Ok(request) = WriteRequest::decode(body) {
        with_used(|relabeler: &mut Relabeler| oracle::relabel::check(&request, relabeler));
    }
}

/// Requests of either version become the other as the rules say, and lose what is reported, no more.
pub fn convert(body: &[u8]) {
    with_used(|used: &mut oracle::convert::Used| {
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

/// Records of Kafka are read or refused as their parts are, and nothing is lost when they are cut.
pub fn kafka(bytes: &[u8]) {
    with_used(|used: &mut oracle::kafka::Used| oracle::kafka::check(bytes, used));
}

/// What requests make each function do is in proportion to them, or to what they stand for where that is
/// how the function is defined: also with symbols that are long, and differ only at their ends.
pub fn work(body: &[u8]) {
    use linear_work::{HASHED, TEXT, body_v2, bound, check_v1, check_v2};

    const STRETCHED: usize = 300;
    let measure = |work: &mut dyn FnMut()| bytes_gone_over(work);
    let limits = Limits::new().with_max_expanded_bytes(1 << 24);
    let options = DecodeOptions::new().with_limits(limits);
    if let Ok(request) = Request::decode_with(body, &options) {
        check_v2(&request, measure);
        let symbols = request.symbols();
        let symbols: Vec<_> = symbols.iter().flatten().map(|s| s.repeat(STRETCHED) + s).collect();
        let series = (0..).map_while(|at| request.raw_timeseries(at)).map(content);
        let stretched = body_v2(&symbols, &series.collect::<Vec<_>>());
        if let Ok(request) = Request::decode_with(&stretched, &options) {
            check_v2(&request, measure);
        }
    }
    if let Ok(request) = WriteRequest::decode(body) {
        check_v1(&request, measure);
    }
    if let Ok(request) = PushRequest::decode(body) {
        let (rules, tokens, mut all) = (loki::Rules::new(), LokiTokens::new("t"), Vec::new());
        bound(measure, "validate", TEXT * body.len(), || request.validate(&rules, |_| {}));
        bound(measure, "LokiTokens", HASHED * body.len(), || tokens.tokens(&request, &mut all));
        bound(measure, "encode", TEXT * body.len(), || drop(request.encode_to_vec()));
    }
}

/// What is in a record.
fn content(record: &[u8]) -> &[u8] {
    let mut reader = Reader::new(record).expect("it was decoded");
    reader.next_tag().expect("it was decoded");
    reader.read_bytes().expect("it was decoded")
}

/// Counts the bytes that the crate goes over. Only cargo-fuzz builds it so that it counts.
#[cfg(fuzzing)]
fn bytes_gone_over(work: &mut dyn FnMut()) -> usize {
    borrowire::bytes_gone_over(work)
}

#[cfg(not(fuzzing))]
fn bytes_gone_over(work: &mut dyn FnMut()) -> usize {
    work();
    0
}

/// Keys of caches: one that is read is written the same again, and any parts make the keys that a plain
/// version makes of them.
pub fn cache_key(bytes: &[u8]) {
    plain_keys::check::parse(bytes);
    if let Ok(text) = str::from_utf8(bytes) {
        plain_keys::check::build(text);
    }
}
