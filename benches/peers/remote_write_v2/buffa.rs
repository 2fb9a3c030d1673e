//! buffa, with views that borrow strings (UTF-8 checked), and that are encoded as they are.

use std::collections::HashMap;
use std::error::Error;

use buffa::{MessageFieldView, ViewEncode};
use bytes::Bytes;

use super::resolved::{Resolved, impl_reading, impl_symbolizing, resolve};
use crate::peers::fields::{Number, Text, add_histogram, impl_to_count};
use crate::peers::generated::buffa::prometheus_v2::__buffa::view::oneof;
use crate::peers::viewed::{self, Viewed};
use crate::peers::{Digest, Peer, Touch};

mod types {
    pub use crate::peers::generated::buffa::prometheus_v2::{
        ExemplarView as Exemplar, MetadataView as Metadata, RequestView as Request,
        TimeSeriesView as TimeSeries,
    };
}

pub struct Buffa;

impl_to_count! {
    oneof::histogram::Count: CountInt | CountFloat;
    oneof::histogram::ZeroCount: ZeroCountInt | ZeroCountFloat;
}

impl Peer for Buffa {
    const NAME: &'static str = "buffa";

    type Request<'a> = Resolved<'a, Viewed<types::Request<'a>>>;

    fn decode(body: &Bytes) -> Result<Self::Request<'_>, Box<dyn Error>> {
        let request = Viewed::<types::Request>::decode(body)?;
        let labels: Result<_, Box<dyn Error>> = resolve!(&request, |symbol| *symbol);
        Ok(Resolved { labels: labels?, request })
    }

    impl_reading!(r#type, |series| series.metadata.as_option());

    fn encoded_len(resolved: &Self::Request<'_>) -> usize {
        Self::symbolized(resolved, |request| {
            request.compute_size(&mut resolved.request.sizes()) as usize
        })
    }

    fn encode(resolved: &Self::Request<'_>, buffer: &mut Vec<u8>) -> usize {
        Self::symbolized(resolved, |request| {
            viewed::encode(request, &mut resolved.request.sizes(), buffer)
        })
    }
}

impl Buffa {
    impl_symbolizing!(
        types,
        r#type,
        text: |symbol| *symbol,
        symbol: |text: &str| text,
        metadata: |series| series.metadata.as_option(),
        set_metadata: |new, metadata| {
            new.metadata = metadata.map_or_else(MessageFieldView::unset, MessageFieldView::set);
        },
    );
}
