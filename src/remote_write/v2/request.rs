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

    /// Whether the references under 64 are Mimir's.
    pub(crate) const fn has_common_symbols(&self) -> bool {
        self.storage.symbols.has_common()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::remote_write::label::Label;
    use alloc::vec::Vec;

    /// Symbols "", "a", "b".
    const TABLE: &[u8] = b"\x22\0\x22\x01a\x22\x01b";

    fn fault(body: &[u8]) -> (DecodeErrorKind, u32, usize) {
        let error = Request::decode(body).unwrap_err();
        (error.kind(), error.field_number(), error.offset())
    }

    /// The fault of a series behind the table, its place counted in the series.
    fn fault_in(series: &[u8]) -> (DecodeErrorKind, u32, usize) {
        let len = u8::try_from(series.len()).unwrap();
        let (kind, field, at) = fault(&[TABLE, &[0x2a, len], series].concat());
        (kind, field, at - TABLE.len() - 2)
    }

    #[test]
    fn every_field_of_golden_bytes() {
        let series =
            b"\x0a\x02\x01\x02\x12\x0d\x09\0\0\0\0\0\0\xf8\x3f\x10\x07\x18\x05\x1a\x02\x08\x03\
            \x22\x06\x0a\x02\x02\x01\x18\x09\x2a\x06\x08\x02\x18\x01\x20\x02\x30\x04";
        let len = u8::try_from(series.len()).unwrap();
        let body = [&b"\x10\x01"[..], TABLE, &[0x2a, len], series, b"\xc0\x3e\x01"].concat();
        let request = Request::decode(&body).unwrap();
        assert_eq!(request.extensions().source.0, 1);
        assert!(request.extensions().skip_label_validation && !request.has_unknown_fields());
        let series = request.timeseries().get(0).unwrap();
        assert_eq!(series.labels(), [Label::new("a", "b")]);
        let sample = series.samples()[0];
        assert_eq!((sample.value, sample.timestamp, sample.start_timestamp), (1.5, 7, 5));
        assert_eq!(series.histograms().len(), 1);
        let exemplar = series.exemplars().get(0).unwrap();
        assert_eq!((exemplar.labels(), exemplar.timestamp()), (&[Label::new("b", "a")][..], 9));
        let metadata = series.metadata().unwrap();
        assert_eq!((metadata.metric_type.0, metadata.help, metadata.unit), (2, "a", "b"));
        assert_eq!(series.created_timestamp(), 4);
        let refs = request.refs(0).unwrap();
        assert_eq!(refs.labels().collect::<Vec<_>>(), [1, 2]);
        assert_eq!(refs.exemplars().next().unwrap().collect::<Vec<_>>(), [2, 1]);
        assert_eq!(refs.metadata().unwrap().unit_ref, 2);
    }

    #[test]
    fn faults_have_kind_and_place() {
        use DecodeErrorKind::*;
        assert_eq!(fault(b"\x22\x05a"), (Truncated, 4, 1));
        assert_eq!(fault(b"\x22\0\x22\x02a\xff"), (InvalidUtf8, 4, 5));
        assert_eq!(fault(b"\x22\x01a\x2a\x01"), (Truncated, 5, 4));
        assert_eq!(fault(b"\x02"), (InvalidTag, 0, 0));
        assert_eq!(fault_in(b"\x0a\x02\x01\x03"), (RefOutOfRange, 1, 3));
        assert_eq!(fault_in(b"\x08\x01\x08\x03"), (RefOutOfRange, 1, 3));
        assert_eq!(fault_in(b"\x0a\x01\x01"), (OddRefs, 1, 3));
        assert_eq!(fault_in(b"\x0a\x02\x01\x80"), (Truncated, 1, 3));
        assert_eq!(fault_in(b"\x0a\x03\x01"), (Truncated, 1, 1));
        assert_eq!(fault_in(b"\x12\x01\x10"), (Truncated, 2, 3));
        assert_eq!(fault_in(b"\x1a\x02\x6a\x07"), (Truncated, 13, 3));
        assert_eq!(fault_in(b"\x22\x04\x0a\x02\x01\x03"), (RefOutOfRange, 1, 5));
        assert_eq!(fault_in(b"\x22\x03\x0a\x01\x01"), (OddRefs, 1, 5));
        assert_eq!(fault_in(b"\x22\x02\x11\0"), (Truncated, 2, 3));
        assert_eq!(fault_in(b"\x2a\x02\x18\x03"), (RefOutOfRange, 3, 3));
        assert_eq!(fault_in(b"\x2a\x02\x20\x03"), (RefOutOfRange, 4, 3));
        assert_eq!(fault_in(b"\x2a\x01\x08"), (Truncated, 1, 3));
        assert_eq!(fault_in(b"\x30"), (Truncated, 6, 1));
    }

    #[test]
    fn caps_have_their_place() {
        let body = [TABLE, b"\x2a\x08\x0a\x02\x01\x02\x12\0\x22\0\x2a\0"].concat();
        let limited = |limits: Limits| {
            let options = DecodeOptions::new().with_limits(limits);
            let error = Request::decode_with(&body, &options).err()?;
            Some((error.kind(), error.field_number(), error.offset()))
        };
        let over = |field, at| Some((DecodeErrorKind::LimitExceeded, field, at));
        assert_eq!(limited(Limits::new().with_max_symbols(2)), over(4, 6));
        assert_eq!(limited(Limits::new().with_max_symbols(3)), None);
        assert_eq!(limited(Limits::new().with_max_timeseries(1)), over(5, 19));
        // Three symbols, a series, a label, a sample, an exemplar, a series.
        let places = [(4, 1), (4, 3), (4, 6), (5, 9), (1, 12), (2, 15), (4, 17), (5, 19)];
        for (max, (field, at)) in places.into_iter().enumerate() {
            assert_eq!(limited(Limits::new().with_max_elements(max)), over(field, at), "{max}");
        }
        assert_eq!(limited(Limits::new().with_max_elements(places.len())), None);
    }

    #[test]
    fn symbols_behind_a_series_count_once() {
        let body = [b"\x2a\x04\x0a\x02\x01\x02", TABLE].concat();
        let options = |max| DecodeOptions::new().with_limits(Limits::new().with_max_elements(max));
        assert!(Request::decode_with(&body, &options(5)).is_ok());
        let error = Request::decode_with(&body, &options(4)).unwrap_err();
        assert_eq!(error.kind(), DecodeErrorKind::LimitExceeded);
    }

    #[test]
    fn debug_output_shows_counts() {
        let body = [TABLE, b"\x2a\0"].concat();
        let shown = alloc::format!("{:?}", Request::decode(&body).unwrap());
        assert!(shown.contains("symbols: 3") && !shown.contains('"'), "{shown}");
    }
}
