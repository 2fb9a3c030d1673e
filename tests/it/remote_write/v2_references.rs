//! References of 2.0 as prost has them, good and bad; and the same series in both versions.

use borrowire::Skipped;
use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{
    BadRef, COMMON_SYMBOLS, COMMON_SYMBOLS_END, DecodeOptions, Format, Request,
};
use proptest::prelude::*;
use prost::Message;

use crate::support::generate::{remote_write_v1, remote_write_v2};
use crate::support::oracle::remote_write_v2::PARTIAL;

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
    fn both_versions_read_the_same_series(generated in remote_write_v1::request()) {
        let mut table = remote_write_v2::Table::default();
        let old = generated.encode_to_vec();
        let new = remote_write_v2::from_v1(&generated, &mut table).encode_to_vec();
        let (old, new) = (WriteRequest::decode(&old).unwrap(), Request::decode(&new).unwrap());
        prop_assert!(old.timeseries().iter().eq(new.timeseries()));
        prop_assert_eq!(
            [old.labels_len(), old.samples_len(), old.exemplars_len(), old.histograms_len()],
            [new.labels_len(), new.samples_len(), new.exemplars_len(), new.histograms_len()]
        );
    }

    #[test]
    fn bad_references_are_refused_by_conversions(generated in remote_write_v2::request()) {
        let mut bad = generated;
        if let Some(series) = bad.timeseries.last_mut() {
            series.labels_refs.extend([0, bad.symbols.len() as u32]);
            let error = Request::from_prost(&bad).unwrap_err();
            prop_assert_eq!(error.series(), bad.timeseries.len() - 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(800))]

    #[test]
    fn partial_mode_leaves_out_the_bad_series_and_no_other(body in remote_write_v2::disordered()) {
        let theirs = proto::Request::decode(&body[..]).unwrap();
        let own = theirs.symbols.len() as u32;
        let in_plain = |reference: u32| reference < own;
        let in_record = |reference: u32| {
            let (common, first) = (COMMON_SYMBOLS.len() as u32, COMMON_SYMBOLS_END);
            reference < common || (first..first + own).contains(&reference)
        };
        leaves_out(&body, &theirs, PARTIAL, in_plain);
        leaves_out(&body, &theirs, PARTIAL.with_format(Format::MimirRecord), in_record);
    }
}
