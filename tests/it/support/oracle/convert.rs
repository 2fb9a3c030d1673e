//! Conversions between the versions, held against a plain model of their rules, and against what comes
//! back from the other version: what was not reported is still there, what was reported is not.

use borrowire::Encode;
use borrowire::convert::remote_write::{Loss, ToV1, ToV2, family_name};
use borrowire::remote_write::v1::{self, MetricMetadata, WriteRequest};
use borrowire::remote_write::v2::{self, Format, Request, Symbolizer};
use borrowire::remote_write::{Extensions, Label, Metadata, RequestSource, TimeSeries};

use super::remote_write_v1::RemoteWriteV1;
use super::remote_write_v2::RemoteWriteV2;
use super::{Subject, check_slices};

/// Converters that were used before, for whatever came first: in the usual form, and for Mimir's records.
pub struct Used {
    to_v1: ToV1,
    to_v2: [ToV2; 2],
    symbolizers: [Symbolizer; 2],
}

const FORMATS: [Format; 2] = [Format::Standard, Format::MimirRecord];

impl Default for Used {
    fn default() -> Self {
        Self {
            to_v1: ToV1::new(),
            to_v2: FORMATS.map(|format| ToV2::new().with_format(format)),
            symbolizers: FORMATS.map(|format| Symbolizer::new().with_format(format)),
        }
    }
}

const SOME: Extensions =
    Extensions::new().with_source(RequestSource::RULE).with_skip_label_validation(true);
const ALL_OF_1: v1::EncodeOptions =
    v1::EncodeOptions::new().with_extensions(SOME).with_start_timestamps(true);
const ALL_OF_2: v2::EncodeOptions =
    v2::EncodeOptions::new().with_extensions(SOME).with_created_timestamps(true);

/// Converts `request` in every way.
pub fn from_v1(request: &WriteRequest<'_>, used: &mut Used) {
    for format in FORMATS {
        for options in [v2::EncodeOptions::new(), ALL_OF_2] {
            check_from_v1(request, format, options, used);
        }
    }
}

/// Converts `request`, of either format, in every way; and its series as a record of Mimir's.
pub fn from_v2(request: &Request<'_>, used: &mut Used) {
    let as_record = v2::EncodeOptions::new().with_extensions(request.extensions());
    let as_record = as_record.with_created_timestamps(true);
    let record = used.symbolizers[1].symbolize_with(request.timeseries(), &as_record);
    let mut record = record.expect("there is no cap").encode_to_vec().expect("not too large");
    if request.has_unknown_fields() {
        record.extend_from_slice(UNKNOWN_FIELD);
    }
    let options = v2::DecodeOptions::new().with_format(Format::MimirRecord);
    let record = Request::decode_with(&record, &options).expect("it was just written");
    for request in [request, &record] {
        for options in [v1::EncodeOptions::new(), ALL_OF_1] {
            check_from_v2(request, options, used);
        }
    }
}

/// Number 99, a varint.
const UNKNOWN_FIELD: &[u8] = &[0x98, 0x06, 0x01];

/// How the parts of a series compare: start timestamps each in its place, by their effect, or not at all.
#[derive(Clone, Copy, PartialEq)]
enum Starts {
    Same,
    Effect,
    Gone,
}

#[track_caller]
fn assert_same(found: &TimeSeries<'_, '_>, expected: &TimeSeries<'_, '_>, starts: Starts) {
    let start = |series: &TimeSeries<'_, '_>, own| match starts {
        Starts::Same => own,
        Starts::Effect => series.start_timestamp(own),
        Starts::Gone => 0,
    };
    let samples = |series: &TimeSeries<'_, '_>| -> Vec<_> {
        let samples = series.samples().iter();
        samples.map(|s| s.with_start_timestamp(start(series, s.start_timestamp))).collect()
    };
    assert_eq!(found.labels(), expected.labels());
    assert_eq!(samples(found), samples(expected));
    assert!(found.exemplars().iter().eq(expected.exemplars()));
    assert_eq!(found.histograms().len(), expected.histograms().len());
    for (mut a, mut b) in found.histograms().iter().zip(expected.histograms()) {
        a.start_timestamp = start(found, a.start_timestamp);
        b.start_timestamp = start(expected, b.start_timestamp);
        assert_eq!(a, b);
    }
    match starts {
        Starts::Same => assert_eq!(found.created_timestamp(), expected.created_timestamp()),
        Starts::Effect | Starts::Gone => assert_eq!(found.created_timestamp(), 0),
    }
}

