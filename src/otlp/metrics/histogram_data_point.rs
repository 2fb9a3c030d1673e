//! `HistogramDataPoint`: how many measurements lay between which bounds.
//!
//! ```text
//! 2  start_time_unix_nano  fixed64        7  explicit_bounds  repeated double, packed
//! 3  time_unix_nano        fixed64        8  exemplars        repeated Exemplar
//! 4  count                 fixed64        9  attributes       repeated KeyValue
//! 5  sum                   optional       10 flags            uint32
//! 6  bucket_counts         repeated       11 min              optional double
//!                          fixed64        12 max              optional double
//! ```

use super::exemplar::Exemplars;
use super::number_data_point::NO_RECORDED_VALUE;
use super::storage::Storage;
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::message::fields::{
    fixed64_len, optional_double_len, uint32_len, write_fixed64, write_optional_double,
    write_uint32,
};
use crate::otlp::common::{Attributes, read_attribute, stored_list, take_run};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Double, Fixed64, Tag, WireType, Writer};

const START_TIME_UNIX_NANO: Tag = Tag::new(2, WireType::I64);
const TIME_UNIX_NANO: Tag = Tag::new(3, WireType::I64);
const COUNT: Tag = Tag::new(4, WireType::I64);
const SUM: Tag = Tag::new(5, WireType::I64);
const BUCKET_COUNTS: Tag = Tag::new(6, WireType::I64);
const BUCKET_COUNTS_PACKED: Tag = BUCKET_COUNTS.packed();
const EXPLICIT_BOUNDS: Tag = Tag::new(7, WireType::I64);
const EXPLICIT_BOUNDS_PACKED: Tag = EXPLICIT_BOUNDS.packed();
const EXEMPLARS: Tag = Tag::new(8, WireType::Len);
const ATTRIBUTES: Tag = Tag::new(9, WireType::Len);
const FLAGS: Tag = Tag::new(10, WireType::Varint);
const MIN: Tag = Tag::new(11, WireType::I64);
const MAX: Tag = Tag::new(12, WireType::I64);

const ATTRIBUTES_BYTE: u8 = ATTRIBUTES.byte();

/// How many measurements lay between which bounds. Doubles are compared by their bits.
///
/// Start from `HistogramDataPoint::default()` and set what you have.
///
/// ```
/// use borrowire::otlp::metrics::HistogramDataPoint;
///
/// let mut point = HistogramDataPoint::default();
/// point.count = 3;
/// point.sum = Some(0.7);
/// point.explicit_bounds = &[0.1, 0.5]; // to 0.1, to 0.5, over 0.5
/// point.bucket_counts = &[1, 2, 0];
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct HistogramDataPoint<'s, 'a> {
    /// What tells the point from the others of its metric.
    pub attributes: Attributes<'s, 'a>,
    /// Since when values are counted, in nanoseconds since the Unix epoch; 0 if that is not known.
    pub start_time_unix_nano: u64,
    /// When the value was, in nanoseconds since the Unix epoch.
    pub time_unix_nano: u64,
    /// How many measurements there are.
    pub count: u64,
    /// Their sum; `None` if there is none, as with negative measurements.
    pub sum: Option<f64>,
    /// How many there are in each bucket: one more than bounds, or none at all.
    pub bucket_counts: &'s [u64],
    /// The upper bounds of all buckets but the last, ascending; a bound belongs to the bucket below.
    pub explicit_bounds: &'s [f64],
    /// Measurements, as examples.
    pub exemplars: Exemplars<'s, 'a>,
    /// Bit 0: there is no value.
    pub flags: u32,
    /// The least measurement.
    pub min: Option<f64>,
    /// The greatest measurement.
    pub max: Option<f64>,
}

impl HistogramDataPoint<'_, '_> {
    /// Whether the point says that there is no value, as after the end of a series.
    #[must_use]
    pub const fn has_no_recorded_value(&self) -> bool {
        self.flags & NO_RECORDED_VALUE != 0
    }
}

