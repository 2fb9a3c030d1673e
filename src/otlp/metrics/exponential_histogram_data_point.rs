//! `ExponentialHistogramDataPoint`: how many measurements lay in which buckets of growing width.
//!
//! ```text
//! 1  attributes            repeated       8  positive        Buckets
//! 2  start_time_unix_nano  fixed64        9  negative        Buckets
//! 3  time_unix_nano        fixed64        10 flags           uint32
//! 4  count                 fixed64        11 exemplars       repeated Exemplar
//! 5  sum                   optional       12 min             optional double
//! 6  scale                 sint32         13 max             optional double
//! 7  zero_count            fixed64        14 zero_threshold  double
//!
//! Buckets   1 offset  sint32    2 bucket_counts  repeated uint64 (varints), packed
//! ```

use alloc::vec::Vec;

use super::exemplar::Exemplars;
use super::number_data_point::NO_RECORDED_VALUE;
use super::storage::Storage;
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::message::fields::{
    double_len, fixed64_len, optional_double_len, sint32_len, uint32_len, write_double,
    write_fixed64, write_optional_double, write_sint32, write_uint32,
};
use crate::otlp::common::{Attributes, read_attribute, stored_list, take_run};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, Uint64, WireType, Writer};

const ATTRIBUTES: Tag = Tag::new(1, WireType::Len);
const START_TIME_UNIX_NANO: Tag = Tag::new(2, WireType::I64);
const TIME_UNIX_NANO: Tag = Tag::new(3, WireType::I64);
const COUNT: Tag = Tag::new(4, WireType::I64);
const SUM: Tag = Tag::new(5, WireType::I64);
const SCALE: Tag = Tag::new(6, WireType::Varint);
const ZERO_COUNT: Tag = Tag::new(7, WireType::I64);
const POSITIVE: Tag = Tag::new(8, WireType::Len);
const NEGATIVE: Tag = Tag::new(9, WireType::Len);
const FLAGS: Tag = Tag::new(10, WireType::Varint);
const EXEMPLARS: Tag = Tag::new(11, WireType::Len);
const MIN: Tag = Tag::new(12, WireType::I64);
const MAX: Tag = Tag::new(13, WireType::I64);
const ZERO_THRESHOLD: Tag = Tag::new(14, WireType::I64);

const ATTRIBUTES_BYTE: u8 = ATTRIBUTES.byte();

/// Of `Buckets`.
const OFFSET: Tag = Tag::new(1, WireType::Varint);
const BUCKET_COUNTS: Tag = Tag::new(2, WireType::Varint);
const BUCKET_COUNTS_PACKED: Tag = BUCKET_COUNTS.packed();

/// How many measurements lay in which buckets of growing width. Doubles are compared by their bits.
///
/// Start from `ExponentialHistogramDataPoint::default()` and set what you have.
///
/// ```
/// use borrowire::otlp::metrics::{Buckets, ExponentialHistogramDataPoint};
///
/// let mut point = ExponentialHistogramDataPoint::default();
/// point.count = 3;
/// point.scale = 0; // each bound twice the one before
/// point.positive = Some(Buckets::new(0, &[1, 2])); // over 1 to 2, over 2 to 4
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct ExponentialHistogramDataPoint<'s, 'a> {
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
    /// Resolution: each bound is 2^(2^-scale) times the one before.
    pub scale: i32,
    /// How many measurements are zero, or nearer to it than `zero_threshold`.
    pub zero_count: u64,
    /// The buckets of positive measurements; `None` if the sender left them out.
    pub positive: Option<Buckets<'s>>,
    /// The buckets of negative measurements, by absolute value.
    pub negative: Option<Buckets<'s>>,
    /// Bit 0: there is no value.
    pub flags: u32,
    /// Measurements, as examples.
    pub exemplars: Exemplars<'s, 'a>,
    /// The least measurement.
    pub min: Option<f64>,
    /// The greatest measurement.
    pub max: Option<f64>,
    /// The width of the zero bucket.
    pub zero_threshold: f64,
}

impl ExponentialHistogramDataPoint<'_, '_> {
    /// Whether the point says that there is no value, as after the end of a series.
    #[must_use]
    pub const fn has_no_recorded_value(&self) -> bool {
        self.flags & NO_RECORDED_VALUE != 0
    }
}

