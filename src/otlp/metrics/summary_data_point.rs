//! `SummaryDataPoint`: quantiles of measurements.
//!
//! ```text
//! 2 start_time_unix_nano  fixed64       6 quantile_values  repeated ValueAtQuantile
//! 3 time_unix_nano        fixed64       7 attributes       repeated KeyValue
//! 4 count                 fixed64       8 flags            uint32
//! 5 sum                   double
//! ```

use super::number_data_point::NO_RECORDED_VALUE;
use super::storage::Storage;
use super::value_at_quantile::ValueAtQuantile;
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::message::fields::{
    double_len, fixed64_len, uint32_len, write_double, write_fixed64, write_uint32,
};
use crate::otlp::common::{Attributes, read_attribute, stored_list, take_run};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

const START_TIME_UNIX_NANO: Tag = Tag::new(2, WireType::I64);
const TIME_UNIX_NANO: Tag = Tag::new(3, WireType::I64);
const COUNT: Tag = Tag::new(4, WireType::I64);
const SUM: Tag = Tag::new(5, WireType::I64);
const QUANTILE_VALUES: Tag = Tag::new(6, WireType::Len);
const ATTRIBUTES: Tag = Tag::new(7, WireType::Len);
const FLAGS: Tag = Tag::new(8, WireType::Varint);

const ATTRIBUTES_BYTE: u8 = ATTRIBUTES.byte();

/// Quantiles of measurements. Doubles are compared by their bits.
///
/// Start from `SummaryDataPoint::default()` and set what you have.
///
/// ```
/// use borrowire::otlp::metrics::{SummaryDataPoint, ValueAtQuantile};
///
/// let mut point = SummaryDataPoint::default();
/// point.count = 100;
/// point.quantile_values = &[ValueAtQuantile { quantile: 0.99, value: 0.25 }];
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct SummaryDataPoint<'s, 'a> {
    /// What tells the point from the others of its metric.
    pub attributes: Attributes<'s, 'a>,
    /// Since when values are counted, in nanoseconds since the Unix epoch; 0 if that is not known.
    pub start_time_unix_nano: u64,
    /// When the value was, in nanoseconds since the Unix epoch.
    pub time_unix_nano: u64,
    /// How many measurements there are.
    pub count: u64,
    /// Their sum.
    pub sum: f64,
    /// The quantiles, which should ascend.
    pub quantile_values: &'s [ValueAtQuantile],
    /// Bit 0: there is no value.
    pub flags: u32,
}

impl SummaryDataPoint<'_, '_> {
    /// Whether the point says that there is no value, as after the end of a series.
    #[must_use]
    pub const fn has_no_recorded_value(&self) -> bool {
        self.flags & NO_RECORDED_VALUE != 0
    }
}

impl PartialEq for SummaryDataPoint<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
            && self.start_time_unix_nano == other.start_time_unix_nano
            && self.time_unix_nano == other.time_unix_nano
            && self.count == other.count
            && self.sum.to_bits() == other.sum.to_bits()
            && self.quantile_values == other.quantile_values
            && self.flags == other.flags
    }
}

impl Eq for SummaryDataPoint<'_, '_> {}

