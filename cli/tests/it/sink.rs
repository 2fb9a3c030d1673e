//! The files that `borrowire serve --out` writes: each series in one of them, and a receiver that
//! is killed at any moment loses nothing that it acknowledged.

use std::collections::BTreeSet;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use borrowire::Encode;
use borrowire::body::Encoding;
use borrowire::loki::{PushRequest, PushRequestEncoder, Stream};
use borrowire::remote_write::v1::{WriteRequest, WriteRequestEncoder};
use borrowire::remote_write::v2::{Request, Symbolizer};
use borrowire::remote_write::{Label, Sample, TimeSeries};
use borrowire_cli::records::Records;
use borrowire_cli::serve::sink::{Sink, SinkOptions};
use tempfile::tempdir;

use crate::records::values;
use crate::support::client::{Client, PROTOBUF, SNAPPY};
use crate::support::compress;
use crate::support::program::Serving;

const SHARDS: u32 = 3;
const SAMPLE: [Sample; 1] = [Sample::new(1.0, 1)];

fn options(directory: &Path) -> SinkOptions {
    SinkOptions { shards: SHARDS, directory: directory.to_owned(), fsync: false }
}

pub fn files(directory: &Path) -> impl Iterator<Item = PathBuf> {
    let files = (0..SHARDS).map(|shard| directory.join(format!("shard-{shard:04}.records")));
    files.collect::<Vec<_>>().into_iter()
}

fn name_of(series: TimeSeries<'_, '_>) -> String {
    series.metric_name().unwrap().to_owned()
}

#[test]
fn every_series_and_stream_is_in_one_shard() {
    let directory = tempdir().unwrap();
    let sink = Sink::open(&options(directory.path())).unwrap();
    let names: Vec<String> = (0..200).map(|i| format!("metric_{i}")).collect();
    let labels: Vec<_> = names.iter().map(|name| [Label::new("__name__", name)]).collect();
    let series = || labels.iter().map(|labels| TimeSeries::new(labels).with_samples(&SAMPLE));

    let old = WriteRequestEncoder::new(series()).encode_to_vec().unwrap();
    sink.store_v1("tenant", &WriteRequest::decode(&old).unwrap()).unwrap();
    let new = Symbolizer::new().symbolize(series()).unwrap().encode_to_vec().unwrap();
    sink.store_v2("tenant", &Request::decode(&new).unwrap()).unwrap();
    let streams: Vec<_> = names.iter().map(|name| format!("{{a=\"{name}\"}}")).collect();
    let streams = streams.iter().map(|labels| Stream::new(labels));
    let push = PushRequestEncoder::new(streams).encode_to_vec().unwrap();
    sink.store_push("tenant", &PushRequest::decode(&push).unwrap()).unwrap();

    let (mut of_v1, mut of_v2, mut streams) = (Vec::new(), Vec::new(), 0);
    for (shard, path) in files(directory.path()).enumerate() {
        let mut records = Records::new(File::open(path).unwrap());
        let mut keys = Vec::new();
        while records.advance().unwrap().unwrap() {
            let record = records.record().unwrap();
            keys.push(String::from_utf8(record.key.to_vec()).unwrap());
            match keys.len() {
                1 => {
                    let request = WriteRequest::decode(record.value).unwrap();
                    of_v1.extend(request.timeseries().iter().map(|s| (shard, name_of(s))));
                }
                2 => {
                    let request = Request::decode(record.value).unwrap();
                    assert_eq!(request.symbols().len(), request.timeseries().len() + 2);
                    of_v2.extend(request.timeseries().iter().map(|s| (shard, name_of(s))));
                }
                _ => streams += PushRequest::decode(record.value).unwrap().streams().len(),
            }
        }
        assert_eq!(keys, ["remote-write-v1/tenant", "remote-write-v2/tenant", "loki-push/tenant"]);
    }
    // The same series in either version are in the same shard.
    assert_eq!(of_v1, of_v2);
    let mut stored: Vec<_> = of_v1.into_iter().map(|(_, name)| name).collect();
    stored.sort();
    let mut wanted = names.clone();
    wanted.sort();
    assert_eq!((stored, streams), (wanted, 200));

    let balance = sink.balance();
    assert_eq!(balance.iter().map(|stored| stored.records).sum::<u64>(), 600);
    for (stored, path) in balance.iter().zip(files(directory.path())) {
        assert!(stored.records > 0);
        assert_eq!(stored.bytes, path.metadata().unwrap().len());
    }
}

