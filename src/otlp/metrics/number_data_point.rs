//! `NumberDataPoint`: a value of a gauge or a sum at some time.
//!
//! ```text
//! 2 start_time_unix_nano  fixed64
//! 3 time_unix_nano        fixed64
//! 4 as_double             double   |
//! 6 as_int                sfixed64 | oneof value
//! 5 exemplars             repeated Exemplar
//! 7 attributes            repeated KeyValue
//! 8 flags                 uint32
//! 1 reserved
//! ```

use super::exemplar::{Exemplars, NumberValue};
use super::storage::{
    ATTRIBUTES_END, EXEMPLARS_END, HAS_DOUBLE, HAS_FLAGS, HAS_INT, NumberRow, Storage,
};
use crate::message::columns::{index, push, range};
use crate::message::cursor::Cursor;
use crate::message::fields::{fixed64_len, uint32_len, write_fixed64, write_uint32};
use crate::otlp::common::{Attributes, read_attribute, stored_list, take_run};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

const START_TIME_UNIX_NANO: Tag = Tag::new(2, WireType::I64);
const TIME_UNIX_NANO: Tag = Tag::new(3, WireType::I64);
const AS_DOUBLE: Tag = Tag::new(4, WireType::I64);
const EXEMPLARS: Tag = Tag::new(5, WireType::Len);
const AS_INT: Tag = Tag::new(6, WireType::I64);
const ATTRIBUTES: Tag = Tag::new(7, WireType::Len);
const FLAGS: Tag = Tag::new(8, WireType::Varint);

const ATTRIBUTES_BYTE: u8 = ATTRIBUTES.byte();

/// The flag of a point that says that there is no value, as after the end of a series.
pub(super) const NO_RECORDED_VALUE: u32 = 1;

/// A value of a gauge or a sum at some time.
///
/// Start from `NumberDataPoint::default()` and set what you have.
///
/// ```
/// use borrowire::otlp::metrics::{NumberDataPoint, NumberValue};
///
/// let mut point = NumberDataPoint::default();
/// point.time_unix_nano = 1_700_000_000_000_000_000;
/// point.value = Some(NumberValue::Int(42));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
#[doc(alias = "sample")]
pub struct NumberDataPoint<'s, 'a> {
    /// What tells the point from the others of its metric.
    pub attributes: Attributes<'s, 'a>,
    /// Since when values are counted, in nanoseconds since the Unix epoch; 0 if that is not known.
    pub start_time_unix_nano: u64,
    /// When the value was, in nanoseconds since the Unix epoch.
    pub time_unix_nano: u64,
    /// The value; `None` if the sender left it out.
    pub value: Option<NumberValue>,
    /// Measurements that the value is made of.
    pub exemplars: Exemplars<'s, 'a>,
    /// Bit 0: there is no value.
    pub flags: u32,
}

impl NumberDataPoint<'_, '_> {
    /// Whether the point says that there is no value, as after the end of a series.
    #[must_use]
    pub const fn has_no_recorded_value(&self) -> bool {
        self.flags & NO_RECORDED_VALUE != 0
    }
}

impl Encode for NumberDataPoint<'_, '_> {
    #[inline]
    fn encoded_len(&self) -> usize {
        // Values of either kind take the same.
        let value = self.value.map_or(0, |_| wire::double_len(AS_DOUBLE));
        fixed64_len(START_TIME_UNIX_NANO, self.start_time_unix_nano)
            .saturating_add(fixed64_len(TIME_UNIX_NANO, self.time_unix_nano))
            .saturating_add(value)
            .saturating_add(self.exemplars.fields_len(EXEMPLARS))
            .saturating_add(self.attributes.fields_len())
            .saturating_add(uint32_len(FLAGS, self.flags))
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_fixed64(writer, START_TIME_UNIX_NANO, self.start_time_unix_nano)?;
        write_fixed64(writer, TIME_UNIX_NANO, self.time_unix_nano)?;
        if let Some(NumberValue::Double(value)) = self.value {
            writer.write_double(AS_DOUBLE, value)?;
        }
        self.exemplars.write_fields(writer, EXEMPLARS)?;
        if let Some(NumberValue::Int(value)) = self.value {
            writer.write_sfixed64(AS_INT, value)?;
        }
        self.attributes.write_fields::<ATTRIBUTES_BYTE>(writer)?;
        write_uint32(writer, FLAGS, self.flags)
    }
}

