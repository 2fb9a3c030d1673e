//! One numbering of records, the body's, and the way to it and back.

use borrowire::remote_write::v1::{self, WriteRequest};
use borrowire::remote_write::v2::{self, Request, Validator};
use borrowire::remote_write::{RecordKind, Rule, Rules, ViolationKind};
use borrowire::{
    DecodeRequest,
    convert::remote_write::{Loss, ToV1},
    loki,
};

use crate::support::bytes::{self, Bytes, label, series};

/// Checks the numbers of `kind`, of which those at `left_out` of `len` in the body are bad.
fn check<'a, R: DecodeRequest<'a>>(request: &R, kind: R::Kind, len: usize, left_out: &[usize]) {
    let kept: Vec<usize> = (0..len).filter(|at| !left_out.contains(at)).collect();
    for (index, in_body) in kept.iter().enumerate() {
        assert_eq!(request.index_in_body(kind, index), *in_body);
        assert_eq!(request.index_of(kind, *in_body), Some(index));
    }
    for in_body in left_out.iter().copied().chain([len, len + 7]) {
        assert_eq!(request.index_of(kind, in_body), None);
    }
    let of_kind = request.skipped().iter().filter(|it| it.kind == kind && it.element.is_none());
    assert!(of_kind.map(|skipped| skipped.index).eq(left_out.iter().copied()));
}

/// All ways to leave out some of six.
fn ways() -> impl Iterator<Item = (Vec<usize>, Vec<bool>)> {
    (0_u32..64).map(|mask| {
        let bad = |at: &usize| mask >> at & 1 == 1;
        ((0..6).filter(bad).collect(), (0..6).map(|at| bad(&at)).collect())
    })
}

#[test]
fn of_series_and_metadata() {
    for (left_out, bad) in ways() {
        let body = bad.iter().enumerate().fold(Bytes::new(), |body, (at, bad)| {
            // Each other series has no name, and each entry of metadata none.
            let name = if at % 2 == 0 { "job" } else { "__name__" };
            let one = series(&[(name, "a")], &[(1.0, 1)]);
            let value: &[u8] = if *bad { b"\xff" } else { b"b" };
            let body = body.len(1, one.len(1, label("zz", value)));
            body.len(3, if *bad { Bytes::new().len(2, b"\xff") } else { Bytes::new().varint(1, 1) })
        });
        let body = body.build();
        let options = v1::DecodeOptions::new().with_partial(true);
        let request = WriteRequest::decode_with(&body, &options).unwrap();
        check(&request, RecordKind::TimeSeries, 6, &left_out);
        check(&request, RecordKind::Metadata, 6, &left_out);

        let rules = Rules::strict().with_rule(Rule::MetadataWithoutName, true);
        let (mut of_series, mut of_metadata) = (Vec::new(), Vec::new());
        request.validate(&rules, |violation| match violation.kind {
            ViolationKind::Series { rule: Rule::MissingMetricName } => {
                of_series.extend(violation.index);
            }
            ViolationKind::Metadata { rule: Rule::MetadataWithoutName, metadata } => {
                of_metadata.push(metadata);
            }
            _ => {}
        });
        let kept: Vec<usize> = (0..6).filter(|at| !left_out.contains(at)).collect();
        assert_eq!(of_metadata, kept);
        let nameless: Vec<usize> = kept.into_iter().filter(|at| at % 2 == 0).collect();
        assert_eq!(of_series, nameless);
    }
}

#[test]
fn of_series_of_2_0() {
    for (left_out, bad) in ways() {
        let series: Vec<Bytes> = bad
            .iter()
            .map(|bad| {
                let refs = bytes::v2::refs(if *bad { &[1, 9] } else { &[1, 2] });
                refs.len(5, Bytes::new().varint(1, 2))
            })
            .collect();
        let body = bytes::v2::request(&["", "a", "b"], &series);
        let options = v2::DecodeOptions::new().with_partial(true);
        let request = Request::decode_with(&body, &options).unwrap();
        check(&request, RecordKind::TimeSeries, 6, &left_out);

        let kept: Vec<usize> = (0..6).filter(|at| !left_out.contains(at)).collect();
        let mut found = Vec::new();
        Validator::new(Rules::strict()).validate(&request, |violation| {
            if matches!(violation.kind, ViolationKind::Series { rule: Rule::MissingMetricName }) {
                found.extend(violation.index);
            }
        });
        assert_eq!(found, kept);
        // Metadata of a series that has no name.
        let mut losses = Vec::new();
        ToV1::new().convert(&request, |loss| losses.push(loss));
        let expected = kept.iter().map(|&series| Loss::SeriesMetadataWithoutName { series });
        assert!(losses.iter().copied().eq(expected));
    }
}

#[test]
fn of_streams() {
    for (left_out, bad) in ways() {
        let streams: Vec<Bytes> = bad
            .iter()
            .map(|bad| Bytes::new().len(1, if *bad { &b"\xff"[..] } else { b"not a selector" }))
            .collect();
        let body = bytes::loki::push(&streams);
        let options = loki::DecodeOptions::new().with_partial(true);
        let push = loki::PushRequest::decode_with(&body, &options).unwrap();
        check(&push, loki::RecordKind::Stream, 6, &left_out);
        let mut found = Vec::new();
        push.validate(&loki::Rules::new(), |violation| found.extend(violation.index));
        found.dedup();
        assert_eq!(found, (0..6).filter(|at| !left_out.contains(at)).collect::<Vec<_>>());
    }
}
