//! The same for Loki's push.

use borrowire::loki::{DecodeOptions, Entry, PushRequest, Rules, Stream};
use borrowire::proto::logproto as proto;
use borrowire::reuse::Decoder;
use borrowire::{DecodeError, DecodeErrorKind, Encode};
use prost::Message;

use super::prost::{Kind, prost_may_refuse};
use super::{check_error, check_slices, check_text};

pub const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

/// Decoders that were used before, for whatever came first.
#[derive(Default)]
pub struct Used {
    strict: Decoder<PushRequest<'static>>,
    partial: Decoder<PushRequest<'static>>,
}

impl Used {
    pub fn new() -> Self {
        Self {
            strict: Decoder::<PushRequest>::new(),
            partial: Decoder::<PushRequest>::new().with_options(PARTIAL),
        }
    }
}

/// Decodes `body` with a new and a used decoder, strictly and partially, and checks that all agree.
pub fn decode<'a>(body: &'a [u8], used: &mut Used) -> Result<PushRequest<'a>, DecodeError> {
    let strict = PushRequest::decode(body);
    let partial = PushRequest::decode_with(body, &PARTIAL);
    same_result(used.strict.decode(body).as_deref(), strict.as_ref());
    same_result(used.partial.decode(body).as_deref(), partial.as_ref());
    for error in [strict.as_ref().err(), partial.as_ref().err()].into_iter().flatten() {
        check_error(body, error);
    }
    match (&strict, &partial) {
        (Ok(strict), Ok(partial)) => {
            same(strict, partial);
            assert!(partial.skipped().is_empty());
            check_views(body, strict);
        }
        (Err(strict), Ok(partial)) => {
            assert_eq!(strict.kind(), DecodeErrorKind::InvalidUtf8, "only text may be passed over");
            let first = partial.skipped().first().expect("what fails a strict decode is listed");
            assert_eq!(&first.error, strict, "the first fault is the first that is listed");
            for skipped in partial.skipped() {
                assert_eq!(skipped.error.kind(), DecodeErrorKind::InvalidUtf8);
                check_error(body, &skipped.error);
            }
            check_views(body, partial);
        }
        (Err(strict), Err(partial)) => {
            if strict == partial {
                let format = (DecodeErrorKind::InvalidUtf8, 2);
                let found = (partial.kind(), partial.field_number());
                assert!(found == format || found.0 != DecodeErrorKind::InvalidUtf8);
            } else {
                assert_eq!(strict.kind(), DecodeErrorKind::InvalidUtf8);
                assert!(partial.offset() > strict.offset(), "faults come in order");
            }
        }
        (Ok(_), Err(partial)) => panic!("partial mode fails alone: {partial}"),
    }
    strict
}

fn same_result(
    a: Result<&PushRequest<'_>, &DecodeError>,
    b: Result<&PushRequest<'_>, &DecodeError>,
) {
    match (a, b) {
        (Ok(a), Ok(b)) => same(a, b),
        (Err(a), Err(b)) => assert_eq!(a, b),
        _ => panic!("a used decoder differs: {a:?} and {b:?}"),
    }
}

/// Panics unless two pushes show the same everywhere.
pub fn same(a: &PushRequest<'_>, b: &PushRequest<'_>) {
    same_content(a, b);
    assert_eq!(a.has_unknown_fields(), b.has_unknown_fields());
    assert_eq!(a.skipped(), b.skipped());
    for i in 0..a.streams().len() {
        assert_eq!(a.raw_stream(i), b.raw_stream(i));
    }
}

/// Panics unless two pushes have the same streams and format.
pub fn same_content(a: &PushRequest<'_>, b: &PushRequest<'_>) {
    assert_eq!(a.streams().len(), b.streams().len());
    for (i, (a, b)) in a.streams().iter().zip(b.streams()).enumerate() {
        assert!(a == b, "stream {i}: {a:?} and {b:?}");
    }
    assert_eq!(a.format(), b.format());
    assert_eq!(
        (a.entries_len(), a.structured_metadata_len()),
        (b.entries_len(), b.structured_metadata_len())
    );
}

