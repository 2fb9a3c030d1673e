//! Splitting by item: data points and log records, with the messages around them written anew.
//!
//! ```text
//! body    [resource a [scope b [record 1][record 2]] [scope c [record 3]]]
//! part 0  [resource a [scope b [record 1]]]
//! part 1  [resource a [scope b           [record 2]] [scope c [record 3]]]
//! ```
//!
//! A *frame* is a message around items: its tag, and its fields but for what is in it, which are copied
//! into each part that has an item in it. Frames are in frames, of as many levels as the signal has.

use alloc::vec::Vec;
use core::fmt;

use hashbrown::HashMap;

use super::common::{CHILDREN, Guess, RESOURCES, SCOPES, write_guessing};
use super::logs::{ExportLogsServiceRequest, LogRecordItem};
use super::metrics::{DataPointItem, ExportMetricsServiceRequest, is_data, is_data_point};
use crate::message::columns::{index, push, range, sum, truncate, used_bytes, vec_bytes};
use crate::message::request::Raw;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::retention::Retention;
use crate::wire::{self, BufferFull, Reader, Tag, Writer, impossible, to_usize};

/// A decoded request that can be split by item: those of both signals.
///
/// ```
/// use borrowire::otlp::{ItemSplitter, SplitItems};
///
/// /// Into how many parts of at most 4 MiB a request of any signal goes.
/// fn parts<R: SplitItems>(request: &R, splitter: &mut ItemSplitter) -> usize {
///     splitter.split(request, |_| 0).parts().len()
/// }
///
/// let mut splitter = ItemSplitter::new().with_max_bytes(4 << 20);
/// let request = borrowire::otlp::logs::ExportLogsServiceRequest::default();
/// assert_eq!(parts(&request, &mut splitter), 0);
/// ```
pub trait SplitItems: sealed::Frames {
    /// What a shard function looks at: a data point or a log record, with all that is around it.
    type Item<'s>
    where
        Self: 's;

    /// All items, in wire order.
    fn items(&self) -> impl Iterator<Item = Self::Item<'_>>;
}

mod sealed {
    use super::Tag;
    use crate::wire::message::Encode;

    /// The part of [`SplitItems`](super::SplitItems) that may change.
    #[allow(unnameable_types, reason = "sealed")]
    pub trait Frames: Encode {
        /// Which fields of the frames of each level hold what is in them; in the last, items.
        const LEVELS: &'static [fn(Tag) -> bool];

        /// The bytes to copy from, if all items are there, and nothing else in their places.
        fn source(&self) -> Option<&[u8]>;
    }
}

impl<'a> SplitItems for ExportLogsServiceRequest<'a> {
    type Item<'s>
        = LogRecordItem<'s, 'a>
    where
        Self: 's;

    fn items(&self) -> impl Iterator<Item = LogRecordItem<'_, 'a>> {
        self.items()
    }
}

impl sealed::Frames for ExportLogsServiceRequest<'_> {
    const LEVELS: &'static [fn(Tag) -> bool] =
        &[|tag| tag == RESOURCES, |tag| tag == SCOPES, |tag| tag == CHILDREN];

    fn source(&self) -> Option<&[u8]> {
        self.storage.parents.is_plain().then_some(self.body())
    }
}

impl<'a> SplitItems for ExportMetricsServiceRequest<'a> {
    type Item<'s>
        = DataPointItem<'s, 'a>
    where
        Self: 's;

    fn items(&self) -> impl Iterator<Item = DataPointItem<'_, 'a>> {
        self.items()
    }
}

impl sealed::Frames for ExportMetricsServiceRequest<'_> {
    const LEVELS: &'static [fn(Tag) -> bool] = &[
        |tag| tag == RESOURCES,
        |tag| tag == SCOPES,
        |tag| tag == CHILDREN,
        is_data,
        is_data_point,
    ];

    fn source(&self) -> Option<&[u8]> {
        self.storage.parents.is_plain().then_some(self.body())
    }
}

