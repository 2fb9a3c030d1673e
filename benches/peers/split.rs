//! Forwarding to sixteen shards with this crate: what all messages of remote write share.

use borrowire::remote_write::SeriesRequest;
use borrowire::reuse::{Decoder, Reuse};
use borrowire::shard::{SplitRequest, Splitter, StableTokens, shard_of};

pub const SHARDS: u32 = 16;
pub const TENANT: &str = "tenant-1";

/// Decode, token, split, all parts written.
pub struct Split<R: Reuse> {
    decoder: Decoder<R>,
    tokens: Vec<u64>,
    splitter: Splitter,
    out: Vec<u8>,
}

impl<R: Reuse> Default for Split<R> {
    fn default() -> Self {
        let (decoder, splitter) = (Decoder::new(), Splitter::new());
        Self { decoder, tokens: Vec::new(), splitter, out: Vec::new() }
    }
}

impl<R: Reuse> Split<R>
where
    for<'a> R::Request<'a>: SeriesRequest<'a> + SplitRequest,
{
    /// Returns how many bytes the parts have.
    pub fn run(&mut self, body: &[u8]) -> usize {
        let Self { decoder, tokens, splitter, out } = self;
        let request = decoder.decode(body).expect("checked before");
        StableTokens::new(TENANT).tokens(&*request, tokens);
        let mut split = splitter.split_by_position(&*request, |at| shard_of(tokens[at], SHARDS));
        let needed = split.encoded_len();
        if out.len() < needed {
            out.resize(needed, 0);
        }
        split.encode_all(out).expect("it fits")
    }

    /// The parts, with their shards.
    pub fn parts(&mut self, body: &[u8]) -> Vec<(u32, Vec<u8>)> {
        self.run(body);
        let Self { decoder, tokens, splitter, out } = self;
        let request = decoder.decode(body).expect("checked before");
        let split = splitter.split_by_position(&*request, |at| shard_of(tokens[at], SHARDS));
        split.ranges().map(|(shard, range)| (shard, out[range].to_vec())).collect()
    }
}

/// The tenant and texts of a record, gathered for the same hash.
#[derive(Default)]
pub struct Gathered(Vec<u8>);

impl Gathered {
    pub fn start(&mut self) {
        self.0.clear();
        self.add(TENANT);
    }

    pub fn add(&mut self, text: &str) {
        self.0.extend_from_slice(text.as_bytes());
        self.0.push(0xff);
    }

    pub fn shard(&self) -> usize {
        (twox_hash::XxHash3_64::oneshot(&self.0) % u64::from(SHARDS)) as usize
    }
}

/// FNV-1 by its definition, a byte at a time.
pub fn fnv1(hash: u32, text: &str) -> u32 {
    text.bytes().fold(hash, |hash, byte| hash.wrapping_mul(16_777_619) ^ u32::from(byte))
}

/// The hash of the tenant, from which those of records go on.
pub fn fnv1_tenant() -> u32 {
    fnv1(2_166_136_261, TENANT)
}

/// Mimir's tokens, by the definition of FNV-1.
pub fn fnv1_tokens<'a>(request: &impl SeriesRequest<'a>, tokens: &mut Vec<u32>) {
    let tenant = fnv1_tenant();
    tokens.clear();
    tokens.extend(request.timeseries().iter().map(|series| {
        series.labels().iter().fold(tenant, |hash, label| fnv1(fnv1(hash, label.name), label.value))
    }));
    tokens.extend(request.families().map(|family| fnv1(tenant, family)));
}
