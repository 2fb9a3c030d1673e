//! Remote write 2.0 written from series: symbols, exact lengths, field order, and what becomes of start
//! timestamps.

use borrowire::proto::prometheus_v2 as proto;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{
    BadRef, COMMON_SYMBOLS, DecodeOptions, EncodeOptions, Format, Request, Symbolizer,
    TooManySymbols,
};
use borrowire::remote_write::{
    Exemplar, Extensions, Histogram, Label, Metadata, MetricType, RequestSource, Sample, TimeSeries,
};
use borrowire::{DecodeErrorKind, Encode};
use proptest::prelude::*;
use prost::Message;

use crate::support::generate;

/// Encodes in all ways, and checks lengths and what lies behind the message.
fn encode<'s, 'a: 's>(
    symbolizer: &mut Symbolizer,
    series: &'s [TimeSeries<'s, 'a>],
    options: &EncodeOptions,
) -> Vec<u8> {
    let request = symbolizer.symbolize_with(series.iter().copied(), options).unwrap();
    let len = request.encoded_len();
    let mut out = vec![0xaa; len + 3];
    assert_eq!(request.encode(&mut out), Ok(len));
    assert_eq!(out[len..], [0xaa; 3]);
    for short in (0..len).rev().take(40) {
        let error = request.encode(&mut vec![0; short]).unwrap_err();
        assert_eq!((error.needed(), error.capacity()), (len, short));
    }
    out.truncate(len);
    out
}

fn plain(series: &[TimeSeries<'_, '_>]) -> Vec<u8> {
    encode(&mut Symbolizer::new(), series, &EncodeOptions::new())
}

/// Field numbers of the message, which must ascend in all that is written.
fn field_numbers(message: &[u8]) -> Vec<u32> {
    let mut reader = borrowire::wire::Reader::new(message).unwrap();
    let mut numbers = Vec::new();
    while let Some(tag) = reader.next_tag().unwrap() {
        numbers.push(tag.field_number());
        reader.skip_field(tag).unwrap();
    }
    numbers
}

proptest! {
    #[test]
    fn series_are_read_as_they_were(generated in generate::remote_write_v1::request()) {
        let body = generated.encode_to_vec();
        let source = WriteRequest::decode(&body).unwrap();
        let series: Vec<_> = source.timeseries().iter().collect();
        let mut symbolizer = Symbolizer::new();
        let written = encode(&mut symbolizer, &series, &EncodeOptions::new());

        let request = Request::decode(&written).unwrap();
        prop_assert!(request.timeseries().iter().eq(series.iter().copied()));
        prop_assert!(!request.has_unknown_fields());
        prop_assert!(field_numbers(&written).is_sorted());
        for index in 0..series.len() {
            let raw = request.raw_timeseries(index).unwrap();
            let content = &raw[raw.len() - series_len(raw)..];
            prop_assert!(field_numbers(content).is_sorted());
        }

        // prost reads the same, and every symbol is used and there once.
        let read = proto::Request::decode(&written[..]).unwrap();
        prop_assert_eq!(read.timeseries.len(), series.len());
        let mut used = vec![false; read.symbols.len()];
        for (read, series) in read.timeseries.iter().zip(&series) {
            for (refs, label) in read.labels_refs.chunks(2).zip(series.labels()) {
                prop_assert_eq!(&read_symbol(&written, refs[0]), label.name);
                prop_assert_eq!(&read_symbol(&written, refs[1]), label.value);
            }
            let exemplars = read.exemplars.iter().flat_map(|exemplar| &exemplar.labels_refs);
            read.labels_refs.iter().chain(exemplars).for_each(|&at| used[at as usize] = true);
        }
        prop_assert!(used.iter().skip(1).all(|used| *used));
        let mut sorted = read.symbols.clone();
        sorted.sort();
        sorted.dedup();
        prop_assert_eq!(sorted.len(), read.symbols.len());

        // A used symbolizer writes the same as a new one.
        let again = encode(&mut symbolizer, &series, &EncodeOptions::new());
        prop_assert_eq!(again, written);
    }
}

fn read_symbol(body: &[u8], reference: u32) -> String {
    proto::Request::decode(body).unwrap().symbols[reference as usize].clone()
}

/// Bytes of the message in a record: what is left behind its tag and length.
fn series_len(record: &[u8]) -> usize {
    let mut reader = borrowire::wire::Reader::new(record).unwrap();
    reader.next_tag().unwrap();
    reader.read_bytes().unwrap().len()
}