/// Levels of a request's own fields and of frames.
const MOST_LEVELS: usize = 5;

/// Splits requests by data point or log record, in storage that is used again: after the first requests
/// nothing is allocated.
///
/// Items are copied as they came, unknown fields and all; what is around them is in every part that has
/// one of them, with lengths of its own. So large attributes of a resource whose items go to many parts
/// are in each of these: write parts one by one. What has no items is in no part.
///
/// A request in an unusual form (with what partial mode left out, data of a metric in several pieces, or
/// scopes under their former name) is encoded first, without unknown fields.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::ItemSplitter;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// # use borrowire::otlp::logs::*;
/// # let records = [LogRecord::default(); 3];
/// # let scopes = [ScopeLogs::new(Default::default(), LogRecords::new(&records))];
/// # let resources = [ResourceLogs::new(Default::default(), ScopeLogsList::new(&scopes))];
/// # let body = ExportLogsServiceRequestEncoder::new(resources).encode_to_vec()?;
/// let request = ExportLogsServiceRequest::decode(&body)?; // of three records
/// let mut splitter = ItemSplitter::new().with_max_items(2).with_max_bytes(4 << 20); // used again
/// let split = splitter.split(&request, |_| 0);
/// for (_, part) in split.parts() {
///     let part = part.encode_to_vec()?;
///     assert!(ExportLogsServiceRequest::decode(&part)?.log_records_len() <= 2);
/// }
/// assert_eq!(split.parts().len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
#[doc(alias("batch", "shard", "distribute"))]
pub struct ItemSplitter {
    max_items: usize,
    max_bytes: usize,
    plan: Plan,
    retention: Retention,
}

#[derive(Clone, Default)]
struct Plan {
    /// The request, where its body will not do.
    encoded: Vec<u8>,
    frames: Vec<Frame>,
    /// Fields of frames that are no frames and no items.
    pieces: Vec<Raw>,
    /// In wire order, then by part.
    items: Vec<Item>,
    sorted: Vec<Item>,
    parts: Vec<Part>,
    /// The last part of each shard.
    last: HashMap<u32, u32>,
    oversized: Vec<OversizedItem>,
}

#[derive(Clone, Copy)]
struct Frame {
    /// [`NONE`] for the outermost.
    parent: u32,
    tag: Tag,
    pieces_start: u32,
    pieces_end: u32,
    /// Bytes of the pieces.
    len: usize,
}

/// No frame, or no part.
const NONE: u32 = u32::MAX;

#[derive(Clone, Copy)]
struct Item {
    raw: Raw,
    /// The innermost frame around it.
    frame: u32,
    part: u32,
}

/// A part while it is filled, and then.
#[derive(Clone, Copy)]
struct Part {
    shard: u32,
    items: u32,
    items_end: u32,
    levels: [Level; MOST_LEVELS],
}

/// What a part has of a level, from the outside in: the request itself is the first.
#[derive(Clone, Copy)]
struct Level {
    /// The frame that is open; for the request any that is not [`NONE`].
    frame: u32,
    /// Bytes of its content, without the frame that is open in it.
    content: usize,
}

const CLOSED: Level = Level { frame: NONE, content: 0 };

/// Bytes of a frame with so much content: all tags take a byte.
fn framed(content: usize) -> usize {
    wire::message_len(RESOURCES, content)
}

impl Part {
    const fn new(shard: u32) -> Self {
        let request = Level { frame: 0, content: 0 };
        let levels = [request, CLOSED, CLOSED, CLOSED, CLOSED];
        Self { shard, items: 0, items_end: 0, levels }
    }

    /// Bytes of the part.
    fn len(&self) -> usize {
        let (request, frames) = self.levels.split_first().unwrap_or((&CLOSED, &[]));
        let inside = frames.iter().rev().fold(0, |inner: usize, level| {
            if level.frame == NONE { 0 } else { framed(level.content.saturating_add(inner)) }
        });
        request.content.saturating_add(inside)
    }

