//! Records of Mimir.

use borrowire::convert::remote_write::{RequestV1, ToV1};
use borrowire::kafka::{
    Header, MimirReader, MimirRequest, MimirVersion, MimirWriter, ReadError, Record, Records,
};
use borrowire::remote_write::v1::{MetricMetadata, WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::v2::Request;
use borrowire::remote_write::{Extensions, Label, MetricType, RequestSource, Sample, TimeSeries};
use borrowire::{Decode, Encode};

use super::golden::{Case, cases};
use crate::support::bytes::{Bytes, label, sample};

const VERSIONS: [MimirVersion; 3] = [MimirVersion::V0, MimirVersion::V1, MimirVersion::V2];

fn writer(version: MimirVersion, max: usize) -> MimirWriter {
    MimirWriter::new(version).with_max_value_bytes(max).with_raw_records(false)
}

/// Makes the records of a body in whatever version.
fn encode<'r>(case: &'r Case, writer: &'r mut MimirWriter, memory: &'r mut Vec<u8>) -> Records<'r> {
    if case.says["form"] == "rw1" {
        let request = WriteRequest::decode(&case.body).unwrap();
        return writer.encode(&case.key, &request, memory).unwrap();
    }
    let request = Request::decode(&case.body).unwrap();
    let mut to_v1 = ToV1::new();
    let converted = to_v1.convert(&request, |_| {});
    writer.encode(&case.key, &converted, memory).unwrap()
}

#[test]
fn records_are_those_of_mimir() {
    let mut memory = Vec::new();
    let mut writers = VERSIONS.map(|version| (version, writer(version, 0)));
    for case in cases("mimir.json") {
        let at = usize::try_from(case.says["version"].as_u64().unwrap()).unwrap();
        let (version, used) = &mut writers[at];
        for fresh in [true, false] {
            let mut new = writer(*version, case.max);
            let used = if fresh {
                &mut new
            } else {
                *used = std::mem::replace(used, writer(*version, 0)).with_max_value_bytes(case.max);
                &mut *used
            };
            let records = encode(&case, used, &mut memory);
            if *version == MimirVersion::V2 && case.body.is_empty() {
                // Mimir writes one that its reader panics on.
                assert!(records.is_empty());
                continue;
            }
            case.check(&records);
            for record in records {
                let headers: Vec<_> = record
                    .headers
                    .iter()
                    .map(|header| {
                        let value: String =
                            header.value.iter().map(|byte| format!("{byte:02x}")).collect();
                        serde_json::json!([header.key, value])
                    })
                    .collect();
                let expected = case.says.get("headers").cloned();
                assert_eq!(
                    serde_json::Value::from(headers),
                    expected.unwrap_or_else(|| serde_json::json!([]))
                );
            }
        }
    }
}

/// What is in records, in the terms of 1.0: encoded series, then metadata, each in order.
fn content<'r>(records: impl IntoIterator<Item = Record<'r>>) -> (Vec<Vec<u8>>, Vec<Vec<u8>>) {
    fn add<'a>(request: &impl RequestV1<'a>, content: &mut (Vec<Vec<u8>>, Vec<Vec<u8>>)) {
        for at in 0..request.series_len() {
            let series = request.series_at(at).unwrap();
            let encoded = borrowire::remote_write::v1::Message(series).encode_to_vec().unwrap();
            content.0.push([encoded, series.created_timestamp().to_le_bytes().to_vec()].concat());
        }
        for at in 0..request.metadata_len() {
            content.1.push(request.metadata_at(at).unwrap().encode_to_vec().unwrap());
        }
    }
    let (mut reader, mut to_v1) = (MimirReader::new(), ToV1::new());
    let mut content = (Vec::new(), Vec::new());
    for record in records {
        let headers = record.headers.iter().copied();
        let read = reader.read(record.key, headers, record.value).unwrap();
        match &read.request {
            MimirRequest::V1(request) => add(&**request, &mut content),
            MimirRequest::V2(request) => add(&to_v1.convert(request, |_| {}), &mut content),
            _ => unreachable!(),
        }
    }
    content
}

/// Whether a series has nothing but `__name__`.
fn is_bare(series: &[u8]) -> bool {
    let body = Bytes::new().len(1, &series[..series.len() - 8]).build();
    let request = WriteRequest::decode(&body).unwrap();
    let series = request.timeseries().get(0).unwrap();
    series.samples().is_empty() && matches!(series.labels(), [only] if only.name == "__name__")
}

