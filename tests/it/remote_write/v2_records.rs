//! Mimir's forms of 2.0: records with common symbols, and the message that both versions share.

use borrowire::DecodeErrorKind;
use borrowire::remote_write::v2::{
    COMMON_SYMBOLS, COMMON_SYMBOLS_END, DecodeOptions, Format, Request,
};
use borrowire::remote_write::{Label, RequestSource};
use prost::Message;

use crate::support::bytes::Bytes;
use crate::support::bytes::v2::{refs, request, symbols};
use crate::support::proto::mimirpb;

/// Options of Mimir's records of version 2.
const COMMON: DecodeOptions = DecodeOptions::new().with_format(Format::MimirRecord);

#[test]
fn common_symbols_stand_in_front_of_the_records_own() {
    let own = COMMON_SYMBOLS_END;
    let series = refs(&[1, own + 1, 19, own + 2, 0, own]);
    let body = request(&["", "up", "node"], std::slice::from_ref(&series));
    let decoded = Request::decode_with(&body, &COMMON).unwrap();
    let labels = [Label::new("__name__", "up"), Label::new("job", "node"), Label::new("", "")];
    assert_eq!(decoded.timeseries().get(0).unwrap().labels(), labels);
    assert_eq!(decoded.symbols().len(), 67);
    assert_eq!(decoded.symbols().get(own + 2), Some("node"));
    // All that have a text, with nothing of the record's own.
    let all: Vec<u32> = (0..COMMON_SYMBOLS.len() as u32).collect();
    let body = request(&[], &[refs(&all)]);
    let decoded = Request::decode_with(&body, &COMMON).unwrap();
    let labels = decoded.timeseries().get(0).unwrap().labels();
    assert!(labels.iter().flat_map(|label| [label.name, label.value]).eq(COMMON_SYMBOLS));
    // Without the option they mean something else.
    let error = Request::decode(&body).unwrap_err();
    assert_eq!(error.kind(), DecodeErrorKind::RefOutOfRange);
    // Behind the series.
    let body = Bytes::new().len(5, series).raw(symbols(&["", "up", "node"])).build();
    let decoded = Request::decode_with(&body, &COMMON).unwrap();
    assert_eq!(decoded.timeseries().get(0).unwrap().metric_name(), Some("up"));
}

#[test]
fn common_symbols_that_are_not_assigned_are_none() {
    for reference in 36..64 {
        for (series, element) in [
            (refs(&[1, reference]), None),
            (refs(&[reference, 1]), None),
            (Bytes::new().len(4, refs(&[1, reference])), Some(0)),
            (Bytes::new().len(5, Bytes::new().varint(3, reference.into())), None),
        ] {
            let body = request(&["", "own"], &[series, refs(&[1, 65])]);
            let error = Request::decode_with(&body, &COMMON).unwrap_err();
            assert_eq!(error.kind(), DecodeErrorKind::RefOutOfRange);
            let partial = Request::decode_with(&body, &COMMON.with_partial(true)).unwrap();
            let [skipped] = partial.skipped() else { panic!("{:?}", partial.skipped()) };
            assert_eq!((skipped.index, skipped.element), (0, element));
            assert_eq!(partial.timeseries().len(), 1 + usize::from(element.is_some()));
        }
    }
    let body = request(&["", "own"], &[refs(&[1, 66])]);
    assert!(Request::decode_with(&body, &COMMON).is_err());
}

#[test]
fn one_storage_with_and_without_common_symbols() {
    let own = COMMON_SYMBOLS_END;
    let of_mimir = request(&["", "up"], &[refs(&[1, own + 1])]);
    let plain = request(&["", "__name__", "up"], &[refs(&[1, 2])]);
    let mut decoded = Request::default();
    for _ in 0..3 {
        decoded.decode_into(&of_mimir, &COMMON).unwrap();
        assert_eq!(decoded.timeseries().get(0).unwrap().metric_name(), Some("up"));
        assert_eq!(decoded.symbols().len(), 66);
        decoded.decode_into(&plain, &DecodeOptions::new()).unwrap();
        assert_eq!(decoded.timeseries().get(0).unwrap().metric_name(), Some("up"));
        assert_eq!(decoded.symbols().len(), 3);
        decoded = decoded.recycle();
        assert!(decoded.symbols().is_empty());
    }
    // The cap is about the request's own.
    let limits = |max| COMMON.with_max_symbols(max);
    assert!(Request::decode_with(&of_mimir, &limits(2)).is_ok());
    let error = Request::decode_with(&of_mimir, &limits(1)).unwrap_err();
    assert_eq!((error.kind(), error.offset()), (DecodeErrorKind::LimitExceeded, 3));
}

#[test]
fn the_message_that_mimir_shares_between_the_versions() {
    let series = mimirpb::TimeSeriesRw2 {
        labels_refs: vec![1, 2],
        samples: vec![mimirpb::Sample { value: 1.0, timestamp_ms: 9 }],
        created_timestamp: 5,
        ..Default::default()
    };
    let request = mimirpb::WriteRequest {
        source: 1,
        symbols_rw2: ["", "__name__", "up"].map(String::from).into(),
        timeseries_rw2: vec![series],
        skip_label_validation: true,
        skip_label_count_validation: true,
        // What 1.0 has in it is passed over.
        timeseries: vec![mimirpb::TimeSeries::default()],
        metadata: vec![mimirpb::MetricMetadata::default()],
    };
    let body = request.encode_to_vec();
    let decoded = Request::decode(&body).unwrap();
    assert_eq!(decoded.timeseries().len(), 1);
    let series = decoded.timeseries().get(0).unwrap();
    assert_eq!(series.metric_name(), Some("up"));
    assert_eq!((series.created_timestamp(), series.start_timestamp(0)), (5, 5));
    let extensions = decoded.extensions();
    assert_eq!(extensions.source, RequestSource(1));
    assert!(extensions.skip_label_validation && extensions.skip_label_count_validation);
    assert!(decoded.has_unknown_fields(), "those of 1.0");

    let plain = mimirpb::WriteRequest { timeseries: vec![], metadata: vec![], ..request };
    let body = plain.encode_to_vec();
    assert!(!Request::decode(&body).unwrap().has_unknown_fields());
}