    /// Closes all frames from level `from` on.
    fn close(&mut self, from: usize) {
        let (outer, inner) = self.levels.split_at_mut_checked(from).unwrap_or_default();
        let closed = inner.iter_mut().rev().fold(0, |closed: usize, level| {
            let level = core::mem::replace(level, CLOSED);
            let content = level.content.saturating_add(closed);
            if level.frame == NONE { closed } else { framed(content) }
        });
        if let Some(around) = outer.last_mut() {
            around.content = around.content.saturating_add(closed);
        }
    }

    /// Adds an item of `len` bytes in the frames of `path`, from the outside in.
    fn add(&mut self, path: &[u32], frames: &[Frame], len: usize) {
        let open = self.levels.iter().skip(1).map(|level| level.frame);
        let same = open.zip(path).take_while(|(open, wanted)| open == *wanted).count();
        if same < path.len() {
            self.close(same.saturating_add(1));
            let levels = self.levels.iter_mut().skip(1).zip(path).skip(same);
            for (level, &frame) in levels {
                let content = frames.get(to_usize(frame)).map_or(0, |frame| frame.len);
                *level = Level { frame, content };
            }
        }
        if let Some(level) = self.levels.get_mut(path.len()) {
            level.content = level.content.saturating_add(len);
        }
        self.items = self.items.saturating_add(1);
    }
}

/// An item that alone is too long for a part, and is in none.
///
/// ```
/// use borrowire::otlp::ItemSplitter;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let body = [0x0a, 7, 0x12, 5, 0x12, 3, 0x62, 1, b'x']; // one record
/// let request = ExportLogsServiceRequest::decode(&body)?;
/// let mut splitter = ItemSplitter::new().with_max_bytes(8);
/// let oversized = splitter.split(&request, |_| 0).oversized()[0];
/// assert_eq!((oversized.index, oversized.part_len), (0, 9));
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct OversizedItem {
    /// Its position among the items of the request, from 0.
    pub index: usize,
    /// How many bytes a part of this item alone would take.
    pub part_len: usize,
}

impl Default for ItemSplitter {
    fn default() -> Self {
        Self::new()
    }
}

impl ItemSplitter {
    /// A splitter without storage yet, and without caps on parts.
    #[must_use]
    pub fn new() -> Self {
        Self {
            max_items: usize::MAX,
            max_bytes: usize::MAX,
            plan: Plan::default(),
            retention: Retention::default(),
        }
    }

    /// Lets no part have over `count` items, of which there is at least one: a shard gets as many parts as
    /// it takes.
    #[must_use]
    pub const fn with_max_items(mut self, count: usize) -> Self {
        self.max_items = count;
        self
    }

    /// Lets no part be over `bytes` bytes: a shard gets as many parts as it takes. Receivers over gRPC
    /// take 4 MiB as a rule, brokers of Kafka 1 MB. An item that is too long for a part of its own is in
    /// none: see [`ItemSplit::oversized`].
    #[must_use]
    pub const fn with_max_bytes(mut self, bytes: usize) -> Self {
        self.max_bytes = bytes;
        self
    }

