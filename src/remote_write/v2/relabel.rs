//! Filtering and relabelling requests of 2.0: by references, with the symbols that are left.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use hashbrown::{DefaultHashBuilder, HashTable};
use smallvec::SmallVec;

use super::labels_refs::LABELS_REFS_PACKED;
use super::refs::SeriesRefs;
use super::request::Request;
use super::split::{Edited, Numbers};
use super::symbolizer::Symbolizer;
use super::symbols::SYMBOLS;
use super::time_series::TIMESERIES;
use crate::message::columns::{
    clear_table, hash_text, index, push, range, same_text, sum, used_bytes, vec_bytes,
};
use crate::message::request::Raw;
use crate::remote_write::model::extensions::Extensions;
use crate::remote_write::model::label::Label;
use crate::remote_write::model::label_edits::LabelEdits;
use crate::remote_write::model::normalize::{Labels, is_normalized, normalize_from};
use crate::remote_write::model::time_series::TimeSeries;
use crate::reuse::Decoded;
use crate::shard::sealed::{Records, Table};
use crate::shard::{Numbering, Scratch, append_message, append_varint};
use crate::wire::message::Encode;
use crate::wire::retention::Retention;
use crate::wire::{self, BufferFull, Reader, Writer, impossible, to_usize};

/// Drops and relabels series of 2.0, in storage that is used again: after the first requests
/// nothing is allocated.
///
/// ```text
/// body        symbols "" a b c d   | series [1 2 3 4] .. | series [1 4] .. |
/// relabelled  symbols "" a b e     | series [1 2 1 3] .. | dropped         |
/// ```
///
/// Series are copied but for their references, as in a [split](crate::shard), and the table has the
/// symbols that are still in use, and no others: a text that was removed is not sent.
///
/// ```
/// use borrowire::remote_write::v2::{Relabeler, Request};
///
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, TimeSeries, v2::Symbolizer};
/// # let labels = [Label::new("a", "bc"), Label::new("pod", "p-17")];
/// # let body = Symbolizer::new().symbolize([TimeSeries::new(&labels)])?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
/// let mut relabeler = Relabeler::new(); // used again
/// let mut relabeled = relabeler.relabel(&request, |series, labels| {
///     labels.remove("pod");
///     labels.set("cluster", "eu-1");
///     series.metric_name() != Some("debug") // whether to keep it
/// });
/// let message = relabeled.as_bytes(); // to be sent as it is
/// # let again = Request::decode(message)?;
/// # let labels = [Label::new("a", "bc"), Label::new("cluster", "eu-1")];
/// # assert_eq!(again.timeseries().get(0).unwrap().labels(), labels);
///
/// let request = relabeled.request(); // or to be hashed, split, validated or relabelled again
/// assert!(request.symbols().iter().all(|symbol| symbol != Some("p-17")));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Default)]
#[doc(alias("label", "external labels", "replace"))]
pub struct Relabeler {
    /// The message that is being made.
    out: Vec<u8>,
    /// Its series, while their symbols are gathered.
    records: Vec<u8>,
    timeseries: Vec<Kept>,
    edits: LabelEdits,
    added: Added,
    numbering: Numbering,
    scratch: Scratch,
    /// Lent to those who want the result as a request.
    idle: Request<'static>,
    retention: Retention,
}

/// A series that is kept.
#[derive(Clone, Copy)]
struct Kept {
    /// Its position in the request that it comes from.
    position: u32,
    /// Where among the records it stands.
    raw: Raw,
    /// Its splices.
    splices: (usize, usize),
    /// Whether its labels are put in order then.
    normalized: bool,
}

/// The texts of edits as symbols: those of the request, and new ones behind them.
#[derive(Clone, Default)]
struct Added {
    /// Name and value of each edit.
    pairs: Vec<(u32, u32)>,
    /// The new texts, one behind the other.
    texts: String,
    ends: Vec<usize>,
    /// Bytes of each as a symbol.
    lens: Vec<usize>,
    /// All texts by their hash, once that many were looked for that it pays.
    index: HashTable<u32>,
    hasher: DefaultHashBuilder,
}

