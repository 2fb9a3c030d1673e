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
//!                    17 start_timestamp  int64, milliseconds (2.0; in 1.0 an extension of Cortex)
//! ```
//!
//! The integer form has `count_int`, `zero_count_int` and `*_deltas` (each bucket's difference to
//! the one before); the float form has `count_float`, `zero_count_float` and `*_counts`.

use alloc::vec::Vec;

use super::bucket_span::BucketSpan;
use super::columns::{HistogramColumns, Scalars, field};
use super::count::{Count, ResetHint};
use crate::message::columns::push;
use crate::message::cursor::Cursor;
use crate::message::fields::{
    double_len, enum_len, int64_len, sint32_len, write_double, write_enum, write_int64,
    write_sint32,
};
use crate::remote_write::model::sample::{ValueForm, is_stale_nan};
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Double, Sint64, Tag, WireType, Writer};

const COUNT_INT: Tag = Tag::new(1, WireType::Varint);
const COUNT_FLOAT: Tag = Tag::new(2, WireType::I64);
const SUM: Tag = Tag::new(3, WireType::I64);
const SCHEMA: Tag = Tag::new(4, WireType::Varint);
const ZERO_THRESHOLD: Tag = Tag::new(5, WireType::I64);
const ZERO_COUNT_INT: Tag = Tag::new(6, WireType::Varint);
const ZERO_COUNT_FLOAT: Tag = Tag::new(7, WireType::I64);
const NEGATIVE_SPANS: Tag = Tag::new(8, WireType::Len);
const NEGATIVE_DELTAS: Tag = Tag::new(9, WireType::Varint);
const NEGATIVE_DELTAS_PACKED: Tag = NEGATIVE_DELTAS.packed();
const NEGATIVE_COUNTS: Tag = Tag::new(10, WireType::I64);
const NEGATIVE_COUNTS_PACKED: Tag = NEGATIVE_COUNTS.packed();
const POSITIVE_SPANS: Tag = Tag::new(11, WireType::Len);
const POSITIVE_DELTAS: Tag = Tag::new(12, WireType::Varint);
const POSITIVE_DELTAS_PACKED: Tag = POSITIVE_DELTAS.packed();
const POSITIVE_COUNTS: Tag = Tag::new(13, WireType::I64);
const POSITIVE_COUNTS_PACKED: Tag = POSITIVE_COUNTS.packed();
const RESET_HINT: Tag = Tag::new(14, WireType::Varint);
const TIMESTAMP: Tag = Tag::new(15, WireType::Varint);
const CUSTOM_VALUES: Tag = Tag::new(16, WireType::I64);
const CUSTOM_VALUES_PACKED: Tag = CUSTOM_VALUES.packed();
const START_TIMESTAMP: Tag = Tag::new(17, WireType::Varint);

/// A native histogram at a point in time; its lists borrow from decoded storage or the caller.
///
/// Start from [`new`](Self::new) and set what you have. Values are kept by bits, and so is their
/// equality.
///
/// ```
/// use borrowire::remote_write::{BucketSpan, Count, Histogram};
///
/// let spans = [BucketSpan { offset: 0, length: 2 }];
/// let histogram = Histogram::new(Count::Int(3), 2.5, 1_700_000_000_000)
///     .with_schema(3)
///     .with_positive_deltas(&spans, &[1, 1]); // two buckets: 1 and 2 observations
/// assert_eq!((histogram.schema, histogram.is_float()), (3, false));
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
    /// When the histogram was last reset, in milliseconds since the Unix epoch; 0 is unset. A field
    /// of 2.0, and in 1.0 an extension of Cortex, which a request of 1.0 writes only on demand: see
    /// [`v1::EncodeOptions`](crate::remote_write::v1::EncodeOptions).
    pub start_timestamp: i64,
}

/// The schema of histograms with custom buckets.
pub(in crate::remote_write) const CUSTOM_BUCKETS_SCHEMA: i32 = -53;

impl<'s> Histogram<'s> {
    /// A histogram of `count` observations whose sum is `sum`, at `timestamp`, in milliseconds since
    /// the Unix epoch; of schema 0, without buckets.
    #[must_use]
    pub const fn new(count: Count, sum: f64, timestamp: i64) -> Self {
        Self {
            count: Some(count),
            sum,
            schema: 0,
            zero_threshold: 0.0,
            zero_count: None,
            negative_spans: &[],
            negative_deltas: &[],
            negative_counts: &[],
            positive_spans: &[],
            positive_deltas: &[],
            positive_counts: &[],
            reset_hint: ResetHint::UNKNOWN,
            timestamp,
            custom_values: &[],
            start_timestamp: 0,
        }
    }

    /// Sets the [`schema`](Self::schema).
    #[must_use]
    pub const fn with_schema(mut self, schema: i32) -> Self {
        self.schema = schema;
        self
    }

