//! micropb, with owned strings (UTF-8 checked, lines as well).

use std::error::Error;

use bytes::Bytes;
use micropb::{MessageDecode, MessageEncode, PbEncoder};

use super::super::fields::Text;
use super::super::generated::micropb::loki_push::PushRequest;
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct Micropb;

impl Peer for Micropb {
    const NAME: &'static str = "micropb";

    const IS_OWNED: bool = true;

    type Request<'a> = PushRequest;

    fn decode(body: &Bytes) -> Result<PushRequest, Box<dyn Error>> {
        let mut request = PushRequest::default();
        request.decode_from_bytes(body).map_err(|error| format!("{error:?}"))?;
        Ok(request)
    }

    impl_reading!(|entry| entry.timestamp());

    #[inline]
    fn encoded_len(request: &PushRequest) -> usize {
        request.compute_size()
    }

    #[inline]
    fn encode(request: &PushRequest, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        request.encode(&mut PbEncoder::new(&mut *buffer)).expect("a vector grows");
        buffer.len()
    }
}
