//! Splitting: which series goes into which part, and with which symbols.

use alloc::vec::Vec;
use core::fmt;

use super::part::Split;
use super::renumber::{Numbering, Scratch, append};
use crate::remote_write::v2::{Extensions, Request, TimeSeries};
use crate::shard::RecordList;
use crate::shard::plan::{Plan, Span};
use crate::message::columns::index;
use crate::wire::{self, Tag, WireType};

const TIMESERIES: Tag = Tag::new(5, WireType::Len);

/// Splits requests of remote write 2.0, in storage that is used again: after the first requests nothing is
/// allocated.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::Request;
/// use borrowire::shard::{token::MimirTokens, v2::Splitter};
///
/// let body = b"\x22\0\x22\x01a\x22\x01b\x22\x01c\x2a\x04\x0a\x02\x01\x02\x2a\x04\x0a\x02\x01\x03";
/// let request = Request::decode(body)?;
/// let tokens = MimirTokens::new("tenant");
/// let mut splitter = Splitter::new();
/// if let Some(split) = splitter.split(&request, |series| tokens.series(series.labels()) % 16) {
///     for (shard, part) in split.parts() {
///         let message = part.encode_to_vec()?; // or into memory of yours
///         # assert_eq!(message, [&b"\x22\0\x22\x01a\x22\x01"[..], &[message[7]], b"\x2a\x04\x0a\x02\x01\x02"].concat());
///     }
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
pub struct Splitter {
    plan: Plan,
    pub(super) parts: Vec<PartRecord>,
    pub(super) oversized: Vec<(usize, usize)>,
    /// The series of all parts.
    pub(super) series: Vec<u8>,
    pub(super) numbering: Numbering,
    scratch: Scratch,
}

/// A part: from byte to byte of the series, and from place to place of the symbols.
#[derive(Clone, Copy)]
pub(super) struct PartRecord {
    pub(super) shard: u32,
    pub(super) records: usize,
    pub(super) series: (usize, usize),
    pub(super) symbols: (usize, usize),
    /// Bytes of the symbols, as fields.
    pub(super) symbols_len: usize,
}

/// A series that fits into no part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Oversized {
    /// Its index in the request.
    pub index: usize,
    /// How many bytes a part of this series alone would take.
    pub part_len: usize,
}

impl Splitter {
    /// A splitter without storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Splits `request`: each series goes to the shard that `shard_of` says, which is called in wire order.
    ///
    /// `None` if the request stands in no body, as one made of generated types: it has no references that
    /// could be copied. A [`Symbolizer`](crate::remote_write::v2::Symbolizer) encodes its series.
    pub fn split<'p, 'a>(
        &'p mut self,
        request: &'p Request<'a>,
        shard_of: impl FnMut(TimeSeries<'p, 'a>) -> u32,
    ) -> Option<Split<'p>> {
        self.prepare(request).split(shard_of)
    }

    /// Splits `request` by the positions of its series, for shards that are known already; `None` as in
    /// [`split`](Self::split).
    pub fn split_by_position<'p>(
        &'p mut self,
        request: &'p Request<'_>,
        shard_of: impl FnMut(usize) -> u32,
    ) -> Option<Split<'p>> {
        self.prepare(request).split_by_position(shard_of)
    }

    /// Splits `request` into parts of at most `max_bytes` bytes, all of shard 0; `None` as in
    /// [`split`](Self::split).
    pub fn split_by_size<'p>(
        &'p mut self,
        request: &'p Request<'_>,
        max_bytes: usize,
    ) -> Option<Split<'p>> {
        self.prepare(request).with_max_bytes(max_bytes).split_by_position(|_| 0)
    }

    /// Splits `request`: each series goes to all the shards that `shards_of` says, or to none. Naming a shard
    /// twice does not send a series twice. `None` as in [`split`](Self::split).
    pub fn replicate<'p, 'a, S: IntoIterator<Item = u32>>(
        &'p mut self,
        request: &'p Request<'a>,
        shards_of: impl FnMut(TimeSeries<'p, 'a>) -> S,
    ) -> Option<Split<'p>> {
        self.prepare(request).replicate(shards_of)
    }

    /// To split `request` with options.
    pub const fn prepare<'p, 'a>(&'p mut self, request: &'p Request<'a>) -> Preparation<'p, 'a> {
        let extensions = request.extensions();
        Preparation { splitter: self, request, extensions, max_bytes: usize::MAX }
    }

    /// Forgets what was split before; `None` if there are no bytes to split.
    fn start(&mut self, request: &Request<'_>) -> Option<()> {
        self.parts.clear();
        self.oversized.clear();
        self.series.clear();
        self.plan.clear();
        (!request.body().is_empty() || request.timeseries().is_empty()).then_some(())
    }

    /// Writes the series of each part that is planned, and notes their symbols.
    fn write<'p>(
        &'p mut self,
        request: &'p Request<'_>,
        extensions: Extensions,
        max_bytes: usize,
    ) -> Split<'p> {
        self.plan.make_parts(usize::MAX);
        self.plan.sort();
        self.numbering.start(request);

        let fields_len = extensions.source_len().saturating_add(extensions.flags_len());
        let room = max_bytes.saturating_sub(fields_len);
        let Self { plan, parts, oversized, series, numbering, scratch } = self;
        for shard in &plan.parts {
            let Some(run) = plan.run(shard.series) else { continue };
            let mut part = PartRecord::new(shard.shard, series, numbering, request);
            for span in plan.spans_of(run) {
                let index = usize::try_from(span.start).unwrap_or(usize::MAX);
                let record = request.raw_timeseries(index).unwrap_or_default();
                loop {
                    let (symbols, symbols_len) = (numbering.symbols.len(), numbering.len);
                    scratch.rewrite(record, request, numbering);
                    let len = wire::message_len(TIMESERIES, scratch.series.len());
                    let before = series.len().saturating_sub(part.series.0);
                    let needed = before.saturating_add(len).saturating_add(numbering.len);
                    if needed <= room {
                        append(series, TIMESERIES, &scratch.series);
                        part.records = part.records.saturating_add(1);
                        break;
                    }
                    numbering.truncate(symbols, symbols_len);
                    if part.records == 0 {
                        oversized.push((index, needed.saturating_add(fields_len)));
                        break;
                    }
                    parts.push(part.end(series, numbering));
                    part = PartRecord::new(shard.shard, series, numbering, request);
                }
            }
            if part.records > 0 {
                parts.push(part.end(series, numbering));
            }
        }
        oversized.sort_unstable();
        // One for each shard of a series.
        oversized.dedup();
        Split::new(self, request, extensions)
    }
}