    /// Sets the zero bucket: how wide it is, and how many observations are in it.
    #[must_use]
    pub const fn with_zero_bucket(mut self, threshold: f64, count: Count) -> Self {
        self.zero_threshold = threshold;
        self.zero_count = Some(count);
        self
    }

    /// Sets the negative buckets of the integer form: each count less that of the bucket before.
    #[must_use]
    pub const fn with_negative_deltas(
        mut self,
        spans: &'s [BucketSpan],
        deltas: &'s [i64],
    ) -> Self {
        (self.negative_spans, self.negative_deltas) = (spans, deltas);
        self
    }

    /// Sets the negative buckets of the float form.
    #[must_use]
    pub const fn with_negative_counts(
        mut self,
        spans: &'s [BucketSpan],
        counts: &'s [f64],
    ) -> Self {
        (self.negative_spans, self.negative_counts) = (spans, counts);
        self
    }

    /// Sets the positive buckets of the integer form: each count less that of the bucket before.
    #[must_use]
    pub const fn with_positive_deltas(
        mut self,
        spans: &'s [BucketSpan],
        deltas: &'s [i64],
    ) -> Self {
        (self.positive_spans, self.positive_deltas) = (spans, deltas);
        self
    }

    /// Sets the positive buckets of the float form.
    #[must_use]
    pub const fn with_positive_counts(
        mut self,
        spans: &'s [BucketSpan],
        counts: &'s [f64],
    ) -> Self {
        (self.positive_spans, self.positive_counts) = (spans, counts);
        self
    }

    /// Sets the upper bounds of custom buckets, ascending, and the schema that says so, -53.
    #[must_use]
    pub const fn with_custom_values(mut self, bounds: &'s [f64]) -> Self {
        self.schema = CUSTOM_BUCKETS_SCHEMA;
        self.custom_values = bounds;
        self
    }

    /// Sets the [`reset_hint`](Self::reset_hint).
    #[must_use]
    pub const fn with_reset_hint(mut self, hint: ResetHint) -> Self {
        self.reset_hint = hint;
        self
    }

    /// Sets the [`start_timestamp`](Self::start_timestamp).
    #[must_use]
    pub const fn with_start_timestamp(mut self, timestamp: i64) -> Self {
        self.start_timestamp = timestamp;
        self
    }

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

    /// The histogram of `row` in `columns`.
    pub(super) fn stored(columns: &'s HistogramColumns, row: u32) -> Self {
        let mut row = columns.rows.fields(row);
        // In ascending order of the bits.
        Self {
            count: row.word(field::COUNT_INT).map(Count::Int).or_else(|| {
                row.word(field::COUNT_FLOAT).map(|bits| Count::Float(f64::from_bits(bits)))
            }),
            sum: f64::from_bits(row.word(field::SUM).unwrap_or(0)),
            schema: row.low32(field::SCHEMA).cast_signed(),
            zero_threshold: f64::from_bits(row.word(field::ZERO_THRESHOLD).unwrap_or(0)),
            zero_count: row.word(field::ZERO_COUNT_INT).map(Count::Int).or_else(|| {
                row.word(field::ZERO_COUNT_FLOAT).map(|bits| Count::Float(f64::from_bits(bits)))
            }),
            reset_hint: ResetHint(row.low32(field::RESET_HINT).cast_signed()),
            timestamp: row.word(field::TIMESTAMP).unwrap_or(0).cast_signed(),
            start_timestamp: row.word(field::START_TIMESTAMP).unwrap_or(0).cast_signed(),
            negative_spans: row.range(field::NEGATIVE_SPANS, &columns.negative_spans),
            negative_deltas: row.range(field::NEGATIVE_DELTAS, &columns.negative_deltas),
            negative_counts: row.range(field::NEGATIVE_COUNTS, &columns.negative_counts),
            positive_spans: row.range(field::POSITIVE_SPANS, &columns.positive_spans),
            positive_deltas: row.range(field::POSITIVE_DELTAS, &columns.positive_deltas),
            positive_counts: row.range(field::POSITIVE_COUNTS, &columns.positive_counts),
            custom_values: row.range(field::CUSTOM_VALUES, &columns.custom_values),
        }
    }

