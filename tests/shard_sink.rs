//! The files that `ingest --shards` writes: torn tails, damage, and that a receiver which is killed at any
//! moment loses nothing that it acknowledged.

#[path = "../examples/support/http_client.rs"]
mod http_client;
#[allow(dead_code, reason = "the program that it is a part of uses the rest")]
#[path = "../examples/ingest/receiver/mod.rs"]
mod receiver;
#[path = "../examples/support/records.rs"]
mod records;
#[allow(dead_code, reason = "the program that it is a part of uses the rest")]
#[path = "../examples/ingest/shards.rs"]
mod shards;
#[allow(dead_code, reason = "the program that it is a part of uses the rest")]
#[path = "../examples/ingest/table.rs"]
mod table;

#[allow(dead_code, reason = "the tests that it is a part of use the rest")]
#[path = "it/support/bytes/mod.rs"]
mod bytes;

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire::loki::PushRequest;
use borrowire::remote_write::{v1::WriteRequest, v2::Request};

use borrowire::Encode;
use borrowire::body::BodyLimits;
use tokio::net::TcpListener;
use tokio::runtime::Runtime;

use http_client::Client;
use receiver::Receiver;
use records::{RecordFile, Records, Recovered};
use shards::{Sink, SinkOptions};

/// A directory of its own, which goes away in the end.
struct Directory(PathBuf);

impl Directory {
    fn new(name: &str) -> Self {
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).unwrap();
        Self(path)
    }
}

