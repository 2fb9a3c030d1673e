//! prost, with `String` fields (UTF-8 checked) and with `Bytes` fields (unchecked, sharing the
//! body).

use std::error::Error;

use borrowire::proto::logproto as string_types;
use bytes::Bytes;
use prost::Message;

use super::super::fields::Text;
use super::super::generated::prost_bytes::loki_push as bytes_types;
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct ProstString;
pub struct ProstBytes;

// The types differ in their text fields only.
macro_rules! impl_peer {
    ($peer:ident, $name:literal, $types:ident, |$body:ident| $buffer:expr) => {
        impl Peer for $peer {
            const NAME: &'static str = $name;

            const IS_OWNED: bool = true;

            type Request<'a> = $types::PushRequest;

            fn decode($body: &Bytes) -> Result<$types::PushRequest, Box<dyn Error>> {
                Ok($types::PushRequest::decode($buffer)?)
            }

            impl_reading!(|entry| entry.timestamp.as_ref());

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

impl_peer!(ProstString, "prost-string", string_types, |body| body.as_ref());
impl_peer!(ProstBytes, "prost-bytes", bytes_types, |body| body.clone());
