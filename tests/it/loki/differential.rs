//! The same Loki pushes read, and the same values written, by this crate and by prost; and the same
//! entries grouped in another way.

use std::collections::BTreeMap;
use std::sync::Arc;

use borrowire::loki::{Entry, LabelPair, PushBatch, PushRequest, Timestamp, selector};
use borrowire::proto::logproto as proto;
use borrowire::reuse::{Owned, Pool};
use borrowire::{DecodeError, Encode};
use proptest::collection::{btree_map, vec};
use proptest::prelude::*;
use prost::Message;

use crate::support::bytes::loki::{pushes_of_any_bytes, small_bodies};
use crate::support::oracle::loki::{self, Used};
use crate::support::{generate, oracle};

/// Decodes in every way, and compares with prost.
fn check<'a>(body: &'a [u8], used: &mut Used) -> Result<PushRequest<'a>, DecodeError> {
    let ours = loki::decode(body, used);
    loki::check_prost(body, ours.as_ref().map_err(|error| *error));
    if let Ok(push) = &ours {
        loki::round_trip(push);
    }
    ours
}

/// Decoders that have seen something of everything.
fn used() -> Used {
    let mut used = Used::new();
    for (_, body) in small_bodies().into_iter().chain(pushes_of_any_bytes()) {
        loki::decode(&body, &mut used).unwrap();
    }
    used
}

proptest! {
    #[test]
    fn what_prost_writes_is_read_as_it_was(generated in generate::loki::push()) {
        let body = generated.encode_to_vec();
        let push = check(&body, &mut used()).unwrap();
        loki::assert_same(&push, &generated);
        // prost writes no bytes for a default, and fields in number order, as we do.
        prop_assert_eq!(push.encode_to_vec().unwrap(), body);
    }

    #[test]
    fn canonical_bytes_are_read_and_written_back(generated in generate::loki::push()) {
        let body = generate::loki::canonical(&generated);
        let push = check(&body, &mut used()).unwrap();
        loki::assert_same(&push, &generated);
        prop_assert!(!push.has_unknown_fields());
        prop_assert_eq!(push.encode_to_vec().unwrap(), body.clone());
        prop_assert_eq!(proto::PushRequest::decode(&body[..]).unwrap(), generated);
    }

    #[test]
    fn conversions_keep_everything(generated in generate::loki::push()) {
        let push = PushRequest::from_prost(&generated);
        loki::assert_same(&push, &generated);
        prop_assert_eq!(push.encode_to_vec().unwrap(), generate::loki::canonical(&generated));
        prop_assert_eq!(push.raw_stream(0), None);
        prop_assert_eq!(proto::PushRequest::try_from(&push).unwrap(), generated);
    }

    #[test]
    fn disordered_fields_are_read_as_prost_reads_them(body in generate::loki::disordered()) {
        check(&body, &mut used()).unwrap();
    }

    #[test]
    fn owned_and_pooled_pushes_are_the_same(bodies in vec(generate::loki::disordered(), 1..4)) {
        let pool = Arc::new(Pool::<PushRequest>::new());
        for body in bodies {
            let push = PushRequest::decode(&body).unwrap();
            loki::same(&pool.decode(&body).unwrap(), &push);
            let owned = Owned::<PushRequest>::decode(body.clone()).unwrap();
            loki::same(owned.request(), &push);
            let owned = pool.decode_owned(body.clone()).unwrap();
            loki::same(owned.request(), &push);
            prop_assert_eq!(owned.body(), &body);
            drop(owned);
            prop_assert!(pool.idle() <= 1);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn changed_bytes_are_refused_or_read_as_prost_does(
        body in generate::mutated(prop_oneof![
            4 => generate::loki::small_body(),
            1 => generate::loki::push().prop_map(|push| push.encode_to_vec()),
            2 => generate::loki::disordered(),
        ]),
        next in generate::loki::small_body(),
    ) {
        let mut used = Used::new();
        let _ = check(&next, &mut used).unwrap();
        let _ = check(&body, &mut used);
        // Whatever that was, the next push is read as ever.
        check(&next, &mut used).unwrap();
    }
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
    let times = generate::loki::timestamp().prop_map(|time| (time.seconds, time.nanos));
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
        oracle::check_slices(&batch, &body);
        let push = check(&body, &mut Used::new()).unwrap();
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
