//! Filtering and relabelling: series dropped or with other labels, all other bytes as they came.

use alloc::vec::Vec;
use core::fmt;

use super::time_series::{LABELS, LABELS_BYTE};
use super::write_request::{METADATA, TIMESERIES, WriteRequest};
use crate::message::columns::{index, push, range, sum, used_bytes, vec_bytes};
use crate::message::regions::{copy_short, pairs_len, write_pairs};
use crate::message::request::Raw;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::label::Label;
use crate::remote_write::model::label_edits::{LabelEdits, Splice};
use crate::remote_write::model::normalize::{Labels, is_normalized, normalize_from};
use crate::remote_write::model::record_kind::RecordKind;
use crate::remote_write::model::time_series::TimeSeries;
use crate::reuse::Decoded;
use crate::shard::{SplitRequest, sealed::Records};
use crate::wire::error::MAX_MESSAGE_BYTES;
use crate::wire::message::Encode;
use crate::wire::retention::Retention;
use crate::wire::{self, BufferFull, Reader, Writer, impossible, to_usize};

/// Drops and relabels series, in storage that is used again: after the first requests nothing is
/// allocated.
///
/// ```text
/// body        | series            | series            | series | metadata | source
///             | labels a b c d .. |                   |        |          |
/// relabelled  | labels a x b d .. | dropped           | series | metadata | dropped
/// ```
///
/// What is not edited is copied: all other labels, all other fields of a series, all other records
/// and unknown fields, where and as they were.
///
/// ```
/// use borrowire::remote_write::MimirTokens;
/// use borrowire::remote_write::v1::{Relabeler, WriteRequest};
///
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("a", "bc"), Label::new("d", "ef")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
/// let mut relabeler = Relabeler::new(); // used again
/// let mut relabeled = relabeler.relabel(&request, |series, labels| {
///     labels.remove("pod");
///     labels.set("cluster", "eu-1");
///     series.metric_name() != Some("debug") // whether to keep it
/// });
/// let message = relabeled.as_bytes(); // to be sent as it is
/// # let again = WriteRequest::decode(message)?;
/// # let labels = [Label::new("a", "bc"), Label::new("cluster", "eu-1"), Label::new("d", "ef")];
/// # assert_eq!(again.timeseries().get(0).unwrap().labels(), labels);
///
/// let request = relabeled.request(); // or to be hashed, split, validated or relabelled again
/// let mut tokens = Vec::new();
/// MimirTokens::new("tenant").tokens(&*request, &mut tokens);
/// # assert_eq!(tokens.len(), 1);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[doc(alias("label", "external labels", "replace"))]
pub struct Relabeler {
    /// The message that is being made.
    out: Output,
    /// The series that are kept.
    timeseries: Vec<Kept>,
    /// Where in `out` the metadata entries stand.
    metadata: Vec<Raw>,
    edits: LabelEdits,
    scratch: Scratch,
    /// The records of a request that stands in no body.
    encoded: Vec<u8>,
    /// Lent to those who want the result as a request.
    idle: WriteRequest<'static>,
    retention: Retention,
}

/// A message that is being made, in a buffer that is filled to its end, so that nothing is filled
/// again with zeros.
#[derive(Clone, Default)]
struct Output {
    buffer: Vec<u8>,
    len: usize,
}

/// A series that is kept.
#[derive(Clone, Copy)]
struct Kept {
    /// Its position in the request that it comes from.
    position: u32,
    /// Where in the new message it stands.
    raw: Raw,
    /// Where its splices end, which begin where those of the series before end.
    splices_end: usize,
    /// Whether its labels are put in order then.
    normalized: bool,
}

