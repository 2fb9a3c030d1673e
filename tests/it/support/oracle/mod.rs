//! What must hold for any bytes and any request: checks that tests and fuzz targets share. Each panics
//! with what is wrong.
//!
//! What is true of every protocol is here, once. What a protocol has to say for itself is its [`Subject`].

pub mod convert;
pub mod kafka;
pub mod loki_push;
pub mod otlp;
pub mod prost;
pub mod relabel;
pub mod remote_write;
pub mod remote_write_v1;
pub mod remote_write_v2;
pub mod split;
mod split_v2;

use std::fmt::Debug;

use ::prost::Message;
use borrowire::reuse::{Decoder, Reuse};
use borrowire::{DecodeError, DecodeErrorKind, DecodeRequest, Encode, EncodeErrorKind, Limits};

/// A protocol's request.
pub trait Subject: Sized + 'static {
    /// The request, for any lifetime.
    type Family: Reuse;
    /// The request as prost has it.
    type Generated: Message + Debug + Default;
    /// Memory that encoding takes.
    type Scratch: Default;

    /// What [`prost::may_refuse`] calls the message.
    const MESSAGE: prost::Kind;

    fn with_limits(options: Options<Self>, limits: Limits) -> Options<Self>;

    fn with_partial(options: Options<Self>, partial: bool) -> Options<Self>;

    /// The bytes of each record, list by list.
    fn raws<'r>(request: &'r Request<'_, Self>) -> Vec<Option<&'r [u8]>>;

    /// Panics unless two requests have the same content, by bits.
    fn assert_same_content(a: &Request<'_, Self>, b: &Request<'_, Self>);

    /// Panics unless two requests have the same of what is neither content nor records.
    fn assert_same_rest(_: &Request<'_, Self>, _: &Request<'_, Self>) {}

    /// Walks through everything that a decoded request shows: nothing panics, and the parts add up.
    fn check_views(body: &[u8], request: &Request<'_, Self>);

    /// Whether a fault costs, in partial mode, no more than the record that it is in.
    fn is_of_content(kind: DecodeErrorKind) -> bool {
        kind == DecodeErrorKind::InvalidUtf8
    }

    /// Whether such a fault is in no record, and sinks the request all the same.
    fn is_of_request(_: &DecodeError) -> bool {
        false
    }

    /// Checks what partial mode makes of a body with a fault against the fault that the strict one found.
    fn check_partial(
        _: &[u8],
        strict: &DecodeError,
        partial: Result<&Request<'_, Self>, &DecodeError>,
    ) {
        match partial {
            Ok(partial) => {
                assert!(Self::is_of_content(strict.kind()), "may not be passed over: {strict}");
                let first =
                    partial.skipped().first().expect("what fails a strict decode is listed");
                assert_eq!(first.error, *strict, "the first fault is the first that is listed");
            }
            Err(partial) => {
                let sinks = Self::is_of_request(partial) || !Self::is_of_content(partial.kind());
                assert!(sinks, "{partial} sinks the request");
                if partial != strict {
                    assert!(Self::is_of_content(strict.kind()));
                    assert!(partial.offset() > strict.offset(), "faults come in order");
                }
            }
        }
    }

    /// Calls `with` with the request as it is encoded, extensions and all.
    fn encode<T>(
        request: &Request<'_, Self>,
        scratch: &mut Self::Scratch,
        with: impl FnOnce(&dyn Encode) -> T,
    ) -> T;

    /// Checks what else can be encoded of a request, which in all is `encoded`.
    fn check_encoded(_: &Request<'_, Self>, _: &[u8]) {}

    /// Panics unless the request equals what prost reads, floats by bits.
    fn assert_same_as_prost(ours: &Request<'_, Self>, theirs: &Self::Generated);

    /// A request of generated types, whose references are good.
    fn from_prost(generated: &Self::Generated) -> Request<'_, Self>;

    /// Checks conversions between a request and the same as generated types.
    fn check_conversions(ours: &Request<'_, Self>, theirs: &Self::Generated);

    /// Whether there is a reason to refuse what prost takes: tags of over five bytes.
    fn is_refused_alone(body: &[u8], ours: &DecodeError, _: &Self::Generated) -> bool {
        ours.kind() == DecodeErrorKind::InvalidTag && prost::is_long_tag(&body[ours.offset()..])
    }

    /// Checks what only this protocol has, on any bytes.
    fn check_own(_: &[u8]) {}
}

pub type Request<'a, S> = <<S as Subject>::Family as Reuse>::Request<'a>;
pub type Options<S> = <<S as Subject>::Family as Reuse>::Options;

/// The default options, but for partial mode.
pub fn partial<S: Subject>() -> Options<S> {
    S::with_partial(Options::<S>::default(), true)
}

/// Memory that was used before, for whatever came first.
pub struct Used<S: Subject> {
    strict: Decoder<S::Family>,
    partial: Decoder<S::Family>,
    scratch: S::Scratch,
}

impl<S: Subject> Default for Used<S> {
    fn default() -> Self {
        Self {
            strict: Decoder::new(),
            partial: Decoder::new().with_options(partial::<S>()),
            scratch: S::Scratch::default(),
        }
    }
}

/// Reads `body` in every way, and writes what came of it.
pub fn check<'a, S: Subject>(
    body: &'a [u8],
    used: &mut Used<S>,
) -> Result<Request<'a, S>, DecodeError> {
    let request = read(body, used)?;
    round_trip(&request, used);
    Ok(request)
}

/// Reads `body` in every way, and compares with prost.
pub fn read<'a, S: Subject>(
    body: &'a [u8],
    used: &mut Used<S>,
) -> Result<Request<'a, S>, DecodeError> {
    let ours = decode(body, used);
    check_prost::<S>(body, ours.as_ref());
    S::check_own(body);
    ours
}