    /// Bytes of the message.
    pub(in crate::remote_write) fn len(&self, form: ValueForm) -> usize {
        [
            count_len(self.count, COUNT_INT, COUNT_FLOAT),
            double_len(SUM, form.value(self.sum)),
            sint32_len(SCHEMA, self.schema),
            double_len(ZERO_THRESHOLD, form.value(self.zero_threshold)),
            count_len(self.zero_count, ZERO_COUNT_INT, ZERO_COUNT_FLOAT),
            spans_len(NEGATIVE_SPANS, self.negative_spans),
            wire::packed_len::<Sint64>(NEGATIVE_DELTAS.packed(), self.negative_deltas),
            wire::packed_len::<Double>(NEGATIVE_COUNTS.packed(), self.negative_counts),
            spans_len(POSITIVE_SPANS, self.positive_spans),
            wire::packed_len::<Sint64>(POSITIVE_DELTAS.packed(), self.positive_deltas),
            wire::packed_len::<Double>(POSITIVE_COUNTS.packed(), self.positive_counts),
            enum_len(RESET_HINT, self.reset_hint.0),
            int64_len(TIMESTAMP, self.timestamp),
            wire::packed_len::<Double>(CUSTOM_VALUES.packed(), self.custom_values),
            if form.start_timestamps {
                int64_len(START_TIMESTAMP, self.start_timestamp)
            } else {
                0
            },
        ]
        .into_iter()
        .fold(0, usize::saturating_add)
    }

    pub(in crate::remote_write) fn write(
        &self,
        writer: &mut Writer<'_>,
        form: ValueForm,
    ) -> Result<(), BufferFull> {
        write_count(writer, self.count, COUNT_INT, COUNT_FLOAT)?;
        write_double(writer, SUM, form.value(self.sum))?;
        write_sint32(writer, SCHEMA, self.schema)?;
        write_double(writer, ZERO_THRESHOLD, form.value(self.zero_threshold))?;
        write_count(writer, self.zero_count, ZERO_COUNT_INT, ZERO_COUNT_FLOAT)?;
        write_spans(writer, NEGATIVE_SPANS, self.negative_spans)?;
        writer.write_packed::<Sint64>(NEGATIVE_DELTAS.packed(), self.negative_deltas)?;
        writer.write_packed::<Double>(NEGATIVE_COUNTS.packed(), self.negative_counts)?;
        write_spans(writer, POSITIVE_SPANS, self.positive_spans)?;
        writer.write_packed::<Sint64>(POSITIVE_DELTAS.packed(), self.positive_deltas)?;
        writer.write_packed::<Double>(POSITIVE_COUNTS.packed(), self.positive_counts)?;
        write_enum(writer, RESET_HINT, self.reset_hint.0)?;
        write_int64(writer, TIMESTAMP, self.timestamp)?;
        writer.write_packed::<Double>(CUSTOM_VALUES.packed(), self.custom_values)?;
        if form.start_timestamps {
            write_int64(writer, START_TIMESTAMP, self.start_timestamp)
        } else {
            Ok(())
        }
    }
}

impl HistogramColumns {
    /// Reads the histogram whose tag has just been read.
    pub(in crate::remote_write) fn read(
        &mut self,
        cursor: &mut Cursor<'_, '_>,
    ) -> Result<(), DecodeError> {
        cursor.count_element()?;
        let mut cursor = cursor.read_message()?;
        let start = self.starts();
        let mut scalars = Scalars::default();
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                COUNT_INT => scalars.count = Some(Count::Int(cursor.read_uint64()?)),
                COUNT_FLOAT => scalars.count = Some(Count::Float(cursor.read_double()?)),
                SUM => scalars.sum = cursor.read_double()?,
                SCHEMA => scalars.schema = cursor.read_sint32()?,
                ZERO_THRESHOLD => scalars.zero_threshold = cursor.read_double()?,
                ZERO_COUNT_INT => scalars.zero_count = Some(Count::Int(cursor.read_uint64()?)),
                ZERO_COUNT_FLOAT => {
                    scalars.zero_count = Some(Count::Float(cursor.read_double()?));
                }
                NEGATIVE_SPANS => read_span(&mut cursor, &mut self.negative_spans)?,
                NEGATIVE_DELTAS | NEGATIVE_DELTAS_PACKED => {
                    read_deltas(&mut cursor, tag, &mut self.negative_deltas)?;
                }
                NEGATIVE_COUNTS | NEGATIVE_COUNTS_PACKED => {
                    read_doubles(&mut cursor, tag, &mut self.negative_counts)?;
                }
                POSITIVE_SPANS => read_span(&mut cursor, &mut self.positive_spans)?,
                POSITIVE_DELTAS | POSITIVE_DELTAS_PACKED => {
                    read_deltas(&mut cursor, tag, &mut self.positive_deltas)?;
                }
                POSITIVE_COUNTS | POSITIVE_COUNTS_PACKED => {
                    read_doubles(&mut cursor, tag, &mut self.positive_counts)?;
                }
                RESET_HINT => scalars.reset_hint = ResetHint(cursor.read_enum()?),
                TIMESTAMP => scalars.timestamp = cursor.read_int64()?,
                CUSTOM_VALUES | CUSTOM_VALUES_PACKED => {
                    read_doubles(&mut cursor, tag, &mut self.custom_values)?;
                }
                START_TIMESTAMP => scalars.start_timestamp = cursor.read_int64()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        self.push_row(&scalars, &start);
        Ok(())
    }

