//! Timestamps: missing, in parts, out of range, and at the edges of what Loki takes.

use std::time::{Duration, SystemTime};

use borrowire::Encode;
use borrowire::loki::{
    Entry, PushBatch, PushRequest, PushRequestEncoder, Rules, Stream, Timestamp, ViolationKind,
};
use borrowire::proto::logproto as proto;

use super::{LABELS, NOW, violation, with_entry};
use crate::support::bytes::Bytes;
use crate::support::bytes::loki::{entry, push, push_of, stream, timestamp};

#[test]
fn a_missing_timestamp_is_neither_the_epoch_nor_the_year_1() {
    let (absent, epoch) = (Bytes::new().len(2, "x"), Bytes::new().len(1, "").len(2, "x"));
    let year_1 = Bytes::new().len(1, timestamp(-62_135_596_800, 0)).len(2, "x");
    let times =
        [(absent, None), (epoch, Some(Timestamp::new(0, 0))), (year_1, Some(Timestamp::MIN))];
    for (content, time) in times {
        with_entry(&content, &content, |entry| {
            assert_eq!(entry.timestamp(), time);
            let generated = proto::EntryAdapter::try_from(entry).unwrap();
            assert_eq!(generated.timestamp.map(|time| Timestamp::from(&time)), time);
            // In the hands of a sender, too.
            let entries = [entry];
            let streams = [Stream::new(LABELS).with_entries(&entries)];
            let sent = PushRequestEncoder::new(streams).encode_to_vec().unwrap();
            assert_eq!(sent, push_of(&content));
            let mut batch = PushBatch::new();
            batch.push_with(LABELS, entry);
            assert_eq!(batch.encode_to_vec().unwrap(), push_of(&content));
        });
        let missing = violation(&content, &Rules::new());
        assert_eq!(missing, time.is_none().then_some(ViolationKind::MissingTimestamp { entry: 0 }));
    }
    // Each has its own, whatever the one before had.
    let content = [entry(NOW, 5, "a"), Bytes::new().len(2, "b"), Bytes::new().len(1, "")];
    let body = push(&[stream(LABELS, &content)]);
    let decoded = PushRequest::decode(&body).unwrap();
    let entries = decoded.streams().get(0).unwrap().entries();
    let times: Vec<_> = entries.iter().map(|entry| entry.timestamp()).collect();
    assert_eq!(times, [Some(Timestamp::new(NOW, 5)), None, Some(Timestamp::new(0, 0))]);
}

#[test]
fn the_parts_of_a_timestamp_merge() {
    let part = |seconds, nanos| Bytes::new().len(1, timestamp(seconds, nanos));
    let x = Bytes::new().len(2, "x");
    for (content, seconds, nanos) in [
        (part(5, 0).raw(part(0, 7)).raw(&x), 5, 7),
        (part(5, 0).raw(&x).raw(part(0, 7)), 5, 7),
        (x.clone().raw(part(5, 7)).raw(part(6, 0)), 6, 7),
        (part(1, 2).raw(part(3, 0)).raw(part(0, 4)).raw(&x), 3, 4),
        // In front of one and behind one that is read in one piece.
        (part(0, 7).raw(part(NOW, 0)).raw(&x), NOW, 7),
        (part(NOW, 0).raw(&x).raw(part(0, 7)), NOW, 7),
        (part(NOW, 7).raw(&x).raw(part(NOW + 1, 0)), NOW + 1, 7),
        (part(NOW, 7).raw(&x).raw(part(0, 0)), NOW, 7),
        // A zero that is written out counts.
        (part(NOW, 7).raw(&x).len(1, Bytes::new().int(2, 0)), NOW, 0),
        // Fields of the timestamp in the other order, and more than once.
        (x.clone().len(1, Bytes::new().int(2, 7).int(1, NOW)), NOW, 7),
        (x.clone().len(1, Bytes::new().int(1, 1).int(1, 2).int(2, 3).int(2, 4)), 2, 4),
    ] {
        with_entry(&content, &entry(seconds, nanos, "x"), |entry| {
            let nanos = i32::try_from(nanos).unwrap();
            assert_eq!(entry.timestamp(), Some(Timestamp::new(seconds, nanos)));
        });
    }
}

#[test]
fn nanoseconds_out_of_range_are_kept_and_reported() {
    for nanos in [-1, 1_000_000_000, i32::MIN, i32::MAX] {
        for seconds in [1, NOW] {
            let content = entry(seconds, nanos.into(), "x");
            with_entry(&content, &content, |entry| {
                let time = entry.timestamp().unwrap();
                assert_eq!(time, Timestamp::new(seconds, nanos));
                assert!(!time.is_valid());
                assert_eq!((time.to_unix_nanos(), time.to_unix_millis()), (None, None));
                assert_eq!(time.to_system_time(), None);
            });
            let invalid = Some(ViolationKind::InvalidTimestamp { entry: 0 });
            assert_eq!(violation(&content, &Rules::new()), invalid);
        }
    }
    // Of what an int32 cannot hold the low 32 bits count.
    let nanos =
        |value: i64| Bytes::new().len(1, Bytes::new().int(1, NOW).int(2, value)).len(2, "x");
    with_entry(&nanos((1 << 32) + 5), &entry(NOW, 5, "x"), |_| {});
    with_entry(&nanos((1 << 32) - 1), &entry(NOW, -1, "x"), |_| {});
    with_entry(&nanos(1 << 31), &entry(NOW, i32::MIN.into(), "x"), |_| {});
    with_entry(&nanos(1 << 34), &entry(NOW, 0, "x"), |_| {});
}

