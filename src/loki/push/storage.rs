//! Where decoded pushes keep their streams: a column for each kind, rows with the ends of ranges
//! instead of nesting.
//!
//! ```text
//! streams      | labels, entries_end 2 | labels, entries_end 3 | ...
//! entries      | line, metadata_end 1 | line, metadata_end 1 | line, metadata_end 3 | ...
//! metadata     | a | b  c | ...
//! ```

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::label_pair::LabelPair;
use super::timestamp::Timestamp;
#[cfg(feature = "json")]
use crate::loki::json::skipped::JsonSkipped;
use crate::message::columns::{
    Sparse, index, push, range, recycle, sum, truncate, used_bytes, vec_bytes,
};
use crate::message::request::Raw;
use crate::wire::to_usize;

/// The streams of one push.
#[derive(Clone, Default)]
pub(in crate::loki) struct Storage<'a> {
    pub(in crate::loki) streams: Vec<StreamRow<'a>>,
    pub(super) entries: Vec<EntryRow<'a>>,
    pub(in crate::loki) metadata: Vec<LabelPair<'a>>,
    pub(in crate::loki) parsed_pairs: Vec<LabelPair<'a>>,
    /// Apart, so that the storage of a small push is quick to move.
    rare: Option<Box<Rare>>,
}

/// What only some streams and entries have, and none that a client should send.
#[derive(Clone, Default)]
struct Rare {
    /// Hashes of streams.
    hashes: Sparse<u64>,
    /// Where an entry's parsed pairs begin. They end where those of the next entry that has some
    /// begin.
    parsed_starts: Sparse<u32>,
    /// What was left out of a body in JSON.
    #[cfg(feature = "json")]
    skipped: Vec<JsonSkipped>,
}

/// A stream. Its entries end here and begin where those of the stream before end.
#[derive(Clone, Copy, Default)]
pub(in crate::loki) struct StreamRow<'a> {
    pub(super) labels: &'a str,
    pub(in crate::loki) raw: Raw,
    pub(super) entries_end: u32,
}

/// An entry. Its structured metadata ends here and begins where that of the entry before ends.
/// Parsed pairs, which clients do not send, have a column of their own.
#[derive(Clone, Copy, Default)]
pub(super) struct EntryRow<'a> {
    seconds: i64,
    pub(super) line: &'a [u8],
    nanos: i32,
    /// The end of the structured metadata, and in the two highest bits whether there are a
    /// timestamp and parsed pairs: pairs take two bytes at least, so that a body under 2 GiB has no
    /// use for these bits. So the row takes 32 bytes.
    metadata_end: u32,
}

#[cfg(target_pointer_width = "64")]
const _: () = assert!(size_of::<EntryRow<'_>>() == 32);

const HAS_TIMESTAMP: u32 = 1 << 31;
const HAS_PARSED: u32 = 1 << 30;
const METADATA_END: u32 = HAS_PARSED - 1;

impl EntryRow<'_> {
    #[inline]
    pub(super) const fn timestamp(&self) -> Option<Timestamp> {
        if self.metadata_end & HAS_TIMESTAMP == 0 {
            return None;
        }
        Some(Timestamp { seconds: self.seconds, nanos: self.nanos })
    }

    #[inline]
    pub(super) const fn metadata_end(&self) -> u32 {
        self.metadata_end & METADATA_END
    }

    #[inline]
    pub(super) const fn has_parsed(&self) -> bool {
        self.metadata_end & HAS_PARSED != 0
    }
}

impl<'a> Storage<'a> {
    #[inline]
    pub(in crate::loki) fn clear(&mut self) {
        self.streams.clear();
        self.entries.clear();
        self.metadata.clear();
        self.parsed_pairs.clear();
        if let Some(rare) = &mut self.rare {
            rare.hashes.clear();
            rare.parsed_starts.clear();
            #[cfg(feature = "json")]
            rare.skipped.clear();
        }
    }

