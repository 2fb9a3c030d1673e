//! `Histogram`: a native histogram at a point in time.
//!
//! ```text
//!  1 count_int        uint64  |                   8 negative_spans   repeated BucketSpan
//!  2 count_float      double  | oneof count       9 negative_deltas  repeated sint64, packed
//!  3 sum              double                     10 negative_counts  repeated double, packed
//!  4 schema           sint32                     11 positive_spans   repeated BucketSpan
//!  5 zero_threshold   double                     12 positive_deltas  repeated sint64, packed
//!  6 zero_count_int   uint64  | oneof            13 positive_counts  repeated double, packed
//!  7 zero_count_float double  |   zero_count     14 reset_hint       enum
//! 16 custom_values    repeated double, packed    15 timestamp        int64, milliseconds
//!                                                17 start_timestamp  int64, milliseconds (Cortex)
//! BucketSpan: 1 offset sint32, 2 length uint32
//! ```
//!
//! The integer form has `count_int`, `zero_count_int` and `*_deltas` (each bucket's difference to
//! the one before); the float form has `count_float`, `zero_count_float` and `*_counts`.

use super::sample::is_stale_nan;
use crate::defaults::{double_len, int64_len, write_double, write_int64};
use crate::error::DecodeError;
use crate::message::{Decode, Encode};
use crate::storage::DecodeState;
use crate::wire::{self, BufferFull, Double, Reader, Sint64, Tag, WireType, Writer};

pub(super) const COUNT_INT: Tag = Tag::new(1, WireType::Varint);
pub(super) const COUNT_FLOAT: Tag = Tag::new(2, WireType::I64);
pub(super) const SUM: Tag = Tag::new(3, WireType::I64);
pub(super) const SCHEMA: Tag = Tag::new(4, WireType::Varint);
pub(super) const ZERO_THRESHOLD: Tag = Tag::new(5, WireType::I64);
pub(super) const ZERO_COUNT_INT: Tag = Tag::new(6, WireType::Varint);
pub(super) const ZERO_COUNT_FLOAT: Tag = Tag::new(7, WireType::I64);
pub(super) const NEGATIVE_SPANS: Tag = Tag::new(8, WireType::Len);
pub(super) const NEGATIVE_DELTAS: Tag = Tag::new(9, WireType::Varint);
pub(super) const NEGATIVE_COUNTS: Tag = Tag::new(10, WireType::I64);
pub(super) const POSITIVE_SPANS: Tag = Tag::new(11, WireType::Len);
pub(super) const POSITIVE_DELTAS: Tag = Tag::new(12, WireType::Varint);
pub(super) const POSITIVE_COUNTS: Tag = Tag::new(13, WireType::I64);
pub(super) const RESET_HINT: Tag = Tag::new(14, WireType::Varint);
pub(super) const TIMESTAMP: Tag = Tag::new(15, WireType::Varint);
pub(super) const CUSTOM_VALUES: Tag = Tag::new(16, WireType::I64);
pub(super) const START_TIMESTAMP: Tag = Tag::new(17, WireType::Varint);

const OFFSET: Tag = Tag::new(1, WireType::Varint);
const LENGTH: Tag = Tag::new(2, WireType::Varint);

/// A run of buckets that follow each other.
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
    pub(super) fn read(
        reader: &mut Reader<'_>,
        state: &mut DecodeState,
    ) -> Result<Self, DecodeError> {
        // Nearly every span: two fields of a byte each.
        if let [0x04, 0x08, offset @ 0..0x80, 0x10, length @ 0..0x80, rest @ ..] = reader.rest() {
            let span = Self::new(wire::zigzag_decode32((*offset).into()), (*length).into());
            reader.advance_to(rest);
            return Ok(span);
        }
        let mut span = Self::default();
        span.merge_fields(&mut reader.read_message()?, state)?;
        Ok(span)
    }

    fn merge_fields(
        &mut self,
        reader: &mut Reader<'_>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                OFFSET => self.offset = reader.read_sint32()?,
                LENGTH => self.length = reader.read_uint32()?,
                _ => state.skip_field(reader, tag)?,
            }
        }
        Ok(())
    }
}

impl<'a> Decode<'a> for BucketSpan {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_fields(reader, &mut DecodeState::strict())
    }
}

impl Encode for BucketSpan {
    fn encoded_len(&self) -> usize {
        let offset = if self.offset == 0 { 0 } else { wire::sint32_len(OFFSET, self.offset) };
        let length = if self.length == 0 { 0 } else { wire::uint32_len(LENGTH, self.length) };
        offset.saturating_add(length)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        if self.offset != 0 {
            writer.write_sint32(OFFSET, self.offset)?;
        }
        if self.length != 0 {
            writer.write_uint32(LENGTH, self.length)?;
        }
        Ok(())
    }
}