impl PartialEq for ExponentialHistogramDataPoint<'_, '_> {
    fn eq(&self, other: &Self) -> bool {
        self.attributes == other.attributes
            && self.start_time_unix_nano == other.start_time_unix_nano
            && self.time_unix_nano == other.time_unix_nano
            && self.count == other.count
            && self.sum.map(f64::to_bits) == other.sum.map(f64::to_bits)
            && self.scale == other.scale
            && self.zero_count == other.zero_count
            && self.positive == other.positive
            && self.negative == other.negative
            && self.flags == other.flags
            && self.exemplars == other.exemplars
            && self.min.map(f64::to_bits) == other.min.map(f64::to_bits)
            && self.max.map(f64::to_bits) == other.max.map(f64::to_bits)
            && self.zero_threshold.to_bits() == other.zero_threshold.to_bits()
    }
}

impl Eq for ExponentialHistogramDataPoint<'_, '_> {}

/// Counts of buckets that lie side by side.
///
/// ```
/// use borrowire::otlp::metrics::Buckets;
///
/// let buckets = Buckets::new(-1, &[4, 0, 2]);
/// assert_eq!((buckets.offset, buckets.bucket_counts.len()), (-1, 3));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Buckets<'s> {
    /// The index of the first bucket: with base b, bucket i holds what is over b^i and up to b^(i+1).
    pub offset: i32,
    /// How many measurements are in each.
    pub bucket_counts: &'s [u64],
}

impl<'s> Buckets<'s> {
    /// `bucket_counts` from bucket `offset` on.
    #[must_use]
    pub const fn new(offset: i32, bucket_counts: &'s [u64]) -> Self {
        Self { offset, bucket_counts }
    }
}

impl Encode for Buckets<'_> {
    fn encoded_len(&self) -> usize {
        sint32_len(OFFSET, self.offset)
            .saturating_add(wire::packed_len::<Uint64>(BUCKET_COUNTS_PACKED, self.bucket_counts))
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_sint32(writer, OFFSET, self.offset)?;
        writer.write_packed::<Uint64>(BUCKET_COUNTS_PACKED, self.bucket_counts)
    }
}

/// Bytes of buckets as a field, if there are some.
fn buckets_len(tag: Tag, buckets: Option<Buckets<'_>>) -> usize {
    buckets.map_or(0, |buckets| wire::message_len(tag, buckets.encoded_len()))
}

fn write_buckets(
    writer: &mut Writer<'_>,
    tag: Tag,
    buckets: Option<Buckets<'_>>,
) -> Result<(), BufferFull> {
    buckets.map_or(Ok(()), |buckets| writer.write_message(tag, &buckets))
}

/// Reads buckets from all of `cursor`, merged into those that were read before.
fn read_buckets(
    mut cursor: Cursor<'_, '_>,
    offset: &mut Option<i32>,
    counts: &mut Vec<u64>,
) -> Result<(), DecodeError> {
    let offset = offset.get_or_insert(0);
    while let Some(tag) = cursor.next_tag()? {
        match tag {
            OFFSET => *offset = cursor.read_sint32()?,
            BUCKET_COUNTS | BUCKET_COUNTS_PACKED => {
                cursor.read_repeated::<Uint64>(tag, |count| push(counts, count))?;
            }
            _ => cursor.skip_field(tag)?,
        }
    }
    Ok(())
}

