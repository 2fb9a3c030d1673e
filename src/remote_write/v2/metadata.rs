//! `Metadata` of remote write 2.0.
//!
//! ```text
//! 1 type      enum, 0 unspecified .. 7 stateset
//! 3 help_ref  uint32
//! 4 unit_ref  uint32
//! ```

use crate::error::DecodeError;
use crate::remote_write::metadata::MetricType;
use crate::remote_write::storage::MetadataRefs;
use crate::remote_write::symbols::SymbolTable;
use crate::storage::DecodeState;
use crate::wire::{Reader, Tag, WireType};

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
            HELP_REF => metadata.help_ref = symbols.read_ref(&mut reader, state)?.0,
            UNIT_REF => metadata.unit_ref = symbols.read_ref(&mut reader, state)?.0,
            _ => state.skip_field(&mut reader, tag)?,
        }
    }
    Ok(())
}
