//! Making symbols of the texts of series, in memory that is used again.

use alloc::vec::Vec;
use core::fmt;

use hashbrown::{DefaultHashBuilder, HashTable};

use super::common_symbols::{COMMON_SYMBOLS, COMMON_SYMBOLS_END};
use super::exemplar::{EXEMPLARS, exemplar_len};
use super::format::Format;
use super::labels_refs::block_len;
use super::metadata::{METADATA, metadata_len};
use super::options::EncodeOptions;
use super::symbols::SYMBOLS;
use super::time_series::{SeriesParts, series_values_len};
use crate::message::by_address::{ByAddress, same_at_a_glance};
use crate::message::columns::{
    clear_table, hash_text, index, recycle, same_text, sum, used_bytes, vec_bytes,
};
use crate::remote_write::model::label::Label;
use crate::remote_write::model::metadata::MetadataRefs;
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::retention::Retention;
use crate::wire::{self, MAX_VARINT32_BYTES, impossible, put_varint32, to_usize};

/// Makes requests out of series: gives each text that they hold one place in the table of symbols.
///
/// Its memory is used again for the next request, so that nothing is allocated once it has grown to
/// the requests' size. Texts are borrowed from the series.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::{Request, Symbolizer};
/// use borrowire::remote_write::{Label, Sample, TimeSeries};
///
/// let labels = [Label::new("__name__", "up"), Label::new("job", "node")];
/// let samples = [Sample::new(1.0, 1_700_000_000_000)];
///
/// let mut symbolizer = Symbolizer::new(); // used again and again, as the buffer is
/// let mut buffer = vec![0; 4096];
///
/// let series = [TimeSeries::new(&labels).with_samples(&samples)];
/// let request = symbolizer.symbolize(series)?;
/// assert_eq!(request.symbols(), ["", "__name__", "up", "job", "node"]);
/// let len = request.encode(&mut buffer)?;
///
/// let decoded = Request::decode(&buffer[..len])?;
/// assert_eq!(decoded.timeseries().get(0), Some(series[0]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[doc(alias("intern", "symbol table", "encoder"))]
pub struct Symbolizer {
    /// Lent to the request that is being made.
    idle_symbols: Vec<&'static str>,
    pub(super) max_symbols: usize,
    pub(super) format: Format,
    pub(super) parts: Parts,
    retention: Retention,
}

/// What a request is written from, besides its series and symbols.
#[derive(Default)]
pub(super) struct Parts {
    index: Index,
    /// The references of all labels, as they go on the wire: those of a series, then those of its
    /// exemplars.
    pub(super) refs: Vec<u8>,
    pub(super) series: Vec<SeriesParts>,
    /// Where in `refs` those of each exemplar end.
    pub(super) exemplar_ends: Vec<u32>,
    /// The references that each place of a series' labels had last: most labels are like the one
    /// before in their place.
    last: Vec<(u32, u32)>,
    /// The reference of the last help text: series of a metric often stand together.
    last_help: u32,
    /// Whether the texts of a series' metadata become symbols before those of its exemplars.
    pub(super) metadata_first: bool,
    /// Bytes of all symbols as fields.
    pub(super) symbols_len: usize,
}

/// Finds the reference of a text.
#[derive(Default)]
struct Index {
    references: HashTable<u32>,
    hasher: DefaultHashBuilder,
    /// The references of long texts, which are not hashed twice.
    long: ByAddress,
}

/// The texts by reference, and how many there may be.
pub(super) struct Symbols<'a> {
    pub(super) list: Vec<&'a str>,
    pub(super) max: usize,
}

/// The series need more symbols than the symbolizer may give.
///
/// ```
/// use borrowire::remote_write::v2::Symbolizer;
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let mut symbolizer = Symbolizer::new().with_max_symbols(2);
/// let error = symbolizer.symbolize([TimeSeries::new(&labels)]).unwrap_err();
/// assert_eq!((error.series, error.max), (0, 2));
/// assert_eq!(error.to_string(), "series 0 needs more than 2 symbols");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct TooManySymbols {
    /// The position of the first series that does not fit, from 0: those before it make a request.
    pub series: usize,
    /// How many symbols there may be.
    pub max: usize,
}

impl fmt::Display for TooManySymbols {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "series {} needs more than {} symbols", self.series, self.max)
    }
}

impl core::error::Error for TooManySymbols {}

/// The table is full.
pub(super) struct Full;

