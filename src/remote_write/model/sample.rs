//! `Sample`: a value at a time.
//!
//! ```text
//! 1 value            double
//! 2 timestamp        int64, milliseconds since the Unix epoch
//! 3 start_timestamp  int64, milliseconds (2.0; in 1.0 an extension of Cortex)
//! ```
//!
//! Nearly every sample is of one of two shapes: with the value, or, for the value 0, without it;
//! the timestamp takes six bytes from 2004 to 2109.
//!
//! ```text
//! 12 10  09 <8 bytes>  10 <6 bytes>
//! 12 07                10 <6 bytes>
//! ```

use crate::message::cursor::{Cursor, Merge};
use crate::message::fields::{double_len, int64_len, write_double, write_int64};
use crate::wire::error::DecodeError;
use crate::wire::message::{Decode, Encode};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer};

const VALUE: Tag = Tag::new(1, WireType::I64);
const TIMESTAMP: Tag = Tag::new(2, WireType::Varint);
const START_TIMESTAMP: Tag = Tag::new(3, WireType::Varint);

/// `samples`, field 2 of the `TimeSeries` of both versions.
pub(in crate::remote_write) const SAMPLES: Tag = Tag::new(2, WireType::Len);
const SAMPLES_BYTE: u8 = SAMPLES.byte();

/// What is written of samples, exemplars and histograms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::remote_write) struct ValueForm {
    /// Whether the start timestamps of samples and histograms are: 2.0 has them, 1.0 by the
    /// extension of Cortex only.
    pub(in crate::remote_write) start_timestamps: bool,
    /// Whether -0.0 is left out where 0.0 is.
    pub(in crate::remote_write) omit_negative_zeros: bool,
}

impl ValueForm {
    /// All that views have.
    pub(in crate::remote_write) const ALL: Self =
        Self { start_timestamps: true, omit_negative_zeros: false };

    /// `value`, or what is written in its place.
    #[inline]
    pub(in crate::remote_write) fn value(self, value: f64) -> f64 {
        if value == 0.0 && self.omit_negative_zeros { 0.0 } else { value }
    }
}

/// The bits of the NaN that says "this series has ended" (a signalling NaN). Other NaNs are values.
pub const STALE_NAN_BITS: u64 = 0x7ff0_0000_0000_0002;

/// Whether `value` is the stale marker, compared by bits.
///
/// ```
/// use borrowire::remote_write::{STALE_NAN_BITS, is_stale_nan};
///
/// assert!(is_stale_nan(f64::from_bits(STALE_NAN_BITS)));
/// assert!(!is_stale_nan(f64::NAN));
/// ```
#[must_use]
pub const fn is_stale_nan(value: f64) -> bool {
    value.to_bits() == STALE_NAN_BITS
}

/// The time of a timestamp in milliseconds since the Unix epoch, if the platform can hold it.
///
/// ```
/// use borrowire::remote_write::{system_time_from_timestamp, timestamp_from_system_time};
///
/// let time = system_time_from_timestamp(-1).unwrap();
/// assert_eq!(timestamp_from_system_time(time), Some(-1));
/// ```
#[cfg(feature = "std")]
#[must_use]
pub fn system_time_from_timestamp(timestamp: i64) -> Option<std::time::SystemTime> {
    let distance = core::time::Duration::from_millis(timestamp.unsigned_abs());
    if timestamp < 0 {
        std::time::UNIX_EPOCH.checked_sub(distance)
    } else {
        std::time::UNIX_EPOCH.checked_add(distance)
    }
}

/// The timestamp of `time` in milliseconds since the Unix epoch, rounded down, if it fits.
///
/// ```
/// use std::time::{Duration, UNIX_EPOCH};
///
/// use borrowire::remote_write::timestamp_from_system_time;
///
/// let time = UNIX_EPOCH + Duration::from_micros(1_500);
/// assert_eq!(timestamp_from_system_time(time), Some(1));
/// ```
#[cfg(feature = "std")]
#[must_use]
pub fn timestamp_from_system_time(time: std::time::SystemTime) -> Option<i64> {
    match time.duration_since(std::time::UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_millis()).ok(),
        Err(before) => {
            let before = before.duration();
            let part = i128::from(before.subsec_nanos() % 1_000_000 != 0);
            let millis = i128::try_from(before.as_millis()).ok()?;
            i64::try_from(millis.checked_add(part)?.checked_neg()?).ok()
        }
    }
}

