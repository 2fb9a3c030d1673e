//! prost, with `String` fields (UTF-8 checked) and with `Bytes` fields (unchecked, sharing the
//! body).

use std::error::Error;

use borrowire::proto::logproto as string_types;
use bytes::Bytes;
use prost::Message;

use super::super::{Digest, Peer, Touch};

/// `proto/loki_push.proto` with every `string` turned into `bytes`: see `build.rs`.
#[allow(clippy::all, clippy::pedantic)]
mod bytes_types {
    include!(concat!(env!("OUT_DIR"), "/loki_push_bytes/logproto.rs"));
}

pub struct ProstString;
pub struct ProstBytes;

// The types differ in their text fields only, and both kinds of text are `AsRef<[u8]>`.
macro_rules! impl_peer {
    ($peer:ident, $name:literal, $types:ident, $decode:expr) => {
        impl Peer for $peer {
            const NAME: &'static str = $name;

            type Request<'a> = $types::PushRequest;

            fn decode(body: &Bytes) -> Result<$types::PushRequest, Box<dyn Error>> {
                let decode: fn(&Bytes) -> _ = $decode;
                Ok(decode(body)?)
            }

            fn digest(request: &$types::PushRequest) -> Digest {
                let mut digest = Digest::default();
                digest.format(request.format.as_ref());
                for stream in &request.streams {
                    digest.stream(stream.labels.as_ref(), stream.hash);
                    for entry in &stream.entries {
                        let timestamp = entry.timestamp.map(|time| (time.seconds, time.nanos));
                        digest.entry(timestamp, entry.line.as_ref());
                        digest.pairs(entry.structured_metadata.iter().map(pair));
                        digest.pairs(entry.parsed.iter().map(pair));
                    }
                }
                return digest;

                fn pair(pair: &$types::LabelPairAdapter) -> (&[u8], &[u8]) {
                    (pair.name.as_ref(), pair.value.as_ref())
                }
            }

            #[inline]
            fn touch(request: &$types::PushRequest) -> Touch {
                let mut touch = Touch::default();
                for stream in &request.streams {
                    touch.text(stream.labels.as_ref());
                    for entry in &stream.entries {
                        if let Some(time) = &entry.timestamp {
                            touch.time(time.seconds, time.nanos);
                        }
                        touch.text(entry.line.as_ref());
                        for pair in &entry.structured_metadata {
                            touch.label(pair.name.as_ref(), pair.value.as_ref());
                        }
                    }
                }
                touch
            }

            #[inline]
            fn encoded_len(request: &$types::PushRequest) -> usize {
                request.encoded_len()
            }

            #[inline]
            fn encode(request: &$types::PushRequest, buffer: &mut Vec<u8>) -> usize {
                buffer.clear();
                request.encode(buffer).expect("a vector grows");
                buffer.len()
            }
        }
    };
}

impl_peer!(ProstString, "prost-string", string_types, |body| {
    string_types::PushRequest::decode(body.as_ref())
});
impl_peer!(ProstBytes, "prost-bytes", bytes_types, |body| {
    bytes_types::PushRequest::decode(body.clone())
});