impl Default for Symbolizer {
    fn default() -> Self {
        Self::new()
    }
}

impl Symbolizer {
    /// A symbolizer without a cap, and without memory yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            idle_symbols: Vec::new(),
            max_symbols: to_usize(u32::MAX),
            format: Format::Standard,
            parts: Parts::default(),
            retention: Retention::default(),
        }
    }

    /// Sets how many symbols a request may have of its own, the empty one included, at least 1.
    /// That also bounds the memory of the table.
    #[must_use]
    pub fn with_max_symbols(mut self, count: usize) -> Self {
        self.max_symbols = count.clamp(1, to_usize(u32::MAX));
        self
    }

    /// Sets which form of the message is made.
    #[must_use]
    pub fn with_format(mut self, format: Format) -> Self {
        self.format = format;
        self
    }

    /// Heap bytes that the symbolizer holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        let parts = &self.parts;
        sum([
            vec_bytes(&self.idle_symbols),
            parts.index.references.allocation_size(),
            parts.index.long.capacity_bytes(),
            vec_bytes(&parts.refs),
            vec_bytes(&parts.series),
            vec_bytes(&parts.exemplar_ends),
            vec_bytes(&parts.last),
        ])
    }

    /// The memory for symbols of any lifetime.
    pub(super) fn take_symbols<'a>(&mut self) -> Vec<&'a str> {
        core::mem::take(&mut self.idle_symbols)
    }

    /// Takes the memory back, and forgets the request.
    pub(super) fn give_back(&mut self, symbols: Vec<&str>) {
        let used = used_bytes(&symbols).saturating_add(self.parts.used_bytes());
        self.idle_symbols = recycle(symbols);
        let mut retention = self.retention;
        if retention.is_wasted(used, || self.capacity_bytes()) {
            let Self { max_symbols, format, .. } = *self;
            *self = Self { max_symbols, format, ..Self::new() };
        } else {
            self.parts.clear();
            self.retention = retention;
        }
    }
}

impl fmt::Debug for Symbolizer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Symbolizer")
            .field("max_symbols", &self.max_symbols)
            .field("format", &self.format)
            .field("capacity_bytes", &self.capacity_bytes())
            .finish_non_exhaustive()
    }
}

impl Parts {
    fn used_bytes(&self) -> usize {
        sum([used_bytes(&self.refs), used_bytes(&self.series), used_bytes(&self.exemplar_ends)])
    }

    fn clear(&mut self) {
        clear_table(&mut self.index.references);
        self.index.long.clear();
        self.refs.clear();
        self.series.clear();
        self.exemplar_ends.clear();
        self.last.clear();
        self.last_help = 0;
        self.symbols_len = 0;
    }

    /// Fills `symbols` with those that every request has; returns where its own begin.
    pub(super) fn start(&mut self, symbols: &mut Symbols<'_>, format: Format) -> usize {
        if format == Format::MimirRecord {
            symbols.list.extend(COMMON_SYMBOLS);
            for (reference, symbol) in COMMON_SYMBOLS.iter().enumerate().skip(1) {
                let hash = hash_text(&self.index.hasher, symbol);
                self.index.insert(symbols, hash, index(reference));
            }
            symbols.list.resize(to_usize(COMMON_SYMBOLS_END), "");
        }
        let own_start = symbols.list.len();
        symbols.max = symbols.max.saturating_add(own_start);
        symbols.list.push("");
        own_start
    }