/// All series, by index: how many bytes they take in a part is only known when they are written.
fn by_index(request: &Request<'_>) -> impl ExactSizeIterator<Item = (Span, usize)> {
    (0..request.timeseries().len()).map(|at| {
        let start = index(at);
        (Span { start, end: start.saturating_add(1) }, 0)
    })
}

/// A request about to be split, with options.
pub struct Preparation<'p, 'a> {
    splitter: &'p mut Splitter,
    request: &'p Request<'a>,
    extensions: Extensions,
    max_bytes: usize,
}

impl<'p, 'a> Preparation<'p, 'a> {
    /// Lets no part be over `max_bytes` bytes, everything counted: a shard gets as many parts as it takes.
    ///
    /// Series are never divided; one that is too long for a part of its own is in none: see
    /// [`Split::oversized`].
    #[must_use]
    pub const fn with_max_bytes(mut self, max_bytes: usize) -> Self {
        self.max_bytes = max_bytes;
        self
    }

    /// Sets the extension fields of every part, in place of the request's own: `Extensions::new()` for none.
    #[must_use]
    pub const fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }

    /// As [`Splitter::split`].
    pub fn split(self, mut shard_of: impl FnMut(TimeSeries<'p, 'a>) -> u32) -> Option<Split<'p>> {
        let request = self.request;
        self.split_by_position(|at| request.timeseries().get(at).map_or(0, &mut shard_of))
    }

    /// As [`Splitter::split_by_position`].
    pub fn split_by_position(self, shard_of: impl FnMut(usize) -> u32) -> Option<Split<'p>> {
        let Self { splitter, request, extensions, max_bytes } = self;
        splitter.start(request)?;
        let records = by_index(request);
        splitter.plan.add_records(RecordList::Series, usize::MAX, records, shard_of);
        Some(splitter.write(request, extensions, max_bytes))
    }

    /// As [`Splitter::replicate`].
    pub fn replicate<S: IntoIterator<Item = u32>>(
        self,
        mut shards_of: impl FnMut(TimeSeries<'p, 'a>) -> S,
    ) -> Option<Split<'p>> {
        let Self { splitter, request, extensions, max_bytes } = self;
        splitter.start(request)?;
        let records = by_index(request);
        let shards_of = |at| request.timeseries().get(at).map(&mut shards_of);
        splitter.plan.add_replicas(RecordList::Series, usize::MAX, records, shards_of);
        Some(splitter.write(request, extensions, max_bytes))
    }
}

impl fmt::Debug for Preparation<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Preparation").field("max_bytes", &self.max_bytes).finish_non_exhaustive()
    }
}

impl PartRecord {
    /// A part that begins now.
    fn new(shard: u32, series: &[u8], numbering: &mut Numbering, request: &Request<'_>) -> Self {
        numbering.start_part(request);
        let (series, symbols) = (series.len(), numbering.start);
        Self {
            shard,
            records: 0,
            series: (series, series),
            symbols: (symbols, symbols),
            symbols_len: 0,
        }
    }

    /// The part, which ends now.
    fn end(mut self, series: &[u8], numbering: &Numbering) -> Self {
        self.series.1 = series.len();
        self.symbols.1 = numbering.symbols.len();
        self.symbols_len = numbering.len;
        self
    }
}

impl fmt::Debug for Splitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Splitter")
            .field("parts", &self.parts.len())
            .field("series_bytes", &self.series.len())
            .finish_non_exhaustive()
    }
}
