//! A symbolizer and a validator that are used again allocate nothing, for texts of any lifetime.

use borrowire::Encode;
use borrowire::remote_write::v2::{Format, Request, Symbolizer, Validator};
use borrowire::remote_write::{Exemplar, Label, Metadata, MetricType, Rules, Sample, TimeSeries};

use crate::heap;

pub fn run() {
    let _profiler = heap::profiler();
    let mut symbolizer = Symbolizer::new();
    let mut common = Symbolizer::new().with_format(Format::MimirRecord);
    let mut validator = Validator::new(Rules::strict());
    let mut out = vec![0; 1 << 20];
    let mut blocks = Vec::new();
    for round in 0..4 {
        // Texts and series of their own, which are gone after the round.
        let texts: Vec<String> = (0..3000).map(|i| format!("{round} {i}")).collect();
        let labels: Vec<_> = texts.iter().map(|text| [Label::new("__name__", text)]).collect();
        let samples = [Sample::new(1.0, 1_700_000_000_000)];
        let exemplars: Vec<_> =
            labels.iter().map(|labels| [Exemplar::new(labels, 1.0, 1)]).collect();
        let metadata = Metadata::new(MetricType::COUNTER).with_help(&texts[7]);
        let series = labels.iter().zip(&exemplars).map(|(labels, exemplars)| {
            TimeSeries::new(labels)
                .with_samples(&samples)
                .with_exemplars(exemplars)
                .with_metadata(metadata)
        });
        blocks.push(heap::blocks(|| {
            let request = symbolizer.symbolize(series.clone()).unwrap();
            assert_eq!(request.encode(&mut out), Ok(request.encoded_len()));
            drop(request);
            let request = common.symbolize(series.clone()).unwrap();
            assert_eq!(request.encode(&mut out), Ok(request.encoded_len()));
        }));
        let capacity = symbolizer.capacity_bytes();
        let len = symbolizer.symbolize(series.clone()).unwrap().encode(&mut out).unwrap();
        assert_eq!(symbolizer.capacity_bytes(), capacity);
        let request = Request::decode(&out[..len]).unwrap();
        blocks.push(heap::blocks(|| {
            let mut violations = 0;
            validator.validate(&request, |_| violations += 1);
            assert_eq!(violations, 0);
        }));
    }
    assert!(blocks[0] > 0 && blocks[1] > 0, "the first round takes memory");
    assert_eq!(blocks[2..], [0; 6], "the others do not");
}