/// Checks all lengths of slices where that does not take long.
fn check_small(message: &impl Encode, encoded: &[u8]) {
    assert_eq!(message.encoded_len(), encoded.len());
    if encoded.len() < 4096 {
        check_slices(message, encoded);
    }
}

fn content<'a>(entry: &MetricMetadata<'a>) -> Metadata<'a> {
    Metadata::new(entry.metric_type).with_help(entry.help).with_unit(entry.unit)
}

/// Whether a series looks as if it only carried metadata, but for its `created_timestamp`.
fn is_bare(series: &TimeSeries<'_, '_>) -> bool {
    series.samples().is_empty()
        && series.histograms().is_empty()
        && series.exemplars().is_empty()
        && matches!(series.labels(), [only] if only.name == "__name__" && !only.value.is_empty())
}

/// The name that metadata goes by: in records of Mimir the last one.
fn metric_name<'a>(series: &TimeSeries<'_, 'a>, records: bool) -> &'a str {
    let mut names = series.labels().iter().filter(|label| label.name == "__name__");
    let name = if records { names.next_back() } else { names.next() };
    name.map_or("", |label| label.value)
}

/// The series that 2.0 needs for one of 1.0.
fn parts<'s, 'a>(series: TimeSeries<'s, 'a>, records: bool) -> Vec<TimeSeries<'s, 'a>> {
    if records || series.samples().is_empty() || series.histograms().is_empty() {
        return vec![series];
    }
    vec![series.with_histograms(&[]), series.with_samples(&[]).with_exemplars(&[])]
}

