//! quick-protobuf, with borrowed strings (UTF-8 checked, lines as well).

use std::error::Error;

use bytes::Bytes;
use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};

use super::super::fields::Text;
use super::super::generated::quick_protobuf::loki_push::PushRequest;
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct QuickProtobuf;

impl Peer for QuickProtobuf {
    const NAME: &'static str = "quick-protobuf";

    type Request<'a> = PushRequest<'a>;

    fn decode(body: &Bytes) -> Result<PushRequest<'_>, Box<dyn Error>> {
        Ok(PushRequest::from_reader(&mut BytesReader::from_bytes(body), body)?)
    }

    impl_reading!(|entry| entry.timestamp.as_ref());

    #[inline]
    fn encoded_len(request: &PushRequest<'_>) -> usize {
        request.get_size()
    }

    #[inline]
    fn encode(request: &PushRequest<'_>, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        request.write_message(&mut Writer::new(&mut *buffer)).expect("a vector grows");
        buffer.len()
    }
}