impl PartialEq for HistogramDataPoint<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
            && self.start_time_unix_nano == other.start_time_unix_nano
            && self.time_unix_nano == other.time_unix_nano
            && self.count == other.count
            && self.sum.map(f64::to_bits) == other.sum.map(f64::to_bits)
            && self.bucket_counts == other.bucket_counts
            && self
                .explicit_bounds
                .iter()
                .map(|bound| bound.to_bits())
                .eq(other.explicit_bounds.iter().map(|bound| bound.to_bits()))
            && self.exemplars == other.exemplars
            && self.flags == other.flags
            && self.min.map(f64::to_bits) == other.min.map(f64::to_bits)
            && self.max.map(f64::to_bits) == other.max.map(f64::to_bits)
    }
}

impl Eq for HistogramDataPoint<'_, '_> {}

impl Encode for HistogramDataPoint<'_, '_> {
    fn encoded_len(&self) -> usize {
        [
            fixed64_len(START_TIME_UNIX_NANO, self.start_time_unix_nano),
            fixed64_len(TIME_UNIX_NANO, self.time_unix_nano),
            fixed64_len(COUNT, self.count),
            optional_double_len(SUM, self.sum),
            wire::packed_len::<Fixed64>(BUCKET_COUNTS_PACKED, self.bucket_counts),
            wire::packed_len::<Double>(EXPLICIT_BOUNDS_PACKED, self.explicit_bounds),
            self.exemplars.fields_len(EXEMPLARS),
            self.attributes.fields_len(),
            uint32_len(FLAGS, self.flags),
            optional_double_len(MIN, self.min),
            optional_double_len(MAX, self.max),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_fixed64(writer, START_TIME_UNIX_NANO, self.start_time_unix_nano)?;
        write_fixed64(writer, TIME_UNIX_NANO, self.time_unix_nano)?;
        write_fixed64(writer, COUNT, self.count)?;
        write_optional_double(writer, SUM, self.sum)?;
        writer.write_packed::<Fixed64>(BUCKET_COUNTS_PACKED, self.bucket_counts)?;
        writer.write_packed::<Double>(EXPLICIT_BOUNDS_PACKED, self.explicit_bounds)?;
        self.exemplars.write_fields(writer, EXEMPLARS)?;
        self.attributes.write_fields::<ATTRIBUTES_BYTE>(writer)?;
        write_uint32(writer, FLAGS, self.flags)?;
        write_optional_double(writer, MIN, self.min)?;
        write_optional_double(writer, MAX, self.max)
    }
}

stored_list! {
    /// Points of histograms: the caller's slice, or those of a decoded metric.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{HistogramDataPoint, HistogramDataPoints};
    ///
    /// let points = [HistogramDataPoint::default()];
    /// assert_eq!(HistogramDataPoints::new(&points).len(), 1);
    /// ```
    HistogramDataPoints of HistogramDataPoint in Storage, histogram_data_point;
    /// Iterates over [`HistogramDataPoints`].
    HistogramDataPointsIter
}

/// The fields of a point, in the order of their words.
mod field {
    pub(super) const START_TIME_UNIX_NANO: u64 = 1;
    pub(super) const TIME_UNIX_NANO: u64 = 1 << 1;
    pub(super) const COUNT: u64 = 1 << 2;
    pub(super) const SUM: u64 = 1 << 3;
    pub(super) const BUCKET_COUNTS: u64 = 1 << 4;
    pub(super) const EXPLICIT_BOUNDS: u64 = 1 << 5;
    pub(super) const EXEMPLARS: u64 = 1 << 6;
    pub(super) const ATTRIBUTES: u64 = 1 << 7;
    pub(super) const FLAGS: u64 = 1 << 8;
    pub(super) const MIN: u64 = 1 << 9;
    pub(super) const MAX: u64 = 1 << 10;
}

impl<'a> Storage<'a> {
    /// Reads a point from `message`, all of it.
    #[inline(never)]
    pub(super) fn read_histogram_data_point(
        &mut self,
        message: Cursor<'a, '_>,
    ) -> Result<(), DecodeError> {
        let mut cursor = message;
        let message = cursor.rest();
        let attributes_start = self.attributes.len();
        let exemplars_start = self.exemplars.rows.len();
        let counts_start = self.bucket_counts.len();
        let bounds_start = self.explicit_bounds.len();
        let (mut start_time, mut time, mut count, mut flags) = (0, 0, 0, 0);
        let (mut sum, mut min, mut max) = (None, None, None);
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
                SUM => sum = Some(cursor.read_fixed64()?),
                BUCKET_COUNTS | BUCKET_COUNTS_PACKED => {
                    let counts = &mut self.bucket_counts;
                    cursor.read_repeated::<Fixed64>(tag, |count| push(counts, count))?;
                }
                EXPLICIT_BOUNDS | EXPLICIT_BOUNDS_PACKED => {
                    let bounds = &mut self.explicit_bounds;
                    cursor.read_repeated::<Double>(tag, |bound| push(bounds, bound))?;
                }
                EXEMPLARS => self.exemplars.read(&mut cursor, &mut self.parents)?,
                ATTRIBUTES => read_attribute(&mut cursor, &mut self.attributes)?,
                FLAGS => flags = cursor.read_uint32()?,
                MIN => min = Some(cursor.read_fixed64()?),
                MAX => max = Some(cursor.read_fixed64()?),
                _ => cursor.skip_field(tag)?,
            }
        }
        let mut row = self.histograms.push_row();
        row.set_unless_zero(field::START_TIME_UNIX_NANO, start_time);
        row.set_unless_zero(field::TIME_UNIX_NANO, time);
        row.set_unless_zero(field::COUNT, count);
        row.set_option(field::SUM, sum);
        row.set_range(field::BUCKET_COUNTS, counts_start, self.bucket_counts.len());
        row.set_range(field::EXPLICIT_BOUNDS, bounds_start, self.explicit_bounds.len());
        row.set_range(field::EXEMPLARS, exemplars_start, self.exemplars.rows.len());
        row.set_range(field::ATTRIBUTES, attributes_start, self.attributes.len());
        row.set_unless_zero(field::FLAGS, u64::from(flags));
        row.set_option(field::MIN, min);
        row.set_option(field::MAX, max);
        row.end();
        Ok(())
    }

    /// The point at `position`.
    pub(super) fn histogram_data_point(
        &self,
        position: usize,
    ) -> Option<HistogramDataPoint<'_, 'a>> {
        let mut row = self.histograms.fields(self.histograms.row(position)?);
        // In ascending order of the bits.
        let start_time_unix_nano = row.word(field::START_TIME_UNIX_NANO).unwrap_or(0);
        let time_unix_nano = row.word(field::TIME_UNIX_NANO).unwrap_or(0);
        let count = row.word(field::COUNT).unwrap_or(0);
        let sum = row.word(field::SUM).map(f64::from_bits);
        let bucket_counts = row.range(field::BUCKET_COUNTS, &self.bucket_counts);
        let explicit_bounds = row.range(field::EXPLICIT_BOUNDS, &self.explicit_bounds);
        let exemplars = Exemplars::stored(&self.exemplars, row.ends(field::EXEMPLARS));
        let attributes = row.range(field::ATTRIBUTES, &self.attributes);
        Some(HistogramDataPoint {
            attributes: Attributes::stored(attributes, self.parents.body),
            start_time_unix_nano,
            time_unix_nano,
            count,
            sum,
            bucket_counts,
            explicit_bounds,
            exemplars,
            flags: row.low32(field::FLAGS),
            min: row.word(field::MIN).map(f64::from_bits),
            max: row.word(field::MAX).map(f64::from_bits),
        })
    }
}