/// A value of a series at a point in time.
///
/// Samples are equal when their bits are: a NaN equals itself, 0.0 and -0.0 differ.
///
/// ```
/// use borrowire::remote_write::Sample;
///
/// let sample = Sample::new(1.5, 1_700_000_000_000);
/// assert_eq!((sample.value, sample.timestamp), (1.5, 1_700_000_000_000));
/// assert_eq!(sample.start_timestamp, 0); // unset
/// ```
#[derive(Clone, Copy, Debug, Default)]
#[non_exhaustive]
pub struct Sample {
    /// The value; NaN payloads and signs are kept.
    pub value: f64,
    /// Milliseconds since the Unix epoch; 0 and negative values are legal.
    pub timestamp: i64,
    /// When the counter was last reset, in milliseconds since the Unix epoch; 0 is unset. A field
    /// of 2.0, and in 1.0 an extension of Cortex, which a request of 1.0 writes only on demand: see
    /// [`v1::EncodeOptions`](crate::remote_write::v1::EncodeOptions).
    pub start_timestamp: i64,
}

impl PartialEq for Sample {
    fn eq(&self, other: &Self) -> bool {
        self.value.to_bits() == other.value.to_bits()
            && self.timestamp == other.timestamp
            && self.start_timestamp == other.start_timestamp
    }
}

impl Eq for Sample {}

impl Sample {
    /// A sample of `value` at `timestamp`, in milliseconds since the Unix epoch.
    #[must_use]
    pub const fn new(value: f64, timestamp: i64) -> Self {
        Self { value, timestamp, start_timestamp: 0 }
    }

    /// Sets [`start_timestamp`](Self::start_timestamp).
    #[must_use]
    pub const fn with_start_timestamp(mut self, timestamp: i64) -> Self {
        self.start_timestamp = timestamp;
        self
    }

    /// Whether the value is the stale marker: the series has ended.
    #[must_use]
    pub const fn is_stale_marker(&self) -> bool {
        is_stale_nan(self.value)
    }

    /// Reads the sample whose tag has just been read.
    // Always, as `usual_sample`: handed back through memory, which is written in words and read in
    // vectors, a sample costs more than reading it does.
    #[inline(always)]
    pub(in crate::remote_write) fn read(cursor: &mut Cursor<'_, '_>) -> Result<Self, DecodeError> {
        if let Some((sample, rest)) = usual_sample(cursor.rest()) {
            cursor.advance_to(rest);
            return Ok(sample);
        }
        let mut sample = Self::default();
        cursor.merge_message(&mut sample)?;
        Ok(sample)
    }

    /// Bytes of the message.
    #[inline]
    pub(super) fn len(&self, form: ValueForm) -> usize {
        let value = double_len(VALUE, form.value(self.value));
        let timestamp = int64_len(TIMESTAMP, self.timestamp);
        let start = if form.start_timestamps {
            int64_len(START_TIMESTAMP, self.start_timestamp)
        } else {
            0
        };
        value.saturating_add(timestamp).saturating_add(start)
    }

    pub(super) fn write(&self, writer: &mut Writer<'_>, form: ValueForm) -> Result<(), BufferFull> {
        write_double(writer, VALUE, form.value(self.value))?;
        write_int64(writer, TIMESTAMP, self.timestamp)?;
        if form.start_timestamps {
            write_int64(writer, START_TIMESTAMP, self.start_timestamp)
        } else {
            Ok(())
        }
    }
}

