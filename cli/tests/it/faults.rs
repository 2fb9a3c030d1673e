//! What goes wrong around a receiver, for real: a disk that is full, a directory that is removed, a
//! second receiver, no file descriptors. What was acknowledged is there, once, and nothing else is.

#![cfg(unix)]

use std::fs;
use std::net::TcpStream;
use std::path::Path;
use std::process::Command;

use tempfile::tempdir;

use crate::sink::{request, stored};
use crate::support::client::{Client, PROTOBUF, Raw, SNAPPY};
use crate::support::program::{Serving, run};

fn post(client: &Client, number: u64) -> u16 {
    client.post("/api/v1/write", &[SNAPPY, PROTOBUF], &request(number)).status
}

/// The names of the series in requests.
fn names(requests: impl IntoIterator<Item = u64>) -> Vec<String> {
    let of = |number| (0..8).map(move |series| format!("r{number}_s{series}"));
    let mut names: Vec<_> = requests.into_iter().flat_map(of).collect();
    names.sort();
    names
}

fn start(out: &Path, more: &[&str]) -> Serving {
    let out = ["--out", out.to_str().unwrap(), "--shards", "3"];
    Serving::start(&[&out[..], more].concat())
}

#[test]
fn a_directory_is_for_one_receiver_and_who_has_it_is_said() {
    let directory = tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let mut first = start(directory.path(), &[]);
    assert_eq!(post(&first.connect(), 1), 204);

    let second = ["serve", "--listen", "127.0.0.1:0", "--out", out, "--shards", "2"];
    let refused = run(&second, b"");
    let holder = first.child.id();
    let line = format!("error: cannot store: {out}: in use by process {holder}\n");
    assert_eq!((refused.status, refused.output.as_str()), (1, ""));
    assert_eq!(refused.errors, line);
    // Without the file that says so, too.
    fs::remove_file(directory.path().join("lock")).unwrap();
    let refused = run(&second, b"");
    assert_eq!((refused.status, refused.output.as_str()), (1, ""));
    assert!(refused.errors.starts_with("error: cannot store: "), "{}", refused.errors);

    assert_eq!(post(&first.connect(), 2), 204);
    first.kill();
    let third = start(directory.path(), &[]);
    assert_eq!(post(&third.connect(), 3), 204);
    third.stop();
    assert_eq!(stored(directory.path()), names([1, 2, 3]));
}

#[test]
fn what_reaches_no_file_is_not_acknowledged() {
    for fsync in [&[][..], &["--fsync"]] {
        let parent = tempdir().unwrap();
        let directory = parent.path().join("out");
        let receiver = start(&directory, fsync);
        let client = receiver.connect();
        assert_eq!((post(&client, 1), client.get("/healthz").status), (204, 200));
        fs::remove_dir_all(&directory).unwrap();
        for number in 2..50 {
            assert_eq!(post(&client, number), 500);
        }
        // Another directory of that name makes no difference.
        fs::create_dir(&directory).unwrap();
        assert_eq!((post(&client, 50), client.get("/healthz").status), (500, 503));
        let log = receiver.log();
        let said = log.iter().filter(|line| line.contains("the file was removed")).count();
        assert_eq!(said, 1, "{log:?}");
        drop(receiver);

        let again = start(&directory, fsync);
        assert_eq!(post(&again.connect(), 51), 204);
        again.stop();
        assert_eq!(stored(&directory), names([51]));
    }
}

/// A file system of 256 KiB, until this is dropped.
struct SmallDisk<'d>(&'d Path);

impl<'d> SmallDisk<'d> {
    /// Nothing where that is not permitted.
    fn mount(at: &'d Path) -> Option<Self> {
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(at);
        let mounted = mount.output().is_ok_and(|output| output.status.success());
        mounted.then_some(Self(at))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").args(["--lazy"]).arg(self.0).status();
    }
}

#[test]
fn a_full_disk_takes_whole_requests_or_nothing() {
    let directory = tempdir().unwrap();
    let Some(_disk) = SmallDisk::mount(directory.path()) else {
        eprintln!("skipped: no file system may be mounted here");
        return;
    };
    let ballast = directory.path().join("ballast");
    fs::write(&ballast, vec![0; 100 << 10]).unwrap();
    let receiver = start(directory.path(), &["--fsync"]);
    let client = receiver.connect();
    let (mut taken, mut refused) = (Vec::new(), 0);
    for number in 0..1500 {
        // There is room again, for a while.
        if number == 1000 {
            fs::remove_file(&ballast).unwrap();
        }
        match post(&client, number) {
            204 => taken.push(number),
            500 => refused += 1,
            status => panic!("{status}"),
        }
    }
    assert!(refused > 100 && taken.iter().any(|number| *number >= 1000), "{refused} refused");
    let log = receiver.log();
    assert!(log.iter().any(|line| line.contains("not stored: ")), "{log:?}");
    assert!(log.len() < 20, "{} lines: {log:?}", log.len());
    receiver.stop();
    assert_eq!(stored(directory.path()), names(taken));
}

#[test]
fn without_descriptors_who_is_there_is_served_and_who_comes_is_told() {
    let directory = tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let arguments = ["--out", out, "--shards", "3", "--fsync"];
    let receiver = Serving::start_with_descriptors(40, &arguments);
    let client = receiver.connect();
    assert_eq!(post(&client, 0), 204);

    let (mut idle, mut told) = (Vec::new(), 0);
    for _ in 0..100 {
        let Ok(stream) = TcpStream::connect(receiver.address) else { continue };
        idle.push(stream);
    }
    // Those that came last were not let in.
    for stream in idle.split_off(60) {
        let mut answer = Raw::from(stream);
        let answer = answer.answer();
        assert_eq!(answer[0], "HTTP/1.1 503 Service Unavailable");
        assert!(answer.iter().any(|line| line == "Retry-After: 1"), "{answer:?}");
        told += 1;
    }
    assert_eq!(told, 40);
    for number in 1..20 {
        assert_eq!(post(&client, number), 204);
    }
    let page = client.get("/metrics").body;
    assert!(page.contains("borrowire_connections_refused_total "), "{page}");
    // With a place, there is one for others.
    drop(idle);
    let another = loop {
        let client = receiver.connect();
        match client.try_post("/api/v1/write", &[SNAPPY, PROTOBUF], &request(20)) {
            Ok(answer) if answer.status == 204 => break client,
            _ => {}
        }
    };
    assert_eq!(post(&another, 21), 204);
    receiver.stop();
    assert_eq!(stored(directory.path()), names(0..22));
}
