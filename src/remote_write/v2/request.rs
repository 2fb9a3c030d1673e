//! `Request`: the message that senders post.
//!
//! ```text
//!    4 symbols     repeated string
//!    5 timeseries  repeated TimeSeries
//!    2, 1000, 1001, 1002: see `Extensions`
//! ```
//!
//! 1 and 3 are reserved: they are what remote write 1.0 has, and are skipped here.

use core::fmt;

use super::refs::SeriesRefs;
use super::time_series::read_series;
use crate::error::{DecodeError, DecodeErrorKind};
use crate::limits::Limits;
use crate::message::DecodeOptions;
use crate::remote_write::request::impl_series_access;
use crate::remote_write::storage::Storage;
use crate::remote_write::symbols::{SYMBOLS, Symbols};
use crate::remote_write::time_series::TimeSeriesRecord;
use crate::storage::DecodeState;
use crate::wire::{Reader, Tag, WireType};

pub(super) const TIMESERIES: Tag = Tag::new(5, WireType::Len);

/// A decoded request: flat storage of views that borrow from the body.
///
/// ```
/// use borrowire::remote_write::v2::{Label, Request};
///
/// let body = b"\x22\x00\x22\x08__name__\x22\x02up\x2a\x0d\x0a\x02\x01\x02\x12\x07\x10\x80\xd0\x95\xff\xbc\x31";
/// let request = Request::decode(body)?;
/// for series in request.timeseries() {
///     assert_eq!(series.labels(), [Label::new("__name__", "up")]);
///     assert_eq!(series.samples()[0].timestamp, 1_700_000_000_000);
/// }
/// assert_eq!(request.refs(0).unwrap().labels().collect::<Vec<_>>(), [1, 2]);
/// # Ok::<(), borrowire::DecodeError>(())
/// ```
///
/// A request has no place for references of its own once it is decoded, so it is encoded again by a
/// [`Symbolizer`](super::Symbolizer), from its series.
#[derive(Clone, Default)]
pub struct Request<'a> {
    pub(super) storage: Storage<'a>,
}

impl_series_access!(Request);
crate::reuse::impl_request!(Request);

impl<'a> Request<'a> {
    fn clear(&mut self) {
        self.storage.clear();
    }

    fn into_empty<'b>(self) -> Request<'b> {
        Request { storage: self.storage.recycle() }
    }

    fn read(&mut self, body: &'a [u8], options: &DecodeOptions) -> Result<(), DecodeError> {
        let mut reader = Reader::new(body)?;
        if body.len() > options.limits.max_message_bytes {
            return Err(reader.error(DecodeErrorKind::MessageTooLarge));
        }
        let storage = &mut self.storage;
        storage.body = body;
        if options.common_symbols {
            storage.symbols.push_common();
        }
        let mut state = DecodeState::new(options);
        let mut timeseries = 0_usize;
        // Whether all symbols of the body were read, also those behind the current place.
        let mut all_symbols = false;
        loop {
            let raw_start = reader.offset32();
            let Some(tag) = reader.next_tag()? else { break };
            match tag {
                SYMBOLS if all_symbols => _ = reader.read_bytes()?,
                SYMBOLS => {
                    storage.symbols.read(&mut reader, &mut state, options.limits.max_symbols)?;
                }
                TIMESERIES => {
                    if timeseries >= options.limits.max_timeseries {
                        return Err(reader.error(DecodeErrorKind::LimitExceeded));
                    }
                    state.count_element_at(&reader)?;
                    let message = reader.read_message()?;
                    let raw_end = reader.offset32();
                    let elements_left = state.elements_left();
                    let mut result = read_series(message.clone(), storage, &mut state);
                    if !all_symbols && lacks_symbol(&result, &state) {
                        storage.drop_unfinished_series();
                        state.retry(elements_left);
                        read_symbols(reader.clone(), storage, &mut state, &options.limits)?;
                        all_symbols = true;
                        result = read_series(message, storage, &mut state);
                    }
                    result?;
                    match state.take_content_fault() {
                        None => TimeSeriesRecord::push(storage, raw_start, raw_end),
                        Some(error) => storage.skip_series(timeseries, error),
                    }
                    timeseries = timeseries.saturating_add(1);
                }
                _ => storage.extensions.read(&mut reader, tag, &mut state)?,
            }
        }
        storage.unknown_fields = state.unknown_fields;
        Ok(())
    }

    /// The symbols, by reference.
    #[must_use]
    pub const fn symbols(&self) -> Symbols<'_, 'a> {
        Symbols::new(&self.storage.symbols)
    }

    /// The references of the series at `index`, as they were in the body.
    ///
    /// `None` if there is no such series, or the request was not decoded from a body.
    #[must_use]
    pub fn refs(&self, index: usize) -> Option<SeriesRefs<'a>> {
        self.raw_timeseries(index).and_then(SeriesRefs::new)
    }

    /// Heap bytes that the request's storage holds.
    #[must_use]
    pub fn capacity_bytes(&self) -> usize {
        self.storage.capacity_bytes()
    }
}

/// Whether a series failed for a reference that no symbol so far has.
fn lacks_symbol(result: &Result<(), DecodeError>, state: &DecodeState) -> bool {
    let fault = result.err().or(state.content_fault);
    fault.is_some_and(|error| error.kind() == DecodeErrorKind::RefOutOfRange)
}

/// Reads the symbols that are still to come: they may stand behind the series that use them.
#[cold]
fn read_symbols<'a>(
    mut reader: Reader<'a>,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
    limits: &Limits,
) -> Result<(), DecodeError> {
    while let Some(tag) = reader.next_tag()? {
        match tag {
            SYMBOLS => storage.symbols.read(&mut reader, state, limits.max_symbols)?,
            _ => reader.skip_field(tag)?,
        }
    }
    Ok(())
}

/// Shows counts, not content.
impl fmt::Debug for Request<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Request")
            .field("bytes", &self.body().len())
            .field("symbols", &self.symbols().len())
            .field("timeseries", &self.storage.timeseries.len())
            .field("labels", &self.labels_len())
            .field("samples", &self.samples_len())
            .field("exemplars", &self.exemplars_len())
            .field("histograms", &self.histograms_len())
            .field("skipped", &self.storage.skipped.len())
            .finish()
    }
}
