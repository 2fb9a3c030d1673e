//! What real exporters sent.

use borrowire::Encode;
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;

use crate::support::{fixtures, json};

/// Fields in descending order, in ascending order, and anything between, by six exporters.
#[test]
fn contents_are_golden_and_written_back() {
    let mut bodies = 0;
    for fixture in fixtures::of("otlp-metrics").chain(fixtures::of("otlp-logs")) {
        let name = &fixture.name;
        let to_json = |body: &[u8]| {
            let (mut text, written);
            text = String::new();
            if fixture.message == "otlp-metrics" {
                let request = ExportMetricsServiceRequest::decode(body);
                let request = request.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(!request.has_unknown_fields(), "{name}");
                json::otlp::metrics(&mut text, &request);
                written = request.encode_to_vec().unwrap();
                assert_eq!(written.len(), request.encoded_len(), "{name}");
            } else {
                let request = ExportLogsServiceRequest::decode(body);
                let request = request.unwrap_or_else(|error| panic!("{name}: {error}"));
                assert!(!request.has_unknown_fields(), "{name}");
                json::otlp::logs(&mut text, &request);
                written = request.encode_to_vec().unwrap();
                assert_eq!(written.len(), request.encoded_len(), "{name}");
            }
            (text, written)
        };
        let (found, written) = to_json(&fixture.body);
        assert!(
            found == fixture.golden().message,
            "{name}:\n{found}\n{}",
            fixture.golden().message
        );
        let (again, twice) = to_json(&written);
        assert!(again == found, "{name}");
        assert_eq!(twice, written, "{name}");
        if fixture.golden().is_canonical() {
            assert_eq!(written, fixture.body, "{name}");
        }
        bodies += 1;
    }
    assert!(bodies > 20, "{bodies}");
}