#[test]
fn golden_bytes() {
    let labels = [Label::new("__name__", "m"), Label::new("a", "")];
    let trace = [Label::new("trace", "m")];
    let samples = [Sample::new(1.5, 7).with_start_timestamp(3)];
    let exemplars = [Exemplar::new(&trace, 0.0, 9)];
    let histograms = [Histogram::default()];
    let series = TimeSeries::new(&labels)
        .with_samples(&samples)
        .with_exemplars(&exemplars)
        .with_histograms(&histograms)
        .with_metadata(Metadata::new(MetricType::GAUGE).with_help("h").with_unit("a"));
    let expected = b"\x22\0\x22\x08__name__\x22\x01m\x22\x01a\x22\x05trace\x22\x01h\x2a\x27\
        \x0a\x04\x01\x02\x03\0\x12\x0d\x09\0\0\0\0\0\0\xf8\x3f\x10\x07\x18\x03\x1a\0\
        \x22\x06\x0a\x02\x04\x02\x18\x09\x2a\x06\x08\x02\x18\x05\x20\x03";
    assert_eq!(plain(&[series]), expected);
    // Metadata that is there but empty is written, absent metadata is not.
    let empty = TimeSeries::new(&[]).with_metadata(Metadata::default());
    assert_eq!(plain(&[empty, TimeSeries::new(&[])]), b"\x22\0\x2a\x02\x2a\0\x2a\0");
    assert_eq!(plain(&[]), b"\x22\0");
}

#[test]
fn references_of_every_length() {
    let names: Vec<String> = (0..40_000).map(|i| format!("label_{i}")).collect();
    let labels: Vec<_> = names.iter().map(|name| [Label::new(name, "v")]).collect();
    let series: Vec<_> = labels.iter().map(|labels| TimeSeries::new(labels)).collect();
    let mut symbolizer = Symbolizer::new();
    let request = symbolizer.symbolize(series.iter().copied()).unwrap();
    let written = request.encode_to_vec().unwrap();
    assert_eq!(written.len(), request.encoded_len());
    let read = Request::decode(&written).unwrap();
    assert!(read.timeseries().iter().eq(series.iter().copied()));
    // the last one takes three bytes
    assert_eq!(read.refs(39_999).unwrap().labels().collect::<Vec<_>>(), [40_001, 2]);
}

#[test]
fn the_cap_tells_what_still_fits() {
    let names: Vec<String> = (0..10).map(|i| format!("n{i}")).collect();
    let labels: Vec<_> = names.iter().map(|name| [Label::new(name, "v")]).collect();
    let series: Vec<_> = labels.iter().map(|labels| TimeSeries::new(labels)).collect();
    // "", "v" and ten names
    let mut symbolizer = Symbolizer::new().with_max_symbols(12);
    assert_eq!(symbolizer.symbolize(series.iter().copied()).unwrap().symbols().len(), 12);
    let mut symbolizer = Symbolizer::new().with_max_symbols(7);
    let error = symbolizer.symbolize(series.iter().copied()).unwrap_err();
    assert_eq!((error.series, error.max), (5, 7));
    assert_eq!(error.to_string(), "series 5 needs more than 7 symbols");
    // What fits is a request, and nothing of the failed one is left.
    let request = symbolizer.symbolize(series[..error.series].iter().copied()).unwrap();
    assert_eq!(request.symbols().len(), 7);
    drop(request);
    let request = symbolizer.symbolize(series[7..].iter().copied()).unwrap();
    assert_eq!(request.symbols(), ["", "n7", "v", "n8", "n9"]);
}

#[test]
fn the_cap_counts_texts_of_exemplars_and_metadata() {
    let trace = [Label::new("t", "u")];
    let exemplars = [Exemplar::new(&trace, 1.0, 1)];
    let metadata = Metadata::new(MetricType::GAUGE).with_help("h").with_unit("s");
    let series = TimeSeries::new(&[]).with_exemplars(&exemplars).with_metadata(metadata);
    for max in 1..5 {
        let mut symbolizer = Symbolizer::new().with_max_symbols(max);
        let error: TooManySymbols = symbolizer.symbolize([series]).unwrap_err();
        assert_eq!((error.series, error.max), (0, max));
    }
    assert!(Symbolizer::new().with_max_symbols(5).symbolize([series]).is_ok());
}

#[test]
fn small_requests_do_not_pay_for_a_huge_one_before_them() {
    let names: Vec<String> = (0..200_000).map(|i| i.to_string()).collect();
    let labels: Vec<_> = names.iter().map(|name| Label::new(name, "")).collect();
    let mut symbolizer = Symbolizer::new();
    let huge = [TimeSeries::new(&labels)];
    assert_eq!(symbolizer.symbolize(huge).unwrap().symbols().len(), 200_001);
    let table = 200_000 * size_of::<u32>();
    let before = symbolizer.capacity_bytes();
    // The huge one's table is still there for another, and goes after a small one.
    drop(symbolizer.symbolize(huge).unwrap());
    assert_eq!(symbolizer.capacity_bytes(), before);
    drop(symbolizer.symbolize([TimeSeries::new(&labels[..3])]).unwrap());
    assert!(symbolizer.capacity_bytes() + table < before);
    assert_eq!(symbolizer.symbolize([TimeSeries::new(&labels[..3])]).unwrap().symbols().len(), 4);
}

