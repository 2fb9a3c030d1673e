//! A request whose texts are symbols: measured, and ready to be written.

use core::fmt;

use super::request::TIMESERIES;
use super::symbolizer::{Parts, Symbolizer, Symbols};
use super::time_series::SeriesWriter;
use crate::message::Encode;
use crate::remote_write::extensions::Extensions;
use crate::remote_write::symbols::SYMBOLS;
use crate::remote_write::time_series::TimeSeries;
use crate::wire::{BufferFull, Writer};

/// A request in the memory of a [`Symbolizer`], which it gives back when dropped.
///
/// Its length is known; [`Encode`] writes it, fields in number order: the symbols, then the series.
pub struct SymbolizedRequest<'z, 'a, S> {
    symbolizer: &'z mut Symbolizer,
    symbols: Symbols<'a>,
    /// Where in `symbols` the request's own begin.
    pub(super) own_start: usize,
    timeseries: S,
    extensions: Extensions,
}

impl<'z, 'a, S> SymbolizedRequest<'z, 'a, S> {
    pub(super) fn new(
        symbolizer: &'z mut Symbolizer,
        max: usize,
        timeseries: S,
        extensions: Extensions,
    ) -> Self {
        let symbols = Symbols { list: symbolizer.take_symbols(), max };
        Self { symbolizer, symbols, own_start: 0, timeseries, extensions }
    }

    pub(super) const fn parts_mut(&mut self) -> (&mut Parts, &mut Symbols<'a>) {
        (&mut self.symbolizer.parts, &mut self.symbols)
    }

    /// The symbols that are written: the empty one, then each text in the order of its first use.
    #[must_use]
    pub fn symbols(&self) -> &[&'a str] {
        self.symbols.list.get(self.own_start..).unwrap_or_default()
    }
}

impl<'s, 'a: 's, S> Encode for SymbolizedRequest<'_, 'a, S>
where
    S: Iterator<Item = TimeSeries<'s, 'a>> + Clone,
{
    fn encoded_len(&self) -> usize {
        let parts = &self.symbolizer.parts;
        self.extensions
            .source_len()
            .saturating_add(parts.symbols_len)
            .saturating_add(parts.timeseries_len)
            .saturating_add(self.extensions.flags_len())
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.extensions.write_source(writer)?;
        for symbol in self.symbols() {
            writer.write_string(SYMBOLS, symbol)?;
        }
        let parts = &self.symbolizer.parts;
        let mut series_writer = SeriesWriter::new(&parts.refs, &parts.exemplar_ends);
        for (series, parts) in self.timeseries.clone().zip(&parts.series) {
            writer.write_len(TIMESERIES, parts.len)?;
            series_writer.write(writer, &series, parts, &self.extensions)?;
        }
        self.extensions.write_flags(writer)
    }
}

impl<S> Drop for SymbolizedRequest<'_, '_, S> {
    fn drop(&mut self) {
        self.symbolizer.give_back(core::mem::take(&mut self.symbols.list));
    }
}

impl<S> fmt::Debug for SymbolizedRequest<'_, '_, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SymbolizedRequest")
            .field("symbols", &self.symbols().len())
            .field("timeseries", &self.symbolizer.parts.series.len())
            .finish_non_exhaustive()
    }
}