/// A number of observations: which member is set tells the histogram's form. Equal by bits.
#[derive(Clone, Copy, Debug)]
pub enum Count {
    /// Of a histogram in integer form.
    Int(u64),
    /// Of a histogram in float form.
    Float(f64),
}

impl PartialEq for Count {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a == b,
            (Self::Float(a), Self::Float(b)) => a.to_bits() == b.to_bits(),
            _ => false,
        }
    }
}

impl Eq for Count {}

/// Whether the counter behind a histogram was reset. An open enum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ResetHint(pub i32);

impl ResetHint {
    /// 0: to be found out by comparing counts.
    pub const UNKNOWN: Self = Self(0);
    /// 1: this is the first histogram after a reset.
    pub const YES: Self = Self(1);
    /// 2: there was no reset between the histogram before and this one.
    pub const NO: Self = Self(2);
    /// 3: a gauge histogram, which knows no resets.
    pub const GAUGE: Self = Self(3);
}

/// A native histogram at a point in time; its lists borrow from decoded storage or the caller.
///
/// Start from `Histogram::default()` and set what you have. Values are kept by bits, and so is
/// their equality.
///
/// ```
/// use borrowire::remote_write::v1::{BucketSpan, Count, Histogram};
///
/// let mut histogram = Histogram::default();
/// histogram.count = Some(Count::Int(3));
/// histogram.sum = 2.5;
/// histogram.positive_spans = &[BucketSpan { offset: 0, length: 2 }];
/// histogram.positive_deltas = &[1, 1]; // two buckets: 1 and 2 observations
/// histogram.timestamp = 1_700_000_000_000;
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Histogram<'s> {
    /// Number of observations. `None` when the sender set neither member; a count of 0 is present.
    pub count: Option<Count>,
    /// Sum of observations; the stale marker here says that the series has ended.
    pub sum: f64,
    /// Resolution: -4 to 8 exponential with base 2^(2^-schema), -53 custom buckets.
    pub schema: i32,
    /// Width of the zero bucket.
    pub zero_threshold: f64,
    /// Observations in the zero bucket. `None` when the sender set neither member.
    pub zero_count: Option<Count>,
    /// Where the negative buckets lie.
    pub negative_spans: &'s [BucketSpan],
    /// Integer form: each negative bucket's count less that of the bucket before.
    pub negative_deltas: &'s [i64],
    /// Float form: the negative buckets' counts.
    pub negative_counts: &'s [f64],
    /// Where the positive buckets lie.
    pub positive_spans: &'s [BucketSpan],
    /// Integer form: each positive bucket's count less that of the bucket before.
    pub positive_deltas: &'s [i64],
    /// Float form: the positive buckets' counts.
    pub positive_counts: &'s [f64],
    /// Whether there was a counter reset.
    pub reset_hint: ResetHint,
    /// Milliseconds since the Unix epoch.
    pub timestamp: i64,
    /// Schema -53: the buckets' upper bounds, ascending.
    pub custom_values: &'s [f64],
    /// When the histogram was last reset, in milliseconds since the Unix epoch; 0 is unset.
    /// An extension of Cortex (field 17), written only on demand: see
    /// [`Extensions`](super::Extensions).
    pub start_timestamp: i64,
}

/// The schema of histograms with custom buckets.
pub(super) const CUSTOM_BUCKETS_SCHEMA: i32 = -53;

impl<'s> Histogram<'s> {
    /// Whether this is the marker for "the series has ended": a stale NaN as sum.
    #[must_use]
    pub const fn is_stale_marker(&self) -> bool {
        is_stale_nan(self.sum)
    }

    /// Whether the histogram has the float form; it has the integer form when `count` is not set,
    /// as receivers read it.
    #[must_use]
    pub const fn is_float(&self) -> bool {
        matches!(self.count, Some(Count::Float(_)))
    }

