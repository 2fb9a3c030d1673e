//! Splitting: what the caller decides.

use core::fmt;

use super::part::Split;
use super::plan::{Plan, Span};
use super::request::{RecordList, SplitRequest};
use crate::loki::PushRequest;
use crate::remote_write::v1::{Extensions, WriteRequest};
use crate::message::columns::index;

/// Splits requests, in storage that is used again: after the first requests nothing is allocated.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::WriteRequest;
/// use borrowire::shard::{Record, Splitter};
///
/// let body = b"\x0a\x07\x0a\x05\x0a\x01a\x12\0\x0a\x09\x0a\x07\x0a\x01a\x12\x02bc";
/// let request = WriteRequest::decode(body)?;
/// let mut splitter = Splitter::new();
/// let mut split = splitter.split(&request, |record| match record {
///     Record::TimeSeries(series) if series.label("a") == Some("bc") => 7,
///     _ => 3,
/// });
/// let mut parts = split.parts();
/// let (shard, part) = parts.next().unwrap();
/// assert_eq!((shard, part.encode_to_vec()?), (3, body[..9].to_vec()));
/// let (shard, part) = parts.next().unwrap();
/// assert_eq!((shard, part.encode_to_vec()?), (7, body[9..].to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Splitter {
    pub(super) plan: Plan,
}

/// A record that fits into no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Oversized {
    /// The list that it is in.
    pub list: RecordList,
    /// Its index in the list.
    pub index: usize,
    /// How many bytes a part of this record alone would take.
    pub part_len: usize,
}

impl Splitter {
    /// A splitter without storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Splits `request`: each record goes to the shard that `shard_of` says.
    ///
    /// `shard_of` is called once for each series or stream, then for each metadata entry, both in wire
    /// order.
    pub fn split<'p, R: SplitRequest>(
        &'p mut self,
        request: &'p R,
        shard_of: impl FnMut(R::Record<'p>) -> u32,
    ) -> Split<'p, R> {
        self.prepare(request).split(shard_of)
    }

    /// Splits `request` by position: series or streams come first, then metadata entries, as
    /// [`MimirTokens::tokens`](super::token::MimirTokens::tokens) has them. For shards that are known
    /// already: no record is looked at.
    pub fn split_by_position<'p, R: SplitRequest>(
        &'p mut self,
        request: &'p R,
        shard_of: impl FnMut(usize) -> u32,
    ) -> Split<'p, R> {
        self.prepare(request).split_by_position(shard_of)
    }

    /// Splits `request` into parts of at most `max_bytes` bytes, all of shard 0: see
    /// [`Preparation::with_max_bytes`].
    pub fn split_by_size<'p, R: SplitRequest>(
        &'p mut self,
        request: &'p R,
        max_bytes: usize,
    ) -> Split<'p, R> {
        self.prepare(request).with_max_bytes(max_bytes).split_by_position(|_| 0)
    }

    /// Splits `request`: each record goes to all the shards that `shards_of` says, as in
    /// `|record| [first(record), second(record)]`. Naming a shard twice does not send a record twice.
    ///
    /// `shards_of` is called as in [`split`](Self::split).
    pub fn replicate<'p, R: SplitRequest, S: IntoIterator<Item = u32>>(
        &'p mut self,
        request: &'p R,
        shards_of: impl FnMut(R::Record<'p>) -> S,
    ) -> Split<'p, R> {
        self.prepare(request).replicate(shards_of)
    }

    /// To split `request` with options.
    pub fn prepare<'p, R: SplitRequest>(&'p mut self, request: &'p R) -> Preparation<'p, R> {
        self.plan.clear();
        Preparation { splitter: self, request, fields: request.fields(), max_bytes: usize::MAX }
    }
}

impl fmt::Debug for Splitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Splitter")
            .field("parts", &self.plan.parts.len())
            .field("records", &self.plan.assignments.len())
            .finish_non_exhaustive()
    }
}

/// A request about to be split, with options.
pub struct Preparation<'p, R: SplitRequest> {
    splitter: &'p mut Splitter,
    request: &'p R,
    fields: R::Fields,
    max_bytes: usize,
}

