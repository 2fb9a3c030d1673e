//! micropb, with owned strings (UTF-8 checked).

use std::collections::HashMap;
use std::error::Error;

use bytes::Bytes;
use micropb::{MessageDecode, MessageEncode, PbEncoder};

use super::resolved::{impl_owned, impl_reading, impl_symbolizing, resolve};
use crate::peers::fields::{Number, Text, add_histogram, impl_number, impl_to_count};
use crate::peers::generated::micropb::prometheus_v2 as types;
use crate::peers::{Digest, Peer, Touch};

pub struct Micropb;

impl_owned!(Resolved: types::Request, str);
impl_to_count! {
    types::Histogram_::Count: CountInt | CountFloat;
    types::Histogram_::ZeroCount: ZeroCountInt | ZeroCountFloat;
}
impl_number! {
    types::Histogram_::ResetHint: |value| value.0;
    types::Metadata_::MetricType: |value| value.0;
}

impl Peer for Micropb {
    const NAME: &'static str = "micropb";

    const IS_OWNED: bool = true;

    type Request<'a> = Resolved;

    fn decode(body: &Bytes) -> Result<Resolved, Box<dyn Error>> {
        let mut request = types::Request::default();
        request.decode_from_bytes(body).map_err(|error| format!("{error:?}"))?;
        Resolved::try_new(request, |request| resolve!(request, |symbol| &**symbol))
    }

    impl_reading!(r#type, |series| series.metadata());

    fn encoded_len(resolved: &Resolved) -> usize {
        Self::symbolized(resolved, |request| request.compute_size())
    }

    fn encode(resolved: &Resolved, buffer: &mut Vec<u8>) -> usize {
        buffer.clear();
        Self::symbolized(resolved, |request| {
            request.encode(&mut PbEncoder::new(&mut *buffer)).expect("a vector grows");
        });
        buffer.len()
    }
}

impl Micropb {
    impl_symbolizing!(
        types,
        r#type,
        text: |symbol| &**symbol,
        symbol: |text: &str| text.to_owned(),
        metadata: |series| series.metadata(),
        set_metadata: |new, metadata| if let Some(metadata) = metadata {
            new.metadata = metadata;
            new._has.set_metadata();
        },
    );
}
