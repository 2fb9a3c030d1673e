//! What holds for any bytes; the fuzz target `json` checks it, too.

use borrowire::Encode;
use borrowire::loki::json::{JsonEncoder, JsonError, JsonScratch};
use borrowire::loki::selector::{self, Canonical};
use borrowire::loki::{DecodeOptions, Entry, PushRequest, Stream};
use borrowire::reuse::Decoder;
use serde_json::value::RawValue;

/// A decoder that every input has gone through, and scratch for the way back.
#[derive(Default)]
pub struct Used {
    decoder: Decoder<PushRequest<'static>>,
    back: JsonScratch,
}

/// New and used decoders agree; what is accepted is JSON; what can be written is read back as the same;
/// partial mode changes nothing where all is good.
pub fn check(body: &[u8], used: &mut Used) {
    let mut scratch = JsonScratch::new();
    let new = PushRequest::decode_json(body, &mut scratch);
    let again = used.decoder.decode_json(body);
    match (&new, &again) {
        (Ok(new), Ok(again)) => {
            assert!(new.streams().iter().eq(again.streams().iter()));
            assert_eq!(new.has_unknown_fields(), again.has_unknown_fields());
            assert!(serde_json::from_slice::<&RawValue>(body).is_ok(), "accepted, but no JSON");
        }
        (Err(new), Err(again)) => {
            assert_eq!(new, again);
            check_error(new, body);
        }
        _ => panic!("{new:?} and {again:?}"),
    }
    check_partial(body, &new, &mut used.back);
    if let Ok(push) = &new {
        check_streams(push, &mut used.back);
        // Names that are accepted without quotes are accepted with them.
        let options = DecodeOptions::new().with_quoted_names(true);
        let mut scratch = JsonScratch::new();
        let quoted = PushRequest::decode_json_with(body, &mut scratch, &options).unwrap();
        assert!(push.streams().iter().eq(quoted.streams().iter()));
    }
}

/// Partial mode, on a body that strict mode reads as `strict`.
fn check_partial(body: &[u8], strict: &Result<PushRequest<'_>, JsonError>, back: &mut JsonScratch) {
    let options = DecodeOptions::new().with_partial(true);
    let mut scratch = JsonScratch::new();
    match (PushRequest::decode_json_with(body, &mut scratch, &options), strict) {
        (Ok(partial), Ok(strict)) => {
            assert!(partial.streams().iter().eq(strict.streams().iter()));
            assert!(partial.json_skipped().is_empty());
        }
        (Ok(partial), Err(_)) => {
            assert!(serde_json::from_slice::<&RawValue>(body).is_ok(), "accepted, but no JSON");
            let skipped = partial.json_skipped();
            skipped.iter().for_each(|skipped| check_error(&skipped.error(), body));
            assert!(skipped.is_sorted_by_key(|skipped| skipped.error().offset()));
            assert!(skipped.iter().is_sorted_by(|one, next| {
                (one.stream(), one.entry()) < (next.stream(), next.entry())
            }));
            let streams_skipped =
                skipped.iter().filter(|skipped| skipped.entry().is_none()).count();
            let streams = partial.streams().len() + streams_skipped;
            assert!(skipped.iter().all(|skipped| skipped.stream() < streams));
            check_streams(&partial, back);
        }
        (Err(error), strict) => {
            assert!(strict.is_err());
            check_error(&error, body);
        }
    }
}

fn check_error(error: &JsonError, body: &[u8]) {
    assert!(error.offset() <= body.len(), "{error}");
    assert!(error.to_string().is_ascii(), "{error}");
    assert!(error.status() == 400 || error.status() == 413);
}

fn check_streams(push: &PushRequest<'_>, scratch: &mut JsonScratch) {
    let Ok(json) = push.json_encoder(scratch) else {
        // In the older shape, labels are any text, and times reach further than 64 bits of nanoseconds.
        let is_beyond = |entry: Entry<'_, '_>| entry.timestamp().unwrap().to_unix_nanos().is_none();
        assert!(push.streams().iter().any(|stream| {
            canonical(stream).is_none() || stream.entries().iter().any(is_beyond)
        }));
        return;
    };
    let written = json.encode_to_vec().unwrap();
    assert_eq!(written.len(), json.encoded_len());
    assert!(serde_json::from_slice::<&RawValue>(&written).is_ok(), "written, but no JSON");

    let mut again = JsonScratch::new();
    let options = DecodeOptions::new().with_quoted_names(true);
    let again = PushRequest::decode_json_with(&written, &mut again, &options).unwrap();
    assert_eq!(again.streams().len(), push.streams().len());
    for (one, other) in push.streams().iter().zip(again.streams()) {
        assert_eq!(canonical(one), canonical(other));
        assert!(one.entries().iter().eq(other.entries()));
    }
    let mut back = JsonScratch::new();
    let twice = JsonEncoder::new(again.streams(), &mut back).unwrap().encode_to_vec().unwrap();
    assert_eq!(twice, written);
}

/// The labels in canonical form; `None` if they have none that JSON can tell.
fn canonical(stream: Stream<'_, '_>) -> Option<String> {
    let mut scratch = Vec::new();
    let labels = selector::parse(stream.labels(), &mut scratch).ok()?;
    if labels.duplicate().is_some() {
        return None;
    }
    Some(Canonical::from(labels).to_string())
}
