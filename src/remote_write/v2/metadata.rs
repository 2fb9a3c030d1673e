//! `Metadata` of remote write 2.0.
//!
//! ```text
//! 1 type      enum, 0 unspecified .. 7 stateset
//! 3 help_ref  uint32
//! 4 unit_ref  uint32
//! ```

use super::symbols::read_optional_ref;
use crate::message::cursor::Cursor;
use crate::message::fields::{enum_len, uint32_len, write_enum, write_uint32};
use crate::remote_write::model::metadata::{MetadataRefs, MetricType};
use crate::remote_write::model::symbol_table::SymbolTable;
use crate::wire::error::DecodeError;
use crate::wire::{BufferFull, Tag, WireType, Writer};

/// `metadata` of a series.
pub(super) const METADATA: Tag = Tag::new(5, WireType::Len);
pub(super) const TYPE: Tag = Tag::new(1, WireType::Varint);
pub(super) const HELP_REF: Tag = Tag::new(3, WireType::Varint);
pub(super) const UNIT_REF: Tag = Tag::new(4, WireType::Varint);

/// Merges the metadata whose tag has just been read.
#[inline]
pub(super) fn read_metadata<'a>(
    cursor: &mut Cursor<'a, '_>,
    metadata: &mut MetadataRefs,
    symbols: &SymbolTable<'a>,
) -> Result<(), DecodeError> {
    let mut cursor = cursor.read_message()?;
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            TYPE => metadata.metric_type = MetricType(cursor.read_enum()?),
            HELP_REF => metadata.help_ref = read_optional_ref(&mut cursor, symbols)?,
            UNIT_REF => metadata.unit_ref = read_optional_ref(&mut cursor, symbols)?,
            _ => cursor.skip_field(tag)?,
        }
    }
    Ok(())
}

/// Bytes of the texts that it names.
#[allow(clippy::as_conversions)]
pub(super) fn metadata_bytes(metadata: &MetadataRefs, symbols: &SymbolTable<'_>) -> u64 {
    let bytes = |reference| symbols.get(reference).unwrap_or_default().len() as u64;
    bytes(metadata.help_ref).wrapping_add(bytes(metadata.unit_ref))
}

/// Bytes of the message.
pub(super) fn metadata_len(metadata: &MetadataRefs) -> usize {
    enum_len(TYPE, metadata.metric_type.0)
        .saturating_add(uint32_len(HELP_REF, metadata.help_ref))
        .saturating_add(uint32_len(UNIT_REF, metadata.unit_ref))
}

/// Writes the message.
pub(super) fn write_metadata(
    writer: &mut Writer<'_>,
    metadata: &MetadataRefs,
) -> Result<(), BufferFull> {
    write_enum(writer, TYPE, metadata.metric_type.0)?;
    write_uint32(writer, HELP_REF, metadata.help_ref)?;
    write_uint32(writer, UNIT_REF, metadata.unit_ref)
}
