//! Splitting by item: every item is in one part, with what was around it.

use std::collections::BTreeMap;
use std::fmt::Debug;

use borrowire::otlp::logs::ExportLogsServiceRequest;
use borrowire::otlp::metrics::ExportMetricsServiceRequest;
use borrowire::otlp::{DecodeOptions, ExportResponse, ItemSplitter, SplitItems};
use borrowire::shard::{Merger, Splitter};
use borrowire::{DecodeRequest, Encode};

use crate::support::bytes::Bytes;
use crate::support::fixtures;

/// The item with what is around it, but for the lists of others there.
fn describe(item: &impl Debug) -> String {
    format!("{item:?}")
}

/// What is told of each item of a body.
type Describe = for<'a> fn(&'a [u8]) -> Vec<String>;

fn log_records(body: &[u8]) -> Vec<String> {
    let request = ExportLogsServiceRequest::decode(body).unwrap();
    let items = request.items().map(|item| {
        let (resource, scope) = (item.resource_logs, item.scope_logs);
        let attributes = |attributes: borrowire::otlp::Attributes<'_, '_>| {
            attributes.iter().map(|it| describe(&it)).collect::<Vec<_>>()
        };
        describe(&(
            resource.schema_url,
            resource.resource.map(|resource| attributes(resource.attributes)),
            scope.schema_url,
            scope.scope.map(|scope| (scope.name, attributes(scope.attributes))),
            item.log_record.encode_to_vec().unwrap(),
        ))
    });
    items.collect()
}

fn data_points(body: &[u8]) -> Vec<String> {
    let request = ExportMetricsServiceRequest::decode(body).unwrap();
    let items = request.items().map(|item| {
        let (resource, metric) = (item.resource_metrics, item.metric);
        let attributes = |attributes: borrowire::otlp::Attributes<'_, '_>| {
            attributes.iter().map(|it| describe(&it)).collect::<Vec<_>>()
        };
        let point = item.data_point;
        describe(&(
            resource.schema_url,
            resource.resource.map(|resource| attributes(resource.attributes)),
            item.scope_metrics.scope.map(|scope| scope.name),
            (metric.name, metric.description, metric.unit, attributes(metric.metadata)),
            point,
            attributes(point.attributes()),
        ))
    });
    items.collect()
}

fn check<'a, R: SplitItems + DecodeRequest<'a>>(request: &'a R, describe: Describe) {
    let whole = describe(&request.encode_to_vec().unwrap());
    let mut splitter = ItemSplitter::new();
    for shards in [1_u32, 3, u32::MAX] {
        for max_items in [usize::MAX, 2, 1] {
            splitter = splitter.with_max_items(max_items).with_max_bytes(usize::MAX);
            let shard_of = |at: usize| (at as u32).wrapping_mul(0x9e37_79b9) % shards;
            let split = splitter.split_by_position(request, shard_of);
            assert_eq!(split.oversized(), []);
            let mut expected = BTreeMap::<u32, Vec<String>>::new();
            for (at, item) in whole.iter().enumerate() {
                expected.entry(shard_of(at)).or_default().push(item.clone());
            }
            let mut found = BTreeMap::<u32, Vec<String>>::new();
            for (shard, part) in split.parts() {
                let bytes = part.encode_to_vec().unwrap();
                assert_eq!(bytes.len(), part.encoded_len());
                for room in [bytes.len(), bytes.len() + 1, bytes.len() + 9000] {
                    let mut out = vec![0xaa; room];
                    assert_eq!(part.encode(&mut out), Ok(bytes.len()));
                    assert_eq!(out[..bytes.len()], bytes);
                }
                assert!(part.encode(&mut vec![0; bytes.len() - 1]).is_err());
                let items = describe(&bytes);
                assert_eq!(items.len(), part.items_len());
                assert!(items.len() <= max_items);
                found.entry(shard).or_default().extend(items);
            }
            assert_eq!(found, expected);
        }
    }
    // By size: as full as can be, in order, and what is too large is told.
    let alone = |split: borrowire::otlp::ItemSplit<'_>| -> Vec<usize> {
        split.parts().map(|(_, part)| part.encoded_len()).collect()
    };
    splitter = splitter.with_max_items(1).with_max_bytes(usize::MAX);
    let lens = alone(splitter.split_by_position(request, |_| 0));
    for max_bytes in [0, 100, 300, 1000, 4000, 100_000] {
        splitter = splitter.with_max_items(usize::MAX).with_max_bytes(max_bytes);
        let split = splitter.split(request, |_| 7);
        let oversized: Vec<_> =
            split.oversized().iter().map(|it| (it.index, it.part_len)).collect();
        let too_long = lens.iter().copied().enumerate().filter(|(_, len)| *len > max_bytes);
        assert!(too_long.eq(oversized.iter().copied()));
        let mut found = Vec::new();
        for (shard, part) in split.parts() {
            assert_eq!(shard, 7);
            let bytes = part.encode_to_vec().unwrap();
            assert!(bytes.len() <= max_bytes);
            found.extend(describe(&bytes));
        }
        let kept = whole.iter().enumerate().filter(|(at, _)| lens[*at] <= max_bytes);
        assert!(found.iter().eq(kept.map(|(_, item)| item)));
    }
}

