//! Which record goes into which part: two passes of a counting sort.
//!
//! ```text
//! shards of records  2 0 2 1 2         runs, as they are opened   2 0 1
//! assignments        a b c d e         parts, by shard            0 1 2
//! spans, sorted      b | d | a c e     only for parts that are written one by one
//! ```
//!
//! A run is what a part has of one list, so a part is one run or two.

use alloc::vec::Vec;

use super::request::RecordList;
use super::slots::Slots;
use crate::message::columns::{index, range};

/// No run.
pub(super) const NONE: u32 = u32::MAX;

#[derive(Clone, Default)]
pub(super) struct Plan {
    /// In wire order; more than one for a record with replicas.
    pub(super) assignments: Vec<Assignment>,
    /// In the order in which they were opened.
    pub(super) runs: Vec<Run>,
    /// In the order of shards.
    pub(super) parts: Vec<PartRuns>,
    /// Records that no run takes: list, index and bytes.
    pub(super) oversized: Vec<(RecordList, usize, usize)>,
    /// The assignments' spans, sorted by run.
    spans: Vec<Span>,
    slots: Slots,
}

/// Where a record stands: from byte to byte of the body, or from its index to the next where there is no
/// body.
#[derive(Clone, Copy, Default)]
pub(super) struct Span {
    pub(super) start: u32,
    pub(super) end: u32,
}

/// A record, and the run that it belongs to.
#[derive(Clone, Copy, Default)]
pub(super) struct Assignment {
    pub(super) span: Span,
    pub(super) run: u32,
}

/// Records of one list, in wire order, which are not interrupted in the part that they go to.
#[derive(Clone, Copy)]
pub(super) struct Run {
    shard: u32,
    list: RecordList,
    /// Its place among the runs of its shard and list.
    position: u32,
    /// Whether there is another one behind it.
    followed: bool,
    /// Where the last record ends; only kept with replicas.
    end: u32,
    pub(super) records: u32,
    /// Bytes of the records.
    pub(super) len: usize,
    /// Where its spans end, once they are sorted.
    spans_end: usize,
    /// Where its next record goes in an output of all parts.
    pub(super) next: usize,
}

/// A part, by the numbers of its runs.
#[derive(Clone, Copy)]
pub(super) struct PartRuns {
    pub(super) shard: u32,
    pub(super) series: u32,
    pub(super) metadata: u32,
}

impl Plan {
    pub(super) fn clear(&mut self) {
        self.assignments.clear();
        self.runs.clear();
        self.parts.clear();
        self.oversized.clear();
        self.spans.clear();
    }

    /// Puts the records of `list`, each to the run of one shard.
    #[inline]
    pub(super) fn add_records(
        &mut self,
        list: RecordList,
        room: usize,
        records: impl ExactSizeIterator<Item = (Span, usize)>,
        mut shard_of: impl FnMut(usize) -> u32,
    ) {
        let Self { runs, slots, assignments, oversized, .. } = self;
        let first = runs.len();
        let old = assignments.len();
        assignments.resize(old.saturating_add(records.len()), Assignment::default());
        let new = assignments.get_mut(old..).unwrap_or_default();
        for ((at, (span, len)), assignment) in records.enumerate().zip(new) {
            let shard = shard_of(at);
            let mut run = slots.get(shard);
            if !fill(runs, run, len, room) {
                run = if len <= room {
                    open(runs, slots, list, shard, len)
                } else {
                    oversized.push((list, at, len));
                    NONE
                };
            }
            *assignment = Assignment { span, run };
        }
        self.end_list(first);
    }

    /// Puts the records of `list`, each to the runs of any number of shards.
    pub(super) fn add_replicas<S: IntoIterator<Item = u32>>(
        &mut self,
        list: RecordList,
        room: usize,
        records: impl ExactSizeIterator<Item = (Span, usize)>,
        mut shards_of: impl FnMut(usize) -> Option<S>,
    ) {
        let Self { runs, slots, assignments, oversized, .. } = self;
        let first = runs.len();
        for (at, (span, len)) in records.enumerate() {
            if len > room {
                oversized.push((list, at, len));
                continue;
            }
            for shard in shards_of(at).into_iter().flatten() {
                let mut run = slots.get(shard);
                // Not again to where it is the last one.
                if self::at(runs, run).is_some_and(|run| run.end == span.end) {
                    continue;
                }
                if !fill(runs, run, len, room) {
                    run = open(runs, slots, list, shard, len);
                }
                if let Some(run) = at_mut(runs, run) {
                    run.end = span.end;
                }
                assignments.push(Assignment { span, run });
            }
        }
        self.end_list(first);
    }

