//! buffa, with views that borrow text, and that are encoded as they are.

use std::error::Error;

use bytes::Bytes;

use super::super::fields::Number;
use super::super::generated::buffa::otlp_metrics::any_value::ValueView as Value;
use super::super::generated::buffa::otlp_metrics::metric::DataView as Data;
use super::super::generated::buffa::otlp_metrics::{
    AnyValueView, ExemplarView, ExportMetricsServiceRequestView, KeyValueView, NumberDataPointView,
    exemplar, number_data_point,
};
use super::super::otlp::{add_resource, add_scope, impl_attributes};
use super::super::viewed::Viewed;
use super::super::{Digest, Peer, Touch};
use super::{impl_numbers, impl_reading};

pub struct Buffa;

impl_attributes!(AnyValueView<'_>, KeyValueView<'_>, Value, |message| message.as_option());
impl_numbers!(
    NumberDataPointView<'_>,
    number_data_point::ValueView,
    ExemplarView<'_>,
    exemplar::ValueView
);

impl Peer for Buffa {
    const NAME: &'static str = "buffa";

    type Request<'a> = Viewed<ExportMetricsServiceRequestView<'a>>;

    fn decode(body: &Bytes) -> Result<Self::Request<'_>, Box<dyn Error>> {
        Viewed::decode(body)
    }

    impl_reading!(|message| message.as_option());

    #[inline]
    fn encoded_len(request: &Self::Request<'_>) -> usize {
        request.encoded_len()
    }

    #[inline]
    fn encode(request: &Self::Request<'_>, buffer: &mut Vec<u8>) -> usize {
        request.encode(buffer)
    }
}
