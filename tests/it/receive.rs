//! Bodies of real clients, given to the wrong decoder.

use borrowire::body::negotiate::{Message, Protocol};
use borrowire::loki::json::JsonScratch;
use borrowire::loki::{self, PushRequest};
use borrowire::receive::{Found, ReceiveError, diagnose};
use borrowire::remote_write::{MetricType, v1, v2};
use borrowire::{DecodeErrorKind, Encode};

use crate::support::fixtures::{self, Fixture};

/// All that a head can say.
const MESSAGES: [Message; 11] = [
    Message::LokiPush,
    Message::LokiPushJson,
    Message::LokiPushLegacyJson,
    Message::OtlpLogs,
    Message::OtlpLogsJson,
    Message::OtlpMetrics,
    Message::OtlpMetricsJson,
    Message::OtlpTraces,
    Message::OtlpTracesJson,
    Message::RemoteWriteV1,
    Message::RemoteWriteV2,
];

/// The two forms of JSON that one decoder reads.
fn is_same(one: Message, other: Message) -> bool {
    let json = [Message::LokiPushJson, Message::LokiPushLegacyJson];
    one == other || json.contains(&one) && json.contains(&other)
}

/// Decodes `body` as `message`, where there is a decoder: whether it holds records.
fn decode(message: Message, body: &[u8]) -> Option<Result<bool, ReceiveError>> {
    // Some captured labels are not UTF-8, others no names.
    let partial = loki::DecodeOptions::new().with_partial(true).with_quoted_names(true);
    Some(match message {
        Message::RemoteWriteV1 => v1::WriteRequest::decode(body)
            .map(|request| !request.timeseries().is_empty() || !request.metadata().is_empty())
            .map_err(ReceiveError::from),
        Message::RemoteWriteV2 => v2::Request::decode(body)
            .map(|request| !request.timeseries().is_empty())
            .map_err(ReceiveError::from),
        Message::LokiPush => PushRequest::decode_with(body, &partial)
            .map(|request| !request.streams().is_empty() || !request.skipped().is_empty())
            .map_err(ReceiveError::from),
        Message::LokiPushJson | Message::LokiPushLegacyJson => {
            PushRequest::decode_json_with(body, &mut JsonScratch::new(), &partial)
                .map(|request| !request.streams().is_empty())
                .map_err(ReceiveError::from)
        }
        _ => return None,
    })
}

#[test]
fn every_body_under_every_wrong_decoder_is_named() {
    let mut seen = [0; MESSAGES.len()];
    for Fixture { name, content, body, .. } in fixtures::all() {
        seen[MESSAGES.iter().position(|message| message == content).unwrap()] += 1;
        assert_eq!(diagnose(body, *content), None, "{name}");
        if let Some(decoded) = decode(*content, body) {
            assert!(decoded.unwrap(), "{name} has records");
        }
        for wrong in MESSAGES.into_iter().filter(|wrong| !is_same(*wrong, *content)) {
            let Some(mistake) = diagnose(body, wrong) else {
                // A resource without anything is the same in logs, metrics and traces.
                assert_eq!((&name[..], wrong.protocol()), ("k6-otlp-001", Protocol::Otlp));
                continue;
            };
            assert_eq!(mistake.expected, wrong);
            match mistake.found {
                Found::Message(found) => assert!(is_same(found, *content), "{name}: {mistake}"),
                Found::Protocol(found) => {
                    assert_eq!((&name[..], found), ("k6-otlp-001", Protocol::Otlp));
                }
                found => panic!("{name}: {found:?}"),
            }
            // An error names the mistake, too; and one that is not about the content does not.
            if let Some(Err(error)) = decode(wrong, body) {
                let error = error.diagnosed(wrong, body);
                assert_eq!((error.status(), error.to_string()), (400, mistake.to_string()));
            }
            let error = ReceiveError::NotStored.diagnosed(wrong, body);
            assert_eq!(error.to_string(), "not stored");
        }
    }
    assert!(seen.iter().filter(|bodies| **bodies > 0).count() >= 9, "{seen:?}");
}

