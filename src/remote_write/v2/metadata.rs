//! `Metadata` of remote write 2.0.
//!
//! ```text
//! 1 type      enum, 0 unspecified .. 7 stateset
//! 3 help_ref  uint32
//! 4 unit_ref  uint32
//! ```

use crate::error::DecodeError;
use crate::remote_write::metadata::{MetadataRefs, MetricType};
use crate::remote_write::symbols::SymbolTable;
use crate::storage::DecodeState;
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

pub(super) const TYPE: Tag = Tag::new(1, WireType::Varint);
pub(super) const HELP_REF: Tag = Tag::new(3, WireType::Varint);
pub(super) const UNIT_REF: Tag = Tag::new(4, WireType::Varint);

/// Merges the metadata whose tag has just been read.
#[inline]
pub(super) fn read_metadata<'a>(
    reader: &mut Reader<'a>,
    metadata: &mut MetadataRefs,
    symbols: &SymbolTable<'a>,
    state: &mut DecodeState,
) -> Result<(), DecodeError> {
    let mut reader = reader.read_message()?;
    while let Some(tag) = reader.next_tag()? {
        match tag {
            TYPE => metadata.metric_type = MetricType(reader.read_enum()?),
            HELP_REF => metadata.help_ref = symbols.read_optional_ref(&mut reader, state)?,
            UNIT_REF => metadata.unit_ref = symbols.read_optional_ref(&mut reader, state)?,
            _ => state.skip_field(&mut reader, tag)?,
        }
    }
    Ok(())
}

/// Bytes of the message.
pub(super) fn metadata_len(metadata: &MetadataRefs) -> usize {
    let metric_type = match metadata.metric_type.0 {
        0 => 0,
        number => wire::enum_len(TYPE, number),
    };
    metric_type
        .saturating_add(ref_len(HELP_REF, metadata.help_ref))
        .saturating_add(ref_len(UNIT_REF, metadata.unit_ref))
}

/// Writes the message.
pub(super) fn write_metadata(
    writer: &mut Writer<'_>,
    metadata: &MetadataRefs,
) -> Result<(), BufferFull> {
    if metadata.metric_type.0 != 0 {
        writer.write_enum(TYPE, metadata.metric_type.0)?;
    }
    write_ref(writer, HELP_REF, metadata.help_ref)?;
    write_ref(writer, UNIT_REF, metadata.unit_ref)
}

fn ref_len(tag: Tag, reference: u32) -> usize {
    if reference == 0 { 0 } else { wire::uint32_len(tag, reference) }
}

fn write_ref(writer: &mut Writer<'_>, tag: Tag, reference: u32) -> Result<(), BufferFull> {
    if reference == 0 { Ok(()) } else { writer.write_uint32(tag, reference) }
}
