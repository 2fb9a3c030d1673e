//! prost, with the types of opentelemetry-proto.

use std::error::Error;

use borrowire::proto::opentelemetry::proto::collector::logs::v1::ExportLogsServiceRequest;
use borrowire::proto::opentelemetry::proto::common::v1::any_value::Value;
use borrowire::proto::opentelemetry::proto::common::v1::{AnyValue, KeyValue};
use bytes::Bytes;
use prost::Message;

use super::super::fields::Number;
use super::super::otlp::{add_resource, add_scope, impl_attributes};
use super::super::{Digest, Peer, Touch};
use super::impl_reading;

pub struct ProstString;

impl_attributes!(AnyValue, KeyValue, Value, |message| message.as_ref());

impl Peer for ProstString {
    const NAME: &'static str = "prost-string";

    const IS_OWNED: bool = true;

    type Request<'a> = ExportLogsServiceRequest;

    fn decode(body: &Bytes) -> Result<ExportLogsServiceRequest, Box<dyn Error>> {
        Ok(ExportLogsServiceRequest::decode(body.as_ref())?)
    }

    impl_reading!(|message| message.as_ref());

    #[inline]
    fn encoded_len(request: &ExportLogsServiceRequest) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &ExportLogsServiceRequest, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        request.encode(buffer).expect("a vector grows");
        buffer.len()
    }
}
