//! Forwarding to sixteen shards: this crate, and prost, which decodes, partitions and encodes.

use std::error::Error;

use borrowire::proto::prometheus as proto;
use borrowire::remote_write::v1::{WriteRequest, WriteRequestDecoder};
use borrowire::shard::Splitter;
use borrowire::shard::token::{MimirTokens, StableTokens, shard_of};
use bytes::Bytes;
use prost::Message;

pub const SHARDS: u32 = 16;
pub const TENANT: &str = "tenant-1";

/// Decode, token, split, all parts written.
#[derive(Default)]
pub struct Split {
    decoder: WriteRequestDecoder,
    tokens: Vec<u64>,
    splitter: Splitter,
    out: Vec<u8>,
}

impl Split {
    /// Returns how many bytes the parts have.
    pub fn run(&mut self, body: &[u8]) -> usize {
        let Self { decoder, tokens, splitter, out } = self;
        let request = decoder.decode(body).expect("checked before");
        StableTokens::new(TENANT).tokens(&request, tokens);
        let mut split = splitter.split_by_position(&*request, |at| shard_of(tokens[at], SHARDS));
        let needed = split.encoded_len();
        if out.len() < needed {
            out.resize(needed, 0);
        }
        split.encode_all(out).expect("it fits")
    }

    /// The parts of the last run, by shard.
    fn parts(&mut self, body: &[u8]) -> Vec<(u32, Vec<u8>)> {
        self.run(body);
        let Self { decoder, tokens, splitter, out } = self;
        let request = decoder.decode(body).expect("checked before");
        let split = splitter.split_by_position(&*request, |at| shard_of(tokens[at], SHARDS));
        split.ranges().map(|(shard, range)| (shard, out[range].to_vec())).collect()
    }
}

/// The same with prost: the buffers are used again, the messages are new each time.
#[derive(Default)]
pub struct ProstSplit {
    buffers: Vec<Vec<u8>>,
    text: Vec<u8>,
}

impl ProstSplit {
    /// Returns how many bytes the parts have.
    pub fn run(&mut self, body: &[u8]) -> usize {
        let request = proto::WriteRequest::decode(body).expect("checked before");
        let mut parts = vec![proto::WriteRequest::default(); SHARDS as usize];
        for series in request.timeseries {
            self.start();
            for label in &series.labels {
                self.add(&label.name);
                self.add(&label.value);
            }
            parts[self.shard()].timeseries.push(series);
        }
        for metadata in request.metadata {
            self.start();
            self.add(&metadata.metric_family_name);
            parts[self.shard()].metadata.push(metadata);
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

    fn start(&mut self) {
        self.text.clear();
        self.add(TENANT);
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

/// Mimir's tokens by the definition of FNV-1, a byte at a time: the series' only.
pub fn fnv1_tokens(request: &WriteRequest<'_>, tokens: &mut Vec<u32>) {
    let fnv1 = |hash: u32, text: &str| {
        text.bytes().fold(hash, |hash, byte| hash.wrapping_mul(16_777_619) ^ u32::from(byte))
    };
    let tenant = fnv1(2_166_136_261, TENANT);
    tokens.clear();
    tokens.extend(request.timeseries().iter().map(|series| {
        series.labels().iter().fold(tenant, |hash, label| fnv1(fnv1(hash, label.name), label.value))
    }));
}

/// Checks that both find the same tokens and make the same parts of `body`.
pub fn check(body: &Bytes) -> Result<(), Box<dyn Error>> {
    let request = WriteRequest::decode(body)?;
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    MimirTokens::new(TENANT).tokens(&request, &mut ours);
    fnv1_tokens(&request, &mut theirs);
    if ours[..request.timeseries().len()] != theirs {
        return Err("tokens differ".into());
    }
    let ours = Split::default().parts(body);
    let mut prost = ProstSplit::default();
    prost.run(body);
    let mut theirs = prost.buffers.iter().zip(0_u32..).filter(|(buffer, _)| !buffer.is_empty());
    for (shard, part) in ours {
        let (buffer, of) = theirs.next().ok_or("prost makes fewer parts")?;
        let (part, buffer) =
            (proto::WriteRequest::decode(&part[..])?, proto::WriteRequest::decode(&buffer[..])?);
        // By their bytes: a NaN is not equal to itself.
        if (shard, part.encode_to_vec()) != (of, buffer.encode_to_vec()) {
            return Err(format!("shard {shard} differs").into());
        }
    }
    match theirs.next() {
        None => Ok(()),
        Some(_) => Err("prost makes more parts".into()),
    }
}
