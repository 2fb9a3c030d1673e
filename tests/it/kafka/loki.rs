//! Records of Loki.

use borrowire::Encode;
use borrowire::kafka::{LokiReader, LokiWriteError, LokiWriter, ReadError};
use borrowire::loki::{DecodeOptions, Entry, LabelPair, PushRequest, Stream, Timestamp};

use super::golden::cases;
use crate::support::bytes::Bytes;

#[test]
fn records_are_those_of_loki() {
    let (mut reader, mut memory, mut refused) = (LokiReader::new(), Vec::new(), 0);
    for case in cases("loki.json") {
        let body = Bytes::new().len(1, &case.body[..]).build();
        let push = PushRequest::decode(&body).unwrap();
        let mut writer = LokiWriter::new().with_max_value_bytes(case.max);
        let records = match writer.encode(&case.key, push.streams(), &mut memory) {
            Ok(records) => records,
            Err(error) => {
                let said = case.says["error"].as_str().unwrap();
                let max = case.max;
                match error {
                    LokiWriteError::EntryTooLong { stream: 0, bytes, .. } => assert_eq!(
                        said,
                        format!("single entry size ({bytes}) exceeds maximum allowed size ({max})")
                    ),
                    LokiWriteError::StreamTooLong { .. } => {
                        assert_eq!(said, "no valid records created");
                    }
                    _ => panic!("{error}"),
                }
                refused += 1;
                continue;
            }
        };
        case.check(&records);
        // What was written is read: the same labels, and the entries one behind the other.
        let sent = push.streams().get(0).unwrap();
        let mut entries = sent.entries().iter();
        for record in records {
            assert!(record.headers.is_empty());
            let read = reader.read(record.key, record.value).unwrap();
            assert_eq!(read.tenant, case.key);
            let stream = read.stream().unwrap();
            assert_eq!((stream.labels(), stream.hash()), (sent.labels(), sent.hash()));
            for entry in stream.entries() {
                assert_eq!(Some(entry), entries.next(), "{}", case.name);
            }
        }
        assert!(entries.next().is_none(), "{}", case.name);
    }
    assert!(refused > 2);
}

#[test]
fn streams_of_the_caller_are_cut_as_decoded_ones_are() {
    let pairs = [LabelPair::new("trace_id", "0242ac120002")];
    let lines: Vec<String> = (0..50).map(|n| "x".repeat(n * 7 % 60)).collect();
    let entries: Vec<_> = (0..)
        .zip(&lines)
        .map(|(at, line)| {
            let entry = Entry::new(Timestamp::new(1_700_000_000 + at, 5), line.as_bytes());
            if at % 3 == 0 { entry.with_structured_metadata(&pairs) } else { entry }
        })
        .collect();
    let stream = Stream::new(r#"{job="varlogs"}"#).with_entries(&entries).with_hash(9);
    let value = stream.encode_to_vec().unwrap();
    let body = Bytes::new().len(1, &value[..]).build();
    let push = PushRequest::decode(&body).unwrap();
    let decoded = push.streams().get(0).unwrap();
    for max in [150, 200, 400, value.len() - 1, value.len()] {
        let (mut one, mut two) = (LokiWriter::new(), LokiWriter::default());
        (one, two) = (one.with_max_value_bytes(max), two.with_max_value_bytes(max));
        let (mut memory, mut memory_2) = (Vec::new(), Vec::new());
        let records = one.encode("t", [stream], &mut memory).unwrap();
        let others = two.encode("t", [decoded], &mut memory_2).unwrap();
        assert!(records.iter().eq(others));
        assert_eq!(records.len() == 1, max == value.len());
        assert!(records.iter().all(|record| record.value.len() <= max));
    }
}

#[test]
fn each_stream_has_records_and_a_partition() {
    let streams = ["{a=\"1\"}", "{a=\"2\"}", "{a=\"3\"}"].map(Stream::new);
    let mut memory = Vec::new();
    let mut writer = LokiWriter::new();
    let records = writer
        .encode_by_stream("t", streams, &mut memory, |stream| {
            u32::from(stream.labels().contains('2'))
        })
        .unwrap();
    assert!(records.iter().map(|record| record.partition).eq([0, 1, 0]));
    // The stream that does not fit is named, and nothing is written.
    let mut writer = LokiWriter::new().with_max_value_bytes(9);
    let long = Stream::new("{a=\"four\"}");
    let error = writer.encode("t", [streams[0], long], &mut memory).unwrap_err();
    let expected = LokiWriteError::StreamTooLong { stream: 1, bytes: 12, max: 9 };
    assert_eq!(error, expected);
    assert_eq!(
        error.to_string(),
        "stream 1: without entries, it takes 12 bytes, over the limit of 9"
    );
}

#[test]
fn hostile_records_are_refused() {
    let mut reader = LokiReader::new();
    assert!(matches!(reader.read(b"\xff", b""), Err(ReadError::Key(_))));
    for value in
        [&b"\x80"[..], b"\x0a\x7f", b"\x12\x05", b"\x0a\x01\xff", b"\x0b", b"\x12\x02\x0a\x05"]
    {
        let error = reader.read(b"t", value).unwrap_err();
        assert!(matches!(error, ReadError::Value(_)), "{value:?}");
        assert!(error.to_string().starts_with("value: "));
    }
    // Nothing is a stream of nothing, as in Loki.
    let read = reader.read(b"", b"").unwrap();
    assert_eq!(read.stream(), Some(Stream::new("")));
    assert!(read.push.body().is_empty() && read.push.raw_stream(0).is_none());
    drop(read);
    // In partial mode bad text costs the stream.
    let mut partial = LokiReader::with_options(DecodeOptions::new().with_partial(true));
    let read = partial.read(b"t", b"\x0a\x01\xff").unwrap();
    assert_eq!((read.stream(), read.push.skipped().len()), (None, 1));
    drop(read);
    assert!(partial.read(b"t", b"\x0a\x01a").unwrap().push.skipped().is_empty());
}