impl Relabeler {
    /// A relabeler without storage yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Calls `edit` for each series of `request`, in wire order: it makes its edits, and returns
    /// whether the series is kept.
    ///
    /// The request's extension fields are not, unless
    /// [`with_extensions`](Relabeled::with_extensions) says so; nor are its own unknown fields.
    pub fn relabel<'p, 'a>(
        &'p mut self,
        request: &'p Request<'a>,
        edit: impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) -> Relabeled<'p> {
        self.clear();
        if request.body().is_empty() {
            self.relabel_generated(request, edit);
        } else {
            self.relabel_records(request, request, edit);
        }
        let len = self.out.len();
        Relabeled { relabeler: self, len, source: request, extensions: Extensions::new() }
    }

    /// `request` with the labels of each series put in order: those without a value go, the rest is
    /// sorted by name. Distributors do so before they hash a series.
    ///
    /// ```
    /// use borrowire::remote_write::v2::{Relabeler, Request};
    ///
    /// # use borrowire::Encode;
    /// # use borrowire::remote_write::{Label, TimeSeries, v2::Symbolizer};
    /// # let labels = [Label::new("b", "1"), Label::new("c", ""), Label::new("a", "2")];
    /// # let body = Symbolizer::new().symbolize([TimeSeries::new(&labels)])?.encode_to_vec()?;
    /// let request = Request::decode(&body)?; // {b="1", c="", a="2"}
    /// let mut relabeler = Relabeler::new(); // used again
    /// let mut normalized = relabeler.normalize(&request);
    /// let request = normalized.request(); // {a="2", b="1"}
    /// assert!(request.timeseries().iter().all(|series| series.has_normalized_labels()));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn normalize<'p>(&'p mut self, request: &'p Request<'_>) -> Relabeled<'p> {
        self.relabel(request, |_, labels| {
            labels.normalize();
            true
        })
    }

    /// Heap bytes that the relabeler holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        sum([
            vec_bytes(&self.out),
            vec_bytes(&self.records),
            vec_bytes(&self.timeseries),
            self.edits.capacity_bytes(),
            vec_bytes(&self.added.pairs),
            self.added.texts.capacity(),
            vec_bytes(&self.added.ends),
            vec_bytes(&self.added.lens),
            self.added.index.allocation_size(),
            self.numbering.capacity_bytes(),
            self.scratch.capacity_bytes(),
            self.idle.capacity_bytes(),
        ])
    }

    fn clear(&mut self) {
        let used = sum([
            used_bytes(&self.out),
            used_bytes(&self.records),
            used_bytes(&self.timeseries),
            self.edits.used_bytes(),
        ]);
        let mut retention = self.retention;
        if retention.is_wasted(used, || self.capacity_bytes()) {
            *self = Self::default();
            return;
        }
        self.retention = retention;
        self.out.clear();
        self.records.clear();
        self.timeseries.clear();
        self.edits.clear();
        self.added.clear();
    }

    /// Relabels a request that stands in no body: it is written first.
    #[cold]
    fn relabel_generated<'p, 'a>(
        &mut self,
        request: &'p Request<'a>,
        edit: impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) {
        let mut symbolizer = Symbolizer::new().with_format(request.format());
        // There is no cap, and what could be held can be written.
        let Ok(encoder) = request.encoder(&mut symbolizer) else { return impossible() };
        let Ok(encoded) = encoder.encode_to_vec() else { return };
        let mut written = Request::default();
        encoder.make(&encoded, &mut written);
        self.relabel_records(request, &written, edit);
    }

    /// Relabels the series of `request`, whose records are in `written`.
    fn relabel_records<'p, 'a>(
        &mut self,
        request: &'p Request<'a>,
        written: &Request<'_>,
        mut edit: impl FnMut(TimeSeries<'p, 'a>, &mut LabelEdits) -> bool,
    ) {
        let Self { out, records, timeseries, edits, added, numbering, scratch, .. } = self;
        numbering.begin(written.symbols().len(), written.first());
        numbering.begin_part(written.entry_len(0));
        for (position, series) in request.timeseries().iter().enumerate() {
            edits.begin();
            if !edit(series, edits) {
                continue;
            }
            let splices_start = edits.splices_len();
            let mut edited = Edited::default();
            if edits.apply(series.labels(), request.body()) {
                added.catch_up(edits, written, numbering);
                edited = Edited { splices: edits.splices(), pairs: &added.pairs };
            }
            let Some(record) = written.raw_timeseries(position) else { return impossible() };
            let left_out = written.left_out_of(position);
            Numbers { numbering, request: written, added: &added.lens }
                .rewrite(record, left_out, &edited, scratch);
            let splices = (splices_start, edits.splices_len());
            let normalized = edits.normalizes()
                && normalize(series.labels(), edits, splices, &mut scratch.record);
            let start = index(records.len());
            append_message(records, TIMESERIES, &scratch.record);
            let raw = Raw { start, end: index(records.len()) };
            push(timeseries, Kept { position: index(position), raw, splices, normalized });
        }
        out.reserve(numbering.bytes().saturating_add(records.len()));
        let symbols = written.symbols();
        for number in numbering.entries() {
            let text = symbols
                .get(*number)
                .or_else(|| added.text(to_usize(*number).checked_sub(symbols.len())?));
            append_message(out, SYMBOLS, text.unwrap_or_default().as_bytes());
        }
        out.extend_from_slice(records);
    }
}