    /// Splits `request`: each item goes to the shard that `shard_of` says. It is called once for each
    /// item, in wire order.
    pub fn split<'p, R: SplitItems>(
        &'p mut self,
        request: &'p R,
        mut shard_of: impl FnMut(R::Item<'p>) -> u32,
    ) -> ItemSplit<'p> {
        let mut items = request.items();
        self.split_by_position(request, |_| items.next().map_or(0, &mut shard_of))
    }

    /// Splits `request` by position, counted through all its items. For shards that are known already: no
    /// item is looked at.
    pub fn split_by_position<'p, R: SplitItems>(
        &'p mut self,
        request: &'p R,
        shard_of: impl FnMut(usize) -> u32,
    ) -> ItemSplit<'p> {
        let mut retention = self.retention;
        if retention.is_wasted(self.plan.used_bytes(), || self.plan.capacity_bytes()) {
            self.plan = Plan::default();
        } else {
            self.plan.clear();
            self.retention = retention;
        }
        let Self { plan, max_items, max_bytes, .. } = self;
        let mut encoded = core::mem::take(&mut plan.encoded);
        let is_plain = match request.source() {
            Some(_) => true,
            None => {
                encoded.clear();
                // What was decoded is not too large.
                let _ = request.append_to_vec(&mut encoded);
                false
            }
        };
        let source = request.source().unwrap_or(&encoded);
        let planned = Reader::new(source).and_then(|reader| {
            plan.frame_items(reader, NONE, R::LEVELS)?;
            plan.assign(*max_items, *max_bytes, R::LEVELS.len().saturating_sub(1), shard_of);
            Ok(())
        });
        // It was decoded before.
        planned.unwrap_or_else(|_| impossible());
        plan.encoded = encoded;
        let Self { plan, .. } = self;
        let source = if is_plain { request.source().unwrap_or(&[]) } else { &plan.encoded };
        ItemSplit { plan, source }
    }

    /// Heap bytes that the splitter holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.plan.capacity_bytes()
    }
}

impl fmt::Debug for ItemSplitter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemSplitter")
            .field("max_items", &self.max_items)
            .field("max_bytes", &self.max_bytes)
            .finish_non_exhaustive()
    }
}

impl Plan {
    fn clear(&mut self) {
        self.frames.clear();
        self.pieces.clear();
        self.items.clear();
        self.sorted.clear();
        self.parts.clear();
        self.last.clear();
        self.oversized.clear();
    }

    fn used_bytes(&self) -> usize {
        sum([used_bytes(&self.frames), used_bytes(&self.items), self.encoded.len()])
    }

    fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.encoded),
            vec_bytes(&self.frames),
            vec_bytes(&self.pieces),
            vec_bytes(&self.items),
            vec_bytes(&self.sorted),
            vec_bytes(&self.parts),
            self.last.allocation_size(),
            vec_bytes(&self.oversized),
        ])
    }

    /// Finds what is in the message that `reader` is over: `levels` say what that is, and `parent` is its
    /// frame.
    fn frame_items(
        &mut self,
        mut reader: Reader<'_>,
        parent: u32,
        levels: &[fn(Tag) -> bool],
    ) -> Result<(), DecodeError> {
        let Some((is_inside, inner)) = levels.split_first() else { return Ok(()) };
        loop {
            let start = reader.offset32();
            let Some(tag) = reader.next_tag()? else { return Ok(()) };
            if !is_inside(tag) {
                reader.skip_field(tag)?;
                continue;
            }
            let message = reader.read_message()?;
            match inner.first() {
                None => {
                    let raw = Raw { start, end: reader.offset32() };
                    push(&mut self.items, Item { raw, frame: parent, part: NONE });
                }
                Some(is_further_inside) => {
                    let frame = self.add_frame(message.clone(), parent, tag, *is_further_inside)?;
                    self.frame_items(message, frame, inner)?;
                }
            }
        }
    }

    /// Adds the frame that `reader` is over, with its fields for which `is_inside` does not hold.
    fn add_frame(
        &mut self,
        mut reader: Reader<'_>,
        parent: u32,
        tag: Tag,
        is_inside: fn(Tag) -> bool,
    ) -> Result<u32, DecodeError> {
        let pieces_start = index(self.pieces.len());
        let mut len = 0_usize;
        loop {
            let start = reader.offset32();
            let Some(tag) = reader.next_tag()? else { break };
            reader.skip_field(tag)?;
            if is_inside(tag) {
                continue;
            }
            let end = reader.offset32();
            len = len.saturating_add(to_usize(end.saturating_sub(start)));
            let own = self.pieces.get_mut(to_usize(pieces_start)..).unwrap_or_default();
            match own.last_mut() {
                Some(last) if last.end == start => last.end = end,
                _ => push(&mut self.pieces, Raw { start, end }),
            }
        }
        let pieces_end = index(self.pieces.len());
        let frame = index(self.frames.len());
        push(&mut self.frames, Frame { parent, tag, pieces_start, pieces_end, len });
        Ok(frame)
    }

    /// The frame at `level` around what is in `frame`, which is of level `depth`.
    fn frame_at(&self, mut frame: u32, depth: usize, level: usize) -> u32 {
        for _ in level..depth {
            frame = self.frames.get(to_usize(frame)).map_or(NONE, |frame| frame.parent);
        }
        frame
    }

    /// Puts each item to a part of its shard.
    fn assign(
        &mut self,
        max_items: usize,
        max_bytes: usize,
        depth: usize,
        mut shard_of: impl FnMut(usize) -> u32,
    ) {
        let mut path = [NONE; MOST_LEVELS];
        let path = path.get_mut(..depth).unwrap_or_default();
        let mut items = core::mem::take(&mut self.items);
        let (mut last_shard, mut last_part) = (0, NONE);
        for (position, item) in items.iter_mut().enumerate() {
            // From the inside out.
            let mut frame = item.frame;
            for place in path.iter_mut().rev() {
                *place = frame;
                frame = self.frames.get(to_usize(frame)).map_or(NONE, |frame| frame.parent);
            }
            let len = to_usize(item.raw.end.saturating_sub(item.raw.start));
            let shard = shard_of(position);
            if last_part == NONE || shard != last_shard {
                last_part = self.last.get(&shard).copied().unwrap_or(NONE);
            }
            last_shard = shard;
            if let Some(part) = self.parts.get_mut(to_usize(last_part)) {
                let mut filled = *part;
                filled.add(path, &self.frames, len);
                if to_usize(filled.items) <= max_items && filled.len() <= max_bytes {
                    *part = filled;
                    item.part = last_part;
                    continue;
                }
            }
            let mut part = Part::new(shard);
            part.add(path, &self.frames, len);
            let part_len = part.len();
            if part_len > max_bytes {
                push(&mut self.oversized, OversizedItem { index: position, part_len });
                continue;
            }
            last_part = index(self.parts.len());
            item.part = last_part;
            push(&mut self.parts, part);
            self.last.insert(shard, last_part);
        }
        self.items = items;
        self.sort();
    }

    /// Sorts the items by part.
    fn sort(&mut self) {
        let mut end = 0_u32;
        for part in &mut self.parts {
            part.items_end = end;
            end = end.saturating_add(part.items);
        }
        let none = Item { raw: Raw::default(), frame: NONE, part: NONE };
        self.sorted.resize(to_usize(end), none);
        for item in &self.items {
            let Some(part) = self.parts.get_mut(to_usize(item.part)) else { continue };
            if let Some(place) = self.sorted.get_mut(to_usize(part.items_end)) {
                *place = *item;
            }
            part.items_end = part.items_end.saturating_add(1);
        }
        truncate(&mut self.items, 0);
    }

    fn items_of(&self, part: &Part) -> &[Item] {
        range(&self.sorted, part.items_end.saturating_sub(part.items), part.items_end)
    }

    /// Writes `items`, which are in one frame of `level`, frame by frame; `depth` is the level of the
    /// frame around an item.
    fn write_items(
        &self,
        source: &[u8],
        mut items: &[Item],
        (level, depth): (usize, usize),
        guesses: &mut [Guess],
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        let Some((guess, inner)) = guesses.split_first_mut() else {
            return items.iter().try_for_each(|item| {
                writer.write_raw(range(source, item.raw.start, item.raw.end))
            });
        };
        while let Some(first) = items.first() {
            let wanted = self.frame_at(first.frame, depth, level);
            let same =
                items.iter().take_while(|it| self.frame_at(it.frame, depth, level) == wanted);
            let (group, rest) = items.split_at_checked(same.count()).unwrap_or_default();
            items = rest;
            let Some(frame) = self.frames.get(to_usize(wanted)) else { return impossible_write() };
            let pieces = range(&self.pieces, frame.pieces_start, frame.pieces_end);
            let write = |writer: &mut Writer<'_>| {
                for piece in pieces {
                    writer.write_raw(range(source, piece.start, piece.end))?;
                }
                let next = (level.saturating_add(1), depth);
                self.write_items(source, group, next, inner, writer)
            };
            // Measuring takes the same walk: the narrowest guess is never wrong.
            let narrow = || 0;
            *guess = guess.write(writer, frame.tag, narrow, write)?;
        }
        Ok(())
    }
}

