//! A request that is made along with its bytes, without decoding them.

use super::encoder::RequestEncoder;
use super::format::Format;
use super::options::EncodeOptions;
use super::request::Request;
use super::time_series::TIMESERIES;
use crate::message::request::Raw;
use crate::remote_write::model::storage::Storage;
use crate::remote_write::model::time_series::TimeSeries;
use crate::wire::{Reader, impossible};

impl<'s, 'a: 's, S> RequestEncoder<'_, 'a, S>
where
    S: Iterator<Item = TimeSeries<'s, 'a>> + Clone,
{
    /// Makes `request`, which is empty, the one that was written as `body`.
    pub(crate) fn make<'r>(&self, body: &'r [u8], request: &mut Request<'r>)
    where
        'a: 'r,
    {
        // Longer than a message may be, it could not be decoded either.
        let Ok(mut reader) = Reader::new(body) else { return };
        let format = if self.own_start == 0 { Format::Standard } else { Format::MimirRecord };
        request.begin_made(body, format, self.options.extensions, false);
        self.symbols().iter().for_each(|symbol| request.storage.symbols.push(Some(*symbol)));
        let mut timeseries = self.timeseries.clone().zip(&self.symbolizer.parts.series);
        loop {
            let start = reader.offset32();
            // It was just written: nothing is wrong with it.
            let Ok(Some(tag)) = reader.next_tag() else { return };
            let Ok(()) = reader.skip_field(tag) else { return impossible() };
            let raw = Raw { start, end: reader.offset32() };
            if tag == TIMESERIES
                && let Some((series, parts)) = timeseries.next()
            {
                let storage = &mut request.storage;
                storage.labels.extend_from_slice(series.labels());
                store(&series, storage, &self.options);
                if series.metadata().is_some() {
                    storage.metadata.push(storage.timeseries.len(), parts.metadata);
                }
                storage.end_series(raw);
            }
        }
    }
}

/// Appends the values of a series as they are written.
fn store<'r>(series: &TimeSeries<'_, 'r>, storage: &mut Storage<'r>, options: &EncodeOptions) {
    let created = series.created_timestamp();
    if options.created_timestamps {
        series.store_values(storage, |start| start, created);
    } else {
        series.store_values(storage, |start| if start == 0 { created } else { start }, 0);
    }
}