/// Puts the references in order with which the series in `record` begins: those of what the edits
/// make of `labels`. Returns whether they were not.
fn normalize<'e>(
    labels: &[Label<'e>],
    edits: &'e LabelEdits,
    splices: (usize, usize),
    record: &mut Vec<u8>,
) -> bool {
    if splices.0 == splices.1 && is_normalized(labels) {
        return false;
    }
    let mut collected = Labels::new();
    edits.append_edited(labels, splices, &mut collected);
    if is_normalized(collected.as_slice()) {
        return false;
    }
    sort_refs(record, &collected);
    true
}

/// Sorts the references of `labels`, which `record` begins with, and drops those of labels without
/// a value.
#[cold]
fn sort_refs(record: &mut Vec<u8>, labels: &Labels<'_>) {
    let Ok(mut reader) = Reader::new(record) else { return impossible() };
    let Ok(Some(LABELS_REFS_PACKED)) = reader.next_tag() else { return impossible() };
    let Ok(refs) = reader.read_bytes() else { return impossible() };
    let end = record.len();
    let behind = end.saturating_sub(reader.rest().len());
    let Ok(mut refs) = Reader::new(refs) else { return impossible() };
    let mut pairs = SmallVec::<[(Label<'_>, [u32; 2]); 32]>::new();
    for label in labels {
        let (Ok(name), Ok(value)) = (refs.read_uint32(), refs.read_uint32()) else {
            return impossible();
        };
        if !label.value.is_empty() {
            pairs.push((*label, [name, value]));
        }
    }
    pairs.sort_unstable();
    let refs = || pairs.iter().flat_map(|(_, pair)| *pair);
    let len = refs()
        .fold(0, |len: usize, number| len.saturating_add(wire::varint_len(u64::from(number))));
    // The new record behind the old one, which goes.
    if len > 0 {
        append_varint(record, LABELS_REFS_PACKED.value().into());
        append_varint(record, index(len).into());
        refs().for_each(|number| append_varint(record, number.into()));
    }
    record.extend_from_within(behind..end);
    record.drain(..end);
}

impl Added {
    /// Looks for the texts of edits that are new.
    #[inline]
    fn catch_up(&mut self, edits: &LabelEdits, request: &Request<'_>, numbering: &mut Numbering) {
        if self.pairs.len() < edits.edits_len() {
            self.add(edits, request, numbering);
        }
    }

    #[cold]
    fn add(&mut self, edits: &LabelEdits, request: &Request<'_>, numbering: &mut Numbering) {
        for label in edits.labels_from(self.pairs.len()) {
            let pair = (self.number(label.name, request), self.number(label.value, request));
            self.pairs.push(pair);
        }
        numbering.extend_to(request.symbols().len().saturating_add(self.ends.len()));
    }

    /// The number of `text`, which may be a new one.
    fn number(&mut self, text: &str, request: &Request<'_>) -> u32 {
        /// So many edits are looked for one by one.
        const FEW: usize = 4;
        let symbols = request.symbols();
        let own = symbols.len();
        if self.pairs.len() < FEW {
            let mut known = symbols.iter();
            let is_text = |symbol: Option<&str>| symbol.is_some_and(|it| same_text(it, text));
            let found = known.position(is_text).or_else(|| {
                let added = (0..self.ends.len()).position(|at| self.text(at) == Some(text))?;
                Some(own.saturating_add(added))
            });
            return found.map_or_else(|| self.push(text, own), index);
        }
        if self.index.is_empty() {
            let all = (0..own.saturating_add(self.ends.len())).map(index);
            let mut new = core::mem::take(&mut self.index);
            for number in all {
                if let Some(text) = self.any_text(number, request) {
                    self.insert(&mut new, text, number, request);
                }
            }
            self.index = new;
        }
        let hash = hash_text(&self.hasher, text);
        let found = self.index.find(hash, |&at| self.any_text(at, request) == Some(text));
        if let Some(&found) = found {
            return found;
        }
        let number = self.push(text, own);
        let mut all = core::mem::take(&mut self.index);
        self.insert(&mut all, text, number, request);
        self.index = all;
        number
    }

    fn push(&mut self, text: &str, own: usize) -> u32 {
        let number = own.saturating_add(self.ends.len());
        self.texts.push_str(text);
        self.ends.push(self.texts.len());
        self.lens.push(wire::string_len(SYMBOLS, text));
        index(number)
    }

    fn insert(&self, index: &mut HashTable<u32>, text: &str, number: u32, request: &Request<'_>) {
        let hash_of =
            |at: u32| hash_text(&self.hasher, self.any_text(at, request).unwrap_or_default());
        index.insert_unique(hash_text(&self.hasher, text), number, |&at| hash_of(at));
    }

    fn any_text<'t>(&'t self, number: u32, request: &Request<'t>) -> Option<&'t str> {
        let symbols = request.symbols();
        match to_usize(number).checked_sub(symbols.len()) {
            None => symbols.get(number),
            Some(at) => self.text(at),
        }
    }

    /// The new text of number `at` among these.
    fn text(&self, at: usize) -> Option<&str> {
        let end = *self.ends.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.ends.get(before)).copied();
        self.texts.get(start.unwrap_or(0)..end)
    }

    fn clear(&mut self) {
        self.pairs.clear();
        self.texts.clear();
        self.ends.clear();
        self.lens.clear();
        clear_table(&mut self.index);
    }
}

/// A request of 2.0 with series dropped and relabelled: see [`Relabeler`].
///
/// ```
/// use borrowire::remote_write::v2::{Relabeler, Request};
///
/// # use borrowire::Encode;
/// # use borrowire::remote_write::{Label, TimeSeries, v2::Symbolizer};
/// # let labels = [Label::new("a", "bc")];
/// # let body = Symbolizer::new().symbolize([TimeSeries::new(&labels)])?.encode_to_vec()?;
/// let request = Request::decode(&body)?;
/// let mut relabeler = Relabeler::new();
/// let relabeled = relabeler
///     .relabel(&request, |_, _| true)
///     .with_extensions(request.extensions()); // only if the client is trusted
/// assert_eq!(relabeled.as_bytes(), body);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Relabeled<'p> {
    relabeler: &'p mut Relabeler,
    /// Bytes of the message without the extension fields.
    len: usize,
    source: &'p Request<'p>,
    extensions: Extensions,
}