/// Decodes `body` with a new and a used decoder, strictly and partially, and checks that all agree.
pub fn decode<'a, S: Subject>(
    body: &'a [u8],
    used: &mut Used<S>,
) -> Result<Request<'a, S>, DecodeError> {
    let strict = <Request<'a, S>>::decode(body);
    let partial = <Request<'a, S>>::decode_with(body, &partial::<S>());
    assert_same_result::<S>(used.strict.decode(body).as_deref(), strict.as_ref());
    assert_same_result::<S>(used.partial.decode(body).as_deref(), partial.as_ref());
    for error in [strict.as_ref().err(), partial.as_ref().err()].into_iter().flatten() {
        check_error(body, error);
    }
    match (&strict, &partial) {
        (Ok(strict), Ok(partial)) => {
            assert_same::<S>(strict, partial);
            assert!(partial.skipped().is_empty());
        }
        (Err(strict), partial) => S::check_partial(body, strict, partial.as_ref()),
        (Ok(_), Err(partial)) => panic!("partial mode fails alone: {partial}"),
    }
    if let Ok(request) = &partial {
        check_decoded::<S>(body, request);
    }
    strict
}

fn assert_same_result<S: Subject>(
    a: Result<&Request<'_, S>, &DecodeError>,
    b: Result<&Request<'_, S>, &DecodeError>,
) {
    match (a, b) {
        (Ok(a), Ok(b)) => assert_same::<S>(a, b),
        (a, b) => assert_eq!(a.err(), b.err(), "a used decoder differs"),
    }
}

/// Panics unless two requests show the same everywhere.
pub fn assert_same<S: Subject>(a: &Request<'_, S>, b: &Request<'_, S>) {
    S::assert_same_content(a, b);
    S::assert_same_rest(a, b);
    assert_eq!(a.has_unknown_fields(), b.has_unknown_fields());
    assert_eq!(a.skipped(), b.skipped());
    assert_eq!(S::raws(a), S::raws(b));
}