impl<'a> Merge<'a> for Sample {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                VALUE => self.value = cursor.read_double()?,
                TIMESTAMP => self.timestamp = cursor.read_int64()?,
                START_TIMESTAMP => self.start_timestamp = cursor.read_int64()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

/// The sample whose tag has just been read, if it has a usual shape, and the bytes behind it.
#[inline(always)]
pub(in crate::remote_write) fn usual_sample(bytes: &[u8]) -> Option<(Sample, &[u8])> {
    let (&len @ 0..0x80, rest) = bytes.split_first()? else {
        return None;
    };
    let (message, rest) = rest.split_at_checked(usize::from(len))?;
    let (value, timestamp) = match message.split_first_chunk::<10>() {
        Some(([0x09, value @ .., 0x10], timestamp)) => (f64::from_le_bytes(*value), timestamp),
        _ => match message {
            [0x10, timestamp @ ..] => (0.0, timestamp),
            _ => return None,
        },
    };
    Some((Sample::new(value, whole_varint(timestamp)?), rest))
}

/// The varint that takes all of `bytes`.
#[inline]
fn whole_varint(bytes: &[u8]) -> Option<i64> {
    match *bytes {
        [a, b, c, d, e, f] => six_byte_varint([a, b, c, d, e, f]),
        _ => wire::whole_varint(bytes).map(u64::cast_signed),
    }
}

/// A varint of exactly six bytes, or `None` if it has another length.
// Always, as it is shorter than a call.
#[inline(always)]
pub(in crate::remote_write) fn six_byte_varint(bytes: [u8; 6]) -> Option<i64> {
    let [a, b, c, d, e, f] = bytes;
    let word = u64::from_le_bytes([a, b, c, d, e, f, 0, 0]);
    (word & 0x8080_8080_8080 == 0x0080_8080_8080).then(|| wire::compact(word).cast_signed())
}

/// The bytes of a series in front of its last sample, and that sample, if the series ends in a
/// sample with a timestamp of six bytes.
#[inline]
pub(in crate::remote_write) fn split_last_sample(series: &[u8]) -> Option<(&[u8], Sample)> {
    let (head, timestamp) = series.split_last_chunk::<6>()?;
    let timestamp = six_byte_varint(*timestamp)?;
    if let Some((head, [SAMPLES_BYTE, 0x10, 0x09, value @ .., 0x10])) =
        head.split_last_chunk::<12>()
    {
        return Some((head, Sample::new(f64::from_le_bytes(*value), timestamp)));
    }
    let (head, [SAMPLES_BYTE, 0x07, 0x10]) = head.split_last_chunk::<3>()? else {
        return None;
    };
    Some((head, Sample::new(0.0, timestamp)))
}

/// Writes `samples` as fields of a series.
// Always: a call for each series costs as much as the sample.
#[inline(always)]
pub(in crate::remote_write) fn write_samples(
    writer: &mut Writer<'_>,
    samples: &[Sample],
    form: ValueForm,
) -> Result<(), BufferFull> {
    for sample in samples {
        if !write_usual_sample(writer, sample, form)? {
            writer.write_len(SAMPLES, sample.len(form))?;
            sample.write(writer, form)?;
        }
    }
    Ok(())
}

/// Whether the timestamp takes six bytes, which hold 36 to 42 bits, and is the last field.
#[inline]
fn is_usual(sample: &Sample, form: ValueForm) -> bool {
    const FIRST: u64 = 1 << 35;
    let beyond_first = sample.timestamp.cast_unsigned().wrapping_sub(FIRST);
    beyond_first < (1 << 42) - FIRST && !(form.start_timestamps && sample.start_timestamp != 0)
}

/// Writes a sample of a usual shape, tag included; `false` if it has another.
#[inline]
fn write_usual_sample(
    writer: &mut Writer<'_>,
    sample: &Sample,
    form: ValueForm,
) -> Result<bool, BufferFull> {
    if !is_usual(sample, form) {
        return Ok(false);
    }
    let timestamp = sample.timestamp.cast_unsigned();
    let [a, b, c, d, e, f, ..] = (wire::spread(timestamp) | 0x0080_8080_8080).to_le_bytes();
    let value = form.value(sample.value);
    if value.to_bits() == 0 {
        *writer.take_array::<9>()? = [SAMPLES_BYTE, 0x07, 0x10, a, b, c, d, e, f];
    } else {
        let [s, t, u, v, w, x, y, z] = value.to_le_bytes();
        *writer.take_array::<18>()? =
            [SAMPLES_BYTE, 0x10, 0x09, s, t, u, v, w, x, y, z, 0x10, a, b, c, d, e, f];
    }
    Ok(true)
}

/// Bytes of `samples` as fields of a series.
#[inline]
pub(in crate::remote_write) fn samples_len(samples: &[Sample], form: ValueForm) -> usize {
    samples.iter().fold(0, |sum: usize, sample| {
        sum.saturating_add(if is_usual(sample, form) {
            if form.value(sample.value).to_bits() == 0 { 9 } else { 18 }
        } else {
            wire::message_len(SAMPLES, sample.len(form))
        })
    })
}

impl<'a> Decode<'a> for Sample {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_alone(reader)
    }
}

