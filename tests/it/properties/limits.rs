//! Caps: all up to them, and not one more.

use borrowire::reuse::Decoder;
use borrowire::{DecodeErrorKind, DecodeRequest, Limits};

use super::Tested;
use crate::support::oracle::{Options, Request, partial};

/// Decodes `body` in every way; all must say the same.
fn limited<S: Tested>(body: &[u8], options: Options<S>) -> Result<(), (DecodeErrorKind, usize)> {
    let [strict, partial] = [false, true].map(|partial| {
        let options = S::with_partial(options, partial);
        let result = <Request<'_, S>>::decode_with(body, &options).map(drop);
        let mut decoder = Decoder::<S::Family>::new().with_options(options);
        for _ in 0..3 {
            assert_eq!(decoder.decode(body).map(drop), result);
        }
        result.map_err(|error| {
            assert!(error.offset() <= body.len());
            assert_eq!(error.status(), 413);
            (error.kind(), error.offset())
        })
    });
    // Partial mode may go on where the strict one looks ahead, and meet the cap there.
    let kind = |result: Result<(), (DecodeErrorKind, usize)>| result.map_err(|(kind, _)| kind);
    assert!(strict == partial || S::READS_AHEAD && kind(strict) == kind(partial));
    strict
}

/// The limit that a body is over, by its name and value; every error says in which record it is, if it
/// is in one.
fn limit<S: Tested>(body: &[u8], options: Options<S>) -> (&'static str, usize) {
    let error = <Request<'_, S>>::decode_with(body, &options).map(drop).unwrap_err();
    let explained = <Request<'static, S>>::explain(body, &options, error);
    assert_eq!(explained.error(), error);
    assert!(explained.to_string().starts_with(&error.to_string()));
    let (name, value) = explained.limit().expect("it is about a limit");
    assert!(explained.to_string().ends_with(&format!(": {name} is {value}")), "{explained}");
    (name, value as usize)
}

fn elements_up_to<S: Tested>(max: usize) -> Options<S> {
    S::with_limits(Options::<S>::default(), Limits::new().with_max_elements(max))
}

fn bytes_up_to<S: Tested>(max: usize) -> Options<S> {
    S::with_limits(Options::<S>::default(), Limits::new().with_max_message_bytes(max))
}

pub fn elements_up_to_the_cap_and_not_one_more<S: Tested>() {
    let made = S::bodies_of_elements().into_iter().map(|body| ("made", body));
    for (name, body) in S::small_bodies().into_iter().chain(made) {
        let request = <Request<'_, S>>::decode(&body);
        let count = S::elements(&request.unwrap_or_else(|error| panic!("{name}: {error}")));
        let mut before = 0;
        for max in 0..count {
            let (kind, at) = limited::<S>(&body, elements_up_to::<S>(max)).unwrap_err();
            assert_eq!(kind, DecodeErrorKind::LimitExceeded, "{name}");
            // What is read ahead is counted before what is in front of it.
            let options = elements_up_to::<S>(max);
            assert_eq!(limit::<S>(&body, options), ("max_elements", max), "{name}");
            let is_ordered = !(S::READS_AHEAD && name.starts_with("symbols"));
            assert!(
                at > before || !is_ordered,
                "{name}: element {max} of {count} begins behind the one before it"
            );
            before = at;
        }
        assert_eq!(limited::<S>(&body, elements_up_to::<S>(count)), Ok(()), "{name}");
    }
}

pub fn records_and_bytes_up_to_the_cap_and_not_one_more<S: Tested>() {
    for caps in S::caps() {
        for count in 0..6 {
            let body: Vec<u8> = caps.iter().flat_map(|cap| cap.record.repeat(count)).collect();
            let all = caps
                .iter()
                .fold(Options::<S>::default(), |options, cap| (cap.with_max)(options, count));
            assert_eq!(limited::<S>(&body, all), Ok(()));
            assert_eq!(limited::<S>(&body, bytes_up_to::<S>(body.len())), Ok(()));
            let Some(less) = count.checked_sub(1) else { continue };
            let too_large = limited::<S>(&body, bytes_up_to::<S>(body.len() - 1));
            assert_eq!(too_large, Err((DecodeErrorKind::MessageTooLarge, 0)));
            let expected = ("max_message_bytes", body.len() - 1);
            assert_eq!(limit::<S>(&body, bytes_up_to::<S>(body.len() - 1)), expected);
            let mut start = 0;
            for cap in &caps {
                // One byte into the record that is too many: behind its tag.
                let at = start + cap.record.len() * less + 1;
                let options = (cap.with_max)(Options::<S>::default(), less);
                let result = limited::<S>(&body, options);
                assert_eq!(result, Err((DecodeErrorKind::LimitExceeded, at)));
                let (name, value) = limit::<S>(&body, options);
                assert_eq!(value, less);
                assert!(name.starts_with("max_") && name != "max_elements", "{name}");
                start += cap.record.len() * count;
            }
        }
    }
}

pub fn what_is_left_out_counts_all_the_same<S: Tested>() {
    let bad = S::bad_record();
    let options = (bad.with_max)(partial::<S>(), 2);
    let decode = |count| {
        let body = bad.record.repeat(count);
        let request = <Request<'_, S>>::decode_with(&body, &options);
        request.map(|request| request.skipped().len())
    };
    assert_eq!(decode(2), Ok(2));
    assert_eq!(decode(3).unwrap_err().kind(), DecodeErrorKind::LimitExceeded);
}
