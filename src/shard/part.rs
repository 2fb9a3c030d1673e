//! What a request was split into, and writing it: part by part, or all at once.

use core::fmt;
use core::iter::FusedIterator;
use core::ops::Range;

use super::plan::{PartRuns, Plan, Run, at_mut, bytes_of};
use super::request::SplitRequest;
use super::request::sealed::Place;
use super::rewrite::{Rewrite, RewrittenPart};
use crate::message::request::sealed::RecordKind;
use crate::wire::error::EncodeError;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Writer, to_usize};

/// A request that was split.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::shard::Splitter;
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let (one, two) = ([Label::new("job", "a")], [Label::new("job", "b")]);
/// # let series = [TimeSeries::new(&one), TimeSeries::new(&two)];
/// # let body = WriteRequestEncoder::new(series).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?; // of two series
/// let mut splitter = Splitter::new();
/// let mut split = splitter.split_by_position(&request, |at| at as u32);
/// let mut out = vec![0; split.encoded_len()];
/// split.encode_all(&mut out)?; // or part by part: `parts`
/// for (shard, range) in split.ranges() {
///     let part = WriteRequest::decode(&out[range])?;
///     assert_eq!(part.timeseries().get(0), request.timeseries().get(shard as usize));
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Split<'p, R: SplitRequest> {
    plan: &'p mut Plan,
    rewrite: &'p Rewrite,
    own: Own<'p, R>,
}

/// A record that fits into no part.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::RecordKind;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::shard::Splitter;
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let (one, two) = ([Label::new("job", "a")], [Label::new("job", "b")]);
/// # let series = [TimeSeries::new(&one), TimeSeries::new(&two)];
/// # let body = WriteRequestEncoder::new(series).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?; // of two series
/// let mut splitter = Splitter::new();
/// let split = splitter.split_by_size(&request, 5);
/// let oversized = split.oversized().next().unwrap();
/// assert_eq!((oversized.kind, oversized.index), (RecordKind::TimeSeries, 0));
/// assert_eq!(oversized.part_len, request.raw_timeseries(0).unwrap().len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Oversized<K> {
    /// Which of the request's lists it is in.
    pub kind: K,
    /// Its position in the body, among all records of its kind: see
    /// [`index_of`](crate::DecodeRequest::index_of).
    pub index: usize,
    /// How many bytes a part of this record alone would take.
    pub part_len: usize,
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

impl<R: SplitRequest> Own<'_, R> {
    fn write_fields(&self, place: Place, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if self.fields_len == 0 {
            return Ok(());
        }
        R::write_fields(&self.fields, place, writer)
    }
}

impl<'p, R: SplitRequest> Split<'p, R> {
    pub(super) const fn new(
        plan: &'p mut Plan,
        rewrite: &'p Rewrite,
        request: &'p R,
        fields: R::Fields,
        fields_len: usize,
    ) -> Self {
        Self { plan, rewrite, own: Own { request, fields, fields_len } }
    }