/// All fields.
impl Encode for Sample {
    fn encoded_len(&self) -> usize {
        self.len(ValueForm::ALL)
    }

    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        self.write(writer, ValueForm::ALL)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::cursor::State;
    use alloc::vec::Vec;

    const WRITE: ValueForm = ValueForm::ALL;
    const OMIT: ValueForm = ValueForm { start_timestamps: false, ..WRITE };

    const NOW: i64 = 1_700_000_000_000;

    /// Reads the sample at the front of `bytes`, all of them.
    fn read(bytes: &[u8]) -> Sample {
        let mut state = State::strict();
        let mut cursor = Cursor::over(Reader::new(bytes).unwrap(), &mut state);
        let sample = Sample::read(&mut cursor).unwrap();
        assert!(cursor.rest().is_empty());
        sample
    }

    fn field(sample: Sample, start: ValueForm) -> Vec<u8> {
        let mut out = [0; 64];
        let mut writer = Writer::new(&mut out);
        write_samples(&mut writer, &[sample], start).unwrap();
        let written = writer.written();
        assert_eq!(written, samples_len(&[sample], start));
        out[..written].to_vec()
    }

    #[test]
    fn golden_bytes_of_the_usual_shapes() {
        let bytes = b"\x12\x10\x09\0\0\0\0\0\0\xf8\x3f\x10\x80\xd0\x95\xff\xbc\x31";
        assert_eq!(field(Sample::new(1.5, NOW), OMIT), bytes);
        assert_eq!(split_last_sample(bytes), Some((&[][..], Sample::new(1.5, NOW))));
        let bytes = b"\x12\x07\x10\x80\xd0\x95\xff\xbc\x31";
        assert_eq!(field(Sample::new(0.0, NOW), OMIT), bytes);
        assert_eq!(split_last_sample(bytes), Some((&[][..], Sample::new(0.0, NOW))));
    }

    #[test]
    fn every_shape_reads_back_by_bits() {
        let timestamps = [
            0,
            1,
            -1,
            127,
            128,
            (1 << 35) - 1,
            1 << 35,
            (1 << 42) - 1,
            1 << 42,
            i64::MIN,
            i64::MAX,
        ];
        for timestamp in timestamps {
            for bits in [0, 1 << 63, STALE_NAN_BITS, 0xfff4_beef_dead_beef, 1.5_f64.to_bits()] {
                for start_timestamp in [0, 7, NOW] {
                    let sample = Sample::new(f64::from_bits(bits), timestamp)
                        .with_start_timestamp(start_timestamp);
                    let bytes = field(sample, WRITE);
                    assert_eq!(read(&bytes[1..]), sample);
                    let message = sample.encode_to_vec().unwrap();
                    assert_eq!(Sample::decode(&message), Ok(sample));
                    let plain = Sample::new(sample.value, timestamp);
                    assert_eq!(field(sample, OMIT), field(plain, WRITE));
                }
            }
        }
    }

    #[test]
    fn a_shape_that_only_looks_usual_is_read_field_by_field() {
        // value twice; value behind the timestamp; a ten-byte timestamp in a message of usual
        // length
        for (bytes, expected) in [
            (&b"\x12\x09\0\0\0\0\0\0\0\x40\x09\0\0\0\0\0\0\xf8\x3f"[..], Sample::new(1.5, 0)),
            (b"\x0b\x10\x05\x09\0\0\0\0\0\0\xf8\x3f", Sample::new(1.5, 5)),
            (b"\x0b\x10\x85\x80\x80\x80\x80\x80\x80\x80\x80\x00", Sample::new(0.0, 5)),
            (b"\x00", Sample::default()),
        ] {
            assert_eq!(read(bytes), expected);
        }
    }

    #[test]
    #[cfg(feature = "std")]
    fn timestamps_and_system_times_agree() {
        use core::time::Duration;
        use std::time::UNIX_EPOCH;
        for timestamp in [0, 1, -1, NOW, -62_135_596_800_000] {
            let time = system_time_from_timestamp(timestamp).unwrap();
            assert_eq!(timestamp_from_system_time(time), Some(timestamp));
        }
        let before = UNIX_EPOCH - Duration::from_micros(1500);
        assert_eq!(timestamp_from_system_time(before), Some(-2));
        let after = UNIX_EPOCH + Duration::from_micros(1500);
        assert_eq!(timestamp_from_system_time(after), Some(1));
    }
}
