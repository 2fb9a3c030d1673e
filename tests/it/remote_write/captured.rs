//! What clients really sent, beyond what holds for every protocol.

use std::collections::BTreeSet;

use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::Request;
use borrowire::remote_write::{Rule, Rules};
use prost::Message;

use crate::support::fixtures;

#[test]
fn validate_finds_what_the_scan_of_the_wire_found() {
    let mut seen = [0; 3];
    for fixture in fixtures::of("remote-write-v1") {
        let request = WriteRequest::decode(&fixture.body).unwrap();
        let mut series: [BTreeSet<usize>; 3] = Default::default();
        request.validate(&Rules::strict(), |violation| {
            let found = match violation.kind.rule() {
                Rule::UnsortedLabels => 0,
                Rule::EmptyLabelValue => 1,
                Rule::MissingMetricName => 2,
                _ => return,
            };
            series[found].insert(violation.index.expect("of a series"));
        });
        let oddities = [
            "series with unsorted labels",
            "series with empty label value",
            "series without __name__",
        ];
        for (found, oddity) in oddities.into_iter().enumerate() {
            assert_eq!(
                series[found].len(),
                fixture.golden().oddity(oddity),
                "{}: {oddity}",
                fixture.name
            );
            seen[found] += series[found].len();
        }
    }
    assert!(seen.iter().all(|&series| series > 0), "some client shows each of them");
}

#[test]
fn labels_and_metadata_are_what_the_references_say() {
    for fixture in fixtures::of("remote-write-v2") {
        let name = &fixture.name;
        let request = Request::decode(&fixture.body).expect(name);
        let theirs = proto::Request::decode(&fixture.body[..]).expect(name);
        let text = |reference: u32| theirs.symbols[reference as usize].as_str();
        for (series, theirs) in request.timeseries().iter().zip(&theirs.timeseries) {
            let labels = series.labels().iter().flat_map(|label| [label.name, label.value]);
            assert!(labels.eq(theirs.labels_refs.iter().map(|&r| text(r))), "{name}");
            for (exemplar, theirs) in series.exemplars().iter().zip(&theirs.exemplars) {
                let labels = exemplar.labels().iter().flat_map(|label| [label.name, label.value]);
                assert!(labels.eq(theirs.labels_refs.iter().map(|&r| text(r))), "{name}");
            }
            let metadata = series.metadata().map(|m| (m.metric_type.0, m.help, m.unit));
            let theirs = theirs.metadata.as_ref();
            let theirs = theirs.map(|m| (m.r#type, text(m.help_ref), text(m.unit_ref)));
            assert_eq!(metadata, theirs, "{name}");
        }
        // The generated types as a request.
        let converted = Request::from_prost(&theirs).expect(name);
        assert!(converted.timeseries().iter().eq(request.timeseries()), "{name}");
    }
}

/// What Prometheus' receiver takes, it takes here: one client alone sends series without a name, which it
/// leaves out.
#[test]
fn rules_that_prometheus_has_pass_what_clients_of_1_send() {
    for fixture in fixtures::of("remote-write-v1") {
        let name = &fixture.name;
        let request = WriteRequest::decode(&fixture.body).unwrap();
        let mut unnamed = 0;
        request.validate(&Rules::new(), |violation| {
            assert_eq!(violation.kind.rule(), Rule::MissingMetricName, "{name}: {violation}");
            unnamed += 1;
        });
        assert_eq!(unnamed, fixture.golden().oddity("series without __name__"), "{name}");
    }
}

/// Prometheus sends exemplars in series without samples, which its receiver leaves out.
#[test]
fn rules_that_prometheus_has_pass_what_clients_of_2_send() {
    for fixture in fixtures::of("remote-write-v2") {
        let request = Request::decode(&fixture.body).unwrap();
        request.validate(&Rules::new(), |violation| {
            assert_eq!(violation.kind.rule(), Rule::NoSamples, "{}: {violation}", fixture.name);
            let series = request.timeseries().get(violation.index.unwrap()).unwrap();
            assert!(!series.exemplars().is_empty());
        });
    }
}
