//! `InstrumentationScope`: the library that measured, or wrote the log.
//!
//! ```text
//! 1 name                      string
//! 2 version                   string
//! 3 attributes                repeated KeyValue
//! 4 dropped_attributes_count  uint32
//! ```

use super::attributes::Attributes;
use crate::message::fields::{text_len, uint32_len, write_text, write_uint32};
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Tag, WireType, Writer};

pub(super) const NAME: Tag = Tag::new(1, WireType::Len);
pub(super) const VERSION: Tag = Tag::new(2, WireType::Len);
pub(super) const ATTRIBUTES: Tag = Tag::new(3, WireType::Len);
pub(super) const DROPPED_ATTRIBUTES_COUNT: Tag = Tag::new(4, WireType::Varint);

pub(super) const ATTRIBUTES_BYTE: u8 = ATTRIBUTES.byte();

/// The library that measured, or wrote the log.
///
/// ```
/// use borrowire::otlp::InstrumentationScope;
///
/// let scope = InstrumentationScope::new("io.opentelemetry.http", "1.27.0");
/// assert_eq!(scope.version, "1.27.0");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct InstrumentationScope<'s, 'a> {
    /// Its name; empty if it is not known.
    pub name: &'a str,
    /// Its version.
    pub version: &'a str,
    /// What else is known of it.
    pub attributes: Attributes<'s, 'a>,
    /// How many attributes the sender left out.
    pub dropped_attributes_count: u32,
}

impl<'a> InstrumentationScope<'_, 'a> {
    /// The library `name` in `version`.
    #[must_use]
    pub fn new(name: &'a str, version: &'a str) -> Self {
        Self { name, version, ..Self::default() }
    }
}

impl Encode for InstrumentationScope<'_, '_> {
    fn encoded_len(&self) -> usize {
        text_len(NAME, self.name)
            .saturating_add(text_len(VERSION, self.version))
            .saturating_add(self.attributes.fields_len())
            .saturating_add(uint32_len(DROPPED_ATTRIBUTES_COUNT, self.dropped_attributes_count))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_text(writer, NAME, self.name)?;
        write_text(writer, VERSION, self.version)?;
        self.attributes.write_fields::<ATTRIBUTES_BYTE>(writer)?;
        write_uint32(writer, DROPPED_ATTRIBUTES_COUNT, self.dropped_attributes_count)
    }
}