impl Drop for Directory {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn frame(value: &[u8]) -> Vec<u8> {
    Frame::new(CacheEntry::new(7, 0, b"remote-write-v1/tenant", value)).encode_to_vec().unwrap()
}

fn values(path: &Path) -> Vec<Vec<u8>> {
    let mut records = Records::new(File::open(path).unwrap());
    let mut values = Vec::new();
    while records.advance().unwrap().unwrap() {
        values.push(records.record().unwrap().value.to_vec());
    }
    values
}

#[test]
fn what_is_appended_is_there_when_the_file_is_opened_again() {
    let directory = Directory::new("appended");
    let path = directory.0.join("records");
    let mut wanted = Vec::new();
    for round in 0..3_u8 {
        let (mut file, recovered) = RecordFile::open(&path).unwrap();
        assert_eq!((recovered.records, recovered.torn_bytes), (wanted.len() as u64, 0));
        assert_eq!(file.len(), recovered.bytes);
        for len in [0, 1, 1000, 3 << 20] {
            let value = vec![round; len];
            let end = file.append(&frame(&value)).unwrap();
            assert_eq!(end, fs::metadata(&path).unwrap().len());
            wanted.push(value);
        }
        assert_eq!(values(&path), wanted);
    }
}

#[test]
fn a_tail_cut_short_anywhere_is_cut_off_and_kept_aside() {
    let directory = Directory::new("torn");
    let path = directory.0.join("records");
    let (first, second) = (frame(b"first"), frame(b"second"));
    let mut kept = Vec::new();
    for cut in 0..second.len() {
        let torn = [&first[..], &second[..cut]].concat();
        // The system may leave zeros where data was to come.
        for zeros in [0, 1, 100] {
            let mut bytes = torn.clone();
            if zeros > 0 && cut > 0 {
                bytes.resize(first.len() + second.len(), 0);
                if bytes[first.len()..] == second {
                    continue;
                }
            } else {
                bytes.resize(torn.len() + zeros, 0);
            }
            fs::write(&path, &bytes).unwrap();
            let (mut file, recovered) = RecordFile::open(&path).unwrap();
            let torn_bytes = (bytes.len() - first.len()) as u64;
            assert_eq!(
                recovered,
                Recovered { records: 1, bytes: first.len() as u64, torn_bytes },
                "cut at {cut}, {zeros} zeros"
            );
            // What is kept is kept for good.
            kept.extend_from_slice(&bytes[first.len()..]);
            assert_eq!(fs::read(directory.0.join("records.torn")).unwrap_or_default(), kept);
            file.append(&frame(b"third")).unwrap();
            assert_eq!(values(&path), [&b"first"[..], b"third"]);
        }
    }
}

#[test]
fn damage_in_the_middle_is_no_torn_tail() {
    let directory = Directory::new("damaged");
    let path = directory.0.join("records");
    let (first, second) = (frame(b"first"), frame(b"second"));
    for (at, bit) in [(0, 1), (4, 1), (8, 1), (20, 1), (27, 1), (31, 0x80), (first.len() - 1, 1)] {
        let mut bytes = [&first[..], &second].concat();
        bytes[at] ^= bit;
        fs::write(&path, &bytes).unwrap();
        let error = RecordFile::open(&path).map(|_| ()).unwrap_err();
        assert!(error.to_string().starts_with("damaged at byte 0 of "), "{error}");
        assert_eq!(fs::read(&path).unwrap(), bytes, "it is left as it is");
    }
}

#[test]
fn a_file_that_failed_to_sync_promises_nothing_more() {
    let directory = Directory::new("failed");
    let (mut file, _) = RecordFile::open(&directory.0.join("records")).unwrap();
    file.append(&frame(b"first")).unwrap();
    assert!(file.handle().is_ok());
    file.fail();
    // Others wait for a sync of the same file: it would succeed, without what was dropped.
    assert!(file.handle().is_err());
    assert!(file.append(&frame(b"second")).is_err());
}

#[test]
fn every_series_and_stream_is_in_one_shard() {
    let directory = Directory::new("split");
    let options = SinkOptions { shards: 3, directory: directory.0.clone(), fsync: false };
    let (sink, found) = Sink::open(&options).unwrap();
    assert_eq!(found, "");
    let names: Vec<String> = (0..200).map(|i| format!("metric_{i}")).collect();
    let series: Vec<_> =
        names.iter().map(|name| bytes::series(&[("__name__", name)], &[(1.0, 1)])).collect();
    let old = bytes::request(&series);
    sink.store_v1("tenant", &WriteRequest::decode(&old).unwrap()).unwrap();

    let symbols = names
        .iter()
        .fold(bytes::Bytes::new().len(4, "").len(4, "__name__"), |b, name| b.len(4, name));
    let new = (0..200).fold(symbols, |bytes, index| {
        let refs = bytes::Bytes::new().bare_varint(1).bare_varint(index + 2).build();
        bytes.len(5, bytes::Bytes::new().len(1, refs))
    });
    let new = new.build();
    sink.store_v2("tenant", &Request::decode(&new).unwrap()).unwrap();

    let push = names.iter().fold(bytes::Bytes::new(), |bytes, name| {
        bytes.len(1, bytes::Bytes::new().len(1, format!("{{a=\"{name}\"}}")))
    });
    let push = push.build();
    sink.store_push("tenant", &PushRequest::decode(&push).unwrap()).unwrap();

    let (mut of_v1, mut of_v2, mut streams) = (Vec::new(), Vec::new(), 0);
    for shard in 0..3 {
        let path = directory.0.join(format!("shard-{shard:04}.records"));
        let mut records = Records::new(File::open(path).unwrap());
        let mut keys = Vec::new();
        while records.advance().unwrap().unwrap() {
            let record = records.record().unwrap();
            keys.push(String::from_utf8(record.key.to_vec()).unwrap());
            let labels = |name: Option<&str>| (shard, name.unwrap().to_owned());
            match keys.len() {
                1 => {
                    let request = WriteRequest::decode(record.value).unwrap();
                    of_v1.extend(request.timeseries().iter().map(|s| labels(s.metric_name())));
                }
                2 => {
                    let request = Request::decode(record.value).unwrap();
                    assert_eq!(request.symbols().len(), request.timeseries().len() + 2);
                    of_v2.extend(request.timeseries().iter().map(|s| labels(s.metric_name())));
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

    let chart = sink.chart();
    assert_eq!(chart.lines().count(), 3 + 2, "{chart}");
    assert!(chart.contains('█'), "{chart}");
}

/// Set for the process that is killed: the directory that it stores in.
const RECEIVER: &str = "BORROWIRE_TEST_RECEIVER";

/// What the receiver says first.
const LISTENING: &str = "listening on ";

/// No test, unless it is started as one process by another: see [`Process`].
#[test]
fn receiver_in_a_process_of_its_own() {
    let Some(directory) = std::env::var_os(RECEIVER) else { return };
    let options = SinkOptions { shards: 3, directory: directory.into(), fsync: true };
    let (sink, _) = Sink::open(&options).unwrap();
    Runtime::new().unwrap().block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        println!("\n{LISTENING}{}", listener.local_addr().unwrap());
        let receiver = Receiver::new(BodyLimits::new(), Some(sink));
        receiver.serve(listener, std::future::pending()).await.unwrap();
    });
}

/// A receiver that can be killed.
struct Process {
    child: Child,
    address: SocketAddr,
}

impl Process {
    fn start(directory: &Path) -> Self {
        let mut child = Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "receiver_in_a_process_of_its_own", "--nocapture"])
            .env(RECEIVER, directory)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let address = loop {
            let line = lines.next().expect("it says where it listens").unwrap();
            if let Some(address) = line.strip_prefix(LISTENING) {
                break address.parse().unwrap();
            }
        };
        Self { child, address }
    }
}

/// A request whose series have names that nothing else has.
fn request(number: u64) -> Vec<u8> {
    let names: Vec<String> = (0..8).map(|i| format!("r{number}_s{i}")).collect();
    let series: Vec<_> =
        names.iter().map(|name| bytes::series(&[("__name__", name)], &[(1.0, 1)])).collect();
    let mut encoder = snap::raw::Encoder::new();
    encoder.compress_vec(&bytes::request(&series)).unwrap()
}

fn stored(directory: &Path) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for shard in 0..3 {
        for value in values(&directory.join(format!("shard-{shard:04}.records"))) {
            let request = WriteRequest::decode(&value).unwrap();
            names.extend(request.timeseries().iter().map(|s| s.metric_name().unwrap().to_owned()));
        }
    }
    names
}

