//! What a request of 2.0 was split into.

use core::fmt;
use core::iter::FusedIterator;

use super::renumber::SYMBOLS;
use super::splitter::{Oversized, PartRecord, Splitter};
use crate::wire::message::Encode;
use crate::remote_write::v2::{Extensions, Request};
use crate::wire::{BufferFull, Writer};

/// A request of 2.0 that was split.
#[derive(Clone, Copy)]
pub struct Split<'p> {
    splitter: &'p Splitter,
    request: &'p Request<'p>,
    extensions: Extensions,
}

impl<'p> Split<'p> {
    pub(super) const fn new(
        splitter: &'p Splitter,
        request: &'p Request<'p>,
        extensions: Extensions,
    ) -> Self {
        Self { splitter, request, extensions }
    }

    /// The parts with their shards, in ascending order of shards. A shard without series has none.
    #[must_use]
    pub fn parts(&self) -> Parts<'p> {
        Parts { split: *self, parts: self.splitter.parts.iter() }
    }

    /// The series that are in no part, because they alone are over the limit that was set, in wire order,
    /// each once.
    pub fn oversized(&self) -> impl ExactSizeIterator<Item = Oversized> {
        self.splitter.oversized.iter().map(|&(index, part_len)| Oversized { index, part_len })
    }
}

/// Iterates over the parts of a [`Split`] with their shards.
#[derive(Clone)]
pub struct Parts<'p> {
    split: Split<'p>,
    parts: core::slice::Iter<'p, PartRecord>,
}

impl<'p> Iterator for Parts<'p> {
    type Item = (u32, Part<'p>);

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.parts.next()?;
        Some((part.shard, Part { split: self.split, part }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.parts.size_hint()
    }
}

impl ExactSizeIterator for Parts<'_> {}
impl FusedIterator for Parts<'_> {}

/// A request of 2.0 made of some of a request's series, with the symbols that they use.
#[derive(Clone, Copy)]
pub struct Part<'p> {
    split: Split<'p>,
    part: &'p PartRecord,
}

impl Part<'_> {
    /// How many series it has.
    #[must_use]
    pub const fn records_len(&self) -> usize {
        self.part.records
    }

    /// How many symbols it has, the first, empty one included.
    #[must_use]
    pub const fn symbols_len(&self) -> usize {
        self.part.symbols.1.saturating_sub(self.part.symbols.0)
    }

    const fn series_len(&self) -> usize {
        self.part.series.1.saturating_sub(self.part.series.0)
    }
}

impl Encode for Part<'_> {
    fn encoded_len(&self) -> usize {
        let extensions = &self.split.extensions;
        [self.part.symbols_len, self.series_len(), extensions.source_len(), extensions.flags_len()]
            .into_iter()
            .fold(0, usize::saturating_add)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let Split { splitter, request, extensions } = &self.split;
        extensions.write_source(writer)?;
        let (start, end) = self.part.symbols;
        let symbols = splitter.numbering.symbols.get(start..end).ok_or(BufferFull)?;
        for &symbol in symbols {
            writer.write_string(SYMBOLS, request.symbols().get(symbol).unwrap_or_default())?;
        }
        let (start, end) = self.part.series;
        writer.write_raw(splitter.series.get(start..end).ok_or(BufferFull)?)?;
        extensions.write_flags(writer)
    }
}

impl fmt::Debug for Split<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split")
            .field("parts", &self.splitter.parts.len())
            .field("oversized", &self.splitter.oversized.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Parts<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("len", &self.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Part<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("shard", &self.part.shard)
            .field("records", &self.part.records)
            .field("symbols", &self.symbols_len())
            .field("bytes", &self.encoded_len())
            .finish()
    }
}
