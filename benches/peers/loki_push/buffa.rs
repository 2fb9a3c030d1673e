//! buffa, with views that borrow strings (UTF-8 checked, lines as well), and that are encoded as
//! they are.

use std::error::Error;

use bytes::Bytes;

use super::super::fields::Text;
use super::super::generated::buffa::loki_push::PushRequestView;
use super::super::viewed::Viewed;
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct Buffa;

impl Peer for Buffa {
    const NAME: &'static str = "buffa";

    type Request<'a> = Viewed<PushRequestView<'a>>;

    fn decode(body: &Bytes) -> Result<Self::Request<'_>, Box<dyn Error>> {
        Viewed::decode(body)
    }

    impl_reading!(|entry| entry.timestamp.as_option());

    #[inline]
    fn encoded_len(request: &Self::Request<'_>) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &Self::Request<'_>, buffer: &mut Vec<u8>) -> usize {
        request.encode(buffer)
    }
}
