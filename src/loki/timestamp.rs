//! `google.protobuf.Timestamp`: a point in time, to the nanosecond.
//!
//! ```text
//! 1 seconds  int64, since the Unix epoch; negative before it
//! 2 nanos    int32, 0 to 999,999,999, counted forward also before the epoch
//! ```

use core::fmt;

use crate::message::fields::{int64_len, write_int64};
use crate::wire::error::DecodeError;
use crate::wire::message::{Decode, Encode};
use crate::message::columns::DecodeState;
use crate::wire::{BufferFull, Reader, Tag, WireType, Writer};

const SECONDS: Tag = Tag::new(1, WireType::Varint);
const NANOS: Tag = Tag::new(2, WireType::Varint);

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

    pub(super) fn merge_fields(
        &mut self,
        reader: &mut Reader<'_>,
        state: &mut DecodeState,
    ) -> Result<(), DecodeError> {
        while let Some(tag) = reader.next_tag()? {
            match tag {
                SECONDS => self.seconds = reader.read_int64()?,
                NANOS => self.nanos = reader.read_int32()?,
                _ => state.skip_field(reader, tag)?,
            }
        }
        Ok(())
    }
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

impl<'a> Decode<'a> for Timestamp {
    fn merge(&mut self, reader: &mut Reader<'a>) -> Result<(), DecodeError> {
        self.merge_fields(reader, &mut DecodeState::strict())
    }
}

impl Encode for Timestamp {
    #[inline]
    fn encoded_len(&self) -> usize {
        int64_len(SECONDS, self.seconds).saturating_add(int64_len(NANOS, self.nanos.into()))
    }

    #[inline]
    fn write_to(&self, writer: &mut Writer<'_>) -> Result<(), BufferFull> {
        write_int64(writer, SECONDS, self.seconds)?;
        write_int64(writer, NANOS, self.nanos.into())
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
    #[cfg(feature = "std")]
    fn system_times_both_ways() {
        for timestamp in [Timestamp::new(-1, 1), Timestamp::new(-1, 0), Timestamp::new(5, 6)] {
            let time = timestamp.to_system_time().unwrap();
            assert_eq!(Timestamp::from_system_time(time), Some(timestamp));
        }
        assert_eq!(Timestamp::new(0, -1).to_system_time(), None);
    }
}