    /// Bytes of the message; with Cortex' field if `start`.
    pub(super) fn len(&self, start: bool) -> usize {
        let schema = if self.schema == 0 { 0 } else { wire::sint32_len(SCHEMA, self.schema) };
        let hint = match self.reset_hint.0 {
            0 => 0,
            number => wire::enum_len(RESET_HINT, number),
        };
        [
            count_len(self.count, COUNT_INT, COUNT_FLOAT),
            double_len(SUM, self.sum),
            schema,
            double_len(ZERO_THRESHOLD, self.zero_threshold),
            count_len(self.zero_count, ZERO_COUNT_INT, ZERO_COUNT_FLOAT),
            spans_len(NEGATIVE_SPANS, self.negative_spans),
            wire::packed_len::<Sint64>(NEGATIVE_DELTAS.packed(), self.negative_deltas),
            wire::packed_len::<Double>(NEGATIVE_COUNTS.packed(), self.negative_counts),
            spans_len(POSITIVE_SPANS, self.positive_spans),
            wire::packed_len::<Sint64>(POSITIVE_DELTAS.packed(), self.positive_deltas),
            wire::packed_len::<Double>(POSITIVE_COUNTS.packed(), self.positive_counts),
            hint,
            int64_len(TIMESTAMP, self.timestamp),
            wire::packed_len::<Double>(CUSTOM_VALUES.packed(), self.custom_values),
            if start { int64_len(START_TIMESTAMP, self.start_timestamp) } else { 0 },
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>, start: bool) -> Result<(), BufferFull> {
        write_count(writer, self.count, COUNT_INT, COUNT_FLOAT)?;
        write_double(writer, SUM, self.sum)?;
        if self.schema != 0 {
            writer.write_sint32(SCHEMA, self.schema)?;
        }
        write_double(writer, ZERO_THRESHOLD, self.zero_threshold)?;
        write_count(writer, self.zero_count, ZERO_COUNT_INT, ZERO_COUNT_FLOAT)?;
        write_spans(writer, NEGATIVE_SPANS, self.negative_spans)?;
        writer.write_packed::<Sint64>(NEGATIVE_DELTAS.packed(), self.negative_deltas)?;
        writer.write_packed::<Double>(NEGATIVE_COUNTS.packed(), self.negative_counts)?;
        write_spans(writer, POSITIVE_SPANS, self.positive_spans)?;
        writer.write_packed::<Sint64>(POSITIVE_DELTAS.packed(), self.positive_deltas)?;
        writer.write_packed::<Double>(POSITIVE_COUNTS.packed(), self.positive_counts)?;
        if self.reset_hint.0 != 0 {
            writer.write_enum(RESET_HINT, self.reset_hint.0)?;
        }
        write_int64(writer, TIMESTAMP, self.timestamp)?;
        writer.write_packed::<Double>(CUSTOM_VALUES.packed(), self.custom_values)?;
        if start {
            write_int64(writer, START_TIMESTAMP, self.start_timestamp)?;
        }
        Ok(())
    }
}

impl PartialEq for Histogram<'_> {
    fn eq(&self, other: &Self) -> bool {
        fn bits(values: &[f64]) -> impl Iterator<Item = u64> {
            values.iter().map(|value| value.to_bits())
        }
        self.count == other.count
            && self.sum.to_bits() == other.sum.to_bits()
            && self.schema == other.schema
            && self.zero_threshold.to_bits() == other.zero_threshold.to_bits()
            && self.zero_count == other.zero_count
            && self.negative_spans == other.negative_spans
            && self.negative_deltas == other.negative_deltas
            && bits(self.negative_counts).eq(bits(other.negative_counts))
            && self.positive_spans == other.positive_spans
            && self.positive_deltas == other.positive_deltas
            && bits(self.positive_counts).eq(bits(other.positive_counts))
            && self.reset_hint == other.reset_hint
            && self.timestamp == other.timestamp
            && bits(self.custom_values).eq(bits(other.custom_values))
            && self.start_timestamp == other.start_timestamp
    }
}

impl Eq for Histogram<'_> {}

/// Without the extension field.
impl Encode for Histogram<'_> {
    fn encoded_len(&self) -> usize {
        self.len(false)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(writer, false)
    }
}

/// Bytes of a oneof of two counts; a member that is set is written even when it is 0.
fn count_len(count: Option<Count>, int: Tag, float: Tag) -> usize {
    match count {
        None => 0,
        Some(Count::Int(count)) => wire::uint64_len(int, count),
        Some(Count::Float(_)) => wire::double_len(float),
    }
}

fn write_count(
    writer: &mut Writer<'_>,
    count: Option<Count>,
    int: Tag,
    float: Tag,
) -> Result<(), BufferFull> {
    match count {
        None => Ok(()),
        Some(Count::Int(count)) => writer.write_uint64(int, count),
        Some(Count::Float(count)) => writer.write_double(float, count),
    }
}

fn spans_len(tag: Tag, spans: &[BucketSpan]) -> usize {
    spans
        .iter()
        .fold(0, |sum: usize, span| sum.saturating_add(wire::message_len(tag, span.encoded_len())))
}

fn write_spans(writer: &mut Writer<'_>, tag: Tag, spans: &[BucketSpan]) -> Result<(), BufferFull> {
    spans.iter().try_for_each(|span| writer.write_message(tag, span))
}
