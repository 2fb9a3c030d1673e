//! Decoding remote write: from a compressed body to text that is borrowed from it, in memory that
//! is used again for the next body; with one bad series left out, and what breaks the rules named.
//!
//! ```text
//! cargo run --example decode [-- SNAPPY-BODY...]
//! ```

use borrowire::body::{BodyLimits, BufferPool, Encoding};
use borrowire::remote_write::v1::{DecodeOptions, WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::{Label, Rules, Sample, TimeSeries};
use borrowire::reuse::Decoder;

type Error = Box<dyn std::error::Error>;

fn main() -> Result<(), Error> {
    // All memory, for as many bodies as come.
    let pool = BufferPool::new();
    let options = DecodeOptions::new().with_partial(true);
    let mut decoder = Decoder::<WriteRequest>::new().with_options(options);

    let files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        show(&body(&pool)?, &pool, &mut decoder)?;
    }
    for file in &files {
        show(&std::fs::read(file)?, &pool, &mut decoder)?;
    }
    Ok(())
}

fn show(
    sent: &[u8],
    pool: &BufferPool,
    decoder: &mut Decoder<WriteRequest<'static>>,
) -> Result<(), Error> {
    let body = pool.decompress(sent, Encoding::Snappy, &BodyLimits::new())?;
    let request = decoder.decode(&body)?;
    for series in request.timeseries() {
        let labels =
            series.labels().iter().map(|label| format!("{}={:?}", label.name, label.value));
        println!("{{{}}}", labels.collect::<Vec<_>>().join(", "));
        for sample in series.samples() {
            println!("  {} at {} ms", sample.value, sample.timestamp);
        }
    }
    for skipped in request.skipped() {
        println!("{skipped}"); // its place among all, and what is wrong with it
    }
    request.validate(&Rules::strict(), |violation| println!("{violation}"));
    Ok(())
} // body and storage return to where they came from

/// A body as a client sends it. The second series has its labels out of order, the third is bad.
fn body(pool: &BufferPool) -> Result<Vec<u8>, Error> {
    let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
    let unsorted = [Label::new("job", "node"), Label::new("__name__", "down")];
    let samples = [Sample::new(1.0, 1_700_000_000_000), Sample::new(0.0, 1_700_000_015_000)];
    let series = [&labels, &unsorted].map(|labels| TimeSeries::new(labels).with_samples(&samples));
    let mut message = Vec::new();
    borrowire::Encode::append_to_vec(&WriteRequestEncoder::new(series), &mut message)?;
    message.extend(b"\x0a\x05\x0a\x03\x0a\x01\xff"); // a label whose name is no text
    Ok(pool.compress(&message, Encoding::Snappy)?.to_vec())
}