    /// The storage's allocations, emptied, for a body of another lifetime.
    #[inline]
    pub(super) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            streams: recycle(self.streams),
            entries: recycle(self.entries),
            metadata: recycle(self.metadata),
            parsed_pairs: recycle(self.parsed_pairs),
            rare: self.rare,
        }
    }

    /// Appends an entry whose structured metadata is all that was added since the entry before, and
    /// whose parsed pairs are those from `parsed_start` on.
    #[inline]
    pub(in crate::loki) fn push_entry(
        &mut self,
        timestamp: Option<Timestamp>,
        line: &'a [u8],
        parsed_start: usize,
    ) {
        let mut metadata_end = index(self.metadata.len()) & METADATA_END;
        if timestamp.is_some() {
            metadata_end |= HAS_TIMESTAMP;
        }
        if self.parsed_pairs.len() > parsed_start {
            self.note_parsed(parsed_start);
            metadata_end |= HAS_PARSED;
        }
        let Timestamp { seconds, nanos } = timestamp.unwrap_or_default();
        push(&mut self.entries, EntryRow { seconds, line, nanos, metadata_end });
    }

    /// Notes that the next entry has the parsed pairs from `start` on.
    #[cold]
    fn note_parsed(&mut self, start: usize) {
        self.rare.get_or_insert_default().parsed_starts.push(self.entries.len(), index(start));
    }

    /// Ends the stream of `labels`, which stands at `raw` in the body. Its entries are all that
    /// were added since the stream before.
    #[inline]
    pub(in crate::loki) fn end_stream(&mut self, labels: &'a str, hash: u64, raw: Raw) {
        if hash != 0 {
            self.rare.get_or_insert_default().hashes.push(self.streams.len(), hash);
        }
        let entries_end = index(self.entries.len());
        push(&mut self.streams, StreamRow { labels, raw, entries_end });
    }

    /// Keeps the first `len` streams, and drops the rest with all that was read of them.
    #[cold]
    pub(in crate::loki) fn truncate(&mut self, len: usize) {
        self.streams.truncate(len);
        let entries_end = self.streams.last().map_or(0, |stream| stream.entries_end);
        truncate(&mut self.entries, entries_end);
        truncate(&mut self.metadata, self.entries.last().map_or(0, EntryRow::metadata_end));
        if let Some(rare) = &mut self.rare {
            let entries_len = to_usize(entries_end);
            if let Some(parsed_end) = rare.parsed_starts.first_from(entries_len) {
                truncate(&mut self.parsed_pairs, parsed_end);
            }
            rare.parsed_starts.truncate(entries_len);
            rare.hashes.truncate(len);
        }
    }

    /// What was left out of a body in JSON.
    #[cfg(feature = "json")]
    pub(in crate::loki) fn skipped(&self) -> &[JsonSkipped] {
        self.rare.as_deref().map_or(&[], |rare| rare.skipped.as_slice())
    }

    /// Notes something as left out.
    #[cfg(feature = "json")]
    #[cold]
    pub(in crate::loki) fn skip(&mut self, skipped: JsonSkipped) {
        push(&mut self.rare.get_or_insert_default().skipped, skipped);
    }

    /// Keeps the first `len` notes of what was left out.
    #[cfg(feature = "json")]
    pub(in crate::loki) fn truncate_skipped(&mut self, len: usize) {
        if let Some(rare) = &mut self.rare {
            rare.skipped.truncate(len);
        }
    }

    /// Whether the storage holds too little to be given up, which is told fast: under 1 MiB, as a row of each
    /// list takes under 256 bytes together.
    #[inline]
    pub(super) fn is_small(&self) -> bool {
        let rows = self.streams.capacity()
            | self.entries.capacity()
            | self.metadata.capacity()
            | self.parsed_pairs.capacity();
        #[cfg(feature = "json")]
        let rows = rows | self.rare.as_ref().map_or(0, |rare| rare.skipped.capacity());
        rows < 4096
    }

    /// Bytes of all that is in the storage, but for what clients do not send.
    #[inline]
    pub(super) fn used_bytes(&self) -> usize {
        sum([used_bytes(&self.streams), used_bytes(&self.entries), used_bytes(&self.metadata)])
    }

    /// Heap bytes that the storage holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        let rare = self.rare.as_deref().map_or(0, |rare| {
            sum([
                size_of::<Rare>(),
                rare.hashes.capacity_bytes(),
                rare.parsed_starts.capacity_bytes(),
                #[cfg(feature = "json")]
                vec_bytes(&rare.skipped),
            ])
        });
        sum([
            rare,
            vec_bytes(&self.streams),
            vec_bytes(&self.entries),
            vec_bytes(&self.metadata),
            vec_bytes(&self.parsed_pairs),
        ])
    }

    /// The hash of the stream at `position`; 0 if it has none.
    #[inline]
    pub(super) fn hash_of(&self, position: usize) -> u64 {
        self.rare.as_deref().and_then(|rare| rare.hashes.get(position)).unwrap_or(0)
    }

    /// The parsed pairs of the entries from position `start` to `end`.
    #[inline]
    pub(super) fn parsed_between(&self, start: usize, end: usize) -> &[LabelPair<'a>] {
        if self.parsed_pairs.is_empty() { &[] } else { self.find_parsed(start, end) }
    }

    #[inline(never)]
    fn find_parsed(&self, start: usize, end: usize) -> &[LabelPair<'a>] {
        let place = |position| {
            let found =
                self.rare.as_deref().and_then(|rare| rare.parsed_starts.first_from(position));
            found.unwrap_or_else(|| index(self.parsed_pairs.len()))
        };
        range(&self.parsed_pairs, place(start), place(end))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two streams of two entries each, of which the second has metadata and parsed pairs.
    fn push_streams<'a>(storage: &mut Storage<'a>, name: &'a str) {
        for hash in [1, 0] {
            for pairs in [0, 2] {
                let parsed_start = storage.parsed_pairs.len();
                let pair = LabelPair::new(name, "");
                storage.metadata.extend(core::iter::repeat_n(pair, pairs));
                storage.parsed_pairs.extend(core::iter::repeat_n(pair, pairs));
                storage.push_entry(Some(Timestamp::new(1, 0)), b"", parsed_start);
            }
            storage.end_stream(name, hash, Raw::default());
        }
    }

    #[test]
    fn what_is_dropped_leaves_nothing_behind() {
        for kept in 0..=2 {
            let mut storage = Storage::default();
            push_streams(&mut storage, "a");
            // Of a stream that has not ended.
            storage.metadata.push(LabelPair::new("x", ""));
            storage.parsed_pairs.push(LabelPair::new("x", ""));
            storage.push_entry(None, b"x", storage.parsed_pairs.len() - 1);
            storage.truncate(kept);
            assert_eq!((storage.streams.len(), storage.entries.len()), (kept, 2 * kept));
            assert_eq!((storage.metadata.len(), storage.parsed_pairs.len()), (2 * kept, 2 * kept));
            push_streams(&mut storage, "b");
            let pairs = |name, len| alloc::vec![LabelPair::new(name, ""); len];
            for stream in 0..kept + 2 {
                let (name, first) =
                    if stream < kept { ("a", stream % 2 == 0) } else { ("b", stream == kept) };
                assert_eq!(storage.hash_of(stream), u64::from(first));
                assert_eq!(storage.parsed_between(2 * stream, 2 * stream + 1), []);
                assert_eq!(storage.parsed_between(2 * stream + 1, 2 * stream + 2), pairs(name, 2));
            }
        }
    }
}
