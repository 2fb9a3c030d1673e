//! `Exemplar` of remote write 2.0.
//!
//! ```text
//! 1 labels_refs  repeated uint32, packed or not: name, value, name, value ...
//! 2 value        double
//! 3 timestamp    int64, milliseconds since the Unix epoch
//! ```

use super::time_series::{
    EXEMPLARS, LABELS_REFS, LABELS_REFS_PACKED, RefPairs, block_len, write_block,
};
use crate::defaults::{double_len, int64_len, write_double, write_int64};
use crate::error::DecodeError;
use crate::remote_write::exemplar::{Exemplar, ExemplarRecord};
use crate::remote_write::storage::Storage;
use crate::storage::DecodeState;
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer};

const VALUE: Tag = Tag::new(2, WireType::I64);
const TIMESTAMP: Tag = Tag::new(3, WireType::Varint);

/// Reads the exemplar whose tag has just been read.
pub(super) fn read_exemplar<'a>(
    reader: &mut Reader<'a>,
    storage: &mut Storage<'a>,
    state: &mut DecodeState,
) -> Result<(), DecodeError> {
    state.count_element_at(reader)?;
    let mut reader = reader.read_message()?;
    let labels_start = storage.exemplar_labels.len();
    let mut labels = RefPairs::default();
    let (mut value, mut timestamp) = (0.0, 0);
    while let Some(tag) = reader.next_tag()? {
        match tag {
            LABELS_REFS | LABELS_REFS_PACKED => {
                let list = &mut storage.exemplar_labels;
                labels.read(&mut reader, tag, &storage.symbols, list, state)?;
            }
            VALUE => value = reader.read_double()?,
            TIMESTAMP => timestamp = reader.read_int64()?,
            _ => state.skip_field(&mut reader, tag)?,
        }
    }
    ExemplarRecord::push(storage, labels_start, value, timestamp);
    labels.finish(&reader, state)
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
