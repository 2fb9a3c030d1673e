//! The implementations that the benchmarks compare, behind one trait.
//!
//! Each message has a directory here with one file per implementation. Before anything is timed,
//! all of them read the same bytes and their [`Digest`]s must agree.

pub mod digest;
pub mod fields;
#[path = "../generated/mod.rs"]
pub mod generated;
pub mod loki_push;
pub mod otlp;
pub mod otlp_logs;
pub mod otlp_metrics;
pub mod random;
pub mod remote_write_v1;
pub mod remote_write_v2;
pub mod split;
pub mod viewed;

pub use digest::{Digest, Touch};

use std::error::Error;

use bytes::Bytes;

/// One implementation of one message.
pub trait Peer {
    /// As in reports and benchmark names.
    const NAME: &'static str;

    /// Whether the decoded message outlives the body that it was given by reference.
    const IS_OWNED: bool = false;

    /// The decoded message; borrows from the body where the implementation can.
    type Request<'a>: 'a;

    /// Decodes into fresh storage.
    fn decode(body: &Bytes) -> Result<Self::Request<'_>, Box<dyn Error>>;

    /// Everything that was read, in order.
    fn digest(request: &Self::Request<'_>) -> Digest;

    /// Touches all text and every time and value, such as each label and sample of a series.
    fn touch(request: &Self::Request<'_>) -> Touch;

    fn encoded_len(request: &Self::Request<'_>) -> usize;

    /// Encodes to the front of `buffer`, all measuring included, and returns the length.
    ///
    /// The caller passes the same buffer again and again, at first longer than the message is. An
    /// implementation that only appends to a vector empties it first.
    fn encode(request: &Self::Request<'_>, buffer: &mut Vec<u8>) -> usize;
}

/// Runs an expression for each implementation of a message, under a name for its type:
/// `for_every_peer!(loki_push, Peer => run::<Peer>())`.
macro_rules! for_every_peer {
    ($message:ident, $peer:ident => $run:expr) => {
        $crate::peers::for_every_peer!(
            $message, $peer => $run,
            [Borrowire ProstString ProstBytes QuickProtobuf Buffa Micropb]
        )
    };
    ($message:ident, $peer:ident => $run:expr, [$($implementation:ident)*]) => {$({
        type $peer = $crate::peers::$message::$implementation;
        $run;
    })*};
}
pub(crate) use for_every_peer;

/// What all implementations of a message must find in a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Content {
    pub digest: Digest,
    pub touch: Touch,
}

impl Content {
    pub fn of<P: Peer>(body: &Bytes) -> Result<Self, Box<dyn Error>> {
        let request = P::decode(body)?;
        Ok(Self { digest: P::digest(&request), touch: P::touch(&request) })
    }
}

/// Checks that `P` reads `expected` in `body`, and that `Reference` reads the same in what `P`
/// writes.
pub fn check<P: Peer, Reference: Peer>(
    body: &Bytes,
    expected: &Content,
) -> Result<(), Box<dyn Error>> {
    let name = P::NAME;
    let content =
        Content::of::<P>(body).map_err(|error| format!("{name} cannot decode it: {error}"))?;
    if content != *expected {
        return Err(format!("{name} reads {content:?}, expected {expected:?}").into());
    }

    let request = P::decode(body)?;
    let encoded_len = P::encoded_len(&request);
    let mut buffer = vec![0; encoded_len + 64];
    let written = P::encode(&request, &mut buffer);
    if written != encoded_len {
        return Err(format!("{name} writes {written} bytes but announces {encoded_len}").into());
    }
    buffer.truncate(written);
    let again = Content::of::<Reference>(&buffer.into())
        .map_err(|error| format!("what {name} writes cannot be decoded: {error}"))?;
    // prost and quick-protobuf leave -0.0 out as if it were 0.0: known, and no reason to refuse a
    // file.
    if !again.digest.eq_but_negative_zero(&expected.digest) {
        return Err(format!("{name} writes {again:?}, expected {expected:?}").into());
    }
    Ok(())
}
