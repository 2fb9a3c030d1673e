//! Filtering and relabelling: series dropped or with other labels, all other bytes as they came.

use alloc::vec::Vec;
use core::fmt;

use super::label_edits::LabelEdits;
use super::message::Message;
use super::time_series::LABELS;
use super::write_request::{METADATA, TIMESERIES, WriteRequest};
use crate::message::columns::{range, sum, used_bytes, vec_bytes};
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::record_kind::RecordKind;
use crate::remote_write::model::time_series::TimeSeries;
use crate::shard::Place;
use crate::shard::sealed::Records;
use crate::wire::message::Encode;
use crate::wire::retention::Retention;
use crate::wire::{self, BufferFull, Reader, Writer, impossible, to_usize};

/// Drops and relabels series, in storage that is used again: after the first requests nothing is
/// allocated.
///
/// ```text
/// body     | series | series  labels exemplars samples | series | series | metadata |
/// segments | as it was      |              as it was              dropped| as it was|
/// edited              tag length labels
/// ```
///
/// Only the labels of edited series are encoded anew, and put in front of the series' other fields.
/// These, all other records and all unknown fields are copied.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v1::{Relabeler, WriteRequest};
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("a", "bc"), Label::new("d", "ef")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
/// let mut relabeler = Relabeler::new();
/// let relabeled = relabeler.relabel(&request, |series, labels| {
///     labels.remove("pod");
///     labels.set("cluster", "eu-1");
///     series.metric_name() != Some("debug") // whether to keep it
/// });
/// let mut out = Vec::new(); // used again
/// relabeled.append_to_vec(&mut out)?;
/// # let again = WriteRequest::decode(&out)?;
/// # let labels = [Label::new("a", "bc"), Label::new("cluster", "eu-1"), Label::new("d", "ef")];
/// # assert_eq!(again.timeseries().get(0).unwrap().labels(), labels);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[doc(alias("label", "external labels", "replace"))]
pub struct Relabeler {
    segments: Vec<Segment>,
    /// What is not copied from the body.
    edited: Vec<u8>,
    edits: LabelEdits,
    len: usize,
    retention: Retention,
}

/// A piece of the output: from byte to byte of the body, or of what was edited.
#[derive(Clone, Copy)]
struct Segment {
    start: usize,
    end: usize,
    edited: bool,
}

impl Relabeler {
    /// A relabeler without storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `edit` for each series of `request`, in wire order: it makes its edits, and returns
    /// whether the series is kept. Metadata is kept.
    pub fn relabel<'p, 'a>(
        &'p mut self,
        request: &'p WriteRequest<'a>,
        mut edit: impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) -> Relabeled<'p> {
        let used = used_bytes(&self.segments).saturating_add(used_bytes(&self.edited));
        let mut retention = self.retention;
        if retention.is_wasted(used, || self.capacity_bytes()) {
            *self = Self::default();
        } else {
            self.segments.clear();
            self.edited.clear();
            self.len = 0;
            self.retention = retention;
        }
        if request.body().is_empty() {
            self.encode_records(request, &mut edit);
        } else {
            self.copy_records(request, &mut edit);
        }
        Relabeled { body: request.body(), relabeler: self, extensions: request.extensions() }
    }

    /// Heap bytes that the relabeler holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([vec_bytes(&self.segments), vec_bytes(&self.edited), self.edits.capacity_bytes()])
    }

    /// Goes over the fields of the body.
    fn copy_records<'p, 'a>(
        &mut self,
        request: &'p WriteRequest<'a>,
        edit: &mut impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) {
        let mut series = request.first_raws().zip(request.timeseries()).peekable();
        let mut metadata = request.second_raws().peekable();
        let Ok(mut reader) = Reader::new(request.body()) else { return };
        loop {
            let start = reader.offset32();
            // The body was decoded before: nothing is wrong with it.
            let Ok(Some(tag)) = reader.next_tag() else { return };
            let Ok(()) = reader.skip_field(tag) else { return };
            let end = reader.offset32();
            match tag {
                // Records that decoding left out are left out here.
                TIMESERIES => {
                    if let Some((_, series)) = series.next_if(|(raw, _)| raw.start == start) {
                        self.copy_series(request.body(), start, end, series, edit);
                    }
                }
                METADATA => {
                    if metadata.next_if(|raw| raw.start == start).is_some() {
                        self.copy(start, end);
                    }
                }
                // Written behind the records.
                _ if Extensions::have(tag) => {}
                _ => self.copy(start, end),
            }
        }
    }

    /// Copies the series whose record goes from `start` to `end`, with its edits.
    fn copy_series<'p, 'a>(
        &mut self,
        body: &[u8],
        start: u32,
        end: u32,
        series: TimeSeries<'p, 'a>,
        edit: &mut impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) {
        self.edits.clear();
        if !edit(series, &mut self.edits) {
            return;
        }
        let labels_start = self.edited.len();
        if !self.edits.apply(series.labels(), &mut self.edited) {
            return self.copy(start, end);
        }
        let labels_end = self.edited.len();
        let record = range(body, start, end);
        let mut others = 0_usize;
        for_each_other(record, start, |from, to| {
            others = others.saturating_add(to_usize(to.saturating_sub(from)));
        });
        self.insert_series(labels_start, labels_end, others);
        for_each_other(record, start, |from, to| self.copy(from, to));
    }

    /// Inserts the beginning of a series: tag, length and the labels, which were appended to what
    /// was edited; `others` bytes of other fields will follow.
    fn insert_series(&mut self, labels_start: usize, labels_end: usize, others: usize) {
        let content = labels_end.saturating_sub(labels_start).saturating_add(others);
        let head = wire::message_len(TIMESERIES, content).saturating_sub(content);
        self.edited.resize(labels_end.saturating_add(head), 0);
        // It has just the room that it needs.
        let _ = Writer::new(self.edited.get_mut(labels_end..).unwrap_or_else(impossible))
            .write_len(TIMESERIES, content);
        self.insert(labels_end, labels_end.saturating_add(head));
        self.insert(labels_start, labels_end);
    }

    /// Encodes the records of a request that stands in no body.
    #[cold]
    fn encode_records<'p, 'a>(
        &mut self,
        request: &'p WriteRequest<'a>,
        edit: &mut impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) {
        for (at, series) in request.timeseries().iter().enumerate() {
            self.edits.clear();
            if !edit(series, &mut self.edits) {
                continue;
            }
            let start = self.edited.len();
            if self.edits.apply(series.labels(), &mut self.edited) {
                let labels_end = self.edited.len();
                let others = Message(series.with_labels(&[]));
                self.insert_series(start, labels_end, others.encoded_len());
                self.encode(others.encoded_len(), |writer| others.write_to(writer));
            } else {
                let kind = RecordKind::TimeSeries;
                let len = request.record_len(kind, at);
                self.encode(len, |writer| request.write_record(kind, at, writer));
            }
        }
        for at in 0..request.metadata().len() {
            let kind = RecordKind::Metadata;
            let len = request.record_len(kind, at);
            self.encode(len, |writer| request.write_record(kind, at, writer));
        }
    }

    /// Appends what `write` writes, `len` bytes.
    fn encode(
        &mut self,
        len: usize,
        write: impl FnOnce(&mut Writer<'_>) -> Result<(), BufferFull>,
    ) {
        let start = self.edited.len();
        self.edited.resize(start.saturating_add(len), 0);
        // It has just the room that it needs.
        let _ = write(&mut Writer::new(self.edited.get_mut(start..).unwrap_or_else(impossible)));
        self.insert(start, self.edited.len());
    }

    /// Appends bytes of the body.
    fn copy(&mut self, start: u32, end: u32) {
        let start = to_usize(start);
        self.push(Segment { start, end: to_usize(end), edited: false });
    }

    /// Appends bytes of what was edited.
    fn insert(&mut self, start: usize, end: usize) {
        self.push(Segment { start, end, edited: true });
    }

    fn push(&mut self, segment: Segment) {
        self.len = self.len.saturating_add(segment.end.saturating_sub(segment.start));
        match self.segments.last_mut() {
            Some(last) if last.edited == segment.edited && last.end == segment.start => {
                last.end = segment.end;
            }
            _ => self.segments.push(segment),
        }
    }
}

