//! `Exemplar` of remote write 1.0.
//!
//! ```text
//! 1 labels     repeated Label
//! 2 value      double
//! 3 timestamp  int64, milliseconds since the Unix epoch
//! ```

use super::message::Message;
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::message::fields::{double_len, int64_len, write_double, write_int64};
use crate::message::regions::{pairs_len, read_pair, take_region, write_pairs};
use crate::remote_write::model::exemplar::{Exemplar, Exemplars};
use crate::remote_write::model::sample::{ValueForm, six_byte_varint};
use crate::remote_write::model::storage::Storage;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer, text_region};

const LABELS: Tag = Tag::new(1, WireType::Len);
const LABELS_BYTE: u8 = LABELS.byte();
const VALUE: Tag = Tag::new(2, WireType::I64);
const TIMESTAMP: Tag = Tag::new(3, WireType::Varint);

impl Encode for Message<Exemplar<'_, '_>> {
    fn encoded_len(&self) -> usize {
        pairs_len(self.0.labels())
            .saturating_add(double_len(VALUE, self.0.value()))
            .saturating_add(int64_len(TIMESTAMP, self.0.timestamp()))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_pairs::<LABELS_BYTE, _>(writer, self.0.labels())?;
        write_double(writer, VALUE, self.0.value())?;
        write_int64(writer, TIMESTAMP, self.0.timestamp())
    }
}

/// Reads the exemplar whose tag has just been read.
pub(super) fn read_exemplar<'a>(
    cursor: &mut Cursor<'a, '_>,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    cursor.count_element()?;
    let mut cursor = cursor.read_message()?;
    let labels_start = storage.exemplar_labels.len();
    let (mut value, mut timestamp) = (0.0, 0);
    // Labels first, then value and a timestamp of six bytes: what most exemplars are. If this is
    // another, its fields are read where the labels end.
    if let Some((labels, [0x11, value @ .., 0x18, a, b, c, d, e, f])) =
        cursor.rest().split_last_chunk::<16>()
        && let Some(text) = text_region(labels)
        && take_region::<LABELS_BYTE, _>(&mut cursor, text, &mut storage.exemplar_labels)
        && cursor.rest().len() == 16
        && let Some(timestamp) = six_byte_varint([*a, *b, *c, *d, *e, *f])
    {
        storage.push_exemplar(labels_start, f64::from_le_bytes(*value), timestamp);
        return Ok(());
    }
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            LABELS => {
                cursor.count_element()?;
                push(&mut storage.exemplar_labels, read_pair(&mut cursor)?);
            }
            VALUE => value = cursor.read_double()?,
            TIMESTAMP => timestamp = cursor.read_int64()?,
            _ => cursor.skip_field(tag)?,
        }
    }
    storage.push_exemplar(labels_start, value, timestamp);
    Ok(())
}

/// Bytes of `exemplars` as fields `tag` of a series.
pub(super) fn exemplars_len(tag: Tag, exemplars: Exemplars<'_, '_>, form: ValueForm) -> usize {
    exemplars.iter().fold(0, |sum: usize, exemplar| {
        sum.saturating_add(wire::message_len(tag, Message(exemplar.in_form(form)).encoded_len()))
    })
}

/// Writes `exemplars` as fields `tag` of a series.
pub(super) fn write_exemplars(
    writer: &mut Writer<'_>,
    tag: Tag,
    exemplars: Exemplars<'_, '_>,
    form: ValueForm,
) -> Result<(), BufferFull> {
    exemplars
        .iter()
        .try_for_each(|exemplar| writer.write_message(tag, &Message(exemplar.in_form(form))))
}
