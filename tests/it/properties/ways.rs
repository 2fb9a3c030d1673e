//! Other ways to decode: record by record, and with text made whole.

use borrowire::reuse::{Decoder, Pool};
use borrowire::{DecodeErrorKind, DecodeRequest};

use super::Tested;
use crate::support::fixtures;
use crate::support::oracle::{Options, Request, assert_same, partial};

/// The records of a request, and how many elements it has.
fn of<S: Tested>(request: &Request<'_, S>) -> (Vec<Vec<u8>>, usize) {
    let raws = S::raws(request).into_iter().map(|raw| raw.expect("a decoded record").to_vec());
    (raws.collect(), S::elements(request))
}

pub fn a_visitor_sees_every_record_alone<S: Tested>() {
    let small = S::small_bodies().into_iter().map(|(_, body)| body);
    let captured = fixtures::of(S::FIXTURES.0)
        .filter(|fixture| fixture.golden().json().is_null() && fixture.body.len() < 1 << 20);
    let (mut decoder, pool) = (Decoder::<S::Family>::new(), Pool::<S::Family>::new());
    for body in small.chain(captured.map(|fixture| fixture.body.clone())) {
        let mut whole = Decoder::<S::Family>::new().with_options(partial::<S>());
        let mut expected = of::<S>(&whole.decode(&body).unwrap()).0;
        let (mut seen, mut skipped) = (Vec::new(), 0);
        let mut lenient = Decoder::<S::Family>::new().with_options(partial::<S>());
        let mut visit = |request: &Request<'_, S>| {
            let (records, _) = of::<S>(request);
            assert_eq!(records.len(), 1, "one at a time");
            seen.extend(records);
            skipped = request.skipped().len();
        };
        lenient.visit(&body, &mut visit).unwrap();
        // Requests with two lists have them list by list; the body may not.
        seen.sort();
        expected.sort();
        assert!(seen == expected, "{} records, not {}", seen.len(), expected.len());
        assert!(skipped <= whole.decode(&body).unwrap().skipped().len());

        // All ways, with nothing of one body left for the next; what fails, fails alike.
        let strict = <Request<'_, S>>::decode(&body).map(drop);
        let mut count = 0;
        assert_eq!(decoder.visit(&body, |_| count += 1), strict);
        assert_eq!(pool.visit(&body, |_| count -= 1), strict);
        assert_eq!(count, 0);
        if strict.is_ok() {
            assert_same::<S>(
                &decoder.decode(&body).unwrap(),
                &<Request<'_, S>>::decode(&body).unwrap(),
            );
        }
    }
}

pub fn a_visitor_meets_the_faults_that_a_decoder_meets<S: Tested>() {
    let mut decoder = Decoder::<S::Family>::new();
    for (name, body) in S::small_bodies() {
        for cut in 0..body.len() {
            let result = <Request<'_, S>>::decode(&body[..cut]).map(drop);
            assert_eq!(decoder.visit(&body[..cut], |_| {}), result, "{name} cut at {cut}");
        }
        for caps in S::caps() {
            let body: Vec<u8> = caps.iter().flat_map(|cap| cap.record.repeat(3)).collect();
            for cap in &caps {
                for max in 2..4 {
                    let options = (cap.with_max)(Options::<S>::default(), max);
                    let result = <Request<'_, S>>::decode_with(&body, &options).map(drop);
                    let mut decoder = Decoder::<S::Family>::new().with_options(options);
                    assert_eq!(decoder.visit(&body, |_| {}), result);
                }
            }
        }
    }
}

pub fn text_that_is_none_is_made_whole<S: Tested>() {
    let (mut decoder, pool) = (Decoder::<S::Family>::new(), Pool::<S::Family>::new());
    let mut lenient = Decoder::<S::Family>::new().with_options(partial::<S>());
    let (mut scratch, mut other) = (Vec::new(), Vec::new());
    let mut replaced = 0;
    for (name, body) in S::small_bodies() {
        // As long as text is good, nothing is copied.
        let request = decoder.decode_lossy(&body, &mut scratch).unwrap();
        assert_eq!(request.body().as_ptr(), body.as_ptr(), "{name}");
        drop(request);
        for place in 0..body.len() {
            let mut damaged = body.clone();
            damaged[place] = 0xff;
            let strict = <Request<'_, S>>::decode(&damaged);
            let (kind, records) = match &strict {
                Ok(request) => (None, S::raws(request).len()),
                Err(error) => (Some(error.kind()), 0),
            };
            let result = decoder.decode_lossy(&damaged, &mut scratch);
            if kind != Some(DecodeErrorKind::InvalidUtf8) {
                assert_eq!(
                    result.map(|request| S::raws(&request).len()).ok(),
                    kind.is_none().then_some(records)
                );
                continue;
            }
            replaced += 1;
            let request = result.unwrap_or_else(|error| panic!("{name} at {place}: {error}"));
            assert!(request.skipped().is_empty());
            // Two bytes more, and what they do to the lengths around them; all else is as it was.
            let grown = request.body().len() - body.len();
            assert!((2..10).contains(&grown), "{name} at {place}: {grown}");
            let whole = <Request<'_, S>>::decode(&body).unwrap();
            assert_eq!(S::raws(&request).len(), S::raws(&whole).len());
            assert_eq!(S::elements(&request), S::elements(&whole));
            // All ways make the same of it, also where the record would be left out.
            let fresh = <Request<'_, S>>::decode(request.body()).unwrap();
            assert_same::<S>(&request, &fresh);
            assert_same::<S>(&pool.decode_lossy(&damaged, &mut other).unwrap(), &fresh);
            // In partial mode text that nothing uses is no fault.
            let lenient = lenient.decode_lossy(&damaged, &mut other).unwrap();
            assert!(lenient.skipped().is_empty());
            if lenient.body().len() > damaged.len() {
                assert_same::<S>(&lenient, &fresh);
            }
        }
    }
    assert!(replaced > 20, "{replaced}");
}
