//! Forwarding to sixteen shards with prost, which decodes, partitions and encodes.

use std::error::Error;

use borrowire::proto::prometheus as proto;
use borrowire::remote_write::v1::WriteRequest;
use bytes::Bytes;
use prost::Message;

use crate::peers::split::{Gathered, SHARDS, Split};

/// The buffers are used again, the messages are new each time.
#[derive(Default)]
pub struct ProstSplit {
    buffers: Vec<Vec<u8>>,
    gathered: Gathered,
}

impl ProstSplit {
    /// Returns how many bytes the parts have.
    pub fn run(&mut self, body: &[u8]) -> usize {
        let request = proto::WriteRequest::decode(body).expect("checked before");
        let mut parts = vec![proto::WriteRequest::default(); SHARDS as usize];
        for series in request.timeseries {
            self.gathered.start();
            for label in &series.labels {
                self.gathered.add(&label.name);
                self.gathered.add(&label.value);
            }
            parts[self.gathered.shard()].timeseries.push(series);
        }
        for metadata in request.metadata {
            self.gathered.start();
            self.gathered.add(&metadata.metric_family_name);
            parts[self.gathered.shard()].metadata.push(metadata);
        }
        self.buffers.resize(parts.len(), Vec::new());
        let mut written = 0;
        for (part, buffer) in parts.iter().zip(&mut self.buffers) {
            buffer.clear();
            part.encode(buffer).expect("a vector grows");
            written += buffer.len();
        }
        written
    }
}

/// Checks that both make the same parts of `body`.
pub fn check(body: &Bytes) -> Result<(), Box<dyn Error>> {
    let mut prost = ProstSplit::default();
    prost.run(body);
    let mut theirs = prost.buffers.iter().zip(0_u32..).filter(|(buffer, _)| !buffer.is_empty());
    for (shard, part) in Split::<WriteRequest<'_>>::default().parts(body) {
        let (buffer, of) = theirs.next().ok_or("prost makes fewer parts")?;
        let (part, buffer) =
            (proto::WriteRequest::decode(&part[..])?, proto::WriteRequest::decode(&buffer[..])?);
        // By their bytes: a NaN is not equal to itself.
        if (shard, part.encode_to_vec()) != (of, buffer.encode_to_vec()) {
            return Err(format!("shard {shard} differs").into());
        }
    }
    if theirs.next().is_some() { Err("prost makes more parts".into()) } else { Ok(()) }
}