    /// The parts with their shards, in ascending order of shards. A shard without records has none.
    pub fn parts(&mut self) -> Parts<'_, R> {
        if self.own.request.table().is_none() {
            self.plan.sort();
        }
        self.sorted_parts()
    }

    /// The parts, whose records need not be sorted to be measured.
    fn sorted_parts(&self) -> Parts<'_, R> {
        let Self { plan, rewrite, own } = self;
        let (copied, rewritten) = match own.request.table() {
            None => (plan.parts.iter(), [].iter()),
            Some(_) => ([].iter(), rewrite.parts.iter()),
        };
        Parts { plan, rewrite, own: *own, copied, rewritten }
    }

    /// The records that are in no part, because they alone are over the limit that was set; those
    /// of the first list first, each once.
    pub fn oversized(&self) -> impl ExactSizeIterator<Item = Oversized<R::Kind>> {
        let oversized = match self.own.request.table() {
            None => &self.plan.oversized,
            Some(_) => &self.rewrite.oversized,
        };
        oversized.iter().map(|long| {
            let second = R::Kind::SECOND.unwrap_or(R::Kind::FIRST);
            let kind = if long.is_first { R::Kind::FIRST } else { second };
            let index = self.own.request.position_in_body(kind, long.index);
            Oversized { kind, index, part_len: long.bytes.saturating_add(self.own.fields_len) }
        })
    }

    /// Where each part lies in what [`encode_all`](Self::encode_all) writes, with its shard, in the
    /// order of [`parts`](Self::parts).
    pub fn ranges(&self) -> impl Iterator<Item = (u32, Range<usize>)> {
        self.sorted_parts().scan(0, |start: &mut usize, (shard, part)| {
            let end = start.saturating_add(part.encoded_len());
            let range = *start..end;
            *start = end;
            Some((shard, range))
        })
    }

    /// Bytes of all parts together.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.sorted_parts().fold(0, |sum, (_, part)| sum.saturating_add(part.encoded_len()))
    }

    /// Writes all parts to the front of `out`, one behind the other, and returns their length.
    /// Bytes of `out` behind that are not touched.
    ///
    /// That is faster than writing one part after the other: the body is read once, from front to
    /// back.
    ///
    /// # Errors
    ///
    /// If `out` is shorter than [`encoded_len`](Self::encoded_len). Its content is then
    /// unspecified.
    pub fn encode_all(&mut self, out: &mut [u8]) -> Result<usize, EncodeError> {
        let (needed, capacity) = (self.encoded_len(), out.len());
        let request = self.own.request;
        let copied = request.table().is_none() && !request.body_bytes().is_empty();
        let written = match out.get_mut(..needed) {
            None => Err(BufferFull),
            Some(out) if copied => self.scatter(out),
            Some(out) => {
                let mut writer = Writer::new(out);
                self.parts().try_for_each(|(_, part)| part.write_to(&mut writer))
            }
        };
        written.map(|()| needed).map_err(|BufferFull| EncodeError::new(needed, capacity))
    }

    /// Writes the fields of every part, then each record to where it belongs.
    fn scatter(&mut self, out: &mut [u8]) -> Result<(), BufferFull> {
        let Self { plan, own, .. } = self;
        let mut start = 0_usize;
        for part in &plan.parts {
            let mut write_fields = |place, start: &mut usize| {
                if own.fields_len != 0 {
                    let mut writer = Writer::new(out.get_mut(*start..).ok_or(BufferFull)?);
                    own.write_fields(place, &mut writer)?;
                    *start = start.saturating_add(writer.written());
                }
                Ok(())
            };
            let begin = |run: Option<&mut Run>, start: &mut usize| {
                if let Some(run) = run {
                    run.next = *start;
                    *start = start.saturating_add(run.len);
                }
            };
            write_fields(Place::Front, &mut start)?;
            begin(at_mut(&mut plan.runs, part.first), &mut start);
            write_fields(Place::Between, &mut start)?;
            begin(at_mut(&mut plan.runs, part.second), &mut start);
            write_fields(Place::Behind, &mut start)?;
        }
        let body = own.request.body_bytes();
        for assignment in &plan.assignments {
            let Some(run) = at_mut(&mut plan.runs, assignment.run) else { continue };
            let from = bytes_of(assignment.record, body);
            let end = run.next.saturating_add(from.len());
            out.get_mut(run.next..end).ok_or(BufferFull)?.copy_from_slice(from);
            run.next = end;
        }
        Ok(())
    }
}

impl<R: SplitRequest> fmt::Debug for Split<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Split")
            .field("parts", &self.sorted_parts().len())
            .field("oversized", &self.oversized().len())
            .finish_non_exhaustive()
    }
}

