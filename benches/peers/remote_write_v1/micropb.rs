//! micropb, with owned strings (UTF-8 checked).

use std::error::Error;

use bytes::Bytes;
use micropb::{MessageDecode, MessageEncode, PbEncoder};

use super::super::fields::{Number, Text, add_histogram, impl_number, impl_to_count};
use super::super::generated::micropb::prometheus_v1::{self as types, WriteRequest};
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct Micropb;

impl_to_count! {
    types::Histogram_::Count: CountInt | CountFloat;
    types::Histogram_::ZeroCount: ZeroCountInt | ZeroCountFloat;
}
impl_number! {
    types::Histogram_::ResetHint: |value| value.0;
    types::MetricMetadata_::MetricType: |value| value.0;
}

impl Peer for Micropb {
    const NAME: &'static str = "micropb";

    const IS_OWNED: bool = true;

    type Request<'a> = WriteRequest;

    fn decode(body: &Bytes) -> Result<WriteRequest, Box<dyn Error>> {
        let mut request = WriteRequest::default();
        request.decode_from_bytes(body).map_err(|error| format!("{error:?}"))?;
        Ok(request)
    }

    impl_reading!(r#type);

    #[inline]
    fn encoded_len(request: &WriteRequest) -> usize {
        request.compute_size()
    }

    #[inline]
    fn encode(request: &WriteRequest, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        request.encode(&mut PbEncoder::new(&mut *buffer)).expect("a vector grows");
        buffer.len()
    }
}
