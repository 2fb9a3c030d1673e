//! Forwarding to sixteen shards with prost, which decodes, partitions, numbers symbols anew and
//! encodes.

use std::error::Error;

use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v2::Request;
use bytes::Bytes;
use prost::Message;

use crate::peers::split::{Gathered, SHARDS, Split};

/// The buffers are used again, the messages are new each time.
#[derive(Default)]
pub struct ProstSplit {
    buffers: Vec<Vec<u8>>,
    gathered: Gathered,
}

/// A part, and for each symbol of the request its number there; 0 for none.
#[derive(Clone)]
struct Part {
    request: proto::Request,
    numbers: Vec<u32>,
}

impl Part {
    fn renumber(&mut self, symbols: &[String], reference: &mut u32) {
        if *reference == 0 {
            return;
        }
        let number = &mut self.numbers[*reference as usize];
        if *number == 0 {
            *number = self.request.symbols.len() as u32;
            self.request.symbols.push(symbols[*reference as usize].clone());
        }
        *reference = *number;
    }
}

impl ProstSplit {
    /// Returns how many bytes the parts have.
    pub fn run(&mut self, body: &[u8]) -> usize {
        let request = proto::Request::decode(body).expect("checked before");
        let symbols = &request.symbols;
        let empty = proto::Request { symbols: vec![String::new()], timeseries: Vec::new() };
        let new = Part { request: empty, numbers: vec![0; symbols.len()] };
        let mut parts = vec![new; SHARDS as usize];
        for mut series in request.timeseries {
            self.gathered.start();
            for &reference in &series.labels_refs {
                self.gathered.add(&symbols[reference as usize]);
            }
            let part = &mut parts[self.gathered.shard()];
            let exemplars = series.exemplars.iter_mut().flat_map(|e| &mut e.labels_refs);
            for reference in series.labels_refs.iter_mut().chain(exemplars) {
                part.renumber(symbols, reference);
            }
            if let Some(metadata) = &mut series.metadata {
                part.renumber(symbols, &mut metadata.help_ref);
                part.renumber(symbols, &mut metadata.unit_ref);
            }
            part.request.timeseries.push(series);
        }
        self.buffers.resize(parts.len(), Vec::new());
        let mut written = 0;
        for (part, buffer) in parts.iter().zip(&mut self.buffers) {
            buffer.clear();
            if !part.request.timeseries.is_empty() {
                part.request.encode(buffer).expect("a vector grows");
            }
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
    for (shard, part) in Split::<Request<'_>>::default().parts(body) {
        let (buffer, of) = theirs.next().ok_or("prost makes fewer parts")?;
        let (part, other) = (Request::decode(&part)?, Request::decode(buffer)?);
        let same = part.timeseries().iter().eq(other.timeseries());
        if shard != of || !same || part.symbols().len() != other.symbols().len() {
            return Err(format!("shard {shard} differs").into());
        }
    }
    if theirs.next().is_some() { Err("prost makes more parts".into()) } else { Ok(()) }
}
