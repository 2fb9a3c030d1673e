//! A ring, and a model of it: a queue of entries, and arithmetic of where they would lie.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use borrowire::Encode;
use borrowire::cache::frame::CacheEntry;
use borrowire::cache::{CacheError, Ring, RingPosition};
use borrowire::wire::{BufferFull, Writer};

pub const HEADER: usize = 24;

/// What a ring does, in the words of its contract: an entry lies in one piece, behind the one before or, where
/// it does not fit there, at the start; it overwrites the oldest.
struct Model {
    capacity: usize,
    /// Where the next one goes.
    at: usize,
    live: VecDeque<Lying>,
}

struct Lying {
    number: u64,
    start: usize,
    len: usize,
    position: RingPosition,
}

impl Model {
    fn new(capacity: usize) -> Self {
        Self { capacity, at: 0, live: VecDeque::new() }
    }

    /// The numbers of the entries that an entry of so many bytes evicts, and where it lies.
    fn make_room(&mut self, len: usize) -> (Vec<u64>, usize) {
        let mut evicted = Vec::new();
        let overlaps = |lying: &Lying, start: usize, end: usize| {
            lying.start < end && start < lying.start + lying.len
        };
        let start = if self.at + len > self.capacity {
            // The rest of the array goes unused, and with it what is still there.
            while self.live.front().is_some_and(|oldest| oldest.start >= self.at) {
                evicted.extend(self.live.pop_front().map(|oldest| oldest.number));
            }
            0
        } else {
            self.at
        };
        while self.live.front().is_some_and(|oldest| overlaps(oldest, start, start + len)) {
            evicted.extend(self.live.pop_front().map(|oldest| oldest.number));
        }
        self.at = start + len;
        (evicted, start)
    }
}

/// A ring that is compared with the model after each operation.
pub struct Checked {
    ring: Ring,
    model: Model,
}

impl Checked {
    pub fn new(capacity: usize) -> Self {
        let ring = Ring::new(capacity).expect("large enough");
        Self { ring, model: Model::new(capacity) }
    }

    pub fn used(&self) -> usize {
        self.ring.used()
    }

    /// How many entries there are.
    pub fn live(&self) -> usize {
        self.model.live.len()
    }

    /// Writes an entry whose bytes tell its number.
    pub fn push(&mut self, number: u64, key_len: usize, value_len: usize) {
        let Self { ring, model } = self;
        let fill = number as u8;
        let (key, value) = (vec![fill; key_len], vec![!fill; value_len]);
        let mut evicted = Vec::new();
        let result =
            ring.push(&CacheEntry::new(number, number, &key, &value), |position, entry| {
                evicted.push((position, entry.hash));
                assert_filled(entry.hash, entry.key, entry.value);
            });
        let len = HEADER + key_len + value_len;
        match result {
            Ok(position) => {
                assert!(len <= model.capacity);
                let before: Vec<_> = model.live.iter().map(|lying| lying.position).collect();
                let (expected, start) = model.make_room(len);
                let numbers: Vec<_> = evicted.iter().map(|&(_, number)| number).collect();
                assert_eq!(numbers, expected, "first in, first out, and none too early");
                let positions: Vec<_> = evicted.iter().map(|&(position, _)| position).collect();
                assert_eq!(positions, before[..positions.len()]);
                for position in positions {
                    assert!(ring.get(position).is_none(), "what was evicted is never read");
                }
                model.live.push_back(Lying { number, start, len, position });
            }
            Err(error) => {
                let shard_bytes = model.capacity;
                assert_eq!(error, CacheError::EntryTooLarge { entry_bytes: len, shard_bytes });
                assert!(len > model.capacity);
                assert_eq!(evicted, [], "nothing leaves for an entry that cannot be stored");
            }
        }
        self.check();
    }

    /// Writes an entry whose value takes less than it announced, or fails, or panics: there is none then, and
    /// all but what made room for it is as it was.
    pub fn fail(&mut self, value_len: usize, how: Fault) {
        let Self { ring, model } = self;
        let len = HEADER + value_len;
        let mut evicted = Vec::new();
        let entry = CacheEntry::new(0, 0, b"", Liar { len: value_len, how });
        let push = || ring.push(&entry, |_, entry| evicted.push(entry.hash));
        match (catch_unwind(AssertUnwindSafe(push)), how) {
            (Ok(Err(CacheError::EntryTooLarge { .. })), _) if len > model.capacity => {
                assert!(evicted.is_empty());
            }
            (Ok(Err(CacheError::WrongLength { .. })), Fault::Short | Fault::Full)
            | (Err(_), Fault::Panic) => {
                let (expected, start) = model.make_room(len);
                assert_eq!(evicted, expected);
                model.at = start;
            }
            (result, how) => panic!("{how:?}: {:?}", result.map_err(drop)),
        }
        self.check();
    }

    pub fn clear(&mut self) {
        self.ring.clear();
        let gone = std::mem::take(&mut self.model.live);
        assert_eq!(self.ring.used(), 0);
        assert!(gone.iter().all(|lying| self.ring.get(lying.position).is_none()));
    }

    /// All entries are there, each with its own bytes.
    fn check(&self) {
        let live: usize = self.model.live.iter().map(|lying| lying.len).sum();
        assert!(live <= self.ring.used() && self.ring.used() <= self.ring.capacity());
        for lying in &self.model.live {
            let entry = self.ring.get(lying.position).expect("it was not evicted");
            assert_eq!((entry.hash, entry.encoded_len()), (lying.number, lying.len));
            assert_filled(lying.number, entry.key, entry.value);
        }
    }
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    Short,
    Full,
    Panic,
}

struct Liar {
    len: usize,
    how: Fault,
}

impl Encode for Liar {
    fn encoded_len(&self) -> usize {
        self.len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.take(self.len / 2)?.fill(0xee);
        match self.how {
            // One of no bytes at all has nothing to be short of.
            Fault::Short if self.len > 0 => Ok(()),
            Fault::Short | Fault::Full => Err(BufferFull),
            // Without the message of a panic.
            Fault::Panic => resume_unwind(Box::new(())),
        }
    }
}

/// An entry is its own: no byte of another one is in it.
fn assert_filled(number: u64, key: &[u8], value: &[u8]) {
    assert!(key.iter().all(|&byte| byte == number as u8), "{number}");
    assert!(value.iter().all(|&byte| byte == !(number as u8)), "{number}");
}