#[test]
fn times_at_the_edges_of_what_loki_takes() {
    let last = 999_999_999;
    for (seconds, nanos, valid) in [
        (-62_135_596_801, last, false),
        (-62_135_596_800, 0, true),
        (-1, last, true),
        (0, 0, true),
        (253_402_300_799, last, true),
        (253_402_300_800, 0, false),
        (i64::MIN, 0, false),
        (i64::MAX, last, false),
        // The least and the greatest number of five bytes, and those next to them.
        ((1 << 28) - 1, 0, true),
        (1 << 28, last, true),
        ((1 << 35) - 1, last, true),
        (1 << 35, 0, true),
    ] {
        let content = entry(seconds, nanos, "x");
        with_entry(&content, &content, |entry| {
            let time = entry.timestamp().unwrap();
            assert_eq!((time.seconds, i64::from(time.nanos)), (seconds, nanos));
            assert_eq!(time.is_valid(), valid, "{time}");
            assert_eq!(time.to_unix_millis(), valid.then(|| seconds * 1000 + nanos / 1_000_000));
        });
        let found = violation(&content, &Rules::new());
        assert_eq!(found, (!valid).then_some(ViolationKind::InvalidTimestamp { entry: 0 }));
    }
    // Every length of the nanoseconds.
    for bits in 0..30 {
        for nanos in [(1 << bits) - 1, 1 << bits] {
            let content = entry(NOW, nanos, "x");
            with_entry(&content, &content, |_| {});
        }
    }
    let old =
        violation(&entry(NOW, 0, "x"), &Rules::new().with_timestamps(NOW * 1000 + 1, i64::MAX));
    assert_eq!(old, Some(ViolationKind::TimestampOutOfRange { entry: 0 }));
    let edges = Rules::new().with_timestamps(NOW * 1000, NOW * 1000);
    assert_eq!(violation(&entry(NOW, 999_999, "x"), &edges), None);
    assert!(violation(&entry(NOW, 1_000_000, "x"), &edges).is_some());
}

#[test]
fn nanoseconds_since_the_epoch_are_split_downwards() {
    for (unix, seconds, nanos, bytes) in [
        (
            -1,
            -1,
            999_999_999,
            &b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\xff\x93\xeb\xdc\x03"[..],
        ),
        (-999_999_999, -1, 1, b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\x01"),
        (-1_000_000_000, -1, 0, b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        (
            -1_000_000_001,
            -2,
            999_999_999,
            b"\x08\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01\x10\xff\x93\xeb\xdc\x03",
        ),
        (
            i64::MIN,
            -9_223_372_037,
            145_224_192,
            b"\x08\xfb\x85\xfa\xd1\xdd\xff\xff\xff\xff\x01\x10\x80\xe4\x9f\x45",
        ),
        (
            1_604_916_000_123_000_000,
            1_604_916_000,
            123_000_000,
            b"\x08\xa0\xa6\xa4\xfd\x05\x10\xc0\xa9\xd3\x3a",
        ),
        (
            1_604_916_000_005_000_000,
            1_604_916_000,
            5_000_000,
            b"\x08\xa0\xa6\xa4\xfd\x05\x10\xc0\x96\xb1\x02",
        ),
    ] {
        let time = Timestamp::from_unix_nanos(unix);
        assert_eq!(time, Timestamp::new(seconds, nanos));
        assert_eq!(time.to_unix_nanos(), Some(unix));
        assert_eq!(time.to_unix_millis(), Some(unix.div_euclid(1_000_000)));
        assert_eq!(time.encode_to_vec().unwrap(), bytes);
        let written = Bytes::new().len(1, bytes).len(2, "x").build();
        assert_eq!(Entry::new(time, b"x").encode_to_vec().unwrap(), written);
    }
    let before = SystemTime::UNIX_EPOCH - Duration::from_nanos(1);
    assert_eq!(Timestamp::from_system_time(before), Some(Timestamp::from_unix_nanos(-1)));
    assert_eq!(Timestamp::from_unix_nanos(-1).to_system_time(), Some(before));
    // Valid, but out of what 64 bits of nanoseconds hold.
    for time in [Timestamp::MIN, Timestamp::MAX] {
        assert!(time.is_valid());
        assert_eq!(time.to_unix_nanos(), None);
    }
}
