//! Samples grouped by labels into a request, held against a map.

use borrowire::Encode;
use borrowire::remote_write::v1::{MetricMetadata, WriteBatch, WriteRequest};
use borrowire::remote_write::{Label, MetricType, Sample, TimeSeries};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::support::oracle::check_slices;

type Pair = (String, String);

/// Labels in any order, some without a value, of names and values that meet often.
fn labels() -> impl Strategy<Value = Vec<Pair>> {
    let value = prop_oneof![Just(String::new()), "[ab]{1,2}", "x{130}"];
    vec(("[a-d]", value), 0..4).prop_map(|mut labels| {
        labels.sort();
        labels.dedup_by(|one, other| one.0 == other.0);
        labels
    })
}

fn views(labels: &[Pair]) -> Vec<Label<'_>> {
    labels.iter().map(|(name, value)| Label::new(name, value)).collect()
}

proptest! {
    #[test]
    fn a_batch_groups_as_a_map_does(
        records in vec((labels().prop_shuffle(), vec((any::<i32>(), any::<i64>()), 0..3)), 0..30),
        entries in 0_usize..3,
    ) {
        let mut batch = WriteBatch::new();
        for round in 0..2 {
            batch.clear();
            prop_assert!(batch.is_empty() && batch.encoded_len() == 0, "round {}", round);
            let mut groups: Vec<(Vec<Pair>, Vec<Sample>)> = Vec::new();
            for (labels, samples) in &records {
                let samples: Vec<_> =
                    samples.iter().map(|&(value, at)| Sample::new(value.into(), at)).collect();
                let views = views(labels);
                let series = TimeSeries::new(&views).with_samples(&samples);
                let expected = batch.encoded_len_with(&series);
                batch.push_series(&series);
                prop_assert_eq!(batch.encoded_len(), expected);
                let mut sorted = labels.clone();
                sorted.retain(|(_, value)| !value.is_empty());
                sorted.sort();
                match groups.iter_mut().find(|(labels, _)| *labels == sorted) {
                    Some((_, all)) => all.extend(samples),
                    None => groups.push((sorted, samples)),
                }
            }
            let metadata = MetricMetadata::new(MetricType::GAUGE, "up").with_help("Up");
            (0..entries).for_each(|_| batch.push_metadata(&metadata));

            let body = batch.encode_to_vec().unwrap();
            check_slices(&batch, &body);
            let request = WriteRequest::decode(&body).unwrap();
            prop_assert_eq!(request.metadata().len(), entries);
            prop_assert_eq!(request.samples_len(), batch.samples_len());
            prop_assert_eq!(batch.timeseries_len(), groups.len());
            prop_assert_eq!(request.timeseries().len(), groups.len());
            for (series, (labels, samples)) in request.timeseries().iter().zip(&groups) {
                prop_assert_eq!(series.labels(), views(labels));
                prop_assert_eq!(series.samples(), &samples[..]);
            }
            let same = batch.request().unwrap();
            prop_assert_eq!(same.body(), &body);
            prop_assert!(same.timeseries().iter().eq(request.timeseries()));
        }
    }
}
