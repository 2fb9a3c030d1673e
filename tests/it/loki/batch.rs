//! Entries grouped by labels into a push.

use std::collections::BTreeMap;

use borrowire::Encode;
use borrowire::loki::{
    Entry, LabelPair, OwnedPushBatch, PushBatch, PushRequest, Timestamp, selector,
};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;

use crate::properties::hostile::MANY;
use crate::support::generate;
use crate::support::oracle::loki_push::LokiPush;
use crate::support::oracle::{Used, check, check_slices};

#[test]
fn batches_of_one_stream_and_of_as_many_as_entries() {
    let names: Vec<String> = (0..MANY).map(|n| n.to_string()).collect();
    let mut batch = PushBatch::new();
    for name in &names {
        let labels = [LabelPair::new("n", name)];
        batch.push(&labels, Entry::new(Timestamp::new(1_700_000_000, 0), name.as_bytes()));
        batch.push_with("{}", Entry::new(Timestamp::new(1_700_000_000, 0), name.as_bytes()));
    }
    assert_eq!((batch.streams_len(), batch.entries_len()), (MANY + 1, 2 * MANY));
    let body = batch.encode_to_vec().unwrap();
    let decoded = PushRequest::decode(&body).unwrap();
    let stream = decoded.streams().get(1).unwrap();
    assert_eq!((stream.labels(), stream.entries().len()), ("{}", MANY));
    assert!(stream.entries().iter().map(|e| e.line()).eq(names.iter().map(|n| n.as_bytes())));
}

/// What a loop of a sender comes by: labels in any order, and an entry.
#[derive(Clone, Debug)]
struct Record {
    labels: Vec<(String, String)>,
    timestamp: (i64, i32),
    line: Vec<u8>,
    metadata: Vec<(String, String)>,
}

/// One of a few label sets, in one of its orders.
fn labels() -> impl Strategy<Value = Vec<(String, String)>> {
    let few = btree_map("[abc]", "[xy]?", 0..3).prop_map(|set| set.into_iter().collect::<Vec<_>>());
    let any = btree_map(generate::text(), generate::text(), 0..20);
    let any = any.prop_map(|set| set.into_iter().collect::<Vec<_>>());
    prop_oneof![5 => few, 1 => any].prop_shuffle()
}

fn record() -> impl Strategy<Value = Record> {
    let times = generate::loki_push::timestamp().prop_map(|time| (time.seconds, time.nanos));
    let line = prop_oneof![3 => "[ -~]{0,40}".prop_map(String::into_bytes), 1 => any::<Vec<u8>>()];
    let metadata = vec((generate::text(), generate::text()), 0..3);
    (labels(), times, line, metadata).prop_map(|(labels, timestamp, line, metadata)| Record {
        labels,
        timestamp,
        line,
        metadata,
    })
}

fn pairs(texts: &[(String, String)]) -> Vec<LabelPair<'_>> {
    texts.iter().map(|(name, value)| LabelPair::new(name, value)).collect()
}

/// The records of each label set, labels without a value aside, and which of them was first.
fn grouped(records: &[Record]) -> Vec<(Vec<LabelPair<'_>>, Vec<&Record>)> {
    let mut groups: BTreeMap<Vec<LabelPair<'_>>, (usize, Vec<&Record>)> = BTreeMap::new();
    for (position, record) in records.iter().enumerate() {
        let mut key = pairs(&record.labels);
        key.retain(|pair| !pair.value.is_empty());
        key.sort();
        groups.entry(key).or_insert((position, vec![])).1.push(record);
    }
    let mut groups: Vec<_> = groups.into_iter().collect();
    groups.sort_by_key(|(_, (first, _))| *first);
    groups.into_iter().map(|(labels, (_, records))| (labels, records)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_batch_groups_as_a_map_does(
        records in vec(record(), 0..40),
        before in vec(record(), 0..10),
    ) {
        // A batch that was used before, for other records.
        let mut batch = PushBatch::new();
        fill(&mut batch, &before);
        let mut batch = batch.recycle();
        prop_assert!(batch.is_empty() && batch.encoded_len() == 0);
        fill(&mut batch, &records);

        let groups = grouped(&records);
        prop_assert_eq!(batch.streams_len(), groups.len());
        prop_assert_eq!(batch.entries_len(), records.len());
        let body = batch.encode_to_vec().unwrap();
        check_slices(&batch, &body);
        let push = check::<LokiPush>(&body, &mut Used::default()).unwrap();
        prop_assert_eq!(&push.encode_to_vec().unwrap(), &body);
        prop_assert_eq!(push.streams().len(), groups.len());
        for (stream, (labels, records)) in push.streams().iter().zip(&groups) {
            let mut scratch = Vec::new();
            let parsed = selector::parse(stream.labels(), &mut scratch).unwrap();
            prop_assert_eq!(parsed.as_slice(), &labels[..]);
            prop_assert_eq!(stream.entries().len(), records.len());
            for (entry, record) in stream.entries().iter().zip(records) {
                let (seconds, nanos) = record.timestamp;
                prop_assert_eq!(entry.timestamp(), Some(Timestamp::new(seconds, nanos)));
                prop_assert_eq!(entry.line(), &record.line[..]);
                prop_assert_eq!(entry.structured_metadata(), pairs(&record.metadata));
            }
        }
        // Without borrowing anything it is the same.
        let mut owned = OwnedPushBatch::new();
        for records in [&before, &records] {
            owned.clear();
            for record in records {
                owned.push(&pairs(&record.labels), entry(record, &pairs(&record.metadata)));
            }
        }
        prop_assert_eq!(owned.encode_to_vec().unwrap(), &body[..]);
        prop_assert_eq!(owned.streams_len(), groups.len());
        prop_assert_eq!(owned.entries_len(), records.len());
        prop_assert_eq!(owned.request().unwrap().body(), &body);
        prop_assert_eq!(batch.request().unwrap().body(), &body);
        // Grouped by label strings that are there already, the push is the same.
        let mut again = PushBatch::new();
        for (position, record) in records.iter().enumerate() {
            let labels = selector::Canonical::new(pairs(&record.labels)).to_string();
            let metadata = pairs(&record.metadata);
            if position % 2 == 0 {
                again.push_with(&labels, entry(record, &metadata));
            } else {
                again.push(&pairs(&record.labels), entry(record, &metadata));
            }
        }
        prop_assert_eq!(again.encode_to_vec().unwrap(), body);
    }
}

fn entry<'s, 'a>(record: &'a Record, metadata: &'s [LabelPair<'a>]) -> Entry<'s, 'a> {
    let (seconds, nanos) = record.timestamp;
    Entry::new(Timestamp::new(seconds, nanos), &record.line).with_structured_metadata(metadata)
}

fn fill<'a>(batch: &mut PushBatch<'a>, records: &'a [Record]) {
    for record in records {
        batch.push(&pairs(&record.labels), entry(record, &pairs(&record.metadata)));
    }
}