#[test]
fn a_body_that_is_still_compressed_is_named() {
    let mut seen = Vec::new();
    for fixture in fixtures::all() {
        let Fixture { name, content, sent, .. } = fixture;
        let Some(encoding) = fixture.golden().compression() else { continue };
        let mistake = diagnose(sent, *content).unwrap_or_else(|| panic!("{name}, {encoding}"));
        assert_eq!(mistake.found, Found::Compressed(encoding), "{name}");
        if !seen.contains(&encoding) {
            seen.push(encoding);
        }
    }
    assert_eq!(seen.len(), 5);
}

/// What is wrong in a body is not taken for another body.
#[test]
fn a_damaged_body_is_not_named() {
    for Fixture { name, content, body, .. } in fixtures::all() {
        let step = body.len().div_ceil(97);
        for place in (0..body.len()).step_by(step) {
            let cut = diagnose(&body[..place], *content);
            assert_eq!(cut, None, "{name} cut at {place}");
            let mut damaged = body.clone();
            damaged[place] ^= 0x10;
            if let Some(mistake) = diagnose(&damaged, *content) {
                panic!("{name} with a bit flipped at {place}: {mistake}");
            }
        }
    }
}

#[test]
fn each_version_of_remote_write_refuses_the_other() {
    let kind = |error: borrowire::DecodeError| (error.kind(), error.offset());
    let other = Err((DecodeErrorKind::OtherVersion, 0));
    for Fixture { name, body, .. } in fixtures::of("remote-write-v1") {
        assert_eq!(v2::Request::decode(body).map(drop).map_err(kind), other, "{name}");
        let partial = v2::DecodeOptions::new().with_partial(true);
        let result = v2::Request::decode_with(body, &partial);
        assert_eq!(result.map(drop).map_err(kind), other, "{name}");
        // Both in one are read as before: each finds its own.
        let both = [&body[..], b"\x22\x00\x2a\x04\x0a\x02\x00\x00"].concat();
        assert_eq!(v2::Request::decode(&both).unwrap().timeseries().len(), 1);
        assert!(v1::WriteRequest::decode(&both).is_ok());
    }
    for Fixture { name, body, .. } in fixtures::of("remote-write-v2") {
        assert_eq!(v1::WriteRequest::decode(body).map(drop).map_err(kind), other, "{name}");
        let partial = v1::DecodeOptions::new().with_partial(true);
        let result = v1::WriteRequest::decode_with(body, &partial);
        assert_eq!(result.map(drop).map_err(kind), other, "{name}");
    }
}

/// Nothing is lost with these, and some of them are what senders send.
#[test]
fn what_holds_no_record_of_the_other_version_is_read_as_before() {
    let metadata = v1::WriteRequestEncoder::new([])
        .with_metadata([v1::MetricMetadata::new(MetricType::COUNTER, "up")])
        .encode_to_vec()
        .unwrap();
    let of_v1 =
        |body: &[u8]| v1::WriteRequest::decode(body).map(|request| request.metadata().len());
    let of_v2 = |body: &[u8]| v2::Request::decode(body).map(|request| request.timeseries().len());
    assert_eq!(of_v1(&metadata), Ok(1));
    assert_eq!(of_v2(&metadata).unwrap_err().kind(), DecodeErrorKind::OtherVersion);
    for body in [
        &b""[..],
        b"\x22\x00\x22\x01a",         // symbols, and no series
        b"\xc2\x3e\x01a\xb8\x3e\x01", // fields of later versions
        b"\x10\x01",                  // a source
        b"\x28\x05\x08\x01\x18\x02",  // numbers where the other version has records
        b"\x32\x03abc\x3a\x00",       // fields that neither has
    ] {
        assert_eq!(of_v1(body), Ok(0), "{body:x?}");
        assert_eq!(of_v2(body), Ok(0), "{body:x?}");
    }
    // Fields with the number of the other version's records, and nothing in them that it has.
    assert_eq!(of_v1(b"\x2a\x03abc"), Ok(0));
    assert_eq!(of_v1(b"\x2a\x02\x78\x01"), Ok(0));
    assert_eq!(of_v2(b"\x0a\x03abc\x1a\x01a"), Ok(0));
    // Records that partial mode left out are records.
    let partial = v1::DecodeOptions::new().with_partial(true);
    let both = b"\x0a\x05\x0a\x03\x0a\x01\xff\x2a\x04\x0a\x02\x00\x00";
    let request = v1::WriteRequest::decode_with(both, &partial).unwrap();
    assert_eq!((request.timeseries().len(), request.skipped().len()), (0, 1));
}