impl Encode for ExponentialHistogramDataPoint<'_, '_> {
    fn encoded_len(&self) -> usize {
        [
            self.attributes.fields_len(),
            fixed64_len(START_TIME_UNIX_NANO, self.start_time_unix_nano),
            fixed64_len(TIME_UNIX_NANO, self.time_unix_nano),
            fixed64_len(COUNT, self.count),
            optional_double_len(SUM, self.sum),
            sint32_len(SCALE, self.scale),
            fixed64_len(ZERO_COUNT, self.zero_count),
            buckets_len(POSITIVE, self.positive),
            buckets_len(NEGATIVE, self.negative),
            uint32_len(FLAGS, self.flags),
            self.exemplars.fields_len(EXEMPLARS),
            optional_double_len(MIN, self.min),
            optional_double_len(MAX, self.max),
            double_len(ZERO_THRESHOLD, self.zero_threshold),
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.attributes.write_fields::<ATTRIBUTES_BYTE>(writer)?;
        write_fixed64(writer, START_TIME_UNIX_NANO, self.start_time_unix_nano)?;
        write_fixed64(writer, TIME_UNIX_NANO, self.time_unix_nano)?;
        write_fixed64(writer, COUNT, self.count)?;
        write_optional_double(writer, SUM, self.sum)?;
        write_sint32(writer, SCALE, self.scale)?;
        write_fixed64(writer, ZERO_COUNT, self.zero_count)?;
        write_buckets(writer, POSITIVE, self.positive)?;
        write_buckets(writer, NEGATIVE, self.negative)?;
        write_uint32(writer, FLAGS, self.flags)?;
        self.exemplars.write_fields(writer, EXEMPLARS)?;
        write_optional_double(writer, MIN, self.min)?;
        write_optional_double(writer, MAX, self.max)?;
        write_double(writer, ZERO_THRESHOLD, self.zero_threshold)
    }
}

stored_list! {
    /// Points of exponential histograms: the caller's slice, or those of a decoded metric.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{
    ///     ExponentialHistogramDataPoint, ExponentialHistogramDataPoints,
    /// };
    ///
    /// let points = [ExponentialHistogramDataPoint::default()];
    /// assert_eq!(ExponentialHistogramDataPoints::new(&points).len(), 1);
    /// ```
    ExponentialHistogramDataPoints of ExponentialHistogramDataPoint in Storage,
    exponential_histogram_data_point;
    /// Iterates over [`ExponentialHistogramDataPoints`].
    ExponentialHistogramDataPointsIter
}

/// The fields of a point, in the order of their words.
mod field {
    pub(super) const ATTRIBUTES: u64 = 1;
    pub(super) const START_TIME_UNIX_NANO: u64 = 1 << 1;
    pub(super) const TIME_UNIX_NANO: u64 = 1 << 2;
    pub(super) const COUNT: u64 = 1 << 3;
    pub(super) const SUM: u64 = 1 << 4;
    pub(super) const SCALE: u64 = 1 << 5;
    pub(super) const ZERO_COUNT: u64 = 1 << 6;
    /// The offset of the buckets, and that there are some.
    pub(super) const POSITIVE: u64 = 1 << 7;
    pub(super) const POSITIVE_COUNTS: u64 = 1 << 8;
    pub(super) const NEGATIVE: u64 = 1 << 9;
    pub(super) const NEGATIVE_COUNTS: u64 = 1 << 10;
    pub(super) const FLAGS: u64 = 1 << 11;
    pub(super) const EXEMPLARS: u64 = 1 << 12;
    pub(super) const MIN: u64 = 1 << 13;
    pub(super) const MAX: u64 = 1 << 14;
    pub(super) const ZERO_THRESHOLD: u64 = 1 << 15;
}

impl<'a> Storage<'a> {
    /// Reads a point from `message`, all of it.
    #[inline(never)]
    pub(super) fn read_exponential_histogram_data_point(
        &mut self,
        message: Cursor<'a, '_>,
    ) -> Result<(), DecodeError> {
        let mut cursor = message;
        let message = cursor.rest();
        let attributes_start = self.attributes.len();
        let exemplars_start = self.exemplars.rows.len();
        let positive_start = self.positive_counts.len();
        let negative_start = self.negative_counts.len();
        let (mut start_time, mut time, mut count, mut zero_count) = (0, 0, 0, 0);
        let (mut scale, mut flags, mut zero_threshold) = (0, 0, 0);
        let (mut sum, mut min, mut max) = (None, None, None);
        let (mut positive, mut negative) = (None, None);
        let mut again = true;
        loop {
            if again {
                again = take_run::<ATTRIBUTES_BYTE>(&mut cursor, message, &mut self.attributes);
            }
            let Some(tag) = cursor.next_tag()? else { break };
            match tag {
                ATTRIBUTES => read_attribute(&mut cursor, &mut self.attributes)?,
                START_TIME_UNIX_NANO => start_time = cursor.read_fixed64()?,
                TIME_UNIX_NANO => time = cursor.read_fixed64()?,
                COUNT => count = cursor.read_fixed64()?,
                SUM => sum = Some(cursor.read_fixed64()?),
                SCALE => scale = cursor.read_sint32()?,
                ZERO_COUNT => zero_count = cursor.read_fixed64()?,
                POSITIVE => {
                    let message = cursor.read_message()?;
                    read_buckets(message, &mut positive, &mut self.positive_counts)?;
                }
                NEGATIVE => {
                    let message = cursor.read_message()?;
                    read_buckets(message, &mut negative, &mut self.negative_counts)?;
                }
                FLAGS => flags = cursor.read_uint32()?,
                EXEMPLARS => self.exemplars.read(&mut cursor, &mut self.parents)?,
                MIN => min = Some(cursor.read_fixed64()?),
                MAX => max = Some(cursor.read_fixed64()?),
                ZERO_THRESHOLD => zero_threshold = cursor.read_fixed64()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        let word = |value: i32| u64::from(value.cast_unsigned());
        let mut row = self.exponential_histograms.push_row();
        row.set_range(field::ATTRIBUTES, attributes_start, self.attributes.len());
        row.set_unless_zero(field::START_TIME_UNIX_NANO, start_time);
        row.set_unless_zero(field::TIME_UNIX_NANO, time);
        row.set_unless_zero(field::COUNT, count);
        row.set_option(field::SUM, sum);
        row.set_unless_zero(field::SCALE, word(scale));
        row.set_unless_zero(field::ZERO_COUNT, zero_count);
        row.set_option(field::POSITIVE, positive.map(word));
        row.set_range(field::POSITIVE_COUNTS, positive_start, self.positive_counts.len());
        row.set_option(field::NEGATIVE, negative.map(word));
        row.set_range(field::NEGATIVE_COUNTS, negative_start, self.negative_counts.len());
        row.set_unless_zero(field::FLAGS, u64::from(flags));
        row.set_range(field::EXEMPLARS, exemplars_start, self.exemplars.rows.len());
        row.set_option(field::MIN, min);
        row.set_option(field::MAX, max);
        row.set_unless_zero(field::ZERO_THRESHOLD, zero_threshold);
        row.end();
        Ok(())
    }

    /// The point at `position`.
    pub(super) fn exponential_histogram_data_point(
        &self,
        position: usize,
    ) -> Option<ExponentialHistogramDataPoint<'_, 'a>> {
        let rows = &self.exponential_histograms;
        let mut row = rows.fields(rows.row(position)?);
        // In ascending order of the bits.
        let attributes = row.range(field::ATTRIBUTES, &self.attributes);
        let start_time_unix_nano = row.word(field::START_TIME_UNIX_NANO).unwrap_or(0);
        let time_unix_nano = row.word(field::TIME_UNIX_NANO).unwrap_or(0);
        let count = row.word(field::COUNT).unwrap_or(0);
        let sum = row.word(field::SUM).map(f64::from_bits);
        let scale = row.low32(field::SCALE).cast_signed();
        let zero_count = row.word(field::ZERO_COUNT).unwrap_or(0);
        let has_positive = row.has(field::POSITIVE);
        let positive = Buckets {
            offset: row.low32(field::POSITIVE).cast_signed(),
            bucket_counts: row.range(field::POSITIVE_COUNTS, &self.positive_counts),
        };
        let has_negative = row.has(field::NEGATIVE);
        let negative = Buckets {
            offset: row.low32(field::NEGATIVE).cast_signed(),
            bucket_counts: row.range(field::NEGATIVE_COUNTS, &self.negative_counts),
        };
        let flags = row.low32(field::FLAGS);
        let exemplars = Exemplars::stored(&self.exemplars, row.ends(field::EXEMPLARS));
        Some(ExponentialHistogramDataPoint {
            attributes: Attributes::stored(attributes, self.parents.body),
            start_time_unix_nano,
            time_unix_nano,
            count,
            sum,
            scale,
            zero_count,
            positive: has_positive.then_some(positive),
            negative: has_negative.then_some(negative),
            flags,
            exemplars,
            min: row.word(field::MIN).map(f64::from_bits),
            max: row.word(field::MAX).map(f64::from_bits),
            zero_threshold: f64::from_bits(row.word(field::ZERO_THRESHOLD).unwrap_or(0)),
        })
    }
}
