//! `LabelPairAdapter`: a name and a value, of structured metadata.
//!
//! ```text
//! 1 name   string
//! 2 value  string
//! ```

use crate::message::cursor::{Cursor, Merge};
use crate::message::regions::{Pair, merge_pair, pair_len, write_pair};
use crate::wire::error::DecodeError;
use crate::wire::message::{Decode, Encode};
use crate::wire::{BufferFull, Reader, Writer};

/// A name with a value: of structured metadata, or of a stream's labels once parsed. Pairs order by
/// name, then value, bytewise.
///
/// ```
/// use borrowire::loki::LabelPair;
///
/// let pair = LabelPair::new("trace_id", "0242ac120002");
/// assert_eq!((pair.name, pair.value), ("trace_id", "0242ac120002"));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[doc(alias("label", "structured metadata"))]
pub struct LabelPair<'a> {
    /// The name.
    pub name: &'a str,
    /// The value.
    pub value: &'a str,
}

impl<'a> LabelPair<'a> {
    /// A pair of `name` and `value`.
    #[must_use]
    pub const fn new(name: &'a str, value: &'a str) -> Self {
        Self { name, value }
    }
}

impl<'a> Pair<'a> for LabelPair<'a> {
    #[inline]
    fn new(name: &'a str, value: &'a str) -> Self {
        Self { name, value }
    }

    #[inline]
    fn name(&self) -> &'a str {
        self.name
    }

    #[inline]
    fn value(&self) -> &'a str {
        self.value
    }
}

impl<'a> Merge<'a> for LabelPair<'a> {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        merge_pair(self, cursor)
    }
}

impl<'a> Decode<'a> for LabelPair<'a> {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_alone(reader)
    }
}

impl Encode for LabelPair<'_> {
    fn encoded_len(&self) -> usize {
        pair_len(self)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_pair(writer, self)
    }
}
