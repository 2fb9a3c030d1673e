//! `google.protobuf.Timestamp`: a point in time, to the nanosecond.
//!
//! ```text
//! 1 seconds  int64, since the Unix epoch; negative before it
//! 2 nanos    int32, 0 to 999,999,999, counted forward also before the epoch
//! ```
//!
//! As a field `T` of a message nearly every timestamp has this shape, with seconds of five bytes
//! (from 1978 to 3058), which has a path of its own, both ways:
//!
//! ```text
//! T len  08 <5 bytes>  [10 <1 to 5 bytes>]
//! ```

use core::fmt;

use crate::message::cursor::{Cursor, Merge};
use crate::message::fields::{int32_len, int64_len, write_int32, write_int64};
use crate::wire::error::DecodeError;
use crate::wire::message::{Decode, Encode};
use crate::wire::{self, BufferFull, Reader, Tag, WireType, Writer, split_word_varint};

const SECONDS: Tag = Tag::new(1, WireType::Varint);
const NANOS: Tag = Tag::new(2, WireType::Varint);

const SECONDS_BYTE: u8 = SECONDS.byte();
const NANOS_BYTE: u8 = NANOS.byte();

const NANOS_PER_SECOND: i32 = 1_000_000_000;

/// A point in time: seconds and nanoseconds since the Unix epoch. Decoded as it stands on the wire,
/// valid or not.
///
/// ```
/// use borrowire::loki::Timestamp;
///
/// let before = Timestamp::from_unix_nanos(-1);
/// assert_eq!((before.seconds, before.nanos), (-1, 999_999_999));
/// assert_eq!(before.to_unix_nanos(), Some(-1));
/// assert!(!Timestamp::new(0, -1).is_valid());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp {
    /// Seconds since the Unix epoch.
    pub seconds: i64,
    /// Nanoseconds within the second, from 0 to 999,999,999 where valid.
    pub nanos: i32,
}

impl Timestamp {
    /// The earliest valid time: 0001-01-01T00:00:00Z.
    pub const MIN: Self = Self { seconds: -62_135_596_800, nanos: 0 };
    /// The latest valid time: 9999-12-31T23:59:59.999999999Z.
    pub const MAX: Self = Self { seconds: 253_402_300_799, nanos: NANOS_PER_SECOND - 1 };

    /// The time of `seconds` and `nanos` since the Unix epoch.
    #[must_use]
    pub const fn new(seconds: i64, nanos: i32) -> Self {
        Self { seconds, nanos }
    }

    /// The time of `nanos` nanoseconds since the Unix epoch.
    #[must_use]
    pub const fn from_unix_nanos(nanos: i64) -> Self {
        let second = i64_from(NANOS_PER_SECOND);
        // Under a thousand million, so the conversion keeps it.
        #[allow(clippy::as_conversions)]
        Self { seconds: nanos.div_euclid(second), nanos: nanos.rem_euclid(second) as i32 }
    }

    /// Nanoseconds since the Unix epoch, if the time is valid and they fit 64 bits: from 1677-09-21
    /// to 2262-04-11.
    #[must_use]
    pub const fn to_unix_nanos(self) -> Option<i64> {
        if !self.is_valid() {
            return None;
        }
        // Before the epoch the product alone may be out of range where the sum is not.
        let (seconds, nanos) = if self.seconds < 0 && self.nanos > 0 {
            (self.seconds.saturating_add(1), self.nanos.saturating_sub(NANOS_PER_SECOND))
        } else {
            (self.seconds, self.nanos)
        };
        match seconds.checked_mul(i64_from(NANOS_PER_SECOND)) {
            Some(whole) => whole.checked_add(i64_from(nanos)),
            None => None,
        }
    }

    /// Milliseconds since the Unix epoch, rounded down, if the time is valid.
    #[must_use]
    pub const fn to_unix_millis(self) -> Option<i64> {
        const PER_SECOND: i64 = 1_000;
        const NANOS: i32 = 1_000_000;
        if !self.is_valid() {
            return None;
        }
        // A valid second is far from the edges.
        let whole = self.seconds.saturating_mul(PER_SECOND);
        Some(whole.saturating_add(i64_from(self.nanos.div_euclid(NANOS))))
    }

    /// Whether Loki and protobuf accept the time: the years 1 to 9999, nanoseconds in range.
    #[must_use]
    pub const fn is_valid(self) -> bool {
        self.seconds >= Self::MIN.seconds
            && self.seconds <= Self::MAX.seconds
            && self.nanos >= 0
            && self.nanos < NANOS_PER_SECOND
    }