impl Encode for SummaryDataPoint<'_, '_> {
    fn encoded_len(&self) -> usize {
        let quantiles = self.quantile_values.iter().fold(0, |sum: usize, value| {
            sum.saturating_add(wire::message_len(QUANTILE_VALUES, value.encoded_len()))
        });
        [
            fixed64_len(START_TIME_UNIX_NANO, self.start_time_unix_nano),
            fixed64_len(TIME_UNIX_NANO, self.time_unix_nano),
            fixed64_len(COUNT, self.count),
            double_len(SUM, self.sum),
            quantiles,
            self.attributes.fields_len(),
            uint32_len(FLAGS, self.flags),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_fixed64(writer, START_TIME_UNIX_NANO, self.start_time_unix_nano)?;
        write_fixed64(writer, TIME_UNIX_NANO, self.time_unix_nano)?;
        write_fixed64(writer, COUNT, self.count)?;
        write_double(writer, SUM, self.sum)?;
        for value in self.quantile_values {
            writer.write_message(QUANTILE_VALUES, value)?;
        }
        self.attributes.write_fields::<ATTRIBUTES_BYTE>(writer)?;
        write_uint32(writer, FLAGS, self.flags)
    }
}

stored_list! {
    /// Points of summaries: the caller's slice, or those of a decoded metric.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{SummaryDataPoint, SummaryDataPoints};
    ///
    /// let points = [SummaryDataPoint::default()];
    /// assert_eq!(SummaryDataPoints::new(&points).len(), 1);
    /// ```
    SummaryDataPoints of SummaryDataPoint in Storage, summary_data_point;
    /// Iterates over [`SummaryDataPoints`].
    SummaryDataPointsIter
}

/// The fields of a point, in the order of their words.
mod field {
    pub(super) const START_TIME_UNIX_NANO: u64 = 1;
    pub(super) const TIME_UNIX_NANO: u64 = 1 << 1;
    pub(super) const COUNT: u64 = 1 << 2;
    pub(super) const SUM: u64 = 1 << 3;
    pub(super) const QUANTILE_VALUES: u64 = 1 << 4;
    pub(super) const ATTRIBUTES: u64 = 1 << 5;
    pub(super) const FLAGS: u64 = 1 << 6;
}

impl<'a> Storage<'a> {
    /// Reads a point from `message`, all of it.
    #[inline(never)]
    pub(super) fn read_summary_data_point(
        &mut self,
        message: Cursor<'a, '_>,
    ) -> Result<(), DecodeError> {
        let mut cursor = message;
        let message = cursor.rest();
        let attributes_start = self.attributes.len();
        let quantiles_start = self.quantile_values.len();
        let (mut start_time, mut time, mut count, mut sum, mut flags) = (0, 0, 0, 0, 0);
        let mut again = true;
        loop {
            if again {
                again = take_run::<ATTRIBUTES_BYTE>(&mut cursor, message, &mut self.attributes);
            }
            let Some(tag) = cursor.next_tag()? else { break };
            match tag {
                START_TIME_UNIX_NANO => start_time = cursor.read_fixed64()?,
                TIME_UNIX_NANO => time = cursor.read_fixed64()?,
                COUNT => count = cursor.read_fixed64()?,
                SUM => sum = cursor.read_fixed64()?,
                QUANTILE_VALUES => {
                    cursor.count_element()?;
                    let mut value = ValueAtQuantile::default();
                    cursor.merge_message(&mut value)?;
                    push(&mut self.quantile_values, value);
                }
                ATTRIBUTES => read_attribute(&mut cursor, &mut self.attributes)?,
                FLAGS => flags = cursor.read_uint32()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        let mut row = self.summaries.push_row();
        row.set_unless_zero(field::START_TIME_UNIX_NANO, start_time);
        row.set_unless_zero(field::TIME_UNIX_NANO, time);
        row.set_unless_zero(field::COUNT, count);
        row.set_unless_zero(field::SUM, sum);
        row.set_range(field::QUANTILE_VALUES, quantiles_start, self.quantile_values.len());
        row.set_range(field::ATTRIBUTES, attributes_start, self.attributes.len());
        row.set_unless_zero(field::FLAGS, u64::from(flags));
        row.end();
        Ok(())
    }

    /// The point at `position`.
    pub(super) fn summary_data_point(&self, position: usize) -> Option<SummaryDataPoint<'_, 'a>> {
        let mut row = self.summaries.fields(self.summaries.row(position)?);
        // In ascending order of the bits.
        let start_time_unix_nano = row.word(field::START_TIME_UNIX_NANO).unwrap_or(0);
        let time_unix_nano = row.word(field::TIME_UNIX_NANO).unwrap_or(0);
        let count = row.word(field::COUNT).unwrap_or(0);
        let sum = f64::from_bits(row.word(field::SUM).unwrap_or(0));
        let quantile_values = row.range(field::QUANTILE_VALUES, &self.quantile_values);
        let attributes = row.range(field::ATTRIBUTES, &self.attributes);
        Some(SummaryDataPoint {
            attributes: Attributes::stored(attributes, self.parents.body),
            start_time_unix_nano,
            time_unix_nano,
            count,
            sum,
            quantile_values,
            flags: row.low32(field::FLAGS),
        })
    }
}
