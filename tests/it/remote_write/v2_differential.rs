//! The same requests of remote write 2.0 read, and the same values written, by this crate and by prost;
//! and the same series in both versions.

use std::sync::Arc;

use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{
    BadRef, COMMON_SYMBOLS, COMMON_SYMBOLS_END, DecodeOptions, Format, Request,
};
use borrowire::reuse::{Owned, Pool};
use borrowire::{DecodeError, Skipped};
use proptest::collection::vec;
use proptest::prelude::*;
use prost::Message;

use crate::support::oracle::v2::{self, Used};
use crate::support::{bytes, generate};

/// Decodes in every way, and compares with prost.
fn check<'a>(body: &'a [u8], used: &mut Used) -> Result<Request<'a>, DecodeError> {
    let ours = v2::decode(body, used);
    v2::check_prost(body, ours.as_ref().map_err(|error| *error));
    v2::check_common_symbols(body);
    if let Ok(request) = &ours {
        v2::round_trip(request, used);
    }
    ours
}

/// Decoders that have seen something of everything.
fn used() -> Used {
    let mut used = Used::new();
    for (name, body) in bytes::v2::small_bodies() {
        check(&body, &mut used).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
    used
}

/// Whether references of labels are not good, or odd in number.
fn are_bad(refs: &[u32], is_good: impl Fn(u32) -> bool) -> bool {
    refs.len() % 2 == 1 || !refs.iter().all(|&reference| is_good(reference))
}

/// Whether a series has bad references, its exemplars aside.
fn is_bad(series: &proto::TimeSeries, is_good: impl Fn(u32) -> bool) -> bool {
    let mut of_metadata = series.metadata.iter().flat_map(|it| [it.help_ref, it.unit_ref]);
    are_bad(&series.labels_refs, &is_good)
        || of_metadata.any(|reference| reference != 0 && !is_good(reference))
}

/// Decodes `body` in partial mode, and checks which series and exemplars are left.
fn leaves_out(
    body: &[u8],
    theirs: &proto::Request,
    options: DecodeOptions,
    is_good: impl Fn(u32) -> bool,
) {
    let ours = Request::decode_with(body, &options).unwrap();
    let (mut kept, mut skipped) = (0, ours.skipped().iter().peekable());
    for (index, theirs) in theirs.timeseries.iter().enumerate() {
        let is_whole = |skipped: &&Skipped<_>| skipped.index == index && skipped.element.is_none();
        if let Some(skipped) = skipped.next_if(is_whole) {
            // prost does not tell of a reference of metadata that a later one replaces.
            let is_replaced = matches!(skipped.error.field_number(), 3 | 4);
            assert!(is_bad(theirs, &is_good) || is_replaced, "series {index}");
            assert_eq!(BadRef::find(body, &skipped.error).unwrap().series, index);
        } else {
            assert!(!is_bad(theirs, &is_good), "series {index}");
            let refs = ours.refs(kept).unwrap();
            assert!(refs.labels().eq(theirs.labels_refs.iter().copied()), "series {index}");
            let mut exemplars = refs.exemplars();
            for (element, theirs) in theirs.exemplars.iter().enumerate() {
                let is_this = |skipped: &&Skipped<_>| {
                    (skipped.index, skipped.element) == (index, Some(element))
                };
                let is_bad = are_bad(&theirs.labels_refs, &is_good);
                assert_eq!(skipped.next_if(is_this).is_some(), is_bad, "series {index}, {element}");
                if !is_bad {
                    let refs = exemplars.next().unwrap();
                    assert!(refs.eq(theirs.labels_refs.iter().copied()), "series {index}");
                }
            }
            assert!(exemplars.next().is_none());
            kept += 1;
        }
    }
    assert!(skipped.next().is_none());
    assert_eq!(kept, ours.timeseries().len());
}

proptest! {
    #[test]
    fn what_prost_writes_is_read_as_it_was(generated in generate::v2::request()) {
        let body = generated.encode_to_vec();
        let request = check(&body, &mut used()).unwrap();
        prop_assert!(!request.has_unknown_fields());
        // prost drops the sign of a zero, so this is about what it wrote.
        v2::assert_same(&request, &proto::Request::decode(&body[..]).unwrap());
    }

    #[test]
    fn conversions_keep_everything(generated in generate::v2::request()) {
        let converted = Request::from_prost(&generated).unwrap();
        prop_assert_eq!(converted.raw_timeseries(0), None);
        prop_assert!(converted.refs(0).is_none());
        for (ours, theirs) in converted.timeseries().iter().zip(&generated.timeseries) {
            let samples = ours.samples().iter().map(|&sample| proto::Sample::from(sample));
            // By bytes, because of NaN.
            let samples: Vec<_> = samples.map(|sample| sample.encode_to_vec()).collect();
            let theirs: Vec<_> = theirs.samples.iter().map(Message::encode_to_vec).collect();
            prop_assert_eq!(samples, theirs);
        }
        let mut bad = generated;
        if let Some(series) = bad.timeseries.last_mut() {
            series.labels_refs.extend([0, bad.symbols.len() as u32]);
            let error = Request::from_prost(&bad).unwrap_err();
            prop_assert_eq!(error.series(), bad.timeseries.len() - 1);
        }
    }

    #[test]
    fn both_versions_read_the_same_series(generated in generate::request()) {
        let mut table = generate::v2::Table::default();
        let old = generated.encode_to_vec();
        let new = generate::v2::from_v1(&generated, &mut table).encode_to_vec();
        let (old, new) = (WriteRequest::decode(&old).unwrap(), check(&new, &mut used()).unwrap());
        prop_assert!(old.timeseries().iter().eq(new.timeseries()));
        prop_assert_eq!(
            [old.labels_len(), old.samples_len(), old.exemplars_len(), old.histograms_len()],
            [new.labels_len(), new.samples_len(), new.exemplars_len(), new.histograms_len()]
        );
    }

    #[test]
    fn owned_and_pooled_requests_are_the_same(bodies in vec(generate::v2::disordered(), 1..4)) {
        let pool = Arc::new(Pool::<Request>::new());
        for body in bodies {
            let Ok(request) = Request::decode(&body) else { continue };
            v2::same(&pool.decode(&body).unwrap(), &request);
            let owned = Owned::<Request>::decode(body.clone()).unwrap();
            v2::same(owned.request(), &request);
            let owned = pool.decode_owned(body.clone()).unwrap();
            v2::same(owned.request(), &request);
            prop_assert_eq!(owned.body(), &body);
            drop(owned);
            prop_assert!(pool.idle() <= 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn disordered_fields_are_read_as_prost_reads_them(body in generate::v2::disordered()) {
        let _ = check(&body, &mut used());
    }

    #[test]
    fn partial_mode_leaves_out_the_bad_series_and_no_other(body in generate::v2::disordered()) {
        let theirs = proto::Request::decode(&body[..]).unwrap();
        let own = theirs.symbols.len() as u32;
        let in_plain = |reference: u32| reference < own;
        let in_record = |reference: u32| {
            let (common, first) = (COMMON_SYMBOLS.len() as u32, COMMON_SYMBOLS_END);
            reference < common || (first..first + own).contains(&reference)
        };
        leaves_out(&body, &theirs, v2::PARTIAL, in_plain);
        leaves_out(&body, &theirs, v2::PARTIAL.with_format(Format::MimirRecord), in_record);
    }

    #[test]
    fn changed_bytes_are_refused_or_read_as_prost_does(
        body in generate::mutated(prop_oneof![
            4 => generate::v2::small_body(),
            1 => generate::v2::request().prop_map(|request| request.encode_to_vec()),
            2 => generate::v2::disordered(),
        ]),
        next in generate::v2::small_body(),
    ) {
        let mut used = Used::new();
        let _ = check(&next, &mut used).unwrap();
        let _ = check(&body, &mut used);
        // Whatever that was, the next request is read as ever.
        check(&next, &mut used).unwrap();
    }
}

#[test]
fn most_disordered_requests_are_good() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;

    let mut runner = TestRunner::deterministic();
    let good = (0..200)
        .filter(|_| {
            let body = generate::v2::disordered().new_tree(&mut runner).unwrap().current();
            Request::decode(&body).is_ok_and(|request| request.labels_len() > 0)
        })
        .count();
    assert!(good > 80, "{good} of 200: the tests above would not see much");
}
