//! Prometheus remote write 1.0.

pub mod borrowire;
mod buffa;
mod micropb;
pub mod payload;
mod prost;
mod quick_protobuf;
pub mod shard;

pub use self::borrowire::Borrowire;
pub use self::buffa::Buffa;
pub use self::micropb::Micropb;
pub use self::prost::{ProstBytes, ProstString};
pub use self::quick_protobuf::QuickProtobuf;

use std::error::Error;

use bytes::Bytes;

use super::{Content, Digest, check, for_every_peer};

/// Checks that all implementations read and write the same content; returns it.
pub fn check_all(body: &Bytes) -> Result<Digest, Box<dyn Error>> {
    let expected = Content::of::<ProstString>(body)?;
    for_every_peer!(remote_write_v1, Peer => check::<Peer, ProstString>(body, &expected)?);
    Ok(expected.digest)
}

/// `Peer::digest` and `Peer::touch` of generated types, by the name of the field that holds the
/// type of a metric.
macro_rules! impl_reading {
    ($type:ident) => {
        fn digest(request: &Self::Request<'_>) -> Digest {
            let mut digest = Digest::default();
            for series in &request.timeseries {
                digest.series();
                for label in &series.labels {
                    digest.label(label.name.text(), label.value.text());
                }
                for sample in &series.samples {
                    digest.sample(sample.value, sample.timestamp);
                }
                for exemplar in &series.exemplars {
                    digest.exemplar(exemplar.value, exemplar.timestamp);
                    for label in &exemplar.labels {
                        digest.label(label.name.text(), label.value.text());
                    }
                }
                for histogram in &series.histograms {
                    add_histogram!(digest, histogram);
                }
            }
            for metadata in &request.metadata {
                digest.metadata(
                    metadata.$type.number(),
                    metadata.metric_family_name.text(),
                    metadata.help.text(),
                    metadata.unit.text(),
                );
            }
            digest
        }

        #[inline]
        fn touch(request: &Self::Request<'_>) -> Touch {
            let mut touch = Touch::default();
            for series in &request.timeseries {
                for label in &series.labels {
                    touch.label(label.name.text(), label.value.text());
                }
                for sample in &series.samples {
                    touch.sample(sample.value, sample.timestamp);
                }
            }
            touch
        }
    };
}
use impl_reading;
