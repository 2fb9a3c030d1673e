//! Encoding a request from the caller's own series: their texts become symbols.
//!
//! ```text
//! source   symbols ""  a  b  c ...   series [1 2]  series [1 3] ...   flags
//! ```

use core::fmt;

use super::format::Format;
use super::options::EncodeOptions;
use super::symbolizer::{Symbolizer, Symbols, TooManySymbols};
use super::symbols::SYMBOLS;
use super::time_series::{SeriesWriter, TIMESERIES};
#[cfg(feature = "kafka")]
use crate::message::columns::range;
#[cfg(feature = "kafka")]
use crate::remote_write::model::metadata::MetadataRefs;
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Writer, impossible};

impl Symbolizer {
    /// A request of `timeseries`, in their order, that can be encoded.
    ///
    /// The iterator is cloned for the second pass, so let it borrow: `slice.iter().map(...)`.
    ///
    /// # Errors
    ///
    /// If there are more symbols than [`with_max_symbols`](Self::with_max_symbols) allows.
    pub fn symbolize<'z, 's, 'a: 's, I>(
        &'z mut self,
        timeseries: I,
    ) -> Result<RequestEncoder<'z, 'a, I::IntoIter>, TooManySymbols>
    where
        I: IntoIterator<Item = TimeSeries<'s, 'a>>,
        I::IntoIter: Clone,
    {
        self.symbolize_with(timeseries, &EncodeOptions::new())
    }

    /// A request of `timeseries` as [`symbolize`](Self::symbolize) makes it, with what else is to
    /// be written.
    ///
    /// # Errors
    ///
    /// If there are more symbols than [`with_max_symbols`](Self::with_max_symbols) allows.
    pub fn symbolize_with<'z, 's, 'a: 's, I>(
        &'z mut self,
        timeseries: I,
        options: &EncodeOptions,
    ) -> Result<RequestEncoder<'z, 'a, I::IntoIter>, TooManySymbols>
    where
        I: IntoIterator<Item = TimeSeries<'s, 'a>>,
        I::IntoIter: Clone,
    {
        self.symbolize_as(self.format, timeseries, options)
    }

    /// A request of `timeseries` in another form than the symbolizer's.
    pub(crate) fn symbolize_as<'z, 's, 'a: 's, I>(
        &'z mut self,
        format: Format,
        timeseries: I,
        options: &EncodeOptions,
    ) -> Result<RequestEncoder<'z, 'a, I::IntoIter>, TooManySymbols>
    where
        I: IntoIterator<Item = TimeSeries<'s, 'a>>,
        I::IntoIter: Clone,
    {
        // Numbers are given as Mimir does when it makes a record of a request.
        self.parts.metadata_first = format == Format::MimirRecord;
        self.symbolize_first(format, timeseries, options, |_, _| true)
    }

    /// A record of Mimir that is a part of another one, of the first series. Before a series is
    /// added, `goes_on` looks at the record's own symbols so far, and at the bytes of the last
    /// series' message, 0 if there is none.
    #[cfg(feature = "kafka")]
    pub(crate) fn symbolize_part<'z, 's, 'a: 's, I>(
        &'z mut self,
        timeseries: I,
        options: &EncodeOptions,
        goes_on: impl FnMut(&[&'a str], usize) -> bool,
    ) -> Result<RequestEncoder<'z, 'a, I::IntoIter>, TooManySymbols>
    where
        I: IntoIterator<Item = TimeSeries<'s, 'a>>,
        I::IntoIter: Clone,
    {
        // In parts Mimir looks at metadata last.
        self.parts.metadata_first = false;
        self.symbolize_first(Format::MimirRecord, timeseries, options, goes_on)
    }

    /// A request of the first series, as long as `goes_on`.
    #[inline]
    fn symbolize_first<'z, 's, 'a: 's, I>(
        &'z mut self,
        format: Format,
        timeseries: I,
        options: &EncodeOptions,
        mut goes_on: impl FnMut(&[&'a str], usize) -> bool,
    ) -> Result<RequestEncoder<'z, 'a, I::IntoIter>, TooManySymbols>
    where
        I: IntoIterator<Item = TimeSeries<'s, 'a>>,
        I::IntoIter: Clone,
    {
        let timeseries = timeseries.into_iter();
        let max = self.max_symbols;
        let symbols = Symbols { list: self.take_symbols(), max };
        // The guard first: it gives the memory back on an error too.
        let mut request = RequestEncoder {
            symbolizer: self,
            symbols,
            own_start: 0,
            timeseries: timeseries.clone(),
            timeseries_len: 0,
            options: *options,
        };
        let (parts, symbols) = (&mut request.symbolizer.parts, &mut request.symbols);
        request.own_start = parts.start(symbols, format);
        let mut len = 0;
        for (position, series) in timeseries.enumerate() {
            if !goes_on(symbols.list.get(request.own_start..).unwrap_or_else(impossible), len) {
                break;
            }
            len = match parts.add_series(symbols, &series, options) {
                Ok(len) => len,
                Err(_) => return Err(TooManySymbols { series: position, max }),
            };
            let field = wire::message_len(TIMESERIES, len);
            request.timeseries_len = request.timeseries_len.saturating_add(field);
        }
        let own = symbols.list.get(request.own_start..).unwrap_or_else(impossible);
        parts.measure_symbols(own);
        Ok(request)
    }
}

/// A request that a [`Symbolizer`] made of series: [`Encode`] writes it, fields in number order,
/// the symbols, then the series.
///
/// ```
/// use borrowire::Encode;
/// use borrowire::remote_write::v2::Symbolizer;
/// use borrowire::remote_write::{Label, TimeSeries};
///
/// let labels = [Label::new("__name__", "up")];
/// let mut symbolizer = Symbolizer::new();
/// let request = symbolizer.symbolize([TimeSeries::new(&labels)])?;
/// assert_eq!(request.symbols(), ["", "__name__", "up"]);
/// let mut buffer = vec![0; request.encoded_len()];
/// request.encode(&mut buffer)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct RequestEncoder<'z, 'a, S> {
    pub(super) symbolizer: &'z mut Symbolizer,
    symbols: Symbols<'a>,
    /// Where in `symbols` the request's own begin.
    pub(super) own_start: usize,
    pub(super) timeseries: S,
    /// Bytes of all series as fields.
    timeseries_len: usize,
    pub(super) options: EncodeOptions,
}

impl<'a, S> RequestEncoder<'_, 'a, S> {
    /// Whether there are no series. Such a request is better not sent: it is the empty symbol
    /// alone, and Mimir's receiver panics on it.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.timeseries_len == 0
    }

    /// The symbols that are written: the empty one, then each text in the order of its first use.
    #[must_use]
    pub fn symbols(&self) -> &[&'a str] {
        self.symbols.list.get(self.own_start..).unwrap_or_else(impossible)
    }
}

/// What a series takes, and which symbols it refers to.
#[cfg(feature = "kafka")]
#[derive(Clone, Copy)]
pub(crate) struct SeriesSize<'z> {
    /// Bytes of the message.
    pub(crate) len: usize,
    /// The references of its labels and of those of its exemplars, as they go on the wire.
    refs: &'z [u8],
    metadata: [u32; 2],
}

