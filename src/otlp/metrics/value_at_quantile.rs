//! `ValueAtQuantile`: a quantile of a summary.
//!
//! ```text
//! 1 quantile  double
//! 2 value     double
//! ```

use crate::message::cursor::{Cursor, Merge};
use crate::message::fields::{double_len, write_double};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{BufferFull, Tag, WireType, Writer};

const QUANTILE: Tag = Tag::new(1, WireType::I64);
const VALUE: Tag = Tag::new(2, WireType::I64);

/// The value below which a part of the measurements lay. Compared by bits.
///
/// ```
/// use borrowire::otlp::metrics::ValueAtQuantile;
///
/// let median = ValueAtQuantile { quantile: 0.5, value: 0.02 };
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct ValueAtQuantile {
    /// Which part, from 0 (the least measurement) to 1 (the greatest).
    pub quantile: f64,
    /// The value.
    pub value: f64,
}

impl PartialEq for ValueAtQuantile {
    fn eq(&self, other: &Self) -> bool {
        self.quantile.to_bits() == other.quantile.to_bits()
            && self.value.to_bits() == other.value.to_bits()
    }
}

impl Eq for ValueAtQuantile {}

impl<'a> Merge<'a> for ValueAtQuantile {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                QUANTILE => self.quantile = cursor.read_double()?,
                VALUE => self.value = cursor.read_double()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl Encode for ValueAtQuantile {
    fn encoded_len(&self) -> usize {
        double_len(QUANTILE, self.quantile).saturating_add(double_len(VALUE, self.value))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_double(writer, QUANTILE, self.quantile)?;
        write_double(writer, VALUE, self.value)
    }
}
