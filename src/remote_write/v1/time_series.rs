//! `TimeSeries` of remote write 1.0.
//!
//! ```text
//! 1 labels             repeated Label
//! 2 samples            repeated Sample
//! 3 exemplars          repeated Exemplar
//! 4 histograms         repeated Histogram
//! 6 created_timestamp  int64, milliseconds (Mimir)
//! ```

use super::exemplar::{exemplars_len, read_exemplar, write_exemplars};
use crate::defaults::{int64_len, write_int64};
use crate::error::DecodeError;
use crate::message::Encode;
use crate::pairs::{pairs_len, read_pair, take_pairs, take_region, write_pairs};
use crate::remote_write::label::{LABELS, LABELS_BYTE};
use crate::remote_write::sample::{Sample, samples_len, split_last_sample, write_samples};
use crate::remote_write::storage::Storage;
use crate::remote_write::time_series::TimeSeries;
use crate::storage::{DecodeState, push};
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer, text_region, text_run_len};

const SAMPLES: Tag = Tag::new(2, WireType::Len);
const EXEMPLARS: Tag = Tag::new(3, WireType::Len);
const HISTOGRAMS: Tag = Tag::new(4, WireType::Len);
const CREATED_TIMESTAMP: Tag = Tag::new(6, WireType::Varint);

impl TimeSeries<'_, '_> {
    /// Bytes of the message; with the extension fields if `start`.
    #[inline]
    pub(super) fn len(&self, start: bool) -> usize {
        let mut len =
            pairs_len(self.labels()).saturating_add(samples_len(SAMPLES, self.samples(), start));
        if !self.exemplars().is_empty() {
            len = len.saturating_add(exemplars_len(EXEMPLARS, self.exemplars()));
        }
        if !self.histograms().is_empty() {
            len = len.saturating_add(self.histograms().fields_len(HISTOGRAMS, start));
        }
        if start {
            len = len.saturating_add(int64_len(CREATED_TIMESTAMP, self.created_timestamp()));
        }
        len
    }

    // Always: the writer stays in registers.
    #[inline(always)]
    pub(super) fn write(&self, writer: &mut Writer<'_>, start: bool) -> Result<(), BufferFull> {
        write_pairs::<LABELS_BYTE>(writer, LABELS, self.labels())?;
        write_samples(writer, SAMPLES, self.samples(), start)?;
        if !self.exemplars().is_empty() {
            write_exemplars(writer, EXEMPLARS, self.exemplars())?;
        }
        if !self.histograms().is_empty() {
            self.histograms().write_fields(writer, HISTOGRAMS, start)?;
        }
        if start {
            write_int64(writer, CREATED_TIMESTAMP, self.created_timestamp())?;
        }
        Ok(())
    }
}

/// The message of remote write 1.0, without the extension fields.
impl Encode for TimeSeries<'_, '_> {
    fn encoded_len(&self) -> usize {
        self.len(false)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(writer, false)
    }
}

/// Reads a series from `message`, all of it.
#[inline]
pub(super) fn read_series<'a>(
    message: Reader<'a>,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> Result<(), DecodeError> {
    match split_last_sample(message.rest()) {
        Some((labels, sample)) => {
            if read_usual_series(labels, sample, storage, state) {
                return Ok(());
            }
            read_fields(message, storage, state)
        }
        None => read_unusual(message, storage, state),
    }
}

/// Reads a series that ends in something else than one usual sample, probably in as many bytes
/// as the last such series did. A wrong guess costs time, never correctness: labels are taken
/// from the text one by one, and whatever it holds beyond them is read again as what it is.
fn read_unusual<'a>(
    mut reader: Reader<'a>,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> Result<(), DecodeError> {
    let series = reader.rest();
    if let Some(labels_len) = series.len().checked_sub(state.tail_len)
        && let Some((labels, [0x12 | 0x1a | 0x22, ..])) = series.split_at_checked(labels_len)
        && let Some(text) = text_region(labels)
    {
        take_region::<LABELS_BYTE, _>(&mut reader, text, &mut storage.labels, state);
    }
    state.tail_len = reader.rest().len();
    read_fields(reader, storage, state)
}

/// Reads a series field by field.
fn read_fields<'a>(
    mut reader: Reader<'a>,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> Result<(), DecodeError> {
    // Whether labels may be checked by the region: given up when one is no text, or holds a label
    // that must be read alone, so that no byte is checked twice.
    let mut regions = true;
    loop {
        if regions && reader.rest().first() == Some(&LABELS_BYTE) {
            let run = text_run_len(reader.rest(), LABELS_BYTE);
            let region = reader.rest().get(..run).unwrap_or_default();
            regions = match text_region(region) {
                Some(text) => {
                    take_region::<LABELS_BYTE, _>(&mut reader, text, &mut storage.labels, state)
                }
                None => false,
            };
            state.tail_len = reader.rest().len();
        }
        let Some(tag) = reader.next_tag()? else {
            return Ok(());
        };
        match tag {
            LABELS => {
                state.count_element_at(&reader)?;
                push(&mut storage.labels, read_pair(&mut reader, state)?);
            }
            SAMPLES => {
                state.count_element_at(&reader)?;
                push(&mut storage.samples, Sample::read(&mut reader, state)?);
            }
            EXEMPLARS => read_exemplar(&mut reader, storage, state)?,
            HISTOGRAMS => storage.histograms.read(&mut reader, state)?,
            CREATED_TIMESTAMP => {
                let created = reader.read_int64()?;
                storage.set_created_timestamp(created);
            }
            _ => state.skip_field(&mut reader, tag)?,
        }
    }
}

/// Reads a series that is what most are: labels in their usual shape, then one sample. Returns
/// `false`, with nothing read, if it is anything else.
#[inline]
fn read_usual_series<'a>(
    labels: &'a [u8],
    sample: Sample,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> bool {
    let Some(text) = text_region(labels) else {
        return false;
    };
    let before = storage.labels.len();
    if !state.has_elements(text.len())
        || !take_pairs::<LABELS_BYTE, _>(text, &mut storage.labels, state).is_empty()
    {
        storage.labels.truncate(before);
        return false;
    }
    push(&mut storage.samples, sample);
    state.count_elements(storage.labels.len().saturating_sub(before).saturating_add(1));
    true
}
