//! What a request was split into, and writing it: part by part, or all at once.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

use super::plan::{PartRuns, Run, at_mut};
use super::request::{RecordList, SplitRequest};
use super::splitter::{Oversized, Splitter};
use crate::wire::error::EncodeError;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer};

/// A request that was split.
pub struct Split<'p, R: SplitRequest> {
    splitter: &'p mut Splitter,
    own: Own<'p, R>,
}

/// The request, and the fields that every part has.
struct Own<'p, R: SplitRequest> {
    request: &'p R,
    fields: R::Fields,
    fields_len: usize,
}

impl<R: SplitRequest> Clone for Own<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: SplitRequest> Copy for Own<'_, R> {}

impl<'p, R: SplitRequest> Split<'p, R> {
    pub(super) const fn new(
        splitter: &'p mut Splitter,
        request: &'p R,
        fields: R::Fields,
        fields_len: usize,
    ) -> Self {
        Self { splitter, own: Own { request, fields, fields_len } }
    }

    /// The parts with their shards, in ascending order of shards. A shard without records has none.
    pub fn parts(&mut self) -> Parts<'_, R> {
        self.splitter.plan.sort();
        Parts { splitter: self.splitter, own: self.own, parts: self.splitter.plan.parts.iter() }
    }

    /// The records that are in no part, because they alone are over the limit that was set; series
    /// first, each once.
    #[must_use]
    pub fn oversized(&self) -> impl ExactSizeIterator<Item = Oversized> {
        self.splitter.plan.oversized.iter().map(|&(list, index, len)| Oversized {
            list,
            index,
            part_len: len.saturating_add(self.own.fields_len),
        })
    }

    /// Where each part lies in what [`encode_all`](Self::encode_all) writes, with its shard, in the order
    /// of [`parts`](Self::parts).
    pub fn ranges(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        self.splitter.plan.parts.iter().scan(0, |start: &mut usize, part| {
            let end = start.saturating_add(self.own.part_len(self.splitter, part));
            let range = *start..end;
            *start = end;
            Some((part.shard, range))
        })
    }

    /// Bytes of all parts together.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.ranges().last().map_or(0, |(_, range)| range.end)
    }

    /// Writes all parts to the front of `out`, one behind the other, and returns their length. Bytes of
    /// `out` behind that are not touched.
    ///
    /// That is faster than writing one part after the other: the body is read once, from front to back.
    ///
    /// # Errors
    ///
    /// If `out` is shorter than [`encoded_len`](Self::encoded_len). Its content is then unspecified.
    pub fn encode_all(&mut self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let (needed, capacity) = (self.encoded_len(), out.len());
        let written = match out.get_mut(..needed) {
            None => Err(BufferFull),
            Some(out) if self.own.request.body().is_empty() => {
                let mut writer = Writer::new(out);
                self.parts().try_for_each(|(_, part)| part.write_to(&mut writer))
            }
            Some(out) => self.scatter(out),
        };
        written.map(|()| needed).map_err(|BufferFull| EncodeError::new(needed, capacity))
    }

    /// Writes the fields of every part, then each record to where it belongs.
    fn scatter(&mut self, out: &mut [u8]) -> Result<(), BufferFull> {
        let Own { request, fields, fields_len } = &self.own;
        let plan = &mut self.splitter.plan;
        let mut start = 0_usize;
        for part in &plan.parts {
            if let Some(run) = at_mut(&mut plan.runs, part.series) {
                run.next = start;
                start = start.saturating_add(run.len);
            }
            if *fields_len != 0 {
                let mut writer = Writer::new(out.get_mut(start..).ok_or(BufferFull)?);
                R::write_inner_fields(fields, &mut writer)?;
                start = start.saturating_add(writer.written());
            }
            if let Some(run) = at_mut(&mut plan.runs, part.metadata) {
                run.next = start;
                start = start.saturating_add(run.len);
            }
            if *fields_len != 0 {
                let mut writer = Writer::new(out.get_mut(start..).ok_or(BufferFull)?);
                R::write_last_fields(fields, &mut writer)?;
                start = start.saturating_add(writer.written());
            }
        }
        let body = request.body();
        for assignment in &plan.assignments {
            let Some(run) = at_mut(&mut plan.runs, assignment.run) else { continue };
            let from = assignment.span.of(body);
            let end = run.next.saturating_add(from.len());
            out.get_mut(run.next..end).ok_or(BufferFull)?.copy_from_slice(from);
            run.next = end;
        }
        Ok(())
    }
}

