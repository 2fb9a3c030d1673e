//! This crate.

use std::cell::RefCell;
use std::error::Error;

use borrowire::Encode;
use borrowire::remote_write::v2::{Request, Symbolizer};
use bytes::Bytes;

use super::super::remote_write_v1::borrowire::add_histogram;
use super::super::{Digest, Peer, Touch};

pub struct Borrowire;

/// A request, and what encodes it again and again.
pub struct Decoded<'a> {
    request: Request<'a>,
    symbolizer: RefCell<Symbolizer>,
}

impl Peer for Borrowire {
    const NAME: &'static str = "borrowire";

    type Request<'a> = Decoded<'a>;

    #[inline]
    fn decode(body: &Bytes) -> Result<Decoded<'_>, Box<dyn Error>> {
        Ok(Decoded { request: Request::decode(body)?, symbolizer: RefCell::default() })
    }

    fn digest(decoded: &Decoded<'_>) -> Digest {
        let mut digest = Digest::default();
        for series in decoded.request.timeseries() {
            digest.series();
            for label in series.labels() {
                digest.label(label.name.as_bytes(), label.value.as_bytes());
            }
            for sample in series.samples() {
                digest.sample(sample.value, sample.timestamp);
            }
            for exemplar in series.exemplars() {
                digest.exemplar(exemplar.value(), exemplar.timestamp());
                for label in exemplar.labels() {
                    digest.label(label.name.as_bytes(), label.value.as_bytes());
                }
            }
            for histogram in series.histograms() {
                add_histogram(&mut digest, &histogram);
            }
            if let Some(metadata) = series.metadata() {
                let (help, unit) = (metadata.help.as_bytes(), metadata.unit.as_bytes());
                digest.metadata(metadata.metric_type.0, b"", help, unit);
            }
        }
        digest
    }

    #[inline]
    fn touch(decoded: &Decoded<'_>) -> Touch {
        let mut touch = Touch::default();
        for series in decoded.request.timeseries() {
            for label in series.labels() {
                touch.label(label.name.as_bytes(), label.value.as_bytes());
            }
            for sample in series.samples() {
                touch.sample(sample.value, sample.timestamp);
            }
        }
        touch
    }

    fn encoded_len(decoded: &Decoded<'_>) -> usize {
        let mut symbolizer = decoded.symbolizer.borrow_mut();
        symbolizer.symbolize(decoded.request.timeseries()).expect("no cap").encoded_len()
    }

    fn encode(decoded: &Decoded<'_>, buffer: &mut Vec<u8>) -> usize {
        let mut symbolizer = decoded.symbolizer.borrow_mut();
        let symbolized = symbolizer.symbolize(decoded.request.timeseries()).expect("no cap");
        symbolized.encode(buffer).expect("the buffer is longer than the message")
    }
}