impl Relabeler {
    /// A relabeler without storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `edit` for each series of `request`, in wire order: it makes its edits, and returns
    /// whether the series is kept. Metadata is kept.
    ///
    /// The request's extension fields are not, unless
    /// [`with_extensions`](Relabeled::with_extensions) says so.
    pub fn relabel<'p, 'a>(
        &'p mut self,
        request: &'p WriteRequest<'a>,
        edit: impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) -> Relabeled<'p> {
        self.clear();
        if request.body().is_empty() {
            self.relabel_generated(request, edit);
        } else {
            let metadata = request.second_raws();
            self.relabel_records(request.body(), request.first_raws(), metadata, request, edit);
        }
        let len = self.out.len;
        Relabeled { relabeler: self, len, source: request, extensions: Extensions::new() }
    }

    /// `request` with the labels of each series put in order: those without a value go, the rest is
    /// sorted by name. Distributors do so before they hash a series. Series whose labels are in
    /// order stay byte by byte as they are.
    ///
    /// ```
    /// use borrowire::remote_write::MimirTokens;
    /// use borrowire::remote_write::v1::{Relabeler, WriteRequest};
    ///
    /// # use borrowire::Encode;
    /// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
    /// # let labels = [Label::new("sample", "1"), Label::new("__name__", "foo"),
    /// #     Label::new("a", ""), Label::new("bar", "baz")];
    /// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
    /// let request = WriteRequest::decode(&body)?; // {sample="1", __name__="foo", a="", bar="baz"}
    /// let (mut relabeler, mut tokens) = (Relabeler::new(), Vec::new()); // used again
    /// let mut normalized = relabeler.normalize(&request);
    /// let request = normalized.request(); // {__name__="foo", bar="baz", sample="1"}
    /// MimirTokens::new("user-1").tokens(&*request, &mut tokens);
    /// assert_eq!(tokens, [1_345_192_342]); // now it can be split
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn normalize<'p>(&'p mut self, request: &'p WriteRequest<'_>) -> Relabeled<'p> {
        self.relabel(request, |_, labels| {
            labels.normalize();
            true
        })
    }

    /// Heap bytes that the relabeler holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.out.buffer),
            vec_bytes(&self.timeseries),
            vec_bytes(&self.metadata),
            self.edits.capacity_bytes(),
            vec_bytes(&self.scratch.added.fields),
            vec_bytes(&self.scratch.added.ends),
            vec_bytes(&self.scratch.places),
            vec_bytes(&self.encoded),
            self.idle.capacity_bytes(),
        ])
    }

    fn clear(&mut self) {
        let used = sum([self.out.len, used_bytes(&self.timeseries), self.edits.used_bytes()]);
        let mut retention = self.retention;
        if retention.is_wasted(used, || self.capacity_bytes()) {
            *self = Self::default();
            return;
        }
        self.retention = retention;
        self.out.len = 0;
        self.timeseries.clear();
        self.metadata.clear();
        self.edits.clear();
        self.scratch.added.clear();
    }

    /// Relabels a request that stands in no body: its records are written first.
    #[cold]
    fn relabel_generated<'p, 'a>(
        &mut self,
        request: &'p WriteRequest<'a>,
        edit: impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) {
        let mut encoded = core::mem::take(&mut self.encoded);
        encoded.clear();
        let [timeseries, metadata] = [RecordKind::TimeSeries, RecordKind::Metadata].map(|kind| {
            let mut raws = Vec::new();
            for at in 0..request.records_len(kind) {
                let start = encoded.len();
                encoded.resize(start.saturating_add(request.record_len(kind, at)), 0);
                let slot = encoded.get_mut(start..).unwrap_or_else(impossible);
                // It has just the room that it needs.
                let _ = request.write_record(kind, at, &mut Writer::new(slot));
                raws.push(Raw { start: index(start), end: index(encoded.len()) });
            }
            raws
        });
        self.relabel_records(&encoded, timeseries.into_iter(), metadata.into_iter(), request, edit);
        self.encoded = encoded;
    }

    /// Relabels the records of `request`, which stand in `body`.
    #[inline]
    fn relabel_records<'p, 'a>(
        &mut self,
        body: &[u8],
        timeseries: impl Iterator<Item = Raw>,
        metadata: impl Iterator<Item = Raw>,
        request: &'p WriteRequest<'a>,
        mut edit: impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) {
        let Self { out, timeseries: kept, edits, scratch, .. } = self;
        let mut metadata = metadata.peekable();
        let mut copy = Copy { body, from: 0, seen: 0 };
        for (position, (raw, series)) in timeseries.zip(request.timeseries()).enumerate() {
            // Mostly series stand side by side.
            if raw.start != copy.seen {
                copy.pass_others(raw.start, &mut metadata, &mut self.metadata, out);
            }
            copy.seen = raw.end;
            edits.begin();
            let keep = edit(series, edits);
            let mut start = copy.place(raw.start, out);
            if !keep {
                copy.leave_out(raw, out);
                continue;
            }
            let splices_start = edits.splices_len();
            let edited = edits.apply(series.labels(), body);
            let mut unordered = Labels::new();
            let normalized = edits.normalizes()
                && (edited || !is_normalized(series.labels()))
                && collect_unordered(series.labels(), edits, splices_start, &mut unordered);
            if edited || normalized {
                copy.leave_out(raw, out);
                start = out.len;
                let record = range(body, raw.start, raw.end);
                if normalized {
                    write_normalized(record, unordered, out);
                } else {
                    write_edited(record, series.labels(), edits, scratch, out);
                }
            }
            let end = copy.place(raw.end, out);
            push(
                kept,
                Kept {
                    position: index(position),
                    raw: Raw { start: index(start), end: index(end) },
                    splices_end: edits.splices_len(),
                    normalized,
                },
            );
        }
        let end = index(body.len());
        copy.pass_others(end, &mut metadata, &mut self.metadata, out);
        copy.flush(end, out);
    }
}