#[test]
fn every_item_of_what_clients_sent_is_in_one_part() {
    for fixture in fixtures::of("otlp-logs") {
        check(&ExportLogsServiceRequest::decode(&fixture.body).unwrap(), log_records);
    }
    for fixture in fixtures::of("otlp-metrics") {
        check(&ExportMetricsServiceRequest::decode(&fixture.body).unwrap(), data_points);
    }
}

/// What is in unusual places, or must not be there, is not copied blindly.
#[test]
fn unusual_requests_are_split_by_what_counts() {
    let number = |value: f64| Bytes::new().len(1, Bytes::new().double(4, value));
    let metric = Bytes::new()
        .len(7, number(1.0).raw(number(2.0)))
        .len(1, "name")
        .len(5, number(3.0))
        .len(5, number(4.0));
    let scope = Bytes::new().len(2, metric).len(2, "");
    let body = Bytes::new().len(1, Bytes::new().len(1000, scope)).build();
    let request = ExportMetricsServiceRequest::decode(&body).unwrap();
    assert_eq!(request.data_points_len(), 2);
    check(&request, data_points);

    let bad = Bytes::new().len(9, "x");
    let records = Bytes::new().len(2, Bytes::new().len(12, "a")).len(2, bad).len(2, "");
    let body = Bytes::new().len(1, Bytes::new().len(2, records)).build();
    let partial = DecodeOptions::new().with_partial(true);
    let request = ExportLogsServiceRequest::decode_with(&body, &partial).unwrap();
    assert_eq!((request.log_records_len(), request.rejected_log_records()), (2, 1));
    assert_eq!(request.response("bad text"), ExportResponse::rejected(1, "bad text"));
    check(&request, log_records);
}

/// A key of the caller's: one shard for each service.
#[test]
fn resources_are_split_by_what_they_are() {
    for fixture in fixtures::of("otlp-metrics") {
        let request = ExportMetricsServiceRequest::decode(&fixture.body).unwrap();
        let mut splitter = Splitter::new();
        let mut split = splitter.split(&request, |metrics| {
            metrics.resource.map_or(0, |resource| resource.attributes.len() as u32)
        });
        let parts: Vec<_> = split.parts().map(|(_, part)| part.encode_to_vec().unwrap()).collect();
        let records: usize = parts.iter().map(Vec::len).sum();
        assert_eq!(records, fixture.body.len());
        let mut merger = Merger::<ExportMetricsServiceRequest>::new();
        merger.extend(parts.iter().map(Vec::as_slice)).unwrap();
        assert_eq!(merger.encoded_len(), fixture.body.len());
    }
}