#[test]
fn what_was_written_is_read() {
    let mut memory = Vec::new();
    for case in cases("mimir.json").iter().filter(|case| case.says["version"] == 0) {
        // In all versions alike, but that a reader of version 2 leaves out definitions that it has
        // seen, and metadata that says nothing.
        let mut found = VERSIONS
            .map(|version| content(encode(case, &mut writer(version, case.max), &mut memory)));
        assert_eq!(found[0], found[1], "{}", case.name);
        let [(series, metadata), _, (series_2, metadata_2)] = &mut found;
        // A series of nothing but metadata is none, and a carrier of nothing is one.
        for list in [&mut *series, &mut *series_2] {
            list.retain(|series| !is_bare(series));
        }
        assert_eq!(series, series_2, "{}", case.name);
        for list in [metadata, metadata_2] {
            list.sort();
            list.dedup();
            list.retain(|entry| {
                let entry = MetricMetadata::decode(entry).unwrap();
                entry != MetricMetadata::new(MetricType::UNKNOWN, entry.metric_family_name)
            });
        }
        let [(_, metadata), _, (_, metadata_2)] = &found;
        assert!(metadata_2.iter().all(|entry| metadata.contains(entry)), "{}", case.name);
        if !case.name.contains("odd") {
            assert_eq!(metadata, metadata_2, "{}", case.name);
        }
    }
}

/// A request of everything: series with fields that nobody knows, metadata, Mimir's own fields.
fn body() -> Vec<u8> {
    let series = |n: u32| {
        let name = format!("metric_{}", n % 7);
        Bytes::new()
            .len(1, label("__name__", name))
            .len(1, label("instance", format!("host-{n}")))
            .len(2, sample(f64::from(n), i64::from(n)))
            .len(30, format!("unknown {n}"))
    };
    let metadata = |n: u32| {
        Bytes::new().varint(1, 1).len(2, format!("metric_{n}")).len(4, format!("help {n}"))
    };
    let body = (0..60).fold(Bytes::new(), |body, n| body.len(1, series(n)));
    let body = (0..9).fold(body.varint(2, 1), |body, n| body.len(3, metadata(n)));
    body.varint(1000, 1).varint(1001, 1).build()
}

#[test]
fn raw_records_are_copied() {
    let body = body();
    let request = WriteRequest::decode(&body).unwrap();
    let mut memory = Vec::new();
    for version in [MimirVersion::V0, MimirVersion::V1] {
        // As a whole it is the body; in parts their records are those of the body, in their order.
        let mut writer = MimirWriter::new(version);
        let records = writer.encode("tenant", &request, &mut memory).unwrap();
        assert_eq!((records.len(), records.values()), (1, &body[..]));
        let mut writer = writer.with_max_value_bytes(500);
        let records = writer.prepare(&request).with_extensions(Extensions::new());
        let records = records.encode("tenant", &mut memory).unwrap();
        let raws = (0..60).map(|at| request.raw_timeseries(at).unwrap());
        let raws = raws.chain((0..9).map(|at| request.raw_metadata(at).unwrap()));
        assert_eq!(records.values(), raws.collect::<Vec<_>>().concat());
        assert!(records.len() > 5);
        assert!(records.iter().all(|record| record.value.len() <= 500 + 3));
        // Encoded again, they have no unknown fields.
        let mut writer = writer.with_raw_records(false);
        let records = writer.encode("tenant", &request, &mut memory).unwrap();
        for record in records {
            assert!(!WriteRequest::decode(record.value).unwrap().has_unknown_fields());
        }
    }
}

#[test]
fn partitions_get_what_is_theirs_in_order() {
    let body = body();
    let request = WriteRequest::decode(&body).unwrap();
    let partition = |at: usize| [5, 3, 3, 900_000, 5][at % 5];
    let mut memory = Vec::new();
    for version in VERSIONS {
        for max in [1 << 20, 300] {
            let mut writer = writer(version, max);
            let records = writer
                .prepare(&request)
                .encode_by_position("tenant", &mut memory, partition)
                .unwrap();
            assert!(records.iter().is_sorted_by_key(|record| record.partition));
            for expected in [3, 5, 900_000] {
                let of_partition = || records.iter().filter(|it| it.partition == expected);
                if max > 300 {
                    assert_eq!(of_partition().count(), 1);
                }
                let (series, mut metadata) = content(of_partition());
                // The same as a request of those records alone.
                let some = |len: usize, offset: usize| {
                    (0..len).filter(move |at| partition(at + offset) == expected)
                };
                let alone = WriteRequestEncoder::new(
                    some(60, 0).map(|at| request.timeseries().get(at).unwrap()),
                )
                .with_metadata(some(9, 60).map(|at| request.metadata().get(at).unwrap()))
                .encode_to_vec()
                .unwrap();
                let alone = WriteRequest::decode(&alone).unwrap();
                let mut memory = Vec::new();
                let mut plain = MimirWriter::new(MimirVersion::V0);
                let plain = plain.encode("", &alone, &mut memory).unwrap();
                let (expected_series, mut expected_metadata) = content(plain);
                metadata.sort();
                metadata.dedup();
                expected_metadata.sort();
                assert_eq!(series, expected_series, "{version:?} {max}");
                assert_eq!(metadata, expected_metadata, "{version:?} {max}");
            }
        }
    }
}

