//! Remote write 1.0: what is measured, stage by stage.

use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use borrowire::remote_write::v1::{WriteRequest, WriteRequestDecoder, WriteRequestPool};
use borrowire::shard::Splitter;
use borrowire::shard::token::MimirTokens;
use bytes::Bytes;

use crate::measure::Operation;
use crate::peers::random::Random;
use crate::peers::remote_write_v1::shard::{self, SHARDS, fnv1_tokens};
use crate::peers::remote_write_v1::{Borrowire, ProstBytes, ProstString, QuickProtobuf, check_all};
use crate::peers::{Digest, Peer};
use crate::stages::{copy, of_every_peer, plain_decode};

pub fn prepare(body: &Bytes) -> Result<(Digest, Vec<Operation<'_>>), Box<dyn Error>> {
    let content = check_all(body)?;
    shard::check(body)?;

    let mut operations = Vec::new();
    operations.extend(reusing_storage(body));
    operations.extend(of_every_peer::<Borrowire>(body)?);
    operations.extend(of_every_peer::<ProstString>(body)?);
    operations.extend(of_every_peer::<ProstBytes>(body)?);
    operations.extend(of_every_peer::<QuickProtobuf>(body)?);
    // Without reuse, a plain decode is the best they can do; prost's types are owned ones already.
    operations.extend(plain_decode::<ProstString>(body, &["decode_reused", "decode_owned"]));
    operations.extend(plain_decode::<ProstBytes>(body, &["decode_reused", "decode_owned"]));
    operations.extend(plain_decode::<QuickProtobuf>(body, &["decode_reused"]));
    operations.extend(forwarding(body)?);
    operations.push(copy(body));
    Ok((content, operations))
}

/// This crate's own ways: storage that is used again.
fn reusing_storage(body: &Bytes) -> [Operation<'_>; 2] {
    let mut decoder = WriteRequestDecoder::new();
    let reused = move || {
        let request = decoder.decode(black_box(body)).expect("checked before");
        black_box(&*request);
    };
    let pool = Arc::new(WriteRequestPool::new());
    let owned = move || pool.decode_owned(black_box(body).clone()).expect("checked before");
    [
        Operation::new("decode_reused", Borrowire::NAME, reused),
        Operation::new("decode_owned", Borrowire::NAME, owned),
    ]
}

/// Sending on to sixteen shards: Mimir's tokens, splitting by shards that are known, and all of it from
/// the body on.
fn forwarding(body: &Bytes) -> Result<Vec<Operation<'_>>, Box<dyn Error>> {
    let request = Rc::new(WriteRequest::decode(body)?);
    let records = request.timeseries().len() + request.metadata().len();

    let (decoded, mut tokens) = (Rc::clone(&request), Vec::new());
    let mimir = MimirTokens::new(shard::TENANT);
    let token = move || mimir.tokens(black_box(&decoded), black_box(&mut tokens));
    let (decoded, mut tokens) = (Rc::clone(&request), Vec::new());
    let byte_by_byte = move || fnv1_tokens(black_box(&decoded), black_box(&mut tokens));

    let mut random = Random(16);
    let shards: Vec<u32> = (0..records).map(|_| random.next() as u32 % SHARDS).collect();
    let mut splitter = Splitter::new();
    // Room for the fields that every part repeats.
    let mut out = vec![0; body.len() + 4096];
    let split16 = move || {
        let mut split = splitter.split_by_position(black_box(&*request), |at| shards[at]);
        let written = split.encode_all(&mut out).expect("it fits");
        black_box(&mut out);
        written
    };

    let (mut ours, mut theirs) = (shard::Split::default(), shard::ProstSplit::default());
    let total = move || ours.run(black_box(body));
    let prost_total = move || theirs.run(black_box(body));
    Ok(vec![
        Operation::new("token", Borrowire::NAME, token),
        Operation::new("token", "byte-by-byte", byte_by_byte),
        Operation::new("split16", Borrowire::NAME, split16),
        Operation::new("split16_total", Borrowire::NAME, total),
        Operation::new("split16_total", ProstString::NAME, prost_total),
    ])
}
