//! The same bytes read, and the same values written, by this crate and by prost.

use std::cell::RefCell;

use borrowire::DecodeRequest;
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use prost::Message;

use super::{Tested, cases, small_body, used};
use crate::support::generate;
use crate::support::oracle::{Request, check};

pub fn what_prost_writes_is_read_as_it_was<S: Tested>() {
    let used = RefCell::new(used::<S>());
    proptest!(cases(), |(generated in S::generated())| {
        let body = generated.encode_to_vec();
        let request = check(&body, &mut used.borrow_mut()).unwrap();
        prop_assert!(!request.has_unknown_fields());
    });
}

pub fn canonical_bytes_are_read_and_written_back<S: Tested>() {
    let used = RefCell::new(used::<S>());
    let scratch = RefCell::new(S::Scratch::default());
    proptest!(cases(), |(generated in S::generated())| {
        let body = S::canonical(&generated);
        let request = check(&body, &mut used.borrow_mut()).unwrap();
        prop_assert!(!request.has_unknown_fields());
        let mut scratch = scratch.borrow_mut();
        let written = S::encode(&request, &mut scratch, |encoder| encoder.encode_to_vec());
        prop_assert_eq!(&written.unwrap(), &body);
    });
}

/// Whatever a value is, not only what prost reads in bytes: a zero may have a sign.
pub fn conversions_keep_everything<S: Tested>() {
    let scratch = RefCell::new(S::Scratch::default());
    proptest!(cases(), |(generated in S::generated())| {
        let converted = S::from_prost(&generated);
        S::check_conversions(&converted, &generated);
        prop_assert!(S::raws(&converted).iter().all(Option::is_none));
        let mut scratch = scratch.borrow_mut();
        let written = S::encode(&converted, &mut scratch, |encoder| encoder.encode_to_vec());
        prop_assert_eq!(written.unwrap(), S::canonical(&generated));
    });
}

pub fn disordered_fields_are_read_as_prost_reads_them<S: Tested>() {
    let used = RefCell::new(used::<S>());
    proptest!(ProptestConfig::with_cases(300), |(body in S::disordered())| {
        if let Err(error) = check::<S>(&body, &mut used.borrow_mut()) {
            prop_assert!(S::is_of_content(error.kind()), "{}", error);
        }
    });
}

/// Otherwise others would not see much.
pub fn most_disordered_bodies_are_good<S: Tested>() {
    let mut runner = TestRunner::deterministic();
    let disordered = S::disordered();
    let mut new = || disordered.new_tree(&mut runner).unwrap().current();
    let good = (0..200).filter(|_| {
        let body = new();
        let request = <Request<'_, S>>::decode(&body);
        request.is_ok_and(|request| S::elements(&request) > 2)
    });
    let good = good.count();
    assert!(good > 80, "{good} of 200");
}

pub fn changed_bytes_are_refused_or_read_as_prost_does<S: Tested>() {
    let bodies = generate::mutated(prop_oneof![
        4 => small_body::<S>(),
        1 => S::generated().prop_map(|request| request.encode_to_vec()),
        2 => S::disordered(),
    ]);
    let used = RefCell::new(used::<S>());
    proptest!(ProptestConfig::with_cases(800), |(body in bodies, next in small_body::<S>())| {
        let mut used = used.borrow_mut();
        let _ = check::<S>(&body, &mut used);
        // Whatever that was, the next request is read as ever.
        check::<S>(&next, &mut used).unwrap();
    });
}