/// Calls `field` for each field but the labels of the series in `record`, which begins at `start`,
/// with the places where it begins and ends.
fn for_each_other(record: &[u8], start: u32, mut field: impl FnMut(u32, u32)) {
    let Ok(mut outer) = Reader::new(record) else { return };
    let Ok(Some(_)) = outer.next_tag() else { return };
    let Ok(mut reader) = outer.read_message() else { return };
    loop {
        let from = reader.offset32();
        let Ok(Some(tag)) = reader.next_tag() else { return };
        let Ok(()) = reader.skip_field(tag) else { return };
        if tag != LABELS {
            field(start.saturating_add(from), start.saturating_add(reader.offset32()));
        }
    }
}

/// A request with series dropped and relabelled: see [`Relabeler`].
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::Extensions;
/// use borrowire::remote_write::v1::{Relabeler, WriteRequest};
///
/// # use borrowire::remote_write::{Label, TimeSeries, v1::WriteRequestEncoder};
/// # let labels = [Label::new("a", "bc")];
/// # let body = WriteRequestEncoder::new([TimeSeries::new(&labels)]).encode_to_vec()?;
/// let request = WriteRequest::decode(&body)?;
/// let mut relabeler = Relabeler::new();
/// let relabeled = relabeler.relabel(&request, |_, _| true);
/// // At the edge: no client sets Mimir's own fields.
/// assert_eq!(relabeled.with_extensions(Extensions::new()).encode_to_vec()?, body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy)]
pub struct Relabeled<'p> {
    body: &'p [u8],
    relabeler: &'p Relabeler,
    extensions: Extensions,
}

impl Relabeled<'_> {
    /// Sets the extension fields, in place of the request's own: `Extensions::new()` for none.
    #[must_use]
    pub const fn with_extensions(mut self, extensions: Extensions) -> Self {
        self.extensions = extensions;
        self
    }
}

impl Encode for Relabeled<'_> {
    fn encoded_len(&self) -> usize {
        self.relabeler.len.saturating_add(WriteRequest::fields_len(&self.extensions))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        for segment in &self.relabeler.segments {
            let from = if segment.edited { &*self.relabeler.edited } else { self.body };
            writer.write_raw(from.get(segment.start..segment.end).ok_or(BufferFull)?)?;
        }
        WriteRequest::write_fields(&self.extensions, Place::Between, writer)?;
        WriteRequest::write_fields(&self.extensions, Place::Behind, writer)
    }
}

impl fmt::Debug for Relabeler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relabeler")
            .field("segments", &self.segments.len())
            .field("edited_bytes", &self.edited.len())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Relabeled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Relabeled").field("bytes", &self.encoded_len()).finish_non_exhaustive()
    }
}
