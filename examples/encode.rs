//! Encoding remote write: a service's own data as a request of 1.0 and of 2.0, compressed and ready
//! to be sent, without a copy of it in types of this crate.
//!
//! ```text
//! cargo run --example encode
//! ```

use borrowire::body::{BufferPool, Encoding};
use borrowire::remote_write::v1::{MetricMetadata, WriteRequestEncoder};
use borrowire::remote_write::v2::Symbolizer;
use borrowire::remote_write::{Label, Metadata, MetricType, Sample, TimeSeries};
use borrowire::{Encode, EncodeError};

/// What a service may have: one metric with a counter for each instance.
struct Counter {
    instance: String,
    value: f64,
}

const NAME: &str = "http_requests_total";
const HELP: &str = "Requests that were answered.";

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let now = 1_700_000_000_000;
    let counters: Vec<Counter> = (0..1000_u16)
        .map(|i| Counter { instance: format!("10.0.0.{}:9100", i % 250), value: f64::from(i) })
        .collect();

    // Views of the data: names and values stay where they are.
    let labels: Vec<[Label<'_>; 2]> = counters
        .iter()
        .map(|counter| [Label::new("__name__", NAME), Label::new("instance", &counter.instance)])
        .collect();
    let samples: Vec<[Sample; 1]> =
        counters.iter().map(|counter| [Sample::new(counter.value, now)]).collect();
    let series = labels
        .iter()
        .zip(&samples)
        .map(|(labels, samples)| TimeSeries::new(labels).with_samples(samples));

    // Version 1.0: metadata beside the series, once for each metric.
    let metadata = [MetricMetadata::new(MetricType::COUNTER, NAME).with_help(HELP)];
    let old = WriteRequestEncoder::new(series.clone()).with_metadata(metadata);

    // Version 2.0: each text once, as a symbol; metadata at each series.
    let counter = Metadata::new(MetricType::COUNTER).with_help(HELP);
    let mut symbolizer = Symbolizer::new(); // its memory is used again
    let new = symbolizer.symbolize(series.map(|series| series.with_metadata(counter)))?;

    let pool = BufferPool::new(); // and so are its buffers
    for (version, message_len, body) in [
        ("1.0", old.encoded_len(), pool.compress(&old, Encoding::Snappy)?),
        ("2.0", new.encoded_len(), pool.compress(&new, Encoding::Snappy)?),
    ] {
        println!("{version}: {message_len} bytes, {} compressed", body.len());
    }

    // Without compression, into memory of one's own.
    let mut out = vec![0; old.encoded_len()];
    let written: Result<usize, EncodeError> = old.encode(&mut out);
    assert_eq!(written?, out.len());
    Ok(())
}
