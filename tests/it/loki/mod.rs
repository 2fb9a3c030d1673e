//! What is special in Loki's push, as protobuf and as JSON.

mod batch;
mod cases;
mod floods;
mod json;
mod rules;
mod times;

use borrowire::Encode;
use borrowire::loki::{Entry, PushRequest, Rules, ViolationKind, validate_stream};

use crate::support::bytes::Bytes;
use crate::support::bytes::loki::push_of;

const NOW: i64 = 1_700_000_000;

const LABELS: &str = r#"{a="b"}"#;

/// Decodes `content` as the only entry of a push, hands it to `check`, and expects that it is written
/// back as `canonical`.
fn with_entry(content: &Bytes, canonical: &Bytes, check: impl FnOnce(Entry<'_, '_>)) {
    let body = push_of(content);
    let decoded = PushRequest::decode(&body).unwrap();
    let entry = decoded.streams().get(0).unwrap().entries().get(0).unwrap();
    check(entry);
    assert_eq!(decoded.encode_to_vec().unwrap(), push_of(canonical));
    assert_eq!(entry.encode_to_vec().unwrap(), canonical.as_ref());
}

/// What `validate` says of the only entry in a push.
fn violation(content: &Bytes, rules: &Rules) -> Option<ViolationKind> {
    let body = push_of(content);
    let decoded = PushRequest::decode(&body).unwrap();
    let mut found = None;
    validate_stream(&decoded.streams().get(0).unwrap(), rules, |kind| {
        found.get_or_insert(kind);
    });
    found
}