#[test]
fn what_was_acknowledged_survives_a_kill_at_any_moment() {
    const HEADERS: &[(&str, &str)] =
        &[("content-encoding", "snappy"), ("content-type", "application/x-protobuf")];
    let directory = Directory::new("killed");
    let mut acknowledged = Vec::new();
    let mut next = 0_u64;
    for round in 0..6_u64 {
        let mut receiver = Process::start(&directory.0);
        let (sender, answers) = mpsc::channel();
        let senders: Vec<_> = (0..4)
            .map(|client| {
                let (sender, address) = (sender.clone(), receiver.address);
                thread::spawn(move || {
                    let mut client_of = Client::connect(address)?;
                    for step in 0.. {
                        let number = next + client + 4 * step;
                        let body = request(number);
                        let answer = client_of.post("/api/v1/write", HEADERS, &body)?;
                        assert_eq!(answer.status, 204);
                        let _ = sender.send(number);
                    }
                    std::io::Result::Ok(())
                })
            })
            .collect();
        drop(sender);
        // Somewhere in the middle of things: after so many answers, and a little.
        for _ in 0..(10 + 17 * round) {
            acknowledged.push(answers.recv().expect("the receiver answers"));
        }
        thread::sleep(Duration::from_micros(613 * round));
        receiver.child.kill().unwrap();
        receiver.child.wait().unwrap();
        acknowledged.extend(answers.iter());
        for sender in senders {
            // It ends when the connection breaks.
            assert!(sender.join().unwrap().is_err());
        }
        next = acknowledged.iter().max().unwrap() + 100;
        let options = SinkOptions { shards: 3, directory: directory.0.clone(), fsync: false };
        drop(Sink::open(&options).expect("what is left is whole, or a torn tail"));
        let names = stored(&directory.0);
        for number in &acknowledged {
            for series in 0..8 {
                let name = format!("r{number}_s{series}");
                assert!(names.contains(&name), "{name} was acknowledged, and is lost");
            }
        }
    }
}