/// Walks through everything that a decoded push shows: nothing panics, and the parts add up.
fn check_views(body: &[u8], push: &PushRequest<'_>) {
    let (mut entries, mut pairs) = (0, 0);
    for (i, stream) in push.streams().iter().enumerate() {
        assert!(push.streams().get(i) == Some(stream));
        check_text(body, stream.labels());
        assert_eq!(stream.entries().iter().len(), stream.entries().len());
        for (position, entry) in stream.entries().iter().enumerate() {
            assert_eq!(stream.entries().get(position), Some(entry));
            entries += 1;
            pairs += entry.structured_metadata().len();
            check_text(body, entry.line());
            for pair in entry.structured_metadata().iter().chain(entry.parsed()) {
                check_text(body, pair.name);
                check_text(body, pair.value);
            }
            if let Some(time) = entry.timestamp() {
                let nanos = time.to_unix_nanos();
                assert!(nanos.is_none() || time.is_valid());
                assert_eq!(time.to_unix_millis().is_some(), time.is_valid());
            }
        }
        assert_eq!(stream.entries().get(stream.entries().len()), None);
        let raw = push.raw_stream(i).expect("a decoded stream has its bytes");
        check_text(body, raw);
        let alone = PushRequest::decode(raw).expect("raw bytes are a push");
        assert_eq!(alone.streams().len(), 1);
        assert!(alone.streams().get(0) == Some(stream), "stream {i}");
    }
    assert_eq!((entries, pairs), (push.entries_len(), push.structured_metadata_len()));
    push.validate(&Rules::new(), |violation| assert!(!violation.to_string().is_empty()));
}

/// Encodes `push` as a whole, stream by stream, and from the caller's own slices, and checks the
/// lengths, the borders and what decodes from it.
pub fn round_trip(push: &PushRequest<'_>) {
    let encoded = push.encode_to_vec().expect("a decoded push is not too large");
    check_slices(push, &encoded);
    let again = PushRequest::decode(&encoded).expect("what we write is well-formed");
    same_content(push, &again);
    assert!(!again.has_unknown_fields());
    assert_eq!(again.encode_to_vec().as_ref(), Ok(&encoded), "equal values give equal bytes");
    for (i, stream) in again.streams().iter().enumerate() {
        let entries: Vec<Entry<'_, '_>> = stream.entries().iter().collect();
        let own = Stream::new(stream.labels()).with_entries(&entries).with_hash(stream.hash());
        assert!(own == stream, "stream {i}");
        let alone = stream.encode_to_vec().expect("a part is not too large");
        assert_eq!(own.encode_to_vec().as_ref(), Ok(&alone), "stream {i}");
        let raw = again.raw_stream(i).expect("a decoded stream has its bytes");
        assert!(raw.ends_with(&alone) && raw.len() <= alone.len() + 6, "stream {i}");
    }
    match proto::PushRequest::try_from(push) {
        Ok(generated) => {
            assert_same(push, &generated);
            same_content(&PushRequest::from_prost(&generated), push);
            let theirs = proto::PushRequest::decode(&encoded[..]).expect("prost reads it");
            assert_eq!(theirs, generated, "prost reads what we write");
        }
        Err(_) => assert!(!lines_are_text(push)),
    }
}

fn lines_are_text(push: &PushRequest<'_>) -> bool {
    push.streams().iter().flat_map(|stream| stream.entries()).all(|entry| entry.line_str().is_ok())
}

/// Checks what this crate made of `body` against what prost makes of it.
pub fn check_prost(body: &[u8], ours: Result<&PushRequest<'_>, DecodeError>) {
    match (ours, proto::PushRequest::decode(body)) {
        (Ok(ours), Ok(theirs)) => assert_same(ours, &theirs),
        (Ok(_), Err(theirs)) => {
            assert!(prost_may_refuse(Kind::PushRequest, body), "prost refuses it: {theirs}");
        }
        (Err(ours), Ok(_)) => super::prost::check_refused_alone(body, &ours),
        (Err(_), Err(_)) => {}
    }
}

/// Panics unless the push equals prost's.
pub fn assert_same(ours: &PushRequest<'_>, theirs: &proto::PushRequest) {
    assert_eq!(ours.format(), theirs.format);
    assert_eq!(ours.streams().len(), theirs.streams.len());
    for (i, (ours, theirs)) in ours.streams().iter().zip(&theirs.streams).enumerate() {
        let about = || format!("stream {i}: {ours:?} and {theirs:?}");
        assert_eq!((ours.labels(), ours.hash()), (&*theirs.labels, theirs.hash), "{}", about());
        assert_eq!(ours.entries().len(), theirs.entries.len(), "{}", about());
        let mut entries = ours.entries().iter().zip(&theirs.entries);
        assert!(entries.all(|(ours, theirs)| same_entry(ours, theirs)), "{}", about());
    }
}

fn same_entry(ours: Entry<'_, '_>, theirs: &proto::EntryAdapter) -> bool {
    let times = ours.timestamp().map(|time| (time.seconds, time.nanos));
    let pairs = |ours: &[borrowire::loki::LabelPair<'_>], theirs: &[proto::LabelPairAdapter]| {
        let theirs = theirs.iter().map(|pair| (&*pair.name, &*pair.value));
        ours.iter().map(|pair| (pair.name, pair.value)).eq(theirs)
    };
    times == theirs.timestamp.as_ref().map(|time| (time.seconds, time.nanos))
        && ours.line() == theirs.line.as_bytes()
        && pairs(ours.structured_metadata(), &theirs.structured_metadata)
        && pairs(ours.parsed(), &theirs.parsed)
}