fn check_from_v1(
    request: &WriteRequest<'_>,
    format: Format,
    options: v2::EncodeOptions,
    used: &mut Used,
) {
    let records = format == Format::MimirRecord;
    let way = usize::from(records);
    let mut losses = Vec::new();
    let mut converted = used.to_v2[way].convert_with(request, options, |loss| losses.push(loss));

    // The model: every series looks at every entry.
    let mut expected = Vec::new();
    if request.has_unknown_fields() {
        expected.push(Loss::UnknownFields);
    }
    let entries: Vec<_> = request.metadata().iter().collect();
    let (mut first, mut waiting) = (Vec::new(), Vec::new());
    for (metadata, entry) in entries.iter().enumerate() {
        let same_name = |other: &&usize| {
            let other: &MetricMetadata<'_> = &entries[**other];
            other.metric_family_name == entry.metric_family_name
        };
        let says_nothing = if entry.metric_family_name.is_empty() {
            expected.push(Loss::MetadataWithoutName { metadata });
            true
        } else if content(entry) == Metadata::default() {
            expected.push(Loss::EmptyMetadata { metadata });
            true
        } else {
            false
        };
        // A record has all the same, and all there is if there are no series.
        if records && request.timeseries().is_empty() {
            waiting.push(metadata);
        } else if says_nothing && !records {
        } else if let Some(&before) = first.iter().find(same_name) {
            if entries[before] == *entry {
            } else if records {
                waiting.push(metadata);
            } else {
                expected.push(Loss::ConflictingMetadata { metadata });
            }
        } else {
            first.push(metadata);
            waiting.push(metadata);
        }
    }
    let mut views = converted.timeseries();
    let mut back_series = Vec::new();
    for (position, series) in request.timeseries().iter().enumerate() {
        let is_empty = series.samples().is_empty() && series.histograms().is_empty();
        if !options.created_timestamps && series.created_timestamp() != 0 && is_empty {
            expected.push(Loss::StartTimestamp { series: position });
        }
        let name = metric_name(&series, records);
        let belongs = |&&entry: &&usize| {
            let MetricMetadata { metric_type, metric_family_name, .. } = entries[entry];
            let family = if records { name } else { family_name(name, metric_type) };
            family == metric_family_name
        };
        let families: Vec<usize> = first.iter().filter(belongs).copied().collect();
        let whole = families.iter().find(|&&entry| entries[entry].metric_family_name == name);
        let entry = whole.or(families.first()).copied();
        waiting.retain(|&waiting| Some(waiting) != entry);
        for part in parts(series, records) {
            let view = views.next().expect("a series for each part");
            assert_same(&view, &part, Starts::Same);
            let metadata = entry.map(|entry| content(&entries[entry]));
            let written = if records { Some(metadata.unwrap_or_default()) } else { metadata };
            assert_eq!(view.metadata(), written);
            let says_something = metadata.unwrap_or_default() != Metadata::default();
            let keeps_created = options.created_timestamps && part.created_timestamp() != 0;
            if !(records && is_bare(&part) && !keeps_created && says_something) {
                back_series.push(part);
            }
        }
    }
    for &metadata in &waiting {
        if records {
            let carrier = views.next().expect("a series for each entry that is left");
            let entry = &entries[metadata];
            let labels = [Label::new("__name__", entry.metric_family_name)];
            assert_same(&carrier, &TimeSeries::new(&labels), Starts::Same);
            assert_eq!(carrier.metadata(), Some(content(entry)));
            if entry.metric_family_name.is_empty() || content(entry) == Metadata::default() {
                back_series.push(carrier);
            }
        } else {
            expected.push(Loss::MetadataWithoutSeries { metadata });
        }
    }
    assert!(views.next().is_none());
    assert_eq!(losses, expected);

    let symbolized = converted.symbolize(&mut used.symbolizers[way]).expect("there is no cap");
    let encoded = symbolized.encode_to_vec().expect("not too large");
    check_small(&symbolized, &encoded);
    drop(symbolized);
    let decode_options = v2::DecodeOptions::new().with_format(format);
    let decoded = Request::decode_with(&encoded, &decode_options).expect("it was just written");
    assert!(!decoded.has_unknown_fields());
    assert_eq!(decoded.extensions(), options.extensions);
    let starts = if options.created_timestamps { Starts::Same } else { Starts::Effect };
    assert_eq!(decoded.timeseries().len(), converted.timeseries().count());
    for (found, view) in decoded.timeseries().iter().zip(converted.timeseries()) {
        assert_same(&found, &view, starts);
        assert_eq!(found.metadata(), view.metadata());
    }

    // And back: all is there but what was reported.
    let back = used.to_v1.convert_with(&decoded, ALL_OF_1, |loss| {
        let nameless = matches!(loss, Loss::SeriesMetadataWithoutName { .. });
        assert!(records && nameless, "{loss}");
    });
    let mut back_views = back.timeseries();
    for series in &back_series {
        assert_same(&back_views.next().expect("a series for each"), series, starts);
    }
    assert!(back_views.next().is_none());
    let is_lost = |metadata: usize| {
        use Loss::{
            ConflictingMetadata, EmptyMetadata, MetadataWithoutName, MetadataWithoutSeries,
        };
        losses.contains(&MetadataWithoutName { metadata })
            || losses.contains(&EmptyMetadata { metadata })
            || losses.contains(&ConflictingMetadata { metadata })
            || losses.contains(&MetadataWithoutSeries { metadata })
    };
    for entry in &entries {
        // What repeats an entry shares its fate.
        let first = entries.iter().position(|other| other == entry).expect("it is there");
        assert_eq!(back.metadata().contains(entry), !is_lost(first));
    }
    for entry in back.metadata() {
        assert!(entries.contains(entry), "nothing is made up");
    }

    // What is made along with the bytes is what would be decoded from them.
    let made = converted.request(&mut used.symbolizers[way]).expect("there is no cap");
    assert_eq!(made.body(), encoded);
    RemoteWriteV2::assert_same_content(&made, &decoded);
    RemoteWriteV2::assert_same_rest(&made, &decoded);
    assert_eq!(RemoteWriteV2::raws(&made), RemoteWriteV2::raws(&decoded));
}

