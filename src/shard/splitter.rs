//! Splitting: what the caller decides.

use core::fmt;

use super::part::Split;
use super::plan::Plan;
use super::request::SplitRequest;
use super::rewrite::{Rewrite, by_index};
use crate::message::columns::index;
use crate::message::request::Raw;
use crate::message::request::sealed::RecordKind;
use crate::wire::retention::Retention;
use crate::wire::to_usize;

/// Splits requests, in storage that is used again: after the first requests nothing is allocated.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{Record, WriteRequest, WriteRequestEncoder};
/// use borrowire::remote_write::{Label, TimeSeries};
/// use borrowire::shard::Splitter;
///
/// # let (one, two) = ([Label::new("job", "a")], [Label::new("job", "b")]);
/// # let series = [TimeSeries::new(&one), TimeSeries::new(&two)];
/// # let body = WriteRequestEncoder::new(series).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?; // series {job="a"} and {job="b"}
/// let mut splitter = Splitter::new(); // used again
/// let mut split = splitter.split(&request, |record| match record {
///     Record::TimeSeries(series) if series.label("job") == Some("b") => 7,
///     _ => 3,
/// });
/// let parts = split.parts().map(|(shard, part)| Ok((shard, part.encode_to_vec()?)));
/// let parts = parts.collect::<Result<Vec<_>, borrowire::EncodeError>>()?;
/// assert_eq!(parts[0], (3, request.raw_timeseries(0).unwrap().to_vec()));
/// assert_eq!(parts[1], (7, request.raw_timeseries(1).unwrap().to_vec()));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[doc(alias("shard", "distribute", "partition", "batch"))]
pub struct Splitter {
    plan: Plan,
    rewrite: Rewrite,
    retention: Retention,
}

impl Splitter {
    /// A splitter without storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Splits `request`: each record goes to the shard that `shard_of` says.
    ///
    /// `shard_of` is called once for each record: for those of the first list (series, streams),
    /// then for those of the second (metadata), both in wire order.
    pub fn split<'p, R: SplitRequest>(
        &'p mut self,
        request: &'p R,
        shard_of: impl FnMut(R::Record<'p>) -> u32,
    ) -> Split<'p, R> {
        self.prepare(request).split(shard_of)
    }

    /// Splits `request` by position, counted through both of its lists, as the tokens of a whole
    /// request are. For shards that are known already: no record is looked at.
    pub fn split_by_position<'p, R: SplitRequest>(
        &'p mut self,
        request: &'p R,
        shard_of: impl FnMut(usize) -> u32,
    ) -> Split<'p, R> {
        self.prepare(request).split_by_position(shard_of)
    }

    /// Splits `request` into parts of at most `max_bytes` bytes, all of shard 0: see
    /// [`SplitOptions::with_max_bytes`].
    pub fn split_by_size<'p, R: SplitRequest>(
        &'p mut self,
        request: &'p R,
        max_bytes: usize,
    ) -> Split<'p, R> {
        self.prepare(request).with_max_bytes(max_bytes).split_by_position(|_| 0)
    }

    /// Splits `request`: each record goes to all the shards that `shards_of` says, as in `|record|
    /// [first(record), second(record)]`. Naming a shard twice does not send a record twice.
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
    pub fn prepare<'p, R: SplitRequest>(&'p mut self, request: &'p R) -> SplitOptions<'p, R> {
        let used = self.plan.used_bytes().saturating_add(self.rewrite.used_bytes());
        let mut retention = self.retention;
        if retention.is_wasted(used, || self.capacity_bytes()) {
            *self = Self::default();
        } else {
            self.plan.clear();
            self.rewrite.clear();
            self.retention = retention;
        }
        SplitOptions {
            splitter: self,
            request,
            fields: R::Fields::default(),
            max_bytes: usize::MAX,
        }
    }

    /// Heap bytes that the splitter holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.plan.capacity_bytes().saturating_add(self.rewrite.capacity_bytes())
    }
}

impl fmt::Debug for Splitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Splitter")
            .field("capacity_bytes", &self.capacity_bytes())
            .finish_non_exhaustive()
    }
}

/// A request about to be split, with options.
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
/// let mut split = splitter
///     .prepare(&request)
///     .with_max_bytes(1 << 20)
///     .with_extensions(request.extensions()) // only where the client is trusted
///     .split_by_position(|at| at as u32 % 16);
/// assert_eq!(split.parts().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SplitOptions<'p, R: SplitRequest> {
    splitter: &'p mut Splitter,
    request: &'p R,
    fields: R::Fields,
    max_bytes: usize,
}

impl<'p, R: SplitRequest> SplitOptions<'p, R> {
    /// Lets no part be over `max_bytes` bytes, all its fields counted: a shard gets as many parts
    /// as it takes.
    ///
    /// Records are never divided. Series fill one part after the other in their order; each
    /// metadata entry goes to the part of series that has the most room, and only if that is not
    /// enough to a part of metadata alone, behind those of the series. A record that is too long for a part of its own is in none: see
    /// [`Split::oversized`].
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Sets the fields besides its records that every part has (extensions, a format), which are left
    /// out unless they are handed over: those of the request, where the client may set them.
    #[must_use]
    pub const fn with_extensions(mut self, fields: R::Fields) -> Self {
        self.fields = fields;
        self
    }

