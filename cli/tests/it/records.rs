//! Files of records: torn tails, and damage.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::Path;

use borrowire::Encode;
use borrowire::cache::frame::{CacheEntry, Frame};
use borrowire_cli::records::{RecordFile, Records, Recovered};
use tempfile::tempdir;

fn frame(value: &[u8]) -> Vec<u8> {
    Frame::new(CacheEntry::new(7, 0, b"remote-write-v1/tenant", value)).encode_to_vec().unwrap()
}

/// The values of all records of a file.
pub fn values(path: &Path) -> Vec<Vec<u8>> {
    let mut records = Records::new(File::open(path).unwrap());
    let mut values = Vec::new();
    while records.advance().unwrap().unwrap() {
        values.push(records.record().unwrap().value.to_vec());
    }
    values
}

#[test]
fn what_is_appended_is_there_when_the_file_is_opened_again() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("records");
    let mut wanted = Vec::new();
    for round in 0..3_u8 {
        let (mut file, recovered) = RecordFile::open(&path).unwrap();
        assert_eq!((recovered.records, recovered.torn_bytes), (wanted.len() as u64, 0));
        assert_eq!(file.end(), recovered.bytes);
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
    let directory = tempdir().unwrap();
    let path = directory.path().join("records");
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
            assert_eq!(fs::read(directory.path().join("records.torn")).unwrap_or_default(), kept);
            file.append(&frame(b"third")).unwrap();
            assert_eq!(values(&path), [&b"first"[..], b"third"]);
        }
    }
}

#[test]
fn damage_in_the_middle_is_no_torn_tail() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("records");
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
    let directory = tempdir().unwrap();
    let (mut file, _) = RecordFile::open(&directory.path().join("records")).unwrap();
    let synced = file.append(&frame(b"first")).unwrap();
    file.append(&frame(b"lost")).unwrap();
    assert!(file.handle().is_ok());
    file.fail(synced);
    // Nobody was told that it is there.
    assert_eq!(file.end(), synced);
    // Others wait for a sync of the same file: it would succeed, without what was dropped.
    assert!(file.handle().is_err());
    assert!(file.append(&frame(b"second")).is_err());
}

#[test]
fn a_file_is_open_once() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("records");
    let open = RecordFile::open(&path).unwrap();
    assert!(RecordFile::open(&path).is_err());
    drop(open);
    assert!(RecordFile::open(&path).is_ok());
}

#[test]
fn what_was_appended_can_be_taken_back_until_it_is_promised() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("records");
    let (mut file, _) = RecordFile::open(&path).unwrap();
    let first = file.append(&frame(b"first")).unwrap();
    file.append(&frame(b"second")).unwrap();
    file.take_back(first);
    file.append(&frame(b"third")).unwrap();
    assert_eq!(values(&path), [&b"first"[..], b"third"]);
}

#[test]
fn what_others_wrote_is_not_cut_off() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("records");
    let (mut file, _) = RecordFile::open(&path).unwrap();
    file.append(&frame(b"first")).unwrap();
    let theirs = frame(b"of somebody who looks at no lock");
    OpenOptions::new().append(true).open(&path).unwrap().write_all(&theirs).unwrap();
    let error = file.append(&frame(b"second")).unwrap_err();
    assert!(error.to_string().ends_with("somebody else changed the file"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), [frame(b"first"), theirs].concat());
}

#[cfg(unix)]
#[test]
fn a_file_that_was_removed_takes_nothing() {
    let directory = tempdir().unwrap();
    let path = directory.path().join("records");
    let (mut file, _) = RecordFile::open(&path).unwrap();
    file.append(&frame(b"first")).unwrap();
    fs::remove_file(&path).unwrap();
    let error = file.append(&frame(b"second")).unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::NotFound);
    assert!(file.check().is_err());
}
