//! Loki push.

mod borrowire;
mod buffa;
mod micropb;
pub mod payload;
mod prost;
mod quick_protobuf;

pub use self::borrowire::Borrowire;
pub use self::buffa::Buffa;
pub use self::micropb::Micropb;
pub use self::prost::{ProstBytes, ProstString};
pub use self::quick_protobuf::QuickProtobuf;

use std::error::Error;

use bytes::Bytes;

use super::{Content, Digest, check, for_every_peer};

/// Checks that all implementations read and write the same content; returns it.
pub fn check_all(body: &Bytes) -> Result<Digest, Box<dyn Error>> {
    let expected = Content::of::<ProstString>(body)?;
    for_every_peer!(loki_push, Peer => check::<Peer, ProstString>(body, &expected)?);
    Ok(expected.digest)
}

/// `Peer::digest` and `Peer::touch` of generated types, by how the time of an entry is found.
macro_rules! impl_reading {
    (|$entry:ident| $timestamp:expr) => {
        fn digest(request: &Self::Request<'_>) -> Digest {
            let mut digest = Digest::default();
            digest.format(request.format.text());
            for stream in &request.streams {
                digest.stream(stream.labels.text(), stream.hash);
                for $entry in &stream.entries {
                    let timestamp = $timestamp.map(|time| (time.seconds, time.nanos));
                    digest.entry(timestamp, $entry.line.text());
                    for pairs in [&$entry.structured_metadata, &$entry.parsed] {
                        digest
                            .pairs(pairs.iter().map(|pair| (pair.name.text(), pair.value.text())));
                    }
                }
            }
            digest
        }

        #[inline]
        fn touch(request: &Self::Request<'_>) -> Touch {
            let mut touch = Touch::default();
            for stream in &request.streams {
                touch.text(stream.labels.text());
                for $entry in &stream.entries {
                    if let Some(time) = $timestamp {
                        touch.time(time.seconds, time.nanos);
                    }
                    touch.text($entry.line.text());
                    for pair in &$entry.structured_metadata {
                        touch.label(pair.name.text(), pair.value.text());
                    }
                }
            }
            touch
        }
    };
}
use impl_reading;
