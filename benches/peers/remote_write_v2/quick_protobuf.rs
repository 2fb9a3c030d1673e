//! quick-protobuf, with borrowed strings (UTF-8 checked).

use std::borrow::Cow;
use std::collections::HashMap;
use std::error::Error;

use bytes::Bytes;
use quick_protobuf::{BytesReader, MessageRead, MessageWrite, Writer};

use super::resolved::{Resolved, impl_reading, impl_symbolizing, resolve};
use crate::peers::fields::{Number, Text, add_histogram, impl_number, impl_to_count};
use crate::peers::generated::quick_protobuf::prometheus_v2 as types;
use crate::peers::{Digest, Peer, Touch};

pub struct QuickProtobuf;

impl_to_count! {
    types::mod_Histogram::OneOfcount: count_int | count_float;
    types::mod_Histogram::OneOfzero_count: zero_count_int | zero_count_float;
}
impl_number! {
    types::mod_Histogram::ResetHint: |value| value as i32;
    types::mod_Metadata::MetricType: |value| value as i32;
}

impl Peer for QuickProtobuf {
    const NAME: &'static str = "quick-protobuf";

    type Request<'a> = Resolved<'a, types::Request<'a>>;

    fn decode(body: &Bytes) -> Result<Self::Request<'_>, Box<dyn Error>> {
        let request = types::Request::from_reader(&mut BytesReader::from_bytes(body), body)?;
        let labels: Result<_, Box<dyn Error>> = resolve!(&request, |symbol| borrowed(symbol));
        Ok(Resolved { labels: labels?, request })
    }

    impl_reading!(type_pb, |series| series.metadata.as_ref());

    fn encoded_len(resolved: &Self::Request<'_>) -> usize {
        Self::symbolized(resolved, |request| request.get_size())
    }

    fn encode(resolved: &Self::Request<'_>, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        Self::symbolized(resolved, |request| {
            request.write_message(&mut Writer::new(&mut *buffer)).expect("a vector grows");
        });
        buffer.len()
    }
}

impl QuickProtobuf {
    impl_symbolizing!(
        types,
        type_pb,
        text: |symbol| borrowed(symbol),
        symbol: |text: &str| Cow::Borrowed(text),
        metadata: |series| series.metadata.as_ref(),
        set_metadata: |new, metadata| new.metadata = metadata,
    );
}

fn borrowed<'a>(symbol: &Cow<'a, str>) -> &'a str {
    match symbol {
        Cow::Borrowed(text) => text,
        Cow::Owned(_) => unreachable!("symbols borrow from the body"),
    }
}
