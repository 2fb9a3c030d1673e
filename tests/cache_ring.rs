//! The ring against a model of it.

mod cache_model;

use borrowire::Encode;
use borrowire::cache::frame::Entry;
use borrowire::cache::{CacheErrorKind, Ring};
use borrowire::wire::{BufferFull, Writer};
use proptest::prelude::*;

use cache_model::{Checked, HEADER};

proptest! {
    #[test]
    fn a_ring_does_what_the_model_does(
        capacity in HEADER..400,
        sizes in proptest::collection::vec((0..40_usize, 0..120_usize), 1..200),
    ) {
        let mut ring = Checked::new(capacity);
        for (number, (key, value)) in sizes.into_iter().enumerate() {
            ring.push(number as u64, key, value);
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
        let error = Ring::new(capacity).unwrap_err();
        assert_eq!(error.kind(), CacheErrorKind::ShardTooSmall);
        assert_eq!((error.needed(), error.available()), (HEADER, capacity));
    }
    let error = Ring::new(1 << 32).unwrap_err();
    assert_eq!(error.kind(), CacheErrorKind::ShardTooLarge);
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

/// Announces one length, and writes fewer bytes, or fails.
struct Liar(bool);

impl Encode for Liar {
    fn encoded_len(&self) -> usize {
        10
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(b"short")?;
        if self.0 { Ok(()) } else { Err(BufferFull) }
    }
}

#[test]
fn an_entry_that_breaks_its_word_is_not_there() {
    let mut ring = Ring::new(300).unwrap();
    for number in 0..20 {
        let newest = ring.push(&Entry::new(number, 0, b"key", &[1; 40]), |_, _| {}).unwrap();
        let used = ring.used();
        let mut evicted = 0;
        let entry = Entry::new(0, 0, b"key", Liar(number % 2 == 0));
        let error = ring.push(&entry, |_, _| evicted += 1).unwrap_err();
        assert_eq!(error.kind(), CacheErrorKind::WrongLength);
        // At most, room was made for it.
        assert!(ring.used() <= used && evicted <= 1);
        assert_eq!(ring.get(newest).unwrap().timestamp, number);
    }
}