impl<R: SplitRequest> Own<'_, R> {
    fn part_len(&self, splitter: &Splitter, part: &PartRuns) -> usize {
        let len = |number| splitter.plan.run(number).map_or(0, |run: &Run| run.len);
        len(part.series).saturating_add(len(part.metadata)).saturating_add(self.fields_len)
    }
}

impl<R: SplitRequest> fmt::Debug for Split<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split")
            .field("parts", &self.splitter.plan.parts.len())
            .field("oversized", &self.splitter.plan.oversized.len())
            .finish_non_exhaustive()
    }
}

/// Iterates over the parts of a [`Split`] with their shards.
pub struct Parts<'p, R: SplitRequest> {
    splitter: &'p Splitter,
    own: Own<'p, R>,
    parts: core::slice::Iter<'p, PartRuns>,
}

impl<'p, R: SplitRequest> Iterator for Parts<'p, R> {
    type Item = (u32, Part<'p, R>);

    fn next(&mut self) -> Option<Self::Item> {
        let part = self.parts.next()?;
        Some((part.shard, Part { splitter: self.splitter, own: self.own, part }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        self.parts.size_hint()
    }
}

impl<R: SplitRequest> ExactSizeIterator for Parts<'_, R> {}
impl<R: SplitRequest> FusedIterator for Parts<'_, R> {}

impl<R: SplitRequest> fmt::Debug for Parts<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// A request made of some of a request's records: byte for byte as they came, in their order.
pub struct Part<'p, R: SplitRequest> {
    splitter: &'p Splitter,
    own: Own<'p, R>,
    part: &'p PartRuns,
}

impl<R: SplitRequest> Clone for Part<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: SplitRequest> Copy for Part<'_, R> {}

impl<R: SplitRequest> Part<'_, R> {
    /// How many series, streams and metadata entries it has.
    #[must_use]
    pub fn records_len(&self) -> usize {
        [self.part.series, self.part.metadata]
            .into_iter()
            .filter_map(|number| self.splitter.plan.run(number))
            .map(|run| usize::try_from(run.records).unwrap_or(usize::MAX))
            .fold(0, usize::saturating_add)
    }

    /// Writes the records of a run.
    fn write_run(
        &self,
        list: RecordList,
        number: u32,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        let Some(run) = self.splitter.plan.run(number) else { return Ok(()) };
        let spans = self.splitter.plan.spans_of(run);
        let body = self.own.request.body();
        if body.is_empty() {
            return spans.iter().try_for_each(|span| {
                let index = usize::try_from(span.start).unwrap_or(usize::MAX);
                self.own.request.write_record(list, index, writer)
            });
        }
        let mut spans = spans.iter().copied();
        let Some(mut run) = spans.next() else { return Ok(()) };
        for span in spans {
            if span.start == run.end {
                run.end = span.end;
            } else {
                writer.write_raw(run.of(body))?;
                run = span;
            }
        }
        writer.write_raw(run.of(body))
    }
}

impl<R: SplitRequest> Encode for Part<'_, R> {
    fn encoded_len(&self) -> usize {
        self.own.part_len(self.splitter, self.part)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let fields = (self.own.fields_len != 0).then_some(&self.own.fields);
        self.write_run(RecordList::Series, self.part.series, writer)?;
        fields.map_or(Ok(()), |fields| R::write_inner_fields(fields, writer))?;
        self.write_run(RecordList::Metadata, self.part.metadata, writer)?;
        fields.map_or(Ok(()), |fields| R::write_last_fields(fields, writer))
    }
}

impl<R: SplitRequest> fmt::Debug for Part<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("shard", &self.part.shard)
            .field("records", &self.records_len())
            .field("bytes", &self.encoded_len())
            .finish()
    }
}
