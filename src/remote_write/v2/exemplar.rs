//! `Exemplar` of remote write 2.0.
//!
//! ```text
//! 1 labels_refs  repeated uint32, packed or not: name, value, name, value ...
//! 2 value        double
//! 3 timestamp    int64, milliseconds since the Unix epoch
//! ```

use super::labels_refs::{LABELS_REFS, LABELS_REFS_PACKED, RefPairs, block_len, write_block};
use crate::message::cursor::Cursor;
use crate::message::fields::{double_len, int64_len, write_double, write_int64};
use crate::remote_write::model::exemplar::Exemplar;
use crate::remote_write::model::storage::Storage;
use crate::wire::error::DecodeError;
use crate::wire::{BufferFull, Tag, WireType, Writer};

/// `exemplars` of a series.
pub(super) const EXEMPLARS: Tag = Tag::new(4, WireType::Len);
const VALUE: Tag = Tag::new(2, WireType::I64);
const TIMESTAMP: Tag = Tag::new(3, WireType::Varint);

/// Reads the exemplar whose tag has just been read.
pub(super) fn read_exemplar<'a>(
    cursor: &mut Cursor<'a, '_>,
    storage: &mut Storage<'a>,
) -> Result<(), DecodeError> {
    cursor.count_element()?;
    let mut cursor = cursor.read_message()?;
    let labels_start = storage.exemplar_labels.len();
    let mut labels = RefPairs::default();
    let (mut value, mut timestamp) = (0.0, 0);
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {
                let Storage { symbols, exemplar_labels, expanded_bytes, .. } = storage;
                labels.read(&mut cursor, tag, symbols, exemplar_labels, expanded_bytes)?;
            }
            VALUE => value = cursor.read_double()?,
            TIMESTAMP => timestamp = cursor.read_int64()?,
            _ => cursor.skip_field(tag)?,
        }
    }
    storage.push_exemplar(labels_start, value, timestamp);
    labels.finish(&mut cursor)
}

/// Bytes of the message, whose references take `refs` bytes.
pub(super) fn exemplar_len(refs: usize, exemplar: &Exemplar<'_, '_>) -> usize {
    block_len(refs)
        .saturating_add(double_len(VALUE, exemplar.value()))
        .saturating_add(int64_len(TIMESTAMP, exemplar.timestamp()))
}

/// Writes the exemplar as a field of a series.
pub(super) fn write_exemplar(
    writer: &mut Writer<'_>,
    refs: &[u8],
    exemplar: &Exemplar<'_, '_>,
) -> Result<(), BufferFull> {
    writer.write_len(EXEMPLARS, exemplar_len(refs.len(), exemplar))?;
    write_block(writer, refs)?;
    write_double(writer, VALUE, exemplar.value())?;
    write_int64(writer, TIMESTAMP, exemplar.timestamp())
}