#[cfg(feature = "kafka")]
impl SeriesSize<'_> {
    /// The references of labels, then those of help and unit, which may be 0.
    pub(crate) fn refs(&self) -> impl Iterator<Item = u32> {
        let mut rest = self.refs;
        let of_labels = core::iter::from_fn(move || {
            let (reference, behind) = wire::split_varint(rest).ok()?;
            rest = behind;
            u32::try_from(reference).ok()
        });
        of_labels.chain(self.metadata)
    }
}

#[cfg(feature = "kafka")]
impl<'s, 'a: 's, S> RequestEncoder<'_, 'a, S>
where
    S: Iterator<Item = TimeSeries<'s, 'a>> + Clone,
{
    /// What each series takes.
    pub(crate) fn series_sizes(&self) -> impl Iterator<Item = SeriesSize<'_>> {
        let parts = &self.symbolizer.parts;
        let mut exemplar_ends = parts.exemplar_ends.iter();
        let mut start = 0;
        self.timeseries.clone().zip(&parts.series).map(move |(series, sizes)| {
            let mut end = sizes.labels_end;
            for exemplar in exemplar_ends.by_ref().take(series.exemplars().len()) {
                end = *exemplar;
            }
            let refs = range(&parts.refs, start, end);
            start = end;
            let MetadataRefs { help_ref, unit_ref, .. } = sizes.metadata;
            SeriesSize { len: sizes.len, refs, metadata: [help_ref, unit_ref] }
        })
    }
}

impl<'s, 'a: 's, S> Encode for RequestEncoder<'_, 'a, S>
where
    S: Iterator<Item = TimeSeries<'s, 'a>> + Clone,
{
    fn encoded_len(&self) -> usize {
        let parts = &self.symbolizer.parts;
        let extensions = &self.options.extensions;
        extensions
            .source_len()
            .saturating_add(parts.symbols_len)
            .saturating_add(self.timeseries_len)
            .saturating_add(extensions.flags_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.options.extensions.write_source(writer)?;
        for symbol in self.symbols() {
            writer.write_string(SYMBOLS, symbol)?;
        }
        let parts = &self.symbolizer.parts;
        let mut series_writer = SeriesWriter::new(&parts.refs, &parts.exemplar_ends);
        for (series, parts) in self.timeseries.clone().zip(&parts.series) {
            writer.write_len(TIMESERIES, parts.len)?;
            series_writer.write(writer, &series, parts, &self.options)?;
        }
        self.options.extensions.write_flags(writer)
    }
}

impl<S> Drop for RequestEncoder<'_, '_, S> {
    fn drop(&mut self) {
        self.symbolizer.give_back(core::mem::take(&mut self.symbols.list));
    }
}

impl<S> fmt::Debug for RequestEncoder<'_, '_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RequestEncoder")
            .field("symbols", &self.symbols().len())
            .field("timeseries", &self.symbolizer.parts.series.len())
            .finish_non_exhaustive()
    }
}
