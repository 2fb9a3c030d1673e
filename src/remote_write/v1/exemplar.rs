//! `Exemplar` of remote write 1.0.
//!
//! ```text
//! 1 labels     repeated Label
//! 2 value      double
//! 3 timestamp  int64, milliseconds since the Unix epoch
//! ```

use crate::defaults::{double_len, int64_len, write_double, write_int64};
use crate::error::DecodeError;
use crate::message::Encode;
use crate::pairs::{pairs_len, read_pair, take_region, write_pairs};
use crate::remote_write::exemplar::{Exemplar, ExemplarRecord, Exemplars};
use crate::remote_write::label::{LABELS, LABELS_BYTE};
use crate::remote_write::sample::six_byte_varint;
use crate::remote_write::storage::Storage;
use crate::storage::{DecodeState, push};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer, text_region};

const VALUE: Tag = Tag::new(2, WireType::I64);
const TIMESTAMP: Tag = Tag::new(3, WireType::Varint);

/// The message of remote write 1.0.
impl Encode for Exemplar<'_, '_> {
    fn encoded_len(&self) -> usize {
        pairs_len(self.labels())
            .saturating_add(double_len(VALUE, self.value()))
            .saturating_add(int64_len(TIMESTAMP, self.timestamp()))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_pairs::<LABELS_BYTE>(writer, LABELS, self.labels())?;
        write_double(writer, VALUE, self.value())?;
        write_int64(writer, TIMESTAMP, self.timestamp())
    }
}

/// Reads the exemplar whose tag has just been read.
pub(super) fn read_exemplar<'a>(
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
        ExemplarRecord::push(storage, labels_start, f64::from_le_bytes(*value), timestamp);
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
    ExemplarRecord::push(storage, labels_start, value, timestamp);
    Ok(())
}

/// Bytes of `exemplars` as fields `tag` of a series.
pub(super) fn exemplars_len(tag: Tag, exemplars: Exemplars<'_, '_>) -> usize {
    exemplars.iter().fold(0, |sum: usize, exemplar| {
        sum.saturating_add(wire::message_len(tag, exemplar.encoded_len()))
    })
}

/// Writes `exemplars` as fields `tag` of a series.
pub(super) fn write_exemplars(
    writer: &mut Writer<'_>,
    tag: Tag,
    exemplars: Exemplars<'_, '_>,
) -> Result<(), BufferFull> {
    exemplars.iter().try_for_each(|exemplar| writer.write_message(tag, &exemplar))
}