fn check_from_v2(request: &Request<'_>, options: v1::EncodeOptions, used: &mut Used) {
    let records = request.format() == Format::MimirRecord;
    let mut losses = Vec::new();
    let mut converted = used.to_v1.convert_with(request, options, |loss| losses.push(loss));

    let mut expected = Vec::new();
    if request.has_unknown_fields() {
        expected.push(Loss::UnknownFields);
    }
    let mut entries: Vec<MetricMetadata<'_>> = Vec::new();
    let mut views = converted.timeseries();
    for (position, series) in request.timeseries().iter().enumerate() {
        let own = |start: i64| series.start_timestamp(start) != 0;
        let has_start = series.created_timestamp() != 0
            || series.samples().iter().any(|sample| own(sample.start_timestamp))
            || series.histograms().iter().any(|histogram| own(histogram.start_timestamp));
        if has_start && !options.start_timestamps {
            expected.push(Loss::StartTimestamp { series: position });
        }
        let metadata = series.metadata().filter(|metadata| *metadata != Metadata::default());
        let is_carrier = is_bare(&series) && series.created_timestamp() == 0 && metadata.is_some();
        if !(records && is_carrier) {
            let view = views.next().expect("a series for each");
            assert_same(&view, &series, Starts::Same);
            assert_eq!(view.metadata(), None);
        }
        let Some(metadata) = metadata else { continue };
        let name = metric_name(&series, records);
        if name.is_empty() {
            expected.push(Loss::SeriesMetadataWithoutName { series: position });
            continue;
        }
        let family = if records { name } else { family_name(name, metadata.metric_type) };
        let entry = MetricMetadata::new(metadata.metric_type, family)
            .with_help(metadata.help)
            .with_unit(metadata.unit);
        match entries.iter().find(|entry| entry.metric_family_name == family) {
            Some(first) if *first == entry => {}
            Some(_) if !records => {
                expected.push(Loss::ConflictingSeriesMetadata { series: position });
            }
            _ => entries.push(entry),
        }
    }
    assert!(views.next().is_none());
    assert_eq!(losses, expected);
    // Definitions that repeat each other in a record may be there once or more.
    let mut found = converted.metadata().to_vec();
    if records {
        found.dedup();
        entries.dedup();
    }
    assert_eq!(found, entries);

    let encoded = converted.encode_to_vec().expect("not too large");
    check_small(&converted, &encoded);
    let decoded = WriteRequest::decode(&encoded).expect("it was just written");
    assert!(!decoded.has_unknown_fields());
    assert_eq!(decoded.extensions(), options.extensions);
    assert!(decoded.metadata().iter().eq(converted.metadata().iter().copied()));
    // What is made along with the bytes is what would be decoded from them.
    let made = converted.request().expect("not too large");
    assert_eq!(made.body(), encoded);
    RemoteWriteV1::assert_same_content(&made, &decoded);
    assert_eq!(RemoteWriteV1::raws(&made), RemoteWriteV1::raws(&decoded));
    drop(made);
    let starts = if options.start_timestamps { Starts::Same } else { Starts::Gone };
    assert_eq!(decoded.timeseries().len(), converted.timeseries().count());
    for (found, view) in decoded.timeseries().iter().zip(converted.timeseries()) {
        assert_same(&found, &view, starts);
    }
}
