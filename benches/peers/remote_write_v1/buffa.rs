//! buffa, with views that borrow strings (UTF-8 checked), and that are encoded as they are.

use std::error::Error;

use bytes::Bytes;

use super::super::fields::{Number, Text, add_histogram, impl_to_count};
use super::super::generated::buffa::prometheus_v1::__buffa::view::oneof;
use super::super::generated::buffa::prometheus_v1::WriteRequestView;
use super::super::viewed::Viewed;
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct Buffa;

impl_to_count! {
    oneof::histogram::Count: CountInt | CountFloat;
    oneof::histogram::ZeroCount: ZeroCountInt | ZeroCountFloat;
}

impl Peer for Buffa {
    const NAME: &'static str = "buffa";

    type Request<'a> = Viewed<WriteRequestView<'a>>;

    fn decode(body: &Bytes) -> Result<Self::Request<'_>, Box<dyn Error>> {
        Viewed::decode(body)
    }

    impl_reading!(r#type);

    #[inline]
    fn encoded_len(request: &Self::Request<'_>) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &Self::Request<'_>, buffer: &mut Vec<u8>) -> usize {
        request.encode(buffer)
    }
}
