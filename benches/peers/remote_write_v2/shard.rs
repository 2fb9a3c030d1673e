//! Forwarding to sixteen shards: this crate, and prost, which decodes, partitions, numbers symbols anew and
//! encodes.

use std::error::Error;

use borrowire::Encode;
use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v2::{Request, RequestDecoder};
use borrowire::shard::token::{StableTokens, shard_of};
use borrowire::shard::v2::Splitter;
use bytes::Bytes;
use prost::Message;

pub const SHARDS: u32 = 16;
const TENANT: &str = "tenant-1";

/// Decode, token, split, all parts written.
#[derive(Default)]
pub struct Split {
    decoder: RequestDecoder,
    splitter: Splitter,
    out: Vec<u8>,
    /// The parts of the last run: their shards, and where they end.
    parts: Vec<(u32, usize)>,
}

impl Split {
    /// Returns how many bytes the parts have.
    pub fn run(&mut self, body: &[u8]) -> usize {
        let Self { decoder, splitter, out, parts } = self;
        let request = decoder.decode(body).expect("checked before");
        let tokens = StableTokens::new(TENANT);
        let split = splitter
            .split(&request, |series| shard_of(tokens.series(series.labels()), SHARDS))
            .expect("it has a body");
        parts.clear();
        out.clear();
        for (shard, part) in split.parts() {
            part.append_to_vec(out).expect("it fits");
            parts.push((shard, out.len()));
        }
        out.len()
    }
}

/// The same with prost: the buffers are used again, the messages are new each time.
#[derive(Default)]
pub struct ProstSplit {
    buffers: Vec<Vec<u8>>,
    text: Vec<u8>,
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
            self.text.clear();
            self.add(TENANT);
            for &reference in &series.labels_refs {
                self.add(&symbols[reference as usize]);
            }
            let part = &mut parts[self.shard()];
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

    fn add(&mut self, text: &str) {
        self.text.extend_from_slice(text.as_bytes());
        self.text.push(0xff);
    }

    /// The shard of the text that was gathered, by the same hash.
    fn shard(&self) -> usize {
        (twox_hash::XxHash3_64::oneshot(&self.text) % u64::from(SHARDS)) as usize
    }
}

/// Checks that both make the same parts of `body`.
pub fn check(body: &Bytes) -> Result<(), Box<dyn Error>> {
    let mut ours = Split::default();
    ours.run(body);
    let mut prost = ProstSplit::default();
    prost.run(body);
    let mut theirs = prost.buffers.iter().zip(0_u32..).filter(|(buffer, _)| !buffer.is_empty());
    let mut start = 0;
    for &(shard, end) in &ours.parts {
        let (buffer, of) = theirs.next().ok_or("prost makes fewer parts")?;
        let (part, other) = (Request::decode(&ours.out[start..end])?, Request::decode(buffer)?);
        let same = part.timeseries().iter().eq(other.timeseries());
        if shard != of || !same || part.symbols().len() != other.symbols().len() {
            return Err(format!("shard {shard} differs").into());
        }
        start = end;
    }
    if theirs.next().is_some() { Err("prost makes more parts".into()) } else { Ok(()) }
}