impl Relabeled<'_> {
    /// Sets the extension fields, which are left out unless they are handed over: those of the
    /// request, if they may pass.
    #[must_use]
    pub fn with_extensions(mut self, extensions: Extensions) -> Self {
        let out = &mut self.relabeler.out;
        out.truncate(self.len);
        out.resize(self.len.saturating_add(Request::fields_len(&extensions)), 0);
        let mut writer = Writer::new(out.get_mut(self.len..).unwrap_or_else(impossible));
        // They have just the room that they need.
        let _ = extensions.write_source(&mut writer);
        let _ = extensions.write_flags(&mut writer);
        self.extensions = extensions;
        self
    }

    /// The message, encoded.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.relabeler.out
    }

    /// The request, as if it were decoded from [`as_bytes`](Self::as_bytes), at a fraction of the
    /// time: to be split, hashed, validated, converted or relabelled again. A message that is too
    /// long to be decoded has no series here.
    ///
    /// It gives its storage back to the relabeler when dropped.
    #[must_use]
    pub fn request(&mut self) -> Decoded<'_, '_, Request<'static>> {
        let Relabeler { out, records, timeseries, edits, idle, .. } = &mut *self.relabeler;
        let (source, edits, extensions) = (self.source, &*edits, self.extensions);
        let symbols_end = index(self.len.saturating_sub(records.len()));
        Decoded::filled(idle, |request: &mut Request<'_>| {
            let Ok(mut reader) = Reader::new(out) else { return };
            let has_unknown_fields = source.has_unknown_fields();
            request.begin_made(out, source.format(), extensions, has_unknown_fields);
            let storage = &mut request.storage;
            while reader.offset32() < symbols_end {
                // They were just written: nothing is wrong with them.
                let Ok(Some(_)) = reader.next_tag() else { return impossible() };
                let Ok(symbol) = reader.read_string() else { return impossible() };
                storage.symbols.push(Some(symbol));
            }
            for kept in &*timeseries {
                let position = to_usize(kept.position);
                let Some(series) = source.timeseries().get(position) else { return impossible() };
                let labels_start = storage.labels.len();
                edits.append_edited(series.labels(), kept.splices, &mut storage.labels);
                if kept.normalized {
                    normalize_from(&mut storage.labels, labels_start);
                }
                let created = series.created_timestamp();
                series.store_values(storage, |start| start, created);
                let [start, end] =
                    [kept.raw.start, kept.raw.end].map(|at| at.saturating_add(symbols_end));
                if series.metadata().is_some() {
                    let refs = SeriesRefs::new(range(out, start, end), &[]);
                    let metadata = refs.and_then(|refs| refs.metadata()).unwrap_or_default();
                    storage.metadata.push(storage.timeseries.len(), metadata);
                }
                storage.end_series(Raw { start, end });
            }
        })
    }
}

/// The message, with the extension fields that were handed over.
impl Encode for Relabeled<'_> {
    fn encoded_len(&self) -> usize {
        self.relabeler.out.len()
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        writer.write_raw(&self.relabeler.out)
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
