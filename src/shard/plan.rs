//! Which record goes into which part: two passes of a counting sort.
//!
//! ```text
//! shards of records  2 0 2 1 2         runs, as they are opened   2 0 1
//! assignments        a b c d e         parts, by shard            0 1 2
//! records, sorted    b | d | a c e     only for parts that are written one by one
//! ```
//!
//! A run is what a part has of one list, so a part is one run or two. Where parts have a limit,
//! records of the second list (metadata) go to the part of their shard that has the most room, and
//! make parts of their own only where that is not enough.

use alloc::vec::Vec;

use super::slots::{NONE, Slots};
use crate::message::columns::{index, range, sum, used_bytes, vec_bytes};
use crate::message::request::Raw;
use crate::wire::{impossible, to_usize};
use core::cmp::Reverse;

#[derive(Clone, Default)]
pub(super) struct Plan {
    /// In wire order; more than one for a record with replicas.
    pub(super) assignments: Vec<Assignment>,
    /// In the order in which they were opened.
    pub(super) runs: Vec<Run>,
    /// In the order of shards.
    pub(super) parts: Vec<PartRuns>,
    /// Records that no run takes.
    pub(super) oversized: Vec<Long>,
    /// The records of the assignments, sorted by run.
    records: Vec<Raw>,
    slots: Slots,
    /// The runs of the first list, by shard, while the second is planned.
    shelves: Vec<Shelf>,
    /// The shards that the second list meets.
    shards: Vec<Shelves>,
}

/// A run of the first list with the room that it leaves in its part.
#[derive(Clone, Copy)]
struct Shelf {
    shard: u32,
    room: usize,
    first: u32,
    /// The run of the second list in that room.
    second: u32,
}

/// Where records of the second list can go in a shard.
#[derive(Clone, Copy)]
struct Shelves {
    shard: u32,
    /// Its shelves, a heap: the one with the most room comes first.
    start: usize,
    end: usize,
    /// A run that has a part of its own.
    own: u32,
    /// Where the last record ends.
    record_end: u32,
}

/// A record that no run takes.
#[derive(Clone, Copy)]
pub(super) struct Long {
    /// Whether it is in the first of the request's lists.
    pub(super) is_first: bool,
    pub(super) index: usize,
    pub(super) bytes: usize,
}

/// A record, and the run that it belongs to. It stands from byte to byte of the body, or, where
/// there is no body, from its index to the next.
#[derive(Clone, Copy, Default)]
pub(super) struct Assignment {
    pub(super) record: Raw,
    pub(super) run: u32,
}

/// Records of one list, in wire order, which are not interrupted in the part that they go to.
#[derive(Clone, Copy)]
pub(super) struct Run {
    shard: u32,
    /// Whether it is of the first of the request's lists.
    is_first: bool,
    /// Its place among the runs of its shard and list.
    position: u32,
    /// Whether there is another one behind it.
    followed: bool,
    /// The run of the first list that it shares a part with.
    partner: u32,
    /// Where the last record ends; only kept with replicas.
    end: u32,
    pub(super) records: u32,
    /// Bytes of the records.
    pub(super) len: usize,
    /// Where its records end, once they are sorted.
    records_end: usize,
    /// Where its next record goes in an output of all parts.
    pub(super) next: usize,
}

/// A part, by the numbers of its runs.
#[derive(Clone, Copy)]
pub(super) struct PartRuns {
    pub(super) shard: u32,
    pub(super) first: u32,
    pub(super) second: u32,
}

impl Plan {
    pub(super) fn clear(&mut self) {
        self.assignments.clear();
        self.runs.clear();
        self.parts.clear();
        self.oversized.clear();
        self.records.clear();
    }

    /// Puts the records of a list, each to the run of one shard.
    #[inline]
    pub(super) fn add_records(
        &mut self,
        is_first: bool,
        room: usize,
        records: impl ExactSizeIterator<Item = (Raw, usize)>,
        mut shard_of: impl FnMut(usize) -> u32,
    ) {
        let Self { runs, slots, assignments, oversized, .. } = self;
        let first = runs.len();
        let old = assignments.len();
        assignments.resize(old.saturating_add(records.len()), Assignment::default());
        let new = assignments.get_mut(old..).unwrap_or_else(impossible);
        for ((at, (record, len)), assignment) in records.enumerate().zip(new) {
            let shard = shard_of(at);
            let mut run = slots.get(shard);
            if !fill(runs, run, len, room) {
                run = if len <= room {
                    open(runs, slots, is_first, shard, len)
                } else {
                    oversized.push(Long { is_first, index: at, bytes: len });
                    NONE
                };
            }
            *assignment = Assignment { record, run };
        }
        self.end_list(first);
    }