    /// The time of `time`, if it is valid.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn from_system_time(time: std::time::SystemTime) -> Option<Self> {
        let timestamp = match time.duration_since(std::time::UNIX_EPOCH) {
            Ok(after) => Self {
                seconds: i64::try_from(after.as_secs()).ok()?,
                nanos: i32::try_from(after.subsec_nanos()).ok()?,
            },
            Err(before) => {
                let before = before.duration();
                let seconds = i64::try_from(before.as_secs()).ok()?.checked_neg()?;
                match i32::try_from(before.subsec_nanos()).ok()? {
                    0 => Self { seconds, nanos: 0 },
                    nanos => Self {
                        seconds: seconds.checked_sub(1)?,
                        nanos: NANOS_PER_SECOND.checked_sub(nanos)?,
                    },
                }
            }
        };
        timestamp.is_valid().then_some(timestamp)
    }

    /// The time, if it is valid and the platform can hold it.
    #[cfg(feature = "std")]
    #[must_use]
    pub fn to_system_time(self) -> Option<std::time::SystemTime> {
        use core::time::Duration;

        if !self.is_valid() {
            return None;
        }
        let whole = Duration::from_secs(self.seconds.unsigned_abs());
        let part = Duration::from_nanos(u64::try_from(self.nanos).ok()?);
        let second = if self.seconds < 0 {
            std::time::UNIX_EPOCH.checked_sub(whole)
        } else {
            std::time::UNIX_EPOCH.checked_add(whole)
        };
        second?.checked_add(part)
    }

    /// Whether the seconds take five bytes, which hold 29 to 35 bits, and the nanoseconds are not
    /// negative: all of today's times.
    #[inline]
    const fn is_usual(self) -> bool {
        const FIRST: u64 = 1 << 28;
        let beyond_first = self.seconds.cast_unsigned().wrapping_sub(FIRST);
        beyond_first < (1 << 35) - FIRST && self.nanos >= 0
    }
}

/// The timestamp that is the field `T` at the front of `message`, and the bytes behind it, if it
/// has the usual shape.
#[inline]
pub(super) fn split_usual_timestamp<const T: u8>(message: &[u8]) -> Option<(Timestamp, &[u8])> {
    let ([tag, len, SECONDS_BYTE], rest) = message.split_first_chunk()? else { return None };
    if *tag != T {
        return None;
    }
    let (seconds, rest) = split_word_varint(rest)?;
    let (nanos, rest) = match *rest {
        [NANOS_BYTE, ref rest @ ..] => split_word_varint(rest)?,
        _ => (0, rest),
    };
    // The timestamp must end here.
    if message.len().wrapping_sub(rest.len()) != usize::from(*len).wrapping_add(2) {
        return None;
    }
    // More than 31 bits are read in the general way.
    Some((Timestamp::new(seconds.cast_signed(), i32::try_from(nanos).ok()?), rest))
}

/// Bytes of `timestamp` as a field whose tag takes one byte.
#[inline]
pub(super) fn timestamp_field_len(tag: Tag, timestamp: Timestamp) -> usize {
    if !timestamp.is_usual() {
        return wire::message_len(tag, timestamp.encoded_len());
    }
    match timestamp.nanos.cast_unsigned() {
        0 => 8,
        nanos => wire::varint_len(nanos.into()).wrapping_add(9),
    }
}

/// Writes `timestamp` as the field whose tag is the one byte `T`.
#[inline]
pub(super) fn write_timestamp_field<const T: u8>(
    writer: &mut Writer<'_>,
    timestamp: Timestamp,
) -> Result<(), BufferFull> {
    if write_usual_timestamp::<T>(writer, timestamp)? {
        return Ok(());
    }
    writer.write_message(const { Tag::of_byte(T) }, &timestamp)
}

/// Writes the field for a timestamp of one of the usual lengths; `false` for any other.
#[inline]
fn write_usual_timestamp<const T: u8>(
    writer: &mut Writer<'_>,
    timestamp: Timestamp,
) -> Result<bool, BufferFull> {
    if !timestamp.is_usual() {
        return Ok(false);
    }
    let seconds = wire::spread(timestamp.seconds.cast_unsigned()) | 0x8080_8080;
    let [a, b, c, d, e, ..] = seconds.to_le_bytes();
    let nanos = timestamp.nanos.cast_unsigned();
    let spread = wire::spread(nanos.into());
    if nanos >> 28 != 0 {
        let [f, g, h, i, j, ..] = (spread | 0x8080_8080).to_le_bytes();
        *writer.take_array::<14>()? =
            [T, 12, SECONDS_BYTE, a, b, c, d, e, NANOS_BYTE, f, g, h, i, j];
    } else if nanos >> 21 != 0 {
        let [f, g, h, i, ..] = (spread | 0x0080_8080).to_le_bytes();
        *writer.take_array::<13>()? = [T, 11, SECONDS_BYTE, a, b, c, d, e, NANOS_BYTE, f, g, h, i];
    } else if nanos == 0 {
        *writer.take_array::<8>()? = [T, 6, SECONDS_BYTE, a, b, c, d, e];
    } else {
        return Ok(false);
    }
    Ok(true)
}

