//! Storage that is used again: one request is never seen through another.

use std::sync::Arc;

use borrowire::reuse::{Decoder, Owned, Pool, Reuse};
use borrowire::{DecodeErrorKind, DecodeRequest, Limits};
use proptest::collection::vec;
use proptest::prelude::*;

use super::{Tested, cases};
use crate::support::oracle::{Options, Request, assert_same, partial};

pub fn owned_and_pooled_requests_are_the_same<S: Tested>() {
    proptest!(cases(), |(bodies in vec(S::disordered(), 1..4))| {
        let pool = Arc::new(Pool::<S::Family>::new());
        for body in bodies {
            let Ok(request) = <Request<'_, S>>::decode(&body) else { continue };
            assert_same::<S>(&pool.decode(&body).unwrap(), &request);
            let owned = Owned::<S::Family>::decode(body.clone()).unwrap();
            assert_same::<S>(owned.request(), &request);
            let owned = pool.decode_owned(body.clone()).unwrap();
            assert_same::<S>(owned.request(), &request);
            prop_assert_eq!(owned.body(), &body);
            drop(owned);
            prop_assert!(pool.idle() <= 1);
        }
    });
}

/// A service that has limits for each tenant has one pool for all of them.
pub fn options_of_one_body_are_for_it_alone<S: Tested>() {
    for (name, body) in S::small_bodies() {
        let fresh = <Request<'_, S>>::decode(&body).unwrap();
        let elements = S::elements(&fresh);
        let Some(fewer) = elements.checked_sub(1) else { continue };
        let max_elements =
            |count| S::with_limits(Options::<S>::default(), Limits::new().with_max_elements(count));
        let (tight, wide) = (max_elements(fewer), max_elements(elements));

        let pool = Arc::new(Pool::<S::Family>::new());
        let mut decoder = Decoder::<S::Family>::new();
        for _ in 0..2 {
            let refused = [
                pool.decode_with(&body, &tight).map(drop),
                pool.decode_owned_with(body.clone(), &tight).map(drop),
                decoder.decode_with(&body, &tight).map(drop),
                Owned::<S::Family>::decode_with(body.clone(), &tight).map(drop),
            ];
            let kinds = refused.map(|refused| refused.map_err(|error| error.kind()));
            assert_eq!(kinds, [Err(DecodeErrorKind::LimitExceeded); 4], "{name}");
            assert_same::<S>(&pool.decode_with(&body, &wide).unwrap(), &fresh);
            let owned = pool.decode_owned_with(body.clone(), &wide).unwrap();
            assert_same::<S>(owned.request(), &fresh);
            assert_same::<S>(&decoder.decode_with(&body, &wide).unwrap(), &fresh);
            // The next body is decoded with the options of all, and nothing is left behind.
            assert_same::<S>(&pool.decode(&body).unwrap(), &fresh);
            assert_same::<S>(&decoder.decode(&body).unwrap(), &fresh);
        }
        // And the other way round.
        let pool = Arc::new(Pool::<S::Family>::new().with_options(tight));
        let mut decoder = Decoder::<S::Family>::new().with_options(tight);
        assert_same::<S>(&pool.decode_with(&body, &wide).unwrap(), &fresh);
        assert_same::<S>(pool.decode_owned_with(body.clone(), &wide).unwrap().request(), &fresh);
        assert_same::<S>(&decoder.decode_with(&body, &wide).unwrap(), &fresh);
        assert!(pool.decode(&body).is_err() && decoder.decode(&body).is_err(), "{name}");
    }
}

/// Bodies that fail in the middle of something, at every kind of place.
fn failing<S: Tested>() -> Vec<Vec<u8>> {
    let mut bodies = S::failing();
    for (_, body) in S::small_bodies() {
        bodies.extend((1..body.len()).map(|cut| body[..cut].to_vec()));
    }
    bodies
}

pub fn nothing_of_a_request_that_failed_is_left<S: Tested>() {
    let failing = failing::<S>();
    for (_, body) in S::small_bodies() {
        let fresh = <Request<'_, S>>::decode(&body).unwrap();
        let mut decoder = Decoder::<S::Family>::new();
        let mut lenient = Decoder::<S::Family>::new().with_options(partial::<S>());
        let pool = Pool::<S::Family>::new().with_max_idle(1);
        let mut idle = <Request<'static, S>>::default();
        for bad in &failing {
            let _ = decoder.decode(bad).is_ok();
            assert_same::<S>(&decoder.decode(&body).unwrap(), &fresh);
            let _ = lenient.decode(bad).is_ok();
            assert_same::<S>(&lenient.decode(&body).unwrap(), &fresh);
            let _ = pool.decode(bad).is_ok();
            assert_same::<S>(&pool.decode(&body).unwrap(), &fresh);

            let mut request = S::Family::shorten(idle);
            let _ = request.decode_into(bad, &Options::<S>::default()).is_ok();
            let mut request = S::Family::shorten(S::Family::recycle(request));
            request.decode_into(&body, &Options::<S>::default()).unwrap();
            assert_same::<S>(&request, &fresh);
            idle = S::Family::recycle(request);
        }
    }
}

pub fn a_request_that_failed_is_empty<S: Tested>() {
    // Whatever it held before.
    let rich: Vec<u8> = S::small_bodies().into_iter().flat_map(|(_, body)| body).collect();
    for bad in failing::<S>() {
        let mut request = <Request<'_, S>>::decode_with(&rich, &partial::<S>()).unwrap();
        assert!(request.has_unknown_fields());
        if request.decode_into(&bad, &Options::<S>::default()).is_err() {
            assert_same::<S>(&request, &<Request<'_, S>>::default());
            assert!(request.body().is_empty());
        }
    }
}