    /// Each record to the shard that `shard_of` says, as [`Splitter::split`] does.
    pub fn split(self, mut shard_of: impl FnMut(R::Record<'p>) -> u32) -> Split<'p, R> {
        let request = self.request;
        self.assign(|kind, at| request.record(kind, at).map_or(0, &mut shard_of))
    }

    /// Each record to the shard of its position, as [`Splitter::split_by_position`] does.
    pub fn split_by_position(self, mut shard_of: impl FnMut(usize) -> u32) -> Split<'p, R> {
        let request = self.request;
        let first_len = request.records_len(R::Kind::FIRST);
        self.assign(|kind: R::Kind, at| {
            shard_of(if kind.is_first() { at } else { first_len.saturating_add(at) })
        })
    }

    /// Each record to all the shards that `shards_of` says, as [`Splitter::replicate`] does.
    pub fn replicate<S: IntoIterator<Item = u32>>(
        self,
        mut shards_of: impl FnMut(R::Record<'p>) -> S,
    ) -> Split<'p, R> {
        let request = self.request;
        self.plan(ManyShards(|kind, at| request.record(kind, at).map(&mut shards_of)))
    }

    fn assign(self, shard_of: impl FnMut(R::Kind, usize) -> u32) -> Split<'p, R> {
        self.plan(OneShard(shard_of))
    }

    /// Plans the records of each list, and makes parts of them.
    fn plan(self, mut planner: impl PlanList<R::Kind>) -> Split<'p, R> {
        let Self { splitter: Splitter { plan, rewrite, .. }, request, fields, max_bytes } = self;
        let fields_len = R::fields_len(&fields);
        let room =
            if max_bytes == usize::MAX { max_bytes } else { max_bytes.saturating_sub(fields_len) };
        let (first, second) = (R::Kind::FIRST, R::Kind::SECOND);
        if let Some(table) = request.table() {
            planner.plan(plan, first, usize::MAX, by_index(request.records_len(first)));
            rewrite.write(plan, table, room);
            return Split::new(plan, rewrite, request, fields, fields_len);
        }
        if request.body_bytes().is_empty() {
            for kind in [Some(first), second].into_iter().flatten() {
                planner.plan(plan, kind, room, not_in_body(request, kind));
            }
        } else {
            planner.plan(plan, first, room, request.first_raws().map(in_body));
            if let Some(second) = second {
                planner.plan(plan, second, room, request.second_raws().map(in_body));
            }
        }
        plan.make_parts(room);
        Split::new(plan, rewrite, request, fields, fields_len)
    }
}

/// Puts the records of a list to their shards.
trait PlanList<K> {
    fn plan(
        &mut self,
        plan: &mut Plan,
        kind: K,
        room: usize,
        records: impl ExactSizeIterator<Item = (Raw, usize)>,
    );
}

/// Each record to the shard that a function says.
struct OneShard<F>(F);

impl<K: RecordKind, F: FnMut(K, usize) -> u32> PlanList<K> for OneShard<F> {
    #[inline]
    fn plan(
        &mut self,
        plan: &mut Plan,
        kind: K,
        room: usize,
        records: impl ExactSizeIterator<Item = (Raw, usize)>,
    ) {
        if kind.is_first() || room == usize::MAX {
            plan.add_records(kind.is_first(), room, records, |at| (self.0)(kind, at));
        } else {
            plan.add_fitting(room, records, |at| Some([(self.0)(kind, at)]));
        }
    }
}

/// Each record to all the shards that a function says.
struct ManyShards<F>(F);

impl<K: RecordKind, S: IntoIterator<Item = u32>, F: FnMut(K, usize) -> Option<S>> PlanList<K>
    for ManyShards<F>
{
    fn plan(
        &mut self,
        plan: &mut Plan,
        kind: K,
        room: usize,
        records: impl ExactSizeIterator<Item = (Raw, usize)>,
    ) {
        if kind.is_first() || room == usize::MAX {
            plan.add_replicas(kind.is_first(), room, records, |at| (self.0)(kind, at));
        } else {
            plan.add_fitting(room, records, |at| (self.0)(kind, at));
        }
    }
}

#[inline]
fn in_body(raw: Raw) -> (Raw, usize) {
    (raw, to_usize(raw.end.wrapping_sub(raw.start)))
}

/// The records of a request that stands in no body, by index, and how many bytes they take.
fn not_in_body<R: SplitRequest>(
    request: &R,
    kind: R::Kind,
) -> impl ExactSizeIterator<Item = (Raw, usize)> {
    (0..request.records_len(kind)).map(move |at| {
        let raw = Raw { start: index(at), end: index(at).saturating_add(1) };
        (raw, request.record_len(kind, at))
    })
}

impl<R: SplitRequest> fmt::Debug for SplitOptions<'_, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SplitOptions").field("max_bytes", &self.max_bytes).finish_non_exhaustive()
    }
}
