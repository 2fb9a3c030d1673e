//! `Exemplar`: a measured value with the trace that it came from.
//!
//! ```text
//! 1 labels     repeated Label
//! 2 value      double
//! 3 timestamp  int64, milliseconds since the Unix epoch
//! ```

use core::fmt;

use super::Label;
use super::label::{LABELS, LABELS_BYTE};
use super::sample::six_byte_varint;
use super::storage::Storage;
use crate::defaults::{double_len, int64_len, write_double, write_int64};
use crate::error::DecodeError;
use crate::message::Encode;
use crate::pairs::{pairs_len, read_pair, take_region, write_pairs};
use crate::storage::{DecodeState, index, push, range};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer, text_region};

const VALUE: Tag = Tag::new(2, WireType::I64);
const TIMESTAMP: Tag = Tag::new(3, WireType::Varint);

/// A single measured value, with labels of its own (usually a trace id). Equal when the bits are.
#[derive(Clone, Copy)]
pub struct Exemplar<'s, 'a> {
    labels: &'s [Label<'a>],
    value: f64,
    timestamp: i64,
}

impl<'s, 'a> Exemplar<'s, 'a> {
    /// An exemplar of `value` at `timestamp`, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn new(labels: &'s [Label<'a>], value: f64, timestamp: i64) -> Self {
        Self { labels, value, timestamp }
    }

    /// The exemplar's own labels; those of the series are not among them.
    #[must_use]
    pub const fn labels(&self) -> &'s [Label<'a>] {
        self.labels
    }

    /// The measured value.
    #[must_use]
    pub const fn value(&self) -> f64 {
        self.value
    }

    /// Milliseconds since the Unix epoch; 0 when the sender left it out.
    #[must_use]
    pub const fn timestamp(&self) -> i64 {
        self.timestamp
    }
}

impl PartialEq for Exemplar<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.labels == other.labels
            && self.value.to_bits() == other.value.to_bits()
            && self.timestamp == other.timestamp
    }
}

impl Eq for Exemplar<'_, '_> {}

impl fmt::Debug for Exemplar<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Exemplar")
            .field("labels", &self.labels.len())
            .field("value", &self.value)
            .field("timestamp", &self.timestamp)
            .finish()
    }
}

impl Encode for Exemplar<'_, '_> {
    fn encoded_len(&self) -> usize {
        pairs_len(self.labels)
            .saturating_add(double_len(VALUE, self.value))
            .saturating_add(int64_len(TIMESTAMP, self.timestamp))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_pairs::<LABELS_BYTE>(writer, LABELS, self.labels)?;
        write_double(writer, VALUE, self.value)?;
        write_int64(writer, TIMESTAMP, self.timestamp)
    }
}

/// An exemplar in storage: its labels are `exemplar_labels[labels_start..labels_end]`.
#[derive(Clone, Copy)]
pub(super) struct ExemplarRecord {
    labels_start: u32,
    labels_end: u32,
    value: f64,
    timestamp: i64,
}

impl ExemplarRecord {
    /// Appends an exemplar whose labels are those of storage from `labels_start` on.
    pub(super) fn push(storage: &mut Storage<'_>, labels_start: usize, value: f64, timestamp: i64) {
        let record = Self {
            labels_start: index(labels_start),
            labels_end: index(storage.exemplar_labels.len()),
            value,
            timestamp,
        };
        push(&mut storage.exemplars, record);
    }

    /// Reads the exemplar whose tag has just been read.
    pub(super) fn read<'a>(
        reader: &mut Reader<'a>,
        storage: &mut Storage<'a>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        state.count_element_at(reader)?;
        let mut reader = reader.read_message()?;
        let labels_start = storage.exemplar_labels.len();
        let (mut value, mut timestamp) = (0.0, 0);
        // Labels first, then value and a timestamp of six bytes: what most exemplars are. If this is
        // another, its fields are read where the labels end.
        if let Some((labels, [0x11, value @ .., 0x18, a, b, c, d, e, f])) =
            reader.rest().split_last_chunk::<16>()
            && let Some(text) = text_region(labels)
            && take_region::<LABELS_BYTE, _>(&mut reader, text, &mut storage.exemplar_labels, state)
            && reader.rest().len() == 16
            && let Some(timestamp) = six_byte_varint([*a, *b, *c, *d, *e, *f])
        {
            Self::push(storage, labels_start, f64::from_le_bytes(*value), timestamp);
            return Ok(());
        }
        while let Some(tag) = reader.next_tag()? {
            match tag {
                LABELS => {
                    state.count_element_at(&reader)?;
                    push(&mut storage.exemplar_labels, read_pair(&mut reader, state)?);
                }
                VALUE => value = reader.read_double()?,
                TIMESTAMP => timestamp = reader.read_int64()?,
                _ => state.skip_field(&mut reader, tag)?,
            }
        }
        Self::push(storage, labels_start, value, timestamp);
        Ok(())
    }
}

/// The exemplars of a series: the caller's slice, or a range of decoded storage.
#[derive(Clone, Copy)]
pub struct Exemplars<'s, 'a>(Source<'s, 'a>);

#[derive(Clone, Copy)]
enum Source<'s, 'a> {
    Slice(&'s [Exemplar<'s, 'a>]),
    Stored { records: &'s [ExemplarRecord], labels: &'s [Label<'a>] },
}

impl<'s, 'a> Exemplars<'s, 'a> {
    pub(super) const fn slice(exemplars: &'s [Exemplar<'s, 'a>]) -> Self {
        Self(Source::Slice(exemplars))
    }

    pub(super) const fn stored(records: &'s [ExemplarRecord], labels: &'s [Label<'a>]) -> Self {
        Self(Source::Stored { records, labels })
    }

    /// How many there are.
    #[inline]
    #[must_use]
    pub const fn len(&self) -> usize {
        match self.0 {
            Source::Slice(exemplars) => exemplars.len(),
            Source::Stored { records, .. } => records.len(),
        }
    }

    /// The exemplar at `index`, in wire order.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Exemplar<'s, 'a>> {
        match self.0 {
            Source::Slice(exemplars) => exemplars.get(index).copied(),
            Source::Stored { records, labels } => {
                let record = records.get(index)?;
                let labels = range(labels, record.labels_start, record.labels_end);
                Some(Exemplar::new(labels, record.value, record.timestamp))
            }
        }
    }

    /// Bytes of the exemplars as fields `tag` of a series.
    pub(super) fn fields_len(&self, tag: Tag) -> usize {
        self.iter().fold(0, |sum: usize, exemplar| {
            sum.saturating_add(wire::message_len(tag, exemplar.encoded_len()))
        })
    }

    /// Writes the exemplars as fields `tag` of a series.
    pub(super) fn write_fields(&self, writer: &mut Writer<'_>, tag: Tag) -> Result<(), BufferFull> {
        self.iter().try_for_each(|exemplar| writer.write_message(tag, &exemplar))
    }
}

crate::storage::impl_list! {
    /// Iterates over [`Exemplars`].
    Exemplars, ExemplarsIter, ['s, 'a], Exemplar<'s, 'a>
}