    /// Ends the list whose runs began with number `first`.
    fn end_list(&mut self, first: usize) {
        let runs = self.runs.get(first..).unwrap_or_default();
        self.slots.clear(runs.iter().map(|run| run.shard));
    }

    /// Makes parts of the runs, in order. A shard whose series are one run and whose metadata are one run
    /// gets one part of both, if they fit.
    pub(super) fn make_parts(&mut self, room: usize) {
        let runs = &self.runs;
        self.parts.extend((0..).zip(runs).map(|(number, run)| match run.list {
            RecordList::Series => PartRuns { shard: run.shard, series: number, metadata: NONE },
            RecordList::Metadata => PartRuns { shard: run.shard, series: NONE, metadata: number },
        }));
        // A run is opened behind those that it follows, and `NONE` is the largest number.
        self.parts.sort_unstable_by_key(|part| (part.shard, part.series, part.metadata));
        self.parts.dedup_by(|second, first| {
            let (Some(series), Some(metadata)) =
                (at(runs, first.series), at(runs, second.metadata))
            else {
                return false;
            };
            let whole = |run: &Run| run.position == 0 && !run.followed;
            let joined = first.shard == second.shard
                && first.metadata == NONE
                && whole(series)
                && whole(metadata)
                && metadata.len <= room.saturating_sub(series.len);
            if joined {
                first.metadata = second.metadata;
            }
            joined
        });
    }

    /// Sorts the spans by run, once.
    pub(super) fn sort(&mut self) {
        if self.spans.len() == self.assignments.len() {
            return;
        }
        let mut first = 0_usize;
        for run in &mut self.runs {
            run.spans_end = first;
            first = first.saturating_add(usize::try_from(run.records).unwrap_or(usize::MAX));
        }
        self.spans.resize(self.assignments.len(), Span::default());
        for assignment in &self.assignments {
            let Some(run) = at_mut(&mut self.runs, assignment.run) else { continue };
            if let Some(span) = self.spans.get_mut(run.spans_end) {
                *span = assignment.span;
            }
            run.spans_end = run.spans_end.saturating_add(1);
        }
    }

    pub(super) fn run(&self, number: u32) -> Option<&Run> {
        at(&self.runs, number)
    }

    /// The spans of a run, which must be sorted.
    pub(super) fn spans_of(&self, run: &Run) -> &[Span] {
        let records = usize::try_from(run.records).unwrap_or(usize::MAX);
        let first = run.spans_end.saturating_sub(records);
        self.spans.get(first..run.spans_end).unwrap_or_default()
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
fn open(runs: &mut Vec<Run>, slots: &mut Slots, list: RecordList, shard: u32, len: usize) -> u32 {
    let number = index(runs.len());
    let position = at_mut(runs, slots.get(shard)).map_or(0, |full| {
        full.followed = true;
        full.position.saturating_add(1)
    });
    slots.set(shard, number);
    runs.push(Run {
        shard,
        list,
        position,
        followed: false,
        end: NONE,
        records: 1,
        len,
        spans_end: 0,
        next: 0,
    });
    number
}

impl Span {
    /// The bytes of a body that it stands for.
    #[inline]
    pub(super) fn of<'b>(&self, body: &'b [u8]) -> &'b [u8] {
        range(body, self.start, self.end)
    }
}

fn at<T>(items: &[T], position: u32) -> Option<&T> {
    items.get(usize::try_from(position).ok()?)
}

#[inline]
pub(super) fn at_mut<T>(items: &mut [T], position: u32) -> Option<&mut T> {
    items.get_mut(usize::try_from(position).ok()?)
}
