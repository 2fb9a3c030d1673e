//! Records: whatever is in one is read or refused, as its parts are by themselves; what is read is written
//! again, and nothing is lost or made up.

use borrowire::convert::remote_write::RequestV1;
use borrowire::kafka::{
    Header, LokiReader, LokiWriter, MimirReader, MimirRequest, MimirVersion, MimirWriter, Records,
};
use borrowire::remote_write::TimeSeries;
use borrowire::remote_write::v1::WriteRequest;
use borrowire::remote_write::v2::{DecodeOptions, Format, Request};

/// Readers and memory that were used before, for whatever came first.
#[derive(Default)]
pub struct Used {
    mimir: MimirReader,
    again: MimirReader,
    loki: LokiReader,
    memory: Vec<u8>,
}

const VERSIONS: [MimirVersion; 3] = [MimirVersion::V0, MimirVersion::V1, MimirVersion::V2];

/// The first bytes say how long a value may be, and which part of the others is key, and which the header.
pub fn check(bytes: &[u8], used: &mut Used) {
    let Some((&[max, key, header], rest)) = bytes.split_first_chunk() else { return };
    let max = usize::from(max) * 4;
    let (key, rest) = rest.split_at(usize::from(key % 4).min(rest.len()));
    let (header, value) = rest.split_at(usize::from(header % 8).min(rest.len()));
    read(key, header, value, used);
    for version in VERSIONS {
        read(b"t", version.headers().first().map_or(&[], |header| header.value), value, used);
    }
    if let Ok(request) = WriteRequest::decode(value) {
        for version in VERSIONS {
            for raw in [true, false] {
                let mut writer =
                    MimirWriter::new(version).with_max_value_bytes(max).with_raw_records(raw);
                let records = writer.encode("t", &request, &mut used.memory).expect("small");
                check_mimir(&records, &request, max, version, &mut used.again);
                // A partition has what it has, wherever the others go.
                let spread = writer.prepare(&request);
                let spread = spread.encode_by_position("t", &mut used.memory, |at| at as u32 % 3);
                let spread = spread.expect("small");
                assert!(spread.iter().is_sorted_by_key(|record| record.partition));
            }
        }
    }
    check_loki(key, value, max, used);
}

/// Reads a record, which goes well when its parts are well.
fn read(key: &[u8], header: &[u8], value: &[u8], used: &mut Used) {
    let headers = [Header { key: "Version", value: header }];
    let record = used.mimir.read(key, headers, value);
    let version = header.first_chunk().map(|bytes| u32::from_be_bytes(*bytes));
    let of_2 = DecodeOptions::new().with_format(Format::MimirRecord);
    let value = match version {
        Some(0 | 1) => WriteRequest::decode(value).map(|request| request.timeseries().len()),
        Some(2) => Request::decode_with(value, &of_2).map(|request| request.timeseries().len()),
        _ => return assert!(record.is_err()),
    };
    match (str::from_utf8(key), value) {
        (Ok(tenant), Ok(series)) => {
            let record = record.expect("its parts are well");
            assert_eq!((record.tenant, record.timeseries().len()), (tenant, series));
        }
        _ => assert!(record.is_err()),
    }
}

/// Compares what a reader sees, which 2.0 may write in another order of fields.
fn same_series(one: &TimeSeries<'_, '_>, other: &TimeSeries<'_, '_>) -> bool {
    one.labels() == other.labels()
        && one
            .samples()
            .iter()
            .map(|it| it.timestamp)
            .eq(other.samples().iter().map(|it| it.timestamp))
        && one.samples().len() == other.samples().len()
        && one.exemplars().len() == other.exemplars().len()
        && one.histograms().len() == other.histograms().len()
        && one.created_timestamp() == other.created_timestamp()
}

fn check_mimir(
    records: &Records<'_>,
    request: &WriteRequest<'_>,
    max: usize,
    version: MimirVersion,
    reader: &mut MimirReader,
) {
    let mut expected = request.timeseries().iter();
    let mut carried = 0;
    for record in records.iter() {
        let headers = record.headers.iter().copied();
        let read = reader.read(record.key, headers, record.value).expect("it was just written");
        assert_eq!((read.tenant, read.version), ("t", version));
        let (series, metadata) = match &read.request {
            MimirRequest::V1(request) => (request.series_len(), request.metadata_len()),
            MimirRequest::V2(request) => (request.timeseries().len(), 0),
            _ => unreachable!("there are two"),
        };
        // Tag and length of the last record may be over the limit, but in version 2.
        let slack = if version == MimirVersion::V2 { 0 } else { 6 };
        assert!(record.value.len() <= max + slack || series + metadata <= 1, "{version:?}");
        assert!(version != MimirVersion::V2 || series > 0, "nobody could read it");
        for series in read.timeseries() {
            match expected.next() {
                Some(sent) => assert!(same_series(&series, &sent)),
                None => {
                    assert!(version == MimirVersion::V2 && series.labels().len() == 1);
                    carried += 1;
                }
            }
        }
    }
    assert!(expected.next().is_none());
    assert!(carried <= request.metadata().len());
}

fn check_loki(key: &[u8], value: &[u8], max: usize, used: &mut Used) {
    let Ok(record) = used.loki.read(key, value) else { return };
    let stream = record.stream().expect("partial mode is off");
    let mut writer = LokiWriter::new().with_max_value_bytes(max);
    let Ok(records) = writer.encode(record.tenant, [stream], &mut used.memory) else { return };
    let mut entries = stream.entries().iter();
    let mut again = LokiReader::new();
    for part in records {
        let read = again.read(part.key, part.value).expect("it was just written");
        let read = read.stream().expect("partial mode is off");
        assert_eq!((read.labels(), read.hash()), (stream.labels(), stream.hash()));
        assert!(part.value.len() <= max || read.entries().len() <= 1);
        for entry in read.entries() {
            assert_eq!(Some(entry), entries.next());
        }
    }
    assert!(entries.next().is_none());
}
