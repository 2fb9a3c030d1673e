//! A push that owns its body reads as one that borrows, wherever it goes.

use std::sync::Arc;
use std::thread;

use borrowire::loki::json::{JsonErrorKind, JsonScratch};
use borrowire::loki::{DecodeOptions, PushRequest};
use borrowire::reuse::{Owned, Pool};
use bytes::Bytes;

use super::streams;
use crate::support::fixtures;

const OPTIONS: DecodeOptions = DecodeOptions::new().with_quoted_names(true);

fn bodies() -> Vec<Bytes> {
    let captured = fixtures::of("loki").filter(|f| !f.golden().json().is_null());
    let written = [
        "{}",
        r#"{"streams":[{"stream":{"a":"b"},"values":[["1","plain"],["2","\u00e9",{"k":"\n"}]]}]}"#,
        r#"{"streams":[{"labels":"{a=\"b\"}","entries":[{"ts":"2023-11-14T22:13:20Z","line":"x"}]}]}"#,
    ];
    let captured = captured.map(|fixture| Bytes::from_static(&fixture.body));
    captured.chain(written.map(|body| Bytes::from_static(body.as_bytes()))).collect()
}

#[test]
fn it_reads_as_one_that_borrows_also_in_another_thread() {
    let pool = Arc::new(Pool::<PushRequest>::new().with_options(OPTIONS));
    for body in bodies() {
        let mut scratch = JsonScratch::new();
        let borrowed = PushRequest::decode_json_with(&body, &mut scratch, &OPTIONS).unwrap();
        let expected = streams(&borrowed);

        let owned = Owned::<PushRequest>::decode_json_with(body.clone(), &OPTIONS).unwrap();
        assert_eq!(owned.body().as_ptr(), body.as_ptr(), "the body is not copied");
        let moved = thread::spawn(move || (streams(owned.request()), owned.body().len()));
        assert_eq!(moved.join().unwrap(), (expected.clone(), body.len()));

        let owned = Arc::new(pool.decode_json_owned(body).unwrap());
        let shared = Arc::clone(&owned);
        assert_eq!(thread::spawn(move || streams(shared.request())).join().unwrap(), expected);
        assert_eq!(streams(owned.request()), expected);
    }
    assert_eq!(pool.idle(), 1, "one request at a time needs one storage");
}

#[test]
fn many_at_a_time_keep_their_text_apart() {
    let pool = Arc::new(Pool::<PushRequest>::new().with_options(OPTIONS));
    for _ in 0..3 {
        let owned: Vec<_> =
            bodies().into_iter().map(|body| pool.decode_json_owned(body).unwrap()).collect();
        for owned in &owned {
            let mut scratch = JsonScratch::new();
            let borrowed = PushRequest::decode_json_with(owned.body(), &mut scratch, &OPTIONS);
            assert_eq!(streams(owned.request()), streams(&borrowed.unwrap()));
        }
    }
    assert_eq!(pool.idle(), bodies().len());
}

#[test]
fn what_is_refused_gives_the_storage_back() {
    let pool = Arc::new(Pool::<PushRequest>::new());
    drop(pool.decode_json_owned(bodies().pop().unwrap()).unwrap());
    assert_eq!(pool.idle(), 1);
    for (body, kind, offset) in [
        (&b"{"[..], JsonErrorKind::Truncated, 1),
        (
            br#"{"streams":[{"stream":{"a":"b"},"values":[["1"]]}]}"#,
            JsonErrorKind::MissingElement,
            46,
        ),
        (b"\xff", JsonErrorKind::InvalidUtf8, 0),
    ] {
        let error = pool.decode_json_owned(body).unwrap_err();
        assert_eq!((error.kind(), error.offset()), (kind, offset));
        assert_eq!(Owned::<PushRequest>::decode_json(body).unwrap_err(), error);
        assert_eq!(pool.idle(), 1);
    }
}

#[test]
fn options_of_one_body_are_for_it_alone() {
    let body = br#"{"streams":[{"stream":{"a.b":"c"},"values":[["1","x"]]}]}"#;
    let pool = Arc::new(Pool::<PushRequest>::new());
    let mut decoder = pool.decoder();
    for _ in 0..2 {
        let refused = [
            pool.decode_json_owned(&body[..]).unwrap_err(),
            decoder.decode_json(body).unwrap_err(),
            pool.decode_json_owned_with(&body[..], &OPTIONS.with_max_streams(0)).unwrap_err(),
            decoder.decode_json_with(body, &OPTIONS.with_max_streams(0)).unwrap_err(),
        ];
        let (name, limit) = (JsonErrorKind::InvalidLabelName, JsonErrorKind::LimitExceeded);
        assert_eq!(refused.map(|error| error.kind()), [name, name, limit, limit]);
        let push = decoder.decode_json_with(body, &OPTIONS).unwrap();
        let owned = pool.decode_json_owned_with(&body[..], &OPTIONS).unwrap();
        assert_eq!(streams(owned.request()), streams(&push));
        assert_eq!(push.streams().get(0).unwrap().labels(), r#"{"a.b"="c"}"#);
    }
}