/// A request whose series have names that nothing else has.
pub fn request(number: u64) -> Vec<u8> {
    let names: Vec<String> = (0..8).map(|i| format!("r{number}_s{i}")).collect();
    let labels: Vec<_> = names.iter().map(|name| [Label::new("__name__", name)]).collect();
    let series = labels.iter().map(|labels| TimeSeries::new(labels).with_samples(&SAMPLE));
    compress(&WriteRequestEncoder::new(series).encode_to_vec().unwrap(), Encoding::Snappy)
}

/// The names of all series that are stored, each as often as it is.
pub fn stored(directory: &Path) -> Vec<String> {
    let mut names = Vec::new();
    for value in files(directory).flat_map(|path| values(&path)) {
        let request = WriteRequest::decode(&value).unwrap();
        names.extend(request.timeseries().iter().map(name_of));
    }
    names.sort();
    names
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_moment() {
    let directory = tempdir().unwrap();
    let mut acknowledged = Vec::new();
    let mut next = 0_u64;
    for round in 0..6_u64 {
        let out = directory.path().to_str().unwrap();
        let mut receiver = Serving::start(&["--out", out, "--shards", "3", "--fsync"]);
        let (sender, answers) = mpsc::channel();
        let senders: Vec<_> = (0..4)
            .map(|client| {
                let (sender, address) = (sender.clone(), receiver.address);
                thread::spawn(move || {
                    let client_of = Client::new(address);
                    for step in 0.. {
                        let number = next + client + 4 * step;
                        let body = request(number);
                        let answer =
                            client_of.try_post("/api/v1/write", &[SNAPPY, PROTOBUF], &body)?;
                        assert_eq!(answer.status, 204);
                        let _ = sender.send(number);
                    }
                    Ok::<(), ureq::Error>(())
                })
            })
            .collect();
        drop(sender);
        // Somewhere in the middle of things: after so many answers, and a little.
        for _ in 0..(10 + 17 * round) {
            acknowledged.push(answers.recv().expect("the receiver answers"));
        }
        thread::sleep(Duration::from_micros(613 * round));
        receiver.kill();
        acknowledged.extend(answers.iter());
        for sender in senders {
            // It ends when the connection breaks.
            assert!(sender.join().unwrap().is_err());
        }
        next = acknowledged.iter().max().unwrap() + 100;
        drop(
            Sink::open(&options(directory.path())).expect("what is left is whole, or a torn tail"),
        );
        let names: BTreeSet<_> = stored(directory.path()).into_iter().collect();
        for number in &acknowledged {
            for series in 0..8 {
                let name = format!("r{number}_s{series}");
                assert!(names.contains(&name), "{name} was acknowledged, and is lost");
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_receiver_that_is_told_to_stop_says_what_it_took() {
    let directory = tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let receiver = Serving::start(&["--out", out, "--shards", "3"]);
    let client = Client::new(receiver.address);
    assert_eq!(client.post("/api/v1/write", &[SNAPPY, PROTOBUF], &request(1)).status, 204);
    let bad = [SNAPPY, PROTOBUF, ("x-scope-orgid", "")];
    assert_eq!(client.post("/loki/api/v1/push", &bad, &request(1)).status, 400);
    let text = receiver.stop();
    let line = |words: &[&str]| {
        let mut lines = text.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
        assert!(lines.any(|line| line == words), "{words:?} in\n{text}");
    };
    line(&["series", "8"]);
    line(&["answered", "204", "1"]);
    line(&["refused,", "invalid", "tenant", "1"]);
    assert!(text.contains('█'), "{text}");
}
