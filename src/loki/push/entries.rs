//! The entries of a stream, as a list.

use core::fmt;
use core::iter::FusedIterator;

use super::entry::{ENTRY_FRAMING, Entry, PAIR_FRAMING};
use super::label_pair::LabelPair;
use super::storage::{EntryRow, Storage};
use crate::message::columns::range;
use crate::wire::to_usize;

/// The entries of a stream: the caller's slice, or a range of decoded storage.
///
/// ```
/// use borrowire::loki::{Entry, Stream, Timestamp};
///
/// let lines = [&b"one"[..], b"two"].map(|line| Entry::new(Timestamp::new(1, 0), line));
/// let stream = Stream::new(r#"{job="varlogs"}"#).with_entries(&lines);
/// assert_eq!(stream.entries().len(), 2);
/// assert_eq!(stream.entries().get(1).unwrap().line(), b"two");
/// assert!(stream.entries().iter().map(|entry| entry.line()).eq([&b"one"[..], b"two"]));
/// ```
#[derive(Clone, Copy)]
pub struct Entries<'s, 'a>(Place<'s, 'a>);

#[derive(Clone, Copy)]
enum Place<'s, 'a> {
    Slice(&'s [Entry<'s, 'a>]),
    Stored {
        rows: &'s [EntryRow<'a>],
        /// Position of the first row in the storage.
        first: usize,
        storage: &'s Storage<'a>,
    },
}

impl<'s, 'a> Entries<'s, 'a> {
    pub(super) const fn slice(entries: &'s [Entry<'s, 'a>]) -> Self {
        Self(Place::Slice(entries))
    }

    pub(super) fn stored(storage: &'s Storage<'a>, start: u32, end: u32) -> Self {
        let rows = range(&storage.entries, start, end);
        Self(Place::Stored { rows, first: to_usize(start), storage })
    }

    /// Those from the `start`th on, up to the `end`th.
    #[cfg(feature = "kafka")]
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        Self(match self.0 {
            Place::Slice(entries) => {
                Place::Slice(entries.get(start..end).unwrap_or_else(crate::wire::impossible))
            }
            Place::Stored { rows, first, storage } => Place::Stored {
                rows: rows.get(start..end).unwrap_or_else(crate::wire::impossible),
                first: first.saturating_add(start),
                storage,
            },
        })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Place::Slice(entries) => entries.len(),
            Place::Stored { rows, .. } => rows.len(),
        }
    }

    /// Whether there are none.
    #[inline]
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The entry at `index`, in wire order.
    #[inline]
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Entry<'s, 'a>> {
        match self.0 {
            Place::Slice(entries) => entries.get(index).copied(),
            Place::Stored { rows, first, storage } => {
                let position = first.saturating_add(index);
                Some(stored_entry(
                    storage,
                    position,
                    rows.get(index)?,
                    metadata_start(storage, position),
                ))
            }
        }
    }

    /// All of them, in wire order.
    #[inline]
    #[must_use]
    pub fn iter(&self) -> EntriesIter<'s, 'a> {
        let metadata_start = match self.0 {
            Place::Slice(_) => 0,
            Place::Stored { first, storage, .. } => metadata_start(storage, first),
        };
        EntriesIter { list: *self, next: 0, metadata_start }
    }

    /// The least and the most bytes that the entries may take as fields: a quick look at lines and
    /// pairs.
    pub(super) fn len_bounds(&self) -> (usize, usize) {
        let mut pairs = 0_usize;
        let mut add_pairs = |list: &[LabelPair<'_>]| {
            pairs = pairs.saturating_add(list.len());
            list.iter().fold(0, |sum: usize, pair| {
                sum.saturating_add(pair.name.len()).saturating_add(pair.value.len())
            })
        };
        let text = match self.0 {
            Place::Slice(entries) => entries.iter().fold(0, |sum: usize, entry| {
                sum.saturating_add(entry.line().len())
                    .saturating_add(add_pairs(entry.structured_metadata()))
                    .saturating_add(add_pairs(entry.parsed()))
            }),
            Place::Stored { rows, first, storage } => {
                let start = metadata_start(storage, first);
                let end = rows.last().map_or(start, EntryRow::metadata_end);
                let parsed = storage.parsed_between(first, first.saturating_add(rows.len()));
                rows.iter()
                    .fold(0, |sum: usize, row| sum.saturating_add(row.line.len()))
                    .saturating_add(add_pairs(range(&storage.metadata, start, end)))
                    .saturating_add(add_pairs(parsed))
            }
        };
        let framing = self.len().saturating_mul(ENTRY_FRAMING);
        let framing = framing.saturating_add(pairs.saturating_mul(PAIR_FRAMING));
        (text, text.saturating_add(framing))
    }
}

/// Where the structured metadata of the entry at `position` begins in the storage.
#[inline]
fn metadata_start(storage: &Storage<'_>, position: usize) -> u32 {
    let before = position.checked_sub(1).and_then(|before| storage.entries.get(before));
    before.map_or(0, EntryRow::metadata_end)
}

/// The entry that is `row`, which is at `position` in the storage.
#[inline]
fn stored_entry<'s, 'a>(
    storage: &'s Storage<'a>,
    position: usize,
    row: &EntryRow<'a>,
    metadata_start: u32,
) -> Entry<'s, 'a> {
    let metadata = range(&storage.metadata, metadata_start, row.metadata_end());
    let parsed = if row.has_parsed() {
        storage.parsed_between(position, position.saturating_add(1))
    } else {
        &[]
    };
    Entry::from_parts(row.timestamp(), row.line, metadata, parsed)
}

impl<'s, 'a> IntoIterator for Entries<'s, 'a> {
    type Item = Entry<'s, 'a>;
    type IntoIter = EntriesIter<'s, 'a>;

    #[inline]
    fn into_iter(self) -> EntriesIter<'s, 'a> {
        self.iter()
    }
}

impl fmt::Debug for Entries<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entries").field("len", &self.len()).finish()
    }
}

/// Iterates over [`Entries`].
// By hand, unlike other lists: it remembers where the metadata of the entry before ended, and so
// does not look at each row twice.
#[derive(Clone, Copy, Debug)]
pub struct EntriesIter<'s, 'a> {
    list: Entries<'s, 'a>,
    next: usize,
    /// Where the next entry's structured metadata begins in the storage.
    metadata_start: u32,
}

impl<'s, 'a> Iterator for EntriesIter<'s, 'a> {
    type Item = Entry<'s, 'a>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'s, 'a>> {
        let entry = match self.list.0 {
            Place::Slice(entries) => *entries.get(self.next)?,
            Place::Stored { rows, first, storage } => {
                let row = rows.get(self.next)?;
                let metadata_start =
                    core::mem::replace(&mut self.metadata_start, row.metadata_end());
                stored_entry(storage, first.saturating_add(self.next), row, metadata_start)
            }
        };
        self.next = self.next.saturating_add(1);
        Some(entry)
    }

    #[inline]
    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.list.len().saturating_sub(self.next);
        (left, Some(left))
    }
}

impl ExactSizeIterator for EntriesIter<'_, '_> {}
impl FusedIterator for EntriesIter<'_, '_> {}
