//! Loki's push.

use borrowire::loki::{DecodeOptions, Entry, PushRequest, Rules, Stream};
use borrowire::proto::logproto as proto;
use borrowire::{DecodeError, DecodeErrorKind, Encode, Limits};

use super::prost::Kind;
use super::{Subject, check_text};

pub struct LokiPush;

pub const PARTIAL: DecodeOptions = DecodeOptions::new().with_partial(true);

impl Subject for LokiPush {
    type Family = PushRequest<'static>;
    type Generated = proto::PushRequest;
    type Scratch = ();

    const MESSAGE: Kind = Kind::PushRequest;

    fn with_limits(options: DecodeOptions, limits: Limits) -> DecodeOptions {
        options.with_limits(limits)
    }

    fn with_partial(options: DecodeOptions, partial: bool) -> DecodeOptions {
        options.with_partial(partial)
    }

    fn raws<'r>(push: &'r PushRequest<'_>) -> Vec<Option<&'r [u8]>> {
        (0..push.streams().len()).map(|at| push.raw_stream(at)).collect()
    }

    fn assert_same_content(a: &PushRequest<'_>, b: &PushRequest<'_>) {
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
            let alone = PushRequest::decode(raw).expect("raw bytes are a push");
            assert_eq!(alone.streams().len(), 1);
            assert!(alone.streams().get(0) == Some(stream), "stream {i}");
        }
        assert_eq!((entries, pairs), (push.entries_len(), push.structured_metadata_len()));
        push.validate(&Rules::new(), |violation| assert!(!violation.to_string().is_empty()));
    }

    /// Text of no stream: the format.
    fn is_of_request(error: &DecodeError) -> bool {
        (error.kind(), error.field_number()) == (DecodeErrorKind::InvalidUtf8, 2)
    }

    fn encode<T>(push: &PushRequest<'_>, (): &mut (), with: impl FnOnce(&dyn Encode) -> T) -> T {
        with(push)
    }

    /// Stream by stream, and from the caller's own slices.
    fn check_encoded(push: &PushRequest<'_>, encoded: &[u8]) {
        let mut entries = push.streams().iter().flat_map(|stream| stream.entries());
        let is_text = entries.all(|entry| entry.line_str().is_ok());
        assert_eq!(proto::PushRequest::try_from(push).is_ok(), is_text);
        let again = PushRequest::decode(encoded).expect("what we write is well-formed");
        for (i, stream) in again.streams().iter().enumerate() {
            let entries: Vec<Entry<'_, '_>> = stream.entries().iter().collect();
            let own = Stream::new(stream.labels()).with_entries(&entries).with_hash(stream.hash());
            assert!(own == stream, "stream {i}");
            let alone = stream.encode_to_vec().expect("a part is not too large");
            assert_eq!(own.encode_to_vec().as_ref(), Ok(&alone), "stream {i}");
            let raw = again.raw_stream(i).expect("a decoded stream has its bytes");
            assert!(raw.ends_with(&alone) && raw.len() <= alone.len() + 6, "stream {i}");
        }
    }

    fn assert_same_as_prost(ours: &PushRequest<'_>, theirs: &proto::PushRequest) {
        assert_same(ours, theirs);
    }

    fn from_prost(generated: &proto::PushRequest) -> PushRequest<'_> {
        PushRequest::from_prost(generated)
    }

    fn check_conversions(ours: &PushRequest<'_>, theirs: &proto::PushRequest) {
        Self::assert_same_content(&PushRequest::from_prost(theirs), ours);
        assert_eq!(proto::PushRequest::try_from(ours).as_ref(), Ok(theirs));
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
