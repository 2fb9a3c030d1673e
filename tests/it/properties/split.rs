//! Parts of requests, and requests made of parts.

use std::cell::RefCell;

use borrowire::shard::Splitter;
use proptest::prelude::*;
use prost::Message;

use super::{Tested, cases, small_body};
use crate::support::generate;
use crate::support::oracle::split::{Split, check};

pub fn small_bodies_are_split_as_they_should<S: Tested + Split>() {
    let mut splitter = Splitter::new();
    let bodies: Vec<Vec<u8>> = S::small_bodies().into_iter().map(|(_, body)| body).collect();
    for body in bodies.iter().chain([&bodies.concat()]) {
        check::<S>(body, &mut splitter);
    }
}

pub fn any_request_is_split_as_it_should<S: Tested + Split>() {
    let bodies = prop_oneof![
        S::generated().prop_map(|request| request.encode_to_vec()),
        S::disordered(),
        generate::mutated(small_body::<S>()),
    ];
    let splitter = RefCell::new(Splitter::new());
    proptest!(cases(), |(body in bodies, times in 1_usize..4)| {
        check::<S>(&body.repeat(times), &mut splitter.borrow_mut());
    });
}
