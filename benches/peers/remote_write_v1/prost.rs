//! prost, with `String` fields (UTF-8 checked) and with `Bytes` fields (unchecked, sharing the
//! body).

use std::error::Error;

use borrowire::proto::prometheus as string_types;
use bytes::Bytes;
use prost::Message;

use super::super::fields::{Number, Text, add_histogram, impl_to_count};
use super::super::generated::prost_bytes::prometheus_v1 as bytes_types;
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct ProstString;
pub struct ProstBytes;

impl_to_count! {
    string_types::histogram::Count: CountInt | CountFloat;
    string_types::histogram::ZeroCount: ZeroCountInt | ZeroCountFloat;
    bytes_types::histogram::Count: CountInt | CountFloat;
    bytes_types::histogram::ZeroCount: ZeroCountInt | ZeroCountFloat;
}

// The types differ in their text fields only.
macro_rules! impl_peer {
    ($peer:ident, $name:literal, $types:ident, |$body:ident| $buffer:expr) => {
        impl Peer for $peer {
            const NAME: &'static str = $name;

            const IS_OWNED: bool = true;

            type Request<'a> = $types::WriteRequest;

            fn decode($body: &Bytes) -> Result<$types::WriteRequest, Box<dyn Error>> {
                Ok($types::WriteRequest::decode($buffer)?)
            }

            impl_reading!(r#type);

            #[inline]
            fn encoded_len(request: &$types::WriteRequest) -> usize {
                request.encoded_len()
            }

            #[inline]
            fn encode(request: &$types::WriteRequest, buffer: &mut Vec<u8>) -> usize {
                buffer.clear();
                request.encode(buffer).expect("a vector grows");
                buffer.len()
            }
        }
    };
}

impl_peer!(ProstString, "prost-string", string_types, |body| body.as_ref());
impl_peer!(ProstBytes, "prost-bytes", bytes_types, |body| body.clone());