/// The parts of a [`Split`] with their shards, one by one.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::shard::Splitter;
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let (one, two) = ([Label::new("job", "a")], [Label::new("job", "b")]);
/// # let series = [TimeSeries::new(&one), TimeSeries::new(&two)];
/// # let body = WriteRequestEncoder::new(series).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?; // of two series
/// let mut splitter = Splitter::new();
/// let mut split = splitter.split_by_position(&request, |at| at as u32);
/// assert!(split.parts().map(|(shard, _)| shard).eq([0, 1]));
/// for (shard, part) in split.parts() {
///     println!("{} bytes for shard {shard}", part.encoded_len());
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Parts<'p, R: SplitRequest> {
    plan: &'p Plan,
    rewrite: &'p Rewrite,
    own: Own<'p, R>,
    /// One of both is empty.
    copied: core::slice::Iter<'p, PartRuns>,
    rewritten: core::slice::Iter<'p, RewrittenPart>,
}

impl<'p, R: SplitRequest> Iterator for Parts<'p, R> {
    type Item = (u32, Part<'p, R>);

    fn next(&mut self) -> Option<Self::Item> {
        let (shard, made) = match self.copied.next() {
            Some(runs) => (runs.shard, Made::Copied(runs)),
            None => {
                let part = self.rewritten.next()?;
                (part.shard, Made::Rewritten(part))
            }
        };
        let Self { plan, rewrite, own, .. } = *self;
        Some((shard, Part { plan, rewrite, own, shard, made }))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let left = self.copied.len().saturating_add(self.rewritten.len());
        (left, Some(left))
    }
}

impl<R: SplitRequest> ExactSizeIterator for Parts<'_, R> {}
impl<R: SplitRequest> FusedIterator for Parts<'_, R> {}

impl<R: SplitRequest> fmt::Debug for Parts<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Parts").field("len", &self.len()).finish_non_exhaustive()
    }
}

/// A request made of some of a request's records, in their order: byte for byte as they came, or,
/// where they refer to a table, with its entries numbered anew.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::shard::Splitter;
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let (one, two) = ([Label::new("job", "a")], [Label::new("job", "b")]);
/// # let series = [TimeSeries::new(&one), TimeSeries::new(&two)];
/// # let body = WriteRequestEncoder::new(series).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?; // of two series
/// let mut splitter = Splitter::new();
/// let mut split = splitter.split_by_size(&request, 1 << 20);
/// let (_, part) = split.parts().next().unwrap();
/// assert_eq!(part.records_len(), 2);
/// assert_eq!(part.encode_to_vec()?, body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Part<'p, R: SplitRequest> {
    plan: &'p Plan,
    rewrite: &'p Rewrite,
    own: Own<'p, R>,
    shard: u32,
    made: Made<'p>,
}