    /// Adds a series; returns how many bytes its message takes.
    pub(super) fn add_series<'a>(
        &mut self,
        symbols: &mut Symbols<'a>,
        series: &TimeSeries<'_, 'a>,
        options: &EncodeOptions,
    ) -> Result<usize, Full> {
        let refs = self.add_labels(symbols, series.labels())?;
        let labels_end = index(self.refs.len());
        let mut len = block_len(refs).saturating_add(series_values_len(series, options));
        if !self.metadata_first {
            len = len.saturating_add(self.add_exemplars(symbols, series, options)?);
        }
        let mut metadata = MetadataRefs::default();
        if let Some(texts) = series.metadata() {
            metadata.metric_type = texts.metric_type;
            if !same_at_a_glance(symbols.get(self.last_help), texts.help) {
                self.last_help = self.index.intern(symbols, texts.help)?;
            }
            metadata.help_ref = self.last_help;
            metadata.unit_ref = self.index.intern(symbols, texts.unit)?;
            len = len.saturating_add(wire::message_len(METADATA, metadata_len(&metadata)));
        }
        if self.metadata_first {
            len = len.saturating_add(self.add_exemplars(symbols, series, options)?);
        }
        self.series.push(SeriesParts { len, labels_end, metadata });
        Ok(len)
    }

    /// Adds the exemplars of a series; returns how many bytes they take.
    #[inline]
    fn add_exemplars<'a>(
        &mut self,
        symbols: &mut Symbols<'a>,
        series: &TimeSeries<'_, 'a>,
        options: &EncodeOptions,
    ) -> Result<usize, Full> {
        let mut len = 0_usize;
        for exemplar in series.exemplars() {
            let refs = self.add_exemplar_labels(symbols, exemplar.labels())?;
            self.exemplar_ends.push(index(self.refs.len()));
            let message = exemplar_len(refs, &exemplar.in_form(options.form()));
            len = len.saturating_add(wire::message_len(EXEMPLARS, message));
        }
        Ok(len)
    }

    /// Appends the references of labels that have little in common with those before, such as trace
    /// ids, and returns how many bytes they take.
    fn add_exemplar_labels<'a>(
        &mut self,
        symbols: &mut Symbols<'a>,
        labels: &[Label<'a>],
    ) -> Result<usize, Full> {
        let start = self.refs.len();
        for text in labels.iter().flat_map(|label| [label.name, label.value]) {
            let reference = self.index.intern(symbols, text)?;
            let at = self.refs.len();
            self.refs.resize(at.saturating_add(MAX_VARINT32_BYTES), 0);
            let end = put_varint32(&mut self.refs, at, reference);
            self.refs.truncate(end);
        }
        Ok(self.refs.len().saturating_sub(start))
    }

    /// Appends the references of `labels` to `refs`, and returns how many bytes they take.
    #[inline]
    fn add_labels<'a>(
        &mut self,
        symbols: &mut Symbols<'a>,
        labels: &[Label<'a>],
    ) -> Result<usize, Full> {
        if self.last.len() < labels.len() {
            self.last.resize(labels.len(), (0, 0));
        }
        let start = self.refs.len();
        let room = labels.len().saturating_mul(2 * MAX_VARINT32_BYTES);
        self.refs.resize(start.saturating_add(room), 0);
        let mut end = start;
        for (label, last) in labels.iter().zip(&mut self.last) {
            if !same_at_a_glance(symbols.get(last.0), label.name) {
                last.0 = self.index.intern(symbols, label.name)?;
            }
            if !same_at_a_glance(symbols.get(last.1), label.value) {
                last.1 = self.index.intern(symbols, label.value)?;
            }
            end = put_varint32(&mut self.refs, end, last.0);
            end = put_varint32(&mut self.refs, end, last.1);
        }
        self.refs.truncate(end);
        Ok(end.saturating_sub(start))
    }

    pub(super) fn measure_symbols(&mut self, symbols: &[&str]) {
        self.symbols_len = symbols
            .iter()
            .fold(0, |sum: usize, symbol| sum.saturating_add(wire::string_len(SYMBOLS, symbol)));
    }
}

impl Index {
    /// The reference of `text`, which becomes a symbol if it is none yet.
    fn intern<'a>(&mut self, symbols: &mut Symbols<'a>, text: &'a str) -> Result<u32, Full> {
        if text.is_empty() {
            return Ok(0);
        }
        if let Some(known) = self.long.get(text) {
            return Ok(known);
        }
        let hash = hash_text(&self.hasher, text);
        if let Some(&found) = self.references.find(hash, |&at| same_text(symbols.get(at), text)) {
            self.long.insert(text, found);
            return Ok(found);
        }
        if symbols.list.len() >= symbols.max {
            return Err(Full);
        }
        let reference = index(symbols.list.len());
        symbols.list.push(text);
        self.insert(symbols, hash, reference);
        self.long.insert(text, reference);
        Ok(reference)
    }

    fn insert(&mut self, symbols: &Symbols<'_>, hash_of_text: u64, reference: u32) {
        let Self { references, hasher, .. } = self;
        let rehash = |&at: &u32| hash_text(hasher, symbols.get(at));
        references.insert_unique(hash_of_text, reference, rehash);
    }
}

impl<'a> Symbols<'a> {
    #[inline]
    fn get(&self, reference: u32) -> &'a str {
        self.list.get(to_usize(reference)).copied().unwrap_or_else(impossible)
    }
}
