//! Remote write 1.0: what is measured, stage by stage.

use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;
use std::sync::Arc;

use borrowire::remote_write::v1::{WriteRequestDecoder, WriteRequestPool};
use bytes::Bytes;

use crate::measure::Operation;
use crate::peers::remote_write_v1::{Borrowire, ProstBytes, ProstString, QuickProtobuf, check_all};
use crate::peers::{Digest, Peer};

pub fn prepare(body: &Bytes) -> Result<(Digest, Vec<Operation<'_>>), Box<dyn Error>> {
    let content = check_all(body)?;

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

fn of_every_peer<'a, P: Peer>(body: &'a Bytes) -> Result<Vec<Operation<'a>>, Box<dyn Error>> {
    let request: Rc<P::Request<'a>> = Rc::new(P::decode(body)?);
    let mut operations = plain_decode::<P>(body, &["decode_fresh"]);

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

fn plain_decode<'a, P: Peer>(body: &'a Bytes, stages: &[&'static str]) -> Vec<Operation<'a>> {
    let decode = move || P::decode(black_box(body)).expect("checked before");
    stages.iter().map(|stage| Operation::new(stage, P::NAME, decode)).collect()
}

fn copy(body: &Bytes) -> Operation<'_> {
    let mut buffer = vec![0; body.len()];
    Operation::new("copy", "copy", move || {
        buffer.copy_from_slice(black_box(body));
        black_box(&mut buffer);
    })
}