/// How a part's records are made.
#[derive(Clone, Copy)]
enum Made<'p> {
    Copied(&'p PartRuns),
    Rewritten(&'p RewrittenPart),
}

impl<R: SplitRequest> Clone for Part<'_, R> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<R: SplitRequest> Copy for Part<'_, R> {}

impl<'p, R: SplitRequest> Part<'p, R> {
    /// The records that it has, those of the first list first: to count what was in a part that
    /// failed, for example.
    ///
    /// ```
    /// use borrowire::remote_write::v1::WriteRequest;
    /// use borrowire::remote_write::v2::Written;
    /// use borrowire::shard::Splitter;
    ///
    /// # use borrowire::Encode;
    /// # use borrowire::remote_write::{Label, Sample, TimeSeries, v1::WriteRequestEncoder};
    /// # let (labels, samples) = ([Label::new("job", "a")], [Sample::new(1.0, 1)]);
    /// # let series = [TimeSeries::new(&labels).with_samples(&samples); 2];
    /// # let body = WriteRequestEncoder::new(series).encode_to_vec()?;
    /// let request = WriteRequest::decode(&body)?; // of two series, with a sample each
    /// let mut splitter = Splitter::new();
    /// let mut split = splitter.split_by_position(&request, |at| at as u32);
    /// let mut written = Written::from(&request);
    /// for (shard, part) in split.parts() {
    ///     assert_eq!(part.records().count(), 1);
    ///     if shard == 1 {
    ///         written.reject(&part); // it could not be delivered
    ///     }
    /// }
    /// assert_eq!(written, Written::new(1, 0, 0));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn records(&self) -> impl Iterator<Item = R::Record<'p>> + use<'p, R> {
        let Self { plan, rewrite, own: Own { request, .. }, made, .. } = *self;
        let in_body = request.table().is_none() && !request.body_bytes().is_empty();
        let (first, second) = match made {
            Made::Copied(part) => {
                let of = |number| plan.run(number).map_or(&[][..], |run| plan.records_of(run));
                (of(part.first), of(part.second))
            }
            Made::Rewritten(part) => (plan.records(part.planned), &[][..]),
        };
        let kind = R::Kind::SECOND.unwrap_or(R::Kind::FIRST);
        let records = first.iter().map(|raw| (R::Kind::FIRST, raw.start));
        records.chain(second.iter().map(move |raw| (kind, raw.start))).filter_map(
            move |(kind, start)| {
                // Where nothing is copied the start is the index.
                let index = if in_body { request.index_at(kind, start)? } else { to_usize(start) };
                let is_in = in_body || !rewrite.is_oversized(index);
                request.record(kind, index).filter(|_| is_in)
            },
        )
    }

    /// How many records it has, of all kinds.
    #[must_use]
    pub fn records_len(&self) -> usize {
        match self.made {
            Made::Copied(part) => [part.first, part.second]
                .into_iter()
                .filter_map(|number| self.plan.run(number))
                .fold(0, |sum, run| sum.saturating_add(to_usize(run.records))),
            Made::Rewritten(part) => part.records_len,
        }
    }

    /// How many entries of the request's table it has, the first, empty one included; 0 for a
    /// request without a table.
    #[must_use]
    pub fn entries_len(&self) -> usize {
        match self.made {
            Made::Copied(_) => 0,
            Made::Rewritten(part) => part.entries_len(),
        }
    }

    /// Writes the records of a run.
    fn write_run(
        &self,
        kind: R::Kind,
        number: u32,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        let Some(run) = self.plan.run(number) else { return Ok(()) };
        let records = self.plan.records_of(run);
        let body = self.own.request.body_bytes();
        if body.is_empty() {
            return records.iter().try_for_each(|record| {
                self.own.request.write_record(kind, to_usize(record.start), writer)
            });
        }
        let mut records = records.iter().copied();
        let Some(mut run) = records.next() else { return Ok(()) };
        for record in records {
            if record.start == run.end {
                run.end = record.end;
            } else {
                writer.write_raw(bytes_of(run, body))?;
                run = record;
            }
        }
        writer.write_raw(bytes_of(run, body))
    }
}

impl<R: SplitRequest> Encode for Part<'_, R> {
    fn encoded_len(&self) -> usize {
        let len = |number| self.plan.run(number).map_or(0, |run: &Run| run.len);
        let records = match self.made {
            Made::Copied(part) => len(part.first).saturating_add(len(part.second)),
            Made::Rewritten(part) => part.len(),
        };
        records.saturating_add(self.own.fields_len)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.own.write_fields(Place::Front, writer)?;
        match self.made {
            Made::Copied(part) => {
                self.write_run(R::Kind::FIRST, part.first, writer)?;
                self.own.write_fields(Place::Between, writer)?;
                if let Some(kind) = R::Kind::SECOND {
                    self.write_run(kind, part.second, writer)?;
                }
            }
            Made::Rewritten(part) => {
                let table = self.own.request.table().ok_or(BufferFull)?;
                for &number in self.rewrite.entries_of(part) {
                    table.write_entry(number, writer)?;
                }
                writer.write_raw(self.rewrite.records_of(part))?;
            }
        }
        self.own.write_fields(Place::Behind, writer)
    }
}

impl<R: SplitRequest> fmt::Debug for Part<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Part")
            .field("shard", &self.shard)
            .field("records", &self.records_len())
            .field("bytes", &self.encoded_len())
            .finish()
    }
}
