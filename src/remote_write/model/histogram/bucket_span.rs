//! `BucketSpan`: a run of buckets that follow each other.
//!
//! ```text
//! 1 offset  sint32
//! 2 length  uint32
//! ```

use crate::message::cursor::{Cursor, Merge};
use crate::message::fields::{sint32_len, uint32_len, write_sint32, write_uint32};
use crate::wire::error::DecodeError;
use crate::wire::message::{Decode, Encode};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

const OFFSET: Tag = Tag::new(1, WireType::Varint);
const LENGTH: Tag = Tag::new(2, WireType::Varint);

/// A run of buckets that follow each other.
///
/// ```
/// use borrowire::remote_write::BucketSpan;
///
/// // the buckets 0 and 1, then, after a gap of three, bucket 5
/// let spans = [BucketSpan::new(0, 2), BucketSpan::new(3, 1)];
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct BucketSpan {
    /// For the first span the index of its first bucket, for later ones the gap to the span before.
    pub offset: i32,
    /// How many buckets.
    pub length: u32,
}

impl BucketSpan {
    /// A span of `length` buckets, `offset` after the last.
    #[must_use]
    pub const fn new(offset: i32, length: u32) -> Self {
        Self { offset, length }
    }

    /// Reads the span whose tag has just been read.
    #[inline]
    pub(super) fn read(cursor: &mut Cursor<'_, '_>) -> Result<Self, DecodeError> {
        // Nearly every span: two fields of a byte each.
        if let [0x04, 0x08, offset @ 0..0x80, 0x10, length @ 0..0x80, rest @ ..] = cursor.rest() {
            let span = Self::new(wire::zigzag_decode32((*offset).into()), (*length).into());
            cursor.advance_to(rest);
            return Ok(span);
        }
        let mut span = Self::default();
        cursor.merge_message(&mut span)?;
        Ok(span)
    }
}

impl<'a> Merge<'a> for BucketSpan {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                OFFSET => self.offset = cursor.read_sint32()?,
                LENGTH => self.length = cursor.read_uint32()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl<'a> Decode<'a> for BucketSpan {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_alone(reader)
    }
}

impl Encode for BucketSpan {
    fn encoded_len(&self) -> usize {
        sint32_len(OFFSET, self.offset).saturating_add(uint32_len(LENGTH, self.length))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_sint32(writer, OFFSET, self.offset)?;
        write_uint32(writer, LENGTH, self.length)
    }
}
