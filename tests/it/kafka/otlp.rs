//! Records of plain OTLP.

use borrowire::kafka::{OtlpWriteError, OtlpWriter};
use borrowire::otlp::logs::ExportLogsServiceRequest;

use crate::support::bytes::Bytes;

/// Log records of many lengths, in resources of ten.
fn body(records: usize) -> Vec<u8> {
    (0..records / 10)
        .fold(Bytes::new(), |body, resource| {
            let record = |n: usize| Bytes::new().len(12, "x".repeat((resource * 10 + n) * 13 % 97));
            let scope = (0..10).fold(Bytes::new(), |scope, n| scope.len(2, record(n)));
            body.len(1, Bytes::new().len(2, scope))
        })
        .build()
}

#[test]
fn values_are_cut_by_bytes_and_nothing_is_dropped() {
    let body = body(200);
    let request = ExportLogsServiceRequest::decode(&body).unwrap();
    let sent = request.log_records_len();
    assert_eq!(sent, 200);
    let mut memory = Vec::new();
    for max in [120, 500, body.len() - 1, body.len()] {
        let mut writer = OtlpWriter::new().with_max_value_bytes(max);
        let records = writer.encode("key", &request, &mut memory).unwrap();
        assert_eq!(records.len() == 1, max == body.len());
        let mut found = 0;
        for record in records {
            assert!(record.value.len() <= max && record.headers.is_empty());
            assert_eq!(record.key, b"key");
            found += ExportLogsServiceRequest::decode(record.value).unwrap().log_records_len();
        }
        assert_eq!(found, sent, "{max}");
        let records = writer.encode_by_position("", &request, &mut memory, |at| at as u32 % 3);
        let partitions: std::collections::BTreeSet<_> =
            records.unwrap().iter().map(|record| record.partition).collect();
        assert!(partitions.into_iter().eq(0..3));
    }
}

#[test]
fn an_item_over_the_limit_is_named() {
    let body = body(200);
    let request = ExportLogsServiceRequest::decode(&body).unwrap();
    let mut writer = OtlpWriter::new().with_max_value_bytes(50);
    let error = writer.encode("", &request, &mut Vec::new()).unwrap_err();
    // The fourth has 39 bytes of text, the fifth 52.
    assert!(matches!(error, OtlpWriteError::ItemTooLong { item: 4, max: 50, .. }), "{error}");
}