/// Copies what stays of a body, in pieces as large as can be.
struct Copy<'b> {
    body: &'b [u8],
    /// Where the piece begins that is to be copied next.
    from: u32,
    /// Up to where the body was looked at.
    seen: u32,
}

impl Copy<'_> {
    /// Where in the output that comes which stands at `at`.
    #[inline]
    fn place(&self, at: u32, out: &Output) -> usize {
        out.len.saturating_add(to_usize(at.saturating_sub(self.from)))
    }

    /// Copies all up to `to`.
    #[inline]
    fn flush(&mut self, to: u32, out: &mut Output) {
        let piece = range(self.body, self.from, to);
        out.append_with(piece.len(), |writer| writer.write_raw(piece));
        self.from = to;
    }

    /// Copies all up to `raw`, and nothing of that.
    #[inline]
    fn leave_out(&mut self, raw: Raw, out: &mut Output) {
        if self.from != raw.start {
            self.flush(raw.start, out);
        }
        self.from = raw.end;
    }

    /// Looks at the fields up to `to`, which are no series that was decoded: passes over metadata
    /// and unknown fields, and leaves out what decoding left out, and extension fields.
    #[inline(never)]
    fn pass_others(
        &mut self,
        to: u32,
        metadata: &mut core::iter::Peekable<impl Iterator<Item = Raw>>,
        kept: &mut Vec<Raw>,
        out: &mut Output,
    ) {
        // The body was decoded before: nothing is wrong with it.
        let Ok(mut reader) = Reader::at(self.body, self.seen) else { return impossible() };
        while reader.offset32() < to {
            let start = reader.offset32();
            let Ok(Some(tag)) = reader.next_tag() else { return impossible() };
            let Ok(()) = reader.skip_field(tag) else { return impossible() };
            let raw = Raw { start, end: reader.offset32() };
            match tag {
                METADATA if metadata.next_if(|raw| raw.start == start).is_some() => {
                    let [start, end] = [raw.start, raw.end].map(|at| index(self.place(at, out)));
                    push(kept, Raw { start, end });
                }
                TIMESERIES | METADATA => self.leave_out(raw, out),
                _ if Extensions::have(tag) => self.leave_out(raw, out),
                _ => {}
            }
        }
        self.seen = to;
    }
}

/// The content of a series' record.
#[inline]
fn content(record: &[u8]) -> &[u8] {
    match *record {
        [_, 0..0x80, ref content @ ..] | [_, 0x80..=0xff, 0..0x80, ref content @ ..] => content,
        _ => long_content(record),
    }
}