    /// Puts the records of a list, each to the runs of any number of shards.
    pub(super) fn add_replicas<S: IntoIterator<Item = u32>>(
        &mut self,
        is_first: bool,
        room: usize,
        records: impl ExactSizeIterator<Item = (Raw, usize)>,
        mut shards_of: impl FnMut(usize) -> Option<S>,
    ) {
        let Self { runs, slots, assignments, oversized, .. } = self;
        let first = runs.len();
        for (at, (record, len)) in records.enumerate() {
            if len > room {
                oversized.push(Long { is_first, index: at, bytes: len });
                continue;
            }
            for shard in shards_of(at).into_iter().flatten() {
                let mut run = slots.get(shard);
                // Not again to where it is the last one.
                if self::at(runs, run).is_some_and(|run| run.end == record.end) {
                    continue;
                }
                if !fill(runs, run, len, room) {
                    run = open(runs, slots, is_first, shard, len);
                }
                if let Some(run) = at_mut(runs, run) {
                    run.end = record.end;
                }
                assignments.push(Assignment { record, run });
            }
        }
        self.end_list(first);
    }

    /// Puts the records of the second list, in parts of limited size, each to any number of shards.
    pub(super) fn add_fitting<S: IntoIterator<Item = u32>>(
        &mut self,
        room: usize,
        records: impl ExactSizeIterator<Item = (Raw, usize)>,
        mut shards_of: impl FnMut(usize) -> Option<S>,
    ) {
        let Self { runs, slots, assignments, oversized, shelves, shards, .. } = self;
        shelves.clear();
        shelves.extend((0..).zip(&*runs).map(|(first, run)| {
            let room = room.saturating_sub(run.len);
            Shelf { shard: run.shard, room, first, second: NONE }
        }));
        // In descending order each shard's are a heap.
        shelves.sort_unstable_by_key(|shelf| (shelf.shard, Reverse(shelf.order())));
        shards.clear();
        for same in shelves.chunk_by(|one, other| one.shard == other.shard) {
            let start = shards.last().map_or(0, |before: &Shelves| before.end);
            let shard = same.first().map_or(0, |shelf| shelf.shard);
            slots.set(shard, index(shards.len()));
            let end = start.saturating_add(same.len());
            shards.push(Shelves { shard, start, end, own: NONE, record_end: NONE });
        }
        for (at, (record, len)) in records.enumerate() {
            let to = shards_of(at);
            if len > room {
                oversized.push(Long { is_first: false, index: at, bytes: len });
                continue;
            }
            for shard in to.into_iter().flatten() {
                let mut slot = slots.get(shard);
                if slot == NONE {
                    slot = index(shards.len());
                    slots.set(shard, slot);
                    shards.push(Shelves { shard, start: 0, end: 0, own: NONE, record_end: NONE });
                }
                let Some(own) = at_mut(shards, slot) else { return impossible() };
                // Not again to where it is the last one.
                if own.record_end == record.end {
                    continue;
                }
                own.record_end = record.end;
                let heap = shelves.get_mut(own.start..own.end).unwrap_or_else(impossible);
                let run = match put(heap, runs, len) {
                    Some(run) => run,
                    None => {
                        if !fill(runs, own.own, len, room) {
                            own.own = new_run(runs, shard, len, NONE);
                        }
                        own.own
                    }
                };
                assignments.push(Assignment { record, run });
            }
        }
        slots.clear(shards.iter().map(|own| own.shard));
    }

    /// Ends the list whose runs began with number `first`.
    fn end_list(&mut self, first: usize) {
        let runs = self.runs.get(first..).unwrap_or_else(impossible);
        self.slots.clear(runs.iter().map(|run| run.shard));
    }

    /// Makes parts of the runs, in order. A shard with one run of each list gets one part of both,
    /// if they fit.
    pub(super) fn make_parts(&mut self, room: usize) {
        let runs = &self.runs;
        self.parts.extend((0..).zip(runs).map(|(number, run)| {
            let (first, second) = if run.is_first { (number, NONE) } else { (NONE, number) };
            PartRuns { shard: run.shard, first, second }
        }));
        // Runs of the first list come first, so that their parts have their numbers.
        for (number, run) in (0..).zip(runs) {
            if let Some(part) = at_mut(&mut self.parts, run.partner) {
                part.second = number;
            }
        }
        self.parts.retain(|part| {
            at(runs, part.second).is_none_or(|run| part.first != NONE || run.partner == NONE)
        });
        // A run is opened behind those that it follows, and `NONE` is the largest number.
        self.parts.sort_unstable_by_key(|part| (part.shard, part.first, part.second));
        self.parts.dedup_by(|later, part| {
            let (Some(first), Some(second)) = (at(runs, part.first), at(runs, later.second)) else {
                return false;
            };
            let whole = |run: &Run| run.position == 0 && !run.followed;
            let joined = part.shard == later.shard
                && part.second == NONE
                && whole(first)
                && whole(second)
                && second.len <= room.saturating_sub(first.len);
            if joined {
                part.second = later.second;
            }
            joined
        });
    }

