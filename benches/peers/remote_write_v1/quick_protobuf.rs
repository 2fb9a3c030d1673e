//! quick-protobuf, with borrowed strings (UTF-8 checked).

use std::error::Error;

use bytes::Bytes;
use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};

use super::super::fields::{Number, Text, add_histogram, impl_number, impl_to_count};
use super::super::generated::quick_protobuf::prometheus_v1::{self as types, WriteRequest};
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct QuickProtobuf;

impl_to_count! {
    types::mod_Histogram::OneOfcount: count_int | count_float;
    types::mod_Histogram::OneOfzero_count: zero_count_int | zero_count_float;
}
impl_number! {
    types::mod_Histogram::ResetHint: |value| value as i32;
    types::mod_MetricMetadata::MetricType: |value| value as i32;
}

impl Peer for QuickProtobuf {
    const NAME: &'static str = "quick-protobuf";

    type Request<'a> = WriteRequest<'a>;

    fn decode(body: &Bytes) -> Result<WriteRequest<'_>, Box<dyn Error>> {
        Ok(WriteRequest::from_reader(&mut BytesReader::from_bytes(body), body)?)
    }

    impl_reading!(type_pb);

    #[inline]
    fn encoded_len(request: &WriteRequest<'_>) -> usize {
        request.get_size()
    }

    #[inline]
    fn encode(request: &WriteRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        request.write_message(&mut Writer::new(&mut *buffer)).expect("a vector grows");
        buffer.len()
    }
}
