//! `Exemplar`: a measurement that a point is made of, as an example.
//!
//! ```text
//! 2 time_unix_nano  fixed64
//! 3 as_double       double   |
//! 6 as_int          sfixed64 | oneof value
//! 4 span_id         bytes: 8, or none
//! 5 trace_id        bytes: 16, or none
//! 7 filtered_attributes  repeated KeyValue
//! ```

use super::storage::ExemplarColumns;
use crate::message::columns::index;
use crate::message::cursor::Cursor;
use crate::message::fields::{fixed64_len, write_fixed64};
use crate::otlp::common::{
    Attributes, Parents, SpanId, TraceId, id_len, read_attribute, read_id, stored_list, take_run,
    write_id,
};
use crate::otlp::record_kind::RecordKind;
use crate::wire::error::DecodeError;
use crate::wire::message::Encode;
use crate::wire::{self, BufferFull, Tag, WireType, Writer};

const TIME_UNIX_NANO: Tag = Tag::new(2, WireType::I64);
const AS_DOUBLE: Tag = Tag::new(3, WireType::I64);
const SPAN_ID: Tag = Tag::new(4, WireType::Len);
const TRACE_ID: Tag = Tag::new(5, WireType::Len);
const AS_INT: Tag = Tag::new(6, WireType::I64);
const FILTERED_ATTRIBUTES: Tag = Tag::new(7, WireType::Len);

const FILTERED_ATTRIBUTES_BYTE: u8 = FILTERED_ATTRIBUTES.byte();

/// The value of a point or an exemplar. Doubles are compared by their bits.
///
/// ```
/// use borrowire::otlp::metrics::NumberValue;
///
/// assert_eq!(NumberValue::Int(3).as_f64(), 3.0);
/// ```
#[derive(Clone, Copy, Debug)]
pub enum NumberValue {
    /// A number.
    Double(f64),
    /// A whole number.
    Int(i64),
}

impl NumberValue {
    /// The value as a double, which is near it for whole numbers over 2^53.
    #[must_use]
    pub const fn as_f64(self) -> f64 {
        match self {
            Self::Double(value) => value,
            // Rounding is what is meant.
            #[allow(clippy::as_conversions)]
            Self::Int(value) => value as f64,
        }
    }

    /// The value as storage has it.
    #[inline]
    pub(super) const fn bits(self) -> u64 {
        match self {
            Self::Double(value) => value.to_bits(),
            Self::Int(value) => value.cast_unsigned(),
        }
    }
}

impl PartialEq for NumberValue {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Double(one), Self::Double(other)) => one.to_bits() == other.to_bits(),
            (Self::Int(one), Self::Int(other)) => one == other,
            _ => false,
        }
    }
}

impl Eq for NumberValue {}

impl From<f64> for NumberValue {
    fn from(value: f64) -> Self {
        Self::Double(value)
    }
}

impl From<i64> for NumberValue {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

/// A measurement that a point is made of, as an example.
///
/// Start from `Exemplar::default()` and set what you have.
///
/// ```
/// use borrowire::otlp::TraceId;
/// use borrowire::otlp::metrics::{Exemplar, NumberValue};
///
/// let mut exemplar = Exemplar::default();
/// exemplar.time_unix_nano = 1_700_000_000_000_000_000;
/// exemplar.value = Some(NumberValue::Double(0.25));
/// exemplar.trace_id = Some(TraceId([7; 16]));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Exemplar<'s, 'a> {
    /// Attributes of the measurement that the point does not have.
    pub filtered_attributes: Attributes<'s, 'a>,
    /// When it was measured, in nanoseconds since the Unix epoch.
    pub time_unix_nano: u64,
    /// What was measured; `None` if the sender left it out.
    pub value: Option<NumberValue>,
    /// The span in which it was measured.
    pub span_id: Option<SpanId>,
    /// The trace in which it was measured.
    pub trace_id: Option<TraceId>,
}

impl Encode for Exemplar<'_, '_> {
    #[inline]
    fn encoded_len(&self) -> usize {
        // Values of either kind take the same.
        let value = self.value.map_or(0, |_| wire::double_len(AS_DOUBLE));
        fixed64_len(TIME_UNIX_NANO, self.time_unix_nano)
            .saturating_add(value)
            .saturating_add(id_len(SPAN_ID, self.span_id.map(|id| id.0)))
            .saturating_add(id_len(TRACE_ID, self.trace_id.map(|id| id.0)))
            .saturating_add(self.filtered_attributes.fields_len())
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_fixed64(writer, TIME_UNIX_NANO, self.time_unix_nano)?;
        if let Some(NumberValue::Double(value)) = self.value {
            writer.write_double(AS_DOUBLE, value)?;
        }
        write_id(writer, SPAN_ID, self.span_id.map(|id| id.0))?;
        write_id(writer, TRACE_ID, self.trace_id.map(|id| id.0))?;
        if let Some(NumberValue::Int(value)) = self.value {
            writer.write_sfixed64(AS_INT, value)?;
        }
        self.filtered_attributes.write_fields::<FILTERED_ATTRIBUTES_BYTE>(writer)
    }
}

