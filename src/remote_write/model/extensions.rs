//! The request fields that Cortex and Mimir add to both versions.
//!
//! ```text
//!    2 source                       enum (in 2.0 of Mimir alone: Cortex has it in 6)
//! 1000 skip_label_validation        bool (Mimir; skip_label_name_validation in Cortex)
//! 1001 skip_label_count_validation  bool (Mimir; Cortex writes an empty message here)
//! 1002 discard_out_of_order         bool (Cortex)
//! ```

use crate::message::cursor::{Cursor, read_alone};
use crate::message::fields::{enum_len, write_enum};
use crate::wire::error::DecodeError;
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

const SOURCE: Tag = Tag::new(2, WireType::Varint);
const SKIP_LABEL_VALIDATION: Tag = Tag::new(1000, WireType::Varint);
const SKIP_LABEL_COUNT_VALIDATION: Tag = Tag::new(1001, WireType::Varint);
/// Cortex' reference to its own buffers: always there, always empty.
const REF: Tag = Tag::new(1001, WireType::Len);
const DISCARD_OUT_OF_ORDER: Tag = Tag::new(1002, WireType::Varint);

/// Where a request comes from, for Cortex and Mimir. An open enum.
///
/// ```
/// use borrowire::remote_write::RequestSource;
///
/// assert_eq!(RequestSource::RULE, RequestSource(1));
/// assert_eq!(RequestSource::default(), RequestSource::API);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RequestSource(pub i32);

impl RequestSource {
    /// 0: a client.
    pub const API: Self = Self(0);
    /// 1: the ruler.
    pub const RULE: Self = Self(1);
    /// 2: an OTLP endpoint (Mimir).
    pub const OTLP: Self = Self(2);
}

/// The fields that Cortex and Mimir add to the request, for services that write to their inside.
///
/// ```
/// use borrowire::remote_write::{Extensions, RequestSource};
///
/// let extensions = Extensions::new().with_source(RequestSource::RULE);
/// assert_eq!(extensions.source, RequestSource(1));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Extensions {
    /// Field 2.
    pub source: RequestSource,
    /// Field 1000: labels are known to be valid (Cortex: label names).
    pub skip_label_validation: bool,
    /// Field 1001: the number of labels is known to be valid (Mimir).
    pub skip_label_count_validation: bool,
    /// Field 1002: samples out of order are dropped without an error (Cortex).
    pub discard_out_of_order: bool,
}

impl Extensions {
    /// None of them.
    #[must_use]
    pub const fn new() -> Self {
        Self {
            source: RequestSource::API,
            skip_label_validation: false,
            skip_label_count_validation: false,
            discard_out_of_order: false,
        }
    }

    /// Sets [`source`](Self::source).
    #[must_use]
    pub const fn with_source(mut self, source: RequestSource) -> Self {
        self.source = source;
        self
    }

    /// Sets [`skip_label_validation`](Self::skip_label_validation).
    #[must_use]
    pub const fn with_skip_label_validation(mut self, skip: bool) -> Self {
        self.skip_label_validation = skip;
        self
    }

    /// Sets [`skip_label_count_validation`](Self::skip_label_count_validation).
    #[must_use]
    pub const fn with_skip_label_count_validation(mut self, skip: bool) -> Self {
        self.skip_label_count_validation = skip;
        self
    }

    /// Sets [`discard_out_of_order`](Self::discard_out_of_order).
    #[must_use]
    pub const fn with_discard_out_of_order(mut self, discard: bool) -> Self {
        self.discard_out_of_order = discard;
        self
    }
}

impl Extensions {
    /// Reads the request's field whose tag has just been read, which may be an unknown one.
    pub(in crate::remote_write) fn read(
        &mut self,
        tag: Tag,
        cursor: &mut Cursor<'_, '_>,
    ) -> Result<(), DecodeError> {
        match tag {
            SOURCE => self.source = RequestSource(cursor.read_enum()?),
            SKIP_LABEL_VALIDATION => self.skip_label_validation = cursor.read_bool()?,
            SKIP_LABEL_COUNT_VALIDATION => self.skip_label_count_validation = cursor.read_bool()?,
            DISCARD_OUT_OF_ORDER => self.discard_out_of_order = cursor.read_bool()?,
            REF if cursor.rest().first() == Some(&0) => cursor.pass_field(tag)?,
            _ => cursor.skip_field(tag)?,
        }
        Ok(())
    }

    /// Reads the request's field whose tag has just been read, outside of any decoding.
    pub(in crate::remote_write) fn read_alone(
        &mut self,
        tag: Tag,
        reader: &mut Reader<'_>,
    ) -> Result<(), DecodeError> {
        read_alone(reader, |cursor| self.read(tag, cursor))
    }

    /// Whether `tag` is that of one of the fields.
    pub(in crate::remote_write) const fn have(tag: Tag) -> bool {
        matches!(
            tag,
            SOURCE | SKIP_LABEL_VALIDATION | SKIP_LABEL_COUNT_VALIDATION | DISCARD_OUT_OF_ORDER
        )
    }

    /// Bytes of field 2.
    pub(in crate::remote_write) fn source_len(&self) -> usize {
        enum_len(SOURCE, self.source.0)
    }

    /// Writes field 2.
    pub(in crate::remote_write) fn write_source(
        &self,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        write_enum(writer, SOURCE, self.source.0)
    }

    /// Bytes of the fields from 1000 on.
    pub(in crate::remote_write) fn flags_len(&self) -> usize {
        self.flags()
            .into_iter()
            .filter(|(_, set)| *set)
            .fold(0, |sum: usize, (tag, _)| sum.saturating_add(wire::bool_len(tag)))
    }

    /// Writes the fields from 1000 on.
    pub(in crate::remote_write) fn write_flags(
        &self,
        writer: &mut Writer<'_>,
    ) -> Result<(), BufferFull> {
        self.flags()
            .into_iter()
            .filter(|(_, set)| *set)
            .try_for_each(|(tag, set)| writer.write_bool(tag, set))
    }

    const fn flags(&self) -> [(Tag, bool); 3] {
        [
            (SKIP_LABEL_VALIDATION, self.skip_label_validation),
            (SKIP_LABEL_COUNT_VALIDATION, self.skip_label_count_validation),
            (DISCARD_OUT_OF_ORDER, self.discard_out_of_order),
        ]
    }
}