#[cold]
fn long_content(record: &[u8]) -> &[u8] {
    let read = || {
        let mut reader = Reader::new(record).ok()?;
        reader.next_tag().ok()??;
        reader.read_bytes().ok()
    };
    read().unwrap_or_else(impossible)
}

/// Finds where in a series' `content` the labels stand that `splices` are about: from byte to byte
/// those that go, in front of what byte others are put.
#[inline]
fn find_places(
    content: &[u8],
    labels: &[Label<'_>],
    splices: &[Splice],
    places: &mut Vec<(u32, u32)>,
) {
    /// Tags and lengths of a label.
    const SHORTEST: usize = 6;
    places.clear();
    // Where the labels so far end, if all of them are at the front and as short as can be.
    let mut end = 0_usize;
    let mut passed = 0_usize;
    for splice in splices {
        let wanted = to_usize(splice.label);
        // What is put behind all labels is found by the last one.
        let at = wanted.min(labels.len().saturating_sub(1));
        let mut empty = false;
        for label in labels.get(passed..at).unwrap_or_else(impossible) {
            // Without a text it would be shorter: that is not counted on.
            empty |= label.name.is_empty() | label.value.is_empty();
            end = end.wrapping_add(label.name.len()).wrapping_add(label.value.len());
        }
        end = end.wrapping_add(at.wrapping_sub(passed).wrapping_mul(SHORTEST));
        passed = at;
        let label = labels.get(at).filter(|_| !empty);
        let Some((start, end)) = label.and_then(|label| place_at(content, label, end)) else {
            return walk_to_places(content, splices, places);
        };
        places.push(match (splice.cuts, wanted == at) {
            (true, _) => (start, end),
            (false, true) => (start, start),
            (false, false) => (end, end),
        });
    }
}

/// Where `label` stands in `content`, if it begins at `start`.
#[inline]
fn place_at(content: &[u8], label: &Label<'_>, start: usize) -> Option<(u32, u32)> {
    let [LABELS_BYTE, len @ 0..0x80, _, _, name @ ..] = content.get(start..)? else { return None };
    // No label before it takes fewer bytes than were counted, and no name stands nearer to the
    // front of its label. So if this is its name, there is its front.
    if name.as_ptr() != label.name.as_ptr() || label.name.is_empty() {
        return None;
    }
    Some((index(start), index(start.wrapping_add(usize::from(*len)).wrapping_add(2))))
}

/// Finds the places of labels field by field.
#[cold]
fn walk_to_places(content: &[u8], splices: &[Splice], places: &mut Vec<(u32, u32)>) {
    places.clear();
    let mut splices = splices.iter().peekable();
    let mut label = 0_u32;
    let mut end = 0_u32;
    // It was decoded before: nothing is wrong with it.
    let Ok(mut reader) = Reader::new(content) else { return impossible() };
    loop {
        let start = reader.offset32();
        let Ok(tag) = reader.next_tag() else { return impossible() };
        let Some(tag) = tag else { break };
        let Ok(()) = reader.skip_field(tag) else { return impossible() };
        if tag != LABELS {
            continue;
        }
        end = reader.offset32();
        while let Some(splice) = splices.next_if(|splice| splice.label == label) {
            places.push((start, if splice.cuts { end } else { start }));
        }
        label = label.saturating_add(1);
    }
    places.extend(splices.map(|_| (end, end)));
}

/// Appends the series in `record`, of these `labels`, with its edits.
#[inline]
fn write_edited(
    record: &[u8],
    labels: &[Label<'_>],
    edits: &LabelEdits,
    Scratch { added, places }: &mut Scratch,
    out: &mut Output,
) {
    added.catch_up(edits);
    let content = content(record);
    let splices = edits.splices();
    find_places(content, labels, splices, places);
    let mut len = content.len();
    for (splice, (start, end)) in splices.iter().zip(&*places) {
        len = len.saturating_sub(to_usize(end.wrapping_sub(*start)));
        len = len.saturating_add(added.of(splice.edit()).len());
    }
    out.append_with(wire::message_len(TIMESERIES, len), |writer| {
        writer.write_len(TIMESERIES, len)?;
        let mut from = 0;
        for (splice, &(start, end)) in splices.iter().zip(&*places) {
            writer.write_raw(range(content, from, start))?;
            let label = added.of(splice.edit());
            copy_short(writer.take(label.len())?, label);
            from = end;
        }
        writer.write_raw(content.get(to_usize(from)..).unwrap_or_else(impossible))
    });
}

/// Collects what the edits from number `splices_start` on make of `labels`; returns whether that is
/// to be put in order.
#[cold]
fn collect_unordered<'e>(
    labels: &[Label<'e>],
    edits: &'e LabelEdits,
    splices_start: usize,
    collected: &mut Labels<'e>,
) -> bool {
    edits.append_edited(labels, (splices_start, edits.splices_len()), collected);
    !is_normalized(collected.as_slice())
}

/// Appends the series in `record` with `labels`, put in order, in place of its own.
#[cold]
fn write_normalized(record: &[u8], mut labels: Labels<'_>, out: &mut Output) {
    labels.normalize();
    let content = content(record);
    let mut others = 0_usize;
    for_each_other(content, |field| others = others.saturating_add(field.len()));
    let len = pairs_len(labels.as_slice()).saturating_add(others);
    out.append_with(wire::message_len(TIMESERIES, len), |writer| {
        writer.write_len(TIMESERIES, len)?;
        write_pairs::<LABELS_BYTE, _>(writer, labels.as_slice())?;
        let mut result = Ok(());
        for_each_other(content, |field| result = result.and_then(|()| writer.write_raw(field)));
        result
    });
}

/// Calls `each` with each field of a series' `content` but its labels.
fn for_each_other(content: &[u8], mut each: impl FnMut(&[u8])) {
    let Ok(mut reader) = Reader::new(content) else { return impossible() };
    let mut rest = content;
    // It was decoded before: nothing is wrong with it.
    while let Ok(Some(tag)) = reader.next_tag() {
        let Ok(()) = reader.skip_field(tag) else { return impossible() };
        let behind = reader.rest();
        if tag != LABELS {
            each(rest.get(..rest.len().saturating_sub(behind.len())).unwrap_or_else(impossible));
        }
        rest = behind;
    }
}

/// What is needed to write a series.
#[derive(Clone, Default)]
struct Scratch {
    added: Added,
    /// Of the splices of a series.
    places: Vec<(u32, u32)>,
}

/// The labels that are added, encoded once: most are in many series.
#[derive(Clone, Default)]
struct Added {
    fields: Vec<u8>,
    /// Where in `fields` the label of each edit ends.
    ends: Vec<usize>,
}

impl Added {
    /// Encodes the labels of edits that are new.
    #[inline]
    fn catch_up(&mut self, edits: &LabelEdits) {
        if self.ends.len() < edits.edits_len() {
            self.add(edits);
        }
    }

    #[cold]
    fn add(&mut self, edits: &LabelEdits) {
        for label in edits.labels_from(self.ends.len()) {
            let start = self.fields.len();
            self.fields.resize(start.saturating_add(pairs_len(&[label])), 0);
            let slot = self.fields.get_mut(start..).unwrap_or_else(impossible);
            // It has just the room that it needs.
            let _ = write_pairs::<LABELS_BYTE, _>(&mut Writer::new(slot), &[label]);
            self.ends.push(self.fields.len());
        }
    }

    /// The label of an edit, as a field; nothing without one.
    #[inline]
    fn of(&self, edit: Option<usize>) -> &[u8] {
        let Some(edit) = edit else { return &[] };
        let start = edit.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        let end = self.ends.get(edit).copied().unwrap_or_else(impossible);
        self.fields.get(start.unwrap_or(0)..end).unwrap_or_else(impossible)
    }

    fn clear(&mut self) {
        self.fields.clear();
        self.ends.clear();
    }
}

impl Output {
    /// Appends what `write` writes, `len` bytes.
    #[inline]
    fn append_with(
        &mut self,
        len: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) {
        let (start, end) = (self.len, self.len.saturating_add(len));
        if end > self.buffer.len() {
            // A vector grows by at least half of what it has; all of that is filled at once.
            self.buffer.resize(end, 0);
            self.buffer.resize(self.buffer.capacity(), 0);
        }
        let slot = self.buffer.get_mut(start..end).unwrap_or_else(impossible);
        self.len = end;
        // It has just the room that it needs.
        let written = write(&mut Writer::new(slot));
        debug_assert!(written.is_ok());
    }

    fn as_bytes(&self) -> &[u8] {
        self.buffer.get(..self.len).unwrap_or_else(impossible)
    }
}

/// A request with series dropped and relabelled: see [`Relabeler`].
///
/// ```
/// use borrowire::remote_write::v1::{Relabeler, WriteRequest};
/// use borrowire::shard::Splitter;
///
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("a", "bc")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
/// let mut relabeler = Relabeler::new();
/// let mut relabeled = relabeler
///     .relabel(&request, |_, _| true)
///     .with_extensions(request.extensions()); // only if the client is trusted
/// assert_eq!(relabeled.as_bytes(), body);
///
/// let request = relabeled.request();
/// let mut splitter = Splitter::new();
/// let split = splitter.split_by_size(&*request, 1 << 20);
/// assert_eq!(split.encoded_len(), body.len());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Relabeled<'p> {
    relabeler: &'p mut Relabeler,
    /// Bytes of the message without the extension fields.
    len: usize,
    source: &'p WriteRequest<'p>,
    extensions: Extensions,
}

impl Relabeled<'_> {
    /// Sets the extension fields, which are left out unless they are handed over: those of the
    /// request, if they may pass.
    #[must_use]
    pub fn with_extensions(mut self, extensions: Extensions) -> Self {
        let out = &mut self.relabeler.out;
        out.len = self.len;
        out.append_with(WriteRequest::fields_len(&extensions), |writer| {
            extensions.write_source(writer)?;
            extensions.write_flags(writer)
        });
        self.extensions = extensions;
        self
    }

    /// The message, encoded.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        self.relabeler.out.as_bytes()
    }

    /// The request, as if it were decoded from [`as_bytes`](Self::as_bytes), at a fraction of the
    /// time: to be split, hashed, validated, converted or relabelled again. A message that is too
    /// long to be decoded has no series here.
    ///
    /// It gives its storage back to the relabeler when dropped.
    #[must_use]
    pub fn request(&mut self) -> Decoded<'_, '_, WriteRequest<'static>> {
        let Relabeler { out, timeseries, metadata, edits, idle, .. } = &mut *self.relabeler;
        let (source, edits, extensions) = (self.source, &*edits, self.extensions);
        Decoded::filled(idle, |request: &mut WriteRequest<'_>| {
            if out.len > MAX_MESSAGE_BYTES {
                return; // No message, and none to be decoded.
            }
            request.begin_made(out.as_bytes(), extensions, source.has_unknown_fields());
            let mut splices_start = 0;
            for kept in &*timeseries {
                let position = to_usize(kept.position);
                let Some(series) = source.timeseries().get(position) else { return impossible() };
                let splices = (splices_start, kept.splices_end);
                let labels = &mut request.storage.labels;
                let labels_start = labels.len();
                edits.append_edited(series.labels(), splices, labels);
                if kept.normalized {
                    normalize_from(labels, labels_start);
                }
                let created = series.created_timestamp();
                series.store_values(&mut request.storage, |start| start, created);
                request.storage.end_series(kept.raw);
                splices_start = kept.splices_end;
            }
            for (entry, raw) in source.metadata().iter().zip(&*metadata) {
                request.metadata.push(&entry, *raw);
            }
        })
    }
}

/// The message, with the extension fields that were handed over.
impl Encode for Relabeled<'_> {
    fn encoded_len(&self) -> usize {
        self.relabeler.out.len
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(self.as_bytes())
    }
}

impl fmt::Debug for Relabeler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relabeler")
            .field("capacity_bytes", &self.capacity_bytes())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Relabeled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relabeled").field("bytes", &self.encoded_len()).finish_non_exhaustive()
    }
}