/// `i64::from`, which is not const.
#[allow(clippy::as_conversions)]
const fn i64_from(value: i32) -> i64 {
    value as i64
}

/// The time as seconds and nanoseconds: what RFC 3339 makes of it needs a calendar.
impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} s {} ns", self.seconds, self.nanos)
    }
}

impl<'a> Merge<'a> for Timestamp {
    fn merge_fields(&mut self, cursor: &mut Cursor<'a, '_>) -> Result<(), DecodeError> {
        while let Some(tag) = cursor.next_tag()? {
            match tag {
                SECONDS => self.seconds = cursor.read_int64()?,
                NANOS => self.nanos = cursor.read_int32()?,
                _ => cursor.skip_field(tag)?,
            }
        }
        Ok(())
    }
}

impl<'a> Decode<'a> for Timestamp {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_alone(reader)
    }
}

impl Encode for Timestamp {
    #[inline]
    fn encoded_len(&self) -> usize {
        int64_len(SECONDS, self.seconds).saturating_add(int32_len(NANOS, self.nanos))
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_int64(writer, SECONDS, self.seconds)?;
        write_int32(writer, NANOS, self.nanos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unix_nanos_both_ways_at_the_edges() {
        for nanos in [0, 1, -1, 999_999_999, 1_000_000_000, -1_000_000_000, i64::MIN, i64::MAX] {
            let timestamp = Timestamp::from_unix_nanos(nanos);
            assert!(timestamp.is_valid());
            assert_eq!(timestamp.to_unix_nanos(), Some(nanos));
        }
        let over = Timestamp::from_unix_nanos(i64::MAX);
        assert_eq!(Timestamp::new(over.seconds, over.nanos + 1).to_unix_nanos(), None);
        let under = Timestamp::from_unix_nanos(i64::MIN);
        assert_eq!(Timestamp::new(under.seconds, under.nanos - 1).to_unix_nanos(), None);
        assert_eq!(Timestamp::MIN.to_unix_nanos(), None);
        assert_eq!(Timestamp::new(1, 1_000_000_000).to_unix_nanos(), None);
    }

    #[test]
    fn golden_bytes_both_ways() {
        for (timestamp, bytes) in [
            (Timestamp::new(1, 2), &b"\x08\x01\x10\x02"[..]),
            (Timestamp::new(0, 0), b""),
            (Timestamp::new(0, -1), b"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
            (Timestamp::new(-1, 0), b"\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"),
        ] {
            assert_eq!(Timestamp::decode(bytes), Ok(timestamp));
            assert_eq!(timestamp.encode_to_vec().as_deref(), Ok(bytes));
        }
    }

    #[test]
    fn fields_of_every_length_are_as_messages_are() {
        const FIELD: Tag = Tag::new(1, WireType::Len);
        const FIELD_BYTE: u8 = FIELD.byte();
        let seconds = [0, 1, -1, (1 << 28) - 1, 1 << 28, (1 << 35) - 1, 1 << 35, i64::MAX];
        let nanos = [0, 1, -1, (1 << 21) - 1, 1 << 21, (1 << 28) - 1, 1 << 28, i32::MAX];
        for (seconds, nanos) in seconds.into_iter().flat_map(|s| nanos.map(|n| (s, n))) {
            let timestamp = Timestamp::new(seconds, nanos);
            let (mut usual, mut plain) = ([0; 32], [0; 32]);
            let mut writer = Writer::new(&mut usual);
            write_timestamp_field::<FIELD_BYTE>(&mut writer, timestamp).unwrap();
            assert_eq!(writer.written(), timestamp_field_len(FIELD, timestamp), "{timestamp}");
            Writer::new(&mut plain).write_message(FIELD, &timestamp).unwrap();
            assert_eq!(usual, plain, "{timestamp}");
            if let Some((split, rest)) = split_usual_timestamp::<FIELD_BYTE>(&usual) {
                assert_eq!(split, timestamp);
                assert_eq!(usual.len() - rest.len(), timestamp_field_len(FIELD, timestamp));
            } else {
                assert!(!timestamp.is_usual(), "{timestamp}");
            }
            assert_eq!(split_usual_timestamp::<{ FIELD_BYTE + 8 }>(&usual), None);
        }
    }

    #[test]
    #[cfg(feature = "std")]
    fn system_times_both_ways() {
        for timestamp in [Timestamp::new(-1, 1), Timestamp::new(-1, 0), Timestamp::new(5, 6)] {
            let time = timestamp.to_system_time().unwrap();
            assert_eq!(Timestamp::from_system_time(time), Some(timestamp));
        }
        assert_eq!(Timestamp::new(0, -1).to_system_time(), None);
    }
}
