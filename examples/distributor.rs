//! A distributor: series hashed as Mimir hashes them, each sent to two of six ingesters, byte for
//! byte as it came, and no series encoded again.
//!
//! ```text
//! cargo run --example distributor
//! ```

use borrowire::Encode;
use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::{Label, MimirTokens, Sample, TimeSeries};
use borrowire::reuse::Decoder;
use borrowire::shard::Splitter;

const INGESTERS: u32 = 6;
const REPLICAS: u32 = 2;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Senders need not sort labels; Mimir does before it hashes.
    let tenant = MimirTokens::new("tenant").with_normalized_labels(true);
    // Used again for each request: after the first nothing is allocated.
    let (mut decoder, mut splitter) = (Decoder::<WriteRequest>::new(), Splitter::new());
    let (mut tokens, mut out) = (Vec::new(), Vec::new());

    for body in bodies()? {
        let request = decoder.decode(&body)?;
        tenant.tokens(&*request, &mut tokens); // of all series at once, which is the fast way
        let mut tokens = tokens.iter();
        let mut split = splitter.replicate(&*request, |_| {
            // Neighbours on the ring; a real one has many tokens for each ingester.
            let first = tokens.next().map_or(0, |token| token % INGESTERS);
            (first..first + REPLICAS).map(|ingester| ingester % INGESTERS)
        });
        out.resize(out.len().max(split.encoded_len()), 0);
        let len = split.encode_all(&mut out)?; // one pass over the body
        println!("{} bytes came, {len} go out:", body.len());
        for (ingester, range) in split.ranges() {
            send(ingester, &out[range])?;
        }
    }
    Ok(())
}

/// Stands for the network.
fn send(ingester: u32, message: &[u8]) -> Result<(), borrowire::DecodeError> {
    let series = WriteRequest::decode(message)?.timeseries().len();
    println!("  ingester {ingester}: {series} series, {} bytes", message.len());
    Ok(())
}

/// Requests of 2,000 series, as a Prometheus sends them.
fn bodies() -> Result<[Vec<u8>; 2], borrowire::EncodeError> {
    let instances: Vec<String> =
        (0..2000).map(|i| format!("10.0.{}.{}", i / 250, i % 250)).collect();
    let labels: Vec<_> = instances
        .iter()
        .map(|instance| [Label::new("__name__", "up"), Label::new("instance", instance)])
        .collect();
    let body = |time| {
        let samples = [Sample::new(1.0, time)];
        let series = labels.iter().map(|labels| TimeSeries::new(labels).with_samples(&samples));
        WriteRequestEncoder::new(series).encode_to_vec()
    };
    Ok([body(1_700_000_000_000)?, body(1_700_000_015_000)?])
}