    /// Appends a copy of `histogram`.
    pub(in crate::remote_write) fn push(&mut self, histogram: &Histogram<'_>) {
        let start = self.starts();
        self.negative_spans.extend_from_slice(histogram.negative_spans);
        self.negative_deltas.extend_from_slice(histogram.negative_deltas);
        self.negative_counts.extend_from_slice(histogram.negative_counts);
        self.positive_spans.extend_from_slice(histogram.positive_spans);
        self.positive_deltas.extend_from_slice(histogram.positive_deltas);
        self.positive_counts.extend_from_slice(histogram.positive_counts);
        self.custom_values.extend_from_slice(histogram.custom_values);
        let scalars = Scalars {
            count: histogram.count,
            sum: histogram.sum,
            schema: histogram.schema,
            zero_threshold: histogram.zero_threshold,
            zero_count: histogram.zero_count,
            reset_hint: histogram.reset_hint,
            timestamp: histogram.timestamp,
            start_timestamp: histogram.start_timestamp,
        };
        self.push_row(&scalars, &start);
    }
}

#[inline(always)]
fn read_span(cursor: &mut Cursor<'_, '_>, spans: &mut Vec<BucketSpan>) -> Result<(), DecodeError> {
    cursor.count_element()?;
    push(spans, BucketSpan::read(cursor)?);
    Ok(())
}

fn read_deltas(
    cursor: &mut Cursor<'_, '_>,
    tag: Tag,
    deltas: &mut Vec<i64>,
) -> Result<(), DecodeError> {
    cursor.read_repeated::<Sint64>(tag, |delta| push(deltas, delta))
}

fn read_doubles(
    cursor: &mut Cursor<'_, '_>,
    tag: Tag,
    doubles: &mut Vec<f64>,
) -> Result<(), DecodeError> {
    cursor.read_repeated::<Double>(tag, |double| push(doubles, double))
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

/// All fields.
impl Encode for Histogram<'_> {
    fn encoded_len(&self) -> usize {
        self.len(ValueForm::ALL)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(writer, ValueForm::ALL)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::cursor::State;
    use crate::wire::Reader;

    fn stored(bytes: &[u8]) -> HistogramColumns {
        let mut storage = HistogramColumns::default();
        let mut state = State::strict();
        let mut cursor = Cursor::over(Reader::new(bytes).unwrap(), &mut state);
        while cursor.next_tag().unwrap().is_some() {
            storage.read(&mut cursor).unwrap();
        }
        storage
    }

    fn all(columns: &HistogramColumns) -> Vec<Histogram<'_>> {
        let rows = columns.rows.rows(0, u32::try_from(columns.len()).unwrap());
        rows.iter().map(|&row| Histogram::stored(columns, row)).collect()
    }

    #[test]
    fn golden_bytes_both_ways() {
        let bytes =
            b"\x08\x04\x19\0\0\0\0\0\0\x24\x40\x20\x69\x30\x00\x5a\x02\x10\x02\x62\x02\x02\x04\
            \x70\x03\x78\x63\x82\x01\x10\0\0\0\0\0\0\xe0\x3f\0\0\0\0\0\0\x04\x40";
        let expected = Histogram {
            count: Some(Count::Int(4)),
            sum: 10.0,
            schema: -53,
            zero_count: Some(Count::Int(0)),
            positive_spans: &[BucketSpan::new(0, 2)],
            positive_deltas: &[1, 2],
            reset_hint: ResetHint::GAUGE,
            timestamp: 99,
            custom_values: &[0.5, 2.5],
            ..Histogram::default()
        };
        let len = u8::try_from(bytes.len()).unwrap();
        let storage = stored(&[&[0x22, len], &bytes[..]].concat());
        assert_eq!(all(&storage), [expected]);
        assert_eq!(expected.encode_to_vec().as_deref(), Ok(&bytes[..]));
    }

    #[test]
    fn lists_in_runs_and_both_forms_stay_apart() {
        // negative and positive fields interleaved, packed and not, then an empty histogram
        let bytes = b"\x22\x16\x42\x02\x10\x01\x48\x02\x5a\x02\x10\x02\x62\x01\x04\x42\x02\x10\x03\
            \x4a\x01\x06\x60\x08\x22\x00";
        let storage = stored(bytes);
        let expected = Histogram {
            negative_spans: &[BucketSpan::new(0, 1), BucketSpan::new(0, 3)],
            negative_deltas: &[1, 3],
            positive_spans: &[BucketSpan::new(0, 2)],
            positive_deltas: &[2, 4],
            ..Histogram::default()
        };
        assert_eq!(all(&storage), [expected, Histogram::default()]);
    }
}
