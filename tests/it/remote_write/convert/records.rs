//! Mimir's records: requests of 1.0 in the form of 2.0, with rules of their own for metadata.

use borrowire::Encode;
use borrowire::convert::remote_write::{ToV1, ToV2};
use borrowire::remote_write::v1::{MetricMetadata, WriteRequest};
use borrowire::remote_write::v2::{self, COMMON_SYMBOLS_END, Format, Request, Symbolizer};
use borrowire::remote_write::{Label, Metadata, MetricType, TimeSeries};

use super::{COUNTER, SUMMARY, entry, meta, named};
use crate::support::bytes::v2::refs;
use crate::support::bytes::{self, Bytes, sample};

const COMMON: v2::DecodeOptions = v2::DecodeOptions::new().with_format(Format::MimirRecord);

#[test]
fn a_record_has_all_entries() {
    let body = Bytes::new()
        .len(1, named("job").len(2, sample(1.0, 2)).len(4, Bytes::new().varint(1, 3)))
        .len(1, named("job").len(2, sample(1.0, 3)))
        .len(1, named("a_sum"))
        .len(3, entry(COUNTER, "job", "help"))
        .len(3, entry(COUNTER, "job", "other"))
        .len(3, entry(COUNTER, "job", "help"))
        .len(3, entry(SUMMARY, "a", "help"))
        .build();
    let request = WriteRequest::decode(&body).unwrap();
    let mut to_v2 = ToV2::new().with_format(Format::MimirRecord);
    let converted = to_v2.convert(&request, |loss| panic!("{loss}"));
    let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord);
    let record = converted.symbolize(&mut symbolizer).unwrap().encode_to_vec().unwrap();
    // 1 is __name__ and 19 is job in all records; 64 is where a record's own begin.
    let expected = bytes::v2::request(
        &["", "help", "a_sum", "other", "a"],
        &[
            refs(&[1, 19])
                .len(2, sample(1.0, 2))
                .len(3, Bytes::new().varint(1, 3))
                .len(5, meta(COUNTER, 65)),
            refs(&[1, 19]).len(2, sample(1.0, 3)).len(5, meta(COUNTER, 65)),
            refs(&[1, 66]).len(5, ""),
            refs(&[1, 19]).len(5, meta(COUNTER, 67)),
            refs(&[1, 68]).len(5, meta(SUMMARY, 65)),
        ],
    );
    assert_eq!(record, expected);

    let request = Request::decode_with(&record, &COMMON).unwrap();
    let mut to_v1 = ToV1::new();
    let back = to_v1.convert(&request, |loss| panic!("{loss}"));
    let counter = MetricMetadata::new(MetricType::COUNTER, "job");
    let entries = [
        counter.with_help("help"),
        counter.with_help("other"),
        MetricMetadata::new(MetricType::SUMMARY, "a").with_help("help"),
    ];
    assert_eq!(back.metadata(), entries);
    assert_eq!(back.timeseries().count(), 3, "without the carriers");
}

#[test]
fn a_record_keeps_names_that_look_like_suffixes() {
    let body = Bytes::new().len(3, entry(SUMMARY, "rpc_sum", "")).build();
    let request = WriteRequest::decode(&body).unwrap();
    let mut to_v2 = ToV2::new().with_format(Format::MimirRecord);
    let converted = to_v2.convert(&request, |loss| panic!("{loss}"));
    let carrier = converted.timeseries().next().unwrap();
    let labels = [Label::new("__name__", "rpc_sum")];
    let metadata = Metadata::new(MetricType::SUMMARY);
    assert_eq!(carrier, TimeSeries::new(&labels).with_metadata(metadata));

    let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord);
    let record = converted.symbolize(&mut symbolizer).unwrap().encode_to_vec().unwrap();
    let request = Request::decode_with(&record, &COMMON).unwrap();
    let mut to_v1 = ToV1::new();
    let back = to_v1.convert(&request, |loss| panic!("{loss}"));
    assert_eq!(back.encode_to_vec().unwrap(), body);
    drop(back);
    // The usual rules would take it for one of "rpc", and the series for one without samples.
    let usual = bytes::v2::request(
        &["", "__name__", "rpc_sum"],
        &[refs(&[1, 2]).len(5, Bytes::new().varint(1, SUMMARY))],
    );
    let usual = Request::decode(&usual).unwrap();
    let mut to_v1 = ToV1::new();
    let usual = to_v1.convert(&usual, |loss| panic!("{loss}"));
    assert_eq!(usual.metadata(), [MetricMetadata::new(MetricType::SUMMARY, "rpc")]);
    assert_eq!(usual.timeseries().count(), 1);
}

#[test]
fn only_series_of_a_name_alone_are_taken_for_carriers() {
    // The request's own symbols, "", "a" and "help", begin at `own`; 1 is __name__ in all records.
    let series = |own: u32| {
        let (a, help) = (own + 1, u64::from(own) + 2);
        [
            refs(&[1, a]).len(5, meta(COUNTER, help)),
            refs(&[1, a]),
            refs(&[1, a]).len(5, ""),
            refs(&[1, 0]).len(5, meta(COUNTER, help)),
            refs(&[a, a]).len(5, meta(COUNTER, help)),
            refs(&[1, a, a, own + 2]).len(5, meta(COUNTER, help)),
            refs(&[1, a]).len(5, meta(COUNTER, help)).len(2, ""),
            refs(&[1, a]).len(5, meta(COUNTER, help)).len(3, ""),
            refs(&[1, a]).len(5, meta(COUNTER, help)).len(4, ""),
            refs(&[1, a]).len(5, meta(COUNTER, help)).int(6, 1),
        ]
    };
    let mut to_v1 = ToV1::new();
    let mut count = |texts: &[&str], series: Bytes, options: &v2::DecodeOptions| {
        let body = bytes::v2::request(texts, &[series]);
        let request = Request::decode_with(&body, options).unwrap();
        to_v1.convert(&request, |_| {}).timeseries().count()
    };
    for (i, one) in series(1).into_iter().enumerate() {
        let usual = count(&["", "__name__", "a", "help"], one, &v2::DecodeOptions::new());
        assert_eq!(usual, 1, "{i}");
    }
    for (i, one) in series(COMMON_SYMBOLS_END).into_iter().enumerate() {
        assert_eq!(count(&["", "a", "help"], one, &COMMON), usize::from(i > 0), "{i}");
    }
}