impl<'p, R: SplitRequest> Preparation<'p, R> {
    /// Lets no part be over `max_bytes` bytes, all its fields counted: a shard gets as many parts as it
    /// takes.
    ///
    /// Records are never divided. They fill one part after the other in their order; if a shard needs
    /// more than one part, metadata entries get parts of their own, behind those of the series. A record
    /// that is too long for a part of its own is in none: see [`Split::oversized`].
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// As [`Splitter::split`].
    pub fn split(self, mut shard_of: impl FnMut(R::Record<'p>) -> u32) -> Split<'p, R> {
        let request = self.request;
        self.assign(|list, at| request.record(list, at).map_or(0, &mut shard_of))
    }

    /// As [`Splitter::split_by_position`].
    pub fn split_by_position(self, mut shard_of: impl FnMut(usize) -> u32) -> Split<'p, R> {
        let series = self.request.records_len(RecordList::Series);
        self.assign(|list, at| {
            shard_of(match list {
                RecordList::Series => at,
                RecordList::Metadata => series.saturating_add(at),
            })
        })
    }

    /// As [`Splitter::replicate`].
    pub fn replicate<S: IntoIterator<Item = u32>>(
        self,
        mut shards_of: impl FnMut(R::Record<'p>) -> S,
    ) -> Split<'p, R> {
        let (fields_len, room) = self.limits();
        let Self { splitter, request, fields, .. } = self;
        let plan = &mut splitter.plan;
        let mut shards_of = |list, at| request.record(list, at).map(&mut shards_of);
        if request.body().is_empty() {
            for list in [RecordList::Series, RecordList::Metadata] {
                let records = not_in_body(request, list);
                plan.add_replicas(list, room, records, |at| shards_of(list, at));
            }
        } else {
            let list = RecordList::Series;
            let records = request.series_ranges().map(in_body);
            plan.add_replicas(list, room, records, |at| shards_of(list, at));
            let list = RecordList::Metadata;
            let records = request.metadata_ranges().map(in_body);
            plan.add_replicas(list, room, records, |at| shards_of(list, at));
        }
        plan.make_parts(room);
        Split::new(splitter, request, fields, fields_len)
    }

    fn assign(self, mut shard_of: impl FnMut(RecordList, usize) -> u32) -> Split<'p, R> {
        let (fields_len, room) = self.limits();
        let Self { splitter, request, fields, .. } = self;
        let plan = &mut splitter.plan;
        if request.body().is_empty() {
            for list in [RecordList::Series, RecordList::Metadata] {
                let records = not_in_body(request, list);
                plan.add_records(list, room, records, |at| shard_of(list, at));
            }
        } else {
            let list = RecordList::Series;
            let records = request.series_ranges().map(in_body);
            plan.add_records(list, room, records, |at| shard_of(list, at));
            let list = RecordList::Metadata;
            let records = request.metadata_ranges().map(in_body);
            plan.add_records(list, room, records, |at| shard_of(list, at));
        }
        plan.make_parts(room);
        Split::new(splitter, request, fields, fields_len)
    }

    /// Bytes of the fields that every part has, and what is left for records.
    fn limits(&self) -> (usize, usize) {
        let fields_len = R::fields_len(&self.fields);
        (fields_len, self.max_bytes.saturating_sub(fields_len))
    }
}

#[inline]
fn in_body((start, end): (u32, u32)) -> (Span, usize) {
    (Span { start, end }, usize::try_from(end.wrapping_sub(start)).unwrap_or(usize::MAX))
}

/// The records of a request that stands in no body, by index, and how many bytes they take.
fn not_in_body<R: SplitRequest>(
    request: &R,
    list: RecordList,
) -> impl ExactSizeIterator<Item = (Span, usize)> {
    (0..request.records_len(list)).map(move |at| {
        let span = Span { start: index(at), end: index(at).saturating_add(1) };
        (span, request.record_len(list, at))
    })
}

impl Preparation<'_, WriteRequest<'_>> {
    /// Sets the extension fields of every part, in place of the request's own: `Extensions::new()` for
    /// none. [`start_timestamps`](Extensions::start_timestamps) does not matter, as series are copied.
    #[must_use]
    pub const fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.fields = extensions;
        self
    }
}

impl<'a> Preparation<'_, PushRequest<'a>> {
    /// Sets the format of every part, in place of the request's own.
    #[must_use]
    pub const fn with_format(mut self, format: &'a str) -> Self {
        self.fields = format;
        self
    }
}

impl<R: SplitRequest> fmt::Debug for Preparation<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preparation").field("max_bytes", &self.max_bytes).finish_non_exhaustive()
    }
}
