//! After the first JSON bodies, reading and writing OTLP allocates nothing, also where it is refused.

use std::hint::black_box;

use borrowire::Encode;
use borrowire::otlp::json::JsonScratch;
use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::otlp::{AsStringOptions, AsStringScratch, DecodeOptions};
use borrowire::reuse::Decoder;

use crate::heap;

/// Bodies with something of everything, of several sizes.
fn logs() -> Vec<Vec<u8>> {
    let record = r#"{"timeUnixNano":"1764500000000000000","severityNumber":"SEVERITY_NUMBER_INFO",
        "body":{"kvlistValue":{"values":[{"key":"b","value":{"arrayValue":{"values":[{"doubleValue":"NaN"}]}}},
            {"key":"a","value":{"stringValue":"say \"hi\" \ud83d\ude80"}}]}},
        "traceId":"5b8efff798038103d269b633813fc60c","spanId":"EEE19B7EC3C1B174","unknown":[{"x":[1]}],
        "attributes":[{"key":"h\u00f6st","value":{"bytesValue":"AP8Q"}},{"key":"n","value":{"intValue":7}}]}"#;
    let body = |records: usize| {
        let records = vec![record; records].join(",");
        format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}"#)
    };
    [body(1), body(300), "{}".to_owned()].map(String::into_bytes).into()
}

const METRICS: &[u8] =
    br#"{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"h","histogram":
    {"dataPoints":[{"count":"3","sum":1.5,"bucketCounts":["1","2"],"explicitBounds":[0.1],
    "exemplars":[{"asDouble":null,"spanId":"0102030405060708"}]}]}}]}]}]}"#;

pub fn run() {
    let _profiler = heap::profiler();
    let bodies = logs();
    let mut decoder = Decoder::<ExportLogsServiceRequest>::new();
    let mut metrics = Decoder::<ExportMetricsServiceRequest>::new();
    let (mut scratch, mut text) = (JsonScratch::new(), AsStringScratch::new());
    let mut out = vec![0; 1 << 20];
    let mut all = || {
        for body in &bodies {
            let request = decoder.decode_json(body).unwrap();
            let encoder = request.json_encoder(&mut scratch).unwrap();
            black_box(encoder.encode(&mut out).unwrap());
            for record in request
                .resource_logs()
                .into_iter()
                .flat_map(|resource| resource.scope_logs)
                .flat_map(|scope| scope.log_records)
            {
                let value = record.body.unwrap();
                black_box(value.as_string(&mut text, &AsStringOptions::new()).unwrap().len());
            }
            drop(request);
            for bad in [&body[..body.len() - 1], &body[1..], b"\xff", br#"{"resourceLogs":[7]}"#] {
                assert!(decoder.decode_json(bad).is_err());
            }
        }
        black_box(metrics.decode_json(METRICS).unwrap().data_points_len());
    };
    all();
    all();
    assert_eq!(heap::blocks(&mut all), 0, "decoders and encoders");

    // What partial mode leaves out is listed in memory that is used again, too.
    let options = DecodeOptions::new().with_partial(true);
    let mut decoder = Decoder::<ExportLogsServiceRequest>::new().with_options(options);
    let records = vec![r#"{"flags":-1},{"flags":1}"#; 500].join(",");
    let body = format!(r#"{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{records}]}}]}}]}}"#);
    let mut partial = || {
        let request = decoder.decode_json(body.as_bytes()).unwrap();
        assert_eq!((request.log_records_len(), request.json_skipped().len()), (500, 500));
    };
    // Two lists change places.
    (0..4).for_each(|_| partial());
    assert_eq!(heap::blocks(partial), 0, "partial");
}