#[cold]
fn impossible_write() -> Result<(), BufferFull> {
    impossible::<()>();
    Err(BufferFull)
}

/// A request that was split by item.
///
/// ```
/// use borrowire::otlp::ItemSplitter;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let request = ExportLogsServiceRequest::default();
/// let mut splitter = ItemSplitter::new();
/// assert_eq!(splitter.split(&request, |_| 0).parts().len(), 0);
/// ```
#[derive(Clone, Copy)]
pub struct ItemSplit<'p> {
    plan: &'p Plan,
    source: &'p [u8],
}

impl<'p> ItemSplit<'p> {
    /// The parts with their shards, in the order in which their first items stand in the request.
    pub fn parts(&self) -> impl ExactSizeIterator<Item = (u32, ItemPart<'p>)> + use<'p> {
        let Self { plan, source } = *self;
        plan.parts.iter().map(move |part| (part.shard, ItemPart { plan, source, part }))
    }

    /// The items that are in no part, because they alone are over the limit that was set.
    #[must_use]
    pub fn oversized(&self) -> &'p [OversizedItem] {
        &self.plan.oversized
    }

    /// Bytes of all parts together.
    #[must_use]
    pub fn encoded_len(&self) -> usize {
        self.parts().fold(0, |sum, (_, part)| sum.saturating_add(part.encoded_len()))
    }
}

impl fmt::Debug for ItemSplit<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemSplit")
            .field("parts", &self.plan.parts.len())
            .field("oversized", &self.plan.oversized.len())
            .finish_non_exhaustive()
    }
}

/// A request made of some of a request's items, in their order.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::otlp::ItemSplitter;
/// use borrowire::otlp::logs::ExportLogsServiceRequest;
///
/// let body = [0x0a, 7, 0x12, 5, 0x12, 3, 0x62, 1, b'x']; // one record
/// let request = ExportLogsServiceRequest::decode(&body)?;
/// let mut splitter = ItemSplitter::new();
/// let (shard, part) = splitter.split(&request, |_| 7).parts().next().unwrap();
/// assert_eq!((shard, part.items_len()), (7, 1));
/// assert_eq!(part.encode_to_vec()?, body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct ItemPart<'p> {
    plan: &'p Plan,
    source: &'p [u8],
    part: &'p Part,
}

impl ItemPart<'_> {
    /// How many items it has.
    #[must_use]
    pub fn items_len(&self) -> usize {
        to_usize(self.part.items)
    }
}

impl Encode for ItemPart<'_> {
    fn encoded_len(&self) -> usize {
        self.part.len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        let open = self.part.levels.iter().skip(1).filter(|level| level.frame != NONE);
        let depth = open.count();
        let items = self.plan.items_of(self.part);
        write_guessing(writer, |writer, guess| {
            let mut guesses = [guess; MOST_LEVELS];
            let guesses = guesses.get_mut(..depth).unwrap_or_default();
            self.plan.write_items(self.source, items, (1, depth), guesses, writer)
        })
    }
}

impl fmt::Debug for ItemPart<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ItemPart")
            .field("shard", &self.part.shard)
            .field("items", &self.part.items)
            .finish_non_exhaustive()
    }
}
