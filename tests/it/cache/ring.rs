//! The ring against a model of it.

use borrowire::Encode;
use borrowire::cache::frame::CacheEntry;
use borrowire::cache::{CacheError, Ring};
use borrowire::wire::{BufferFull, Writer};
use proptest::prelude::*;

use crate::support::cache_model::{Checked, Fault, HEADER};

/// One push of four fails.
fn fault() -> impl Strategy<Value = Option<Fault>> {
    let faults = proptest::sample::select(&[Fault::Short, Fault::Full, Fault::Panic][..]);
    proptest::option::weighted(0.25, faults)
}

proptest! {
    #[test]
    fn a_ring_does_what_the_model_does(
        capacity in HEADER..400,
        pushes in proptest::collection::vec((0..40_usize, 0..120_usize, fault()), 1..200),
    ) {
        let mut ring = Checked::new(capacity);
        for (number, (key, value, fault)) in pushes.into_iter().enumerate() {
            match fault {
                Some(fault) => ring.fail(value, fault),
                None => ring.push(number as u64, key, value),
            }
        }
    }
}

/// The end of the array at each place of an entry, and each size of the gap in front of it.
#[test]
fn entries_wrap_at_every_offset() {
    for len in [HEADER, HEADER + 1, HEADER + 17, 100] {
        for first in HEADER..HEADER + 200 {
            let capacity = 250;
            let mut ring = Checked::new(capacity);
            ring.push(0, 0, first - HEADER);
            for number in 1..30 {
                ring.push(number, len - HEADER, 0);
            }
        }
    }
    for gap in 0..=200 {
        let (small, large) = (HEADER + 30, HEADER + 201);
        let capacity = small * 4 + gap;
        let mut ring = Checked::new(capacity);
        for number in 0..40 {
            let len = if number % 5 == 4 { large } else { small };
            ring.push(number, 1, len - HEADER - 1);
        }
    }
}

#[test]
fn an_entry_may_take_the_whole_ring() {
    for capacity in [HEADER, HEADER + 1, 100, 65_536] {
        let mut ring = Checked::new(capacity);
        for number in 0..5 {
            ring.push(number, 0, capacity - HEADER);
            assert_eq!((ring.used(), ring.live()), (capacity, 1));
            // From somewhere in the middle as well.
            ring.push(number + 100, 0, (capacity - HEADER) / 3);
            ring.push(number + 200, 0, capacity - HEADER + 1);
        }
    }
}

#[test]
fn rings_that_hold_nothing_or_too_much_are_refused() {
    for capacity in [0, 1, HEADER - 1] {
        let error = CacheError::ShardTooSmall { shard_bytes: capacity, min_bytes: HEADER };
        assert_eq!(Ring::new(capacity).unwrap_err(), error);
    }
    let error = Ring::new(1 << 32).unwrap_err();
    assert!(matches!(error, CacheError::ShardTooLarge { shard_bytes: 0x1_0000_0000, .. }));
}

/// Takes its bytes, and leaves them as they are.
struct Lazy;

impl Encode for Lazy {
    fn encoded_len(&self) -> usize {
        40
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.take(40).map(drop)
    }
}

#[test]
fn nothing_of_an_entry_that_left_is_in_another() {
    let mut ring = Ring::new(HEADER + 80).unwrap();
    ring.push(&CacheEntry::new(0, 0, &[0xaa; 40], &[0xaa; 40]), |_, _| {}).unwrap();
    let position = ring.push(&CacheEntry::new(0, 0, Lazy, Lazy), |_, _| {}).unwrap();
    let entry = ring.get(position).unwrap();
    assert_eq!((entry.key, entry.value), (&[0; 40][..], &[0; 40][..]));
    ring.push(&CacheEntry::new(0, 0, &[0xaa; 40], &[0xaa; 40]), |_, _| {}).unwrap();
    let position = ring.push(&CacheEntry::new(0, 0, &[1; 40], Lazy), |_, _| {}).unwrap();
    assert_eq!(ring.get(position).unwrap().value, [0; 40]);
}

#[test]
fn a_cleared_ring_is_empty_and_takes_entries() {
    let mut ring = Checked::new(300);
    for number in 0..7 {
        ring.push(number, 3, 50);
        if number % 3 == 2 {
            ring.clear();
        }
    }
}