    /// Sorts the records by run, once.
    pub(super) fn sort(&mut self) {
        if self.records.len() == self.assignments.len() {
            return;
        }
        let mut first = 0_usize;
        for run in &mut self.runs {
            run.records_end = first;
            first = first.saturating_add(to_usize(run.records));
        }
        self.records.resize(self.assignments.len(), Raw::default());
        for assignment in &self.assignments {
            let Some(run) = at_mut(&mut self.runs, assignment.run) else { continue };
            if let Some(record) = self.records.get_mut(run.records_end) {
                *record = assignment.record;
            }
            run.records_end = run.records_end.saturating_add(1);
        }
    }

    /// Bytes of what is planned.
    pub(super) fn used_bytes(&self) -> usize {
        sum([used_bytes(&self.assignments), used_bytes(&self.runs), used_bytes(&self.records)])
    }

    /// Heap bytes that the plan holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.assignments),
            vec_bytes(&self.runs),
            vec_bytes(&self.parts),
            vec_bytes(&self.oversized),
            vec_bytes(&self.records),
            self.slots.capacity_bytes(),
            vec_bytes(&self.shelves),
            vec_bytes(&self.shards),
        ])
    }

    pub(super) fn run(&self, number: u32) -> Option<&Run> {
        at(&self.runs, number)
    }

    /// Where the records of a run, which must be sorted, begin among all.
    pub(super) fn first_record_of(&self, run: &Run) -> usize {
        run.records_end.saturating_sub(to_usize(run.records))
    }

    /// Sorted records.
    pub(super) fn records(&self, (start, end): (usize, usize)) -> &[Raw] {
        self.records.get(start..end).unwrap_or_else(impossible)
    }

    /// The records of a run, which must be sorted.
    pub(super) fn records_of(&self, run: &Run) -> &[Raw] {
        self.records((self.first_record_of(run), run.records_end))
    }
}

/// Counts a record of `len` bytes in a run; whether there is such a run, with room for it.
#[inline]
fn fill(runs: &mut [Run], number: u32, len: usize, room: usize) -> bool {
    let Some(run) = at_mut(runs, number) else { return false };
    let filled = run.len.saturating_add(len);
    let fits = filled <= room;
    if fits {
        run.len = filled;
        run.records = run.records.saturating_add(1);
    }
    fits
}

/// Opens another run of `shard` with a record of `len` bytes, and returns its number.
#[cold]
fn open(runs: &mut Vec<Run>, slots: &mut Slots, is_first: bool, shard: u32, len: usize) -> u32 {
    let number = index(runs.len());
    let position = at_mut(runs, slots.get(shard)).map_or(0, |full| {
        full.followed = true;
        full.position.saturating_add(1)
    });
    slots.set(shard, number);
    runs.push(Run {
        shard,
        is_first,
        position,
        followed: false,
        partner: NONE,
        end: NONE,
        records: 1,
        len,
        records_end: 0,
        next: 0,
    });
    number
}

/// Opens a run of the second list, which shares a part with `partner` if there is one.
fn new_run(runs: &mut Vec<Run>, shard: u32, len: usize, partner: u32) -> u32 {
    let number = index(runs.len());
    runs.push(Run {
        shard,
        is_first: false,
        position: 0,
        followed: true,
        partner,
        end: NONE,
        records: 1,
        len,
        records_end: 0,
        next: 0,
    });
    number
}

impl Shelf {
    /// The order in a heap: by room, and of the same room the first one.
    const fn order(&self) -> (usize, Reverse<u32>) {
        (self.room, Reverse(self.first))
    }
}

/// Puts a record of `len` bytes on the shelf that has the most room, if that is enough, and tells
/// the number of its run.
fn put(heap: &mut [Shelf], runs: &mut Vec<Run>, len: usize) -> Option<u32> {
    let shelf = heap.first_mut()?;
    shelf.room = shelf.room.checked_sub(len)?;
    if !fill(runs, shelf.second, len, usize::MAX) {
        shelf.second = new_run(runs, shelf.shard, len, shelf.first);
    }
    let run = shelf.second;
    // The shelf sinks to its place.
    let mut at = 0_usize;
    loop {
        let child = at.saturating_mul(2).saturating_add(1);
        let order = |at: usize| heap.get(at).map(Shelf::order);
        let larger =
            child.saturating_add(usize::from(order(child.saturating_add(1)) > order(child)));
        if order(larger) <= order(at) {
            return Some(run);
        }
        heap.swap(at, larger);
        at = larger;
    }
}

/// The bytes of a body where a record stands.
#[inline]
pub(super) fn bytes_of(record: Raw, body: &[u8]) -> &[u8] {
    range(body, record.start, record.end)
}

fn at<T>(items: &[T], position: u32) -> Option<&T> {
    items.get(to_usize(position))
}

#[inline]
pub(super) fn at_mut<T>(items: &mut [T], position: u32) -> Option<&mut T> {
    items.get_mut(to_usize(position))
}
