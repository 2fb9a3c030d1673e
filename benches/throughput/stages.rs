//! The stages: what is measured of every implementation, and what this crate has of its own.

use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use borrowire::Encode;
use borrowire::Limits;
use borrowire::otlp::{ItemSplitter, SplitItems};
use borrowire::reuse::{Decoder, Pool, Reuse};
use borrowire::shard::{SplitRequest, Splitter};
use bytes::Bytes;
use serde::de::DeserializeOwned;

use crate::measure::Operation;
use crate::peers::Peer;
use crate::peers::otlp_logs::ProstString;
use crate::peers::random::Random;
use crate::peers::split::SHARDS;

/// This crate's name in reports.
pub const BORROWIRE: &str = "borrowire";

/// Decoding, reading and encoding with one implementation.
pub fn of_peer<'a, P: Peer>(body: &'a Bytes) -> Result<Vec<Operation<'a>>, Box<dyn Error>> {
    let request: Rc<P::Request<'a>> = Rc::new(P::decode(body)?);
    let mut operations = vec![decode::<P>("decode_fresh", body)];
    if P::NAME != BORROWIRE {
        // Without reuse, a plain decode is the best they can do.
        operations.push(decode::<P>("decode_reused", body));
    }
    if P::IS_OWNED {
        operations.push(decode::<P>("decode_owned", body));
    }

    let decoded = Rc::clone(&request);
    let iterate = move || P::touch(black_box(&decoded));
    operations.push(Operation::new("iterate", P::NAME, iterate));

    let decoded = Rc::clone(&request);
    let encoded_len = move || P::encoded_len(black_box(&decoded));
    operations.push(Operation::new("encoded_len", P::NAME, encoded_len));

    let mut buffer = vec![0; P::encoded_len(&request) + 4096];
    let encode = move || {
        let written = P::encode(black_box(&request), &mut buffer);
        black_box(&mut buffer);
        written
    };
    operations.push(Operation::new("encode", P::NAME, encode));
    Ok(operations)
}

/// A plain decode, under the name of the stage that it stands for.
pub fn decode<'a, P: Peer>(stage: &'static str, body: &'a Bytes) -> Operation<'a> {
    Operation::new(stage, P::NAME, move || P::decode(black_box(body)).expect("checked before"))
}

/// Storage that is used again.
pub fn reusing<'a, R: Reuse + 'a>(body: &'a Bytes) -> [Operation<'a>; 2] {
    // The largest bodies are over what a receiver takes.
    let options = R::Options::from(Limits::unlimited());
    let mut decoder = Decoder::<R>::new().with_options(options);
    let reused = move || {
        let request = decoder.decode(black_box(body)).expect("checked before");
        black_box(&*request);
    };
    let pool = Arc::new(Pool::<R>::new().with_options(options));
    let owned = move || pool.decode_owned(black_box(body).clone()).expect("checked before");
    [
        Operation::new("decode_reused", BORROWIRE, reused),
        Operation::new("decode_owned", BORROWIRE, owned),
    ]
}

/// Sending on a request of so many records that was decoded before: to one shard, and to sixteen.
pub fn splitting<'a, R: SplitRequest + 'a>(request: &Rc<R>, records: usize) -> [Operation<'a>; 2] {
    let mut random = Random(16);
    let shards = (0..records).map(|_| random.next() as u32 % SHARDS).collect();
    [split("forward1", request, vec![0; records]), split("split16", request, shards)]
}

/// To the shards that are given: as a rule they come from tokens.
fn split<'a, R: SplitRequest + 'a>(
    stage: &'static str,
    request: &Rc<R>,
    shards: Vec<u32>,
) -> Operation<'a> {
    let request = Rc::clone(request);
    let mut splitter = Splitter::new();
    let mut out = vec![0; splitter.split_by_position(&*request, |at| shards[at]).encoded_len()];
    Operation::new(stage, BORROWIRE, move || {
        let mut split = splitter.split_by_position(black_box(&*request), |at| shards[at]);
        let written = split.encode_all(&mut out).expect("it fits");
        black_box(&mut out);
        written
    })
}

/// Sending on the points or records of a request that was decoded before, to sixteen shards.
pub fn splitting_items<'a, R: SplitItems + 'a>(request: &Rc<R>) -> Operation<'a> {
    let request = Rc::clone(request);
    let mut random = Random(16);
    let shards: Vec<u32> = request.items().map(|_| random.next() as u32 % SHARDS).collect();
    let mut splitter = ItemSplitter::new();
    let len = splitter.split_by_position(&*request, |at| shards[at]).encoded_len();
    let mut out = vec![0; len];
    Operation::new("split16", BORROWIRE, move || {
        let split = splitter.split_by_position(black_box(&*request), |at| shards[at]);
        let mut rest = &mut out[..];
        for (_, part) in split.parts() {
            let written = part.encode(rest).expect("it fits");
            rest = &mut rest[written..];
        }
        black_box(rest.len())
    })
}

/// Decoding of JSON by opentelemetry-proto, if it reads the body.
pub fn of_json_peer<R: DeserializeOwned>(json: &[u8]) -> Option<Operation<'static>> {
    serde_json::from_slice::<R>(json).ok()?;
    let json = json.to_vec();
    let decode = move || serde_json::from_slice::<R>(black_box(&json)).expect("checked before");
    Some(Operation::new("decode_json", ProstString::NAME, decode))
}

/// The yardstick.
pub fn copy(body: &Bytes) -> Operation<'_> {
    let mut buffer = vec![0; body.len()];
    Operation::new("copy", "copy", move || {
        buffer.copy_from_slice(black_box(body));
        black_box(&mut buffer);
    })
}