fn check_decoded<S: Subject>(body: &[u8], request: &Request<'_, S>) {
    assert_eq!(request.body(), body);
    for raw in S::raws(request) {
        check_text(body, raw.expect("a decoded record has its bytes"));
    }
    let skipped = request.skipped();
    for skipped in skipped {
        assert!(S::is_of_content(skipped.error.kind()));
        check_error(body, &skipped.error);
    }
    assert!(
        skipped.is_sorted_by(|a, b| {
            a.kind != b.kind || (a.index, a.element) < (b.index, b.element)
        })
    );
    S::check_views(body, request);
}

fn check_error(body: &[u8], error: &DecodeError) {
    assert!(error.offset() <= body.len(), "{error} is outside {} bytes", body.len());
}

/// Text must lie in the body, not in a copy; what is empty lies nowhere.
pub fn check_text(body: &[u8], text: impl AsRef<[u8]>) {
    let (body, text) = (body.as_ptr_range(), text.as_ref().as_ptr_range());
    assert!(text.is_empty() || (body.start <= text.start && text.end <= body.end));
}

/// Checks what this crate made of `body` against what prost makes of it.
fn check_prost<S: Subject>(body: &[u8], ours: Result<&Request<'_, S>, &DecodeError>) {
    match (ours, S::Generated::decode(body)) {
        (Ok(ours), Ok(theirs)) => {
            S::assert_same_as_prost(ours, &theirs);
            S::check_conversions(ours, &theirs);
        }
        (Ok(_), Err(theirs)) => {
            assert!(prost::may_refuse(S::MESSAGE, body), "prost refuses it: {theirs}");
        }
        (Err(ours), Ok(theirs)) => {
            assert!(S::is_refused_alone(body, ours, &theirs), "prost takes it: {ours}");
        }
        (Err(_), Err(_)) => {}
    }
}

/// Encodes `request`, and checks the lengths, the borders and what decodes from it.
pub fn round_trip<S: Subject>(request: &Request<'_, S>, used: &mut Used<S>) {
    let encoded = S::encode(request, &mut used.scratch, |encoder| {
        let encoded = encoder.encode_to_vec().expect("a decoded request is not too large");
        check_slices(encoder, &encoded);
        encoded
    });
    let again = <Request<'_, S>>::decode(&encoded).expect("what we write is well-formed");
    S::assert_same_content(request, &again);
    assert!(!again.has_unknown_fields());
    let twice = S::encode(&again, &mut used.scratch, |encoder| encoder.encode_to_vec());
    assert_eq!(twice.as_ref(), Ok(&encoded), "equal values give equal bytes");
    check_prost::<S>(&encoded, Ok(&again));
    S::check_encoded(request, &encoded);
}

/// Into a slice of the exact length, a longer one, and shorter ones.
pub fn check_slices(message: &(impl Encode + ?Sized), encoded: &[u8]) {
    let len = message.encoded_len();
    assert_eq!(len, encoded.len());
    let mut exact = vec![0xaa; len];
    assert_eq!(message.encode(&mut exact), Ok(len));
    assert_eq!(exact, encoded);
    let mut longer = vec![0xaa; len + 40];
    assert_eq!(message.encode(&mut longer), Ok(len));
    assert_eq!(longer[..len], *encoded);
    assert_eq!(longer[len..], [0xaa; 40], "bytes behind the message are not touched");
    // All shorter ones where they are few, and some of each size otherwise. Each takes a walk over the
    // whole message.
    let step = 1 + if len < 4 << 10 { len / 64 } else { len / 4 };
    for short in (0..len).step_by(step).chain(len.checked_sub(1)) {
        let error = message.encode(&mut exact[..short]).expect_err("too short");
        assert_eq!(error.kind(), EncodeErrorKind::BufferTooSmall);
        assert_eq!((error.needed(), error.capacity()), (len, short));
    }
}