stored_list! {
    /// Points of numbers: the caller's slice, or those of a decoded metric.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{NumberDataPoint, NumberDataPoints};
    ///
    /// let points = [NumberDataPoint::default()];
    /// assert_eq!(NumberDataPoints::new(&points).len(), 1);
    /// ```
    NumberDataPoints of NumberDataPoint in Storage, number_data_point;
    /// Iterates over [`NumberDataPoints`].
    NumberDataPointsIter
}

impl<'a> Storage<'a> {
    /// Reads a point from `message`, all of it.
    // Inlined: a cursor that is handed over in memory is read again before it is all written.
    #[inline(always)]
    pub(super) fn read_number_data_point(
        &mut self,
        message: Cursor<'a, '_>,
    ) -> Result<(), DecodeError> {
        // A local variable can live in registers; a parameter of this size is in memory.
        let mut cursor = message;
        let message = cursor.rest();
        let (mut start_time_unix_nano, mut time_unix_nano, mut flags) = (0, 0, 0);
        let mut value = None;
        let mut again = true;
        loop {
            if again {
                again =
                    take_run::<ATTRIBUTES_BYTE>(&mut cursor, message, &mut self.number_attributes);
            }
            let Some(tag) = cursor.next_tag()? else { break };
            match tag {
                START_TIME_UNIX_NANO => start_time_unix_nano = cursor.read_fixed64()?,
                TIME_UNIX_NANO => time_unix_nano = cursor.read_fixed64()?,
                AS_DOUBLE => value = Some(NumberValue::Double(cursor.read_double()?)),
                AS_INT => value = Some(NumberValue::Int(cursor.read_sfixed64()?)),
                ATTRIBUTES => read_attribute(&mut cursor, &mut self.number_attributes)?,
                EXEMPLARS => self.number_exemplars.read(&mut cursor, &mut self.parents)?,
                FLAGS => flags = cursor.read_uint32()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        let kind = match value {
            Some(NumberValue::Double(_)) => HAS_DOUBLE,
            Some(NumberValue::Int(_)) => HAS_INT,
            None => 0,
        };
        let mut exemplars_end = index(self.number_exemplars.rows.len()) & EXEMPLARS_END;
        if flags != 0 {
            exemplars_end |= HAS_FLAGS;
            self.number_flags.push(self.numbers.len(), flags);
        }
        let row = NumberRow {
            start_time_unix_nano,
            time_unix_nano,
            value: value.map_or(0, NumberValue::bits),
            attributes_end: index(self.number_attributes.len()) & ATTRIBUTES_END | kind,
            exemplars_end,
        };
        push(&mut self.numbers, row);
        Ok(())
    }

    /// The point at `position`.
    #[inline]
    pub(super) fn number_data_point(&self, position: usize) -> Option<NumberDataPoint<'_, 'a>> {
        let row = self.numbers.get(position)?;
        let before = position.checked_sub(1).and_then(|before| self.numbers.get(before));
        let (attributes_start, exemplars_start) =
            before.map_or((0, 0), |row| (row.attributes_end(), row.exemplars_end()));
        let attributes = range(&self.number_attributes, attributes_start, row.attributes_end());
        Some(NumberDataPoint {
            attributes: Attributes::stored(attributes, self.parents.body),
            start_time_unix_nano: row.start_time_unix_nano,
            time_unix_nano: row.time_unix_nano,
            value: match row.attributes_end & (HAS_DOUBLE | HAS_INT) {
                HAS_DOUBLE => Some(NumberValue::Double(f64::from_bits(row.value))),
                HAS_INT => Some(NumberValue::Int(row.value.cast_signed())),
                _ => None,
            },
            exemplars: Exemplars::stored(
                &self.number_exemplars,
                (exemplars_start, row.exemplars_end()),
            ),
            flags: if row.exemplars_end & HAS_FLAGS == 0 {
                0
            } else {
                self.number_flags.get(position).unwrap_or(0)
            },
        })
    }
}