#[test]
fn fields_of_mimir_are_those_that_are_handed_over() {
    let body = body();
    let request = WriteRequest::decode(&body).unwrap();
    let mut memory = Vec::new();
    let own = request.extensions();
    let rule = Extensions::new().with_source(RequestSource::RULE);
    for version in VERSIONS {
        for (given, expected) in [(None, own), (Some(rule), rule)] {
            for max in [1 << 20, 500] {
                let mut writer = writer(version, max);
                let mut prepared = writer.prepare(&request);
                if let Some(given) = given {
                    prepared = prepared.with_extensions(given);
                }
                let records = prepared.encode("tenant", &mut memory).unwrap();
                let count = expected.skip_label_count_validation && max > 500;
                let expected = expected.with_skip_label_count_validation(count);
                for record in records {
                    let found = if version == MimirVersion::V2 {
                        Request::decode_with(
                            record.value,
                            &borrowire::remote_write::v2::DecodeOptions::new()
                                .with_format(borrowire::remote_write::v2::Format::MimirRecord),
                        )
                        .unwrap()
                        .extensions()
                    } else {
                        WriteRequest::decode(record.value).unwrap().extensions()
                    };
                    assert_eq!(found, expected, "{version:?} {max}");
                }
            }
        }
    }
}

#[test]
fn memory_is_not_cut_and_values_are_at_its_front() {
    let labels = [Label::new("__name__", "up")];
    let samples = [Sample::new(1.0, 5)];
    let series = [TimeSeries::new(&labels).with_samples(&samples); 3];
    let body = WriteRequestEncoder::new(series)
        .with_metadata([MetricMetadata::new(MetricType::GAUGE, "up")])
        .encode_to_vec()
        .unwrap();
    let request = WriteRequest::decode(&body).unwrap();
    for version in VERSIONS {
        let mut memory = vec![7; 1000];
        let len = writer(version, 1000).encode("t", &request, &mut memory).unwrap().values().len();
        assert_eq!(memory.len(), 1000);
        assert!(memory[len..].iter().all(|&byte| byte == 7));
    }
}

fn version(value: &[u8]) -> [Header<'_>; 1] {
    [Header { key: "Version", value }]
}

#[test]
fn hostile_records_are_refused() {
    let mut reader = MimirReader::new();
    let mut read = |key: &'static [u8], headers: &[Header<'static>], value: &'static [u8]| {
        let record = reader.read(key, headers.iter().copied(), value);
        record.map(|record| (record.version, record.timeseries().len())).inspect_err(|error| {
            assert!(!error.to_string().is_empty());
        })
    };
    // A header that is short or says something new.
    for len in 0..4 {
        let short = read(b"t", &version(&[0; 4][..len]), b"");
        assert_eq!(short, Err(ReadError::ShortVersion { len }));
    }
    for (value, number) in [(&[0, 0, 0, 3], 3), (&[1, 0, 0, 0], 1 << 24), (&[255; 4], u32::MAX)] {
        let unknown = read(b"t", &version(value), b"");
        assert_eq!(unknown, Err(ReadError::UnknownVersion { version: number }));
    }
    // The first counts, and of it the first four bytes; names are told by case.
    let [one] = version(&[0, 0, 0, 1, 9]);
    let [two] = version(&[0, 0, 0, 2]);
    let other = Header { key: "version", value: &[9] };
    assert_eq!(read(b"t", &[other, one, two], b""), Ok((MimirVersion::V1, 0)));
    assert_eq!(read(b"t", &[two, one], b"\x22\0\x2a\0"), Ok((MimirVersion::V2, 1)));
    assert_eq!(read(b"t", &[other], b"\x0a\0"), Ok((MimirVersion::V0, 1)));
    // A tenant that is no text; none at all is one.
    assert!(matches!(read(b"\xff", &[], b""), Err(ReadError::Key(_))));
    assert_eq!(read(b"", &[], b""), Ok((MimirVersion::V0, 0)));
    // The record without series on which Mimir's reader panics.
    assert_eq!(read(b"t", &version(&[0, 0, 0, 2]), b"\x22\0"), Ok((MimirVersion::V2, 0)));
    // A varint that does not end, lengths over the end, references to nothing.
    for value in [&b"\x80"[..], b"\x0a\x7f", b"\x0a\xff\xff\xff\xff\x7f", b"\x0b"] {
        for headers in [&[][..], &[one], &[two]] {
            assert!(matches!(read(b"t", headers, value), Err(ReadError::Value(_))), "{value:?}");
        }
    }
    let bad_reference = read(b"t", &[two], b"\x22\0\x2a\x04\x0a\x02\x01\x7f");
    assert!(matches!(bad_reference, Err(ReadError::Value(_))));
}
