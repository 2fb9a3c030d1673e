//! Every captured body decodes to its golden contents, by every way of decoding, and encodes back
//! to them.

use std::collections::BTreeSet;
use std::sync::{Arc, LazyLock};

use borrowire::Encode;
use borrowire::proto::prometheus as proto;
use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::{Rule, Rules};
use borrowire::reuse::{Decoder, Owned, Pool};
use bytes::Bytes;
use prost::Message;

use crate::support::fixtures::{self, Fixture, Golden};
use crate::support::json::remote_write_v1::write_request;

/// A captured request, with what every test needs of it.
struct Case {
    fixture: Fixture,
    /// The body, decompressed.
    body: Vec<u8>,
    golden: Golden,
    /// The golden contents: reading them costs more than all else here, so it is done once.
    message: String,
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let fixtures = fixtures::load("remote-write-v1").into_iter();
    fixtures
        .map(|fixture| {
            let golden = fixture.golden();
            Case { body: fixture.body.clone(), message: golden.message(), golden, fixture }
        })
        .collect()
});

/// Calls `check` with the name, the decompressed body and the golden contents of every captured
/// request.
fn for_each(mut check: impl FnMut(&str, &[u8], &str)) {
    for case in &*CASES {
        check(&case.fixture.name, &case.body, &case.message);
    }
}

fn decode<'a>(name: &str, body: &'a [u8]) -> WriteRequest<'a> {
    WriteRequest::decode(body).expect(name)
}

fn to_json(request: &WriteRequest<'_>) -> String {
    let mut json = String::new();
    write_request(&mut json, request);
    json
}

/// Compares two contents of up to a megabyte, and shows no more of them than the first difference.
#[track_caller]
fn assert_same(name: &str, way: &str, found: &str, golden: &str) {
    if found == golden {
        return;
    }
    let same = found.bytes().zip(golden.bytes()).take_while(|(a, b)| a == b).count();
    let around = |json: &str| {
        let shown = json.as_bytes().iter().skip(same.saturating_sub(80)).take(160);
        String::from_utf8_lossy(&shown.copied().collect::<Vec<u8>>()).into_owned()
    };
    panic!(
        "{name}, {way}: differs from the golden JSON at byte {same}\n found: {}\ngolden: {}",
        around(found),
        around(golden),
    );
}

#[test]
fn all_sets_are_there() {
    let sets: BTreeSet<&str> = CASES.iter().map(|case| case.fixture.set.as_str()).collect();
    assert_eq!((sets.len(), CASES.len()), (16, 143));
    for Case { fixture, .. } in &*CASES {
        assert!(fixture.name.starts_with(&fixture.set), "{}", fixture.name);
        assert!(!fixture.client.is_empty(), "{}", fixture.name);
    }
}

#[test]
fn decoded_contents_are_golden() {
    for Case { fixture, body, golden, message } in &*CASES {
        let name = fixture.name.as_str();
        assert_eq!(body.len(), golden.decoded_bytes(), "{name}: decompressed length");
        let request = decode(name, body);
        assert_same(name, "decoded", &to_json(&request), message);

        let exemplar_labels: usize = request
            .timeseries()
            .iter()
            .flat_map(|series| series.exemplars())
            .map(|exemplar| exemplar.labels().len())
            .sum();
        let in_series: usize = request.timeseries().iter().map(|s| s.labels().len()).sum();
        for (what, count) in [
            ("timeseries", request.timeseries().len()),
            ("labels", in_series),
            ("samples", request.samples_len()),
            ("exemplars", request.exemplars_len()),
            ("exemplar_labels", exemplar_labels),
            ("histograms", request.histograms_len()),
            ("metadata", request.metadata().len()),
        ] {
            assert_eq!(count, golden.count(what), "{name}: {what}");
        }
        assert!(!request.has_unknown_fields(), "{name}: no client sends unknown fields");
        assert!(request.skipped().is_empty(), "{name}: nothing is skipped unasked");
    }
}

