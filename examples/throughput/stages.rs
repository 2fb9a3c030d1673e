//! The stages that every implementation of every message has.

use std::error::Error;
use std::hint::black_box;
use std::rc::Rc;

use bytes::Bytes;

use crate::measure::Operation;
use crate::peers::Peer;

pub fn of_every_peer<'a, P: Peer>(body: &'a Bytes) -> Result<Vec<Operation<'a>>, Box<dyn Error>> {
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

pub fn plain_decode<'a, P: Peer>(body: &'a Bytes, stages: &[&'static str]) -> Vec<Operation<'a>> {
    let decode = move || P::decode(black_box(body)).expect("checked before");
    stages.iter().map(|stage| Operation::new(stage, P::NAME, decode)).collect()
}

pub fn copy(body: &Bytes) -> Operation<'_> {
    let mut buffer = vec![0; body.len()];
    Operation::new("copy", "copy", move || {
        buffer.copy_from_slice(black_box(body));
        black_box(&mut buffer);
    })
}
