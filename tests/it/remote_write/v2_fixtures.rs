//! Every captured request of remote write 2.0 decodes to its golden contents, by every way of decoding,
//! and its series are the same once they are encoded again.

use std::collections::BTreeMap;
use std::sync::Arc;

use borrowire::Encode;
use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::remote_write::{Rule, Rules};
use borrowire::reuse::{Decoder, Owned, Pool};
use bytes::Bytes;
use prost::Message;

use crate::support::fixtures::{self, Fixture, Golden};
use crate::support::json;

/// Calls `check` with each captured request, its decompressed body and its golden contents.
fn for_each(mut check: impl FnMut(&Fixture, &[u8], &Golden)) {
    let mut sets: BTreeMap<String, usize> = BTreeMap::new();
    for fixture in fixtures::load("remote-write-v2") {
        let golden = fixture.golden();
        check(&fixture, &fixture.body, &golden);
        *sets.entry(fixture.set).or_default() += 1;
    }
    let sets: Vec<_> = sets.iter().map(|(set, &count)| (set.as_str(), count)).collect();
    assert_eq!(sets, [("prom314-rw2", 15), ("prom314-rw2-agent", 7), ("prom314-rw2-k8s", 2)]);
}

fn to_json(request: &Request<'_>) -> String {
    let mut json = String::new();
    json::remote_write_v2::request(&mut json, request);
    json
}

#[test]
fn decoded_contents_are_golden() {
    let (mut exemplars, mut histograms) = (0, 0);
    for_each(|Fixture { name, .. }, body, golden| {
        assert_eq!(body.len(), golden.decoded_bytes(), "{name}: decompressed length");
        let request = Request::decode(body).expect(name);
        assert!(to_json(&request) == golden.message(), "{name}");
        let series = request.timeseries();
        for (what, count) in [
            ("symbols", request.symbols().len()),
            ("timeseries", series.len()),
            ("label_refs", 2 * request.labels_len()),
            ("samples", request.samples_len()),
            ("exemplars", request.exemplars_len()),
            ("histograms", request.histograms_len()),
            ("with_metadata", series.iter().filter(|s| s.metadata().is_some()).count()),
        ] {
            assert_eq!(count, golden.count(what), "{name}: {what}");
        }
        assert!(!request.has_unknown_fields(), "{name}: no client sends unknown fields");
        assert!(request.skipped().is_empty(), "{name}: nothing is skipped unasked");
        exemplars += request.exemplars_len();
        histograms += request.histograms_len();
    });
    assert!(exemplars > 0 && histograms > 0);
}

#[test]
fn labels_and_metadata_are_what_the_references_say() {
    for_each(|Fixture { name, .. }, body, _| {
        let request = Request::decode(body).expect(name);
        let theirs = proto::Request::decode(body).expect(name);
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
    });
}

#[test]
fn encoded_again_the_series_are_the_same() {
    let mut symbolizer = Symbolizer::new();
    for_each(|Fixture { name, .. }, body, _| {
        let request = Request::decode(body).expect(name);
        let symbolized = symbolizer.symbolize(request.timeseries()).expect("no cap");
        let encoded = symbolized.encode_to_vec().expect(name);
        assert_eq!(encoded.len(), symbolized.encoded_len(), "{name}");
        // Clients send each symbol once, and none that nothing refers to.
        assert_eq!(symbolized.symbols().len(), request.symbols().len(), "{name}");
        assert!(encoded.len() <= body.len(), "{name}");
        let again = Request::decode(&encoded).expect(name);
        assert!(again.timeseries().iter().eq(request.timeseries()), "{name}");
        assert!(proto::Request::decode(&encoded[..]).is_ok(), "{name}");
    });
}

/// What Prometheus' receiver takes, it takes here: Prometheus sends exemplars in series without samples,
/// which it leaves out.
#[test]
fn rules_that_prometheus_has_pass_what_clients_send() {
    for_each(|Fixture { name, .. }, body, _| {
        let request = Request::decode(body).expect(name);
        request.validate(&Rules::new(), |violation| {
            assert_eq!(violation.kind.rule(), Rule::NoSamples, "{name}: {violation}");
            let series = request.timeseries().get(violation.index.unwrap()).unwrap();
            assert!(!series.exemplars().is_empty());
        });
    });
}

#[test]
fn reused_storage_reads_the_same() {
    let mut decoder = Decoder::<Request>::new();
    let pool = Arc::new(Pool::<Request>::new());
    for_each(|Fixture { name, .. }, body, golden| {
        let message = golden.message();
        let request = decoder.decode(body).expect(name);
        assert!(to_json(&request) == message, "{name}: reused decoder");
        drop(request);

        let request = pool.decode(body).expect(name);
        assert!(to_json(&request) == message, "{name}: pool");
        drop(request);

        let owned = pool.decode_owned(Bytes::copy_from_slice(body)).expect(name);
        assert!(to_json(owned.request()) == message, "{name}: pool, owned");
        drop(owned);

        let owned = Owned::<Request>::decode(body.to_vec()).expect(name);
        assert!(to_json(owned.request()) == message, "{name}: owned");
    });
    assert_eq!(pool.idle(), 1, "one request at a time needs one storage");
}
