//! Splitting requests whose records refer to a table: each part with the entries that it uses.
//!
//! ```text
//! body    table - a b c d      records [1 2]  [3 4]  [1 4]
//! part 0  table - a b d        records [1 2]         [1 3]
//! part 1  table - c d          records        [1 2]
//! ```
//!
//! Records are written anew, once, when the request is split; the entries when a part is written.

use alloc::vec::Vec;

use super::numbering::{Numbering, Scratch, append_message};
use super::plan::{Long, Plan};
use super::request::sealed::Table;
use crate::message::columns::{index, sum, used_bytes, vec_bytes};
use crate::message::request::Raw;
use crate::wire;
use crate::wire::{impossible, to_usize};

/// The records of all parts, written anew, in memory that is used again.
#[derive(Clone, Default)]
pub(super) struct Rewrite {
    pub(super) parts: Vec<RewrittenPart>,
    /// Records that fit into no part.
    pub(super) oversized: Vec<Long>,
    /// The records, tags and lengths included.
    pub(super) records: Vec<u8>,
    pub(super) numbering: Numbering,
    scratch: Scratch,
}

/// A part: from byte to byte of the records, and from place to place of the entries.
#[derive(Clone, Copy)]
pub(super) struct RewrittenPart {
    pub(super) shard: u32,
    pub(super) records_len: usize,
    /// Its records in the plan, and among them those that fit into no part.
    pub(super) planned: (usize, usize),
    pub(super) records: (usize, usize),
    pub(super) entries: (usize, usize),
    /// Bytes of the entries, as fields.
    entries_bytes: usize,
}

impl Rewrite {
    pub(super) fn clear(&mut self) {
        self.parts.clear();
        self.oversized.clear();
        self.records.clear();
    }

    /// Writes the records of each shard that is planned, in parts of at most `room` bytes, and
    /// notes the entries that they use.
    pub(super) fn write(&mut self, plan: &mut Plan, table: &dyn Table, room: usize) {
        plan.make_parts(usize::MAX);
        plan.sort();
        self.numbering.begin(table.len(), table.first());
        let Self { parts, oversized, records, numbering, scratch } = self;
        let tag = table.record_tag();
        for shard in &plan.parts {
            let Some(run) = plan.run(shard.first) else { continue };
            let first = plan.first_record_of(run);
            let mut part = RewrittenPart::begin(shard.shard, first, records, numbering, table);
            for (position, record) in (first..).zip(plan.records_of(run)) {
                let index = to_usize(record.start);
                loop {
                    let (entries, bytes) = (numbering.entries.len(), numbering.bytes);
                    table.rewrite(index, numbering, scratch);
                    let len = wire::message_len(tag, scratch.record.len());
                    let before = records.len().saturating_sub(part.records.0);
                    let needed = before.saturating_add(len).saturating_add(numbering.bytes);
                    if needed <= room {
                        append_message(records, tag, &scratch.record);
                        part.records_len = part.records_len.saturating_add(1);
                        part.planned.1 = position.saturating_add(1);
                        break;
                    }
                    numbering.truncate(entries, bytes);
                    if part.records_len == 0 {
                        oversized.push(Long { is_first: true, index, bytes: needed });
                        break;
                    }
                    parts.push(part.end(records, numbering));
                    part = RewrittenPart::begin(shard.shard, position, records, numbering, table);
                }
            }
            if part.records_len > 0 {
                parts.push(part.end(records, numbering));
            }
        }
        oversized.sort_unstable_by_key(|long| long.index);
        // One for each shard of a record.
        oversized.dedup_by_key(|long| long.index);
    }

    /// Whether a record fits into no part, once all are written.
    pub(super) fn is_oversized(&self, index: usize) -> bool {
        self.oversized.binary_search_by_key(&index, |long| long.index).is_ok()
    }

    /// The entries of a part, by their numbers in the request.
    pub(super) fn entries_of(&self, part: &RewrittenPart) -> &[u32] {
        self.numbering.entries.get(part.entries.0..part.entries.1).unwrap_or_else(impossible)
    }

    /// The records of a part.
    pub(super) fn records_of(&self, part: &RewrittenPart) -> &[u8] {
        self.records.get(part.records.0..part.records.1).unwrap_or_else(impossible)
    }

    /// Bytes of what was written anew.
    pub(super) fn used_bytes(&self) -> usize {
        used_bytes(&self.records).saturating_add(self.numbering.used_bytes())
    }

    /// Heap bytes that it holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.parts),
            vec_bytes(&self.oversized),
            vec_bytes(&self.records),
            self.numbering.capacity_bytes(),
            self.scratch.capacity_bytes(),
        ])
    }
}

/// All records, by index: how many bytes they take in a part is only known when they are written.
pub(super) fn by_index(count: usize) -> impl ExactSizeIterator<Item = (Raw, usize)> {
    (0..count).map(|at| {
        let start = index(at);
        (Raw { start, end: start.saturating_add(1) }, 0)
    })
}

impl RewrittenPart {
    /// A part that begins now.
    fn begin(
        shard: u32,
        position: usize,
        records: &[u8],
        numbering: &mut Numbering,
        table: &dyn Table,
    ) -> Self {
        numbering.begin_part(table.entry_len(0));
        let (records, entries) = (records.len(), numbering.start);
        Self {
            shard,
            records_len: 0,
            planned: (position, position),
            records: (records, records),
            entries: (entries, entries),
            entries_bytes: 0,
        }
    }

    /// The part, which ends now.
    fn end(mut self, records: &[u8], numbering: &Numbering) -> Self {
        self.records.1 = records.len();
        self.entries.1 = numbering.entries.len();
        self.entries_bytes = numbering.bytes;
        self
    }

    /// Bytes of the part without the request's own fields.
    pub(super) const fn len(&self) -> usize {
        self.entries_bytes.saturating_add(self.records.1.saturating_sub(self.records.0))
    }

    pub(super) const fn entries_len(&self) -> usize {
        self.entries.1.saturating_sub(self.entries.0)
    }
}