#[test]
fn texts_need_not_outlive_the_request() {
    let mut symbolizer = Symbolizer::new();
    for round in 0..3 {
        let value = format!("value {round}");
        let labels = [Label::new("__name__", &value)];
        let request = symbolizer.symbolize([TimeSeries::new(&labels)]).unwrap();
        assert_eq!(request.symbols(), ["", "__name__", &value]);
    }
}

#[test]
fn start_timestamps_go_where_readers_look() {
    let samples = [Sample::new(1.0, 10), Sample::new(2.0, 20).with_start_timestamp(6)];
    let mut histograms = [Histogram::default(); 2];
    histograms[1].start_timestamp = -6;
    let series = TimeSeries::new(&[])
        .with_samples(&samples)
        .with_histograms(&histograms)
        .with_created_timestamp(5);

    // The new place: a sample's own wins.
    let written = plain(&[series]);
    let request = Request::decode(&written).unwrap();
    let read = request.timeseries().get(0).unwrap();
    assert_eq!(read.created_timestamp(), 0);
    assert_eq!(read.samples().iter().map(|s| s.start_timestamp).collect::<Vec<_>>(), [5, 6]);
    let starts: Vec<_> = read.histograms().iter().map(|h| h.start_timestamp).collect();
    assert_eq!(starts, [5, -6]);

    // The old place, on demand.
    let options = EncodeOptions::new().with_created_timestamps(true);
    let written = encode(&mut Symbolizer::new(), &[series], &options);
    let request = Request::decode(&written).unwrap();
    assert_eq!(request.timeseries().get(0), Some(series));
    // Both ways tell the same.
    for (old, new) in series.samples().iter().zip(read.samples()) {
        assert_eq!(series.start_timestamp(old.start_timestamp), new.start_timestamp);
    }
}

#[test]
fn the_fields_of_cortex_and_mimir_are_written_on_demand() {
    let extensions = Extensions::new()
        .with_source(RequestSource::RULE)
        .with_skip_label_validation(true)
        .with_skip_label_count_validation(true);
    let options = EncodeOptions::new().with_extensions(extensions);
    let written = encode(&mut Symbolizer::new(), &[TimeSeries::new(&[])], &options);
    assert_eq!(written, b"\x10\x01\x22\0\x2a\0\xc0\x3e\x01\xc8\x3e\x01");
    assert_eq!(Request::decode(&written).unwrap().extensions(), extensions);
    let mimir = crate::support::proto::mimirpb::WriteRequest::decode(&written[..]).unwrap();
    assert_eq!((mimir.source, mimir.timeseries_rw2.len()), (1, 1));
    assert!(mimir.skip_label_validation && mimir.skip_label_count_validation);
}

#[test]
fn common_symbols_are_not_spelled_out() {
    let labels = [
        Label::new("__name__", "up"),
        Label::new("job", "default/kubernetes"),
        Label::new("x", ""),
    ];
    let series = [TimeSeries::new(&labels)
        .with_metadata(Metadata::new(MetricType::GAUGE).with_help("grafana").with_unit("up"))];
    let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord);
    for _ in 0..2 {
        let written = encode(&mut symbolizer, &series, &EncodeOptions::new());
        // own symbols: "", which is not used, then from 65 on
        let expected = b"\x22\0\x22\x02up\x22\x01x\
            \x2a\x10\x0a\x06\x01\x41\x13\x23\x42\0\x2a\x06\x08\x02\x18\x08\x20\x41";
        assert_eq!(written, expected);
        let options = DecodeOptions::new().with_format(Format::MimirRecord);
        let request = Request::decode_with(&written, &options).unwrap();
        assert!(request.timeseries().iter().eq(series));
        // Read without them, the references are not there.
        let error = Request::decode(&written).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::RefOutOfRange);
        assert_eq!(BadRef::find(&written, &error).unwrap().reference, Some(65));
    }
    // The cap is about a request's own symbols.
    let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord).with_max_symbols(3);
    assert!(symbolizer.symbolize(series).is_ok());
    let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord).with_max_symbols(2);
    assert!(symbolizer.symbolize(series).is_err());
    // All of them are found.
    let labels: Vec<_> = COMMON_SYMBOLS.iter().map(|text| Label::new(text, text)).collect();
    let mut symbolizer = Symbolizer::new().with_format(Format::MimirRecord);
    assert_eq!(symbolizer.symbolize([TimeSeries::new(&labels)]).unwrap().symbols(), [""]);
}

#[test]
fn an_empty_text_is_reference_0() {
    let labels = [Label::new("", ""), Label::new("a", ""), Label::new("", "a")];
    let written = plain(&[TimeSeries::new(&labels), TimeSeries::new(&labels)]);
    let request = Request::decode(&written).unwrap();
    for index in 0..2 {
        let refs: Vec<_> = request.refs(index).unwrap().labels().collect();
        assert_eq!(refs, [0, 0, 1, 0, 0, 1]);
    }
}
