//! Where decoded push requests keep their parts: one `Vec` for each kind, ranges instead of nesting.

use alloc::boxed::Box;
use alloc::vec::Vec;

use super::entry::EntryRecord;
use super::label_pair::LabelPair;
use super::push_request::SkippedStream;
use super::stream::StreamRecord;
use crate::message::columns::{index, push, range, vec_bytes};

/// The flat storage of one request.
#[derive(Clone, Default)]
pub(super) struct Storage<'a> {
    pub(super) streams: Vec<StreamRecord<'a>>,
    pub(super) entries: Vec<EntryRecord<'a>>,
    pub(super) metadata: Vec<LabelPair<'a>>,
    pub(super) parsed_pairs: Vec<LabelPair<'a>>,
    /// Apart, so that the storage of a small push is quick to move.
    rare: Option<Box<Rare>>,
}

/// What only some streams and entries have.
#[derive(Clone, Default)]
pub(super) struct Rare {
    /// Hashes of streams: (position, hash).
    pub(super) hashes: Vec<(u32, u64)>,
    /// Where an entry's parsed pairs begin: (position, start). The end is the next one's start.
    pub(super) parsed: Vec<(u32, u32)>,
    pub(super) skipped: Vec<SkippedStream>,
}

impl<'a> Storage<'a> {
    pub(super) fn rare(&self) -> Option<&Rare> {
        self.rare.as_deref()
    }

    pub(super) fn rare_mut(&mut self) -> &mut Rare {
        self.rare.get_or_insert_default()
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.streams.clear();
        self.entries.clear();
        self.metadata.clear();
        self.parsed_pairs.clear();
        if let Some(rare) = &mut self.rare {
            rare.hashes.clear();
            rare.parsed.clear();
            rare.skipped.clear();
        }
    }

    /// The same allocations, emptied, for a body of another lifetime.
    ///
    /// An emptied `Vec` that is mapped and collected keeps its allocation when the element's layout
    /// stays; std does not promise that, so an allocation test pins it.
    #[inline]
    pub(super) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            streams: self.streams.into_iter().map(|_| StreamRecord::default()).collect(),
            entries: self.entries.into_iter().map(|_| EntryRecord::default()).collect(),
            metadata: self.metadata.into_iter().map(|_| LabelPair::default()).collect(),
            parsed_pairs: self.parsed_pairs.into_iter().map(|_| LabelPair::default()).collect(),
            rare: self.rare,
        }
    }

    /// Where all vectors end now.
    pub(super) fn mark(&self) -> Mark {
        Mark {
            streams: self.streams.len(),
            entries: self.entries.len(),
            metadata: self.metadata.len(),
            parsed_pairs: self.parsed_pairs.len(),
            hashes: self.rare().map_or(0, |rare| rare.hashes.len()),
            parsed: self.rare().map_or(0, |rare| rare.parsed.len()),
        }
    }

    /// Drops everything that was added since `mark`.
    pub(super) fn truncate(&mut self, mark: &Mark) {
        self.streams.truncate(mark.streams);
        self.entries.truncate(mark.entries);
        self.metadata.truncate(mark.metadata);
        self.parsed_pairs.truncate(mark.parsed_pairs);
        if let Some(rare) = &mut self.rare {
            rare.hashes.truncate(mark.hashes);
            rare.parsed.truncate(mark.parsed);
        }
    }

    /// Heap bytes that the storage holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        let rare = self.rare().map_or(0, |rare| {
            size_of::<Rare>()
                .saturating_add(vec_bytes(&rare.hashes))
                .saturating_add(vec_bytes(&rare.parsed))
                .saturating_add(vec_bytes(&rare.skipped))
        });
        rare.saturating_add(vec_bytes(&self.streams))
            .saturating_add(vec_bytes(&self.entries))
            .saturating_add(vec_bytes(&self.metadata))
            .saturating_add(vec_bytes(&self.parsed_pairs))
    }

    /// The hash of the stream at `position`; 0 if it has none.
    #[inline]
    pub(super) fn hash_of(&self, position: usize) -> u64 {
        let Some(rare) = self.rare() else { return 0 };
        rare.hashes
            .binary_search_by_key(&index(position), |&(stream, _)| stream)
            .ok()
            .and_then(|found| rare.hashes.get(found))
            .map_or(0, |&(_, hash)| hash)
    }

    /// Notes that the entry being read has the parsed pairs from `start` on.
    #[cold]
    pub(super) fn push_parsed(&mut self, start: usize) {
        let entry = index(self.entries.len());
        push(&mut self.rare_mut().parsed, (entry, index(start)));
    }

    /// The parsed pairs of the entries from position `start` to `end`.
    #[inline]
    pub(super) fn parsed_between(&self, start: usize, end: usize) -> &[LabelPair<'a>] {
        if self.parsed_pairs.is_empty() { &[] } else { self.find_parsed(start, end) }
    }

    #[inline(never)]
    fn find_parsed(&self, start: usize, end: usize) -> &[LabelPair<'a>] {
        let Some(rare) = self.rare() else { return &[] };
        // Where the pairs of the first entry begin that is not before `position`.
        let begin = |position| {
            let found = rare.parsed.partition_point(|&(entry, _)| entry < index(position));
            rare.parsed.get(found).map_or(index(self.parsed_pairs.len()), |&(_, start)| start)
        };
        range(&self.parsed_pairs, begin(start), begin(end))
    }
}

/// The lengths of all vectors of a [`Storage`].
#[derive(Default)]
pub(super) struct Mark {
    streams: usize,
    hashes: usize,
    entries: usize,
    metadata: usize,
    parsed: usize,
    parsed_pairs: usize,
}
