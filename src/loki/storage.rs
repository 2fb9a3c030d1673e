//! Where decoded push requests keep their parts: one `Vec` for each kind, ranges instead of nesting.

use alloc::vec::Vec;

use super::entry::EntryRecord;
use super::label_pair::LabelPair;
use super::push_request::SkippedStream;
use super::stream::StreamRecord;
use crate::storage::{index, range, vec_bytes};

/// The flat storage of one request.
#[derive(Clone, Default)]
pub(super) struct Storage<'a> {
    pub(super) streams: Vec<StreamRecord<'a>>,
    /// Hashes of the few streams that have one: (position, hash).
    pub(super) hashes: Vec<(u32, u64)>,
    pub(super) entries: Vec<EntryRecord<'a>>,
    pub(super) metadata: Vec<LabelPair<'a>>,
    /// For the few entries with parsed pairs: (position, start). The end is the next one's start.
    pub(super) parsed: Vec<(u32, u32)>,
    pub(super) parsed_pairs: Vec<LabelPair<'a>>,
    pub(super) skipped: Vec<SkippedStream>,
}

impl<'a> Storage<'a> {
    pub(super) fn clear(&mut self) {
        self.truncate(&Mark::default());
        self.skipped.clear();
    }

    /// The same allocations, emptied, for a body of another lifetime.
    ///
    /// An emptied `Vec` that is mapped and collected keeps its allocation when the element's layout
    /// stays; std does not promise that, so an allocation test pins it.
    pub(super) fn recycle<'b>(mut self) -> Storage<'b> {
        self.clear();
        Storage {
            streams: self.streams.into_iter().map(|_| StreamRecord::default()).collect(),
            hashes: self.hashes,
            entries: self.entries.into_iter().map(|_| EntryRecord::default()).collect(),
            metadata: self.metadata.into_iter().map(|_| LabelPair::default()).collect(),
            parsed: self.parsed,
            parsed_pairs: self.parsed_pairs.into_iter().map(|_| LabelPair::default()).collect(),
            skipped: self.skipped,
        }
    }

    /// Where all vectors end now.
    pub(super) const fn mark(&self) -> Mark {
        Mark {
            streams: self.streams.len(),
            hashes: self.hashes.len(),
            entries: self.entries.len(),
            metadata: self.metadata.len(),
            parsed: self.parsed.len(),
            parsed_pairs: self.parsed_pairs.len(),
        }
    }

    /// Drops everything that was added since `mark`.
    pub(super) fn truncate(&mut self, mark: &Mark) {
        self.streams.truncate(mark.streams);
        self.hashes.truncate(mark.hashes);
        self.entries.truncate(mark.entries);
        self.metadata.truncate(mark.metadata);
        self.parsed.truncate(mark.parsed);
        self.parsed_pairs.truncate(mark.parsed_pairs);
    }

    /// Heap bytes that the storage holds.
    pub(super) fn capacity_bytes(&self) -> usize {
        [
            vec_bytes(&self.streams),
            vec_bytes(&self.hashes),
            vec_bytes(&self.entries),
            vec_bytes(&self.metadata),
            vec_bytes(&self.parsed),
            vec_bytes(&self.parsed_pairs),
            vec_bytes(&self.skipped),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    /// Notes that the entry being read has parsed pairs, from here on.
    #[cfg(feature = "prost")]
    pub(super) fn start_parsed(&mut self) {
        let (entry, start) = (index(self.entries.len()), index(self.parsed_pairs.len()));
        self.parsed.push((entry, start));
    }

    /// The parsed pairs of the entry at `position`.
    #[inline]
    pub(super) fn parsed_of(&self, position: usize) -> &[LabelPair<'a>] {
        if self.parsed.is_empty() {
            return &[];
        }
        let Ok(found) = self.parsed.binary_search_by_key(&index(position), |&(entry, _)| entry)
        else {
            return &[];
        };
        let start = self.parsed.get(found).map_or(0, |&(_, start)| start);
        let next = self.parsed.get(found.saturating_add(1));
        let end = next.map_or(index(self.parsed_pairs.len()), |&(_, start)| start);
        range(&self.parsed_pairs, start, end)
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
