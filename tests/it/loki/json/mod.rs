//! Loki's JSON push: what is read, what is refused, and what is written.

mod back;
mod captured;
mod faults;
mod field_reports;
mod generated;
mod owned;
mod shapes;

use borrowire::loki::json::{JsonError, JsonScratch};
use borrowire::loki::{PushRequest, Timestamp};

/// An entry, copied out: time, line, structured metadata.
type Entry = (Option<Timestamp>, Vec<u8>, Vec<(String, String)>);

/// The streams of a push, copied out: labels, entries.
fn streams(push: &PushRequest<'_>) -> Vec<(String, Vec<Entry>)> {
    let entries = push.streams().into_iter().map(|stream| {
        let entries = stream.entries().into_iter().map(|entry| {
            let metadata = entry.structured_metadata().iter();
            let metadata = metadata.map(|pair| (pair.name.to_owned(), pair.value.to_owned()));
            (entry.timestamp(), entry.line().to_vec(), metadata.collect())
        });
        (stream.labels().to_owned(), entries.collect())
    });
    entries.collect()
}

/// What is read in `body`.
fn decoded(body: &[u8]) -> Result<Vec<(String, Vec<Entry>)>, JsonError> {
    PushRequest::decode_json(body, &mut JsonScratch::new()).map(|push| streams(&push))
}

/// The streams in `body`, which is right.
#[track_caller]
fn read(body: &str) -> Vec<(String, Vec<Entry>)> {
    decoded(body.as_bytes()).unwrap_or_else(|error| panic!("{error}: {body}"))
}

/// An entry as [`streams`] copies it out.
fn entry(nanos: i64, line: &str, metadata: &[(&str, &str)]) -> Entry {
    let metadata = metadata.iter().map(|&(name, value)| (name.to_owned(), value.to_owned()));
    (Some(Timestamp::from_unix_nanos(nanos)), line.as_bytes().to_vec(), metadata.collect())
}