stored_list! {
    /// Exemplars: the caller's slice, or those of a decoded point.
    ///
    /// ```
    /// use borrowire::otlp::metrics::{Exemplar, Exemplars};
    ///
    /// let exemplars = [Exemplar::default()];
    /// assert_eq!(Exemplars::new(&exemplars).len(), 1);
    /// ```
    Exemplars of Exemplar in ExemplarColumns, exemplar;
    /// Iterates over [`Exemplars`].
    ExemplarsIter
}

impl Exemplars<'_, '_> {
    pub(super) fn fields_len(&self, tag: Tag) -> usize {
        self.iter().fold(0, |sum: usize, exemplar| {
            sum.saturating_add(wire::message_len(tag, exemplar.encoded_len()))
        })
    }

    pub(super) fn write_fields(&self, writer: &mut Writer<'_>, tag: Tag) -> Result<(), BufferFull> {
        self.iter().try_for_each(|exemplar| writer.write_message(tag, &exemplar))
    }
}

/// The fields of an exemplar, in the order of their words.
mod field {
    pub(super) const TIME_UNIX_NANO: u64 = 1;
    pub(super) const AS_DOUBLE: u64 = 1 << 1;
    pub(super) const AS_INT: u64 = 1 << 2;
    pub(super) const SPAN_ID: u64 = 1 << 3;
    pub(super) const TRACE_ID_HIGH: u64 = 1 << 4;
    pub(super) const TRACE_ID_LOW: u64 = 1 << 5;
    pub(super) const FILTERED_ATTRIBUTES: u64 = 1 << 6;
}

impl<'a> ExemplarColumns<'a> {
    /// Reads the exemplar whose tag has just been read. In partial mode a bad one is left out alone.
    pub(super) fn read(
        &mut self,
        cursor: &mut Cursor<'a, '_>,
        parents: &mut Parents<'a>,
    ) -> Result<(), DecodeError> {
        cursor.count_element()?;
        let position = parents.seen.exemplars;
        parents.seen.exemplars = position.wrapping_add(1);
        let kept = index(self.rows.len());
        let fault = cursor.read_apart(|cursor| self.read_fields(cursor.read_message()?))?;
        if let Some(error) = fault {
            self.rows.truncate(kept);
            parents.skip(RecordKind::Exemplar, position, error);
        }
        Ok(())
    }

    fn read_fields(&mut self, message: Cursor<'a, '_>) -> Result<(), DecodeError> {
        let mut cursor = message;
        let message = cursor.rest();
        let attributes_start = self.attributes.len();
        let (mut time, mut value, mut span_id, mut trace_id) = (0, None, None, None);
        let mut again = true;
        loop {
            if again {
                again = take_run::<FILTERED_ATTRIBUTES_BYTE>(
                    &mut cursor,
                    message,
                    &mut self.attributes,
                );
            }
            let Some(tag) = cursor.next_tag()? else { break };
            match tag {
                TIME_UNIX_NANO => time = cursor.read_fixed64()?,
                AS_DOUBLE => value = Some(NumberValue::Double(cursor.read_double()?)),
                AS_INT => value = Some(NumberValue::Int(cursor.read_sfixed64()?)),
                SPAN_ID => span_id = read_id::<8>(&mut cursor)?,
                TRACE_ID => trace_id = read_id::<16>(&mut cursor)?,
                FILTERED_ATTRIBUTES => read_attribute(&mut cursor, &mut self.attributes)?,
                _ => cursor.skip_field(tag)?,
            }
        }
        let mut row = self.rows.push_row();
        row.set_unless_zero(field::TIME_UNIX_NANO, time);
        match value {
            Some(NumberValue::Double(value)) => row.set(field::AS_DOUBLE, value.to_bits()),
            Some(NumberValue::Int(value)) => row.set(field::AS_INT, value.cast_unsigned()),
            None => {}
        }
        if let Some(id) = span_id {
            row.set(field::SPAN_ID, SpanId(id).word());
        }
        if let Some(id) = trace_id {
            let [high, low] = TraceId(id).words();
            row.set(field::TRACE_ID_HIGH, high);
            row.set(field::TRACE_ID_LOW, low);
        }
        row.set_range(field::FILTERED_ATTRIBUTES, attributes_start, self.attributes.len());
        row.end();
        Ok(())
    }

    fn exemplar(&self, position: usize) -> Option<Exemplar<'_, 'a>> {
        let mut row = self.rows.fields(self.rows.row(position)?);
        let time_unix_nano = row.word(field::TIME_UNIX_NANO).unwrap_or(0);
        let double = row.word(field::AS_DOUBLE);
        let double = double.map(|bits| NumberValue::Double(f64::from_bits(bits)));
        let int = row.word(field::AS_INT).map(|value| NumberValue::Int(value.cast_signed()));
        let span_id = row.word(field::SPAN_ID).map(SpanId::of_word);
        let high = row.word(field::TRACE_ID_HIGH);
        let low = row.word(field::TRACE_ID_LOW);
        let trace_id = high.zip(low).map(|(high, low)| TraceId::of_words([high, low]));
        let attributes = row.range(field::FILTERED_ATTRIBUTES, &self.attributes);
        let filtered_attributes = Attributes::stored(attributes, self.body);
        let value = double.or(int);
        Some(Exemplar { filtered_attributes, time_unix_nano, value, span_id, trace_id })
    }
}