#[test]
fn encoded_again_contents_are_golden() {
    for Case { fixture, body, golden, message } in &*CASES {
        let name = fixture.name.as_str();
        let request = decode(name, body);
        let encoded = request.encode_to_vec().expect(name);
        assert_eq!(encoded.len(), request.encoded_len(), "{name}: encoded_len");
        if golden.is_canonical() {
            assert!(encoded == *body, "{name}: encoded bytes are not those the client sent");
        }
        assert_same(name, "encoded, decoded", &to_json(&decode(name, &encoded)), message);

        let by_prost = proto::WriteRequest::decode(encoded.as_slice())
            .unwrap_or_else(|e| panic!("{name}: prost refuses what was encoded: {e}"));
        let found = to_json(&WriteRequest::from_prost(&by_prost));
        assert_same(name, "encoded, decoded by prost", &found, message);

        let mut series_by_series = Vec::new();
        WriteRequestEncoder::new(request.timeseries())
            .with_metadata(request.metadata())
            .append_to_vec(&mut series_by_series)
            .expect(name);
        assert!(series_by_series == encoded, "{name}: an encoder over the views writes otherwise");
    }
}

#[test]
fn raw_records_make_up_the_request() {
    for_each(|name, body, golden| {
        let request = decode(name, body);
        let series = (0..request.timeseries().len()).map(|i| request.raw_timeseries(i));
        let metadata = (0..request.metadata().len()).map(|i| request.raw_metadata(i));
        let records: Vec<&[u8]> = series
            .chain(metadata)
            .map(|raw| raw.unwrap_or_else(|| panic!("{name}: a record without its bytes")))
            .collect();
        let joined = records.concat();
        assert_eq!(joined.len(), body.len(), "{name}: the records are not the whole body");
        assert_same(name, "raw records", &to_json(&decode(name, &joined)), golden);
    });
}

#[test]
fn validate_finds_what_the_scan_of_the_wire_found() {
    let mut seen = [0; 3];
    for Case { fixture, body, golden, .. } in &*CASES {
        let name = fixture.name.as_str();
        let request = decode(name, body);
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
            assert_eq!(series[found].len(), golden.oddity(oddity), "{name}: {oddity}");
            seen[found] += series[found].len();
        }
    }
    assert!(seen.iter().all(|&series| series > 0), "some client shows each of them");
}

/// What Prometheus' receiver takes, it takes here: one client alone sends series without a name, which it
/// leaves out.
#[test]
fn rules_that_prometheus_has_pass_what_clients_send() {
    for Case { fixture, body, golden, .. } in &*CASES {
        let name = fixture.name.as_str();
        let request = decode(name, body);
        let mut unnamed = 0;
        request.validate(&Rules::new(), |violation| {
            assert_eq!(violation.kind.rule(), Rule::MissingMetricName, "{name}: {violation}");
            unnamed += 1;
        });
        assert_eq!(unnamed, golden.oddity("series without __name__"), "{name}");
    }
}

#[test]
fn reused_storage_reads_the_same() {
    let mut decoder = Decoder::<WriteRequest>::new();
    let pool = Arc::new(Pool::<WriteRequest>::new());
    for_each(|name, body, golden| {
        let request = decoder.decode(body).expect(name);
        assert_same(name, "reused decoder", &to_json(&request), golden);
        drop(request);

        let request = pool.decode(body).expect(name);
        assert_same(name, "pool", &to_json(&request), golden);
        drop(request);

        let owned = pool.decode_owned(Bytes::copy_from_slice(body)).expect(name);
        assert_same(name, "pool, owned", &to_json(owned.request()), golden);
        drop(owned);

        let owned = Owned::<WriteRequest>::decode(body.to_vec()).expect(name);
        assert_same(name, "owned", &to_json(owned.request()), golden);
    });
    assert_eq!(pool.idle(), 1, "one request at a time needs one storage");
}

#[test]
fn prost_conversions_agree() {
    for_each(|name, body, golden| {
        let by_prost = proto::WriteRequest::decode(body).expect(name);
        let borrowed = WriteRequest::from_prost(&by_prost);
        assert_same(name, "from prost", &to_json(&borrowed), golden);

        let converted = proto::WriteRequest::from(&decode(name, body));
        let found = to_json(&WriteRequest::from_prost(&converted));
        assert_same(name, "to prost and back", &found, golden);
        assert!(converted.encode_to_vec() == by_prost.encode_to_vec(), "{name}: to prost");
    });
}
